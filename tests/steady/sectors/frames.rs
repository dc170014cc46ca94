//! Rotating frames: their forces and the derivatives of these, and models of turbulence that do not see the frame.

use super::{There, annulus, dual_of, duct, state_of, with_velocity};
use crate::implicit::{SETTINGS, host, implicit};
use crate::solver::{GAS, MODELS, on_cpu, with_model};
use fr_les::physics::{FrameForces, RotatingFrame};
use fr_les::ranks::Ranks;
use fr_les::steady::{BoundaryList, DualMesh, System, Turbulence, Values};
use fr_les::vector::{Vector, cross, dot, minus};

/// Angular velocity of the frame about z.
const SPEED: f64 = 0.7;

/// Force and power per volume: -2 rho omega x v - rho omega x s and -rho (omega x s).v, with the velocity s of the
/// frame.
fn forces(frame: &RotatingFrame, x: Vector, [rho, u, v, w, ..]: Values) -> [f64; 4] {
    let omega = frame.angular_velocity;
    let coriolis = cross(omega, [u, v, w]);
    let centrifugal = match frame.forces {
        FrameForces::All => cross(omega, cross(omega, minus(x, frame.origin))),
        FrameForces::Coriolis => [0.0; 3],
    };
    let [a, b, c] = std::array::from_fn(|d| -rho * (2.0 * coriolis[d] + centrifugal[d]));
    [a, b, c, -rho * dot(centrifugal, [u, v, w])]
}

/// The sector in a frame, and the same in the frame at rest.
fn duals(forces: FrameForces) -> (DualMesh, DualMesh, Vec<BoundaryList>, Vec<Values>) {
    let place = There::about_z(0.4);
    let mesh = place.mesh(&annulus(2));
    let at_rest = dual_of(&mesh, 2, &Ranks::alone());
    let frame = RotatingFrame {
        angular_velocity: [0.0, 0.0, SPEED],
        origin: [0.0; 3],
        forces,
    };
    let turning = DualMesh {
        frame: Some(frame),
        ..at_rest.clone()
    };
    let lists = duct(&at_rest, &mesh, &place);
    let state = state_of(&at_rest, &place);
    (at_rest, turning, lists, state)
}

#[test]
fn residuals_have_the_forces_of_the_frame_and_the_jacobian_their_derivatives() {
    for of_frame in [FrameForces::All, FrameForces::Coriolis] {
        let (at_rest, turning, lists, state) = duals(of_frame);
        let frame = turning.frame.expect("a frame");
        let scheme = with_model(Turbulence::None);
        let [found, without] = [&turning, &at_rest].map(|dual| {
            let mut solver = on_cpu(dual, &lists, &scheme, 1);
            solver.set_state(&state).expect("a state");
            solver.residuals().expect("residuals")
        });
        for vertex in 0..at_rest.owned {
            let [a, b, c, power] = forces(&frame, at_rest.position[vertex], state[vertex]);
            for (equation, force) in [0.0, a, b, c, power].into_iter().enumerate() {
                let part = found[vertex][equation] - without[vertex][equation];
                let expected = -at_rest.volume[vertex] * force;
                assert!((part - expected).abs() < 1e-15, "{of_frame:?}: {part:e} {expected:e}");
            }
        }
        let held = |vertex: usize| {
            let mut walls = lists.iter().filter(|list| list.is_no_slip());
            walls.any(|list| list.vertex.contains(&(vertex as u32)))
        };
        let [found, without] = [&turning, &at_rest].map(|dual| {
            let mut solver = implicit(host(1), dual, &lists, &GAS, &scheme, &SETTINGS);
            solver.solver.set_state(&state).expect("a state");
            solver.system(dual, 50.0, System::MeanFlow).expect("a system")
        });
        for vertex in (0..at_rest.owned).filter(|&vertex| !held(vertex)) {
            for column in 0..5 {
                // The forces are linear in the conserved variables.
                let mut unit = [0.0; 7];
                unit[0] = f64::from(u8::from(column == 0));
                let momentum: Vector = std::array::from_fn(|d| f64::from(u8::from(column == 1 + d)));
                let of_mass = forces(&frame, at_rest.position[vertex], unit);
                let of_momentum = {
                    let moving = forces(&frame, at_rest.position[vertex], with_velocity([1.0; 7], |_| momentum));
                    let still = forces(&frame, at_rest.position[vertex], with_velocity([1.0; 7], |_| [0.0; 3]));
                    [0, 1, 2, 3].map(|n| moving[n] - still[n])
                };
                for row in 0..4 {
                    let place = 5 * (1 + row) + column;
                    let part = found.rows[vertex][0].1[place] - without.rows[vertex][0].1[place];
                    let expected = -at_rest.volume[vertex] * (of_mass[row] + of_momentum[row]);
                    assert!(
                        (part - expected).abs() < 1e-13,
                        "{of_frame:?} {row} {column}: {part:e} {expected:e}"
                    );
                }
            }
        }
    }
}

/// Blocks with frames of their own, all of them at one speed, have the forces and the vorticity of one frame.
#[test]
fn frames_of_blocks_at_one_speed_are_one_frame() {
    let (_, turning, lists, state) = duals(FrameForces::All);
    let frame = turning.frame.expect("a frame");
    let blocks = DualMesh {
        frame: Some(RotatingFrame {
            angular_velocity: [0.0, 0.0, 1.0],
            ..frame
        }),
        frame_speed: vec![SPEED; turning.len()],
        ..turning.clone()
    };
    for model in MODELS {
        let [one, several] = [&turning, &blocks].map(|dual| {
            let mut solver = implicit(host(1), dual, &lists, &GAS, &with_model(model), &SETTINGS);
            solver.solver.set_state(&state).expect("a state");
            solver.step(5.0).expect("a step");
            solver.solver.state().expect("a state")
        });
        for (a, b) in one.as_flattened().iter().zip(several.as_flattened()) {
            assert!((a - b).abs() < 1e-12 * b.abs().max(1.0), "{model:?}: {a:e} {b:e}");
        }
    }
}

/// With uniform density, nu~, k and omega only the sources of the model are left, which depend on gradients of the
/// velocity. A velocity that is linear in the position has exact ones.
#[test]
fn models_of_turbulence_do_not_see_the_frame() {
    let (at_rest, turning, ..) = duals(FrameForces::All);
    let frame = turning.frame.expect("a frame");
    let absolute = |&[x, y, z]: &Vector| -> Values {
        let velocity = [0.1 * x - 0.3 * y, 0.3 * x + 0.1 * y, 0.2 - 0.15 * z];
        with_velocity([1.1, 0.0, 0.0, 0.0, 0.9, 0.05, 4.0], |_| velocity)
    };
    let relative = |x: &Vector| with_velocity(absolute(x), |v| minus(v, frame.velocity(*x)));
    for model in MODELS {
        let residuals = |dual: &DualMesh, of: &dyn Fn(&Vector) -> Values| {
            let mut solver = on_cpu(dual, &[], &with_model(model), 1);
            let state: Vec<Values> = dual.position.iter().map(of).collect();
            solver.set_state(&state).expect("a state");
            solver.residuals().expect("residuals")
        };
        let expected = residuals(&at_rest, &absolute);
        let found = residuals(&turning, &relative);
        let size = expected.iter().map(|r| r[5].abs()).fold(0.0, f64::max);
        let others = residuals(&at_rest, &relative);
        let apart = |found: &[Values]| {
            let of = |(a, b): (&Values, &Values)| (a[5] - b[5]).abs().max((a[6] - b[6]).abs());
            // Distances from walls vanish on them.
            let off_walls = (0..at_rest.owned).filter(|&vertex| at_rest.wall_distance[vertex] > 0.0);
            off_walls.map(|v| of((&found[v], &expected[v]))).fold(0.0, f64::max)
        };
        assert!(
            apart(&found) < 1e-11 * size.max(1e-3),
            "{model:?}: {:e} of {size:e}",
            apart(&found)
        );
        // The relative velocity without the frame is another flow.
        assert!(apart(&others) > 1e-6, "{model:?}: {:e}", apart(&others));
    }
}
