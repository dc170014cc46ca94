//! The sections of a report with the baseline and the best design side by side, and with the confirmations.

use std::path::{Path, PathBuf};

use crate::format::number;
use crate::io::{TableFile, read_series};
use crate::plot::figure::{Curve, Figure, Panel, Style};
use crate::plot::{blades, traverses};
use crate::report::html::{Section, table};

use super::confirm::Confirmation;
use super::geometry::PROFILE;
use super::record::{Record, State, ranked};
use super::sections::{Drawn, drawn_section, section as section_of};
use super::settings::Study;
use super::store::Store;
use super::variable::Choice;

/// Returns the section; nothing if the baseline is not done or is itself the best design.
pub(super) fn section(study: &Study, store: &Store, records: &[Record]) -> Option<Section> {
    let baseline = study.baseline.as_ref()?;
    let is_baseline = |r: &&Record| r.state == State::Done && r.choices(study).as_ref() == Some(baseline);
    let baseline = records.iter().find(is_baseline)?;
    let best = *ranked(study, records).first()?;
    if best.id == baseline.id {
        return None;
    }
    let pair = [("baseline", baseline), ("best", best)];
    let row = |name: &String, of: &dyn Fn(&Record) -> Option<f64>| {
        let [from, to] = pair.map(|(_, record)| of(record));
        let change = from.zip(to).filter(|(from, _)| *from != 0.0);
        let change = change.map(|(from, to)| format!("{:+.2} %", 100.0 * (to - from) / from.abs()));
        let text = |value: Option<f64>| value.map(number).unwrap_or_default();
        vec![name.clone(), text(from), text(to), change.unwrap_or_default()]
    };
    let values = baseline.values.keys();
    let mut rows: Vec<Vec<String>> = values.map(|name| row(name, &|r| r.values.get(name).copied())).collect();
    rows.extend(baseline.x.iter().map(|(name, from)| {
        let to = best.x.get(name).map(Choice::to_string).unwrap_or_default();
        vec![name.clone(), from.to_string(), to, String::new()]
    }));
    let heads = ["", baseline.id.as_str(), best.id.as_str(), "change"];
    let mut figures = Vec::new();
    let both = |path: &dyn Fn(&Record) -> PathBuf| pair.map(|(label, record)| (label, path(record)));
    let profile = both(&|r| store.of(&r.id).join(PROFILE));
    if let Some(figure) = profiles(&profile) {
        figures.push(Drawn {
            name: "profiles".to_owned(),
            figure,
            caption: "The blades.".to_owned(),
        });
    }
    let files = |r: &Record| study.mode.files_of(&store.results_of(&r.id));
    for name in tables_of(&files(best)) {
        if let Some(figure) = distributions(&both(&|r| files(r).join(&name))) {
            figures.push(Drawn {
                name: name.trim_end_matches(".csv").to_owned(),
                figure,
                caption: name,
            });
        }
    }
    let text = table(&heads, &rows);
    Some(drawn_section("compare", "Baseline and best", text, &figures))
}

/// Returns the outlines of blades; nothing if one has none.
fn profiles(files: &[(&str, PathBuf)]) -> Option<Figure> {
    let curve = |(i, (label, path)): (usize, &(&str, PathBuf))| {
        let table = read_series(path).ok()?;
        let column = |name: &str| table.column(name).map(<[f64]>::to_vec);
        let (mut x, mut y) = (column("x")?, column("y")?);
        x.push(*x.first()?);
        y.push(*y.first()?);
        let label = (*label).to_owned();
        let style = Style::run(i);
        Some(Curve { label, x, y, style })
    };
    let curves = files.iter().enumerate().map(curve).collect::<Option<Vec<_>>>()?;
    let panel = Panel {
        x_label: "x in chords".to_owned(),
        y_label: "y in chords".to_owned(),
        curves,
        ..Panel::default()
    };
    Some(Figure {
        panels: vec![panel],
        ..Figure::default()
    })
}

/// Returns the names of the tables in a folder, in order.
fn tables_of(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".csv")).collect();
    names.sort();
    names
}

/// Returns the figure of distributions along a blade or of traverses; nothing if the files are neither.
fn distributions(files: &[(&str, PathBuf)]) -> Option<Figure> {
    let first = TableFile::read(&files.first()?.1).ok()?;
    if blades::is_distribution(&first.table) {
        let each = files.iter();
        let each = each.map(|(label, path)| blades::Distribution::read_run((*label).to_owned(), path).ok());
        return Some(blades::figure(&each.collect::<Option<Vec<_>>>()?, None));
    }
    if traverses::is_traverse(&first.table) {
        let each = files.iter();
        let each = each.map(|(label, path)| traverses::Traverse::read((*label).to_owned(), path).ok());
        return Some(traverses::figure(&each.collect::<Option<Vec<_>>>()?));
    }
    None
}

/// Returns the section of the report with the confirmations that have ended; nothing if there are none.
pub(super) fn confirmations(study: &Study, records: &[Record]) -> Option<Section> {
    let mut rows = Vec::new();
    for (confirmation, record) in study
        .confirmations
        .iter()
        .flat_map(|c| records.iter().map(move |r| (c, r)))
    {
        let folder = confirmation.directory(&study.directory, &record.id);
        // A damaged result is an error of `--confirm`; a report has what can be read.
        let confirmed = Confirmation::read(&folder).ok().flatten();
        let Some(confirmed) = confirmed.filter(|confirmed| confirmed.case == record.case) else {
            continue;
        };
        for (name, value) in &confirmed.values {
            rows.push(vec![
                confirmation.name.clone(),
                record.id.clone(),
                name.clone(),
                record.values.get(name).copied().map(number).unwrap_or_default(),
                number(*value),
                format!("{:.4}", confirmed.hours),
            ]);
        }
    }
    let heads = ["confirmation", "design", "value", "design's", "confirmed", "hours"];
    (!rows.is_empty()).then(|| section_of("confirmation", "Confirmation", table(&heads, &rows)))
}
