//! The section of a report about the models of a study: how well they predict designs that they do not know.

use crate::format::number;
use crate::plot::figure::{Curve, Figure, Marker, Panel, Style};
use crate::report::html::{Section, paragraph, table};

use super::kriging::{Model, explained};
use super::record::{Record, modelled, point};
use super::sections::{Drawn, drawn_section};
use super::settings::Study;

/// Share of the variance below which a model is too poor to choose designs.
const POOR: f64 = 0.5;
/// Most designs of a model of the report, whose cost grows with the third power.
const MOST: usize = 300;

/// Returns the section; nothing if fewer designs are done than a model needs.
pub(super) fn section(study: &Study, records: &[Record]) -> Option<Section> {
    let known = |record| Some((point(study, record)?, modelled(study, record)?));
    let all: Vec<_> = records.iter().filter_map(|r| Some((r, known(r)?))).collect();
    if all.len() < study.variables.len() + 3 {
        return None;
    }
    // The last ones are those near the best.
    let used = &all[all.len().saturating_sub(MOST)..];
    let points: Vec<Vec<f64>> = used.iter().map(|(_, (point, _))| point.clone()).collect();
    let mut rows = Vec::new();
    let mut poor = Vec::new();
    let mut panels = Vec::new();
    for (i, name) in study.modelled().enumerate() {
        let sign = if i == 0 { study.sign() } else { 1.0 };
        let values: Vec<f64> = used.iter().map(|(_, (_, values))| sign * values[i]).collect();
        let left_out = Model::new(&points, &values, 1).left_out();
        let share = explained(&values, &left_out);
        let squares: f64 = values.iter().zip(&left_out).map(|(v, p)| (v - p).powi(2)).sum();
        let error = (squares / values.len() as f64).sqrt();
        rows.push(vec![name.clone(), format!("{share:.3}"), number(error)]);
        if share < POOR {
            poor.push(format!("`{name}` ({share:.2})"));
        }
        let expected = |(record, (_, values)): &(&Record, (Vec<f64>, Vec<f64>))| {
            Some([sign * values[i], *record.expected.get(name)?])
        };
        let chosen: Vec<[f64; 2]> = used.iter().filter_map(expected).collect();
        panels.push(panel(name, share, &values, &left_out, &chosen));
    }
    let figure = Figure {
        panels,
        ..Figure::default()
    };
    let mut body = paragraph(&format!(
        "Kriging models of {} designs. Each value is predicted by the model without it; Q2 is the share of the \
         variance that these predictions explain.",
        used.len()
    ));
    if !poor.is_empty() {
        let names = poor.join(", ");
        body += &paragraph(&format!(
            "Warning: the models of {names} explain less than half of the variance and are no guide to better designs. \
             More designs, fewer variables or values with smaller statistical errors help."
        ));
    }
    body += &table(&["value", "Q2", "rms error"], &rows);
    let caption = "Predicted values over those of the runs. Triangles are what the model expected when it chose the \
                   design; the line is where both are the same.";
    let drawn = Drawn {
        name: "models".to_owned(),
        figure,
        caption: caption.to_owned(),
    };
    Some(drawn_section("models", "Models against runs", body, &[drawn]))
}

fn panel(name: &str, share: f64, values: &[f64], left_out: &[f64], chosen: &[[f64; 2]]) -> Panel {
    let curve = |label: &str, x: Vec<f64>, y: Vec<f64>, style: Style| Curve {
        label: label.to_owned(),
        x,
        y,
        style,
    };
    let marks = |colour: usize, marker: Marker| Style {
        width: 0.0,
        dashes: "",
        marker,
        ..Style::measured(colour, 0)
    };
    let (low, high) = values
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
    let mut curves = vec![
        curve("equal", vec![low, high], vec![low, high], Style::reference()),
        curve("left out", values.to_vec(), left_out.to_vec(), marks(0, Marker::Circle)),
    ];
    if !chosen.is_empty() {
        let (x, y) = chosen.iter().map(|[x, y]| (*x, *y)).unzip();
        curves.push(curve("when chosen", x, y, marks(1, Marker::Triangle)));
    }
    Panel {
        title: format!("Q2 = {share:.2}"),
        x_label: format!("{name}, run"),
        y_label: format!("{name}, model"),
        curves,
        ..Panel::default()
    }
}
