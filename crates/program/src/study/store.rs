//! The directory of a study: one directory a design, and the table of all that have ended.
//!
//! The directories are what counts. A design is there as soon as its directory has appeared under its name, with its
//! case and `design.json`; it has ended when `result.json` is there, which is written last. All three appear by a
//! rename. `study.jsonl` has a line for each design that has ended. It is written for readers, and is made anew from
//! the directories where it does not agree with them.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::io::{
    DirectoryLock, Error, atomic_write, create_directory, create_own_folder, open_to_append, read_input, refuse_link,
};

use super::record::{Record, State};
use crate::case::warn_of_results_elsewhere;

/// Name of the output directory of a design, beside its case.
pub const RESULTS: &str = "results";
/// Names of the files of a design.
const CASE: &str = "case.yaml";
const DESIGN: &str = "design.json";
const RESULT: &str = "result.json";
const LOG: &str = "log";
/// Start of the names of the output directories of attempts that a retry has followed.
const ATTEMPT: &str = "attempt_";
/// The table of the designs that have ended, a JSON object a line.
const TABLE: &str = "study.jsonl";
/// The variables of the designs, a line of text each.
pub(super) const VARIABLES: &str = "variables.txt";
/// Start of the name of every design.
const PREFIX: &str = "d_";

/// The directory of a study.
#[derive(Debug)]
pub struct Store {
    directory: PathBuf,
}

/// A design in its directory.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    /// What is known of it.
    pub record: Record,
    /// Whether its run has begun.
    pub begun: bool,
}

impl Store {
    /// Returns the store in a directory, which need not exist.
    pub fn new(directory: &Path) -> Self {
        Store {
            directory: directory.to_path_buf(),
        }
    }

    /// Warns of designs that the working directory has under the name of this directory, which the study file names.
    pub fn warn_of_results_elsewhere(&self, study: &Path) {
        let beside = study.parent().unwrap_or(Path::new(""));
        warn_of_results_elsewhere("output", &self.directory, beside, TABLE);
    }

    /// Creates the directory and locks it until the lock is dropped.
    ///
    /// # Errors
    /// The directory cannot be created, or another process works in it.
    pub fn lock(&self) -> Result<DirectoryLock, Error> {
        create_directory(&self.directory)?;
        DirectoryLock::take(&self.directory)
    }

    /// Returns the path of a file of the study.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// Returns the directory of a design.
    pub fn of(&self, id: &str) -> PathBuf {
        self.directory.join(id)
    }

    /// Returns the case file of a design.
    pub fn case_of(&self, id: &str) -> PathBuf {
        self.of(id).join(CASE)
    }

    /// Returns the output directory of the run of a design.
    pub fn results_of(&self, id: &str) -> PathBuf {
        self.of(id).join(RESULTS)
    }

    /// Opens the log of a design, to which each of its runs appends.
    pub fn log_of(&self, id: &str) -> Result<File, Error> {
        open_to_append(&self.of(id).join(LOG))
    }

    /// Returns all designs in the order of their names.
    ///
    /// # Errors
    /// A directory or a record cannot be read.
    pub fn load(&self) -> Result<Vec<Stored>, Error> {
        let mut ids = Vec::new();
        if self.directory.is_dir() {
            for entry in fs::read_dir(&self.directory).map_err(Error::os("list", &self.directory))? {
                let name = entry.map_err(Error::os("list", &self.directory))?.file_name();
                ids.extend(number(&name.to_string_lossy()).map(|number| (number, name)));
            }
        }
        ids.sort_unstable();
        ids.iter().map(|(_, name)| self.read(&name.to_string_lossy())).collect()
    }

    /// Returns a design.
    ///
    /// # Errors
    /// It is not there, or a record cannot be read.
    pub fn read(&self, id: &str) -> Result<Stored, Error> {
        let directory = self.of(id);
        if !directory.is_dir() {
            return Err(Error::Input {
                path: self.directory.clone(),
                detail: format!("there is no design {id}; `--status` lists those that there are"),
            });
        }
        refuse_link(&directory)?;
        refuse_link(&self.results_of(id))?;
        let ended = directory.join(RESULT);
        let path = if ended.is_file() { ended } else { directory.join(DESIGN) };
        let record = read_record(&path)?;
        // The name in the record becomes a word of commands and a part of paths.
        if record.id != id {
            return Err(Error::Input {
                detail: format!(
                    "this is the record of the design `{}`, not of {id}: restore or remove it",
                    record.id
                ),
                path,
            });
        }
        Ok(Stored {
            record,
            begun: directory.join(RESULTS).is_dir() || self.attempts(id) > 0,
        })
    }

    /// Returns the number of attempts at a design that a retry has followed.
    pub fn attempts(&self, id: &str) -> usize {
        (1..).take_while(|number| self.attempt(id, *number).is_dir()).count()
    }

    /// Returns the output directory of an attempt that a retry has followed, from number 1 on.
    pub fn attempt(&self, id: &str, number: usize) -> PathBuf {
        self.of(id).join(format!("{ATTEMPT}{number}"))
    }

    /// Makes way for a retry: removes the result of the last attempt, and renames its output directory. The number of
    /// such directories is what says which retry is the next one. A kill between both leaves a design that goes on with
    /// its last attempt.
    ///
    /// # Errors
    /// A file cannot be removed or renamed.
    pub fn set_aside(&self, id: &str) -> Result<(), Error> {
        let (result, results) = (self.of(id).join(RESULT), self.results_of(id));
        if result.is_file() {
            fs::remove_file(&result).map_err(Error::os("remove", &result))?;
        }
        create_own_folder(&results)?;
        let to = self.attempt(id, self.attempts(id) + 1);
        fs::rename(&results, &to).map_err(Error::os("rename", &results))
    }

    /// Returns whether a design has ended.
    pub fn has_ended(&self, id: &str) -> bool {
        self.of(id).join(RESULT).is_file()
    }

    /// Adds a design with its case file to `designs`, which are all that there are. It gets the next number as its
    /// name.
    pub fn plan(&self, designs: &mut Vec<Stored>, record: Record, text: &str) -> Result<(), Error> {
        let next = designs
            .last()
            .and_then(|last| number(&last.record.id))
            .map_or(0, |last| last + 1);
        let id = format!("{PREFIX}{next:04}");
        let record = Record { id, ..record };
        let hidden = self.directory.join(format!(".{}.part", record.id));
        if hidden.exists() {
            fs::remove_dir_all(&hidden).map_err(Error::os("remove", &hidden))?;
        }
        create_own_folder(&hidden)?;
        let head = format!("# {}: {}\n", record.id, record.describe());
        atomic_write(&hidden.join(CASE), (head + text).as_bytes())?;
        write_record(&hidden.join(DESIGN), &record)?;
        let path = self.of(&record.id);
        fs::rename(&hidden, &path).map_err(Error::os("rename", &hidden))?;
        designs.push(Stored { record, begun: false });
        Ok(())
    }

    /// Ends a design: writes its result.
    pub fn end(&self, record: &Record) -> Result<(), Error> {
        write_record(&self.of(&record.id).join(RESULT), record)
    }

    /// Brings the table up to date: appends the designs that have ended since it was written, or writes it anew if it
    /// has other lines than the directories say.
    pub fn update_table(&self, designs: &[Stored]) -> Result<(), Error> {
        let path = self.directory.join(TABLE);
        let ended = designs.iter().filter(|design| design.record.state != State::Planned);
        let lines: BTreeMap<&str, String> = ended.map(|d| (d.record.id.as_str(), line(&d.record))).collect();
        let text = read_input(&path).unwrap_or_default();
        let text = String::from_utf8(text).unwrap_or_default();
        let kept: Vec<&str> = text.lines().collect();
        let mut missing = lines.clone();
        let known = |line: &&str| {
            let record: Result<Record, _> = serde_json::from_str(line);
            record.is_ok_and(|record| missing.remove(record.id.as_str()).is_some_and(|there| there == *line))
        };
        let agrees = kept.iter().all(known) && (text.is_empty() || text.ends_with('\n'));
        let all = |lines: &BTreeMap<&str, String>| lines.values().map(|line| format!("{line}\n")).collect::<String>();
        if !agrees {
            atomic_write(&path, all(&lines).as_bytes())
        } else if missing.is_empty() {
            Ok(())
        } else {
            let mut file = open_to_append(&path)?;
            file.write_all(all(&missing).as_bytes())
                .map_err(Error::os("write", &path))
        }
    }

    /// Returns the variables of the designs in words, if they were kept.
    pub(super) fn variables(&self) -> Result<Option<Vec<String>>, Error> {
        let path = self.path(VARIABLES);
        if !path.is_file() {
            return Ok(None);
        }
        let text = read_input(&path)?;
        Ok(Some(
            String::from_utf8_lossy(&text).lines().map(str::to_owned).collect(),
        ))
    }

    /// Keeps the variables of the designs, so that designs of other variables are not mixed with them.
    pub(super) fn keep_variables(&self, variables: &[String]) -> Result<(), Error> {
        let lines: String = variables.iter().map(|variable| format!("{variable}\n")).collect();
        atomic_write(&self.path(VARIABLES), lines.as_bytes())
    }

    /// Removes the output of a run that left no checkpoint: its next run begins anew.
    ///
    /// # Errors
    /// It cannot be removed.
    pub fn clear_results(&self, id: &str) -> Result<(), Error> {
        let path = self.results_of(id);
        if path.is_dir() {
            fs::remove_dir_all(&path).map_err(Error::os("remove", &path))
        } else {
            Ok(())
        }
    }
}

/// Returns the number of a design of this name.
fn number(name: &str) -> Option<usize> {
    let digits = name.strip_prefix(PREFIX)?;
    digits
        .parse()
        .ok()
        .filter(|_| digits.bytes().all(|b| b.is_ascii_digit()))
}

fn line(record: &Record) -> String {
    serde_json::to_string(record).unwrap_or_default()
}

fn read_record(path: &Path) -> Result<Record, Error> {
    let text = read_input(path)?;
    serde_json::from_slice(&text).map_err(|error| Error::Input {
        path: path.to_path_buf(),
        detail: if path.ends_with(RESULT) {
            format!("this is no record of a design: {error}; remove the file, and the design runs again")
        } else {
            format!("this is no record of a design: {error}; remove its directory, and it is planned again")
        },
    })
}

fn write_record(path: &Path, record: &Record) -> Result<(), Error> {
    atomic_write(path, (line(record) + "\n").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::super::variable::Choice;
    use super::*;

    fn store() -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::new(&folder.path().join("study"));
        create_directory(&folder.path().join("study")).expect("created");
        let mut designs = Vec::new();
        for known in 0..3 {
            let x = BTreeMap::from([("n".to_owned(), Choice::Number(f64::from(known)))]);
            let record = Record::planned("doe", x, HASH.to_owned());
            store.plan(&mut designs, record, TEXT).expect("planned");
        }
        assert_eq!(designs, store.load().expect("designs"));
        (folder, store)
    }

    const TEXT: &str = "order: 2\n";
    const HASH: &str = "00ff";

    fn end(store: &Store, id: &str) {
        let record = store.read(id).expect("a design").record;
        let done = Record {
            state: State::Done,
            values: BTreeMap::from([("loss".to_owned(), 0.1)]),
            ..record
        };
        store.end(&done).expect("written");
    }

    fn table(store: &Store) -> Vec<String> {
        store.update_table(&store.load().expect("designs")).expect("a table");
        let text = fs::read_to_string(store.path(TABLE)).unwrap_or_default();
        let id = |line: &str| serde_json::from_str::<Record>(line).expect(line).id;
        text.lines().map(id).collect()
    }

    #[test]
    fn the_table_grows_as_designs_end_and_is_made_anew_where_it_is_wrong() {
        let (_folder, store) = store();
        assert!(table(&store).is_empty());
        end(&store, "d_0002");
        assert_eq!(table(&store), ["d_0002"]);
        end(&store, "d_0000");
        assert_eq!(table(&store), ["d_0002", "d_0000"], "appended");
        let good = fs::read_to_string(store.path(TABLE)).expect("the table");
        for bad in [
            "",
            "{\"id\":",
            &good[..good.len() - 1],
            &good.replace("0.1", "0.2"),
            &format!("{good}{good}"),
        ] {
            fs::write(store.path(TABLE), bad).expect("written");
            let mut ids = table(&store);
            ids.sort();
            assert_eq!(ids, ["d_0000", "d_0002"], "{bad:?}");
        }
        fs::remove_file(store.of("d_0000").join(RESULT)).expect("removed");
        assert_eq!(table(&store), ["d_0002"], "a design that is to run again");
    }

    #[test]
    fn designs_are_whole_or_not_there() {
        let (_folder, store) = store();
        // What a kill while a design was planned has left.
        fs::create_dir(store.path(".d_0003.part")).expect("made");
        fs::write(store.path(".d_0003.part").join(CASE), "ord").expect("written");
        fs::write(store.path("d_notes"), "").expect("written");
        let mut designs = store.load().expect("designs");
        let ids: Vec<&str> = designs.iter().map(|d| d.record.id.as_str()).collect();
        assert_eq!(ids, ["d_0000", "d_0001", "d_0002"]);
        let x = BTreeMap::from([("n".to_owned(), Choice::Number(7.0))]);
        let record = Record::planned("added", x, HASH.to_owned());
        store.plan(&mut designs, record, TEXT).expect("planned");
        let case = fs::read_to_string(store.case_of("d_0003")).expect("the case");
        assert_eq!(case, "# d_0003: n = 7\norder: 2\n");
        let error = store.read("d_0099").expect_err("is not there").to_string();
        assert!(error.contains("there is no design d_0099"), "{error}");
        fs::write(store.of("d_0001").join(RESULT), "{").expect("written");
        let error = store.load().expect_err("damaged").to_string();
        assert!(
            error.contains("d_0001/result.json") && error.contains("remove the file, and the design runs again"),
            "{error}"
        );
    }
}
