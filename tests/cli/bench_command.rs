//! Tests of `fr-les bench`: what it measures and writes, and what it refuses.

use crate::common::program::run;

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
    for kernel in [
        "sweep1",
        "sweep2 first",
        "sweep2 middle",
        "sweep2 last",
        "time_step_bounds",
    ] {
        assert!(
            json["kernels"][kernel]["ns"].as_f64().is_some_and(|x| x > 0.0),
            "{kernel}: {text}"
        );
    }
    assert_eq!(json["points"], 4 * 4 * 4 * 27);
}

#[test]
fn a_series_of_benchmarks_continues_after_a_size_that_does_not_fit() {
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
    let output = run(directory.path(), &[&arguments[..], &["--json", "b.json"]].concat());
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

    let output = bench(&["--elements", "tet", "--order", "2,7", "--cells", "2"]);
    let log = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{log}");
    assert!(
        log.contains("skipped: error: order: 7 is above 6, the highest order of tet cells"),
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
}

/// Writes a file like `from` with the speeds multiplied by `factor`, and with other changes.
fn made(directory: &std::path::Path, from: &str, name: &str, factor: f64, change: impl Fn(&mut serde_json::Value)) {
    let text = std::fs::read_to_string(directory.join(from)).expect("results");
    let mut json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    for result in json.as_array_mut().expect("an array") {
        result["gdof_per_s"] = (result["gdof_per_s"].as_f64().expect("speed") * factor).into();
        change(result);
    }
    std::fs::write(directory.join(name), json.to_string()).expect("a file");
}

#[test]
fn a_measurement_is_compared_with_an_earlier_one() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let fast = ["bench", "--steps", "1", "--seconds", "0.02", "--device", "cpu"];
    let bench = |arguments: &[&str]| {
        let output = run(directory.path(), &[&fast[..], arguments].concat());
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let cases = [
        "--order",
        "2",
        "--cells",
        "3,4",
        "--elements",
        "tet",
        "--json",
        "now.json",
    ];
    assert_eq!(bench(&cases).0, Some(0));

    // A thousandth of the speed and a thousand times the speed: no machine is so uneven.
    made(directory.path(), "now.json", "slow.json", 1e-3, |_| {});
    made(directory.path(), "now.json", "fast.json", 1e3, |_| {});
    let (code, log, error) = bench(&["--against", "slow.json", "--json", "again.json"]);
    assert_eq!(code, Some(0), "{log}{error}");
    assert!(log.contains("1 of 2: p = 2, 3^3 cubes of affine tetrahedra"), "{log}");
    assert!(
        log.contains("0 of 2 cases are slower than in slow.json by more than 5 %"),
        "{log}"
    );
    let again = std::fs::read_to_string(directory.path().join("again.json")).expect("results");
    let again: Vec<serde_json::Value> = serde_json::from_str(&again).expect("an array");
    assert_eq!(again.len(), 2);
    assert!(
        again
            .iter()
            .all(|r| r["version"].is_string() && r["machine"].is_string())
    );
    let (code, log, error) = bench(&["--against", "fast.json", "--tolerance", "0.5"]);
    assert_eq!(code, Some(1), "{log}{error}");
    assert!(
        log.contains("2 of 2 cases are slower than in fast.json by more than 50 %"),
        "{log}"
    );
    assert!(
        log.lines()
            .any(|line| line.starts_with("tet p = 2, 4^3, double") && line.ends_with("slower")),
        "{log}"
    );

    // A case that does not fit any more is listed, and does not count as slower.
    made(directory.path(), "now.json", "large.json", 1e-3, |result| {
        if result["cells"] == 4 {
            result["cells"] = 1024.into();
        }
    });
    let (code, log, error) = bench(&["--against", "large.json"]);
    assert_eq!(code, Some(0), "{log}{error}");
    assert!(log.contains("0 of 1 cases are slower"), "{log}");
    assert!(
        log.lines()
            .any(|line| line.starts_with("tet p = 2, 1024^3") && line.ends_with("only in the file")),
        "{log}"
    );
}

#[test]
fn files_that_cannot_be_compared_are_refused() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let fast = ["bench", "--steps", "1", "--seconds", "0.02", "--device", "cpu"];
    let bench = |arguments: &[&str]| run(directory.path(), &[&fast[..], arguments].concat());
    let cases = ["--order", "2", "--cells", "2,3", "--json", "now.json"];
    assert_eq!(bench(&cases).status.code(), Some(0));
    made(directory.path(), "now.json", "other.json", 1.0, |r| {
        r["machine"] = "Cray-1".into()
    });
    made(directory.path(), "now.json", "old.json", 1.0, |r| {
        r.as_object_mut().expect("an object").remove("machine");
    });
    made(directory.path(), "now.json", "ranks.json", 1.0, |r| {
        r["ranks"] = 4.into()
    });
    made(directory.path(), "now.json", "elements.json", 1.0, |r| {
        r["elements"] = "wedge".into()
    });
    let exchange = ["bench", "--exchange", "--device", "cpu", "--json", "ways.json"];
    assert_eq!(run(directory.path(), &exchange).status.code(), Some(0));
    std::fs::write(directory.path().join("steps.json"), r#"[{"explicit_seconds": 1}]"#).expect("written");
    for (arguments, part) in [
        (&["--against", "ways.json"][..], "`bench --exchange` wrote it"),
        (&["--against", "steps.json"], "`bench --steady` wrote it"),
        (&["--against", "other.json"], "another machine (Cray-1) than this one"),
        (&["--against", "old.json"], "name no machine"),
        (&["--against", "ranks.json"], "start with `mpirun -n 4`"),
        (&["--against", "elements.json"], "unknown elements 'wedge'"),
        (&["--against", "none.json"], "none.json"),
        (&["--against", "now.json", "--order", "3"], "cannot be used with"),
        (&["--suite", "--curved"], "cannot be used with"),
        (&["--tolerance", "0.1"], "--against"),
        (&["--against", "now.json", "--tolerance", "2"], "from 0e0 to 1e0"),
    ] {
        let output = bench(arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains(part), "{arguments:?}: {error}");
    }
}

#[test]
fn steady_steps_are_timed_and_written() {
    let directory = tempfile::tempdir().expect("temporary directory");
    let arguments = [
        "bench",
        "--steady",
        "--order",
        "1",
        "--cells",
        "4",
        "--device",
        "cpu",
        "--threads",
        "1",
    ];
    let output = run(directory.path(), &[&arguments[..], &["--json", "steps.json"]].concat());
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(
        table.contains("80 vertices of 64 cells of hex, order 1, on CPU, 1 threads"),
        "{table}"
    );
    let text = std::fs::read_to_string(directory.path().join("steps.json")).expect("result");
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert!(json[0]["explicit_seconds"].as_f64() > Some(0.0));
    let rows = json[0]["preconditioners"].as_array().expect("rows");
    let names: Vec<_> = rows
        .iter()
        .map(|row| row["preconditioner"].as_str().expect("a name"))
        .collect();
    assert_eq!(names, ["gauss-seidel", "lines", "ilu", "multigrid"]);
    for row in rows {
        let seconds = |key: &str| row[&format!("{key}_seconds")].as_f64().expect("a number");
        let parts = ["residual", "assembly", "factors"].map(seconds);
        assert!(parts.iter().all(|part| *part > 0.0 && *part < seconds("step")), "{row}");
    }
}
