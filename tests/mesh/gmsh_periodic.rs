//! Periodic boundaries of Gmsh files, which are linked by the file or named by the case.

use std::f64::consts::FRAC_PI_3;
use std::path::Path;

use crate::common::meshes::{data, files, nodes, one_hex, read};
use fr_les::mesh::{Mesh, Motion, Neighbour, PeriodicPair, Side, read_gmsh_bytes};

#[test]
fn surfaces_linked_by_the_file_are_joined_and_neighbours_agree() {
    for (name, rotated) in [("periodic_tet", false), ("periodic_hex", false), ("wedge", true)] {
        for path in files(name) {
            let mesh = read(&path);
            let (turned, straight) = periodic_sides(&mesh);
            assert!(
                if rotated {
                    turned > 0 && straight == 0
                } else {
                    turned == 0 && straight > 0
                },
                "{name}"
            );
            assert_eq!(mesh.rotations.len(), if rotated { 2 } else { 0 });
        }
    }
}

/// Asserts that all sides lead back and that faces coincide after the periodic motion. Returns the numbers of rotated
/// and shifted sides.
fn periodic_sides(mesh: &Mesh) -> (usize, usize) {
    let (mut turned, mut shifted) = (0, 0);
    let g = mesh.geometry_order;
    for cell in 0..mesh.kinds.len() {
        for face in 0..mesh.kinds[cell].faces().len() {
            let Some(Neighbour {
                cell: other,
                face: back,
                orientation,
                rotation,
            }) = mesh.cell_sides(cell)[face].neighbour()
            else {
                continue;
            };
            match mesh.sides[mesh.first_side[other] + back] {
                Side::Cell { cell: c, face: f, .. } => assert_eq!((c, f, None), (cell, face, rotation)),
                Side::Rotated {
                    cell: c,
                    face: f,
                    rotation: r,
                    ..
                } => {
                    assert_eq!((c, f), (cell, face));
                    assert_ne!(Some(r), rotation);
                }
                Side::Remote { .. } | Side::Mortar(_) | Side::Boundary(_) => panic!("no way back"),
            }
            let shape = mesh.kinds[cell].faces()[face].shape;
            let ours = mesh.kinds[cell].face_indices(face, g);
            let theirs = mesh.kinds[other].face_indices(back, g);
            let between: Vec<[f64; 3]> = (0..ours.len())
                .map(|i| {
                    let x = nodes(mesh, cell)[ours[i]];
                    let x = match rotation {
                        None => x,
                        Some(r) => mesh.rotations[r].map(|row| (0..3).map(|d| row[d] * x[d]).sum()),
                    };
                    let y = nodes(mesh, other)[theirs[shape.oriented_point(orientation, i, g)]];
                    std::array::from_fn(|d| y[d] - x[d])
                })
                .collect();
            for d in &between {
                assert!((0..3).all(|k| (d[k] - between[0][k]).abs() < 1e-9), "{between:?}");
            }
            if rotation.is_some() {
                turned += 1;
                assert!(between[0].iter().all(|d| d.abs() < 1e-9));
            } else if between[0].iter().any(|d| d.abs() > 1e-6) {
                shifted += 1;
            }
        }
    }
    (turned, shifted)
}

/// Gmsh up to version 3 wrote zeros as the last row of the map, of which only the first 12 numbers count.
#[test]
fn maps_of_old_versions_have_no_last_row() {
    for name in ["periodic_tet_v22_text", "periodic_hex_v22_text"] {
        let path = data(&format!("{name}.msh"));
        let text = std::fs::read_to_string(&path).expect("text");
        let old: String = text
            .split_inclusive('\n')
            .map(
                |line| match line.strip_suffix(" 0 0 0 1\n").filter(|_| line.starts_with("Affine ")) {
                    Some(rows) => format!("{rows} 0 0 0 0\n"),
                    None => line.to_owned(),
                },
            )
            .collect();
        assert_ne!(old, text);
        let mesh = read_gmsh_bytes(&path, old.as_bytes(), &[]).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(mesh.sides, read(&path).sides, "{name}");
    }
}

/// The bytes of a file without its section on periodic surfaces.
fn without_links(path: &Path) -> Vec<u8> {
    let bytes = std::fs::read(path).expect("is checked in");
    let end = bytes.windows(9).position(|w| w == b"$Periodic").expect("has links");
    bytes[..end].to_vec()
}

#[test]
fn boundaries_named_as_periodic_are_joined_as_the_file_would_and_their_names_disappear() {
    let shift = Motion::Translation([1.0, 0.0, 0.0]);
    let turn = Motion::Rotation {
        point: [0.0; 3],
        axis: [0.0, 0.0, 2.0],
        angle: FRAC_PI_3,
    };
    let cases = [
        ("periodic_tet", "left", "right", shift),
        ("periodic_hex", "left", "right", shift),
        ("wedge", "start", "end", turn),
    ];
    for (name, first, second, motion) in cases {
        for path in files(name) {
            let bytes = without_links(&path);
            let plain = read_gmsh_bytes(&path, &bytes, &[]).unwrap_or_else(|error| panic!("{error}"));
            assert!(plain.boundary_names.iter().any(|n| n == first));
            let pair = PeriodicPair {
                first: first.into(),
                second: second.into(),
                motion,
            };
            let linked = read(&path);
            for bytes in [bytes, std::fs::read(&path).expect("is checked in")] {
                let joined = read_gmsh_bytes(&path, &bytes, std::slice::from_ref(&pair))
                    .unwrap_or_else(|error| panic!("{error}"));
                assert_eq!(joined.boundary_names, linked.boundary_names);
                for mesh in [&joined, &linked] {
                    assert!(
                        mesh.joined
                            .iter()
                            .any(|pair| pair.iter().any(|n| n == first) && pair.iter().any(|n| n == second))
                    );
                }
                assert_eq!(joined.sides.len(), linked.sides.len());
                for (a, b) in joined.sides.iter().zip(&linked.sides) {
                    // The two ways may list the rotations in a different order.
                    let place = |side: &Side| match side.neighbour() {
                        Some(n) => Ok((n.cell, n.face, n.orientation)),
                        None => Err(*side),
                    };
                    assert_eq!(place(a), place(b));
                }
                periodic_sides(&joined);
            }
        }
    }
}

#[test]
fn a_wrong_periodic_motion_says_how_far_the_nearest_face_is() {
    let path = data("periodic_tet_v41_text.msh");
    let pair = PeriodicPair {
        first: "left".into(),
        second: "right".into(),
        motion: Motion::Translation([1.1, 0.0, 0.0]),
    };
    let error = read_gmsh_bytes(&path, &without_links(&path), &[pair])
        .expect_err("does not match")
        .to_string();
    assert!(
        error.contains("left and right do not match") && error.contains("1.000e-1 away"),
        "{error}"
    );
}

#[test]
fn a_single_cell_can_be_periodic_in_all_directions_by_the_case_or_by_the_file() {
    let shift = |d: usize| std::array::from_fn(|e| if e == d { 1.0 } else { 0.0 });
    let pairs: Vec<PeriodicPair> = (0..3)
        .map(|d| PeriodicPair {
            first: (2 * d + 1).to_string(),
            second: (2 * d + 2).to_string(),
            motion: Motion::Translation(shift(d)),
        })
        .collect();
    let links = "$Periodic\n3\n2 2 1\n4\n2 1\n3 4\n7 8\n6 5\n2 4 3\nAffine 1 0 0 0 0 1 0 1 0 0 1 0 0 0 0 1\n0\n\
                 2 6 5\nAffine 1 0 0 0 0 1 0 0 0 0 1 1 0 0 0 1\n1\n5 1\n$EndPeriodic\n";
    let by_file = one_hex(links);
    let by_case = one_hex("");
    for (text, pairs) in [(&by_case, pairs.as_slice()), (&by_file, &[]), (&by_file, &pairs)] {
        let mesh =
            read_gmsh_bytes(Path::new("a.msh"), text.as_bytes(), pairs).unwrap_or_else(|error| panic!("{error}"));
        assert!(mesh.boundary_names.is_empty() && mesh.rotations.is_empty());
        for (face, side) in mesh.sides.iter().enumerate() {
            let expected = Side::Cell {
                cell: 0,
                face: face ^ 1,
                orientation: 0,
            };
            assert_eq!(*side, expected);
        }
    }
}

#[test]
fn impossible_periodic_boundaries_are_refused() {
    let pair = |first: &str, second: &str, motion| PeriodicPair {
        first: first.into(),
        second: second.into(),
        motion,
    };
    let shift = Motion::Translation([1.0, 0.0, 0.0]);
    let still = Motion::Rotation {
        point: [0.0; 3],
        axis: [0.0; 3],
        angle: 1.0,
    };
    let cases = [
        (
            vec![pair("1", "x+", shift)],
            "",
            "`x+` does not exist; the mesh has `1`, `2`",
        ),
        (vec![pair("1", "1", shift)], "", "`1` cannot be periodic with itself"),
        (
            vec![pair("1", "2", shift), pair("2", "3", shift)],
            "",
            "`2` is periodic more than once",
        ),
        (vec![pair("1", "2", still)], "", "axis of length zero"),
        (
            vec![pair("1", "2", Motion::Translation([f64::NAN; 3]))],
            "",
            "not finite",
        ),
        (
            vec![pair("1", "3", shift)],
            "",
            "boundaries 1 and 3 do not match: 1 faces",
        ),
        (
            vec![],
            "$Periodic\n1\n2 2 1\n0\n$EndPeriodic",
            "surface 1 to surface 2 is not given in the file",
        ),
        (
            vec![],
            "$Periodic\n1\n2 3 1\n4\n1 1\n2 4\n6 8\n5 5\n$EndPeriodic",
            "if it is a rotation, name the pair",
        ),
        (
            vec![],
            "$Periodic\n1\n2 2 1\nAffine 2 0 0 1 0 1 0 0 0 0 1 0 0 0 0 1\n0\n$EndPeriodic",
            "is not rigid",
        ),
        (
            vec![],
            "$Periodic\n1\n2 2 1\n1\n2 11\n$EndPeriodic",
            "surface 2 has node 11, which does not exist",
        ),
    ];
    for (pairs, links, wanted) in cases {
        let result = read_gmsh_bytes(Path::new("a.msh"), one_hex(links).as_bytes(), &pairs);
        let error = result.map(|_| ()).expect_err(wanted).to_string();
        assert!(error.contains(wanted), "{error}");
    }
}
