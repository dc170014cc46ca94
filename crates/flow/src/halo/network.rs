//! The decision of all ranks whether traces go through a network that the devices reach themselves.
//!
//! One rank that cannot join makes all of them go another way, and its reason is what all of them report: a library
//! that is missing on one machine of many is found by the number of the rank.

use thiserror::Error;

use crate::device::{Meeting, Network};
use crate::ranks::Ranks;

/// The reason why ranks do not exchange through the network.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("rank {rank} reports: {reason}")]
pub struct NoNetwork {
    /// The lowest rank that failed.
    pub rank: usize,
    /// What it reports.
    pub reason: String,
}

/// Lets all ranks or none join the network, in which this one exchanges traces with these neighbours (indices into
/// those of the plan of halos). `network` is that of the device of this rank, if it has one. Collective.
///
/// # Errors
/// Some rank has no network or another version of it or shares its GPU, the ranks do not meet, or a trial fails; the
/// same error on all ranks.
pub fn join(network: Option<&mut dyn Network>, ranks: &Ranks, neighbours: &[usize]) -> Result<(), NoNetwork> {
    let network = network.ok_or("its device is no GPU".to_owned());
    let network = agree(ranks, network)?;
    let version = agree(ranks, network.load().map_err(|e| e.to_string()))?;
    let expected = of_first_rank(ranks, version.as_bytes());
    let expected = String::from_utf8_lossy(&expected);
    let same = if version == expected {
        Ok(())
    } else {
        Err(format!("its NCCL is {version}, and that of rank 0 is {expected}"))
    };
    agree(ranks, same)?;
    agree(ranks, has_own_gpu(network.gpu(), ranks))?;
    let id = match ranks.rank() {
        0 => network.id().map_err(|e| e.to_string()),
        _ => Ok(Vec::new()),
    };
    let meeting = Meeting {
        id: of_first_rank(ranks, &agree(ranks, id)?),
        rank: ranks.rank(),
        ranks: ranks.size(),
    };
    let joined = network.join(&meeting, neighbours).map_err(|e| e.to_string());
    agree(ranks, joined).inspect_err(|_| network.leave())
}

/// Refuses a GPU that several ranks share, which NCCL does not serve: it tells those ranks, while all others would wait
/// for them until the limit of a meeting. Collective.
fn has_own_gpu(gpu: [u64; 2], ranks: &Ranks) -> Result<(), String> {
    let gpus = ranks.allgather(&gpu);
    let sharer = |&rank: &usize| rank != ranks.rank() && gpus[2 * rank..][..2] == gpu;
    match (0..ranks.size()).find(sharer) {
        Some(rank) => Err(format!("it shares its GPU with rank {rank}, which NCCL does not allow")),
        None => Ok(()),
    }
}

/// Returns the bytes that the first rank passes. Collective.
fn of_first_rank(ranks: &Ranks, bytes: &[u8]) -> Vec<u8> {
    ranks.allgather(if ranks.rank() == 0 { bytes } else { &[] })
}

/// Ends a step that every rank takes by itself: all ranks succeed, or all have the reason of the lowest that failed.
/// Collective.
pub(super) fn agree<T>(ranks: &Ranks, result: Result<T, String>) -> Result<T, NoNetwork> {
    let Some(rank) = ranks.first_rank_where(result.is_err()) else {
        return result.map_err(|reason| NoNetwork {
            rank: ranks.rank(),
            reason,
        });
    };
    let reason = result.err().filter(|_| ranks.rank() == rank).unwrap_or_default();
    let reason = ranks.allgather(reason.as_bytes());
    let reason = String::from_utf8_lossy(&reason).into_owned();
    Err(NoNetwork { rank, reason })
}
