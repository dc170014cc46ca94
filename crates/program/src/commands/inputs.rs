//! The look at the files that a case reads, before a run or a steady solution moves or writes anything.

use mpi::topology::SimpleCommunicator;

use super::Failure;
use crate::case::Case;
use crate::io::Writer;
use crate::ranks::Ranks;

/// Refuses files to read that lie among those that the run writes. Collective.
///
/// # Errors
/// There is such a file, on this or another rank.
pub(super) fn require_inputs_elsewhere(case: &Case, writer: Writer, world: &SimpleCommunicator) -> Result<(), Failure> {
    let elsewhere = case.require_inputs_elsewhere(writer).map_err(Failure::from);
    Ranks::of(world).agree(elsewhere, Failure::OnOtherRank)
}
