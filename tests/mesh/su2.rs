//! Meshes of SU2, beside the same meshes in Gmsh's format; Gmsh wrote both.

use crate::common::meshes::{data, read, sizes};
use fr_les::mesh::{Extrusion, Mesh, read_extruded, read_mesh};

fn same(ours: &Mesh, theirs: &Mesh) {
    assert_eq!(ours.kinds, theirs.kinds);
    for (a, b) in ours.nodes.iter().flatten().zip(theirs.nodes.iter().flatten()) {
        assert!((a - b).abs() < 1e-15, "{a} {b}");
    }
    let ((volume, areas), (other_volume, other_areas)) = (sizes(ours), sizes(theirs));
    assert!((volume - other_volume).abs() < 1e-14);
    assert_eq!(areas.len(), other_areas.len());
    areas
        .iter()
        .for_each(|(name, area)| assert!((area - other_areas[name]).abs() < 1e-14, "{name}"));
}

#[test]
fn a_mesh_of_all_cells_is_that_of_gmsh() {
    let mesh = read_mesh(&data("mixed1.su2"), &[]).unwrap_or_else(|error| panic!("{error}"));
    same(&mesh, &read(&data("mixed1_v22_text.msh")));
    assert_eq!(mesh.boundary_names, ["bottom", "skin"]);
}

#[test]
fn a_mesh_of_two_dimensions_is_extruded() {
    let by = Extrusion {
        thickness: 0.5,
        layers: 2,
    };
    let read = |name: &str| read_extruded(&data(name), &by, &[]).unwrap_or_else(|error| panic!("{error}"));
    same(&read("plane1.su2"), &read("plane1_v41_text.msh"));
}

#[test]
fn comments_other_sections_and_other_orders_of_sections_are_read() {
    let text = std::fs::read_to_string(data("mixed1.su2")).expect("is checked in");
    let (cells, rest) = text.split_once("NPOIN=").expect("points");
    let (points, markers) = rest.split_once("NMARK=").expect("markers");
    let elements = cells.split_once("NELEM=").expect("cells").1;
    let other = format!(
        "% by hand\r\nNZONE= 1\nNDIME = 3 % dimensions\nNMARK={markers}NPERIODIC= 1\nPERIODIC_INDEX= 0\n0.0 0.0 0.0\n\n\
         NPOIN={points}NELEM={elements}"
    );
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.su2");
    std::fs::write(&path, other).expect("written");
    let mesh = read_mesh(&path, &[]).unwrap_or_else(|error| panic!("{error}"));
    same(&mesh, &read_mesh(&data("mixed1.su2"), &[]).expect("a mesh"));
}

#[test]
fn errors_name_the_line() {
    let text = std::fs::read_to_string(data("mixed1.su2")).expect("is checked in");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.su2");
    for (change, wanted) in [
        (("NDIME= 3", "NDIME= 4"), "a.su2: line 1: NDIME is 4: it must be 2 or 3"),
        (("NDIME= 3", "NZONE= 2"), "line 1: the file has 2 zones"),
        (("10 5 6 8 9 0", "11 5 6 8 9 0"), "line 3: type 11 is not supported"),
        (
            ("10 5 6 8 9 0", "210 5 6 8 9 0"),
            "line 3: type 210 is a tetrahedron of geometric order 3, for the finite-element solver of SU2",
        ),
        (("10 5 6 8 9 0", "199 5 6 8 9 0"), "line 3: type 199 is not supported"),
        (
            ("MARKER_TAG= bottom", "MARKER_TAG= SEND_RECEIVE"),
            "line 21: the mesh has copies of cells on other ranks or across periodic boundaries",
        ),
        (
            ("10 5 6 8 9 0", "10 5 6 8"),
            "line 3: an element of type 10 has 4 vertices",
        ),
        (
            ("10 5 6 8 9 0", "10 5 6 8 99 0"),
            "line 3: an element has the vertex 99, but there are 12 points",
        ),
        (
            ("10 5 6 8 9 0", "9 5 6 8 9 0"),
            "line 3: an element has 2 dimensions instead of 3",
        ),
        (
            ("10 5 6 8 9 0", "x 5 6 8 9 0"),
            "line 3: expected the type and the vertices of an element",
        ),
        (
            ("NELEM= 4", "NELEM= 5"),
            "line 7: expected an element, found `NPOIN= 12`",
        ),
        (("NELEM= 4", "NELEM= 3"), "line 6: NELEM is 3, but more lines follow"),
        (("NMARK= 2", "NMARK= 3"), "NMARK is 3, but the file has 2 markers"),
        (("NELEM= 4", "NELEM= many"), "line 2: expected a number after NELEM="),
        (
            ("1 1 0 2", "1 x 0 2"),
            "line 10: expected 3 coordinates, found `1 x 0 2`",
        ),
        (("1 1 0 2", "1 inf 0 2"), "line 10: expected 3 coordinates"),
        (("NPOIN= 12", "NPOINT= 12"), "the section NPOIN is missing"),
        (
            ("MARKER_TAG= bottom", "% MARKER_TAG= bottom"),
            "line 22: MARKER_TAG is missing",
        ),
        (
            ("MARKER_ELEMS= 2", "MARKER_ELEM= 2"),
            "line 21: the marker `bottom` has no MARKER_ELEMS",
        ),
    ] {
        assert!(text.contains(change.0), "{change:?}");
        std::fs::write(&path, text.replacen(change.0, change.1, 1)).expect("written");
        let error = read_mesh(&path, &[]).map(|_| ()).expect_err(wanted).to_string();
        assert!(error.contains(wanted), "{error}");
    }
    let long = "x".repeat(300);
    std::fs::write(
        &path,
        text.replace("MARKER_TAG= bottom", &format!("MARKER_TAG= {long}")),
    )
    .expect("written");
    let error = read_mesh(&path, &[]).map(|_| ()).expect_err("a long name").to_string();
    assert!(
        error.contains("of a boundary has 300 bytes; at most 255 are possible") && error.len() < 300,
        "{error}"
    );
    for end in (0..text.trim_end().len()).step_by(3) {
        std::fs::write(&path, &text[..end]).expect("written");
        // A cut within the last number of a line, or after a whole element of a marker, may leave a smaller mesh.
        let _ = read_mesh(&path, &[]);
    }
}
