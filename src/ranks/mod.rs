//! All ranks together: who there is, and the few questions that all answer at once. A program that runs alone asks the same and
//! needs no MPI.

mod exact_sum;

pub use exact_sum::ExactSum;
use mpi::collective::SystemOperation;
use mpi::datatype::PartitionMut;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;

/// Makes a panic on any rank of several end all of them: a rank that only unwinds ends up waiting for the others in `MPI_Finalize`,
/// while they wait for it elsewhere.
pub fn end_all_on_panic(world: &SimpleCommunicator) {
    if world.size() < 2 {
        return;
    }
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        usual(info);
        SimpleCommunicator::world().abort(1);
    }));
}

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
    pub fn duplicate(&self) -> Option<SimpleCommunicator> {
        self.0.as_ref().map(|comm| comm.duplicate())
    }

    /// Which of the ranks on this machine this is, and how many of them there are. Collective.
    pub fn on_this_machine(&self) -> (usize, usize) {
        self.0.as_ref().map_or((0, 1), |comm| {
            let local = comm.split_shared(comm.rank());
            (local.rank() as usize, local.size() as usize)
        })
    }

    /// The lowest rank on which it is so. Collective.
    pub fn first(&self, here: bool) -> Option<usize> {
        let mut first = [if here { self.rank() } else { self.size() } as u64];
        self.least(&mut first);
        (first[0] < self.size() as u64).then_some(first[0] as usize)
    }

    /// Ends a step that every rank takes on its own: `Ok` only where all succeeded. Where only others failed, the error is what
    /// `elsewhere` makes of the lowest rank that did. Collective.
    pub fn agree<T, E>(&self, result: Result<T, E>, elsewhere: impl FnOnce(usize) -> E) -> Result<T, E> {
        match self.first(result.is_err()) {
            None => result,
            Some(rank) => result.and_then(|_| Err(elsewhere(rank))),
        }
    }

    /// What each rank on this machine has, one after the other; all have as much. Collective.
    fn gather_on_this_machine<T: Equivalence + Copy>(&self, mine: &[T]) -> Vec<T> {
        let Some(comm) = &self.0 else { return mine.to_vec() };
        let local = comm.split_shared(comm.rank());
        let mut all = mine.repeat(local.size() as usize);
        local.all_gather_into(mine, &mut all[..]);
        all
    }

    /// What all ranks have, one after the other; they may have different numbers of values. Collective.
    pub fn all<T: Equivalence + Copy + Default>(&self, mine: &[T]) -> Vec<T> {
        let Some(comm) = &self.0 else { return mine.to_vec() };
        let mut counts = vec![0i32; comm.size() as usize];
        comm.all_gather_into(&(mine.len() as i32), &mut counts[..]);
        let begins = counts.iter().scan(0, |end, count| {
            let begin = *end;
            *end += count;
            Some(begin)
        });
        let begins: Vec<i32> = begins.collect();
        let total: i32 = counts.iter().sum();
        let mut all = vec![T::default(); total as usize];
        let mut parts = PartitionMut::new(&mut all[..], counts, begins);
        comm.all_gather_varcount_into(mine, &mut parts);
        all
    }

    /// All ranks on this machine. Collective.
    pub fn all_on_this_machine(&self) -> Vec<usize> {
        self.gather_on_this_machine(&[self.rank()])
    }

    /// How many ranks of this machine, this one included, have the same thing. Collective.
    pub fn with_the_same(&self, thing: [u64; 2]) -> usize {
        let things = self.gather_on_this_machine(&thing);
        things.chunks(2).filter(|other| **other == thing).count()
    }

    /// Returns when all have come here. Collective.
    pub fn wait_for_all(&self) {
        if let Some(comm) = &self.0 {
            comm.barrier();
        }
    }

    /// Sends a list of numbers to each of these ranks, and returns what they sent here, in the same order. The lists of two ranks
    /// for each other have the same length. Collective among neighbours.
    pub fn swap<T: Equivalence + Copy + Default>(&self, lists: &[(usize, Vec<T>)]) -> Vec<Vec<T>> {
        let Some(comm) = &self.0 else { return Vec::new() };
        let mut received: Vec<Vec<T>> = lists.iter().map(|(_, list)| vec![T::default(); list.len()]).collect();
        mpi::request::scope(|scope| {
            let receives: Vec<_> = received
                .iter_mut()
                .zip(lists)
                .map(|(to, (rank, _))| {
                    comm.process_at_rank(*rank as i32)
                        .immediate_receive_into(scope, &mut to[..])
                })
                .collect();
            let sends: Vec<_> = lists
                .iter()
                .map(|(rank, list)| comm.process_at_rank(*rank as i32).immediate_send(scope, &list[..]))
                .collect();
            receives.into_iter().for_each(|request| {
                request.wait_without_status();
            });
            sends.into_iter().for_each(|request| {
                request.wait_without_status();
            });
        });
        received
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
