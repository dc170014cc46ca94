//! Interfaces whose sides turn about an axis: flows that are steady in both frames and waves that cross have the error
//! of a mesh without one, both sides exchange what leaves the other one, and sides that do not fit are refused.

use std::f64::consts::{FRAC_PI_4, PI};

use fr_les::mesh::{Annulus, Mesh};
use fr_les::solver::Solver;

use crate::common::blocks;
use crate::common::cases::{advance_to, case, each_point};

/// Axial velocity; the speed of sound is 1 where the pressure is 1/1.4.
const AXIAL: f64 = 0.3;

/// A sector of an eighth about the z axis between two values of z, from the angle `begin` on, with boundaries
/// `NAMEinner` and so on.
fn sector(name: &str, cells: [usize; 3], hex_layers: usize, z: [f64; 2], begin: f64) -> Mesh {
    let annulus = Annulus {
        inner: 1.0,
        outer: 2.0,
        length: z[1] - z[0],
        angle: FRAC_PI_4,
        cells,
        growth: 1.0,
        hex_layers,
        geometry_order: 4,
        periodic_angle: true,
        periodic_z: false,
    };
    let mut mesh = annulus.build().expect("a sector");
    blocks::rename(&mut mesh, name);
    let (sine, cosine) = begin.sin_cos();
    for [x, y, height] in &mut mesh.nodes {
        [*x, *y] = [cosine * *x - sine * *y, sine * *x + cosine * *y];
        *height += z[0];
    }
    mesh
}

/// Two sectors on either side of z = 0, with so many cells around. The second one begins at the angle `begin`.
fn two_sectors(n: [usize; 2], around: [usize; 2], hex_layers: usize, begin: f64) -> Mesh {
    let [radial, axial] = n;
    let first = sector("a-", [radial, around[0], axial], hex_layers, [-1.0, 0.0], 0.0);
    let second = sector("b-", [radial, around[1], axial], hex_layers, [0.0, 1.0], begin);
    first.beside(second).expect("two sectors")
}

/// The lines of a case that join the sectors; the second one turns at `speed`.
fn joined(speed: f64) -> String {
    format!(
        "  a-z+: {{type: interface, with: b-z-, axis: z}}\n  \
         b-z-: {{type: interface, with: a-z+, axis: z, angular-speed: {speed}}}\n"
    )
}

/// Walls along which gas slips, of these blocks.
fn slip(blocks: &[&str]) -> String {
    let walls = |block: &&str| format!("  {block}inner: {{type: slip}}\n  {block}outer: {{type: slip}}\n");
    blocks.iter().map(walls).collect()
}

fn solver_on(mesh: Mesh, text: &str) -> Result<Solver, String> {
    Solver::on_mesh(&case(text).solver, mesh).map_err(|error| error.to_string())
}

/// A state as it is seen from a frame that turns about z at `speed`.
fn seen([rho, a, b, c, energy]: [f64; 5], [x, y, _]: [f64; 3], speed: f64) -> [f64; 5] {
    let [u, v] = [-speed * y, speed * x];
    let work = u * a + v * b - 0.5 * rho * (u * u + v * v);
    [rho, a - rho * u, b - rho * v, c, energy - work]
}

/// Conserved variables of a state of density, velocity and pressure.
fn conserved(rho: f64, v: [f64; 3], p: f64) -> [f64; 5] {
    let square: f64 = v.iter().map(|v| v * v).sum();
    [rho, rho * v[0], rho * v[1], rho * v[2], p / 0.4 + 0.5 * rho * square]
}

/// Root mean square of the difference from `exact(position)` over points and variables. Cells behind z = 0 turn at
/// `speed`.
fn deviation(s: &Solver, speed: f64, exact: impl Fn([f64; 3], f64) -> [f64; 5]) -> f64 {
    let state = s.device.state().expect("a state");
    let (mut sum, mut count) = (0.0, 0.0);
    for cell in 0..s.mesh.len() {
        let (first, np) = (s.geometry.first_point[cell], s.geometry.cell_points(cell));
        let speed = if s.mesh.center(cell)[2] > 0.0 { speed } else { 0.0 };
        for p in 0..np {
            let at = s.geometry.points[first + p];
            let wanted = seen(exact(at, speed), at, speed);
            count += 1.0;
            for v in 0..5 {
                sum += (state[5 * first + v * np + p] - wanted[v]).powi(2);
            }
        }
    }
    f64::sqrt(sum / count)
}

/// A swirl: circumferential velocity over the radius, and the pressure, both as expressions of the case and as numbers.
/// With a uniform axial velocity and the density 1 they obey dp/dr = c^2/r (J. H. Horlock, Axial Flow Turbines, 1966,
/// chapter 5).
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
        name: "constant swirl",
        turning: "0.3/sqrt(x^2 + y^2)",
        pressure: "1/1.4 + 0.045*log(x^2 + y^2)",
        exact: |square| [0.3 / square.sqrt(), 1.0 / 1.4 + 0.045 * square.ln()],
    },
];

/// The state of a swirl as the keys of a far field or of the initial state, seen from a frame that turns at `speed`.
fn keys(swirl: &Swirl, speed: f64) -> String {
    let Swirl { turning, pressure, .. } = swirl;
    format!("u: -y*({turning} - {speed}), v: x*({turning} - {speed}), w: {AXIAL}, p: {pressure}, rho: 1")
}

/// Error of a swirl at the time 0.5.
fn swirl_error(swirl: &Swirl, order: usize, mesh: Mesh, boundaries: &str, speed: f64) -> f64 {
    let text = format!(
        "mesh: {{file: none.h5}}\norder: {order}\ninitial: {{{}}}\nboundaries:\n{boundaries}time: {{steps: 1}}\n",
        keys(swirl, 0.0)
    );
    let mut s = solver_on(mesh, &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    advance_to(&mut s, 0.5, 0.5);
    deviation(&s, speed, |[x, y, _], _| {
        let [turning, pressure] = (swirl.exact)(x * x + y * y);
        conserved(1.0, [-y * turning, x * turning, AXIAL], pressure)
    })
}

#[test]
fn swirls_that_are_steady_in_both_frames_have_the_error_of_one_block() {
    let mut wrong = Vec::new();
    for swirl in &SWIRLS {
        for (order, most) in [(2, 2e-3), (3, 2e-4)] {
            let mut errors = Vec::new();
            for n in [2, 4] {
                let far = |speed: f64| format!("{{type: far-field, {}}}", keys(swirl, speed));
                let ends = format!("  z-: {0}\n  z+: {0}\n{1}", far(0.0), slip(&[""]));
                let whole = sector("", [n, 2 * n, 2 * n], n, [-1.0, 1.0], 0.0);
                let whole = swirl_error(swirl, order, whole, &ends, 0.0);
                for (around, speed, begin) in [
                    ([2 * n, 2 * n], 0.0, 0.0),
                    ([2 * n, 2 * n + 1], 0.5, 0.0),
                    ([2 * n, 2 * n], -0.7, 2.9),
                ] {
                    let mesh = two_sectors([n, n], around, n, begin);
                    let ends = format!("  a-z-: {}\n  b-z+: {}\n", far(0.0), far(speed));
                    let boundaries = [joined(speed), ends, slip(&["a-", "b-"])].concat();
                    let with = swirl_error(swirl, order, mesh, &boundaries, speed);
                    let ratio = with / whole;
                    println!(
                        "{} p {order} n {n} {around:?} {speed}: {with:.3e}, {ratio:.3} times",
                        swirl.name
                    );
                    if with > most {
                        wrong.push((swirl.name, order, n, speed, with));
                    }
                    errors.push(with);
                }
            }
            for k in 0..3 {
                println!("   order {:.2}", (errors[k] / errors[3 + k]).log2());
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}
