//! NVIDIA GPUs as devices. The plan and the kernel text are those of the CPU, with blocks of one cell (LANE = 1).
//!
//! The machine code of a kernel depends on the kind of cell, the order, the precision, the options of the case and the
//! architecture of the GPU. It is therefore compiled at the start of a run:
//!
//! - `source` holds the kernel text, and `programs` the macros and constants.
//! - `compiler` compiles a program by NVRTC, which `nvrtc_lookup` loads; `library` searches for NVIDIA's libraries.
//! - `cache` stores machine code on disk.
//! - `prebuilt` reads PTX that was compiled earlier, for machines without NVRTC.
//! - `module` combines these into loaded modules.
//! - `architecture` holds the limits of GPUs, `shape` the launch shapes of kernels.
//!
//! `driver`, `memory`, `store` and `kernels` are the GPU as a store of arrays and launches. A time step is recorded
//! once as a graph and replayed, which reduces the launch time of small cases.
//!
//! `steady` builds the kernels of the steady solver.
//!
//! `halo` exchanges traces through the host and messages, `segments` through memory of the host that ranks share, and
//! `peer` between GPUs of a machine. `network` does so between GPUs of several machines by NCCL, which `nccl` loads and
//! in which the ranks meet as a `communicator`; `lists` exchanges lists of any values in that way. `probe` times all
//! these ways without a mesh. `queue_trace` records what the queues do. `operations` implements the traits of a device.

pub mod architecture;
pub mod cache;
mod communicator;
pub mod compiler;
mod driver;
mod energy;
mod error;
mod estimate;
mod halo;
mod kernels;
mod library;
mod lists;
mod memory;
mod module;
pub mod nccl;
mod network;
pub mod nvrtc_lookup;
mod operations;
mod peer;
pub mod prebuilt;
mod probe;
pub mod programs;
mod queue_trace;
mod segments;
pub mod shape;
pub mod source;
mod steady;
mod store;
pub mod variant;

use std::rc::Rc;

use super::arrays::Arrays;
use super::contract::Params;
use super::engine::Engine;
use super::memory::Real;
use super::plan::{BoundaryArrays, Group};
use super::store::Store;
use super::{Conditions, DeviceError, Physics, Plan};
use crate::element::Elements;
use crate::geometry::Geometry;
use crate::log::Watch;
use crate::mesh::Mesh;
use crate::physics::Shock;
pub use compiler::BuildError;
pub use driver::Gpu;
pub use error::CudaError;
pub use estimate::{check_memory, log_memory};
pub use kernels::LoadedKernel;
pub use memory::Array;
pub use probe::{Direction, HostMemory, Probe};
use programs::Constants;
pub use steady::{STEADY_SLICE, STEADY_THREADS, steady_kernels, steady_programs};
pub use store::GpuStore;
use variant::Variant;

/// A GPU as a device of precision R.
pub struct CudaDevice<R: Real> {
    engine: Engine<GpuStore, R>,
    halo: halo::Halo,
    peers: peer::Peers,
    segments: segments::Segments,
    variant: Variant,
    /// Number of steps until an injected fault (FR_LES_INJECT_FAULT), by which tests check how faults are reported.
    fault: Option<u64>,
    /// Origin of the kernels and the time that they took, for the log.
    built: String,
}

/// Options of a GPU device.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Whether kernels use approximate reciprocals and roots.
    pub fast: bool,
    /// Whether time steps are recorded and replayed.
    pub graph: bool,
}

impl<R: Real> CudaDevice<R> {
    /// Builds the kernels and allocates all arrays.
    ///
    /// # Errors
    /// The kernels cannot be built, or the GPU fails or has too little memory.
    pub fn new(
        gpu: Gpu,
        mesh: &Mesh,
        geometry: &Geometry,
        elements: &Elements,
        physics: &Physics,
        conditions: Conditions,
        options: Options,
    ) -> Result<Self, DeviceError> {
        shape::check_environment().map_err(CudaError::from)?;
        let entropy = physics.scheme.shock == Shock::EntropyFilter;
        let order = elements.order;
        let mut watch = Watch::start("GPU");
        let mut plan = Plan::new(mesh, geometry, &conditions, order, 1, shape::width, entropy);
        let mut params = Params::<R>::constants(&elements.line, physics);
        params.of_plan(&plan);
        watch.ended("plan");
        let variant = |group: &Group| Variant {
            kind: group.kind,
            order: elements.order,
            double: R::DOUBLE,
            fast: options.fast,
            curved: !group.affine(),
            corrects_entropy: physics.scheme.corrects_entropy(group.kind),
        };
        let variants: Vec<Variant> = plan.groups.iter().map(variant).collect();
        let boundary = BoundaryArrays::new(&plan, geometry, elements, conditions.kinds);
        let (constants, target) = (Constants::of(&params), (gpu.architecture.clone(), gpu.driver_version));
        let begin = std::time::Instant::now();
        let (assembly, store, arrays) = std::thread::scope(|scope| {
            // The compiler does not call the driver, and works while the arrays are allocated and filled.
            let assembly = scope.spawn(|| module::assemble((&target.0, target.1), &variants, &constants));
            let store = Rc::new(GpuStore::new(gpu, options.graph)?);
            let arrays = Arrays::new::<R>(&*store, &mut plan, boundary, geometry, elements, physics, true)?;
            watch.ended("arrays");
            let assembly = assembly.join().expect("what fails is returned");
            Ok::<_, DeviceError>((assembly?, store, arrays))
        })?;
        let kernels = assembly
            .variants
            .iter()
            .zip(assembly.programs.iter().zip(&assembly.images))
            .map(|(variant, (programs, images))| {
                kernels::load_set(&store.gpu, variant, physics.scheme.shock, programs, images)
            })
            .collect::<Result<Vec<_>, _>>()?;
        let built = format!("{} in {:.2} s", assembly.origin, begin.elapsed().as_secs_f64());
        watch.ended("kernels");
        let fault = std::env::var("FR_LES_INJECT_FAULT").ok().and_then(|n| n.parse().ok());
        Ok(CudaDevice {
            halo: halo::Halo::new::<R>(&store.gpu, &plan)?,
            peers: peer::Peers::new(&store.gpu, &plan)?,
            segments: segments::Segments::default(),
            engine: Engine::new(store, plan, kernels, params, arrays),
            variant: variants[0],
            fault: fault.filter(|&n| n > 0),
            built,
        })
    }
}

impl<R: Real> Drop for CudaDevice<R> {
    fn drop(&mut self) {
        // Memory must not be freed while a kernel runs.
        let _ = self.engine.store.synchronize();
        // NCCL ends a communicator only after the recordings of its exchanges.
        self.leave_ranks();
    }
}
