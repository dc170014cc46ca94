//! The rotating frame: its forces at every point, flows that are known in the frame at rest, boundary values of either
//! frame, the same bits on any number of ranks and after restarts, and refused cases.

use std::path::Path;

use crate::common::cases::{added, advance, advance_to, case, deviation, each_point, solver};
use crate::common::program::{hash, output, program, run_case, with_case};
use fr_les::case::Case;
use fr_les::mesh::Annulus;
use fr_les::solver::Solver;
use tempfile::TempDir;

type Vector = [f64; 3];

/// Angular velocity and origin of the frame of most cases.
const OMEGA: Vector = [0.3, -0.2, 0.8];
const ORIGIN: Vector = [0.4, -0.3, 0.1];
const FRAME: &str = "rotating-frame: {angular-velocity: [0.3, -0.2, 0.8], origin: [0.4, -0.3, 0.1]}\n";

/// A box of curved cells between slip walls.
fn walls(elements: &str, precision: &str) -> String {
    let sides = ["x-", "x+", "y-", "y+", "z-", "z+"].map(|side| format!("{side}: {{type: slip}}"));
    format!(
        "mesh: {{box: {{cells: [4, 4, 2], lower: [0, 0, 0], upper: [1, 1, 1], warp: 0.05, elements: {elements}}}}}\n\
         order: 3\nprecision: {precision}\ngas: {{viscosity: {{constant: 0.01}}}}\n\
         initial: {{u: 0.3 + 0.2*sin(2*y), v: 0.1*cos(3*x), w: 0.05*sin(2*z), p: 1/1.4, rho: 1 + 0.1*x*y}}\n\
         boundaries: {{{}}}\ntime: {{steps: 1}}\n",
        sides.join(", ")
    )
}

fn along(a: Vector, b: Vector) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// omega x r, by its components.
fn frame_velocity(x: Vector) -> Vector {
    let [a, b, c] = OMEGA;
    let r = [x[0] - ORIGIN[0], x[1] - ORIGIN[1], x[2] - ORIGIN[2]];
    [b * r[2] - c * r[1], c * r[0] - a * r[2], a * r[1] - b * r[0]]
}

#[test]
fn the_forces_are_those_of_the_formulas_on_every_kind_of_cell() {
    for (elements, precision, bound) in [
        ("hex", "double", 1e-14),
        ("mixed", "double", 1e-14),
        ("hex", "single", 1e-6),
        ("mixed", "single", 1e-6),
    ] {
        let text = walls(elements, precision);
        let (mut without, mut with) = (solver(&text), solver(&(text + FRAME)));
        let state = with.device.state().unwrap();
        let added = added(&mut with, &mut without, 0.0);
        let mut expected = Vec::new();
        each_point(&with, &state, |x, u| {
            let v = [1, 2, 3].map(|n| u[n] / u[0]);
            let r: Vector = std::array::from_fn(|d| x[d] - ORIGIN[d]);
            let [a, b, c] = OMEGA;
            let coriolis = [b * v[2] - c * v[1], c * v[0] - a * v[2], a * v[1] - b * v[0]];
            // omega x (omega x r) = omega (omega.r) - r omega^2
            let outwards: Vector = std::array::from_fn(|d| r[d] * along(OMEGA, OMEGA) - OMEGA[d] * along(OMEGA, r));
            let force: Vector = std::array::from_fn(|d| u[0] * (outwards[d] - 2.0 * coriolis[d]));
            expected.push([0.0, force[0], force[1], force[2], u[0] * along(outwards, v)]);
        });
        let (worst, most) = deviation(&with, &added, &expected);
        // The round-off is that of the whole right-hand side.
        let scale = with
            .rhs(0.0)
            .unwrap()
            .iter()
            .fold(0.0f64, |scale, k| scale.max(k.abs()));
        println!("{elements} {precision}: off {worst:e} of {most:e}, right-hand side {scale:e}");
        assert!(most > 0.2 && worst < bound * scale, "{elements} {precision}: {worst:e}");
    }
}

#[test]
fn without_the_centrifugal_force_a_periodic_flow_turns_in_inertial_circles() {
    // A uniform velocity V in a periodic box changes as dV/dt = -2 omega x V, which turns it about the axis backwards
    // at 2 omega. Its energy stays. The box is periodic across the axis, which is far away.
    let text = "mesh: {box: {cells: [2, 2, 2], lower: [5, 3, 0], upper: [6, 4, 1], periodic: [x, y, z]}}\norder: 2\n\
                initial: {u: 0.3, v: 0.1, w: 0.2, p: 1/1.4, rho: 1}\n\
                rotating-frame: {angular-velocity: [0, 0, 0.5], forces: coriolis}\ntime: {steps: 1}\n";
    let mut s = solver(text);
    let (energy, time) = (s.device.state().unwrap()[4 * 27], 0.9);
    advance(&mut s, 90, time / 90.0);
    let (sine, cosine) = f64::sin_cos(2.0 * 0.5 * time);
    let exact = [1.0, 0.3 * cosine + 0.1 * sine, 0.1 * cosine - 0.3 * sine, 0.2, energy];
    let state = s.device.state().unwrap();
    let mut worst = 0.0f64;
    each_point(&s, &state, |_, u| {
        worst = u.iter().zip(exact).fold(worst, |w, (u, e)| w.max((u - e).abs()));
    });
    println!("inertial circle: off {worst:e}");
    assert!(worst < 1e-9, "{worst:e}");
}

#[test]
fn the_coriolis_force_alone_is_that_of_the_formula() {
    let text = walls("hex", "double");
    let frame = "rotating-frame: {angular-velocity: [0.3, -0.2, 0.8], forces: coriolis}\n";
    let (mut without, mut with) = (solver(&text), solver(&(text + frame)));
    let state = with.device.state().unwrap();
    let added = added(&mut with, &mut without, 0.0);
    let mut expected = Vec::new();
    each_point(&with, &state, |_, u| {
        let [a, b, c] = OMEGA;
        let turned = [b * u[3] - c * u[2], c * u[1] - a * u[3], a * u[2] - b * u[1]];
        expected.push([0.0, -2.0 * turned[0], -2.0 * turned[1], -2.0 * turned[2], 0.0]);
    });
    let (worst, most) = deviation(&with, &added, &expected);
    println!("Coriolis alone: off {worst:e} of {most:e}");
    assert!(most > 0.2 && worst < 1e-12, "{worst:e}");
}

/// A box in a flow that is uniform in the frame at rest: far fields of that frame on all sides.
fn uniform(elements: &str) -> String {
    let state = "u: 0.2, v: -0.1, w: 0.3, p: 1/1.4, temperature: 1/1.4, frame: absolute";
    let sides = ["x-", "x+", "y-", "y+", "z-", "z+"].map(|side| format!("{side}: {{type: far-field, {state}}}"));
    format!(
        "mesh: {{box: {{cells: [4, 2, 2], lower: [0, 0, 0], upper: [1, 1, 1], elements: {elements}}}}}\norder: 3\n\
         gas: {{viscosity: {{constant: 0.01}}}}\ninitial: {{{state}}}\nboundaries: {{{}}}\ntime: {{steps: 1}}\n{FRAME}",
        sides.join(", ")
    )
}

#[test]
fn a_uniform_flow_of_the_frame_at_rest_turns_backwards() {
    // Relative to the frame the velocity is v = U - omega x r, which changes as dU/dt = -omega x U. Density and
    // pressure stay. All fluxes are polynomials of degree 3, so that straight cells of order 3 have no error but
    // round-off.
    for elements in ["hex", "prism", "tet", "pyramid", "mixed"] {
        let mut s = solver(&uniform(elements));
        let (state, rhs) = (s.device.state().unwrap(), s.rhs(0.0).unwrap());
        let ([a, b, c], u) = (OMEGA, [0.2, -0.1, 0.3]);
        let turns = [c * u[1] - b * u[2], a * u[2] - c * u[0], b * u[0] - a * u[1]];
        let mut relative = Vec::new();
        let mut off = 0.0f64;
        each_point(&s, &state, |x, q| {
            let v: Vector = std::array::from_fn(|d| q[1 + d] / q[0]);
            let there = frame_velocity(x);
            off = (0..3).fold(off, |off, d| off.max((v[d] + there[d] - u[d]).abs()));
            relative.push(v);
        });
        let (mut worst, mut point) = (0.0f64, 0);
        each_point(&s, &rhs, |_, k| {
            let expected = [0.0, turns[0], turns[1], turns[2], along(relative[point], turns)];
            worst = k.iter().zip(expected).fold(worst, |w, (k, e)| w.max((k - e).abs()));
            point += 1;
        });
        println!("uniform {elements}: initial velocity off {off:e}, rate off {worst:e}");
        assert!(off < 1e-15 && worst < 1e-12, "{elements}: {off:e} {worst:e}");
    }
}

/// A sector of an annulus that is periodic by rotation.
fn sector(cells: [usize; 3], periodic_z: bool) -> Annulus {
    Annulus {
        inner: 1.0,
        outer: 2.0,
        length: 1.0,
        angle: 0.9,
        cells,
        growth: 1.0,
        hex_layers: cells[0] / 2,
        geometry_order: 3,
        periodic_angle: true,
        periodic_z,
    }
}

/// Largest difference between the velocity relative to the frame, plus the velocity of the frame, and `expected`.
fn velocity_error(s: &Solver, omega: f64, expected: impl Fn(Vector) -> Vector) -> f64 {
    let mut worst = 0.0f64;
    each_point(s, &s.device.state().unwrap(), |x, u| {
        let absolute = [u[1] / u[0] - omega * x[1], u[2] / u[0] + omega * x[0], u[3] / u[0]];
        let wanted = expected(x);
        worst = (0..3).fold(worst, |worst, d| worst.max((absolute[d] - wanted[d]).abs()));
    });
    worst
}

#[test]
fn an_axial_flow_of_the_frame_at_rest_passes_a_rotating_annulus() {
    // Mach number 0.3 along the axis. In the frame the gas turns at up to Mach 1 at the outer radius.
    let t0 = "(1 + 0.2*0.3^2)/1.4";
    let p0 = "(1 + 0.2*0.3^2)^3.5/1.4";
    let velocity = "u: 0, v: 0, w: 0.3, temperature: 1/1.4";
    let total = format!("total-pressure: {p0}, total-temperature: {t0}, direction: [0, 0, 1]");
    for (inlet, outlet) in [
        (format!("type: velocity-inlet, {velocity}"), "pressure-outlet"),
        (format!("type: total-inlet, {total}"), "pressure-outlet"),
        (format!("type: relaxed-velocity-inlet, {velocity}"), "relaxed-outlet"),
        (format!("type: relaxed-total-inlet, {total}"), "relaxed-outlet"),
    ] {
        let error = |frame: &str, omega: f64, cells: [usize; 3]| {
            let case = case(&format!(
                "mesh: {{file: none.h5}}\norder: 3\n\
                 gas: {{viscosity: {{constant: 1e-3}}}}\n\
                 initial: {{{velocity}, p: 1/1.4, frame: absolute}}\n\
                 rotating-frame: {{angular-velocity: [0, 0, {omega}]}}\nboundaries:\n  \
                 inner: {{type: slip}}\n  outer: {{type: slip}}\n  z-: {{{inlet}, frame: {frame}}}\n  \
                 z+: {{type: {outlet}, p: 1/1.4}}\ntime: {{steps: 1}}\n"
            ));
            let mesh = sector(cells, false).build().unwrap();
            let mut s = Solver::on_mesh(&case.solver, mesh).unwrap_or_else(|e| panic!("{e}"));
            advance_to(&mut s, 1.0, 0.5);
            velocity_error(&s, omega, |_| [0.0, 0.0, 0.3])
        };
        let (coarse, fine) = (error("absolute", 0.5, [2, 2, 2]), error("absolute", 0.5, [4, 4, 3]));
        let wrong = error("relative", 0.5, [2, 2, 2]);
        println!("{inlet}: off by {coarse:e}, {fine:e} on a finer mesh, {wrong:e} with values of the wrong frame");
        assert!(fine < 1e-3 && fine < coarse / 5.0 && wrong > 0.1, "{inlet}");
    }
}

#[test]
fn flow_between_a_rotating_and_a_resting_cylinder_is_the_same_in_both_frames() {
    // The initial state is not steady, so that the gas accelerates. What differs is the error of the discretisation.
    let omega = 0.3;
    let run = |rotating: bool, cells: [usize; 3]| {
        let (frame, inner, outer) = if rotating {
            (
                format!("rotating-frame: {{angular-velocity: [0, 0, {omega}]}}\n"),
                "".to_owned(),
                ", frame: absolute",
            )
        } else {
            (String::new(), format!(", velocity: [-{omega}*y, {omega}*x, 0]"), "")
        };
        let given = if rotating { ", frame: absolute" } else { "" };
        // The circumferential velocity of the initial state is omega (2 - r)^2 r at radius r.
        let factor = format!("{omega}*(2 - sqrt(x^2 + y^2))^2");
        let case = case(&format!(
            "mesh: {{file: none.h5}}\norder: 3\ngas: {{viscosity: {{constant: 0.05}}}}\n\
             initial: {{u: -y*{factor}, v: x*{factor}, w: 0, p: 1/1.4, rho: 1{given}}}\n{frame}\
             boundaries:\n  inner: {{type: no-slip-isothermal, temperature: 1/1.4{inner}}}\n  \
             outer: {{type: no-slip-isothermal, temperature: 1/1.4{outer}}}\ntime: {{steps: 1}}\n"
        ));
        let mesh = sector(cells, true).build().unwrap();
        let mut s = Solver::on_mesh(&case.solver, mesh).unwrap_or_else(|e| panic!("{e}"));
        advance_to(&mut s, 1.0, 0.5);
        let mut speeds = Vec::new();
        let turning = if rotating { omega } else { 0.0 };
        each_point(&s, &s.device.state().unwrap(), |x, u| {
            speeds.extend([u[1] / u[0] - turning * x[1], u[2] / u[0] + turning * x[0], u[0]]);
        });
        speeds
    };
    let mut errors = Vec::new();
    for cells in [[2, 2, 1], [4, 4, 1]] {
        let (a, b) = (run(true, cells), run(false, cells));
        let error = a.iter().zip(&b).fold(0.0f64, |e, (a, b)| e.max((a - b).abs()));
        println!("{cells:?}: both frames differ by {error:e}");
        errors.push(error);
    }
    assert!(errors[1] < 2e-4 && errors[1] < errors[0] / 6.0, "{errors:?}");
}

#[test]
fn gas_that_turns_with_the_frame_is_in_balance_with_the_centrifugal_force() {
    // p = p0 exp(omega^2 r^2/(2 R T)) at constant T.
    let rate = |order: usize, cells: usize| {
        let walls = ["x-", "x+", "y-", "y+"].map(|side| format!("{side}: {{type: slip}}"));
        let text = format!(
            "mesh: {{box: {{cells: [{cells}, {cells}, 1], lower: [0.5, -0.5, 0], upper: [1.5, 0.5, 0.5], \
             periodic: [z]}}}}\norder: {order}\ninitial: {{u: 0, v: 0, w: 0, p: exp(0.5*(x^2 + y^2)), \
             temperature: 1}}\nboundaries: {{{}}}\nrotating-frame: {{angular-velocity: [0, 0, 1]}}\n\
             time: {{steps: 1}}\n",
            walls.join(", ")
        );
        let rhs = solver(&text).rhs(0.0).unwrap();
        rhs.iter().fold(0.0f64, |most, k| most.max(k.abs()))
    };
    for order in [2, 3] {
        let (coarse, fine) = (rate(order, 8), rate(order, 16));
        let measured = (coarse / fine).log2();
        println!("hydrostatic p {order}: {coarse:e} {fine:e}, order {measured:.2}");
        assert!(measured > order as f64 - 0.2, "{measured}");
    }
}

/// A case of the program: mixed cells between no-slip walls of both frames, periodic along the axis.
fn between_walls() -> String {
    "mesh: {box: {cells: [4, 2, 4], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [z], elements: mixed, warp: 0.03}}\n\
     order: 2\nthreads: 1\ngas: {viscosity: {constant: 0.02}}\n\
     initial: {u: 0.1, v: 0.2*x, w: 0.1, p: 1/1.4, rho: 1}\nboundaries:\n  \
     x-: {type: no-slip-adiabatic}\n  x+: {type: slip}\n  y-: {type: slip}\n  \
     y+: {type: total-inlet, total-pressure: 0.75, total-temperature: 0.75, direction: [0.2, -1, 0], frame: absolute}\n\
     rotating-frame: {angular-velocity: [0, 0, 0.5], origin: [0.5, 0, 0]}\n\
     time: {steps: 20, cfl: 0.9}\nrestart: latest\noutput: {integrals: {every-steps: 4}}\n"
        .to_owned()
}

/// Runs the case on a number of ranks, and returns the hash of the final state and the series of the integrals.
fn traces(directory: &TempDir, ranks: usize, set: &[&str]) -> (String, Vec<u8>) {
    let log = run_case(directory.path(), ranks, set, 0);
    let series = std::fs::read(directory.path().join("results/integrals.csv")).expect("integrals.csv");
    (hash(&log), series)
}

#[test]
fn the_bits_are_the_same_on_any_number_of_ranks_and_through_restarts() {
    let alone = with_case(&between_walls());
    let expected = traces(&alone, 1, &[]);
    for ranks in [2, 3] {
        let directory = with_case(&between_walls());
        assert!(traces(&directory, ranks, &[]) == expected, "{ranks} ranks");
    }
    let pieces = with_case(&between_walls());
    run_case(
        pieces.path(),
        3,
        &["time.steps=9", "output.checkpoint.every-steps=7"],
        0,
    );
    // What was written at the early end goes with its checkpoint: the next piece continues from the one before.
    let end = pieces.path().join("results/checkpoint_00000009.h5");
    std::fs::remove_file(end).expect("the checkpoint of the end");
    assert!(traces(&pieces, 2, &[]) == expected, "pieces");
}

#[test]
fn check_describes_the_frame() {
    let directory = with_case(&between_walls());
    let log = output(program(directory.path()).args(["check", "--long", "run.yaml"]), 0);
    assert!(
        log.contains("frame   turns at 0.5 about (0, 0, 1) through (0.5, 0, 0)"),
        "{log}"
    );
}

#[test]
fn a_frame_that_is_too_fast_is_warned_of() {
    let directory = with_case(&between_walls());
    let warned = |set: &str| {
        let log = output(program(directory.path()).args(["check", "run.yaml", "--set", set]), 0);
        let mut lines = log
            .lines()
            .filter(|line| line.contains(" WARN rotating-frame.angular-velocity: "));
        lines.next().map(str::to_owned)
    };
    // The speed of sound is 1, and the farthest corner is at a distance of the root of 1.25 from the axis.
    assert_eq!(warned("rotating-frame.angular-velocity=[0, 0, 2.6]"), None);
    let fast = warned("rotating-frame.angular-velocity=[0, 0, 100]").expect("a warning");
    for part in [
        "moves at 111.8 at (",
        "111.8 times the speed of sound",
        "stay below 3 times",
        "pi/30",
    ] {
        assert!(fast.contains(part), "{fast}");
    }
    // Without the centrifugal force the axis is nowhere: the turn in a step counts.
    let turning = |omega: f64| {
        let text = format!(
            "mesh: {{box: {{cells: [2, 2, 2], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, y, z]}}}}\norder: 2\n\
             initial: {{u: 0.3, v: 0, w: 0, p: 1/1.4, rho: 1}}\n\
             rotating-frame: {{angular-velocity: [0, 0, {omega}], forces: coriolis}}\ntime: {{steps: 1, dt: 0.01}}\n"
        );
        output(program(with_case(&text).path()).args(["check", "run.yaml"]), 0)
    };
    let part = "turns velocities by 0.6 radians in a step of 0.01, and steps resolve at most 0.5";
    assert!(turning(30.0).contains(part) && !turning(20.0).contains(" WARN rotating-frame"));
}

#[test]
fn a_case_that_does_not_go_with_the_frame_is_refused() {
    let turbulence = "turbulence: {intensity: 0.1, length: 0.1}";
    let inlet = "type: velocity-inlet, u: 0, v: 0, w: 1, rho: 1";
    for (frame, condition, key, message) in [
        (
            "[0, 0, 0]",
            "type: slip",
            "rotating-frame.angular-velocity",
            "has no axis",
        ),
        ("[0, 0, 1]", "type: slip, frame: absolute", "", "frame"),
        (
            "",
            "type: no-slip-adiabatic, frame: absolute",
            "boundaries.z-.frame",
            "no other frame is defined",
        ),
        (
            "[0, 0, 1]",
            &format!("{inlet}, frame: absolute, {turbulence}"),
            "boundaries.z-.turbulence",
            "absolute frame",
        ),
        (
            "[0, 0, 1], forces: coriolis",
            "type: no-slip-adiabatic, frame: absolute",
            "boundaries.z-.frame",
            "need the centrifugal force",
        ),
        (
            "[0, 0, 1]",
            &format!("{inlet}, frame: rotating"),
            "boundaries.z-",
            "rotating",
        ),
    ] {
        let frame = match frame {
            "" => String::new(),
            omega => format!("rotating-frame: {{angular-velocity: {omega}}}\n"),
        };
        let text = format!(
            "mesh: {{box: {{cells: [2, 2, 2], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, y]}}}}\norder: 2\n\
             gas: {{viscosity: {{constant: 0.1}}}}\n{frame}initial: {{u: 0, v: 0, w: 0, p: 1, rho: 1}}\n\
             boundaries: {{z-: {{{condition}}}, z+: {{type: slip}}}}\ntime: {{steps: 1}}\n"
        );
        let error = Case::parse(&text, Path::new("run.yaml"), &[])
            .expect_err("refused")
            .to_string();
        println!("{error}");
        assert!(error.contains(key) && error.contains(message), "{error}");
    }
    // Shifts across the axis, and rotations about another one.
    let text = "mesh: {box: {cells: [2, 2, 2], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, z]}}\norder: 2\n\
                initial: {u: 0, v: 0, w: 0, p: 1, rho: 1}\nrotating-frame: {angular-velocity: [0, 0, 2]}\n\
                boundaries: {y-: {type: slip}, y+: {type: slip}}\ntime: {steps: 1}\n";
    let refused = |error: String| {
        println!("{error}");
        assert!(
            error.contains("periodic between") && error.contains("about the axis"),
            "{error}"
        );
    };
    let Err(error) = Solver::new(&case(text).solver) else {
        panic!("accepted")
    };
    assert_eq!(error.key().as_deref(), Some("rotating-frame"));
    refused(error.to_string());
    let of = |origin: &str| {
        let case = case(&format!(
            "mesh: {{file: none.h5}}\norder: 2\ninitial: {{u: 0, v: 0, w: 0, p: 1, rho: 1}}\n\
             rotating-frame: {{angular-velocity: [0, 0, 2], origin: {origin}}}\n\
             boundaries: {{inner: {{type: slip}}, outer: {{type: slip}}}}\ntime: {{steps: 1}}\n"
        ));
        Solver::on_mesh(&case.solver, sector([2, 2, 1], true).build().unwrap()).map(|_| ())
    };
    of("[0, 0, 7]").unwrap();
    refused(of("[0.01, 0, 0]").unwrap_err().to_string());
}

/// Tests that need a GPU.
mod gpu {
    use super::*;

    #[test]
    #[ignore = "needs an NVIDIA GPU"]
    fn a_gpu_gives_the_same_bits() {
        for precision in ["double", "single"] {
            let run = |device: &str| {
                let set = ["restart=null", "arithmetic=strict"].map(str::to_owned);
                let set = [
                    &set[..],
                    &[format!("device={device}"), format!("precision={precision}")],
                ]
                .concat();
                let case = Case::parse(&between_walls(), Path::new("gpu.yaml"), &set).unwrap();
                let mut s = Solver::new(&case.solver).unwrap();
                advance(&mut s, 50, 0.003);
                s.hash().unwrap()
            };
            assert_eq!(run("cpu"), run("cuda"), "{precision}");
        }
    }
}
