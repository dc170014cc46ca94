//! Runs under `mpirun`: the same bits and files on any number of ranks, also after a kill.

mod ends;
mod gpu;
mod scalars;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::common::program::{case_command, ended, hash, output, ranks_of, run, run_case, start, wait_for, with_case};
use crate::common::refined::Refined;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// A vortex in a curved mixed mesh between a moving wall and a hot wall.
const MIXED: &str = "\
mesh: {box: {cells: [4, 4, 4], lower: [-pi, -pi, -pi], upper: [pi, pi, pi], periodic: [x, z], elements: mixed, \
    warp: 0.1}}
order: 2
constants: {p0: 1/(1.4*0.1^2)}
gas: {viscosity: {constant: 1/20}}
initial: {u: sin(x)*cos(y)*cos(z), v: -cos(x)*sin(y)*cos(z), w: 0, p: p0 + (cos(2*x) + cos(2*y))*(cos(2*z) + 2)/16, \
    temperature: p0}
boundaries: {y-: {type: no-slip-isothermal, temperature: 1.1*p0}, y+: {type: no-slip-adiabatic, velocity: [sin(t), \
    0, 0]}}
device: cpu
time: {steps: 20, cfl: 0.9}
output: {solution: {every-steps: 20}, integrals: {every-steps: 4}, boundaries: {every-steps: 5}, \
    checkpoint: {every-steps: 5}}
restart: latest
";

/// The same with cells that grow from the walls to several times their size, and relaxed ends.
const GRADED: &str = "\
mesh: {box: {cells: [6, 16, 4], lower: [0, 0, 0], upper: [12, 24, 8], periodic: [z], elements: mixed, \
    stretch: {y: {tanh: 5.2}}}}
order: 2
gas: {viscosity: {constant: 1e-2}}
initial: {u: 0.3, v: 0.1*sin(pi*y/24), w: 0.1*sin(pi*z/4), p: 1/1.4, rho: 1}
boundaries:
  x-: {type: relaxed-velocity-inlet, u: 0.3, v: 0, w: 0, temperature: 1/1.4}
  x+: {type: relaxed-outlet, p: 1/1.4, hold: mean}
  y-: {type: no-slip-adiabatic}
  y+: {type: slip}
device: cpu
time: {steps: 20, cfl: 0.9}
output: {integrals: {every-steps: 4}, boundaries: {every-steps: 5}, checkpoint: {every-steps: 5}}
restart: latest
";

/// Swirls between relaxed ends in a curved mixed mesh; the outlets hold a mean pressure.
const RELAXED: &str = "\
mesh: {box: {cells: [4, 2, 2], lower: [0, 0, 0], upper: [2, 1, 1], periodic: [z], elements: mixed, warp: 0.1}}
order: 2
gas: {viscosity: {constant: 1e-3}}
initial: {u: 0.3 + 0.1*sin(pi*y), v: 0.1*sin(pi*x)*sin(pi*y), w: 0.1*sin(2*pi*z), p: 1/1.4, rho: 1 + 0.1*sin(2*pi*x)}
boundaries:
  x-: {type: relaxed-total-inlet, total-pressure: 1.02^3.5/1.4, total-temperature: 0.73, direction: [1, 0.2, 0]}
  x+: {type: relaxed-outlet, p: 0.7 + 0.02*y, hold: mean}
  y-: {type: relaxed-outlet, p: 1/1.4, hold: mass-flow, mass-flow: 0.1, length: 1}
  y+: {type: relaxed-velocity-inlet, u: 0.3, v: -0.05, w: 0, temperature: 0.72, relaxation: 0.5}
device: cpu
time: {steps: 20, cfl: 0.5}
output: {integrals: {every-steps: 4}, boundaries: {every-steps: 5}, checkpoint: {every-steps: 5}}
restart: latest
";

/// The Taylor-Green vortex on equal hexahedra.
const HEX: &str = "\
mesh: {box: {cells: [6, 6, 6], lower: [-pi, -pi, -pi], upper: [pi, pi, pi], periodic: [x, y, z]}}
order: 3
constants: {p0: 1/(1.4*0.1^2)}
gas: {viscosity: {constant: 1/1600}}
initial: {u: sin(x)*cos(y)*cos(z), v: -cos(x)*sin(y)*cos(z), w: 0, p: p0 + (cos(2*x) + cos(2*y))*(cos(2*z) + 2)/16, \
    temperature: p0}
device: cpu
time: {steps: 15, cfl: 0.9}
output: {integrals: {every-steps: 3}}
";

/// Flow around the axis of a sector whose sides are joined by a rotation.
const SECTOR: &str = "\
mesh: {file: sector.h5}
order: 2
gas: {viscosity: {constant: 1/100}}
initial: {u: -0.2*y, v: 0.2*x, w: 0.1, p: 1, temperature: 1 + 0.1*sin(3*x)}
boundaries: {inner: {type: no-slip-adiabatic}, outer: {type: slip}}
device: cpu
time: {steps: 15, cfl: 0.9}
output: {integrals: {every-steps: 3}, boundaries: {every-steps: 3}}
";

/// Turbulence from an inlet that is periodic along y and z, between whose sides ranks divide the mesh.
const TURBULENT: &str = "\
mesh: {box: {cells: [4, 6, 4], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [y, z], elements: mixed}}
order: 2
gas: {viscosity: {constant: 1/30000}}
initial: {u: 0.3, v: 0, w: 0, p: 1/1.4, rho: 1}
boundaries: {x-: {type: velocity-inlet, u: 0.3, v: 0.1*sin(2*pi*y), w: 0, rho: 1, turbulence: {intensity: 0.1, \
    length: 0.2}}, x+: {type: pressure-outlet, p: 1/1.4}}
device: cpu
time: {steps: 20, cfl: 0.9}
output: {integrals: {every: 0.013}, boundaries: {every-steps: 3}, checkpoint: {every-steps: 5}, \
    traverses: {wake: {x: 0.8, inlet-x: 0.1, counts: [7, 3], every-steps: 1}}}
restart: latest
";

/// Turbulence whose length varies between walls, and a boundary layer that is given by the distance from them.
const WALLED: &str = "\
mesh: {box: {cells: [4, 6, 4], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [z], elements: mixed, warp: 0.1}}
order: 2
gas: {viscosity: {constant: 1/30000}}
initial: {u: {file: layer.csv, along: wall-distance}, v: 0, w: 0, p: 1/1.4, rho: 1}
boundaries: {x-: {type: velocity-inlet, u: {file: layer.csv, along: wall-distance}, v: 0, w: 0, rho: 1, \
    turbulence: {intensity: 0.1, length: {file: layer.csv, along: wall-distance, column: length}}}, \
    x+: {type: pressure-outlet, p: 1/1.4}, y-: {type: no-slip-adiabatic}, y+: {type: no-slip-adiabatic}}
device: cpu
time: {steps: 20, cfl: 0.9}
output: {integrals: {every: 0.013}, boundaries: {every-steps: 3}, checkpoint: {every-steps: 5}}
restart: latest
";

/// A flow between modelled walls, whose matching points lie in cells beside and above those at the walls, partly across
/// the periodic sides, so that ranks need states of cells that are no neighbours.
const MODELLED: &str = "\
mesh: {box: {cells: [4, 6, 4], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, z], elements: mixed}}
order: 2
gas: {viscosity: {constant: 1/30000}}
initial: {u: 0.3 + 0.1*sin(2*pi*x)*sin(pi*y), v: 0, w: 0.1*sin(2*pi*z), p: 1/1.4, rho: 1}
boundaries: {y-: {type: wall-model, exchange: 0.4, temperature: 0.8}, y+: {type: wall-model, law: equilibrium, \
    velocity: [0.1, 0, 0]}}
device: cpu
time: {steps: 20, cfl: 0.9}
output: {integrals: {every-steps: 4}, boundaries: {every-steps: 5}, checkpoint: {every-steps: 5}}
restart: latest
";

/// Two blocks that slide past each other, divided differently, with a wall that moves with one of them.
const SLIDING: &str = "\
mesh: {file: sliding.h5}
order: 2
gas: {viscosity: {constant: 1/500}}
initial: {u: 0.3, v: 0.2 + 0.1*sin(2*pi*y), w: 0.1*sin(2*pi*z), p: 1/1.4, rho: 1 + 0.1*sin(2*pi*y)*cos(pi*x)}
boundaries:
  a-x-: {type: relaxed-velocity-inlet, u: 0.3, v: 0.2, w: 0, temperature: 1/1.4}
  a-x+: {type: interface, with: b-x-}
  b-x-: {type: interface, with: a-x+, speed: 0.7}
  b-x+: {type: relaxed-outlet, p: 1/1.4}
device: cpu
time: {steps: 20, cfl: 0.9}
output: {integrals: {every-steps: 4}, boundaries: {every-steps: 5}, checkpoint: {every-steps: 5}}
restart: latest
";

/// Two sectors, one of which turns about the axis, divided differently around it.
const TURNING: &str = "\
mesh: {file: turning.h5}
order: 2
gas: {viscosity: {constant: 1/500}}
initial: {u: -0.1*y, v: 0.1*x, w: 0.3, p: 1/1.4, rho: 1 + 0.1*(x^2 - y^2)/(x^2 + y^2)*cos(pi*z)}
boundaries:
  a-inner: {type: no-slip-adiabatic}
  a-outer: {type: slip}
  b-inner: {type: no-slip-adiabatic}
  b-outer: {type: no-slip-adiabatic, velocity: [0.4*y, -0.4*x, 0]}
  a-z-: {type: relaxed-velocity-inlet, u: -0.1*y, v: 0.1*x, w: 0.3, temperature: 1/1.4}
  a-z+: {type: interface, with: b-z-, axis: z}
  b-z-: {type: interface, with: a-z+, axis: z, angular-speed: 0.4}
  b-z+: {type: relaxed-outlet, p: 1/1.4}
device: cpu
time: {steps: 20, cfl: 0.9}
output: {integrals: {every-steps: 4}, boundaries: {every-steps: 5}, checkpoint: {every-steps: 5}}
restart: latest
";

/// Cells with hanging nodes on several sides of a box: some are halved in all directions, some in one.
const HANGING: &str = "\
mesh: {file: hanging.h5}
order: 2
gas: {viscosity: {constant: 1/500}}
initial: {u: 0.3, v: 0.2 + 0.1*sin(2*pi*y), w: 0.1*sin(pi*z), p: 1/1.4, rho: 1 + 0.1*sin(2*pi*y)*cos(pi*x)}
boundaries:
  x-: {type: relaxed-velocity-inlet, u: 0.3, v: 0.2, w: 0, temperature: 1/1.4}
  x+: {type: relaxed-outlet, p: 1/1.4}
  z-: {type: slip}
  z+: {type: no-slip-adiabatic}
device: cpu
time: {steps: 20, cfl: 0.9}
output: {integrals: {every-steps: 4}, boundaries: {every-steps: 5}, checkpoint: {every-steps: 5}}
restart: latest
";

/// The mesh of this case in a file of HOPR.
fn hanging() -> Refined {
    let mut refined = Refined::new([5, 3, 2], |at| match at {
        [1, ..] => [true; 3],
        [3, 1, _] => [false, true, false],
        _ => [false; 3],
    });
    refined.periodic[1] = true;
    refined
}

/// The same flow with a filter, which ranks exchange entropies for, and a peak of pressure on which it acts.
fn filtered() -> String {
    let peak = "p: 1/1.4*(1 + 2*exp(-30*((x - 0.5)^2 + (y - 0.5)^2)))";
    MODELLED
        .replace("p: 1/1.4", peak)
        .replace("order: 2\n", "order: 2\nscheme: {shock: entropy-filter}\n")
}

/// The case with another time scheme.
fn by(scheme: &str, case: &str) -> String {
    case.replace("time: {", &format!("time: {{scheme: {scheme}, "))
}

/// The case with steps by the limit of the operator.
fn limited(case: &str) -> String {
    case.replace("time: {", "time: {limit: operator, ")
}

/// A directory with everything that the case needs.
fn ready(case: &str) -> TempDir {
    let directory = with_case(case);
    if case.contains("hanging.h5") || case.contains("hopr.h5") {
        let (refined, folder) = (hanging(), directory.path());
        refined.write(&folder.join("hopr.h5"), &refined.rows(), |x| x.map(|x| 0.25 * x));
        ended(&run(folder, &["mesh", "import", "hopr.h5", "hanging.h5"]), 0);
    }
    if case.contains("sector.h5") {
        let mesh = "mesh generate annulus sector.h5 --inner 1 --outer 2 --length 1 --angle 90 --cells 3,6,3 \
                    --periodic theta,z";
        ended(&run(directory.path(), &mesh.split(' ').collect::<Vec<_>>()), 0);
    }
    if case.contains("sliding.h5") {
        for command in [
            "mesh generate box a.h5 --cells 3,4,2 --lower -1,0,0 --upper 0,1,1 --periodic y,z --elements prism",
            "mesh generate box b.h5 --cells 3,5,2 --lower 0,0,0 --upper 1,1,1 --periodic y,z",
            "mesh join a.h5 b.h5 sliding.h5 --prefix a-,b-",
        ] {
            ended(&run(directory.path(), &command.split(' ').collect::<Vec<_>>()), 0);
        }
    }
    if case.contains("turning.h5") {
        for command in [
            "mesh generate annulus a.h5 --inner 1 --outer 2 --length 1 --angle 90 --cells 2,6,3 --periodic theta",
            "mesh generate annulus b.h5 --inner 1 --outer 2 --length 1 --angle 90 --cells 2,7,3 --periodic theta",
            "mesh join a.h5 b.h5 turning.h5 --prefix a-,b- --move 0,0,1",
        ] {
            ended(&run(directory.path(), &command.split(' ').collect::<Vec<_>>()), 0);
        }
    }
    if case.contains("layer.csv") {
        let table = "wall-distance, u, length\n0, 0, 0\n0.2, 0.25, 0.15\n1, 0.3, 0.2\n";
        std::fs::write(directory.path().join("layer.csv"), table).unwrap();
    }
    directory
}

/// Returns hash and series of a case on one rank.
fn alone(case: &str) -> (String, Vec<Vec<u8>>) {
    let directory = ready(case);
    let log = run_case(directory.path(), 1, &[], 0);
    let expected = (hash(&log), series(&directory));
    assert!(!expected.1[0].is_empty());
    expected
}

/// Runs a job in a directory, which must give the expected hash and series.
fn gives(mut job: Command, directory: &TempDir, expected: &(String, Vec<Vec<u8>>), what: &str) {
    assert_eq!(hash(&output(&mut job, 0)), expected.0, "{what}");
    assert!(series(directory) == expected.1, "the series differ: {what}");
}

/// Returns the bytes of the series of a run.
fn series(directory: &TempDir) -> Vec<Vec<u8>> {
    let read = |name: &str| std::fs::read(directory.path().join("results").join(name)).unwrap_or_default();
    vec![
        read("integrals.csv"),
        read("boundaries.csv"),
        read("traverse_wake.csv"),
        read("traverse_wake.inlet.csv"),
        read("traverse_wake.history.csv"),
    ]
}

#[test]
fn the_state_and_the_series_are_the_same_on_any_number_of_ranks() {
    // Each case on one number of ranks that divides its cells unevenly; `long` has all numbers and time schemes.
    same_on(&[
        (MIXED, &[3]),
        (HEX, &[7]),
        (SECTOR, &[2]),
        (TURBULENT, &[3]),
        (WALLED, &[3]),
        (RELAXED, &[3]),
        (MODELLED, &[3]),
        (SLIDING, &[3]),
        (TURNING, &[3]),
        (&filtered(), &[3]),
        (&by("lsrk5", MIXED), &[2]),
        (&by("paired", GRADED), &[4]),
        (&limited(MIXED), &[3]),
        (&by("paired", &limited(GRADED)), &[3]),
    ]);
}

/// Compares the states and the series on these numbers of ranks with those of one process.
fn same_on(cases: &[(&str, &[usize])]) {
    for (case, ranks) in cases {
        let expected = alone(case);
        for &ranks in *ranks {
            let directory = ready(case);
            let command = case_command(directory.path(), ranks, &[]);
            gives(command, &directory, &expected, &format!("{ranks} ranks:\n{case}"));
        }
    }
}

#[test]
fn turbulence_of_an_inlet_continues_through_restarts_on_other_numbers_of_ranks() {
    for case in [TURBULENT, WALLED, &by("lsrk5", TURBULENT)] {
        let expected = alone(case);
        let directory = ready(case);
        for (ranks, steps) in [(2, 5), (1, 10), (3, 15)] {
            let steps = format!("time.steps={steps}");
            output(&mut case_command(directory.path(), ranks, &[&steps]), 0);
        }
        assert_eq!(hash(&run_case(directory.path(), 2, &[], 0)), expected.0);
        // The first two series have a row more for each end of a run.
        assert!(series(&directory)[2..] == expected.1[2..], "the traverses differ");
    }
}

#[test]
fn a_killed_run_is_continued_on_another_number_of_ranks_with_the_same_bits() {
    for case in [
        MIXED,
        &by("lsrk5", &limited(RELAXED)),
        &by("paired", GRADED),
        SLIDING,
        TURNING,
    ] {
        continue_after_kills(case);
    }
}

#[test]
fn hanging_nodes_give_the_same_bits_on_any_number_of_ranks_and_after_kills() {
    same_on(&[
        (HANGING, &[2, 3, 4]),
        (&HANGING.replace("hanging.h5", "hopr.h5"), &[3]),
        (&HANGING.replace("order: 2\n", "order: 3\nprecision: single\n"), &[3]),
        (&by("lsrk10", HANGING), &[4]),
    ]);
    continue_after_kills(HANGING);
}

/// More ranks, time schemes and cases than `make test` has time for.
mod long {
    use super::*;

    #[test]
    #[ignore = "takes three minutes"]
    fn the_state_and_the_series_are_the_same_on_more_numbers_of_ranks() {
        same_on(&[
            (MIXED, &[2, 7]),
            (HEX, &[2, 4, 16]),
            (SECTOR, &[3]),
            (TURBULENT, &[2]),
            (WALLED, &[2, 5]),
            (RELAXED, &[2, 5]),
            (MODELLED, &[2, 5]),
            (SLIDING, &[2, 5]),
            (TURNING, &[2, 5]),
            (&by("lsrk10", SLIDING), &[2, 3]),
            (&filtered(), &[2, 5]),
            (&by("lsrk5", MIXED), &[3]),
            (&by("lsrk14", HEX), &[2, 3]),
            (&by("lsrk5", TURBULENT), &[2, 3]),
            (&by("lsrk14", RELAXED), &[2, 3]),
            (&by("lsrk5", &filtered()), &[2, 3]),
            (&by("paired", GRADED), &[2, 3]),
            (&by("paired", RELAXED), &[2, 3]),
        ]);
    }

    #[test]
    #[ignore = "takes a minute"]
    fn more_killed_runs_are_continued_on_another_number_of_ranks_with_the_same_bits() {
        for case in [RELAXED, MODELLED, &by("lsrk14", MIXED)] {
            continue_after_kills(case);
        }
    }
}

fn continue_after_kills(case: &str) {
    let expected = alone(case);
    let directory = ready(case);
    let has = |step: &str| {
        let path = directory.path().join("results").join(format!("checkpoint_{step}.h5"));
        move || path.exists()
    };
    for (ranks, step) in [(3, "00000005"), (2, "00000010")] {
        let mut child = start(&mut case_command(directory.path(), ranks, &[]));
        wait_for(&mut child, has(step));
        let mut all = ranks_of(&child);
        all.insert(0, child.id());
        for &process in &all {
            // The ranks may have ended with mpirun.
            let _ = kill_process(Pid::from_raw(process as i32).expect("not process 0"), Signal::KILL);
        }
        child.wait().expect("it ends");
        // The ranks are not children of this process, so their directories in /proc show when the last of them has
        // ended.
        let gone = || {
            all[1..]
                .iter()
                .all(|rank| !Path::new("/proc").join(rank.to_string()).exists())
        };
        while !gone() {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    let command = case_command(directory.path(), 4, &[]);
    gives(command, &directory, &expected, "continued on 4 ranks");
}
