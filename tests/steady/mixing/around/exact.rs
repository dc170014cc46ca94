//! Solutions whose exact ones are known: swirls in radial equilibrium, and a wake that mixes out at the plane.

use super::{Stage, free_vortex, mesh_of, solid_body, two_rows, uniform};
use crate::implicit::{SETTINGS, host, implicit};
use crate::mixing::mixed_out;
use crate::solver::{GAS, with_model};
use fr_les::physics::{BoundaryKind, Gas};
use fr_les::ranks::Ranks;
use fr_les::steady::{BoundaryList, Implicit, MixingPlane, Turbulence, Values};
use fr_les::vector::Vector;

/// Implicit steps until the right side has fallen to 1e-9 of that of the second step, with the state then.
fn solved(stage: &Stage, planes: &[MixingPlane], lists: &[BoundaryList], gas: &Gas, start: &[Values]) -> Vec<Values> {
    let settings = Implicit {
        krylov: 60,
        linear_stop: 1e-2,
        ..SETTINGS
    };
    let scheme = with_model(Turbulence::None);
    let mut solver = implicit(host(2), &stage.joined.dual, lists, gas, &scheme, &settings);
    solver
        .solver
        .set_planes(planes, &stage.joined.dual, lists, gas)
        .expect("memory");
    solver.solver.set_state(start).expect("a state");
    let mut first = 0.0;
    for n in 0..300 {
        let step = solver.step(5.0 * 1.5f64.powi(n.min(6))).expect("a step");
        let norm = step.solutions().flow.right_side;
        if n == 1 {
            first = norm;
        }
        if n > 1 && norm < 1e-9 * first {
            println!("{n} steps, {:?}", solver.solver.agreements());
            assert!(solver.solver.agreements()[0].difference < 1e-12);
            return solver.solver.state().expect("a state");
        }
    }
    panic!("the steps do not converge");
}

#[test]
fn swirls_in_radial_equilibrium_pass_to_second_order_in_all_frames() {
    let gas = Gas { viscosity: None, ..GAS };
    for (name, flow, speed) in [
        ("free vortex", free_vortex as fn(Vector) -> Values, 0.0),
        ("free vortex", free_vortex, 0.4),
        ("solid body", solid_body, 0.4),
        ("uniform", uniform, 0.4),
    ] {
        let errors = [1, 2, 4].map(|n| {
            let mut rows = two_rows(speed);
            rows.iter_mut().for_each(|row| row.around *= n);
            let mesh = mesh_of(&rows, [4 * n, 3 * n, 4 * n]);
            let mut stage = Stage::new(rows, mesh, 1, &Ranks::alone());
            let lists = stage.lists(flow);
            let planes = stage.joined.planes(&lists, &Ranks::alone()).expect("a plane");
            stage.turn(&planes, &Ranks::alone());
            let exact = stage.state(flow);
            let state = solved(&stage, &planes, &lists, &gas, &exact);
            let error = |(a, b): (&Values, &Values)| (0..5).map(|v| (a[v] - b[v]).abs()).fold(0.0, f64::max);
            let sum: f64 = state.iter().zip(&exact).map(error).map(|error| error * error).sum();
            (sum / state.len() as f64).sqrt()
        });
        let orders = [0, 1].map(|n| (errors[n] / errors[n + 1]).log2());
        println!("{name}, speed {speed}: {errors:?}, orders {orders:?}");
        assert!(orders[1] > 1.7, "{name} {speed}: {errors:?} {orders:?}");
    }
}

#[test]
fn a_wake_enters_the_second_row_as_its_mixed_out_state_in_each_band() {
    // A parallel flow along the axis with a wake, which is steady without viscosity. The second row is at rest, so that
    // the flow in it is uniform.
    let mut rows = two_rows(0.0);
    rows[0].around = 5;
    let stage = Stage::new(rows.clone(), mesh_of(&rows, [2, 2, 2]), 2, &Ranks::alone());
    let wake = |[x, y, _]: Vector| {
        let phase = rows[0].sectors * (y.atan2(x) - rows[0].begin);
        let deficit = (0.5 + 0.5 * phase.cos()).powi(3);
        [1.0, 0.0, 0.0, 0.6 - 0.35 * deficit, 1.0, 0.0, 0.0]
    };
    let mut lists = stage.lists(wake);
    let planes = stage.joined.planes(&lists, &Ranks::alone()).expect("a plane");
    let plane = &planes[0];
    let mut behind = Vec::new();
    for band in &plane.bands {
        let mut means = [0.0; 3];
        for &point in &band.points[0] {
            let point = &plane.points[0][point];
            let [rho, _, _, w, t, ..] = wake(point.x);
            let mass = rho * w;
            let values = [mass, mass * w + rho * t, mass * (3.5 * t + 0.5 * w * w)];
            (0..3).for_each(|v| means[v] += values[v] * point.area[2] / band.areas[0]);
        }
        behind.push((band.at, mixed_out(means)));
    }
    // Sums over the points of polygons: the bands differ by their rounding.
    let [rho, w, p] = behind[0].1;
    for (at, [a, b, c]) in &behind {
        assert!(
            (a - rho).abs().max((b - w).abs()).max((c - p).abs()) < 1e-6,
            "{at}: {behind:?}"
        );
    }
    assert!(p > 1.01, "mixing raises the pressure from 1: {p}");
    let names = &stage.joined.mesh.boundary_names;
    for (list, name) in lists.iter_mut().zip(names) {
        match name.as_str() {
            "a-z-" => {
                list.kind = BoundaryKind::VelocityInlet;
                for (vertex, data) in list.vertex.iter().zip(&mut list.data) {
                    let [_, u, v, w, t, ..] = wake(stage.joined.dual.position[*vertex as usize]);
                    *data = [u, v, w, t, 0.0, 0.0];
                }
            }
            "b-z+" => {
                list.kind = BoundaryKind::PressureOutlet;
                list.data.fill([p, 1.0, 0.0, 0.0, 0.0, 0.0]);
            }
            _ => {}
        }
    }
    let gas = Gas { viscosity: None, ..GAS };
    let start: Vec<Values> = (0..stage.joined.dual.owned)
        .map(|vertex| match stage.row_of(vertex) {
            0 => wake(stage.joined.dual.position[vertex]),
            _ => [1.0, 0.0, 0.0, 0.5, 1.0, 0.0, 0.0],
        })
        .collect();
    let state = solved(&stage, &planes, &lists, &gas, &start);
    let mut largest = [0.0f64; 2];
    for (vertex, value) in state.iter().enumerate() {
        let row = stage.row_of(vertex);
        let expected = match row {
            0 => wake(stage.joined.dual.position[vertex]),
            _ => [rho, 0.0, 0.0, w, p / rho, 0.0, 0.0],
        };
        let error = value.iter().zip(expected).map(|(a, b)| (a - b).abs());
        largest[row] = error.fold(largest[row], f64::max);
    }
    println!("errors before and behind the plane {largest:?}");
    assert!(largest.iter().all(|error| *error < 1e-9), "{largest:?}");
}
