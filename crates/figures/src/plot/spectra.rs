//! Spectra of series over time: power spectral densities of columns, of probes at each point, as a table
//! (`NAME.spectrum.csv`) and as a figure on logarithmic axes.
//!
//! A band about each curve has the true density with a probability of 95 % where the series is Gaussian, and velocities
//! have a line of slope -5/3 beside them, that of an inertial range.
//!
//! The table of probes has the number and the place of the point before the frequency, and that of other series begins
//! with the frequency. A column of one letter has its letter twice there, as the variance has it: `uu`; others keep
//! their names.

use std::path::Path;

use super::columns::{PLACE, POINT, TIME, UNIT_OF_NONE, column};
use super::error::Error;
use super::figure::{Curve, Figure, Panel, Scale, Style};
use super::points;
use super::traces::{self, Axes, Trace};
use super::welch::{self, Density};
use crate::format::number;
use crate::io::{Table, TableFile, write_derived_table};

/// Columns of probes whose spectra are usual: velocity and pressure.
pub(super) const OF_PROBES: [&str; 4] = ["u", "v", "w", "p"];
/// The column of the frequency, which only spectra have.
const FREQUENCY: &str = "frequency";
/// Largest distance of a sample from its time, as a fraction of the interval.
const OFF: f64 = 1e-3;
/// Largest share of samples between those that are equidistant. If steps have different lengths, nearly all are.
const MOST_BETWEEN: f64 = 0.1;
/// The parts of the comment of a table around its number of segments.
const HEAD: &str = "spectrum: ";
const OF_SEGMENTS: &str = ", in ";
/// Probability of the bands.
const PROBABILITY: f64 = 0.95;
/// Exponent of the spectra of velocities in an inertial range, its name, and the least ratio of frequencies over which
/// it is drawn.
const SLOPE: f64 = -5.0 / 3.0;
const NAME_OF_SLOPE: &str = "slope -5/3";
const LEAST_RANGE: f64 = 10.0;
/// Unit of the densities of velocities.
const OF_VELOCITY: &str = "m^2/s";

/// The spectra of some columns of a series.
#[derive(Debug, Clone, PartialEq)]
pub struct Spectra {
    quantities: Vec<Quantity>,
    /// The points of probes; of other series the one that stands for all.
    points: Vec<Point>,
    /// The number of segments, if the table says it.
    segments: Option<usize>,
    /// Lines for the head of the table.
    comments: Vec<String>,
}

/// A column with a spectrum.
#[derive(Debug, Clone, PartialEq)]
struct Quantity {
    /// The column of the series.
    column: String,
    /// Name and unit of the density.
    name: String,
    unit: String,
}

/// The spectra at a point.
#[derive(Debug, Clone, PartialEq)]
struct Point {
    /// Number and place of a probe.
    place: Option<(f64, [f64; 3])>,
    /// In the order of the quantities.
    densities: Vec<Density>,
}

impl Spectra {
    /// Computes the spectra of the usual columns of a series of probes, as [`Spectra::of_series`] does.
    ///
    /// # Errors
    /// The file cannot be read, and those of [`Spectra::of_series`].
    pub fn read(path: &Path, segments: usize) -> Result<Self, Error> {
        Self::of_series(&TableFile::read(path)?, &OF_PROBES, segments)
    }

    /// Computes the spectra of columns of a series from a number of segments that overlap by halves.
    ///
    /// # Errors
    /// The file lacks a column, or a point has too few samples or samples that are not equidistant.
    pub fn of_series(file: &TableFile, columns: &[&str], segments: usize) -> Result<Self, Error> {
        let (table, path) = (&file.table, file.path.as_path());
        let time = column(table, path, TIME)?;
        let mut of = Vec::new();
        for name in columns {
            of.push(column(table, path, name)?);
        }
        let of_probes = table.column(POINT).is_some();
        let places = if of_probes { places(file)? } else { Vec::new() };
        let mut comments = file.comments.clone();
        let mut all = Vec::new();
        for rows in points::rows(table) {
            // The first row in a window of time may be one of those between.
            let found = equidistant(time, &rows, path);
            let (interval, kept) = found.or_else(|_| equidistant(time, &rows[1..], path))?;
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
            let density = |values: &&[f64]| {
                let samples: Vec<f64> = kept.iter().map(|&row| values[row]).collect();
                welch::density(&samples, interval, segments)
            };
            if all.is_empty() {
                let length = welch::segment_length(kept.len(), segments);
                comments.push(format!(
                    "{HEAD}{} samples, {} apart{OF_SEGMENTS}{segments} segments of {length} that overlap by halves, \
                     with the window of Hann",
                    kept.len(),
                    number(interval)
                ));
            }
            all.push(Point {
                place: places.get(rows[0]).copied(),
                densities: of.iter().map(density).collect(),
            });
        }
        let quantities: Vec<Quantity> = columns.iter().map(|name| Quantity::of_column(table, name)).collect();
        let listed = |of: fn(&Quantity) -> &String| {
            let names: Vec<&str> = quantities.iter().map(|quantity| of(quantity).as_str()).collect();
            names.join(", ")
        };
        comments.push(format!(
            "{}: one-sided power spectral densities of {}; the sum over the frequencies times the frequency spacing is \
             the variance",
            listed(|quantity| &quantity.name),
            listed(|quantity| &quantity.column)
        ));
        Ok(Spectra {
            quantities,
            points: all,
            segments: Some(segments),
            comments,
        })
    }

    /// Takes the spectra from a table that [`Spectra::write`] wrote.
    ///
    /// # Errors
    /// It lacks a column, or a point has fewer than two frequencies.
    pub fn of_file(file: &TableFile) -> Result<Self, Error> {
        let table = &file.table;
        let frequency = column(table, &file.path, FREQUENCY)?;
        let of_probes = table.column(POINT).is_some();
        let places = if of_probes { places(file)? } else { Vec::new() };
        let before = |name: &str| name == FREQUENCY || of_probes && (name == POINT || PLACE.contains(&name));
        let of: Vec<usize> = (0..table.names.len()).filter(|&c| !before(&table.names[c])).collect();
        let mut points = Vec::new();
        for rows in points::rows(table) {
            let [first, second, ..] = rows[..] else {
                return Err(Error::TooShort {
                    path: file.path.clone(),
                    rows: rows.len(),
                    needed: 2,
                });
            };
            let density = |&c: &usize| Density {
                step: frequency[second] - frequency[first],
                values: rows.iter().map(|&row| table.columns[c][row]).collect(),
            };
            points.push(Point {
                place: places.get(first).copied(),
                densities: of.iter().map(density).collect(),
            });
        }
        Ok(Spectra {
            quantities: of.iter().map(|&c| Quantity::of_density(table, c)).collect(),
            points,
            segments: file.comments.iter().find_map(|line| segments_of(line)),
            comments: file.comments.clone(),
        })
    }

    /// Writes the table: a row for each point and frequency.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        let of_probes = self.points.iter().any(|point| point.place.is_some());
        let place = [(POINT, UNIT_OF_NONE), ("x", "m"), ("y", "m"), ("z", "m")];
        let place = place.into_iter().filter(|_| of_probes).chain([(FREQUENCY, "1/s")]);
        let densities = self
            .quantities
            .iter()
            .map(|quantity| (quantity.name.as_str(), quantity.unit.as_str()));
        let columns: Vec<(&str, &str)> = place.chain(densities).collect();
        let mut rows = Vec::new();
        for point in &self.points {
            let first = point.densities.first();
            for k in 0..first.map_or(0, |density| density.values.len()) {
                rows.extend(point.place.iter().flat_map(|(number, [x, y, z])| [*number, *x, *y, *z]));
                rows.extend(first.map(|density| k as f64 * density.step));
                rows.extend(point.densities.iter().map(|density| density.values[k]));
            }
        }
        Ok(write_derived_table(path, &columns, &rows, &self.comments)?)
    }

    /// Returns the curves of run number `run`, of at most so many points, without the frequency 0, which has no
    /// logarithm.
    pub(super) fn traces(&self, run: usize, most: usize) -> Vec<Trace> {
        let factors = self.segments.map(|segments| welch::confidence(segments, PROBABILITY));
        let of_quantity = |(number, quantity): (usize, &Quantity)| {
            let of_point = |&place: &usize| {
                let point = &self.points[place];
                let density = &point.densities[number];
                let last = density.values.len() - 1;
                // The value at the highest frequency has half the degrees of freedom, and 0 has no logarithm.
                let end = |factor: f64| {
                    let end = |k: usize| factor * density.values[k];
                    let known = |k: usize| if k < last && end(k) > 0.0 { end(k) } else { f64::NAN };
                    (1..=last).map(known).collect()
                };
                Trace {
                    run,
                    column: quantity.column.clone(),
                    name: quantity.name.clone(),
                    unit: quantity.unit.clone(),
                    family: quantity.unit.clone(),
                    point: point.place.map(|(number, _)| number as u64),
                    x: (1..density.values.len()).map(|k| k as f64 * density.step).collect(),
                    y: density.values[1..].to_vec(),
                    band: factors.map(|factors| factors.map(end)),
                }
            };
            points::shown(self.points.len(), most)
                .iter()
                .map(of_point)
                .collect::<Vec<Trace>>()
        };
        self.quantities.iter().enumerate().flat_map(of_quantity).collect()
    }
}

impl Quantity {
    /// Returns the quantity of a column of a series.
    fn of_column(table: &Table, column: &str) -> Self {
        let unit = match table.unit(column) {
            None => "s".to_owned(),
            Some("m/s") => "m^2/s".to_owned(),
            Some(unit) if unit.chars().all(char::is_alphanumeric) => format!("{unit}^2 s"),
            Some(unit) => format!("({unit})^2 s"),
        };
        Quantity {
            column: column.to_owned(),
            name: name_of(column),
            unit,
        }
    }

    /// Returns the quantity of a column of a table of spectra.
    fn of_density(table: &Table, column: usize) -> Self {
        let name = &table.names[column];
        let mut letters = name.chars();
        let column_of = match (letters.next(), letters.next(), letters.next()) {
            (Some(a), Some(b), None) if a == b => a.to_string(),
            _ => name.clone(),
        };
        Quantity {
            column: column_of,
            name: name.clone(),
            unit: table.units[column].clone(),
        }
    }
}

/// Returns the name of the density of a column.
fn name_of(column: &str) -> String {
    if column.chars().count() == 1 {
        column.repeat(2)
    } else {
        column.to_owned()
    }
}

/// Returns the curves of columns in a table of spectra from elsewhere, whose densities may have the names of the
/// columns, and whose frequencies may have any distance.
pub(super) fn traces_of_table(table: &Table, columns: &[String]) -> Vec<Trace> {
    let frequency = table.column(FREQUENCY).unwrap_or_default();
    let of_column = |column: &String| {
        let name = name_of(column);
        let values = table.column(&name).or_else(|| table.column(column))?;
        let pairs = frequency.iter().zip(values).filter(|(frequency, _)| **frequency > 0.0);
        let (x, y) = pairs.map(|(frequency, value)| (*frequency, *value)).unzip();
        Some(Trace {
            run: 0,
            column: column.clone(),
            name,
            unit: UNIT_OF_NONE.to_owned(),
            family: String::new(),
            point: None,
            x,
            y,
            band: None,
        })
    };
    columns.iter().filter_map(of_column).collect()
}

/// Returns whether a table holds spectra.
pub fn are_spectra(table: &Table) -> bool {
    table.column(FREQUENCY).is_some()
}

/// Returns number and place of the point of each row.
fn places(file: &TableFile) -> Result<Vec<(f64, [f64; 3])>, Error> {
    let column = |name| column(&file.table, &file.path, name);
    let number = column(POINT)?;
    let [x, y, z] = PLACE;
    let x = column(x)?;
    let y = column(y)?;
    let z = column(z)?;
    Ok((0..number.len())
        .map(|row| (number[row], [x[row], y[row], z[row]]))
        .collect())
}

/// Returns the interval of the samples of a point, and their rows. A run that is continued has a further sample at its
/// start, which is left out.
fn equidistant(time: &[f64], rows: &[usize], path: &Path) -> Result<(f64, Vec<usize>), Error> {
    let Some(&start) = rows.first() else {
        return Err(Error::NotEquidistant { path: path.into() });
    };
    let distances = rows.windows(2).map(|pair| time[pair[1]] - time[pair[0]]);
    let interval = distances.fold(0.0, f64::max);
    let mut kept = Vec::new();
    let mut between = 0;
    let mut missing = false;
    for &row in rows {
        let place = (time[row] - time[start]) / interval;
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

/// Returns the axes of a figure of spectra.
pub(super) fn axes() -> Axes {
    Axes {
        x_label: "frequency, 1/s".into(),
        x_scale: Scale::Logarithmic,
        y_scale: Scale::Logarithmic,
        what: Some("Spectrum"),
    }
}

/// Returns the number of segments that the comment of a table names, if it is that of its spectra.
fn segments_of(comment: &str) -> Option<usize> {
    let (_, rest) = comment.strip_prefix(HEAD)?.split_once(OF_SEGMENTS)?;
    rest.split_whitespace()
        .next()?
        .parse()
        .ok()
        .filter(|&segments| segments > 0)
}

/// Returns the note about the segments of a figure and its bands.
pub(super) fn note(segments: usize) -> String {
    let independent = welch::independent_segments(segments);
    format!(
        "{segments} segments, like {independent:.1} independent ones; bands: {:.0} % confidence of Gaussian series",
        100.0 * PROBABILITY
    )
}

/// Adds lines of slope -5/3 to the panels of velocities. A line goes over the middle half of the frequencies, on a
/// logarithmic axis, and touches the first curve from above.
pub(super) fn add_slopes(figure: &mut Figure) {
    let of_velocity = |panel: &&mut Panel| panel.y_label.ends_with(&format!(", {OF_VELOCITY}"));
    for panel in figure.panels.iter_mut().filter(of_velocity) {
        let line = panel.curves.first().and_then(slope_beside);
        panel.curves.extend(line);
    }
}

/// Returns the line of slope -5/3 beside a curve, if that has a wide range of frequencies and values above 0.
fn slope_beside(curve: &Curve) -> Option<Curve> {
    let (first, last) = (*curve.x.first()?, *curve.x.last()?);
    if last < LEAST_RANGE * first {
        return None;
    }
    let quarter = (last / first).powf(0.25);
    let ends = [first * quarter, last / quarter];
    let between = curve
        .x
        .iter()
        .zip(&curve.y)
        .filter(|(x, _)| ends[0] <= **x && **x <= ends[1]);
    let height = between.map(|(x, y)| y * x.powf(-SLOPE)).fold(0.0, f64::max);
    (height > 0.0).then(|| Curve {
        label: NAME_OF_SLOPE.to_owned(),
        x: ends.to_vec(),
        y: ends.map(|x| height * x.powf(SLOPE)).to_vec(),
        style: Style::reference(),
    })
}

/// Returns the figure: a panel for each quantity, with a line for each of some points.
pub fn figure(spectra: &Spectra) -> Figure {
    let mut notes = points::note(spectra.points.len(), points::MOST);
    notes.extend(spectra.segments.map(note));
    let mut figure = traces::figure(&spectra.traces(0, points::MOST), &[String::new()], None, &axes());
    add_slopes(&mut figure);
    Figure { notes, ..figure }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_touches_a_spectrum_of_its_slope_along_its_whole_length() {
        let x: Vec<f64> = (1..=1000).map(f64::from).collect();
        let curve = Curve {
            label: String::new(),
            y: x.iter().map(|x| 7.0 * x.powf(-5.0 / 3.0)).collect(),
            x,
            style: Style::run(0),
        };
        let line = slope_beside(&curve).expect("a wide range");
        let [low, high] = [1000f64.powf(0.25), 1000f64.powf(0.75)];
        for (i, x) in [low, high].into_iter().enumerate() {
            assert!((line.x[i] / x - 1.0).abs() < 1e-12);
            assert!((line.y[i] / (7.0 * x.powf(-5.0 / 3.0)) - 1.0).abs() < 1e-12);
        }
        let narrow = Curve {
            x: curve.x[99..200].to_vec(),
            y: curve.y[99..200].to_vec(),
            ..curve.clone()
        };
        assert_eq!(slope_beside(&narrow), None);
        let nothing = Curve {
            y: vec![0.0; 1000],
            ..curve
        };
        assert_eq!(slope_beside(&nothing), None);
    }
}
