//! Passive scalars: exact properties, and observed orders against exact solutions.

use std::f64::consts::PI;

use crate::common::cases::{advance, advance_to, solver, taylor_green};
use fr_les::case::Correction;
use fr_les::device::Field;
use fr_les::element::ReferenceElement;
use fr_les::solver::Solver;

const KINDS: [&str; 5] = ["hex", "prism", "tet", "pyramid", "mixed"];

/// The scalar of a solver that has one, at all points.
fn values(solver: &Solver) -> Vec<f64> {
    solver.scalar_values().unwrap().remove(0).1
}

/// The root mean square error of the scalar at the points.
fn error(solver: &Solver, exact: impl Fn([f64; 3]) -> f64) -> f64 {
    let (values, points) = (values(solver), &solver.geometry.points);
    let squares = values.iter().zip(points).map(|(c, &x)| (c - exact(x)).powi(2));
    (squares.sum::<f64>() / values.len() as f64).sqrt()
}

/// The integral of rho c of the first scalar over the mesh, and that of its absolute value.
fn integral(solver: &Solver) -> [f64; 2] {
    let (geometry, order) = (&solver.geometry, solver.elements.order);
    let stored = solver.device.read(Field::Scalars).unwrap();
    let mut sums = [0.0; 2];
    for (cell, &kind) in geometry.kinds.iter().enumerate() {
        let (first, points) = (geometry.first_point[cell], geometry.cell_points(cell));
        let weights = ReferenceElement::new(kind, order, Correction::Radau).weights;
        for p in 0..points {
            let value = weights[p] * geometry.metrics[cell].jacobian(p) * stored[5 * first + p];
            sums[0] += value;
            sums[1] += value.abs();
        }
    }
    sums
}

/// A vortex in a box of such cells, with a scalar of this initial value and more lines.
fn vortex(kind: &str, order: usize, viscosity: &str, initial: &str, more: &str) -> String {
    let more = format!("scalars: {{c: {{schmidt: 0.7, initial: '{initial}'}}}}\n{more}\n#warp\n");
    taylor_green(4, order, viscosity, &more).replace("    warp:", &format!("    elements: {kind}\n    warp:"))
}

/// The forms of the scheme in which the flow changes its density in different ways.
const SCHEMES: [&str; 3] = [
    "scheme: {split: kennedy-gruber}",
    "scheme: {split: none, riemann: hllc, correction: lobatto}",
    "scheme: {entropy-correction: cells, riemann: roe-entropy-stable, shock: positivity}",
];

#[test]
fn a_constant_scalar_stays_constant_on_every_kind_of_cell() {
    for kind in KINDS {
        for (scheme, viscosity) in SCHEMES.iter().zip(["", "{constant: 1/20}", ""]) {
            let mut s = solver(&vortex(kind, 2, viscosity, "0.7", scheme));
            advance(&mut s, 5, 0.004);
            let worst = values(&s)
                .into_iter()
                .fold(0.0f64, |worst, c| worst.max((c - 0.7).abs()));
            println!("constant scalar, {kind}, {scheme}: {worst:.2e}");
            assert!(worst < 1e-13, "{kind}, {scheme}: {worst:e}");
        }
    }
}

/// The density that the fluxes alone advance is that of the flow, where nothing else changes it, so that the scalar's
/// terms with c = 1 are those of the flow.
#[test]
fn the_fluxes_of_the_scalars_are_those_of_the_density() {
    for kind in KINDS {
        for scheme in &SCHEMES[..2] {
            let mut s = solver(&vortex(kind, 3, "", "1", scheme));
            // Before the first stage ends, both densities have the same rate.
            advance(&mut s, 3, 0.002);
            let (state, stored) = (s.device.state().unwrap(), s.device.read(Field::Scalars).unwrap());
            let mut worst = 0.0f64;
            for cell in s.geometry.first_point.windows(2) {
                let (first, points) = (5 * cell[0], cell[1] - cell[0]);
                for p in 0..points {
                    worst = worst.max((state[first + p] - stored[first + p]).abs());
                }
            }
            println!("rho and rho c of c = 1, {kind}, {scheme}: {worst:.2e}");
            assert!(worst < 1e-13, "{kind}, {scheme}: {worst:e}");
        }
    }
}

#[test]
fn the_integral_of_a_scalar_is_conserved() {
    for kind in KINDS {
        for (scheme, viscosity) in SCHEMES.iter().zip(["{constant: 1/20}", "", ""]) {
            let mut s = solver(&vortex(kind, 2, viscosity, "1 + 0.5*sin(x)*cos(2*y)", scheme));
            let before = integral(&s);
            let there = values(&s);
            advance(&mut s, 20, 0.004);
            let after = integral(&s);
            let moved = values(&s)
                .iter()
                .zip(&there)
                .fold(0.0f64, |most, (a, b)| most.max((a - b).abs()));
            let change = (after[0] - before[0]).abs() / before[1];
            println!("integral of rho c, {kind}, {scheme}: {change:.2e}; values moved by {moved:.2}");
            assert!(change < 1e-13 && moved > 0.01, "{kind}, {scheme}: {change:e}");
        }
    }
}

/// The error of a wave of a scalar in a uniform oblique flow after a quarter of a period, with this diffusion D.
fn wave_error(kind: &str, order: usize, cells: usize, warp: f64, diffusion: f64) -> f64 {
    let viscosity = if diffusion > 0.0 {
        format!("gas: {{viscosity: {{constant: {}}}}}\n", 0.7 * diffusion)
    } else {
        String::new()
    };
    let text = format!(
        "mesh: {{box: {{cells: [{cells}, {cells}, {cells}], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, y, z], \
         elements: {kind}, warp: {warp}}}}}\norder: {order}\n{viscosity}\
         initial: {{u: 0.7, v: 0.4, w: 0.3, p: 1/1.4, rho: 1}}\n\
         scalars: {{c: {{schmidt: 0.7, initial: 'sin(2*pi*(x + z))'}}}}\ntime: {{steps: 1}}\n"
    );
    let mut s = solver(&text);
    let end = 0.25;
    advance_to(&mut s, end, 0.5);
    let wave = 2.0 * PI;
    let decay = (-2.0 * diffusion * wave * wave * end).exp();
    error(&s, |x| decay * (wave * (x[0] + x[2] - end)).sin())
}

/// The slope of the error over the mesh width between the first and the last of these meshes.
fn observed(name: &str, cells: [usize; 2], error: impl Fn(usize) -> f64) -> f64 {
    let errors = cells.map(error);
    let order = (errors[0] / errors[1]).ln() / (cells[1] as f64 / cells[0] as f64).ln();
    println!("{name}: errors {:.3e} {:.3e}, order {order:.2}", errors[0], errors[1]);
    order
}

#[test]
fn waves_of_a_scalar_converge_with_order_p_plus_1_on_every_kind_of_cell() {
    for kind in KINDS {
        for diffusion in [0.0, 0.01] {
            let meshes: &[_] = match kind {
                "hex" | "prism" => &[(2, [4, 8]), (3, [4, 8])],
                _ => &[(2, [4, 8])],
            };
            for &(order, cells) in meshes {
                let name = format!("scalar wave, {kind}, p {order}, D {diffusion}");
                let found = observed(&name, cells, |n| wave_error(kind, order, n, 0.0, diffusion));
                assert!(found > order as f64 + 0.5, "{name}: {found:.2}");
            }
        }
    }
}

#[test]
fn waves_of_a_scalar_converge_on_curved_cells() {
    for kind in ["hex", "mixed"] {
        for diffusion in [0.0, 0.01] {
            let name = format!("scalar wave, curved {kind}, p 2, D {diffusion}");
            let found = observed(&name, [4, 8], |n| wave_error(kind, 2, n, 0.1, diffusion));
            assert!(found > 2.5, "{name}: {found:.2}");
        }
    }
}

/// A layer of gas at rest between walls that hold two values: the steady profile is linear, and the scheme has it
/// exactly.
#[test]
fn a_layer_between_walls_of_two_values_keeps_its_linear_profile() {
    for kind in KINDS {
        let text = format!(
            "mesh: {{box: {{cells: [4, 2, 2], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, z], \
             elements: {kind}}}}}\norder: 2\ngas: {{viscosity: {{constant: 0.1}}}}\n\
             initial: {{u: 0, v: 0, w: 0, p: 1, rho: 1}}\n\
             boundaries: {{y-: {{type: no-slip-adiabatic}}, y+: {{type: no-slip-isothermal, temperature: 1}}}}\n\
             scalars:\n  held: {{schmidt: 0.7, initial: '2 + 3*y', boundaries: {{y-: 2, y+: 5}}}}\n  \
             found: {{schmidt: 0.7, initial: 2, boundaries: {{y-: 2, y+: 5}}}}\n  \
             closed: {{schmidt: 0.7, initial: 1}}\ntime: {{steps: 1}}\n"
        );
        let mut s = solver(&text);
        advance_to(&mut s, 20.0, 0.8);
        let all = s.scalar_values().unwrap();
        let worst = |name: &str, exact: fn(f64) -> f64| {
            let (_, values) = all.iter().find(|(found, _)| found == name).expect(name);
            let points = s.geometry.points.iter();
            points
                .zip(values)
                .fold(0.0f64, |worst, (x, c)| worst.max((c - exact(x[1])).abs()))
        };
        let errors = [
            worst("held", |y| 2.0 + 3.0 * y),
            worst("found", |y| 2.0 + 3.0 * y),
            worst("closed", |_| 1.0),
        ];
        println!("layer, {kind}: {errors:?}");
        assert!(
            errors[0] < 1e-11 && errors[1] < 1e-9 && errors[2] < 1e-11,
            "{kind}: {errors:?}"
        );
    }
}

/// A uniform flow carries the value of the inlet through the domain; what leaves has no influence.
#[test]
fn what_flows_in_has_the_value_of_the_inlet() {
    for (kind, viscosity) in [
        ("hex", ""),
        ("mixed", ""),
        ("hex", "gas: {viscosity: {constant: 1e-3}}\n"),
    ] {
        let state = "u: 0.5, v: 0, w: 0, p: 1/1.4, rho: 1";
        let text = format!(
            "mesh: {{box: {{cells: [4, 2, 2], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [y, z], \
             elements: {kind}}}}}\norder: 2\n{viscosity}initial: {{{state}}}\n\
             boundaries: {{x-: {{type: far-field, {state}}}, x+: {{type: far-field, {state}}}}}\n\
             scalars: {{c: {{schmidt: 0.7, initial: 0, boundaries: {{x-: 2, x+: 7}}}}}}\ntime: {{steps: 1}}\n"
        );
        let mut s = solver(&text);
        advance_to(&mut s, 8.0, 0.8);
        let worst = error(&s, |_| 2.0);
        println!("inlet, {kind}, {viscosity}: {worst:.2e}");
        assert!(worst < 1e-6, "{kind}: {worst:e}");
    }
}

#[test]
fn the_flow_has_the_same_bits_with_and_without_scalars() {
    for (scheme, more) in [
        ("rk4", ""),
        ("lsrk5", "sgs: {model: wale}\n"),
        ("lsrk10", ""),
        ("lsrk14", ""),
    ] {
        for kind in ["hex", "mixed"] {
            let text = vortex(kind, 2, "{constant: 1/50}", "sin(x)", more);
            let text = text.replace("cfl: 0.9", &format!("cfl: 0.9, scheme: {scheme}"));
            let mut with = solver(&text);
            let bare: Vec<&str> = text.lines().filter(|line| !line.starts_with("scalars")).collect();
            let mut without = solver(&bare.join("\n"));
            advance(&mut with, 4, 0.01);
            advance(&mut without, 4, 0.01);
            assert_eq!(with.hash().unwrap(), without.hash().unwrap(), "{scheme}, {kind}");
        }
    }
}

/// Tests that need a GPU.
mod gpu {
    use super::*;

    /// Strict arithmetic gives the scalars the same bits on a GPU as on a CPU.
    #[test]
    #[ignore = "needs an NVIDIA GPU"]
    fn cpu_and_gpu_give_the_same_bits_of_scalars() {
        for kind in KINDS {
            for more in ["", "sgs: {model: wale}", "precision: single"] {
                let bits = |device: &str| {
                    let more = format!("{more}\ndevice: {device}\narithmetic: strict");
                    let mut s = solver(&vortex(kind, 3, "{constant: 1/1600}", "sin(x)*cos(y)", &more));
                    advance(&mut s, 20, 0.002);
                    (s.hash().unwrap(), s.scalars_hash().unwrap())
                };
                assert_eq!(bits("cpu"), bits("cuda"), "{kind}, {more}");
            }
        }
    }
}
