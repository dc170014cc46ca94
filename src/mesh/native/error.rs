//! What can go wrong with a native mesh file, said with the file's name and the array.

use std::path::{Path, PathBuf};

use thiserror::Error;

use super::VERSION;
use crate::io;
use crate::mesh::Fault;
use crate::mesh::partition::DivideError;

/// What helps against a file that is damaged.
const REMEDY: &str = "copy the file again, or make it anew with `fr-les mesh`";

/// A failure to read or write a native mesh file.
#[derive(Debug, Error)]
pub enum NativeError {
    /// The file could not be opened, written or put in its place.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The end of the file is missing.
    #[error("{}: the mesh is cut short: the file has {found} bytes of {whole}; {REMEDY}", path.display())]
    CutShort {
        /// The file.
        path: PathBuf,
        /// How many bytes it has.
        found: u64,
        /// How many it had when it was written.
        whole: u64,
    },
    /// The HDF5 library cannot make sense of the file.
    #[error("{}: the mesh is damaged: {what} cannot be read; {REMEDY} (HDF5: {detail})", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What in it.
        what: String,
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
    #[error("{}: the mesh is damaged: {detail}; {REMEDY}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        detail: String,
    },
    /// The parts of the mesh do not fit together.
    #[error("{}: the mesh is damaged: {fault}; {REMEDY}", path.display())]
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

/// For `map_err`: that HDF5 cannot read something, put into words at once as in [`io::Error`].
pub(super) fn unreadable(what: String, path: &Path) -> impl FnOnce(hdf5::Error) -> NativeError {
    let path = path.to_path_buf();
    move |error| NativeError::Unreadable {
        path,
        what,
        detail: error.to_string(),
    }
}

/// For `map_err`: that HDF5 does not take the file, of `found` bytes, for one of its own.
pub(super) fn not_opened(path: &Path, found: u64) -> impl FnOnce(hdf5::Error) -> NativeError {
    let path = path.to_path_buf();
    move |error| {
        let detail = error.to_string();
        match io::whole_length(&detail) {
            Some(whole) => NativeError::CutShort { path, found, whole },
            None => NativeError::Unreadable {
                path,
                what: "the beginning of the file".to_owned(),
                detail,
            },
        }
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
