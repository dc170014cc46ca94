//! Distribution of a mesh that every rank holds whole because it was generated or read from a Gmsh file.

use std::fmt::Display;

use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use thiserror::Error;

use super::super::types::Mesh;
use super::divide::divide;
use super::divide_error::DivideError;
use super::extract::extract;
use super::weights::Weights;
use crate::io::{self, agree};

/// Largest number of values in one broadcast: MPI libraries work best well below 2 GiB.
const MAX_BROADCAST: usize = 1 << 24;

/// An error in distributing a mesh.
#[derive(Debug, Error)]
pub enum DistributeError {
    /// The mesh cannot be divided.
    #[error(transparent)]
    Divide(#[from] DivideError),
    /// Ranks have read or generated different meshes.
    #[error("rank {rank} holds the mesh {found:016x}, but rank 0 holds {expected:016x}: do all read the same file?")]
    Different {
        /// The rank whose mesh differs from that of rank 0.
        rank: i32,
        /// Hash of its mesh.
        found: u64,
        /// Hash of the mesh of rank 0.
        expected: u64,
    },
    /// Another rank failed.
    #[error(transparent)]
    OnOtherRank(#[from] io::Error),
}

/// Returns this rank's part of a mesh that all ranks hold whole; a single rank gets the whole mesh. Collective.
///
/// All cells at the boundaries of the names `together` go to one rank. Every rank temporarily needs the memory for the
/// whole mesh. Large meshes should be imported into native files, of which each rank reads its own cells only.
///
/// # Errors
/// Ranks hold different meshes, the mesh cannot be divided, or another rank fails.
pub fn distribute(
    mesh: Mesh,
    comm: &SimpleCommunicator,
    order: usize,
    together: &[String],
) -> Result<Mesh, DistributeError> {
    if comm.size() == 1 {
        return Ok(mesh);
    }
    let found = mesh.hash();
    let mut expected = found;
    comm.process_at_rank(0).broadcast_into(&mut expected);
    let rank = comm.rank();
    let same = if found == expected {
        Ok(())
    } else {
        Err(DistributeError::Different { rank, found, expected })
    };
    agree(comm, same)?;
    let part_of = divide_on_rank_0(comm, || {
        Ok::<_, DistributeError>(divide(&mesh, comm.size() as usize, &Weights::of(order), together)?)
    })?;
    Ok(extract(&mesh, &part_of, rank as usize))
}

/// Computes the part of each cell on rank 0 and broadcasts the result. Collective.
///
/// # Errors
/// Returns an error on all ranks if rank 0 fails.
pub fn divide_on_rank_0<E: Display + From<io::Error>>(
    comm: &SimpleCommunicator,
    divide: impl FnOnce() -> Result<Vec<u32>, E>,
) -> Result<Vec<u32>, E> {
    let divided = if comm.rank() == 0 { divide() } else { Ok(vec![]) };
    let mut part_of = agree(comm, divided)?;
    let root = comm.process_at_rank(0);
    let mut cells = part_of.len();
    root.broadcast_into(&mut cells);
    part_of.resize(cells, 0);
    part_of
        .chunks_mut(MAX_BROADCAST)
        .for_each(|piece| root.broadcast_into(piece));
    Ok(part_of)
}
