//! Cells that a file numbers in the mirrored sense, which are turned.
//!
//! Programs that mirror a mesh, or describe it in left-handed coordinates, list the nodes of a cell so that its mapping
//! has a negative Jacobian throughout. Such a cell is sound, and the exchange of its first two directions gives it a
//! positive Jacobian. Two other cells with a negative Jacobian are left alone, since the checks that follow refuse
//! them: a cell whose Jacobian changes its sign, and a cell that is folded over a neighbour. The latter would be
//! numbered, once turned, so that both cells lie on the same side of their common face.

use std::collections::HashMap;

use rayon::prelude::*;

use super::cells::{Cells, FaceVertices};
use super::geometry_nodes::derivatives;
use super::types::CellFace;
use super::unconnected::UnconnectedMesh;
use crate::element::{ElementKind, Face};
use crate::vector::{cross, dot};

/// Turns the cells that are numbered in the mirrored sense, with a warning that names the first of them.
pub fn turn_mirrored(raw: &mut UnconnectedMesh) {
    let mirrored = with_negative_jacobian(raw);
    if mirrored.is_empty() {
        return;
    }
    mirrored.iter().for_each(|&cell| mirror(raw, cell));
    let folded = on_the_side_of_a_neighbour(raw, &mirrored);
    folded.iter().for_each(|&cell| mirror(raw, cell));
    if let Some(first) = mirrored.iter().find(|cell| !folded.contains(cell)) {
        tracing::warn!(
            "{}: {} cells are numbered in the mirrored sense, first element {}: they are turned",
            raw.file.display(),
            mirrored.len() - folded.len(),
            raw.tags[*first]
        );
    }
}

/// Returns the cells whose Jacobian is negative at all points of the element.
fn with_negative_jacobian(raw: &UnconnectedMesh) -> Vec<usize> {
    let mut tables = HashMap::new();
    for at in raw.kinds.iter().zip(&raw.orders) {
        let kind = *at.0;
        let order = usize::from(*at.1);
        tables.entry((kind, order)).or_insert_with(|| derivatives(kind, order));
    }
    let negative = |cell: &usize| {
        let nodes = raw.cell_nodes(*cell);
        let rows = &tables[&(raw.kinds[*cell], usize::from(raw.orders[*cell]))];
        let origin = raw.positions[nodes[0] as usize];
        let determinant = |point: usize| {
            let columns = rows.each_ref().map(|rows| {
                let mut sum = [0.0; 3];
                for (weight, node) in rows[point * nodes.len()..][..nodes.len()].iter().zip(nodes) {
                    let x = raw.positions[*node as usize];
                    (0..3).for_each(|d| sum[d] += weight * (x[d] - origin[d]));
                }
                sum
            });
            dot(columns[0], cross(columns[1], columns[2]))
        };
        (0..nodes.len()).all(|point| determinant(point) < 0.0)
    };
    (0..raw.kinds.len()).into_par_iter().filter(negative).collect()
}

/// Exchanges the first two directions of a cell.
fn mirror(raw: &mut UnconnectedMesh, cell: usize) {
    let kind = raw.kinds[cell];
    let order = usize::from(raw.orders[cell]);
    let nodes = &mut raw.nodes[raw.first_node[cell]..raw.first_node[cell + 1]];
    for at in kind.lattice(order) {
        let [i, j, k] = at;
        if i < j {
            nodes.swap(kind.index(at, order), kind.index([j, i, k], order));
        }
    }
}

/// Returns those of the cells that lie, by the sense of their faces, on the same side of a face as their neighbour.
fn on_the_side_of_a_neighbour(raw: &UnconnectedMesh, turned: &[usize]) -> Vec<usize> {
    let (corners, first_corner) = raw.corners();
    let cells = Cells {
        kinds: &raw.kinds,
        corners: &corners,
        first_corner: &first_corner,
    };
    let faces = |cell: usize| (0..raw.kinds[cell].faces().len()).map(move |face| CellFace { cell, face });
    let key = |at: CellFace| cells.face(at).key();
    let mut meeting: HashMap<[u32; 4], Vec<CellFace>> = turned
        .iter()
        .flat_map(|&cell| faces(cell))
        .map(|at| (key(at), Vec::new()))
        .collect();
    for at in (0..raw.kinds.len()).flat_map(faces) {
        if let Some(list) = meeting.get_mut(&key(at)) {
            list.push(at);
        }
    }
    let sense = |at: CellFace| sense(raw.kinds[at.cell], at.face, cells.face(at));
    let folded = |cell: &usize| {
        faces(*cell).any(|at| {
            let others = meeting[&key(at)].iter().filter(|other| **other != at);
            others.into_iter().any(|other| sense(*other) == sense(at))
        })
    };
    turned.iter().copied().filter(folded).collect()
}

/// Returns the first two vertices of a face as they follow each other to the left around it, seen from outside, from
/// the smallest vertex on. Cells on both sides of a face have different second vertices.
fn sense(kind: ElementKind, face: usize, vertices: FaceVertices) -> [u32; 2] {
    let Face { sign, .. } = kind.faces()[face];
    let mut ring = vertices.as_slice().to_vec();
    if ring.len() == 4 {
        // The vertices of a quadrilateral are listed row by row.
        ring.swap(2, 3);
    }
    if sign < 0.0 {
        ring.reverse();
    }
    let n = ring.len();
    let least = (0..n).min_by_key(|&i| ring[i]).expect("a face has vertices");
    [ring[least], ring[(least + 1) % n]]
}
