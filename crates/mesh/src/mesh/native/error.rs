//! Errors in reading and writing native mesh files, with the name of the file and of the array.

use std::path::{Path, PathBuf};

use thiserror::Error;

use super::version::VERSION;
use crate::io;
use crate::mesh::Fault;
use crate::mesh::partition::DivideError;

/// The remedy for a damaged file.
const REMEDY: &str = "copy the file again, or create it again with `fr-les mesh`";

/// An error in reading or writing a native mesh file.
#[derive(Debug, Error)]
pub enum NativeError {
    /// The file cannot be opened, written or moved to its final name.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The end of the file is missing.
    #[error("{}: the mesh is cut short: the file has {found} bytes of {whole}; {REMEDY}", path.display())]
    CutShort {
        /// The file.
        path: PathBuf,
        /// Size of the file in bytes.
        found: u64,
        /// Size in bytes when it was written.
        whole: u64,
    },
    /// The HDF5 library cannot read an object of the file.
    #[error("{}: the mesh is damaged: {what} cannot be read; {REMEDY} (HDF5: {detail})", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Name of the object.
        what: String,
        /// The reason given by HDF5.
        detail: String,
    },
    /// The file is an HDF5 file of another format.
    #[error("{}: this is not a mesh of fr-les: {detail}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The missing or different object, as a sentence.
        detail: String,
    },
    /// The file was written by a newer version of the program.
    #[error("{}: the file has version {version} of the format, but this program reads up to {VERSION}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Version of the format.
        version: u32,
    },
    /// The contents are not valid.
    #[error("{}: the mesh is damaged: {detail}; {REMEDY}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// The problem, as a sentence.
        detail: String,
    },
    /// The mesh is inconsistent.
    #[error("{}: the mesh is damaged: {fault}; {REMEDY}", path.display())]
    Fault {
        /// The file.
        path: PathBuf,
        /// The inconsistency.
        fault: Fault,
    },
    /// Ranks see different files under one name.
    #[error("{}: rank {rank} sees another file under this name than rank 0", path.display())]
    Different {
        /// The file.
        path: PathBuf,
        /// The rank whose file differs from that of rank 0.
        rank: i32,
    },
    /// The mesh cannot be divided among the ranks.
    #[error("{}: {source}", path.display())]
    Divide {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: DivideError,
    },
    /// The format cannot hold the mesh.
    #[error("{}: the mesh cannot be written: {detail}", path.display())]
    Unwritable {
        /// The file to be written.
        path: PathBuf,
        /// The reason.
        detail: String,
    },
}

/// Converts HDF5's error in reading the object `what`, for `map_err`. The text is formatted at once, as in
/// [`io::Error`].
pub(super) fn unreadable(what: String, path: &Path) -> impl FnOnce(hdf5::Error) -> NativeError {
    let path = path.to_path_buf();
    move |error| NativeError::Unreadable {
        path,
        what,
        detail: error.to_string(),
    }
}

/// Converts HDF5's error in opening a file of `found` bytes, for `map_err`.
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

/// The error that the contents are not valid.
pub(super) fn damaged(path: &Path, detail: String) -> NativeError {
    let path = path.to_path_buf();
    NativeError::Content { path, detail }
}

/// The error that the mesh is inconsistent.
pub(super) fn faulty(path: &Path, fault: Fault) -> NativeError {
    let path = path.to_path_buf();
    NativeError::Fault { path, fault }
}
