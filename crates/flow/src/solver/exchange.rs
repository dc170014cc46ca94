//! The solver's part of the exchange with other ranks: choice and self-test of the routes, and measurement of the
//! exchange.

use super::SetupError;
use super::rhs::RightHandSide;
use super::stages::Stage;
use crate::device::{Device, DeviceError, Span};
use crate::halo::{self, Exchange, ExchangeSettings, Route, Transport};
use crate::mesh::Mesh;
use crate::ranks::Ranks;

/// Right-hand sides that are timed in a row, the first of which is recorded.
const TRIALS: usize = 4;

/// What the traces of an exchange are.
#[derive(Clone, Copy)]
pub struct Traffic<'a> {
    /// The mesh.
    pub mesh: &'a Mesh,
    /// Order of the solution.
    pub order: usize,
    /// Bytes of a value.
    pub real: usize,
    /// Whether there are viscous traces.
    pub viscous: bool,
    /// Whether there are passive scalars, which go by messages.
    pub scalars: bool,
}

/// Chooses the routes to other ranks and verifies that traces arrive where they belong; `None` for a single rank.
/// Collective.
///
/// # Errors
/// The transport that the case asks for is not available, or traces do not arrive.
pub fn connect(
    wanted: &ExchangeSettings,
    traffic: Traffic,
    device: &mut dyn Device,
    ranks: &Ranks,
) -> Result<Option<Exchange>, SetupError> {
    if wanted.transport != Transport::Auto && (ranks.size() == 1 || !device.is_gpu()) {
        tracing::warn!("`exchange.transport` has no effect: it applies to several ranks on GPUs");
    }
    if ranks.size() == 1 {
        return Ok(None);
    }
    let mut fastest = if traffic.scalars { Route::Messages } else { Route::Peer };
    loop {
        let exchange = Exchange::new(ranks, device, traffic.real, wanted, fastest).map_err(SetupError::from);
        let mut exchange = ranks.agree(exchange, SetupError::OnOtherRank)?;
        let tried = halo::test_exchange(device, &mut exchange, traffic.mesh, traffic.order, traffic.viscous);
        let route = exchange.routes().fastest(ranks);
        let tried = ranks.agree(tried.map_err(SetupError::from), SetupError::OnOtherRank);
        match (tried, route) {
            (Ok(()), _) => return Ok(Some(exchange)),
            (Err(error), Route::Peer) if wanted.transport == Transport::Auto => {
                tracing::warn!("GPUs exchange through the host, because peer-to-peer access fails: {error}");
                fastest = Route::Segment;
            }
            (Err(error), Route::Segment) => {
                tracing::warn!("ranks of one machine share no memory, because a trial of it fails: {error}");
                fastest = Route::Nccl;
            }
            (Err(error), Route::Nccl) if wanted.transport == Transport::Auto => {
                tracing::warn!("ranks exchange by messages, because NCCL fails: {error}");
                fastest = Route::Messages;
            }
            (Err(error), _) => return Err(error),
        }
    }
}

/// Chooses how values reach peers, by the time of some right-hand sides of the present state: written by the packing
/// kernel, or copied by the copy engines. Collective.
///
/// # Errors
/// The device fails.
pub fn choose_way_to_peers(rhs: &mut RightHandSide, device: &mut dyn Device, ranks: &Ranks) -> Result<(), DeviceError> {
    let routes = rhs.exchange.as_ref().map(Exchange::routes);
    let peers = routes.is_some_and(|routes| routes.to.contains(&Route::Peer));
    if ranks.first_rank_where(peers).is_none() {
        return Ok(());
    }
    let mut seconds = [f64::INFINITY; 2];
    // Twice each, so that neither has the slower beginning.
    for copy in [false, true, false, true] {
        copy_to_peers(rhs, device, copy)?;
        for _ in 0..TRIALS {
            let trial = seconds_of_right_hand_side(rhs, device)?;
            let best = &mut seconds[usize::from(copy)];
            *best = best.min(trial);
        }
    }
    ranks.allreduce_max(&mut seconds);
    tracing::debug!(
        "a right-hand side takes {:.1} us with direct writes to peers, {:.1} us with copies",
        1e6 * seconds[0],
        1e6 * seconds[1]
    );
    copy_to_peers(rhs, device, seconds[1] < seconds[0])
}

fn copy_to_peers(rhs: &mut RightHandSide, device: &mut dyn Device, copy: bool) -> Result<(), DeviceError> {
    rhs.exchange
        .as_mut()
        .map_or(Ok(()), |exchange| exchange.copy_to_peers(device, copy))
}

/// Returns the seconds of a right-hand side of the present state, begun by all ranks at once. Collective.
fn seconds_of_right_hand_side(rhs: &mut RightHandSide, device: &mut dyn Device) -> Result<f64, DeviceError> {
    // Without viscosity the next exchange of states uses the same buffer, so that ranks meet after each.
    let evaluations = if rhs.viscous { 4 } else { 1 };
    rhs.meet(device)?;
    let seconds = device.seconds(&mut |device| {
        device.repeat(&mut |device| (0..evaluations).try_for_each(|_| rhs.evaluate(device, Stage::RHS_ONLY)))
    })?;
    rhs.meet(device)?;
    Ok(seconds / f64::from(evaluations))
}

/// Records what the queues of a GPU and the network do during `work`, from a moment at which all ranks meet; nothing on
/// a CPU. Collective.
///
/// # Errors
/// The work or the device fails.
pub fn watch(
    rhs: &mut RightHandSide,
    device: &mut dyn Device,
    ranks: &Ranks,
    work: impl FnOnce(&mut RightHandSide, &mut dyn Device) -> Result<(), DeviceError>,
) -> Result<Vec<Span>, DeviceError> {
    if ranks.first_rank_where(!device.is_gpu()).is_some() {
        return Ok(Vec::new());
    }
    device.synchronize()?;
    ranks.barrier();
    device.start_trace()?;
    rhs.exchange.iter_mut().for_each(Exchange::watch);
    work(rhs, device)?;
    let mut spans = device.finish_trace()?;
    spans.extend(rhs.exchange.iter_mut().flat_map(Exchange::watched));
    ranks.barrier();
    Ok(spans)
}
