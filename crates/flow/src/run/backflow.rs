//! The watch over inlets and outlets: a line in the log when gas leaves an inlet or enters an outlet, a warning when
//! that lasts, and at the end of a run when an outlet has missed the mass flux that it holds.
//!
//! It looks at step numbers that are far apart, which costs nothing that could be measured, and does not change the
//! flow. boundaries.csv has the same share of the area at every sample.

use super::error::RunError;
use super::progress::Progress;
use super::settings::GUARD_INTERVAL;
use crate::device::{Buffer, Moment};
use crate::format::number;
use crate::physics::{BoundaryKind, Hold};
use crate::solver::{BoundaryFluxes, Solver};

/// Steps between two looks.
pub(super) const INTERVAL: u64 = 100 * GUARD_INTERVAL;
/// Share of the area below which all shares are alike.
const LEAST_SHARE: f64 = 0.01;
/// Share of the area from which on the line is a warning.
const MOST_SHARE: f64 = 0.5;
/// Share of a mass flux that is held by which it may be missed at the end of a run.
const MISSED: f64 = 0.05;
/// Ratio of a share to the one logged last, or of that to the share, from which it is logged again.
const NOTABLE: f64 = 2.0;

/// Looks in a row that find gas to pass the wrong way, from which on that lasts. A vortex that leaves is gone earlier.
const LASTING: usize = 20;

/// Inlets and outlets, the shares of their areas that were logged last, and the number of looks in a row that have
/// found such a share.
pub(super) struct BackFlow {
    fluxes: BoundaryFluxes,
    logged: Vec<f64>,
    looks: Vec<usize>,
}

impl BackFlow {
    /// Returns the watch over the inlets and outlets of a solver; `None` if it has none. Collective.
    pub fn new(solver: &Solver) -> Option<Self> {
        let mut kinds = solver.boundaries.iter().map(|boundary| boundary.kind());
        kinds.any(|kind| kind.is_inlet() || kind.is_outlet()).then(|| BackFlow {
            fluxes: solver.boundary_fluxes(),
            logged: vec![0.0; solver.boundaries.len()],
            looks: vec![0; solver.boundaries.len()],
        })
    }

    /// Logs which part of each inlet and outlet gas passes against its sense, if that has changed notably. Collective.
    pub fn look(&mut self, solver: &mut Solver, step: u64, progress: &Progress) -> Result<(), RunError> {
        if !step.is_multiple_of(INTERVAL) {
            return Ok(());
        }
        let shares = self.fluxes.reversed(solver.device.as_mut(), &solver.domain.ranks)?;
        for (boundary, share) in shares.into_iter().enumerate() {
            let name = &solver.mesh.boundary_names[boundary];
            if lasts(share, &mut self.looks[boundary]) {
                progress.say(|| tracing::warn!("{}", lasting(name, share, step)));
            }
            if !notable(share, self.logged[boundary]) {
                continue;
            }
            self.logged[boundary] = share;
            let line = line(name, solver.boundaries[boundary].kind(), share);
            progress.say(|| {
                if share < MOST_SHARE {
                    tracing::info!("{line}")
                } else {
                    tracing::warn!("{line}")
                }
            });
        }
        Ok(())
    }

    /// Warns of outlets through which another mass flux leaves at the end of the run than the one that they hold.
    /// Collective.
    pub fn warn_of_missed_mass_fluxes(&self, solver: &mut Solver) -> Result<(), RunError> {
        let targets: Vec<(usize, f64)> = (solver.boundaries.iter().enumerate())
            .filter_map(|(b, condition)| match condition.hold()? {
                Hold::MassFlow { target } => Some((b, target)),
                Hold::Mean => None,
            })
            .collect();
        if targets.is_empty() {
            return Ok(());
        }
        solver.device.ghost_states(Buffer::Start, Moment::BEGIN)?;
        let fluxes = self.fluxes.take(solver.device.as_mut(), &solver.domain.ranks)?;
        for (boundary, target) in targets {
            let mass = fluxes[boundary].mass;
            if (mass - target).abs() > MISSED * target.abs() {
                tracing::warn!(
                    "boundaries.{} holds the mass flux {}, and {} leaves at the end of the run: it was not reached, \
                     or the flow has not settled",
                    solver.mesh.boundary_names[boundary],
                    number(target),
                    number(mass)
                );
            }
        }
        Ok(())
    }
}

/// Returns whether a share differs notably from the one that was logged last.
pub(super) fn notable(share: f64, logged: f64) -> bool {
    let [now, then] = [share, logged].map(|share| share.max(LEAST_SHARE));
    now >= NOTABLE * then || then >= NOTABLE * now
}

/// Counts the looks in a row that have found a share, and returns whether the back-flow begins to be a lasting one.
fn lasts(share: f64, looks: &mut usize) -> bool {
    *looks = if share < LEAST_SHARE { 0 } else { *looks + 1 };
    *looks == LASTING
}

/// Returns the warning of a back-flow that lasts.
fn lasting(name: &str, share: f64, step: u64) -> String {
    format!(
        "back-flow: gas has passed {name} the wrong way since step {}, now over {:.0} % of its area: the mean values \
         that the boundary is given may not be held there (boundaries.csv has them), as where a vortex is caught at an \
         outlet; another start, an outlet further downstream or a sponge before it may cure that",
        step - (LASTING as u64 - 1) * INTERVAL,
        100.0 * share
    )
}

/// Returns the line of the log about a boundary.
fn line(name: &str, kind: BoundaryKind, share: f64) -> String {
    let what = if kind.is_inlet() {
        "leaves through the inlet"
    } else {
        "enters through the outlet"
    };
    if share < LEAST_SHARE {
        format!(
            "back-flow: gas no longer {what} {name} ({:.1} % of its area)",
            100.0 * share
        )
    } else {
        format!("back-flow: gas {what} {name}, over {:.0} % of its area", 100.0 * share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_logged_when_it_has_doubled_or_halved() {
        assert!(!notable(0.0, 0.0) && !notable(0.015, 0.0) && notable(0.03, 0.0));
        assert!(!notable(0.05, 0.03) && notable(0.07, 0.03) && notable(0.03, 0.07));
        assert!(!notable(0.0, 0.015) && notable(0.0, 0.03));
    }

    #[test]
    fn a_back_flow_lasts_after_twenty_looks_in_a_row_and_is_told_once() {
        let mut looks = 0;
        let vortex = (0..19).any(|_| lasts(0.05, &mut looks));
        assert!(!vortex && !lasts(0.005, &mut looks));
        let told: Vec<usize> = (1..=60).filter(|_| lasts(0.05, &mut looks)).collect();
        assert_eq!(told, [20]);
        let text = lasting("east", 0.074, 25_000);
        assert!(
            text.starts_with("back-flow: gas has passed east the wrong way since step 6000, now over 7 % of its area")
        );
    }

    #[test]
    fn the_line_names_the_boundary_and_the_share() {
        let text = line("west", BoundaryKind::TotalInlet, 0.25);
        assert_eq!(
            text,
            "back-flow: gas leaves through the inlet west, over 25 % of its area"
        );
        let text = line("east", BoundaryKind::RelaxedOutlet, 0.004);
        assert_eq!(
            text,
            "back-flow: gas no longer enters through the outlet east (0.4 % of its area)"
        );
    }
}
