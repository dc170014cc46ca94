//! Studies beside optimisers and solvers from elsewhere: designs that are asked for or brought, results that are told.

use std::collections::BTreeMap;
use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::program::{CASE, folder, outcome, refuses, succeeds, write};

/// A study whose objective is told: what its designs would run does not matter.
fn with_study(method: &str) -> TempDir {
    let folder = folder();
    write(
        &folder,
        "run.yaml",
        CASE.replace("{p0: ", "{a: 0.5, b: 0.5, p0: ").as_bytes(),
    );
    let study = format!(
        "title: told\ncase: run.yaml\nvariables:\n  a: {{range: [0, 1], set: constants.a}}\n  \
         b: {{range: [0, 1], set: constants.b}}\nobjectives: {{f: {{from: run.steps}}}}\n\
         constraints: {{g: {{from: run.points, at-most: 1.2}}}}\n{method}\noutput: designs\n"
    );
    write(&folder, "study.yaml", study.as_bytes());
    folder
}

/// Returns what `--ask` prints, with more words.
fn ask(folder: &TempDir, more: &[&str]) -> Value {
    let (code, text, log) = outcome(folder, &[&["study", "study.yaml", "--ask"], more].concat());
    assert_eq!(code, Some(0), "{log}");
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// The place of a design of `--ask`.
fn place(design: &Value) -> [f64; 2] {
    ["a", "b"].map(|name| design["x"][name].as_f64().expect("a number"))
}

/// A bowl with its least value 0 at (0.3, 0.7), where the sum of both is within the limit of 1.2.
fn bowl([a, b]: [f64; 2]) -> (f64, f64) {
    ((a - 0.3).powi(2) + (b - 0.7).powi(2), a + b)
}

/// Tells the results of designs, and returns how many these were.
fn tell(folder: &TempDir, asked: &Value) -> usize {
    let designs = asked["designs"].as_array().expect("designs");
    let result = |design: &Value| {
        let (f, g) = bowl(place(design));
        json!({"id": design["id"], "values": {"f": f, "g": g}, "hours": 0.25})
    };
    let results = json!({"designs": designs.iter().map(result).collect::<Vec<_>>()});
    write(folder, "results.json", results.to_string().as_bytes());
    let said = succeeds(folder, &["study", "study.yaml", "--tell", "results.json"]);
    assert_eq!(
        said,
        format!("results recorded: {}, designs waiting: 0\n", designs.len())
    );
    designs.len()
}

#[test]
fn a_method_of_the_study_serves_a_solver_from_elsewhere() {
    for (method, runs) in [
        (
            "method: ego\ndoe: {kind: lhs, count: 6}\nego: {budget: 20, batch: 2}",
            20,
        ),
        ("method: de\nde: {population: 5, generations: 3, seed: 2}", 20),
        ("doe: {kind: full-factorial, levels: 3}", 9),
    ] {
        let folder = with_study(method);
        let (mut told, mut least) = (0, f64::INFINITY);
        loop {
            let asked = ask(&folder, &[]);
            let designs = asked["designs"].as_array().expect("designs");
            assert_eq!(asked["finished"], designs.is_empty(), "{method}");
            if designs.is_empty() {
                break;
            }
            // Who asks again before telling gets the same designs.
            assert_eq!(ask(&folder, &[]), asked);
            assert_eq!(asked["variables"][1], json!({"name": "b", "range": [0.0, 1.0]}));
            assert_eq!(asked["objectives"], json!([{"name": "f", "minimise": true}]));
            assert_eq!(asked["constraints"], json!([{"name": "g", "at-most": 1.2}]));
            let first = &designs[0];
            let file = first["case-file"].as_str().expect("a path");
            assert!(folder.path().join(file).is_file(), "{file}");
            assert!(
                !folder.path().join(file).with_file_name("results").exists(),
                "nothing runs"
            );
            let kept = designs
                .iter()
                .map(|design| bowl(place(design)))
                .filter(|(_, g)| *g <= 1.2);
            least = kept.fold(least, |least, (f, _)| least.min(f));
            told += tell(&folder, &asked);
        }
        // A member of an evolution that stays is no new design.
        assert!(
            if method.contains("de:") {
                told > 10 && told <= runs
            } else {
                told == runs
            },
            "{method}: {told}"
        );
        if method.contains("ego") {
            assert!(least < 1e-3, "{least}");
        }
        let best = succeeds(&folder, &["study", "study.yaml", "--best", "1"]);
        assert!(best.contains("d_00"), "{best}");
        let table = fs::read_to_string(folder.path().join("designs/study.jsonl")).expect("the table");
        assert!(table.lines().all(|line| line.contains("\"told\":true")), "{table}");
        succeeds(&folder, &["study", "study.yaml", "--report"]);
    }
}

#[test]
fn an_optimiser_from_elsewhere_brings_designs_that_run() {
    let folder = folder();
    write(&folder, "run.yaml", CASE.as_bytes());
    let study = "case: run.yaml\nvariables: {steps: {values: [5, 10, 15], set: time.steps}}\n\
        objectives: {cost: {from: run.steps}}\nmethod: guest\nrun: {workers: 1}\n";
    write(&folder, "study.yaml", study.as_bytes());
    let idle = succeeds(&folder, &["study", "study.yaml"]);
    assert!(idle.contains("no design waits"), "{idle}");
    succeeds(&folder, &["study", "study.yaml", "--check"]);
    write(
        &folder,
        "new.json",
        br#"{"designs": [{"x": {"steps": 15}}, {"x": {"steps": 5}}]}"#,
    );
    let brought = ask(&folder, &["new.json"]);
    let ids = |asked: &Value| -> Vec<String> {
        let designs = asked["designs"].as_array().expect("designs").iter();
        designs
            .map(|design| design["id"].as_str().expect("a name").to_owned())
            .collect()
    };
    assert_eq!(ids(&brought), ["d_0000", "d_0001"]);
    succeeds(&folder, &["study", "study.yaml"]);
    // A design that is there already is not planned again, and its result is known.
    write(
        &folder,
        "more.json",
        br#"{"designs": [{"x": {"steps": 5}}, {"x": {"steps": 10}}]}"#,
    );
    let more = ask(&folder, &["more.json"]);
    assert_eq!(ids(&more), ["d_0001", "d_0002"]);
    assert_eq!(more["designs"][0]["values"], json!({"cost": 5.0}));
    assert_eq!(more["designs"][0].get("told"), None);
    let states: Vec<&Value> = more["designs"]
        .as_array()
        .expect("designs")
        .iter()
        .map(|d| &d["state"])
        .collect();
    assert_eq!(states, ["done", "planned"]);
}

#[test]
fn what_cannot_be_a_design_or_a_result_is_refused_as_a_whole() {
    let folder = with_study("doe: {kind: full-factorial, levels: 2}");
    let good = json!({"f": 1.0, "g": 1.0});
    ask(&folder, &[]);
    let one = |entry: Value| json!({"designs": [{"id": "d_0000", "values": good}, entry]}).to_string();
    let results: BTreeMap<&str, String> = BTreeMap::from([
        ("`g` is missing", one(json!({"id": "d_0001", "values": {"f": 1.0}}))),
        (
            "no objective or constraint `h`",
            one(json!({"id": "d_0001", "values": {"f": 1.0, "g": 1.0, "h": 1.0}})),
        ),
        (
            "there is no design d_0009",
            one(json!({"id": "d_0009", "values": good})),
        ),
        ("d_0000 is told twice", one(json!({"id": "d_0000", "values": good}))),
        (
            "the hours are -1",
            one(json!({"id": "d_0001", "values": good, "hours": -1.0})),
        ),
        (
            "has values, and `failed` too",
            one(json!({"id": "d_0001", "values": good, "failed": "x"})),
        ),
        ("missing field `designs`", "{}".to_owned()),
    ]);
    for (part, text) in results {
        write(&folder, "results.json", text.as_bytes());
        refuses(
            &folder,
            &["study", "study.yaml", "--tell", "results.json"],
            &["--tell results.json", part],
        );
        assert!(!folder.path().join("designs/d_0000/result.json").exists(), "{part}");
    }
    for (part, x) in [
        ("no variable `c`", json!({"a": 0.5, "b": 0.5, "c": 1.0})),
        ("the variable `b` is missing", json!({"a": 0.5})),
        (
            "`2` is no value of `a`, which may be 0 to 1",
            json!({"a": 2.0, "b": 0.5}),
        ),
    ] {
        write(
            &folder,
            "new.json",
            json!({"designs": [{"x": x}]}).to_string().as_bytes(),
        );
        refuses(
            &folder,
            &["study", "study.yaml", "--ask", "new.json"],
            &["--ask new.json: designs[0].x: ", part],
        );
    }
    let failed = json!({"designs": [{"id": "d_0000", "failed": "no mesh"}]});
    write(&folder, "results.json", failed.to_string().as_bytes());
    let tell = ["study", "study.yaml", "--tell", "results.json"];
    assert_eq!(succeeds(&folder, &tell), "results recorded: 1, designs waiting: 3\n");
    refuses(&folder, &tell, &["d_0000 has ended already: failed(lost)"]);
    let status = succeeds(&folder, &["study", "study.yaml", "--status"]);
    assert!(status.contains("no mesh (told)"), "{status}");
}
