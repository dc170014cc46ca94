//! The displacements under which the flow at an inlet is periodic, found from the neighbours of its cells.
//!
//! A neighbour across a periodic boundary lies elsewhere: its face is displaced by the period. The face of a cell at
//! the inlet goes to the rank of the neighbour, which compares it with its own.

use std::collections::HashMap;

use crate::geometry::longest_side;
use crate::mesh::{Mesh, Side};
use crate::ranks::Ranks;
use crate::vector::{cross, length, minus};

/// Differences of positions below this share of their size are round-off.
const ROUND_OFF: f64 = 1e-6;

/// What neighbours the cells of an inlet have.
#[derive(Debug, Clone, PartialEq)]
pub struct Periods {
    /// Displacements, at most two, linearly independent, the shorter first.
    pub periods: Vec<[f64; 3]>,
    /// Whether some neighbours lie across a boundary that is periodic by rotation.
    pub rotated: bool,
}

/// Finds the periods of the inlet with these cells of this rank. Collective.
pub fn find(mesh: &Mesh, cells: &[usize], ranks: &Ranks) -> Periods {
    let centre = |cell: usize, face: usize| {
        let nodes = mesh.cell_nodes(cell);
        let of_face = mesh.kinds[cell].face_indices(face, mesh.geometry_order);
        let sum = of_face
            .iter()
            .fold([0.0; 3], |sum, &node| std::array::from_fn(|d| sum[d] + nodes[node][d]));
        sum.map(|c: f64| c / of_face.len() as f64)
    };
    let (mut found, mut rotated) = (Vec::new(), false);
    // Faces of neighbours on each rank: the neighbour and its face, and the bits of the centre here and of the size.
    let mut sent = vec![Vec::new(); ranks.size()];
    let mut here = HashMap::new();
    for &cell in cells {
        let size = longest_side(mesh.cell_nodes(cell));
        for (face, side) in mesh.cell_sides(cell).iter().enumerate() {
            match *side {
                Side::Cell {
                    cell: other,
                    face: there,
                    ..
                } => {
                    let displaced = minus(centre(other, there), centre(cell, face));
                    if length(displaced) > ROUND_OFF * size {
                        found.push(displaced);
                    }
                }
                Side::Remote {
                    rank,
                    cell: other,
                    face: there,
                    rotation: None,
                    ..
                } => {
                    let at = centre(cell, face);
                    here.insert([mesh.global(cell) as u64, face as u64], at);
                    let [x, y, z] = at.map(f64::to_bits);
                    sent[rank].push([other as u64, there as u64, x, y, z, size.to_bits()]);
                }
                Side::Rotated { .. } | Side::Remote { .. } => rotated = true,
                Side::Mortar(_) | Side::Boundary(_) => {}
            }
        }
    }
    let sent = sent.into_iter().map(|faces| faces.into_flattened()).collect();
    for faces in ranks.alltoall(sent) {
        for &[cell, face, x, y, z, size] in faces.as_chunks::<6>().0 {
            if let Some(&there) = here.get(&[cell, face]) {
                let displaced = minus(there, [x, y, z].map(f64::from_bits));
                if length(displaced) > ROUND_OFF * f64::from_bits(size) {
                    found.push(displaced);
                }
            }
        }
    }
    // Those of neighbours on one rank are known there only.
    let found = ranks.allgather(found.as_flattened());
    let rotated = ranks.first_rank_where(rotated).is_some();
    let periods = independent(found.chunks_exact(3).map(|d| [d[0], d[1], d[2]]).collect());
    Periods { periods, rotated }
}

/// Returns the shortest two of the displacements that are linearly independent, each in one of its two directions.
/// Their order does not matter.
fn independent(found: Vec<[f64; 3]>) -> Vec<[f64; 3]> {
    let forward = |d: [f64; 3]| {
        let size = length(d);
        let first = d.into_iter().find(|c| c.abs() > ROUND_OFF * size);
        if first.is_some_and(|c| c < 0.0) {
            d.map(|c| 0.0 - c)
        } else {
            d
        }
    };
    let mut sorted: Vec<[f64; 3]> = found.into_iter().map(forward).collect();
    let same = |a: [f64; 3], b: [f64; 3]| length(minus(a, b)) < ROUND_OFF * length(a);
    sorted.sort_by(|a, b| {
        let by_component = a.iter().zip(b).map(|(a, b)| a.total_cmp(b));
        by_component.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
    });
    let mut kept: Vec<[f64; 3]> = Vec::new();
    for displacement in sorted {
        if !kept.iter().any(|&other| same(other, displacement)) {
            kept.push(displacement);
        }
    }
    kept.sort_by(|&a, &b| length(a).total_cmp(&length(b)));
    let mut chosen: Vec<[f64; 3]> = Vec::new();
    for period in kept {
        let new = chosen
            .iter()
            .all(|&other| length(cross(other, period)) > 1e-3 * length(other) * length(period));
        if new && chosen.len() < 2 {
            chosen.push(period);
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::test_meshes::a_box;
    use crate::mesh::{BoxElements, build_box};

    #[test]
    fn boxes_have_the_periods_of_their_sides() {
        for elements in [BoxElements::Hex, BoxElements::Prism, BoxElements::Tet] {
            for (periodic, count) in [([false, true, true], 2), ([false, false, true], 1), ([false; 3], 0)] {
                let b = a_box(elements, [3, 1, 2], periodic);
                let mesh = build_box(&b, 2).expect("a box");
                let inlet = mesh
                    .boundary_names
                    .iter()
                    .position(|name| name == "x-")
                    .expect("a side");
                let at_inlet = |cell: &usize| mesh.cell_sides(*cell).contains(&Side::Boundary(inlet));
                let cells: Vec<usize> = (0..mesh.len()).filter(at_inlet).collect();
                let found = find(&mesh, &cells, &Ranks::alone());
                assert_eq!(found.periods.len(), count, "{elements:?} {found:?}");
                assert!(!found.rotated);
                for period in found.periods {
                    let expected: Vec<f64> = (1..3).map(|d| b.upper[d] - b.lower[d]).collect();
                    let along = (1..3).filter(|&d| (period[d] - expected[d - 1]).abs() < 1e-12).count();
                    assert!(along == 1 && period[0].abs() < 1e-12, "{period:?}");
                }
            }
        }
    }

    #[test]
    fn the_order_and_the_direction_of_displacements_do_not_matter() {
        let (a, b) = ([0.0, 1.0, 0.0], [1e-17, 0.3, -0.5]);
        let back = b.map(|c| -c);
        let long = [0.0, 2.0, 0.0];
        let chosen = independent(vec![a, b, back, long, a]);
        assert_eq!(chosen.len(), 2);
        assert!(length(minus(chosen[0], b)) < 1e-16 && chosen[1] == a, "{chosen:?}");
        assert_eq!(chosen, independent(vec![long, back, a, b]));
    }
}
