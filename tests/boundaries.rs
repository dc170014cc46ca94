//! Each boundary condition does what it says.

mod common;

use common::{advance, advance_to, case, each_point, solver};
use fr_les::mesh::Annulus;
use fr_les::monitor::Integrals;
use fr_les::solver::Solver;

fn integrals(solver: &mut Solver) -> Integrals {
    solver.evaluate_rhs(0.0).unwrap();
    Integrals::take(solver.device.as_mut(), solver.geometry.volume).unwrap()
}

#[test]
fn adiabatic_walls_at_rest_keep_mass_and_energy_to_round_off() {
    for (warp, correction) in [(0.0, "radau"), (0.3, "radau"), (0.3, "lobatto")] {
        let mut s = solver(&format!(
            "mesh: {{box: {{cells: [4, 4, 3], lower: [0, 0, 0], upper: [1, 1, 1], warp: {warp}}}}}\norder: 3\n\
             scheme: {{correction: {correction}}}\ngas: {{viscosity: {{constant: 0.02}}}}\n\
             initial: {{u: 0.3*sin(pi*x)*cos(pi*y), v: -0.3*cos(pi*x)*sin(pi*y), w: 0.1*sin(pi*z), p: 1 + 0.1*x, rho: 1 + 0.2*y}}\n\
             boundaries:\n  x-: {{type: slip}}\n  x+: {{type: no-slip-adiabatic}}\n  y-: {{type: no-slip-adiabatic}}\n  \
             y+: {{type: symmetry}}\n  z-: {{type: slip}}\n  z+: {{type: no-slip-adiabatic}}\ntime: {{steps: 1}}\n"
        ));
        let before = integrals(&mut s);
        advance_to(&mut s, 0.5, 0.5);
        let after = integrals(&mut s);
        for v in [0, 4] {
            let drift = (after.conserved[v] / before.conserved[v] - 1.0).abs();
            assert!(drift < 1e-13, "warp {warp} {correction} variable {v}: {drift:e}");
        }
        assert!(
            after.kinetic_energy < 0.9 * before.kinetic_energy,
            "the flow must have moved for this to mean anything"
        );
    }
}

/// Couette flow between isothermal walls, the upper one moving at 1: u = y, T = 1 + Pr/(2 cp) y (1 - y), p = 1.
fn couette_error(order: usize, cells: usize) -> [f64; 5] {
    let mut s = solver(&format!(
        "mesh: {{box: {{cells: [1, {cells}, 1], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, z]}}}}\norder: {order}\n\
         gas: {{prandtl: 0.72, viscosity: {{constant: 0.05}}}}\nconstants: {{k: 0.72/7}}\n\
         initial: {{u: y, v: 0, w: 0, p: 1, temperature: 1 + k*y*(1 - y)}}\nboundaries:\n  \
         y-: {{type: no-slip-isothermal, temperature: 1}}\n  y+: {{type: no-slip-isothermal, temperature: 1, velocity: [1, 0, 0]}}\n\
         time: {{steps: 1}}\n"
    ));
    advance_to(&mut s, 2.0, 0.7);
    let state = s.device.state().unwrap();
    let mut largest = [0.0f64; 5];
    each_point(&s, &state, |x, u| {
        let y = x[1];
        let rho = 1.0 / (1.0 + 0.72 / 7.0 * y * (1.0 - y));
        let exact = [rho, rho * y, 0.0, 0.0, 2.5 + 0.5 * rho * y * y];
        (0..5).for_each(|v| largest[v] = largest[v].max((u[v] - exact[v]).abs()));
    });
    largest
}

#[test]
fn couette_flow_between_isothermal_walls_is_held_to_round_off() {
    // u and T are polynomials of degree 1 and 2, and primitives are what the scheme differentiates: nothing is left to err.
    for (order, cells) in [(2, 4), (3, 3), (4, 2)] {
        let errors = couette_error(order, cells);
        for v in [0, 1, 4] {
            assert!(errors[v] < 1e-13, "p {order}: {errors:?}");
        }
    }
}

#[test]
fn couette_flow_develops_from_rest_without_jumps_between_cells() {
    for riemann in ["roe", "hllc", "rusanov"] {
        let mut s = solver(&format!(
            "mesh: {{box: {{cells: [1, 4, 1], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, z]}}}}\norder: 3\n\
             scheme: {{riemann: {riemann}}}\ngas: {{prandtl: 0.72, viscosity: {{constant: 0.3}}}}\n\
             initial: {{u: 0, v: 0, w: 0, p: 1, temperature: 1}}\nboundaries:\n  y-: {{type: no-slip-isothermal, temperature: 1}}\n  \
             y+: {{type: no-slip-isothermal, temperature: 1, velocity: [1, 0, 0]}}\ntime: {{steps: 1}}\n"
        ));
        advance_to(&mut s, 30.0, 0.7);
        let state = s.device.state().unwrap();
        let mut largest = 0.0f64;
        each_point(&s, &state, |x, q| largest = largest.max((q[1] / q[0] - x[1]).abs()));
        println!("{riemann}: largest |u - y| {largest:.1e}");
        assert!(largest < 1e-9, "{riemann}: {largest:e}");
    }
}

#[test]
fn isothermal_walls_heat_the_gas_and_adiabatic_walls_do_not() {
    let energy_gain = |wall: &str| {
        let mut s = solver(&format!(
            "mesh: {{box: {{cells: [1, 4, 1], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, z]}}}}\norder: 3\n\
             gas: {{viscosity: {{constant: 0.02}}}}\ninitial: {{u: 0, v: 0, w: 0, p: 1, temperature: 1}}\n\
             boundaries: {{y-: {wall}, y+: {wall}}}\ntime: {{steps: 1}}\n"
        ));
        let before = integrals(&mut s).conserved[4];
        advance_to(&mut s, 0.5, 0.5);
        integrals(&mut s).conserved[4] - before
    };
    assert!(energy_gain("{type: no-slip-isothermal, temperature: 1.2}") > 1e-2);
    assert!(energy_gain("{type: no-slip-adiabatic}").abs() < 1e-14);
}

#[test]
fn sound_leaves_through_a_far_field() {
    let mut s = solver(
        "mesh: {box: {cells: [20, 1, 1], lower: [-1, 0, 0], upper: [1, 0.1, 0.1], periodic: [y, z]}}\norder: 4\n\
         constants: {e: 1e-3}\ninitial: {u: 0, v: 0, w: 0, p: (1 + e*exp(-50*x^2))/1.4, rho: (1 + e*exp(-50*x^2))^(1/1.4)}\n\
         boundaries:\n  x-: {type: far-field, u: 0, v: 0, w: 0, p: 1/1.4, rho: 1}\n  \
         x+: {type: far-field, u: 0, v: 0, w: 0, p: 1/1.4, rho: 1}\ntime: {steps: 1}\n",
    );
    advance_to(&mut s, 2.5, 0.8);
    let after = integrals(&mut s);
    // What is left of the pulse after its halves have passed the ends, as a share of its amplitude.
    let reflected = (after.extremes[3] - after.extremes[2]) * 1.4 / 1e-3;
    println!("reflected: {reflected:.1e}");
    assert!(reflected < 2e-3, "{reflected}");
}

#[test]
fn boundary_values_follow_their_expressions_in_time() {
    let mut s = solver(
        "mesh: {box: {cells: [1, 4, 1], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, z]}}\norder: 3\n\
         gas: {viscosity: {constant: 0.5}}\ninitial: {u: 0, v: 0, w: 0, p: 1, rho: 1}\n\
         boundaries: {y-: {type: no-slip-adiabatic, velocity: [t, 0, 0]}, y+: {type: no-slip-adiabatic, velocity: [t, 0, 0]}}\n\
         time: {steps: 1}\n",
    );
    let dt = 0.3 * {
        let rates = s.device.rates().unwrap();
        s.stable_step(&rates)
    };
    let steps = (1.0 / dt).ceil() as usize;
    advance(&mut s, steps, 1.0 / steps as f64);
    // Long after the start the gas follows the walls: u = t - (rho/mu) y (1 - y)/2, whose mean is t - rho/(12 mu).
    let mean = integrals(&mut s).conserved[1];
    assert!((mean - (1.0 - 1.0 / 6.0)).abs() < 0.02, "{mean}");
}

fn shown(errors: &[f64]) -> String {
    errors.iter().map(|e| format!("{e:.1e} ")).collect()
}

/// A point of the gas: where it is, density, velocity, pressure, temperature (R = 1).
struct Point {
    x: [f64; 3],
    rho: f64,
    v: [f64; 3],
    p: f64,
    t: f64,
}

fn points(s: &Solver) -> Vec<Point> {
    let state = s.device.state().unwrap();
    let mut points = Vec::new();
    each_point(s, &state, |x, u| {
        let v = [u[1], u[2], u[3]].map(|m| m / u[0]);
        let p = 0.4 * (u[4] - 0.5 * (u[1] * v[0] + u[2] * v[1] + u[3] * v[2]));
        points.push(Point {
            x,
            rho: u[0],
            v,
            p,
            t: p / u[0],
        });
    });
    points
}

/// A duct along x from `ends.0` to `ends.1`, periodic in y and z, p = 3; the gas has gamma = 1.4 and R = 1, and by default
/// density 1, speed of sound 1 and pressure p = 1/1.4.
fn duct(cells: usize, ends: (f64, f64), more: &str, initial: &str, left: &str, right: &str) -> Solver {
    let h = (ends.1 - ends.0) / cells as f64;
    solver(&format!(
        "mesh: {{box: {{cells: [{cells}, 1, 1], lower: [{}, 0, 0], upper: [{}, {h}, {h}], periodic: [y, z]}}}}\norder: 3\n{more}\
         initial: {{{initial}}}\nboundaries: {{x-: {{{left}}}, x+: {{{right}}}}}\ntime: {{steps: 1}}\n",
        ends.0, ends.1
    ))
}

/// The share, with its sign, of a sound pulse that comes back from `condition` at x = 1, in gas that moves at `m`.
fn reflection(condition: &str, m: f64) -> f64 {
    let amplitude = 1e-4;
    let pulse = format!("(1 + {amplitude}*exp(-25*x^2))");
    let mut s = duct(
        24,
        (-1.0, 1.0),
        "",
        // A simple wave: u - 2c/(gamma - 1) is the same everywhere.
        &format!("u: {m} + 5*({pulse}^(1/7) - 1), v: 0, w: 0, p: {pulse}/1.4, rho: {pulse}^(1/1.4)"),
        &format!("type: far-field, u: {m}, v: 0, w: 0, p: 1/1.4, rho: 1"),
        condition,
    );
    advance_to(&mut s, 1.0 / (1.0 + m) + 1.0 / (1.0 - m), 0.5);
    let incoming = |q: &Point| ((q.p - 1.0 / 1.4) - (q.v[0] - m)) / 2.0 * 1.4 / amplitude;
    let share = points(&s)
        .iter()
        .map(incoming)
        .fold(0.0, |a: f64, b| if b.abs() > a.abs() { b } else { a });
    println!("{condition}, u = {m}: {share:.2e} of a sound pulse come back");
    share
}

#[test]
fn sound_comes_back_as_theory_says() {
    let far = |m: f64| format!("type: far-field, u: {m}, v: 0, w: 0, p: 1/1.4, rho: 1");
    for m in [0.0, 0.3, -0.3] {
        assert!(reflection(&far(m), m).abs() < 1e-6, "far field, {m}");
    }
    let near = |share: f64, expected: f64| assert!((share - expected).abs() < 0.01, "{share}, not {expected}");
    near(reflection("type: slip", 0.0), 1.0);
    near(reflection("type: pressure-outlet, p: 1/1.4", 0.3), -1.0);
    near(
        reflection("type: velocity-inlet, u: -0.3, v: 0, w: 0, rho: 1", -0.3),
        1.0,
    );
    // A reservoir: p' = M z u' of the gas that comes in.
    let total = "type: total-inlet, total-pressure: 1.018^3.5/1.4, total-temperature: 1.018/1.4";
    near(reflection(total, -0.3), -(1.0 - 0.3) / (1.0 + 0.3));
}

/// Largest |p/p0 - 1| while a spot of density 1.1 in gas that moves at 0.3 leaves.
fn sound_of_a_spot(condition: &str) -> f64 {
    let mut s = duct(
        16,
        (-1.0, 1.0),
        "",
        "u: 0.3, v: 0.1*exp(-25*x^2), w: 0, p: 1/1.4, rho: 1 + 0.1*exp(-25*x^2)",
        "type: far-field, u: 0.3, v: 0, w: 0, p: 1/1.4, rho: 1",
        condition,
    );
    let mut loudest = 0.0f64;
    for _ in 0..32 {
        advance_to(&mut s, 0.25, 0.5);
        loudest = points(&s)
            .iter()
            .map(|q| (q.p * 1.4 - 1.0).abs())
            .fold(loudest, f64::max);
    }
    let left = points(&s)
        .iter()
        .map(|q| (q.rho - 1.0).abs() + q.v[1].abs())
        .fold(0.0, f64::max);
    println!("{condition}: a spot makes sound of {loudest:.1e}, {left:.1e} of it is left");
    loudest.max(left)
}

#[test]
fn spots_of_density_and_shear_leave_in_silence() {
    assert!(sound_of_a_spot("type: far-field, u: 0.3, v: 0, w: 0, p: 1/1.4, rho: 1") < 5e-5);
    assert!(sound_of_a_spot("type: pressure-outlet, p: 1/1.4") < 5e-5);
}

/// Largest deviation of a value from what it should be.
fn worst(s: &Solver, what: impl Fn(&Point) -> f64, expected: f64) -> f64 {
    points(s).iter().map(|q| (what(q) - expected).abs()).fold(0.0, f64::max)
}

fn total_pressure(q: &Point) -> f64 {
    q.p * (total_temperature(q) / q.t).powf(3.5)
}

fn total_temperature(q: &Point) -> f64 {
    q.t + (q.v[0] * q.v[0] + q.v[1] * q.v[1] + q.v[2] * q.v[2]) / 7.0
}

#[test]
fn total_inlet_and_pressure_outlet_make_the_flow_that_they_prescribe() {
    // Mach 0.4 at 30 degrees; the length of the direction is no matter.
    for (direction, expected) in [
        (", direction: [3*cos(pi/6), 3*sin(pi/6), 0]", [0.75f64.sqrt(), 0.5]),
        ("", [1.0, 0.0]),
    ] {
        let mut s = duct(
            2,
            (0.0, 1.0),
            "",
            "u: 0.2, v: 0, w: 0, p: 1/1.4, rho: 1",
            &format!("type: total-inlet, total-pressure: 1.032^3.5/1.4, total-temperature: 0.8{direction}"),
            "type: pressure-outlet, p: 1/1.4",
        );
        advance_to(&mut s, 100.0, 0.5);
        let speed = 0.4 * (1.4 * 0.8 / 1.032f64).sqrt();
        let errors = [
            worst(&s, total_pressure, 1.032f64.powf(3.5) / 1.4),
            worst(&s, total_temperature, 0.8),
            worst(&s, |q| q.p, 1.0 / 1.4),
            worst(&s, |q| q.v[0], speed * expected[0]),
            worst(&s, |q| q.v[1], speed * expected[1]),
        ];
        println!("total-inlet{direction}: errors of p0, T0, p, u, v {}", shown(&errors));
        assert!(errors.iter().all(|e| *e < 1e-9), "{errors:?}");
    }
}

#[test]
fn velocity_inlet_lets_in_the_mass_that_it_says() {
    let far = "type: far-field, u: 0.3, v: 0, w: 0, p: 1/1.4, rho: 1";
    for (thermal, what) in [("rho: 1.2", "density"), ("temperature: 0.6", "temperature")] {
        let inlet = format!("type: velocity-inlet, u: 0.35, v: 0.1, w: 0, {thermal}");
        let mut s = duct(2, (0.0, 1.0), "", "u: 0.3, v: 0, w: 0, p: 1/1.4, rho: 1", &inlet, far);
        advance_to(&mut s, 60.0, 0.5);
        let mut errors = vec![worst(&s, |q| q.v[0], 0.35), worst(&s, |q| q.v[1], 0.1)];
        errors.push(match what {
            "density" => worst(&s, |q| q.rho * q.v[0], 1.2 * 0.35),
            _ => worst(&s, |q| q.t, 0.6),
        });
        println!(
            "velocity-inlet by {what}: errors of u, v and mass flux or temperature {}",
            shown(&errors)
        );
        assert!(errors.iter().all(|e| *e < 1e-10), "{errors:?}");
    }
}

/// The conserved quantity `v` that the whole domain gains in unit time.
fn gain(s: &mut Solver, v: usize) -> f64 {
    let rhs = s.rhs(0.0).unwrap();
    let mut sum = 0.0;
    for (cell, &kind) in s.geometry.kinds.iter().enumerate() {
        let (first, weights) = (s.geometry.first_point[cell], s.elements.weights(kind));
        for (p, w) in weights.iter().enumerate() {
            sum += w * s.geometry.jacobian[first + p] * rhs[5 * first + v * weights.len() + p];
        }
    }
    sum
}

/// Largest |dU/dt|.
fn largest_rate(s: &mut Solver, time: f64) -> f64 {
    s.rhs(time).unwrap().iter().fold(0.0, |a, r| a.max(r.abs()))
}

/// Gas between two plates at y = 0 and 1, mu = 0.05, Pr = 0.7, p = 1, cp = 3.5.
fn between_plates(initial: &str, lower: &str, upper: &str) -> Solver {
    solver(&format!(
        "mesh: {{box: {{cells: [1, 3, 1], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, z]}}}}\norder: 3\n\
         gas: {{prandtl: 0.7, viscosity: {{constant: 0.05}}}}\ninitial: {{{initial}, v: 0, w: 0, p: 1}}\n\
         boundaries: {{y-: {{{lower}}}, y+: {{{upper}}}}}\ntime: {{steps: 1}}\n"
    ))
}

#[test]
fn heat_flows_between_isothermal_plates_and_not_into_adiabatic_ones() {
    let (cold, hot) = (
        "type: no-slip-isothermal, temperature: 1",
        "type: no-slip-isothermal, temperature: 1.3",
    );
    let linear = "u: 0, temperature: 1 + 0.3*y";
    // Steady conduction: T is linear.
    let mut s = between_plates(linear, cold, hot);
    let start = largest_rate(&mut s, 0.0);
    advance_to(&mut s, 5.0, 0.7);
    let error = points(&s)
        .iter()
        .map(|q| (q.t - 1.0 - 0.3 * q.x[1]).abs())
        .fold(0.0, f64::max);
    println!("conduction: dU/dt {start:.1e}, error of T after t = 5 {error:.1e}");
    assert!(start < 1e-12 && error < 1e-13);
    // With the hot plate replaced by an adiabatic one the gas loses k dT/dy through the cold one alone: k = mu cp/Pr.
    let lost = gain(&mut between_plates(linear, cold, "type: no-slip-adiabatic"), 4);
    let expected = -0.05 * 3.5 / 0.7 * 0.3;
    println!("heat through the cold plate: {lost:.15}, exact {expected:.15}");
    assert!((lost - expected).abs() < 1e-14);
    let kept = gain(
        &mut between_plates(linear, "type: no-slip-adiabatic", "type: no-slip-adiabatic"),
        4,
    );
    assert!(kept.abs() < 1e-15, "{kept:e}");
    // A wall warmer than the gas beside it heats it.
    let mut warmer = between_plates("u: 0, temperature: 1", cold, hot);
    advance_to(&mut warmer, 0.1, 0.7);
    assert!(gain(&mut warmer, 4) > 0.1);
}

#[test]
fn a_moving_wall_does_the_work_of_its_traction() {
    let mut s = between_plates(
        "u: y, temperature: 1",
        "type: no-slip-adiabatic",
        "type: no-slip-adiabatic, velocity: [1, 0, 0]",
    );
    let (mass, work) = (gain(&mut s, 0), gain(&mut s, 4));
    println!("mass {mass:.1e}, work {work:.15}, exact mu");
    assert!(mass.abs() < 1e-15 && (work - 0.05).abs() < 1e-15);
}

#[test]
fn slip_walls_take_no_mass_no_shear_and_no_heat() {
    let mut s = between_plates("u: y, temperature: 1 + 0.3*y^2", "type: slip", "type: symmetry");
    for (v, what) in [(0, "mass"), (1, "momentum"), (4, "energy")] {
        let gained = gain(&mut s, v);
        println!("slip walls: {what} gained {gained:.1e}");
        assert!(gained.abs() < 1e-14, "{what}: {gained:e}");
    }
    let mut no_slip = between_plates("u: y, temperature: 1", "type: slip", "type: no-slip-adiabatic");
    assert!(
        gain(&mut no_slip, 1).abs() > 0.05,
        "a wall that is no slip wall takes momentum"
    );
}

#[test]
fn nothing_goes_upstream_of_a_supersonic_outlet() {
    let inlet = "type: supersonic-inlet, u: 2, v: 0.3, w: 0, p: 1/1.4, rho: 1 + 0.1*sin(4*t)^2";
    let initial = "u: 2 + 0.1*sin(2*pi*x), v: 0.3, w: 0, p: (1 + 0.1*sin(pi*x)^2)/1.4, rho: 1 + 0.1*sin(pi*x)^2";
    let run = |cells: usize, length: f64, end: f64| {
        let mut s = duct(cells, (0.0, length), "", initial, inlet, "type: supersonic-outlet");
        let steps = (end / 2.5e-3_f64).ceil() as usize;
        advance(&mut s, steps, end / steps as f64);
        points(&s)
    };
    // The same cells with and without as many more behind them.
    let (short, long) = (run(6, 1.0, 0.4), run(12, 2.0, 0.4));
    let difference = |(a, b): (&Point, &Point)| (a.rho - b.rho).abs() + (a.p - b.p).abs() + (a.v[0] - b.v[0]).abs();
    let largest = short.iter().zip(&long).map(difference).fold(0.0, f64::max);
    println!("a supersonic outlet changes what lies before it by {largest:.1e}");
    assert!(largest < 1e-13);
    // What comes in is carried along unchanged.
    let end = 2.0;
    let exact = |q: &Point| 1.0 + 0.1 * (4.0 * (end - 0.5 * q.x[0])).sin().powi(2);
    let last = run(6, 1.0, end);
    let error = last.iter().map(|q| (q.rho - exact(q)).abs()).fold(0.0, f64::max);
    let sound = last
        .iter()
        .map(|q| (q.p * 1.4 - 1.0).abs() + (q.v[1] - 0.3).abs())
        .fold(0.0, f64::max);
    println!("density that came in through a supersonic inlet: error {error:.1e}, sound {sound:.1e}");
    assert!(error < 2e-4 && sound < 1e-4);
}

#[test]
fn back_flow_through_a_pressure_outlet_stays_bounded() {
    // At first a third of the outlet lets gas in, three times as fast as the inlet; then vortices pass it.
    for (inlet, more) in [
        ("velocity-inlet, u: 0.1, v: 0, w: 0, temperature: 1/1.4", ""),
        (
            "velocity-inlet, u: 0.1, v: 0, w: 0, temperature: 1/1.4",
            "gas: {viscosity: {constant: 1e-3}}\n",
        ),
        ("far-field, u: 0.1, v: 0, w: 0, p: 1/1.4, rho: 1", ""),
        ("slip", ""),
    ] {
        let mut s = solver(&format!(
            "mesh: {{box: {{cells: [6, 4, 1], lower: [0, 0, 0], upper: [1.5, 1, 1], periodic: [z]}}}}\norder: 3\n{more}\
             initial: {{u: 0.1 + 0.4*cos(pi*y), v: 0.1*sin(pi*y)*sin(2*pi*x), w: 0, p: 1/1.4, rho: 1}}\nboundaries:\n  \
             x-: {{type: {inlet}}}\n  x+: {{type: pressure-outlet, p: 1/1.4}}\n  \
             y-: {{type: slip}}\n  y+: {{type: slip}}\ntime: {{steps: 1}}\n"
        ));
        let back = |s: &Solver| {
            points(s)
                .iter()
                .filter(|q| q.x[0] == 1.5)
                .map(|q| q.v[0])
                .fold(0.0, f64::min)
        };
        let speed = |q: &Point| (q.v[0] * q.v[0] + q.v[1] * q.v[1]).sqrt();
        let (mut fastest, mut strongest) = (0.0f64, 0.0f64);
        for _ in 0..40 {
            strongest = strongest.min(back(&s));
            advance_to(&mut s, 0.5, 0.5);
            fastest = points(&s).iter().map(speed).fold(fastest, f64::max);
        }
        let warmest = points(&s).iter().map(|q| (q.t * 1.4 - 1.0).abs()).fold(0.0, f64::max);
        let last = worst(&s, |q| speed(q), 0.1);
        println!(
            "{inlet}: back-flow to {strongest:.2}, fastest {fastest:.2}, at the end u off by {last:.2}, T by {warmest:.1e}"
        );
        assert!(strongest < -0.25 && fastest < 1.0 && last < 0.6 && warmest < 0.25);
    }
}

#[test]
fn gas_that_flows_back_has_the_temperature_and_the_total_pressure_of_the_outlet() {
    let mut s = duct(
        2,
        (0.0, 1.0),
        "",
        "u: 0, v: 0.05, w: 0, p: 1/1.4, rho: 1",
        "type: pressure-outlet, p: 1/1.4",
        "type: pressure-outlet, p: 1.05/1.4, total-temperature: 0.9",
    );
    advance_to(&mut s, 150.0, 0.5);
    let errors = [
        worst(&s, total_pressure, 1.05 / 1.4),
        worst(&s, total_temperature, 0.9),
        worst(&s, |q| q.p, 1.0 / 1.4),
        worst(&s, |q| q.v[1], 0.0),
    ];
    let speed = points(&s)[0].v[0];
    println!("back-flow at {speed:.3}: errors of p0, T0, p, v {}", shown(&errors));
    assert!(speed < -0.2 && errors.iter().all(|e| *e < 1e-9), "{errors:?}");
}

#[test]
fn inlets_and_outlets_follow_their_expressions_in_time() {
    let mut s = duct(
        4,
        (0.0, 1.0),
        "",
        "u: 0.2, v: 0, w: 0, p: 1/1.4, rho: 1",
        "type: velocity-inlet, u: 0.2 + 0.02*sin(2*t)^2, v: 0, w: 0, rho: 1",
        "type: pressure-outlet, p: (1 + 0.05*sin(t)^2)/1.4",
    );
    let (mut time, mut error) = (0.0, [0.0f64; 2]);
    let dt = 0.01;
    for _ in 0..8 {
        for _ in 0..25 {
            s.step(time, dt).unwrap();
            time += dt;
        }
        for q in points(&s) {
            if q.x[0] == 0.0 {
                error[0] = error[0].max((q.v[0] - 0.2 - 0.02 * (2.0 * time).sin().powi(2)).abs());
            } else if q.x[0] == 1.0 {
                error[1] = error[1].max((q.p * 1.4 - 1.0 - 0.05 * time.sin().powi(2)).abs());
            }
        }
    }
    println!(
        "u(t) of an inlet and p(t) of an outlet are met within {}",
        shown(&error)
    );
    assert!(error[0] < 1e-4 && error[1] < 2e-4, "{error:?}");
}

#[test]
fn inlets_follow_their_expressions_in_space() {
    // A parallel shear flow u(y) at one pressure and temperature is steady.
    let held = |total_pressure: &str, temperature: &str| {
        let mut s = solver(&format!(
            "mesh: {{box: {{cells: [2, 2, 1], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [z]}}}}\norder: 3\n\
             initial: {{u: 0.2 + 0.3*y, v: 0, w: 0, p: 1/1.4, rho: 1}}\nboundaries:\n  \
             x-: {{type: total-inlet, total-pressure: {total_pressure}, total-temperature: {temperature}}}\n  \
             x+: {{type: velocity-inlet, u: 0.2 + 0.3*y, v: 0, w: 0, rho: 1}}\n  y-: {{type: slip}}\n  y+: {{type: slip}}\n\
             time: {{steps: 1}}\n"
        ));
        largest_rate(&mut s, 0.0)
    };
    let heat = "(1 + 0.2*(0.2 + 0.3*y)^2)";
    let exact = held(&format!("{heat}^3.5/1.4"), &format!("{heat}/1.4"));
    let uniform = held("1.02^3.5/1.4", "1.02/1.4");
    println!("dU/dt of a shear flow from a total-inlet with its profile {exact:.1e}, with a uniform one {uniform:.1e}");
    assert!(exact < 1e-12 && uniform > 1e-2);
}

/// Largest |dU/dt| of a uniform oblique flow at Mach `mach` in a warped box with these ends in x, relative to the variable's own
/// size and to the rate at which the fastest wave crosses half a cell.
fn disturbance(precision: &str, mach: f64, left: &str, right: &str) -> f64 {
    let mut s = solver(&format!(
        "mesh: {{box: {{cells: [3, 3, 2], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [y, z], warp: 0.2}}}}\norder: 3\n\
         precision: {precision}\nconstants: {{u: {mach}*0.96, v: {mach}*0.28, heat: 1 + 0.2*{mach}^2}}\n\
         gas: {{viscosity: {{constant: 0.01}}}}\ninitial: {{u: u, v: v, w: 0, p: 1/1.4, rho: 1}}\n\
         boundaries: {{x-: {{{left}}}, x+: {{{right}}}}}\ntime: {{steps: 1}}\n"
    ));
    let rhs = s.rhs(0.0).unwrap();
    let rate = s.device.rates().unwrap().largest_acoustic();
    let scale = [1.0, 1.0 + mach, 1.0 + mach, 1.0 + mach, 1.0 / 0.56 + 0.5 * mach * mach];
    let relative = |(i, r): (usize, &f64)| r.abs() / (scale[i / 64 % 5] * rate);
    rhs.iter().enumerate().map(relative).fold(0.0, f64::max)
}

#[test]
fn every_inflow_and_outflow_keeps_a_uniform_flow() {
    let state = "u: u, v: v, w: 0, p: 1/1.4, rho: 1";
    let total = "type: total-inlet, total-pressure: heat^3.5/1.4, total-temperature: heat/1.4, direction: [u, v, 0]";
    let far = &format!("type: far-field, {state}");
    let by_velocity = "type: velocity-inlet, u: u, v: v, w: 0, temperature: 1/1.4";
    let by_mass = "type: velocity-inlet, u: u, v: v, w: 0, rho: 1";
    let outlet = "type: pressure-outlet, p: 1/1.4";
    let (fast_in, fast_out) = (&format!("type: supersonic-inlet, {state}"), "type: supersonic-outlet");
    for (mach, left, right) in [
        (0.5, far.as_str(), far.as_str()),
        (0.5, total, outlet),
        (0.9, total, outlet),
        (0.5, by_velocity, far),
        (0.5, by_mass, by_velocity),
        (1.8, fast_in, fast_out),
        (1.8, far, outlet),
    ] {
        for (precision, bound) in [("double", 1e-12), ("single", 1e-5)] {
            let change = disturbance(precision, mach, left, right);
            println!("{precision}, Mach {mach}: {left} -> {right}: {change:.1e}");
            assert!(change < bound, "{left} -> {right}: {change:e}");
        }
    }
}

#[test]
fn shear_leaves_a_channel_undisturbed() {
    // Poiseuille flow at Reynolds number 100 (with an expansion of 3 %): max |v| by the outlet is that of the flow before it.
    let mut s = solver(
        "mesh: {box: {cells: [8, 3, 1], lower: [0, 0, 0], upper: [4, 1, 1], periodic: [z]}}\norder: 3\n\
         constants: {U: 0.2, mu: 0.002}\ngas: {viscosity: {constant: mu}}\n\
         initial: {u: 6*U*y*(1 - y), v: 0, w: 0, p: 1/1.4 + 12*mu*U*(4 - x), rho: 1}\nboundaries:\n  \
         x-: {type: velocity-inlet, u: 6*U*y*(1 - y), v: 0, w: 0, rho: 1}\n  x+: {type: pressure-outlet, p: 1/1.4}\n  \
         y-: {type: no-slip-adiabatic}\n  y+: {type: no-slip-adiabatic}\ntime: {steps: 1}\n",
    );
    advance_to(&mut s, 20.0, 0.7);
    let across = |from: f64| {
        let near = points(&s).into_iter().filter(|q| q.x[0] >= from);
        near.map(|q| q.v[1].abs() / 0.2).fold(0.0, f64::max)
    };
    println!(
        "max |v|/U in the channel {:.1e}, in the last cell {:.1e}",
        across(0.0),
        across(3.5)
    );
    assert!(across(3.5) < 1e-3);
}

#[test]
fn heat_leaves_at_low_reynolds_numbers_too() {
    // Cell Reynolds numbers down to 0.15: passing on the gas's own heat flux would be no condition at all, and makes it grow
    // (measured: from 0.01 to 0.5).
    for u in [0.03, 0.003] {
        let spot = "0.01*exp(-25*(x - 0.7)^2)";
        let mut s = duct(
            2,
            (0.0, 1.0),
            "gas: {viscosity: {constant: 0.1}}\n",
            &format!("u: {u}, v: 0, w: 0, p: 1/1.4, rho: 1 + {spot}"),
            &format!("type: far-field, u: {u}, v: 0, w: 0, p: 1/1.4, rho: 1"),
            "type: pressure-outlet, p: 1/1.4",
        );
        advance_to(&mut s, 12.0, 0.4);
        let left = worst(&s, |q| q.t * 1.4, 1.0);
        println!("u = {u}: {left:.1e} of a spot of 1e-2 is left");
        assert!(left < 2e-4);
    }
}

#[test]
fn boundary_values_that_mean_nothing_are_refused_with_the_name_and_the_place() {
    for (condition, message) in [
        ("type: pressure-outlet, p: y - 0.5", "boundaries.x+.p is -5.0"),
        (
            "type: far-field, u: 0, v: 0, w: 0, p: 1, rho: 1/(y - 1)",
            "boundaries.x+.rho is -1.0",
        ),
        (
            "type: total-inlet, total-pressure: 1, total-temperature: 1, direction: [y, y, 0]",
            "boundaries.x+.direction has the length 0.0",
        ),
        (
            "type: velocity-inlet, u: log(y), v: 0, w: 0, rho: 1",
            "boundaries.x+.u is -inf",
        ),
        (
            "type: total-inlet, total-pressure: 1.1, total-temperature: 1, direction: [1, -0.2, 0]",
            "boundaries.x+.direction points out of the domain: its cosine with the outward normal is 9.8",
        ),
        (
            "type: no-slip-adiabatic, velocity: [-0.1, 0.1, 0]",
            "boundaries.x+.velocity goes through the wall: its component along the outward normal is -1.0",
        ),
    ] {
        let text = format!(
            "mesh: {{box: {{cells: [1, 1, 1], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [y, z]}}}}\norder: 3\n\
             gas: {{viscosity: {{constant: 0.1}}}}\ninitial: {{u: 0, v: 0, w: 0, p: 1, rho: 1}}\n\
             boundaries: {{x-: {{type: slip}}, x+: {{{condition}}}}}\ntime: {{steps: 1}}\n"
        );
        let Err(error) = Solver::new(&case(&text)) else {
            panic!("accepted: {condition}")
        };
        let shown = error.to_string();
        println!("{shown}");
        assert!(shown.contains(message) && shown.contains("(1.0"), "{shown}");
    }
}

#[test]
fn a_wall_that_turns_may_be_made_of_flat_faces() {
    let ring = |around: usize, velocity: &str| {
        let annulus = Annulus {
            inner: 1.0,
            outer: 2.0,
            length: 1.0,
            angle: std::f64::consts::TAU,
            cells: [1, around, 1],
            growth: 1.0,
            hex_layers: 1,
            geometry_order: 1,
            periodic_angle: true,
            periodic_z: true,
        };
        let case = case(&format!(
            "mesh: {{file: ring.h5}}\norder: 2\ngas: {{viscosity: {{constant: 0.1}}}}\n\
             initial: {{u: 0, v: 0, w: 0, p: 1, rho: 1}}\n\
             boundaries: {{inner: {{type: no-slip-adiabatic, velocity: {velocity}}}, outer: {{type: slip}}}}\ntime: {{steps: 1}}\n"
        ));
        Solver::on_mesh(&case, annulus.build().unwrap())
            .map(|_| ())
            .map_err(|e| e.to_string())
    };
    // The normal of a flat face leans by up to 180 degrees over their number.
    for around in [8, 48] {
        ring(around, "[-y, x, 0]").unwrap();
        ring(around, "[-1e-30*y, 1e-30*x, 1e-12*x]").unwrap();
        let error = ring(around, "[x, y, 0]").unwrap_err();
        assert!(
            error.contains("boundaries.inner.velocity goes through the wall"),
            "{error}"
        );
    }
}

#[test]
fn a_boundary_value_that_means_nothing_later_ends_the_step_with_name_place_and_time() {
    for (temperature, value, time) in [
        ("1 - 4*t", "-3.600000e-3", "2.509000e-1"),
        ("sqrt(0.1 - t)", "NaN", "2.489000e-1"),
    ] {
        let mut s = duct(
            2,
            (0.0, 1.0),
            "gas: {viscosity: {constant: 0.01}}\n",
            "u: 0, v: 0, w: 0, p: 1, temperature: 1",
            &format!("type: no-slip-isothermal, temperature: {temperature}"),
            "type: slip",
        );
        s.step(0.0, 1e-3).unwrap();
        let error = s.step(0.2489, 0.002).unwrap_err().to_string();
        let expected = [
            format!("boundaries.x-.temperature is {value} at (0.0"),
            format!("and t = {time}; it must be positive and finite"),
        ];
        assert!(expected.iter().all(|part| error.contains(part)), "{error}");
    }
}
