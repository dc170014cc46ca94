//! Studies whose designs have meshes of their own, and studies that models choose.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::common::program::{end, folder, names, output, program, refuses, send, start, succeeds, wait_for, write};
use fr_les::study::Record;
use rustix::process::Signal;
use tempfile::TempDir;

/// The table of a study by design, without what differs from run to run.
fn table(folder: &TempDir) -> BTreeMap<String, Record> {
    let text = std::fs::read_to_string(folder.path().join("results/study.jsonl")).expect("the table");
    let record = |line: &str| {
        let record: Record = serde_json::from_str(line).expect(line);
        (record.id.clone(), Record { hours: 0.0, ..record })
    };
    text.lines().map(record).collect()
}

const BOX_CASE: &str = "\
mesh: {file: box.msh}
order: 2
initial: {u: 0, v: 0, w: 0, p: 1, rho: 1}
boundaries: {x-: {type: slip}, x+: {type: slip}, y-: {type: slip}, y+: {type: slip}, z-: {type: slip}, z+: {type: slip}}
device: cpu
time: {steps: 1}
output: {integrals: {every-steps: 1}}
";

const BOX_STUDY: &str = "\
case: run.yaml
variables: {n: {values: [9, 2, 3], gmsh: n}}
geometry: {script: box.geo, order: 1, numbers: {length: 1.5}}
objectives: {points: {from: run.points}}
doe: {kind: full-factorial}
run: {workers: 1, threads: 1}
output: results
";

/// A program that stands for Gmsh: it copies a mesh of n cells, and fails for 9 of them.
const GMSH: &str = r#"#!/bin/sh
echo "$@" >> calls
while [ $# -gt 0 ]; do
    case $1 in
        -setnumber) [ "$2" = n ] && n=$3; shift 3;;
        -o) out=$2; shift 2;;
        *) shift;;
    esac
done
if [ "$n" = 9 ]; then echo "no room for 9 cells"; exit 1; fi
cp "box_$n.msh" "$out"
"#;

#[test]
fn meshes_are_made_for_each_design_and_failures_are_states() {
    let folder = folder();
    write(&folder, "run.yaml", BOX_CASE.as_bytes());
    write(&folder, "study.yaml", BOX_STUDY.as_bytes());
    write(&folder, "box.geo", b"DefineConstant[n = 2];\n");
    for n in ["2", "3"] {
        let cells = format!("{n},{n},{n}");
        succeeds(&folder, &["mesh", "generate", "box", "box.h5", "--cells", &cells]);
        succeeds(&folder, &["mesh", "export", "box.h5", &format!("box_{n}.msh")]);
    }
    let tool = folder.path().join("bin/gmsh");
    std::fs::create_dir(folder.path().join("bin")).expect("made");
    std::fs::write(&tool, GMSH).expect("written");
    std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o755)).expect("executable");
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}/bin:{path}", folder.path().display());
    let study = |arguments: &[&str]| {
        let mut command = program(folder.path());
        command.args(["study", "study.yaml"]).args(arguments).env("PATH", &path);
        output(&mut command, 0)
    };

    let checked = study(&["--check"]);
    for part in ["variable n sets n of the mesh", "no room for 9 cells", "value   points"] {
        assert!(checked.contains(part), "no '{part}' in\n{checked}");
    }
    assert!(!folder.path().join("results").exists(), "a check writes nothing");

    let log = study(&[]);
    let first = table(&folder);
    let states: Vec<String> = first.values().map(|record| record.state.to_string()).collect();
    assert_eq!(states, ["failed(mesh)", "done", "done"], "{log}");
    assert!(
        first["d_0000"]
            .reason
            .as_ref()
            .is_some_and(|r| r.contains("no room for 9 cells")),
        "{first:?}"
    );
    // 27 points in each of n^3 cells.
    assert_eq!(first["d_0001"].values["points"], 216.0);
    assert_eq!(first["d_0002"].values["points"], 729.0);
    let calls = std::fs::read_to_string(folder.path().join("calls")).expect("the calls");
    assert!(
        calls.contains("-order 1") && calls.contains("-setnumber length 1.5 -setnumber n 3"),
        "{calls}"
    );
    assert!(study(&["--status"]).contains("failed(mesh)"));

    // A design runs alone, with its own mesh, and a second start makes nothing again.
    let alone = ["d_0002/case.yaml", "--set", "output.directory=alone"];
    output(program(&folder.path().join("results")).args(alone), 0);
    let made = calls.lines().count();
    study(&[]);
    let calls = std::fs::read_to_string(folder.path().join("calls")).expect("the calls");
    assert_eq!(calls.lines().count(), made);
    assert_eq!(table(&folder), first);
    // Another script makes other designs.
    write(&folder, "box.geo", b"DefineConstant[n = 3];\n");
    let mut command = program(folder.path());
    let text = output(command.args(["study", "study.yaml"]).env("PATH", &path), 2);
    assert!(text.contains("was planned with other variables"), "{text}");
}

/// A program that stands for a Gmsh that hangs, in a process of its own.
const HANGING: &str = "#!/bin/sh\nsleep 1000 &\necho $! >> sleepers\nwait\n";
/// The same, but it is the process that hangs.
const HANGING_ITSELF: &str = "#!/bin/sh\necho $$ >> sleepers\nexec sleep 1000\n";

/// A folder with the study of boxes, and a PATH in which this program is the Gmsh.
fn boxes_with(gmsh: &str) -> (TempDir, String) {
    let folder = folder();
    write(&folder, "run.yaml", BOX_CASE.as_bytes());
    write(&folder, "study.yaml", BOX_STUDY.as_bytes());
    write(&folder, "box.geo", b"DefineConstant[n = 2];\n");
    let tool = folder.path().join("bin/gmsh");
    std::fs::create_dir(folder.path().join("bin")).expect("made");
    std::fs::write(&tool, gmsh).expect("written");
    std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o755)).expect("executable");
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}/bin:{path}", folder.path().display());
    (folder, path)
}

/// The numbers of the processes that hang.
fn sleepers(folder: &TempDir) -> Vec<u32> {
    let text = std::fs::read_to_string(folder.path().join("sleepers")).unwrap_or_default();
    text.lines().filter_map(|line| line.parse().ok()).collect()
}

/// Waits until none of the processes is there any more. One that has ended and was not waited for counts as gone.
fn are_gone(processes: &[u32]) {
    let there = |process: &u32| {
        let status = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        let state = status.rsplit(')').next().and_then(|rest| rest.trim().chars().next());
        state.is_some_and(|state| state != 'Z')
    };
    let begin = Instant::now();
    while processes.iter().any(there) {
        assert!(
            begin.elapsed() < Duration::from_secs(30),
            "{processes:?} are still there"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_design_that_takes_too_long_ends_with_all_that_it_has_started() {
    let (folder, path) = boxes_with(HANGING);
    let limited = BOX_STUDY.replace("threads: 1}", "threads: 1, time-limit: 0:00:01}");
    write(&folder, "study.yaml", limited.as_bytes());
    let mut command = program(folder.path());
    let log = output(command.args(["study", "study.yaml"]).env("PATH", &path), 1);
    let reason = "it took longer than `run.time-limit`, 1 s, and was ended";
    assert!(
        log.contains(&format!("error: all 3 designs failed, d_0000 since {reason}")),
        "{log}"
    );
    let started = sleepers(&folder);
    assert_eq!(started.len(), 3, "{log}");
    are_gone(&started);
    for record in table(&folder).values() {
        assert_eq!(
            (record.state.to_string().as_str(), record.reason.as_deref()),
            ("failed(lost)", Some(reason))
        );
    }
}

#[test]
fn nothing_outlives_a_driver_that_is_killed() {
    let (folder, path) = boxes_with(HANGING_ITSELF);
    let mut command = program(folder.path());
    let mut driver = start(command.args(["study", "study.yaml"]).env("PATH", &path));
    wait_for(&mut driver, || !sleepers(&folder).is_empty());
    send(Signal::KILL, driver.id());
    driver.wait().expect("it has ended");
    are_gone(&sleepers(&folder));
}

#[test]
fn a_signal_ends_the_check_of_the_first_design() {
    let (folder, path) = boxes_with(HANGING);
    let mut command = program(folder.path());
    let mut driver = start(command.args(["study", "study.yaml"]).env("PATH", &path));
    wait_for(&mut driver, || !sleepers(&folder).is_empty());
    send(Signal::TERM, driver.id());
    end(driver, 4);
    are_gone(&sleepers(&folder));
}

const BLADE: &str = "\
profile:
  blade:
    axial-chord: 0.85
    camber: [37, 30, -12, -52, -62]
    thickness: [0.13, 0.1, 0.11, 0.09, 0.03, 0.009]
pitch: 0.95
span: {length: 0.1, cells: 1}
inlet: {x: -0.8, angle: 32.7, size: 0.25}
outlet: {x: 1.6, angle: -63.2, size: 0.2}
layers: {first: 8e-3, growth: 1.4, number: 3}
blade: {size: 0.06, turn: 40}
passage: {size: 0.15, wake: 0.1}
geometry-order: 2
";

const BLADE_CASE: &str = "\
mesh: {file: none.h5}
order: 2
gas: {viscosity: {constant: 1e-3}}
initial: {u: 0.1, v: 0, w: 0, p: 1, temperature: 1}
boundaries: {blade: {type: no-slip-adiabatic}, inlet: {type: far-field, p: 1, temperature: 1, u: 0.1, v: 0, w: 0}, \
    outlet: {type: far-field, p: 1, temperature: 1, u: 0.1, v: 0, w: 0}}
device: cpu
time: {steps: 1, cfl: 0.5}
output: {integrals: {every-steps: 1}}
";

/// Whether there is a Gmsh; under `$CI` there has to be one.
fn gmsh() -> bool {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .chain([root.join(".venv/bin")])
        .any(|folder| folder.join("gmsh").is_file());
    assert!(found || std::env::var_os("CI").is_none(), "there is no Gmsh");
    found
}

#[test]
fn control_values_of_a_blade_change_its_mesh() {
    if !gmsh() {
        println!("skipped: no Gmsh");
        return;
    }
    let folder = folder();
    write(&folder, "run.yaml", BLADE_CASE.as_bytes());
    write(&folder, "blade.yaml", BLADE.as_bytes());
    let study = "\
case: run.yaml
variables:
  camber: {values: [0, 2], blade: camber.2}
  thick: {values: [1, -1], blade: thickness.3}
geometry: {cascade: blade.yaml}
objectives: {points: {from: run.points}}
doe: {kind: full-factorial}
output: results
";
    write(&folder, "study.yaml", study.as_bytes());
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let venv = root.join(".venv/bin");
    let path = format!("{}:{}", std::env::var("PATH").unwrap_or_default(), venv.display());
    let log = output(
        program(folder.path()).args(["study", "study.yaml"]).env("PATH", &path),
        0,
    );
    let table = table(&folder);
    let states: Vec<String> = table.values().map(|record| record.state.to_string()).collect();
    assert_eq!(states, ["done", "failed(mesh)", "done", "failed(mesh)"], "{log}");
    // The baseline is the blade itself, and comes first.
    assert_eq!(table["d_0000"].origin, "baseline");
    let reason = table["d_0001"].reason.as_deref().unwrap_or_default();
    assert!(reason.contains("the blade has no thickness"), "{reason}");
    let profile = |id: &str| {
        let text = std::fs::read_to_string(folder.path().join(format!("results/{id}/profile.csv"))).expect(id);
        let value = |text: &str| text.parse::<f64>().expect("a number");
        let rows = text.lines().skip(1).filter_map(|line| line.split_once(','));
        rows.map(|(x, y)| [value(x), value(y)]).collect::<Vec<_>>()
    };
    // Two degrees at the middle control value turn the camber line downwards behind it: the trailing edge moves.
    let lowest = |points: &[[f64; 2]]| points.iter().map(|p| p[1]).fold(f64::INFINITY, f64::min);
    let [base, moved] = ["d_0000", "d_0002"].map(|id| lowest(&profile(id)));
    assert!(moved - base > 0.005 && moved - base < 0.05, "{base} {moved}");
    assert!(names(&folder.path().join("results/d_0000")).contains(&"mesh.h5".to_owned()));
}

#[test]
fn geometry_that_does_not_fit_is_refused() {
    for (from, to, parts) in [
        (
            "gmsh: n",
            "gmsh: n, set: order",
            &["exclude each other", "variables.n"][..],
        ),
        (
            "gmsh: n",
            "blade: camber.2",
            &["needs `geometry.cascade`", "variables.n.blade"],
        ),
        (
            "gmsh: n",
            "blade: twist.2",
            &["no control value of a blade", "`camber.2`"],
        ),
        (
            "values: [9, 2, 3]",
            "values: [a, b]",
            &["`a` is no number", "variables.n.values"],
        ),
        (
            "geometry: {script: box.geo, order: 1, numbers: {length: 1.5}}",
            "title: t",
            &["needs `geometry.script`"],
        ),
        (
            "script: box.geo",
            "script: bax.geo",
            &["cannot read", "bax.geo", "geometry.script"],
        ),
        (
            "script: box.geo",
            "script: box.geo, cascade: b.yaml",
            &["`script` and `cascade` exclude each other"],
        ),
        (
            "full-factorial}",
            "full-factorial}\nmethod: ego",
            &["the key `budget` is missing"],
        ),
        (
            "full-factorial}",
            "full-factorial}\nmethod: ego\nego: {budget: 3}",
            &["above the 3 designs of `doe`"],
        ),
    ] {
        let folder = folder();
        write(&folder, "run.yaml", BOX_CASE.as_bytes());
        write(&folder, "box.geo", b"");
        assert!(BOX_STUDY.contains(from), "{from}");
        write(&folder, "study.yaml", BOX_STUDY.replace(from, to).as_bytes());
        refuses(&folder, &["study", "study.yaml", "--check"], parts);
    }
}

#[test]
fn models_choose_the_same_designs_after_a_kill() {
    // The kinetic energy of a uniform flow, ((a - 0.3)^2 + (b + 0.2)^2)/2, with a limit of the momentum in x, a - 0.3:
    // the least is 0.005, at a = 0.4 and b = -0.2.
    let case = "\
mesh: {box: {cells: [2, 2, 2], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, y, z]}}
order: 2
constants: {a: 0, b: 0}
initial: {u: a - 0.3, v: b + 0.2, w: 0, p: 70, rho: 1}
device: cpu
time: {steps: 1}
output: {integrals: {every-steps: 1}}
";
    let text = "\
case: run.yaml
variables:
  a: {range: [-1, 1], set: constants.a, base: 0.9}
  b: {range: [-1, 1], set: constants.b, base: 0.9}
objectives: {energy: {from: integrals.kinetic_energy}}
constraints: {push: {from: integrals.momentum_x, at-least: 0.1}}
method: ego
doe: {kind: lhs, count: 6, seed: 2}
ego: {budget: 20, batch: 3, seed: 4}
run: {workers: 2, threads: 1}
output: results
";
    let prepared = || {
        let folder = folder();
        write(&folder, "run.yaml", case.as_bytes());
        write(&folder, "study.yaml", text.as_bytes());
        folder
    };
    let (calm, killed) = (prepared(), prepared());
    let log = succeeds(&calm, &["study", "study.yaml"]);
    let table_of_calm = table(&calm);
    // The baseline is one more.
    assert_eq!(table_of_calm.len(), 21, "{log}");
    let origins: Vec<&str> = table_of_calm.values().map(|record| record.origin.as_str()).collect();
    assert_eq!(origins[..2], ["baseline", "doe"]);
    assert_eq!(origins[18..], ["ego 4", "ego 5", "ego 5"]);
    let feasible = table_of_calm.values().filter(|record| record.violation == 0.0);
    let best = feasible
        .map(|record| record.values["energy"])
        .fold(f64::INFINITY, f64::min);
    assert!((0.005..0.0055).contains(&best), "{best}\n{log}");
    // What the models expected of the last designs is near to what came.
    let last = &table_of_calm["d_0020"];
    assert!((last.expected["push"] - last.values["push"]).abs() < 0.01, "{last:?}");

    let mut driver = start(program(killed.path()).args(["study", "study.yaml"]));
    let tenth = killed.path().join("results/d_0010/result.json");
    wait_for(&mut driver, || tenth.exists());
    driver.kill().expect("killed");
    driver.wait().expect("it ends");
    succeeds(&killed, &["study", "study.yaml"]);
    assert_eq!(table(&killed), table_of_calm);

    succeeds(&calm, &["study", "study.yaml", "--report"]);
    let page = std::fs::read_to_string(calm.path().join("results/study.html")).expect("the page");
    for part in ["Models against runs", "Baseline and best", "when chosen"] {
        assert!(page.contains(part), "no '{part}' in the page");
    }
}
