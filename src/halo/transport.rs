//! Which way traces take to each neighbour: straight from GPU to GPU where both are on one machine and reach each other, else
//! through MPI, from the host's memory or, if the library takes such addresses, from the GPU's.

use thiserror::Error;

use crate::device::{Device, DeviceError, PeerHandles};
use crate::halo::Transport;
use crate::ranks::Ranks;

/// Why a transport that the case asks for cannot be had.
#[derive(Debug, Error)]
pub enum TransportError {
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// No way from GPU to GPU.
    #[error(
        "`exchange.transport: peer` cannot be had: {0}. `auto` takes the fastest transport that works, `staged` works everywhere"
    )]
    NoPeers(String),
    /// MPI does not take addresses on the GPU.
    #[error(
        "`exchange.transport: cuda-aware` cannot be had: this MPI library says that it is not built for memory of GPUs. `auto` takes \
         the fastest transport that works, `staged` works everywhere"
    )]
    NotAware,
    /// Another rank has the reason.
    #[error("rank {0} cannot have the transport that the case asks for")]
    Elsewhere(usize),
}

/// The routes of traces that were chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Routes {
    /// Whether the GPU of each neighbour of the plan is written to directly.
    pub peer_to_peer: Vec<bool>,
    /// Whether MPI gets addresses on the GPU.
    pub cuda_aware: bool,
    gpu: bool,
}

impl Routes {
    /// For the log.
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

/// Chooses what the case asks for, and prepares the device for it. Collective.
pub fn choose(device: &mut dyn Device, ranks: &Ranks, transport: Transport) -> Result<Routes, TransportError> {
    let neighbours = device.plan().halo.neighbours.len();
    let gpu = device.is_gpu();
    let cuda_aware = gpu && transport == Transport::CudaAware;
    let able = if cuda_aware && !is_cuda_aware() {
        Err(TransportError::NotAware)
    } else {
        Ok(())
    };
    ranks.agree(able, TransportError::Elsewhere)?;
    if let Some(transport) = device.transport() {
        transport.give_own_memory(cuda_aware);
    }
    let mut peer_to_peer = vec![false; neighbours];
    let wanted = matches!(transport, Transport::Auto | Transport::Peer);
    let shared = gpus_are_shared(device, ranks);
    // A queue that waits for another one of the same GPU would keep that from running for a whole time slice.
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

/// Whether any GPU of any machine serves more than one rank, which is worth a warning. Collective.
fn gpus_are_shared(device: &dyn Device, ranks: &Ranks) -> bool {
    let mates = ranks.count_on_node(device.gpu().unwrap_or_default());
    let shared = device.is_gpu() && mates > 1;
    if shared {
        tracing::warn!("{mates} ranks share a GPU: they compute in turn");
    }
    ranks.first_rank_where(shared).is_some()
}

/// Connects every pair of neighbours on one machine; on all ranks, or on none. Collective.
fn connect(device: &mut dyn Device, ranks: &Ranks) -> Result<Vec<bool>, TransportError> {
    let near = ranks.ranks_on_node();
    let plan = device.plan();
    let neighbours: Vec<usize> = plan.halo.neighbours.iter().map(|n| n.rank).collect();
    let peer_to_peer: Vec<bool> = neighbours.iter().map(|rank| near.contains(rank)).collect();
    let handles = match device.transport() {
        Some(transport) => transport.export_handles().map_err(TransportError::from),
        None => Err(TransportError::NoPeers("there is no GPU".into())),
    };
    let handles = ranks.agree(handles, TransportError::Elsewhere)?;
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
    ranks.agree(connected, TransportError::Elsewhere)?;
    Ok(peer_to_peer)
}

/// Whether the MPI library says that it takes addresses on GPUs, as Open MPI and its relatives do by a function of their own. One
/// that does not take them would read there as if it were the host's memory, and be ended by the system; so no answer is a no.
fn is_cuda_aware() -> bool {
    // SAFETY: Open MPI declares it without arguments and with an int as its answer; nothing is asked of the caller.
    type Query = unsafe extern "C" fn() -> i32;
    // SAFETY: the library is loaded already; looks a symbol up in what this process has loaded.
    let query = unsafe { libloading::os::unix::Library::this().get::<Query>(b"MPIX_Query_cuda_support\0") };
    // SAFETY: a function without arguments that answers 0 or 1.
    query.is_ok_and(|query| unsafe { query() } == 1)
}
