//! Messages of a steady solution while it runs, and the place where its state is not physical.

use rayon::prelude::*;

use super::{Convergence, Progress, Steady};
use crate::format::{location, number};
use crate::steady::controller::{Control, Controller, Verdict};
use crate::steady::handover::Values;
use crate::steady::mixing::{Agreement, Annulus};
use crate::steady::monitor::{forces_are_steady, is_physical};
use crate::vector::{dot, length};

impl Steady<'_> {
    /// Logs the residual.
    pub(super) fn say(&self, progress: &Progress, verdict: Verdict) {
        let Controller { cfl, largest, last, .. } = progress.controller;
        if self.ranks.rank() == 0 {
            let state = if verdict == Verdict::Steady { ", steady" } else { "" };
            // A flow that begins as its own solution has no residual at all.
            let fallen = if largest > 0.0 { last / largest } else { last };
            tracing::info!(
                "iteration {}: residual of the density {} of the largest, CFL {}{state}",
                progress.iteration,
                number(fallen),
                number(cfl)
            );
        }
    }

    /// Logs for what reason steps are taken back, and with which CFL number others follow.
    pub(super) fn say_refused(&self, iteration: u64, reason: &str, back: u64, cfl: f64) {
        if self.ranks.rank() == 0 {
            tracing::warn!("iteration {iteration}: {reason}; back to {back}, CFL {}", number(cfl));
        }
    }

    /// Logs how the steps ended. `asked` is the reason for which they were to end early.
    pub(super) fn say_end(&self, kept: &Progress, verdict: Verdict, asked: Option<&str>) {
        if self.ranks.rank() != 0 {
            return;
        }
        let Controller { largest, last, .. } = kept.controller;
        match (asked, verdict) {
            (Some(reason), _) => tracing::info!("{reason}: the steady solution ends early"),
            (None, Verdict::Steady) => {}
            (None, _) => tracing::warn!(
                "the steady solution has not converged: steady.iterations is reached before the residual has fallen \
                 to {} of its largest value, and it is at {}{}",
                number(self.settings.control.residual),
                number(if largest > 0.0 { last / largest } else { last }),
                if self.settings.control.force.is_some() {
                    ", and before the forces were steady"
                } else {
                    ""
                }
            ),
        }
    }

    /// Logs how far the fluxes of mixing planes agree.
    pub(super) fn say_planes(&self, agreements: &[Agreement]) {
        if self.ranks.rank() != 0 {
            return;
        }
        for (plane, agreement) in self.planes.iter().zip(agreements) {
            let [first, second] = &plane.motion.names;
            let (mass, difference) = (number(agreement.mass_flux), agreement.difference);
            if agreement.holds() {
                tracing::info!(
                    "mixing plane {first} to {second}: mass flux {mass}, means of the fluxes of both sides within \
                     {difference:.1e}"
                );
            } else {
                let (axis, at) = (plane.span.name(), number(agreement.at));
                tracing::warn!(
                    "mixing plane {first} to {second}: the means of the fluxes of both sides differ by \
                     {difference:.1e} at {axis} = {at}, where the flow comes back or is near the speed of sound: move \
                     the plane away from there"
                );
            }
            if let Some([one, other]) = agreement.annulus {
                let pair = |of: fn(&Annulus) -> f64| format!("{:.8e} and {:.8e}", of(&one), of(&other));
                tracing::info!(
                    "mixing plane {first} to {second}: on either side the whole circumference passes the mass {}, the \
                     axial momentum {}, the angular momentum {} and the energy {}; the areas differ by {:.1e}",
                    pair(|annulus| annulus.mass),
                    pair(|annulus| annulus.axial),
                    pair(|annulus| annulus.angular),
                    pair(|annulus| annulus.energy),
                    other.area / one.area - 1.0
                );
            }
        }
    }

    /// Logs why a solution with this state takes no step, unless the case asks for none, and returns whether it is
    /// steady.
    pub(super) fn say_why_no_step(&self, kept: &Progress, control: &Control) -> Convergence {
        let done = kept.iteration;
        let asked = self.settings.iterations;
        if asked == 0 {
            return Convergence::Reached;
        }
        let Controller { largest, last, .. } = kept.controller;
        let fallen = largest > 0.0 && last <= control.residual * largest;
        let is_root = self.ranks.rank() == 0;
        if fallen || forces_are_steady(&kept.rows, control) {
            if is_root {
                tracing::info!("the solution of the checkpoint is steady, and no step is taken");
            }
            return Convergence::Reached;
        }
        if is_root {
            tracing::warn!(
                "no step is taken: the checkpoint has {done} iterations, and steady.iterations, which counts them too, \
                 is {asked}"
            );
        }
        Convergence::NotReached
    }

    /// Warns of relaxed outlets that gas passes faster than sound, with the place of the largest Mach number.
    /// Collective.
    pub(super) fn warn_of_fast_outlets(&self, state: &[Values]) {
        let gas = &self.run.solver.gas;
        for (name, list) in self.mesh.boundary_names.iter().zip(&self.boundaries) {
            let given = self.run.solver.boundaries.get(name);
            if given.is_none_or(|given| given.relaxation().is_none() || !given.kind().is_outlet()) {
                continue;
            }
            let machs = list.vertex.iter().zip(&list.area).map(|(&vertex, &area)| {
                let [_, u, v, w, temperature, ..] = state[vertex as usize];
                (
                    dot([u, v, w], area) / length(area) / gas.sound_speed_at(temperature),
                    vertex,
                )
            });
            let mine = machs.max_by(|a, b| a.0.total_cmp(&b.0));
            let found = mine.map_or_else(Vec::new, |(mach, vertex)| {
                let [x, y, z] = self.dual.position[vertex as usize];
                vec![mach, x, y, z]
            });
            let all = self.ranks.allgather(&found);
            let fastest = all.chunks_exact(4).max_by(|a, b| a[0].total_cmp(&b[0]));
            if let Some(&[mach, x, y, z]) = fastest.filter(|found| found[0] >= 1.0)
                && self.ranks.rank() == 0
            {
                tracing::warn!(
                    "gas passes the relaxed outlet {name} at the Mach number {} at {}, where a run in time would \
                     refuse it: the outputs take it as a pressure outlet, which prescribes nothing there",
                    number(mach),
                    location([x, y, z])
                );
            }
        }
    }

    /// Returns whether the state of the owned vertices of all ranks is physical. Collective.
    pub(super) fn is_physical(&self, state: &[Values]) -> bool {
        let mut bad = [u64::from(!state.par_iter().all(is_physical))];
        self.ranks.allreduce_sum(&mut bad);
        bad[0] == 0
    }

    /// Returns the first place at which the state of an iteration is not physical, as a part of a sentence. Collective.
    pub(super) fn first_unphysical(&self, iteration: u64, state: &[Values]) -> String {
        let unphysical = || (0..state.len()).filter(|&vertex| !is_physical(&state[vertex]));
        let mut counts = [unphysical().count() as u64, state.len() as u64];
        self.ranks.allreduce_sum(&mut counts);
        let [count, vertices] = counts;
        let mine = unphysical().min_by_key(|&vertex| self.dual.global[vertex]);
        let mut first = [mine.map_or(u64::MAX, |vertex| self.dual.global[vertex])];
        self.ranks.allreduce_min(&mut first);
        let here = mine.filter(|&vertex| self.dual.global[vertex] == first[0]);
        let there: Vec<f64> = here.map_or_else(Vec::new, |vertex| {
            [&self.dual.position[vertex][..], &state[vertex]].concat()
        });
        match self.ranks.allgather(&there)[..] {
            [x, y, z, rho, u, v, w, temperature, ..] => format!(
                "; its state of iteration {iteration} was not physical at {count} of {vertices} vertices, first at {} \
                 with the density {}, the velocity {}, the temperature {} and the pressure {}",
                location([x, y, z]),
                number(rho),
                location([u, v, w]),
                number(temperature),
                number(rho * self.run.solver.gas.gas_constant * temperature)
            ),
            _ => String::new(),
        }
    }
}
