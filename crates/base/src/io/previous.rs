//! Files of an earlier run in the directory of a new one, which are told by their names.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::{
    Error, RESULTS, RUN_RECORD, STEADY_ADEQUACY, STEADY_BEFORE, STEADY_CHECKPOINT, STEADY_CONVERGENCE, STEADY_FIELDS,
    STEADY_WALLS,
};
use crate::input::is_name;

/// First line of every table and series that this program writes.
const HEAD: &[u8] = b"# version: fr-les ";

/// Tables whose names are fixed, without `.csv`; `.means` may follow.
const TABLES: [&str; 8] = [
    "integrals",
    "boundaries",
    "coefficients",
    "forcing",
    "bars",
    "statistics",
    "spectra",
    "correlations",
];

/// Starts of the tables that have a name of the case, and what may follow this name.
const NAMED_TABLES: [(&str, &[&str]); 5] = [
    ("probes_", &[""]),
    ("traverse_", &["", ".inlet", ".phase", ".history"]),
    ("annulus_", &["", ".map", ".history"]),
    ("blade_", &["", ".phase"]),
    ("boundary_layer_", &["", ".profile"]),
];

/// Files for ParaView of which a run keeps one.
const FIELDS: [&str; 3] = ["statistics.vtkhdf", "diverged.vtkhdf", "diverged-earlier.vtkhdf"];

/// Sequences of files for ParaView; a sequence of slices or probes has a name of the case.
const SEQUENCES: [&str; 3] = ["solution", "solution-subdivided", "surfaces"];
const NAMED_SEQUENCES: [&str; 2] = ["slices_", "probes_"];

/// What writes into a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writer {
    /// A run in time.
    Run,
    /// A steady solution, whose folder has the outputs of the case beside its own files.
    Steady,
}

impl Writer {
    /// Returns whether this is the name of a file that a run may write: the record, the results, a checkpoint, a
    /// solution or another file for ParaView, statistics, a table, a picture of a slice.
    pub fn has_name(self, name: &str) -> bool {
        let of_steady = self == Writer::Steady
            && ([
                STEADY_CHECKPOINT,
                STEADY_BEFORE,
                STEADY_ADEQUACY,
                STEADY_FIELDS,
                STEADY_WALLS,
                STEADY_CONVERGENCE,
            ]
            .contains(&name)
                || between(name, "profile_", ".csv").is_some_and(is_name));
        of_steady
            // Means over one direction are not written as a table.
            || [RUN_RECORD, RESULTS, "statistics.h5"].contains(&name)
            || FIELDS.contains(&name)
            || between(name, "checkpoint_", ".h5").is_some_and(is_number)
            || between(name, "solution-mesh_", ".h5").is_some_and(is_name)
            || name.strip_suffix(".vtkhdf").and_then(without_number).is_some_and(is_sequence)
            || name.strip_suffix(".vtkhdf.series").is_some_and(is_sequence)
            || name.strip_suffix(".csv").is_some_and(is_table)
            || between(name, "slices_", ".png").is_some_and(is_picture)
    }

    /// Returns whether a file lies in a directory under the name of a file that a run writes there, so that the run
    /// would move it away or replace it. A link is both the file that it names and the link itself.
    pub fn claims(self, directory: &Path, file: &Path) -> bool {
        let real = |path: &Path| {
            fs::canonicalize(if path.as_os_str().is_empty() {
                Path::new(".")
            } else {
                path
            })
            .ok()
        };
        let Some(directory) = real(directory) else { return false };
        let link = file
            .parent()
            .and_then(real)
            .zip(file.file_name())
            .map(|(parent, name)| parent.join(name));
        let places = [link, real(file)].into_iter().flatten();
        let mut names = places
            .filter(|place| place.parent() == Some(&directory))
            .filter_map(|place| {
                let name = place.file_name()?.to_str()?;
                Some(self.has_name(name))
            });
        names.any(|claimed| claimed)
    }
}

/// Returns what stands between the start and the end of a name.
fn between<'a>(name: &'a str, start: &str, end: &str) -> Option<&'a str> {
    name.strip_prefix(start)?.strip_suffix(end)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// Returns the name of a sequence from that of one of its files without `.vtkhdf`.
fn without_number(stem: &str) -> Option<&str> {
    let (name, number) = stem.rsplit_once('_')?;
    is_number(number).then_some(name)
}

fn is_sequence(name: &str) -> bool {
    let named = |start: &str| name.strip_prefix(start).is_some_and(is_name);
    SEQUENCES.contains(&name) || NAMED_SEQUENCES.into_iter().any(named)
}

fn is_table(stem: &str) -> bool {
    let named = |(start, parts): &(&str, &[&str])| {
        let rest = stem.strip_prefix(start);
        rest.is_some_and(|rest| parts.iter().any(|part| rest.strip_suffix(part).is_some_and(is_part)))
    };
    let series = stem.strip_suffix(".means").unwrap_or(stem);
    TABLES.contains(&series) || NAMED_TABLES.iter().any(named)
}

/// Returns whether this is a name of the case, which the number of a section may follow.
fn is_part(name: &str) -> bool {
    let section = name.rsplit_once(".section-").filter(|(_, number)| is_number(number));
    is_name(section.map_or(name, |(name, _)| name))
}

/// Returns whether NAME_NUMBER_QUANTITY stands between the start and the end of the name of a picture. A picture that
/// was drawn for a report has no number.
fn is_picture(rest: &str) -> bool {
    let parts: Vec<&str> = rest.rsplitn(3, '_').collect();
    matches!(parts[..], [quantity, number, name] if is_name(quantity) && is_number(number) && is_name(name))
}

/// Returns the names of the files that an earlier run has written in a directory, sorted; none if there is no such
/// directory. To be called by one rank.
///
/// Files are told by their names ([`Writer::has_name`]), and tables by the version in their first line as well.
pub fn files_of_previous_run(directory: &Path, writer: Writer) -> Result<Vec<String>, Error> {
    if !directory.is_dir() {
        return Ok(Vec::new());
    }
    let mut names = Vec::new();
    for entry in fs::read_dir(directory).map_err(Error::os("list", directory))? {
        let entry = entry.map_err(Error::os("list", directory))?;
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        names.extend(entry.file_name().into_string().ok().filter(|_| is_file));
    }
    names.sort_unstable();
    names
        .retain(|name| writer.has_name(name) && (!name.ends_with(".csv") || is_of_this_program(&directory.join(name))));
    Ok(names)
}

/// Moves the files that an earlier run has written in a directory ([`files_of_previous_run`]) into its new subdirectory
/// `previous-N`, and returns the subdirectory; `None` if there are no such files. To be called by one rank.
pub fn move_previous_run(directory: &Path, writer: Writer) -> Result<Option<PathBuf>, Error> {
    let moved = files_of_previous_run(directory, writer)?;
    if moved.is_empty() {
        return Ok(None);
    }
    let free = |number: &u32| !directory.join(format!("previous-{number}")).exists();
    let number = (1..u32::MAX).find(free).unwrap_or(u32::MAX);
    let to = directory.join(format!("previous-{number}"));
    fs::create_dir(&to).map_err(Error::os("create", &to))?;
    for name in moved {
        let path = directory.join(&name);
        fs::rename(&path, to.join(&name)).map_err(Error::os("move", &path))?;
    }
    Ok(Some(to))
}

/// Returns whether a table begins as those of this program.
fn is_of_this_program(table: &Path) -> bool {
    let mut head = [0; HEAD.len()];
    let read = File::open(table).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head == HEAD
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_run_are_moved_and_others_stay() {
        let directory = tempfile::tempdir().expect("a directory");
        let write = |name: &str, text: &str| fs::write(directory.path().join(name), text).expect("written");
        let of_a_run = [
            "checkpoint_00000040.h5",
            "solution_0002.vtkhdf",
            "solution.vtkhdf.series",
            "statistics.csv",
            "statistics.h5",
            "results.json",
            "slices_mid_0002_mach.png",
            "slices_mid_0002_q-criterion.png",
            "probes_wake_0001.vtkhdf",
            "traverse_out.history.csv",
            "blade_tip.section-2.csv",
            "blade_tip.section-2.phase.csv",
        ];
        let others = [
            "mesh.h5",
            "measured.csv",
            "case.yaml",
            "checkpoint_old.h5",
            "profile.svg",
            "profile.png",
            // As these begin with the version, they are copies of tables of runs.
            "mine.csv",
            "probes_wake.spectrum.csv",
            "blade_tip.section-old.csv",
            "slices_old.png",
            "slices_mid_mach.png",
            "blade.vtkhdf",
            "steady.h5",
        ];
        for name in of_a_run.iter().chain(&others) {
            write(
                name,
                if name.ends_with(".csv") && *name != "measured.csv" {
                    "# version: fr-les 0.1.0\n"
                } else {
                    "y,u\n"
                },
            );
        }
        let moved = move_previous_run(directory.path(), Writer::Run)
            .expect("moved")
            .expect("some");
        assert_eq!(moved, directory.path().join("previous-1"));
        for name in of_a_run {
            assert!(
                moved.join(name).exists() && !directory.path().join(name).exists(),
                "{name}"
            );
        }
        assert!(others.iter().all(|name| directory.path().join(name).exists()));
        assert_eq!(move_previous_run(directory.path(), Writer::Run).expect("listed"), None);
        write("integrals.csv", "# version: fr-les 0.2.0\n");
        let moved = move_previous_run(directory.path(), Writer::Run).expect("moved");
        assert_eq!(moved, Some(directory.path().join("previous-2")));
    }

    #[test]
    fn files_under_names_of_a_run_are_claimed_in_its_own_directory_alone() {
        let folder = tempfile::tempdir().expect("a directory");
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("results/previous-1")).expect("made");
        for name in [
            "solution_0003.vtkhdf",
            "results/steady.h5",
            "results/previous-1/solution_0003.vtkhdf",
        ] {
            fs::write(at(name), "").expect("written");
        }
        fs::write(at("results/solution_0003.vtkhdf"), "").expect("written");
        std::os::unix::fs::symlink(at("results/solution_0003.vtkhdf"), at("link")).expect("a link");
        std::os::unix::fs::symlink(at("solution_0003.vtkhdf"), at("results/solution_0004.vtkhdf")).expect("a link");
        let claims = |name: &str| Writer::Run.claims(&at("results"), &at(name));
        for name in [
            "results/solution_0003.vtkhdf",
            "results/previous-1/../solution_0003.vtkhdf",
            "link",
            "results/solution_0004.vtkhdf",
        ] {
            assert!(claims(name), "{name}");
        }
        for name in [
            "solution_0003.vtkhdf",
            "results/previous-1/solution_0003.vtkhdf",
            "results/steady.h5",
            "nothing",
        ] {
            assert!(!claims(name), "{name}");
        }
        assert!(Writer::Steady.claims(&at("results"), &at("results/steady.h5")));
    }
}
