//! Errors between the files of a run and its figure.

use crate::format::number;
use crate::io;
use std::path::{Path, PathBuf};

/// An error between the files of a run and its figure.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file could not be read, or the figure could not be written.
    #[error(transparent)]
    File(#[from] io::Error),
    /// A file holds too few rows for a curve.
    #[error("{} has {rows} complete row(s) of numbers; at least {needed} are needed", path.display())]
    TooShort {
        /// The file.
        path: PathBuf,
        /// Rows found.
        rows: usize,
        /// Rows needed.
        needed: usize,
    },
    /// Statistics, or a table of reference data, lack what a profile needs.
    #[error("{}: {detail}", path.display())]
    Profile {
        /// The file.
        path: PathBuf,
        /// The problem.
        detail: String,
    },
    /// A path leads nowhere.
    #[error("there is no file or folder {}", .0.display())]
    Nowhere(PathBuf),
    /// A folder holds nothing of which there is a figure.
    #[error("{} has no table of a run that is drawn{}", path.display(), instead(tables, "; name one of"))]
    NoRun {
        /// The folder.
        path: PathBuf,
        /// What could be named in its place.
        tables: Vec<PathBuf>,
    },
    /// The energy of a flow that is driven does not decay freely, as the figure of integrals shows it.
    #[error(
        "{} is a run with boundaries or forces, whose energy does not decay freely, as the figure of its integrals \
         would show it; `fr-les report {}` has all its figures{}",
        path.display(), path.display(), instead(tables, ", and `fr-les plot` draws")
    )]
    Driven {
        /// The folder.
        path: PathBuf,
        /// Tables in it that are drawn.
        tables: Vec<PathBuf>,
    },
    /// Nothing is drawn of such a file.
    #[error("{} is {what}", path.display())]
    NotDrawn {
        /// The file.
        path: PathBuf,
        /// What the file is, and what shows it.
        what: &'static str,
    },
    /// A file cannot share its figure with others.
    #[error("{} is {what}: leave out {beside}", path.display())]
    Alone {
        /// What the file holds, and that it is drawn alone.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// The other contents asked for.
        beside: &'static str,
    },
    /// A column is missing without which nothing of a file can be drawn.
    #[error("{} has no column `{column}`; it has {}", path.display(), names.join(", "))]
    MissingColumn {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// The columns of the file.
        names: Vec<String>,
    },
    /// A chosen column of series is in none of them.
    #[error("{} has no column `{column}`: {near} {names}", path.display())]
    NoColumn {
        /// The file, or the first of several.
        path: PathBuf,
        /// The column.
        column: String,
        /// What stands before the columns, with a question after the nearest one if there is any.
        near: String,
        /// The columns that can be drawn.
        names: String,
    },
    /// A reference shares no column with the runs.
    #[error("{} has none of the columns that are drawn, {columns}; it has {names}", path.display())]
    NoCommonColumn {
        /// The reference.
        path: PathBuf,
        /// The columns that are drawn.
        columns: String,
        /// Those of the reference.
        names: String,
    },
    /// A series has too few rows in a window of time.
    #[error(
        "{} has not {needed} rows in the window of time from {} to {}; its times are from {} to {}",
        path.display(), number(*from), number(*to), number(*first), number(*last)
    )]
    Window {
        /// The file.
        path: PathBuf,
        /// First time of the window.
        from: f64,
        /// Last time of the window.
        to: f64,
        /// First time of the series.
        first: f64,
        /// Last time of the series.
        last: f64,
        /// Rows needed.
        needed: usize,
    },
    /// A window of time ends before it begins.
    #[error("--from {from} is not before --to {to}")]
    NoWindow {
        /// First time of the window.
        from: f64,
        /// Last time of the window.
        to: f64,
    },
    /// A column has no value with a logarithm.
    #[error("{run}: no value of `{column}` is above 0: leave out --log, or choose other --columns")]
    NothingAboveZero {
        /// Name of the run.
        run: String,
        /// The column.
        column: String,
    },
    /// A file over which no columns and no window of time can be chosen.
    #[error("{} is no series over time, which {option} needs{}", path.display(), instead(tables, "; name one of"))]
    NoSeries {
        /// The file or folder.
        path: PathBuf,
        /// The option that was given.
        option: &'static str,
        /// Series in the folder.
        tables: Vec<PathBuf>,
    },
    /// No run holds any quantity that the figure shows.
    #[error("none of the runs has a column to draw: looked for {}", columns.join(", "))]
    NothingToDraw {
        /// The columns that could be drawn.
        columns: Vec<&'static str>,
    },
    /// The number of labels is not the number of runs.
    #[error("{labels} label(s) for {runs} run(s): give one label for each run, in the same order")]
    Labels {
        /// Number of labels.
        labels: usize,
        /// Number of runs.
        runs: usize,
    },
    /// A series is too short for its spectrum.
    #[error(
        "{} has {samples} samples of a point; {segments} segments need {needed}, and at most {most} fit: set a smaller \
         --segments, or run longer",
        path.display()
    )]
    TooFewSamples {
        /// The file.
        path: PathBuf,
        /// Samples found.
        samples: usize,
        /// Number of segments.
        segments: usize,
        /// Samples needed.
        needed: usize,
        /// Largest number of segments of these samples.
        most: usize,
    },
    /// A series has no spectrum because the times of its samples are not equidistant.
    #[error(
        "{}: a spectrum needs samples that are equidistant in time; some are missing or lie between the others: use \
         `every`, or `every-steps` with a fixed `dt`",
        path.display()
    )]
    NotEquidistant {
        /// The file.
        path: PathBuf,
    },
    /// A file of which no part can be chosen.
    #[error("{} is no slice of a run, which {option} needs: name a file slices_NAME_0000.vtkhdf", path.display())]
    NoSlice {
        /// The file or folder.
        path: PathBuf,
        /// The option that was given.
        option: &'static str,
    },
    /// A part of a slice cannot be drawn.
    #[error("{}: {what}", path.display())]
    View {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// The name of the figure has no extension of a known format.
    #[error("{}: the name of a figure must end in .png or .svg", path.display())]
    Format {
        /// The name.
        path: PathBuf,
    },
    /// The drawing could not be converted into pixels.
    #[error("cannot rasterise the figure: {0}")]
    Rasterise(String),
}

/// Returns the names of what could be drawn in place of a folder; nothing without any.
fn instead(tables: &[PathBuf], begin: &str) -> String {
    let names: Vec<String> = tables.iter().map(|path| path.display().to_string()).collect();
    if names.is_empty() {
        String::new()
    } else {
        format!("{begin} {}", names.join(", "))
    }
}

/// Reads the text of the file at `path`.
pub(super) fn read_text(path: &Path) -> Result<String, Error> {
    io::read_input_text(path).map_err(Error::File)
}
