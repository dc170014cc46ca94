//! Devices: where the state lives and the kernels run.
//!
//! The solver uses the trait [`Device`] and does not know the machine. A device holds three states (the start of the
//! step and two stage buffers; schemes in 2N form have one stage buffer), the sum over the stages, Kahan's compensation
//! and the viscous traces. The host sees only the fields that it reads, in mesh order and double precision.
//!
//! `contract` has what host and kernels must state in the same way. A [`store`] has memory and queues, of `cpu` or
//! `cuda`, without a solver. `engine` runs the solver's kernels on it. `plan` places cells, faces and halos in arrays.

mod arrays;
mod bounds;
pub mod contract;
pub mod cpu;
pub mod cuda;
mod engine;
mod faces;
mod field;
mod layout;
mod matching;
mod memory;
mod moment;
mod operators;
mod params;
mod plan;
mod sampling;
pub mod segment;
mod settings;
pub mod statistics;
pub mod store;
pub mod table;
mod turbulence;
mod verbs;

use std::ops::Range;

use thiserror::Error;

pub use arrays::{Later, Sizes, memory_of};
pub use bounds::TimeStepBounds;
pub use contract::{BAR_SUMS, BOUNDARY_VALUES, BULKS, FLUXES, INTEGRALS, LENGTH_ROWS, SUMS, SURFACE_VALUES, Slot};
use contract::{Kernel, Stage};
pub use cpu::CpuDevice;
pub use cuda::{CudaDevice, CudaError};
pub use field::Field;
pub use matching::{CellWeights, Conditions, MatchingPoints, MatchingSource};
pub use memory::{Plain, Real};
pub use moment::Moment;
pub use plan::{BoundaryFace, Classes, Exterior, HaloNeighbour, HaloPlan, Plan};
pub use sampling::SamplePoint;
use segment::Segment;
pub use settings::SchemeKeys;
pub use settings::{Arithmetic, DeviceKind, Physics, Scheme};
use statistics::Slots;
pub use turbulence::{TurbulentInlet, TurbulentPoint, inlet_bytes};
pub use verbs::{DeviceInfo, Launch};

pub use crate::io::Precision;
use crate::ranks::ExactSum;

/// Why a device cannot be used.
#[derive(Debug, Error)]
pub enum DeviceError {
    /// The processor lacks what the kernels need.
    #[error("this processor has neither AVX2 with FMA nor AVX-512, which the kernels are built for")]
    Processor,
    /// An unknown value of FR_LES_SIMD.
    #[error("FR_LES_SIMD is '{0}'; it takes avx2 or avx512, and the processor must have it")]
    Simd(String),
    /// Kernels that were left out of the build.
    #[error(
        "this program was built without the CPU kernels of {kind} cells of order {order} in {precision} precision \
         (FR_LES_KERNELS); a build without this variable has all"
    )]
    NotBuilt {
        /// Kind of the cells.
        kind: &'static str,
        /// Their order.
        order: usize,
        /// Precision of the run.
        precision: &'static str,
    },
    /// The thread pool could not be started.
    #[error("cannot start {threads} threads: {reason}")]
    Threads {
        /// Number of threads.
        threads: usize,
        /// Error of the system.
        reason: String,
    },
    /// The device lacks a feature.
    #[error("{0} cannot be computed on this device")]
    Lacking(&'static str),
    /// A field that cannot be read, or not written.
    #[error("{0:?} cannot be {1}")]
    Access(Field, &'static str),
    /// An error of a GPU.
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
    /// Second stage buffer; schemes in 2N form have none.
    B,
}

/// Which cells a sweep goes over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cells {
    /// All of them.
    All,
    /// Cells without neighbours on other ranks.
    Interior,
    /// Cells with neighbours on other ranks.
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

    /// Name in messages and traces.
    pub fn name(self) -> &'static str {
        match self {
            Traces::States(_) => "states",
            Traces::Viscous => "viscous traces",
        }
    }
}

/// Handles by which another device of this machine can write into the halos of this one.
pub type PeerHandles = Vec<u64>;

/// A way to a neighbour on this machine that needs no messages.
pub enum Link {
    /// The memory of its device, which this one writes.
    Peer(PeerHandles),
    /// Memory of the host.
    Segments {
        /// The segment that the neighbour writes.
        incoming: Segment,
        /// The segment that the neighbour reads.
        outgoing: Segment,
    },
}

/// A piece of work on a queue of a device, in seconds since the trace began.
#[derive(Debug, Clone, PartialEq)]
pub struct Span {
    /// Name of the queue.
    pub queue: &'static str,
    /// Name of the work.
    pub what: &'static str,
    /// Begin in seconds.
    pub begin: f64,
    /// End in seconds.
    pub end: f64,
}

/// Memory from which MPI sends traces, and into which it receives them. It is valid until the next call of the device
/// with the same traces. The addresses are on the GPU after [`HaloTransport::give_own_memory`], else on the host.
#[derive(Debug, Clone, Copy)]
pub struct HaloBuffers {
    /// Packed values for other ranks.
    pub outgoing: *const u8,
    /// Buffer for the values from other ranks.
    pub incoming: *mut u8,
    /// Bytes of a value.
    pub real: usize,
}

impl HaloBuffers {
    /// No memory, for exchanges without MPI.
    pub const NONE: HaloBuffers = HaloBuffers {
        outgoing: std::ptr::null(),
        incoming: std::ptr::null_mut(),
        real: 0,
    };
}

/// Update by the right-hand side k of one stage, which sweep 2 does. In 2N form each stage is S = weight S + dt k,
/// output = input + fraction S, compensated if asked for, where S is the accumulator and 0 before the first stage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StageUpdate {
    /// Keep k itself in the accumulator.
    RhsOnly,
    /// acc = weight k; output = start + fraction dt k.
    First {
        /// Share of the step to the next stage; B_m in 2N form.
        fraction: f64,
        /// b_m; A_m in 2N form.
        weight: f64,
    },
    /// acc += weight k; output = start + fraction dt k.
    Middle {
        /// Share of the step to the next stage; B_m in 2N form.
        fraction: f64,
        /// b_m; A_m in 2N form.
        weight: f64,
    },
    /// The output, which is the start, += dt (acc + weight k), compensated if asked for.
    Last {
        /// 0; B_m in 2N form.
        fraction: f64,
        /// b_m; A_m in 2N form.
        weight: f64,
    },
}

impl StageUpdate {
    /// Stage in the kernels, fraction and weight.
    fn numbers(self) -> (Stage, f64, f64) {
        match self {
            StageUpdate::RhsOnly => (Stage::RhsOnly, 0.0, 0.0),
            StageUpdate::First { fraction, weight } => (Stage::First, fraction, weight),
            StageUpdate::Middle { fraction, weight } => (Stage::Middle, fraction, weight),
            StageUpdate::Last { fraction, weight } => (Stage::Last, fraction, weight),
        }
    }
}

/// Memory in use by its purpose, in bytes.
#[derive(Debug, Clone, Copy, Default)]
pub struct MemoryUse {
    /// States, accumulator, compensation.
    pub state: usize,
    /// Viscous traces.
    pub traces: usize,
    /// Metric terms and normals.
    pub geometry: usize,
    /// Neighbour slots, tables, boundary data.
    pub connectivity: usize,
    /// All other arrays.
    pub other: usize,
}

impl MemoryUse {
    /// Returns the sum of all parts.
    pub fn total(&self) -> usize {
        self.state + self.traces + self.geometry + self.connectivity + self.other
    }
}

/// Work that a device is asked to repeat or to time.
pub type Work<'a> = dyn FnMut(&mut dyn Device) -> Result<(), DeviceError> + 'a;

/// A machine that holds the state and runs the kernels: memory, launches, and replay of recorded work. The calls that a
/// solver makes are in `verbs.rs`, in these terms. [`HaloTransport`] and [`Diagnostics`] have the exchange of halos and
/// further kernels. An error on a device may be detected by a later call: every method that returns a `Result` may
/// report the failure of an earlier one.
pub trait Device {
    /// Description of the device.
    fn info(&self) -> DeviceInfo;
    /// Energy that the device has used since some moment before, in millijoules, if it counts it.
    fn millijoules(&self) -> Option<u64> {
        None
    }
    /// Memory in use.
    fn memory(&self) -> MemoryUse;
    /// The plan it was built from.
    fn plan(&self) -> &Plan;
    /// Reads a field.
    ///
    /// # Errors
    /// The device fails, or the field cannot be read.
    fn read(&self, field: Field) -> Result<Vec<f64>, DeviceError>;
    /// Writes a field.
    ///
    /// # Errors
    /// The device fails, or the field cannot be written.
    fn write(&mut self, field: Field, values: &[f64]) -> Result<(), DeviceError>;
    /// Exchanges [`Buffer::Start`] with [`Buffer::A`], in which a step with an odd number of stages in 2N form ends.
    fn swap_states(&mut self);
    /// Launches kernels over cells or boundary faces; none of them writes what another one reads or writes.
    ///
    /// # Errors
    /// The device fails, or a kernel takes arguments of its own.
    fn launch(&mut self, launches: &[Launch]) -> Result<(), DeviceError>;
    /// Packs the values of `traces` that other ranks need.
    ///
    /// # Errors
    /// The device fails.
    fn pack(&mut self, traces: Traces) -> Result<(), DeviceError>;
    /// Returns the memory from which MPI sends packed traces, and into which it receives them.
    ///
    /// # Errors
    /// The device fails.
    fn halo_buffers(&mut self, traces: Traces) -> Result<HaloBuffers, DeviceError>;
    /// Returns the transport of traces to and from MPI's buffers, or directly to other devices; `None` if the kernels
    /// read and write MPI's buffers themselves.
    fn transport(&mut self) -> Option<&mut dyn HaloTransport> {
        None
    }
    /// Kernels with arrays of their own.
    fn diagnostics(&mut self) -> &mut dyn Diagnostics;
    /// Runs `work`, which launches the same kernels with the same arguments every time. A device may record the first
    /// call, and replay the recording later.
    ///
    /// # Errors
    /// The work or the device fails.
    fn repeat(&mut self, work: &mut Work) -> Result<(), DeviceError>;
    /// Returns the seconds that the device takes for `work`, begun when it is idle.
    ///
    /// # Errors
    /// The work or the device fails.
    fn seconds(&mut self, work: &mut Work) -> Result<f64, DeviceError>;
}

/// Transport of traces to and from a device with memory of its own.
pub trait HaloTransport {
    /// Returns the handles by which other devices can write into these halos, for each neighbour of the plan.
    ///
    /// # Errors
    /// The device cannot share its memory.
    fn export_handles(&self) -> Result<Vec<PeerHandles>, DeviceError>;
    /// Replaces the links to neighbours (indices into [`HaloPlan::neighbours`]). Later calls of [`Device::pack`] also
    /// pass the values to these neighbours.
    ///
    /// # Errors
    /// The memory of a link cannot be used.
    fn connect(&mut self, links: Vec<(usize, Link)>) -> Result<(), DeviceError>;
    /// Chooses whether values for peers are packed here and then copied, or written by the packing kernel itself.
    ///
    /// # Errors
    /// The device fails.
    fn copy_to_peers(&mut self, copy: bool) -> Result<(), DeviceError>;
    /// Waits until all linked neighbours have written into these halos; returns `false` after so many seconds.
    ///
    /// # Errors
    /// The device fails.
    fn neighbours_have_written(&mut self, seconds: f64) -> Result<bool, DeviceError>;
    /// Chooses whether MPI is given the device's own addresses instead of the host's.
    fn give_own_memory(&mut self, own: bool);
    /// Starts to copy these packed values to MPI's buffer; returns the number of this piece. Numbers begin at zero
    /// after every [`Device::pack`].
    ///
    /// # Errors
    /// The device fails.
    fn start_d2h(&mut self, traces: Traces, values: Range<usize>) -> Result<usize, DeviceError>;
    /// Returns whether a piece has arrived in MPI's buffer.
    ///
    /// # Errors
    /// The device fails.
    fn d2h_done(&mut self, piece: usize) -> Result<bool, DeviceError>;
    /// Starts to copy values that MPI has received into the halos.
    ///
    /// # Errors
    /// The device fails.
    fn start_h2d(&mut self, traces: Traces, values: Range<usize>) -> Result<(), DeviceError>;
    /// Lets all later launches over [`Cells::Frontier`] or boundary faces wait for all values that were sent here.
    ///
    /// # Errors
    /// The device fails.
    fn await_halo(&mut self, traces: Traces) -> Result<(), DeviceError>;
    /// Starts a trace of the queues.
    ///
    /// # Errors
    /// The device fails.
    fn start_trace(&mut self) -> Result<(), DeviceError>;
    /// Ends the trace; returns the work of the queues since [`start_trace`](Self::start_trace).
    ///
    /// # Errors
    /// The device fails.
    fn finish_trace(&mut self) -> Result<Vec<Span>, DeviceError>;
}

/// Totals over the cells of a rank of the values that a kernel left of each, by the number of the value.
#[derive(Debug, Clone)]
pub struct CellTotals {
    /// Sums without rounding.
    pub sums: Vec<ExactSum>,
    /// Least values; those that are not a number are left out.
    pub least: Vec<f64>,
    /// Greatest values; those that are not a number are left out.
    pub greatest: Vec<f64>,
}

/// Kernels with arrays of their own, which are allocated when they are first needed.
pub trait Diagnostics {
    /// Replaces the sums of the statistics by zeros for these slots.
    ///
    /// # Errors
    /// The device fails.
    fn begin_statistics(&mut self, slots: &Slots) -> Result<(), DeviceError>;
    /// Adds the state at the start of the step to the statistics, with this weight.
    ///
    /// # Errors
    /// The device fails, or there are no statistics.
    fn add_to_statistics(&mut self, weight: f64) -> Result<(), DeviceError>;
    /// Returns the totals over the cells of this rank of the values that `kernel`, the last that left any of each cell,
    /// left of them.
    ///
    /// # Errors
    /// The device fails.
    fn totals(&mut self, kernel: Kernel) -> Result<CellTotals, DeviceError>;
    /// Prepares to sample the state at these points, and keeps room for so many samples between two calls of
    /// [`samples`](Self::samples); returns the number of the set.
    ///
    /// # Errors
    /// The device fails.
    fn plan_samples(&mut self, points: &[SamplePoint], room: usize) -> Result<usize, DeviceError>;
    /// Samples the state at the start of the step at the points of a set. The values stay on the device, so that the
    /// time step does not wait for them.
    ///
    /// # Errors
    /// The device fails.
    fn sample(&mut self, set: usize) -> Result<(), DeviceError>;
    /// Returns the samples of a set taken since the last call, conserved variables as `[sample][point][5]`.
    ///
    /// # Errors
    /// The device fails.
    fn samples(&mut self, set: usize) -> Result<Vec<f64>, DeviceError>;
    /// Prepares a turbulent inlet; returns its number.
    ///
    /// # Errors
    /// The device fails.
    fn plan_turbulence(&mut self, inlet: &TurbulentInlet) -> Result<usize, DeviceError>;
    /// Sets for each inlet the moments at which [`fluctuate`](Self::fluctuate) may be asked for its fluctuations: time
    /// and correction of the mass flow. Launches so far still see the old ones.
    ///
    /// # Errors
    /// The device fails.
    fn set_moments(&mut self, inlet: usize, moments: &[[f64; 2]]) -> Result<(), DeviceError>;
    /// Computes the velocity fluctuations of all turbulent inlets at one of the moments.
    ///
    /// # Errors
    /// The device fails.
    fn fluctuate(&mut self, moment: Moment) -> Result<(), DeviceError>;
    /// Computes the common convective flux at every face point of the state at the start of the step: by a loop over
    /// cells, in which both cells of a face compute it, or over faces. It serves to compare the two loops.
    ///
    /// # Errors
    /// The device fails, or there are other cells than hexahedra.
    fn interface_flux(&mut self, by_faces: bool) -> Result<(), DeviceError>;
    /// Returns the bytes read plus written per second by a copy of arrays of the size of the state.
    ///
    /// # Errors
    /// The device fails.
    fn copy_bandwidth(&mut self) -> Result<f64, DeviceError>;
}
