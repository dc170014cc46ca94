//! Means at equal phases of a periodic event as space-time pictures: along blades (`blade_NAME.phase.csv`) the friction
//! of the suction side, and the deviation of the pressure from its mean over the phases, over the axial chord and the
//! phase; behind cascades (`traverse_NAME.phase.csv`) total pressure and fluctuations over the pitch and the phase. Two
//! periods stand one above the other, so that what passes the end of a period is seen as a whole.

use std::path::Path;

use super::colours::{AROUND_ZERO, LOW_TO_HIGH, Map, quantile};
use super::columns::{CHORD, FRICTION, LINE, PHASE, PRESSURE, SIDE, TOTAL, VARIANCES, column, energy};
use super::contour;
use super::error::Error;
use super::figure::{Curve, Figure, Panel, Style, Tiles};
use super::traverses;
use crate::io::{Table, TableFile};

/// Share of the magnitudes within the range of the colours: friction at the nose would hide that of a bubble.
const SHOWN: f64 = 0.95;
/// Number of periods that are drawn.
const PERIODS: usize = 2;

/// Means at phases along a line.
#[derive(Debug, Clone, PartialEq)]
pub struct Phases {
    /// Places along the line, ascending, and the name of their axis.
    x: Vec<f64>,
    x_label: &'static str,
    /// Number of phases.
    bins: usize,
    panels: [Quantity; 2],
}

/// A quantity that is drawn.
#[derive(Debug, Clone, PartialEq)]
struct Quantity {
    title: String,
    /// Values, `[phase][place]`.
    values: Vec<f64>,
    /// Whether they lie on both sides of zero, and the name of the line on which they are zero, if it is drawn.
    signed: bool,
    zero: Option<&'static str>,
}

/// Returns whether a table holds means at phases.
pub fn are_phases(table: &Table) -> bool {
    let has = |name: &str| table.column(name).is_some();
    has(PHASE) && (has(CHORD) || has(LINE))
}

/// The rows of a table that are drawn: those of each phase, and which of them are kept.
struct Grid<'a> {
    file: &'a TableFile,
    bins: Vec<Vec<usize>>,
    kept: Vec<usize>,
}

impl<'a> Grid<'a> {
    /// Finds the rows of each phase that are `wanted`, and those whose places ascend.
    fn new(file: &'a TableFile, place: &'static str, wanted: impl Fn(usize) -> bool) -> Result<Self, Error> {
        let column = |name| column(&file.table, &file.path, name);
        let (phase, x) = (column(PHASE)?, column(place)?);
        let rows: Vec<usize> = (0..phase.len()).filter(|&row| wanted(row)).collect();
        let bins = rows.chunk_by(|&a, &b| phase[a] == phase[b]).map(<[usize]>::to_vec);
        let bins: Vec<Vec<usize>> = bins.collect();
        let kept = bins.first().map_or_else(Vec::new, |first| ascending(x, first));
        let equal = bins.iter().all(|bin| bin.len() == bins[0].len());
        if !equal || bins.len() < 2 || kept.len() < 2 {
            return Err(Error::Profile {
                path: file.path.clone(),
                detail: "two phases or more are needed, each with the same two places or more".into(),
            });
        }
        Ok(Grid { file, bins, kept })
    }

    /// Returns the values of a column, `[phase][place]`.
    fn values(&self, name: &'static str) -> Result<Vec<f64>, Error> {
        let column = column(&self.file.table, &self.file.path, name)?;
        let of_bin = |bin: &Vec<usize>| self.kept.iter().map(|&k| column[bin[k]]).collect::<Vec<f64>>();
        Ok(self.bins.iter().flat_map(of_bin).collect())
    }

    /// Returns the deviation of a column from its mean over the phases that have samples.
    fn deviation(&self, name: &'static str) -> Result<Vec<f64>, Error> {
        let (values, n) = (self.values(name)?, self.kept.len());
        let mean = |place: usize| {
            let known = values.iter().skip(place).step_by(n).filter(|value| value.is_finite());
            let (sum, count) = known.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
            sum / count
        };
        let means: Vec<f64> = (0..n).map(mean).collect();
        let rows = values.chunks(n);
        Ok(rows
            .flat_map(|row| row.iter().zip(&means).map(|(value, mean)| value - mean))
            .collect())
    }
}

impl Phases {
    /// Reads the means of a run.
    ///
    /// # Errors
    /// The file cannot be read, lacks a column, or has no grid of two phases and two places or more.
    pub fn read(path: &Path) -> Result<Self, Error> {
        Phases::of_file(&TableFile::read(path)?)
    }

    /// Takes the means from a file that has been read.
    ///
    /// # Errors
    /// It lacks a column, or has no grid of two phases and two places or more.
    pub fn of_file(file: &TableFile) -> Result<Self, Error> {
        match file.table.column(CHORD) {
            Some(_) => Phases::of_blade(file),
            None => Phases::of_traverse(file),
        }
    }

    fn of_blade(file: &TableFile) -> Result<Self, Error> {
        let side = column(&file.table, &file.path, SIDE)?;
        let grid = Grid::new(file, CHORD, |row| side[row] == 1.0)?;
        let title = if side.iter().all(|&side| side == 1.0) {
            "Friction, \u{3c4}/(p\u{2080}\u{2081} \u{2212} p\u{2082})"
        } else {
            "Friction of the suction side, \u{3c4}/(p\u{2080}\u{2081} \u{2212} p\u{2082})"
        };
        let friction = Quantity {
            title: title.into(),
            values: grid.values(FRICTION)?,
            signed: true,
            zero: Some("\u{3c4} = 0"),
        };
        let pressure = Quantity {
            title: "C\u{209a} minus its mean over the phases".into(),
            values: grid.deviation(PRESSURE)?,
            signed: true,
            zero: None,
        };
        let x = grid.values(CHORD)?;
        Ok(Phases {
            x: x[..grid.kept.len()].to_vec(),
            x_label: "x/C\u{2090}\u{2093}",
            bins: grid.bins.len(),
            panels: [friction, pressure],
        })
    }

    fn of_traverse(file: &TableFile) -> Result<Self, Error> {
        let pitch = traverses::pitch(file)?;
        let grid = Grid::new(file, LINE, |_| true)?;
        let pressure = Quantity {
            title: "p\u{2080} minus its mean over the phases, Pa".into(),
            values: grid.deviation(TOTAL)?,
            signed: true,
            zero: None,
        };
        let [uu, vv, ww] = VARIANCES.map(|name| grid.values(name));
        let energy = Quantity {
            title: "Velocity fluctuations, (uu + vv + ww)/2, m\u{b2}/s\u{b2}".into(),
            values: energy([&uu?, &vv?, &ww?]),
            signed: false,
            zero: None,
        };
        let y = grid.values(LINE)?;
        Ok(Phases {
            x: y[..grid.kept.len()].iter().map(|y| y / pitch).collect(),
            x_label: "y/pitch",
            bins: grid.bins.len(),
            panels: [pressure, energy],
        })
    }

    /// Returns the panel of a quantity.
    fn panel(&self, quantity: &Quantity) -> Panel {
        let n = self.x.len();
        let middles = self.x.windows(2).map(|x| 0.5 * (x[0] + x[1]));
        let sizes = quantity.values.iter().filter(|value| value.is_finite());
        let most = quantile(sizes.map(|value| value.abs()).collect(), SHOWN);
        let rows = PERIODS * self.bins;
        let (least, colours): (f64, &'static Map) = if quantity.signed {
            (-most, &AROUND_ZERO)
        } else {
            (0.0, &LOW_TO_HIGH)
        };
        Panel {
            title: quantity.title.clone(),
            x_label: self.x_label.into(),
            y_label: "phase".into(),
            curves: quantity.zero.iter().map(|label| self.zeros(quantity, label)).collect(),
            tiles: Some(Tiles {
                x: [self.x[0]].into_iter().chain(middles).chain([self.x[n - 1]]).collect(),
                y: (0..=rows).map(|row| row as f64 / self.bins as f64).collect(),
                values: quantity.values.repeat(PERIODS),
                range: [least, most],
                colours,
            }),
            ..Panel::default()
        }
    }

    /// Returns the line in space and time on which a quantity is zero.
    fn zeros(&self, quantity: &Quantity, label: &str) -> Curve {
        let n = self.x.len();
        let row = |bin: usize| &quantity.values[n * (bin % self.bins)..][..n];
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
            label: label.into(),
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

/// Returns the figure of means at phases.
pub fn figure(phases: &Phases) -> Figure {
    let beyond = 100.0 * (1.0 - SHOWN);
    Figure {
        notes: vec![format!(
            "two periods, one above the other; {beyond:.0} % of the magnitudes are beyond the ends of the colours"
        )],
        panels: phases.panels.iter().map(|quantity| phases.panel(quantity)).collect(),
        ..Figure::default()
    }
}
