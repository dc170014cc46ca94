//! Turbulent inlets: the field at the inlet is that of the formula, it makes no mass flow, and it is a function of time
//! alone, whatever the steps are.

use crate::common::cases::{advance, case, solver};
use crate::common::gas::shown;
use fr_les::device::Exterior;
use fr_les::physics::turbulence::{MODES_OF_A_SHELL, apply, cholesky, correction, product};
use fr_les::solver::{Inlet, Solver};

/// A box with an inlet at x = 0 that is periodic in these directions.
fn text(more: &str, periodic: &str, elements: &str, inlet: &str) -> String {
    let side = |axis: &str| {
        if periodic.contains(axis) {
            String::new()
        } else {
            format!(", {axis}-: {{type: slip}}, {axis}+: {{type: slip}}")
        }
    };
    format!(
        "mesh: {{box: {{cells: [4, 6, 4], lower: [0, 0.5, -1], upper: [1, 2, 0], periodic: [{periodic}], \
         elements: {elements}}}}}\norder: 2\n{more}\n\
         initial: {{u: 0.3, v: 0.05, w: 0, p: 1/1.4, rho: 1}}\n\
         boundaries: {{x-: {{type: velocity-inlet, {inlet}}}, x+: {{type: pressure-outlet, p: 1/1.4}}{}{}}}\n\
         time: {{steps: 1}}\n",
        side("y"),
        side("z")
    )
}

const INLET: &str = "u: 0.3, v: 0.05, w: 0, temperature: 1/1.4, turbulence: {length: 0.18, \
                     stresses: [9e-4, 4e-4, 5e-4, -2e-4, 1e-4, 5e-5], shells: 40, seed: 7}";

/// The fluctuation at a point by the formula, with the cosine of the system.
fn by_formula(inlet: &Inlet, stresses: [f64; 6], x: [f64; 3], time: f64) -> [f64; 3] {
    let shares: Vec<f64> = inlet.spectrum.shells.iter().map(|shell| shell.share).collect();
    let mut sum = [0.0; 3];
    for (n, mode) in inlet.modes.iter().enumerate() {
        let turns: f64 = (0..3).map(|d| mode.wave[d] * (x[d] - inlet.centre[d])).sum();
        let angle = std::f64::consts::TAU * (turns + mode.phase - mode.frequency * time);
        let size = 2.0 * 1.5f64.sqrt() * (shares[n / MODES_OF_A_SHELL] / 3.0).sqrt() * angle.cos();
        (0..3).for_each(|d| sum[d] += size * mode.direction[d]);
    }
    let restored = correction(&inlet.modes, &shares).expect("a full covariance");
    apply(product(cholesky(stresses).expect("positive definite"), restored), sum)
}

/// Returns for each point of the inlet its position, its area vector with the weight, and its fluctuation.
fn at_inlet(s: &Solver) -> Vec<([f64; 3], [f64; 3], [f64; 3])> {
    let field = s.device.boundary_fluctuation().unwrap();
    let geometry = &s.geometry;
    let order = s.elements.order;
    let mut points = Vec::new();
    for b in &s.device.plan().boundary_faces {
        let Exterior::Condition(boundary) = b.exterior else {
            continue;
        };
        let kind = geometry.kinds[b.cell];
        let weights = s.elements.face_weights(kind.faces()[b.face].shape);
        for (l, p) in kind.face_indices(b.face, order).into_iter().enumerate() {
            let u = std::array::from_fn(|d| field[3 * (b.first_point + l) + d]);
            if s.mesh.boundary_names[boundary] != "x-" {
                assert_eq!(u, [0.0; 3], "only the inlet has fluctuations");
                continue;
            }
            let area = geometry.face_areas(b.cell, b.face)[l].map(|a| a * weights[l]);
            points.push((geometry.cell_positions(b.cell)[p], area, u));
        }
    }
    points
}

const STRESSES: [f64; 6] = [9e-4, 4e-4, 5e-4, -2e-4, 1e-4, 5e-5];

#[test]
fn the_fluctuations_are_those_of_the_formula_and_make_no_mass_flow() {
    for (periodic, elements, precision, bound) in [
        ("y, z", "hex", "double", 1e-9),
        ("z", "hex", "double", 1e-9),
        ("", "mixed", "double", 1e-9),
        ("y, z", "tet", "double", 1e-9),
        ("y, z", "hex", "single", 1e-5),
        ("z", "prism", "single", 1e-5),
    ] {
        let mut s = solver(&text(&format!("precision: {precision}"), periodic, elements, INLET));
        let mut worst = [0.0f64; 2];
        for time in [0.0, 0.7, 1234.5] {
            s.evaluate_rhs(time).unwrap();
            let (inlet, points) = (&s.inlets()[0], at_inlet(&s));
            let formula = |x| by_formula(inlet, STRESSES, x, time);
            // The correction of the mass flow is the same velocity at all points: the stresses are uniform.
            let mut flow = 0.0;
            let mut before = 0.0;
            let mut size = 0.0;
            for &(x, area, u) in &points {
                (0..3).for_each(|d| flow += area[d] * u[d]);
                (0..3).for_each(|d| before += area[d] * formula(x)[d]);
                size += (area[0] * area[0] + area[1] * area[1] + area[2] * area[2]).sqrt();
            }
            for &(x, _, u) in &points {
                let expected = formula(x);
                let shift = [before / size, 0.0, 0.0];
                let error = (0..3)
                    .map(|d| (u[d] - expected[d] - shift[d]).abs())
                    .fold(0.0, f64::max);
                worst[0] = worst[0].max(error / 0.03);
            }
            worst[1] = worst[1].max(flow.abs() / size / 0.03);
        }
        println!(
            "periodic {periodic}, {elements}, {precision}: field, mass flow {}",
            shown(&worst)
        );
        assert!(
            worst[0] < bound && worst[1] < bound,
            "{elements} {precision}: {worst:?}"
        );
        // The field has the size of the stresses, and periodic inlets the same values on both sides.
        let points = at_inlet(&s);
        let mean = points.iter().map(|p| p.2[0] * p.2[0]).sum::<f64>() / points.len() as f64;
        assert!((0.3..3.0).contains(&(mean / 9e-4)), "{mean}");
        if periodic == "y, z" {
            let tolerance = bound * 0.1;
            for &(x, _, u) in points.iter().filter(|p| p.0[1] < 0.5 + 1e-9) {
                let other = points
                    .iter()
                    .find(|p| p.0[1] > 2.0 - 1e-9 && (p.0[2] - x[2]).abs() < 1e-9);
                let other = other.expect("a point across the period").2;
                assert!((0..3).all(|d| (u[d] - other[d]).abs() < tolerance), "{u:?} {other:?}");
            }
        }
    }
}

#[test]
fn steps_see_the_time_alone() {
    let hash = |more: &str, inlet: &str, look: bool| {
        let mut s = solver(&text(more, "y, z", "hex", inlet));
        let mut time = 0.0;
        for step in 0..6 {
            if look {
                s.evaluate_rhs(time + 0.01 * f64::from(step)).unwrap();
            }
            s.step(time, 0.01).unwrap();
            time += 0.01;
        }
        s.hash().unwrap()
    };
    for more in ["", "precision: single\ngas: {viscosity: {constant: 1e-5}}"] {
        let expected = hash(more, INLET, false);
        assert_eq!(expected, hash(more, INLET, true), "right-hand sides in between");
        // Values that change in time are written at every stage; these do not change.
        let varying = INLET.replace("w: 0", "w: 0*t");
        assert_eq!(
            expected,
            hash(more, &varying, false),
            "data that are written at every stage"
        );
        assert_ne!(
            expected,
            hash(more, &INLET.replace("seed: 7", "seed: 8"), false),
            "another seed"
        );
        let threads = hash(&format!("{more}\nthreads: 2"), INLET, false);
        assert_eq!(expected, threads, "threads");
    }
}

#[test]
fn the_velocity_behind_the_inlet_follows_the_fluctuations() {
    // 4.8 points an integral length, in all directions.
    let mut s = solver(
        "mesh: {box: {cells: [2, 12, 8], lower: [0, 0, 0], upper: [0.25, 1.5, 1], periodic: [y, z]}}\norder: 3\n\
         initial: {u: 0.3, v: 0, w: 0, p: 1/1.4, rho: 1}\nboundaries: {x-: {type: velocity-inlet, u: 0.3, v: 0, w: 0, \
         temperature: 1/1.4, turbulence: {length: 0.2, intensity: 0.03}}, x+: {type: far-field, u: 0.3, v: 0, w: 0, \
         p: 1/1.4, rho: 1}}\ntime: {steps: 1}\n",
    );
    advance(&mut s, 600, 2e-3);
    s.evaluate_rhs(1.2).unwrap();
    let state = s.device.state().unwrap();
    let fluctuations = s.device.boundary_fluctuation().unwrap();
    let (mut error, mut size) = ([0.0; 3], 0.0);
    for b in &s.device.plan().boundary_faces {
        let (first, np) = (s.geometry.first_point[b.cell], s.geometry.cell_points(b.cell));
        for (l, p) in s.geometry.kinds[b.cell].face_indices(b.face, 3).into_iter().enumerate() {
            let value = |v: usize| state[5 * first + v * np + p];
            let wanted: [f64; 3] = std::array::from_fn(|d| fluctuations[3 * (b.first_point + l) + d]);
            if wanted == [0.0; 3] {
                continue;
            }
            size += wanted.iter().map(|u| u * u).sum::<f64>() / 3.0;
            for d in 0..3 {
                let mean = if d == 0 { 0.3 } else { 0.0 };
                error[d] += (value(1 + d) / value(0) - mean - wanted[d]).powi(2);
            }
        }
    }
    let error = error.map(|e: f64| (e / size).sqrt());
    println!(
        "velocity of the cells at the inlet against the prescribed one, over its deviation: {}",
        shown(&error)
    );
    assert!(error.iter().all(|e| *e < 0.25), "{error:?}");
}

#[test]
fn turbulence_that_does_not_go_with_the_inlet_is_refused() {
    for (from, to, key, part) in [
        ("length: 0.18", "length: 0.3", "turbulence.length", "periodic by 1.0"),
        (
            "length: 0.18",
            "length: 0.05",
            "turbulence.length",
            "the shortest length that they leave is 0.",
        ),
        (
            "length: 0.18",
            "length: 1.3",
            "turbulence.length",
            "above the size of the inlet, 1.225",
        ),
        (
            "seed: 7",
            "speed: [0, 0.1, 0]",
            "turbulence.speed",
            "does not lead into the domain",
        ),
        (
            "-2e-4",
            "-2e-3*y",
            "turbulence.stresses",
            "it must be a positive definite matrix",
        ),
    ] {
        let case = case(&text("", "y, z", "hex", &INLET.replace(from, to)));
        let Err(error) = Solver::new(&case.solver) else {
            panic!("{to} is accepted")
        };
        let message = error.to_string();
        println!("{message}");
        assert!(message.contains(part), "{message}");
        assert_eq!(error.key().as_deref(), Some(format!("boundaries.x-.{key}").as_str()));
    }
}
