//! What a report is made of: the files in the output directory of a run, as far as they can be read.

use std::path::{Path, PathBuf};

use crate::case::Case;
use crate::io::{self, RunRecord, Table, TableFile};
use crate::physics::Gas;

/// An error between the files of a run and its report.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file could not be read.
    #[error(transparent)]
    File(#[from] io::Error),
    /// The directory holds nothing of a run.
    #[error(
        "{} has no run.json and no table of a run: name the output directory of a run (`output.directory` of the case)",
        .0.display()
    )]
    Empty(PathBuf),
    /// A file was named in place of the directory.
    #[error("{} is a file: name the output directory of a run (`output.directory` of the case)", .0.display())]
    NoDirectory(PathBuf),
    /// A table of values from elsewhere cannot be laid beside a run.
    #[error("{}: {what}", path.display())]
    Reference {
        /// The table.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// A figure could not be turned into pixels.
    #[error(transparent)]
    Figure(#[from] crate::plot::Error),
    /// The files of the directory cannot be listed.
    #[error("cannot list {}: {error}", path.display())]
    List {
        /// The directory.
        path: PathBuf,
        /// The reason.
        error: std::io::Error,
    },
}

/// What a report is made of.
pub(super) struct Run {
    /// The record of the run; runs of early versions have none.
    pub(super) record: Option<RunRecord>,
    /// The case, if the record holds one that can be read.
    pub(super) case: Option<Case>,
    /// Tables in the alphabetical order of their names.
    pub(super) tables: Vec<TableFile>,
    /// The newest file of each sequence of slices, by the name of the slice, in alphabetical order.
    pub(super) slices: Vec<(String, PathBuf)>,
    /// The newest file of surfaces.
    pub(super) surfaces: Option<PathBuf>,
    /// The report of a steady solution on its mesh.
    pub(super) adequacy: Option<String>,
    /// Files that could not be read, with the reason.
    pub(super) unread: Vec<String>,
}

impl Run {
    /// Reads the files of a run in its output directory.
    ///
    /// # Errors
    /// The directory cannot be listed, or holds nothing of a run.
    pub(super) fn read(directory: &Path) -> Result<Self, Error> {
        let list = |error| Error::List {
            path: directory.to_path_buf(),
            error,
        };
        if directory.is_file() {
            return Err(Error::NoDirectory(directory.to_path_buf()));
        }
        let mut names: Vec<String> = Vec::new();
        for entry in std::fs::read_dir(directory).map_err(list)? {
            names.extend(entry.map_err(list)?.file_name().into_string());
        }
        names.sort_unstable();
        let mut unread = Vec::new();
        let mut tables = Vec::new();
        for stem in names.iter().filter_map(|name| name.strip_suffix(".csv")) {
            match TableFile::read(&directory.join(format!("{stem}.csv"))) {
                Ok(table) => tables.push(table),
                Err(error) => unread.push(error.to_string()),
            }
        }
        let record = if names.iter().any(|name| name == io::RUN_RECORD) {
            RunRecord::read_beside_lock(directory)
                .map_err(|error| unread.push(error.to_string()))
                .ok()
        } else {
            None
        };
        if record.is_none() && tables.is_empty() {
            return Err(Error::Empty(directory.to_path_buf()));
        }
        let slices = newest(&names, "slices_").into_iter();
        let slices = slices.map(|(name, file)| (name.trim_start_matches("slices_").to_owned(), directory.join(file)));
        let adequacy = if names.iter().any(|name| name == io::STEADY_ADEQUACY) {
            io::read_input(&directory.join(io::STEADY_ADEQUACY))
                .map_err(|error| unread.push(error.to_string()))
                .map(|text| String::from_utf8_lossy(&text).into_owned())
                .ok()
        } else {
            None
        };
        let surfaces = newest(&names, "surfaces").into_iter().next();
        let case = |record: &RunRecord| Case::recorded(&record.case, Path::new(io::RUN_RECORD)).ok();
        Ok(Run {
            case: record.as_ref().and_then(case),
            record,
            tables,
            slices: slices.collect(),
            surfaces: surfaces.map(|(_, file)| directory.join(file)),
            adequacy,
            unread,
        })
    }

    pub(super) fn gas(&self) -> Option<&Gas> {
        self.case.as_ref().map(|case| &case.solver.gas)
    }

    pub(super) fn table(&self, name: &str) -> Option<&Table> {
        self.tables
            .iter()
            .find(|file| file.name() == name)
            .map(|file| &file.table)
    }
}

/// Returns the newest file of each sequence `NAME_NNNN.vtkhdf` whose name begins with `prefix`, from sorted names.
fn newest(names: &[String], prefix: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for name in names.iter().filter(|name| name.starts_with(prefix)) {
        let Some((stem, number)) = name.strip_suffix(".vtkhdf").and_then(|stem| stem.rsplit_once('_')) else {
            continue;
        };
        if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            continue;
        }
        match found.iter_mut().find(|(known, _)| known == stem) {
            // Numbers have four digits at least, so that a longer name is a later one.
            Some((_, file)) if (file.len(), file.as_str()) < (name.len(), name.as_str()) => *file = name.clone(),
            Some(_) => {}
            None => found.push((stem.to_owned(), name.clone())),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_file_of_each_sequence_has_the_largest_number() {
        let names = [
            "slices_a_0001.vtkhdf",
            "slices_a_10000.vtkhdf",
            "slices_a_9999.vtkhdf",
            "slices_b_0000.vtkhdf",
            "slices_b_note.vtkhdf",
            "solution_0003.vtkhdf",
        ]
        .map(str::to_owned);
        let found = newest(&names, "slices_");
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(
            found,
            [
                pair("slices_a", "slices_a_10000.vtkhdf"),
                pair("slices_b", "slices_b_0000.vtkhdf")
            ]
        );
    }
}
