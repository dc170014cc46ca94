//! Flows with the entropy filter and the positivity limiter: flows in which it must not act, how far entropy may fall,
//! an abrupt start, and the same bits on any number of ranks and after restarts.

mod contacts;
mod gpu;
mod known;

use crate::common::cases::{advance, advance_to, each_point, solver};
use crate::common::program::{hash, run_case, run_in_pieces, with_case};
use fr_les::solver::Solver;

const GAMMA: f64 = 1.4;
const KINDS: [&str; 4] = ["hex", "prism", "tet", "pyramid"];

/// Density, velocity along x and pressure of conserved variables.
fn primitive(u: [f64; 5]) -> [f64; 3] {
    let kinetic = 0.5 * (u[1] * u[1] + u[2] * u[2] + u[3] * u[3]) / u[0];
    [u[0], u[1] / u[0], 0.4 * (u[4] - kinetic)]
}

/// ln(p/rho^gamma).
fn entropy(u: [f64; 5]) -> f64 {
    let [rho, _, p] = primitive(u);
    p.ln() - GAMMA * rho.ln()
}

/// Steps at a share of the limit of the present state, to a time.
pub(super) fn run_to(s: &mut Solver, end: f64, cfl: f64) -> usize {
    let (mut time, mut steps) = (0.0, 0);
    while time < end {
        let bounds = s.device.time_step_bounds().expect("bounds");
        assert!(bounds.unphysical.is_none(), "the run diverged at t = {time}");
        let dt = (cfl * s.stable_step(&bounds)).min(end - time);
        s.step(time, dt).expect("a step");
        (time, steps) = (time + dt, steps + 1);
    }
    steps
}

/// A tube along x with a jump at 1/2, of these states of density, velocity and pressure, and one layer of cubes.
fn tube(elements: &str, cells: usize, order: usize, left: [f64; 3], right: [f64; 3], more: &str) -> String {
    let jump = |i: usize| format!("{} + ({})*step(x - 0.5)", left[i], right[i] - left[i]);
    format!(
        "mesh: {{box: {{cells: [{cells}, 1, 1], lower: [0, 0, 0], upper: [1, {0}, {0}], periodic: [y, z], \
         elements: {elements}}}}}\n\
         order: {order}\nscheme: {{shock: entropy-filter}}\n\
         initial: {{u: {1}, v: 0, w: 0, p: {2}, rho: {3}}}\n\
         boundaries: {{x-: {{type: slip}}, x+: {{type: slip}}}}\ntime: {{steps: 1}}\n{more}",
        1.0 / cells as f64,
        jump(1),
        jump(2),
        jump(0)
    )
}

/// The states of Sod.
const SOD: [[f64; 3]; 2] = [[1.0, 0.0, 1.0], [0.125, 0.0, 0.1]];

#[test]
fn the_filter_leaves_a_smooth_flow_alone_to_the_bit() {
    for (elements, cells) in [("hex", 20), ("prism", 16)] {
        let text = |shock: &str| {
            format!(
                "mesh: {{box: {{cells: [{cells}, {cells}, 1], lower: [-6, -6, 0], upper: [6, 6, 0.6], \
                 periodic: [x, y, z], elements: {elements}}}}}\norder: 3\nscheme: {{shock: {shock}}}\n\
                 constants: {{s: 1/pi}}\ngas: {{gas-constant: 1/1.4}}\n\
                 initial: {{u: 0.5 - s*y*exp(0.5*(1 - x^2 - y^2)), v: 0.5 + s*x*exp(0.5*(1 - x^2 - y^2)), w: 0.5, \
                 rho: (1 - 0.2*s^2*exp(1 - x^2 - y^2))^2.5, p: (1 - 0.2*s^2*exp(1 - x^2 - y^2))^3.5/1.4}}\n\
                 time: {{steps: 1}}\n"
            )
        };
        let end = |shock: &str| {
            let mut s = solver(&text(shock));
            advance_to(&mut s, 1.0, 0.9);
            s.hash().expect("a hash")
        };
        let (without, with) = (end("none"), end("entropy-filter"));
        assert_eq!(without, with, "{elements}");
        assert_eq!(end("positivity"), without, "{elements}");
    }
}

/// The least entropy of all points never falls by more than the tolerance a stage: here it is that of the gas behind
/// the jump, of which the solution without a filter makes far less.
#[test]
fn the_least_entropy_falls_by_no_more_than_the_tolerance() {
    for elements in ["hex", "tet"] {
        let text = tube(elements, 24, 3, [1.0, 0.0, 1.0], [1.0, 0.0, 0.3], "");
        let least = |s: &Solver| {
            let (state, mut least) = (s.device.state().expect("a state"), f64::INFINITY);
            each_point(s, &state, |_, u| least = least.min(entropy(u)));
            least
        };
        let after = |shock: &str, steps: usize| {
            let mut s = solver(&text.replace("shock: entropy-filter", shock));
            let bounds = s.device.time_step_bounds().expect("bounds");
            let dt = 0.4 * s.stable_step(&bounds);
            let before = least(&s);
            advance(&mut s, steps, dt);
            before - least(&s)
        };
        let filter = "shock: entropy-filter, entropy-tolerance: 1e-6";
        let (with, without) = (after(filter, 50), after("shock: none", 4));
        println!("{elements}: the least entropy falls by {with:e} in 50 steps, without a filter by {without:e} in 4");
        assert!(
            with <= 50.0 * 4.0 * 1e-6 && without > 2e-3,
            "{elements}: {with:e} {without:e}"
        );
    }
}

/// Gas that a modelled wall cools loses far more entropy in a stage than the tolerance. This is no violation of the
/// bound, which knows the temperature of the wall.
#[test]
fn gas_that_a_modelled_wall_cools_is_left_alone() {
    for elements in KINDS {
        let run = |shock: &str| {
            let mut s = solver(&format!(
                "mesh: {{box: {{cells: [2, 4, 2], lower: [0, 0, 0], upper: [0.5, 1, 0.5], periodic: [x, z], \
                 elements: {elements}}}}}\norder: 3\nscheme: {{shock: {shock}}}\n\
                 gas: {{prandtl: 0.72, viscosity: {{constant: 0.02}}}}\n\
                 initial: {{u: 0, v: 0, w: 0, p: 1, temperature: 1}}\n\
                 boundaries: {{y-: {{type: wall-model, temperature: 0.3}}, y+: {{type: slip}}}}\ntime: {{steps: 1}}\n"
            ));
            advance(&mut s, 40, 5e-4);
            let (state, mut least) = (s.device.state().expect("a state"), f64::INFINITY);
            each_point(&s, &state, |_, u| least = least.min(entropy(u)));
            (s.hash().expect("a hash"), least)
        };
        let (without, with) = (run("none"), run("entropy-filter"));
        println!("{elements}: the least entropy fell to {:.3}", with.1);
        // The start has ln(p/rho^gamma) = 0; four stages of 40 steps allow 0.016 without the temperature of the wall.
        assert!(without.1 < -0.03, "{elements}: {}", without.1);
        assert_eq!(with, without, "{elements}");
    }
}

/// A wave of the entropy that the gas carries along, with 2.7 cells a wave length. The least value of its polynomial
/// lies between the points for most of the time, and the least of the points falls when it arrives at one. Returns the
/// share of the amplitude that is left after six wave lengths, and the hash of the state.
fn kept_of_a_wave(scheme: &str) -> (f64, u64) {
    let mut s = solver(&format!(
        "mesh: {{box: {{cells: [16, 1, 1], lower: [0, 0, 0], upper: [2, 0.5, 0.5], periodic: [x, y, z]}}}}\n\
         order: 3\nscheme: {{{scheme}}}\n\
         initial: {{u: 2, v: 0, w: 0, p: 10, rho: 3.8 + 0.76*sin(6*pi*x)}}\ntime: {{steps: 1}}\n"
    ));
    run_to(&mut s, 1.0, 0.5);
    let state = s.device.state().expect("a state");
    let (mut low, mut high) = (f64::INFINITY, 0.0f64);
    each_point(&s, &state, |_, u| {
        low = low.min(u[0]);
        high = high.max(u[0]);
    });
    ((high - low) / (2.0 * 0.76), s.hash().expect("a hash"))
}

#[test]
fn waves_between_the_points_are_damped_unless_the_tolerance_allows_what_the_points_lose() {
    let (none, same) = kept_of_a_wave("shock: none");
    let (wide, bits) = kept_of_a_wave("shock: entropy-filter, entropy-tolerance: 1e-2");
    let (middle, _) = kept_of_a_wave("shock: entropy-filter, entropy-tolerance: 1e-3");
    let (small, _) = kept_of_a_wave("shock: entropy-filter");
    println!("of the amplitude {none:.3} without, {wide:.3}, {middle:.3}, {small:.3} with tolerances 1e-2, 1e-3, 1e-4");
    assert!(bits == same && none > 0.9, "{none} {wide}");
    assert!(middle > small + 0.1 && small > 0.3, "{middle} {small}");
}

#[test]
fn a_filter_that_acts_in_subsonic_flow_gets_a_warning() {
    let case = with_case(
        "mesh: {box: {cells: [16, 1, 1], lower: [0, 0, 0], upper: [2, 0.5, 0.5], periodic: [x, y, z]}}\n\
         order: 3\nscheme: {shock: entropy-filter}\n\
         initial: {u: 1, v: 0, w: 0, p: 10, rho: 3.8 + 0.76*sin(6*pi*x)}\ntime: {steps: 40, cfl: 0.5}\n",
    );
    let warning = "of the cells, but the largest Mach number is below 1";
    let log = run_case(case.path(), 1, &[], 0);
    assert!(log.contains("filter: ") && log.contains(warning), "{log}");
    // Faster than sound there may be shocks, and without the bound of the entropy nothing is filtered here.
    for set in ["initial.u=4", "scheme.shock=positivity"] {
        let log = run_case(case.path(), 1, &[set], 0);
        assert!(!log.contains(warning), "{set}: {log}");
    }
    // `positivity` is for no flow at any Mach number in which it acts often.
    let often = ["initial.rho=0.01 + 4*max(sin(6*pi*x), 0)", "initial.u=3*sin(pi*x)"];
    let log = run_case(case.path(), 1, &["scheme.shock=positivity", often[0], often[1]], 0);
    assert!(log.contains("`scheme.shock: positivity` changes"), "{log}");
}

/// The start of compressible Couette flow at Mach 1.5 on pyramids: the walls begin to move at once, the gas is at rest.
#[test]
fn an_abrupt_start_that_diverges_runs_with_positive_density_and_pressure() {
    let text = "mesh: {box: {cells: [1, 4, 1], lower: [0, 0, 0], upper: [0.25, 1, 0.25], periodic: [x, z], \
                elements: pyramid}}\norder: 3\nthreads: 1\nscheme: {shock: none}\n\
                gas: {prandtl: 0.72, gas-constant: 1/1.4, viscosity: {constant: 0.1}}\n\
                initial: {u: 0, v: 0, w: 0, p: 1/1.4, temperature: 1}\n\
                boundaries: {y-: {type: no-slip-isothermal, temperature: 1, velocity: [-0.75, 0, 0]}, \
                y+: {type: no-slip-isothermal, temperature: 1.2, velocity: [0.75, 0, 0]}}\n\
                time: {end: 0.1, cfl: 0.9, scheme: rk4}\noutput: {integrals: {every-steps: 1}}\n";
    let log = run_case(with_case(text).path(), 1, &[], 3);
    assert!(log.contains("diverged at step"), "{log}");
    for shock in ["positivity", "entropy-filter"] {
        let case = with_case(text);
        run_case(case.path(), 1, &[&format!("scheme.shock={shock}")], 0);
        let series = std::fs::read_to_string(case.path().join("results/integrals.csv")).expect("a series");
        let shares = series
            .lines()
            .filter(|line| line.starts_with(|c: char| c.is_ascii_digit()));
        let shares: Vec<f64> = shares
            .map(|row| row.split(',').rev().nth(5).expect("a share").parse().expect("a number"))
            .collect();
        println!("{shock}: {shares:?} % of the cells");
        assert!(shares[..10].iter().any(|&share| share > 0.0) && shares[80..].iter().all(|&share| share == 0.0));
    }
}

#[test]
fn cases_give_the_same_bits_on_any_number_of_ranks_and_after_restarts() {
    for (elements, precision, shock) in [
        ("hex", "double", "entropy-filter"),
        ("mixed", "single", "entropy-filter"),
        ("mixed", "double", "positivity"),
        ("hex", "double", "positivity, artificial-bulk-viscosity: 1.5"),
        ("mixed", "double", "positivity, artificial-bulk-viscosity: 1.5"),
    ] {
        let case = with_case(&format!(
            "mesh: {{box: {{cells: [8, 4, 4], lower: [0, 0, 0], upper: [2, 1, 1], periodic: [y, z], warp: 0.05, \
             elements: {elements}}}}}\n\
             order: 3\nprecision: {precision}\nscheme: {{shock: {shock}}}\n\
             gas: {{viscosity: {{constant: 1e-4}}}}\n\
             initial: {{u: 0.3*sin(pi*x), v: 0.1*cos(2*pi*y), w: 0, \
             p: 1 - 0.8*step(x - 1), rho: 1 - 0.7*step(x - 1.2)}}\n\
             boundaries: {{x-: {{type: pressure-outlet, p: 0.9}}, \
             x+: {{type: no-slip-isothermal, temperature: 0.4}}}}\n\
             time: {{steps: 30, dt: 5e-4}}\n\
             output: {{directory: results, integrals: {{every-steps: 3}}, checkpoint: {{every-steps: 100}}}}\n"
        ));
        let directory = case.path();
        let series = || std::fs::read_to_string(directory.join("results/integrals.csv")).expect("a series");
        let rows = |text: &str| {
            text.lines()
                .filter(|l| !l.starts_with('#'))
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let alone = (hash(&run_case(directory, 1, &[], 0)), rows(&series()));
        let filtered: Vec<f64> = alone
            .1
            .iter()
            .filter(|row| row.starts_with(|c: char| c.is_ascii_digit()))
            .map(|row| row.split(',').rev().nth(5).expect("a share").parse().expect("a number"))
            .collect();
        println!("{elements} {precision} {shock}: {filtered:?} % of the cells");
        assert!(shock.starts_with("positivity") || filtered.iter().any(|&share| share > 0.0));
        for ranks in [2, 3] {
            let log = run_case(directory, ranks, &[], 0);
            assert_eq!(
                (hash(&log), rows(&series())),
                alone,
                "{elements} {precision} {ranks} ranks"
            );
        }
        std::fs::remove_dir_all(directory.join("results")).expect("results");
        run_in_pieces(directory, &["restart=latest"]);
        let log = run_case(directory, 2, &["restart=latest"], 0);
        assert_eq!((hash(&log), rows(&series())), alone, "{elements} {precision} in pieces");
    }
}
