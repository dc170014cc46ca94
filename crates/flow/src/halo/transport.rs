//! The choice of the route of traces to each neighbour. Between two GPUs of one machine it is peer-to-peer if they have
//! access to each other, otherwise a segment of the host's memory. Between machines it is NCCL, otherwise MPI, from the
//! host's memory or, with a CUDA-aware library, from the GPU's.
//!
//! Inside a machine NCCL is not taken where there is another way. Peers write into each other's halos while they pack,
//! and segments are served by the copy engines, but an exchange by NCCL is a kernel more, which takes multiprocessors
//! from the interior cells while it runs. Ranks of a machine that have neither way go by NCCL as well, so that the step
//! can still be recorded.

use thiserror::Error;

use super::network::{self, NoNetwork};
use crate::device::segment::{Segment, SegmentShape};
use crate::device::{Device, DeviceError, Link, PeerHandles};
use crate::halo::{ExchangeSettings, Transport};
use crate::ranks::{Ranks, SharedMemoryError};

/// An error of the choice of the transport.
#[derive(Debug, Error)]
pub enum TransportError {
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// GPUs have no peer-to-peer access.
    #[error(
        "`exchange.transport: peer` is not available: {0}. `auto` takes the fastest transport that works, `staged` \
         works everywhere"
    )]
    NoPeers(String),
    /// NCCL cannot be used.
    #[error(
        "`exchange.transport: nccl` is not available: {0}. `auto` takes the fastest transport that works, `staged` \
         works everywhere"
    )]
    NoNccl(#[from] NoNetwork),
    /// The MPI library is not CUDA-aware.
    #[error(
        "`exchange.transport: cuda-aware` is not available: this MPI library reports that it is not built for GPU \
         memory. `auto` takes the fastest transport that works, `staged` works everywhere"
    )]
    NotCudaAware,
    /// Ranks of a machine share no memory.
    #[error(transparent)]
    SharedMemory(#[from] SharedMemoryError),
    /// A value of a variable that tests use.
    #[error("FR_LES_RANKS_PER_MACHINE is '{0}'; it takes a number of ranks, at least 1")]
    RanksPerMachine(String),
    /// Another rank failed and reports the reason.
    #[error("rank {0} does not have the transport that the case asks for")]
    OnOtherRank(usize),
}

/// The route of traces to a neighbour, the fastest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Route {
    /// Into the memory of its GPU.
    Peer,
    /// Through a segment in memory of the host.
    Segment,
    /// Through the network of the GPUs, NCCL.
    Nccl,
    /// By messages.
    Messages,
}

/// The chosen routes of traces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Routes {
    /// The route to each neighbour of the plan, in the order of the plan.
    pub to: Vec<Route>,
    /// Whether MPI gets addresses of GPU memory.
    pub cuda_aware: bool,
    /// Whether the copy engines bring packed values to peers, in place of the packing kernel.
    pub copied: bool,
    gpu: bool,
}

impl Routes {
    /// Returns the fastest route that any rank takes. Collective.
    pub fn fastest(&self, ranks: &Ranks) -> Route {
        let taken = |route: &Route| ranks.first_rank_where(self.to.contains(route)).is_some();
        let routes = [Route::Peer, Route::Segment, Route::Nccl];
        routes.into_iter().find(taken).unwrap_or(Route::Messages)
    }

    /// Returns a description for the log.
    pub fn describe(&self) -> &'static str {
        let takes = |route| self.to.contains(&route);
        let (network, messages) = (takes(Route::Nccl), takes(Route::Messages));
        match (takes(Route::Peer), takes(Route::Segment), network, messages) {
            _ if !self.gpu => "through MPI",
            (true, _, false, false) if self.copied => "from GPU to GPU (peer, copied)",
            (true, _, false, false) => "from GPU to GPU (peer)",
            (true, _, true, _) => "from GPU to GPU (peer), and by NCCL to other machines (nccl)",
            (true, _, false, true) => "from GPU to GPU (peer), and through the host and MPI to other machines (staged)",
            (false, true, false, false) => "through memory of the host that ranks share (staged)",
            (false, true, true, _) => "through memory of the host (staged), and by NCCL to other machines (nccl)",
            (false, true, false, true) => "through memory of the host, and MPI to other machines (staged)",
            (false, false, true, _) => "from GPU to GPU by NCCL (nccl)",
            (false, false, false, _) if self.cuda_aware => "from GPU to GPU through MPI (cuda-aware)",
            (false, false, false, _) => "through the host and MPI (staged)",
        }
    }
}

/// Chooses the transport that the case asks for, and prepares the device for it. `fastest` is the fastest route that
/// may be taken, after others have failed. Collective.
///
/// # Errors
/// The transport is not available, or the device fails.
pub fn choose(
    device: &mut dyn Device,
    ranks: &Ranks,
    wanted: &ExchangeSettings,
    real: usize,
    fastest: Route,
) -> Result<Routes, TransportError> {
    let transport = wanted.transport;
    let machine = ranks.agree(ranks_per_machine(), TransportError::OnOtherRank)?;
    let gpu = device.is_gpu();
    let cuda_aware = gpu && transport == Transport::CudaAware;
    let able = if cuda_aware && !is_cuda_aware() {
        Err(TransportError::NotCudaAware)
    } else {
        Ok(())
    };
    ranks.agree(able, TransportError::OnOtherRank)?;
    if let Some(transport) = device.transport() {
        transport.give_own_memory(cuda_aware);
        transport.connect(Vec::new())?;
    }
    let mut routes = Routes {
        to: vec![Route::Messages; device.plan().halo.neighbours.len()],
        cuda_aware,
        copied: false,
        gpu,
    };
    let any_gpu = ranks.first_rank_where(gpu).is_some();
    if !any_gpu || transport == Transport::CudaAware || fastest == Route::Messages {
        return Ok(routes);
    }
    // On a shared GPU, a queue that waits for another queue of that GPU would block it for a whole time slice.
    let shared = gpus_are_shared(device, ranks);
    if transport != Transport::Nccl {
        let near = neighbours_on_machine(device, ranks, machine);
        let route = connect_near(device, ranks, wanted, &near, real, fastest, shared)?;
        near.iter().for_each(|&(number, _)| routes.to[number] = route);
    }
    if transport == Transport::Nccl || transport == Transport::Auto && !shared {
        connect_far(device, ranks, transport, &mut routes)?;
    }
    Ok(routes)
}

/// Connects neighbours on this machine in the fastest way that the case allows and that works, but no faster than
/// `fastest`. Returns their route. Collective.
fn connect_near(
    device: &mut dyn Device,
    ranks: &Ranks,
    wanted: &ExchangeSettings,
    near: &[(usize, usize)],
    real: usize,
    fastest: Route,
    shared: bool,
) -> Result<Route, TransportError> {
    let transport = wanted.transport;
    if fastest == Route::Peer && transport != Transport::Staged && (transport == Transport::Peer || !shared) {
        match connect_peers(device, ranks, near) {
            Ok(()) => return Ok(Route::Peer),
            Err(error) if transport == Transport::Peer => return Err(error),
            Err(error) => tracing::warn!("GPUs do not reach each other, so all goes through the host: {error}"),
        }
    }
    let all_gpus = ranks.first_rank_where(!device.is_gpu()).is_none();
    if all_gpus && !shared && fastest <= Route::Segment {
        match connect_segments(device, ranks, near, real, wanted.piece) {
            Ok(()) => return Ok(Route::Segment),
            Err(error) => {
                tracing::warn!("ranks of one machine exchange by messages, because they share no memory: {error}");
                device.transport().map_or(Ok(()), |t| t.connect(Vec::new()))?;
            }
        }
    }
    Ok(Route::Messages)
}

/// Connects all neighbours that are left to messages through the network, if any rank has such neighbours. Collective.
fn connect_far(
    device: &mut dyn Device,
    ranks: &Ranks,
    transport: Transport,
    routes: &mut Routes,
) -> Result<(), TransportError> {
    let by_messages = |number: &usize| routes.to[*number] == Route::Messages;
    let far: Vec<usize> = (0..routes.to.len()).filter(by_messages).collect();
    if ranks.first_rank_where(!far.is_empty()).is_none() {
        return Ok(());
    }
    let network = device.transport().map(|transport| transport.network());
    match network::join(network, ranks, &far) {
        Ok(()) => far.into_iter().for_each(|number| routes.to[number] = Route::Nccl),
        Err(error) if transport == Transport::Nccl => return Err(error.into()),
        Err(error) => tracing::warn!(
            "GPUs of different machines exchange by messages through their hosts, which takes longer, because they \
             cannot do so by NCCL: {error}"
        ),
    }
    Ok(())
}

/// Returns how many ranks, in their order, count as those of one machine: all that are on it, unless the variable
/// FR_LES_RANKS_PER_MACHINE divides it for a trial.
fn ranks_per_machine() -> Result<usize, TransportError> {
    match std::env::var("FR_LES_RANKS_PER_MACHINE") {
        Err(_) => Ok(usize::MAX),
        Ok(text) => match text.parse() {
            Ok(ranks) if ranks > 0 => Ok(ranks),
            _ => Err(TransportError::RanksPerMachine(text)),
        },
    }
}

/// Returns the neighbours on the machine of this rank: index in the plan, and rank. Collective.
fn neighbours_on_machine(device: &dyn Device, ranks: &Ranks, machine: usize) -> Vec<(usize, usize)> {
    let here = ranks.ranks_on_node();
    let part = ranks.rank() / machine;
    let neighbours = device.plan().halo.neighbours.iter().map(|n| n.rank).enumerate();
    neighbours
        .filter(|(_, rank)| here.contains(rank) && rank / machine == part)
        .collect()
}

/// Returns whether any GPU of any machine serves more than one rank, and warns of it. Collective.
fn gpus_are_shared(device: &dyn Device, ranks: &Ranks) -> bool {
    let mates = ranks.count_on_node(device.gpu().unwrap_or_default());
    let shared = device.is_gpu() && mates > 1;
    if shared {
        tracing::warn!("{mates} ranks share a GPU: they compute in turn");
    }
    ranks.first_rank_where(shared).is_some()
}

/// Opens the memory of the GPUs of these neighbours, on all ranks or on none. Collective.
fn connect_peers(device: &mut dyn Device, ranks: &Ranks, near: &[(usize, usize)]) -> Result<(), TransportError> {
    let handles = match device.transport() {
        Some(transport) => transport.export_handles().map_err(TransportError::from),
        None => Err(TransportError::NoPeers("there is no GPU".into())),
    };
    let handles = ranks.agree(handles, TransportError::OnOtherRank)?;
    let lists: Vec<(usize, PeerHandles)> = near
        .iter()
        .map(|&(number, rank)| (rank, handles[number].clone()))
        .collect();
    let theirs = ranks.exchange_with(&lists).into_iter().map(Link::Peer);
    let links = near.iter().map(|&(number, _)| number).zip(theirs).collect();
    let connected = device
        .transport()
        .map_or(Ok(()), |t| t.connect(links))
        .map_err(|e| TransportError::NoPeers(e.to_string()));
    ranks.agree(connected, TransportError::OnOtherRank)
}

/// Shares segments with these neighbours, on all ranks or on none. Collective.
fn connect_segments(
    device: &mut dyn Device,
    ranks: &Ranks,
    near: &[(usize, usize)],
    real: usize,
    piece: usize,
) -> Result<(), TransportError> {
    let neighbours = &device.plan().halo.neighbours;
    let shapes = near
        .iter()
        .map(|&(number, _)| SegmentShape::of_neighbour(&neighbours[number], real, piece));
    let shapes: Vec<_> = shapes.collect();
    let own: Result<Vec<_>, _> = shapes.iter().map(|&[incoming, _]| Segment::create(incoming)).collect();
    let own = ranks.agree(own.map_err(TransportError::from), TransportError::OnOtherRank)?;
    let tickets: Vec<_> = near
        .iter()
        .zip(&own)
        .map(|(&(_, rank), segment)| (rank, segment.ticket().to_vec()))
        .collect();
    let theirs = ranks.exchange_with(&tickets);
    let opened = theirs.iter().zip(&shapes).map(|(ticket, &[_, outgoing])| {
        let ticket = ticket.first_chunk().expect("tickets have one length");
        Segment::open(*ticket, outgoing).map_err(TransportError::from)
    });
    let opened = ranks.agree(opened.collect::<Result<Vec<_>, _>>(), TransportError::OnOtherRank)?;
    let pairs = own
        .into_iter()
        .zip(opened)
        .map(|(incoming, outgoing)| Link::Segments { incoming, outgoing });
    let links = near.iter().map(|&(number, _)| number).zip(pairs).collect();
    let connected = device.transport().map_or(Ok(()), |t| t.connect(links));
    ranks.agree(connected.map_err(TransportError::from), TransportError::OnOtherRank)
}

/// Returns whether the MPI library reports that it takes addresses of GPU memory, as Open MPI and its relatives do by a
/// function of their own. A library that does not would read such an address as one of the host's memory, and the
/// system would end the program. No answer therefore counts as no.
pub(super) fn is_cuda_aware() -> bool {
    // SAFETY: Open MPI declares the function without arguments and with an int as its result; the caller has no
    // obligation.
    type Query = unsafe extern "C" fn() -> i32;
    // SAFETY: the library is loaded already; this looks up a symbol in what the process has loaded.
    let query = unsafe { libloading::os::unix::Library::this().get::<Query>(b"MPIX_Query_cuda_support\0") };
    // SAFETY: a function without arguments that returns 0 or 1.
    query.is_ok_and(|query| unsafe { query() } == 1)
}
