//! Errors in reading and writing files, with the name of the file and, for tables, the line.
//!
//! Variants that concern HDF5 hold text in place of the library's own error. Its errors are expanded lazily, from a
//! stack that no longer exists once MPI is finalised, so they are formatted where they occur.

use std::path::{Path, PathBuf};

/// An error in writing or reading a file.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An operation of the operating system failed.
    #[error("cannot {action} {}: {source}", path.display())]
    Os {
        /// The operation, as a verb: "create", "rename".
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The reason given by the operating system.
        source: std::io::Error,
    },
    /// An operation of the HDF5 library failed.
    #[error("{}: HDF5 cannot {action}: {detail}", path.display())]
    Hdf5 {
        /// The operation, as a verb with its object: "write /VTKHDF/Points".
        action: String,
        /// The file.
        path: PathBuf,
        /// The reason given by HDF5.
        detail: String,
    },
    /// The data to be written are inconsistent.
    #[error("{}: {detail}", path.display())]
    Input {
        /// The file to be written.
        path: PathBuf,
        /// The inconsistency.
        detail: String,
    },
    /// Another rank failed, so that this one stopped too.
    #[error("rank {rank} failed: {message}")]
    OnOtherRank {
        /// The lowest rank that failed.
        rank: i32,
        /// The message of its error.
        message: String,
    },
    /// Another run writes into the directory.
    #[error(
        "{}: another run writes into this directory ({holder}); end that one, or name another directory",
        path.display()
    )]
    Busy {
        /// The directory.
        path: PathBuf,
        /// Description of the process that holds the lock.
        holder: String,
    },
    /// A checkpoint cannot be used.
    #[error("{}: this checkpoint cannot be used: {detail}", path.display())]
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// The problem, as a sentence.
        detail: String,
    },
    /// A series cannot be continued.
    #[error("{}: this series cannot be continued: {detail}", path.display())]
    Series {
        /// The file.
        path: PathBuf,
        /// The problem and the remedy.
        detail: String,
    },
    /// A line of a table cannot be read.
    #[error("{}:{line}: {detail}", path.display())]
    Table {
        /// The table.
        path: PathBuf,
        /// Line number, from 1, including comments.
        line: u64,
        /// The problem.
        detail: String,
    },
}

impl Error {
    /// Converts an error of the operating system, for `map_err`.
    pub fn os(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Error {
        let path = path.to_path_buf();
        move |source| Error::Os { action, path, source }
    }

    /// Converts an error of HDF5 for `map_err`. Its text is formatted at once.
    pub fn hdf5(action: impl Into<String>, path: &Path) -> impl FnOnce(hdf5::Error) -> Error {
        let (action, path) = (action.into(), path.to_path_buf());
        move |error| {
            let detail = error.to_string();
            match refused_write(&detail) {
                Some(source) => Error::Os {
                    action: "write",
                    path,
                    source,
                },
                None => Error::Hdf5 { action, path, detail },
            }
        }
    }
}

/// Returns the error of the system because of which HDF5 cannot write, if its message states one: a full disk, say.
fn refused_write(hdf5_says: &str) -> Option<std::io::Error> {
    let (_, rest) = hdf5_says.split_once("file write failed")?;
    let (_, rest) = rest.split_once("errno = ")?;
    let number = rest.split(|c: char| !c.is_ascii_digit()).next()?;
    Some(std::io::Error::from_raw_os_error(number.parse().ok()?))
}

/// Returns the size in bytes of the complete file, which HDF5's message states if only the end of the file is missing.
pub fn whole_length(hdf5_says: &str) -> Option<u64> {
    let (_, rest) = hdf5_says.split_once("stored_eof = ")?;
    rest.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_one_for_hdf5_too() {
        let says = "unable to write: file write failed: time = Sun Nov 29 07:15:15 2026\n, filename = 'a.h5', file \
                    descriptor = 5, errno = 28, error message = 'No space left on device', buf = 0x1, offset = 4";
        let found = refused_write(says).unwrap();
        assert_eq!(found.kind(), std::io::ErrorKind::StorageFull);
        assert!(refused_write("file read failed: errno = 5").is_none());
    }
}
