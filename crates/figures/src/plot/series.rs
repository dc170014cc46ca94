//! Figures of series over time, or of their spectra: chosen columns of any table with a column of times, in a window of
//! time, of one run or of several beside a reference.
//!
//! Rows outside of the window are left out when a file is read, so that neither axes nor means nor spectra know of the
//! transient before it.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::columns::TIME;
use super::error::Error;
use super::figure::{Figure, Scale};
use super::peak::peak;
use super::spectra::{self, Spectra};
use super::traces::{self, Axes, Trace};
use super::{points, traverses, usual};
use crate::input::{listed, nearest};
use crate::io::{Table, TableFile};
use crate::output::{frequency_of, mean_of, rms_of};

/// Least number of rows of a curve.
const FEWEST_ROWS: usize = 2;

/// A part of the time; both ends belong to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Window {
    /// First time.
    pub from: f64,
    /// Last time.
    pub to: f64,
}

/// Series of a run with their name in the legend.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    label: String,
    files: Vec<TableFile>,
}

/// What the spectra of runs are compared with.
#[derive(Debug, Clone, PartialEq)]
pub enum Reference {
    /// A series over time, whose spectra are computed as those of the runs.
    Series(Run),
    /// A table of spectra, with a column `frequency`.
    Spectra {
        /// The name in the legend.
        label: String,
        /// The table.
        file: TableFile,
    },
}

/// A figure with the text that is printed below its path.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawing {
    /// The figure.
    pub figure: Figure,
    /// A line for each curve: mean, root mean square and frequency.
    pub table: String,
}

/// Returns whether a table is a series over time.
pub fn is_series(table: &Table) -> bool {
    table.column(TIME).is_some() && !traverses::is_traverse(table)
}

impl Run {
    /// Reads series of a run, without the rows outside of the window.
    ///
    /// # Errors
    /// A file cannot be read, has no column of times, or has too few rows in the window.
    pub fn read(label: String, paths: &[PathBuf], window: Window) -> Result<Self, Error> {
        let files = paths.iter().map(|path| within(TableFile::read(path)?, window));
        Ok(Run {
            label,
            files: files.collect::<Result<_, Error>>()?,
        })
    }

    /// Returns the first file that has a column.
    fn file_of(&self, column: &str) -> Option<&TableFile> {
        self.files
            .iter()
            .find(|file| usual::drawable(&file.table).contains(&column))
    }

    /// Returns the curves of a column over time.
    fn traces(&self, run: usize, column: &str, most: usize) -> Vec<Trace> {
        let Some(file) = self.file_of(column) else {
            return Vec::new();
        };
        let (table, of_points) = (&file.table, points::rows(&file.table));
        let of = |name: &str| table.column(name).unwrap_or_default();
        let of_point = |&place: &usize| {
            let rows = &of_points[place];
            let values = |name: &str| rows.iter().map(|&row| of(name)[row]).collect();
            Trace {
                run,
                column: column.to_owned(),
                name: column.to_owned(),
                unit: usual::unit(table, column),
                family: usual::family(table, column),
                point: of(super::columns::POINT).get(rows[0]).map(|number| *number as u64),
                x: values(TIME),
                y: values(column),
                band: None,
            }
        };
        points::shown(of_points.len(), most).iter().map(of_point).collect()
    }
}

impl Reference {
    /// Reads a reference, without the rows outside of the window if it is a series.
    ///
    /// # Errors
    /// Those of [`Run::read`].
    pub fn read(label: String, path: &Path, window: Window) -> Result<Self, Error> {
        let file = TableFile::read(path)?;
        if spectra::are_spectra(&file.table) {
            Ok(Reference::Spectra { label, file })
        } else {
            Run::read(label, &[path.to_path_buf()], window).map(Reference::Series)
        }
    }

    /// Returns the name in the legend.
    fn label(&self) -> &str {
        match self {
            Reference::Series(run) => &run.label,
            Reference::Spectra { label, .. } => label,
        }
    }

    /// Returns the spectra of columns.
    fn traces(&self, columns: &[String], segments: usize, most: usize) -> Result<Vec<Trace>, Error> {
        let (traces, files) = match self {
            Reference::Spectra { file, .. } => (
                spectra::traces_of_table(&file.table, columns),
                std::slice::from_ref(file),
            ),
            Reference::Series(run) => {
                let found = spectra_of(run, columns, segments)?;
                let of_files = found.iter().flat_map(|(_, spectra)| spectra.traces(0, most));
                (of_files.collect(), run.files.as_slice())
            }
        };
        if traces.is_empty() {
            Err(no_common(files, columns))
        } else {
            Ok(traces)
        }
    }
}

/// Returns a file without the rows outside of a window.
fn within(mut file: TableFile, window: Window) -> Result<TableFile, Error> {
    let time = super::columns::column(&file.table, &file.path, TIME)?.to_vec();
    let holds = |row: &usize| (window.from..=window.to).contains(&time[*row]);
    let kept: Vec<usize> = (0..time.len()).filter(holds).collect();
    let (first, last) = (kept.first().map(|&row| time[row]), kept.last().map(|&row| time[row]));
    if first == last {
        let ends = |of: fn(f64, f64) -> f64| time.iter().copied().reduce(of).unwrap_or(f64::NAN);
        return Err(Error::Window {
            path: file.path,
            from: window.from,
            to: window.to,
            first: ends(f64::min),
            last: ends(f64::max),
            needed: FEWEST_ROWS,
        });
    }
    for column in &mut file.table.columns {
        *column = kept.iter().map(|&row| column[row]).collect();
    }
    file.table.lines = kept.iter().map(|&row| file.table.lines[row]).collect();
    Ok(file)
}

/// Returns the columns that are drawn: the chosen ones, or the usual ones of all runs.
///
/// # Errors
/// No run has a column, or a run has none of them.
fn columns(runs: &[Run], chosen: &[String]) -> Result<Vec<String>, Error> {
    let files = || runs.iter().flat_map(|run| &run.files);
    let mut columns: Vec<String> = chosen.to_vec();
    if chosen.is_empty() {
        for name in files().flat_map(|file| usual::of(&file.table)) {
            if !columns.iter().any(|known| known == name) {
                columns.push(name.to_owned());
            }
        }
    }
    let refused = |files: &[TableFile], column: &str| {
        let names: Vec<&str> = files.iter().flat_map(|file| usual::drawable(&file.table)).collect();
        let near = nearest(column, names.iter().copied());
        Error::NoColumn {
            path: files.first().map_or_else(PathBuf::new, |file| file.path.clone()),
            column: column.to_owned(),
            near: near.map_or_else(
                || "there are".to_owned(),
                |near| format!("did you mean `{near}`? There are"),
            ),
            names: listed(names.iter().copied()),
        }
    };
    let all: Vec<TableFile> = files().cloned().collect();
    for column in &columns {
        if runs.iter().all(|run| run.file_of(column).is_none()) {
            return Err(refused(&all, column));
        }
        for run in runs.iter().filter(|run| run.file_of(column).is_none()) {
            tracing::warn!(run = run.label, column, "no such column: its curve is left out");
        }
    }
    let idle = |run: &&Run| columns.iter().all(|column| run.file_of(column).is_none());
    match runs.iter().find(idle) {
        Some(run) => Err(refused(&run.files, columns.first().map_or("", String::as_str))),
        None => Ok(columns),
    }
}

/// Returns the number of points of each run that are drawn.
fn most_points(runs: &[Run]) -> usize {
    if runs.len() == 1 {
        points::MOST
    } else {
        points::MOST_OF_RUNS
    }
}

/// Returns the note on points of probes that are not drawn.
fn note(runs: &[Run], columns: &[String]) -> Vec<String> {
    let files = runs
        .iter()
        .flat_map(|run| columns.iter().filter_map(|column| run.file_of(column)));
    let counts = files.map(|file| points::rows(&file.table).len());
    points::note(counts.max().unwrap_or(0), most_points(runs))
}

fn labels(runs: &[Run]) -> Vec<String> {
    runs.iter().map(|run| run.label.clone()).collect()
}

/// Returns the figure of series over time: those of the chosen columns, or of the usual ones. `scale` is that of the
/// vertical axes.
///
/// # Errors
/// A column is not there, or nothing of it can be drawn on the scale.
pub fn over_time(runs: &[Run], reference: Option<&Run>, chosen: &[String], scale: Scale) -> Result<Drawing, Error> {
    let columns = columns(runs, chosen)?;
    let most = most_points(runs);
    let of_run = |(number, run): (usize, &Run)| -> Vec<Trace> {
        columns
            .iter()
            .flat_map(|column| run.traces(number, column, most))
            .collect()
    };
    let of_runs: Vec<Trace> = runs.iter().enumerate().flat_map(of_run).collect();
    let traces = in_order(of_runs, &columns);
    let above = |trace: &&Trace| trace.y.iter().any(|y| *y > 0.0);
    if let Some(trace) = traces.iter().find(|trace| scale == Scale::Logarithmic && !above(trace)) {
        return Err(Error::NothingAboveZero {
            run: runs[trace.run].label.clone(),
            column: trace.column.clone(),
        });
    }
    let of_reference = reference.map(|run| (run, of_run((0, run))));
    if let Some((run, _)) = of_reference.as_ref().filter(|(_, traces)| traces.is_empty()) {
        return Err(no_common(&run.files, &columns));
    }
    let axes = Axes {
        x_label: "time, s".into(),
        x_scale: Scale::Fitted,
        y_scale: scale,
        what: None,
    };
    let beside = of_reference
        .as_ref()
        .map(|(run, traces)| (run.label.as_str(), traces.as_slice()));
    Ok(Drawing {
        figure: Figure {
            notes: note(runs, &columns),
            ..traces::figure(&traces, &labels(runs), beside, &axes)
        },
        table: table(runs, &traces, &[]),
    })
}

/// Returns the figure of the spectra of series, and the table of each with the path of its file.
///
/// # Errors
/// A column is not there, or a series has too few samples or samples that are not equidistant.
pub fn over_frequency(
    runs: &[Run],
    reference: Option<&Reference>,
    chosen: &[String],
    segments: usize,
) -> Result<(Drawing, Vec<(PathBuf, Spectra)>), Error> {
    let columns = columns(runs, chosen)?;
    let most = most_points(runs);
    let mut over_time = Vec::new();
    let mut over_frequency = Vec::new();
    let mut written = Vec::new();
    for (number, run) in runs.iter().enumerate() {
        over_time.extend(columns.iter().flat_map(|column| run.traces(number, column, most)));
        for (path, spectra) in spectra_of(run, &columns, segments)? {
            over_frequency.extend(spectra.traces(number, most));
            written.push((path.with_extension("spectrum.csv"), spectra));
        }
    }
    let of_reference = reference
        .map(|reference| reference.traces(&columns, segments, most))
        .transpose()?;
    let traces = in_order(over_frequency, &columns);
    let beside = reference
        .zip(of_reference.as_deref())
        .map(|(reference, traces)| (reference.label(), traces));
    let mut notes = note(runs, &columns);
    notes.push(spectra::note(segments));
    let mut figure = traces::figure(&traces, &labels(runs), beside, &spectra::axes());
    spectra::add_slopes(&mut figure);
    let figure = Figure { notes, ..figure };
    let table = table(runs, &in_order(over_time, &columns), &traces);
    Ok((Drawing { figure, table }, written))
}

/// Returns the spectra of columns of a run, with the series of each.
fn spectra_of<'a>(run: &'a Run, columns: &[String], segments: usize) -> Result<Vec<(&'a Path, Spectra)>, Error> {
    let mut found = Vec::new();
    for file in &run.files {
        let here = |column: &&String| run.file_of(column).is_some_and(|of| of.path == file.path);
        let of_file: Vec<&str> = columns.iter().filter(here).map(String::as_str).collect();
        if !of_file.is_empty() {
            found.push((file.path.as_path(), Spectra::of_series(file, &of_file, segments)?));
        }
    }
    Ok(found)
}

/// Returns curves in the order of their columns, and of the runs of each.
fn in_order(mut traces: Vec<Trace>, columns: &[String]) -> Vec<Trace> {
    traces.sort_by_key(|trace| columns.iter().position(|column| *column == trace.column));
    traces
}

/// Returns the error of a reference that has none of the columns that are drawn.
fn no_common(files: &[TableFile], columns: &[String]) -> Error {
    let names = files.iter().flat_map(|file| usual::drawable(&file.table));
    Error::NoCommonColumn {
        path: files.first().map_or_else(PathBuf::new, |file| file.path.clone()),
        columns: listed(columns.iter().map(String::as_str)),
        names: listed(names),
    }
}

/// Formats a number with six significant digits.
fn six_digits(value: f64) -> String {
    // Rounded first, since 9.9999999 has one digit less than what is shown of it.
    let text = format!("{value:.5e}");
    let exponent = text
        .split_once('e')
        .and_then(|(_, exponent)| exponent.parse::<i32>().ok());
    match exponent {
        Some(exponent @ -4..6) => format!("{value:.*}", (5 - exponent) as usize),
        _ => text,
    }
}

/// Returns a line for each curve over time: mean, root mean square of the fluctuation, and frequency; with the
/// frequency of the maximum of its spectrum, if there are spectra.
fn table(runs: &[Run], traces: &[Trace], spectra: &[Trace]) -> String {
    let name = |trace: &Trace| {
        let point = trace.point.map_or_else(String::new, |point| format!(", point {point}"));
        format!("{}{point}", trace.column)
    };
    let width = |texts: &mut dyn Iterator<Item = String>| texts.map(|text| text.chars().count()).max().unwrap_or(0);
    let of_runs = width(&mut runs.iter().map(|run| run.label.clone())).max("run".len());
    let of_names = width(&mut traces.iter().map(name)).max("column".len());
    let known = |value: Option<f64>| {
        value
            .filter(|value| value.is_finite())
            .map_or_else(|| "-".to_owned(), six_digits)
    };
    let mut text = format!(
        "{:of_runs$}  {:of_names$}  {:>12}  {:>12}  {:>12}",
        "run", "column", "mean", "rms", "frequency"
    );
    text += if spectra.is_empty() {
        "\n"
    } else {
        "  peak of the spectrum\n"
    };
    for trace in traces {
        let pairs = trace.x.iter().zip(&trace.y);
        let rows: Vec<[f64; 2]> = pairs.map(|(t, value)| [*t, *value]).collect();
        let of_trace =
            |other: &&Trace| other.run == trace.run && other.column == trace.column && other.point == trace.point;
        let most = spectra
            .iter()
            .find(of_trace)
            .and_then(|spectrum| peak(&spectrum.x, &spectrum.y))
            .filter(|most| most.interior);
        // Writing into a string cannot fail, hence the ignored results.
        let _ = write!(
            text,
            "{:of_runs$}  {:of_names$}  {:>12}  {:>12}  {:>12}",
            runs[trace.run].label,
            name(trace),
            known(Some(mean_of(&rows))),
            known(Some(rms_of(&rows))),
            known(frequency_of(&rows))
        );
        if !spectra.is_empty() {
            let _ = write!(text, "  {:>20}", known(most.map(|most| most.time)));
        }
        text += "\n";
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_six_digits_whatever_their_size() {
        let numbers = [0.0, 0.00707107, 0.164, -1.35, 9.9999999, 101325.0, 2.5e7, 1e-9].map(six_digits);
        let exact = [
            "0.00000",
            "0.00707107",
            "0.164000",
            "-1.35000",
            "10.0000",
            "101325",
            "2.50000e7",
            "1.00000e-9",
        ];
        assert_eq!(numbers, exact);
    }
}
