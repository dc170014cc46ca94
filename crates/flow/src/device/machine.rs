//! A machine that holds the state and runs the kernels, as the solver sees it.

use super::contract::Kernel;
use super::error::DeviceError;
use super::field::Field;
use super::launch::Launch;
use super::memory::MemoryUse;
use super::moment::Moment;
use super::plan::Plan;
use super::sampling::{SamplePoint, Sampled};
use super::statistics::Slots;
use super::traces::Traces;
use super::transport::{HaloBuffers, HaloTransport};
use super::turbulence::TurbulentInlet;
use crate::ranks::ExactSum;

/// Description of a device.
#[derive(Debug, Clone, PartialEq)]
pub struct DeviceInfo {
    /// One line for the log.
    pub description: String,
    /// What computes: the name of a GPU, or a processor with its threads and vector instructions.
    pub machine: String,
    /// Number of threads of a CPU.
    pub threads: Option<usize>,
    /// Unique number of a GPU.
    pub gpu: Option<[u64; 2]>,
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
    /// Exchanges the buffers `Start` and `A`, in which a step with an odd number of stages in 2N form ends.
    fn swap_states(&mut self);
    /// Keeps the state at the start of the step with what a step changes beside it, where steps may be taken back.
    ///
    /// # Errors
    /// The device fails.
    fn keep(&mut self) -> Result<(), DeviceError>;
    /// Begins again from the state that was kept.
    ///
    /// # Errors
    /// The device fails.
    fn take_back(&mut self) -> Result<(), DeviceError>;
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
    /// Waits until everything that was launched is done.
    ///
    /// # Errors
    /// The device fails.
    fn synchronize(&mut self) -> Result<(), DeviceError>;
    /// Returns the bytes read plus written per second by a copy of arrays of the size of the state.
    ///
    /// # Errors
    /// The device fails.
    fn copy_bandwidth(&mut self) -> Result<f64, DeviceError>;
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

/// Kernels with arrays of their own, which are allocated when they are first needed. The engine has them for every
/// machine.
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
    /// Prepares to sample the state or the passive scalars at these points, and keeps room for so many samples between
    /// two calls of [`samples`](Self::samples); returns the number of the set.
    ///
    /// # Errors
    /// The device fails.
    fn plan_samples(&mut self, of: Sampled, points: &[SamplePoint], room: usize) -> Result<usize, DeviceError>;
    /// Takes a sample at the start of the step at the points of a set. The values stay on the device, so that the
    /// time step does not wait for them.
    ///
    /// # Errors
    /// The device fails.
    fn sample(&mut self, set: usize) -> Result<(), DeviceError>;
    /// Returns the samples of a set taken since the last call, `[sample][point][5]`.
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
}
