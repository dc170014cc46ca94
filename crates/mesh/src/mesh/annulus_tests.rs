//! Tests of annuli: shared nodes, nodes on circles, growing layers, refusals.

use super::*;
use crate::element::ElementKind;
use crate::mesh::test_meshes::a_sector;
use crate::mesh::types::{Neighbour, Side};

fn sector() -> Annulus {
    Annulus {
        hex_layers: 2,
        ..a_sector([5, 3, 2])
    }
}

/// Nodes on both sides of every face, turned or shifted where the annulus is periodic.
fn check_sides(mesh: &Mesh, a: &Annulus) {
    let g = a.geometry_order;
    for cell in 0..mesh.len() {
        let kind = mesh.kinds[cell];
        for (face, side) in mesh.cell_sides(cell).iter().enumerate() {
            if let Side::Boundary(name) = *side {
                let radius = match mesh.boundary_names[name].as_str() {
                    "inner" => a.inner,
                    "outer" => a.outer,
                    _ => continue,
                };
                for i in kind.face_indices(face, g) {
                    let [x, y, _] = mesh.cell_nodes(cell)[i];
                    assert!((x.hypot(y) - radius).abs() < 4e-16 * radius, "off the circle");
                }
                continue;
            }
            let Some(Neighbour {
                cell: c2,
                face: f2,
                orientation,
                rotation,
            }) = side.neighbour()
            else {
                continue;
            };
            let shape = kind.faces()[face].shape;
            let theirs = mesh.kinds[c2].face_indices(f2, g);
            for (point, i) in kind.face_indices(face, g).into_iter().enumerate() {
                let here = mesh.cell_nodes(cell)[i];
                let there = mesh.cell_nodes(c2)[theirs[shape.oriented_point(orientation, point, g)]];
                if let Some(rotation) = rotation {
                    let turned = mesh.rotations[rotation].map(|row| (0..3).map(|d| row[d] * here[d]).sum::<f64>());
                    assert!(
                        (0..3).all(|d| (turned[d] - there[d]).abs() < 1e-15 * a.outer),
                        "{turned:?} {there:?}"
                    );
                } else if a.periodic_z && (here[2] - there[2]).abs() == a.length {
                    assert_eq!(here[..2], there[..2]);
                } else {
                    assert_eq!(here, there);
                }
            }
        }
    }
}

#[test]
fn neighbours_share_their_nodes() {
    for geometry_order in 1..=4 {
        for (angle, around, periodic_angle, periodic_z) in [
            (1.1, 3, true, false),
            (1.1, 1, true, true),
            (TAU, 3, false, true),
            (TAU, 8, true, false),
            (3.0, 2, false, false),
        ] {
            for hex_layers in [0, 2, 5] {
                let a = Annulus {
                    angle,
                    cells: [5, around, 2],
                    periodic_angle,
                    periodic_z,
                    hex_layers,
                    geometry_order,
                    ..sector()
                };
                check_sides(&a.build().unwrap(), &a);
            }
        }
    }
}

#[test]
fn layers_grow_and_boundaries_have_names() {
    let a = Annulus {
        periodic_angle: false,
        ..sector()
    };
    let mut mesh = a.build().unwrap();
    mesh.boundary_names.sort();
    assert_eq!(
        mesh.boundary_names,
        ["inner", "outer", "theta+", "theta-", "z+", "z-"].map(str::to_owned)
    );
    let count = |kind| mesh.kinds.iter().filter(|k| **k == kind).count();
    assert_eq!(
        (count(ElementKind::Hex), count(ElementKind::Prism)),
        (2 * 3 * 2, 2 * 3 * 3 * 2)
    );
    let heights: Vec<f64> = (0..5).map(|i| a.radius(i + 1) - a.radius(i)).collect();
    assert!(
        heights.windows(2).all(|h| (h[1] / h[0] - 1.3).abs() < 1e-12),
        "{heights:?}"
    );
}

#[test]
fn impossible_annuli_are_refused() {
    let refused = |a: Annulus| a.build().unwrap_err().to_string();
    assert!(refused(Annulus { inner: 0.0, ..sector() }).contains("inner radius is 0, but must be above 0"));
    assert!(refused(Annulus { outer: 0.4, ..sector() }).contains("above the inner one, 0.5"));
    assert!(
        refused(Annulus {
            length: f64::NAN,
            ..sector()
        })
        .contains("length is NaN")
    );
    assert!(refused(Annulus { angle: 6.3, ..sector() }).contains("angle is 6.3"));
    assert!(
        refused(Annulus {
            cells: [5, 0, 2],
            ..sector()
        })
        .contains("cells around is 0")
    );
    assert!(
        refused(Annulus {
            cells: [0, 1, 2],
            ..sector()
        })
        .contains("cells along the radius is 0")
    );
    assert!(
        refused(Annulus {
            growth: -1.0,
            ..sector()
        })
        .contains("growth is -1")
    );
    assert!(
        refused(Annulus {
            growth: 999.0,
            cells: [40, 3, 1],
            ..sector()
        })
        .contains("thinner")
    );
    assert!(
        refused(Annulus {
            hex_layers: 6,
            ..sector()
        })
        .contains("hex layers is 6")
    );
    assert!(
        refused(Annulus {
            geometry_order: 0,
            ..sector()
        })
        .contains("geometry order is 0")
    );
    assert!(
        refused(Annulus {
            angle: TAU,
            cells: [5, 2, 1],
            ..sector()
        })
        .contains("2 cells around 360.000000 degrees")
    );
}
