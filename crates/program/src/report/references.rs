//! What a report lays beside a run: tables of measurements or of other computations, which the user names.

use std::path::{Path, PathBuf};

use super::run::Error;
use crate::io::{Table, read_series};
use crate::plot::blades::{Distribution, is_distribution};

/// Values from elsewhere.
#[derive(Debug, Default)]
pub struct References {
    /// Points along a blade.
    pub(super) blade: Option<Distribution>,
    /// Values of results, with the end of the name that a result has.
    results: Vec<(String, f64)>,
}

impl References {
    /// Reads the tables. Each has points along a blade, or results in its only row.
    ///
    /// # Errors
    /// A file cannot be read or is neither, or two of them have points along a blade.
    pub fn read(files: &[PathBuf]) -> Result<Self, Error> {
        let mut found = References::default();
        for path in files {
            let table = read_series(path)?;
            if is_distribution(&table) {
                let label = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                let blade = Distribution::read_reference(label, path)?;
                if found.blade.replace(blade).is_some() {
                    let what = "another --reference has points along a blade already";
                    return Err(refused(path, what));
                }
            } else {
                found.results.extend(results(&table, path)?);
            }
        }
        Ok(found)
    }

    /// Returns the value for a result of this name, as `traverses.wake.omega`: that with the longest end of it.
    pub(super) fn of(&self, name: &str) -> Option<f64> {
        let ends = |end: &str| name == end || name.strip_suffix(end).is_some_and(|rest| rest.ends_with('.'));
        let known = self.results.iter().filter(|(end, _)| ends(end));
        known.max_by_key(|(end, _)| end.len()).map(|(_, value)| *value)
    }

    /// Returns whether there are values of results.
    pub(super) fn has_results(&self) -> bool {
        !self.results.is_empty()
    }
}

/// Returns the results in the only row of a table.
fn results(table: &Table, path: &Path) -> Result<Vec<(String, f64)>, Error> {
    let one = |column: &Vec<f64>| match column[..] {
        [value] => Some(value),
        _ => None,
    };
    let values: Option<Vec<f64>> = table.columns.iter().map(one).collect();
    let values = values.ok_or_else(|| {
        let what = "a reference of a report has the column x_over_C with M_is, C_p or C_f, or one row of results, \
                    whose names are those of results.json or their ends, as `zeta` or `wake.zeta`";
        refused(path, what)
    })?;
    Ok(table.names.iter().cloned().zip(values).collect())
}

fn refused(path: &Path, what: &str) -> Error {
    Error::Reference {
        path: path.to_path_buf(),
        what: what.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_takes_the_reference_with_the_longest_end_of_its_name() {
        let references = References {
            blade: None,
            results: [("zeta", 1.0), ("wake.zeta", 2.0), ("x", 3.0)]
                .map(|(name, value)| (name.to_owned(), value))
                .to_vec(),
        };
        assert_eq!(references.of("traverses.wake.zeta"), Some(2.0));
        assert_eq!(references.of("traverses.exit.zeta"), Some(1.0));
        assert_eq!(references.of("zeta"), Some(1.0));
        assert_eq!(references.of("blades.a.C_x"), None);
    }
}
