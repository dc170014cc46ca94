//! Profiles whose thicknesses are known.

use super::*;
use crate::output::boundary_layers::lines::distances;
use crate::physics::Viscosity;

const NU: f64 = 1e-6;

fn gas() -> Gas {
    Gas {
        gamma: 1.4,
        prandtl: 0.71,
        gas_constant: 1000.0,
        viscosity: Some(Viscosity::Constant(NU)),
    }
}

/// f and its first two derivatives at eta, of Blasius' equation f''' + f f''/2 = 0.
fn blasius(eta: f64) -> [f64; 3] {
    let rate = |[f, g, h]: [f64; 3]| [g, h, -0.5 * f * h];
    let steps = (eta / 0.01).ceil().max(1.0);
    let d = eta / steps;
    let mut y = [0.0, 0.0, 0.332_057_336_215_196];
    for _ in 0..steps as usize {
        let plus = |k: [f64; 3], by: f64| std::array::from_fn(|i| y[i] + by * k[i]);
        let a = rate(y);
        let b = rate(plus(a, 0.5 * d));
        let c = rate(plus(b, 0.5 * d));
        let e = rate(plus(c, d));
        y = std::array::from_fn(|i| y[i] + d / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + e[i]));
    }
    y
}

/// The means along a normal at the place `at` of a flow in the plane with constant density and pressure.
fn means(normal: &Normal, flow: impl Fn([f64; 2]) -> [f64; 2]) -> Vec<f64> {
    let gas = gas();
    let mut all = Vec::new();
    for &distance in &normal.distances {
        let place = |beside: f64| {
            let (n, t) = (normal.normal, normal.tangent());
            let x = [0, 1].map(|d| normal.at[d] + distance * (n[d] + beside * t[d]));
            let [u, v] = flow(x);
            vec![[1.0, u, v, 0.0, 3e5, 300.0]]
        };
        let places = [0.0, -BESIDE, BESIDE].map(place);
        all.extend(sums_of(places.iter().map(Vec::as_slice), &gas));
    }
    all
}

#[test]
fn the_thicknesses_of_a_flat_plate_are_those_of_blasius() {
    // A plate that is inclined, with the gas on either side of it: u along it, v away from it.
    let angle = 0.3f64;
    let (t, n) = ([angle.cos(), angle.sin()], [-angle.sin(), angle.cos()]);
    let flow = |x: [f64; 2]| {
        let (s, y) = (x[0] * t[0] + x[1] * t[1], x[0] * n[0] + x[1] * n[1]);
        let scale = (NU * s).sqrt();
        let [f, g, _] = blasius(y / scale);
        let v = 0.5 * (NU / s).sqrt() * (y / scale * g - f);
        [0, 1].map(|d| g * t[d] + v * n[d])
    };
    let scale = NU.sqrt();
    let gas = gas();
    let normal = Normal {
        at: t,
        normal: n,
        distances: distances(8.0 * scale, 81),
    };
    let means = means(&normal, flow);
    for edge in [Edge::PseudoVelocity, Edge::TotalPressure] {
        let analysis = Analysis {
            normal: &normal,
            edge,
            gas: &gas,
        };
        let results = analysis.results(&means);
        // H. Schlichting, K. Gersten, Boundary-Layer Theory, 9th ed., 2017, section 6.5: 4.910, 1.7208, 0.6641, 2.591.
        let exact = [
            4.90999 * scale,
            1.720_788 * scale,
            0.664_115 * scale,
            2.591_100,
            0.664_115 * 1e3,
            1.0,
        ];
        for ((name, _), (found, exact)) in RESULTS.iter().zip(results.iter().zip(exact)) {
            assert!(
                (found / exact - 1.0).abs() < 1e-4,
                "{edge:?} {name}: {found} for {exact}"
            );
        }
        let profile = analysis.profile(&means);
        let rows = profile.as_chunks::<{ COLUMNS.len() }>().0;
        for (row, distance) in rows.iter().zip(&normal.distances) {
            let [f, g, _] = blasius(distance / scale);
            assert!((row[0] - g).abs() < 1e-9);
            assert!((row[1] - 0.5 * scale * (distance / scale * g - f)).abs() < 1e-9);
            assert!(
                row[8..].iter().all(|x| x.abs() < 1e-12),
                "a steady flow has no stresses"
            );
        }
    }
}

#[test]
fn the_pseudo_velocity_on_a_cylinder_is_the_integral_of_the_vorticity() {
    // u = r - 1/r around a cylinder of radius 1 at rest, whose vorticity is 2 everywhere.
    let flow = |x: [f64; 2]| {
        let r = x[0].hypot(x[1]);
        let u = r - 1.0 / r;
        [-x[1] / r * u, x[0] / r * u]
    };
    let at = [0.6, 0.8];
    let normal = Normal {
        at,
        normal: at,
        distances: distances(0.5, 101),
    };
    let gas = gas();
    let analysis = Analysis {
        normal: &normal,
        edge: Edge::PseudoVelocity,
        gas: &gas,
    };
    let profile = analysis.profile(&means(&normal, flow));
    for (row, n) in profile.as_chunks::<{ COLUMNS.len() }>().0.iter().zip(&normal.distances) {
        let u = 1.0 + n - 1.0 / (1.0 + n);
        assert!((row[0] - u).abs() < 1e-12 && row[1].abs() < 1e-12, "{row:?}");
        // The places beside the normal are as far away as a tenth of the distance from the wall.
        assert!((row[7] - 2.0 * n).abs() <= 2e-3 * n, "{n}: {} for {}", row[7], 2.0 * n);
    }
}

#[test]
fn stresses_are_in_the_directions_of_the_wall_and_an_edge_that_is_not_there_is_no_number() {
    let gas = gas();
    let normal = Normal {
        at: [0.0; 2],
        normal: [0.0, -1.0],
        distances: distances(1.0, 9),
    };
    let analysis = Analysis {
        normal: &normal,
        edge: Edge::PseudoVelocity,
        gas: &gas,
    };
    // Two states with the fluctuations +-(0.1, 0.2, 0.3) about (2, 0, 0).
    let states = [1.0, -1.0].map(|s| [1.0, 2.0 + 0.1 * s, 0.2 * s, 0.3 * s, 3e5, 300.0]);
    let row = sums_of([&states[..]; 3].into_iter(), &gas);
    let profile = analysis.profile(&vec![row; 9].concat());
    for row in profile.as_chunks::<{ COLUMNS.len() }>().0 {
        // The tangent with the flow is x, and the normal -y.
        for (i, exact) in [(0, 2.0), (1, 0.0), (8, 0.01), (9, 0.04), (10, 0.09), (11, -0.02)] {
            assert!((row[i] - exact).abs() < 1e-12, "{}: {}", COLUMNS[i].0, row[i]);
        }
    }
    assert!(analysis.height_of(&[0.0; 9], 1.0).is_nan());
}
