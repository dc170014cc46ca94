//! What was run: the case, the mesh, the machine, the cost, and the warnings of the log.

use super::html::{Section, escaped, pairs, paragraph, table};
use super::run::Run;
use crate::format::{duration, number};
use crate::io::{RunPart, RunRecord, Table};
use crate::output::filter_record;
use crate::physics::Shock;
use crate::solver::FilterRecord;

/// Returns the sections of facts, of warnings and of the case.
pub(super) fn sections(run: &Run) -> Vec<Section> {
    let mut all = vec![Section {
        id: "run",
        title: "Run".to_owned(),
        body: facts(run),
        pictures: Vec::new(),
    }];
    let warnings = warnings(run);
    if !warnings.is_empty() {
        let lines: String = warnings
            .iter()
            .map(|line| format!("<li>{}</li>\n", escaped(line)))
            .collect();
        all.push(Section {
            id: "warnings",
            title: format!("Warnings ({})", warnings.len()),
            body: format!("<ul class=\"warn\">\n{lines}</ul>\n"),
            pictures: Vec::new(),
        });
    }
    if let Some(record) = &run.record {
        all.push(Section {
            id: "case",
            title: "Case".to_owned(),
            body: format!(
                "<details><summary>The case file, with the overrides of the command line</summary>\
                           <pre>{}</pre></details>\n",
                escaped(&record.case)
            ),
            pictures: Vec::new(),
        });
    }
    all
}

/// Returns what the filter of the states did, in words: by the record of a run that has ended, else by the rows of its
/// integrals. `None` if it did nothing.
pub fn filter_in_words(record: &RunRecord, integrals: Option<&Table>) -> Option<String> {
    if let Some(words) = record.filter_at_end() {
        return Some(words.to_owned());
    }
    let done = integrals.and_then(filter_record)?;
    (done != FilterRecord::default()).then(|| done.of_series())
}

fn facts(run: &Run) -> String {
    let Some(record) = &run.record else {
        return paragraph("The directory has no run.json, so that device, cost and warnings are not known.");
    };
    let cells: Vec<String> = record
        .mesh
        .cells
        .iter()
        .map(|(kind, count)| format!("{count} {kind}"))
        .collect();
    let (last, seconds) = (
        record.parts.last(),
        record.parts.iter().map(|part| part.seconds).sum::<f64>(),
    );
    let (step, time) = last.map_or((0, 0.0), |part| part.last);
    let state = last.map_or_else(String::new, |part| part.outcome.clone());
    let state_at = if record.steady {
        format!("{state}, a steady solution at iteration {step}")
    } else {
        format!("{state}, at step {step}, t = {}", number(time))
    };
    let mut rows = vec![
        ("state", state_at),
        ("mesh", format!("{} cells, hash {}", cells.join(", "), record.mesh.hash)),
        (
            "points",
            if record.steady {
                format!(
                    "{} vertices, points of degree {}",
                    record.mesh.points, record.mesh.order
                )
            } else {
                format!("{} solution points, order {}", record.mesh.points, record.mesh.order)
            },
        ),
        ("wall clock", duration(seconds)),
    ];
    if record.parts.iter().any(|part| part.on_gpu) {
        let of_gpus = record.parts.iter().filter(|part| part.on_gpu);
        let gpus = |part: &RunPart| part.gpus.unwrap_or(part.ranks) as f64;
        let sum: f64 = of_gpus.map(|part| part.seconds * gpus(part)).sum();
        rows.push(("GPU-hours", format!("{:.3}", sum / 3600.0)));
    }
    if record.parts.iter().any(|part| part.joules.is_some()) {
        rows.push(("energy", energy(record)));
    }
    let filters = run
        .case
        .as_ref()
        .is_some_and(|case| case.solver.scheme.shock != Shock::None);
    if let Some(done) = filter_in_words(record, run.table("integrals")) {
        rows.push(("filter", done));
    } else if filters && run.table("integrals").is_some() {
        rows.push(("filter", FilterRecord::default().of_series()));
    }
    let heads = [
        "started (UTC)",
        "program",
        "device",
        "ranks",
        "precision",
        "steps",
        "time",
        "wall clock",
        "GDOF/s",
        "ended",
    ];
    let of_part = |part: &RunPart| {
        let work = evaluations(record, part);
        vec![
            part.started.clone(),
            format!("fr-les {} ({})", part.version, part.git),
            part.device.clone(),
            part.ranks.to_string(),
            part.precision.clone(),
            format!("{} to {}", part.first.0, part.last.0),
            format!("{} to {}", number(part.first.1), number(part.last.1)),
            duration(part.seconds),
            if part.seconds > 0.0 {
                format!("{:.3}", work / part.seconds / 1e9)
            } else {
                "-".to_owned()
            },
            part.outcome.clone(),
        ]
    };
    let parts: Vec<Vec<String>> = record.parts.iter().map(of_part).collect();
    pairs(&rows)
        + "<h3>Parts</h3>\n"
        + &table(&heads, &parts)
        + &paragraph(
            "GDOF/s is solution points times right-hand sides over the wall-clock time, set-up and outputs included. \
             Wall-clock times are those of the last update, at a checkpoint or the end.",
        )
}

/// Returns the energy of the parts that know it, in all and of a point and right-hand side.
fn energy(record: &RunRecord) -> String {
    let known = || record.parts.iter().filter(|part| part.joules.is_some());
    let joules: f64 = known().filter_map(|part| part.joules).sum();
    let evaluations: f64 = known().map(|part| evaluations(record, part)).sum();
    let each = if evaluations > 0.0 {
        format!(", {:.3} nJ per DOF and right-hand side", joules * 1e9 / evaluations)
    } else {
        String::new()
    };
    let unknown = record.parts.len() - known().count();
    let without = match unknown {
        0 => String::new(),
        _ => format!(
            "; without {unknown} of {} parts, whose energy is not known",
            record.parts.len()
        ),
    };
    format!("{:.3} kJ{each}{without}", joules * 1e-3)
}

/// Returns solution points times right-hand sides of a part.
fn evaluations(record: &RunRecord, part: &RunPart) -> f64 {
    let steps = part.last.0.saturating_sub(part.first.0);
    part.stages * record.mesh.points as f64 * steps as f64
}

fn warnings(run: &Run) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for part in run.record.iter().flat_map(|record| &record.parts) {
        let new: Vec<&String> = part.warnings.iter().filter(|line| !all.contains(line)).collect();
        let new: Vec<String> = new.into_iter().cloned().collect();
        all.extend(new);
    }
    all.extend(run.unread.iter().cloned());
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::{Provenance, RecordedMesh};

    #[test]
    fn energy_counts_the_parts_that_know_it() {
        let part = |last, joules| RunPart {
            last: (last, 0.0),
            joules,
            ..RunPart::begin(&Provenance::of_this_program(), true, 4.0, (0, 0.0))
        };
        let mut record = RunRecord {
            title: String::new(),
            case: String::new(),
            steady: false,
            mesh: RecordedMesh {
                hash: String::new(),
                cells: Vec::new(),
                order: 3,
                points: 1_000_000,
            },
            // 4 and 12 million right-hand sides of a point.
            parts: vec![part(1, Some(0.02)), part(3, Some(0.06))],
        };
        assert_eq!(energy(&record), "0.000 kJ, 5.000 nJ per DOF and right-hand side");
        record.parts[1].joules = None;
        assert_eq!(
            energy(&record),
            "0.000 kJ, 5.000 nJ per DOF and right-hand side; without 1 of 2 parts, whose energy is not known"
        );
    }
}
