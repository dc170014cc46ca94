//! The program as its users meet it: exit codes, files, messages and signals.

use crate::common::program::{
    CASE, end, names, outcome, output, program, run, send, start, succeeds, wait_for, with_case,
};
use fr_les::io::read_series;
use rustix::process::Signal;

#[test]
fn a_run_leaves_its_files_and_reports_them() {
    let directory = with_case(CASE);
    let log = succeeds(&directory, &["run.yaml"]);
    let expected = [
        "checkpoint_00000020.h5",
        "integrals.csv",
        "run.json",
        "solution.vtkhdf.series",
        "solution_0000.vtkhdf",
        "solution_0001.vtkhdf",
        "solution_0002.vtkhdf",
    ];
    assert_eq!(names(&directory.path().join("results")), expected);
    for part in [
        "small Taylor-Green",
        "64 hexahedra",
        "reals a point",
        "GDOF/s",
        "finished at step 20",
        "integrals.csv",
    ] {
        assert!(log.contains(part), "no '{part}' in\n{log}");
    }
    assert!(
        !log.contains('\u{1b}'),
        "no terminal codes where there is no terminal:\n{log}"
    );
    let table = read_series(&directory.path().join("results/integrals.csv")).expect("series");
    assert_eq!(table.column("step").expect("steps"), [0.0, 5.0, 10.0, 15.0, 20.0]);
    let text = std::fs::read_to_string(directory.path().join("results/integrals.csv")).expect("text");
    assert!(text.starts_with("# version: fr-les 0.1.0"), "{text}");
}

#[test]
fn output_times_are_hit_exactly() {
    let directory = with_case(
        &CASE
            .replace("steps: 20, cfl: 0.9", "end: 0.05")
            .replace("integrals: {every-steps: 5}", "integrals: {every: 0.0125}"),
    );
    assert_eq!(run(directory.path(), &["run.yaml"]).status.code(), Some(0));
    let table = read_series(&directory.path().join("results/integrals.csv")).expect("series");
    assert_eq!(
        table.column("time").expect("times"),
        [0.0, 1.0, 2.0, 3.0, 4.0].map(|k| k * 0.0125)
    );
}

#[test]
fn a_second_run_into_the_same_directory_lists_only_its_own_files() {
    let directory = with_case(CASE);
    assert_eq!(run(directory.path(), &["run.yaml"]).status.code(), Some(0));
    assert_eq!(
        run(directory.path(), &["run.yaml", "--set", "time.steps=10"])
            .status
            .code(),
        Some(0)
    );
    let list = std::fs::read_to_string(directory.path().join("results/solution.vtkhdf.series")).expect("list");
    assert!(
        list.contains("solution_0001") && !list.contains("solution_0002"),
        "{list}"
    );
}

#[test]
fn a_run_continues_when_nobody_reads_its_log() {
    let directory = with_case(CASE);
    let mut child = start(program(directory.path()).args(["run.yaml", "--hash"]));
    drop((child.stdout.take(), child.stderr.take()));
    assert_eq!(child.wait().expect("ends").code(), Some(0));
    assert!(directory.path().join("results/solution_0002.vtkhdf").exists());
}

#[test]
fn signals_end_the_step_write_the_state_and_exit_with_code_4() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let directory = with_case(
            &CASE
                .replace("steps: 20", "steps: 100000000")
                .replace("every-steps: 10", "every-steps: 100000000"),
        );
        let mut child = start(program(directory.path()).arg("run.yaml"));
        let results = directory.path().join("results");
        // After three rows of integrals the run is under way.
        let rows = || read_series(&results.join("integrals.csv")).map_or(0, |t| t.columns[0].len());
        wait_for(&mut child, || rows() >= 3);
        send(signal, child.id());
        let log = end(child, 4);
        assert!(log.contains("interrupted at step"), "{log}");
        let names = names(&results);
        assert!(
            names[0].starts_with("checkpoint_") && names[0].ends_with(".h5"),
            "{names:?}"
        );
        assert_eq!(
            names[1..],
            [
                "integrals.csv",
                "run.json",
                "solution.vtkhdf.series",
                "solution_0000.vtkhdf",
                "solution_0001.vtkhdf"
            ],
            "a checkpoint, the initial state and the last one"
        );
    }
}

#[test]
fn hashes_agree_between_threads_and_vector_widths_and_differ_between_states() {
    let directory = with_case(CASE);
    let hash = |arguments: &[&str], simd: Option<&str>| {
        let mut command = program(directory.path());
        command
            .args(["run.yaml", "--hash", "--set", "output=null"])
            .args(arguments);
        if let Some(simd) = simd {
            command.env("FR_LES_SIMD", simd);
        }
        let output = command.output().expect("starts");
        let log = String::from_utf8_lossy(&output.stdout).into_owned();
        if simd.is_some() && String::from_utf8_lossy(&output.stderr).contains("FR_LES_SIMD") {
            println!("skipped: this processor has no {}", simd.unwrap_or_default());
            return None;
        }
        assert_eq!(output.status.code(), Some(0), "{log}");
        log.lines().last().map(str::to_owned)
    };
    for more in [&[][..], &["--set", "precision=single"], &["--set", "mesh.box.warp=0.2"]] {
        let one = hash(&[more, &["--threads", "1"]].concat(), None);
        assert_eq!(one.as_ref().map(String::len), Some(16));
        assert_eq!(one, hash(&[more, &["--threads", "2"]].concat(), None));
        for simd in ["avx2", "avx512"] {
            if let Some(other) = hash(more, Some(simd)) {
                assert_eq!(one, Some(other), "{more:?} {simd}");
            }
        }
    }
    assert_ne!(hash(&[], None), hash(&["--set", "time.steps=19"], None));
}

#[test]
fn check_reports_and_runs_nothing() {
    let directory = with_case(CASE);
    let log = succeeds(&directory, &["check", "--long", "run.yaml"]);
    for part in ["64 hexahedra", "limits", "about 20", "reals a point", "ok"] {
        assert!(log.contains(part), "no '{part}' in\n{log}");
    }
    assert_eq!(names(directory.path()), ["run.yaml"]);
}

#[test]
fn memory_stays_within_40_reals_a_point_for_affine_and_60_for_curved_cells() {
    for (warp, limit) in [("0", 40.0), ("0.2", 60.0)] {
        for order in ["3", "4", "5"] {
            let directory = with_case(CASE);
            let warp = format!("mesh.box.warp={warp}");
            let order = format!("order={order}");
            let output = run(
                directory.path(),
                &[
                    "check",
                    "--long",
                    "run.yaml",
                    "--set",
                    &warp,
                    "--set",
                    &order,
                    "--set",
                    "mesh.box.cells=[8,8,8]",
                    "--set",
                    "scheme.shock=none",
                ],
            );
            let log = String::from_utf8_lossy(&output.stdout).into_owned();
            let reals: f64 = log
                .split(" reals a point")
                .next()
                .and_then(|head| head.rsplit(' ').next())
                .and_then(|number| number.parse().ok())
                .unwrap_or_else(|| panic!("{log}"));
            assert!(reals <= limit, "{warp} {order}: {reals}");
        }
    }
}

#[test]
fn a_case_is_run_with_and_without_the_command_run() {
    let directory = with_case(CASE);
    let (_, expected, _) = outcome(&directory, &["-q", "run.yaml", "--hash"]);
    assert_eq!(
        expected.lines().count(),
        1,
        "a quiet run prints its hash alone:\n{expected}"
    );
    for arguments in [
        &["run", "run.yaml", "--hash", "-q"][..],
        &["--hash", "--quiet", "run.yaml"],
        &["--quiet", "run", "--hash", "run.yaml"],
    ] {
        // Each run gets a new directory: even a quiet run would warn about files of an earlier one.
        let directory = with_case(CASE);
        assert_eq!(
            outcome(&directory, arguments),
            (Some(0), expected.clone(), String::new())
        );
    }
}

#[test]
fn a_quiet_mesh_command_prints_what_it_is_asked_for_alone() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let generate = ["mesh", "generate", "box", "box.h5", "--cells", "2,2,2"];
    assert!(succeeds(&directory, &generate).contains("wrote box.h5"));
    let quiet = outcome(&directory, &[&["-q"][..], &generate].concat());
    assert_eq!(quiet, (Some(0), String::new(), String::new()));
    assert!(succeeds(&directory, &["-q", "mesh", "info", "box.h5"]).contains("8 cells"));
}

#[test]
fn a_case_is_read_from_standard_input() {
    let directory = with_case(CASE);
    let file = std::fs::File::open(directory.path().join("run.yaml")).expect("case");
    output(
        program(directory.path())
            .args(["-", "--set", "time.steps=2"])
            .stdin(file),
        0,
    );
    let wrong = std::fs::File::open(directory.path().join("results/integrals.csv")).expect("file");
    let log = output(program(directory.path()).args(["check", "-"]).stdin(wrong), 2);
    assert!(log.contains("standard input"), "{log}");
}

#[test]
fn a_misspelt_command_is_distinguished_from_a_case() {
    let directory = with_case(CASE);
    for (arguments, part) in [
        (&["chekc", "run.yaml"][..], "'check'"),
        (&["runn", "run.yaml"], "'run'"),
        (&["rnu", "run.yaml"], "a similar subcommand exists: 'run'"),
        (&["mesh", "ifno", "a.msh"], "a similar subcommand exists: 'info'"),
        (&["absent.yaml"], "absent.yaml"),
        (&["check", "run.yaml", "--hash"], "unexpected argument '--hash'"),
    ] {
        let (code, _, error) = outcome(&directory, arguments);
        assert_eq!(code, Some(2), "{arguments:?}\n{error}");
        assert!(error.contains(part), "{arguments:?}: no '{part}' in\n{error}");
    }
}

#[test]
fn help_and_version_are_complete() {
    let directory = with_case(CASE);
    let (code, help, _) = outcome(&directory, &["check", "--help"]);
    assert!(
        code == Some(0) && help.contains("--set") && !help.contains("--hash"),
        "{help}"
    );
    let (code, help, _) = outcome(&directory, &["run", "--help"]);
    assert!(
        code == Some(0) && help.contains("--set") && help.contains("--no-graph"),
        "{help}"
    );
    let (code, version, _) = outcome(&directory, &["--version"]);
    assert_eq!(code, Some(0));
    for part in ["fr-les 0.1.0", "commit ", "HDF5 ", "MPI ", "vectors  "] {
        assert!(version.contains(part), "no '{part}' in\n{version}");
    }
}

#[test]
fn the_schema_may_be_read_in_part() {
    let directory = with_case(CASE);
    let mut child = start(program(directory.path()).arg("schema"));
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("ends");
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
}
