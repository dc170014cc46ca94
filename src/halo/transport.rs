//! The choice of the route of traces to each neighbour: peer-to-peer between two GPUs of one machine that have access
//! to each other, otherwise through MPI, from the host's memory or, with a CUDA-aware library, from the GPU's.

use thiserror::Error;

use crate::device::{Device, DeviceError, PeerHandles};
use crate::halo::Transport;
use crate::ranks::Ranks;

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
    /// The MPI library is not CUDA-aware.
    #[error(
        "`exchange.transport: cuda-aware` is not available: this MPI library reports that it is not built for GPU \
         memory. `auto` takes the fastest transport that works, `staged` works everywhere"
    )]
    NotCudaAware,
    /// Another rank failed and reports the reason.
    #[error("rank {0} does not have the transport that the case asks for")]
    OnOtherRank(usize),
}

/// The chosen routes of traces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Routes {
    /// Whether the GPU of each neighbour of the plan is written to directly, in the order of the plan.
    pub peer_to_peer: Vec<bool>,
    /// Whether MPI gets addresses of GPU memory.
    pub cuda_aware: bool,
    gpu: bool,
}

impl Routes {
    /// Returns a description for the log.
    pub fn describe(&self) -> &'static str {
        let all = self.peer_to_peer.iter().all(|&s| s);
        match (self.peer_to_peer.contains(&true), self.cuda_aware) {
            _ if !self.gpu => "through MPI",
            (true, _) if all => "from GPU to GPU (peer)",
            (true, _) => "from GPU to GPU (peer), and through the host and MPI to other machines (staged)",
            (false, true) => "from GPU to GPU through MPI (cuda-aware)",
            (false, false) => "through the host and MPI (staged)",
        }
    }
}

/// Chooses the transport that the case asks for, and prepares the device for it. Collective.
///
/// # Errors
/// The transport is not available, or the device fails.
pub fn choose(device: &mut dyn Device, ranks: &Ranks, transport: Transport) -> Result<Routes, TransportError> {
    let neighbours = device.plan().halo.neighbours.len();
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
    }
    let mut peer_to_peer = vec![false; neighbours];
    let wanted = matches!(transport, Transport::Auto | Transport::Peer);
    let shared = gpus_are_shared(device, ranks);
    // On a shared GPU, a queue that waits for another queue of that GPU would block it for a whole time slice.
    if ranks.first_rank_where(gpu && wanted).is_some() && (transport == Transport::Peer || !shared) {
        match connect(device, ranks) {
            Ok(connected) => peer_to_peer = connected,
            Err(error) if transport == Transport::Peer => return Err(error),
            Err(error) => {
                tracing::warn!("GPUs do not reach each other, so all goes through the host: {error}");
                device.transport().map_or(Ok(()), |t| t.connect(&[]))?;
            }
        }
    }
    Ok(Routes {
        peer_to_peer,
        cuda_aware,
        gpu,
    })
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

/// Connects every pair of neighbours on one machine, on all ranks or on none. Collective.
fn connect(device: &mut dyn Device, ranks: &Ranks) -> Result<Vec<bool>, TransportError> {
    let near = ranks.ranks_on_node();
    let plan = device.plan();
    let neighbours: Vec<usize> = plan.halo.neighbours.iter().map(|n| n.rank).collect();
    let peer_to_peer: Vec<bool> = neighbours.iter().map(|rank| near.contains(rank)).collect();
    let handles = match device.transport() {
        Some(transport) => transport.export_handles().map_err(TransportError::from),
        None => Err(TransportError::NoPeers("there is no GPU".into())),
    };
    let handles = ranks.agree(handles, TransportError::OnOtherRank)?;
    let lists: Vec<(usize, PeerHandles)> = neighbours.iter().copied().zip(handles).collect();
    let theirs = ranks.exchange_with(&lists);
    let peers: Vec<_> = theirs
        .into_iter()
        .enumerate()
        .filter(|&(number, _)| peer_to_peer[number])
        .collect();
    let connected = device
        .transport()
        .map_or(Ok(()), |t| t.connect(&peers))
        .map_err(|e| TransportError::NoPeers(e.to_string()));
    ranks.agree(connected, TransportError::OnOtherRank)?;
    Ok(peer_to_peer)
}

/// Returns whether the MPI library reports that it takes addresses of GPU memory, as Open MPI and its relatives do by a
/// function of their own. A library that does not would read such an address as one of the host's memory, and the
/// system would end the program. No answer therefore counts as no.
fn is_cuda_aware() -> bool {
    // SAFETY: Open MPI declares the function without arguments and with an int as its result; the caller has no
    // obligation.
    type Query = unsafe extern "C" fn() -> i32;
    // SAFETY: the library is loaded already; this looks up a symbol in what the process has loaded.
    let query = unsafe { libloading::os::unix::Library::this().get::<Query>(b"MPIX_Query_cuda_support\0") };
    // SAFETY: a function without arguments that returns 0 or 1.
    query.is_ok_and(|query| unsafe { query() } == 1)
}
