//! How a job on several ranks ends: errors are reported once and end all ranks, and so do a killed rank and a signal to
//! one of them.

use std::process::Child;
use std::time::{Duration, Instant};

use super::HEX;
use crate::common::program::{
    case_command, end, names, on_ranks, output, ranks_of, run_case, send, start, text, wait_for, with_case,
};
use rustix::process::Signal;
use tempfile::TempDir;

/// Starts the case of a directory on three ranks, without an end, and waits until it has taken some steps.
fn under_way(directory: &TempDir) -> Child {
    let set = ["time={steps: 1000000}", "output.integrals={every-steps: 1}"];
    let mut child = start(&mut case_command(directory.path(), 3, &set));
    let path = directory.path().join("results/integrals.csv");
    wait_for(&mut child, || std::fs::read(&path).is_ok_and(|text| text.len() > 2000));
    child
}

#[test]
fn an_error_on_all_ranks_is_reported_once() {
    let directory = with_case(HEX);
    for (set, code, part) in [
        ("order=9", 2, "order"),
        ("mesh={file: absent.h5}", 2, "absent.h5"),
        ("time={steps: 200, dt: 20}", 3, "diverged at step"),
    ] {
        let log = run_case(directory.path(), 3, &[set], code);
        assert!(log.contains(part), "{set}\n{log}");
        assert_eq!(log.matches("error: ").count(), 1, "{set}\n{log}");
    }
}

#[test]
fn an_error_on_the_first_rank_alone_ends_the_job_with_its_message() {
    let directory = with_case(HEX);
    let bench = "bench --order 2 --cells 3 --seconds 0.1 --steps 2 --device cpu";
    for (arguments, code, part) in [
        (
            format!("{bench} --json nowhere/b.json"),
            2,
            "there is no directory nowhere",
        ),
        (
            format!("{bench} --json /proc/b.json"),
            1,
            "cannot create /proc/.b.json.part",
        ),
        (format!("{bench} --piece 3"), 2, "3 is not in 4096..=1073741824"),
        ("mesh info run.yaml".to_owned(), 2, "start it without mpirun"),
        (
            "run.yaml --set mesh.box.cells=[1,1,1]".to_owned(),
            2,
            "2 ranks cannot share 1 cells",
        ),
    ] {
        let log = output(on_ranks(directory.path(), 2).args(arguments.split(' ')), code);
        assert!(log.contains(part), "{arguments}\n{log}");
        assert_eq!(log.matches("error: ").count(), 1, "{arguments}\n{log}");
    }
}

#[test]
fn a_number_of_ranks_that_is_none_is_refused() {
    let directory = with_case(HEX);
    for number in ["0", "two"] {
        let mut command = case_command(directory.path(), 2, &[]);
        command.env("FR_LES_RANKS_PER_MACHINE", number);
        let log = output(&mut command, 2);
        let message = format!("FR_LES_RANKS_PER_MACHINE is '{number}'; it takes a number of ranks, at least 1");
        assert_eq!(log.matches(&message).count(), 1, "{log}");
    }
}

#[test]
fn when_a_rank_is_killed_all_end() {
    let directory = with_case(HEX);
    let child = under_way(&directory);
    send(Signal::KILL, ranks_of(&child)[0]);
    let begin = Instant::now();
    let output = child.wait_with_output().expect("it ends");
    assert!(!output.status.success());
    assert!(begin.elapsed() < Duration::from_secs(20), "{}", text(&output));
}

#[test]
fn a_signal_to_one_rank_writes_one_checkpoint_and_ends_the_job_with_4() {
    let directory = with_case(HEX);
    let child = under_way(&directory);
    send(Signal::USR1, ranks_of(&child)[1]);
    end(child, 4);
    let names = names(&directory.path().join("results"));
    let checkpoints = names.iter().filter(|name| name.starts_with("checkpoint_"));
    assert_eq!(checkpoints.count(), 1, "{names:?}");
}
