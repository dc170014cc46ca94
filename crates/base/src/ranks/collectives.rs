//! The collective operations of the ranks of a run, under MPI's own names. A program that runs alone uses the same
//! interface and needs no MPI: every operation then returns its input.

use mpi::collective::SystemOperation;
use mpi::datatype::PartitionMut;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;

/// The most values that MPI gathers at once: it counts them, and their places, in 32 bits.
const MOST_GATHERED: usize = 1 << 28;

/// Concatenates the values of all ranks, of which there are these numbers. Collective.
fn gather_round<T: Equivalence + Copy + Default>(comm: &SimpleCommunicator, mine: &[T], counts: &[usize]) -> Vec<T> {
    let counts: Vec<i32> = counts.iter().map(|&count| count as i32).collect();
    let places = counts.iter().scan(0, |end, count| {
        let place = *end;
        *end += count;
        Some(place)
    });
    let places: Vec<i32> = places.collect();
    let total: i32 = counts.iter().sum();
    if total == 0 {
        // MPI libraries refuse a buffer without an address.
        return Vec::new();
    }
    let mut all = vec![T::default(); total as usize];
    let mut parts = PartitionMut::new(&mut all[..], counts, places);
    comm.all_gather_varcount_into(mine, &mut parts);
    all
}

/// A number whose minimum over ranks can be found.
///
/// MPI libraries get the order of unsigned integers wrong: MPICH 4.0.2 compares all of them as if they were signed, and
/// Open MPI 4.1.4 does so with `MPI_UNSIGNED_LONG`. Only signed numbers are sent for comparison.
pub trait Ordered: Copy {
    /// What is sent: a number that MPI compares.
    type Sent: Equivalence + Copy;
    /// Returns the number to send, in the same order.
    fn to_sent(self) -> Self::Sent;
    /// Returns the number that was sent.
    fn of_sent(sent: Self::Sent) -> Self;
}

impl Ordered for f64 {
    type Sent = f64;
    fn to_sent(self) -> f64 {
        self
    }
    fn of_sent(sent: f64) -> f64 {
        sent
    }
}

impl Ordered for u64 {
    type Sent = i64;
    /// Subtracts 2^63.
    fn to_sent(self) -> i64 {
        (self ^ 1 << 63) as i64
    }
    fn of_sent(sent: i64) -> u64 {
        sent as u64 ^ 1 << 63
    }
}

/// The ranks of a run; `None` for a process that runs alone.
pub struct Ranks(Option<SimpleCommunicator>);

impl Ranks {
    /// Returns the ranks of a process that runs alone.
    pub fn alone() -> Self {
        Ranks(None)
    }

    /// Returns the ranks of a communicator, which is duplicated. Collective.
    pub fn of(world: &SimpleCommunicator) -> Self {
        Ranks((world.size() > 1).then(|| world.duplicate()))
    }

    /// Number of ranks.
    pub fn size(&self) -> usize {
        self.0.as_ref().map_or(1, |comm| comm.size() as usize)
    }

    /// Number of this rank, from 0.
    pub fn rank(&self) -> usize {
        self.0.as_ref().map_or(0, |comm| comm.rank() as usize)
    }

    /// Returns a communicator of the same ranks for messages of one purpose; `None` for a process that runs alone.
    /// Collective.
    pub fn duplicate(&self) -> Option<SimpleCommunicator> {
        self.0.as_ref().map(|comm| comm.duplicate())
    }

    /// Returns the number of this rank among those on its node, from 0, and how many these are. Collective.
    pub fn node_rank_and_size(&self) -> (usize, usize) {
        self.0.as_ref().map_or((0, 1), |comm| {
            let local = comm.split_shared(comm.rank());
            (local.rank() as usize, local.size() as usize)
        })
    }

    /// Returns the lowest rank on which the condition holds. Collective.
    pub fn first_rank_where(&self, condition: bool) -> Option<usize> {
        let mut first = [if condition { self.rank() } else { self.size() } as u64];
        self.allreduce_min(&mut first);
        (first[0] < self.size() as u64).then_some(first[0] as usize)
    }

    /// Ends a step that every rank takes by itself, so that either all ranks succeed or none. Collective.
    ///
    /// # Errors
    /// Returns this rank's own error if it has one. If only other ranks failed, returns `on_other_rank` of the lowest
    /// of them.
    pub fn agree<T, E>(&self, result: Result<T, E>, on_other_rank: impl FnOnce(usize) -> E) -> Result<T, E> {
        match self.first_rank_where(result.is_err()) {
            None => result,
            Some(rank) => result.and_then(|_| Err(on_other_rank(rank))),
        }
    }

    /// Concatenates the values of the ranks on this node, all of which pass equally many. Collective.
    fn allgather_on_node<T: Equivalence + Copy>(&self, mine: &[T]) -> Vec<T> {
        let Some(comm) = &self.0 else { return mine.to_vec() };
        let local = comm.split_shared(comm.rank());
        let mut all = mine.repeat(local.size() as usize);
        local.all_gather_into(mine, &mut all[..]);
        all
    }

    /// Concatenates the values of all ranks, which may pass different numbers of them. Collective.
    pub fn allgather<T: Equivalence + Copy + Default>(&self, mine: &[T]) -> Vec<T> {
        self.allgather_in_rounds(mine, MOST_GATHERED)
    }

    /// The same, in rounds of at most `most` values of all ranks together if there are more. A round takes one value of
    /// each rank at least. Collective.
    pub fn allgather_in_rounds<T: Equivalence + Copy + Default>(&self, mine: &[T], most: usize) -> Vec<T> {
        let Some(comm) = &self.0 else { return mine.to_vec() };
        let size = comm.size() as usize;
        let mut lengths = vec![0u64; size];
        comm.all_gather_into(&(mine.len() as u64), &mut lengths[..]);
        let lengths: Vec<usize> = lengths.into_iter().map(|length| length as usize).collect();
        let total: usize = lengths.iter().sum();
        if total <= most {
            return gather_round(comm, mine, &lengths);
        }
        let mut all = vec![T::default(); total];
        let of_a_rank = (most / size).max(1);
        let longest = lengths.iter().copied().max().unwrap_or_default();
        for begin in (0..longest).step_by(of_a_rank) {
            // Of its values, a rank with so many sends these in this round.
            let part = |length: usize| begin.min(length)..(begin + of_a_rank).min(length);
            let counts: Vec<usize> = lengths.iter().map(|&length| part(length).len()).collect();
            let round = gather_round(comm, &mine[part(mine.len())], &counts);
            let (mut from, mut first) = (0, 0);
            for (length, count) in lengths.iter().zip(&counts) {
                let to = first + part(*length).start;
                all[to..to + count].copy_from_slice(&round[from..from + count]);
                from += count;
                first += length;
            }
        }
        all
    }

    /// Concatenates the values of all ranks, which may pass different numbers of them, on rank 0; other ranks get none.
    /// Collective.
    pub fn gather_on_first<T: Equivalence + Copy + Default>(&self, mine: Vec<T>) -> Vec<T> {
        let mut lists = vec![Vec::new(); self.size()];
        lists[0] = mine;
        self.alltoall(lists).concat()
    }

    /// Returns the numbers of the ranks on this node. Collective.
    pub fn ranks_on_node(&self) -> Vec<usize> {
        self.allgather_on_node(&[self.rank()])
    }

    /// Counts the ranks of this node, this one included, that pass the same value. Collective.
    pub fn count_on_node(&self, value: [u64; 2]) -> usize {
        let values = self.allgather_on_node(&value);
        values.chunks(2).filter(|other| **other == value).count()
    }

    /// Waits until all ranks have called this. Collective.
    pub fn barrier(&self) {
        if let Some(comm) = &self.0 {
            comm.barrier();
        }
    }

    /// Sends a list of values to each of the given ranks and returns the lists received from them, in the same order.
    /// Two ranks must list each other, with lists of equal length. Collective among neighbours.
    pub fn exchange_with<T: Equivalence + Copy + Default>(&self, lists: &[(usize, Vec<T>)]) -> Vec<Vec<T>> {
        self.exchange_lengths(lists, lists.iter().map(|(_, list)| list.len()))
    }

    /// Sends a list of values to each of the given ranks and returns the lists received from them, which have these
    /// lengths, in the same order. Two ranks must list each other. Collective among neighbours.
    pub fn exchange_lengths<T: Equivalence + Copy + Default>(
        &self,
        lists: &[(usize, Vec<T>)],
        lengths: impl Iterator<Item = usize>,
    ) -> Vec<Vec<T>> {
        let Some(comm) = &self.0 else { return Vec::new() };
        let mut received: Vec<Vec<T>> = lengths.map(|length| vec![T::default(); length]).collect();
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

    /// Sends a list of values to each rank, `[rank]`, and returns the lists that the ranks have sent to this one. Lists
    /// may be empty and of different lengths. The list to this rank itself stays where it is. Collective.
    pub fn alltoall<T: Equivalence + Copy + Default>(&self, mut lists: Vec<Vec<T>>) -> Vec<Vec<T>> {
        let Some(comm) = &self.0 else { return lists };
        let to_itself = std::mem::take(&mut lists[self.rank()]);
        let counts: Vec<u64> = lists.iter().map(|list| list.len() as u64).collect();
        let mut incoming = vec![0u64; counts.len()];
        comm.all_to_all_into(&counts[..], &mut incoming[..]);
        let mut received: Vec<Vec<T>> = incoming.iter().map(|&n| vec![T::default(); n as usize]).collect();
        let rank = |rank: usize| comm.process_at_rank(rank as i32);
        mpi::request::scope(|scope| {
            let lists_in = received.iter_mut().enumerate().filter(|(_, list)| !list.is_empty());
            let receives: Vec<_> = lists_in
                .map(|(from, list)| rank(from).immediate_receive_into(scope, &mut list[..]))
                .collect();
            let lists_out = lists.iter().enumerate().filter(|(_, list)| !list.is_empty());
            let sends: Vec<_> = lists_out
                .map(|(to, list)| rank(to).immediate_send(scope, &list[..]))
                .collect();
            receives.into_iter().for_each(|request| {
                request.wait_without_status();
            });
            sends.into_iter().for_each(|request| {
                request.wait_without_status();
            });
        });
        received[self.rank()] = to_itself;
        received
    }

    /// Replaces every value by its maximum over all ranks. Collective.
    pub fn allreduce_max(&self, values: &mut [f64]) {
        self.allreduce(values, SystemOperation::max());
    }

    /// Replaces every value by its minimum over all ranks. Collective.
    pub fn allreduce_min<T: Ordered>(&self, values: &mut [T]) {
        let mut sent: Vec<T::Sent> = values.iter().map(|&value| value.to_sent()).collect();
        self.allreduce(&mut sent, SystemOperation::min());
        values
            .iter_mut()
            .zip(sent)
            .for_each(|(value, sent)| *value = T::of_sent(sent));
    }

    /// Replaces every integer by its sum over all ranks, wrapping around. Collective.
    ///
    /// Sums of floating-point numbers would depend on the order of the ranks; [`super::ExactSum`] is for those.
    pub fn allreduce_sum<T: Equivalence + Copy>(&self, values: &mut [T]) {
        self.allreduce(values, SystemOperation::sum());
    }

    fn allreduce<T: Equivalence + Copy>(&self, values: &mut [T], operation: SystemOperation) {
        if let Some(comm) = &self.0 {
            let mine = values.to_vec();
            comm.all_reduce_into(&mine[..], values, operation);
        }
    }
}
