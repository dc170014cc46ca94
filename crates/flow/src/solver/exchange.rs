//! The solver's part of the exchange with other ranks: choice and self-test of the routes, and measurement of the
//! exchange.

use super::rhs::RightHandSide;
use super::stages::Stage;
use super::{SetupError, Solver, step};
use crate::device::{Device, DeviceError, Span};
use crate::halo::times::Times;
use crate::halo::{self, Exchange, ExchangeSettings, Route, Routes, Transport};

/// Right-hand sides that are timed in a row, the first of which is recorded.
const TRIALS: usize = 4;

impl Solver {
    /// Chooses the routes to other ranks and verifies that traces arrive where they belong. Collective.
    pub(super) fn connect(&mut self, wanted: &ExchangeSettings, real: usize) -> Result<(), SetupError> {
        if wanted.transport != Transport::Auto && (self.ranks.size() == 1 || !self.device.is_gpu()) {
            tracing::warn!("`exchange.transport` has no effect: it applies to several ranks on GPUs");
        }
        if self.ranks.size() == 1 {
            return Ok(());
        }
        let mut fastest = Route::Peer;
        loop {
            let exchange = Exchange::new(&self.ranks, self.device.as_mut(), real, wanted, fastest);
            let mut exchange = self
                .ranks
                .agree(exchange.map_err(SetupError::from), SetupError::OnOtherRank)?;
            let (order, viscous) = (self.elements.order, self.right_hand_side.viscous);
            let tried = halo::test_exchange(self.device.as_mut(), &mut exchange, &self.mesh, order, viscous);
            let route = exchange.routes().fastest(&self.ranks);
            let tried = self
                .ranks
                .agree(tried.map_err(SetupError::from), SetupError::OnOtherRank);
            match (tried, route) {
                (Ok(()), _) => {
                    self.right_hand_side.exchange = Some(exchange);
                    return Ok(());
                }
                (Err(error), Route::Peer) if wanted.transport == Transport::Auto => {
                    tracing::warn!("GPUs exchange through the host, because peer-to-peer access fails: {error}");
                    fastest = Route::Segment;
                }
                (Err(error), Route::Segment) => {
                    tracing::warn!("ranks of one machine exchange by messages, because shared memory fails: {error}");
                    fastest = Route::Messages;
                }
                (Err(error), _) => return Err(error),
            }
        }
    }

    /// Chooses how values reach peers, by the time of some right-hand sides of the present state: written by the
    /// packing kernel, or copied by the copy engines. Collective.
    pub(super) fn choose_way_to_peers(&mut self) -> Result<(), DeviceError> {
        let peers = self.routes().is_some_and(|routes| routes.to.contains(&Route::Peer));
        if self.ranks.first_rank_where(peers).is_none() {
            return Ok(());
        }
        let mut seconds = [f64::INFINITY; 2];
        // Twice each, so that neither has the slower beginning.
        for copy in [false, true, false, true] {
            self.copy_to_peers(copy)?;
            for _ in 0..TRIALS {
                let trial = self.seconds_of_right_hand_side()?;
                let best = &mut seconds[usize::from(copy)];
                *best = best.min(trial);
            }
        }
        self.ranks.allreduce_max(&mut seconds);
        tracing::debug!(
            "a right-hand side takes {:.1} us with direct writes to peers, {:.1} us with copies",
            1e6 * seconds[0],
            1e6 * seconds[1]
        );
        self.copy_to_peers(seconds[1] < seconds[0])
    }

    fn copy_to_peers(&mut self, copy: bool) -> Result<(), DeviceError> {
        match &mut self.right_hand_side.exchange {
            Some(exchange) => exchange.copy_to_peers(self.device.as_mut(), copy),
            None => Ok(()),
        }
    }

    /// Returns the seconds of a right-hand side of the present state, begun by all ranks at once. Collective.
    fn seconds_of_right_hand_side(&mut self) -> Result<f64, DeviceError> {
        // Without viscosity the next exchange of states uses the same buffer, so that ranks meet after each.
        let evaluations = if self.right_hand_side.viscous { 4 } else { 1 };
        self.synchronize()?;
        let rhs = &mut self.right_hand_side;
        let seconds = self.device.seconds(&mut |device| {
            device.repeat(&mut |device| (0..evaluations).try_for_each(|_| rhs.evaluate(device, Stage::RHS_ONLY)))
        })?;
        self.synchronize()?;
        Ok(seconds / f64::from(evaluations))
    }

    /// Returns the mean times of an exchange with other ranks, from recorded spans of a GPU's queues, or from all
    /// exchanges so far; `None` for a single rank.
    pub fn exchange_times(&self, seen: &[Span]) -> Option<Times> {
        let traffic = self.right_hand_side.exchange.as_ref().map(Exchange::traffic);
        traffic.map(|traffic| Times::new(seen, &traffic))
    }

    /// Returns the routes of traces to other ranks; `None` for a single rank.
    pub fn routes(&self) -> Option<&Routes> {
        self.right_hand_side.exchange.as_ref().map(Exchange::routes)
    }

    /// Records what the queues of a GPU and the network do in one step, from a moment at which all ranks meet. The
    /// state is not valid afterwards. Collective.
    ///
    /// # Errors
    /// The device fails.
    pub fn watch_step(&mut self) -> Result<Vec<Span>, DeviceError> {
        self.watch(step::whole_step)
    }

    /// Records the same for one right-hand side of the present state, which stays valid. Collective.
    ///
    /// # Errors
    /// The device fails.
    pub fn watch_rhs(&mut self) -> Result<Vec<Span>, DeviceError> {
        self.watch(|rhs, device| rhs.evaluate(device, Stage::RHS_ONLY))
    }

    fn watch(
        &mut self,
        work: impl Fn(&mut RightHandSide, &mut dyn Device) -> Result<(), DeviceError>,
    ) -> Result<Vec<Span>, DeviceError> {
        if self.ranks.first_rank_where(!self.device.is_gpu()).is_some() {
            return Ok(Vec::new());
        }
        self.synchronize()?;
        self.device.start_trace()?;
        self.right_hand_side.exchange.iter_mut().for_each(Exchange::watch);
        work(&mut self.right_hand_side, self.device.as_mut())?;
        let mut spans = self.device.finish_trace()?;
        spans.extend(self.right_hand_side.exchange.iter_mut().flat_map(Exchange::watched));
        self.ranks.barrier();
        Ok(spans)
    }

    /// Closes the access to other ranks' memory. No rank may free its memory before all have done so. Collective.
    ///
    /// # Errors
    /// The device fails.
    pub fn disconnect(&mut self) -> Result<(), DeviceError> {
        if let Some(transport) = self.device.transport() {
            transport.connect(Vec::new())?;
        }
        self.ranks.barrier();
        Ok(())
    }
}
