//! Studies whose variables do not fit their case, or the designs that there are.

use crate::common::program::{folder, names, refuses, succeeds, write};

const CASE: &str = "\
mesh: {box: {cells: [2, 2, 2], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, y, z]}}
order: 2
constants: {speed: 1}
initial: {u: speed, v: 0, w: 0, p: 70, rho: 1}
device: cpu
time: {steps: 1}
output: {integrals: {every-steps: 1}}
";

const STUDY: &str = "\
case: run.yaml
variables: {a: {range: [0.5, 1.5], set: constants.speed}}
objectives: {energy: {from: integrals.kinetic_energy}}
METHOD
run: {workers: 1, threads: 1}
output: results
";

const METHODS: [&str; 3] = [
    "doe: {kind: lhs, count: 2, seed: 1}",
    "method: de\nde: {population: 4, generations: 1, seed: 2}",
    "method: ego\ndoe: {kind: lhs, count: 2, seed: 2}\nego: {budget: 3, seed: 4}",
];

#[test]
fn designs_of_other_variables_are_not_mixed() {
    for method in METHODS {
        let folder = folder();
        let text = STUDY.replace("METHOD", method);
        write(&folder, "run.yaml", CASE.as_bytes());
        write(&folder, "study.yaml", text.as_bytes());
        succeeds(&folder, &["study", "study.yaml"]);
        let designs = names(&folder.path().join("results"));
        for (from, to, now) in [
            ("[0.5, 1.5]", "[0.5, 1.6]", "a sets constants.speed: 0.5 to 1.6"),
            (
                "range: [0.5, 1.5]",
                "values: [0.5, 1]",
                "a sets constants.speed: 0.5, 1",
            ),
            (
                "constants.speed}",
                "constants.speed}, b: {range: [1, 2], set: time.end}",
                "b sets time.end: 1 to 2",
            ),
        ] {
            write(&folder, "study.yaml", text.replace(from, to).as_bytes());
            let parts = ["variables.txt", now, "name a new directory in `output`"];
            refuses(&folder, &["study", "study.yaml"], &parts);
            assert_eq!(names(&folder.path().join("results")), designs, "{method}");
        }
        write(&folder, "study.yaml", text.as_bytes());
        let log = succeeds(&folder, &["study", "study.yaml"]);
        assert!(!log.contains("starts:"), "{log}");
    }
}

#[test]
fn a_variable_of_an_unknown_constant_is_refused() {
    let folder = folder();
    let text = STUDY.replace("METHOD", METHODS[0]);
    write(&folder, "run.yaml", CASE.as_bytes());
    for (constant, help) in [
        ("sped", "did you mean `constants.speed`?"),
        ("B", "add it to the `constants`"),
    ] {
        let wrong = text.replace("constants.speed", &format!("constants.{constant}"));
        write(&folder, "study.yaml", wrong.as_bytes());
        let what = format!("the case has no constant `{constant}`");
        for arguments in [&["study", "study.yaml", "--check"][..], &["study", "study.yaml"]] {
            refuses(&folder, arguments, &[&what, "variables.a.set", help]);
        }
    }
}
