//! The table of mesh files of docs/reference/mesh-files.md: what this program finds in every file of tests/data, beside
//! what Gmsh, h5py and numpy find (independent.py), and how well each mesh keeps a uniform flow.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cgns_files::{write_linked, write_serendipity, write_two_zones};
use crate::common::cases::{case, each_point};
use crate::common::meshes::sizes;
use crate::common::program::has_packages;
use fr_les::mesh::{Extrusion, Mesh, read_extruded, read_mesh};
use fr_les::solver::Solver;

/// Largest relative difference of a volume from that of another reader, which integrates with fewer points.
const DIFFERENCE: f64 = 1e-8;

/// Largest change of a uniform flow, relative to the time in which the fastest wave crosses half a cell.
const CHANGE: f64 = 1e-12;

/// What a reader finds in a file: its name, the number of cells and their volume.
struct Found {
    reader: String,
    cells: usize,
    volume: Option<f64>,
}

/// Files of tests/data, and those that tests of CGNS write into a folder.
fn all_files(folder: &Path) -> Vec<PathBuf> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let kept = std::fs::read_dir(data)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path());
    let is_mesh = |path: &PathBuf| {
        let ending = path.extension().and_then(|ending| ending.to_str());
        ending.is_some_and(|ending| ["msh", "cgns", "su2", "h5"].contains(&ending))
    };
    let mut all: Vec<PathBuf> = kept.filter(is_mesh).collect();
    write_two_zones(&folder.join("structured.cgns"));
    write_serendipity(folder);
    write_linked(folder);
    let written = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path());
    all.extend(written);
    all.sort_by_key(|path| path.file_name().map(ToOwned::to_owned));
    all
}

/// What Gmsh, h5py and numpy find in the files.
fn of_other_readers(files: &[PathBuf]) -> Vec<Found> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let python = std::env::var_os("FR_LES_PYTHON").map_or_else(|| root.join(".venv/bin/python"), PathBuf::from);
    // HDF5 files that other tests have open at this moment would stay open, and locked, in the reader.
    let close = "for f in /proc/self/fd/*; do f=${f##*/}; [ $f -le 2 ] || eval \"exec $f>&-\"; done; exec \"$@\"";
    let output = Command::new("bash")
        .args(["-c", close, "bash"])
        .arg(python)
        .arg("-B")
        .arg(root.join("tests/mesh/independent.py"))
        .args(files)
        .output()
        .expect("python starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("text");
    let found: Vec<Found> = text
        .lines()
        .map(|line| {
            let words: Vec<&str> = line.split('|').collect();
            Found {
                reader: words[1].to_owned(),
                cells: words[2].parse().expect("a count"),
                volume: Some(words[3].parse().expect("a number")).filter(|x: &f64| x.is_finite()),
            }
        })
        .collect();
    assert_eq!(found.len(), files.len());
    found
}

/// The number of cells and the volume that tests/data/generate.py measured when it wrote a mesh, by Gmsh's shape
/// functions or, where Gmsh has none, by its own.
fn when_written(file: &str) -> Option<Found> {
    let name = file.split("_v").next()?;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/expected.txt");
    let text = std::fs::read_to_string(path).expect("is checked in");
    let words: Vec<&str> = text
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .find(|words| words[0] == "mesh" && words[1] == name)?;
    Some(Found {
        reader: "generate.py".to_owned(),
        cells: words[3].parse().expect("a count"),
        volume: words[5].parse().ok(),
    })
}

/// The mesh of a file; a flat one gets a layer of thickness 1.
fn mesh_of(path: &Path) -> Mesh {
    let by = Extrusion {
        thickness: 1.0,
        layers: 1,
    };
    read_mesh(path, &[])
        .or_else(|_| read_extruded(path, &by, &[]))
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the largest |dU/dt| of a uniform flow, relative to the scale of the variable and to the rate at which the
/// fastest wave crosses half a cell. The flow is along z where the mesh is periodic by a rotation about z.
fn change_of_uniform_flow(path: &Path, mesh: Mesh) -> f64 {
    let [u, v, w] = if mesh.rotations.is_empty() {
        [0.7, -0.4, 0.3]
    } else {
        [0.0, 0.0, 0.3]
    };
    let state = format!("u: {u}, v: {v}, w: {w}, p: 1/1.4, rho: 1");
    let boundaries = mesh
        .boundary_names
        .iter()
        .map(|name| format!("{name}: {{type: far-field, {state}}}"));
    let text = format!(
        "mesh: {{file: {}}}\norder: 3\ngas: {{viscosity: {{constant: 0.01}}}}\ninitial: {{{state}}}\n\
         boundaries: {{{}}}\ntime: {{steps: 1}}\n",
        path.display(),
        boundaries.collect::<Vec<_>>().join(", ")
    );
    let mut solver = Solver::on_mesh(&case(&text).solver, mesh).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let rhs = solver.rhs(0.0).expect("a right-hand side");
    let rate = solver.device.time_step_bounds().expect("bounds").largest_convective();
    let square: f64 = [u, v, w].iter().map(|u| u * u).sum();
    let speed = 1.0 + square.sqrt();
    let scale = [1.0, speed, speed, speed, 1.0 / (1.4 * 0.4) + 0.5 * square];
    let mut largest = 0.0f64;
    each_point(&solver, &rhs, |_, r| {
        (0..5).for_each(|v| largest = largest.max(r[v].abs() / (scale[v] * rate)));
    });
    largest
}

/// Run with the environment variable `UPDATE_DOCS` set to write the page anew.
#[test]
fn the_page_of_mesh_files_has_what_other_readers_find() {
    if !has_packages("gmsh, h5py") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let files = all_files(folder.path());
    let mut table = String::new();
    for (path, found) in files.iter().zip(of_other_readers(&files)) {
        let file = path.file_name().and_then(|name| name.to_str()).expect("a name");
        let mesh = mesh_of(path);
        let (cells, order) = (mesh.len(), mesh.geometry_order);
        let (volume, _) = sizes(&mesh);
        let change = change_of_uniform_flow(path, mesh);
        assert!(change <= CHANGE, "{file}: a uniform flow changes by {change:e}");
        let other = if found.volume.is_some() {
            Some(found)
        } else {
            when_written(file)
        };
        let other = other.unwrap_or_else(|| panic!("{file}: no other reader"));
        assert_eq!(cells, other.cells, "{file}");
        let theirs = other.volume.expect("a volume");
        assert!(
            (volume - theirs).abs() <= DIFFERENCE * theirs,
            "{file}: {volume} {theirs}"
        );
        writeln!(
            table,
            "| {file} | {order} | {cells} | {volume:.8} | {theirs:.8} | {} | {change:.0e} |",
            other.reader
        )
        .expect("text");
    }
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference/mesh-files.md");
    let kept = std::fs::read_to_string(&page).expect("the page");
    let (head, rest) = kept.split_once("|---|---|---|---|---|---|---|\n").expect("a table");
    let tail = rest
        .split_once("\n\n")
        .map_or(String::new(), |(_, tail)| format!("\n{tail}"));
    let new = format!("{head}|---|---|---|---|---|---|---|\n{table}{tail}");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&page, &new).expect("written");
        return;
    }
    assert!(kept == new, "run with UPDATE_DOCS=1:\n{table}");
}
