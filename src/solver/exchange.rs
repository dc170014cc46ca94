//! The solver's part of the exchange with other ranks: choice and self-test of the routes, and measurement of the
//! exchange.

use super::rhs::RightHandSide;
use super::stages::Stage;
use super::{SetupError, Solver, step};
use crate::device::{Device, DeviceError, Span};
use crate::halo::times::Times;
use crate::halo::{self, Exchange, ExchangeSettings, Routes, Transport};

impl Solver {
    /// Chooses the routes to other ranks and verifies that traces arrive where they belong. Collective.
    pub(super) fn connect(&mut self, wanted: &ExchangeSettings, real: usize) -> Result<(), SetupError> {
        if wanted.transport != Transport::Auto && (self.ranks.size() == 1 || !self.device.is_gpu()) {
            tracing::warn!("`exchange.transport` has no effect: it applies to several ranks on GPUs");
        }
        if self.ranks.size() == 1 {
            return Ok(());
        }
        let mut wanted = *wanted;
        loop {
            let exchange = Exchange::new(&self.ranks, self.device.as_mut(), real, &wanted);
            let mut exchange = self
                .ranks
                .agree(exchange.map_err(SetupError::from), SetupError::OnOtherRank)?;
            let (order, viscous) = (self.elements.order, self.right_hand_side.viscous);
            let tried = halo::test_exchange(self.device.as_mut(), &mut exchange, &self.mesh, order, viscous);
            let peer_to_peer = exchange.routes().peer_to_peer.contains(&true);
            let tried = self
                .ranks
                .agree(tried.map_err(SetupError::from), SetupError::OnOtherRank);
            match tried {
                Err(error)
                    if wanted.transport == Transport::Auto && self.ranks.first_rank_where(peer_to_peer).is_some() =>
                {
                    tracing::warn!("GPUs exchange through the host, because peer-to-peer access fails: {error}");
                    wanted.transport = Transport::Staged;
                }
                Err(error) => return Err(error),
                Ok(()) => {
                    self.right_hand_side.exchange = Some(exchange);
                    return Ok(());
                }
            }
        }
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
        self.device.time_step_bounds()?;
        self.ranks.barrier();
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
            transport.connect(&[])?;
        }
        self.ranks.barrier();
        Ok(())
    }
}
