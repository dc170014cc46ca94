//! Interfaces whose sides turn about an axis: flows that are steady in both frames and waves that cross have the error
//! of a mesh without one, and both sides exchange what leaves the other one.

use std::collections::HashMap;
use std::f64::consts::{PI, TAU};

use fr_les::mesh::{Annulus, Mesh};
use fr_les::solver::Solver;

use crate::common::cases::{advance, advance_to, case, each_point};
use crate::common::sectors::{eighth, joined, placed, sector, slip, two_sectors};

/// Axial velocity; the speed of sound is 1 where the pressure is 1/1.4.
const AXIAL: f64 = 0.3;

fn solver_on(mesh: Mesh, text: &str) -> Solver {
    Solver::on_mesh(&case(text).solver, mesh).unwrap_or_else(|error| panic!("{error}\n{text}"))
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

/// Root mean square of the difference from `exact(position, speed of the cells)` over points and variables. Cells
/// before and behind z = 0 turn at these speeds.
fn deviation(s: &Solver, speeds: [f64; 2], exact: impl Fn([f64; 3], f64) -> [f64; 5]) -> f64 {
    deviation_within(s, speeds, f64::INFINITY, exact)
}

/// The same over the points at most so far from z = 0.
fn deviation_within(s: &Solver, speeds: [f64; 2], reach: f64, exact: impl Fn([f64; 3], f64) -> [f64; 5]) -> f64 {
    let state = s.device.state().expect("a state");
    let (mut sum, mut count) = (0.0, 0.0);
    for cell in 0..s.mesh.len() {
        let (first, np) = (s.geometry.first_point[cell], s.geometry.cell_points(cell));
        let speed = speeds[usize::from(s.mesh.center(cell)[2] > 0.0)];
        for p in 0..np {
            let at = s.geometry.points[first + p];
            if at[2].abs() > reach {
                continue;
            }
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

/// Error of a swirl at the time 0.5. Cells behind z = 0 turn at `speed`.
fn swirl_error(swirl: &Swirl, order: usize, mesh: Mesh, boundaries: &str, speed: f64) -> f64 {
    let text = format!(
        "mesh: {{file: none.h5}}\norder: {order}\ninitial: {{{}}}\nboundaries:\n{boundaries}time: {{steps: 1}}\n",
        keys(swirl, 0.0)
    );
    let mut s = solver_on(mesh, &text);
    advance_to(&mut s, 0.5, 0.5);
    deviation(&s, [0.0, speed], |[x, y, _], _| {
        let [turning, pressure] = (swirl.exact)(x * x + y * y);
        conserved(1.0, [-y * turning, x * turning, AXIAL], pressure)
    })
}

/// The same on one block in a frame that turns at `speed`.
fn whole_error(swirl: &Swirl, order: usize, n: usize, speed: f64) -> f64 {
    let far = format!("{{type: far-field, {}}}", keys(swirl, speed));
    let frame = match speed {
        0.0 => String::new(),
        _ => format!("rotating-frame: {{angular-velocity: [0, 0, {speed}]}}\n"),
    };
    let text = format!(
        "mesh: {{file: none.h5}}\norder: {order}\ninitial: {{{}}}\nboundaries:\n  z-: {far}\n  z+: {far}\n{}{frame}\
         time: {{steps: 1}}\n",
        keys(swirl, speed),
        slip(&[""])
    );
    let mesh = sector("", [n, 2 * n, 2 * n], [-1.0, 1.0], 0.0);
    let mut s = solver_on(mesh, &text);
    advance_to(&mut s, 0.5, 0.5);
    deviation(&s, [speed; 2], |[x, y, _], _| {
        let [turning, pressure] = (swirl.exact)(x * x + y * y);
        conserved(1.0, [-y * turning, x * turning, AXIAL], pressure)
    })
}

/// Errors of the swirls at the time 0.5 on two meshes, beside those of one block at rest or in the frame of the second
/// one, whichever is larger: the error depends on how fast the gas passes the faces.
#[test]
fn swirls_that_are_steady_in_both_frames_have_the_error_of_one_block() {
    let mut wrong = Vec::new();
    for (swirl, order, sizes) in [(1, 2, [2, 4]), (0, 3, [2, 3]), (1, 3, [2, 3]), (1, 4, [1, 2])] {
        let swirl = &SWIRLS[swirl];
        let cases = [(0, 0.0, 0.0), (1, 0.5, 0.0), (0, -0.7, 2.9)];
        let mut errors = [[0.0; 3]; 2];
        for (n, errors) in sizes.into_iter().zip(&mut errors) {
            let at_rest = whole_error(swirl, order, n, 0.0);
            for ((more, speed, begin), error) in cases.into_iter().zip(errors) {
                let around = [2 * n, 2 * n + more];
                let mesh = two_sectors([n, n], around, begin);
                let far = |speed: f64| format!("{{type: far-field, {}}}", keys(swirl, speed));
                let ends = format!("  a-z-: {}\n  b-z+: {}\n", far(0.0), far(speed));
                let boundaries = [joined(speed), ends, slip(&["a-", "b-"])].concat();
                *error = swirl_error(swirl, order, mesh, &boundaries, speed);
                let in_frame = if speed == 0.0 {
                    at_rest
                } else {
                    whole_error(swirl, order, n, speed)
                };
                let ratio = *error / at_rest.max(in_frame);
                println!(
                    "{} p {order} n {n} {around:?} {speed}: {error:.3e}, {ratio:.3} times",
                    swirl.name
                );
                if ratio > 1.05 {
                    wrong.push(format!("{} p {order} n {n} {speed}: {ratio:.3} times", swirl.name));
                }
            }
        }
        for k in 0..3 {
            let observed = (errors[0][k] / errors[1][k]).ln() / (sizes[1] as f64 / sizes[0] as f64).ln();
            println!("    {} p {order} {:?}: order {observed:.2}", swirl.name, cases[k]);
            if observed < order as f64 {
                wrong.push(format!("{} p {order} {:?}: order {observed:.2}", swirl.name, cases[k]));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A whole ring has the states of its sectors: rows of a full turn close, and are met across the seam of the angles.
#[test]
fn a_whole_ring_has_the_error_of_a_sector() {
    let swirl = &SWIRLS[1];
    let speed = 0.5;
    let ends = format!(
        "  a-z-: {{type: far-field, {}}}\n  b-z+: {{type: far-field, {}}}\n",
        keys(swirl, 0.0),
        keys(swirl, speed)
    );
    let boundaries = [joined(speed), ends, slip(&["a-", "b-"])].concat();
    let whole = |around: usize| Annulus {
        angle: TAU,
        ..eighth([1, 8 * around, 1])
    };
    let second = placed("b-", &whole(3), 0.0, 0.3);
    let ring = placed("a-", &whole(2), -1.0, 0.0).beside(second).expect("two rings");
    let [ring, sectors] =
        [ring, two_sectors([1, 1], [2, 3], 0.3)].map(|mesh| swirl_error(swirl, 3, mesh, &boundaries, speed));
    println!("ring {ring:e}, sectors {sectors:e}");
    assert!((ring / sectors - 1.0).abs() < 1e-9, "{ring:e} {sectors:e}");
}

/// A wave of entropy that a uniform axial flow carries: the density varies around the axis and along it, so that it
/// crosses the faces of the second block, which turn past the first one, at an angle.
#[test]
fn a_wave_of_entropy_that_crosses_has_the_error_of_one_block() {
    let density = |[x, y, z]: [f64; 3], angle: f64, t: f64| {
        1.0 + 0.1 * (PI * (z - AXIAL * t)).sin() * (8.0 * (y.atan2(x) + angle)).cos()
    };
    // cos(8 theta) is the real part of (x + i y)^8 / r^8.
    let square = "((x^2 - y^2)/(x^2 + y^2))";
    let four = format!("(2*{square}^2 - 1)");
    let eight = format!("(2*{four}^2 - 1)");
    let initial = format!("u: 0, v: 0, w: {AXIAL}, p: 1/1.4, rho: 1 + 0.1*sin(pi*z)*{eight}");
    let far = |speed: f64| format!("{{type: far-field, u: {speed}*y, v: -{speed}*x, w: {AXIAL}, p: 1/1.4, rho: 1}}");
    let end = 0.5;
    let error = |order: usize, mesh: Mesh, rest: &str, given: &str, speeds: [f64; 2]| {
        let text = format!(
            "mesh: {{file: none.h5}}\norder: {order}\ninitial: {{{initial}{given}}}\nboundaries:\n{rest}\
             time: {{steps: 1}}\n"
        );
        let mut s = solver_on(mesh, &text);
        advance_to(&mut s, end, 0.5);
        // Waves from the far fields at the ends have travelled a distance of 0.65 by then.
        deviation_within(&s, speeds, 0.3, |at, speed| {
            conserved(density(at, speed * end, end), [0.0, 0.0, AXIAL], 1.0 / 1.4)
        })
    };
    let whole = |order: usize, n: usize, speed: f64| {
        let ends = format!("  z-: {0}\n  z+: {0}\n{1}", far(speed), slip(&[""]));
        let frame = format!("rotating-frame: {{angular-velocity: [0, 0, {speed}]}}\n");
        let mesh = sector("", [n - 1, 4 * n, 4 * n], [-1.0, 1.0], 0.0);
        match speed {
            0.0 => error(order, mesh, &ends, "", [0.0; 2]),
            _ => error(order, mesh, &(ends + &frame), ", frame: absolute", [speed; 2]),
        }
    };
    let mut wrong = Vec::new();
    for (order, sizes) in [(2, [2, 3]), (3, [2, 3])] {
        let mut errors = [[0.0; 2]; 2];
        for (n, errors) in sizes.into_iter().zip(&mut errors) {
            let at_rest = whole(order, n, 0.0);
            for ((more, speed), with) in [(0, 0.6), (3, -0.35)].into_iter().zip(errors) {
                let mesh = two_sectors([n - 1, 2 * n], [4 * n, 4 * n + more], 0.3);
                let ends = format!("  a-z-: {}\n  b-z+: {}\n", far(0.0), far(speed));
                let boundaries = [joined(speed), ends, slip(&["a-", "b-"])].concat();
                *with = error(order, mesh, &boundaries, "", [0.0, speed]);
                let ratio = *with / at_rest.max(whole(order, n, speed));
                println!(
                    "p {order} n {n} {speed}: {with:.3e}, {ratio:.3} times, {:.3} at rest",
                    *with / at_rest
                );
                if ratio > 1.0 {
                    wrong.push(format!("p {order} n {n} {speed}: {ratio:.3} times"));
                }
            }
        }
        for k in 0..2 {
            let observed = (errors[0][k] / errors[1][k]).ln() / (sizes[1] as f64 / sizes[0] as f64).ln();
            println!("    p {order}: order {observed:.2}");
            if observed < order as f64 + 0.7 {
                wrong.push(format!("p {order}: order {observed:.2}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Mass, energy and angular momentum about the axis of both blocks, as the first one sees them.
fn totals(s: &Solver, speed: f64) -> [f64; 3] {
    let (_, weights) = fr_les::element::gauss_lobatto(s.elements.order);
    let n = weights.len();
    let state = s.device.state().expect("a state");
    let mut sums = [0.0; 3];
    for cell in 0..s.mesh.len() {
        let first = s.geometry.first_point[cell];
        let speed = if s.mesh.center(cell)[2] > 0.0 { speed } else { 0.0 };
        for p in 0..n * n * n {
            let volume = weights[p % n] * weights[p / n % n] * weights[p / n / n];
            let volume = volume * s.geometry.metrics[cell].jacobian(p);
            let u = std::array::from_fn(|v| state[5 * first + v * n * n * n + p]);
            let at = s.geometry.points[first + p];
            let u = seen(u, at, -speed);
            let about = at[0] * u[2] - at[1] * u[1];
            for (sum, value) in sums.iter_mut().zip([u[0], u[4], about]) {
                *sum += volume * value;
            }
        }
    }
    sums
}

/// Between walls without friction nothing is lost but what the geometry of curved faces leaves open: the common flux is
/// the same on both sides, and the areas of both sides differ by the error of their circles. Walls of polynomials take
/// angular momentum, too: one block loses 2e-6 of it at p = 2 and 5e-7 at p = 3.
#[test]
fn what_leaves_one_side_enters_the_other_to_the_order_of_the_geometry() {
    let viscous = "gas: {viscosity: {constant: 0.005}}\n";
    for (order, viscosity, most) in [
        (2, "", [3e-8, 2e-6, 2e-5]),
        (3, "", [1e-11, 4e-8, 4e-7]),
        (3, viscous, [1e-11, 4e-8, 4e-7]),
    ] {
        let speed = 0.6;
        let turning = "(0.2 + 0.1*sin(pi*z))";
        let text = format!(
            "mesh: {{file: none.h5}}\norder: {order}\n{viscosity}initial: {{u: -y*{turning}, v: x*{turning}, \
             w: 0.2*sin(pi*z)^2, rho: 1 + 0.1*cos(pi*z)*(x^2 - y^2)/(x^2 + y^2), p: 1/1.4}}\n\
             boundaries:\n{}  a-z-: {{type: slip}}\n  b-z+: {{type: slip}}\n{}time: {{steps: 1}}\n",
            joined(speed),
            slip(&["a-", "b-"])
        );
        let mut s = solver_on(two_sectors([4, 4], [6, 8], 0.0), &text);
        let before = totals(&s, speed);
        advance_to(&mut s, 1.5, 0.6);
        let after = totals(&s, speed);
        let change: [f64; 3] = std::array::from_fn(|v| (after[v] / before[v] - 1.0).abs());
        println!("p {order} {viscosity:?}: mass, energy, angular momentum {change:?}");
        assert!((0..3).all(|v| change[v] < most[v]), "p {order}: {change:?}");
    }
}

/// A flow between cylinders that turn: viscous work and heat of both frames are among what crosses. It differs from
/// that of one block by the error of the rule, and hardly more where the second block turns.
#[test]
fn a_viscous_flow_around_the_axis_is_that_of_one_block() {
    let difference = |n: usize, speed: f64| {
        let walls = |block: &str, speed: f64| {
            let wall = |w: f64, temperature: &str| {
                let velocity = format!("[-({w})*y, ({w})*x, 0]");
                format!("{{type: no-slip-isothermal, temperature: {temperature}, velocity: {velocity}}}")
            };
            format!(
                "  {block}inner: {}\n  {block}outer: {}\n",
                wall(0.4 - speed, "0.75"),
                wall(0.1 - speed, "0.7")
            )
        };
        let turning = "0.2 + 0.1*sin(pi*z/2)";
        let case = |boundaries: String| {
            format!(
                "mesh: {{file: none.h5}}\norder: 3\ngas: {{gas-constant: 1, viscosity: {{constant: 0.05}}}}\n\
                 initial: {{u: -({turning})*y, v: ({turning})*x, w: 0, p: 1/1.4 + 0.02*(x^2 + y^2), rho: 1}}\n\
                 boundaries:\n{boundaries}time: {{steps: 1}}\n"
            )
        };
        let ends = "  a-z-: {type: slip}\n  b-z+: {type: slip}\n".to_owned();
        let text = case([joined(speed), ends, walls("a-", 0.0), walls("b-", speed)].concat());
        let mut with = solver_on(two_sectors([2 * n, n], [2 * n, 2 * n], 0.0), &text);
        let ends = "  z-: {type: slip}\n  z+: {type: slip}\n".to_owned();
        let whole = sector("", [2 * n, 2 * n, 2 * n], [-1.0, 1.0], 0.0);
        let mut without = solver_on(whole, &case(ends + &walls("", 0.0)));
        for s in [&mut with, &mut without] {
            advance_to(s, 0.6, 0.5);
        }
        // Circumferential velocity and temperature by the place.
        let look = |s: &Solver, speed: f64| {
            let mut found = Vec::new();
            each_point(s, &s.device.state().expect("a state"), |at, u| {
                let u = seen(u, at, if at[2] > 1e-9 { -speed } else { 0.0 });
                let v = [1, 2, 3].map(|n| u[n] / u[0]);
                let energy = u[4] / u[0] - 0.5 * v.iter().map(|v| v * v).sum::<f64>();
                let radius = at[0].hypot(at[1]);
                found.push((
                    at[2],
                    at.map(|x| (x * 1e8).round() as i64),
                    [(at[0] * v[1] - at[1] * v[0]) / radius, 0.4 * energy],
                ));
            });
            found
        };
        let expected: HashMap<[i64; 3], [f64; 2]> = look(&without, 0.0)
            .into_iter()
            .map(|(_, place, values)| (place, values))
            .collect();
        let mut worst = [0.0f64; 2];
        // Both blocks have points in the plane of the interface.
        for (_, place, values) in look(&with, speed).into_iter().filter(|(z, ..)| z.abs() > 1e-9) {
            let wanted = expected[&place];
            (0..2).for_each(|v| worst[v] = worst[v].max((values[v] - wanted[v]).abs()));
        }
        worst
    };
    let [coarse, fine] = [1, 2].map(|n| {
        let [at_rest, found] = [0.0, 0.5].map(|speed| difference(n, speed));
        println!("n {n}: velocity and temperature differ by {found:?}, at rest by {at_rest:?}");
        assert!((0..2).all(|v| found[v] < 1.1 * at_rest[v]), "{found:?} {at_rest:?}");
        found
    });
    assert!((0..2).all(|v| fine[v] < coarse[v] / 10.0), "{coarse:?} {fine:?}");
}

mod gpu {
    use super::*;

    #[test]
    #[ignore = "needs an NVIDIA GPU"]
    fn a_gpu_gives_the_same_bits() {
        for precision in ["double", "single"] {
            let run = |device: &str| {
                let speed = 0.6;
                let text = format!(
                    "mesh: {{file: none.h5}}\norder: 3\ndevice: {device}\narithmetic: strict\nprecision: {precision}\n\
                     gas: {{viscosity: {{constant: 0.005}}}}\n\
                     initial: {{{}}}\nboundaries:\n{}  a-z-: {{type: slip}}\n  b-z+: {{type: slip}}\n{}\
                     time: {{steps: 1}}\n",
                    keys(&SWIRLS[1], 0.0),
                    joined(speed),
                    slip(&["a-", "b-"])
                );
                let mut s = solver_on(two_sectors([2, 2], [4, 5], 0.3), &text);
                advance(&mut s, 200, 0.01);
                s.hash().expect("a hash")
            };
            assert_eq!(run("cpu"), run("cuda"), "{precision}");
        }
    }
}
