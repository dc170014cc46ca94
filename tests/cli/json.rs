//! `--json`: one object on standard output with the facts of the text, the log on standard error, and the same exit
//! codes; and the results of a run in `results.json`.

use serde_json::Value;
use tempfile::TempDir;

use crate::common::program::{CASE, folder, on_ranks, program, succeeds, text, with_case};

/// The object that a command prints; its log is on standard error.
fn object(directory: &TempDir, words: &[&str]) -> Value {
    let output = program(directory.path())
        .args(words)
        .arg("--json")
        .output()
        .expect("starts");
    assert!(output.status.success(), "{}", text(&output));
    let printed = String::from_utf8_lossy(&output.stdout);
    let object: Value = serde_json::from_str(&printed).unwrap_or_else(|e| panic!("{e}\n{printed}"));
    assert_eq!(object["schema-version"], 1, "{printed}");
    assert!(
        object["program"]
            .as_str()
            .is_some_and(|program| program.starts_with("fr-les ")),
        "{printed}"
    );
    object
}

/// The case with walls, a sponge and means.
fn walls() -> String {
    CASE.replace("periodic: [x, y, z]", "periodic: [x, z]")
        .replace(
            "time: {",
            "boundaries: {y-: {type: no-slip-adiabatic}, y+: {type: far-field, u: 0, v: 0, w: 0, p: p0, temperature: \
             p0}}\nsponges: {top: {plane: {point: [0, 1, 0], normal: [0, 1, 0], thickness: 2}, strength: 1, \
             mean: {time: 5}}}\ntime: {",
        )
        .replace(
            "output: {",
            "output: {reference: {pressure: p0, density: 1, velocity: [1, 0, 0], area: 1}, boundaries: \
             {every-steps: 1, means-from: 0}, statistics: {from: 0, every-steps: 1, average: [x, z]}, ",
        )
}

#[test]
fn a_check_has_the_facts_of_its_text_with_units() {
    let directory = with_case(CASE);
    let found = object(&directory, &["check", "run.yaml"]);
    assert_eq!(found["command"], "check");
    assert_eq!(found["title"], "small Taylor-Green");
    assert_eq!(found["run"]["scheme"]["order"], 3);
    assert_eq!(found["run"]["scheme"]["time-scheme"], "rk4");
    assert_eq!(
        found["run"]["mesh"]["cells"],
        serde_json::json!([{"kind": "hex", "count": 64}])
    );
    assert_eq!(found["steps"]["count"], 20);
    assert_eq!(found["steps"]["dt"]["unit"], "s");
    assert_eq!(found["flow"]["speed-of-sound"]["unit"], "m/s");
    let volume = found["volume"]["value"].as_f64().expect("a volume");
    assert!((volume / std::f64::consts::TAU.powi(3) - 1.0).abs() < 1e-12, "{volume}");
    // The text says the same.
    let shown = succeeds(&directory, &["check", "--long", "run.yaml"]);
    let hash = found["mesh-hash"].as_str().expect("a hash");
    assert!(shown.contains(&format!("mesh    hash {hash}")), "{shown}");
    let dt = found["steps"]["dt"]["value"].as_f64().expect("a step");
    assert!(shown.contains(&format!("about 20 of dt = {dt:.3e}")), "{shown}");
}

#[test]
fn the_log_is_on_standard_error_and_errors_keep_their_codes() {
    let directory = with_case(CASE);
    let output = program(directory.path())
        .args(["check", "run.yaml", "--json"])
        .output()
        .expect("starts");
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(log.contains("scheme  p = 3") && log.contains("ok"), "{log}");
    let output = program(directory.path())
        .args(["check", "run.yaml", "--json", "--set", "time.clf=1"])
        .output()
        .expect("starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty(), "{}", text(&output));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("did you mean `cfl`?"), "{message}");
    // One object, whatever the number of ranks.
    let output = on_ranks(directory.path(), 2)
        .args(["check", "run.yaml", "--json", "--threads", "1"])
        .output()
        .expect("starts");
    let found: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}\n{}", text(&output)));
    assert_eq!(found["run"]["ranks"]["count"], 2);
}

#[test]
fn walls_sponges_and_steady_solutions_are_in_the_object() {
    let directory = with_case(&walls());
    let found = object(&directory, &["check", "run.yaml"]);
    let names: Vec<&str> = found["boundaries"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|b| b["name"].as_str())
        .collect();
    assert_eq!(names, ["y-", "y+"]);
    assert_eq!(found["boundaries"][1]["type"], "far-field");
    assert_eq!(found["boundaries"][0]["area"]["unit"], "m^2");
    assert_eq!(found["sponges"][0]["name"], "top");
    assert!(found["cost"]["files"]["of-each"].is_array(), "{found}");
    let set = ["sponges=null", "output.statistics=null", "steady={turbulence: none}"];
    let steady: Vec<&str> = set.iter().flat_map(|set| ["--set", *set]).collect();
    let found = object(&directory, &[&["check", "run.yaml", "--steady"], &steady[..]].concat());
    assert!(found["vertices"].as_u64().is_some_and(|count| count > 0), "{found}");
}

#[test]
fn meshes_machines_runs_and_studies_are_objects() {
    let directory = with_case(CASE);
    succeeds(&directory, &["mesh", "generate", "box", "box.h5", "--cells", "2,2,3"]);
    let mesh = object(&directory, &["mesh", "info", "box.h5", "--order", "2"]);
    assert_eq!((&mesh["points"], &mesh["order"]), (&324.into(), &2.into()), "{mesh}");
    assert_eq!(mesh["cells"][0]["kind"], "hex");
    assert_eq!(mesh["aspect-ratio"]["worst"]["unit"], "-");
    let doctor = object(&directory, &["doctor"]);
    assert_eq!(doctor["cpu-works"], true, "{doctor}");
    assert!(
        doctor["findings"]
            .as_array()
            .is_some_and(|all| all.iter().any(|f| f["what"] == "HDF5"))
    );
    succeeds(&directory, &["run.yaml"]);
    let watched = object(&directory, &["watch", "results", "--once"]);
    assert_eq!(watched["run"]["state"], "finished");
    assert_eq!(
        (&watched["run"]["step"], &watched["run"]["done"]),
        (&20.into(), &1.0.into()),
        "{watched}"
    );
    let empty = folder();
    let nothing = object(&empty, &["watch", ".", "--once"]);
    assert!(
        nothing["nothing"]
            .as_str()
            .is_some_and(|why| why.contains("nothing was written yet")),
        "{nothing}"
    );
    let study = "case: run.yaml\nvariables: {order: {values: [2, 3], set: order}}\n\
        objectives: {energy: {from: integrals.kinetic_energy}}\ndoe: {kind: full-factorial, levels: 2}\n\
        run: {workers: 1, threads: 1}\noutput: study\n";
    std::fs::write(directory.path().join("study.yaml"), study).expect("written");
    succeeds(&directory, &["study", "study.yaml"]);
    let status = object(&directory, &["study", "study.yaml", "--status"]);
    assert_eq!(status["states"], serde_json::json!({"done": 2}));
    assert!(
        status["designs"][0]["values"]["energy"]
            .as_f64()
            .is_some_and(|e| e > 0.1),
        "{status}"
    );
}

#[test]
fn results_have_the_same_bytes_on_any_number_of_ranks() {
    let directory = with_case(&walls());
    let results = |name: &str| std::fs::read(directory.path().join(name).join("results.json")).expect("results");
    succeeds(&directory, &["run.yaml", "--set", "output.directory=one"]);
    let output = on_ranks(directory.path(), 3)
        .args(["run.yaml", "--threads", "1", "--set", "output.directory=three"])
        .output()
        .expect("starts");
    assert!(output.status.success(), "{}", text(&output));
    assert!(results("one") == results("three"));
    let found: Value = serde_json::from_slice(&results("one")).expect("JSON");
    let names: Vec<&String> = found["results"].as_object().expect("results").keys().collect();
    for name in [
        "coefficients.y-_drag",
        "boundaries.y-_mass_flux",
        "statistics.y-.tau",
        "statistics.y-.u_tau",
    ] {
        assert!(names.iter().any(|known| *known == name), "{name} of {names:?}");
    }
    let drag = &found["results"]["coefficients.y-_drag"];
    assert!(drag["value"].is_number() && drag["unit"] == "-", "{drag}");
    // The values are those of the tables.
    let means = fr_les::io::read_series(&directory.path().join("one/coefficients.means.csv")).expect("a table");
    assert_eq!(
        drag["value"].as_f64(),
        means.column("y-_drag").and_then(|column| column.first().copied())
    );
}
