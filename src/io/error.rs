//! What can go wrong with a file, said with the file's name and, for tables, the line.
//!
//! The variants hold text rather than the HDF5 library's own error where that library is involved: its errors are
//! expanded lazily, from a stack that is gone once MPI is finalised, so they are put into words where they happen.

use std::path::{Path, PathBuf};

/// A failure to write or read a file.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The operating system refused.
    #[error("cannot {action} {}: {source}", path.display())]
    Os {
        /// What was tried, as a verb: "create", "rename".
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The operating system's reason.
        source: std::io::Error,
    },
    /// The HDF5 library refused.
    #[error("{}: HDF5 cannot {action}: {detail}", path.display())]
    Hdf5 {
        /// What was tried, as a verb with its object: "write /VTKHDF/Points".
        action: String,
        /// The file.
        path: PathBuf,
        /// The library's reason.
        detail: String,
    },
    /// The data handed over for writing do not fit together.
    #[error("{}: {detail}", path.display())]
    Input {
        /// The file that was to be written.
        path: PathBuf,
        /// What does not fit.
        detail: String,
    },
    /// Another rank failed, so this one gave up too.
    #[error("rank {rank} failed: {message}")]
    OnOtherRank {
        /// The lowest rank that failed.
        rank: i32,
        /// Its error, in words.
        message: String,
    },
    /// Another run has the directory.
    #[error("{}: another run writes into this directory ({holder}); end that one, or name another directory", path.display())]
    Busy {
        /// The directory.
        path: PathBuf,
        /// Whose lock it is, in words.
        holder: String,
    },
    /// A checkpoint cannot be used.
    #[error("{}: this checkpoint cannot be used: {detail}", path.display())]
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        detail: String,
    },
    /// A series cannot be continued.
    #[error("{}: cannot go on with this series: {detail}", path.display())]
    Series {
        /// The file.
        path: PathBuf,
        /// What does not fit, and what to do.
        detail: String,
    },
    /// A line of a table cannot be read.
    #[error("{}:{line}: {detail}", path.display())]
    Table {
        /// The table.
        path: PathBuf,
        /// Line number, from 1, comments counted.
        line: u64,
        /// What is wrong with it.
        detail: String,
    },
}

impl Error {
    /// For `map_err`: an operating-system error with what was tried on which file.
    pub(crate) fn os(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Error {
        let path = path.to_path_buf();
        move |source| Error::Os { action, path, source }
    }

    /// For `map_err`: an HDF5 error, put into words at once.
    pub(crate) fn hdf5(action: impl Into<String>, path: &Path) -> impl FnOnce(hdf5::Error) -> Error {
        let (action, path) = (action.into(), path.to_path_buf());
        move |error| Error::Hdf5 {
            action,
            path,
            detail: error.to_string(),
        }
    }
}

/// How long HDF5 says that a file was when it was whole, where it tells so: nothing is wrong with it but that the end is missing.
pub(crate) fn whole_length(hdf5_says: &str) -> Option<u64> {
    let (_, rest) = hdf5_says.split_once("stored_eof = ")?;
    rest.trim().parse().ok()
}
