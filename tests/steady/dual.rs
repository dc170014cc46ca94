//! Identities of the median dual on all kinds of cells, straight and curved, periodic and not, for degrees 1 to 6.

use std::collections::HashSet;

use crate::meshes::{ALL, WIDTH, a_box, box_with_dual};
use fr_les::case::{BoxElements, BoxMesh};
use fr_les::element::gauss_lobatto;
use fr_les::mesh::build_box;
use fr_les::ranks::Ranks;
use fr_les::steady::DualMesh;
use fr_les::vector::{Vector, length, minus};

/// Every element and degree, with sides that are periodic in the directions of `periodic`.
fn all(periodic: [bool; 3], mut check: impl FnMut(&BoxMesh, usize)) {
    for elements in ALL {
        let cells = if elements == BoxElements::Mixed {
            [4, 2, 2]
        } else {
            [3, 2, 2]
        };
        for q in 1..=6 {
            check(&a_box(elements, cells, periodic), q);
        }
    }
}

fn plus(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|d| a[d] + b[d])
}

/// Sums of the area vectors around the vertices, and of their magnitudes.
fn closures(dual: &DualMesh) -> Vec<(Vector, f64)> {
    let mut sums: Vec<(Vector, f64)> = (0..dual.owned)
        .map(|v| {
            let areas = &dual.area[dual.edges(v)];
            let sum = areas.iter().fold([0.0; 3], |sum, a| plus(sum, *a));
            (sum, areas.iter().map(|a| length(*a)).sum())
        })
        .collect();
    for boundary in &dual.boundary {
        for (vertex, area) in boundary.vertex.iter().zip(&boundary.area) {
            let sum = &mut sums[*vertex as usize];
            *sum = (plus(sum.0, *area), sum.1 + length(*area));
        }
    }
    sums
}

#[test]
fn area_vectors_around_every_vertex_add_to_zero_and_volumes_to_that_of_the_box() {
    for periodic in [[false; 3], [true, false, true], [true; 3]] {
        all(periodic, |b, q| {
            let (_, _, dual) = box_with_dual(b, q);
            let worst = closures(&dual).into_iter().map(|(sum, areas)| length(sum) / areas);
            let worst = worst.fold(0.0, f64::max);
            assert!(worst < 1e-14, "{:?} {q} {periodic:?}: {worst:e}", b.elements);
            let volume: f64 = dual.volume.iter().sum();
            let exact: f64 = WIDTH.iter().product();
            assert!(
                (volume / exact - 1.0).abs() < 1e-12,
                "{:?} {q}: {volume} {exact}",
                b.elements
            );
        });
    }
}

#[test]
fn areas_of_boundaries_are_those_of_the_sides_of_the_box() {
    all([false; 3], |b, q| {
        let (mesh, _, dual) = box_with_dual(b, q);
        assert_eq!(dual.boundary.len(), 6);
        for (boundary, name) in dual.boundary.iter().zip(&mesh.boundary_names) {
            let axis = name.as_bytes()[0] as usize - usize::from(b'x');
            let sign = if name.ends_with('+') { 1.0 } else { -1.0 };
            let exact: Vector = std::array::from_fn(|d| {
                if d == axis {
                    sign * WIDTH[(d + 1) % 3] * WIDTH[(d + 2) % 3]
                } else {
                    0.0
                }
            });
            let sum = boundary.area.iter().fold([0.0; 3], |sum, a| plus(sum, *a));
            assert!(length(minus(sum, exact)) < 1e-12, "{name}: {sum:?} {exact:?}");
            assert!(boundary.vertex.is_sorted_by_key(|&v| dual.global[v as usize]));
            let side = if sign > 0.0 { b.upper[axis] } else { b.lower[axis] };
            assert!(
                boundary
                    .vertex
                    .iter()
                    .all(|&v| (dual.position[v as usize][axis] - side).abs() < 1e-14)
            );
        }
    });
}

#[test]
fn both_ends_of_an_edge_have_opposite_vectors_to_the_last_bit() {
    let check = |b: &BoxMesh, q: usize| {
        let (_, _, dual) = box_with_dual(b, q);
        for vertex in 0..dual.owned {
            let mut last = None;
            for edge in dual.edges(vertex) {
                let other = dual.neighbour[edge] as usize;
                let opposite = |x: Vector, y: Vector| (0..3).all(|d| x[d] == -y[d]);
                let back = dual.edges(other).filter(|&e| {
                    dual.neighbour[e] as usize == vertex
                        && opposite(dual.area[e], dual.area[edge])
                        && opposite(dual.displacement[e], dual.displacement[edge])
                });
                assert_eq!(
                    back.count(),
                    1,
                    "{:?} {q} {:?} {vertex} {other}",
                    b.elements,
                    b.periodic
                );
                assert!(last <= Some(dual.global[other]));
                last = Some(dual.global[other]);
                // Through a period the ends lie a whole number of widths further apart.
                let extra = minus(
                    dual.displacement[edge],
                    minus(dual.position[other], dual.position[vertex]),
                );
                for d in 0..3 {
                    let periods = extra[d] / WIDTH[d];
                    assert!((periods - periods.round()).abs() < 1e-13);
                    assert!(b.periodic[d] || periods.abs() < 1e-13);
                }
                assert!(length(dual.displacement[edge]) > 0.0);
            }
        }
    };
    for periodic in [[false; 3], [true, false, true], [true; 3]] {
        all(periodic, check);
    }
    // One and two cells deep: a vertex is its own neighbour, or has another one on both sides.
    for elements in [BoxElements::Hex, BoxElements::Prism, BoxElements::Tet] {
        for (cells, q) in [
            ([1, 1, 1], 1),
            ([1, 2, 1], 1),
            ([3, 1, 2], 1),
            ([1, 1, 1], 2),
            ([2, 1, 1], 3),
        ] {
            check(&a_box(elements, cells, [true; 3]), q);
            check(&a_box(elements, cells, [true, false, true]), q);
        }
    }
}

#[test]
fn there_is_one_vertex_at_each_place_and_every_point_lies_at_its_vertex() {
    for periodic in [[false; 3], [true, false, true], [true; 3]] {
        all(periodic, |b, q| {
            let (_, geometry, dual) = box_with_dual(b, q);
            // Places modulo the periods, to 1e-8 of the widths.
            let place = |x: Vector| -> [i64; 3] {
                std::array::from_fn(|d| {
                    let share = ((x[d] - b.lower[d]) / WIDTH[d] * 1e8).round() as i64;
                    if b.periodic[d] {
                        share.rem_euclid(100_000_000)
                    } else {
                        share
                    }
                })
            };
            let places: HashSet<[i64; 3]> = geometry.points.iter().map(|x| place(*x)).collect();
            assert_eq!(dual.owned, places.len(), "{:?} {q} {periodic:?}", b.elements);
            assert_eq!(dual.vertices_of_all_ranks, places.len() as u64);
            assert_eq!(dual.interior, dual.owned);
            let global: HashSet<u64> = dual.global.iter().copied().collect();
            assert_eq!(global.len(), dual.len());
            assert_eq!(dual.point_vertex.len(), geometry.points.len());
            for (x, vertex) in geometry.points.iter().zip(&dual.point_vertex) {
                let difference = minus(*x, dual.position[*vertex as usize]);
                for d in 0..3 {
                    let periods = difference[d] / WIDTH[d];
                    assert!((periods - periods.round()).abs() < 1e-13, "{difference:?}");
                    assert!(b.periodic[d] || periods.abs() < 1e-13);
                }
            }
        });
    }
}

#[test]
fn volumes_of_a_straight_box_of_hexahedra_are_products_of_the_spaces_between_points() {
    for q in 1..=6 {
        let b = BoxMesh {
            warp: 0.0,
            stretch: [None; 3],
            ..a_box(BoxElements::Hex, [3, 2, 2], [false; 3])
        };
        let (_, _, dual) = box_with_dual(&b, q);
        let coordinates: [Vec<f64>; 3] = std::array::from_fn(|d| {
            let h = WIDTH[d] / b.cells[d] as f64;
            let in_cell = gauss_lobatto(q).0;
            let mut all: Vec<f64> = (0..b.cells[d])
                .flat_map(|cell| in_cell[..q].iter().map(move |x| (cell as f64 + 0.5 * (1.0 + x)) * h))
                .collect();
            all.push(WIDTH[d]);
            all
        });
        for (x, volume) in dual.position.iter().zip(&dual.volume) {
            let space = |d: usize| {
                let line = &coordinates[d];
                let i = line
                    .iter()
                    .position(|c| (c + b.lower[d] - x[d]).abs() < 1e-12)
                    .expect("a point");
                0.5 * (line[(i + 1).min(line.len() - 1)] - line[i.saturating_sub(1)])
            };
            let exact: f64 = (0..3).map(space).product();
            assert!((volume / exact - 1.0).abs() < 1e-12, "{q} {x:?}: {volume} {exact}");
        }
    }
}

#[test]
fn sums_over_edges_give_exact_gradients_of_linear_functions_on_tetrahedra() {
    // On tetrahedra the median dual is the linear finite element: sum (f_i + f_j)/2 a_ij + f_i b_i = V grad f.
    let slope = [0.7, -1.3, 0.4];
    let b = a_box(BoxElements::Tet, [3, 2, 2], [false; 3]);
    let (_, _, dual) = box_with_dual(&b, 1);
    let f: Vec<f64> = dual
        .position
        .iter()
        .map(|x| (0..3).map(|d| slope[d] * x[d]).sum())
        .collect();
    let mut sums = vec![[0.0; 3]; dual.owned];
    for vertex in 0..dual.owned {
        for edge in dual.edges(vertex) {
            let mean = 0.5 * (f[vertex] + f[dual.neighbour[edge] as usize]);
            sums[vertex] = plus(sums[vertex], dual.area[edge].map(|a| mean * a));
        }
    }
    let on_boundary: HashSet<u32> = dual.boundary.iter().flat_map(|b| b.vertex.iter().copied()).collect();
    let interior = (0..dual.owned).filter(|&v| !on_boundary.contains(&(v as u32)));
    assert!(interior.clone().count() > 0);
    for vertex in interior {
        let exact = slope.map(|s| s * dual.volume[vertex]);
        assert!(length(minus(sums[vertex], exact)) < 1e-13, "{vertex}");
    }
}

#[test]
fn distances_from_flat_walls_are_exact_and_infinite_without_walls() {
    for elements in ALL {
        let b = a_box(elements, [4, 2, 2], [true, false, false]);
        let (_, _, dual) = box_with_dual(&b, 3);
        for (x, distance) in dual.position.iter().zip(&dual.wall_distance) {
            let exact = (x[1] - b.lower[1]).min(b.upper[2] - x[2]);
            assert!((distance - exact).abs() < 1e-14, "{x:?}: {distance} {exact}");
            assert!(exact.abs() > 1e-14 || *distance == 0.0);
        }
        let (_, _, dual) = box_with_dual(&a_box(elements, [4, 2, 2], [true; 3]), 2);
        assert!(dual.wall_distance.iter().all(|d| *d == f64::INFINITY));
    }
}

#[test]
fn meshes_without_a_dual_are_refused() {
    // A cell that the lattice of degree 2 keeps valid at its points, while the dual of one of them is turned inside
    // out.
    let b = BoxMesh {
        warp: 0.0,
        stretch: [None; 3],
        ..a_box(BoxElements::Hex, [1, 1, 1], [false; 3])
    };
    let mut mesh = build_box(&b, 2).expect("a box");
    let (_, mut geometry, _) = box_with_dual(&b, 2);
    let middle = geometry
        .points
        .iter()
        .position(|x| length(minus(*x, [0.5, 0.875, 0.9])) < 1e-12)
        .expect("a centre");
    geometry.points[middle][0] += 2.0 * WIDTH[0];
    mesh.tags = vec![77];
    let error = DualMesh::new(&mesh, &geometry, 2, |_| false, &Ranks::alone()).expect_err("an inverted dual");
    let text = error.to_string();
    assert!(
        text.contains("hex 0 (element 77 of the mesh file)") && text.contains("degree 2"),
        "{text}"
    );
}
