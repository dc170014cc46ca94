//! Meshes from the command line to a solution: generated, imported, examined, run on, and refused where they are wrong.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fr_les::io::read_series;
use fr_les::mesh::read_mesh;
use tempfile::TempDir;

/// A case on `mesh`, with conditions for boundaries `walls` and `open`.
fn case(mesh: &str, walls: &[&str], open: &[&str]) -> String {
    let state = "u: 0.3, v: 0.1*x, w: 0, p: 1/1.4, temperature: 1/1.4";
    let walls = walls.iter().map(|name| format!("{name}: {{type: no-slip-adiabatic}}"));
    let open = open.iter().map(|name| format!("{name}: {{type: far-field, {state}}}"));
    let boundaries = walls.chain(open).collect::<Vec<_>>().join(", ");
    format!(
        "mesh: {mesh}\norder: 2\ngas: {{viscosity: {{constant: 1/100}}}}\ninitial: {{{state}}}\n\
         boundaries: {{{boundaries}}}\ntime: {{steps: 3, cfl: 0.5}}\n\
         output: {{solution: {{every-steps: 3}}, integrals: {{every-steps: 1}}}}\n"
    )
}

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("temporary directory")
}

fn write(folder: &TempDir, name: &str, text: &[u8]) {
    std::fs::write(folder.path().join(name), text).expect("written");
}

/// Exit code, standard output and standard error of the program in `folder`.
fn program(folder: &TempDir, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_fr-les"))
        .args(arguments)
        .current_dir(folder.path())
        .env_remove("RUST_LOG")
        .stdin(Stdio::null())
        .output()
        .expect("the program starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// What the program says of work that it does.
fn succeeds(folder: &TempDir, arguments: &[&str]) -> String {
    let (code, log, error) = program(folder, arguments);
    assert_eq!(code, Some(0), "{arguments:?}\n{log}{error}");
    log
}

/// Asserts that bad input is refused with all of `parts`, and that no file is left.
fn refuses(folder: &TempDir, arguments: &[&str], parts: &[&str]) {
    let before = names(folder.path());
    let (code, _, error) = program(folder, arguments);
    assert_eq!(code, Some(2), "{arguments:?}\n{error}");
    assert!(error.starts_with("error: ") && error.lines().count() <= 8, "{error}");
    for part in parts {
        assert!(error.contains(part), "{arguments:?}: no '{part}' in\n{error}");
    }
    assert_eq!(names(folder.path()), before, "{arguments:?} writes nothing");
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("folder");
    let mut names: Vec<String> = entries
        .map(|e| e.expect("entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// Runs `run.yaml`, and asserts that its last solution holds finite fields at `points` points of `cells` cells.
fn runs(folder: &TempDir, cells: usize, points: usize) {
    assert!(succeeds(folder, &["check", "run.yaml"]).ends_with("ok\n"));
    assert!(!folder.path().join("results").exists(), "check writes nothing");
    let log = succeeds(folder, &["run.yaml"]);
    assert!(
        log.contains("finished at step 3") && log.contains(&format!("{points} points")),
        "{log}"
    );
    let results = folder.path().join("results");
    let series = read_series(&results.join("integrals.csv")).expect("series");
    assert_eq!(series.column("step").expect("steps"), [0.0, 1.0, 2.0, 3.0]);
    let file = hdf5::File::open(results.join("solution_0001.vtkhdf")).expect("an HDF5 file");
    let group = file.group("VTKHDF").expect("VTKHDF");
    let number = |name: &str| group.dataset(name).and_then(|d| d.read_raw::<i64>()).expect(name)[0] as usize;
    assert_eq!(number("NumberOfCells"), cells);
    for name in ["Density", "Pressure", "Temperature"] {
        let fields = group.group("PointData").expect("fields").member_names().expect("names");
        let name = fields
            .iter()
            .find(|f| f.eq_ignore_ascii_case(name))
            .unwrap_or_else(|| panic!("{name}: {fields:?}"));
        let values = group
            .dataset(&format!("PointData/{name}"))
            .and_then(|d| d.read_raw::<f64>())
            .expect(name);
        assert_eq!(values.len(), number("NumberOfPoints"));
        assert!(values.iter().all(|&x| x > 0.0 && x.is_finite()), "{name}");
    }
    std::fs::remove_dir_all(results).expect("removed");
}

#[test]
fn generated_boxes_of_all_elements_are_described_and_run() {
    for (elements, cells, points, words) in [
        ("hex", 16, 432, "16 hexahedra"),
        ("prism", 32, 576, "32 prisms"),
        ("tet", 96, 960, "96 tetrahedra"),
        ("pyramid", 96, 1344, "96 pyramids"),
        ("mixed", 46, 738, "6 hexahedra, 8 prisms, 4 tetrahedra, 28 pyramids"),
    ] {
        let folder = folder();
        let arguments = [
            "mesh",
            "generate",
            "box",
            "box.h5",
            "--cells",
            "4,2,2",
            "--periodic",
            "x",
            "--elements",
        ];
        let log = succeeds(&folder, &[&arguments[..], &[elements]].concat());
        assert!(log.contains("wrote box.h5, mesh hash "), "{log}");
        let report = succeeds(&folder, &["mesh", "info", "box.h5", "--order", "2"]);
        for part in [
            format!("{cells} cells of geometry order 1, {points} solution points at order 2"),
            "y+".into(),
        ] {
            assert!(report.contains(&part), "{elements}: no '{part}' in\n{report}");
        }
        write(
            &folder,
            "run.yaml",
            case("{file: box.h5}", &["y-", "y+"], &["z-", "z+"]).as_bytes(),
        );
        let log = succeeds(&folder, &["check", "run.yaml"]);
        assert!(log.contains(words), "no '{words}' in\n{log}");
        runs(&folder, cells, points);
    }
}

#[test]
fn a_generated_annulus_of_prisms_around_hexahedra_runs() {
    let folder = folder();
    let shape = [
        "--inner",
        "1",
        "--outer",
        "2",
        "--length",
        "1",
        "--cells",
        "2,8,2",
        "--hex-layers",
        "1",
    ];
    let arguments = [
        "mesh",
        "generate",
        "annulus",
        "ring.h5",
        "--periodic",
        "theta,z",
        "--geometry-order",
        "2",
    ];
    let report = succeeds(&folder, &[&arguments[..], &shape].concat());
    for part in ["48 cells of geometry order 2", "inner", "outer", "wrote ring.h5"] {
        assert!(report.contains(part), "no '{part}' in\n{report}");
    }
    write(
        &folder,
        "run.yaml",
        case("{file: ring.h5}", &["inner"], &["outer"]).as_bytes(),
    );
    runs(&folder, 48, 16 * 27 + 32 * 18);
}

#[test]
fn imported_meshes_are_those_of_the_file_and_run_like_it() {
    for (file, cells, points, walls, open) in [
        ("mixed2_v41_text.msh", 4, 69, &["bottom"][..], &["skin"][..]),
        ("mixed1_v22_binary.msh", 4, 69, &["bottom"], &["skin"]),
        (
            "cylinder_tet2_v41_binary.msh",
            36,
            360,
            &["inner"],
            &["outer", "cuts", "ends"],
        ),
        (
            "cylinder_hex3_v22_text.msh",
            2,
            54,
            &["inner"],
            &["outer", "cuts", "ends"],
        ),
        ("periodic_hex_v41_text.msh", 8, 216, &["left", "rest", "right"], &[]),
        ("wedge_v41_text.msh", 56, 560, &["walls"], &[]),
    ] {
        let folder = folder();
        let path = data(file).display().to_string();
        let report = succeeds(&folder, &["mesh", "import", &path, "m.h5", "--order", "2"]);
        let expected = format!("{cells} cells of geometry order");
        assert!(report.contains(&expected), "{file}: no '{expected}' in\n{report}");
        let (native, gmsh) = (read_mesh(&folder.path().join("m.h5"), &[]), read_mesh(&data(file), &[]));
        let (native, gmsh) = (native.expect("native"), gmsh.expect("Gmsh"));
        assert_eq!(native.hash(), gmsh.hash(), "{file}");
        let there = &gmsh.boundary_names;
        let named = |names: &[&'static str]| -> Vec<&'static str> {
            names
                .iter()
                .copied()
                .filter(|name| there.iter().any(|n| n == name))
                .collect()
        };
        let (walls, open) = (named(walls), named(open));
        write(&folder, "run.yaml", case("{file: m.h5}", &walls, &open).as_bytes());
        runs(&folder, cells, points);
        let hash = |mesh: &str| {
            succeeds(&folder, &["run.yaml", "--hash", "--set", mesh])
                .lines()
                .last()
                .map(str::to_owned)
        };
        let direct = hash(&format!("mesh={{file: '{path}'}}"));
        assert_eq!(direct, hash("mesh={file: m.h5}"), "{file}: the same without import");
    }
}

#[test]
fn boundaries_are_joined_at_import_or_by_the_case() {
    let folder = folder();
    // A box whose sides in x are not linked in the file.
    let text = std::fs::read_to_string(data("periodic_hex_v22_text.msh")).expect("text");
    let begin = text.find("$Periodic").expect("linked surfaces");
    write(&folder, "box.msh", &text.as_bytes()[..begin]);
    let report = succeeds(&folder, &["mesh", "info", "box.msh"]);
    assert!(report.contains("left") && report.contains("right"), "{report}");
    let joined = succeeds(
        &folder,
        &["mesh", "import", "box.msh", "box.h5", "--periodic", "left:right:1,0,0"],
    );
    assert!(!joined.contains("left") && joined.contains("rest"), "{joined}");
    let pair = "{file: box.msh, periodic: [{from: left, to: right, translation: [1, 0, 0]}]}";
    write(&folder, "run.yaml", case(pair, &["rest"], &[]).as_bytes());
    runs(&folder, 8, 216);
    let hash = |set: &[&str]| {
        succeeds(&folder, &[&["run.yaml", "--hash"], set].concat())
            .lines()
            .last()
            .map(str::to_owned)
    };
    assert_eq!(hash(&[]), hash(&["--set", "mesh={file: box.h5}"]));
}

#[test]
fn a_case_and_a_mesh_that_do_not_fit_are_refused_by_name() {
    let folder = folder();
    let path = data("mixed2_v41_text.msh").display().to_string();
    succeeds(&folder, &["mesh", "import", &path, "m.h5"]);
    write(
        &folder,
        "run.yaml",
        case("{file: m.h5}", &["bottom"], &["skin"]).as_bytes(),
    );
    for (set, parts) in [
        (
            "boundaries.skn={type: slip}",
            &["no boundary `skn`", "bottom, skin"][..],
        ),
        (
            "boundaries={skin: {type: slip}}",
            &["`bottom`", "2 faces", "no boundary condition"],
        ),
        ("mesh={file: absent.h5}", &["absent.h5", "No such file"]),
        ("mesh={file: run.yaml}", &["run.yaml", "$MeshFormat"]),
        ("order=7", &["order: 7 is above 6"]),
        (
            "mesh={file: m.h5, periodic: [{from: bottom, to: skin, translation: [1, 0, 0]}]}",
            &["m.h5", "when it is imported"],
        ),
    ] {
        for verb in [&["check"][..], &[]] {
            refuses(&folder, &[verb, &["run.yaml", "--set", set]].concat(), parts);
        }
    }
}

#[test]
fn files_that_are_cut_or_absent_are_refused_with_the_place() {
    let folder = folder();
    let whole = std::fs::read(data("mixed2_v41_text.msh")).expect("text");
    write(&folder, "cut.msh", &whole[..2000]);
    let whole = std::fs::read(data("wedge_v22_binary.msh")).expect("bytes");
    write(&folder, "cut_binary.msh", &whole[..3000]);
    succeeds(&folder, &["mesh", "generate", "box", "whole.h5", "--cells", "2,2,2"]);
    let whole = std::fs::read(folder.path().join("whole.h5")).expect("bytes");
    write(&folder, "cut.h5", &whole[..whole.len() / 2]);
    write(&folder, "run.yaml", case("{file: cut.msh}", &[], &[]).as_bytes());
    for (file, parts) in [
        ("cut.msh", &["cut.msh: line 92: the file ends where"][..]),
        ("cut_binary.msh", &["cut_binary.msh: byte ", "nodes"]),
        ("cut.h5", &["cut.h5", "HDF5"]),
        ("absent.msh", &["cannot read the mesh absent.msh: No such file"]),
    ] {
        refuses(&folder, &["mesh", "import", file, "new.h5"], parts);
        refuses(&folder, &["mesh", "info", file], parts);
        refuses(&folder, &["run.yaml", "--set", &format!("mesh.file={file}")], parts);
    }
}

#[test]
fn an_inverted_cell_is_named_with_its_tag_and_place_and_nothing_is_written() {
    let folder = folder();
    let text = std::fs::read_to_string(data("mixed1_v22_text.msh")).expect("text");
    let turned = text.replace("\n15 4 2 1 1 6 7 9 10\n", "\n15 4 2 1 1 7 6 9 10\n");
    assert_ne!(text, turned);
    write(&folder, "turned.msh", turned.as_bytes());
    let parts = [
        "1 cell is inverted",
        "element 15 (cell 0) at (0.97500, 0.47500, 1.32500)",
        "nothing was written",
    ];
    refuses(&folder, &["mesh", "import", "turned.msh", "new.h5"], &parts);
    write(
        &folder,
        "run.yaml",
        case("{file: turned.msh}", &["bottom"], &["skin"]).as_bytes(),
    );
    refuses(
        &folder,
        &["run.yaml"],
        &[
            "tet 0 (element 15 of the mesh file) is inverted",
            "at (0.750000, 0.250000, 1.300000)",
        ],
    );
    // The report of such a mesh is what one needs to mend it.
    assert!(succeeds(&folder, &["mesh", "info", "turned.msh"]).contains("inverted or degenerate cells"));
}

#[test]
fn a_mesh_is_divided_and_earlier_divisions_are_kept() {
    let folder = folder();
    let shape = ["--cells", "4,4,4", "--elements", "mixed", "--periodic", "x"];
    succeeds(&folder, &[&["mesh", "generate", "box", "box.h5"], &shape[..]].concat());
    let whole = read_mesh(&folder.path().join("box.h5"), &[]).expect("native");
    let log = succeeds(
        &folder,
        &["mesh", "partition", "box.h5", "--parts", "4,2", "--order", "3"],
    );
    for part in [
        "face points",
        "order 3, double precision",
        "wrote box.h5, divided for 2, 4 ranks",
    ] {
        assert!(log.contains(part), "no '{part}' in\n{log}");
    }
    let arguments = ["mesh", "partition", "box.h5", "--parts", "3,4", "--output", "more.h5"];
    assert!(succeeds(&folder, &arguments).contains("wrote more.h5, divided for 2, 3, 4 ranks"));
    let report = succeeds(&folder, &["mesh", "info", "more.h5"]);
    for part in [
        "at order 3: 2 ranks of ",
        "at order 4: 3 ranks of ",
        "at order 4: 4 ranks of ",
    ] {
        assert!(report.contains(part), "no '{part}' in\n{report}");
    }
    assert!(!succeeds(&folder, &["mesh", "info", "box.h5"]).contains(": 3 ranks"));
    let divided = read_mesh(&folder.path().join("more.h5"), &[]).expect("native");
    assert_eq!(divided.hash(), whole.hash());
    let before = std::fs::read(folder.path().join("box.h5")).expect("bytes");
    write(&folder, "run.yaml", b"order: 2\n");
    let path = data("mixed2_v41_text.msh").display().to_string();
    for (arguments, parts) in [
        (
            &["box.h5", "--parts", "2,9999"][..],
            &["box.h5: ", "cells cannot be divided into 9999 parts"][..],
        ),
        (&["box.h5", "--parts", "2", "--order", "7"], &["--order 7 is too high"]),
        (
            &["box.h5", "--parts", "2", "--output", "run.yaml"],
            &["run.yaml is there", "not overwritten"],
        ),
        (&["box.h5", "--parts", "2", "--output", "nowhere/box.h5"], &["nowhere/"]),
        (&[&path, "--parts", "2"], &["mixed2_v41_text.msh", "import it first"]),
        (&["absent.h5", "--parts", "2"], &["absent.h5: No such file"]),
        (&["box.h5", "--parts", "1"], &["2.."]),
        (&["box.h5"], &["--parts"]),
    ] {
        refuses(&folder, &[&["mesh", "partition"], arguments].concat(), parts);
    }
    assert_eq!(std::fs::read(folder.path().join("box.h5")).expect("bytes"), before);
}

#[test]
fn arguments_out_of_their_range_are_refused() {
    let folder = folder();
    for (arguments, part) in [
        (&["generate", "box", "b.h5", "--cells", "0,2,2"][..], "at least 1"),
        (&["generate", "box", "b.h5", "--cells", "4,2"], "three numbers"),
        (
            &["generate", "box", "b.h5", "--cells", "3,2,2", "--elements", "mixed"],
            "even number",
        ),
        (
            &["generate", "box", "b.h5", "--cells", "2,2,2", "--elements", "wedge"],
            "hex, prism, tet, pyramid, mixed",
        ),
        (&["generate", "box", "nowhere/b.h5", "--cells", "2,2,2"], "nowhere/b.h5"),
        (
            &[
                "generate", "annulus", "a.h5", "--inner", "2", "--outer", "1", "--length", "1", "--cells", "2,8,2",
            ],
            "outer",
        ),
        (&["info", "absent.h5", "--periodic", "a:b"], "A:B:DX,DY,DZ"),
        (&["info", "absent.h5", "--order", "9"], "1..=8"),
    ] {
        let (code, _, error) = program(&folder, &[&["mesh"], arguments].concat());
        assert_eq!(code, Some(2), "{arguments:?}: {error}");
        assert!(error.contains(part), "{arguments:?}: {error}");
        assert_eq!(names(folder.path()), [""; 0]);
    }
}
