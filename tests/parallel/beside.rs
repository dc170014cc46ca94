//! Files that a thread writes beside the run: their bytes, and what is left of them when a write fails.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::common::program::as_ranks;
use fr_les::element::ElementKind;
use fr_les::io::{
    Beside, CellField, Checkpoint, CheckpointSection, Form, Layout, Piece, PointField, Precision, Provenance,
    begin_checkpoint, begin_solution, write_checkpoint, write_solution,
};
use fr_les::ranks::Ranks;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

const CELLS: u64 = 400;
const ORDER: usize = 2;
/// Time of writing of all checkpoints, so that their bytes can be compared.
const WRITTEN: u64 = u64::MAX >> 12;

/// What a rank writes: cells that are unevenly divided, and none on the second of several ranks.
struct Part {
    cells: Vec<u64>,
    kinds: Vec<ElementKind>,
    values: Vec<f64>,
    points: Vec<[f64; 3]>,
    provenance: Provenance,
}

impl Part {
    fn of(world: &SimpleCommunicator) -> Self {
        let (rank, size) = (world.rank() as u64, world.size() as u64);
        let owner = |cell: u64| {
            if cell * cell / 3 % size == 1 {
                0
            } else {
                cell * cell / 3 % size
            }
        };
        let cells: Vec<u64> = (0..CELLS).filter(|cell| owner(*cell) == rank).collect();
        let nodes = cells.len() * 27;
        let number = |i: usize| (i as f64 + rank as f64).sin();
        Part {
            kinds: vec![ElementKind::Hex; cells.len()],
            values: (0..5 * nodes).map(number).collect(),
            points: (0..nodes).map(|i| [number(i), number(i + 1), number(i + 2)]).collect(),
            cells,
            provenance: Provenance {
                case_text: "a: case\n".repeat(100),
                ..Provenance::of_this_program()
            },
        }
    }

    /// Hands a checkpoint to `write`.
    fn checkpoint<T>(&self, precision: Precision, write: impl FnOnce(&Checkpoint) -> T) -> T {
        let mut section = CheckpointSection::default();
        section.parts.insert("part".into(), serde_json::json!({"words": 2}));
        section.arrays.insert("numbers".into(), vec![0.1, -0.0]);
        section.arrays.insert("none".into(), Vec::new());
        let field = CellField {
            name: "state",
            layout: Layout::Points(5),
            values: &self.values,
        };
        write(&Checkpoint {
            step: 7,
            time: 0.5,
            order: ORDER,
            precision,
            after: WRITTEN,
            cells: &self.cells,
            kinds: &self.kinds,
            fields: &[field],
            section: &section,
            provenance: &self.provenance,
        })
    }

    /// Hands a solution to `write`.
    fn solution<T>(&self, single: bool, write: impl FnOnce(&Piece) -> T) -> T {
        let nodes = self.points.len();
        let field = |name, components| PointField {
            name,
            components,
            values: &self.values[..components * nodes],
        };
        write(&Piece {
            order: ORDER,
            single,
            cell_ids: &self.cells,
            shapes: &self.kinds,
            points: &self.points,
            fields: &[field("density", 1), field("velocity", 3)],
            note: None,
        })
    }
}

/// A folder that rank 0 makes, and its path on all ranks. Collective.
fn folder(ranks: &Ranks) -> (Option<tempfile::TempDir>, PathBuf) {
    let folder = (ranks.rank() == 0).then(|| tempfile::tempdir().expect("a folder"));
    let path = folder
        .as_ref()
        .map_or(String::new(), |folder| folder.path().display().to_string());
    let path = String::from_utf8(ranks.allgather(path.as_bytes())).expect("a path");
    (folder, path.into())
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
        .collect();
    names.sort();
    names
}

/// The places of all arrays of a group and below, and their names.
fn arrays(group: &hdf5::Group, found: &mut Vec<(String, u64, u64)>) {
    for array in group.datasets().expect("arrays") {
        let offset = array.offset().unwrap_or_default();
        found.push((array.name(), offset, array.storage_size()));
    }
    for group in group.groups().expect("groups") {
        arrays(&group, found);
    }
}

/// Asserts that two files have the same arrays at the same places with the same bytes. The rest is what HDF5 itself
/// writes; it has the second in which an array was created.
fn same_arrays(once: &Path, beside: &Path) {
    let [first, second] = [once, beside].map(|path| {
        let mut found = Vec::new();
        arrays(&hdf5::File::open(path).expect("a file"), &mut found);
        (found, std::fs::read(path).expect("a file"))
    });
    assert!(first.0.len() > 4);
    assert_eq!(first.0, second.0);
    assert_eq!(first.1.len(), second.1.len());
    for (name, offset, size) in first.0 {
        let bytes = offset as usize..(offset + size) as usize;
        assert!(
            first.1[bytes.clone()] == second.1[bytes],
            "{name} of {} differs",
            once.display()
        );
    }
}

#[test]
fn the_bytes_are_those_of_files_that_are_written_at_once() {
    let test = "the_bytes_are_those_of_files_that_are_written_at_once";
    as_ranks(module_path!(), test, &[1, 3], |world, ranks| {
        let part = Part::of(world);
        let (_kept, folder) = folder(ranks);
        let at = |name: &str| folder.join(name);
        for (precision, name) in [(Precision::Double, "double"), (Precision::Single, "single")] {
            let single = precision == Precision::Single;
            let written = part.checkpoint(precision, |c| write_checkpoint(&at(&format!("{name}.h5")), world, c));
            assert_eq!(written.expect("written"), WRITTEN + 1);
            let path = at(&format!("{name}.vtkhdf"));
            let write = |piece: &Piece| write_solution(&path, world, 0.5, 7, piece, &part.provenance);
            part.solution(single, write).expect("written");
        }

        let mut beside = Beside::default();
        // Files of one step wait for each other; those of the next step wait for all of them.
        for (step, precision, name) in [(2, Precision::Double, "double"), (3, Precision::Single, "single")] {
            let checkpoint = at(&format!("beside-{name}.h5"));
            beside.make_room(world, &checkpoint, step).expect("room");
            assert_eq!(beside.take_complete().len(), if step == 2 { 0 } else { 2 });
            let begun = part.checkpoint(precision, |c| begin_checkpoint(&checkpoint, world, c));
            let (_, file) = begun.expect("begun");
            beside.add(world, &checkpoint, step, file, 0).expect("a thread");
            assert!(!checkpoint.exists(), "it has its name before it is complete");

            let solution = at(&format!("beside-{name}.vtkhdf"));
            beside.make_room(world, &solution, step).expect("room");
            let begin =
                |piece: &Piece| begin_solution(&solution, world, 0.5, 7, piece, &part.provenance, Form::default());
            let file = part.solution(precision == Precision::Single, begin).expect("begun");
            beside.add(world, &solution, step, file, 1).expect("a thread");
        }
        beside.finish(world).expect("written");
        assert_eq!(beside.take_complete(), [0, 1]);
        assert_eq!(beside.unfinished(), 0);
        for name in ["double.h5", "single.h5", "double.vtkhdf", "single.vtkhdf"] {
            same_arrays(&at(name), &at(&format!("beside-{name}")));
        }
        assert_eq!(names(&folder).len(), 8);
        ranks.barrier();
    });
}

#[test]
fn a_write_that_fails_on_one_rank_leaves_the_files_before_it_and_nothing_else() {
    let test = "a_write_that_fails_on_one_rank_leaves_the_files_before_it_and_nothing_else";
    as_ranks(module_path!(), test, &[1, 3], |world, ranks| {
        // Beyond the limit a write fails, as on a full disk, in place of ending the process.
        signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::<AtomicBool>::default()).expect("a handler");
        let part = Part::of(world);
        let (_kept, folder) = folder(ranks);
        let mut beside = Beside::default();
        let begin = |step: u64| {
            let path = folder.join(format!("{step}.h5"));
            let begun = part.checkpoint(Precision::Double, |c| begin_checkpoint(&path, world, c));
            (begun.expect("begun").1, path)
        };
        let (file, path) = begin(1);
        beside.add(world, &path, 1, file, 1).expect("a thread");
        beside.finish(world).expect("written");
        let good = std::fs::read(folder.join("1.h5")).expect("the first file");

        let (file, path) = begin(2);
        // The ranks have laid the file out: there was space for it then.
        let last = ranks.rank() + 1 == ranks.size();
        let limit = getrlimit(Resource::Fsize);
        if last {
            let current = Some(good.len() as u64 / 2);
            setrlimit(Resource::Fsize, Rlimit { current, ..limit }).expect("a limit");
        }
        beside.add(world, &path, 2, file, 2).expect("a thread");
        let error = beside.finish(world).expect_err("it cannot be written").to_string();
        assert!(
            error.contains("cannot write") && error.contains("File too large"),
            "{error}"
        );
        assert_eq!(
            !last,
            error.contains(&format!("rank {} failed", ranks.size() - 1)),
            "{error}"
        );
        setrlimit(Resource::Fsize, limit).expect("no limit");
        assert_eq!(beside.take_complete(), [1]);
        ranks.barrier();
        assert_eq!(names(&folder), ["1.h5"]);
        assert!(std::fs::read(folder.join("1.h5")).expect("the first file") == good);
        ranks.barrier();
    });
}
