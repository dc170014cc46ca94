//! Flows with the entropy filter and the positivity limiter: exact solutions with shocks, waves behind a shock, flows
//! in which it must not act, an abrupt start, and the same bits on any number of ranks and after restarts.

use crate::common::cases::{advance, advance_to, each_point, solver};
use crate::common::program::{hash, run_case, run_in_pieces, with_case};
use fr_les::case::Case;
use fr_les::solver::Solver;
use std::path::Path;

mod gpu;

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
fn run_to(s: &mut Solver, end: f64, cfl: f64) -> usize {
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

/// The solution of the problem of Sod at (x - 1/2)/t: density, velocity, pressure. The pressure between the waves is
/// the root of the condition that the velocities behind the shock and the expansion agree.
fn sod(speed: f64) -> [f64; 3] {
    let [[rho_l, _, p_l], [rho_r, _, p_r]] = SOD;
    let c_l = (GAMMA * p_l / rho_l).sqrt();
    let behind_expansion = |p: f64| 5.0 * c_l * (1.0 - (p / p_l).powf(1.0 / 7.0));
    let behind_shock = |p: f64| (p - p_r) * (2.0 / (rho_r * (2.4 * p + 0.4 * p_r))).sqrt();
    let (mut low, mut high) = (p_r, p_l);
    for _ in 0..100 {
        let p = 0.5 * (low + high);
        if behind_shock(p) < behind_expansion(p) {
            low = p;
        } else {
            high = p;
        }
    }
    let p = 0.5 * (low + high);
    let u = behind_shock(p);
    let shock = (GAMMA * p_r / rho_r).sqrt() * (1.0 + 6.0 / 7.0 * (p / p_r - 1.0)).sqrt();
    let (rho_star_l, rho_star_r) = (p.powf(1.0 / GAMMA), rho_r * (6.0 * p / p_r + 1.0) / (6.0 + p / p_r));
    let tail = u - (GAMMA * p / rho_star_l).sqrt();
    if speed < -c_l {
        SOD[0]
    } else if speed < tail {
        let c = (5.0 * c_l - speed) / 6.0;
        let ratio = c / c_l;
        [ratio.powi(5), speed + c, ratio.powi(7)]
    } else if speed < u {
        [rho_star_l, u, p]
    } else if speed < shock {
        [rho_star_r, u, p]
    } else {
        SOD[1]
    }
}

#[test]
fn the_exact_solution_has_the_plateaus_of_the_literature() {
    for (speed, rho) in [(0.5, 0.42632), (1.2, 0.26557)] {
        let found = sod(speed);
        for (found, known) in found.into_iter().zip([rho, 0.92745, 0.30313]) {
            assert!((found - known).abs() < 1e-5, "{found}, not {known}");
        }
    }
}

/// Mean error of the density of the problem of Sod at t = 0.2, its least value, and the mean errors of density,
/// velocity and pressure on the plateaus, away from their ends, relative to the exact ones.
fn errors_of_sod(elements: &str, cells: usize, order: usize, precision: &str) -> (f64, f64, [f64; 3]) {
    let text = tube(
        elements,
        cells,
        order,
        SOD[0],
        SOD[1],
        &format!("precision: {precision}\n"),
    );
    let mut s = solver(&text);
    run_to(&mut s, 0.2, 0.5);
    let state = s.device.state().expect("a state");
    let mut sum = 0.0;
    let mut points = 0;
    let mut least = f64::INFINITY;
    let (mut plateaus, mut there) = ([0.0; 3], 0);
    let mut lowest = f64::INFINITY;
    each_point(&s, &state, |[x, _, _], u| {
        let exact = sod((x - 0.5) / 0.2);
        let found = primitive(u);
        sum += (found[0] - exact[0]).abs();
        points += 1;
        least = least.min(found[0]);
        lowest = lowest.min(entropy(u));
        let speed = (x - 0.5) / 0.2;
        let margin = 10.0 / cells as f64;
        if (0.0 + margin..0.9274 - 2.0 * margin).contains(&speed)
            || (0.9275 + 2.0 * margin..1.75 - margin).contains(&speed)
        {
            there += 1;
            for i in 0..3 {
                plateaus[i] += (found[i] / exact[i] - 1.0).abs();
            }
        }
    });
    // The least entropy of the start, that of the left gas, bounds that of all later states.
    println!("{elements} {cells} p {order} {precision}: least entropy {lowest:e}");
    (
        sum / f64::from(points),
        least,
        plateaus.map(|sum| sum / f64::from(there)),
    )
}

#[test]
fn a_shock_tube_has_the_exact_plateaus_and_its_error_halves_with_the_cells() {
    let mut errors = Vec::new();
    for cells in [50, 100] {
        let (error, least, plateaus) = errors_of_sod("hex", cells, 3, "double");
        println!("{cells} cells: mean error {error:.2e}, least density {least}, plateaus {plateaus:?}");
        assert!(least > 0.125 - 1e-3, "{least}");
        errors.push(error);
        if cells == 100 {
            assert!(error < 0.0025, "{error:e}");
            assert!(plateaus.iter().all(|&e| e < 0.003), "{plateaus:?}");
        }
    }
    assert!(errors[0] > 1.7 * errors[1], "{errors:?}");
}

#[test]
fn a_shock_tube_runs_on_every_kind_of_cell_in_both_precisions() {
    for elements in KINDS {
        for precision in ["double", "single"] {
            let (error, least, plateaus) = errors_of_sod(elements, 40, 3, precision);
            println!("{elements} {precision}: mean error {error:.2e}, least density {least}, plateaus {plateaus:?}");
            assert!(
                least > 0.12 && error < 0.009,
                "{elements} {precision}: {error:e} {least}"
            );
        }
    }
}

/// Extremes of the density of the problem of C.-W. Shu & S. Osher, J. Comput. Phys. 83 (1989) 32, behind the shock at
/// t = 1.8, x and rho: of a finite-difference solution of another kind, WENO of fifth order (R. Borges et al., J.
/// Comput. Phys. 227 (2008) 3191) on 3000 points; from 1000 points to 3000 it changes by less than 2 % of a swing.
const WAVES: [[f64; 2]; 9] = [
    [0.8617, 4.61980],
    [1.0317, 3.15121],
    [1.1917, 4.26143],
    [1.3650, 3.02501],
    [1.5417, 4.62299],
    [1.6883, 3.37885],
    [1.8417, 4.67687],
    [2.0083, 3.18220],
    [2.1650, 4.24800],
];

/// The share of the amplitude of these waves that 100 cells keep.
fn kept_amplitude(scheme: &str) -> f64 {
    let mut s = solver(&format!(
        "mesh: {{box: {{cells: [100, 1, 1], lower: [-5, 0, 0], upper: [5, 0.1, 0.1], periodic: [y, z]}}}}\n\
         order: 3\nscheme: {{{scheme}}}\n\
         initial: {{u: 2.629369*step(-4 - x), v: 0, w: 0, p: 1 + 9.33333*step(-4 - x), \
         rho: 1 + 0.2*sin(5*x) + (2.857143 - 0.2*sin(5*x))*step(-4 - x)}}\n\
         boundaries: {{x-: {{type: supersonic-inlet, u: 2.629369, v: 0, w: 0, p: 10.33333, rho: 3.857143}}, \
         x+: {{type: slip}}}}\ntime: {{steps: 1}}\n",
    ));
    let steps = run_to(&mut s, 1.8, 0.5);
    let state = s.device.state().expect("a state");
    let of_wave = |[at, rho]: [f64; 2]| {
        let mut extreme = if rho > 3.8 { 0.0 } else { f64::INFINITY };
        each_point(&s, &state, |[x, _, _], u| {
            if (x - at).abs() < 0.06 {
                extreme = if rho > 3.8 {
                    u[0].max(extreme)
                } else {
                    u[0].min(extreme)
                };
            }
        });
        extreme
    };
    let found = WAVES.map(of_wave);
    let swings = |of: &[f64]| of.windows(2).map(|w| (w[1] - w[0]).abs()).sum::<f64>();
    let kept = swings(&found) / swings(&WAVES.map(|[_, rho]| rho));
    println!("{scheme}: {steps} steps, {kept:.3} of the amplitude, {found:?}");
    kept
}

#[test]
fn waves_behind_a_shock_keep_more_of_their_amplitude_the_larger_the_tolerance() {
    let [small, large, none] = [
        "shock: entropy-filter",
        "shock: entropy-filter, entropy-tolerance: 1e-2",
        "shock: positivity",
    ]
    .map(kept_amplitude);
    assert!(small > 0.45 && large > small + 0.15 && none > large && none < 1.0);
    assert!(none > 0.78, "{none}");
}

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
                elements: pyramid}}\norder: 3\nthreads: 1\n\
                gas: {prandtl: 0.72, gas-constant: 1/1.4, viscosity: {constant: 0.1}}\n\
                initial: {u: 0, v: 0, w: 0, p: 1/1.4, temperature: 1}\n\
                boundaries: {y-: {type: no-slip-isothermal, temperature: 1, velocity: [-0.75, 0, 0]}, \
                y+: {type: no-slip-isothermal, temperature: 1.2, velocity: [0.75, 0, 0]}}\n\
                time: {end: 0.1, cfl: 0.9}\noutput: {integrals: {every-steps: 1}}\n";
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

/// A layer of gas between slip walls whose density jumps inside the cells, with pressure and velocity uniform. Heat is
/// conducted across the jump, which lowers the entropy of the light gas, so that the filter acts.
fn contact(elements: &str, order: usize, shock: &str, least: f64, at: f64) -> Solver {
    solver(&format!(
        "mesh: {{box: {{cells: [6, 2, 2], lower: [0, 0, 0], upper: [1, 1/3, 1/3], elements: {elements}}}}}\n\
         order: {order}\nscheme: {{shock: {shock}}}\ngas: {{viscosity: {{constant: 1e-4}}}}\n\
         initial: {{u: 0, v: 0, w: 0, p: 1, rho: {least} + (1 - {least})*step({at} - x)}}\n\
         boundaries: {{x-: {{type: slip}}, x+: {{type: slip}}, y-: {{type: slip}}, y+: {{type: slip}}, \
         z-: {{type: slip}}, z+: {{type: slip}}}}\ntime: {{steps: 1}}\n"
    ))
}

/// Mass and energy of a state, by the weights of its points, and its least density and pressure.
fn totals(s: &Solver) -> ([f64; 2], [f64; 2]) {
    let state = s.device.state().expect("a state");
    let (mut sums, mut least) = ([0.0; 2], [f64::INFINITY; 2]);
    for cell in 0..s.mesh.len() {
        let (first, np) = (s.geometry.first_point[cell], s.geometry.cell_points(cell));
        for (p, weight) in s.elements.weights(s.geometry.kinds[cell]).into_iter().enumerate() {
            let u: [f64; 5] = std::array::from_fn(|v| state[5 * first + v * np + p]);
            let volume = weight * s.geometry.metrics[cell].jacobian(p);
            let [rho, _, pressure] = primitive(u);
            (sums[0], sums[1]) = (sums[0] + volume * u[0], sums[1] + volume * u[4]);
            least = [least[0].min(rho), least[1].min(pressure)];
        }
    }
    (sums, least)
}

/// Without the bound by the least density of a cell, the filter takes points of tetrahedra and prisms of order 3 to a
/// millionth of the largest density, and the flow to NaN in the first step.
#[test]
fn a_contact_inside_of_cells_of_every_kind_stays_finite_and_conserves() {
    check_contacts(&["hex"], 2..=5);
    check_contacts(&KINDS[1..], 2..=4);
}

/// The order whose kernels for other cells than hexahedra `make test` leaves out.
mod long {
    use super::*;

    #[test]
    #[ignore = "needs kernels of all orders"]
    fn a_contact_inside_of_other_cells_than_hexahedra_stays_finite_and_conserves_at_order_5() {
        check_contacts(&KINDS[1..], 5..=5);
    }
}

fn check_contacts(kinds: &[&str], orders: std::ops::RangeInclusive<usize>) {
    for (least, positions) in [(0.25, [0.55, 0.58]), (0.01, [0.53, 0.55])] {
        for elements in kinds {
            for order in orders.clone() {
                for shock in ["entropy-filter", "positivity"] {
                    for at in positions {
                        let mut s = contact(elements, order, shock, least, at);
                        let (before, _) = totals(&s);
                        for _ in 0..3 {
                            let bounds = s.device.time_step_bounds().expect("bounds");
                            let dt = 0.5 * s.stable_step(&bounds);
                            s.step(0.0, dt).expect("a step");
                        }
                        let (after, [rho, p]) = totals(&s);
                        let off = (0..2).map(|v| (after[v] / before[v] - 1.0).abs()).fold(0.0, f64::max);
                        let name = format!("{elements} {order} {shock} {least} at {at}");
                        println!("{name}: least density {rho:.4}, pressure {p:.4}, off by {off:.1e}");
                        assert!(off < 1e-12, "{name}: {off:e}");
                        assert!(rho > 0.05 * least && p > 0.1, "{name}: {rho} {p}");
                    }
                }
            }
        }
    }
}

/// The vertices of tetrahedra of order 2 have negative weights: where the dense gas fills one of them, the mean of the
/// cell has a negative density, and no filter that conserves can mend it. Such a cell begins with a mean of its points.
#[test]
fn a_start_whose_mean_is_not_admissible_begins_with_one_that_is() {
    for shock in ["entropy-filter", "positivity"] {
        let mut s = contact("tet", 2, shock, 1e-3, 0.53);
        for _ in 0..3 {
            let bounds = s.device.time_step_bounds().expect("bounds");
            let dt = 0.5 * s.stable_step(&bounds);
            s.step(0.0, dt).expect("a step");
        }
        let (_, [rho, p]) = totals(&s);
        println!("{shock}: least density {rho:e}, pressure {p}");
        assert!(rho > 1e-5 && p > 0.1, "{shock}: {rho:e} {p}");
    }
}

#[test]
fn cases_give_the_same_bits_on_any_number_of_ranks_and_after_restarts() {
    for (elements, precision, shock) in [
        ("hex", "double", "entropy-filter"),
        ("mixed", "single", "entropy-filter"),
        ("mixed", "double", "positivity"),
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
        assert!(shock == "positivity" || filtered.iter().any(|&share| share > 0.0));
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
