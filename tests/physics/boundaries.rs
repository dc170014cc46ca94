//! Flows between walls with known solutions, and boundary values that are refused.

use crate::common::cases::{advance, advance_to, case, each_point, solver};
use crate::common::gas::{duct, gain, integrals, largest_rate, points};
use crate::common::program::{output, program, with_case};
use fr_les::mesh::Annulus;
use fr_les::solver::Solver;

#[test]
fn adiabatic_walls_at_rest_keep_mass_and_energy_to_round_off() {
    for (warp, correction) in [(0.0, "radau"), (0.3, "radau"), (0.3, "lobatto")] {
        let mut s = solver(&format!(
            "mesh: {{box: {{cells: [4, 4, 3], lower: [0, 0, 0], upper: [1, 1, 1], warp: {warp}}}}}\norder: 3\n\
             scheme: {{correction: {correction}}}\ngas: {{viscosity: {{constant: 0.02}}}}\n\
             initial: {{u: 0.3*sin(pi*x)*cos(pi*y), v: -0.3*cos(pi*x)*sin(pi*y), w: 0.1*sin(pi*z), p: 1 + 0.1*x, \
             rho: 1 + 0.2*y}}\n\
             boundaries:\n  x-: {{type: slip}}\n  x+: {{type: no-slip-adiabatic}}\n  \
             y-: {{type: no-slip-adiabatic}}\n  \
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

/// Error of Couette flow between isothermal walls, of which the upper one moves at 1: u = y, T = 1 + Pr/(2 cp) y (1 -
/// y), p = 1.
fn couette_error(order: usize, cells: usize) -> [f64; 5] {
    let mut s = solver(&format!(
        "mesh: {{box: {{cells: [1, {cells}, 1], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, z]}}}}\n\
         order: {order}\n\
         gas: {{prandtl: 0.72, viscosity: {{constant: 0.05}}}}\nconstants: {{k: 0.72/7}}\n\
         initial: {{u: y, v: 0, w: 0, p: 1, temperature: 1 + k*y*(1 - y)}}\nboundaries:\n  \
         y-: {{type: no-slip-isothermal, temperature: 1}}\n  y+: {{type: no-slip-isothermal, temperature: 1, \
         velocity: [1, 0, 0]}}\n\
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
fn couette_flow_between_isothermal_walls_is_preserved_to_round_off() {
    // u and T are polynomials of degree 1 and 2, and the scheme differentiates primitive variables, so the solution is
    // exact.
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
             initial: {{u: 0, v: 0, w: 0, p: 1, temperature: 1}}\nboundaries:\n  \
             y-: {{type: no-slip-isothermal, temperature: 1}}\n  \
             y+: {{type: no-slip-isothermal, temperature: 1, velocity: [1, 0, 0]}}\ntime: {{steps: 1}}\n"
        ));
        // The slowest mode decays as exp(-0.3 pi^2 t).
        advance_to(&mut s, 9.0, 0.7);
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
fn boundary_values_follow_their_expressions_in_time() {
    let mut s = solver(
        "mesh: {box: {cells: [1, 4, 1], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, z]}}\norder: 3\n\
         gas: {viscosity: {constant: 0.5}}\ninitial: {u: 0, v: 0, w: 0, p: 1, rho: 1}\n\
         boundaries: {y-: {type: no-slip-adiabatic, velocity: [t, 0, 0]}, y+: {type: no-slip-adiabatic, \
         velocity: [t, 0, 0]}}\n\
         time: {steps: 1}\n",
    );
    let dt = 0.3 * {
        let rates = s.device.time_step_bounds().unwrap();
        s.stable_step(&rates)
    };
    let steps = (1.0 / dt).ceil() as usize;
    advance(&mut s, steps, 1.0 / steps as f64);
    // Long after the start the gas follows the walls: u = t - (rho/mu) y (1 - y)/2, whose mean is t - rho/(12 mu).
    let mean = integrals(&mut s).conserved[1];
    assert!((mean - (1.0 - 1.0 / 6.0)).abs() < 0.02, "{mean}");
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
    // In steady conduction T is linear.
    let mut s = between_plates(linear, cold, hot);
    let start = largest_rate(&mut s, 0.0);
    advance_to(&mut s, 5.0, 0.7);
    let error = points(&s)
        .iter()
        .map(|q| (q.t - 1.0 - 0.3 * q.x[1]).abs())
        .fold(0.0, f64::max);
    println!("conduction: dU/dt {start:.1e}, error of T after t = 5 {error:.1e}");
    assert!(start < 1e-12 && error < 1e-13);
    // If the hot plate is adiabatic, the gas loses k dT/dy through the cold plate alone, with k = mu cp/Pr.
    let lost = gain(&mut between_plates(linear, cold, "type: no-slip-adiabatic"), 4);
    let expected = -0.05 * 3.5 / 0.7 * 0.3;
    println!("heat through the cold plate: {lost:.15}, exact {expected:.15}");
    assert!((lost - expected).abs() < 1e-14);
    let kept = gain(
        &mut between_plates(linear, "type: no-slip-adiabatic", "type: no-slip-adiabatic"),
        4,
    );
    assert!(kept.abs() < 1e-15, "{kept:e}");
    // A wall that is warmer than the gas heats it.
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
fn invalid_boundary_values_are_refused_with_name_and_place() {
    for (condition, message) in [
        ("type: pressure-outlet, p: y - 0.5", "boundaries.x+.p is -0.5 at"),
        (
            "type: far-field, u: 0, v: 0, w: 0, p: 1, rho: 1/(y - 1)",
            "boundaries.x+.rho is -1 at",
        ),
        (
            "type: total-inlet, total-pressure: 1, total-temperature: 1, direction: [y, y, 0]",
            "boundaries.x+.direction has the length 0 at",
        ),
        (
            "type: velocity-inlet, u: log(y), v: 0, w: 0, rho: 1",
            "boundaries.x+.u is -inf",
        ),
        (
            "type: total-inlet, total-pressure: 1.1, total-temperature: 1, direction: [1, -0.2, 0]",
            "boundaries.x+.direction points out of the domain: its cosine with the outward normal is 0.98",
        ),
        (
            "type: no-slip-adiabatic, velocity: [-0.1, 0.1, 0]",
            "boundaries.x+.velocity goes through the wall: its component along the outward normal is -0.1 at",
        ),
        (
            "type: relaxed-velocity-inlet, u: -2, v: 0, w: 0, temperature: 1",
            "boundaries.x+.type relaxes, but its velocity has the normal Mach number -1.69",
        ),
    ] {
        let text = format!(
            "mesh: {{box: {{cells: [1, 1, 1], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [y, z]}}}}\norder: 3\n\
             gas: {{viscosity: {{constant: 0.1}}}}\ninitial: {{u: 0, v: 0, w: 0, p: 1, rho: 1}}\n\
             boundaries: {{x-: {{type: slip}}, x+: {{{condition}}}}}\ntime: {{steps: 1}}\n"
        );
        let Err(error) = Solver::new(&case(&text).solver) else {
            panic!("accepted: {condition}")
        };
        let shown = error.to_string();
        println!("{shown}");
        assert!(shown.contains(message) && shown.contains("(1, "), "{shown}");
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
             boundaries: {{inner: {{type: no-slip-adiabatic, velocity: {velocity}}}, outer: {{type: slip}}}}\n\
             time: {{steps: 1}}\n"
        ));
        Solver::on_mesh(&case.solver, annulus.build().unwrap())
            .map(|_| ())
            .map_err(|e| e.to_string())
    };
    // The normal of a flat face deviates by up to 180 degrees divided by the number of faces.
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
fn a_boundary_value_that_becomes_invalid_ends_the_step_with_name_place_and_time() {
    for (temperature, value, time) in [("1 - 4*t", "-0.0036", "0.250900"), ("sqrt(0.1 - t)", "NaN", "0.248900")] {
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
            format!("boundaries.x-.temperature is {value} at (0, "),
            format!("and t = {time}; it must be positive and finite"),
        ];
        assert!(expected.iter().all(|part| error.contains(part)), "{error}");
    }
}

#[test]
fn a_pressure_in_another_unit_brings_a_warning() {
    let log = |outlet: &str| {
        let directory = with_case(&format!(
            "mesh: {{box: {{cells: [2, 2, 2], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [y, z]}}}}\norder: 2\n\
             gas: {{gas-constant: 287}}\ninitial: {{u: 20, v: 0, w: 0, p: 1e5, temperature: 300}}\nboundaries:\n  \
             x-: {{type: total-inlet, total-pressure: 1.01e5, total-temperature: 300}}\n  \
             x+: {{{outlet}}}\ntime: {{steps: 1}}\n"
        ));
        output(program(directory.path()).args(["check", "--long", "run.yaml"]), 0)
    };
    let warned = log("type: relaxed-outlet, p: 1");
    assert!(
        warned.contains("boundaries.x+ prescribes the pressure 1.0000e0 at (1, ")
            && !warned.contains("boundaries.x- pre"),
        "{warned}"
    );
    assert!(!log("type: pressure-outlet, p: 0.9e5").contains("prescribes the pressure"));
    // The same pressure above the total pressure of the inlet, and below it.
    let against = log("type: pressure-outlet, p: 1.02e5");
    assert!(
        against.contains(
            "boundaries.x-: the total pressure, at most 1.0100e5, is below the least pressure of the outlets"
        ),
        "{against}"
    );
    assert!(!log("type: pressure-outlet, p: 1e5").contains("is below the least pressure"));
}
