//! The GPU kernels compile for all supported architectures. This needs no GPU, but NVRTC (`scripts/setup --test`).

use std::io::Write;
use std::path::Path;
use std::process::Command;

use crate::common::program::{output, program};
use fr_les::device::contract::SteadyKernel;
use fr_les::device::cuda::compiler::{BuildError, compile};
use fr_les::device::cuda::nvrtc_lookup::nvrtc;
use fr_les::device::cuda::prebuilt;
use fr_les::device::cuda::variant::Variant;

fn kernels(arguments: &[&str]) -> Command {
    let mut command = program(Path::new("."));
    command.arg("kernels").args(arguments);
    command
}

/// Runs `fr-les kernels`, which must succeed, and returns its report.
fn compiled(arguments: &[&str]) -> String {
    output(&mut kernels(arguments), 0)
}

/// Returns whether NVRTC is available, and prints a note if it is not.
fn compiler() -> bool {
    nvrtc()
        .inspect_err(|reason| {
            // The output of eprintln! would be captured.
            let _ = writeln!(std::io::stderr(), "tests/cli/kernels.rs skipped: no NVRTC: {reason}");
        })
        .is_ok()
}

/// Compiles the kernels of these kinds of cells, orders and precisions for one architecture, for which everything must
/// fit.
fn all_compile(elements: &str, orders: &str, precisions: &str) -> String {
    let choice = ["--elements", elements, "--order", orders, "--precision", precisions];
    let report = compiled(&[&["--arch", "sm_90", "--arithmetic", "fast"][..], &choice].concat());
    assert!(report.contains(", 0 failed"), "all fit an H100: {report}");
    report
}

mod long {
    use super::*;

    #[test]
    #[ignore = "takes three minutes"]
    fn all_kernels_of_hexahedra_and_prisms_compile() {
        if compiler() {
            let report = all_compile("hex", "1..8", "double,single");
            for part in ["sweep2", "ghost_traces", "integrals", "p8 single fast", " %"] {
                assert!(report.contains(part), "no '{part}' in {report}");
            }
            all_compile("prism", "1..6", "double,single");
        }
    }

    #[test]
    #[ignore = "takes three minutes"]
    fn all_kernels_of_tetrahedra_and_pyramids_compile() {
        if compiler() {
            all_compile("tet,pyramid", "1..6", "double,single");
        }
    }

    #[test]
    #[ignore = "takes two minutes"]
    fn kernels_of_all_kinds_compile_for_other_architectures_and_for_curved_cells() {
        if compiler() {
            compiled(&["--arch", "sm_75,sm_80,sm_100", "--order", "2", "--precision", "double"]);
            compiled(&["--arch", "sm_75", "--steady", "--arithmetic", "strict"]);
            compiled(&["--order", "2", "--curved"]);
            compiled(&["--order", "2,3", "--entropy-correction"]);
        }
    }
}

#[test]
fn the_kernels_of_the_steady_solver_are_listed_and_compile_without_spills() {
    if !compiler() {
        return;
    }
    let report = compiled(&["--steady", "--arithmetic", "fast"]);
    for kernel in SteadyKernel::ALL {
        // The first words name the program, which may be that of a kernel too.
        let rows = report
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>())
            .filter(|words| words.get(2) == Some(&kernel.name()));
        // Columns: two words of the program, kernel, two of the variant, registers, shared, stack, spill, threads.
        let found: Vec<_> = rows.filter(|words| words[9] == "128" && words.contains(&"%")).collect();
        assert_eq!(found.len(), 1, "{} in {report}", kernel.name());
        assert_eq!(found[0][8], "0", "{} spills in {report}", kernel.name());
    }
    assert!(
        report.contains("double fast") && report.contains(", 0 failed"),
        "{report}"
    );
    // Warnings of the compiler would follow the table, below a line that names the programs.
    assert!(!report.lines().any(|line| line.ends_with(':')), "warnings in {report}");
    let log = output(kernels(&["--steady"]).args(["--order", "2"]), 2);
    assert!(log.contains("cannot be used with"), "{log}");
}

#[test]
fn kernels_compile_for_curved_cells_with_corrected_entropy() {
    if !compiler() {
        return;
    }
    // `long` has all kinds of cells and other architectures.
    let variant = [
        "--curved",
        "--entropy-correction",
        "--order",
        "2",
        "--precision",
        "double",
        "--elements",
    ];
    compiled(&[&variant[..], &["prism"]].concat());
}

#[test]
fn ptx_is_written_and_found() {
    if !compiler() {
        return;
    }
    let directory = tempfile::tempdir().expect("temporary directory");
    let place = directory.path().to_str().expect("path");
    let report = compiled(&[
        "--ptx",
        place,
        "--elements",
        "hex",
        "--order",
        "2",
        "--precision",
        "single",
    ]);
    let variant = Variant {
        kind: fr_les::element::ElementKind::Hex,
        order: 2,
        double: false,
        fast: true,
        curved: true,
        corrects_entropy: false,
    };
    let variant = variant.prebuilt();
    let all = variant.programs(None);
    assert!(
        report.contains(&format!("{} programs written", 2 * all.len())),
        "{report}"
    );
    for program in &all {
        let ptx = prebuilt::read(Path::new(place), &variant, program).expect("the file");
        assert!(
            ptx.contains(".target sm_75") && ptx.contains(".visible .entry"),
            "{ptx}"
        );
    }
}

#[test]
fn errors_name_the_line_of_the_file() {
    if !compiler() {
        return;
    }
    let variant = Variant {
        kind: fr_les::element::ElementKind::Hex,
        order: 2,
        double: true,
        fast: false,
        curved: false,
        corrects_entropy: false,
    };
    let mut program = variant.program("sweep1.cu", None);
    program.macros.push(("viscosity".to_owned(), "no such name".to_owned()));
    let error = compile(&program, &"sm_90".parse().expect("name")).expect_err("it must not compile");
    let BuildError::Compile { log, .. } = &error else {
        panic!("{error}");
    };
    assert!(log.contains("ptx/physics/gas.h(") && log.contains("error"), "{log}");
    // The compiler must report the line number of the header itself.
    let header = include_str!("../../ptx/physics/gas.h");
    let line = 1 + header
        .lines()
        .position(|l| l.contains("V viscosity("))
        .expect("the function");
    assert!(log.contains(&format!("ptx/physics/gas.h({line})")), "{log}");
}

#[test]
fn mistakes_end_with_a_message_and_the_exit_code_of_bad_input() {
    let fails = |mut command: Command, code: i32, message: &str| {
        let report = output(&mut command, code);
        assert!(report.contains(message), "no '{message}' in {report}");
    };
    let empty = tempfile::tempdir().expect("temporary directory");
    let mut nowhere = kernels(&[]);
    nowhere.env("FR_LES_NVRTC", empty.path());
    fails(nowhere, 1, "there is no libnvrtc.so in it");
    fails(kernels(&["--arch", "90"]), 2, "use a name like sm_90");
    fails(kernels(&["--order", "2..9"]), 2, "9 is not in 1..=8");
    fails(
        kernels(&["--elements", "wedge"]),
        2,
        "[possible values: hex, prism, tet, pyramid]",
    );
    fails(
        kernels(&["--elements", "tet,prism", "--order", "7..8"]),
        2,
        "up to order 6",
    );
    for (value, message) in [
        ("sweep2.cu=2", "FR_LES_LAUNCH: 'sweep2.cu=2': it takes 2 numbers"),
        (
            "sweep2.cu=2:6,swept.cu=1:1",
            "FR_LES_LAUNCH: 'swept.cu=1:1': there is no 'swept.cu'",
        ),
    ] {
        let mut command = kernels(&["--order", "2"]);
        command.env("FR_LES_LAUNCH", value);
        fails(command, 2, message);
    }
    if compiler() {
        fails(kernels(&["--arch", "sm_91"]), 2, "it does not support sm_91");
        fails(kernels(&["--ptx", "unused", "--arch", "sm_90"]), 2, "not sm_90");
    }
}

#[test]
fn ranges_of_orders_and_launch_shapes_are_followed() {
    if !compiler() {
        return;
    }
    let mut command = kernels(&["--order", "1..2", "--elements", "tet", "--precision", "single"]);
    command.env("FR_LES_LAUNCH", "sweep1.cu=1:2,sweep1_dense.cu=16:2:2");
    let report = output(&mut command, 0);
    for part in ["tet p1 single", "tet p2 single", ", 0 failed"] {
        assert!(report.contains(part), "no '{part}' in {report}");
    }
    let row = report
        .lines()
        .find(|l| l.starts_with("sweep1") && l.contains("tet p2 single"));
    let words: Vec<&str> = row.expect("a row").split_whitespace().collect();
    // Columns: program, kernel, four words of the variant, registers, shared, stack, spill, threads.
    assert_eq!(words[10], "80", "8 columns of 10 points: {row:?}");
    assert!(
        words[words.len() - 2].parse::<f64>().is_ok_and(|bytes| bytes > 60.0),
        "bytes a point: {row:?}"
    );
}
