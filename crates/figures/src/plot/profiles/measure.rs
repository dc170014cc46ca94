//! The table beside the figure of profiles: the difference of each run from the reference.

use super::data::{COMPARED, Profiles, Quantity};
use crate::output::StandardError;

/// Returns a table with a column for every run and, if there is one, for the reference.
pub fn table(runs: &[Profiles], reference: Option<&Profiles>) -> String {
    let all: Vec<&Profiles> = runs.iter().chain(reference).collect();
    let mut rows = vec![row(String::new(), &all, |profiles| profiles.label.clone())];
    // The reference has no difference from itself: its column stays empty there.
    let against = |name: &str, measure: &dyn Fn(&Profiles, &Profiles) -> Option<String>| {
        let reference = reference?;
        let cell = |profiles: &Profiles| {
            let is_run = !std::ptr::eq(profiles, reference);
            let measured = is_run.then(|| measure(profiles, reference).unwrap_or_else(|| "-".into()));
            measured.unwrap_or_default()
        };
        Some(row(name.into(), &all, cell))
    };
    rows.push(row("Re_tau".into(), &all, |profiles| format!("{:.2}", profiles.re_tau)));
    rows.extend(against("  difference", &|run, of| Some(percent(run.re_tau, of.re_tau))));
    // Without any error there is no row of errors.
    let errors = |cell: &dyn Fn(&Profiles) -> Option<StandardError>| {
        let share = |profiles: &Profiles| {
            let error = cell(profiles)?;
            Some(format!("{}{:.2} %", error.certainty.words(), 100.0 * error.size))
        };
        let any = runs.iter().any(|run| cell(run).is_some());
        any.then(|| row("  standard error".into(), &all, |run| share(run).unwrap_or_default()))
    };
    rows.extend(errors(&|run| {
        let error = run.re_tau_error?;
        let size = error.size / run.re_tau;
        Some(StandardError { size, ..error })
    }));
    // Place, difference, and its standard error.
    let largest = |run: &Profiles, of: &Profiles| {
        let ((y, differences), errors) = (run.difference(of), run.difference_errors(of));
        let points = (0..y.len()).map(|i| (y[i], differences[i], errors.get(i).copied()));
        points.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))
    };
    let name = format!("U+, largest difference above y+ = {COMPARED}");
    rows.extend(against(&name, &|run, of| {
        largest(run, of).map(|(_, difference, _)| percent(1.0 + difference, 1.0))
    }));
    rows.extend(against("  at y+", &|run, of| {
        largest(run, of).map(|(y, ..)| format!("{y:.2}"))
    }));
    rows.extend(errors(&|run| {
        let size = largest(run, reference?)?.2.filter(|error| error.is_finite())?;
        let certainty = run.certainty;
        Some(StandardError { size, certainty })
    }));
    for (quantity, name) in [
        (Quantity::Along, "u_rms+"),
        (Quantity::Normal, "v_rms+"),
        (Quantity::Across, "w_rms+"),
        (Quantity::Shear, "-uv+"),
    ] {
        let peak = |profiles: &Profiles| profiles.peak(quantity);
        let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".into());
        rows.push(row(format!("{name}, peak"), &all, |profiles| {
            or_none(peak(profiles).map(|peak| format!("{:.4}", peak.value)))
        }));
        rows.push(row("  at y+".into(), &all, |profiles| {
            or_none(peak(profiles).map(|peak| format!("{:.2}", peak.time)))
        }));
        rows.extend(against("  difference", &|run, of| {
            Some(percent(peak(run)?.value, peak(of)?.value))
        }));
    }
    for (name, friction) in [("h/u_tau", true), ("h/U_b", false)] {
        rows.push(row(format!("time of the samples [{name}]"), &all, |profiles| {
            let time = profiles
                .sampled
                .map(|(u_tau, bulk)| if friction { u_tau } else { bulk });
            time.map_or_else(String::new, |time| format!("{time:.2}"))
        }));
    }
    aligned(&rows)
}

/// Returns a name and one text for each of the profiles.
fn row(name: String, all: &[&Profiles], cell: impl Fn(&Profiles) -> String) -> Vec<String> {
    std::iter::once(name)
        .chain(all.iter().map(|profiles| cell(profiles)))
        .collect()
}

fn percent(value: f64, of: f64) -> String {
    format!("{:+.2} %", 100.0 * (value - of) / of)
}

/// Returns rows as lines, the first column aligned to the left and the others to the right.
fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).skip(1);
        let rest: String = cells.map(|(cell, width)| format!("  {cell:>width$}")).collect();
        format!("{:width$}{rest}", row[0], width = widths[0])
            .trim_end()
            .to_owned()
            + "\n"
    };
    rows.iter().map(line).collect()
}
