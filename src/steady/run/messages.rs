//! Messages of a steady solution while it runs, and the error that names the place where it diverges.

use rayon::prelude::*;

use super::{Progress, Steady, SteadyError};
use crate::format::{location, number};
use crate::steady::controller::{Controller, Verdict};
use crate::steady::handover::Values;
use crate::steady::monitor::is_physical;

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

    /// Returns whether the state of the owned vertices of all ranks is physical. Collective.
    pub(super) fn is_physical(&self, state: &[Values]) -> bool {
        let mut bad = [u64::from(!state.par_iter().all(is_physical))];
        self.ranks.allreduce_sum(&mut bad);
        bad[0] == 0
    }

    /// Returns the error that the solution diverges, with the first place at which the state is not physical.
    /// Collective.
    pub(super) fn diverged(&self, iteration: u64, refusals: u64, state: &[Values]) -> SteadyError {
        let mine = (0..state.len())
            .filter(|&vertex| !is_physical(&state[vertex]))
            .min_by_key(|&vertex| self.dual.global[vertex]);
        let mut first = [mine.map_or(u64::MAX, |vertex| self.dual.global[vertex])];
        self.ranks.allreduce_min(&mut first);
        let here = mine.filter(|&vertex| self.dual.global[vertex] == first[0]);
        let there: Vec<f64> = here.map_or_else(Vec::new, |vertex| {
            [&self.dual.position[vertex][..], &state[vertex]].concat()
        });
        let place = match self.ranks.allgather(&there)[..] {
            [x, y, z, rho, u, v, w, temperature, ..] => format!(
                ", first at {} with the density {}, the velocity {}, the temperature {} and the pressure {}",
                location([x, y, z]),
                number(rho),
                location([u, v, w]),
                number(temperature),
                number(rho * self.run.solver.gas.gas_constant * temperature)
            ),
            _ => String::new(),
        };
        SteadyError::Diverged {
            iteration,
            refusals,
            place,
        }
    }
}
