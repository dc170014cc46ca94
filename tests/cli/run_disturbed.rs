//! Runs under adverse conditions: a limit on the size of files, files that disappear, a second run in the same
//! directory, signals and panics at inconvenient moments, and checkpoints that do not fit. Good output is kept, the
//! message names the cause, and all ranks end.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::program::{
    again, case_command, end, ended, hash, names, output, ranks_of, send, start, wait_for, with_case,
};
use fr_les::element::ElementKind;
use fr_les::io::{CellField, Checkpoint, Layout, Provenance, StoredCheckpoint, write_checkpoint};
use fr_les::ranks::abort_all_on_panic;
use mpi::traits::*;
use rustix::process::Signal;

const CASE: &str = "\
mesh: {box: {cells: [16, 16, 16], lower: [-pi, -pi, -pi], upper: [pi, pi, pi], periodic: [x, y, z]}}
order: 3
constants: {p0: 1/(1.4*0.1^2)}
gas: {viscosity: {constant: 1/100}}
initial: {u: sin(x)*cos(y)*cos(z), v: -cos(x)*sin(y)*cos(z), w: 0, p: p0 + (cos(2*x) + cos(2*y))*(cos(2*z) + 2)/16, \
    temperature: p0}
device: cpu
time: {steps: 4, cfl: 0.9}
output: {integrals: {every-steps: 1}, checkpoint: {every-steps: 2}}
restart: latest
";

const SMALL: &str = "mesh.box.cells=[4,4,4]";
const ENDLESS: &str = "time.steps=1000000000";

/// The command that runs the case of a directory. Also a single rank has one thread.
fn command(directory: &Path, ranks: usize, set: &[&str]) -> Command {
    case_command(directory, ranks, &[&["threads=1"], set].concat())
}

/// Runs the case, which must exit with `code`, and returns its output.
fn ends(directory: &Path, ranks: usize, set: &[&str], code: i32) -> String {
    output(&mut command(directory, ranks, set), code)
}

/// The same command with a limit on the size of files, in blocks of 1024 bytes.
fn limited(command: &Command, blocks: usize) -> Command {
    let mut shell = Command::new("bash");
    shell
        .args(["-c", &format!("ulimit -f {blocks}; exec \"$@\""), "bash"])
        .arg(command.get_program())
        .args(command.get_args())
        .current_dir(command.get_current_dir().expect("a directory"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell
}

#[test]
fn a_checkpoint_beyond_the_file_size_limit_damages_no_other_file() {
    let through = with_case(CASE);
    let log = ends(through.path(), 1, &[], 0);
    for ranks in [1, 3] {
        let directory = with_case(CASE);
        let results = directory.path().join("results");
        ends(directory.path(), ranks, &["time.steps=2"], 0);
        let good = std::fs::read(results.join("checkpoint_00000002.h5")).expect("checkpoint");
        assert!(good.len() > 16 << 20, "it must be larger than the limit");

        // The files that mpirun itself writes are smaller than the limit.
        let log_full = output(&mut limited(&command(directory.path(), ranks, &[]), 12000), 1);
        assert_eq!(log_full.matches("error: ").count(), 1, "{log_full}");
        for part in ["checkpoint_00000004.h5", "File too large"] {
            assert!(log_full.contains(part), "no '{part}' in\n{log_full}");
        }
        assert_eq!(log_full.contains("rank 0: error: "), ranks > 1, "{log_full}");
        let kept = [
            "checkpoint_00000000.h5",
            "checkpoint_00000002.h5",
            "integrals.csv",
            "run.json",
        ];
        assert_eq!(names(&results), kept);
        assert!(std::fs::read(results.join("checkpoint_00000002.h5")).expect("checkpoint") == good);

        let log_after = ends(directory.path(), ranks, &[], 0);
        assert_eq!(hash(&log_after), hash(&log));
        let series = |of: &Path| std::fs::read(of.join("results/integrals.csv")).expect("series");
        assert!(series(directory.path()) == series(through.path()));
    }
}

#[test]
fn a_run_that_is_killed_while_it_writes_a_checkpoint_keeps_the_one_before() {
    let through = with_case(CASE);
    let expected = hash(&ends(through.path(), 1, &["output.checkpoint.every-steps=1"], 0));
    for ranks in [1, 3] {
        let directory = with_case(CASE);
        let results = directory.path().join("results");
        let endless = &["output.checkpoint.every-steps=1", ENDLESS];
        let mut run = start(&mut command(directory.path(), ranks, endless));
        let is_there = |name: &str| results.join(name).exists();
        wait_for(&mut run, || {
            is_there("checkpoint_00000001.h5") && is_there(".checkpoint_00000002.h5.part")
        });
        for process in ranks_of(&run) {
            send(Signal::KILL, process);
        }
        run.wait().expect("it ends");
        let log = ends(directory.path(), ranks, &["output.checkpoint.every-steps=1"], 0);
        assert!(log.contains("restart from results/checkpoint_0000000"), "{log}");
        assert_eq!(hash(&log), expected);
        let parts = names(&results).into_iter().filter(|name| name.ends_with(".part"));
        assert_eq!(parts.count(), 0);
    }
}

#[test]
fn a_second_run_is_refused_the_directory_of_one_that_runs_and_not_of_one_that_was_killed() {
    let directory = with_case(CASE);
    let results = directory.path().join("results");
    let mut first = start(&mut command(directory.path(), 1, &[SMALL, ENDLESS]));
    wait_for(&mut first, || results.join("checkpoint_00000002.h5").exists());
    for ranks in [1, 3] {
        let log = ends(directory.path(), ranks, &[SMALL], 2);
        let holder = format!("process {} on ", first.id());
        for part in [
            "error: results: another run writes into this directory",
            &holder,
            "output.directory",
        ] {
            assert!(log.contains(part), "no '{part}' in\n{log}");
        }
        assert_eq!(log.matches("error: ").count(), 1, "{log}");
    }
    assert!(first.try_wait().expect("a child").is_none(), "the first run goes on");
    first.kill().expect("killed");
    first.wait().expect("it ends");
    let log = ends(directory.path(), 1, &[SMALL], 0);
    assert!(log.contains("restart from results/checkpoint_"), "{log}");
    assert!(!results.join(".fr-les.lock").exists());
}

#[test]
fn a_directory_that_is_removed_ends_a_run_that_only_writes_series() {
    for ranks in [1, 3] {
        let directory = with_case(CASE);
        let results = directory.path().join("results");
        let set = [SMALL, ENDLESS, "output.checkpoint={keep: 0}"];
        let mut child = start(&mut command(directory.path(), ranks, &set));
        wait_for(&mut child, || results.join("integrals.csv").exists());
        std::fs::remove_dir_all(&results).expect("removed");
        let log = end(child, 1);
        let expected = "error: cannot append to results/integrals.csv: it was removed during the run";
        assert_eq!(log.matches(expected).count(), 1, "{log}");
    }
}

#[test]
fn a_signal_before_the_first_step_ends_the_run_after_it() {
    let directory = with_case(CASE);
    let mut child = start(&mut command(
        directory.path(),
        1,
        &[SMALL, ENDLESS, "output.checkpoint={keep: 0}"],
    ));
    let id = child.id();
    // Waits until the signal handler is installed, which happens while MPI starts. SigCgt is a hexadecimal mask in
    // which bit 9 stands for signal 10.
    let caught = || {
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        let comm = std::fs::read_to_string(format!("/proc/{id}/comm")).unwrap_or_default();
        comm.trim() == "fr-les" && mask.is_some_and(|mask| mask >> 9 & 1 == 1)
    };
    wait_for(&mut child, caught);
    // Batch systems send the signal to the job and to every process, so that it can arrive twice.
    for _ in 0..2 {
        send(Signal::USR1, id);
    }
    let log = end(child, 4);
    assert!(log.contains("interrupted at step 1,"), "{log}");
    assert_eq!(
        names(&directory.path().join("results")),
        ["checkpoint_00000001.h5", "integrals.csv", "run.json"]
    );
}

/// Environment variable with the path of a checkpoint. The test binary then writes a copy with number 9 and one
/// variable less.
const FEWER: &str = "FR_LES_TEST_FEWER_VARIABLES";
/// Environment variable that makes the test binary a rank of which one panics.
const PANICS: &str = "FR_LES_TEST_PANICS";

#[test]
fn a_checkpoint_with_other_variables_is_passed_over_by_name() {
    if let Some(path) = std::env::var_os(FEWER) {
        return write_fewer_variables(Path::new(&path));
    }
    let directory = with_case(CASE);
    ends(directory.path(), 1, &[SMALL], 0);
    let path = directory.path().join("results/checkpoint_00000004.h5");
    for ranks in [1, 3] {
        let test = "a_checkpoint_with_other_variables_is_passed_over_by_name";
        let made = again(module_path!(), test, 1, FEWER, &path).output();
        ended(&made.expect("mpirun starts"), 0);
        let log = ends(directory.path(), ranks, &[SMALL], 0);
        for part in [
            "skipped: results/checkpoint_00000009.h5: this checkpoint cannot be used: its state has 4 variables",
            "restart from results/checkpoint_00000004.h5",
        ] {
            assert!(log.contains(part), "no '{part}' in\n{log}");
        }
    }
}

fn write_fewer_variables(path: &Path) {
    let universe = mpi::initialize().expect("MPI");
    let world = universe.world();
    let stored = StoredCheckpoint::open(path, &world).expect("the checkpoint");
    let kinds = vec![ElementKind::Hex; stored.header.cells as usize];
    let points = kinds.len() * ElementKind::Hex.points(stored.header.order);
    let values = vec![1.0; 4 * points];
    let cells: Vec<u64> = (0..stored.header.cells).collect();
    let field = CellField {
        name: "state",
        layout: Layout::Points(4),
        values: &values,
    };
    let checkpoint = Checkpoint {
        step: 9,
        time: stored.header.time,
        order: stored.header.order,
        precision: stored.header.precision,
        after: stored.header.written,
        cells: &cells,
        kinds: &kinds,
        fields: &[field],
        section: &stored.section,
        provenance: &Provenance {
            mesh_hash: stored.header.mesh_hash,
            ..Provenance::of_this_program()
        },
    };
    write_checkpoint(&path.with_file_name("checkpoint_00000009.h5"), &world, &checkpoint).expect("written");
}

#[test]
fn a_rank_that_panics_ends_all() {
    if std::env::var_os(PANICS).is_some() {
        let universe = mpi::initialize().expect("MPI");
        let world = universe.world();
        abort_all_on_panic(&world);
        assert!(world.rank() != 1, "on purpose");
        world.barrier();
        return;
    }
    let begin = Instant::now();
    let mut command = again(module_path!(), "a_rank_that_panics_ends_all", 3, PANICS, Path::new("1"));
    let log = ended(&command.output().expect("mpirun starts"), 1);
    assert!(log.contains("on purpose"), "{log}");
    assert!(begin.elapsed() < Duration::from_secs(30), "{log}");
}
