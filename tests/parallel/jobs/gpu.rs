//! Tests that need a GPU: ranks on GPUs have the bits of the CPU by every transport, and through checkpoints.

use super::{HEX, MIXED, MODELLED, RELAXED, SECTOR, alone, filtered, gives, ready};
use crate::common::program::{case_command, hash, run_case, text, with_case};

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn ranks_on_gpus_give_the_same_bits_by_every_transport_with_and_without_recorded_steps() {
    let inviscid = HEX.replace("gas: {viscosity: {constant: 1/1600}}\n", "");
    for case in [MIXED, HEX, SECTOR, RELAXED, MODELLED, &filtered(), &inviscid] {
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
