//! The figure of the integrals of runs over time, and the table of their dissipation peaks. It shows the decay of the
//! kinetic energy, and the part of it that is due to the resolved viscous stresses.
//!
//! Axes have no units: a case is in SI units or in any other consistent set, and its files do not state which.

use super::error::Error;
use super::figure::{Curve, Figure, Panel, Style};
use super::peak::{Peak, peak};
use crate::io::{Table, read_series};
use std::fmt::Write;
use std::path::Path;

/// Columns of the total dissipation in files of runs and of references.
const DECAY: &str = "kinetic_energy_decay";
const REFERENCE_DISSIPATION: &str = "dissipation";

/// The contents of one panel.
struct Quantity {
    title: &'static str,
    symbol: &'static str,
    column: &'static str,
    reference: &'static str,
    /// Column of a part of the quantity, and its name in the legend.
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

/// Smallest number of rows that make a curve with a maximum: a parabola needs three points.
const FEWEST_ROWS: usize = 3;

/// Part of a series within which a peak counts as one at its end: a curve that still rises may oscillate there.
const NEAR_END: f64 = 0.05;

/// Integrals over time with their name in the legend.
#[derive(Debug, Clone)]
pub struct Series {
    /// The name.
    pub label: String,
    table: Table,
}

impl Series {
    /// Reads the file at `path`, which must have a column of times.
    ///
    /// # Errors
    /// The file cannot be read, has too few rows or no column of times.
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
                column: "time".into(),
                names: table.names,
            });
        }
        Ok(Series { label, table })
    }

    fn time(&self) -> &[f64] {
        self.table.column("time").unwrap_or_default()
    }

    /// Returns the first time.
    fn begin(&self) -> f64 {
        self.time().iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// Returns the last time.
    fn end(&self) -> f64 {
        self.time().iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }

    /// Returns the same series up to a time, at which its last row is interpolated.
    fn until(&self, end: f64) -> Series {
        let time = self.time();
        let kept = time.iter().take_while(|t| **t <= end).count();
        let mut table = self.table.clone();
        for (column, values) in table.columns.iter_mut().zip(&self.table.columns) {
            column.truncate(kept);
            if (1..values.len()).contains(&kept) && time[kept - 1] < end {
                let share = (end - time[kept - 1]) / (time[kept] - time[kept - 1]);
                column.push(values[kept - 1] + share * (values[kept] - values[kept - 1]));
            }
        }
        Series {
            label: self.label.clone(),
            table,
        }
    }

    /// Returns the curve of a column. If there is none, the log reports that it is left out.
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

/// Returns the figure of all runs, each panel with the reference if that has the quantity. The reference ends where the
/// longest run ends. A quantity that no run has gets no panel.
///
/// # Errors
/// No run has any of the quantities.
pub fn figure(runs: &[Series], reference: Option<&Series>) -> Result<Figure, Error> {
    let end = runs.iter().map(Series::end).fold(f64::NEG_INFINITY, f64::max);
    let reference = reference.map(|reference| reference.until(end));
    let reference = reference.as_ref();
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
    Some(Panel {
        title: quantity.title.into(),
        x_label: "time".into(),
        y_label: quantity.symbol.into(),
        curves,
        ..Panel::default()
    })
}

/// Returns a table of the dissipation peak of each run, beside that of the reference over the time that both have;
/// empty if no run has one.
pub fn peaks(runs: &[Series], reference: Option<&Series>) -> String {
    let labels = runs.iter().map(|run| run.label.chars().count());
    let width = labels.max().unwrap_or(0).max("run".len());
    let (mut lines, mut notes) = (String::new(), String::new());
    let mut compared = false;
    // Writing into a string cannot fail, hence the ignored results.
    for run in runs {
        let Some(peak) = run.peak(DECAY) else { continue };
        let of = reference.and_then(|reference| reference.until(run.end()).peak(REFERENCE_DISSIPATION));
        let _ = write!(lines, "{:width$}  {}", run.label, numbers(&peak));
        if let Some(of) = of {
            compared = true;
            let percent = |value: f64, of: f64| 100.0 * (value - of) / of;
            let _ = write!(
                lines,
                "  {}  {:>+7.2} %  {:>+7.2} %",
                numbers(&of),
                percent(peak.value, of.value),
                percent(peak.time, of.time)
            );
        }
        let at_end = !peak.interior || peak.time > run.end() - NEAR_END * (run.end() - run.begin());
        lines += if at_end { "  (at an end of the series)\n" } else { "\n" };
        notes += &reference.map_or_else(String::new, |reference| note_of_end(run, reference));
    }
    if lines.is_empty() {
        return lines;
    }
    let mut header = format!("{:width$}  {:>12}  {:>9}", "run", "peak -dE/dt", "time");
    if compared {
        let _ = write!(
            header,
            "  {:>12}  {:>9}  {:>9}  {:>9}",
            "reference", "time", "peak diff", "time diff"
        );
    }
    format!("{header}\n{lines}{notes}")
}

/// Returns height and time of a peak as in the table.
fn numbers(peak: &Peak) -> String {
    // Adding zero turns -0 into 0.
    format!("{:>12.6e}  {:>9.4}", peak.value + 0.0, peak.time + 0.0)
}

/// Returns a line that reports a run that ends well before the reference.
fn note_of_end(run: &Series, reference: &Series) -> String {
    let (end, of) = (run.end(), reference.end());
    if end >= of - NEAR_END * (of - run.begin()) {
        return String::new();
    }
    let peak = reference.peak(REFERENCE_DISSIPATION).filter(|peak| peak.time > end);
    let peak = peak.map_or_else(String::new, |peak| format!(", whose peak is at {:.4}", peak.time));
    format!(
        "{} ends at time {end:.4}, before the reference{peak}: the time up to there is compared\n",
        run.label
    )
}
