//! The report of a study: one HTML page with its figures inside, and the table of all designs as CSV.

use crate::format::number;
use crate::output::ERROR;
use crate::plot::figure::{Band, Curve, Figure, Marker, Panel, Scale, Style};
use crate::report::Report;
use crate::report::html::{Section, page, pairs, paragraph, table};

use super::clouds::{Known, clouds, marks};
use super::record::{Record, State, merit, ranked};
use super::sections::{Drawn, drawn_section, section};
use super::settings::Study;
use super::store::Store;
use super::variable::{Choice, Domain, Variable};
use super::{compare, models};

/// Designs in the table of the page; the CSV has all.
const SHOWN: usize = 20;
/// Colour of the part of a figure in which a limit is kept.
const FEASIBLE: &str = "#009E73";
/// Colour of lines that are there for the whole picture.
const FAINT: &str = "#b4bcc4";

/// Returns the report: an HTML page, and its figures as pictures.
pub fn of(study: &Study, store: &Store, records: &[Record]) -> Report {
    let mut sections = vec![section("summary", "Summary", summary(study, records))];
    let best = ranked(study, records);
    if best.is_empty() {
        sections[0].body += &paragraph("No design has come to its end yet, so that there is nothing to draw.");
        return whole(study, sections);
    }
    let figures = [
        (
            "convergence",
            "Convergence",
            convergence(study, records),
            "The best design that keeps all constraints, so far.",
        ),
        (
            "scatter",
            "Objectives against variables",
            scatter(study, &best),
            "Every design that is done. Those that do not keep all constraints are triangles. Bars are two standard \
             errors of means to either side.",
        ),
        (
            "limits",
            "Objective against constraints",
            limits(study, &best),
            "Every design that is done. Dashed lines are the limits, and designs in the shaded parts keep them.",
        ),
        (
            "parallel",
            "Parallel coordinates",
            parallel(study, &best),
            "A line a design over all variables, each from its lower to its upper end. The best is drawn heavily, the \
             best tenth of the feasible designs in colour, and the others in grey.",
        ),
    ];
    for (id, title, figure, caption) in figures {
        if figure.panels.is_empty() {
            continue;
        }
        let drawn = Drawn {
            name: id.to_owned(),
            figure,
            caption: caption.to_owned(),
        };
        sections.push(drawn_section(id, title, String::new(), &[drawn]));
    }
    sections.extend(models::section(study, records));
    sections.extend(compare::section(study, store, records));
    sections.extend(compare::confirmations(study, records));
    let (heads, rows) = rows(study, best.iter().take(SHOWN).copied());
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    sections.push(section("best", "Best designs", table(&heads, &rows)));
    let failed: Vec<Vec<String>> = records
        .iter()
        .filter(|record| record.state.failed())
        .map(|r| {
            vec![
                r.id.clone(),
                r.state.to_string(),
                r.describe(),
                r.reason.clone().unwrap_or_default(),
            ]
        })
        .collect();
    if !failed.is_empty() {
        let body = table(&["design", "state", "variables", "reason"], &failed);
        sections.push(section("failed", "Failed designs", body));
    }
    whole(study, sections)
}

/// Returns the report of these sections.
fn whole(study: &Study, sections: Vec<Section>) -> Report {
    Report {
        page: page(&study.title, &sections),
        pictures: sections.into_iter().flat_map(|section| section.pictures).collect(),
    }
}

/// Returns all designs as a table: variables, values, violation, state and hours.
pub fn csv(study: &Study, records: &[Record]) -> String {
    let (heads, rows) = rows(study, records.iter());
    let mut table = csv::Writer::from_writer(Vec::new());
    for row in [heads].iter().chain(&rows) {
        table.write_record(row).expect("memory can be written");
    }
    let bytes = table.into_inner().expect("memory can be written");
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns heads and rows of designs. What is not known is an empty cell.
fn rows<'a>(study: &Study, records: impl Iterator<Item = &'a Record>) -> (Vec<String>, Vec<Vec<String>>) {
    let variables = || study.variables.iter().map(|v| v.name.clone());
    let values: Vec<String> = value_names(study);
    let heads = ["id".to_owned()]
        .into_iter()
        .chain(variables())
        .chain(values.iter().cloned());
    let objectives = study.objectives.iter().map(|o| (&o.name, &o.measure));
    let measures = objectives.chain(study.constraints.iter().map(|c| (&c.name, &c.measure)));
    let with_error: Vec<String> = measures
        .filter(|(_, measure)| measure.is_statistical())
        .map(|(name, _)| name.clone())
        .collect();
    let heads = heads
        .chain(with_error.iter().map(|name| format!("{name}{ERROR}")))
        .chain((!with_error.is_empty()).then(|| "error_at_least".to_owned()))
        .chain(["violation", "state", "hours", "origin"].map(str::to_owned))
        .chain((!study.retries.is_empty()).then(|| "retry".to_owned()))
        .collect();
    let row = |record: &Record| {
        let done = record.state == State::Done;
        let x = variables().map(|name| record.x.get(&name).map(Choice::to_string).unwrap_or_default());
        let y = values
            .iter()
            .map(|name| record.values.get(name).map(f64::to_string).unwrap_or_default());
        let errors = with_error
            .iter()
            .map(|name| record.errors.get(name).map(f64::to_string).unwrap_or_default());
        let violation = if done {
            record.violation.to_string()
        } else {
            String::new()
        };
        let end = [
            violation,
            record.state.to_string(),
            format!("{:.4}", record.hours),
            record.origin.clone(),
        ];
        let retry = (!study.retries.is_empty()).then(|| record.retry.to_string());
        [record.id.clone()]
            .into_iter()
            .chain(x)
            .chain(y)
            .chain(errors)
            .chain((!with_error.is_empty()).then(|| record.at_least.join(" ")))
            .chain(end)
            .chain(retry)
            .collect()
    };
    (heads, records.map(row).collect())
}

fn value_names(study: &Study) -> Vec<String> {
    let objectives = study.objectives.iter().map(|o| o.name.clone());
    objectives
        .chain(study.constraints.iter().map(|c| c.name.clone()))
        .collect()
}

fn summary(study: &Study, records: &[Record]) -> String {
    let count = |state: fn(State) -> bool| records.iter().filter(|r| state(r.state)).count();
    let hours: f64 = records.iter().map(|record| record.hours).sum();
    let best = ranked(study, records)
        .first()
        .filter(|best| best.violation == 0.0)
        .map(|best| {
            let values = value_names(study).into_iter();
            let values = values.filter_map(|name| Some(format!("{name} = {}", number(*best.values.get(&name)?))));
            format!(
                "{}: {}; {}",
                best.id,
                best.describe(),
                values.collect::<Vec<_>>().join(", ")
            )
        });
    pairs(&[
        ("Case", study.case.display().to_string()),
        ("Designs", records.len().to_string()),
        ("Done", count(|state| state == State::Done).to_string()),
        ("Failed", count(State::failed).to_string()),
        ("Planned", count(|state| state == State::Planned).to_string()),
        ("Hours of runs", format!("{hours:.3}")),
        (
            "Best",
            best.unwrap_or_else(|| "no design keeps all constraints".to_owned()),
        ),
    ])
}

/// Returns the best objective of feasible designs over the number of designs.
fn convergence(study: &Study, records: &[Record]) -> Figure {
    let objective = &study.objectives[0];
    let sign = objective.sign();
    let mut so_far = f64::INFINITY;
    let mut steps: Vec<[f64; 2]> = Vec::new();
    let mut points = Vec::new();
    for (i, record) in records.iter().enumerate() {
        let Some([violation, value]) = merit(study, record) else {
            continue;
        };
        if violation == 0.0 {
            so_far = so_far.min(value);
            points.push([i as f64, sign * value]);
        }
        if so_far.is_finite() {
            // The best value stays until a better one is found.
            let before = steps.last().map(|last| [i as f64, last[1]]);
            steps.extend(before);
            steps.push([i as f64, sign * so_far]);
        }
    }
    let line = Curve {
        label: "best so far".to_owned(),
        x: steps.iter().map(|p| p[0]).collect(),
        y: steps.iter().map(|p| p[1]).collect(),
        style: Style::run(1),
    };
    let panel = Panel {
        x_label: "design".to_owned(),
        y_label: objective.name.clone(),
        curves: vec![marks("feasible", points, 0, Marker::Circle), line],
        x_scale: Scale::Whole,
        ..Panel::default()
    };
    Figure {
        panels: if steps.is_empty() { Vec::new() } else { vec![panel] },
        ..Figure::default()
    }
}

/// Returns all objectives over each variable.
fn scatter(study: &Study, best: &[&Record]) -> Figure {
    let panel = |(objective, variable): (&String, &Variable)| Panel {
        x_label: variable.name.clone(),
        y_label: objective.clone(),
        curves: clouds(best, |r| {
            let place = position(variable, r.x.get(&variable.name)?);
            Some([Known::exact(place), Known::of(r, objective)?])
        }),
        title: format!("{objective} over {}", variable.name),
        x_scale: if is_whole(variable) { Scale::Whole } else { Scale::Roomy },
        x_names: match &variable.domain {
            Domain::Values(values) if has_words(variable) => values.iter().map(ToString::to_string).collect(),
            _ => Vec::new(),
        },
        ..Panel::default()
    };
    let objectives = study.objectives.iter().map(|objective| &objective.name);
    let pairs = objectives.flat_map(|objective| study.variables.iter().map(move |variable| (objective, variable)));
    Figure {
        panels: pairs.map(panel).collect(),
        ..Figure::default()
    }
}

/// Returns the objective over each constraint, with its limits.
fn limits(study: &Study, best: &[&Record]) -> Figure {
    let objective = &study.objectives[0].name;
    let panels = study.constraints.iter().map(|constraint| {
        let mut curves = clouds(best, |r| {
            Some([Known::of(r, &constraint.name)?, Known::of(r, objective)?])
        });
        let all: Vec<f64> = curves.iter().flat_map(|curve| curve.y.iter().copied()).collect();
        let (low, high) = all
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), y| (l.min(*y), h.max(*y)));
        for limit in constraint.limits.at_most.into_iter().chain(constraint.limits.at_least) {
            curves.push(Curve {
                label: "limit".to_owned(),
                x: vec![limit, limit],
                y: vec![low, high],
                style: Style::reference(),
            });
        }
        // Up to the frame where there is no limit.
        let feasible = Band {
            x: vec![
                constraint.limits.at_least.unwrap_or(f64::NEG_INFINITY),
                constraint.limits.at_most.unwrap_or(f64::INFINITY),
            ],
            low: vec![f64::NEG_INFINITY; 2],
            high: vec![f64::INFINITY; 2],
            color: FEASIBLE,
        };
        Panel {
            x_label: constraint.name.clone(),
            y_label: objective.clone(),
            title: format!("{objective} over {}", constraint.name),
            curves,
            bands: vec![feasible],
            x_scale: Scale::Roomy,
            ..Panel::default()
        }
    });
    Figure {
        panels: panels.collect(),
        ..Figure::default()
    }
}

/// Returns a line a design over all variables and the objective, each scaled to the interval from 0 to 1.
fn parallel(study: &Study, best: &[&Record]) -> Figure {
    let objective = &study.objectives[0].name;
    let values: Vec<f64> = best.iter().filter_map(|r| r.values.get(objective).copied()).collect();
    let (low, high) = values
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), y| (l.min(*y), h.max(*y)));
    let feasible = best.iter().filter(|record| record.violation == 0.0).count();
    let tenth = feasible.div_ceil(10);
    let line = |(rank, record): (usize, &&Record)| {
        let share = |variable: &Variable| record.x.get(&variable.name).map_or(f64::NAN, |x| share(variable, x));
        let value = record
            .values
            .get(objective)
            .map_or(f64::NAN, |y| (y - low) / (high - low).max(f64::MIN_POSITIVE));
        let y: Vec<f64> = study.variables.iter().map(share).chain([value]).collect();
        Curve {
            label: match rank {
                0 => "best",
                _ if rank < tenth => "best tenth",
                _ => "others",
            }
            .to_owned(),
            x: (0..y.len()).map(|i| i as f64).collect(),
            y,
            style: match rank {
                0 => Style {
                    width: 4.0,
                    ..Style::run(1)
                },
                _ if rank < tenth => Style {
                    width: 1.4,
                    ..Style::run(0)
                },
                _ => Style {
                    width: 0.7,
                    color: FAINT,
                    ..Style::run(0)
                },
            },
        }
    };
    let mut curves: Vec<Curve> = best.iter().enumerate().map(line).collect();
    curves.reverse();
    let of_objective = format!("{objective}: {} to {}", number(low), number(high));
    let names = study.variables.iter().map(with_ends).chain([of_objective]);
    let panel = Panel {
        y_label: "share of the range".to_owned(),
        curves,
        x_names: names.collect(),
        wide: true,
        ..Panel::default()
    };
    Figure {
        panels: vec![panel],
        ..Figure::default()
    }
}

/// Returns the name of a variable with the least and the largest value that it can have, or its words.
fn with_ends(variable: &Variable) -> String {
    let ends = match &variable.domain {
        Domain::Range(low, high) => [number(*low), number(*high)].join(" to "),
        Domain::Values(values) if has_words(variable) => {
            values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        }
        Domain::Values(values) => {
            let places = || values.iter().map(|value| position(variable, value));
            let ends = [
                places().fold(f64::INFINITY, f64::min),
                places().fold(f64::NEG_INFINITY, f64::max),
            ];
            ends.map(number).join(" to ")
        }
    };
    format!("{}: {ends}", variable.name)
}

/// Returns whether a variable has whole numbers alone.
fn is_whole(variable: &Variable) -> bool {
    let whole = |value: &Choice| matches!(value, Choice::Number(value) if value.fract() == 0.0);
    matches!(&variable.domain, Domain::Values(values) if values.iter().all(whole))
}

/// Returns whether a variable has values that are no numbers.
fn has_words(variable: &Variable) -> bool {
    matches!(&variable.domain, Domain::Values(values) if values.iter().any(|v| matches!(v, Choice::Word(_))))
}

/// Returns the place of a value on the axis of its variable: the number, or the position in the list of words.
fn position(variable: &Variable, choice: &Choice) -> f64 {
    match (&variable.domain, choice) {
        (Domain::Values(values), choice) if has_words(variable) => {
            values.iter().position(|v| v == choice).map_or(f64::NAN, |at| at as f64)
        }
        (_, Choice::Number(value)) => *value,
        _ => f64::NAN,
    }
}

/// Returns the place of a value between the ends of its variable, from 0 to 1.
fn share(variable: &Variable, choice: &Choice) -> f64 {
    let ends: Vec<f64> = match &variable.domain {
        Domain::Range(low, high) => vec![*low, *high],
        Domain::Values(values) => values.iter().map(|v| position(variable, v)).collect(),
    };
    let (low, high) = ends
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(*x), h.max(*x)));
    if high > low {
        (position(variable, choice) - low) / (high - low)
    } else {
        0.5
    }
}
