//! Bars in the gas: their source terms at every point, the time integration of their damping, the balances of momentum
//! and energy, moving frames of reference, and the same bits on any number of ranks and after restarts.

use std::path::Path;

use crate::common::cases::{added, advance, case, deviation, each_point, solver};
use crate::common::program::{hash, run_case, run_in_pieces, with_case};
use fr_les::case::Case;
use fr_les::ranks::ExactSum;
use fr_les::solver::{BarLoads, Solver};
use tempfile::TempDir;

/// Two rows of bars in a periodic box of curved cells: three bars that move, and one at rest that is cooled.
pub fn rows(elements: &str, precision: &str) -> String {
    format!(
        "mesh: {{box: {{cells: [6, 12, 4], lower: [0, 0, 0], upper: [1.5, 3, 1], periodic: [x, y, z], warp: 0.05, \
         elements: {elements}}}}}\n\
         order: 3\nprecision: {precision}\n\
         gas: {{viscosity: {{constant: 0.01}}}}\n\
         initial: {{u: 0.3 + 0.1*sin(2*pi*y/3), v: 0.1*cos(4*pi*x/3), w: 0.05*sin(2*pi*z), p: 1/1.4, \
         temperature: 0.7 + 0.05*sin(2*pi*y/3)}}\n\
         bars:\n  front: {{x: 0.4, y: 0.2, diameter: 0.5, pitch: 1, speed: -0.4, ramp: 0.5}}\n  \
         rear: {{x: 1.1, y: 7.6, diameter: 0.45, strength: 0.25, temperature: 0.65}}\n\
         time: {{steps: 1}}\n"
    )
}

/// What the case says about a row: x, y, diameter, pitch, speed, ramp, strength, temperature.
const ROWS: [[f64; 8]; 2] = [
    [0.4, 0.2, 0.5, 1.0, -0.4, 0.5, 0.5, 0.0],
    [1.1, 7.6, 0.45, 3.0, 0.0, 0.0, 0.25, 0.65],
];

/// Returns mask, velocity in y, and 1/eta of a row at a point and a time after the begin, from the formulas.
fn by_hand(row: [f64; 8], width: f64, at: [f64; 3], time: f64, dt: f64) -> (f64, f64, f64) {
    let [x, y, diameter, pitch, speed, ramp, strength, _] = row;
    let s = if ramp > 0.0 { (time / ramp).min(1.0) } else { 1.0 };
    let level = 3.0 * s.powi(2) - 2.0 * s.powi(3);
    // The integral of the level up to the end of the ramp and beyond it.
    let path = ramp * (s.powi(3) - 0.5 * s.powi(4)) + (time - ramp).max(0.0);
    let bars = (-20..20).map(|k| y + speed * path + pitch * f64::from(k));
    let nearest = bars.map(|y| (at[0] - x).hypot(at[1] - y)).fold(f64::INFINITY, f64::min);
    let middle = (0.25 * diameter * diameter - 0.05 * width * width).sqrt();
    let s = ((middle - nearest) / width + 0.5).clamp(0.0, 1.0);
    (s * s * (3.0 - 2.0 * s), speed * level, level * strength / dt)
}

#[test]
fn the_source_terms_are_those_of_the_formulas_on_every_kind_of_cell() {
    for (elements, precision, bound) in [
        ("hex", "double", 1e-12),
        ("mixed", "double", 1e-12),
        ("hex", "single", 2e-4),
        ("mixed", "single", 2e-4),
    ] {
        let mut with = solver(&rows(elements, precision));
        let case = case(&rows(elements, precision));
        let mut settings = case.solver.clone();
        settings.bars.clear();
        let mut without = Solver::new(&settings).expect("a solver");
        let dt = 0.004;
        // Before they begin the bars do nothing, to the last bit.
        assert_eq!(with.rhs(0.0).unwrap(), without.rhs(0.0).unwrap());
        assert!(with.begin(2.0, dt));
        let widths: Vec<f64> = with.bars().iter().map(|bars| bars.width).collect();
        let (cv, state) = (1.0 / 0.4, with.device.state().unwrap());
        for time in [2.0, 2.2, 2.5, 3.0, 9.7] {
            let added = added(&mut with, &mut without, time);
            let mut expected = Vec::new();
            each_point(&with, &state, |at, u| {
                let v = [1, 2, 3].map(|n| u[n] / u[0]);
                let t = (u[4] / u[0] - 0.5 * v.iter().map(|v| v * v).sum::<f64>()) / cv;
                let mut source = [0.0; 5];
                for (row, &width) in ROWS.into_iter().zip(&widths) {
                    let (chi, speed, rate) = by_hand(row, width, at, time - 2.0, dt);
                    let force = [0.0, speed, 0.0].map(|x: f64| x);
                    let force: Vec<f64> = (0..3).map(|n| chi * rate * u[0] * (force[n] - v[n])).collect();
                    let heat = if row[7] > 0.0 {
                        chi * rate * u[0] * cv * (row[7] - t)
                    } else {
                        0.0
                    };
                    (0..3).for_each(|n| source[1 + n] += force[n]);
                    source[4] += force[1] * speed + heat;
                }
                expected.push(source);
            });
            let (worst, most) = deviation(&with, &added, &expected);
            println!("{elements} {precision} t = {time}: off {worst:e} of {most:e}");
            assert!(
                most > 1.0 && worst < bound * most,
                "{elements} {precision}: {worst:e} of {most:e}"
            );
        }
    }
}

/// Gas inside one large bar at rest.
const INSIDE: &str = "\
mesh: {box: {cells: [2, 2, 2], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, z]}}
order: 3
initial: {u: 1e-3, v: 0, w: 2e-3, p: 1/1.4, rho: 1}
boundaries: {y-: {type: slip}, y+: {type: slip}}
bars: {one: {x: 0.5, y: 0.5, diameter: 100}}
time: {steps: 1}
";

#[test]
fn the_velocity_inside_follows_the_amplification_of_the_scheme_and_grows_only_beyond_its_limit() {
    for (strength, steps) in [(0.5, 20), (1.5, 20), (2.7, 100), (2.8, 100)] {
        let mut s = solver(INSIDE);
        // The case has strength 0.5, so that eta is twice this step.
        let eta = 2e-4;
        s.begin(0.0, 0.5 * eta);
        assert_eq!(s.eta(0), Some(eta));
        let mass = s.bulk().unwrap();
        advance(&mut s, steps, strength * eta);
        let z: f64 = -strength;
        let factor = 1.0 + z + z * z / 2.0 + z.powi(3) / 6.0 + z.powi(4) / 24.0;
        let expected = 1e-3 * factor.powi(steps as i32);
        let state = s.device.state().unwrap();
        let mut worst = 0.0f64;
        each_point(&s, &state, |_, u| {
            let of = [u[1] / u[0], 0.5 * u[3] / u[0]];
            worst = of.into_iter().fold(worst, |worst, u| worst.max((u - expected).abs()));
        });
        println!("strength {strength}: velocity {expected:e} after {steps} steps, off {worst:e}");
        assert!(worst < 1e-15 + 1e-12 * expected.abs(), "{strength}: {worst:e}");
        assert!((expected.abs() < 1e-3) == (strength < 2.785));
        let density = s.bulk().unwrap().density;
        assert!((density - mass.density).abs() < 1e-14);
    }
}

/// Sums the right-hand side over the domain, by variable.
fn totals(s: &mut Solver, time: f64) -> [f64; 5] {
    let rhs = s.rhs(time).unwrap();
    let mut sums: [ExactSum; 5] = Default::default();
    for cell in 0..s.mesh.len() {
        let (first, np) = (s.geometry.first_point[cell], s.geometry.cell_points(cell));
        let weights = s.elements.weights(s.geometry.kinds[cell]);
        for p in 0..np {
            let volume = weights[p] * s.geometry.metrics[cell].jacobian(p);
            for (v, sum) in sums.iter_mut().enumerate() {
                sum.add(volume * rhs[5 * first + v * np + p]);
            }
        }
    }
    sums.map(ExactSum::value)
}

#[test]
fn what_the_gas_loses_the_bars_get_and_bars_at_rest_keep_its_energy() {
    for elements in ["hex", "prism", "mixed"] {
        let mut s = solver(&rows(elements, "double"));
        s.begin(0.0, 0.004);
        let end = advance(&mut s, 40, 0.003);
        let [mass, x, y, _, energy] = totals(&mut s, end);
        let loads: Vec<Vec<BarLoads>> = (0..2).map(|row| s.bar_loads(row, end).unwrap()).collect();
        assert_eq!([loads[0].len(), loads[1].len()], [3, 1]);
        let sum = |of: fn(&BarLoads) -> f64| loads.iter().flatten().map(of).sum::<f64>();
        let (force_x, force_y) = (sum(|l| l.force[0]), sum(|l| l.force[1]));
        let given = sum(|l| l.power + l.heat);
        let most = loads.iter().flatten().map(|l| l.force[0].abs()).fold(0.0, f64::max);
        println!(
            "{elements}: mass {mass:e}; momentum {x:e} + {force_x:e} = {:e}, {y:e} + {force_y:e} = {:e}; energy \
             {energy:e} - {given:e} = {:e}; largest force {most:e}",
            x + force_x,
            y + force_y,
            energy - given
        );
        assert!(loads[1][0].power == 0.0 && loads[1][0].heat != 0.0 && loads[0][0].heat == 0.0);
        assert!(mass.abs() < 1e-13 && most > 0.01);
        for off in [x + force_x, y + force_y, energy - given] {
            assert!(off.abs() < 1e-13, "{elements}: {off:e}");
        }
        // The three bars are different, as the flow is; each is given its own cells.
        assert!(
            loads[0]
                .windows(2)
                .all(|two| (two[0].force[0] - two[1].force[0]).abs() > 1e-6)
        );
    }
}

#[test]
fn the_force_on_each_bar_is_the_integral_over_its_own_pitch() {
    let mut s = solver(&rows("hex", "double"));
    s.begin(0.0, 0.004);
    // The bars have moved by more than one pitch.
    let time = 3.6;
    let loads = s.bar_loads(0, time).unwrap();
    let (state, width) = (s.device.state().unwrap(), s.bars()[0].width);
    let mut expected = [[0.0; 2]; 3];
    let path = 0.5 * 0.5 + (time - 0.5);
    for cell in 0..s.mesh.len() {
        let (first, np) = (s.geometry.first_point[cell], s.geometry.cell_points(cell));
        let weights = s.elements.weights(s.geometry.kinds[cell]);
        for p in 0..np {
            let at = s.geometry.points[first + p];
            let u: [f64; 5] = std::array::from_fn(|v| state[5 * first + v * np + p]);
            let (chi, speed, rate) = by_hand(ROWS[0], width, at, time, 0.004);
            let volume = weights[p] * s.geometry.metrics[cell].jacobian(p);
            // Bar j is at 0.2 + j - 0.4 path, again and again with the period 3.
            let bar = (at[1] - 0.2 + 0.4 * path).round().rem_euclid(3.0) as usize;
            expected[bar][0] -= volume * chi * rate * (0.0 - u[1]);
            expected[bar][1] -= volume * chi * rate * (u[0] * speed - u[2]);
        }
    }
    for (found, wanted) in loads.iter().zip(expected) {
        println!("{:?} {wanted:?}", found.force);
        for d in 0..2 {
            assert!((found.force[d] - wanted[d]).abs() < 1e-12 * wanted[d].abs().max(0.1));
        }
    }
}

#[test]
fn the_mask_has_the_area_of_the_bar_at_twelve_points_wherever_it_is() {
    // In a uniform flow the force is rate rho u times the integral of the mask.
    let mut worst = 0.0f64;
    for place in 0..9 {
        let (x, y) = (1.0 + 0.0283 * f64::from(place), 1.0 + 0.0171 * f64::from(place));
        let mut s = solver(&format!(
            "mesh: {{box: {{cells: [8, 8, 1], lower: [0, 0, 0], upper: [2, 2, 0.25], periodic: [x, z]}}}}\norder: 3\n\
             initial: {{u: 0.1, v: 0, w: 0, p: 1/1.4, rho: 1}}\n\
             boundaries: {{y-: {{type: slip}}, y+: {{type: slip}}}}\n\
             bars: {{bar: {{x: {x}, y: {y}, diameter: 1, strength: 1}}}}\ntime: {{steps: 1}}\n"
        ));
        s.begin(0.0, 0.01);
        assert!((s.bars()[0].points_per_diameter() - 12.0).abs() < 1e-12);
        let force = s.bar_loads(0, 0.0).unwrap()[0].force;
        assert!(force[1].abs() < 1e-15);
        let area = force[0] / (0.1 * 0.25) * 0.01;
        worst = worst.max((area / (0.25 * std::f64::consts::PI) - 1.0).abs());
    }
    println!("largest error of the area: {worst:e}");
    assert!(worst < 5e-3, "{worst:e}");
}

#[test]
fn a_row_moved_by_one_pitch_gives_the_same_bits() {
    let text = |y: f64| {
        format!(
            "mesh: {{box: {{cells: [4, 8, 1], lower: [0, 0, 0], upper: [1, 2, 0.25], periodic: [x, y, z]}}}}\n\
             order: 3\n\
             initial: {{u: 0.3, v: 0.1*sin(pi*y), w: 0, p: 1/1.4, rho: 1}}\n\
             bars: {{row: {{x: 0.5, y: {y}, diameter: 0.25, pitch: 0.5, speed: 0.25}}}}\ntime: {{steps: 1}}\n"
        )
    };
    let run = |y: f64| {
        let mut s = solver(&text(y));
        s.begin(0.0, 0.0078125);
        advance(&mut s, 30, 0.0078125);
        s.hash().unwrap()
    };
    let first = run(0.125);
    assert_eq!(first, run(0.625));
    assert_eq!(first, run(-0.875));
    assert_ne!(first, run(0.25));
}

#[test]
fn the_time_step_accounts_for_eta() {
    let mut s = solver(INSIDE);
    let bounds = s.time_step_bounds().unwrap();
    let without = s.stable_step(&bounds);
    s.begin(0.0, 0.9 * without);
    let with = s.stable_step(&bounds);
    let rate = 0.5 / (0.9 * without) / 2.785293563405282;
    assert!((1.0 / with - 1.0 / without - rate).abs() < 1e-12 * rate);
    // They begin once.
    assert!(!s.begin(1.0, with));
}

#[test]
fn the_width_of_the_mask_follows_the_cells_that_the_bars_meet() {
    // Cells 0.07 to 0.76 high, the smallest at both ends of the period; all are 0.25 long.
    let width = |y: f64, speed: f64| {
        let s = solver(&format!(
            "mesh: {{box: {{cells: [8, 16, 1], lower: [0, 0, 0], upper: [2, 6, 0.25], periodic: [x, y, z], \
             stretch: {{y: {{tanh: 4}}}}}}}}\norder: 2\n\
             initial: {{u: 0.1, v: 0, w: 0, p: 1/1.4, rho: 1}}\n\
             bars: {{bar: {{x: 1, y: {y}, diameter: 0.4, speed: {speed}}}}}\ntime: {{steps: 1}}\n"
        ));
        let mut heights: Vec<f64> = (0..s.mesh.len())
            .map(|cell| {
                let y = s.geometry.cell_positions(cell).iter().map(|x| x[1]);
                y.clone().fold(f64::MIN, f64::max) - y.fold(f64::MAX, f64::min)
            })
            .collect();
        heights.sort_by(f64::total_cmp);
        (s.bars()[0].width, heights[heights.len() - 1])
    };
    // Two spacings: the size of the cell, at order 2.
    assert!((width(0.0, 0.0).0 - 0.25).abs() < 1e-12);
    for (y, speed) in [(3.0, 0.0), (0.0, 0.1)] {
        let (width, highest) = width(y, speed);
        assert!(highest > 0.5 && (width - highest).abs() < 1e-12, "{width} {highest}");
    }
}

/// A run of the program with two rows in a curved mixed mesh.
pub fn program() -> String {
    rows("mixed", "double").replace("time: {steps: 1}", "time: {steps: 33, cfl: 0.9}")
        + "device: cpu\noutput: {bars: {every-steps: 4}, integrals: {every-steps: 4}}\nrestart: latest\n"
}

/// Runs the case on a number of ranks, and returns the hash of the final state and the bytes of its series.
fn traces(directory: &TempDir, ranks: usize, set: &[&str]) -> (String, Vec<u8>, Vec<u8>) {
    let log = run_case(directory.path(), ranks, set, 0);
    let read = |name: &str| std::fs::read(directory.path().join("results").join(name)).expect(name);
    (hash(&log), read("bars.csv"), read("integrals.csv"))
}

#[test]
fn state_and_forces_are_the_same_on_any_number_of_ranks_and_through_restarts() {
    for more in [&[][..], &["precision=single"]] {
        let alone = with_case(&program());
        let expected = traces(&alone, 1, more);
        let text = String::from_utf8(expected.1.clone()).expect("text");
        assert!(
            text.contains("front_2_force_x") && text.contains("rear_0_heat"),
            "{text}"
        );
        for ranks in [2, 3] {
            let directory = with_case(&program());
            assert!(traces(&directory, ranks, more) == expected, "{ranks} ranks {more:?}");
        }
        let pieces = with_case(&program());
        run_in_pieces(pieces.path(), more);
        assert!(traces(&pieces, 2, more) == expected, "pieces {more:?}");
    }
}

/// Tests that need a GPU.
mod gpu {
    use super::*;

    #[test]
    #[ignore = "needs an NVIDIA GPU"]
    fn a_gpu_gives_the_same_bits_with_recorded_steps_and_without() {
        for elements in ["hex", "mixed"] {
            for precision in ["double", "single"] {
                let run = |device: &str, graph: bool| {
                    let set = [format!("device={device}"), "arithmetic=strict".to_owned()];
                    let text = rows(elements, precision);
                    let mut case = Case::parse(&text, Path::new("gpu.yaml"), &set).unwrap();
                    case.solver.graph = graph;
                    let mut s = Solver::new(&case.solver).unwrap();
                    // The recording begins before the bars do.
                    advance(&mut s, 2, 0.003);
                    s.begin(0.006, 0.004);
                    let mut time = 0.006;
                    for _ in 0..50 {
                        s.step(time, 0.003).unwrap();
                        time += 0.003;
                    }
                    let loads: Vec<BarLoads> = (0..2).flat_map(|row| s.bar_loads(row, time).unwrap()).collect();
                    let loads: Vec<u64> = loads.iter().flat_map(BarLoads::values).map(f64::to_bits).collect();
                    (s.hash().unwrap(), loads)
                };
                let cpu = run("cpu", true);
                assert_eq!(cpu, run("cuda", true), "{elements} {precision}");
                assert_eq!(cpu, run("cuda", false), "{elements} {precision}, no recording");
            }
        }
    }
}

/// Tests that take longer than those of `make test`.
mod long {
    use super::*;

    #[test]
    #[ignore = "takes half a minute"]
    fn a_bar_that_moves_through_gas_at_rest_has_the_force_of_a_bar_at_rest_in_a_stream() {
        // Reynolds number 50, Mach number 0.2, 12 points over the diameter.
        let text = |stream: f64, speed: f64| {
            format!(
                "mesh: {{box: {{cells: [10, 12, 1], lower: [-1.25, 0, 0], upper: [1.25, 3, 0.25], \
                 periodic: [x, y, z]}}}}\norder: 3\ngas: {{viscosity: {{constant: 0.02}}}}\n\
                 initial: {{u: 0, v: {stream}, w: 0, p: 25/1.4, rho: 1}}\n\
                 bars: {{bar: {{x: 0, y: 1, diameter: 1, speed: {speed}, ramp: 0}}}}\ntime: {{steps: 1}}\n"
            )
        };
        // Mean force in y from time 1 to 2; both begin with the same blow, whose sound the box keeps.
        let force = |stream: f64, speed: f64| {
            let mut s = solver(&text(stream, speed));
            let steps = 2000;
            let dt = 2.0 / f64::from(steps);
            s.begin(0.0, dt);
            let (mut sum, mut time) = (0.0, 0.0);
            for step in 0..steps {
                s.step(time, dt).unwrap();
                time += dt;
                if step >= steps / 2 && step % 10 == 0 {
                    sum += 10.0 * dt * s.bar_loads(0, time).unwrap()[0].force[1];
                }
            }
            assert!(s.time_step_bounds().unwrap().unphysical.is_none());
            sum
        };
        let (rests, moves) = (force(1.0, 0.0), force(0.0, -1.0));
        println!("force {rests} at rest, {moves} moving: {:e}", moves / rests - 1.0);
        assert!(rests > 0.1);
        assert!((moves / rests - 1.0).abs() < 0.02, "{moves} {rests}");
    }
}
