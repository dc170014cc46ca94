//! All ranks together: who there is, and the few questions that all answer at once. A program that runs alone asks the same and
//! needs no MPI.

use mpi::collective::SystemOperation;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;

/// The ranks of a run.
pub struct Ranks(Option<SimpleCommunicator>);

impl Ranks {
    /// A rank that is alone.
    pub fn alone() -> Self {
        Ranks(None)
    }

    /// The ranks of a communicator, over a duplicate of it. Collective.
    pub fn of(world: &SimpleCommunicator) -> Self {
        Ranks((world.size() > 1).then(|| world.duplicate()))
    }

    /// How many there are.
    pub fn size(&self) -> usize {
        self.0.as_ref().map_or(1, |comm| comm.size() as usize)
    }

    /// Which one this is.
    pub fn rank(&self) -> usize {
        self.0.as_ref().map_or(0, |comm| comm.rank() as usize)
    }

    /// A communicator of the same ranks for messages of one purpose; `None` for a rank alone. Collective.
    pub(super) fn duplicate(&self) -> Option<SimpleCommunicator> {
        self.0.as_ref().map(|comm| comm.duplicate())
    }

    /// The greatest of every number. Collective.
    pub fn greatest(&self, values: &mut [f64]) {
        self.reduce(values, SystemOperation::max());
    }

    /// The least of every number. Collective.
    pub fn least<T: Equivalence + Copy>(&self, values: &mut [T]) {
        self.reduce(values, SystemOperation::min());
    }

    /// Sums of integers, whose order does not matter; they wrap around. Collective.
    pub fn sums<T: Equivalence + Copy>(&self, values: &mut [T]) {
        self.reduce(values, SystemOperation::sum());
    }

    fn reduce<T: Equivalence + Copy>(&self, values: &mut [T], operation: SystemOperation) {
        if let Some(comm) = &self.0 {
            let mine = values.to_vec();
            comm.all_reduce_into(&mine[..], values, operation);
        }
    }
}
