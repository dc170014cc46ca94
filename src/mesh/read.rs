//! Reading a mesh file of whatever format: the first bytes say which.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use thiserror::Error;

use super::native::{self, NativeError};
use super::partition::{self, DistributeError};
use super::{Mesh, MeshError, PeriodicPair, read_gmsh};
use crate::io::{self, agree};

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
    /// Ranks cannot share it.
    #[error(transparent)]
    Share(#[from] DistributeError),
    /// Another rank failed.
    #[error(transparent)]
    Elsewhere(#[from] io::Error),
}

/// Reads a native or Gmsh mesh file; in the latter the two boundaries of each pair in `periodic` are joined.
pub fn read_mesh(path: &Path, periodic: &[PeriodicPair]) -> Result<Mesh, ReadError> {
    if !is_native(path)? {
        return Ok(read_gmsh(path, periodic)?);
    }
    if !periodic.is_empty() {
        return Err(ReadError::Periodic(path.to_path_buf()));
    }
    Ok(native::read(path)?)
}

/// This rank's part of the mesh that [`read_mesh`] reads whole, for a solution of the given order; the whole mesh if there
/// is one rank. Collective: all ranks succeed, or none.
///
/// Of a native file each rank reads its own cells only. Any other file is read whole by all ranks first, which takes time
/// and memory: large meshes are better imported.
pub fn read_part(
    path: &Path,
    periodic: &[PeriodicPair],
    comm: &SimpleCommunicator,
    order: usize,
) -> Result<Mesh, ReadError> {
    if comm.size() == 1 {
        return read_mesh(path, periodic);
    }
    // Ranks that took different ways here would wait for each other for ever.
    let mut native = agree(comm, is_native(path))?;
    comm.process_at_rank(0).broadcast_into(&mut native);
    if !native {
        let mesh = agree(comm, read_gmsh(path, periodic).map_err(ReadError::from))?;
        return Ok(partition::distribute(mesh, comm, order)?);
    }
    if !periodic.is_empty() {
        return Err(ReadError::Periodic(path.to_path_buf()));
    }
    Ok(native::read_part(path, comm, order)?)
}

/// Whether a file is HDF5, the container of the native format.
pub fn is_native(path: &Path) -> Result<bool, ReadError> {
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
    Ok(start == HDF5_SIGNATURE)
}
