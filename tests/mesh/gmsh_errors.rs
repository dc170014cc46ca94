//! Gmsh files that are refused, with the reason and the place.

use std::path::Path;

use crate::common::meshes::data;
use fr_les::mesh::{Mesh, MeshError, Side, read_gmsh_bytes};

#[test]
fn truncated_files_are_refused_wherever_they_end() {
    for name in [
        "mixed1_v22_text",
        "mixed1_v22_binary",
        "mixed1_v41_text",
        "mixed1_v41_binary",
        "wedge_v22_binary",
    ] {
        let path = data(&format!("{name}.msh"));
        let bytes = std::fs::read(&path).expect("is checked in");
        let last = bytes.windows(12).position(|w| w == b"$EndElements").expect("is there") + 11;
        for end in 0..last {
            let result = read_gmsh_bytes(&path, &bytes[..end], &[]);
            assert!(result.is_err(), "{name} cut at {end}");
        }
    }
}

/// A mesh of one tetrahedron with named sides. `change` replaces a text of the file by another.
fn tet(change: (&str, &str)) -> Result<Mesh, MeshError> {
    let text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n\
        $PhysicalNames\n1\n2 1 \"wall\"\n$EndPhysicalNames\n\
        $Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n9 0 0 0\n$EndNodes\n\
        $Elements\n5\n1 2 2 1 1 1 2 3\n2 2 2 1 1 1 2 4\n3 2 2 1 2 2 3 4\n4 2 2 1 2 1 3 4\n7 4 2 5 1 1 2 3 4\n\
        $EndElements\n";
    assert!(change.0.is_empty() || text.contains(change.0), "{change:?}");
    let changed = if change.0.is_empty() {
        text.to_string()
    } else {
        text.replacen(change.0, change.1, 1)
    };
    read_gmsh_bytes(Path::new("a.msh"), changed.as_bytes(), &[])
}

#[test]
fn errors_name_what_is_wrong_and_where() {
    let mesh = tet(("", "")).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((mesh.tags.as_slice(), mesh.boundary_names.len()), ([7].as_slice(), 1));
    let cases = [
        (("2.2 0 8", "3 0 8"), "line 2: format version 3 is not supported"),
        (("2.2 0 8", "2.2 0 4"), "line 2: numbers of 4 bytes"),
        (("$MeshFormat", "solid"), "line 1: this is not a Gmsh mesh file"),
        (("2 1 0 0", "2 1 nan 0"), "line 11: coordinate y of node 2 is NaN"),
        (
            ("2 1 0 0", "2 1 x 0"),
            "line 11: expected a coordinate of a node, found `x`",
        ),
        (("3 0 1 0", "2 0 1 0"), "node 2 occurs twice"),
        (
            ("1 1 2 3 4\n", "1 1 2 3 44\n"),
            "line 22: element 7 has node 44, which does not exist",
        ),
        (
            ("7 4 2", "7 34 2"),
            "line 22: element 7 is of type 34, which is not supported",
        ),
        (
            ("7 4 2 5 1 1 2 3 4", "7 72 2 5 1 1 2 3 4"),
            "element 7 is of geometric order 7; orders up to 6 are supported",
        ),
        (
            ("7 4 2 5 1 1 2 3 4", "7 33 2 5 1 1 2 3 4"),
            "element 7 is of geometric order 5 with nodes on its edges only; orders up to 4 are supported",
        ),
        (
            ("$Nodes\n5", "$Nodes\n999999999999"),
            "line 9: the file announces 999999999999 nodes",
        ),
        (("$Nodes\n5", "$Nodes\n-5"), "line 9: nodes is negative: -5"),
        (
            ("$Elements\n5", "$Elements\n6"),
            "line 23: expected the number of an element, found `$EndElements`",
        ),
        (
            ("$EndNodes", "$EndNode"),
            "line 15: expected $EndNodes, found `$EndNode`",
        ),
        (("\"wall\"", "wall"), "in double quotes"),
        (
            ("7 4 2 5 1 1 2 3 4", "7 4 2 5 1 1 2 3 3"),
            "has the same vertex at two corners",
        ),
        (
            ("4 2 2 1 2 1 3 4", "4 2 2 2 2 2 3 4"),
            "belongs to 2 boundaries, `wall`, `2`",
        ),
        (("7 4 2 5 1 1 2 3 4", "7 2 2 5 1 1 2 3"), "has no cells, only surfaces"),
        (
            ("$Elements\n5", "$Elements\n6\n8 4 2 5 1 9 3 2 4"),
            "nodes 9 and 1 lie at the same place",
        ),
        (
            ("$Elements\n5", "$Elements\n6\n7 4 2 5 1 9 3 2 4"),
            "element 7 occurs twice",
        ),
        (
            ("$Elements\n5", "$Elements\n7\n8 4 2 5 1 1 3 2 9\n9 4 2 5 1 2 3 1 9"),
            "three cells share one face",
        ),
    ];
    for (change, wanted) in cases {
        let error = tet(change).map(|_| ()).expect_err(wanted).to_string();
        assert!(
            error.starts_with("a.msh: ") && error.contains(wanted),
            "{change:?}: {error}"
        );
    }
}

#[test]
fn faces_in_no_physical_group_are_the_boundary_unnamed() {
    // The last side lies on a surface in no group, or no surface element lies on it.
    for change in [
        ("4 2 2 1 2 1 3 4", "4 2 2 0 6 1 3 4"),
        ("4 2 2 1 2 1 3 4", "4 2 2 1 2 1 3 9"),
    ] {
        let mesh = tet(change).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(mesh.boundary_names, ["wall", "unnamed"], "{change:?}");
        let of = |number| {
            mesh.sides
                .iter()
                .filter(|side| **side == Side::Boundary(number))
                .count()
        };
        assert_eq!([of(0), of(1)], [3, 1]);
    }
    // A group of that name takes them in.
    let mesh = tet(("\"wall\"", "\"unnamed\"")).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(mesh.boundary_names, ["unnamed"]);
}
