//! Checkpoints on several ranks: any number of ranks reads what any other number wrote, and all ranks see an error.
//!
//! MPI can be initialised once in a process, so the test runs itself again under `mpirun`. [`FILE`] tells the copy to
//! be a rank, and [`WRITE`] whether it writes.

use std::path::Path;

use crate::common::program::{again, ended};
use fr_les::case::Precision;
use fr_les::element::ElementKind;
use fr_les::io::{CellField, Checkpoint, CheckpointSection, Layout, Provenance, StoredCheckpoint, write_checkpoint};
use mpi::traits::*;

/// Environment variable with the path of the checkpoint.
const FILE: &str = "FR_LES_TEST_CHECKPOINT";
/// Environment variable with the precision in which the ranks write. Without it they read.
const WRITE: &str = "FR_LES_TEST_WRITE";

const CELLS: u64 = 500;
const ORDER: usize = 2;
/// Number of values of a cell of each kind, of a field with its own layout.
const SUMS: [usize; 4] = [7, 0, 3, 12];

#[test]
fn any_number_of_ranks_reads_what_any_other_wrote() {
    if let Some(file) = std::env::var_os(FILE) {
        return be_a_rank(Path::new(&file));
    }
    let directory = tempfile::tempdir().unwrap();
    for (ranks, precision) in [(1, "double"), (3, "double"), (2, "single")] {
        let file = directory.path().join(format!("checkpoint_{ranks:08}.h5"));
        run_ranks(ranks, &file, Some(precision));
        for readers in 1..=3 {
            run_ranks(readers, &file, None);
        }
    }
}

fn run_ranks(ranks: usize, file: &Path, write: Option<&str>) {
    let test = "any_number_of_ranks_reads_what_any_other_wrote";
    let mut command = again(module_path!(), test, ranks, FILE, file);
    if let Some(precision) = write {
        command.env(WRITE, precision);
    }
    ended(&command.output().expect("mpirun starts"), 0);
}

fn kind(cell: u64) -> ElementKind {
    ElementKind::ALL[(cell * 5 % 7 % 4) as usize]
}

/// A number that single precision represents exactly.
fn value(cell: u64, i: usize) -> f64 {
    cell as f64 * 16.0 + (i % 1000) as f64 / 64.0
}

fn values(cells: &[u64], variables: usize) -> Vec<f64> {
    let of = |&cell: &u64| (0..variables * kind(cell).points(ORDER)).map(move |i| value(cell, i + variables));
    cells.iter().flat_map(of).collect()
}

fn be_a_rank(file: &Path) {
    let universe = mpi::initialize().unwrap();
    let world = universe.world();
    let (rank, size) = (world.rank() as u64, world.size() as u64);
    // Consecutive cells lie on different ranks, and the ranks have different numbers of cells.
    let cells: Vec<u64> = (0..CELLS).filter(|c| (c * c / 3) % size == rank).collect();
    let kinds: Vec<ElementKind> = cells.iter().map(|&c| kind(c)).collect();
    let mut section = CheckpointSection::default();
    section
        .parts
        .insert("part".into(), serde_json::json!({"words": [1, "two"]}));
    section
        .arrays
        .insert("numbers".into(), vec![0.1, f64::MIN_POSITIVE, -0.0]);
    section.arrays.insert("none".into(), Vec::new());
    let fields = [("state", values(&cells, 5)), ("other", values(&cells, 2))];
    // Numbers that single precision does not represent, as many as the layout has for the kind of a cell.
    let sums: Vec<f64> = cells
        .iter()
        .zip(&kinds)
        .flat_map(|(&cell, &kind)| (0..SUMS[kind as usize]).map(move |i| 0.1 + cell as f64 / 3.0 + i as f64))
        .collect();
    if let Ok(precision) = std::env::var(WRITE) {
        let layouts = [Layout::Points(5), Layout::Points(2)];
        let at_points = fields
            .iter()
            .zip(layouts)
            .map(|((name, values), layout)| CellField { name, layout, values });
        let own = CellField {
            name: "sums",
            layout: Layout::Cells(SUMS),
            values: &sums,
        };
        let fields: Vec<CellField> = at_points.chain([own]).collect();
        let checkpoint = Checkpoint {
            step: 7,
            time: 0.5,
            order: ORDER,
            precision: if precision == "single" {
                Precision::Single
            } else {
                Precision::Double
            },
            after: u64::MAX >> 12,
            cells: &cells,
            kinds: &kinds,
            fields: &fields,
            section: &section,
            provenance: &Provenance::of_this_program(),
        };
        assert_eq!(
            write_checkpoint(file, &world, &checkpoint).unwrap(),
            (u64::MAX >> 12) + 1
        );
        return;
    }
    let stored = StoredCheckpoint::open(file, &world).unwrap();
    assert_eq!((stored.header.step, stored.header.cells), (7, CELLS));
    assert_eq!(stored.section, section);
    assert!(stored.section.arrays["numbers"][2].is_sign_negative());
    assert_eq!(stored.fields().collect::<Vec<_>>(), ["state", "other", "sums"]);
    assert_eq!(stored.layout_of("sums"), Some(Layout::Cells(SUMS)));
    let read = stored.cells(&world, &cells, &kinds).unwrap();
    assert!(read[0] == fields[0].1 && read[1] == fields[1].1 && read[2] == sums);

    // A cell that the file does not have is an error on every rank, although only the last rank asks for it.
    let mut wrong = cells.clone();
    if rank == size - 1 {
        *wrong.last_mut().unwrap() = CELLS + 1;
    }
    let error = stored.cells(&world, &wrong, &kinds).unwrap_err().to_string();
    assert!(error.contains(&format!("cell {} is not there", CELLS + 1)), "{error}");
    assert_eq!(rank != size - 1, error.contains("rank"), "{error}");
}
