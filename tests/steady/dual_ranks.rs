//! The median dual on several ranks is that of the whole mesh, to the last bit.

use std::collections::HashMap;

use crate::common::program::as_ranks;
use crate::linear::lines_of;
use crate::meshes::{a_box, with_dual};
use crate::solver::duct;
use fr_les::case::{BoxElements, BoxMesh};
use fr_les::mesh::build_box;
use fr_les::mesh::partition::distribute;
use fr_les::ranks::Ranks;
use fr_les::steady::{BoundaryList, DualMesh, Lines, keep_lines_whole};
use mpi::topology::SimpleCommunicator;

#[test]
fn the_dual_of_parts_is_that_of_the_whole_mesh() {
    as_ranks(
        module_path!(),
        "the_dual_of_parts_is_that_of_the_whole_mesh",
        &[1, 2, 3, 7],
        compare_parts,
    );
}

/// Compares the dual of each rank's part with that of the whole mesh.
fn compare_parts(world: &SimpleCommunicator, ranks: &Ranks) {
    let cases = [
        (BoxElements::Mixed, [4, 4, 2], [true, false, true], 3),
        (BoxElements::Mixed, [4, 2, 2], [false; 3], 2),
        (BoxElements::Hex, [7, 1, 1], [true; 3], 2),
        (BoxElements::Tet, [3, 3, 1], [true, false, true], 1),
    ];
    let curved = cases.map(|(elements, cells, periodic, q)| (a_box(elements, cells, periodic), q));
    // The mean of the points of a face at z = 0.1 is not 0.1 in the last bit.
    let thin = BoxMesh {
        lower: [0.0; 3],
        upper: [1.0, 0.2, 0.1],
        stretch: [None; 3],
        warp: 0.0,
        ..a_box(BoxElements::Hex, [8, 8, 1], [false, false, true])
    };
    for (shape, q) in curved.into_iter().chain([(thin, 2)]) {
        let mesh = build_box(&shape, 2).expect("a box");
        let (_, _, whole) = with_dual(mesh.clone(), q, &Ranks::alone()).expect("a dual");
        let mine = distribute(mesh, world, q, &[]).expect("parts");
        let (_, _, dual) = with_dual(mine, q, ranks).expect("a dual");
        let mut owned = [dual.owned as u64];
        ranks.allreduce_sum(&mut owned);
        assert_eq!(owned[0], whole.owned as u64);
        assert_eq!(dual.vertices_of_all_ranks, owned[0]);
        compare(&dual, &whole);
        let vertices = |dual: &DualMesh| dual.boundary.iter().map(|b| b.vertex.len() as u64).sum::<u64>();
        let mut on_boundaries = [vertices(&dual)];
        ranks.allreduce_sum(&mut on_boundaries);
        assert_eq!(on_boundaries[0], vertices(&whole));
        exchange(&dual, ranks);
    }
}

#[test]
fn lines_are_those_of_the_whole_mesh_and_have_one_owner() {
    as_ranks(
        module_path!(),
        "lines_are_those_of_the_whole_mesh_and_have_one_owner",
        &[1, 2, 3, 7],
        compare_lines,
    );
}

/// Compares the lines of each rank, which lead from wall to wall, after vertices have moved to their owners, with those
/// of the whole mesh.
fn compare_lines(world: &SimpleCommunicator, ranks: &Ranks) {
    let shape = BoxMesh {
        lower: [0.0; 3],
        upper: [1.0; 3],
        stretch: [None, Some(4.0), None],
        warp: 0.0,
        ..a_box(BoxElements::Hex, [2, 16, 2], [true, false, true])
    };
    let mesh = build_box(&shape, 1).expect("a box");
    let (of_whole, _, whole) = with_dual(mesh.clone(), 1, &Ranks::alone()).expect("a dual");
    let (mine, _, mut dual) = with_dual(distribute(mesh, world, 1, &[]).expect("parts"), 1, ranks).expect("a dual");
    let owned_before = dual.global[..dual.owned].to_vec();
    let mut boundaries = duct(&dual, &mine.boundary_names);
    keep_lines_whole(&mut dual, &mut boundaries, ranks);
    compare(&dual, &whole);
    exchange(&dual, ranks);
    for (list, of_dual) in boundaries.iter().zip(&dual.boundary) {
        assert_eq!((&list.vertex, &list.area), (&of_dual.vertex, &of_dual.area));
    }
    let data = |lists: &[BoundaryList], dual: &DualMesh| -> HashMap<(usize, u64), [f64; 6]> {
        let of = |(n, list): (usize, &BoundaryList)| -> Vec<_> {
            let numbers = list.vertex.iter().map(|&v| (n, dual.global[v as usize]));
            numbers.zip(list.data.iter().copied()).collect()
        };
        lists.iter().enumerate().flat_map(of).collect()
    };
    let expected = data(&duct(&whole, &of_whole.boundary_names), &whole);
    assert!(
        data(&boundaries, &dual)
            .iter()
            .all(|(at, value)| expected[at] == *value)
    );
    let numbered = |lines: &Lines, dual: &DualMesh| -> Vec<(usize, Vec<u64>)> {
        let numbers = |line: Vec<u32>| line.iter().map(|&v| dual.global[v as usize]).collect();
        let lines = lines_of(lines, 8).into_iter();
        lines.map(|(colour, line)| (colour, numbers(line))).collect()
    };
    let expected = numbered(&Lines::along_strong_edges(&whole, 8, &Ranks::alone()), &whole);
    let lines = numbered(&Lines::along_strong_edges(&dual, 8, ranks), &dual);
    assert!(lines.iter().all(|line| expected.contains(line)));
    let moved = dual.global[..dual.owned]
        .iter()
        .filter(|number| !owned_before.contains(number));
    let mut sums = [lines.len() as u64, dual.owned as u64, moved.count() as u64];
    ranks.allreduce_sum(&mut sums);
    assert_eq!(sums[..2], [expected.len() as u64, whole.owned as u64]);
    println!("{} ranks: {} vertices moved", ranks.size(), sums[2]);
    assert!((sums[2] > 0) == (ranks.size() > 1));
    // Values that are known at the points of a rank's cells reach the owners of their vertices.
    let mut values = vec![f64::NAN; dual.len()];
    for &vertex in &dual.point_vertex {
        values[vertex as usize] = dual.global[vertex as usize] as f64;
    }
    dual.complete_from_halos(ranks, &mut values);
    dual.update_halo(ranks, &mut values);
    assert!(
        values
            .iter()
            .zip(&dual.global)
            .all(|(value, number)| *value == *number as f64)
    );
}

/// Compares the vertices of a part with the same ones of the whole mesh.
fn compare(dual: &DualMesh, whole: &DualMesh) {
    let at: HashMap<u64, usize> = whole.global.iter().copied().zip(0..).collect();
    for (vertex, number) in dual.global.iter().enumerate() {
        let there = at[number];
        assert_eq!(dual.position[vertex], whole.position[there]);
        assert_eq!(dual.volume[vertex].to_bits(), whole.volume[there].to_bits());
        assert_eq!(
            dual.wall_distance[vertex].to_bits(),
            whole.wall_distance[there].to_bits()
        );
        if vertex < dual.owned {
            let (here, there) = (dual.edges(vertex), whole.edges(there));
            assert_eq!(dual.area[here.clone()], whole.area[there.clone()]);
            assert_eq!(dual.displacement[here.clone()], whole.displacement[there.clone()]);
            let ends = |dual: &DualMesh, edges: std::ops::Range<usize>| -> Vec<u64> {
                edges.map(|e| dual.global[dual.neighbour[e] as usize]).collect()
            };
            let of_halo = dual.neighbour[here.clone()].iter().any(|&v| v as usize >= dual.owned);
            assert_eq!(of_halo, vertex >= dual.interior);
            assert_eq!(ends(dual, here), ends(whole, there));
        }
    }
    for (part, all) in dual.boundary.iter().zip(&whole.boundary) {
        let areas: HashMap<u32, [f64; 3]> = all.vertex.iter().copied().zip(all.area.iter().copied()).collect();
        assert!(part.vertex.iter().all(|&v| (v as usize) < dual.owned));
        for (vertex, area) in part.vertex.iter().zip(&part.area) {
            assert_eq!(*area, areas[&(at[&dual.global[*vertex as usize]] as u32)]);
        }
    }
}

/// Sends the global numbers to the halos.
fn exchange(dual: &DualMesh, ranks: &Ranks) {
    let mut values = vec![0; dual.len()];
    values[..dual.owned].copy_from_slice(&dual.global[..dual.owned]);
    dual.update_halo(ranks, &mut values);
    assert_eq!(values, dual.global);
    assert!(dual.exchange.iter().all(|n| n.rank != ranks.rank()));
}
