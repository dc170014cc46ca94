//! Reading a mesh file of whatever format: the first bytes say which.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::native::{self, NativeError};
use super::{Mesh, MeshError, PeriodicPair, read_gmsh};

/// First bytes of every HDF5 file.
const HDF5_SIGNATURE: &[u8] = b"\x89HDF\r\n\x1a\n";

/// A mesh file that cannot be read.
#[derive(Debug, Error)]
pub enum ReadError {
    /// Nothing can be read from it.
    #[error("cannot read the mesh {}: {source}", path.display())]
    Os {
        /// The file.
        path: PathBuf,
        /// The operating system's reason.
        source: std::io::Error,
    },
    /// It is a directory, a pipe or a device.
    #[error("cannot read the mesh {}: it is not a regular file", .0.display())]
    NoFile(PathBuf),
    /// A Gmsh file is refused.
    #[error(transparent)]
    Gmsh(#[from] MeshError),
    /// A native file is refused.
    #[error(transparent)]
    Native(#[from] NativeError),
    /// Periodic pairs of a file that has its own.
    #[error("{}: boundaries of a native mesh file cannot be joined; join them when it is imported", .0.display())]
    Periodic(PathBuf),
}

/// Reads a native or Gmsh mesh file; in the latter the two boundaries of each pair in `periodic` are joined.
pub fn read_mesh(path: &Path, periodic: &[PeriodicPair]) -> Result<Mesh, ReadError> {
    let os = |source| ReadError::Os {
        path: path.to_path_buf(),
        source,
    };
    // Opening a pipe would wait for someone to write to it.
    if !std::fs::metadata(path).map_err(os)?.is_file() {
        return Err(ReadError::NoFile(path.to_path_buf()));
    }
    let mut start = Vec::new();
    let file = File::open(path).map_err(os)?;
    file.take(HDF5_SIGNATURE.len() as u64)
        .read_to_end(&mut start)
        .map_err(os)?;
    if start != HDF5_SIGNATURE {
        return Ok(read_gmsh(path, periodic)?);
    }
    if !periodic.is_empty() {
        return Err(ReadError::Periodic(path.to_path_buf()));
    }
    Ok(native::read(path)?)
}
