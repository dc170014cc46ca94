//! The CPU: kernels compiled ahead of time for every order, precision and vector width; blocks of cells shared among
//! threads.
//!
//! A kernel writes only to its own block and reads its neighbours' from arrays that no kernel writes at the same time,
//! so the result does not depend on how blocks are shared out. Ranks exchange arrays in the memory of the host, which
//! is where the kernels read and write: what a device with memory of its own copies is in its place already.

mod kernels;
pub mod probe;
mod store;

use std::rc::Rc;

use super::arrays::Arrays;
use super::contract::{Kernel, Params, Stage};
use super::engine::{self, Engine};
use super::memory::Real;
use super::plan::BoundaryArrays;
use super::store::{Memory, Store};
use super::{
    Cells, Conditions, Device, DeviceError, DeviceInfo, Diagnostics, Field, HaloBuffers, Launch, MemoryUse, Physics,
    Plan, Traces, Work,
};
use crate::element::{ElementKind, Elements};
use crate::geometry::Geometry;
use crate::mesh::Mesh;
use crate::physics::Shock;
use kernels::Kernels;
pub use kernels::{SteadyKernels, vector_set, vector_sets};
pub use store::{Host, HostArray, KernelFunction};

/// Returns the name of the processor.
pub fn processor_name() -> String {
    let information = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = information.lines().find(|line| line.starts_with("model name"));
    let name = line.and_then(|line| line.split_once(':')).map(|(_, name)| name.trim());
    name.unwrap_or("processor of unknown name").to_owned()
}

/// The CPU as a device of precision R.
pub struct CpuDevice<R: Real> {
    engine: Engine<Host, R>,
    /// Name of the vector instructions.
    set: &'static str,
    /// What goes to other ranks, packed.
    outgoing: HostArray,
}

impl<R: Real> CpuDevice<R> {
    /// Allocates everything for a case.
    ///
    /// # Errors
    /// The processor lacks what the kernels need, or threads cannot be started.
    pub fn new(
        mesh: &Mesh,
        geometry: &Geometry,
        elements: &Elements,
        physics: &Physics,
        conditions: Conditions,
        threads: Option<usize>,
    ) -> Result<Self, DeviceError> {
        let set = kernels::vector_set()?;
        let kernels = |kind: ElementKind| Kernels::of(kind, elements.order, R::DOUBLE, set);
        let any = kernels(mesh.kinds[0])?;
        assert_eq!(
            any.params_size(),
            size_of::<Params<R>>(),
            "kernels and host must agree on Params"
        );
        let entropy = physics.scheme.shock == Shock::EntropyFilter;
        let lanes = any.lanes();
        let mut plan = Plan::new(mesh, geometry, &conditions, elements.order, lanes, |_| 1, entropy);
        let boundary = BoundaryArrays::new(&plan, geometry, elements, conditions.kinds);
        let sets = plan.groups.iter().map(|group| Ok(kernels(group.kind)?.set()));
        let sets = sets.collect::<Result<_, DeviceError>>()?;
        let params = Params::constants(&elements.line, physics);
        let host = Rc::new(Host::new(threads)?);
        let arrays = Arrays::new::<R>(&*host, &mut plan, boundary, geometry, elements, physics, false)?;
        let values = plan.halo.states_out().max(plan.halo.trace_len);
        Ok(CpuDevice {
            outgoing: HostArray::zeros(values * size_of::<R>()),
            engine: Engine::new(host, plan, sets, params, arrays),
            set,
        })
    }
}

impl<R: Real> Device for CpuDevice<R> {
    fn info(&self) -> DeviceInfo {
        let threads = self.engine.store.threads();
        let plural = if threads == 1 { "" } else { "s" };
        DeviceInfo {
            machine: format!("{}, {threads} thread{plural}, {}", processor_name(), self.set),
            description: format!(
                "CPU, {threads} thread{plural}, {} ({} cells side by side), {} precision",
                self.set,
                self.engine.plan.lanes,
                if R::DOUBLE { "double" } else { "single" }
            ),
            threads: Some(threads),
            gpu: None,
        }
    }

    fn memory(&self) -> MemoryUse {
        let (mut memory, plan) = (self.engine.memory(), &self.engine.plan);
        memory.connectivity += self.outgoing.bytes() + plan.halo.bytes();
        memory.other += (plan.cell_of_slot.len() + plan.slot_of_cell.len()) * size_of::<usize>();
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
        let engine = &self.engine;
        let sent = engine.plan.halo.sent(traces);
        let mut params = engine.packing(traces);
        params.sent = sent.as_ptr();
        params.boundary_count = sent.len() as i64;
        params.out = self.outgoing.pointer();
        let kernel = engine.kernels[0].get(Kernel::Pack, Stage::RhsOnly);
        engine.store.submit(Cells::Frontier, "pack", |queue| {
            // SAFETY: the list names values of live arrays, and `outgoing` holds as many as are sent; each is written
            // by one item.
            unsafe { engine.store.launch(queue, kernel, 0..sent.len(), &params) }
        })
    }

    fn halo_buffers(&mut self, traces: Traces) -> Result<HaloBuffers, DeviceError> {
        Ok(HaloBuffers {
            outgoing: self.outgoing.pointer::<u8>(),
            // What comes is received where it is read.
            incoming: self.engine.halo(traces).cast(),
            real: size_of::<R>(),
        })
    }

    fn diagnostics(&mut self) -> &mut dyn Diagnostics {
        &mut self.engine
    }

    fn repeat(&mut self, work: &mut Work) -> Result<(), DeviceError> {
        engine::repeat(self, |device| &mut device.engine, work)
    }

    fn seconds(&mut self, work: &mut Work) -> Result<f64, DeviceError> {
        Rc::clone(&self.engine.store).seconds(&mut || work(self))
    }

    fn synchronize(&mut self) -> Result<(), DeviceError> {
        self.engine.store.synchronize()
    }

    fn copy_bandwidth(&mut self) -> Result<f64, DeviceError> {
        // Beyond the caches, and beyond the first use of every page.
        let bytes = self.engine.arrays.start.bytes().max(64 << 20);
        let (mut from, mut to) = (HostArray::zeros(bytes), HostArray::zeros(bytes));
        let store = &self.engine.store;
        store.fill::<u8>(&mut from, bytes, |bytes| bytes.fill(1))?;
        let mut best = f64::INFINITY;
        for _ in 0..5 {
            best = best.min(store.seconds(&mut || store.copy(&from, &mut to))?);
        }
        Ok((2 * bytes) as f64 / best)
    }
}
