//! Reading mesh files of either format, which the first bytes of the file tell apart.

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

/// The first bytes of every HDF5 file.
const HDF5_SIGNATURE: &[u8] = b"\x89HDF\r\n\x1a\n";

/// An error in reading a mesh file.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The operating system cannot read the file.
    #[error("cannot read the mesh {}: {source}", path.display())]
    Os {
        /// The file.
        path: PathBuf,
        /// The reason given by the operating system.
        source: std::io::Error,
    },
    /// The path is a directory, a pipe or a device.
    #[error("cannot read the mesh {}: it is not a regular file", .0.display())]
    NoFile(PathBuf),
    /// A Gmsh file is refused.
    #[error(transparent)]
    Gmsh(#[from] MeshError),
    /// A native file is refused.
    #[error(transparent)]
    Native(#[from] NativeError),
    /// Periodic pairs were requested for a native file, whose boundaries cannot be joined any more.
    #[error("{}: boundaries of a native mesh file cannot be joined; join them when it is imported", .0.display())]
    Periodic(PathBuf),
    /// The mesh cannot be distributed over the ranks.
    #[error(transparent)]
    Distribute(#[from] DistributeError),
    /// Another rank failed.
    #[error(transparent)]
    OnOtherRank(#[from] io::Error),
}

/// Reads a native or Gmsh mesh file. In a Gmsh file the two boundaries of each pair in `periodic` are joined.
///
/// # Errors
///
/// Returns an error if the file cannot be read, if its contents are not valid, or if pairs are given for a native file.
pub fn read_mesh(path: &Path, periodic: &[PeriodicPair]) -> Result<Mesh, ReadError> {
    if !is_native(path)? {
        return Ok(read_gmsh(path, periodic)?);
    }
    if !periodic.is_empty() {
        return Err(ReadError::Periodic(path.to_path_buf()));
    }
    Ok(native::read(path)?)
}

/// Reads this rank's part of a mesh file for a solution of the given order; a single rank gets the whole mesh.
/// Collective: all ranks succeed, or none.
///
/// Each rank reads only its own cells of a native file. Of a Gmsh file every rank first reads the whole mesh, which
/// takes time and memory: large meshes should be imported into a native file.
///
/// # Errors
///
/// Returns an error in the cases of [`read_mesh`], if the mesh cannot be distributed, or if another rank fails.
pub fn read_part(
    path: &Path,
    periodic: &[PeriodicPair],
    comm: &SimpleCommunicator,
    order: usize,
) -> Result<Mesh, ReadError> {
    if comm.size() == 1 {
        return read_mesh(path, periodic);
    }
    // All ranks must take the same branch, or they would wait for each other forever.
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

/// Returns true if a file is HDF5, the container of the native format.
///
/// # Errors
///
/// Returns an error if the file cannot be read or is not a regular file.
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
