//! Tests of boxes: that neighbours share nodes to the last bit, that all kinds meet, that boxes are filled.

use std::collections::BTreeSet;

use super::*;
use crate::element::{ElementKind, FaceShape};
use crate::mesh::test_meshes::{ALL, a_box};
use crate::mesh::types::Side;

/// A box that is periodic in all directions or in none.
fn warped(elements: BoxElements, cells: [usize; 3], periodic: bool) -> BoxMesh {
    BoxMesh {
        warp: 0.2,
        ..a_box(elements, cells, [periodic; 3])
    }
}

/// Every side is its neighbour's neighbour, and nodes on both sides are equal to the last bit, up to the width of the
/// box.
fn check_sides(mesh: &Mesh, b: &BoxMesh, what: &str) {
    let g = mesh.geometry_order;
    for cell in 0..mesh.len() {
        let kind = mesh.kinds[cell];
        assert_eq!(mesh.cell_nodes(cell).len(), kind.points(g), "{what}");
        assert_eq!(mesh.cell_sides(cell).len(), kind.faces().len(), "{what}");
        for (face, side) in mesh.cell_sides(cell).iter().enumerate() {
            let shape = kind.faces()[face].shape;
            let ours = kind.face_indices(face, g);
            let (c2, f2, orientation) = match *side {
                Side::Cell {
                    cell,
                    face,
                    orientation,
                } => (cell, face, orientation),
                Side::Boundary(name) => {
                    let name = &mesh.boundary_names[name];
                    let d = ["x", "y", "z"].iter().position(|d| name.starts_with(d)).unwrap();
                    let end = if name.ends_with('+') { b.upper[d] } else { b.lower[d] };
                    let distance = |&i: &usize| (mesh.cell_nodes(cell)[i][d] - end).abs();
                    assert!(
                        ours.iter().all(|i| distance(i) < 1e-14),
                        "{what} cell {cell} face {face}"
                    );
                    continue;
                }
                Side::Mortar(_) | Side::Rotated { .. } | Side::Remote { .. } => {
                    panic!("{what}: a box is whole and not rotated")
                }
            };
            let back = mesh.cell_sides(c2)[f2];
            assert!(
                matches!(back, Side::Cell { cell: c, face: f, .. } if (c, f) == (cell, face)),
                "{what} {back:?}"
            );
            let theirs = mesh.kinds[c2].face_indices(f2, g);
            assert_eq!(ours.len(), theirs.len(), "{what}");
            for (point, &i) in ours.iter().enumerate() {
                let other = mesh.cell_nodes(c2)[theirs[shape.oriented_point(orientation, point, g)]];
                let here = mesh.cell_nodes(cell)[i];
                // The periodic image lies at lower + width, rounded, in one direction.
                let image = |d: usize| {
                    let (low, high) = (here[d].min(other[d]), here[d].max(other[d]));
                    b.periodic[d] && low == b.lower[d] && high == b.lower[d] + (b.upper[d] - b.lower[d])
                };
                let apart: Vec<usize> = (0..3).filter(|&d| here[d].to_bits() != other[d].to_bits()).collect();
                let same = apart.is_empty() || (apart.len() == 1 && image(apart[0]));
                assert!(
                    same,
                    "{what} cell {cell} {kind} face {face} node {point}: {here:?} {other:?}"
                );
            }
        }
    }
}

#[test]
fn neighbours_share_their_nodes_to_the_last_bit() {
    for elements in ALL {
        for cells in [[4, 2, 2], [6, 4, 2], [1, 1, 1], [2, 2, 2], [1, 3, 2]] {
            for periodic in [false, true] {
                for (order, warp_kind) in [
                    (1, WarpKind::Trilinear),
                    (1, WarpKind::Curved),
                    (2, WarpKind::Curved),
                    (3, WarpKind::Curved),
                    (4, WarpKind::Curved),
                    (6, WarpKind::Curved),
                ] {
                    let b = BoxMesh {
                        warp_kind,
                        ..warped(elements, cells, periodic)
                    };
                    let what = format!("{elements:?} {cells:?} {periodic} {order}");
                    match build_box(&b, order) {
                        Ok(mesh) => check_sides(&mesh, &b, &what),
                        Err(error) => {
                            assert_eq!((elements, cells[0] < 4), (BoxElements::Mixed, true), "{what}: {error}")
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn all_kinds_meet_in_the_mixed_box() {
    use ElementKind::{Hex, Prism, Pyramid, Tet};
    use FaceShape::{Quad, Triangle};
    for (cells, periodic) in [([4, 2, 2], true), ([4, 4, 4], false), ([6, 4, 2], true)] {
        let mesh = build_box(&warped(BoxElements::Mixed, cells, periodic), 1).unwrap();
        let mut met = BTreeSet::new();
        for cell in 0..mesh.len() {
            for (face, side) in mesh.cell_sides(cell).iter().enumerate() {
                if let Side::Cell { cell: other, .. } = *side {
                    let (a, b) = (mesh.kinds[cell], mesh.kinds[other]);
                    met.insert((a.min(b), a.max(b), mesh.kinds[cell].faces()[face].shape == Quad));
                }
            }
        }
        let wanted = [
            (Hex, Hex, Quad),
            (Hex, Prism, Quad),
            (Hex, Pyramid, Quad),
            (Prism, Prism, Quad),
            (Prism, Prism, Triangle),
            (Prism, Tet, Triangle),
            (Prism, Pyramid, Quad),
            (Prism, Pyramid, Triangle),
            (Tet, Tet, Triangle),
            (Tet, Pyramid, Triangle),
            (Pyramid, Pyramid, Quad),
            (Pyramid, Pyramid, Triangle),
        ];
        assert_eq!(
            met,
            wanted.into_iter().map(|(a, b, shape)| (a, b, shape == Quad)).collect(),
            "{cells:?}"
        );
    }
}

#[test]
fn a_mixed_box_that_does_not_fit_the_pattern_is_refused() {
    for cells in [[2, 2, 2], [5, 4, 4], [4, 3, 2], [4, 2, 1]] {
        let error = build_box(&warped(BoxElements::Mixed, cells, true), 2).unwrap_err();
        assert_eq!(error, BoxError::Mixed(cells));
        assert!(error.to_string().contains("even number of cubes"), "{error}");
    }
}

#[test]
fn cells_lie_in_their_cubes_in_order() {
    for (elements, per_cube) in [
        (BoxElements::Hex, 1),
        (BoxElements::Prism, 2),
        (BoxElements::Tet, 6),
        (BoxElements::Pyramid, 6),
    ] {
        let b = BoxMesh {
            warp: 0.0,
            stretch: [None; 3],
            ..warped(elements, [3, 2, 4], false)
        };
        let mesh = build_box(&b, 3).unwrap();
        let structured = mesh.structured.unwrap();
        assert_eq!(
            (structured.dims, structured.per_cube, mesh.geometry_order),
            ([3, 2, 4], per_cube, 1)
        );
        let mut names = mesh.boundary_names.clone();
        names.sort();
        assert_eq!(
            names,
            ["x+", "x-", "y+", "y-", "z+", "z-"].map(str::to_owned),
            "{elements:?}"
        );
        for cell in 0..mesh.len() {
            let cube = cell / per_cube;
            let at = [cube % 3, cube / 3 % 2, cube / 6];
            for x in mesh.cell_nodes(cell) {
                for d in 0..3 {
                    let place = (x[d] - b.lower[d]) / (b.upper[d] - b.lower[d]) * b.cells[d] as f64 - at[d] as f64;
                    assert!((-1e-12..1.0 + 1e-12).contains(&place), "{elements:?} {cell} {place}");
                }
            }
        }
    }
    assert_eq!(
        build_box(&warped(BoxElements::Mixed, [4, 2, 2], true), 1)
            .unwrap()
            .structured,
        None
    );
}
