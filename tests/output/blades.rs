//! Distributions along walls: the pressure of potential flow and known friction on a cylinder, friction of a plate, and
//! the same file on any number of ranks and after stops.

use std::f64::consts::PI;

use tempfile::TempDir;

use crate::common::program::{ended, folder, refuses, run, run_case, run_in_pieces, with_case, write};
use fr_les::io::{Table, read_series};

/// A case with a whole annulus, or a sector of it: `mesh` are further arguments of its generator.
fn annulus(mesh: &str, case: &str) -> TempDir {
    let directory = with_case(case);
    let arguments = format!("mesh generate annulus ring.h5 --inner 1 --outer 2 --length 0.5 --periodic z {mesh}");
    ended(&run(directory.path(), &arguments.split(' ').collect::<Vec<_>>()), 0);
    directory
}

/// One step too short to change the initial state, on an annulus whose inner wall is a cylinder.
fn cylinder(wall: &str, gas: &str, initial: &str, blade: &str) -> String {
    format!(
        "mesh: {{file: ring.h5}}\norder: 3\ndevice: cpu\nthreads: 1\ngas: {{{gas}}}\ninitial: {{{initial}}}\n\
         boundaries: {{inner: {{type: {wall}}}, outer: {{type: slip}}}}\ntime: {{steps: 1, dt: 1e-14}}\n\
         output: {{blades: {{ring: {{boundary: inner, every-steps: 1, total-pressure: 1.2, pressure: 1{blade}}}}}}}\n"
    )
}

fn table(directory: &TempDir, name: &str) -> Table {
    read_series(&directory.path().join(format!("results/blade_{name}.csv"))).unwrap()
}

fn text(directory: &TempDir, name: &str) -> String {
    std::fs::read_to_string(directory.path().join(format!("results/blade_{name}.csv"))).unwrap()
}

/// Returns the rows of a side, as columns.
fn of_side(table: &Table, side: f64, columns: &[&str]) -> Vec<Vec<f64>> {
    let sides = table.column("side").unwrap();
    let rows = || (0..sides.len()).filter(|&i| sides[i] == side);
    let column = |name: &&str| rows().map(|i| table.column(name).unwrap()[i]).collect();
    columns.iter().map(column).collect()
}

/// Returns a number of a line of the head, the first after `part`.
fn number(text: &str, line: &str, part: &str) -> f64 {
    let line = text
        .lines()
        .find(|l| l.starts_with(line))
        .unwrap_or_else(|| panic!("no {line}"));
    let value = &line[line.find(part).unwrap_or_else(|| panic!("no {part} in {line}")) + part.len()..];
    let end = value.find([' ', ',']).unwrap_or(value.len());
    value[..end].parse().unwrap_or_else(|_| panic!("{line}"))
}

/// Returns the value of a result at the head.
fn result(text: &str, name: &str) -> f64 {
    number(text, &format!("# result {name} ["), "value = ")
}

#[test]
fn potential_flow_about_a_cylinder_has_its_pressure_coefficient_at_every_station() {
    // The exact pressure in gas at rest: the wall then has the pressure of its points.
    let p = "p: 1 + 0.2*(1 - 4*y^2/(x^2 + y^2)), u: 0, v: 0, w: 0, rho: 1";
    // Hexahedra, and prisms, at the wall.
    for (mesh, leading) in [
        ("--cells 2,8,2 --geometry-order 4", ""),
        (
            "--cells 2,9,2 --geometry-order 2 --hex-layers 0",
            ", leading-edge: [-1.1, 0.05]",
        ),
    ] {
        let directory = annulus(mesh, &cylinder("slip", "gamma: 1.4", p, leading));
        run_case(directory.path(), 1, &[], 0);
        let (table, head) = (table(&directory, "ring"), text(&directory, "ring"));
        let around = if leading.is_empty() { 8.0 } else { 9.0 };
        assert_eq!(number(&head, "# wall", "stations = "), 3.0 * around);
        let columns = ["x", "y", "s_over_S", "x_over_C", "C_p", "C_p01", "M_is", "p", "C_f"];
        let [one, two] = [1.0, 2.0].map(|side| of_side(&table, side, &columns));
        // Both sides have the leading and the trailing edge.
        assert_eq!(one[0].len() + two[0].len(), 3 * around as usize + 2);
        for side in [one, two] {
            let last = side[0].len() - 1;
            let upper = side[1][1] > side[1][0];
            assert!((side[0][last] - 1.0).abs() < 1e-12, "the trailing edge is at x = 1");
            assert!(side[2].is_sorted() && side[2][0] == 0.0 && side[2][last] == 1.0);
            for i in 0..=last {
                let [x, y, s, place, cp, cp01, mach, p, friction] = std::array::from_fn(|c| side[c][i]);
                let exact = 1.0 - 4.0 * y * y / (x * x + y * y);
                assert!(
                    (cp - exact).abs() < 1e-12 && (cp01 - (1.0 - exact)).abs() < 1e-12,
                    "{x} {y}: {cp}"
                );
                assert!((p - 1.0 - 0.2 * exact).abs() < 1e-12);
                // p01/p = (1 + (gamma - 1)/2 M^2)^(gamma/(gamma - 1)).
                let ratio = (1.0 + 0.2 * mach * mach).powf(3.5);
                assert!((ratio * p - 1.2).abs() < 1e-12, "{x} {y}: {mach}");
                assert_eq!(friction, 0.0);
                if leading.is_empty() {
                    // The curve is a polynomial of degree 3 in each piece of an eighth of the circle.
                    let angle = y.abs().atan2(-x);
                    assert!((s - angle / PI).abs() < 2e-4, "{s} {}", angle / PI);
                    assert!((place - 0.5 * (1.0 + x)).abs() < 1e-12);
                    assert!(i == 0 || i == last || (y > 0.0) == upper);
                }
            }
        }
        if leading.is_empty() {
            assert!((number(&head, "# leading-edge", "x = ") + 1.0).abs() < 1e-12);
            assert!(
                (number(&head, "# isentropic exit", "M_2is = ") - (5.0 * (1.2f64.powf(1.0 / 3.5) - 1.0)).sqrt()).abs()
                    < 1e-14
            );
        }
    }
}

#[test]
fn a_leading_edge_far_behind_the_front_brings_a_warning() {
    let warning = "WARN output.blades.ring: its sides begin where the mean pressure is largest";
    // The largest pressure is at the front of potential flow, and at (-0.45, 0.9) of the other, 0.28 behind it.
    let front = "p: 1 + 0.2*(1 - 4*y^2/(x^2 + y^2)), u: 0, v: 0, w: 0, rho: 1";
    let behind = "p: 1 + 0.1*exp(-10*((x + 0.45)^2 + (y - 0.9)^2)), u: 0, v: 0, w: 0, rho: 1";
    for (pressure, leading, warned) in [
        (front, "", false),
        (behind, "", true),
        (behind, ", leading-edge: [-1, 0]", false),
    ] {
        let case = cylinder("slip", "gamma: 1.4", pressure, leading);
        let directory = annulus("--cells 2,8,2 --geometry-order 4", &case);
        let log = run_case(directory.path(), 1, &[], 0);
        assert_eq!(log.contains(warning), warned, "{log}");
    }
}

#[test]
fn the_force_of_a_uniform_pressure_gradient_is_that_on_the_displaced_gas() {
    let p = "p: 1 + 0.05*x + 0.02*y, u: 0, v: 0, w: 0, rho: 1";
    let blade = ", cascade: {pitch: 3, inlet-angle: 30, exit-angle: 60}";
    let directory = annulus(
        "--cells 1,24,1 --geometry-order 3",
        &cylinder("slip", "gamma: 1.4", p, blade),
    );
    run_case(directory.path(), 1, &[], 0);
    let head = text(&directory, "ring");
    // The gradient times the volume, over (p01 - p2) C_ax span with C_ax = 2.
    let exact = |gradient: f64| -gradient * PI / (0.2 * 2.0);
    for (name, gradient) in [("C_x", 0.05), ("C_y", 0.02)] {
        let found = result(&head, name);
        assert!(
            (found / exact(gradient) - 1.0).abs() < 1e-6,
            "{name} {found} {}",
            exact(gradient)
        );
    }
    let by_force = result(&head, "zweifel");
    assert!((by_force - exact(0.02).abs()).abs() < 1e-6);
    // 2 pitch/C_ax cos^2(60 deg) (tan 30 deg + tan 60 deg).
    let by_angles = 2.0 * 1.5 * 0.25 * (1.0 / 3f64.sqrt() + 3f64.sqrt());
    assert!((result(&head, "zweifel_angles") - by_angles).abs() < 1e-12);
}

#[test]
fn friction_separates_where_it_is_zero_on_both_sides() {
    // The gas turns about the axis with (r - 1) (y/r) (x/r + c): the friction downstream on both sides is
    // mu sin(s) (cos(s) - c) at the angle s from the leading edge, with a zero at s0 = acos(c).
    let separation: f64 = 1.9;
    let turning = format!(
        "(sqrt(x^2 + y^2) - 1)*y/(x^2 + y^2)*(x/sqrt(x^2 + y^2) + {})",
        separation.cos()
    );
    let initial = format!("p: 1, u: -y*({turning}), v: x*({turning}), w: 0, rho: 1");
    let viscous = "gamma: 1.4, viscosity: {constant: 0.01}";
    let directory = annulus(
        "--cells 3,36,1 --geometry-order 3",
        &cylinder("no-slip-adiabatic", viscous, &initial, ", leading-edge: [-1, 0]"),
    );
    let log = run_case(directory.path(), 1, &[], 0);
    let (table, head) = (table(&directory, "ring"), text(&directory, "ring"));
    let mut worst = 0.0f64;
    for (side, name) in [(1.0, "suction"), (2.0, "pressure")] {
        let [s, friction, other] = &of_side(&table, side, &["s_over_S", "C_f", "C_f_is"])[..] else {
            unreachable!()
        };
        // The error of linear interpolation: h^2/8 |f''/f'| of f = sin(s) (cos(s) - c) at its zero.
        let spacing = s.windows(2).map(|s| s[1] - s[0]).fold(0.0, f64::max);
        let (c, sin) = (separation.cos(), separation.sin());
        let bound = PI * spacing.powi(2) / 8.0 * ((-4.0 * c + c) * sin / (sin * sin)).abs();
        let found = result(&head, &format!("{name}_separation_1_s_over_S"));
        let error = (found - separation / PI).abs();
        println!("{name}: {error:.1e} of at most {bound:.1e}");
        assert!(error < bound && bound < 3e-4, "{found} {}", separation / PI);
        let x = result(&head, &format!("{name}_separation_1_x_over_C"));
        assert!((x - 0.5 * (1.0 - c)).abs() < 2.0 * bound, "{x}");
        assert!(
            log.contains(&format!("blade ring: {name}_separation_1 at s/S = ")),
            "{log}"
        );
        for ((s, friction), other) in s.iter().zip(friction).zip(other) {
            let angle = PI * s;
            let exact = 0.01 * angle.sin() * (angle.cos() - separation.cos()) / 0.2;
            worst = worst.max((friction - exact).abs());
            // rho2 V2^2/2 = gamma/2 p2 M2^2.
            let head = 0.7 * 5.0 * (1.2f64.powf(1.0 / 3.5) - 1.0);
            assert!((other * head - friction * 0.2).abs() < 1e-15);
        }
    }
    println!("friction: {worst:.1e} of {:.1e}", 0.01 / 0.2);
    assert!(worst < 1e-4, "{worst:e}");
    assert!(!head.contains("reattachment") && !head.contains("separation_2"));
}

/// Couette flow whose lower plate is a wall with two ends.
pub const PLATES: &str = "\
mesh: {box: {cells: [4, 2, 2], lower: [0, 0, 0], upper: [1, 0.5, 2], periodic: [x, z]}}
order: 3
device: cpu
threads: 1
constants: {s: 1.5, k: 0.72/7*1.5^2}
gas: {prandtl: 0.72, viscosity: {constant: 0.05}}
initial: {u: s*y/0.5, v: 0, w: 0, p: 1, temperature: 1 + k*y/0.5*(1 - y/0.5)}
boundaries:
  y-: {type: no-slip-isothermal, temperature: 1}
  y+: {type: no-slip-isothermal, temperature: 1, velocity: [s, 0, 0]}
time: {steps: 1, dt: 1e-14}
output:
  blades:
    lower: {boundary: y-, every-steps: 1, total-pressure: 1.5, pressure: 1, total-temperature: 1.2}
    upper: {boundary: y+, every-steps: 1, total-pressure: 1.5, pressure: 1}
";

#[test]
fn plates_of_couette_flow_have_their_friction_and_wall_units() {
    let directory = with_case(PLATES);
    run_case(directory.path(), 1, &[], 0);
    let stress: f64 = 0.05 * 1.5 / 0.5;
    for (name, sign) in [("lower", 1.0), ("upper", -1.0)] {
        let (table, head) = (table(&directory, name), text(&directory, name));
        // A plate ends at both sides of the periodic box.
        assert!(table.column("side").unwrap().iter().all(|&side| side == 1.0));
        let x = table.column("x").unwrap();
        assert!(x.len() == 13 && x[0] == 0.0 && x[12] == 1.0 && x.is_sorted());
        let per_length = stress.sqrt() / 0.05;
        // The first point of a cell of height 0.25 at order 3; a cell of 0.25 by 1 over 4.
        let first = 0.25 * 0.5 * (1.0 - 1.0 / 5f64.sqrt());
        for (column, exact) in [
            ("tau", sign * stress),
            ("C_f", sign * stress / 0.5),
            ("T", 1.0),
            ("y_plus", first * per_length),
            ("dx_plus", 0.0625 * per_length),
            ("dz_plus", 0.25 * per_length),
            ("s_over_S", f64::NAN),
        ] {
            for (i, found) in table.column(column).unwrap().iter().enumerate() {
                let exact = if exact.is_nan() { x[i] } else { exact };
                assert!((found - exact).abs() < 1e-12, "{name} {column}: {found}, not {exact}");
            }
        }
        // The pressure p2 of the exit exerts no force.
        assert!(result(&head, "C_y").abs() < 1e-12);
        assert!((result(&head, "C_x") - sign * stress / 0.5).abs() < 1e-12);
        assert!(
            table.column("C_f_error").unwrap().iter().all(|e| e.is_nan()),
            "of one sample"
        );
    }
    // T2 = T01/(1 + 0.2 M^2), V2 = M sqrt(1.4 T2).
    let head = text(&directory, "lower");
    let (m, t) = (
        number(&head, "# isentropic exit", "M_2is = "),
        number(&head, "# isentropic exit speed", "T_2is = "),
    );
    assert!((t - 1.2 / (1.0 + 0.2 * m * m)).abs() < 1e-14);
    let reynolds = m * (1.4 * t).sqrt() / t / 0.05;
    assert!((number(&head, "# isentropic exit speed", "Re_2is = ") - reynolds).abs() < 1e-11);
}

/// A flow about a cylinder that sheds from the start.
const SHEDDING: &str = "\
mesh: {file: ring.h5}
order: 2
device: cpu
gas: {viscosity: {constant: 0.005}}
initial: {u: 0.4 + 0.2*y, v: 0.1*sin(3*x), w: 0.05*sin(4*pi*z), p: 1, rho: 1}
boundaries: {inner: {type: no-slip-adiabatic}, outer: {type: far-field, u: 0.4, v: 0, w: 0, p: 1, rho: 1}}
time: {steps: 40, cfl: 0.8}
output:
  blades:
    ring: {boundary: inner, from: 0.02, every-steps: 1, total-pressure: 1.2, pressure: 0.98,
      phase: {period: 0.07, bins: 3}}
  checkpoint: {every-steps: 10}
restart: latest
";

#[test]
fn the_files_are_the_same_on_any_number_of_ranks_and_after_stops() {
    for mesh in ["--cells 2,10,3 --hex-layers 1", "--cells 2,10,3 --angle 300"] {
        let whole = || {
            let more = if mesh.contains("angle") {
                ", theta-: {type: slip}, theta+: {type: slip}}\ntime"
            } else {
                "}\ntime"
            };
            annulus(mesh, &SHEDDING.replace("}\ntime", more))
        };
        let one = whole();
        run_case(one.path(), 1, &[], 0);
        let [expected, at_phases] = ["ring", "ring.phase"].map(|name| text(&one, name));
        // Single precision is enough for the state, but not for the sums.
        assert!(!expected.contains("C_f_error,NaN"));
        let table = table(&one, "ring");
        assert!(table.column("C_f_error").unwrap().iter().all(|e| e.is_finite()));
        assert!(table.column("C_f_error").unwrap().iter().any(|&e| e > 1e-6));
        let of_phases = self::table(&one, "ring.phase");
        let every_phase = of_phases.column("C_f").unwrap().iter().all(|c_f| c_f.is_finite());
        assert!(every_phase, "every phase has samples");
        for ranks in [2, 3] {
            let other = whole();
            run_case(other.path(), ranks, &[], 0);
            assert!(
                ["ring", "ring.phase"].map(|name| text(&other, name)) == [&expected[..], &at_phases],
                "{ranks} ranks"
            );
        }
        let stopped = whole();
        run_in_pieces(stopped.path(), &[]);
        run_case(stopped.path(), 2, &[], 0);
        assert!(
            ["ring", "ring.phase"].map(|name| text(&stopped, name)) == [&expected[..], &at_phases],
            "after stops"
        );
    }
}

#[test]
fn walls_that_are_no_blades_are_refused() {
    let at = |mesh: &str, from: &str, to: &str| {
        let case = PLATES.replace(from, to);
        let folder = folder();
        write(&folder, "run.yaml", case.replace("periodic: [x, z]", mesh).as_bytes());
        folder
    };
    let periodic = "periodic: [x, z]";
    refuses(
        &at("periodic: [x, z], elements: tet", "", ""),
        &["run.yaml"],
        &["output.blades.lower.boundary", "`y-` is not extruded along z"],
    );
    // The pieces of a warped box have another x in each layer.
    refuses(
        &at("periodic: [x, z], warp: 0.1", "", ""),
        &["run.yaml"],
        &["`y-` is not extruded along z"],
    );
    refuses(
        &at(periodic, "total-temperature: 1.2", "leading-edge: [0, 0]"),
        &["run.yaml"],
        &["output.blades.lower.leading-edge", "has two ends"],
    );
    // Both ends in z.
    let ends = "boundaries:\n  z-: {type: slip}\n  z+: {type: slip}\n";
    let case = at("periodic: [x]", "boundaries:\n", ends);
    refuses(
        &case,
        &["run.yaml", "--set", "output.blades.lower.boundary=z-"],
        &["`z-` is not extruded along z"],
    );
}

/// Plates whose friction moves along with the phase: gas at rest, and a lower plate whose velocity is a wave. The
/// steps are so short that only the velocity of the plate changes.
const WAVE: &str = "\
mesh: {box: {cells: [4, 2, 1], lower: [0, 0, 0], upper: [1, 0.5, 1], periodic: [x, z]}}
order: 3
device: cpu
threads: 1
constants: {T: 37.1e-16, q: 2*pi, move: 1}
gas: {viscosity: {constant: 0.05}}
initial: {u: 0, v: 0, w: 0, p: 1.1 + 0.1*cos(q*x), rho: 1}
boundaries:
  y-: {type: no-slip-adiabatic, velocity: ['0.1*(sin(q*(x - move*t/T)) + 0.3)', 0, 0]}
  y+: {type: no-slip-adiabatic}
time: {steps: 120, dt: 1e-16}
output:
  blades:
    plate: {boundary: y-, every-steps: 3, total-pressure: 1.5, pressure: 1, phase: {period: T, bins: 4}}
";

#[test]
fn means_at_phases_are_those_of_the_samples_of_each_phase() {
    let at_rest = with_case(
        &WAVE
            .replace("move: 1", "move: 0")
            .replace("sin(q*(x - move*t/T))", "0*x"),
    );
    run_case(at_rest.path(), 1, &["time.steps=3"], 0);
    // The friction of gas at rest is proportional to the velocity of the plate at the same place.
    let per_velocity = table(&at_rest, "plate").column("tau").unwrap()[0] / 0.03;
    assert!(per_velocity < -0.05, "{per_velocity}");
    let directory = with_case(WAVE);
    run_case(directory.path(), 1, &[], 0);
    let (phases, whole) = (table(&directory, "plate.phase"), table(&directory, "plate"));
    let columns = [
        "phase",
        "sample_time",
        "side",
        "x_over_C",
        "p",
        "tau",
        "M_is",
        "C_p",
        "C_f",
    ];
    let [phase, time, side, x, p, tau, mach, cp, cf] = columns.map(|name| phases.column(name).unwrap());
    assert_eq!(phase.len(), 4 * 13);
    let mut worst = 0.0f64;
    for row in 0..phase.len() {
        let bin = row / 13;
        assert_eq!([phase[row], side[row]], [(bin as f64 + 0.5) / 4.0, 1.0]);
        assert_eq!(x[row], whole.column("x_over_C").unwrap()[row % 13]);
        // The samples are 3 steps apart, and each counts as much as any other.
        let turns = (1..=40).map(|k| 0.03 * f64::from(k) / 0.371);
        let of_bin: Vec<f64> = turns.filter(|t| (t.fract() * 4.0) as usize == bin).collect();
        let sum: f64 = of_bin
            .iter()
            .map(|t| 0.1 * ((2.0 * PI * (x[row] - t)).sin() + 0.3))
            .sum();
        let exact = per_velocity * sum / of_bin.len() as f64;
        assert!((time[row] / (3e-16 * of_bin.len() as f64) - 1.0).abs() < 1e-10);
        worst = worst.max((tau[row] - exact).abs());
        // p01 - p2 = 0.5, and (p01/p)^(1/3.5) = 1 + M^2/5.
        assert!((cf[row] - tau[row] / 0.5).abs() < 1e-15 && (cp[row] - (p[row] - 1.0) / 0.5).abs() < 1e-14);
        assert!(((1.0 + 0.2 * mach[row].powi(2)).powf(3.5) * p[row] - 1.5).abs() < 1e-12);
    }
    println!("friction: {worst:.1e} of {:.1e}", 0.13 * per_velocity.abs());
    assert!(worst < 1e-12, "{worst:e}");
    // The friction does move: its largest value is elsewhere in each phase.
    let place = |bin: usize| {
        (13 * bin..13 * bin + 13)
            .max_by(|&a, &b| cf[a].total_cmp(&cf[b]))
            .unwrap()
            % 13
    };
    assert!((1..4).all(|bin| place(bin) != place(bin - 1)));
}

#[test]
fn heat_through_a_cylinder_is_that_of_the_known_temperature() {
    // Gas at rest between cylinders of radius 1 and 2, T = 1 + ln(r)/5: k dT/dr = k/5 flows into the inner one.
    let gas = "gamma: 1.4, prandtl: 0.7, gas-constant: 1, viscosity: {constant: 0.02}";
    let initial = "u: 0, v: 0, w: 0, p: 1, temperature: 1 + 0.1*log(x^2 + y^2)";
    let wall = "no-slip-isothermal, temperature: 1";
    for total in ["", ", total-temperature: 1.5"] {
        let directory = annulus(
            "--cells 4,12,2 --geometry-order 3",
            &cylinder(wall, gas, initial, total),
        );
        run_case(directory.path(), 1, &[], 0);
        let table = table(&directory, "ring");
        let conductivity = 0.02 * 3.5 / 0.7;
        let heat = 0.2 * conductivity;
        let near = |name: &str, exact: f64| {
            for found in table.column(name).unwrap_or_else(|| panic!("no {name}")) {
                assert!((found / exact - 1.0).abs() < 2e-3, "{name}: {found} for {exact}");
            }
        };
        near("heat_flux", heat);
        if total.is_empty() {
            assert!(
                ["h", "Nu", "St", "recovery"]
                    .iter()
                    .all(|name| table.column(name).is_none())
            );
            continue;
        }
        // The exit: p01/p2 = 1.2, T01 = 1.5, gamma = 1.4, R = 1; the chord is the diameter.
        let exit = 1.5 * (1.0f64 / 1.2).powf(0.4 / 1.4);
        let speed = (2.0 * 3.5 * (1.5 - exit)).sqrt();
        let h = heat / 0.5;
        near("h", h);
        near("Nu", h * 2.0 / conductivity);
        near("St", h / (1.0 / exit * speed * 3.5));
        near("recovery", (1.0 - exit) / (1.5 - exit));
    }
}
