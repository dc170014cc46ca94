//! Swirling flow in radial equilibrium through an annular duct, in the frame at rest and in one that rotates: exact
//! steady solutions of Euler's equations, with order of accuracy.
//!
//! With a uniform axial velocity, the density 1 and the circumferential velocity c(r) the pressure obeys dp/dr = c^2/r
//! (J. H. Horlock, Axial Flow Turbines, 1966, chapter 5): p0 + (W r)^2/2 in a solid body c = W r, and p0 - K^2/(2 r^2)
//! in a free vortex c = K/r.

use crate::common::cases::{advance_to, case, each_point};
use fr_les::mesh::Annulus;
use fr_les::solver::Solver;

/// Axial velocity; the speed of sound is 1 where the pressure is 1/1.4.
const AXIAL: f64 = 0.3;

/// A swirl: circumferential velocity over the radius, and the pressure, both as expressions of the case and as numbers.
struct Swirl {
    name: &'static str,
    turning: &'static str,
    pressure: &'static str,
    exact: fn(f64) -> [f64; 2],
}

const SWIRLS: [Swirl; 2] = [
    Swirl {
        name: "solid body",
        turning: "0.2",
        pressure: "1/1.4 + 0.02*(x^2 + y^2)",
        exact: |square| [0.2, 1.0 / 1.4 + 0.02 * square],
    },
    Swirl {
        name: "free vortex",
        turning: "0.4/(x^2 + y^2)",
        pressure: "1/1.4 - 0.08/(x^2 + y^2)",
        exact: |square| [0.4 / square, 1.0 / 1.4 - 0.08 / square],
    },
];

/// Error at the time 0.5 in a frame of the angular velocity omega.
fn error(swirl: &Swirl, order: usize, cells: [usize; 3], omega: f64) -> f64 {
    let (frame, given) = match omega {
        0.0 => (String::new(), ""),
        _ => (
            format!("rotating-frame: {{angular-velocity: [0, 0, {omega}]}}\n"),
            ", frame: absolute",
        ),
    };
    let Swirl { turning, pressure, .. } = swirl;
    let case = case(&format!(
        "mesh: {{file: none.h5}}\norder: {order}\ngas: {{gamma: 1.4}}\n\
         initial: {{u: -y*({turning}), v: x*({turning}), w: {AXIAL}, p: {pressure}, rho: 1{given}}}\n{frame}\
         boundaries: {{inner: {{type: slip}}, outer: {{type: slip}}}}\ntime: {{steps: 1}}\n"
    ));
    let mut s = Solver::on_mesh(&case.solver, duct(cells).build().expect("a duct")).unwrap_or_else(|e| panic!("{e}"));
    advance_to(&mut s, 0.5, 0.5);
    deviation(&s, swirl, omega)
}

/// A sector of an eighth, periodic around and along the axis.
fn duct(cells: [usize; 3]) -> Annulus {
    Annulus {
        inner: 1.0,
        outer: 2.0,
        length: 1.0,
        angle: std::f64::consts::FRAC_PI_4,
        cells,
        growth: 1.0,
        hex_layers: cells[0] / 2,
        geometry_order: 4,
        periodic_angle: true,
        periodic_z: true,
    }
}

/// Root mean square error of velocity and pressure in a frame of this angular velocity.
fn deviation(s: &Solver, swirl: &Swirl, omega: f64) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    each_point(s, &s.device.state().expect("a state"), |[x, y, _], u| {
        let [turning, pressure] = (swirl.exact)(x * x + y * y);
        let relative = turning - omega;
        let velocity = [-y * relative, x * relative, AXIAL];
        let v = [1, 2, 3].map(|n| u[n] / u[0]);
        let p = 0.4 * (u[4] - 0.5 * u[0] * v.iter().map(|v| v * v).sum::<f64>());
        let off = (0..3).map(|d| (v[d] - velocity[d]).powi(2)).sum::<f64>() + (p - pressure).powi(2);
        sum += off;
        count += 1.0;
    });
    f64::sqrt(sum / count)
}

// The gas moves along the faces between the layers, across which the upwind flux of shear waves becomes central: the
// order is between p and p + 1, as for a vortex at rest (docs/explanation/verification.md).
#[test]
fn swirling_flow_stays_in_radial_equilibrium_in_both_frames_with_the_order_of_the_scheme() {
    let mut short = Vec::new();
    for swirl in &SWIRLS {
        for (order, most) in [(2, 2e-4), (3, 5e-6)] {
            for omega in [0.0, 0.25, -0.25] {
                let [coarse, fine] = [2, 4].map(|n| error(swirl, order, [2 * n, 2 * n, n], omega));
                let observed = (coarse / fine).log2();
                let name = swirl.name;
                let line = format!("{name}, p = {order}, frame {omega}: {coarse:.3e}, {fine:.3e}, order {observed:.2}");
                println!("{line}");
                if observed < order as f64 || fine > most {
                    short.push(line);
                }
            }
        }
    }
    assert!(short.is_empty(), "{short:#?}");
}

#[test]
fn swirling_flow_leaves_through_an_outlet_whose_pressure_is_in_radial_equilibrium() {
    // The same mean pressure, uniform over the outlet, is wrong.
    let means = ["1/1.4 + 0.02*2.5", "1/1.4 - 0.08*2*log(2)/3"];
    for (swirl, mean) in SWIRLS.iter().zip(means) {
        let error = |at_outlet: &str, omega: f64| {
            let (frame, given) = match omega {
                0.0 => (String::new(), ""),
                _ => (
                    format!("rotating-frame: {{angular-velocity: [0, 0, {omega}]}}\n"),
                    ", frame: absolute",
                ),
            };
            let Swirl { turning, pressure, .. } = swirl;
            let velocity = format!("u: -y*({turning}), v: x*({turning}), w: {AXIAL}");
            let case = case(&format!(
                "mesh: {{file: none.h5}}\norder: 3\ngas: {{gamma: 1.4, gas-constant: 1}}\n\
                 initial: {{{velocity}, p: {pressure}, rho: 1{given}}}\n{frame}boundaries:\n  \
                 inner: {{type: slip}}\n  outer: {{type: slip}}\n  \
                 z-: {{type: relaxed-velocity-inlet, {velocity}, temperature: {pressure}{given}}}\n  \
                 z+: {{type: relaxed-outlet, hold: local, p: {at_outlet}}}\ntime: {{steps: 1}}\n"
            ));
            let mesh = Annulus {
                periodic_z: false,
                ..duct([3, 3, 2])
            };
            let mut s = Solver::on_mesh(&case.solver, mesh.build().expect("a duct")).unwrap_or_else(|e| panic!("{e}"));
            advance_to(&mut s, 4.0, 0.5);
            deviation(&s, swirl, omega)
        };
        for omega in [0.0, 0.25] {
            let [right, wrong] = [swirl.pressure, mean].map(|p| error(p, omega));
            println!(
                "{}, frame {omega}: {right:.3e}, with a uniform pressure {wrong:.3e}",
                swirl.name
            );
            assert!(right < 1e-3 && wrong > 10.0 * right, "{} {omega}", swirl.name);
        }
    }
}
