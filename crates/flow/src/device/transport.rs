//! The ways of traces to and from a device: memory for MPI, links to neighbours on the same machine, and a network that
//! devices of several machines reach without their hosts.

use std::ops::Range;

use super::error::DeviceError;
use super::segment::Segment;
use super::traces::Traces;

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

/// What is exchanged with one rank: places in the list of what is sent, and in that of what is received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListPart {
    /// The other rank.
    pub rank: usize,
    /// What it is sent.
    pub sent: Range<usize>,
    /// What comes from it.
    pub received: Range<usize>,
}

/// Where ranks meet in a network.
pub struct Meeting {
    /// The identification that the network gave to the first rank.
    pub id: Vec<u8>,
    /// Number of this rank.
    pub rank: usize,
    /// Number of ranks.
    pub ranks: usize,
}

/// A network that a device reaches without the host.
pub trait Network {
    /// Returns what tells the GPU from all others: the halves of its UUID.
    fn gpu(&self) -> [u64; 2];
    /// Loads what is needed; returns its version, which must be the same on all ranks.
    ///
    /// # Errors
    /// It is not there.
    fn load(&mut self) -> Result<String, DeviceError>;
    /// Returns the identification of a meeting, which the first rank hands out.
    ///
    /// # Errors
    /// There is no network.
    fn id(&mut self) -> Result<Vec<u8>, DeviceError>;
    /// Meets the other ranks and tries an exchange with these neighbours (indices into those of the plan of halos), to
    /// which later calls of `Device::pack` also pass the values. Collective.
    ///
    /// # Errors
    /// The ranks do not meet in time, or the trial fails.
    fn join(&mut self, meeting: &Meeting, neighbours: &[usize]) -> Result<(), DeviceError>;
    /// Leaves the meeting, if there is one. No exchange may be under way on any rank.
    fn leave(&mut self);
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

/// Transport of traces to and from a device with memory of its own.
pub trait HaloTransport {
    /// Returns the handles by which other devices can write into these halos, for each neighbour of the plan.
    ///
    /// # Errors
    /// The device cannot share its memory.
    fn export_handles(&self) -> Result<Vec<PeerHandles>, DeviceError>;
    /// Replaces the links to neighbours (indices into those of the plan of halos), and leaves the network. Later calls
    /// of `Device::pack` also pass the values to these neighbours.
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
    /// Returns the network of the device.
    fn network(&mut self) -> &mut dyn Network;
    /// Starts to copy these packed values to MPI's buffer; returns the number of this piece. Numbers begin at zero
    /// after every `Device::pack`.
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
    /// Lets all later launches over frontier cells or boundary faces wait for all values that were sent here.
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
