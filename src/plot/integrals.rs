//! The figure of the integrals of runs over time, and the table of their dissipation peaks: where the energy of a
//! decaying flow goes, and how much of its decay the resolved viscous stresses account for.

use super::Error;
use super::axis::superscript;
use super::figure::{Curve, Figure, Panel, Style};
use super::peak::{Peak, peak};
use crate::io::{Table, read_series};
use std::fmt::Write;
use std::path::Path;

/// Columns of the total dissipation in files of runs and of references.
const DECAY: &str = "kinetic_energy_decay";
const REFERENCE_DISSIPATION: &str = "dissipation";

/// What one panel shows.
struct Quantity {
    title: &'static str,
    symbol: &'static str,
    column: &'static str,
    reference: &'static str,
    /// Column of a part of the quantity, and what the legend calls it.
    part: Option<(&'static str, &'static str)>,
}

const QUANTITIES: [Quantity; 3] = [
    Quantity {
        title: "Kinetic-energy dissipation rate",
        symbol: "\u{2212}dE/dt",
        column: DECAY,
        reference: REFERENCE_DISSIPATION,
        part: Some(("dissipation_viscous", "resolved viscous part")),
    },
    Quantity {
        title: "Enstrophy",
        symbol: "enstrophy",
        column: "enstrophy",
        reference: "enstrophy",
        part: None,
    },
    Quantity {
        title: "Kinetic energy",
        symbol: "kinetic energy E",
        column: "kinetic_energy",
        reference: "kinetic_energy",
        part: None,
    },
];

/// Fewest rows that make a curve with a maximum: a parabola needs three points.
const FEWEST_ROWS: usize = 3;

/// Integrals over time under the name they have in the legend.
#[derive(Debug, Clone)]
pub struct Series {
    /// The name.
    pub label: String,
    table: Table,
}

impl Series {
    /// Reads the file at `path`, which must have a column of times.
    pub fn read(label: String, path: &Path) -> Result<Series, Error> {
        let table = read_series(path)?;
        let rows = table.columns.first().map_or(0, Vec::len);
        if rows < FEWEST_ROWS {
            return Err(Error::TooShort {
                path: path.into(),
                rows,
                needed: FEWEST_ROWS,
            });
        }
        if table.column("time").is_none() {
            return Err(Error::MissingColumn {
                path: path.into(),
                column: "time",
                names: table.names,
            });
        }
        Ok(Series { label, table })
    }

    fn time(&self) -> &[f64] {
        self.table.column("time").unwrap_or_default()
    }

    /// The curve of a column; if there is none, the log says that it is left out.
    fn curve(&self, column: &str, style: Style) -> Option<Curve> {
        let Some(y) = self.table.column(column) else {
            tracing::warn!(series = self.label, column, "no such column: its curve is left out");
            return None;
        };
        Some(Curve {
            label: self.label.clone(),
            x: self.time().to_vec(),
            y: y.to_vec(),
            style,
        })
    }

    fn peak(&self, column: &str) -> Option<Peak> {
        peak(self.time(), self.table.column(column)?)
    }
}

/// The figure of all runs, each panel with the reference where that has the quantity. A quantity that no run has gets
/// no panel.
pub fn figure(runs: &[Series], reference: Option<&Series>) -> Result<Figure, Error> {
    let panels: Vec<Panel> = QUANTITIES
        .iter()
        .filter_map(|quantity| panel(quantity, runs, reference))
        .collect();
    if panels.is_empty() {
        return Err(Error::NothingToDraw {
            columns: QUANTITIES.iter().map(|quantity| quantity.column).collect(),
        });
    }
    Ok(Figure {
        panels,
        ..Figure::default()
    })
}

fn panel(quantity: &Quantity, runs: &[Series], reference: Option<&Series>) -> Option<Panel> {
    let of_runs = |column| {
        runs.iter()
            .enumerate()
            .filter_map(move |(index, run)| run.curve(column, Style::run(index)))
    };
    let mut curves: Vec<Curve> = of_runs(quantity.column).collect();
    if curves.is_empty() {
        tracing::warn!(
            column = quantity.column,
            "no run has this column: its panel is left out"
        );
        return None;
    }
    curves.extend(reference.and_then(|reference| reference.curve(quantity.reference, Style::reference())));
    if let Some((column, name)) = quantity.part {
        let whole = curves.len();
        curves.extend(of_runs(column).map(|curve| Curve {
            label: String::new(),
            style: curve.style.part(),
            ..curve
        }));
        if curves.len() > whole {
            // One entry in the legend for the parts of all runs.
            let style = Style::run(0).part().grey();
            curves.push(Curve {
                label: name.into(),
                x: Vec::new(),
                y: Vec::new(),
                style,
            });
        }
    }
    let unit = |column| runs.iter().find_map(|run| run.table.unit(column));
    Some(Panel {
        title: quantity.title.into(),
        x_label: with_unit("time", unit("time")),
        y_label: with_unit(quantity.symbol, unit(quantity.column)),
        curves,
        ..Panel::default()
    })
}

/// `name [unit]`, the powers of the unit raised.
fn with_unit(name: &str, unit: Option<&str>) -> String {
    let Some(unit) = unit else { return name.into() };
    let mut pieces = unit.split('^');
    let mut raised = pieces.next().unwrap_or_default().to_string();
    for piece in pieces {
        let end = piece
            .find(|c: char| !(c.is_ascii_digit() || c == '-'))
            .unwrap_or(piece.len());
        raised += &superscript(&piece[..end]);
        raised += &piece[end..];
    }
    format!("{name} [{raised}]")
}

/// A table of the dissipation peak of each run, beside that of the reference; empty if no run has one.
pub fn peaks(runs: &[Series], reference: Option<&Series>) -> String {
    let reference = reference.and_then(|reference| reference.peak(REFERENCE_DISSIPATION));
    let width = runs
        .iter()
        .map(|run| run.label.chars().count())
        .max()
        .unwrap_or(0)
        .max("run".len());
    let mut lines = String::new();
    // Writing into a string cannot fail, hence the ignored results.
    for run in runs {
        let Some(peak) = run.peak(DECAY) else { continue };
        let _ = write!(lines, "{:width$}  {:>12.6e}  {:>9.4}", run.label, peak.value, peak.time);
        if let Some(of) = reference {
            let percent = |value: f64, of: f64| 100.0 * (value - of) / of;
            let _ = write!(lines, "  {:>12.6e}  {:>9.4}", of.value, of.time);
            let _ = write!(
                lines,
                "  {:>+7.2} %  {:>+7.2} %",
                percent(peak.value, of.value),
                percent(peak.time, of.time)
            );
        }
        lines += if peak.interior {
            "\n"
        } else {
            "  (at an end of the series)\n"
        };
    }
    if lines.is_empty() {
        return lines;
    }
    let mut header = format!("{:width$}  {:>12}  {:>9}", "run", "peak -dE/dt", "time");
    if reference.is_some() {
        let _ = write!(
            header,
            "  {:>12}  {:>9}  {:>9}  {:>9}",
            "reference", "time", "peak diff", "time diff"
        );
    }
    format!("{header}\n{lines}")
}
