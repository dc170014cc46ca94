//! Sponges: their source terms at every point, the time integration of the decay, the damping of sound, running means,
//! uniform flow, what is refused, and the same bits on any number of ranks and after restarts.

use std::path::Path;

use crate::common::cases::{added, advance, advance_to, case, deviation, each_point, solver};
use crate::common::gas::{duct, points};
use crate::common::program::{hash, output, program, run_case, run_in_pieces, with_case};
use fr_les::case::Case;
use fr_les::solver::Solver;
use tempfile::TempDir;

/// A flow in a box of curved cells with these sponges.
fn flow(elements: &str, precision: &str, sponges: &str) -> String {
    format!(
        "mesh: {{box: {{cells: [6, 4, 4], lower: [0, 0, 0], upper: [3, 2, 2], periodic: [x, y, z], warp: 0.05, \
         elements: {elements}}}}}\n\
         order: 3\nprecision: {precision}\n\
         gas: {{viscosity: {{constant: 0.01}}}}\n\
         initial: {{u: 0.3 + 0.1*sin(pi*y), v: 0.1*cos(4*pi*x/3), w: 0.05*sin(pi*z), p: 1/1.4, \
         temperature: 0.7 + 0.05*sin(pi*y)}}\n\
         sponges:\n{sponges}time: {{steps: 1}}\n"
    )
}

/// A plane, a box that meets it, and a weight.
const SPONGES: &str = "  \
    a: {plane: {point: [2, 0, 0], normal: [2, 0, 0], thickness: 0.5}, strength: 3, \
        state: {u: 0.1, v: 0, w: 0, p: 0.8, rho: 1 + 0.1*y}}\n  \
    b: {box: {lower: [0.4, 0.4, -1], upper: [9, 9, 9], ramp: 0.8}, strength: 2, \
        state: {u: 0, v: 0.2, w: 0, p: 0.7, temperature: 0.7}}\n  \
    c: {weight: 0.5 + 0.4*sin(pi*z), strength: 4, state: {u: 0, v: 0, w: 0.1, p: 0.75, rho: 1}}\n";

/// Conserved variables of density, velocity and pressure.
fn conserved(rho: f64, v: [f64; 3], p: f64) -> [f64; 5] {
    let kinetic = 0.5 * rho * v.iter().map(|v| v * v).sum::<f64>();
    [rho, rho * v[0], rho * v[1], rho * v[2], p / 0.4 + kinetic]
}

/// The rate of the last of [`SPONGES`].
fn wave(z: f64) -> f64 {
    2.0 + 1.6 * (std::f64::consts::PI * z).sin()
}

/// The source of [`SPONGES`] at a point, sponge by sponge.
fn by_hand([x, y, z]: [f64; 3], u: [f64; 5]) -> [f64; 5] {
    let rise = |s: f64| {
        let s = s.clamp(0.0, 1.0);
        3.0 * s.powi(2) - 2.0 * s.powi(3)
    };
    let below = (0.4 - x).max(0.0).hypot((0.4 - y).max(0.0));
    let all = [
        (
            3.0 * rise((x - 2.0) / 0.5),
            conserved(1.0 + 0.1 * y, [0.1, 0.0, 0.0], 0.8),
        ),
        (2.0 * rise(below / 0.8), conserved(1.0, [0.0, 0.2, 0.0], 0.7)),
        (wave(z), conserved(1.0, [0.0, 0.0, 0.1], 0.75)),
    ];
    std::array::from_fn(|v| all.iter().map(|(rate, target)| rate * (target[v] - u[v])).sum())
}

#[test]
fn the_source_is_that_of_the_formulas_on_every_kind_of_cell_and_zero_to_the_bit_elsewhere() {
    for (elements, precision, bound) in [
        ("hex", "double", 1e-13),
        ("mixed", "double", 1e-13),
        ("hex", "single", 1e-5),
        ("mixed", "single", 1e-5),
    ] {
        for sponges in [SPONGES, SPONGES.split("  c:").next().unwrap()] {
            let text = flow(elements, precision, sponges);
            let mut with = solver(&text);
            let mut settings = case(&text).solver;
            settings.sponges.clear();
            let mut without = Solver::new(&settings).expect("a solver");
            let everywhere = sponges == SPONGES;
            let state = with.device.state().unwrap();
            let mut expected = Vec::new();
            each_point(&with, &state, |at, u| {
                let mut source = by_hand(at, u);
                if !everywhere {
                    let [_, _, z] = at;
                    let c = conserved(1.0, [0.0, 0.0, 0.1], 0.75);
                    (0..5).for_each(|v| source[v] -= wave(z) * (c[v] - u[v]));
                }
                expected.push(source);
            });
            let added = added(&mut with, &mut without, 0.0);
            let (worst, most) = deviation(&with, &added, &expected);
            let mut outside = 0;
            each_point(&with, &added, |[x, y, _], found| {
                if !everywhere && (0.4..=2.0).contains(&x) && y >= 0.4 {
                    assert!(
                        found.iter().all(|&found| found == 0.0),
                        "{elements} {precision}: {found:?}"
                    );
                    outside += 1;
                }
            });
            println!("{elements} {precision}: off {worst:e} of {most:e}, {outside} points outside");
            assert!(
                most > 0.5 && worst < bound * most,
                "{elements} {precision}: {worst:e} of {most:e}"
            );
            assert!(everywhere || outside > 100);
        }
    }
}

#[test]
fn a_uniform_deviation_decays_by_the_amplification_of_the_scheme_and_grows_only_beyond_its_limit() {
    for elements in ["hex", "mixed"] {
        for (step, steps) in [(0.5, 20), (1.5, 20), (2.7, 50), (2.8, 50)] {
            let mut s = solver(&format!(
                "mesh: {{box: {{cells: [4, 2, 2], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, y, z], \
                 elements: {elements}}}}}\n\
                 order: 3\ninitial: {{u: 1e-3, v: 0, w: 2e-3, p: 0.715, rho: 1.001}}\n\
                 sponges: {{all: {{weight: 0.5, strength: 2e4, state: {{u: 0, v: 0, w: 0, p: 1/1.4, rho: 1}}}}}}\n\
                 time: {{steps: 1}}\n"
            ));
            let target = conserved(1.0, [0.0; 3], 1.0 / 1.4);
            let start = conserved(1.001, [1e-3, 0.0, 2e-3], 0.715);
            advance(&mut s, steps, step * 1e-4);
            let z: f64 = -step;
            let factor = 1.0 + z + z * z / 2.0 + z.powi(3) / 6.0 + z.powi(4) / 24.0;
            let factor = factor.powi(steps as i32);
            let mut worst = 0.0f64;
            let state = s.device.state().unwrap();
            each_point(&s, &state, |_, u| {
                for v in 0..5 {
                    worst = worst.max((u[v] - target[v] - (start[v] - target[v]) * factor).abs());
                }
            });
            println!("{elements}, rate dt = {step}: factor {factor:e} after {steps} steps, off {worst:e}");
            assert!(worst < 1e-12 * factor.abs().max(1.0), "{elements} {step}: {worst:e}");
            assert!((factor.abs() < 1.0) == (step < 2.785));
        }
    }
}

/// Amplitude of a pulse of sound of amplitude 1e-4 after it has gone from x = 0 to the outlet at x = 4 and back, over
/// that at the start. The stream has this velocity; the sponge, of thickness 2 in front of the outlet, this strength.
fn echo(stream: f64, strength: f64) -> f64 {
    let pulse = "1e-4*exp(-(x/0.5)^2)";
    let sponge = if strength > 0.0 {
        format!(
            "sponges: {{end: {{plane: {{point: [2, 0, 0], normal: [1, 0, 0], thickness: 2}}, strength: {strength}, \
             state: {{u: {stream}, v: 0, w: 0, p: 1/1.4, rho: 1}}}}}}\n"
        )
    } else {
        String::new()
    };
    let mut s = duct(
        64,
        (-4.0, 4.0),
        &sponge,
        &format!("u: {stream} + {pulse}, v: 0, w: 0, p: (1 + {pulse})^1.4/1.4, rho: 1 + {pulse}"),
        &format!("type: far-field, u: {stream}, v: 0, w: 0, p: 1/1.4, rho: 1"),
        "type: pressure-outlet, p: 1/1.4",
    );
    advance_to(&mut s, 4.0 / (1.0 + stream) + 4.0 / (1.0 - stream), 0.5);
    let inside = points(&s).into_iter().filter(|q| q.x[0].abs() < 1.5);
    inside.map(|q| (q.p - 1.0 / 1.4).abs()).fold(0.0, f64::max) / 1e-4
}

/// Gas that a force moves to and fro, and a sponge too weak to matter that follows its mean.
fn shaken(elements: &str) -> String {
    format!(
        "mesh: {{box: {{cells: [4, 2, 2], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, y, z], \
         elements: {elements}}}}}\norder: 2\n\
         initial: {{u: 0.1, v: 0, w: 0, p: 1/1.4, rho: 1}}\nforcing: {{force: [0.06*cos(3*t), 0, 0]}}\n\
         sponges: {{all: {{weight: 1, strength: 1e-14, mean: {{time: 0.5}}}}}}\ntime: {{steps: 1}}\n"
    )
}

/// The momentum of [`shaken`] at a time, and its running mean by the integral of the filter.
fn shaken_mean(t: f64) -> (f64, f64) {
    let a = 0.02;
    let w = 3.0f64;
    let time = 0.5f64;
    let wt = w * time;
    let mean = 0.1 + a * ((w * t).sin() - wt * (w * t).cos() + wt * (-t / time).exp()) / (1.0 + wt * wt);
    (0.1 + a * (w * t).sin(), mean)
}

#[test]
fn the_running_mean_is_the_exponential_filter_of_the_flow() {
    for elements in ["hex", "mixed"] {
        let mut errors = Vec::new();
        for every in [8, 4, 2] {
            let mut s = solver(&shaken(elements));
            let dt = 0.002;
            let mut recursion = 0.1;
            s.adjust_controls(0.0).unwrap();
            for step in 0..1000 {
                let time = dt * f64::from(step);
                s.step(time, dt).unwrap();
                if (step + 1) % every == 0 {
                    let (time, interval) = (dt * f64::from(step + 1), dt * f64::from(every));
                    s.adjust_controls(time).unwrap();
                    // A second call at the same time changes nothing.
                    s.adjust_controls(time).unwrap();
                    recursion = (recursion + interval / 0.5 * shaken_mean(time).0) / (1.0 + interval / 0.5);
                }
            }
            let targets = s.device.sponge_targets().unwrap();
            let (mut worst, mut first) = (0.0f64, 0.0);
            each_point(&s, &targets, |_, mean| {
                worst = worst.max((mean[1] - recursion).abs()).max((mean[0] - 1.0).abs());
                first = mean[1];
            });
            let exact = shaken_mean(2.0).1;
            println!(
                "{elements}, every {every}: off the recursion {worst:e}, off the filter {:e}",
                first - exact
            );
            assert!(worst < 1e-9, "{worst:e}");
            errors.push((first - exact).abs());
        }
        // The filter is integrated with first order, and the error is far below the amplitude of 0.02.
        assert!(errors[2] < 1e-4, "{errors:?}");
        for two in errors.windows(2) {
            assert!((two[0] / two[1] - 2.0).abs() < 0.15, "{errors:?}");
        }
    }
}

#[test]
fn a_uniform_flow_that_is_sought_is_that_without_a_sponge_on_curved_cells_of_every_kind() {
    let state = "u: 0.3, v: 0.1, w: -0.2, p: 1/1.4, rho: 1.1";
    for elements in ["hex", "prism", "tet", "pyramid", "mixed"] {
        for precision in ["double", "single"] {
            for target in [format!("state: {{{state}}}"), "mean: {time: 1}".to_owned()] {
                let text = format!(
                    "mesh: {{box: {{cells: [4, 4, 4], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, y, z], \
                     warp: 0.1, elements: {elements}}}}}\norder: 3\nprecision: {precision}\n\
                     initial: {{{state}}}\n\
                     sponges: {{half: {{plane: {{point: [0.5, 0, 0], normal: [1, 1, 0], thickness: 0.3}}, \
                     strength: 10, {target}}}}}\ntime: {{steps: 1}}\n"
                );
                let mut with = solver(&text);
                let mut settings = case(&text).solver;
                settings.sponges.clear();
                let mut without = Solver::new(&settings).expect("a solver");
                let rates = with.rhs(0.0).unwrap();
                assert_eq!(rates, without.rhs(0.0).unwrap(), "{elements} {precision} {target}");
                if precision == "double" {
                    let most = rates.iter().fold(0.0f64, |most, rate| most.max(rate.abs()));
                    println!("{elements} {target}: largest rate {most:e}");
                    assert!(most < 1e-11, "{elements}: {most:e}");
                }
            }
        }
    }
}

#[test]
fn a_state_of_the_absolute_frame_is_sought_in_the_frame_of_the_mesh() {
    let still = "u: 0, v: 0.1, w: 0, p: 1/1.4, rho: 1, frame: absolute";
    let sides = ["x-", "x+", "y-", "y+", "z-", "z+"].map(|side| format!("{side}: {{type: far-field, {still}}}"));
    let s = solver(&format!(
        "mesh: {{box: {{cells: [2, 2, 2], lower: [0, 0, 0], upper: [1, 1, 1]}}}}\norder: 2\n\
         rotating-frame: {{angular-velocity: [0, 0, 0.5], origin: [2, 0, 0]}}\ninitial: {{{still}}}\n\
         boundaries: {{{}}}\n\
         sponges: {{all: {{weight: 1, strength: 1, state: {{{still}}}}}}}\ntime: {{steps: 1}}\n",
        sides.join(", ")
    ));
    let targets = s.device.sponge_targets().unwrap();
    let mut worst = 0.0f64;
    each_point(&s, &targets, |[x, y, _], found| {
        // The velocity of the frame is omega x r.
        let wanted = conserved(1.0, [0.5 * y, 0.1 - 0.5 * (x - 2.0), 0.0], 1.0 / 1.4);
        (0..5).for_each(|v| worst = worst.max((found[v] - wanted[v]).abs()));
    });
    assert!(worst < 1e-15, "{worst:e}");
}

#[test]
fn the_time_step_accounts_for_the_largest_rate() {
    let text = flow("hex", "double", SPONGES);
    let mut with = solver(&text);
    let mut settings = case(&text).solver;
    settings.sponges.clear();
    let mut without = Solver::new(&settings).expect("a solver");
    let bounds = with.time_step_bounds().unwrap();
    let (with_step, without_step) = (with.stable_step(&bounds), without.stable_step(&bounds));
    let state = without.device.state().unwrap();
    let mut rate = 0.0f64;
    each_point(&without, &state, |at, _| {
        // The source of a state that is 1 above its target in every variable is minus the rate.
        let [zero, one] = [by_hand(at, [0.0; 5]), by_hand(at, [1.0; 5])];
        rate = rate.max(zero[0] - one[0]);
    });
    assert!(rate > 3.0);
    let expected = rate / 2.785293563405282;
    assert!((1.0 / with_step - 1.0 / without_step - expected).abs() < 1e-12 * expected);
    assert!(without.time_step_bounds().unwrap() == bounds);
}

#[test]
fn sponges_that_do_not_go_with_the_mesh_or_each_other_are_refused_with_their_key() {
    let state = "state: {u: 0, v: 0, w: 0, p: 1, rho: 1}";
    for (sponges, key, part) in [
        (
            format!("  a: {{plane: {{point: [7, 0, 0], normal: [1, 0, 0], thickness: 1}}, strength: 1, {state}}}\n"),
            "sponges.a.plane",
            "no solution point",
        ),
        (
            format!("  a: {{weight: x, strength: 1, {state}}}\n"),
            "sponges.a.weight",
            "must be from 0 to 1",
        ),
        (
            format!("  a: {{weight: sqrt(x - 1), strength: 1, {state}}}\n"),
            "sponges.a.weight",
            "must be finite",
        ),
        (
            "  a: {weight: 1, strength: 1, state: {u: 0, v: 0, w: 0, p: 1, rho: 1 - x}}\n".to_owned(),
            "sponges.a.state.rho",
            "must be positive",
        ),
        (
            format!("  a: {{weight: 1, strength: 1, {state}}}\n  b: {{weight: 1, strength: 1, mean: {{time: 1}}}}\n"),
            "sponges.b",
            "the sponges a and b meet at",
        ),
        (
            "  a: {weight: 1, strength: 1, mean: {time: 2}}\n  b: {weight: 1, strength: 1, mean: {time: 1}}\n"
                .to_owned(),
            "sponges.b",
            "the sponges a and b meet at",
        ),
    ] {
        let error = Solver::new(&case(&flow("hex", "double", &sponges)).solver)
            .err()
            .expect("refused");
        assert_eq!(error.key().as_deref(), Some(key), "{error}");
        assert!(error.to_string().contains(part), "{error}");
    }
    // Running means of one time may overlap.
    let same = "  a: {weight: 1, strength: 1, mean: {time: 2}}\n  b: {weight: 1, strength: 3, mean: {time: 2}}\n";
    assert!(Solver::new(&case(&flow("hex", "double", same)).solver).is_ok());
}

/// A run of the program with a given state at one end of a curved mixed mesh and a running mean at the other.
fn run_text() -> String {
    flow(
        "mixed",
        "double",
        "  end: {plane: {point: [2, 0, 0], normal: [1, 0, 0], thickness: 0.5}, strength: 3, \
         state: {u: 0.1, v: 0, w: 0, p: 0.8, rho: 1 + 0.1*y}}\n  \
         begin: {plane: {point: [1, 0, 0], normal: [-1, 0, 0], thickness: 1}, strength: 20, mean: {time: 0.1}}\n",
    )
    .replace("time: {steps: 1}", "time: {steps: 33, cfl: 0.9}")
        + "device: cpu\noutput: {integrals: {every-steps: 4}}\nrestart: latest\n"
}

/// Runs the case on a number of ranks, and returns the hash of the final state and the bytes of its series.
fn traces(directory: &TempDir, ranks: usize, set: &[&str]) -> (String, Vec<u8>) {
    let log = run_case(directory.path(), ranks, set, 0);
    let series = std::fs::read(directory.path().join("results/integrals.csv")).expect("a series");
    (hash(&log), series)
}

/// Runs the case in pieces, up to the last checkpoint of the second.
fn pieces(more: &[&str]) -> TempDir {
    let directory = with_case(&run_text());
    run_in_pieces(directory.path(), more);
    directory
}

#[test]
fn the_state_is_the_same_on_any_number_of_ranks_and_through_restarts() {
    for more in [&[][..], &["precision=single"]] {
        let expected = traces(&with_case(&run_text()), 1, more);
        for ranks in [2, 3] {
            assert!(
                traces(&with_case(&run_text()), ranks, more) == expected,
                "{ranks} ranks {more:?}"
            );
        }
        assert!(traces(&pieces(more), 2, more) == expected, "pieces {more:?}");
    }
    // The mean matters: one that follows at once gives another state.
    let other = traces(&with_case(&run_text()), 1, &["sponges.begin.mean.time=0.01"]);
    assert!(other != traces(&with_case(&run_text()), 1, &[]));
}

#[test]
fn at_another_order_running_means_begin_anew_with_a_warning() {
    // The points of a warped box depend on the order.
    let straight = "mesh.box.warp=0";
    let log = run_case(pieces(&[straight]).path(), 1, &[straight, "order=2"], 0);
    assert!(log.contains("running means begin now"), "{log}");
    let log = run_case(pieces(&[straight]).path(), 1, &[straight], 0);
    assert!(!log.contains("running means begin now"), "{log}");
}

#[test]
fn check_describes_sponges_and_warns_of_thin_and_weak_ones() {
    let thin = "  end: {plane: {point: [2.5, 0, 0], normal: [1, 0, 0], thickness: 0.5}, strength: 1, \
                mean: {time: 3}}\n  any: {weight: 0.02 + 0.01*sin(pi*z), strength: 50, mean: {time: 3}}\n";
    let directory = with_case(&flow("hex", "double", thin));
    let log = output(program(directory.path()).args(["check", "--long", "run.yaml"]), 0);
    for part in [
        "sponge  end: ",
        "towards the running mean over 3",
        "sound that passes it to and fro keeps 0.",
        "sound decays by a factor e within a distance of 0.",
        "sponges.end.plane.thickness: the rate rises over ",
        "sponges.end.strength: sound that passes",
    ] {
        assert!(log.contains(part), "{part}: {log}");
    }
    // A value that is known only on the mesh is refused with its line.
    let log = output(
        program(directory.path()).args(["check", "--long", "run.yaml", "--set", "sponges.any.weight=2*z"]),
        2,
    );
    assert!(log.contains("sponges.any.weight is"), "{log}");
}

/// Tests that need a GPU.
mod gpu {
    use super::*;

    #[test]
    #[ignore = "needs an NVIDIA GPU"]
    fn a_gpu_gives_the_same_bits_with_recorded_steps_and_without() {
        let mean = "  begin: {plane: {point: [1, 0, 0], normal: [-1, 0.2, 0], thickness: 1}, strength: 20, \
                    mean: {time: 0.1}}\n  end: {plane: {point: [2, 0, 0], normal: [1, 0, 0], thickness: 0.5}, \
                    strength: 3, state: {u: 0.1, v: 0, w: 0, p: 0.8, rho: 1 + 0.1*y}}\n";
        for elements in ["hex", "mixed"] {
            for precision in ["double", "single"] {
                for sponges in [SPONGES, mean] {
                    let run = |device: &str, graph: bool| {
                        let set = [format!("device={device}"), "arithmetic=strict".to_owned()];
                        let text = flow(elements, precision, sponges);
                        let mut case = Case::parse(&text, Path::new("gpu.yaml"), &set).unwrap();
                        case.solver.graph = graph;
                        let mut s = Solver::new(&case.solver).unwrap();
                        for step in 0..50 {
                            let time = 0.003 * f64::from(step);
                            if step % 10 == 0 {
                                s.adjust_controls(time).unwrap();
                            }
                            s.step(time, 0.003).unwrap();
                        }
                        let targets = s.device.sponge_targets().unwrap();
                        let targets: Vec<u64> = targets.into_iter().map(f64::to_bits).collect();
                        (s.hash().unwrap(), targets)
                    };
                    let cpu = run("cpu", true);
                    assert!(cpu == run("cuda", true), "{elements} {precision}");
                    assert!(cpu == run("cuda", false), "{elements} {precision}, no recording");
                }
            }
        }
    }
}

/// Tests that take longer than those of `make test`.
mod long {
    use super::*;

    #[test]
    #[ignore = "takes half a minute"]
    fn sound_that_passes_a_sponge_to_and_fro_keeps_what_theory_says() {
        for stream in [0.0, 0.3] {
            let bare = echo(stream, 0.0);
            assert!((bare - 1.0).abs() < 0.01, "{bare}");
            for strength in [0.5, 1.0, 2.5] {
                // The integral of the weight is half of the thickness.
                let expected = (-strength * (1.0 / (1.0 + stream) + 1.0 / (1.0f64 - stream))).exp();
                let found = echo(stream, strength);
                println!(
                    "stream {stream}, strength {strength}: bare {bare:.5}, found {found:.3e}, theory {expected:.3e}"
                );
                assert!((found / bare / expected - 1.0).abs() < 0.01, "{found} {expected}");
            }
        }
    }
}
