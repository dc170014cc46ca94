//! Exported meshes: read back by this program, and measured by Gmsh and VTK with their own shape functions.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::meshes::{data, sizes};
use crate::common::program::{folder, has_packages, names, refuses, succeeds, write};
use fr_les::element::{Correction, ElementKind, Elements};
use fr_les::geometry::Geometry;
use fr_les::mesh::{Mesh, Side, read_mesh};
use tempfile::TempDir;

/// Meshes of tests/data: every kind of cell, orders 1 to 4, periodic by shift and by rotation.
const FILES: [&str; 9] = [
    "mixed1_v22_text.msh",
    "mixed2_v41_text.msh",
    "mixed3_v41_text.msh",
    "mixed4_v41_binary.msh",
    "cylinder_tet2_v41_binary.msh",
    "cylinder_hex3_v41_text.msh",
    "cylinder_tet4.cgns",
    "periodic_tet_v41_binary.msh",
    "wedge_v41_text.msh",
];

fn mesh(path: &Path) -> Mesh {
    let mesh = read_mesh(path, &[]).unwrap_or_else(|error| panic!("{error}"));
    mesh.check().expect("is consistent");
    mesh
}

/// The meshes that are exported, in a folder: those of tests/data, and generated ones.
fn sources(folder: &TempDir) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = FILES.map(data).into();
    let generated = [
        (
            "box_mixed",
            "box --cells 4,2,2 --elements mixed --periodic x,z --warp 0.1",
        ),
        ("box_pyramid", "box --cells 2,1,1 --elements pyramid --periodic y"),
        (
            "annulus",
            "annulus --inner 1 --outer 2 --length 1 --cells 2,3,1 --angle 90 --hex-layers 1 --geometry-order 3 \
             --periodic theta",
        ),
    ];
    for (name, shape) in generated {
        let file = format!("{name}.h5");
        let mut words: Vec<&str> = shape.split_whitespace().collect();
        words.insert(1, &file);
        succeeds(folder, &[&["mesh", "generate"], &words[..]].concat());
        all.push(folder.path().join(file));
    }
    all
}

/// Cells of one kind: their nodes in the order of the file.
fn cells(mesh: &Mesh, kind: ElementKind) -> Vec<&[[f64; 3]]> {
    let all = (0..mesh.len()).filter(|cell| mesh.kinds[*cell] == kind);
    all.map(|cell| mesh.cell_nodes(cell)).collect()
}

/// Number of sides within the mesh, and of those that are periodic by rotation.
fn inner(mesh: &Mesh) -> [usize; 2] {
    let all: Vec<_> = mesh.sides.iter().filter_map(|side| side.neighbour()).collect();
    [all.len(), all.iter().filter(|side| side.rotation.is_some()).count()]
}

fn near(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * b.abs()
}

#[test]
fn what_is_exported_to_gmsh_is_read_back_node_by_node() {
    let folder = folder();
    let forms: [&[&str]; 2] = [&[], &["--text"]];
    for (source, form) in sources(&folder)
        .into_iter()
        .flat_map(|source| forms.map(|form| (source.clone(), form)))
    {
        let name = source.display().to_string();
        succeeds(&folder, &[&["mesh", "export", &name, "out.msh"], form].concat());
        let (before, after) = (mesh(&source), mesh(&folder.path().join("out.msh")));
        std::fs::remove_file(folder.path().join("out.msh")).expect("removed");
        assert_eq!(before.geometry_order, after.geometry_order, "{name}");
        for kind in ElementKind::ALL {
            let (ours, theirs) = (cells(&before, kind), cells(&after, kind));
            assert_eq!(ours.len(), theirs.len(), "{name} {kind}");
            let apart = ours.iter().zip(&theirs).flat_map(|(a, b)| a.iter().zip(*b));
            let apart = apart.flat_map(|(a, b)| (0..3).map(|d| (a[d] - b[d]).abs()));
            let apart = apart.fold(0.0, f64::max);
            assert!(apart < 1e-14, "{name} {kind}: nodes differ by {apart:e}");
        }
        assert_eq!(inner(&before), inner(&after), "{name}: the same faces are joined");
        assert_eq!(before.boundary_names, after.boundary_names, "{name}");
        let ((volume, areas), (volume_after, areas_after)) = (sizes(&before), sizes(&after));
        assert!(near(volume, volume_after, 1e-14), "{name}: {volume} {volume_after}");
        for (boundary, area) in &areas {
            assert!(near(areas_after[boundary], *area, 1e-14), "{name} {boundary}");
        }
    }
}

/// What the script finds in files: number of cells, volume, and areas by name.
fn measured(folder: &TempDir, files: &[String]) -> BTreeMap<String, (usize, f64, BTreeMap<String, f64>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let python = std::env::var_os("FR_LES_PYTHON").map_or_else(|| root.join(".venv/bin/python"), PathBuf::from);
    let output = Command::new(python)
        .arg("-B")
        .arg(root.join("tests/mesh/export.py"))
        .args(files)
        .current_dir(folder.path())
        .output()
        .expect("python starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && errors.is_empty(), "{text}\n{errors}");
    let of_line = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |i: usize| words[i].parse::<f64>().expect("a number");
        let areas = (3..words.len())
            .step_by(2)
            .map(|i| (words[i].to_owned(), number(i + 1)));
        (words[0].to_owned(), (number(1) as usize, number(2), areas.collect()))
    };
    text.lines().map(of_line).collect()
}

#[test]
fn gmsh_and_vtk_find_the_same_cells_volumes_and_areas() {
    if !has_packages("vtk, gmsh") {
        return;
    }
    let folder = folder();
    let mut expected = BTreeMap::new();
    for source in sources(&folder) {
        let stem = source.file_stem().expect("a name").to_string_lossy().into_owned();
        for ending in ["msh", "vtkhdf"] {
            let file = format!("{stem}.{ending}");
            succeeds(&folder, &["mesh", "export", &source.display().to_string(), &file]);
            expected.insert(file, mesh(&source));
        }
    }
    let files: Vec<String> = expected.keys().cloned().collect();
    let found = measured(&folder, &files);
    assert_eq!(found.len(), files.len());
    for (file, mesh) in &expected {
        let (count, volume, areas) = &found[file];
        let (our_volume, our_areas) = sizes(mesh);
        assert_eq!(*count, mesh.len(), "{file}");
        // Rules for rational pyramids are not exact, and the weights of Gmsh's rules have eleven digits.
        let slack = match (mesh.kinds.contains(&ElementKind::Pyramid), file.ends_with("msh")) {
            (true, _) => 1e-7,
            (_, true) => 1e-10,
            _ => 1e-12,
        };
        let unknown = file.ends_with("msh") && mesh.geometry_order >= 3 && mesh.kinds.contains(&ElementKind::Prism);
        if unknown {
            assert!(
                volume.is_nan(),
                "{file}: Gmsh integrates over prisms of order 3 and 4 now"
            )
        } else {
            assert!(near(*volume, our_volume, slack), "{file}: {volume} {our_volume}")
        }
        for (number, name) in mesh.boundary_names.iter().enumerate() {
            let key = if file.ends_with("msh") {
                name.clone()
            } else {
                number.to_string()
            };
            let (ours, theirs) = (our_areas[name], areas[&key]);
            // Roots in the areas of curved faces are no polynomials.
            assert!(near(theirs, ours, 2e-5), "{file} {name}: {theirs} {ours}");
        }
        let periodic = areas.keys().filter(|name| name.starts_with("periodic_")).count();
        let others = areas.len() - periodic;
        assert_eq!(others, mesh.boundary_names.len(), "{file}: {areas:?}");
        println!("{file}: {count} cells, volume {volume:.12} (ours {our_volume:.12}), {others} boundaries");
    }
}

#[test]
fn outputs_that_are_no_format_or_the_input_are_refused() {
    let folder = folder();
    let path = data("mixed1_v22_text.msh").display().to_string();
    refuses(
        &folder,
        &["mesh", "export", &path, "out.vtu"],
        &["out.vtu", ".msh (Gmsh), .vtkhdf (ParaView) or .su2 (SU2)"],
    );
    refuses(&folder, &["mesh", "export", &path, "nowhere/out.msh"], &["nowhere"]);
    refuses(&folder, &["mesh", "export", "absent.msh", "out.msh"], &["absent.msh"]);
    write(
        &folder,
        "own.msh",
        &std::fs::read(data("mixed1_v22_text.msh")).expect("a file"),
    );
    refuses(
        &folder,
        &["mesh", "export", "own.msh", "./own.msh"],
        &["over the file from which it is read"],
    );
    succeeds(&folder, &["mesh", "export", "own.msh", "cells.vtkhdf"]);
    let there = ["cells.vtkhdf", "cells_boundaries.vtkhdf", "own.msh"];
    assert_eq!(names(folder.path()), there);
    refuses(
        &folder,
        &["mesh", "export", "own.msh", "cells.vtkhdf"],
        &["cells.vtkhdf is there, and an export replaces no file"],
    );
    assert_eq!(names(folder.path()), there);
}

#[test]
fn sub_meshes_for_su2_have_the_volume_the_boundaries_and_the_periods_of_the_mesh() {
    let folder = folder();
    let generate = "mesh generate box box.h5 --cells 4,2,2 --elements mixed --periodic x,z --warp 0.1";
    succeeds(&folder, &generate.split_whitespace().collect::<Vec<_>>());
    let volume = |mesh: &Mesh| {
        // At order 3 the weights integrate the volume of cells with faces that are not plane exactly.
        let elements = Elements::new(3, Correction::Radau, &mesh.kinds_present());
        Geometry::new(mesh, &elements).expect("good cells").volume
    };
    let whole = mesh(&folder.path().join("box.h5"));
    for points in 1..=4 {
        let q = points.to_string();
        let _ = std::fs::remove_file(folder.path().join("sub.su2"));
        succeeds(&folder, &["mesh", "export", "box.h5", "sub.su2", "--points", &q]);
        // The shorter period, or that along the later axis of two of the same length, is the first.
        let import = "mesh import sub.su2 sub.h5 --periodic period_1_here:period_1_there:0,0,1 \
                      --periodic period_2_here:period_2_there:1,0,0";
        succeeds(&folder, &import.split_whitespace().collect::<Vec<_>>());
        let sub = mesh(&folder.path().join("sub.h5"));
        let cells: usize = whole.kinds.iter().map(|kind| elements_of_su2(*kind, points)).sum();
        assert_eq!(sub.len(), cells, "{points}");
        let boundaries: BTreeSet<&str> = sub.boundary_names.iter().map(String::as_str).collect();
        assert_eq!(boundaries, BTreeSet::from(["y-", "y+"]));
        assert!((volume(&sub) - 1.0).abs() < 1e-12, "{points}: {}", volume(&sub));
        let faces = |mesh: &Mesh| {
            mesh.sides
                .iter()
                .filter(|side| matches!(side, Side::Boundary(_)))
                .count()
        };
        assert_eq!(faces(&sub), points * points * faces(&whole));
    }
    refuses(
        &folder,
        &["mesh", "export", "box.h5", "sub.msh", "--points", "2"],
        &["--points and --solution are for files of SU2"],
    );
    refuses(&folder, &["mesh", "export", "box.h5", "sub.stl"], &[".su2 (SU2)"]);
    let sector =
        "mesh generate annulus sector.h5 --inner 1 --outer 2 --length 1 --cells 2,3,1 --angle 90 --periodic theta";
    succeeds(&folder, &sector.split_whitespace().collect::<Vec<_>>());
    refuses(
        &folder,
        &["mesh", "export", "sector.h5", "sector.su2"],
        &["the mesh is periodic by rotation"],
    );
}

/// Number of elements of SU2 in a cell that is divided into sub-cells of degree q, with two pyramids an octahedron.
fn elements_of_su2(kind: ElementKind, q: usize) -> usize {
    match kind {
        ElementKind::Hex | ElementKind::Prism => q * q * q,
        ElementKind::Tet => {
            q * (q + 1) * (q + 2) / 6 + (q - 1) * q * (q + 1) / 3 + q.saturating_sub(2) * (q - 1) * q / 6
        }
        ElementKind::Pyramid => (1..=q).map(|k| k * k + (k - 1) * (k - 1) + 2 * k * (k - 1)).sum(),
    }
}
