//! Files of an earlier run in the directory of a new one.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::{Error, RESULTS, RUN_RECORD, STEADY_ADEQUACY, STEADY_CHECKPOINT};

/// First line of every table and series that this program writes.
const HEAD: &[u8] = b"# version: fr-les ";

/// Returns the names of the files that an earlier run has written in a directory, sorted; none if there is no such
/// directory. To be called by one rank.
///
/// Files are told by their names (checkpoints and `.vtkhdf` files with their lists), and tables by the version in their
/// first line. Meshes, case files and figures are not among them.
pub fn files_of_previous_run(directory: &Path) -> Result<Vec<String>, Error> {
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
    let tables: Vec<&str> = names.iter().filter_map(|name| table(directory, name)).collect();
    let of_a_run = names.iter().filter(|name| {
        let stem = name.strip_suffix(".h5");
        is_of_a_run(name)
            || name.strip_suffix(".csv").is_some_and(|stem| tables.contains(&stem))
            // The same table for programs: statistics.h5 beside statistics.csv.
            || stem.is_some_and(|stem| tables.contains(&stem))
    });
    Ok(of_a_run.cloned().collect())
}

/// Moves the files that an earlier run has written in a directory ([`files_of_previous_run`]) into its new subdirectory
/// `previous-N`, and returns the subdirectory; `None` if there are no such files. To be called by one rank.
pub fn move_previous_run(directory: &Path) -> Result<Option<PathBuf>, Error> {
    let moved = files_of_previous_run(directory)?;
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

/// Returns whether a file has the name of a checkpoint, of a solution or of another file for ParaView, of
/// statistics, of a picture of a slice, of the record or the results of the run, or of a steady solution.
fn is_of_a_run(name: &str) -> bool {
    let steps = name
        .strip_prefix("checkpoint_")
        .and_then(|rest| rest.strip_suffix(".h5"));
    let checkpoint = steps.is_some_and(|steps| !steps.is_empty() && steps.bytes().all(|b| b.is_ascii_digit()));
    // Means over one direction are not written as a table.
    checkpoint
        || [RUN_RECORD, RESULTS, STEADY_CHECKPOINT, STEADY_ADEQUACY].contains(&name)
        || name == "statistics.h5"
        || (name.starts_with("solution-mesh_") && name.ends_with(".h5"))
        || name.ends_with(".vtkhdf")
        || name.ends_with(".vtkhdf.series")
        // Pictures beside the files of slices.
        || (name.starts_with("slices_") && name.ends_with(".png"))
}

/// Returns the name without `.csv` of a table that this program has written.
fn table<'a>(directory: &Path, name: &'a str) -> Option<&'a str> {
    let stem = name.strip_suffix(".csv")?;
    let mut head = [0; HEAD.len()];
    File::open(directory.join(name)).ok()?.read_exact(&mut head).ok()?;
    (head == HEAD).then_some(stem)
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
        ];
        let others = [
            "mesh.h5",
            "measured.csv",
            "case.yaml",
            "checkpoint_old.h5",
            "profile.svg",
            "profile.png",
        ];
        for name in of_a_run.iter().chain(&others) {
            write(
                name,
                if *name == "statistics.csv" {
                    "# version: fr-les 0.1.0\n"
                } else {
                    "y,u\n"
                },
            );
        }
        let moved = move_previous_run(directory.path()).expect("moved").expect("some");
        assert_eq!(moved, directory.path().join("previous-1"));
        for name in of_a_run {
            assert!(
                moved.join(name).exists() && !directory.path().join(name).exists(),
                "{name}"
            );
        }
        assert!(others.iter().all(|name| directory.path().join(name).exists()));
        assert_eq!(move_previous_run(directory.path()).expect("listed"), None);
        write("integrals.csv", "# version: fr-les 0.2.0\n");
        let moved = move_previous_run(directory.path()).expect("moved");
        assert_eq!(moved, Some(directory.path().join("previous-2")));
    }
}
