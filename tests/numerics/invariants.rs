//! Exact properties of the scheme: conservation, kinetic energy, antisymmetry and determinism.

use crate::common::cases::{advance, case, each_point, solver, taylor_green};
use crate::common::physics::physics;
use crate::common::random::Random;
use fr_les::case::{Riemann, Split};
use fr_les::device::cpu::probe;
use fr_les::element::{ElementKind, FaceShape};
use fr_les::mesh::Side;
use fr_les::output::Integrals;
use fr_les::solver::Solver;

const INTERFACE_FLUXES: [Riemann; 5] = [
    Riemann::Roe,
    Riemann::RoeEntropyStable,
    Riemann::Hllc,
    Riemann::Rusanov,
    Riemann::Central,
];

fn integrals(solver: &mut Solver) -> Integrals {
    solver.evaluate_rhs(0.0).unwrap();
    Integrals::of(solver).unwrap()
}

#[test]
fn interface_flux_is_antisymmetric_to_the_last_bit() {
    let mut random = Random(1);
    let mut state = |rough: bool| -> Vec<f64> {
        let spread = if rough { 3.0 } else { 1e-3 };
        vec![
            1.0 + spread * random.next(),
            spread * (random.next() - 0.5),
            spread * (random.next() - 0.5),
            spread * (random.next() - 0.5),
            1.0 + spread * random.next(),
        ]
    };
    let (mut there, mut back) = (Vec::new(), Vec::new());
    for k in 0..4000 {
        let i = state(k % 2 == 0);
        let o = state(k % 2 == 0);
        let a = state(true);
        let area = [a[0] - 2.0, a[1], a[2]];
        there.push([&i[..], &o[..], &area[..]].concat());
        back.push([&o[..], &i[..], &area.map(|x| -x)[..]].concat());
    }
    for split in [Split::None, Split::KennedyGruber] {
        for riemann in INTERFACE_FLUXES {
            let physics = physics(1.4, 1.0, split, riemann);
            let double = |x: &[Vec<f64>]| probe::interface_flux::<f64>(&physics, x).expect("CPU");
            let single = |x: &[Vec<f64>]| probe::interface_flux::<f32>(&physics, x).expect("CPU");
            for (f, g) in [(double(&there), double(&back)), (single(&there), single(&back))] {
                for (k, (f, g)) in f.iter().zip(&g).enumerate() {
                    for v in 0..5 {
                        assert!(f[v].is_finite());
                        assert_eq!(f[v], -g[v], "{riemann:?}, pair {k}, variable {v}");
                    }
                }
            }
        }
    }
}

#[test]
fn interface_flux_of_equal_states_is_the_flux_itself() {
    for riemann in INTERFACE_FLUXES {
        let q = [1.3, 0.4, -0.2, 0.1, 0.9];
        let a = [0.3, -0.5, 0.7];
        let f = &probe::interface_flux::<f64>(
            &physics(1.4, 1.0, Split::KennedyGruber, riemann),
            &[[&q[..], &q[..], &a[..]].concat()],
        )
        .expect("CPU")[0];
        let through: f64 = (0..3).map(|i| q[1 + i] * a[i]).sum();
        let p = q[0] * q[4];
        let h = 3.5 * q[4] + 0.5 * (q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        let mass = q[0] * through;
        let exact = [
            mass,
            mass * q[1] + p * a[0],
            mass * q[2] + p * a[1],
            mass * q[3] + p * a[2],
            mass * h,
        ];
        for v in 0..5 {
            assert!(
                (f[v] - exact[v]).abs() < 1e-14,
                "{riemann:?} variable {v}: {} != {}",
                f[v],
                exact[v]
            );
        }
    }
}

#[test]
fn two_point_form_equals_the_seven_term_form() {
    compare_forms(1..=5);
}

mod long {
    #[test]
    #[ignore = "needs kernels of all orders"]
    fn two_point_form_equals_the_seven_term_form_at_high_order() {
        super::compare_forms(6..=8);
    }
}

/// Compares the two-point form with the seven-term form on random lines.
fn compare_forms(orders: std::ops::RangeInclusive<usize>) {
    let mut random = Random(7);
    for order in orders {
        let n = order + 1;
        let lines: Vec<Vec<f64>> = (0..50)
            .map(|_| (0..3 * n).map(|_| 1.0 + random.next()).collect())
            .collect();
        let both =
            probe::split_derivative::<f64>(order, &physics(1.4, 1.0, Split::KennedyGruber, Riemann::Roe), &lines)
                .expect("CPU");
        for r in both {
            for i in 0..n {
                let scale = 8.0 * (n * n) as f64;
                assert!(
                    (r[i] - r[n + i]).abs() < 1e-14 * scale,
                    "p {order} point {i}: {} != {}",
                    r[i],
                    r[n + i]
                );
            }
        }
    }
}

#[test]
fn mass_momentum_and_energy_drift_by_round_off_only() {
    for more in [
        "",
        "#warp\n",
        "scheme: {correction: lobatto}\n",
        "scheme: {entropy-correction: cells}\n",
    ] {
        let mut s = solver(&taylor_green(4, 3, "{constant: 1/100}", more));
        let before = integrals(&mut s);
        let dt = 0.5 * {
            let rates = s.device.time_step_bounds().unwrap();
            s.stable_step(&rates)
        };
        advance(&mut s, 1000, dt);
        let after = integrals(&mut s);
        // Total momentum is zero, so its scale is the mean of |rho v|.
        let momentum = s.geometry.volume * (2.0 * before.kinetic_energy).sqrt();
        let scale = [before.conserved[0], momentum, momentum, momentum, before.conserved[4]];
        for v in 0..5 {
            let drift = (after.conserved[v] - before.conserved[v]).abs() / scale[v];
            println!("drift over 1000 steps '{}' variable {v}: {drift:.2e}", more.trim());
            assert!(drift <= 1e-13, "'{more}' variable {v}: {drift:e}");
        }
        assert!(
            after.kinetic_energy < 0.99 * before.kinetic_energy,
            "the flow must have moved for this to mean anything"
        );
    }
}

/// Rate of change of the kinetic energy and the work of pressure in the norm of the scheme, which is the quadrature of
/// the Gauss-Lobatto points, and with its gradient: the derivative inside the cell, corrected towards the means of both
/// sides of the faces. The columns of integrals.csv are integrals of polynomials, for which the identity does not hold
/// to round-off.
fn budget_of_the_scheme(s: &mut Solver) -> (f64, f64) {
    let (rhs, state) = (s.rhs(0.0).unwrap(), s.device.state().unwrap());
    let kind = ElementKind::Hex;
    let order = s.elements.order;
    let line = &s.elements.line;
    let n = order + 1;
    let np = kind.points(order);
    let weights = s.elements.weights(kind);
    let at = |field: &[f64], cell: usize, v: usize, p: usize| field[(5 * cell + v) * np + p];
    let velocity = |cell: usize, v: usize, p: usize| at(&state, cell, 1 + v, p) / at(&state, cell, 0, p);
    let faces: [Vec<usize>; 6] = std::array::from_fn(|face| kind.face_indices(face, order));
    let (mut rate, mut work) = (0.0, 0.0);
    for cell in 0..s.mesh.len() {
        let metrics = &s.geometry.metrics[cell];
        let sides = s.mesh.cell_sides(cell);
        let beyond = |face: usize, f: usize, v: usize| {
            let Side::Cell {
                cell,
                face,
                orientation,
            } = sides[face]
            else {
                panic!("a periodic box has no boundary")
            };
            velocity(
                cell,
                v,
                faces[face][FaceShape::Quad.oriented_point(orientation, f, order)],
            )
        };
        let mut divergence = vec![0.0; np]; // times J
        for d in 0..3 {
            let stride = n.pow(d as u32);
            for (f, &start) in faces[2 * d].iter().enumerate() {
                for v in 0..3 {
                    let q: Vec<f64> = (0..n).map(|m| velocity(cell, v, start + m * stride)).collect();
                    let jumps = [(2 * d, q[0]), (2 * d + 1, q[n - 1])];
                    let [lower, upper] = jumps.map(|(face, own)| 0.5 * (beyond(face, f, v) - own));
                    for i in 0..n {
                        let inside: f64 = (0..n).map(|k| line.diff[i * n + k] * q[k]).sum();
                        let slope = inside + line.correction[i] * lower - line.correction[n - 1 - i] * upper;
                        divergence[start + i * stride] += metrics.term(d, v, start + i * stride) * slope;
                    }
                }
            }
        }
        for p in 0..np {
            let v = [0, 1, 2].map(|n| velocity(cell, n, p));
            let half = 0.5 * v.iter().map(|v| v * v).sum::<f64>();
            let momentum: f64 = (0..3).map(|n| v[n] * at(&rhs, cell, 1 + n, p)).sum();
            rate += weights[p] * metrics.jacobian(p) * (momentum - half * at(&rhs, cell, 0, p));
            let pressure = 0.4 * (at(&state, cell, 4, p) - at(&state, cell, 0, p) * half);
            work += weights[p] * pressure * divergence[p];
        }
    }
    (rate / s.geometry.volume, work / s.geometry.volume)
}

#[test]
fn summation_by_parts_scheme_changes_kinetic_energy_by_pressure_work_alone() {
    for more in ["", "#warp\n"] {
        let scheme = "scheme: {correction: lobatto, riemann: central}\n";
        let mut s = solver(&taylor_green(4, 4, "", &format!("{more}{scheme}")));
        advance(&mut s, 60, 5e-3); // to a state without symmetry between the terms
        let (rate, work) = budget_of_the_scheme(&mut s);
        let imbalance = rate - work;
        println!(
            "'{}' rate {rate:.6e}, pressure work {work:.6e}, difference {imbalance:.2e}",
            more.trim()
        );
        assert!(work.abs() > 1e-7, "pressure must do work for this to mean anything");
        // p div v is a difference of terms of size p |v| / h.
        assert!(imbalance.abs() < 1e-12, "{imbalance:e}");
    }
}

#[test]
fn divergence_form_does_not_keep_kinetic_energy() {
    let mut s = solver(&taylor_green(
        4,
        4,
        "",
        "scheme: {split: none, correction: lobatto, riemann: central}\n",
    ));
    advance(&mut s, 60, 5e-3);
    let (rate, work) = budget_of_the_scheme(&mut s);
    assert!((rate - work).abs() > 1e-9);
}

#[test]
fn kahan_summation_keeps_increments_that_single_precision_loses() {
    // Gas under a force so weak that the increment of one step is far below the last digit of the momentum.
    let run = |kahan: bool| {
        let text = format!(
            "mesh: {{box: {{cells: [2, 2, 2], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, y, z]}}}}\norder: 1\n\
             precision: single\ninitial: {{u: 1, v: 0, w: 0, p: 1, rho: 1}}\nforcing: {{force: [1e-5, 0, 0]}}\n\
             time: {{steps: 1, dt: 1e-3, kahan: {kahan}}}\n"
        );
        let mut s = solver(&text);
        advance(&mut s, 100_000, 1e-3);
        integrals(&mut s).conserved[1] - 1.0
    };
    let exact = 1e-5 * 1e-3 * 1e5;
    let with = run(true);
    let without = run(false);
    println!("momentum gained: exact {exact:e}, with Kahan {with:e}, without {without:e}");
    assert!((with / exact - 1.0).abs() < 1e-3, "{with:e}");
    assert!(
        without.abs() < 0.1 * exact,
        "without compensation the increments must be lost, or the test shows nothing: {without:e}"
    );
}

#[test]
fn threads_and_vector_widths_give_the_same_bits() {
    for more in ["", "#warp\n", "precision: single\n"] {
        // 3^3 cells leave vector lanes unused and neighbours scattered; with 4^3 cells neighbours are side by side.
        for cells in [3, 4] {
            let hash = |threads: usize| {
                let text = taylor_green(
                    cells,
                    3,
                    "{sutherland: {mu-ref: 0.01, t-ref: 71.4, s: 20}}",
                    &format!("{more}threads: {threads}\n"),
                );
                let mut s = solver(&text);
                advance(&mut s, 20, 4e-3);
                s.hash().unwrap()
            };
            assert_eq!(hash(1), hash(2), "'{more}' {cells}^3 cells");
        }
    }
}

#[test]
fn hash_tells_states_apart() {
    let mut a = solver(&taylor_green(2, 2, "", ""));
    let before = a.hash().unwrap();
    advance(&mut a, 1, 1e-6);
    assert_ne!(before, a.hash().unwrap());
}

#[test]
fn time_step_respects_acoustic_and_viscous_limits() {
    let step = |viscosity: &str, cells: usize| {
        let mut s = Solver::new(&case(&taylor_green(cells, 3, viscosity, "")).solver).expect("valid");
        let rates = s.device.time_step_bounds().unwrap();
        s.stable_step(&rates)
    };
    // The acoustic limit halves with the width of the cell. The viscous limit quarters with it, and halves with twice
    // the viscosity.
    assert!((step("", 4) / step("", 8) - 2.0).abs() < 0.02);
    assert!((step("{constant: 50}", 4) / step("{constant: 50}", 8) - 4.0).abs() < 0.02);
    assert!((step("{constant: 50}", 4) / step("{constant: 100}", 4) - 2.0).abs() < 0.01);
}

#[test]
fn runs_at_the_stability_limit_are_stable_and_beyond_it_are_not() {
    for viscosity in ["", "{constant: 2}"] {
        let grows = |factor: f64| {
            let mut s = solver(&taylor_green(4, 3, viscosity, ""));
            let dt = factor * {
                let rates = s.device.time_step_bounds().unwrap();
                s.stable_step(&rates)
            };
            advance(&mut s, 400, dt);
            s.device.time_step_bounds().unwrap().unphysical.is_some()
        };
        assert!(!grows(0.95), "'{viscosity}': unstable within the limit");
        assert!(
            grows(4.0),
            "'{viscosity}': stable far beyond the limit, so the limit is not one"
        );
    }
}

#[test]
fn a_force_works_on_the_gas_and_heat_adds_to_its_energy() {
    for elements in ["hex", "tet"] {
        let mut s = solver(&format!(
            "mesh: {{box: {{cells: [2, 2, 2], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, y, z], \
             elements: {elements}}}}}\norder: 2\n\
             initial: {{u: 0.5, v: -0.25, w: 2, p: 1, rho: 1}}\ntime: {{steps: 1}}\n"
        ));
        let force = [0.3, 0.2, -0.1];
        s.set_source(fr_les::solver::Source {
            value: Box::new(move |_, _| [0.0, force[0], force[1], force[2], 0.7]),
            varies: false,
        })
        .unwrap();
        let rhs = s.rhs(0.0).unwrap();
        let work = 0.5 * force[0] - 0.25 * force[1] + 2.0 * force[2];
        each_point(&s, &rhs, |_, rate| {
            let expected = [0.0, force[0], force[1], force[2], 0.7 + work];
            for v in 0..5 {
                assert!(
                    (rate[v] - expected[v]).abs() < 1e-12,
                    "{elements} variable {v}: {rate:?}"
                );
            }
        });
    }
}
