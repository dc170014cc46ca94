//! Tests of divisions: that parts together are the whole, that their sides lead back, that no part is empty.

use super::divide::fill_empty_parts;
use super::*;
use crate::element::{ElementKind, FaceShape};
use crate::io::Precision;
use crate::mesh::test_meshes::{a_box, a_sector, tagged};
use crate::mesh::{BoxElements, Mesh, Side, build_box};

fn boxed(elements: BoxElements, cells: [usize; 3], periodic: [bool; 3]) -> Mesh {
    build_box(&a_box(elements, cells, periodic), 2).unwrap()
}

fn meshes() -> Vec<Mesh> {
    vec![
        boxed(BoxElements::Mixed, [4, 4, 2], [true, false, true]),
        boxed(BoxElements::Tet, [2, 2, 2], [true; 3]),
        boxed(BoxElements::Hex, [1, 4, 3], [true; 3]),
        tagged(a_sector([3, 4, 3]).build().unwrap()),
    ]
}

/// The side of the whole mesh of which `side` is a part's view.
fn whole(side: Side, global: &[usize]) -> Side {
    match side {
        Side::Cell {
            cell,
            face,
            orientation,
        } => Side::Cell {
            cell: global[cell],
            face,
            orientation,
        },
        Side::Rotated {
            cell,
            face,
            orientation,
            rotation,
        } => Side::Rotated {
            cell: global[cell],
            face,
            orientation,
            rotation,
        },
        Side::Remote {
            cell,
            face,
            orientation,
            rotation: None,
            ..
        } => Side::Cell {
            cell,
            face,
            orientation,
        },
        Side::Remote {
            cell,
            face,
            orientation,
            rotation: Some(rotation),
            ..
        } => Side::Rotated {
            cell,
            face,
            orientation,
            rotation,
        },
        Side::Mortar(number) => Side::Mortar(number),
        Side::Boundary(name) => Side::Boundary(name),
    }
}

#[test]
fn parts_together_are_the_whole_and_their_sides_lead_back() {
    for mesh in meshes() {
        for ranks in [1, 2, 3, 5] {
            let part_of = divide(&mesh, ranks, &Weights::of(3), &[]).unwrap();
            let parts: Vec<Mesh> = (0..ranks).map(|rank| extract(&mesh, &part_of, rank)).collect();
            let mut seen = vec![false; mesh.len()];
            for (rank, part) in parts.iter().enumerate() {
                assert_eq!(part.check(), Ok(()));
                assert_eq!((part.hash(), part.cells_of_all_ranks()), (mesh.hash(), mesh.len()));
                assert_eq!(
                    (&part.boundary_names, &part.rotations),
                    (&mesh.boundary_names, &mesh.rotations)
                );
                let global = &part.part.as_ref().unwrap().global;
                assert!(global.is_sorted() && !global.is_empty());
                for (cell, &g) in global.iter().enumerate() {
                    assert!(!std::mem::replace(&mut seen[g], true));
                    assert_eq!((part.kinds[cell], part_of[g] as usize), (mesh.kinds[g], rank));
                    assert_eq!(part.cell_nodes(cell), mesh.cell_nodes(g));
                    assert_eq!(part.tags.get(cell), mesh.tags.get(g));
                    for (ours, &theirs) in part.cell_sides(cell).iter().zip(mesh.cell_sides(g)) {
                        assert_eq!(whole(*ours, global), theirs);
                        if let Side::Remote {
                            rank: other,
                            cell,
                            kind,
                            ..
                        } = *ours
                        {
                            assert_ne!(other, rank);
                            assert_eq!((other, kind), (part_of[cell] as usize, mesh.kinds[cell]));
                        }
                    }
                }
            }
            assert!(seen.into_iter().all(|seen| seen));
            let sum = |parts: &[Mesh]| parts.iter().map(pairing).fold(0, u64::wrapping_add);
            assert_eq!(sum(&parts), 0);
            spoiled_sides_do_not_pair(&parts, sum);
        }
    }
}

/// Turning, moving or dropping one end of a side between ranks is seen when the ranks add up.
fn spoiled_sides_do_not_pair(parts: &[Mesh], sum: impl Fn(&[Mesh]) -> u64) {
    let remote = |side: &Side| matches!(side, Side::Remote { .. });
    let Some(at) = parts[0].sides.iter().position(remote) else {
        return assert_eq!(parts.len(), 1);
    };
    let mut changes: Vec<fn(&mut Side)> = vec![
        |side| *side = Side::Boundary(0),
        |side| {
            if let Side::Remote { orientation, .. } = side {
                *orientation ^= 1
            }
        },
        |side| {
            if let Side::Remote { cell, .. } = side {
                *cell ^= 1
            }
        },
        |side| {
            if let Side::Remote { face, .. } = side {
                *face += 1
            }
        },
    ];
    if parts[0].rotations.len() > 1 {
        changes.push(|side| {
            if let Side::Remote { rotation, .. } = side {
                *rotation = rotation.map_or(Some(0), |r| Some(r ^ 1));
            }
        });
    }
    for change in changes {
        let mut spoiled = parts.to_vec();
        change(&mut spoiled[0].sides[at]);
        assert_ne!(sum(&spoiled), 0);
    }
}

#[test]
fn the_same_mesh_is_always_divided_in_the_same_way() {
    let mesh = boxed(BoxElements::Mixed, [8, 8, 4], [true; 3]);
    let first = divide(&mesh, 7, &Weights::of(4), &[]).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(divide(&mesh, 7, &Weights::of(4), &[]).unwrap(), first));
        }
    });
}

#[test]
fn no_part_is_empty_and_too_many_are_refused() {
    for mesh in meshes() {
        for parts in [mesh.len() / 3, mesh.len() / 2, mesh.len() - 1, mesh.len()] {
            let part_of = divide(&mesh, parts, &Weights::of(2), &[]).unwrap();
            let report = Report::of(&mesh, &part_of, parts, &Weights::of(2));
            assert!(
                report.loads.iter().all(|load| load.cells > 0),
                "{parts} of {}",
                mesh.len()
            );
        }
        let cells = mesh.len();
        let parts = mesh.len() + 1;
        for parts in [0, parts, usize::MAX] {
            assert_eq!(
                divide(&mesh, parts, &Weights::of(2), &[]),
                Err(DivideError::Parts { cells, parts })
            );
        }
    }
    let mut part_of = vec![2, 2, 0, 2, 2];
    fill_empty_parts(&mut part_of, 4, &[1, 1, 9, 5, 1]);
    assert_eq!(part_of, [2, 2, 0, 3, 1]);
}

#[test]
fn boxes_are_divided_evenly_with_few_faces_between() {
    let mesh = boxed(BoxElements::Hex, [8, 8, 8], [true; 3]);
    let weights = Weights::of(3);
    let report = Report::of(&mesh, &divide(&mesh, 8, &weights, &[]).unwrap(), 8, &weights);
    assert!(report.imbalance() < 1.05, "{report}");
    // Cubes of 4^3 cells have 96 faces.
    assert!(report.loads.iter().all(|load| load.faces < 150), "{report}");
    let mesh = boxed(BoxElements::Mixed, [8, 8, 8], [true; 3]);
    let report = Report::of(&mesh, &divide(&mesh, 4, &weights, &[]).unwrap(), 4, &weights);
    assert!(report.imbalance() < 1.05, "{report}");
    let faces: usize = report.loads.iter().map(|load| load.faces).sum();
    assert!(
        report
            .to_string()
            .contains(&format!("{} faces between ranks", faces / 2))
    );
    assert!(report.summary(Precision::Single).contains("4 ranks of "));
}

#[test]
fn loads_count_what_lies_between_ranks() {
    let mesh = boxed(BoxElements::Hex, [4, 1, 1], [true, false, false]);
    let report = Report::of(&mesh, &[0, 0, 1, 2], 3, &Weights::of(2));
    let load = |cells: usize| Load {
        cells,
        weight: 1000 * cells as u64,
        faces: 2,
        points: 18,
        neighbours: 2,
    };
    assert_eq!(report.loads, [load(2), load(1), load(1)]);
    assert_eq!(report.imbalance(), 1.5);
    assert_eq!(mesh.kinds[0].faces()[0].shape, FaceShape::Quad);
    assert_eq!(Weights::of(2).cell(ElementKind::Hex), 1000);
}
