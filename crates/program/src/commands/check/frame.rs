//! Warnings of a rotating frame, or of cells behind an interface, that are faster than the flow can be computed: a
//! velocity in other units.

use std::f64::consts::PI;

use super::steps::Steps;
use crate::format::{location, short};
use crate::physics::{FrameForces, RotatingFrame};
use crate::solver::Solver;
use crate::vector::{Vector, length};

/// Speed of the frame over that of sound which no rotor has.
const FASTEST: f64 = 3.0;
/// Angle (radians) by which the Coriolis force may turn a velocity in a step.
const LARGEST_TURN: f64 = 0.5;

/// Warns of a frame, or of cells behind an interface, whose speed in the mesh is far above `sound`, the smallest speed
/// of sound; of a frame without centrifugal force, whose axis is nowhere, if it turns velocities far in a step.
/// Collective.
pub fn warn(frame: Option<&RotatingFrame>, solver: &Solver, steps: &Steps, sound: f64) {
    let per_minute = format!(
        "is it in radians per time? A revolution per minute is pi/30 = {} radians per second",
        short(PI / 30.0)
    );
    let warn_of_speed = |key: &str, what: &str, (speed, place): (f64, Vector), unit: &str| {
        if speed > FASTEST * sound {
            tracing::warn!(
                "{key}: {what} at {} at {}, {} times the speed of sound, and rotors stay below {FASTEST} times: {unit}",
                short(speed),
                location(place),
                short(speed / sound)
            );
        }
    };
    let of_frame = |key: &str, fastest| warn_of_speed(key, "the frame moves", fastest, &per_minute);
    if let Some(motion) = solver.motions.moving().next() {
        let name = &motion.names[1];
        let of_cell = |cell: usize, x: Vector| solver.motions.velocity(solver.mesh.center(cell), x);
        let fastest = fastest(of_cell, solver);
        match motion.axis() {
            Some(_) => of_frame(&format!("boundaries.{name}.angular-speed"), fastest),
            None => warn_of_speed(
                &format!("boundaries.{name}.speed"),
                "cells behind the interface move",
                fastest,
                "is it a length per time in the units of the mesh and of the gas?",
            ),
        }
    }
    let Some(frame) = frame else { return };
    match frame.forces {
        FrameForces::All => {
            of_frame(
                "rotating-frame.angular-velocity",
                fastest(|_, x| frame.velocity(x), solver),
            );
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

/// Returns the largest speed of the frames of the cells at a solution point, and that point. Collective.
fn fastest(velocity: impl Fn(usize, Vector) -> Vector, solver: &Solver) -> (f64, Vector) {
    let velocity = &velocity;
    let of_cell = |cell: usize| {
        let points = solver.geometry.cell_positions(cell).iter();
        points.map(move |&x| (length(velocity(cell, x)), x))
    };
    let speeds = (0..solver.mesh.len()).flat_map(of_cell);
    let here = speeds.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default();
    let mut largest = [here.0];
    solver.ranks.allreduce_max(&mut largest);
    let rank = solver.ranks.first_rank_where(here.0 == largest[0]);
    let places = solver.ranks.allgather(&here.1);
    let place = rank.and_then(|rank| places.as_chunks().0.get(rank).copied());
    (largest[0], place.unwrap_or(here.1))
}
