//! Modelled walls: traction and heat flux against independent evaluations of both laws on every kind of cell, laminar
//! flows that a wall model leaves as they are, and what moves along with a wall.

use crate::common::cases::{advance_to, case, solver};
use crate::common::couette::couette;
use crate::common::errors::l2_error;
use crate::common::program::{succeeds, with_case};
use fr_les::mesh::Annulus;
use fr_les::output::{SurfacePoint, Surfaces, matching_ranges};
use fr_les::solver::Solver;

const KINDS: [&str; 5] = ["hex", "prism", "tet", "pyramid", "mixed"];
const PRANDTL: f64 = 0.72;
const CP: f64 = 3.5;

/// Returns the loads at all points of the lower wall.
fn lower_wall(s: &mut Solver) -> Vec<SurfacePoint> {
    s.evaluate_rhs(0.0).unwrap();
    let wall = s.mesh.boundary_names.iter().position(|name| name == "y-").unwrap();
    let surfaces = Surfaces::of_solver(s, |boundary| boundary == wall);
    let points = surfaces.take(s.device.as_mut(), &s.domain.geometry).unwrap();
    points.concat()
}

/// A flow of uniform density and temperature 1 with the velocity u, v, w over a modelled wall at y = 0. Cells have the
/// height 1/4.
fn over_a_wall(elements: &str, mu: f64, velocity: [&str; 3], wall: &str, more: &str) -> Solver {
    let [u, v, w] = velocity;
    solver(&format!(
        "mesh: {{box: {{cells: [4, 4, 2], lower: [0, 0, 0], upper: [1, 1, 0.5], periodic: [x, z], \
         elements: {elements}}}}}\norder: 3\n{more}\n\
         gas: {{prandtl: {PRANDTL}, viscosity: {{constant: {mu}}}}}\n\
         initial: {{u: {u}, v: {v}, w: {w}, p: 1, temperature: 1}}\nboundaries:\n  \
         y-: {{type: wall-model, {wall}}}\n  y+: {{type: slip}}\ntime: {{steps: 1}}\n"
    ))
}

/// Returns y+ at Re = u+ y+ of Reichardt's law, by bisection of the law as it is published.
fn reichardt(re: f64) -> f64 {
    let u = |y: f64| {
        let log = (1.0 + 0.41 * y).ln() / 0.41;
        log + (5.2 - 0.41f64.ln() / 0.41) * (1.0 - (-y / 11.0).exp() - y / 11.0 * (-y / 3.0).exp())
    };
    let (mut low, mut high) = (0.0, re);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if u(middle) * middle < re {
            low = middle
        } else {
            high = middle
        }
    }
    low
}

/// Returns stress and heat flux k dT/dy at the wall of the equilibrium equations from the wall to (y, u, T) = (h, u,
/// T), with p = rho T = 1. A Runge-Kutta method in a stretched coordinate shoots for the stress and the heat flux, by
/// bisection of both in turn.
fn equilibrium(h: f64, u: f64, t: f64, wall: Option<f64>, mu: f64) -> [f64; 2] {
    let shoot = |tau: f64, heat: f64, t_wall: f64| {
        let slope = |y: f64, [v, at]: [f64; 2]| {
            let (rho, rho_wall) = (1.0 / at, 1.0 / t_wall);
            let damping = 1.0 - (-y * (rho_wall * tau).sqrt() / mu / 17.0).exp();
            let eddy = 0.41 * rho * (tau / rho).sqrt() * y * damping * damping;
            let k = CP * (mu / PRANDTL + eddy / 0.9);
            [tau / (mu + eddy), (heat - tau * v) / k]
        };
        // y = h (exp(a s) - 1)/(exp(a) - 1)
        let (a, n) = (9.0f64, 1000);
        let place = |s: f64| h * ((a * s).exp() - 1.0) / (a.exp() - 1.0);
        let stretch = |s: f64| h * a * (a * s).exp() / (a.exp() - 1.0);
        let rate = |s: f64, q: [f64; 2]| slope(place(s), q).map(|x| x * stretch(s));
        let mut q = [0.0, t_wall];
        let ds = 1.0 / f64::from(n);
        for step in 0..n {
            let s = f64::from(step) * ds;
            let add = |k: [f64; 2], f: f64| [q[0] + f * ds * k[0], q[1] + f * ds * k[1]];
            let k1 = rate(s, q);
            let k2 = rate(s + 0.5 * ds, add(k1, 0.5));
            let k3 = rate(s + 0.5 * ds, add(k2, 0.5));
            let k4 = rate(s + ds, add(k3, 1.0));
            for d in 0..2 {
                q[d] += ds / 6.0 * (k1[d] + 2.0 * k2[d] + 2.0 * k3[d] + k4[d]);
            }
        }
        q
    };
    let mut tau = mu * u / h;
    let mut heat = 0.0;
    let mut t_wall = wall.unwrap_or(t);
    for _ in 0..12 {
        // The speed rises with the stress, and the temperature with the heat flux or with that of the wall.
        let (mut low, mut high) = (0.0, 1e4 * mu * u / h);
        for _ in 0..50 {
            tau = 0.5 * (low + high);
            if shoot(tau, heat, t_wall)[0] < u {
                low = tau
            } else {
                high = tau
            }
        }
        let (mut low, mut high) = (-1.0, 1.0);
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            let there = match wall {
                Some(_) => shoot(tau, middle, t_wall)[1],
                None => shoot(tau, 0.0, t + middle)[1],
            };
            if there.is_nan() || there < t {
                low = middle
            } else {
                high = middle
            }
        }
        match wall {
            Some(_) => heat = 0.5 * (low + high),
            None => t_wall = t + 0.5 * (low + high),
        }
    }
    [tau, heat]
}

#[test]
fn a_laminar_shear_has_its_own_traction_and_no_heat() {
    for elements in KINDS {
        for (law, exchange) in [
            ("reichardt", "cell-top"),
            ("reichardt", "0.3"),
            ("equilibrium", "cell-top"),
        ] {
            // y+ at the matching point is at most 0.3.
            let mut s = over_a_wall(
                elements,
                1.0,
                ["y", "0", "0"],
                &format!("law: {law}, exchange: {exchange}"),
                "",
            );
            for point in lower_wall(&mut s) {
                let error = (point.traction[0] - 1.0).abs();
                assert!(error < 1e-5, "{elements}, {law}, {exchange}: {:?}", point.traction);
                assert!(point.traction[1].abs() + point.traction[2].abs() < 1e-12);
                assert!(point.heat.abs() < 1e-12, "{}", point.heat);
            }
        }
    }
}

#[test]
fn the_algebraic_law_takes_the_traction_of_reichardts_law_on_every_kind_of_cell() {
    let mut worst = 0.0f64;
    for elements in KINDS {
        for mu in [5e-4, 3e-5, 1e-6] {
            let mut s = over_a_wall(elements, mu, ["0.4", "0", "0.3"], "exchange: 0.25", "");
            let re = 0.5 * 0.25 / mu;
            let tau = (reichardt(re) * mu / 0.25).powi(2);
            for point in lower_wall(&mut s) {
                let expected = [0.8 * tau, 0.0, 0.6 * tau];
                for (found, expected) in point.traction.iter().zip(expected) {
                    worst = worst.max((found - expected).abs() / tau);
                }
            }
        }
    }
    println!("traction of Reichardt's law: largest relative error {worst:.1e}");
    assert!(worst < 1e-6, "{worst:e}");
}

#[test]
fn cell_top_is_the_height_of_the_cell_or_of_the_simplex_at_the_wall() {
    for elements in KINDS {
        let mut s = over_a_wall(elements, 1e-4, ["1", "0", "0"], "exchange: cell-top", "");
        s.evaluate_rhs(0.0).unwrap();
        let [range] = matching_ranges(&mut s).unwrap()[..] else {
            panic!("one modelled wall")
        };
        for height in range.height {
            assert!(height > 0.1 && height < 0.25 + 1e-12, "{elements}: {height}");
        }
        if matches!(elements, "hex" | "prism") {
            assert!((range.height[0] - 0.25).abs() < 1e-12, "{elements}: {:?}", range.height);
        }
        let expected = reichardt(2500.0);
        assert!(
            (range.y_plus[2] / expected - 1.0).abs() < 1e-4 || range.height[1] < 0.2499,
            "{elements}"
        );
    }
}

#[test]
fn only_the_velocity_along_the_wall_relative_to_it_counts() {
    let still = over_a_wall("hex", 1e-4, ["0.4", "0", "0.3"], "law: reichardt", "");
    let moving = over_a_wall(
        "hex",
        1e-4,
        ["0.5", "0.2", "0.1"],
        "law: reichardt, velocity: [0.1, 0, -0.2]",
        "",
    );
    let [still, moving] = [still, moving].map(|mut s| lower_wall(&mut s));
    for (a, b) in still.iter().zip(&moving) {
        for d in 0..3 {
            assert!(
                (a.traction[d] - b.traction[d]).abs() < 1e-14,
                "{:?} {:?}",
                a.traction,
                b.traction
            );
        }
        assert!(b.heat.abs() < 1e-14, "the work of the wall is no heat: {}", b.heat);
    }
}

#[test]
fn the_equilibrium_model_agrees_with_a_shooting_method() {
    // Mach 0.85 at the matching point, over a hot, a cold and an adiabatic wall.
    let h = 0.25;
    let u = 1.0;
    let mu = 1e-4;
    for wall in [Some(1.3), Some(0.8), None] {
        let key = wall.map_or(String::new(), |t| format!(", temperature: {t}"));
        let mut s = over_a_wall("hex", mu, ["1", "0", "0"], &format!("law: equilibrium{key}"), "");
        let [tau, heat] = equilibrium(h, u, 1.0, wall, mu);
        for point in lower_wall(&mut s) {
            // Heat is positive into the wall; k dT/dy is the flux towards the wall.
            let (found, scale) = (point.heat, heat.abs().max(tau));
            println!(
                "wall {wall:?}: stress {:.6e} of {tau:.6e}, heat {found:.4e} of {heat:.4e}",
                point.traction[0]
            );
            assert!((point.traction[0] / tau - 1.0).abs() < 1e-2, "{wall:?}");
            assert!((found - heat).abs() < 1e-2 * scale, "{wall:?}");
            if wall.is_none() {
                assert!(found.abs() < 1e-14);
            }
        }
    }
}

#[test]
fn the_algebraic_heat_flux_is_near_that_of_the_equilibrium_equations() {
    // Of a slow flow with a small difference of temperature, for which density is constant.
    let h = 0.25;
    let u = 0.1;
    let mu = 1e-5;
    for t in [1.02, 0.98] {
        let mut s = over_a_wall("hex", mu, ["0.1", "0", "0"], &format!("temperature: {t}"), "");
        let [tau, heat] = equilibrium(h, u, 1.0, Some(t), mu);
        for point in lower_wall(&mut s) {
            assert!(
                (point.traction[0] / tau - 1.0).abs() < 0.05,
                "{} of {tau}",
                point.traction[0]
            );
            assert!((point.heat / heat - 1.0).abs() < 0.1, "{} of {heat}", point.heat);
            assert_eq!(point.heat > 0.0, t < 1.0, "heat flows to the colder side");
        }
    }
}

#[test]
fn couette_flow_with_heating_keeps_its_solution() {
    // y+ at the matching points is about 2. The flow begins with the exact solution.
    for (law, bound) in [("reichardt", 1e-3), ("equilibrium", 5e-3)] {
        let text = couette("hex", 3, 0.05, 0.5, 1.5).replace("no-slip-isothermal", &format!("wall-model, law: {law}"));
        let mut s = solver(&text);
        advance_to(&mut s, 2.0, 0.8);
        let k = PRANDTL / 7.0 * 1.5 * 1.5;
        let error = l2_error(&s, |x| {
            let y = x[1] / 0.5;
            let (rho, u) = (1.0 / (1.0 + k * y * (1.0 - y)), 1.5 * y);
            [rho, rho * u, 0.0, 0.0, 2.5 + 0.5 * rho * u * u]
        });
        println!("Couette flow, {law}: errors at t = 2 {error:?}");
        assert!(error.iter().all(|e| *e < bound), "{law}: {error:?}");
    }
}

#[test]
fn a_shear_that_begins_with_other_values_becomes_that_of_its_walls() {
    // A linear profile is stationary; the disturbance decays as pi^2 nu/h^2.
    let text = couette("hex", 3, 0.5, 0.5, 0.5)
        .replace("no-slip-isothermal", "wall-model")
        .replace("u: s*y/h", "u: s*y/h + 0.05*sin(pi*y/h)");
    let mut s = solver(&text);
    advance_to(&mut s, 1.5, 0.8);
    let error = l2_error(&s, |x| {
        let y = x[1] / 0.5;
        let (rho, u) = (1.0 / (1.0 + PRANDTL / 7.0 * 0.25 * y * (1.0 - y)), 0.5 * y);
        [rho, rho * u, 0.0, 0.0, 2.5 + 0.5 * rho * u * u]
    });
    assert!(error[1] < 1e-3, "{error:?}");
}

/// Returns the error of matching points 1.6 off the inner wall of a quarter of an annulus of width 1.5.
fn error_of_far_matching_points(periodic_angle: bool) -> String {
    let sector = Annulus {
        inner: 0.5,
        outer: 2.0,
        length: 0.7,
        angle: 0.25 * std::f64::consts::TAU,
        cells: [2, 4, 2],
        growth: 1.0,
        hex_layers: 2,
        geometry_order: 2,
        periodic_angle,
        periodic_z: true,
    };
    let ends = if periodic_angle {
        ""
    } else {
        "  theta-: {type: slip}\n  theta+: {type: slip}\n"
    };
    let text = format!(
        "mesh: {{file: none.h5}}\norder: 3\ngas: {{viscosity: {{constant: 1e-4}}}}\n\
         initial: {{u: -y, v: x, w: 0, p: 1, rho: 1}}\nboundaries:\n  \
         inner: {{type: wall-model, exchange: 1.6}}\n  outer: {{type: slip}}\n{ends}time: {{steps: 1}}\n"
    );
    Solver::on_mesh(&case(&text).solver, sector.build().unwrap())
        .map(drop)
        .expect_err("1.6 is more than the 1.5 between the walls")
        .to_string()
}

#[test]
fn a_matching_point_outside_of_the_mesh_is_refused() {
    let error = error_of_far_matching_points(false);
    assert!(
        error.contains("boundaries.inner.exchange") && error.contains("outside of the mesh"),
        "{error}"
    );
}

#[test]
fn a_matching_point_beyond_a_mesh_that_is_periodic_by_a_rotation_is_refused_with_that_reason() {
    let error = error_of_far_matching_points(true);
    assert!(
        error.contains("boundaries.inner.exchange") && error.contains("periodic by a rotation is not sought"),
        "{error}"
    );
}

#[test]
fn check_warns_of_matching_points_too_near_to_the_wall_and_too_far_from_it() {
    let log = |nu: &str, exchange: &str| {
        let folder = with_case(&format!(
            "mesh: {{box: {{cells: [4, 10, 4], lower: [0, -1, 0], upper: [4, 1, 2], periodic: [x, z]}}}}\norder: 3\n\
             gas: {{viscosity: {{constant: {nu}}}}}\ninitial: {{u: 1, v: 0, w: 0, p: 20, temperature: 20}}\n\
             boundaries: {{y-: {{type: wall-model, exchange: {exchange}}}, y+: {{type: wall-model}}}}\n\
             time: {{steps: 1}}\n"
        ));
        succeeds(&folder, &["check", "--long", "run.yaml"])
    };
    let sublayer = "the law is that of the viscous sublayer and of no use";
    let buffer = "wall models are meant for 30 and more";
    let outer = "of the volume per area of the modelled walls (half the height of a channel)";
    // Re = 0.2/nu of a matching point 0.2 off the wall: y+ is sqrt(Re) in the sublayer, else that of the law.
    for (nu, exchange, expected) in [
        ("4e-3", "cell-top", [true, false, false]), // y+ 7
        ("7e-4", "cell-top", [false, true, false]), // y+ 27
        ("1e-5", "cell-top", [false, false, false]),
        ("1e-5", "0.25", [false, false, true]),
    ] {
        let log = log(nu, exchange);
        let found = [sublayer, buffer, outer].map(|part| log.contains(part));
        assert_eq!(found, expected, "nu {nu}, exchange {exchange}:\n{log}");
    }
}

#[test]
fn curved_walls_take_the_traction_along_them() {
    // Gas that turns as a solid body and moves along the axis, between a wall at rest and one that turns.
    let annulus = Annulus {
        inner: 0.5,
        outer: 2.0,
        length: 0.7,
        angle: std::f64::consts::TAU,
        cells: [4, 24, 2],
        growth: 1.2,
        hex_layers: 1,
        geometry_order: 3,
        periodic_angle: false,
        periodic_z: true,
    };
    let nu = 1e-4;
    let turning = 0.4;
    let axial = 0.1;
    let text = format!(
        "mesh: {{file: none.h5}}\norder: 3\ngas: {{viscosity: {{constant: {nu}}}}}\n\
         initial: {{u: -{turning}*y, v: {turning}*x, w: {axial}, p: 1, rho: 1}}\nboundaries:\n  \
         inner: {{type: wall-model}}\n  \
         outer: {{type: wall-model, exchange: 0.2, velocity: [-0.3*y, 0.3*x, 0]}}\ntime: {{steps: 1}}\n"
    );
    let mut s = Solver::on_mesh(&case(&text).solver, annulus.build().unwrap()).unwrap_or_else(|e| panic!("{e}"));
    s.evaluate_rhs(0.0).unwrap();
    let ranges = matching_ranges(&mut s).unwrap();
    let mut worst = 0.0f64;
    for range in ranges {
        let inner = s.mesh.boundary_names[range.boundary] == "inner";
        let surfaces = Surfaces::of_solver(&s, |boundary| boundary == range.boundary);
        for point in surfaces.take(s.device.as_mut(), &s.domain.geometry).unwrap().concat() {
            let size = point.area.iter().map(|a| a * a).sum::<f64>().sqrt();
            let sign = if inner { -1.0 } else { 1.0 };
            let [x, y] = [0, 1].map(|d| sign * point.area[d] / size);
            let h = range.height[0];
            let around = if inner {
                turning * (0.5 + h)
            } else {
                turning * 1.8 - 0.3 * 2.0
            };
            let speed = around.hypot(axial);
            let tau = (reichardt(speed * h / nu) * nu / h).powi(2);
            let expected = [-y * around, x * around, axial].map(|v| v * tau / speed);
            for d in 0..3 {
                worst = worst.max((point.traction[d] - expected[d]).abs() / tau);
            }
        }
    }
    println!("traction on curved walls: largest error {worst:.1e}");
    assert!(worst < 1e-5, "{worst:e}");
}
