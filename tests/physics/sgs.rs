//! Sub-grid models: the eddy viscosity that the kernels compute for known velocity gradients on every kind of cell, and
//! what a model must not change.

use crate::common::cases::{advance, solver, taylor_green};
use crate::common::gas::gain;
use fr_les::element::ElementKind;
use fr_les::output::Integrals;
use fr_les::solver::Solver;

const MODELS: [&str; 4] = ["smagorinsky", "wale", "sigma", "vreman"];
pub(super) const KINDS: [&str; 4] = ["hex", "prism", "tet", "pyramid"];
const RHO: f64 = 1.3;

/// Velocity gradient, [component][direction].
pub(super) type Gradient = [[f64; 3]; 3];

/// A gas whose velocity has the constant gradient `g`, in a box of cubes of side 1/4. All boundaries prescribe that
/// velocity. `mu` is the molecular viscosity, and `t` the temperature (gas constant 1, gamma 1.4). `more` holds
/// further keys.
pub(super) fn linear(elements: &str, precision: &str, g: Gradient, mu: f64, t: &str, more: &str) -> Solver {
    let component = |row: [f64; 3]| format!("{}*x + {}*y + {}*z", row[0], row[1], row[2]);
    let state = format!(
        "u: {}, v: {}, w: {}, temperature: {t}, p: {RHO}",
        component(g[0]),
        component(g[1]),
        component(g[2])
    );
    let sides: String = ["x-", "x+", "y-", "y+", "z-", "z+"]
        .iter()
        .map(|side| format!("  {side}: {{type: supersonic-inlet, {state}}}\n"))
        .collect();
    solver(&format!(
        "mesh: {{box: {{cells: [2, 2, 2], lower: [0, 0, 0], upper: [0.5, 0.5, 0.5], elements: {elements}}}}}\n\
         order: 3\n\
         precision: {precision}\ngas: {{prandtl: 0.7, viscosity: {{constant: {mu}}}}}\n{more}\n\
         initial: {{{state}}}\nboundaries:\n{sides}time: {{steps: 1}}\n"
    ))
}

/// Dissipation tau : grad v for unit viscosity.
fn dissipation(g: Gradient) -> f64 {
    let dilatation = g[0][0] + g[1][1] + g[2][2];
    let mut sum = -2.0 / 3.0 * dilatation * dilatation;
    for i in 0..3 {
        for j in 0..3 {
            sum += (g[i][j] + g[j][i]) * g[i][j];
        }
    }
    sum
}

/// Square of the filter width for cubes of side 1/4 at p = 3.
fn delta2(elements: &str) -> f64 {
    let (kind, cells) = match elements {
        "hex" => (ElementKind::Hex, 1.0),
        "prism" => (ElementKind::Prism, 2.0),
        "tet" => (ElementKind::Tet, 6.0),
        _ => (ElementKind::Pyramid, 6.0),
    };
    (0.25f64.powi(3) / cells / kind.points(3) as f64).powf(2.0 / 3.0)
}

/// Returns the rate D that the kernels compute for a gradient, from the work of the stresses.
fn rate(model: &str, elements: &str, precision: &str, g: Gradient) -> f64 {
    let constant = 0.4;
    let mut s = linear(
        elements,
        precision,
        g,
        0.0,
        "1",
        &format!("sgs: {{model: {model}, constant: {constant}}}"),
    );
    s.evaluate_rhs(0.0).unwrap();
    let work = Integrals::of(&mut s).unwrap().dissipation_viscous;
    work / dissipation(g) / (RHO * constant * constant * delta2(elements))
}

/// Rotates a gradient: the same flow in other coordinates.
pub(super) fn turned(g: Gradient) -> Gradient {
    // This rotation has rational entries.
    let r = [[2.0, -1.0, 2.0], [2.0, 2.0, -1.0], [-1.0, 2.0, 2.0]].map(|row| row.map(|x| x / 3.0));
    let mut t = [[0.0; 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            for k in 0..3 {
                for l in 0..3 {
                    t[i][j] += r[i][k] * g[k][l] * r[j][l];
                }
            }
        }
    }
    t
}

const SHEAR: Gradient = [[0.0, 0.2, 0.0], [0.0; 3], [0.0; 3]];

/// Gradients with the rate D of each model, evaluated by hand.
///
/// Pure shear k: |S| = k, the others are zero. Isotropic contraction k: |S| = sqrt(6) k, the others are zero.
/// Stretching (a, b, c) along the axes: |S|^2 = 2 (a^2 + b^2 + c^2); the singular values are |a|, |b|, |c|; the
/// diagonal of Sd is a^2, b^2, c^2 less their mean; for Vreman, B = a^2 b^2 + a^2 c^2 + b^2 c^2 over g:g = a^2 + b^2 +
/// c^2.
fn by_hand() -> Vec<(&'static str, Gradient, [f64; 4])> {
    let diagonal = |a: f64, b: f64, c: f64| [[a, 0.0, 0.0], [0.0, b, 0.0], [0.0, 0.0, c]];
    // Stretching (0.3, -0.2, -0.1): squares 0.09, 0.04, 0.01, mean 0.14/3; S:S = 0.14, Sd:Sd = 0.0098/3.
    let (s, d) = (0.14f64, 0.0098f64 / 3.0);
    let stretching = d.powf(1.5) / (s.powf(2.5) + d.powf(1.25));
    // Shear 0.3 with stretching 0.1 across it: g^2 = diag(0, 0, 0.01), S:S = 0.045 + 0.01, Sd:Sd = 0.01^2 2/3; singular
    // values 0.3, 0.1, 0.
    let (s2, d2) = (0.055f64, 2e-4f64 / 3.0);
    let sheared = d2.powf(1.5) / (s2.powf(2.5) + d2.powf(1.25));
    vec![
        ("shear", SHEAR, [0.2, 0.0, 0.0, 0.0]),
        (
            "contraction",
            diagonal(-0.1, -0.1, -0.1),
            [0.1 * 6f64.sqrt(), 0.0, 0.0, 0.1],
        ),
        (
            "stretching",
            diagonal(0.3, -0.2, -0.1),
            [
                0.28f64.sqrt(),
                stretching,
                0.1 * 0.1 * 0.1 / 0.09,
                (0.0049f64 / 0.14).sqrt(),
            ],
        ),
        (
            "shear and stretching",
            [[0.0, 0.3, 0.0], [0.0; 3], [0.0, 0.0, 0.1]],
            [0.11f64.sqrt(), sheared, 0.0, (0.0009f64 / 0.1).sqrt()],
        ),
    ]
}

fn check_rates(elements: &str, precision: &str, relative: f64) {
    // Contraction does no work that would show a viscosity. The bound of the time step shows it.
    for (name, g, expected) in by_hand().into_iter().filter(|(name, ..)| *name != "contraction") {
        for (model, expected) in MODELS.iter().zip(expected) {
            for g in [g, turned(g)] {
                let found = rate(model, elements, precision, g);
                let scale = g.as_flattened().iter().map(|x| x * x).sum::<f64>().sqrt();
                assert!(
                    (found - expected).abs() < relative * scale,
                    "{model}, {name} on {elements}, {precision}: {found:e}, expected {expected:e}"
                );
            }
        }
    }
}

#[test]
fn models_take_the_rates_of_known_gradients_on_hexahedra() {
    check_rates("hex", "double", 1e-9);
}

#[test]
fn models_take_the_rates_of_known_gradients_on_every_kind_of_cell() {
    for elements in &KINDS[1..] {
        check_rates(elements, "double", 1e-9);
    }
}

#[test]
fn models_take_the_rates_of_known_gradients_in_single_precision() {
    check_rates("hex", "single", 1e-3);
    check_rates("tet", "single", 1e-3);
}

#[test]
fn the_eddy_viscosity_at_every_point_is_that_of_known_gradients() {
    for (elements, precision, relative) in KINDS
        .map(|kind| (kind, "double", 1e-9))
        .into_iter()
        .chain([("hex", "single", 1e-3), ("tet", "single", 1e-3)])
    {
        for (name, g, expected) in by_hand() {
            for (model, expected) in MODELS.iter().zip(expected) {
                let sgs = format!("sgs: {{model: {model}, constant: 0.4}}");
                let mut s = linear(elements, precision, turned(g), 0.0, "1", &sgs);
                s.evaluate_rhs(0.0).unwrap();
                let found = s.device.eddy_viscosity().unwrap();
                assert_eq!(found.len(), s.geometry.points.len());
                let unit = RHO * 0.16 * delta2(elements);
                let scale = g.as_flattened().iter().map(|x| x * x).sum::<f64>().sqrt();
                let error = |mu: &f64| (mu / unit - expected).abs() / scale;
                let worst = found.iter().map(error).fold(0.0, f64::max);
                assert!(
                    worst < relative,
                    "{model}, {name} on {elements}, {precision}: {worst:e}"
                );
            }
        }
    }
}

/// Returns D from the bound of the time step, which needs no work of stresses.
fn rate_of_the_bound(model: &str, elements: &str, g: Gradient) -> f64 {
    let of = |mu: f64, sgs: &str| {
        let mut s = linear(elements, "double", g, mu, "1", sgs);
        s.device
            .time_step_bounds()
            .unwrap()
            .viscous
            .into_iter()
            .fold(0.0, f64::max)
    };
    // The turbulent Prandtl number is that of the gas, so that mu_t has the same effect as mu.
    let sgs = format!("sgs: {{model: {model}, constant: 0.4, prandtl: 0.7}}");
    let with = of(0.0, &sgs) / of(1.0, "");
    with / (RHO * 0.16 * delta2(elements))
}

#[test]
fn the_bound_of_the_time_step_counts_the_eddy_viscosity() {
    for elements in KINDS {
        for (name, g, expected) in by_hand() {
            for (model, expected) in MODELS.iter().zip(expected) {
                let found = rate_of_the_bound(model, elements, turned(g));
                assert!(
                    (found - expected).abs() < 1e-8,
                    "{model}, {name} on {elements}: {found:e}, expected {expected:e}"
                );
            }
        }
    }
}

#[test]
fn solid_rotation_has_no_eddy_viscosity_but_with_wale_and_vreman() {
    let rotation = [[0.0, -0.2, 0.0], [0.2, 0.0, 0.0], [0.0; 3]];
    // S = 0 and Sd = 0.2^2 diag(-1/3, -1/3, 2/3) give D = (Sd:Sd)^(1/4), a known property of WALE.
    let wale = 0.2 * (2.0f64 / 3.0).powf(0.25);
    // The singular values are 0.2, 0.2 and 0: B = 0.2^4 and g:g = 2 0.2^2.
    let vreman = 0.2 / 2f64.sqrt();
    for (model, expected) in MODELS.iter().zip([0.0, wale, 0.0, vreman]) {
        let found = rate_of_the_bound(model, "hex", turned(rotation));
        assert!((found - expected).abs() < 1e-8, "{model}: {found:e}");
    }
}

#[test]
fn the_turbulent_prandtl_number_is_that_of_the_heat_flux() {
    // At pressure p and temperature T = 1 + a x the flux (mu_t/rho) rho grad T is p/T K a along x. Its divergence is -K
    // p a^2/T^2.
    let a = 0.1;
    let energy = |prandtl: f64| {
        let sgs = format!("sgs: {{model: smagorinsky, constant: 0.4, prandtl: {prandtl}}}");
        let mut s = linear("hex", "double", SHEAR, 0.0, &format!("1 + {a}*x"), &sgs);
        let rhs = s.rhs(0.0).unwrap();
        let mut all = Vec::new();
        crate::common::cases::each_point(&s, &rhs, |x, r| all.push((x[0], r[4])));
        all
    };
    let k = 0.16 * delta2("hex") * 0.2;
    let cp = 3.5;
    for ((x, low), (_, high)) in energy(0.45).into_iter().zip(energy(0.9)) {
        let t = 1.0 + a * x;
        let expected = -cp * (1.0 / 0.45 - 1.0 / 0.9) * k * RHO * a * a / (t * t);
        assert!(
            (low - high - expected).abs() < 2e-3 * expected.abs(),
            "at {x}: {} instead of {expected}",
            low - high
        );
    }
}

#[test]
fn a_model_with_the_constant_zero_changes_no_bit() {
    for elements in ["hex", "mixed"] {
        for precision in ["double", "single"] {
            let hash = |sgs: &str| {
                let more = format!("precision: {precision}\n{sgs}#warp\n");
                let text = taylor_green(4, 3, "{constant: 1/100}", &more)
                    .replace("    warp:", &format!("    elements: {elements}\n    warp:"));
                let mut s = solver(&text);
                advance(&mut s, 3, 2e-3);
                s.hash().unwrap()
            };
            let without = hash("");
            for model in MODELS {
                assert_eq!(
                    hash(&format!("sgs: {{model: {model}, constant: 0}}\n")),
                    without,
                    "{model}"
                );
                assert_ne!(hash(&format!("sgs: {{model: {model}}}\n")), without, "{model}");
            }
        }
    }
}

#[test]
fn models_conserve_and_dissipate() {
    for elements in ["hex", "mixed"] {
        // A flow without a third component has no third singular value, and sigma would be zero.
        let text = |sgs: &str| {
            taylor_green(4, 3, "{constant: 0}", &format!("{sgs}#warp\n"))
                .replace("w: 0\n", "w: 0.5*sin(x)*cos(y)\n")
                .replace("    warp:", &format!("    elements: {elements}\n    warp:"))
        };
        let decay = |s: &mut Solver| {
            s.evaluate_rhs(0.0).unwrap();
            Integrals::of(s).unwrap()
        };
        let without = decay(&mut solver(&text("")));
        for model in MODELS {
            let mut s = solver(&text(&format!("sgs: {{model: {model}}}\n")));
            for v in 0..5 {
                let gain = gain(&mut s, v);
                let scale = if v == 4 { 180.0 } else { 1.0 } * s.geometry.volume;
                assert!(
                    gain.abs() < 1e-11 * scale,
                    "{model} on {elements}, variable {v}: {gain:e}"
                );
            }
            let with = decay(&mut s);
            let (more, work) = (
                with.kinetic_energy_decay - without.kinetic_energy_decay,
                with.dissipation_viscous,
            );
            assert!(work > 0.0 && without.dissipation_viscous == 0.0, "{model}");
            // The work of the model is the loss of kinetic energy, up to the jumps between cells.
            assert!(
                (more / work - 1.0).abs() < 0.2,
                "{model} on {elements}: {more:e}, {work:e}"
            );
        }
    }
}

#[test]
fn a_uniform_flow_stays_uniform() {
    for elements in KINDS {
        for model in MODELS {
            let mut s = solver(&format!(
                "mesh:\n  box:\n    cells: [4, 2, 4]\n    lower: [0, 0, 0]\n    upper: [1, 2, 1.5]\n    \
                 periodic: [x, y, z]\n    warp: 0.3\n    \
                 elements: {elements}\norder: 3\ngas: {{viscosity: {{constant: 0.01}}}}\nsgs: {{model: {model}}}\n\
                 initial: {{u: 0.7, v: -0.4, w: 0.3, p: 1/1.4, rho: 1}}\ntime: {{steps: 1}}\n"
            ));
            let rate = s.device.time_step_bounds().unwrap().largest_convective();
            let largest = s.rhs(0.0).unwrap().iter().fold(0.0f64, |most, r| most.max(r.abs()));
            assert!(largest < 1e-12 * rate, "{model} on {elements}: {:e}", largest / rate);
        }
    }
}
