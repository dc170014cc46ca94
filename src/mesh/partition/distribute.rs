//! Dividing a mesh that every rank holds whole: generated, or read from a file that can only be read whole.

use std::fmt::Display;

use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use thiserror::Error;

use super::super::Mesh;
use super::{DivideError, Weights, divide, extract};
use crate::io::{self, agree};

/// Parts of cells are sent in pieces of at most this many: MPI libraries are at their best well below 2 GiB.
const ROUND: usize = 1 << 24;

/// Why ranks cannot share a mesh.
#[derive(Debug, Error)]
pub enum DistributeError {
    /// It cannot be divided.
    #[error(transparent)]
    Divide(#[from] DivideError),
    /// Ranks have read or made different meshes.
    #[error("rank {rank} holds the mesh {found:016x}, but rank 0 holds {expected:016x}: do all read the same file?")]
    Different {
        /// The rank.
        rank: i32,
        /// Hash of its mesh.
        found: u64,
        /// Hash of rank 0's.
        expected: u64,
    },
    /// Another rank failed.
    #[error(transparent)]
    Elsewhere(#[from] io::Error),
}

/// This rank's part of a mesh that all ranks hold whole; the whole mesh if there is one rank. Collective.
///
/// Every rank needs the memory for the whole mesh meanwhile: large meshes are better imported to native files, of which
/// each rank reads its own cells only.
pub fn distribute(mesh: Mesh, comm: &SimpleCommunicator, order: usize) -> Result<Mesh, DistributeError> {
    if comm.size() == 1 {
        return Ok(mesh);
    }
    let found = mesh.hash();
    let mut expected = found;
    comm.process_at_rank(0).broadcast_into(&mut expected);
    let rank = comm.rank();
    let same = match found == expected {
        true => Ok(()),
        false => Err(DistributeError::Different { rank, found, expected }),
    };
    agree(comm, same)?;
    let part_of = divide_on_rank_0(comm, || {
        Ok::<_, DistributeError>(divide(&mesh, comm.size() as usize, &Weights::of(order))?)
    })?;
    Ok(extract(&mesh, &part_of, rank as usize))
}

/// The part of each cell that rank 0 computes, on every rank. Collective.
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
    part_of.chunks_mut(ROUND).for_each(|piece| root.broadcast_into(piece));
    Ok(part_of)
}
