//! Warnings of a rotating frame that is faster than the flow can be computed: an angular velocity in other units.

use std::f64::consts::PI;

use super::steps::Steps;
use crate::format::{location, short};
use crate::physics::{FrameForces, RotatingFrame};
use crate::solver::Solver;
use crate::vector::length;

/// Speed of the frame over that of sound which no rotor has.
const FASTEST: f64 = 3.0;
/// Angle (radians) by which the Coriolis force may turn a velocity in a step.
const LARGEST_TURN: f64 = 0.5;

/// Warns of a frame whose speed in the mesh is far above `sound`, the smallest speed of sound; of one without
/// centrifugal force, whose axis is nowhere, if it turns velocities far in a step. Collective.
pub fn warn(frame: Option<&RotatingFrame>, solver: &Solver, steps: &Steps, sound: f64) {
    let Some(frame) = frame else { return };
    let per_minute = format!(
        "is it in radians per time? A revolution per minute is pi/30 = {} radians per second",
        short(PI / 30.0)
    );
    match frame.forces {
        FrameForces::All => {
            let (speed, place) = fastest(frame, solver);
            if speed > FASTEST * sound {
                tracing::warn!(
                    "rotating-frame.angular-velocity: the frame moves at {} at {}, {} times the speed of sound, and \
                     rotors stay below {FASTEST} times: {per_minute}",
                    short(speed),
                    location(place),
                    short(speed / sound)
                );
            }
        }
        FrameForces::Coriolis => {
            let turn = 2.0 * length(frame.angular_velocity) * steps.dt.value;
            if turn > LARGEST_TURN {
                tracing::warn!(
                    "rotating-frame.angular-velocity: the Coriolis force turns velocities by {} radians in a step of \
                     {}, and steps resolve at most {LARGEST_TURN}: {per_minute}",
                    short(turn),
                    short(steps.dt.value)
                );
            }
        }
    }
}

/// Returns the largest speed of the frame at a solution point, and that point. Collective.
fn fastest(frame: &RotatingFrame, solver: &Solver) -> (f64, [f64; 3]) {
    let speeds = solver.geometry.points.iter().map(|&x| (length(frame.velocity(x)), x));
    let here = speeds.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default();
    let mut largest = [here.0];
    solver.ranks.allreduce_max(&mut largest);
    let rank = solver.ranks.first_rank_where(here.0 == largest[0]);
    let places = solver.ranks.allgather(&here.1);
    let place = rank.and_then(|rank| places.as_chunks().0.get(rank).copied());
    (largest[0], place.unwrap_or(here.1))
}
