//! Meshes from the command line to a solution: generated or imported, examined, and used in a run.

use crate::common::meshes::{case_on, data};
use crate::common::program::{folder, refuses, succeeds, write};
use fr_les::io::read_series;
use fr_les::mesh::read_mesh;
use tempfile::TempDir;

/// Runs `run.yaml`, and asserts that its last solution has finite fields at `points` points of `cells` cells.
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
            case_on("{file: box.h5}", &["y-", "y+"], &["z-", "z+"]).as_bytes(),
        );
        let log = succeeds(&folder, &["check", "--long", "run.yaml"]);
        assert!(log.contains(words), "no '{words}' in\n{log}");
        runs(&folder, cells, points);
    }
}

#[test]
fn a_mesh_that_is_divided_into_hexahedra_runs() {
    let folder = folder();
    let box_of = [
        "mesh",
        "generate",
        "box",
        "tets.h5",
        "--cells",
        "1,1,1",
        "--periodic",
        "x",
    ];
    succeeds(&folder, &[&box_of[..], &["--elements", "tet"]].concat());
    let report = succeeds(&folder, &["mesh", "hexes", "tets.h5", "box.h5"]);
    assert!(report.contains("24 cells of geometry order 1"), "{report}");
    write(
        &folder,
        "run.yaml",
        case_on("{file: box.h5}", &["y-", "y+"], &["z-", "z+"]).as_bytes(),
    );
    runs(&folder, 24, 24 * 27);
    let again = ["mesh", "hexes", "box.h5", "again.h5"];
    refuses(&folder, &again, &["box.h5: all cells are hexahedra already"]);
    let over = ["mesh", "hexes", "tets.h5", "tets.h5"];
    refuses(
        &folder,
        &over,
        &["tets.h5: this mesh is read: name another file to write"],
    );
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
        case_on("{file: ring.h5}", &["inner"], &["outer"]).as_bytes(),
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
        write(&folder, "run.yaml", case_on("{file: m.h5}", &walls, &open).as_bytes());
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
    write(&folder, "run.yaml", case_on(pair, &["rest"], &[]).as_bytes());
    runs(&folder, 8, 216);
    // A boundary condition for a side that was joined is refused with that reason, whether the case or the file joined
    // it.
    let named = "boundaries.left={type: slip}";
    let parts = [
        "`left` is joined with `right`",
        "the mesh has rest",
        "--set boundaries.left",
    ];
    refuses(&folder, &["check", "run.yaml", "--set", named], &parts);
    for file in [
        "box.h5".to_owned(),
        data("periodic_hex_v22_text.msh").display().to_string(),
    ] {
        let mesh = format!("mesh={{file: '{file}'}}");
        refuses(&folder, &["check", "run.yaml", "--set", &mesh, "--set", named], &parts);
    }
    let hash = |set: &[&str]| {
        succeeds(&folder, &[&["run.yaml", "--hash"], set].concat())
            .lines()
            .last()
            .map(str::to_owned)
    };
    assert_eq!(hash(&[]), hash(&["--set", "mesh={file: box.h5}"]));
}

#[test]
fn sides_that_a_file_joins_can_stay_apart() {
    let folder = folder();
    let path = data("periodic_hex_v22_text.msh").display().to_string();
    let import = |apart: &str| succeeds(&folder, &["mesh", "import", &path, "box.h5", "--apart", apart]);
    for apart in ["left:right", "right:left"] {
        let report = import(apart);
        let faces = |name: &str| {
            let line = report.lines().find(|line| line.starts_with(name)).expect(name);
            line.split_whitespace().nth(1).map(str::to_owned)
        };
        assert_eq!((faces("left"), faces("right")), (Some("4".into()), Some("4".into())));
    }
    write(
        &folder,
        "run.yaml",
        case_on("{file: box.h5}", &["rest"], &["left", "right"]).as_bytes(),
    );
    runs(&folder, 8, 216);
    // Boundaries that only their names join, too.
    let text = std::fs::read_to_string(&path).expect("text");
    let named = text
        .replace("\"left\"", "\"periodic_x_l\"")
        .replace("\"right\"", "\"periodic_x_r\"");
    write(
        &folder,
        "named.msh",
        &named.as_bytes()[..named.find("$Periodic").expect("links")],
    );
    let apart = ["--apart", "periodic_x_l:periodic_x_r"];
    let report = succeeds(&folder, &[&["mesh", "info", "named.msh"][..], &apart].concat());
    assert!(
        report.contains("periodic_x_l") && report.contains("periodic_x_r"),
        "{report}"
    );
    // The sides of a file without names are told apart from no others.
    let nameless = text
        .replace("$PhysicalNames", "$Ignored")
        .replace("$EndPhysicalNames", "$EndIgnored");
    write(&folder, "nameless.msh", nameless.as_bytes());
    for (arguments, parts) in [
        (
            &["import", &path, "new.h5", "--apart", "left:rest"][..],
            &["does not join `left` with `rest`", "it joins `left:right`"][..],
        ),
        (
            &["info", "nameless.msh", "--apart", "left:right"],
            &["does not join `left` with `right`"],
        ),
        (
            &["info", "box.h5", "--apart", "left:right"],
            &["cannot be parted", "--apart"],
        ),
        (&["info", &path, "--apart", "left"], &["'left' is not of the form A:B"]),
    ] {
        refuses(&folder, &[&["mesh"], arguments].concat(), parts);
    }
}

#[test]
fn reports_say_to_which_order_they_refer() {
    let folder = folder();
    let make = ["mesh", "generate", "box", "box.h5", "--cells", "2,2,2"];
    let at_four = succeeds(&folder, &make);
    assert!(
        at_four.contains("1000 solution points at order 4 (--order)"),
        "{at_four}"
    );
    let at_two = succeeds(&folder, &[&make[..], &["--order", "2"]].concat());
    assert!(at_two.contains("216 solution points at order 2 (--order)"), "{at_two}");
    // Volumes have six digits.
    let upper = ["--upper", "1,0.1,0.01234567"];
    let small = succeeds(&folder, &[&make[..], &upper].concat());
    assert!(small.contains(" 0.00123457"), "{small}");
}

#[test]
fn flat_meshes_are_extruded_and_run() {
    for (file, cells, points) in [
        ("plane2_v41_text.msh", 32, 24 * 18 + 8 * 27),
        ("plane1.su2", 32, 24 * 18 + 8 * 27),
    ] {
        let folder = folder();
        let path = data(file).display().to_string();
        let by = ["--extrude", "thickness=0.3,layers=2", "--periodic", "z"];
        let import = [&["mesh", "import", &path, "m.h5"], &by[..]].concat();
        let report = succeeds(&folder, &import);
        assert!(
            report.contains("32 cells of geometry order") && !report.contains("z-"),
            "{report}"
        );
        let boundaries = (&["inner"][..], &["outer", "start", "end"][..]);
        write(
            &folder,
            "run.yaml",
            case_on("{file: m.h5}", boundaries.0, boundaries.1).as_bytes(),
        );
        runs(&folder, cells, points);
        let parts = ["`--periodic z` joins the ends", "--extrude thickness=T,layers=N"];
        refuses(&folder, &["mesh", "import", &path, "n.h5", "--periodic", "z"], &parts);
        refuses(&folder, &["mesh", "import", &path, "n.h5"], &["--extrude"]);
    }
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
            &["box.h5: ", "cells cannot be divided among 9999 ranks"][..],
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
fn coordinates_are_scaled_at_import() {
    let folder = folder();
    let path = data("periodic_hex_v41_text.msh").display().to_string();
    let import = |file: &str, output: &str, scale: &str| {
        succeeds(&folder, &["mesh", "import", file, output, "--scale", scale]);
        read_mesh(&folder.path().join(output), &[]).expect("is read")
    };
    let whole = import(&path, "whole.h5", "1");
    let scaled = import(&path, "scaled.h5", "0.5");
    assert_eq!(whole.sides, scaled.sides);
    let near = |(x, y): (&f64, &f64)| *y == 0.5 * x;
    assert!(
        whole
            .nodes
            .iter()
            .flatten()
            .zip(scaled.nodes.iter().flatten())
            .all(near)
    );
    // A native file is scaled too.
    let back = import("scaled.h5", "back.h5", "2");
    assert_eq!(whole.nodes, back.nodes);
    for (scale, part) in [
        ("0", "above 0"),
        ("-1", "above 0"),
        ("inf", "above 0"),
        ("1e308", "so small that"),
    ] {
        refuses(
            &folder,
            &["mesh", "import", "scaled.h5", "new.h5", "--scale", scale],
            &["--scale", part],
        );
    }
}
