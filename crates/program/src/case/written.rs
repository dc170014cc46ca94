//! The case as text once more: all its keys with the overrides in their places, as YAML that this program reads.

use std::path::Path;

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use super::paths::move_files;
use super::resolved::Case;
use super::tree::{Node, Value};

/// Largest number that is written without a fraction if it has none: beyond 2^53 not all are exact.
const LARGEST_WHOLE: f64 = 9_007_199_254_740_992.0;

impl Case {
    /// Returns the text of the case with all overrides applied. With `directory`, the paths of the files that it reads
    /// begin with it, so that the text can stand anywhere.
    pub fn written(&self, directory: Option<&Path>) -> String {
        let mut tree = self.source.tree.clone();
        if let Some(directory) = directory {
            move_files(&mut tree, directory);
        }
        serde_saphyr::to_string(&tree).expect("numbers and text can be written")
    }
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.value {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::Number(value) if value.fract() == 0.0 && value.abs() <= LARGEST_WHOLE => {
                serializer.serialize_i64(*value as i64)
            }
            Value::Number(value) => serializer.serialize_f64(*value),
            Value::Text(text) => serializer.serialize_str(text),
            Value::List(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                items.iter().try_for_each(|item| list.serialize_element(item))?;
                list.end()
            }
            Value::Map(entries) => {
                let mut map = serializer.serialize_map(Some(entries.len()))?;
                let mut written = |entry: &super::tree::Entry| map.serialize_entry(&entry.key, &entry.node);
                entries.iter().try_for_each(&mut written)?;
                map.end()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
title: 'no: it is 1e3'
mesh: {box: {cells: [4, 2*2, n], lower: [0, 0, -1e-7], upper: [1, 1, 0.1], periodic: [x, y, z]}}
order: 2
constants: {n: 3}
initial: {u: {file: a.csv, along: x}, v: 0, w: 0, p: 'max(1, 2)', temperature: 1}
time: {steps: 1, kahan: false}
";

    fn parse(text: &str, overrides: &[&str]) -> Case {
        let overrides: Vec<String> = overrides.iter().map(|set| (*set).to_owned()).collect();
        Case::parse(text, Path::new("run.yaml"), &overrides).unwrap_or_else(|e| panic!("{e}\n{text}"))
    }

    #[test]
    fn what_is_written_is_read_as_the_same_case() {
        let text = TEXT.replace("{file: a.csv, along: x}", "x");
        let case = parse(
            &text,
            &[
                "constants.n=5",
                "scheme.riemann=hllc",
                "time.steps=null",
                "time.end=0.3",
            ],
        );
        let written = case.written(None);
        let again = parse(&written, &[]);
        assert_eq!(again.written(None), written);
        assert_eq!(again.solver.mesh, case.solver.mesh);
        assert_eq!((again.title, again.run), (case.title, case.run));
        assert_eq!(again.solver.scheme, case.solver.scheme);
        assert!(!written.contains("# --set"), "{written}");
    }
}
