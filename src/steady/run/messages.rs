//! Messages of a steady solution while it runs, and the error that names the place where it diverges.

use super::{Progress, Steady, SteadyError};
use crate::format::{location, number};
use crate::steady::controller::{Controller, Verdict};
use crate::steady::handover::Values;

impl Steady<'_> {
    /// Logs the residual.
    pub(super) fn say(&self, progress: &Progress, verdict: Verdict) {
        let Controller { cfl, largest, last, .. } = progress.controller;
        if self.ranks.rank() == 0 {
            let state = if verdict == Verdict::Steady { ", steady" } else { "" };
            tracing::info!(
                "iteration {}: residual of the density {} of the largest, CFL {}{state}",
                progress.iteration,
                number(last / largest),
                number(cfl)
            );
        }
    }

    /// Returns the error that the solution diverges, with the first place at which the state is not physical.
    /// Collective.
    pub(super) fn diverged(&self, iteration: u64, refusals: u64, state: &[Values]) -> SteadyError {
        let bad = |&vertex: &usize| {
            let value = &state[vertex];
            !(value[0] > 0.0 && value[4] > 0.0 && value.iter().all(|x| x.is_finite()))
        };
        let mine = (0..state.len())
            .filter(bad)
            .min_by_key(|&vertex| self.dual.global[vertex]);
        let mut first = [mine.map_or(u64::MAX, |vertex| self.dual.global[vertex])];
        self.ranks.allreduce_min(&mut first);
        let here = mine.filter(|&vertex| self.dual.global[vertex] == first[0]);
        let mut at = [f64::NEG_INFINITY; 3];
        if let Some(vertex) = here {
            at = self.dual.position[vertex];
        }
        self.ranks.allreduce_max(&mut at);
        let place = match first[0] == u64::MAX {
            true => String::new(),
            false => format!(", first near {}", location(at)),
        };
        SteadyError::Diverged {
            iteration,
            refusals,
            place,
        }
    }
}
