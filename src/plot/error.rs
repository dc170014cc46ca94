//! What can go wrong between the files of a run and its figure.

use crate::io;
use std::path::{Path, PathBuf};

/// What can go wrong between the files of a run and its figure.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file could not be read, or the figure not be written.
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
    /// A JSON file holds neither results of the benchmark nor a timeline, or wrong ones.
    #[error("{}: {detail}", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        detail: String,
    },
    /// Statistics, or a table to compare them with, that do not say what a profile needs.
    #[error("{}: {detail}", path.display())]
    Profile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        detail: String,
    },
    /// What runs have written and results of the benchmark do not share a figure.
    #[error(
        "{} is of a run and {} a JSON file: draw runs (folders, statistics.csv) and benchmark results (JSON files) apart",
        run.display(), bench.display()
    )]
    Mixed {
        /// A folder, or statistics.
        run: PathBuf,
        /// A file.
        bench: PathBuf,
    },
    /// A timeline shares its figure with nothing else.
    #[error("{} is a timeline, which is drawn alone: leave out {beside}", path.display())]
    Alone {
        /// The timeline.
        path: PathBuf,
        /// What was asked for besides.
        beside: &'static str,
    },
    /// A column without which nothing of a file can be drawn is not there.
    #[error("{} has no column `{column}`; it has {}", path.display(), names.join(", "))]
    MissingColumn {
        /// The file.
        path: PathBuf,
        /// The name looked for.
        column: &'static str,
        /// The names found.
        names: Vec<String>,
    },
    /// No run holds any quantity that the figure shows.
    #[error("none of the runs has a column to draw: looked for {}", columns.join(", "))]
    NothingToDraw {
        /// The names looked for.
        columns: Vec<&'static str>,
    },
    /// The number of labels is not the number of runs.
    #[error("{labels} label(s) for {runs} run(s): give one label for each run, in the same order")]
    Labels {
        /// Labels given.
        labels: usize,
        /// Runs given.
        runs: usize,
    },
    /// The name of the figure does not say which format is wanted.
    #[error("{}: the name of a figure must end in .png or .svg", path.display())]
    Format {
        /// The name given.
        path: PathBuf,
    },
    /// The drawing could not be turned into pixels.
    #[error("cannot rasterise the figure: {0}")]
    Rasterise(String),
}

/// Reads the text of the file at `path`.
pub(super) fn read_text(path: &Path) -> Result<String, Error> {
    std::fs::read_to_string(path).map_err(|source| {
        Error::File(io::Error::Os {
            action: "read",
            path: path.into(),
            source,
        })
    })
}
