//! Tests that need a GPU: ranks on GPUs have the bits of the CPU by every transport, and through checkpoints.

use super::{HEX, MIXED, MODELLED, RELAXED, SECTOR, SLIDING, alone, filtered, gives, ready, series};
use std::time::{Duration, Instant};

use fr_les::device::cuda::{Gpu, nccl::nccl};
use rustix::process::Signal;

use crate::common::program::{
    case_command, ended, hash, output, ranks_of, run_case, send, start, text, wait_for, with_case,
};

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn ranks_on_gpus_give_the_same_bits_by_every_transport_with_and_without_recorded_steps() {
    let inviscid = HEX.replace("gas: {viscosity: {constant: 1/1600}}\n", "");
    for case in [MIXED, HEX, SECTOR, RELAXED, MODELLED, SLIDING, &filtered(), &inviscid] {
        let expected = alone(case);
        for (ranks, machine, transport, graph) in [
            (2, 2, "staged", true),
            (2, 2, "staged", false),
            (2, 1, "staged", true),
            (2, 2, "peer", true),
            (2, 2, "peer", false),
            (2, 2, "auto", true),
            (3, 3, "staged", true),
            (3, 3, "peer", true),
            (4, 2, "peer", true),
        ] {
            let directory = ready(case);
            let transport = format!("exchange.transport={transport}");
            let set = [&transport, "device=cuda", "arithmetic=strict", "exchange.piece=4096"];
            let mut command = case_command(directory.path(), ranks, &set);
            command.env("FR_LES_RANKS_PER_MACHINE", machine.to_string());
            command.args((!graph).then_some("--no-graph"));
            gives(
                command,
                &directory,
                &expected,
                &format!("{ranks} ranks, {machine} on a machine, {transport}:\n{case}"),
            );
        }
    }
}

/// Environment in which GPUs exchange as those of several machines do, with so many ranks on each. NCCL uses the way
/// that it has between machines: sockets.
fn machines_of(ranks: usize) -> [(&'static str, String); 3] {
    [
        ("FR_LES_RANKS_PER_MACHINE", ranks.to_string()),
        ("NCCL_P2P_DISABLE", "1".to_owned()),
        ("NCCL_SHM_DISABLE", "1".to_owned()),
    ]
}

/// Returns whether so many ranks can exchange by NCCL here, and prints a note if they cannot. NCCL refuses ranks that
/// share a GPU.
fn nccl_connects(ranks: usize) -> bool {
    let gpus = Gpu::count().expect("a GPU");
    if gpus < ranks {
        println!("skipped: {ranks} ranks by NCCL need as many GPUs, and there are {gpus}");
        return false;
    }
    match nccl() {
        Ok(_) => true,
        Err(reason) => {
            println!("skipped: {reason}");
            false
        }
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn ranks_on_gpus_give_the_same_bits_by_nccl_with_and_without_recorded_steps() {
    let inviscid = HEX.replace("gas: {viscosity: {constant: 1/1600}}\n", "");
    for case in [MIXED, HEX, SECTOR, RELAXED, MODELLED, SLIDING, &filtered(), &inviscid] {
        let expected = alone(case);
        for (ranks, machine, transport, graph, sockets) in [
            (2, 2, "nccl", true, false),
            (2, 2, "nccl", false, false),
            (2, 1, "auto", true, false),
            (2, 1, "auto", true, true),
            (3, 1, "auto", true, false),
            (4, 2, "auto", true, false),
            (4, 2, "auto", true, true),
            (4, 4, "nccl", true, false),
        ] {
            if !nccl_connects(ranks) {
                continue;
            }
            let directory = ready(case);
            let set = [
                &format!("exchange.transport={transport}"),
                "device=cuda",
                "arithmetic=strict",
            ];
            let mut command = case_command(directory.path(), ranks, &set);
            command.envs(machines_of(machine).into_iter().take(if sockets { 3 } else { 1 }));
            command.args((!graph).then_some("--no-graph"));
            let log = output(&mut command, 0);
            let what = format!("{ranks} ranks, {machine} on a machine, {transport}:\n{case}");
            assert!(log.contains("by NCCL"), "{what}\n{log}");
            assert_eq!(hash(&log), expected.0, "{what}");
            assert!(series(&directory) == expected.1, "the series differ: {what}");
        }
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_checkpoint_is_continued_by_nccl_with_the_same_bits_and_the_other_way_round() {
    if !nccl_connects(2) {
        return;
    }
    let (hash_alone, _) = alone(MIXED);
    for ways in [["nccl", "staged"], ["staged", "nccl"]] {
        let directory = with_case(MIXED);
        for (transport, from) in ways.into_iter().zip(["latest", "results/checkpoint_00000010.h5"]) {
            let (transport, from) = (format!("exchange.transport={transport}"), format!("restart={from}"));
            let keep = "output.checkpoint.keep=4";
            let set = ["device=cuda", "arithmetic=strict", keep, &transport, &from];
            assert_eq!(hash(&run_case(directory.path(), 2, &set, 0)), hash_alone, "{ways:?}");
        }
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn without_nccl_machines_exchange_by_messages_and_a_case_that_asks_for_it_is_refused() {
    let nowhere = tempfile::tempdir().expect("temporary directory");
    let expected = alone(HEX);
    let run = |transport: &str, code: i32| {
        let directory = with_case(HEX);
        let transport = format!("exchange.transport={transport}");
        let set = ["device=cuda", "arithmetic=strict", &transport];
        let mut command = case_command(directory.path(), 2, &set);
        command
            .env("FR_LES_RANKS_PER_MACHINE", "1")
            .env("FR_LES_NCCL", nowhere.path());
        ended(&command.output().expect("mpirun starts"), code)
    };
    let reason = format!(
        "FR_LES_NCCL is {}, but there is no libnccl.so in it",
        nowhere.path().display()
    );
    // Ranks that share a GPU do not ask for NCCL.
    if Gpu::count().expect("a GPU") > 1 {
        let log = run("auto", 0);
        assert_eq!(hash(&log), expected.0);
        let warning = format!("cannot do so by NCCL: rank 0 reports: cuda: {reason}");
        assert_eq!(log.matches(&warning).count(), 1, "{log}");
    }
    let log = run("nccl", 2);
    let refusal = format!("`exchange.transport: nccl` is not available: rank 0 reports: cuda: {reason}");
    assert_eq!(log.matches(&refusal).count(), 1, "{log}");
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn when_a_rank_is_killed_those_that_wait_for_it_by_nccl_end() {
    if !nccl_connects(2) {
        return;
    }
    let directory = with_case(HEX);
    let set = [
        "time={steps: 100000000}",
        "output.integrals={every-steps: 1}",
        "device=cuda",
    ];
    let mut command = case_command(directory.path(), 2, &set);
    let mut child = start(command.envs(machines_of(1)));
    let path = directory.path().join("results/integrals.csv");
    wait_for(&mut child, || std::fs::read(&path).is_ok_and(|text| text.len() > 2000));
    send(Signal::KILL, ranks_of(&child)[0]);
    let begin = Instant::now();
    let output = child.wait_with_output().expect("it ends");
    assert!(!output.status.success());
    assert!(begin.elapsed() < Duration::from_secs(60), "{}", text(&output));
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_checkpoint_of_ranks_on_gpus_is_continued_on_the_cpu_with_the_same_bits_and_the_other_way_round() {
    for case in [MIXED, RELAXED] {
        continue_on_others(case);
    }
}

fn continue_on_others(case: &str) {
    let expected = alone(case);
    for (first, then) in [
        (("cuda", 2), ("cpu", 1)),
        (("cpu", 3), ("cuda", 2)),
        (("cuda", 2), ("cuda", 1)),
    ] {
        let directory = with_case(case);
        let on = |(device, ranks): (&str, usize), from: &str| {
            let (device, from) = (format!("device={device}"), format!("restart={from}"));
            hash(&run_case(
                directory.path(),
                ranks,
                &[&device, "arithmetic=strict", &from],
                0,
            ))
        };
        on(first, "latest");
        let continued = on(then, "results/checkpoint_00000015.h5");
        assert_eq!(continued, expected.0, "{first:?}, then {then:?}");
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn an_unavailable_transport_is_refused_with_the_line_of_the_key() {
    // Debian's Open MPI cannot send memory of GPUs; another library may be able to.
    let directory = with_case(HEX);
    let set = ["device=cuda", "exchange.transport=cuda-aware"];
    let output = case_command(directory.path(), 2, &set).output().expect("mpirun starts");
    match output.status.code() {
        Some(0) => println!("skipped: this MPI library is built for memory of GPUs"),
        code => {
            assert_eq!(code, Some(2));
            let log = text(&output);
            let refusals = log.matches("`exchange.transport: cuda-aware` is not available").count();
            assert_eq!(refusals, 1, "{log}");
        }
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn a_benchmark_runs_on_a_gpu() {
    let words = "bench --order 2 --cells 4 --seconds 0.1 --steps 2 --device cuda";
    let ran = std::process::Command::new(env!("CARGO_BIN_EXE_fr-les"))
        .args(words.split(' '))
        .output()
        .expect("the program starts");
    let log = text(&ran);
    assert!(ran.status.success() && log.contains("GDOF/s"), "{log}");
}
