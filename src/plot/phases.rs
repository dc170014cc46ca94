//! Means along blades at equal phases of a periodic event (`blade_NAME.phase.csv`) as space-time pictures: friction of
//! the suction side, and what the pressure deviates from its mean over the phases, over the axial chord and the phase.
//! Two periods stand one above the other, so that what passes the end of a period is seen as a whole.

use std::path::Path;

use super::colours::{AROUND_ZERO, quantile};
use super::contour;
use super::error::Error;
use super::figure::{Curve, Figure, Panel, Style, Tiles};
use crate::io::{Table, read_series};

/// The columns that are needed: the phase, the number of a side, the place along the axial chord, and the quantities.
const PHASE: &str = "phase";
const SIDE: &str = "side";
const PLACE: &str = "x_over_C";
const FRICTION: &str = "C_f";
const PRESSURE: &str = "C_p";
/// Share of the magnitudes within the range of the colours: friction at the nose would hide that of a bubble.
const SHOWN: f64 = 0.95;
/// Number of periods that are drawn.
const PERIODS: usize = 2;

/// Means at phases along the suction side of a blade, or along a wall with two ends.
#[derive(Debug, Clone, PartialEq)]
pub struct Phases {
    /// Whether the wall has another side.
    closed: bool,
    /// Places over the axial chord, ascending.
    x: Vec<f64>,
    /// Number of phases.
    bins: usize,
    /// Friction and pressure coefficient, `[phase][place]`.
    friction: Vec<f64>,
    pressure: Vec<f64>,
}

/// Returns whether a table holds means along a blade at phases.
pub fn are_phases(table: &Table) -> bool {
    [PHASE, PLACE].iter().all(|name| table.column(name).is_some())
}

impl Phases {
    /// Reads the means of a run.
    ///
    /// # Errors
    /// The file cannot be read, lacks a column, or has no grid of two phases and two places or more.
    pub fn read(path: &Path) -> Result<Self, Error> {
        Phases::of_table(path, &read_series(path)?)
    }

    /// Takes the means from the table of the file at `path`.
    ///
    /// # Errors
    /// It lacks a column, or has no grid of two phases and two places or more.
    pub fn of_table(path: &Path, table: &Table) -> Result<Self, Error> {
        let column = |column: &'static str| {
            table.column(column).ok_or_else(|| Error::MissingColumn {
                path: path.into(),
                column,
                names: table.names.clone(),
            })
        };
        let (phase, side, x) = (column(PHASE)?, column(SIDE)?, column(PLACE)?);
        let (friction, pressure) = (column(FRICTION)?, column(PRESSURE)?);
        let rows: Vec<usize> = (0..phase.len()).filter(|&row| side[row] == 1.0).collect();
        let of_bins: Vec<&[usize]> = rows.chunk_by(|&a, &b| phase[a] == phase[b]).collect();
        let kept = of_bins.first().map_or_else(Vec::new, |first| ascending(x, first));
        let equal = of_bins.iter().all(|bin| bin.len() == of_bins[0].len());
        if !equal || of_bins.len() < 2 || kept.len() < 2 {
            return Err(Error::Profile {
                path: path.into(),
                detail: format!("two phases or more are needed, each with the same two places or more of `{SIDE}` 1"),
            });
        }
        let of = |column: &[f64]| -> Vec<f64> {
            let of_bin = |bin: &&[usize]| kept.iter().map(|&k| column[bin[k]]).collect::<Vec<f64>>();
            of_bins.iter().flat_map(of_bin).collect()
        };
        Ok(Phases {
            closed: rows.len() < side.len(),
            x: kept.iter().map(|&k| x[of_bins[0][k]]).collect(),
            bins: of_bins.len(),
            friction: of(friction),
            pressure: of(pressure),
        })
    }

    /// Returns what the pressure deviates from its mean over the phases that have samples.
    fn pressure_deviation(&self) -> Vec<f64> {
        let n = self.x.len();
        let mean = |place: usize| {
            let known = self.pressure.iter().skip(place).step_by(n).filter(|p| p.is_finite());
            let (sum, count) = known.fold((0.0, 0.0), |(sum, count), p| (sum + p, count + 1.0));
            sum / count
        };
        let means: Vec<f64> = (0..n).map(mean).collect();
        let rows = self.pressure.chunks(n);
        rows.flat_map(|row| row.iter().zip(&means).map(|(p, mean)| p - mean))
            .collect()
    }

    /// Returns a panel with values as colours, `[phase][place]`.
    fn panel(&self, title: &str, values: &[f64]) -> Panel {
        let n = self.x.len();
        let middles = self.x.windows(2).map(|x| 0.5 * (x[0] + x[1]));
        let sizes = values.iter().filter(|value| value.is_finite()).map(|value| value.abs());
        let most = quantile(sizes.collect(), SHOWN);
        let rows = PERIODS * self.bins;
        Panel {
            title: title.into(),
            x_label: "x/C\u{2090}\u{2093}".into(),
            y_label: "phase".into(),
            tiles: Some(Tiles {
                x: [self.x[0]].into_iter().chain(middles).chain([self.x[n - 1]]).collect(),
                y: (0..=rows).map(|row| row as f64 / self.bins as f64).collect(),
                values: values.repeat(PERIODS),
                range: [-most, most],
                colours: &AROUND_ZERO,
            }),
            ..Panel::default()
        }
    }

    /// Returns the line in space and time where the friction is zero.
    fn separation(&self) -> Curve {
        let n = self.x.len();
        let row = |bin: usize| &self.friction[n * (bin % self.bins)..][..n];
        // The rows are at the middles of the bins; those at both ends of the periods lie between two of them.
        let end: Vec<f64> = row(0)
            .iter()
            .zip(row(self.bins - 1))
            .map(|(a, b)| 0.5 * (a + b))
            .collect();
        let rows = PERIODS * self.bins;
        let middles = (0..rows).map(|bin| (bin as f64 + 0.5) / self.bins as f64);
        let y: Vec<f64> = [0.0].into_iter().chain(middles).chain([PERIODS as f64]).collect();
        let values: Vec<f64> = [&end[..]]
            .into_iter()
            .chain((0..rows).map(row))
            .chain([&end[..]])
            .flatten()
            .copied()
            .collect();
        let (x, y) = contour::zeros(&self.x, &y, &values);
        Curve {
            label: "\u{3c4} = 0".into(),
            x,
            y,
            style: Style {
                dashes: "",
                ..Style::reference()
            },
        }
    }
}

/// Returns the indices of rows whose places ascend from the least one on. Behind the stagnation point the suction side
/// may first lead around the nose, against x.
fn ascending(x: &[f64], rows: &[usize]) -> Vec<usize> {
    let first = (0..rows.len()).min_by(|&a, &b| x[rows[a]].total_cmp(&x[rows[b]]));
    let mut kept: Vec<usize> = first.into_iter().collect();
    for k in first.map_or(0, |first| first + 1)..rows.len() {
        if kept.last().is_none_or(|&last| x[rows[k]] > x[rows[last]]) {
            kept.push(k);
        }
    }
    kept
}

/// Returns the figure of a blade.
pub fn figure(blade: &Phases) -> Figure {
    let title = match blade.closed {
        true => "Friction of the suction side, \u{3c4}/(p\u{2080}\u{2081} \u{2212} p\u{2082})",
        false => "Friction, \u{3c4}/(p\u{2080}\u{2081} \u{2212} p\u{2082})",
    };
    let mut friction = blade.panel(title, &blade.friction);
    friction.curves.push(blade.separation());
    let pressure = blade.panel("C\u{209a} less its mean over the phases", &blade.pressure_deviation());
    let beyond = 100.0 * (1.0 - SHOWN);
    Figure {
        notes: vec![format!(
            "two periods, one above the other; {beyond:.0} % of the magnitudes are beyond the ends of the colours"
        )],
        panels: vec![friction, pressure],
        ..Figure::default()
    }
}
