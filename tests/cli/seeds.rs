//! The seeds of the fuzz targets are read without a panic, both unchanged and with random damage.

use std::path::{Path, PathBuf};

use crate::checks;
use crate::common::program::{CASE, again, ended, run, run_case, with_case};
use crate::common::random::Random;

/// Environment variable with a file whose damaged copies are read by a separate process, because a fault in the HDF5
/// library would end the test binary.
const FILE: &str = "FR_LES_TEST_SEED";

/// Bytes that have a meaning in text formats.
const LETTERS: &[u8] = b"0123456789-+.e$\n :[]{}()*/^&!\"'#,xyzt";

/// All files of some folders of the repository.
fn files(folders: &[&str]) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all: Vec<PathBuf> = folders
        .iter()
        .flat_map(|folder| std::fs::read_dir(root.join(folder)).unwrap_or_else(|e| panic!("{folder}: {e}")))
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_file())
        .collect();
    all.sort();
    all
}

/// Passes bytes to a reader, and then `copies` damaged copies: truncated, or with up to four bytes changed.
fn replay(name: &Path, bytes: &[u8], copies: usize, read: fn(&[u8])) {
    println!("{}", name.display()); // shown where a test fails
    read(bytes);
    let mut random = Random(bytes.len() as u64);
    for copy in 0..if bytes.is_empty() { 0 } else { copies } {
        let mut damaged = bytes.to_vec();
        let at = |random: &mut Random| (random.next() * bytes.len() as f64) as usize;
        if copy % 3 == 0 {
            damaged.truncate(at(&mut random));
        } else {
            for _ in 0..=copy % 4 {
                let place = at(&mut random);
                damaged[place] = match copy % 2 {
                    0 => (random.next() * 256.0) as u8,
                    _ => LETTERS[(random.next() * LETTERS.len() as f64) as usize],
                };
            }
        }
        read(&damaged);
    }
}

fn replay_files(folders: &[&str], copies: usize, read: fn(&[u8])) {
    let files = files(folders);
    assert!(files.len() > 5, "{folders:?}");
    for path in files {
        replay(&path, &std::fs::read(&path).expect("a seed"), copies, read);
    }
}

#[test]
fn meshes_of_gmsh_are_read_or_refused() {
    replay_files(&["fuzz/seeds/gmsh", "tests/data"], 30, checks::gmsh::run);
}

#[test]
fn case_files_are_read_or_refused() {
    replay_files(&["fuzz/seeds/case", "tests/bad-cases"], 20, checks::case::run);
}

#[test]
fn expressions_are_read_or_refused() {
    replay_files(&["fuzz/seeds/expression"], 200, checks::expression::run);
}

#[test]
fn files_of_su2_are_read_or_refused() {
    replay_files(&["fuzz/seeds/su2"], 30, checks::su2::run);
}

#[test]
fn tables_are_read_or_refused() {
    replay_files(&["fuzz/seeds/table"], 30, checks::table::run);
}

#[test]
fn studies_are_read_or_refused() {
    replay_files(&["fuzz/seeds/study"], 30, checks::study::run);
}

/// Replays a whole file and the seeds of a folder in a separate process.
fn replay_apart(test: &str, whole: &Path) {
    let output = again(module_path!(), test, 1, FILE, whole).output();
    ended(&output.expect("mpirun starts"), 0);
}

/// The part of [`replay_apart`] that runs in the separate process.
fn in_a_process(whole: &Path, folder: &str, read: fn(&[u8])) {
    let universe = mpi::initialize().expect("MPI");
    replay(whole, &std::fs::read(whole).expect("the file"), 60, read);
    for path in files(&[folder]) {
        replay(&path, &std::fs::read(&path).expect("a seed"), 20, read);
    }
    drop(universe);
}

/// Replays the seeds of a folder in a separate process, which may print, and random inputs after them: the number of a
/// valid file and a few changes of it, for formats of HDF5.
fn replay_changes(test: &str, folder: &str, random: usize, read: fn(&[u8])) {
    if std::env::var_os(FILE).is_none() {
        return replay_apart(test, Path::new("none"));
    }
    let universe = mpi::initialize().expect("MPI");
    for path in files(&[folder]) {
        replay(&path, &std::fs::read(&path).expect("a seed"), 4, read);
    }
    let mut numbers = Random(1);
    for _ in 0..random {
        let changes = 1 + (3.0 * numbers.next()) as usize;
        let bytes: Vec<u8> = (0..=changes * checks::hdf5_changes::CHANGE)
            .map(|_| (256.0 * numbers.next()) as u8)
            .collect();
        println!("{bytes:?}");
        read(&bytes);
    }
    drop(universe);
}

#[test]
fn cgns_files_are_read_or_refused() {
    replay_changes(
        "cgns_files_are_read_or_refused",
        "fuzz/seeds/cgns",
        150,
        checks::cgns::run,
    );
}

#[test]
fn meshes_of_hopr_are_read_or_refused() {
    replay_changes(
        "meshes_of_hopr_are_read_or_refused",
        "fuzz/seeds/hopr",
        300,
        checks::hopr::run,
    );
}

#[test]
fn changed_meshes_are_read_or_refused() {
    replay_changes(
        "changed_meshes_are_read_or_refused",
        "fuzz/seeds/mesh",
        150,
        checks::mesh::run,
    );
}

#[test]
fn changed_checkpoints_are_read_or_refused() {
    replay_changes(
        "changed_checkpoints_are_read_or_refused",
        "fuzz/seeds/checkpoint",
        150,
        checks::checkpoint::run,
    );
}

#[test]
fn initial_states_are_read_or_refused() {
    replay_changes(
        "initial_states_are_read_or_refused",
        "fuzz/seeds/initial",
        300,
        checks::initial::run,
    );
}

#[test]
fn results_are_read_or_left_out() {
    replay_changes(
        "results_are_read_or_left_out",
        "fuzz/seeds/report",
        0,
        checks::report::run,
    );
}

#[test]
fn cascades_are_planned_or_refused() {
    replay_changes(
        "cascades_are_planned_or_refused",
        "fuzz/seeds/cascade",
        0,
        checks::cascade::run,
    );
}

#[test]
fn native_meshes_are_read_or_refused() {
    if let Some(file) = std::env::var_os(FILE) {
        return in_a_process(Path::new(&file), "fuzz/seeds/mesh", checks::mesh::run);
    }
    let directory = tempfile::tempdir().expect("temporary directory");
    let mesh =
        "mesh generate annulus mesh.h5 --inner 1 --outer 2 --length 1 --angle 90 --cells 1,2,1 --periodic theta,z";
    ended(&run(directory.path(), &mesh.split(' ').collect::<Vec<_>>()), 0);
    replay_apart("native_meshes_are_read_or_refused", &directory.path().join("mesh.h5"));
}

#[test]
fn checkpoints_are_read_or_refused() {
    if let Some(file) = std::env::var_os(FILE) {
        return in_a_process(Path::new(&file), "fuzz/seeds/checkpoint", checks::checkpoint::run);
    }
    let directory = with_case(CASE);
    let set = [
        "order=2",
        "mesh.box.cells=[1,1,1]",
        "time.steps=1",
        "output={checkpoint: {every-steps: 1}}",
    ];
    run_case(directory.path(), 1, &set, 0);
    replay_apart(
        "checkpoints_are_read_or_refused",
        &directory.path().join("results/checkpoint_00000001.h5"),
    );
}

/// Tests that take longer than those of `make test`.
mod long {
    use super::*;

    #[test]
    #[ignore = "takes a minute and a half"]
    fn slices_are_read_or_left_out() {
        replay_changes(
            "slices_are_read_or_left_out",
            "fuzz/seeds/slices",
            150,
            checks::report::run_slices,
        );
    }
}
