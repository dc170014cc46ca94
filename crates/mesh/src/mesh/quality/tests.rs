//! Tests of the report: cells and boxes whose measures are known.

use std::f64::consts::PI;

use super::*;
use crate::mesh::test_meshes::{ALL, a_box};
use crate::mesh::{Annulus, build_box};
use crate::mesh::{BoxElements, BoxMesh, WarpKind};

fn warped(elements: BoxElements, warp: f64, warp_kind: WarpKind, order: usize) -> Mesh {
    let b = BoxMesh {
        warp,
        warp_kind,
        ..a_box(elements, [4, 2, 2], [false; 3])
    };
    build_box(&b, order).unwrap()
}

#[test]
fn cells_fill_their_box_however_warped() {
    let volume = 3.0 * 1.25 * 1.6;
    for elements in ALL {
        for (warp, kind, order) in [
            (0.0, WarpKind::Curved, 1),
            (0.15, WarpKind::Trilinear, 1),
            (0.15, WarpKind::Curved, 2),
            (0.15, WarpKind::Curved, 4),
        ] {
            let q = Quality::of(&warped(elements, warp, kind, order), 3).unwrap();
            assert!(
                (q.volume - volume).abs() < 1e-13 * volume,
                "{elements:?} {warp} {order}: {}",
                q.volume
            );
            assert!(
                q.worst.value > 0.0 && q.inverted == 0,
                "{elements:?} {warp} {kind:?} {order}: {:?}",
                q.worst
            );
            let affine: usize = q.kinds.iter().map(|k| k.affine).sum();
            let cells: usize = q.kinds.iter().map(|k| k.cells).sum();
            assert!(
                if warp == 0.0 {
                    affine == cells
                } else {
                    affine == 0 || elements != BoxElements::Hex
                },
                "{elements:?}"
            );
            for b in &q.boundaries {
                let area = match b.name.as_bytes()[0] {
                    b'x' => 1.25 * 1.6,
                    b'y' => 3.0 * 1.6,
                    _ => 3.0 * 1.25,
                };
                assert!(
                    (b.area - area).abs() < 1e-12 * area,
                    "{elements:?} {warp} {order} {}: {}",
                    b.name,
                    b.area
                );
            }
        }
    }
}

#[test]
fn a_box_of_cubes_is_ideal() {
    let b = BoxMesh {
        cells: [4, 3, 2],
        lower: [0.0; 3],
        upper: [4.0, 3.0, 2.0],
        periodic: [false, true, false],
        elements: BoxElements::Hex,
        stretch: [None; 3],
        warp: 0.0,
        warp_kind: WarpKind::Curved,
    };
    let q = Quality::of(&build_box(&b, 1).unwrap(), 4).unwrap();
    assert!((q.worst.value - 1.0).abs() < 1e-13 && (q.aspect.value - 1.0).abs() < 1e-13);
    assert!((q.growth.unwrap().value - 1.0).abs() < 1e-13 && (q.shortest_edge.value - 1.0).abs() < 1e-13);
    assert_eq!((q.points, q.inner_faces), (24 * 125, [3 * 6 + 4 * 6 + 12, 0]));
    assert_eq!(q.bounds, [[0.0; 3], [4.0, 3.0, 2.0]]);
    assert_eq!(q.boundaries.iter().map(|b| b.faces).sum::<usize>(), 2 * 6 + 2 * 12);
    let first = 0.5 * (1.0 - (3.0f64 / 7.0).sqrt());
    assert!(
        q.boundaries
            .iter()
            .all(|b| (b.first_point.unwrap().value - first).abs() < 1e-13)
    );
    // 25 for the states, 24/5 for traces, the rest for geometry and slots.
    let reals = q.memory.double as f64 / 8.0 / q.points as f64;
    assert!((30.0..30.8).contains(&reals), "{reals}");
}

#[test]
fn ideal_cells_have_scaled_jacobian_1_whatever_their_orientation() {
    let h = 2.0f64.sqrt();
    let cells: [(ElementKind, Vec<[f64; 3]>); 3] = [
        (
            ElementKind::Tet,
            vec![[1.0, 1.0, 1.0], [-1.0, 1.0, -1.0], [1.0, -1.0, -1.0], [-1.0, -1.0, 1.0]],
        ),
        (
            ElementKind::Pyramid,
            vec![
                [-1.0, -1.0, 0.0],
                [1.0, -1.0, 0.0],
                [-1.0, 1.0, 0.0],
                [1.0, 1.0, 0.0],
                [0.0, 0.0, h],
            ],
        ),
        (
            ElementKind::Prism,
            [0.0, 5.0]
                .iter()
                .flat_map(|&z| {
                    [0.0, 1.0, 2.0].map(|i: f64| [(2.0 * PI / 3.0 * i).cos(), (2.0 * PI / 3.0 * i).sin(), z])
                })
                .collect(),
        ),
    ];
    for (kind, nodes) in cells {
        let faces = kind.faces().len();
        let mesh = Mesh {
            geometry_order: 1,
            kinds: vec![kind],
            first_node: vec![0, nodes.len()],
            nodes: nodes.clone(),
            sides: vec![Side::Boundary(0); faces],
            first_side: vec![0, faces],
            boundary_names: vec!["wall".to_owned()],
            tags: vec![77],
            ..Mesh::default()
        };
        let q = Quality::of(&mesh, 2).unwrap();
        assert!((q.worst.value - 1.0).abs() < 1e-12, "{kind} {}", q.worst.value);
        assert_eq!(q.worst.place.tag, Some(77));
        assert!(q.volume > 0.0 && q.growth.is_none());
        let mirrored = Mesh {
            nodes: nodes.iter().map(|[x, y, z]| [*x, *y, -z]).collect(),
            ..mesh.clone()
        };
        let q = Quality::of(&mirrored, 2).unwrap();
        assert!(
            q.inverted == 1 && q.volume < 0.0 && (q.worst.value + 1.0).abs() < 0.2,
            "{kind} {}",
            q.worst.value
        );
        assert!(
            q.to_string().contains("inverted or degenerate cells            1"),
            "{q}"
        );
        let flat = Mesh {
            nodes: nodes.iter().map(|[x, y, _]| [*x, *y, 0.0]).collect(),
            ..mesh
        };
        assert_eq!(Quality::of(&flat, 2).unwrap().inverted, 1);
    }
}

#[test]
fn an_annulus_has_the_volume_of_an_annulus() {
    let mut errors = Vec::new();
    for geometry_order in 1..=4 {
        let a = Annulus {
            inner: 1.0,
            outer: 2.0,
            length: 0.5,
            angle: 2.0 * PI,
            cells: [4, 16, 2],
            growth: 1.2,
            hex_layers: 2,
            geometry_order,
            periodic_angle: true,
            periodic_z: false,
        };
        let q = Quality::of(&a.build().unwrap(), 3).unwrap();
        errors.push((q.volume / (1.5 * PI) - 1.0).abs());
        let growth = q.growth.unwrap().value;
        assert!((1.19..1.4).contains(&growth) && q.inverted == 0, "{growth}");
        let inner = q.boundaries.iter().find(|b| b.name == "inner").unwrap();
        let thinnest = 0.2 / (1.2f64.powi(4) - 1.0) * 0.5 * (1.0 - 0.2f64.sqrt());
        let first = inner.first_point.unwrap().value;
        assert!(
            (first / thinnest - 1.0).abs() < if geometry_order == 1 { 0.1 } else { 0.01 },
            "{first} {thinnest}"
        );
    }
    assert!(
        errors[3] < 1e-9 && errors.windows(2).all(|e| e[1] < 0.2 * e[0]),
        "{errors:?}"
    );
}

#[test]
fn the_report_is_a_table() {
    let q = Quality::of(&warped(BoxElements::Mixed, 0.1, WarpKind::Curved, 2), 4).unwrap();
    let text = q.to_string();
    for words in [
        "cells of geometry order 2",
        "pyramid",
        "z+",
        "worst scaled Jacobian",
        "memory of a run",
    ] {
        assert!(text.contains(words), "{words} in\n{text}");
    }
    assert!(text.lines().all(|line| line.len() <= 120), "{text}");
}
