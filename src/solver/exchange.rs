//! The solver's side of the exchange with other ranks: opening the ways and trying them, and watching what they take.

use super::rhs::{RightHandSide, Stage};
use super::{SetupError, Solver, rk4};
use crate::device::{Device, DeviceError, Span};
use crate::halo::times::Times;
use crate::halo::{self, Exchange, ExchangeSettings, Routes, Transport};

impl Solver {
    /// Opens the ways to other ranks, and makes sure that their traces arrive where they belong. Collective.
    pub(super) fn connect(&mut self, wanted: &ExchangeSettings, real: usize) -> Result<(), SetupError> {
        if wanted.transport != Transport::Auto && (self.ranks.size() == 1 || !self.device.is_gpu()) {
            tracing::warn!("`exchange.transport` is without effect: it is about several ranks on GPUs");
        }
        if self.ranks.size() == 1 {
            return Ok(());
        }
        let mut wanted = *wanted;
        loop {
            let exchange = Exchange::new(&self.ranks, self.device.as_mut(), real, &wanted);
            let mut exchange = self
                .ranks
                .agree(exchange.map_err(SetupError::from), SetupError::Elsewhere)?;
            let (order, viscous) = (self.elements.order, self.right_hand_side.viscous);
            let tried = halo::try_exchange(self.device.as_mut(), &mut exchange, &self.mesh, order, viscous);
            let straight = exchange.routes().peer_to_peer.contains(&true);
            let tried = self.ranks.agree(tried.map_err(SetupError::from), SetupError::Elsewhere);
            match tried {
                Err(error)
                    if wanted.transport == Transport::Auto && self.ranks.first_rank_where(straight).is_some() =>
                {
                    tracing::warn!("not from GPU to GPU, so all goes through the host: {error}");
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

    /// What an exchange with other ranks takes, by what was seen of some on a GPU, or of all so far; `None` for a rank alone.
    pub fn exchange_times(&self, seen: &[Span]) -> Option<Times> {
        let traffic = self.right_hand_side.exchange.as_ref().map(Exchange::traffic);
        traffic.map(|traffic| Times::new(seen, &traffic))
    }

    /// The ways that traces take to other ranks; `None` for a rank alone.
    pub fn routes(&self) -> Option<&Routes> {
        self.right_hand_side.exchange.as_ref().map(Exchange::routes)
    }

    /// What the queues of a GPU and the network do in one step, counted from a moment at which all ranks meet. The state
    /// afterwards is worth nothing. Collective.
    pub fn watch_step(&mut self) -> Result<Vec<Span>, DeviceError> {
        self.watch(rk4::whole_step)
    }

    /// The same in one right-hand side of the present state, which stays. Collective.
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
        self.device.watch()?;
        self.right_hand_side.exchange.iter_mut().for_each(Exchange::watch);
        work(&mut self.right_hand_side, self.device.as_mut())?;
        let mut spans = self.device.watched()?;
        spans.extend(self.right_hand_side.exchange.iter_mut().flat_map(Exchange::watched));
        self.ranks.barrier();
        Ok(spans)
    }

    /// Lets go of other ranks' memory, which none of them may free before. Collective.
    pub fn disconnect(&mut self) -> Result<(), DeviceError> {
        if let Some(transport) = self.device.transport() {
            transport.connect(&[])?;
        }
        self.ranks.barrier();
        Ok(())
    }
}
