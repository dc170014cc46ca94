//! Solutions on straight sub-cells: their values are those of the polynomials, and the filters of VTK find every point
//! of curved cells in them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::program::{has_packages, names, refuses, run_case, succeeds, with_case};
use tempfile::TempDir;

/// A curved box of cells with fields whose conserved variables are linear, so that they are exact in cells of any
/// shape, and between points too.
fn curved(elements: &str, parts: usize) -> String {
    format!(
        "mesh: {{box: {{cells: [4, 2, 2], lower: [0, -1, 0], upper: [4, 1, 1.5], elements: {elements}, warp: 0.12}}}}\n\
         order: 3\ninitial: {{u: 0.5, v: -0.25, w: 0.125, rho: 1 + 0.1*x - 0.05*y + 0.02*z, \
         p: 2 - 0.1*x + 0.2*y + 0.3*z}}\ndevice: cpu\nthreads: 1\ntime: {{steps: 1, dt: 1e-9}}\n\
         boundaries: {{x-: {{type: slip}}, x+: {{type: slip}}, y-: {{type: slip}}, y+: {{type: slip}}, \
         z-: {{type: slip}}, z+: {{type: slip}}}}\n\
         output: {{solution: {{every-steps: 1, fields: [mach], subdivide: {parts}}}, checkpoint: {{every-steps: 1}}}}\n"
    )
}

/// The box of [`curved`].
const LOW: [f64; 3] = [0.0, -1.0, 0.0];
const HIGH: [f64; 3] = [4.0, 1.0, 1.5];

fn density([x, y, z]: [f64; 3]) -> f64 {
    1.0 + 0.1 * x - 0.05 * y + 0.02 * z
}

fn file(directory: &TempDir) -> PathBuf {
    directory.path().join("results/solution-subdivided_0000.vtkhdf")
}

fn read<T: hdf5::H5Type>(path: &Path, name: &str) -> Vec<T> {
    let file = hdf5::File::open(path).expect("an HDF5 file");
    let data = file.dataset(&format!("VTKHDF/{name}"));
    data.and_then(|data| data.read_raw())
        .unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Bits of the corners of a sub-cell, each with position, density and velocity.
type Corners = Vec<[u64; 7]>;

/// Returns the number of the parent cell, the type and the corners of all sub-cells, whatever the pieces of the file.
fn sub_cells(path: &Path) -> Vec<(u64, u8, Corners)> {
    let positions: Vec<f64> = read(path, "Points");
    let density: Vec<f64> = read(path, "PointData/density");
    let velocity: Vec<f64> = read(path, "PointData/velocity");
    let ids: Vec<u64> = read(path, "CellData/global_cell_id");
    let types: Vec<u8> = read(path, "Types");
    let nodes: Vec<i64> = read(path, "Connectivity");
    let offsets: Vec<i64> = read(path, "Offsets");
    let sizes = |name: &str| read::<i64>(path, name);
    let [cells, points, entries] = ["NumberOfCells", "NumberOfPoints", "NumberOfConnectivityIds"].map(sizes);
    let mut cell = 0;
    let mut first_point = 0;
    let mut first_entry = 0;
    let mut first_offset = 0;
    let mut all = Vec::new();
    for piece in 0..cells.len() {
        for i in 0..cells[piece] as usize {
            let [begin, end] = [0, 1].map(|k| first_entry + offsets[first_offset + i + k] as usize);
            let corner = |node: &i64| {
                let at = first_point + *node as usize;
                let values = [
                    &positions[3 * at..3 * at + 3],
                    &[density[at]],
                    &velocity[3 * at..3 * at + 3],
                ]
                .concat();
                std::array::from_fn(|v| values[v].to_bits())
            };
            all.push((ids[cell], types[cell], nodes[begin..end].iter().map(corner).collect()));
            cell += 1;
        }
        first_offset += cells[piece] as usize + 1;
        first_entry += entries[piece] as usize;
        first_point += points[piece] as usize;
    }
    all.sort();
    all
}

#[test]
fn values_are_those_of_the_polynomials_on_any_number_of_ranks() {
    let directory = with_case(&curved("mixed", 2));
    run_case(directory.path(), 1, &[], 0);
    let one = sub_cells(&file(&directory));
    let parents: BTreeMap<u64, usize> = one.iter().fold(BTreeMap::new(), |mut all, (id, ..)| {
        *all.entry(*id).or_default() += 1;
        all
    });
    // Of 2 parts along each edge: 8 hexahedra or prisms, 8 tetrahedra, or 6 pyramids and 4 tetrahedra.
    assert!(parents.values().all(|count| [8, 10].contains(count)), "{parents:?}");
    for (_, _, corners) in &one {
        for corner in corners {
            let [x, y, z, rho, ..] = corner.map(f64::from_bits);
            assert!((rho - density([x, y, z])).abs() < 1e-12, "{rho} at {x} {y} {z}");
        }
    }
    let three = with_case(&curved("mixed", 2));
    run_case(three.path(), 3, &[], 0);
    assert!(one == sub_cells(&file(&three)), "three ranks write the same");
    assert_eq!(read::<f64>(&file(&three), "FieldData/time"), [0.0]);
    let results = names(&directory.path().join("results"));
    for name in [
        "solution-subdivided.vtkhdf.series",
        "solution-subdivided_0001.vtkhdf",
        "solution_0001.vtkhdf",
    ] {
        assert!(results.iter().any(|found| found == name), "no {name} in {results:?}");
    }
}

#[test]
fn files_are_numbered_as_the_solutions_after_a_restart() {
    let directory = with_case(&curved("hex", 1));
    run_case(directory.path(), 1, &["output.solution.subdivide=null"], 0);
    let results = || names(&directory.path().join("results"));
    assert!(
        !results().iter().any(|name| name.starts_with("solution-")),
        "{:?}",
        results()
    );
    run_case(directory.path(), 1, &["restart=latest", "time.steps=2"], 0);
    run_case(directory.path(), 1, &["restart=latest", "time.steps=3"], 0);
    let found: Vec<String> = results()
        .into_iter()
        .filter(|name| name.starts_with("solution-"))
        .collect();
    assert_eq!(
        found,
        [
            "solution-subdivided.vtkhdf.series",
            "solution-subdivided_0002.vtkhdf",
            "solution-subdivided_0003.vtkhdf"
        ]
    );
    let list = std::fs::read_to_string(directory.path().join("results").join(&found[0])).expect("a list");
    assert!(list.contains("_0002") && list.contains("_0003"), "{list}");
}

#[test]
fn numbers_of_parts_are_checked_and_sub_cells_begin_no_run() {
    let directory = with_case(&curved("hex", 1));
    for (parts, text) in [("0", "at least 1"), ("17", "at most 16"), ("1.5", "a whole number")] {
        let set = format!("output.solution.subdivide={parts}");
        refuses(
            &directory,
            &["check", "run.yaml", "--set", &set],
            &["output.solution.subdivide", text],
        );
    }
    // Files are as large as announced, but for what does not grow with the mesh.
    let log = succeeds(
        &directory,
        &["check", "--long", "run.yaml", "--set", "output.solution.subdivide=4"],
    );
    assert!(log.contains("2 solutions of"), "{log}");
    run_case(directory.path(), 1, &[], 0);
    let initial = format!("initial={{file: '{}'}}", file(&directory).display());
    refuses(
        &directory,
        &["run.yaml", "--set", &initial, "--set", "output.directory=other"],
        &["straight sub-cells (`output.solution.subdivide`)"],
    );
}

#[test]
fn vtk_finds_all_points_of_curved_cells() {
    if !has_packages("vtk") {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let python = std::env::var_os("FR_LES_PYTHON").map_or_else(|| root.join(".venv/bin/python"), PathBuf::from);
    for elements in ["hex", "prism", "tet", "pyramid", "mixed"] {
        let directory = with_case(&curved(elements, 3));
        run_case(directory.path(), 1, &[], 0);
        let numbers = [LOW, HIGH].as_flattened().iter().map(f64::to_string);
        let output = Command::new(&python)
            .arg("-B") // leave no compiled modules in the source tree
            .arg(root.join("tests/vtk/probe.py"))
            .arg(file(&directory))
            .args(numbers)
            .output()
            .expect("python starts");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            output.status.success() && errors.is_empty(),
            "{elements}: {text}\n{errors}"
        );
        println!("{elements}: {text}");
    }
}
