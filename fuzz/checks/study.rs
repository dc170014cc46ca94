//! Study files, the designs that they name and the records of designs must be read or refused.

use fr_les::study::{Store, Study, experiment, report};

use super::parts;

/// The case of the studies.
const CASE: &[u8] = b"\
mesh: {box: {cells: [n, 1, 1], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, y, z]}}
order: 2
constants: {n: 2, a: 1}
gas: {viscosity: {constant: 1/100}}
initial: {u: a, v: 0, w: 0, p: 1, temperature: 1}
time: {steps: 1}
output: {integrals: {every-steps: 1}}
";

/// Reads a part of the bytes as a study, the next one as its table of designs, and the third one as the record of a
/// design.
pub fn run(bytes: &[u8]) {
    let folder = parts::folder(bytes, &["study.yaml", "designs.csv", "d_0001/result.json"]);
    parts::write(folder.path(), "run.yaml", CASE);
    let study = match Study::read(&folder.path().join("study.yaml")) {
        Ok(study) => study,
        Err(error) => return assert!(error.to_string().starts_with("error: ")),
    };
    let middle = vec![vec![0.5; study.variables.len()]];
    for design in experiment::at_points(&study.variables, &middle) {
        let checked = study.check_retries(&design, folder.path());
        if let Err(error) = checked.and_then(|()| study.plan(&design)) {
            assert!(error.to_string().starts_with("error: "));
        }
    }
    let store = Store::new(folder.path());
    match store.load() {
        Ok(designs) => {
            let records: Vec<_> = designs.into_iter().map(|design| design.record).collect();
            assert!(report::of(&study, &store, &records).page.ends_with("</html>\n"));
            assert!(report::csv(&study, &records).lines().count() > records.len());
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
