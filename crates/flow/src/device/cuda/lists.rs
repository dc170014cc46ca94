//! Exchange of lists of values between stores by NCCL, for solvers that have no cells and therefore no halos of them.
//!
//! The exchange takes place in the compute queue, after the kernels that pack the values and before the kernels that
//! use the received ones. The host takes no part, and work with exchanges can be recorded.

use std::ops::Range;
use std::sync::Arc;

use super::nccl::{Part, loaded_version, new_meeting};
use super::queue_trace::NETWORK;
use super::{Array, GpuStore};
use crate::device::store::{Memory, Store};
use crate::device::{Cells, DeviceError, ListPart, Meeting, Network};

impl Network for GpuStore {
    fn gpu(&self) -> [u64; 2] {
        self.gpu.id
    }

    fn load(&mut self) -> Result<String, DeviceError> {
        Ok(loaded_version()?)
    }

    fn id(&mut self) -> Result<Vec<u8>, DeviceError> {
        Ok(new_meeting()?)
    }

    /// Without cells the neighbours are ranks.
    fn join(&mut self, meeting: &Meeting, neighbours: &[usize]) -> Result<(), DeviceError> {
        Ok(self.gpu.meet(Arc::clone(&self.gpu.compute), meeting, neighbours)?)
    }

    fn leave(&mut self) {
        self.gpu.communicator.take();
    }
}

impl GpuStore {
    /// Returns whether the store has joined a network.
    pub fn is_in_network(&self) -> bool {
        self.gpu.communicator.borrow().is_some()
    }

    /// Exchanges values of lists with other ranks through the network, if the store has joined one: each place of
    /// `sent` and of `received` has so many bytes. Collective among the ranks of the parts.
    ///
    /// # Errors
    /// NCCL or the GPU fails.
    ///
    /// # Panics
    ///
    /// If the arrays do not have these places.
    pub fn exchange_lists(
        &self,
        parts: &[ListPart],
        bytes: usize,
        sent: &Array,
        received: &Array,
    ) -> Result<(), DeviceError> {
        let range = |array: &Array, places: &Range<usize>| {
            assert!(places.end * bytes <= array.bytes(), "a part outside of its array");
            let address = array.pointer::<u8>() as u64 + (places.start * bytes) as u64;
            (address, places.len() * bytes)
        };
        let parts: Vec<Part> = parts
            .iter()
            .filter(|part| !(part.sent.is_empty() && part.received.is_empty()))
            .map(|part| Part {
                rank: part.rank,
                sent: range(sent, &part.sent),
                received: range(received, &part.received),
            })
            .collect();
        let communicator = self.gpu.communicator.borrow();
        let Some(communicator) = communicator.as_ref().filter(|_| !parts.is_empty()) else {
            return Ok(());
        };
        self.submit(Cells::All, NETWORK, |_| {
            // SAFETY: the ranges lie in the arrays, which the caller owns and whose memory is freed only after the
            // queue is empty. The queue of the communicator is that of all kernels that pack and use the values.
            Ok(unsafe { communicator.exchange(&parts) }?)
        })
    }
}
