//! What can go wrong with a native mesh file, said with the file's name and the array.

use std::path::{Path, PathBuf};

use thiserror::Error;

use super::VERSION;
use crate::io;
use crate::mesh::Fault;
use crate::mesh::partition::DivideError;

/// A failure to read or write a native mesh file.
#[derive(Debug, Error)]
pub enum NativeError {
    /// The file could not be put in its place.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The operating system refused to open the file.
    #[error("cannot open {}: {source}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// The operating system's reason.
        source: std::io::Error,
    },
    /// The HDF5 library refused, mostly because the file is damaged or something else.
    #[error("{}: HDF5 cannot {action}: {detail}", path.display())]
    Hdf5 {
        /// What was tried, as a verb with its object: "read /mesh/nodes".
        action: String,
        /// The file.
        path: PathBuf,
        /// The library's reason.
        detail: String,
    },
    /// An HDF5 file of something else.
    #[error("{}: this is not a mesh of fr-les: {detail}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What is missing or different.
        detail: String,
    },
    /// A file from the future.
    #[error("{}: the file has version {version} of the format, but this program reads up to {VERSION}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u32,
    },
    /// The contents do not make sense.
    #[error("{}: the mesh is damaged: {detail}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        detail: String,
    },
    /// The parts of the mesh do not fit together.
    #[error("{}: the mesh is damaged: {fault}", path.display())]
    Fault {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        fault: Fault,
    },
    /// Ranks see different files.
    #[error("{}: rank {rank} sees another file under this name than rank 0", path.display())]
    Different {
        /// The file.
        path: PathBuf,
        /// The rank.
        rank: i32,
    },
    /// The mesh cannot be divided among the ranks.
    #[error("{}: {source}", path.display())]
    Divide {
        /// The file.
        path: PathBuf,
        /// Why.
        source: DivideError,
    },
    /// A mesh that the format cannot hold.
    #[error("{}: the mesh cannot be written: {detail}", path.display())]
    Unwritable {
        /// The file that was to be written.
        path: PathBuf,
        /// Why.
        detail: String,
    },
}

/// An HDF5 error, put into words at once: they are gone when MPI is finalised.
pub(super) fn hdf5_error(action: String, path: &Path, error: &hdf5::Error) -> NativeError {
    NativeError::Hdf5 {
        action,
        path: path.to_path_buf(),
        detail: error.to_string(),
    }
}

/// That something does not fit.
pub(super) fn damaged(path: &Path, detail: String) -> NativeError {
    let path = path.to_path_buf();
    NativeError::Content { path, detail }
}

/// That parts of the mesh do not fit together.
pub(super) fn faulty(path: &Path, fault: Fault) -> NativeError {
    let path = path.to_path_buf();
    NativeError::Fault { path, fault }
}
