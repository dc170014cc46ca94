//! Tables must be read or refused: series of a run, and profiles from which a case takes its fields.

use std::path::Path;

use fr_les::case::Case;
use fr_les::io::TableFile;

use super::parts;

const CASE: &str = "\
mesh: {box: {cells: [1, 1, 1], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, y, z]}}
order: 2
initial: {v: 0, w: 0, p: 1, rho: 1}
time: {steps: 1}
";

/// What the velocity may be a function of.
const FIELDS: [&str; 5] = [
    "{file: table.csv, along: y}",
    "{file: table.csv, along: y, interpolation: cubic}",
    "{file: table.csv, along: [y, z]}",
    "{file: table.csv, along: [radius, angle], axis: x}",
    "{file: table.csv, along: [x, z], interpolation: cubic}",
];

/// Reads bytes as a table.
pub fn run(bytes: &[u8]) {
    let folder = tempfile::tempdir().expect("temporary directory");
    parts::write(folder.path(), "table.csv", bytes);
    if let Ok(TableFile { table, .. }) = TableFile::read(&folder.path().join("table.csv")) {
        assert!(table.columns.iter().all(|column| column.len() == table.lines.len()));
    }
    FIELDS.iter().for_each(|field| evaluate(folder.path(), field));
}

/// Reads a case whose velocity is this field, and evaluates it.
fn evaluate(folder: &Path, field: &str) {
    match Case::parse(CASE, &folder.join("run.yaml"), &[format!("initial.u={field}")]) {
        Ok(case) => {
            let field = &case.solver.initial.state().expect("fields").velocity[0];
            for x in [[0.0; 3], [0.5; 3], [1.0, -2.0, 1e300], [f64::MIN_POSITIVE, -0.0, 0.5]] {
                let value = field.eval(x, 0.0);
                assert_eq!(value.to_bits(), field.eval(x, 0.0).to_bits(), "{x:?}");
            }
        }
        Err(error) => assert!(error.to_string().starts_with("error: ")),
    }
}
