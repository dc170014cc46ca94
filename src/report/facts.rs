//! What was run: the case, the mesh, the machine, the cost, and the warnings of the log.

use super::Run;
use super::html::{Section, escaped, pairs, paragraph, table};
use crate::format::number;
use crate::io::RunPart;

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
    let mut rows = vec![
        ("state", format!("{state}, at step {step}, t = {}", number(time))),
        ("mesh", format!("{} cells, hash {}", cells.join(", "), record.mesh.hash)),
        (
            "points",
            format!("{} solution points, order {}", record.mesh.points, record.mesh.order),
        ),
        ("wall clock", hours(seconds)),
    ];
    if record.parts.iter().any(|part| part.on_gpu) {
        let of_gpus = record.parts.iter().filter(|part| part.on_gpu);
        let sum: f64 = of_gpus.map(|part| part.seconds * part.ranks as f64).sum();
        rows.push(("GPU-hours", format!("{:.3}, counted as one GPU a rank", sum / 3600.0)));
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
        let steps = part.last.0.saturating_sub(part.first.0);
        let work = part.stages as f64 * record.mesh.points as f64 * steps as f64;
        vec![
            part.started.clone(),
            format!("fr-les {} ({})", part.version, part.git),
            part.device.clone(),
            part.ranks.to_string(),
            part.precision.clone(),
            format!("{} to {}", part.first.0, part.last.0),
            format!("{} to {}", number(part.first.1), number(part.last.1)),
            hours(part.seconds),
            match part.seconds > 0.0 {
                true => format!("{:.3}", work / part.seconds / 1e9),
                false => "-".to_owned(),
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

/// Returns a time in hours, minutes and seconds.
fn hours(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        0..60 => format!("{seconds:.1} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
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

    #[test]
    fn times_are_written_with_the_units_that_suit_them() {
        assert_eq!(hours(3.25), "3.2 s");
        assert_eq!(hours(61.4), "1 min 1 s");
        assert_eq!(hours(7322.0), "2 h 2 min");
    }
}
