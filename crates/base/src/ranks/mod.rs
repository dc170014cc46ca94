//! The ranks of a run: their collective operations, exact sums over them, and memory that those of a machine share.

mod collectives;
mod exact_sum;
mod shared_memory;

pub use collectives::{Ordered, Ranks};
pub use exact_sum::DIGITS;
pub use exact_sum::ExactSum;
pub use shared_memory::{SharedMemory, SharedMemoryError, TOKEN_BYTES, Ticket};

use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;

/// Makes a panic on any rank of several abort all of them. A rank that only unwinds would wait for the others in
/// `MPI_Finalize`, while they wait for it in another call.
pub fn abort_all_on_panic(world: &SimpleCommunicator) {
    if world.size() < 2 {
        return;
    }
    let default_hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        default_hook(info);
        SimpleCommunicator::world().abort(1);
    }));
}
