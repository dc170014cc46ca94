//! The operations of a device ([`Device`], [`HaloTransport`], [`Network`]) on a GPU.
//!
//! Most of them are those of the engine, which is the same for CPU and GPU. Exchange, traces of the queues and kernels
//! that are compiled on demand exist on GPUs only.

use std::ops::Range;
use std::rc::Rc;

use super::nccl::{loaded_version, new_meeting};
use super::{CudaDevice, Real};
use crate::device::contract::{Kernel, Stage};
use crate::device::engine::CellLaunch;
use crate::device::store::{Memory, Store};
use crate::device::{
    Buffer, Cells, Classes, Device, DeviceError, DeviceInfo, Diagnostics, Field, HaloBuffers, HaloTransport, Launch,
    Link, Meeting, MemoryUse, Network, PeerHandles, Plan, Span, Traces, Work, engine,
};

impl<R: Real> Device for CudaDevice<R> {
    fn info(&self) -> DeviceInfo {
        let gpu = &self.engine.store.gpu;
        DeviceInfo {
            description: format!(
                "{}, {} precision, {} arithmetic; kernels {}",
                gpu.name,
                if R::DOUBLE { "double" } else { "single" },
                if self.variant.fast { "fast" } else { "strict" },
                self.built
            ),
            machine: gpu.name.clone(),
            threads: None,
            gpu: Some(gpu.id),
        }
    }

    fn millijoules(&self) -> Option<u64> {
        self.engine.store.gpu.millijoules()
    }

    fn memory(&self) -> MemoryUse {
        let mut memory = self.engine.memory();
        memory.connectivity += self.halo.bytes();
        memory
    }

    fn plan(&self) -> &Plan {
        &self.engine.plan
    }

    fn read(&self, field: Field) -> Result<Vec<f64>, DeviceError> {
        self.engine.read(field)
    }

    fn write(&mut self, field: Field, values: &[f64]) -> Result<(), DeviceError> {
        self.engine.write(field, values)
    }

    fn swap_states(&mut self) {
        self.engine.swap_states();
        self.peers.swap_states();
    }

    fn keep(&mut self) -> Result<(), DeviceError> {
        self.engine.keep()
    }

    fn take_back(&mut self) -> Result<(), DeviceError> {
        self.engine.take_back()
    }

    fn launch(&mut self, launches: &[Launch]) -> Result<(), DeviceError> {
        self.engine.launch(launches)
    }

    fn pack(&mut self, traces: Traces) -> Result<(), DeviceError> {
        self.pack_traces(traces)
    }

    fn halo_buffers(&mut self, traces: Traces) -> Result<HaloBuffers, DeviceError> {
        self.mpi_buffers(traces)
    }

    fn transport(&mut self) -> Option<&mut dyn HaloTransport> {
        Some(self)
    }

    fn diagnostics(&mut self) -> &mut dyn Diagnostics {
        &mut self.engine
    }

    fn repeat(&mut self, work: &mut Work) -> Result<(), DeviceError> {
        if let Some(steps) = &mut self.fault {
            *steps -= 1;
            if *steps == 0 {
                self.fault = None;
                let over = CellLaunch {
                    kernel: Kernel::TimeStepBounds,
                    stage: Stage::RhsOnly,
                    input: Buffer::Start,
                    classes: Classes::ALL,
                    set: &|_, p| p.u = std::ptr::dangling(),
                };
                self.engine.over_cells("fault", Cells::All, &[over])?;
            }
        }
        // Messages cannot be recorded.
        if !self.all_neighbours_are_linked() {
            return work(self);
        }
        engine::repeat(self, |device| &mut device.engine, work)
    }

    fn seconds(&mut self, work: &mut Work) -> Result<f64, DeviceError> {
        Rc::clone(&self.engine.store).seconds(&mut || work(self))
    }

    fn synchronize(&mut self) -> Result<(), DeviceError> {
        self.engine.store.synchronize()
    }

    fn copy_bandwidth(&mut self) -> Result<f64, DeviceError> {
        // The first stage buffer may be overwritten: a step writes it before it reads it.
        let (store, arrays) = (&self.engine.store, &mut self.engine.arrays);
        let mut best = f64::INFINITY;
        for _ in 0..10 {
            best = best.min(store.seconds(&mut || store.copy(&arrays.start, &mut arrays.a))?);
        }
        Ok((2 * arrays.a.bytes()) as f64 / best)
    }
}

impl<R: Real> Network for CudaDevice<R> {
    fn gpu(&self) -> [u64; 2] {
        self.engine.store.gpu.id
    }

    fn load(&mut self) -> Result<String, DeviceError> {
        Ok(loaded_version()?)
    }

    fn id(&mut self) -> Result<Vec<u8>, DeviceError> {
        Ok(new_meeting()?)
    }

    fn join(&mut self, meeting: &Meeting, neighbours: &[usize]) -> Result<(), DeviceError> {
        self.join_ranks(meeting, neighbours)
    }

    fn leave(&mut self) {
        self.leave_ranks();
    }
}

impl<R: Real> HaloTransport for CudaDevice<R> {
    fn export_handles(&self) -> Result<Vec<PeerHandles>, DeviceError> {
        self.peer_handles()
    }

    fn connect(&mut self, links: Vec<(usize, Link)>) -> Result<(), DeviceError> {
        self.connect_neighbours(links)
    }

    fn copy_to_peers(&mut self, copy: bool) -> Result<(), DeviceError> {
        self.engine.store.synchronize()?;
        self.engine.recordings = [None, None];
        self.peers.copy = copy;
        Ok(())
    }

    fn neighbours_have_written(&mut self, seconds: f64) -> Result<bool, DeviceError> {
        self.wait_for_neighbours(seconds)
    }

    fn give_own_memory(&mut self, own: bool) {
        if own && !self.halo.cuda_aware_mpi {
            // MPI closes the memory of other GPUs in its finalisation and needs the context then, so it is never freed.
            std::mem::forget(std::sync::Arc::clone(&self.engine.store.gpu.context));
        }
        self.halo.cuda_aware_mpi = own;
    }

    fn network(&mut self) -> &mut dyn Network {
        self
    }

    fn start_d2h(&mut self, traces: Traces, values: Range<usize>) -> Result<usize, DeviceError> {
        self.enqueue_d2h(traces, values)
    }

    fn d2h_done(&mut self, piece: usize) -> Result<bool, DeviceError> {
        self.d2h_is_complete(piece)
    }

    fn start_h2d(&mut self, traces: Traces, values: Range<usize>) -> Result<(), DeviceError> {
        self.enqueue_h2d(traces, values)
    }

    fn await_halo(&mut self, traces: Traces) -> Result<(), DeviceError> {
        self.order_frontier_after_halo(traces)
    }

    fn start_trace(&mut self) -> Result<(), DeviceError> {
        self.engine.store.start_trace()
    }

    fn finish_trace(&mut self) -> Result<Vec<Span>, DeviceError> {
        self.engine.store.finish_trace()
    }
}
