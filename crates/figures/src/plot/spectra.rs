//! Spectra of time series of probes (`probes_NAME.csv`): power spectral densities of the velocity and the pressure at
//! each point, as a table (`probes_NAME.spectrum.csv`) and as a figure on logarithmic axes.

use std::collections::BTreeMap;
use std::path::Path;

use super::columns::column;
use super::error::Error;
use super::figure::{Curve, Figure, Panel, Scale, Style};
use super::welch::{self, Density};
use crate::format::number;
use crate::io::{Table, TableFile, write_derived_table};

/// Quantities: their column, and the name and the unit of their density.
const QUANTITIES: [(&str, &str, &str); 4] = [
    ("u", "uu", "m^2/s"),
    ("v", "vv", "m^2/s"),
    ("w", "ww", "m^2/s"),
    ("p", "pp", "Pa^2 s"),
];
/// The column of the frequency, which only spectra of probes have.
const FREQUENCY: &str = "frequency";
/// Largest distance of a sample from its time, as a fraction of the interval.
const OFF: f64 = 1e-3;
/// Largest share of samples between those that are equidistant. If steps have different lengths, nearly all are.
const MOST_BETWEEN: f64 = 0.1;
/// Most points that are drawn.
const DRAWN: usize = 6;

/// The spectra of a set of probes.
#[derive(Debug, Clone, PartialEq)]
pub struct Spectra {
    points: Vec<Point>,
    /// Lines for the head of the table.
    comments: Vec<String>,
}

/// The spectra at a point.
#[derive(Debug, Clone, PartialEq)]
struct Point {
    number: f64,
    x: [f64; 3],
    /// In the order of [`QUANTITIES`].
    densities: [Density; QUANTITIES.len()],
}

impl Spectra {
    /// Computes the spectra of a series of probes from a number of segments that overlap by halves.
    ///
    /// # Errors
    /// The file cannot be read or lacks a column, or a point has too few samples or samples that are not equidistant.
    pub fn read(path: &Path, segments: usize) -> Result<Self, Error> {
        let file = TableFile::read(path)?;
        let column = |name: &'static str| column(&file.table, path, name);
        let (time, point) = (column("time")?, column("point")?);
        let x = [column("x")?, column("y")?, column("z")?];
        let mut of = Vec::new();
        for (name, ..) in QUANTITIES {
            of.push(column(name)?);
        }
        let mut spectra = Spectra {
            points: Vec::new(),
            comments: file.comments.clone(),
        };
        for rows in of_points(point) {
            let (interval, kept) = equidistant(time, &rows, path)?;
            let needed = welch::fewest_samples(segments);
            if kept.len() < needed {
                return Err(Error::TooFewSamples {
                    path: path.into(),
                    samples: kept.len(),
                    segments,
                    needed,
                    most: welch::most_segments(kept.len()),
                });
            }
            let density = |q: usize| {
                let samples: Vec<f64> = kept.iter().map(|&row| of[q][row]).collect();
                welch::density(&samples, interval, segments)
            };
            if spectra.points.is_empty() {
                let length = welch::segment_length(kept.len(), segments);
                spectra.comments.push(format!(
                    "spectrum: {} samples, {} apart, in {segments} segments of {length} that overlap by halves, with \
                     the window of Hann",
                    kept.len(),
                    number(interval)
                ));
            }
            spectra.points.push(Point {
                number: point[rows[0]],
                x: x.map(|x| x[rows[0]]),
                densities: std::array::from_fn(density),
            });
        }
        spectra.comments.push(
            "uu, vv, ww, pp: one-sided power spectral densities of u, v, w, p; the sum over the frequencies times \
             the frequency spacing is the variance"
                .into(),
        );
        Ok(spectra)
    }

    /// Takes the spectra from a table that [`Spectra::write`] wrote.
    ///
    /// # Errors
    /// It lacks a column, or a point has fewer than two frequencies.
    pub fn of_file(file: &TableFile) -> Result<Self, Error> {
        let column = |name: &'static str| column(&file.table, &file.path, name);
        let (number, frequency) = (column("point")?, column(FREQUENCY)?);
        let x = [column("x")?, column("y")?, column("z")?];
        let mut of = Vec::new();
        for (_, name, _) in QUANTITIES {
            of.push(column(name)?);
        }
        let mut points = Vec::new();
        for rows in of_points(number) {
            let [first, second, ..] = rows[..] else {
                return Err(Error::TooShort {
                    path: file.path.clone(),
                    rows: rows.len(),
                    needed: 2,
                });
            };
            points.push(Point {
                number: number[first],
                x: x.map(|x| x[first]),
                densities: std::array::from_fn(|q| Density {
                    step: frequency[second] - frequency[first],
                    values: rows.iter().map(|&row| of[q][row]).collect(),
                }),
            });
        }
        Ok(Spectra {
            points,
            comments: file.comments.clone(),
        })
    }

    /// Writes the table: a row for each point and frequency.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        let place = [("point", "-"), ("x", "m"), ("y", "m"), ("z", "m"), (FREQUENCY, "1/s")];
        let densities = QUANTITIES.map(|(_, name, unit)| (name, unit));
        let columns: Vec<(&str, &str)> = place.into_iter().chain(densities).collect();
        let mut rows = Vec::new();
        for point in &self.points {
            for k in 0..point.densities[0].values.len() {
                rows.push(point.number);
                rows.extend(point.x);
                rows.push(k as f64 * point.densities[0].step);
                rows.extend(point.densities.iter().map(|density| density.values[k]));
            }
        }
        Ok(write_derived_table(path, &columns, &rows, &self.comments)?)
    }
}

/// Returns whether a table holds spectra of probes.
pub fn are_spectra(table: &Table) -> bool {
    table.column(FREQUENCY).is_some()
}

/// Returns the rows of each point, in the order of the numbers of the points.
fn of_points(number: &[f64]) -> Vec<Vec<usize>> {
    let mut rows: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (row, number) in number.iter().enumerate() {
        rows.entry(*number as u64).or_default().push(row);
    }
    rows.into_values().collect()
}

/// Returns the interval of the samples of a point, and their rows. A run that is continued has a further sample at its
/// start, which is left out.
fn equidistant(time: &[f64], rows: &[usize], path: &Path) -> Result<(f64, Vec<usize>), Error> {
    let distances = rows.windows(2).map(|pair| time[pair[1]] - time[pair[0]]);
    let interval = distances.fold(0.0, f64::max);
    let mut kept = Vec::new();
    let mut between = 0;
    let mut missing = false;
    for &row in rows {
        let place = (time[row] - time[rows[0]]) / interval;
        let next = kept.len() as f64;
        if (place - place.round()).abs() > OFF {
            between += 1;
        } else if place.round() == next || rows.len() == 1 {
            kept.push(row);
        } else {
            missing |= place.round() > next;
        }
    }
    if missing || between as f64 > MOST_BETWEEN * rows.len() as f64 {
        Err(Error::NotEquidistant { path: path.into() })
    } else {
        Ok((interval, kept))
    }
}

/// Returns the figure: a panel for each quantity, with a line for each of some points.
pub fn figure(spectra: &Spectra) -> Figure {
    let count = spectra.points.len();
    let drawn: Vec<&Point> = match count {
        0..=DRAWN => spectra.points.iter().collect(),
        _ => (0..DRAWN)
            .map(|i| &spectra.points[i * (count - 1) / (DRAWN - 1)])
            .collect(),
    };
    let panel = |q: usize| {
        let curves = drawn.iter().enumerate().map(|(index, point)| {
            let density = &point.densities[q];
            // The frequency 0 has no logarithm.
            let x = (1..density.values.len()).map(|k| k as f64 * density.step).collect();
            Curve {
                label: format!("point {}", point.number),
                x,
                y: density.values[1..].to_vec(),
                style: Style {
                    width: 1.8,
                    ..Style::run(index)
                },
            }
        });
        let (name, density, unit) = QUANTITIES[q];
        Panel {
            title: format!("Spectrum of {name}"),
            x_label: "frequency, 1/s".into(),
            y_label: format!("{density}, {unit}"),
            curves: curves.collect(),
            x_scale: Scale::Logarithmic,
            y_scale: Scale::Logarithmic,
            wide: name == "p",
            ..Panel::default()
        }
    };
    let left = count - drawn.len();
    Figure {
        notes: (left > 0)
            .then(|| format!("{left} further points are in the table"))
            .into_iter()
            .collect(),
        panels: (0..QUANTITIES.len()).map(panel).collect(),
        ..Figure::default()
    }
}
