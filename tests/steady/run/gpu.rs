//! Tests that need GPUs: a steady solution on several has the bits of one rank on the CPU, whatever brings values from
//! GPU to GPU, with every preconditioner and with recorded work or without.

use super::{CASE, steady};
use crate::common::program::{case_command, hash, output, with_case};

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpus_give_the_bits_of_the_cpu_by_every_way() {
    let gpus = fr_les::device::cuda::Gpu::count().expect("a GPU");
    let all = with_case(CASE);
    let path = all.path();
    for of in [
        "steady.driver=explicit",
        "steady.implicit={preconditioner: gauss-seidel}",
        "steady.implicit={preconditioner: lines}",
        "steady.implicit={preconditioner: ilu}",
        "steady.implicit={preconditioner: multigrid}",
    ] {
        let driver = if of.contains("explicit") {
            of
        } else {
            "steady.driver=implicit"
        };
        let turbulent = [
            of,
            driver,
            "steady.turbulence=sa-neg",
            "steady.iterations=30",
            "mesh.box.cells=[4, 8, 4]",
        ];
        let expected = steady(path, 1, &turbulent);
        for (ranks, transport, graph) in [
            (1, "auto", true),
            (2, "staged", true),
            (2, "nccl", true),
            (2, "nccl", false),
            (3, "auto", true),
            (4, "auto", true),
        ] {
            if ranks > gpus && transport == "nccl" {
                println!("skipped: {ranks} ranks by NCCL need as many GPUs, and there are {gpus}");
                continue;
            }
            let transport = format!("exchange.transport={transport}");
            let directory = format!("output.directory=of-{ranks}");
            let on = ["device=cuda", "arithmetic=strict", &transport, &directory];
            let mut command = case_command(path, ranks, &[&turbulent[..], &on].concat());
            command.arg("--steady").args((!graph).then_some("--no-graph"));
            let log = output(&mut command, 0);
            let what = format!("{of}, {ranks} ranks, {transport}, recorded: {graph}");
            // NCCL refuses ranks that share a GPU.
            let by_nccl = ranks > 1 && ranks <= gpus && !transport.contains("staged");
            assert!(log.contains("GPUs exchange by NCCL") == by_nccl, "{what}\n{log}");
            assert_eq!(hash(&log), expected, "{what}");
        }
    }
}
