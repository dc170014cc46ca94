//! The artificial bulk viscosity: its value for known velocity gradients on every kind of cell, what it leaves alone,
//! and how much less noise there is behind an oblique shock.

use super::sgs::{Gradient, KINDS, linear, turned};
use super::shocks::run_to;
use crate::common::cases::{each_point, solver};
use crate::common::gas::gain;
use fr_les::element::ElementKind;
use fr_les::output::Integrals;
use fr_les::solver::Solver;

/// The density of `linear`.
const RHO: f64 = 1.3;
const BULK: &str = "scheme: {artificial-bulk-viscosity: 1.5}";

fn divergence(g: Gradient) -> f64 {
    g[0][0] + g[1][1] + g[2][2]
}

/// beta/(1.5 rho Delta^2): the compression times its share beside the vorticity.
fn strength(g: Gradient) -> f64 {
    let theta = divergence(g);
    let curl = [g[2][1] - g[1][2], g[0][2] - g[2][0], g[1][0] - g[0][1]];
    let turning: f64 = curl.iter().map(|c| c * c).sum();
    (-theta).max(0.0) * theta * theta / (theta * theta + turning)
}

/// Delta^2 of a cell, from the gradients of its reference coordinates at its first point. Those of a triangle or a
/// tetrahedron have one more, minus their sum, and count half.
fn delta2(s: &Solver, cell: usize, g: Gradient) -> f64 {
    let (metrics, kind) = (&s.geometry.metrics[cell], s.geometry.kinds[cell]);
    let simplex = match kind {
        ElementKind::Hex | ElementKind::Pyramid => 0,
        ElementKind::Prism => 2,
        ElementKind::Tet => 3,
    };
    let (mut across, mut norm) = (0.0, 0.0);
    for row in g {
        norm += row.iter().map(|x| x * x).sum::<f64>();
        let mut last = 0.0;
        for d in 0..3 {
            let extent = if kind == ElementKind::Pyramid && d == 2 {
                2.0
            } else {
                1.0
            };
            let along = |n: usize| extent * metrics.term(d, n, 0) / metrics.jacobian(0);
            let change: f64 = (0..3).map(|n| along(n) * row[n]).sum();
            if d < simplex {
                last += change;
                across += 0.5 * change * change;
            } else {
                across += change * change;
            }
        }
        across += 0.5 * last * last;
    }
    norm / across * (2.0f64 / 4.0).powi(2)
}

/// Gradients with compression: along one axis, along all of them, with rotation; and an expansion.
fn gradients() -> Vec<Gradient> {
    vec![
        [[-0.3, 0.0, 0.0], [0.0; 3], [0.0; 3]],
        [[-0.1, 0.0, 0.0], [0.0, -0.1, 0.0], [0.0, 0.0, -0.1]],
        [[-0.3, 0.2, 0.0], [-0.1, 0.1, 0.0], [0.0; 3]],
        [[0.3, 0.0, 0.0], [0.0; 3], [0.0; 3]],
    ]
}

/// The work of the stresses is beta (div v)^2, with the mean of beta over the cells.
fn check_work(elements: &str, precision: &str, relative: f64) {
    for g in gradients() {
        for g in [g, turned(g)] {
            let mut s = linear(elements, precision, g, 0.0, "1", BULK);
            s.evaluate_rhs(0.0).expect("a right-hand side");
            let work = Integrals::of(&mut s).expect("integrals").dissipation_viscous;
            let volume = |cell: usize| {
                let weights = s.elements.weights(s.geometry.kinds[cell]);
                s.geometry.metrics[cell].jacobian(0) * weights.iter().sum::<f64>()
            };
            let mean: f64 = (0..s.mesh.len()).map(|cell| volume(cell) * delta2(&s, cell, g)).sum();
            let beta = 1.5 * RHO * strength(g) * mean / s.geometry.volume;
            let expected = beta * divergence(g).powi(2);
            assert!(
                (work - expected).abs() <= relative * (expected + 1e-6),
                "{g:?} on {elements}, {precision}: {work:e}, expected {expected:e}"
            );
        }
    }
}

#[test]
fn the_work_in_known_gradients_is_that_of_the_formula() {
    for elements in KINDS {
        check_work(elements, "double", 1e-9);
    }
    check_work("hex", "single", 1e-3);
    check_work("tet", "single", 1e-3);
}

/// Cubes are cut into prisms along the diagonal of x and y. Along the edges a prism is as long as they are, along its
/// diagonal as long as this, and across it less, in both halves of a cube, whose coordinates begin at other corners.
#[test]
fn the_length_of_a_prism_does_not_depend_on_its_first_vertex() {
    for (degrees, square) in [(0.0f64, 1.0), (45.0, 2.0), (90.0, 1.0), (135.0, 2.0 / 3.0)] {
        let (sine, cosine) = degrees.to_radians().sin_cos();
        let row = |factor: f64| [-0.3 * factor * cosine, -0.3 * factor * sine, 0.0];
        let mut s = linear("prism", "double", [row(cosine), row(sine), [0.0; 3]], 0.0, "1", BULK);
        s.evaluate_rhs(0.0).expect("a right-hand side");
        let work = Integrals::of(&mut s).expect("integrals").dissipation_viscous;
        let expected = 1.5 * RHO * square * (0.25f64 / 4.0).powi(2) * 0.3f64.powi(3);
        assert!(
            (work / expected - 1.0).abs() < 1e-9,
            "{degrees} degrees: {work:e}, not {expected:e}"
        );
    }
}

/// In a box of cells 0.5, 0.1 and 0.02 long, the length is that of the direction in which the velocity changes.
#[test]
fn the_length_is_that_of_the_cell_across_the_shock() {
    for (direction, name) in ["x", "y", "z"].into_iter().enumerate() {
        let side = [0.5, 0.1, 0.02];
        let mut velocity = ["0".to_owned(), "0".to_owned(), "0".to_owned()];
        velocity[direction] = format!("-0.3*{name}");
        let [u, v, w] = velocity;
        let state = format!("u: {u}, v: {v}, w: {w}, temperature: 1, p: {RHO}");
        let sides: String = ["x-", "x+", "y-", "y+", "z-", "z+"]
            .iter()
            .map(|side| format!("  {side}: {{type: supersonic-inlet, {state}}}\n"))
            .collect();
        let mut s = solver(&format!(
            "mesh: {{box: {{cells: [2, 2, 2], lower: [0, 0, 0], upper: [1, 0.2, 0.04]}}}}\norder: 3\n\
             gas: {{viscosity: {{constant: 0}}}}\n{BULK}\n\
             initial: {{{state}}}\nboundaries:\n{sides}time: {{steps: 1}}\n"
        ));
        s.evaluate_rhs(0.0).expect("a right-hand side");
        let work = Integrals::of(&mut s).expect("integrals").dissipation_viscous;
        let expected = 1.5 * RHO * (side[direction] / 4.0f64).powi(2) * 0.3f64.powi(3);
        assert!(
            (work / expected - 1.0).abs() < 1e-9,
            "{name}: {work:e}, not {expected:e}"
        );
    }
}

#[test]
fn the_bound_of_the_time_step_counts_it() {
    let g = gradients()[0];
    let of = |mu: f64, more: &str| {
        let mut s = linear("hex", "double", g, mu, "1", more);
        s.device.time_step_bounds().expect("bounds").viscous[ElementKind::Hex as usize]
    };
    // The gas has the Prandtl number 0.7, so that its viscosity counts twice: gamma/Pr.
    let beta = 2.0 * of(0.0, BULK) / of(1.0, "");
    let expected = 1.5 * RHO * 0.0625f64.powi(2) * strength(g);
    assert!((beta / expected - 1.0).abs() < 1e-9, "{beta:e}, not {expected:e}");
}

#[test]
fn it_conserves() {
    for elements in ["hex", "mixed"] {
        let mut s = solver(&format!(
            "mesh: {{box: {{cells: [4, 2, 2], lower: [0, 0, 0], upper: [2, 1, 1], periodic: [x, y, z], warp: 0.05, \
             elements: {elements}}}}}\norder: 3\ngas: {{viscosity: {{constant: 0}}}}\n{BULK}\n\
             initial: {{u: 0.5*sin(pi*x), v: 0.2*sin(2*pi*y), w: 0, p: 1, rho: 1}}\ntime: {{steps: 1}}\n"
        ));
        for variable in 0..5 {
            let gain = gain(&mut s, variable);
            assert!(gain.abs() < 1e-12, "{elements}, variable {variable}: {gain:e}");
        }
        let work = Integrals::of(&mut s).expect("integrals").dissipation_viscous;
        assert!(work > 1e-4, "{elements}: {work:e}");
    }
}

/// The isentropic vortex at Mach 0.5: the density differs from that without by far less than from the exact one.
#[test]
fn a_smooth_vortex_keeps_its_accuracy() {
    let at = |more: &str| {
        let mut s = solver(&format!(
            "mesh: {{box: {{cells: [20, 20, 1], lower: [-6, -6, 0], upper: [6, 6, 0.6], periodic: [x, y, z]}}}}\n\
             order: 3\n{more}\nconstants: {{s: 1/pi}}\ngas: {{gas-constant: 1/1.4, viscosity: {{constant: 0}}}}\n\
             initial: {{u: 0.5 - s*y*exp(0.5*(1 - x^2 - y^2)), v: s*x*exp(0.5*(1 - x^2 - y^2)), w: 0, \
             rho: (1 - 0.2*s^2*exp(1 - x^2 - y^2))^2.5, p: (1 - 0.2*s^2*exp(1 - x^2 - y^2))^3.5/1.4}}\n\
             time: {{steps: 1}}\n"
        ));
        run_to(&mut s, 1.0, 0.9);
        let (state, mut rho) = (s.device.state().expect("a state"), Vec::new());
        each_point(&s, &state, |[x, y, _], u| {
            let square = (x - 0.5).powi(2) + y * y;
            let exact = (1.0 - 0.2 * (1.0 - square).exp() / std::f64::consts::PI.powi(2)).powf(2.5);
            rho.push((u[0], exact));
        });
        rho
    };
    let (with, without) = (at(BULK), at(""));
    let error = without
        .iter()
        .map(|(rho, exact)| (rho - exact).abs())
        .fold(0.0, f64::max);
    let change = with
        .iter()
        .zip(&without)
        .map(|(a, b)| (a.0 - b.0).abs())
        .fold(0.0, f64::max);
    println!("largest error of the density {error:e}, changed by {change:e}");
    assert!(change > 0.0 && change < 1e-3 * error, "{change:e}, error {error:e}");
}

/// The scatter of the pressure behind the shock of a wedge of 15 degrees at Mach 2.5, as the root mean square and the
/// largest difference, over the jump of the pressure. The start is the exact solution, which jumps inside the cells.
fn scatter(elements: &str, scheme: &str) -> (f64, f64) {
    let mut s = solver(&format!(
        "mesh: {{box: {{cells: [20, 10, 1], lower: [0, 0, 0], upper: [1, 0.5, 0.05], periodic: [z], \
         elements: {elements}}}}}\norder: 3\nscheme: {{{scheme}}}\n\
         gas: {{viscosity: {{constant: 0}}}}\n\
         constants: {{u0: 2.5*cos(pi/12), v0: -2.5*sin(pi/12), slope: 0.40291}}\n\
         initial: {{u: u0 + (2.15422 - u0)*step(slope*x - y), v: v0*(1 - step(slope*x - y)), w: 0, \
         p: (1 + 1.4675*step(slope*x - y))/1.4, rho: 1 + 0.86648*step(slope*x - y)}}\n\
         boundaries:\n  x-: {{type: supersonic-inlet, u: u0, v: v0, w: 0, p: 1/1.4, rho: 1}}\n  \
         y+: {{type: supersonic-inlet, u: u0, v: v0, w: 0, p: 1/1.4, rho: 1}}\n  \
         x+: {{type: supersonic-outlet}}\n  y-: {{type: slip}}\ntime: {{steps: 1}}\n"
    ));
    run_to(&mut s, 0.8, 0.9);
    let (p1, ratio) = (1.0 / 1.4, 2.467_5);
    let (mut squares, mut count) = (0.0, 0);
    let mut largest = 0.0f64;
    let state = s.device.state().expect("a state");
    each_point(&s, &state, |[x, y, _], u| {
        // The shock lies 21.945 degrees from the wall: two cells behind it, and away from the corner.
        let behind = x * 21.945f64.to_radians().sin() - y * 21.945f64.to_radians().cos();
        if behind > 0.1 && x > 0.4 {
            let kinetic = 0.5 * (u[1] * u[1] + u[2] * u[2] + u[3] * u[3]) / u[0];
            let error = (0.4 * (u[4] - kinetic) / p1 - ratio) / (ratio - 1.0);
            squares += error * error;
            largest = largest.max(error.abs());
            count += 1;
        }
    });
    assert!(count > 500, "{count} points");
    ((squares / f64::from(count)).sqrt(), largest)
}

/// Asserts that there is little noise with the viscosity.
fn check_scatter(elements: &str) -> (f64, f64) {
    let (rms, largest) = scatter(elements, "artificial-bulk-viscosity: 1.5");
    println!("{elements}: {rms:.4} of the jump, at most {largest:.4}");
    assert!(rms < 0.015 && largest < 0.04, "{elements}: {rms} {largest}");
    (rms, largest)
}

#[test]
fn an_oblique_shock_leaves_little_noise_behind() {
    let with = check_scatter("hex");
    let filter = scatter("hex", "shock: entropy-filter");
    println!("with the entropy filter in its place {filter:?}");
    assert!(filter.0 > 3.0 * with.0 && filter.1 > 0.1, "{filter:?}");
}

mod long {
    #[test]
    fn an_oblique_shock_leaves_little_noise_behind_on_prisms() {
        super::check_scatter("prism");
    }
}
