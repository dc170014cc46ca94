//! Tests of the division into hexahedra: numbers, shape, sides, boundaries, and refusals.

use std::path::Path;

use super::*;
use crate::mesh::test_meshes::{a_box, a_sector, tagged};
use crate::mesh::{BoxElements, build_box, quality::Quality, read_gmsh_bytes};

/// The largest distance of a node from the neighbour's node at the same point of their face, but for periodic ones.
fn largest_gap(mesh: &Mesh) -> f64 {
    let order = mesh.geometry_order;
    let mut largest: f64 = 0.0;
    for cell in 0..mesh.len() {
        for (face, side) in mesh.cell_sides(cell).iter().enumerate() {
            let Some(there) = side.neighbour() else { continue };
            let ours = ElementKind::Hex.face_indices(face, order);
            let theirs = ElementKind::Hex.face_indices(there.face, order);
            let apart = |point: usize| -> [f64; 3] {
                let x = mesh.cell_nodes(cell)[ours[point]];
                let at = FaceShape::Quad.oriented_point(there.orientation, point, order);
                let y = mesh.cell_nodes(there.cell)[theirs[at]];
                let turned = there.rotation.map_or(x, |r| {
                    mesh.rotations[r].map(|row| (0..3).map(|d| row[d] * x[d]).sum::<f64>())
                });
                std::array::from_fn(|d| turned[d] - y[d])
            };
            // Faces across a periodic boundary are apart by one shift.
            let shift = apart(0);
            for point in 0..ours.len() {
                let here = apart(point);
                largest = (0..3).map(|d| (here[d] - shift[d]).abs()).fold(largest, f64::max);
            }
        }
    }
    largest
}

/// Divides a mesh, and asserts that it consists of so many sound cells and has the shape that it had.
fn divides(mesh: &Mesh, cells: usize) -> Mesh {
    let before = Quality::of(mesh, 2).expect("cells");
    let hexes = mesh.clone().into_hexes().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(hexes.len(), cells);
    assert_eq!(hexes.check(), Ok(()));
    assert_eq!(hexes.geometry_order, mesh.geometry_order);
    let after = Quality::of(&hexes, 2).expect("cells");
    assert_eq!(after.inverted, 0);
    assert!(after.worst.value > 0.05, "{:?}", after.worst);
    assert!((after.volume / before.volume - 1.0).abs() < 1e-13);
    for (after, before) in after.boundaries.iter().zip(&before.boundaries) {
        assert_eq!(after.name, before.name);
        assert!((after.area / before.area - 1.0).abs() < 1e-13, "{}", after.name);
    }
    let gap = largest_gap(&hexes);
    assert!(gap < 1e-14, "{gap}");
    hexes
}

#[test]
fn curved_boxes_and_sectors_keep_their_shape_their_boundaries_and_their_periods() {
    for periodic in [false, true] {
        for (elements, pieces) in [(BoxElements::Tet, 6 * 4), (BoxElements::Prism, 2 * 3)] {
            let mesh = build_box(&a_box(elements, [3, 2, 3], [periodic; 3]), 2).expect("a box");
            let hexes = divides(&tagged(mesh), 18 * pieces);
            let outer = hexes.sides.iter().filter(|side| side.neighbour().is_none()).count();
            assert_eq!(outer == 0, periodic);
        }
    }
    let sector = a_sector([5, 3, 2]).build().expect("a sector");
    let prisms = sector.kinds.iter().filter(|kind| **kind == ElementKind::Prism).count();
    // The hexahedra of the first of five layers are halved around the axis, where prisms divide the other side.
    let hexes = divides(&sector, 3 * prisms + 2 * (sector.len() - prisms));
    let turned = hexes.sides.iter().filter(|side| matches!(side, Side::Rotated { .. }));
    assert_eq!(turned.count(), 2 * 2 * (1 + 4 * 2));
}

/// A hexahedron between two prisms, whose triangles are normal to z and to y.
const BETWEEN_PRISMS: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n12\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n\
    5 0 0 1\n6 1 0 1\n7 1 1 1\n8 0 1 1\n9 2 0 0\n10 2 0 1\n11 -1 0 1\n12 -1 1 1\n$EndNodes\n$Elements\n3\n\
    1 5 2 1 1 1 2 3 4 5 6 7 8\n2 6 2 1 1 2 9 3 6 10 7\n3 6 2 1 1 5 1 11 8 4 12\n$EndElements\n";

#[test]
fn halves_pass_from_cell_to_cell() {
    let mesh = read_gmsh_bytes(Path::new("a.msh"), BETWEEN_PRISMS.as_bytes(), &[]).expect("a mesh");
    // The first prism halves the hexahedron in y, the second one in z, and so each the height of the other.
    divides(&mesh, 6 + 4 + 6);
}

#[test]
fn pyramids_are_refused_and_hexahedra_need_nothing() {
    let pyramids = build_box(&a_box(BoxElements::Pyramid, [2, 2, 2], [false; 3]), 2).expect("a box");
    let error = pyramids.into_hexes().expect_err("pyramids");
    assert!(matches!(error, HexesError::Pyramids { count: 48, .. }), "{error}");
    assert!(error.to_string().contains("the first is pyramid 0 at ("), "{error}");
    let hexes = build_box(&a_box(BoxElements::Hex, [2, 2, 2], [false; 3]), 2).expect("a box");
    assert_eq!(hexes.into_hexes().expect_err("hexahedra"), HexesError::Already);
}
