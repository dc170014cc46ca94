//! Exchange of traces by NCCL, with neighbours on other machines or with any that are reached in no other way.
//!
//! Packed values are sent from where they were packed, and those of a neighbour are received where its halo lies: all
//! sends and receives of an exchange are one group, which is a kernel in a queue of its own with the highest priority.
//! The queue waits for the packing, and the frontier cells wait for the queue, so that interior cells are computed
//! meanwhile. The host takes no part, and a time step with its exchanges can be recorded.
//!
//! No value is overwritten before it is read. A group begins after the packing, which comes after the frontier cells
//! that read the halos, and ends before the next packing begins. No flags are needed: a receive begins in its own queue
//! only, and a send waits for it. Ranks cannot wait for each other in a circle: a group waits for the groups of other
//! ranks with the same number only, and these wait for none with a higher one.

use super::communicator::Communicator;
use super::nccl::Part;
use super::queue_trace::NETWORK;
use super::{CudaDevice, Real};
use crate::device::{DeviceError, Meeting, Traces};

impl<R: Real> CudaDevice<R> {
    /// Meets the other ranks, and exchanges traces with these neighbours, by their indices in the plan, through the
    /// network from now on. Collective.
    pub(super) fn join_ranks(&mut self, meeting: &Meeting, neighbours: &[usize]) -> Result<(), DeviceError> {
        let plan = &self.engine.plan.halo.neighbours;
        let neighbours: Vec<_> = neighbours.iter().map(|&number| (number, plan[number].rank)).collect();
        let gpu = &self.engine.store.gpu;
        let queue = gpu.queues(1, true)?.swap_remove(0);
        let communicator = Communicator::join(queue, meeting, &neighbours)?;
        gpu.communicator.replace(Some(communicator));
        Ok(())
    }

    /// Ends the exchange through the network. No exchange may be under way on any rank.
    pub(super) fn leave_ranks(&mut self) {
        // A recorded step holds exchanges through the network.
        self.engine.recordings = [None, None];
        self.engine.store.gpu.communicator.take();
    }

    /// Returns the number of neighbours that are reached through the network.
    pub(super) fn neighbours_in_network(&self) -> usize {
        let communicator = self.engine.store.gpu.communicator.borrow();
        communicator.as_ref().map_or(0, |c| c.neighbours.len())
    }

    /// Exchanges traces with the neighbours in the network, after the work that is in the frontier queue now.
    pub(super) fn exchange_through_network(&self, traces: Traces) -> Result<(), DeviceError> {
        let (store, plan) = (&self.engine.store, &self.engine.plan);
        let communicator = store.gpu.communicator.borrow();
        let Some(communicator) = communicator.as_ref().filter(|c| !c.neighbours.is_empty()) else {
            return Ok(());
        };
        let (packed, halo) = (self.halo.packed_address() as u64, self.engine.halo(traces) as u64);
        let parts = communicator.neighbours.iter().map(|&number| {
            let neighbour = &plan.halo.neighbours[number];
            let at = |base: u64, values: std::ops::Range<usize>| {
                (
                    base + (values.start * size_of::<R>()) as u64,
                    values.len() * size_of::<R>(),
                )
            };
            Part {
                rank: neighbour.rank,
                sent: at(packed, neighbour.values_out(traces)),
                received: at(halo, neighbour.values_in(traces)),
            }
        });
        let parts: Vec<Part> = parts.collect();
        let queue = &communicator.queue;
        store.gpu.order(&store.gpu.frontier, queue)?;
        store.traced(queue, NETWORK, traces.name(), || {
            // SAFETY: the ranges lie in the packed values and in the halos, whose arrays the device owns. The next
            // packing, and what reads the halos, waits for this queue.
            unsafe { communicator.exchange(&parts) }
        })?;
        Ok(())
    }

    /// Makes later work of the frontier queue wait for the exchange through the network.
    pub(super) fn order_frontier_after_network(&self) -> Result<(), DeviceError> {
        let gpu = &self.engine.store.gpu;
        match &*gpu.communicator.borrow() {
            Some(c) if !c.neighbours.is_empty() => Ok(gpu.order(&c.queue, &gpu.frontier)?),
            _ => Ok(()),
        }
    }
}
