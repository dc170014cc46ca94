//! Devices: where the state lives and the kernels run.
//!
//! The solver speaks to [`Device`] and never knows which machine is behind it. A device holds three states (the step's start
//! and two stage buffers), the sum over the stages, Kahan's compensation and the viscous traces; the host sees only what it
//! asks for, in mesh order and double precision.

pub mod contract;
pub mod cpu;
pub mod cuda;
mod faces;
mod layout;
mod memory;
mod operators;
mod params;
mod plan;
mod sampling;
mod settings;
pub mod statistics;

use std::ops::Range;

use thiserror::Error;

pub use contract::{BULKS, FLUXES, INTEGRALS, SUMS, SURFACE_VALUES};
use contract::{RATES, Stage};
pub use cpu::CpuDevice;
pub use cuda::{CudaDevice, CudaError};
pub(crate) use layout::CELLS_OF_A_THREAD;
pub use memory::Real;
pub use plan::{Behind, BoundaryFace, HaloNeighbour, HaloPlan, Plan};
pub use sampling::SamplePoint;
pub use settings::{Arithmetic, DeviceKind, Scheme};
use statistics::Slots;

pub use crate::io::Precision;
use crate::physics::{Gas, Sgs};

/// Why a device cannot be used.
#[derive(Debug, Error)]
pub enum DeviceError {
    /// The processor lacks what the kernels need.
    #[error("this processor has neither AVX2 with FMA nor AVX-512, which the kernels are built for")]
    Processor,
    /// An unknown value of FR_LES_SIMD.
    #[error("FR_LES_SIMD is '{0}'; it takes avx2 or avx512, and the processor must have it")]
    Simd(String),
    /// The thread pool could not be started.
    #[error("cannot start {threads} threads: {reason}")]
    Threads {
        /// How many.
        threads: usize,
        /// Why not.
        reason: String,
    },
    /// Something that only other devices do.
    #[error("{0} cannot be computed on this device")]
    Lacking(&'static str),
    /// The GPU.
    #[error("cuda: {0}")]
    Cuda(#[from] CudaError),
}

/// The three states on the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Buffer {
    /// The state at the beginning of the step, advanced by the last stage.
    Start,
    /// First stage buffer.
    A,
    /// Second stage buffer.
    B,
}

/// Which cells a sweep goes over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cells {
    /// All of them.
    All,
    /// Those without neighbours on other ranks.
    Interior,
    /// The others.
    Frontier,
}

/// What ranks exchange: values at the points of the faces between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Traces {
    /// The states of a buffer.
    States(Buffer),
    /// The viscous fluxes that sweep 1 leaves.
    Viscous,
}

impl Traces {
    /// States are first, viscous traces second wherever there are two.
    pub fn index(self) -> usize {
        usize::from(self == Traces::Viscous)
    }

    /// What people call them.
    pub fn name(self) -> &'static str {
        match self {
            Traces::States(_) => "states",
            Traces::Viscous => "viscous traces",
        }
    }
}

/// What a device needs to know of another one of this machine to write into its halos.
pub type Card = Vec<u64>;

/// A piece of work on one of a device's queues, in seconds since the watch began.
#[derive(Debug, Clone, PartialEq)]
pub struct Span {
    /// Which queue.
    pub queue: &'static str,
    /// What it did.
    pub what: &'static str,
    /// From when on.
    pub begin: f64,
    /// Until when.
    pub end: f64,
}

/// Memory through which MPI sends and receives traces; valid as long as the device is not told to do anything with the same
/// traces. Addresses on a GPU where [`Device::give_own_memory`] asked for that, else on the host.
#[derive(Debug, Clone, Copy)]
pub struct HostTraces {
    /// What goes to other ranks, packed.
    pub outgoing: *const u8,
    /// Where to put what comes.
    pub incoming: *mut u8,
    /// Bytes of a value.
    pub real: usize,
}

impl HostTraces {
    /// Where nothing goes through MPI.
    pub const NONE: HostTraces = HostTraces {
        outgoing: std::ptr::null(),
        incoming: std::ptr::null_mut(),
        real: 0,
    };
}

/// What sweep 2 does with the right-hand side k of one stage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StageUpdate {
    /// Keep k itself in the accumulator.
    RhsOnly,
    /// acc = weight k; output = start + fraction dt k.
    First {
        /// Share of the step to the next stage.
        fraction: f64,
        /// b_m.
        weight: f64,
    },
    /// acc += weight k; output = start + fraction dt k.
    Middle {
        /// Share of the step to the next stage.
        fraction: f64,
        /// b_m.
        weight: f64,
    },
    /// start += dt (acc + weight k), compensated if asked for.
    Last {
        /// b_m.
        weight: f64,
    },
}

impl StageUpdate {
    /// The stage as the kernels know it, fraction and weight.
    fn numbers(self) -> (Stage, f64, f64) {
        match self {
            StageUpdate::RhsOnly => (Stage::RhsOnly, 0.0, 0.0),
            StageUpdate::First { fraction, weight } => (Stage::First, fraction, weight),
            StageUpdate::Middle { fraction, weight } => (Stage::Middle, fraction, weight),
            StageUpdate::Last { weight } => (Stage::Last, 0.0, weight),
        }
    }
}

/// Bounds on the time step and health of the state, over the whole mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rates {
    /// Largest half sum over the faces of (|v.A| + c |A|)/J, A their area vectors, by kind of cell.
    pub acoustic: [f64; 4],
    /// Largest nu half sum of |A|^2/J^2 over the faces, by kind of cell.
    pub viscous: [f64; 4],
    /// First cell in mesh order with a density or temperature that is not a positive number.
    pub unphysical: Option<usize>,
}

impl Rates {
    /// From [acoustic, viscous, unphysical] of every cell in mesh order.
    fn of_cells(plan: &Plan, cells: &[f64]) -> Self {
        let mut rates = Rates {
            acoustic: [0.0; 4],
            viscous: [0.0; 4],
            unphysical: None,
        };
        for (cell, c) in cells.chunks(RATES).enumerate() {
            let kind = plan.group(cell).kind as usize;
            rates.acoustic[kind] = rates.acoustic[kind].max(c[0]);
            rates.viscous[kind] = rates.viscous[kind].max(c[1]);
            if rates.unphysical.is_none() && (c[2] != 0.0 || !c[0].is_finite() || !c[1].is_finite()) {
                rates.unphysical = Some(cell);
            }
        }
        rates
    }

    /// The largest acoustic rate of any cell.
    pub fn largest_acoustic(&self) -> f64 {
        self.acoustic.iter().copied().fold(0.0, f64::max)
    }
}

/// Memory in use, in bytes.
#[derive(Debug, Clone, Copy, Default)]
pub struct Memory {
    /// States, accumulator, compensation.
    pub state: usize,
    /// Viscous traces.
    pub traces: usize,
    /// Metric terms and normals.
    pub geometry: usize,
    /// Neighbour slots, tables, boundary data.
    pub connectivity: usize,
    /// Everything else.
    pub other: usize,
}

impl Memory {
    /// All of it.
    pub fn total(&self) -> usize {
        self.state + self.traces + self.geometry + self.connectivity + self.other
    }
}

/// What the kernels need to know of the case.
#[derive(Debug, Clone, Copy)]
pub struct Physics {
    /// The gas.
    pub gas: Gas,
    /// The scheme.
    pub scheme: Scheme,
    /// Kahan-compensated update.
    pub kahan: bool,
    /// Sub-grid model, of a gas with a viscosity.
    pub sgs: Option<Sgs>,
}

/// Work that a device is asked to repeat or to time.
pub type Work<'a> = dyn FnMut(&mut dyn Device) -> Result<(), DeviceError> + 'a;

/// A machine that holds the state and runs the kernels. What fails on a device may be seen only by a later call.
pub trait Device {
    /// One line for the log.
    fn describe(&self) -> String;
    /// Number of CPU threads, if that is what it computes with.
    fn threads(&self) -> Option<usize>;
    /// Memory in use.
    fn memory(&self) -> Memory;
    /// The plan it was built from.
    fn plan(&self) -> &Plan;
    /// Sets the state, `u` as [cell][5][point] in mesh order, and clears the compensation.
    fn set_state(&mut self, u: &[f64]) -> Result<(), DeviceError>;
    /// The state as [cell][5][point] in mesh order.
    fn state(&self) -> Result<Vec<f64>, DeviceError>;
    /// Sets Kahan's compensation, arranged as the state; without effect where updates are not compensated.
    fn set_compensation(&mut self, compensation: &[f64]) -> Result<(), DeviceError>;
    /// Kahan's compensation, arranged as the state; `None` where updates are not compensated.
    fn compensation(&self) -> Result<Option<Vec<f64>>, DeviceError>;
    /// The right-hand side left by [`StageUpdate::RhsOnly`], as the state.
    fn rhs(&self) -> Result<Vec<f64>, DeviceError>;
    /// Data of the boundary faces, [boundary face][5][face point], as the conditions of
    /// ptx/physics/boundary.h take them.
    fn set_boundary_data(&mut self, data: &[f64]) -> Result<(), DeviceError>;
    /// Volume source [cell][5][point]: mass, force, heat; the force's work is added by the kernel.
    fn set_source(&mut self, source: &[f64]) -> Result<(), DeviceError>;
    /// Sets a force per volume that acts on all points from now on, with its work on the energy, beside the source. It may be
    /// changed while recorded steps are replayed.
    fn set_force(&mut self, force: [f64; 3]) -> Result<(), DeviceError>;
    /// Sets the time step dt that the stages use.
    fn set_step(&mut self, dt: f64) -> Result<(), DeviceError>;
    /// Writes the ghost states of the boundary faces behind `input`.
    fn ghost_states(&mut self, input: Buffer) -> Result<(), DeviceError>;
    /// Sweep 1: viscous traces of these cells.
    fn sweep1(&mut self, input: Buffer, cells: Cells) -> Result<(), DeviceError>;
    /// Writes the ghost viscous traces of the boundary faces.
    fn ghost_traces(&mut self, input: Buffer) -> Result<(), DeviceError>;
    /// Sweep 2: right-hand side and stage update.
    fn sweep2(&mut self, input: Buffer, output: Buffer, update: StageUpdate, cells: Cells) -> Result<(), DeviceError>;
    /// Packs what other ranks need of `traces`.
    fn pack(&mut self, traces: Traces) -> Result<(), DeviceError>;
    /// What other devices need to write into these halos, a card for each neighbour of the plan; empty where none can.
    fn cards(&self) -> Result<Vec<Card>, DeviceError> {
        Ok(Vec::new())
    }
    /// From now on what is packed for these neighbours, counted as in the plan, goes straight into their halos, in place of all
    /// before.
    fn connect(&mut self, _peers: &[(usize, Card)]) -> Result<(), DeviceError> {
        Ok(())
    }
    /// Waits until what other devices were to write here has come; after so many seconds it gives up, and answers `false`.
    fn peers_have_written(&mut self, _seconds: f64) -> Result<bool, DeviceError> {
        Ok(true)
    }
    /// Whether MPI is given the device's own addresses from now on instead of the host's.
    fn give_own_memory(&mut self, _own: bool) {}
    /// Whether the halos lie in a GPU's memory.
    fn is_gpu(&self) -> bool {
        self.gpu().is_some()
    }
    /// Which GPU it is, if it is one.
    fn gpu(&self) -> Option<[u64; 2]> {
        None
    }
    /// Where MPI finds packed traces, and where it puts what it receives.
    fn host_traces(&mut self, traces: Traces) -> Result<HostTraces, DeviceError>;
    /// Begins to bring these values of what was packed to where MPI finds them; the answer is the number of this piece.
    fn fetch(&mut self, traces: Traces, values: Range<usize>) -> Result<usize, DeviceError>;
    /// Whether a piece has arrived there. Numbers begin at zero after every [`Device::pack`].
    fn fetched(&mut self, piece: usize) -> Result<bool, DeviceError>;
    /// Begins to bring values that MPI has received behind those of the cells.
    fn deliver(&mut self, traces: Traces, values: Range<usize>) -> Result<(), DeviceError>;
    /// What is launched over [`Cells::Frontier`] or over boundary faces from now on finds everything that was delivered, or written
    /// there by other devices.
    fn delivered(&mut self, traces: Traces) -> Result<(), DeviceError>;
    /// What lies in the halos of the state at the start of the step, for trying the exchange.
    fn halo_states(&self) -> Result<Vec<f64>, DeviceError>;
    /// Sets the viscous traces, in the plan's order, for trying the exchange.
    fn set_traces(&mut self, values: &[f64]) -> Result<(), DeviceError>;
    /// What lies in the halos of the viscous traces.
    fn halo_traces(&self) -> Result<Vec<f64>, DeviceError>;
    /// Begins to note what the queues do.
    fn watch(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }
    /// What the queues did since [`Device::watch`]; nothing on a CPU, which does one thing after the other.
    fn watched(&mut self) -> Result<Vec<Span>, DeviceError> {
        Ok(Vec::new())
    }
    /// Bounds on the time step.
    fn rates(&mut self) -> Result<Rates, DeviceError>;
    /// Mass and momentum per cell, [cell][BULKS] in mesh order, of the state at the start of the step.
    fn bulk(&mut self) -> Result<Vec<f64>, DeviceError>;
    /// Integrals per cell, [cell][INTEGRALS] in mesh order, of the state at the start of the step; needs the right-hand side
    /// of [`StageUpdate::RhsOnly`].
    fn integrals(&mut self) -> Result<Vec<f64>, DeviceError>;
    /// What flows out through each boundary face, [boundary face][FLUXES] in the plan's order, at the start of the step;
    /// needs the ghosts and traces that the right-hand side of [`StageUpdate::RhsOnly`] leaves.
    fn boundary_fluxes(&mut self) -> Result<Vec<f64>, DeviceError>;
    /// Makes sums of zero for statistics with these slots, in place of all before.
    fn begin_statistics(&mut self, slots: &Slots) -> Result<(), DeviceError>;
    /// Adds the state at the start of the step to the statistics, with this weight.
    fn add_to_statistics(&mut self, weight: f64) -> Result<(), DeviceError>;
    /// The sums of the statistics, [cell][quantity][slot] in mesh order; empty where there are none.
    fn statistics(&self) -> Result<Vec<f64>, DeviceError>;
    /// Sets them.
    fn set_statistics(&mut self, sums: &[f64]) -> Result<(), DeviceError>;
    /// The same at single points, [boundary face][SURFACE_VALUES][face point], with the state there; what flows is that through
    /// the face's area vector at the point, and its array is allocated by the first call.
    fn surface_values(&mut self) -> Result<Vec<f64>, DeviceError>;
    /// Makes ready to sample the state at these places, and keeps room for so many samples between two calls of
    /// [`Device::samples`]; the answer is the number of the set.
    fn plan_samples(&mut self, points: &[SamplePoint], room: usize) -> Result<usize, DeviceError>;
    /// Samples the state at the start of the step at the places of a set. A GPU keeps the values, so that nobody waits.
    fn sample(&mut self, set: usize) -> Result<(), DeviceError>;
    /// The samples of a set taken since the last call, conserved variables as [sample][place][5].
    fn samples(&mut self, set: usize) -> Result<Vec<f64>, DeviceError>;
    /// Runs `work`, which launches the same kernels with the same arguments every time: a device may record the first call and
    /// replay it from then on.
    fn repeat(&mut self, work: &mut Work) -> Result<(), DeviceError>;
    /// Seconds that the device takes for `work`, begun when it is idle.
    fn seconds(&mut self, work: &mut Work) -> Result<f64, DeviceError>;
    /// Common convective flux at every face point of the state at the start of the step: by a loop over cells, in which both
    /// cells of a face compute it, or over faces. For comparing the two; its arrays are allocated by the first call.
    fn interface_flux(&mut self, by_faces: bool) -> Result<(), DeviceError> {
        let _ = by_faces;
        Err(DeviceError::Lacking("the interface flux by itself"))
    }
    /// What [`Device::interface_flux`] left, [cell][face][5][face point] in mesh order, outward; empty before.
    fn interface_fluxes(&self) -> Result<Vec<f64>, DeviceError> {
        Ok(Vec::new())
    }
    /// Bytes read plus written per second by a copy of arrays of the size of the state.
    fn copy_bandwidth(&mut self) -> Result<f64, DeviceError>;
}
