//! Solution files, written by one and by three ranks, as other programs see them: the VTK reader, and plain HDF5.
//!
//! MPI can be initialised once in a process, so the test runs itself again under `mpirun`, and [`DIRECTORY`] tells the
//! copy to be a rank. The ranks write. This process compares the files and runs `tests/vtk/check.py` on them, with
//! `$FR_LES_PYTHON` or `.venv/bin/python`. Without the `vtk` package that part is skipped, except under `$CI`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::program::{again, ended};
use fr_les::element::ElementKind;
use fr_les::io::{Error, MAX_ORDER, Piece, PointField, Provenance, write_series_index, write_solution};
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;

mod mixed;
mod surface;

/// Environment variable with the directory into which the ranks write. It is set in the copies that are ranks, and
/// unset in the test itself.
const DIRECTORY: &str = "FR_LES_TEST_DIRECTORY";

/// Cells in each direction of the small box.
const BOX: usize = 2;

#[test]
fn files_read_back_as_meant() {
    if let Some(directory) = std::env::var_os(DIRECTORY) {
        return be_a_rank(Path::new(&directory));
    }
    let directory = tempfile::tempdir().unwrap();
    let [one, three] = [1, 3].map(|ranks| {
        let directory = directory.path().join(format!("{ranks}-ranks"));
        std::fs::create_dir(&directory).unwrap();
        run_ranks(ranks, &directory);
        directory
    });
    for name in small_files().map(|(p, single)| file_name(p, single)) {
        let fields = ["PointData/density", "PointData/velocity"];
        same_content(&one.join(&name), &three.join(&name), [5, 0, 3], &fields);
    }
    for name in (1..=MAX_ORDER).map(mixed::file_name) {
        same_content(&one.join(&name), &three.join(&name), [2, 0, 2], &["PointData/density"]);
    }
    for p in 1..=MAX_ORDER {
        let name = format!("surface-{p}.vtkhdf");
        same_content(&one.join(&name), &three.join(&name), [2, 0, 1], &["PointData/pressure"]);
    }
    provenance_is_there(&three.join(file_name(1, false)));
    index_lists_times(&three);
    vtk_agrees(&[&one, &three]);
}

// ---- the ranks ------------------------------------------------------------------------------------------------------

fn run_ranks(ranks: usize, directory: &Path) {
    let output = again(module_path!(), "files_read_back_as_meant", ranks, DIRECTORY, directory)
        .env("MPIEXEC_TIMEOUT", "300")
        .output()
        .expect("mpirun starts");
    ended(&output, 0);
}

fn be_a_rank(directory: &Path) {
    let universe = mpi::initialize().unwrap();
    let world = universe.world();
    let work = std::panic::AssertUnwindSafe(|| {
        small_files().for_each(|(p, single)| write_small(directory, &world, p, single));
        for p in 1..=MAX_ORDER {
            let cells = my_cells(&world, mixed::CELLS.len());
            mixed::write(directory, &world, p, cells, &provenance(&world));
            let cells = my_cells(&world, surface::CELLS.len());
            surface::write(directory, &world, p, cells, &provenance(&world));
        }
        surface::write_triangles(directory, &world, my_cells(&world, 3), &provenance(&world));
        write_series(directory, &world);
        failures_reach_all_ranks(directory, &world);
        many_rounds(directory, &world);
    });
    if std::panic::catch_unwind(work).is_err() {
        // A rank that unwound into the finalisation of MPI would wait there for the others.
        world.abort(1);
    }
}

fn small_files() -> impl Iterator<Item = (usize, bool)> {
    (1..=MAX_ORDER).flat_map(|p| [(p, false), (p, true)])
}

fn file_name(p: usize, single: bool) -> String {
    format!("order-{p}-{}.vtkhdf", if single { "single" } else { "double" })
}

/// Contiguous cells of a rank. With three ranks the middle one has none.
fn my_cells(world: &SimpleCommunicator, cells: usize) -> std::ops::Range<usize> {
    match (world.size(), world.rank()) {
        (1, _) => 0..cells,
        (_, 0) => 0..cells * 2 / 3,
        (size, rank) if rank == size - 1 => cells * 2 / 3..cells,
        _ => 0..0,
    }
}

/// Positions in the unit cube before the warp, cell by cell, nodes in tensor order.
fn box_nodes(p: usize, cells: std::ops::Range<usize>) -> Vec<[f64; 3]> {
    let mut nodes = Vec::new();
    for cell in cells {
        let corner = [cell % BOX, cell / BOX % BOX, cell / BOX / BOX];
        for node in 0..(p + 1).pow(3) {
            let index = [node % (p + 1), node / (p + 1) % (p + 1), node / (p + 1) / (p + 1)];
            nodes.push(std::array::from_fn(|d| {
                (corner[d] as f64 + index[d] as f64 / p as f64) / BOX as f64
            }));
        }
    }
    nodes
}

/// The warp and the fields have degree p in each direction, so that cells of order p represent them exactly. They treat
/// no two directions alike, so that a permutation of nodes would be seen. `check.py` has the same formulas.
fn warp(p: usize, [x, y, z]: [f64; 3]) -> [f64; 3] {
    let power = |a: f64| a.powi(p as i32);
    [
        x + 0.1 * power(x) * power(y) * z,
        y + 0.08 * power(z) * x,
        z - 0.07 * power(x) * power(y),
    ]
}

fn scalar(p: usize, [x, y, z]: [f64; 3]) -> f64 {
    let power = |a: f64| a.powi(p as i32);
    1.0 + power(x) - 2.0 * power(y) * z + 3.0 * power(z) * x * y
}

fn vector(p: usize, at: [f64; 3]) -> [f64; 3] {
    let [x, y, z] = at;
    [x * y, scalar(p, at) - z, -2.0 * z * x]
}

fn provenance(world: &SimpleCommunicator) -> Provenance {
    Provenance {
        title: "Würfel".to_string(),
        case_text: "order: 4\n".repeat(10_000),
        mesh_hash: 0xabc,
        // The value differs between the ranks, as host names do: that of rank 0 must be written.
        device: format!("cpu of rank {}", world.rank()),
        ranks: world.size() as usize,
        ..Provenance::of_this_program()
    }
}

fn write_small(directory: &Path, world: &SimpleCommunicator, p: usize, single: bool) {
    let cells = my_cells(world, BOX.pow(3));
    let nodes = box_nodes(p, cells.clone());
    let points: Vec<_> = nodes.iter().map(|&at| warp(p, at)).collect();
    let density: Vec<_> = nodes.iter().map(|&at| scalar(p, at)).collect();
    let velocity: Vec<_> = nodes.iter().map(|&at| vector(p, at)).collect();
    let fields = [
        PointField {
            name: "density",
            components: 1,
            values: &density,
        },
        PointField {
            name: "velocity",
            components: 3,
            values: velocity.as_flattened(),
        },
    ];
    let cell_ids: Vec<_> = cells.map(|cell| 1000 + cell as u64).collect();
    let piece = Piece {
        order: p,
        single,
        cell_ids: &cell_ids,
        shapes: &vec![ElementKind::Hex; cell_ids.len()],
        points: &points,
        fields: &fields,
        note: None,
    };
    let path = directory.join(file_name(p, single));
    let (time, step) = (0.1 * p as f64, 100 * p as u64);
    write_solution(&path, world, time, step, &piece, &provenance(world)).unwrap();
}

/// Writes one cell per rank at three times, out of order as after a restart.
fn write_series(directory: &Path, world: &SimpleCommunicator) {
    let points = box_nodes(1, 0..1);
    for (name, time) in [("wave_0002", 0.25), ("wave_0000", 0.0), ("wave_0001", 0.125)] {
        let piece = Piece {
            order: 1,
            single: true,
            cell_ids: &[0],
            shapes: &[ElementKind::Hex],
            points: &points,
            fields: &[],
            note: None,
        };
        let path = directory.join(format!("{name}.vtkhdf"));
        write_solution(&path, world, time, 0, &piece, &provenance(world)).unwrap();
    }
}

/// Every failure leaves no file and gives an error on every rank.
fn failures_reach_all_ranks(directory: &Path, world: &SimpleCommunicator) {
    let directory = directory.join("failures");
    if world.rank() == 0 {
        std::fs::create_dir_all(directory.join("taken.vtkhdf")).unwrap();
    }
    world.barrier();
    let points = box_nodes(1, 0..1);
    let field = |name, values| PointField {
        name,
        components: 1,
        values,
    };
    let values = vec![0.0; 8];
    let attempt = |name: &str, time: f64, fields: &[PointField]| -> Error {
        let piece = Piece {
            order: 1,
            single: false,
            cell_ids: &[0],
            shapes: &[ElementKind::Hex],
            points: &points,
            fields,
            note: None,
        };
        let result = write_solution(&directory.join(name), world, time, 0, &piece, &provenance(world));
        result.expect_err("this must fail")
    };
    let last = world.rank() == world.size() - 1;
    let alone = world.size() == 1;

    let error = attempt(
        "a.vtkhdf",
        0.0,
        &[field("u", if last { &values[1..] } else { &values })],
    )
    .to_string();
    assert!(error.contains("field 'u' has 7 values, not 8 x 1"), "{error}");
    assert_eq!(
        error.contains(&format!("rank {} failed: ", world.size() - 1)),
        !last,
        "{error}"
    );

    if !alone {
        let error = attempt("a.vtkhdf", if last { 1.0 } else { 0.0 }, &[]).to_string();
        assert!(error.contains("the ranks differ"), "{error}");
    }
    let error = attempt("a.vtkhdf", 0.0, &[field("u", &values), field("u", &values)]).to_string();
    assert!(error.contains("two fields are named 'u'"), "{error}");

    let error = attempt("none/a.vtkhdf", 0.0, &[]).to_string();
    assert!(
        error.contains("cannot create ") && error.contains("No such file or directory"),
        "{error}"
    );

    let error = attempt("taken.vtkhdf", 0.0, &[]).to_string();
    assert!(error.contains("cannot rename "), "{error}");

    world.barrier();
    let left: Vec<_> = std::fs::read_dir(&directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["taken.vtkhdf"]);
}

/// Writes so many cells that a rank needs several rounds, and the ranks different numbers of them.
fn many_rounds(directory: &Path, world: &SimpleCommunicator) {
    const CELLS: usize = 3000;
    let path = directory.join("large.vtkhdf");
    let cells = my_cells(world, CELLS);
    let nodes = 9 * 9 * 9;
    let number = |point: usize, axis: usize| (3 * point + axis) as f64;
    let points: Vec<[f64; 3]> = (cells.start * nodes..cells.end * nodes)
        .map(|point| [number(point, 0), number(point, 1), number(point, 2)])
        .collect();
    let cell_ids: Vec<_> = cells.map(|cell| cell as u64).collect();
    let piece = Piece {
        order: 8,
        single: false,
        cell_ids: &cell_ids,
        shapes: &vec![ElementKind::Hex; cell_ids.len()],
        points: &points,
        fields: &[],
        note: None,
    };
    write_solution(&path, world, 0.0, 0, &piece, &provenance(world)).unwrap();
    if world.rank() == 0 {
        let points: Vec<f64> = read(&path, "Points");
        assert_eq!(points.len(), CELLS * nodes * 3);
        assert!(points.iter().enumerate().all(|(i, &value)| value == i as f64));
        std::fs::remove_file(&path).unwrap();
    }
}

// ---- what is in the files -------------------------------------------------------------------------------------------

fn read<T: hdf5::H5Type>(path: &Path, name: &str) -> Vec<T> {
    hdf5::File::open(path)
        .unwrap()
        .group("VTKHDF")
        .unwrap()
        .dataset(name)
        .unwrap()
        .read_raw()
        .unwrap()
}

/// Asserts that two files have the same points, cells and values, whatever their pieces.
fn same_content(one: &Path, three: &Path, cells: [i64; 3], fields: &[&str]) {
    assert_eq!(read::<i64>(three, "NumberOfCells"), cells);
    for name in ["Points", "FieldData/time", "Steps/Values"].iter().chain(fields) {
        assert_eq!(read::<f64>(one, name), read::<f64>(three, name), "{name}");
    }
    assert_eq!(read::<u8>(one, "Types"), read::<u8>(three, "Types"));
    assert_eq!(
        read::<u64>(one, "CellData/global_cell_id"),
        read::<u64>(three, "CellData/global_cell_id")
    );
    assert_eq!(read::<i64>(one, "FieldData/step"), read::<i64>(three, "FieldData/step"));
    assert_eq!(global_connectivity(one), global_connectivity(three));
}

/// Returns the connectivity with points numbered through all pieces.
fn global_connectivity(path: &Path) -> Vec<i64> {
    let mut ids = read::<i64>(path, "Connectivity").into_iter();
    let mut first = 0;
    let mut global = Vec::new();
    for points in read::<i64>(path, "NumberOfPoints") {
        global.extend(ids.by_ref().take(points as usize).map(|id| first + id));
        first += points;
    }
    global
}

fn provenance_is_there(path: &Path) {
    use hdf5::types::{FixedAscii, FixedUnicode};
    let file = hdf5::File::open(path).unwrap();
    let group = file.group("provenance").unwrap();
    let text = |name: &str| {
        group
            .attr(name)
            .unwrap()
            .read_scalar::<FixedAscii<64>>()
            .unwrap()
            .to_string()
    };
    assert_eq!(text("device"), "cpu of rank 0");
    assert_eq!(text("precision"), "");
    assert_eq!(text("ranks"), "3");
    assert_eq!(text("mesh-hash"), "0000000000000abc");
    assert_eq!(text("version"), format!("fr-les {}", env!("CARGO_PKG_VERSION")));
    // Text that is not ASCII is marked as UTF-8.
    let title = group.attr("title").unwrap().read_scalar::<FixedUnicode<64>>().unwrap();
    assert_eq!(title.as_str(), "Würfel");
    let case = group
        .dataset("case")
        .unwrap()
        .read_scalar::<FixedAscii<100_000>>()
        .unwrap();
    assert_eq!(case.as_str(), "order: 4\n".repeat(10_000));
}

fn index_lists_times(directory: &Path) {
    let written = [
        (0.0, "wave_0000.vtkhdf"),
        (0.125, "wave_0001.vtkhdf"),
        (0.25, "wave_0002.vtkhdf"),
    ];
    let path = write_series_index(directory, "wave", &written.map(|(time, name)| (time, name.to_owned()))).unwrap();
    assert_eq!(path, directory.join("wave.vtkhdf.series"));
    let index: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let file = |name: &str, time: f64| serde_json::json!({"name": name, "time": time});
    let files = [
        file("wave_0000.vtkhdf", 0.0),
        file("wave_0001.vtkhdf", 0.125),
        file("wave_0002.vtkhdf", 0.25),
    ];
    assert_eq!(index, serde_json::json!({"file-series-version": "1.0", "files": files}));
}

/// Runs the checks that need VTK.
fn vtk_agrees(directories: &[&Path]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let python = std::env::var_os("FR_LES_PYTHON").map_or_else(|| root.join(".venv/bin/python"), PathBuf::from);
    let has_vtk = Command::new(&python)
        .args(["-c", "import vtk"])
        .output()
        .is_ok_and(|output| output.status.success());
    if !has_vtk {
        assert!(
            std::env::var_os("CI").is_none(),
            "{} has no vtk package",
            python.display()
        );
        println!("skipped: no vtk");
        return;
    }
    let output = Command::new(&python)
        .arg("-B") // leave no compiled modules in the source tree
        .arg(root.join("tests/vtk/check.py"))
        .args(directories)
        .output()
        .unwrap();
    let (text, errors) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    // VTK reports errors on stderr and continues.
    assert!(output.status.success() && errors.is_empty(), "{text}\n{errors}");
    println!("{text}");
}
