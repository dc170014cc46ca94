//! Turbulence whose length varies over the inlet: the field is that of the formula with the spectrum of each point, its
//! stresses are those that are given wherever the length differs, and bad lengths are refused.

use std::f64::consts::{PI, TAU};

use crate::common::cases::{case, solver};
use crate::common::gas::shown;
use fr_les::device::Exterior;
use fr_les::physics::turbulence::{Convection, MODES_OF_A_SHELL, apply, cholesky, correction, product};
use fr_les::solver::{Inlet, Solver};

/// A channel with walls at y = 0.5 and 2; the length is 0 at them.
const LENGTH: &str = "min(0.5*(y - 0.5), min(0.5*(2 - y), 0.3))";
const STRESSES: [f64; 6] = [9e-4, 4e-4, 5e-4, -2e-4, 1e-4, 5e-5];

fn text(more: &str, elements: &str, turbulence: &str) -> String {
    format!(
        "mesh: {{box: {{cells: [4, 12, 12], lower: [0, 0.5, -1], upper: [1, 2, 1], periodic: [z], \
         elements: {elements}}}}}\norder: 2\n{more}\ngas: {{viscosity: {{constant: 1e-5}}}}\n\
         initial: {{u: 0.3, v: 0, w: 0, p: 1/1.4, rho: 1}}\nboundaries:\n  x-: {{type: velocity-inlet, u: 0.3, v: 0, \
         w: 0, temperature: 1/1.4, turbulence: {{stresses: [9e-4, 4e-4, 5e-4, -2e-4, 1e-4, 5e-5], {turbulence}}}}}\n  \
         x+: {{type: pressure-outlet, p: 1/1.4}}\n  y-: {{type: no-slip-adiabatic}}\n  y+: {{type: \
         no-slip-adiabatic}}\ntime: {{steps: 1}}\n"
    )
}

/// The energies of the shells of wave numbers k for a spectrum with its peak at `peak`, by the published formula.
fn shares(k: &[f64], peak: f64, inlet: &Inlet) -> Vec<f64> {
    let energy = |n: usize| {
        let (x, width) = (k[n] / peak, if n == 0 { k[0] } else { k[n] - k[n - 1] });
        let viscous = (-(12.0 * k[n] / inlet.ends.dissipation).powi(2)).exp();
        let cut = (-(4.0 * (k[n] - 0.9 * inlet.ends.cut).max(0.0) / inlet.ends.cut).powi(3)).exp();
        x.powi(4) / (1.0 + 2.4 * x * x).powf(17.0 / 6.0) * viscous * cut * width
    };
    let energies: Vec<f64> = (0..k.len()).map(energy).collect();
    let sum: f64 = energies.iter().sum();
    energies.iter().map(|e| e / sum).collect()
}

/// The wave number of the peak of the spectrum of an integral length: at most that of the cut-off, and 2 pi over twice
/// the distance from the wall at least.
fn peak(k: &[f64], length: f64, wall: f64, inlet: &Inlet) -> f64 {
    let of = |peak: f64| 0.75 * PI * shares(k, peak, inlet).iter().zip(k).map(|(q, k)| q / k).sum::<f64>();
    let (mut low, mut high) = (0.1 * inlet.spectrum.peak, inlet.ends.cut);
    for _ in 0..50 {
        let middle = (low * high).sqrt();
        if of(middle) > length {
            low = middle
        } else {
            high = middle
        }
    }
    high.max(TAU / (2.0 * wall)).min(inlet.ends.cut)
}

/// The fluctuation at a point by the formula, without the correction of the flow of volume.
fn by_formula(inlet: &Inlet, x: [f64; 3], time: f64) -> [f64; 3] {
    let k: Vec<f64> = inlet.spectrum.shells.iter().map(|shell| shell.k).collect();
    let wall = (x[1] - 0.5).min(2.0 - x[1]);
    let length = (0.5 * wall).min(0.3);
    let shares = shares(&k, peak(&k, length, wall, inlet), inlet);
    let mut sum = [0.0; 3];
    for (n, mode) in inlet.modes.iter().enumerate() {
        let turns: f64 = (0..3).map(|d| mode.wave[d] * (x[d] - inlet.centre[d])).sum();
        let angle = TAU * (turns + mode.phase - mode.frequency * time);
        let size = (2.0 * shares[n / MODES_OF_A_SHELL]).sqrt() * angle.cos();
        (0..3).for_each(|d| sum[d] += size * mode.direction[d]);
    }
    let restored = correction(&inlet.modes, &shares).expect("a full covariance");
    apply(product(cholesky(STRESSES).expect("positive definite"), restored), sum)
}

/// A point of the inlet: its position, its area vector with the weight, and its fluctuation.
type AtPoint = ([f64; 3], [f64; 3], [f64; 3]);

fn at_inlet(s: &Solver) -> Vec<AtPoint> {
    let field = s.device.boundary_fluctuation().unwrap();
    let geometry = &s.geometry;
    let order = s.elements.order;
    let mut points = Vec::new();
    for b in &s.device.plan().boundary_faces {
        let Exterior::Condition(boundary) = b.exterior else {
            continue;
        };
        if s.mesh.boundary_names[boundary] != "x-" {
            continue;
        }
        let kind = geometry.kinds[b.cell];
        let weights = s.elements.face_weights(kind.faces()[b.face].shape);
        for (l, p) in kind.face_indices(b.face, order).into_iter().enumerate() {
            let u = std::array::from_fn(|d| field[3 * (b.first_point + l) + d]);
            let area = geometry.face_areas(b.cell, b.face)[l].map(|a| a * weights[l]);
            points.push((geometry.cell_positions(b.cell)[p], area, u));
        }
    }
    points
}

#[test]
fn the_field_is_that_of_the_spectrum_of_each_point() {
    for (elements, precision, convection) in [
        ("hex", "double", ""),
        ("mixed", "double", ""),
        ("hex", "double", ", convection: frozen"),
        ("hex", "single", ""),
    ] {
        let turbulence = format!("length: \"{LENGTH}\", shells: 60{convection}");
        let mut s = solver(&text(&format!("precision: {precision}"), elements, &turbulence));
        let mut worst = [0.0f64; 2];
        for time in [0.0, 0.7, 123.5] {
            s.evaluate_rhs(time).unwrap();
            let (inlet, points) = (&s.inlets()[0], at_inlet(&s));
            let formula: Vec<[f64; 3]> = points.iter().map(|p| by_formula(inlet, p.0, time)).collect();
            // The correction of the flow of volume is the same velocity at all points: the stresses are uniform.
            let mut flow = 0.0;
            let mut before = 0.0;
            let mut size = 0.0;
            for ((_, area, u), expected) in points.iter().zip(&formula) {
                (0..3).for_each(|d| flow += area[d] * u[d]);
                (0..3).for_each(|d| before += area[d] * expected[d]);
                size += area.iter().map(|a| a * a).sum::<f64>().sqrt();
            }
            for ((x, _, u), expected) in points.iter().zip(&formula) {
                let shift = [before / size, 0.0, 0.0];
                let error = (0..3)
                    .map(|d| (u[d] - expected[d] - shift[d]).abs())
                    .fold(0.0, f64::max);
                assert!(error < 0.03, "{x:?}: {u:?} {expected:?}");
                worst[0] = worst[0].max(error / 0.03);
            }
            worst[1] = worst[1].max(flow.abs() / size / 0.03);
        }
        let inlet = &s.inlets()[0];
        println!(
            "{elements} {precision}{convection}: errors of field and flow {}",
            shown(&worst)
        );
        println!(
            "l_e from {:.3} to {:.3}",
            inlet.smallest_scale,
            inlet.spectrum.largest_scale()
        );
        // The amplitudes of the field are linear between rows.
        assert!(worst[0] < 1e-3, "{worst:?}");
        assert!(worst[1] < if precision == "single" { 1e-5 } else { 1e-9 }, "{worst:?}");
    }
}

#[test]
fn stresses_are_those_that_are_given_whatever_the_length_is() {
    let mut s = solver(&text("", "hex", &format!("length: \"{LENGTH}\"")));
    let inlet = &s.inlets()[0];
    // With the convection of Shur all modes have about the period of the largest scale.
    let period = inlet.spectrum.largest_scale() / inlet.velocity[0];
    let samples = 2000;
    let rows = [0.5625, 0.625, 0.75, 0.875, 1.25];
    let mut means = [[0.0; 6]; 5];
    let mut counts = [0.0; 5];
    for n in 0..samples {
        let time = 0.618_033_988_749_895 * period * f64::from(n);
        s.begin_step(&[time; 3]).unwrap();
        for (x, _, [u, v, w]) in at_inlet(&s) {
            let Some(row) = rows.iter().position(|y| (x[1] - y).abs() < 1e-9) else {
                continue;
            };
            counts[row] += 1.0;
            let products = [u * u, v * v, w * w, u * v, u * w, v * w];
            (0..6).for_each(|i| means[row][i] += products[i]);
        }
    }
    for ((y, mean), count) in rows.iter().zip(means).zip(counts) {
        let scale = [9e-4, 4e-4, 5e-4, 6e-4, 6.7e-4, 4.5e-4];
        let errors: [f64; 6] = std::array::from_fn(|i| (mean[i] / count - STRESSES[i]) / scale[i]);
        println!("y = {y}: errors of the stresses {errors:.3?}");
        // 2000 times are about as many independent samples: a variance has the deviation sqrt(2/2000) = 0.03 at a
        // point, and less in the mean over z.
        assert!(errors.iter().all(|e| e.abs() < 0.06), "y = {y}: {errors:?}");
    }
}

#[test]
fn steps_see_the_time_alone_and_threads_change_nothing() {
    let hash = |more: &str, look: bool| {
        let turbulence = format!("length: \"{LENGTH}\", shells: 30");
        let mut s = solver(&text(more, "mixed", &turbulence));
        for step in 0..6 {
            let time = 0.01 * f64::from(step);
            if look {
                s.evaluate_rhs(time + 0.004).unwrap();
            }
            s.step(time, 0.01).unwrap();
        }
        s.hash().unwrap()
    };
    for precision in ["precision: double", "precision: single"] {
        let expected = hash(precision, false);
        assert_eq!(expected, hash(precision, true));
        assert_eq!(expected, hash(&format!("{precision}\nthreads: 2"), false));
    }
}

#[test]
fn the_convection_follows_the_length_unless_it_is_given() {
    for (turbulence, expected) in [
        ("length: 0.2".to_owned(), Convection::Frozen),
        (format!("length: \"{LENGTH}\""), Convection::Shur),
        (format!("length: \"{LENGTH}\", convection: frozen"), Convection::Frozen),
    ] {
        let case = case(&text("", "hex", &turbulence));
        let inflow = case.solver.boundaries["x-"].turbulence().expect("turbulence");
        assert_eq!(inflow.turbulence.convection, expected, "{turbulence}");
    }
}

#[test]
fn lengths_that_do_not_go_with_the_inlet_are_refused() {
    for (length, part) in [
        ("0.4*(y - 0.6)", "turbulence.length is -0.04 at (0, 0.5, -1)"),
        ("0.2 + 0/(y - 0.5)", "turbulence.length is "),
        ("0.6*(y - 0.5)*(2 - y) + 0.5", "the inlet is periodic by 2.0"),
        ("2 + y", "above the size of the inlet"),
        ("0.001*(y - 0.5)", "is too short for the cells at the inlet"),
        ("0*y", "it is 0 at all points"),
    ] {
        // The distance from walls bounds the scale.
        let text = text("", "hex", &format!("length: \"{length}\""));
        let text = if part.contains("periodic") {
            text.replace("no-slip-adiabatic", "slip")
        } else {
            text
        };
        let case = case(&text);
        let Err(error) = Solver::new(&case.solver) else {
            panic!("{length} is accepted")
        };
        let message = error.to_string();
        println!("{message}");
        assert!(message.contains(part), "{message}");
        assert_eq!(error.key().as_deref(), Some("boundaries.x-.turbulence.length"));
    }
}
