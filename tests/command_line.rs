//! The program as its users meet it: exit codes, files, messages, signals.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use fr_les::io::read_series;
use tempfile::TempDir;

const CASE: &str = "title: small Taylor-Green\nmesh: {box: {cells: [4, 4, 4], lower: [-pi, -pi, -pi], upper: [pi, pi, pi], periodic: [x, y, z]}}\n\
order: 3\nconstants: {p0: 1/(1.4*0.1^2)}\ngas: {viscosity: {constant: 1/100}}\n\
initial:\n  u: sin(x)*cos(y)*cos(z)\n  v: -cos(x)*sin(y)*cos(z)\n  w: 0\n  p: p0 + (cos(2*x) + cos(2*y))*(cos(2*z) + 2)/16\n  temperature: p0\n\
time: {steps: 20, cfl: 0.9}\noutput: {solution: {every-steps: 10}, integrals: {every-steps: 5}}\n";

fn program(directory: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fr-les"));
    command
        .current_dir(directory)
        .env_remove("RUST_LOG")
        .stdin(Stdio::null());
    command
}

fn with_case(text: &str) -> TempDir {
    let directory = tempfile::tempdir().expect("temporary directory");
    std::fs::write(directory.path().join("run.yaml"), text).expect("case file");
    directory
}

fn run(directory: &Path, arguments: &[&str]) -> Output {
    program(directory).args(arguments).output().expect("the program starts")
}

fn names(directory: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries
        .map(|e| e.expect("entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn a_run_leaves_its_files_and_says_so() {
    let directory = with_case(CASE);
    let output = run(directory.path(), &["run.yaml"]);
    let log = String::from_utf8_lossy(&output.stdout);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{log}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let expected = [
        "integrals.csv",
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
fn every_malformed_case_ends_with_code_2_and_leaves_no_files() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad-cases");
    let directory = tempfile::tempdir().expect("temporary directory");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).expect("folder") {
        let path = entry.expect("entry").path();
        let output = run(directory.path(), &[&path.display().to_string()]);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{}: {error}", path.display());
        assert!(error.starts_with("error: ") && error.lines().count() <= 24, "{error}");
        assert_eq!(names(directory.path()), [""; 0], "{}", path.display());
        count += 1;
    }
    assert!(count >= 20);
}

#[test]
fn bad_input_beyond_the_case_file_ends_with_code_2() {
    let directory = with_case(CASE);
    for (arguments, part) in [
        (vec!["missing.yaml"], "missing.yaml"),
        (vec!["run.yaml", "--set", "time.clf=0.5"], "did you mean `cfl`"),
        (vec!["run.yaml", "--set", "device=cuda"], "cuda"),
        (vec!["run.yaml", "--set", "initial.p=sin(x)"], "pressure"),
        (vec!["run.yaml", "--set", "initial.u=1e200"], "initial"),
        (
            vec!["check", "run.yaml", "--set", "mesh.box.cells=[1000,1000,1000]"],
            "GB",
        ),
        (vec!["run.yaml", "--threads", "100000"], "from 1 to 1024"),
        (vec!["bench", "--steps", "0"], "--steps"),
        (vec!["run.yaml", "--no-such-flag"], "--no-such-flag"),
        (vec![], "Usage"),
    ] {
        let output = run(directory.path(), &arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains(part), "{arguments:?}: {error}");
        assert_eq!(names(directory.path()), ["run.yaml"]);
    }
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
fn a_run_goes_on_when_nobody_reads_its_log() {
    let directory = with_case(CASE);
    let mut child = program(directory.path())
        .args(["run.yaml", "--hash"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    drop((child.stdout.take(), child.stderr.take()));
    assert_eq!(child.wait().expect("ends").code(), Some(0));
    assert!(directory.path().join("results/solution_0002.vtkhdf").exists());
}

#[test]
fn a_diverging_run_names_the_place_and_keeps_its_good_output() {
    let directory = with_case(
        &CASE
            .replace("cfl: 0.9", "dt: 0.2")
            .replace("steps: 20", "steps: 2000")
            .replace("solution: {every-steps: 10}", "solution: {every-steps: 1000}"),
    );
    let output = run(directory.path(), &["run.yaml"]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{error}");
    for part in [
        "diverged at step",
        "t = ",
        "in cell",
        "at (",
        "last good output: results/solution_0000.vtkhdf",
    ] {
        assert!(error.contains(part), "no '{part}' in\n{error}");
    }
    let results = directory.path().join("results");
    assert_eq!(
        names(&results),
        ["integrals.csv", "solution.vtkhdf.series", "solution_0000.vtkhdf"]
    );
    let table = read_series(&results.join("integrals.csv")).expect("series");
    assert!(
        table.columns.iter().flatten().all(|x| x.is_finite()),
        "nothing unphysical is written"
    );
}

#[test]
fn signals_end_the_step_write_the_state_and_exit_with_code_4() {
    for signal in ["-INT", "-TERM", "-HUP"] {
        let directory = with_case(
            &CASE
                .replace("steps: 20", "steps: 100000000")
                .replace("every-steps: 10", "every-steps: 100000000"),
        );
        let child = program(directory.path())
            .arg("run.yaml")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("starts");
        let results = directory.path().join("results");
        let begin = Instant::now();
        // Past its first integrals, the run is under way.
        let rows = || read_series(&results.join("integrals.csv")).map_or(0, |t| t.columns[0].len());
        while rows() < 3 && begin.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(
            Command::new("kill")
                .args([signal, &child.id().to_string()])
                .status()
                .expect("kill")
                .success()
        );
        let output = child.wait_with_output().expect("ends");
        let log = String::from_utf8_lossy(&output.stdout);
        assert_eq!(
            output.status.code(),
            Some(4),
            "{log}{}",
            String::from_utf8_lossy(&output.stderr)
        );
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
    let output = run(directory.path(), &["check", "run.yaml"]);
    let log = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0));
    for part in ["64 hexahedra", "limits", "about 20", "reals a point", "ok"] {
        assert!(log.contains(part), "no '{part}' in\n{log}");
    }
    assert_eq!(names(directory.path()), ["run.yaml"]);
}

#[test]
fn bench_writes_what_it_measured() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let output = run(
        directory.path(),
        &[
            "bench",
            "--order",
            "2",
            "--cells",
            "4",
            "--steps",
            "2",
            "--seconds",
            "0.1",
            "--device",
            "cpu",
            "--json",
            "b.json",
        ],
    );
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = std::fs::read_to_string(directory.path().join("b.json")).expect("result");
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    for key in [
        "gdof_per_s",
        "ns_per_dof_stage",
        "points",
        "bytes_per_point",
        "copy_bandwidth",
    ] {
        assert!(json[key].as_f64().is_some_and(|x| x > 0.0), "{key}: {text}");
    }
    for kernel in ["sweep1", "sweep2 first", "sweep2 middle", "sweep2 last", "rates"] {
        assert!(
            json["kernels"][kernel]["ns"].as_f64().is_some_and(|x| x > 0.0),
            "{kernel}: {text}"
        );
    }
    assert_eq!(json["points"], 4 * 4 * 4 * 27);
}

#[test]
fn memory_stays_within_40_reals_a_point_for_affine_and_60_for_curved_cells() {
    for (warp, limit) in [("0", 40.0), ("0.2", 60.0)] {
        for order in ["3", "4", "8"] {
            let directory = with_case(CASE);
            let warp = format!("mesh.box.warp={warp}");
            let order = format!("order={order}");
            let output = run(
                directory.path(),
                &[
                    "check",
                    "run.yaml",
                    "--set",
                    &warp,
                    "--set",
                    &order,
                    "--set",
                    "mesh.box.cells=[8,8,8]",
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
fn more_than_one_rank_is_refused_by_name() {
    let directory = with_case(CASE);
    let output = Command::new("mpirun")
        .args(["-n", "2", env!("CARGO_BIN_EXE_fr-les"), "run.yaml"])
        .current_dir(directory.path())
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        .env("OMPI_MCA_rmaps_base_oversubscribe", "1")
        .output()
        .expect("mpirun");
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("started on 2 ranks, but this version runs on one"));
}

#[test]
fn a_series_of_benchmarks_goes_on_past_what_does_not_fit() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let size = "2,1024,3";
    let arguments = [
        "bench",
        "--order",
        "1..2",
        "--cells",
        size,
        "--steps",
        "1",
        "--seconds",
        "0.05",
        "--device",
        "cpu",
    ];
    let output = run(
        directory.path(),
        &[&arguments[..], &["--interfaces", "--json", "b.json"]].concat(),
    );
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{error}");
    let text = std::fs::read_to_string(directory.path().join("b.json")).expect("results");
    let json: Vec<serde_json::Value> = serde_json::from_str(&text).expect("an array");
    let cases: Vec<(u64, u64)> = json
        .iter()
        .map(|r| (r["order"].as_u64().expect("order"), r["cells"].as_u64().expect("cells")))
        .collect();
    assert_eq!(cases, [(1, 2), (1, 1024), (1, 3), (2, 2), (2, 1024), (2, 3)]);
    for result in &json {
        if result["cells"] == 1024 {
            assert!(result["error"].as_str().is_some_and(|e| e.contains("GB")), "{result}");
        } else {
            assert!(result["gdof_per_s"].as_f64().is_some_and(|x| x > 0.0), "{result}");
            assert!(
                result["kernels"]["flux by faces"]["ns"]
                    .as_f64()
                    .is_some_and(|x| x > 0.0),
                "{result}"
            );
        }
    }
}

#[test]
fn benchmarks_run_over_elements_and_pass_over_orders_that_these_do_not_have() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let fast = ["--steps", "1", "--seconds", "0.02", "--device", "cpu"];
    let bench = |arguments: &[&str]| run(directory.path(), &[&["bench"], &fast[..], arguments].concat());
    let output = bench(&[
        "--elements",
        "hex,prism,tet,pyramid,mixed",
        "--order",
        "2",
        "--cells",
        "4",
        "--json",
        "b.json",
    ]);
    let log = String::from_utf8_lossy(&output.stdout);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{log}{error}");
    let text = std::fs::read_to_string(directory.path().join("b.json")).expect("results");
    let json: Vec<serde_json::Value> = serde_json::from_str(&text).expect("an array");
    let elements: Vec<&str> = json.iter().map(|r| r["elements"].as_str().expect("elements")).collect();
    assert_eq!(elements, ["hex", "prism", "tet", "pyramid", "mixed"]);
    let bytes: Vec<f64> = json
        .iter()
        .map(|r| r["bytes_per_dof_stage"].as_f64().expect("bytes"))
        .collect();
    assert!(bytes[1..].iter().all(|&other| other > bytes[0]), "{bytes:?}");
    assert!(
        bytes[1..4].iter().any(|&other| other > bytes[4]) && bytes[4] > bytes[0],
        "a mean: {bytes:?}"
    );
    for words in [
        "4^3 cubes of affine tetrahedra",
        "4^3 affine hexahedra",
        "cells of all kinds",
    ] {
        assert!(log.contains(words), "no '{words}' in\n{log}");
    }
    assert_eq!(run(directory.path(), &["plot", "b.json"]).status.code(), Some(0));
    assert!(directory.path().join("b.png").is_file());

    let output = bench(&["--elements", "tet", "--order", "2,7", "--cells", "2"]);
    let log = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{log}");
    assert!(
        log.contains("passed over: error: order: 7 is above 6, the highest order of tet cells"),
        "{log}"
    );
    for (arguments, part) in [
        (["--elements", "tet", "--order", "7"], "7 is above 6"),
        (
            ["--elements", "hex,wedge", "--order", "2"],
            "[possible values: hex, prism, tet, pyramid, mixed]",
        ),
        (["--elements", "mixed", "--cells", "5"], "even number of cubes"),
        (["--precision", "half", "--order", "2"], "double, single"),
    ] {
        let output = bench(&arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains(part), "{arguments:?}: {error}");
    }
    let output = bench(&["--elements", "prism", "--interfaces"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--elements hex alone"));
}
