//! Hanging nodes in files of HOPR: they are read, kept in native files, divided among ranks and reported, and files in
//! which sides do not go together are refused with the element and the side.

use std::path::Path;

use crate::common::meshes::sizes;
use crate::common::program::{ended, run};
use crate::common::refined::{Refined, Rows};
use fr_les::mesh::{Mesh, Share, Side, native, read_mesh};

/// A cell of edge 1 beside one that is halved in all directions.
fn two() -> Refined {
    Refined::new([2, 1, 1], |at| [at[0] == 1; 3])
}

fn straight(x: [f64; 3]) -> [f64; 3] {
    x.map(|x| 0.5 * x)
}

#[test]
fn parts_of_all_types_and_turns_are_read_and_come_back_from_a_native_file() {
    for (halved, larger, smaller) in [
        ([true; 3], 4, 16),
        ([false, true, true], 4, 16),
        ([false, true, false], 4, 8),
        ([false, false, true], 4, 8),
    ] {
        for order in [1, 3] {
            let mut refined = Refined::new([2, 2, 2], |at| if at[0] == 1 { halved } else { [false; 3] });
            refined.order = order;
            let mesh = refined.mesh(|[x, y, z]| [x + 0.1 * y * z, y + 0.1 * z, z]);
            let (volume, areas) = sizes(&mesh);
            assert!((volume - 64.0).abs() < 1e-10, "{volume}");
            assert_eq!(areas.len(), 6, "{areas:?}");
            assert_eq!(
                (mesh.divided_faces().count(), mesh.mortars.len()),
                (larger, smaller),
                "{halved:?}"
            );
            let sides = mesh.sides.iter().filter(|side| matches!(side, Side::Mortar(_))).count();
            assert_eq!(sides, larger + smaller);
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("native.h5");
            native::write(&mesh, &path).expect("written");
            let again = native::read(&path).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!((&again.mortars, &again.sides), (&mesh.mortars, &mesh.sides));
            assert_eq!(again.hash(), mesh.hash());
            let version = |path: &Path| {
                let file = hdf5::File::open(path).expect("a file");
                let group = file.group("mesh").expect("a group");
                group
                    .attr("version")
                    .expect("a version")
                    .read_raw::<u32>()
                    .expect("a number")
            };
            assert_eq!(version(&path), [2]);
            native::write(&Refined::new([2, 1, 1], |_| [false; 3]).mesh(straight), &path).expect("written");
            assert_eq!(
                version(&path),
                [1],
                "programs without hanging nodes read files that have none"
            );
        }
    }
}

#[test]
fn a_native_file_whose_parts_do_not_go_together_is_refused() {
    let mesh = two().mesh(straight);
    let refused = |change: fn(&mut Mesh), wanted: &str| {
        let mut changed = mesh.clone();
        change(&mut changed);
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("native.h5");
        native::write(&changed, &path).expect("written");
        let error = native::read(&path).map(|_| ()).expect_err(wanted).to_string();
        assert!(error.contains("native.h5") && error.contains(wanted), "{error}");
    };
    refused(
        |mesh| mesh.mortars[1].share[0] = Share::Low,
        "its parts do not cover it",
    );
    refused(
        |mesh| mesh.mortars[1].small.cell = 99,
        "leads to cell 99, but there are 9",
    );
    refused(|mesh| mesh.mortars[1].small.face = 7, "leads to face 7 of cell");
    refused(|mesh| mesh.mortars[1].orientation = 8, "orientation 8 does not exist");
    refused(
        |mesh| mesh.mortars[1].small.cell = mesh.mortars[1].big.cell,
        "a face of its own cell",
    );
    refused(|mesh| mesh.mortars.swap(1, 2), "its parts do not cover it");
    refused(
        |mesh| mesh.mortars[1].small = mesh.mortars[0].small,
        "of the divided faces",
    );
    refused(|mesh| mesh.mortars.truncate(3), "its parts do not cover it");
    refused(
        |mesh| {
            let boundary = mesh.sides.iter().position(|side| matches!(side, Side::Boundary(_)));
            mesh.sides[boundary.unwrap()] = Side::Mortar(0);
        },
        "part 0 of the divided faces, which is that of others",
    );
}

/// Reads the two cells after a change of their sides.
fn changed(change: impl Fn(&mut Rows), map: impl Fn([f64; 3]) -> [f64; 3]) -> Result<Mesh, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.h5");
    let mut rows = two().rows();
    change(&mut rows);
    two().write(&path, &rows, map);
    read_mesh(&path, &[]).map_err(|error| error.to_string())
}

/// The row of the side that meets smaller ones, which is one of element 1.
fn larger(rows: &Rows) -> usize {
    rows.rows.iter().position(|row| row[2] < 0).expect("a mortar")
}

/// The row of the first smaller side in its own element.
fn smaller(rows: &Rows) -> usize {
    rows.rows.iter().position(|row| row[0] < 0).expect("a smaller side")
}

#[test]
fn sides_that_do_not_go_together_are_refused_with_the_element_and_the_side() {
    type Change = fn(&mut Rows);
    let cases: [(Change, &str); 13] = [
        (
            |rows| {
                let at = larger(rows);
                rows.rows[at][2] = -2;
            },
            "/SideInfo: element 1 has 10 rows, but its 6 sides and the smaller sides that they meet take 8",
        ),
        (
            |rows| {
                let at = larger(rows);
                rows.rows[at][2] = -4;
            },
            "/SideInfo: element 1, side 3: its neighbour is -4; mortars are of the types -1, -2 and -3",
        ),
        (
            |rows| rows.first[1..].iter_mut().for_each(|first| *first -= 1),
            "/SideInfo: element 1, side 6: the element has 9 rows, too few for its 6 sides",
        ),
        (
            |rows| rows.first[1..].iter_mut().for_each(|first| *first -= 4),
            "/SideInfo: element 1, side 3: its mortar of type 1 needs the rows of 4 smaller sides, but 3 follow",
        ),
        (
            |rows| {
                let at = larger(rows);
                rows.rows[at + 1][2] = 77;
            },
            "/SideInfo: element 1, side 3: a smaller side is of element 77, but there are 9",
        ),
        (
            |rows| {
                let at = larger(rows);
                rows.rows[at + 1][2] = i32::MIN;
            },
            "/SideInfo: element 1, side 3: a smaller side is of element -2147483648, but there are 9",
        ),
        (
            |rows| {
                let at = larger(rows);
                rows.rows[at + 1][2] = 1;
            },
            "/SideInfo: element 1, side 3: a smaller side is of the same element",
        ),
        (
            |rows| {
                let at = larger(rows);
                rows.rows[at + 1][1] = 1234;
            },
            "/SideInfo: element 1, side 3: its smaller side 1234 is of element 2, which has no side of this number",
        ),
        (
            |rows| {
                let at = larger(rows);
                rows.rows[at + 2] = rows.rows[at + 1];
            },
            "of element 2 is a part of it and of another side, or twice",
        ),
        (
            |rows| {
                let at = smaller(rows);
                rows.rows[at][2] = 5;
            },
            "of element 2, a part of it, leads to element 5 instead",
        ),
        (
            // A side that meets its smaller ones as if it were a boundary.
            |rows| {
                let at = larger(rows);
                rows.rows[at] = [4, 1, 0, 0, 1];
                rows.rows.drain(at + 1..at + 5);
                rows.first[1..].iter_mut().for_each(|first| *first -= 4);
            },
            "its negative type marks it as a part of a larger side, but no side lists it",
        ),
        (
            |rows| {
                let at = larger(rows);
                rows.rows[at][4] = 2;
            },
            "belongs to a boundary: periodic sides with hanging nodes are not read",
        ),
        (
            // The neighbour of a side of the same number that is not the smaller one, but another side of its element.
            |rows| {
                let (at, small) = (larger(rows), smaller(rows));
                let first = rows.first[1];
                let other = (first..first + 6)
                    .find(|&row| row != small && rows.rows[row][2] == 0)
                    .unwrap();
                rows.rows[other][2] = 1;
                rows.rows[other][4] = 0;
                rows.rows[small][0] = 104;
                rows.rows[at + 1][1] = rows.rows[other][1];
            },
            "element 1, side 3: a side of element 2, a part of it, has a corner at",
        ),
    ];
    for (change, wanted) in cases {
        let error = changed(change, straight).map(|_| ()).expect_err(wanted);
        assert!(error.contains("a.h5: ") && error.contains(wanted), "{error}\n{wanted}");
    }
}

#[test]
fn corners_that_do_not_meet_are_refused_with_their_place() {
    // The middle of the larger face moves away from the corners of the smaller ones.
    let moved = |x: [f64; 3]| {
        let [x, y, z] = straight(x);
        [x, if x > 0.9 && y == 0.5 { 0.52 } else { y }, z]
    };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.h5");
    let mut refined = two();
    refined.write(&path, &refined.rows(), moved);
    // The generator lets smaller cells follow the larger ones: the file is changed behind it.
    let file = hdf5::File::open_rw(&path).expect("opened");
    let dataset = file.dataset("NodeCoords").expect("nodes");
    let mut nodes = dataset.read_2d::<f64>().expect("numbers");
    for mut row in nodes.rows_mut() {
        if row[0] == 1.0 && row[1] == 0.5 {
            row[1] = 0.52;
        }
    }
    dataset.write(&nodes).expect("written");
    file.close().expect("closed");
    let error = read_mesh(&path, &[]).map(|_| ()).expect_err("is refused").to_string();
    assert!(
        error.contains("a.h5: element 1, side 3: a side of element 2, a part of it, has a corner at (1, 0.52, 0)"),
        "{error}"
    );
    // The same corners, but other curves between them.
    refined.order = 2;
    let path = folder.path().join("b.h5");
    refined.write(&path, &refined.rows(), straight);
    let file = hdf5::File::open_rw(&path).expect("opened");
    let dataset = file.dataset("NodeCoords").expect("nodes");
    let mut nodes = dataset.read_2d::<f64>().expect("numbers");
    for mut row in nodes.rows_mut() {
        if row[0] == 1.0 && row[1] == 0.25 && row[2] == 0.25 {
            row[0] = 1.01;
        }
    }
    dataset.write(&nodes).expect("written");
    file.close().expect("closed");
    let error = read_mesh(&path, &[]).map(|_| ()).expect_err("is refused").to_string();
    assert!(
        error.contains(
            "element 1, side 3: a side of element 2, a part of it, has its corners, but another curved shape"
        ),
        "{error}"
    );
}

/// HOPR's tools for refined trees number the nodes of every element anew.
#[test]
fn elements_that_share_no_numbers_of_nodes_are_joined_by_their_places() {
    let refined = Refined::new([2, 2, 1], |at| [at[0] == 1; 3]);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.h5");
    refined.write(&path, &refined.rows(), straight);
    let expected = read_mesh(&path, &[]).expect("a mesh");
    let file = hdf5::File::open_rw(&path).expect("opened");
    let dataset = file.dataset("GlobalNodeIDs").expect("numbers");
    let numbers: Vec<i32> = (1..).take(dataset.size()).collect();
    dataset.write_raw(&numbers).expect("written");
    file.close().expect("closed");
    let mesh = read_mesh(&path, &[]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((mesh.sides, mesh.mortars), (expected.sides, expected.mortars));
}

#[test]
fn the_program_reports_hanging_nodes_and_refuses_what_does_not_know_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    let mut refined = Refined::new([2, 2, 2], |at| [at[0] == 1; 3]);
    refined.periodic = [false, true, true];
    refined.write(&at.join("hopr.h5"), &refined.rows(), straight);
    let import = ended(&run(at, &["mesh", "import", "hopr.h5", "native.h5"]), 0);
    assert!(import.contains("hanging nodes"), "{import}");
    for file in ["hopr.h5", "native.h5"] {
        let info = ended(&run(at, &["mesh", "info", file]), 0);
        let line = |name: &str| {
            info.lines()
                .find(|line| line.starts_with(name))
                .unwrap_or("")
                .to_owned()
        };
        assert!(
            line("larger").contains(" 4 ") && line("smaller").ends_with(" 16"),
            "{info}"
        );
        let json = ended(&run(at, &["mesh", "info", file, "--json"]), 0);
        assert!(
            json.contains("\"faces-that-meet-smaller\": 4") && json.contains("\"smaller-faces\": 16"),
            "{json}"
        );
    }
    for (output, wanted) in [
        ("a.msh", "4 faces meet smaller ones at hanging nodes, and files of Gmsh"),
        (
            "a.su2",
            "4 faces of the mesh meet smaller ones at hanging nodes, which the steady solver and files of SU2",
        ),
    ] {
        let error = ended(&run(at, &["mesh", "export", "native.h5", output]), 2);
        assert!(error.contains(wanted), "{error}");
    }
    ended(&run(at, &["mesh", "partition", "native.h5", "--parts", "3"]), 0);
    let case = "mesh: {file: native.h5}\norder: 2\ninitial: {u: 0.3, v: 0, w: 0, p: 1/1.4, rho: 1}\nboundaries:\n  \
                x-: {type: far-field, u: 0.3, v: 0, w: 0, p: 1/1.4, rho: 1}\n  \
                x+: {type: far-field, u: 0.3, v: 0, w: 0, p: 1/1.4, rho: 1}\ntime: {steps: 1}\ndevice: cpu\n";
    std::fs::write(at.join("case.yaml"), case).expect("written");
    let check = ended(&run(at, &["check", "case.yaml"]), 0);
    assert!(check.contains("hanging nodes: 4 faces meet 16 smaller ones"), "{check}");
    std::fs::write(
        at.join("steady.yaml"),
        format!("{case}gas: {{viscosity: {{constant: 1e-3}}}}\nsteady: {{}}\n"),
    )
    .expect("written");
    let check = ended(&run(at, &["check", "--steady", "steady.yaml"]), 2);
    assert!(
        check.contains("4 faces of the mesh meet smaller ones at hanging nodes"),
        "{check}"
    );
}
