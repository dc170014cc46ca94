//! Inlets and outlets establish the flow that they prescribe, and preserve it.

use crate::common::cases::{advance_to, solver};
use crate::common::gas::{Point, duct, largest_rate, points, shown, worst};
use fr_les::solver::Solver;

fn total_pressure(q: &Point) -> f64 {
    q.p * (total_temperature(q) / q.t).powf(3.5)
}

fn total_temperature(q: &Point) -> f64 {
    q.t + (q.v[0] * q.v[0] + q.v[1] * q.v[1] + q.v[2] * q.v[2]) / 7.0
}

#[test]
fn total_inlet_and_pressure_outlet_make_the_flow_that_they_prescribe() {
    // The flow has Mach 0.4 at 30 degrees. The length of the direction does not matter.
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
fn velocity_inlet_admits_the_prescribed_mass() {
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

#[test]
fn back_flow_through_a_pressure_outlet_stays_bounded() {
    // At first gas enters through a third of the outlet, three times as fast as at the inlet. Later vortices pass the
    // outlet.
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
            "{inlet}: back-flow to {strongest:.2}, fastest {fastest:.2}, at the end u off by {last:.2}, \
             T by {warmest:.1e}"
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
             x+: {{type: velocity-inlet, u: 0.2 + 0.3*y, v: 0, w: 0, rho: 1}}\n  y-: {{type: slip}}\n  \
             y+: {{type: slip}}\n\
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

/// Returns the largest |dU/dt| of a uniform oblique flow at Mach `mach` in a warped box with these conditions at its
/// ends, relative to the scale of the variable and to the rate at which the fastest wave crosses half a cell.
fn disturbance(precision: &str, mach: f64, left: &str, right: &str) -> f64 {
    let mut s = solver(&format!(
        "mesh: {{box: {{cells: [3, 3, 2], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [y, z], warp: 0.2}}}}\n\
         order: 3\n\
         precision: {precision}\nconstants: {{u: {mach}*0.96, v: {mach}*0.28, heat: 1 + 0.2*{mach}^2}}\n\
         gas: {{viscosity: {{constant: 0.01}}}}\ninitial: {{u: u, v: v, w: 0, p: 1/1.4, rho: 1}}\n\
         boundaries: {{x-: {{{left}}}, x+: {{{right}}}}}\ntime: {{steps: 1}}\n"
    ));
    let rhs = s.rhs(0.0).unwrap();
    let rate = s.device.time_step_bounds().unwrap().largest_convective();
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
    // Poiseuille flow at Reynolds number 100, with an expansion of 3 %: near the outlet max |v| is no larger than
    // upstream.
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
    // The cell Reynolds number goes down to 0.15. If the outlet used the heat flux of the gas itself, that would be no
    // condition at all, and the disturbance would grow (measured: from 0.01 to 0.5).
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
