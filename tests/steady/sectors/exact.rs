//! Exact flows around an axis on sectors, in the frame at rest and in ones that rotate: a swirl in radial equilibrium,
//! axial flow from a total inlet at rest, and viscous flow between cylinders.

use super::{There, annulus, dual_of, frame_of, with_velocity};
use crate::implicit::{SETTINGS, host, implicit};
use crate::solver::{GAS, conditions, conserved, with_model};
use fr_les::mesh::Annulus;
use fr_les::physics::{BoundaryKind, Gas, GivenIn, Viscosity};
use fr_les::ranks::Ranks;
use fr_les::steady::{BoundaryList, DualMesh, Implicit, Turbulence, Values};
use fr_les::vector::{Vector, dot, minus};

/// Implicit steps until the right side has fallen to 1e-9 of that of the second step, with the state then.
fn solved(dual: &DualMesh, lists: &[BoundaryList], gas: &Gas, start: &[Values]) -> Vec<Values> {
    let settings = Implicit {
        krylov: 60,
        linear_stop: 1e-2,
        ..SETTINGS
    };
    let mut solver = implicit(host(2), dual, lists, gas, &with_model(Turbulence::None), &settings);
    solver.solver.set_state(start).expect("a state");
    let mut first = 0.0;
    for n in 0..200 {
        let step = solver.step(5.0 * 1.5f64.powi(n.min(14))).expect("a step");
        let norm = step.solutions().flow.right_side;
        if n == 1 {
            first = norm;
        }
        if n > 1 && norm < 1e-9 * first {
            return solver.solver.state().expect("a state");
        }
    }
    panic!("the steps do not converge");
}

/// Root mean square of the largest errors of the vertices.
fn error(dual: &DualMesh, state: &[Values], exact: impl Fn(Vector) -> Values) -> f64 {
    let of = |(x, q): (&Vector, &Values)| {
        let exact = exact(*x);
        (0..5).map(|v| (q[v] - exact[v]).abs()).fold(0.0, f64::max)
    };
    let sum: f64 = dual.position.iter().zip(state).map(of).map(|error| error * error).sum();
    (sum / dual.len() as f64).sqrt()
}

/// Swirling flow through an annular duct in radial equilibrium: with a uniform axial velocity and the density 1 the
/// pressure obeys dp/dr = c^2/r (J. H. Horlock, Axial Flow Turbines, 1966, chapter 5), here of a free vortex c = 0.4/r.
fn swirl([x, y, _]: Vector) -> Values {
    let square = x * x + y * y;
    let turning = 0.4 / square;
    let pressure = 1.0 / 1.4 - 0.08 / square;
    [1.0, -y * turning, x * turning, 0.3, pressure, 0.0, 0.0]
}

/// Values as they are seen from a frame that turns about z at `speed`.
fn seen(values: Values, [x, y, _]: Vector, speed: f64) -> Values {
    with_velocity(values, |v| minus(v, [-speed * y, speed * x, 0.0]))
}

/// The errors of a flow without friction between walls along which gas slips, on three meshes in a frame that turns at
/// `speed`. Both ends are far fields; `inlet` may change the first one.
fn errors_in(speed: f64, exact: fn(Vector) -> Values, inlet: impl Fn(&mut BoundaryList)) -> [f64; 3] {
    let gas = Gas { viscosity: None, ..GAS };
    let exact = |x: Vector| seen(exact(x), x, speed);
    [4, 8, 16].map(|n| {
        let duct = Annulus {
            cells: [n, n, n / 2],
            growth: 1.0,
            hex_layers: n,
            angle: 0.7,
            ..annulus(1)
        };
        // The sides of the sector lie anywhere.
        let mesh = There::about_z(1.3).mesh(&duct);
        let mut dual = dual_of(&mesh, 1, &Ranks::alone());
        dual.frame = frame_of(speed);
        let mut lists = conditions(&dual, |b| match mesh.boundary_names[b].as_str() {
            "inner" | "outer" => (BoundaryKind::Slip, [0.0; 6]),
            _ => (BoundaryKind::FarField, [0.0; 6]),
        });
        for list in lists.iter_mut().filter(|list| list.kind == BoundaryKind::FarField) {
            for (vertex, data) in list.vertex.iter().zip(&mut list.data) {
                *data = conserved(exact(dual.position[*vertex as usize]));
            }
        }
        let first = mesh
            .boundary_names
            .iter()
            .position(|name| name == "z-")
            .expect("an inlet");
        inlet(&mut lists[first]);
        let start: Vec<Values> = dual.position.iter().map(|x| exact(*x)).collect();
        let state = solved(&dual, &lists, &gas, &start);
        error(&dual, &state, exact)
    })
}

fn assert_order(errors: [f64; 3], what: &str) {
    let orders = [0, 1].map(|n| (errors[n] / errors[n + 1]).log2());
    println!("{what}: {errors:?}, orders {orders:?}");
    assert!(orders[1] > 1.8 && errors[2] < 1e-3, "{what}: {errors:?} {orders:?}");
}

#[test]
fn swirling_flow_is_in_radial_equilibrium_to_second_order_in_all_frames() {
    for speed in [0.0, 0.25, -0.4] {
        assert_order(errors_in(speed, swirl, |_| ()), &format!("swirl, frame {speed}"));
    }
}

#[test]
fn axial_flow_enters_a_frame_that_turns_from_a_total_pressure_at_rest() {
    let axial = |_: Vector| [1.0, 0.0, 0.0, 0.3, 1.0 / 1.4, 0.0, 0.0];
    // T0 = T + w^2/(2 cp), and p0 is isentropic.
    let temperature: f64 = 1.0 / 1.4 + 0.09 / 7.0;
    let pressure = 1.0 / 1.4 * (1.4 * temperature).powf(3.5);
    let inlet = |list: &mut BoundaryList| {
        list.kind = BoundaryKind::TotalInlet;
        list.given = GivenIn::Absolute;
        list.data.fill([pressure, temperature, 0.0, 0.0, 1.0, 0.0]);
    };
    assert_order(errors_in(0.4, axial, inlet), "axial flow");
}

#[test]
fn flow_between_turning_cylinders_is_that_of_couette_to_second_order_in_all_frames() {
    for speed in [0.0, 0.3] {
        assert_order(couette_errors(speed), &format!("Couette flow, frame {speed}"));
    }
}

/// The errors of the velocity c = a r + b/r between an inner wall with c = 0.3 and an outer one at rest, at a low Mach
/// number, on three meshes in a frame that turns at `speed`.
fn couette_errors(speed: f64) -> [f64; 3] {
    let [a, b] = [-0.1 - speed, 0.4];
    let exact = |x: Vector| {
        let square = x[0] * x[0] + x[1] * x[1];
        let turning = a + b / square;
        [-x[1] * turning, x[0] * turning, 0.0]
    };
    let gas = Gas {
        viscosity: Some(Viscosity::Constant(0.1)),
        gas_constant: 100.0,
        ..GAS
    };
    [4, 8, 16].map(|n| {
        let gap = Annulus {
            cells: [n, n / 2, 1],
            growth: 1.0,
            hex_layers: n,
            angle: 0.7,
            periodic_z: true,
            ..annulus(1)
        };
        let mesh = There::about_z(1.3).mesh(&gap);
        let mut dual = dual_of(&mesh, 1, &Ranks::alone());
        dual.frame = frame_of(speed);
        let mut lists = conditions(&dual, |_| {
            (BoundaryKind::NoSlipIsothermal, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0])
        });
        for list in &mut lists {
            for (vertex, data) in list.vertex.iter().zip(&mut list.data) {
                data[..3].copy_from_slice(&exact(dual.position[*vertex as usize]));
            }
        }
        let rest = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0];
        let start: Vec<Values> = dual.position.iter().map(|x| seen(rest, *x, speed)).collect();
        let state = solved(&dual, &lists, &gas, &start);
        let off = dual.position.iter().zip(&state).map(|(x, q)| {
            let off = minus([q[1], q[2], q[3]], exact(*x));
            dot(off, off)
        });
        (off.sum::<f64>() / dual.len() as f64).sqrt()
    })
}
