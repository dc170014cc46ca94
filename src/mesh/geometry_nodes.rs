//! Geometry nodes of a mesh file become those of the mesh: all cells of one order, on the points of our elements.
//!
//! Files have nodes on equispaced lattices, which are our points up to order 2. From there on, and where cells of lower
//! order meet ones of higher order, the same shape is evaluated at our points: exactly, as it is a function of the space.

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::Mesh;
use super::cells::Cells;
use super::connect_error::FaceLocation;
use super::error::TopologyProblem;
use super::motion::{distance, turn};
use super::unconnected::UnconnectedMesh;
use crate::element::Correction;
use crate::element::{ElementKind, FaceShape, ReferenceElement};

/// Points of the equispaced lattice in the reference element.
fn equispaced(kind: ElementKind, order: usize) -> Vec<[f64; 3]> {
    let p = order as f64;
    let place = |[i, j, k]: [usize; 3]| match kind {
        // Layer k has order - k intervals and shrinks towards the apex.
        ElementKind::Pyramid => [(2 * i + k) as f64 / p - 1.0, (2 * j + k) as f64 / p - 1.0, k as f64 / p],
        _ => [i, j, k].map(|i| 2.0 * i as f64 / p - 1.0),
    };
    kind.lattice(order).into_iter().map(place).collect()
}

/// Matrix that takes values on the equispaced lattice of order `from` to values on our points of order `to`, rows of the
/// lattice; `None` if these are the same.
fn conversion(kind: ElementKind, from: usize, to: usize) -> Option<Vec<f64>> {
    if from == to && to <= 2 {
        return None;
    }
    let element = ReferenceElement::new(kind, from, Correction::default());
    let target = ReferenceElement::new(kind, to, Correction::default());
    let n = element.len();
    let lattice = DMatrix::from_row_slice(n, n, &element.interpolation(&equispaced(kind, from)));
    let values = DMatrix::from_row_slice(target.len(), n, &element.interpolation(&target.points));
    // values lattice^-1, of which the transpose is solved for: its columns are the rows asked for.
    let solved = lattice.transpose().lu().solve(&values.transpose());
    let solved = solved.expect("equispaced points are unisolvent in the element's space");
    Some(solved.as_slice().to_vec())
}

/// Nodes of all cells on our points of degree `order`, and where each cell starts.
pub fn geometry_nodes(raw: &UnconnectedMesh, order: usize) -> (Vec<[f64; 3]>, Vec<usize>) {
    let matrices: Vec<Vec<Option<Vec<f64>>>> = ElementKind::ALL
        .iter()
        .map(|&kind| {
            let used = |from| {
                raw.kinds
                    .iter()
                    .zip(&raw.orders)
                    .any(|(k, o)| *k == kind && usize::from(*o) == from)
            };
            let matrix = |from| {
                if used(from) {
                    conversion(kind, from, order)
                } else {
                    None
                }
            };
            (1..=order).map(matrix).collect()
        })
        .collect();

    let mut first_node = Vec::with_capacity(raw.kinds.len() + 1);
    let mut total = 0;
    first_node.push(0);
    first_node.extend(raw.kinds.iter().map(|kind| {
        total += kind.points(order);
        total
    }));
    let mut nodes = vec![[0.0; 3]; total];
    let mut rest = nodes.as_mut_slice();
    let mut pieces = Vec::with_capacity(raw.kinds.len());
    for (cell, kind) in raw.kinds.iter().enumerate() {
        let piece;
        (piece, rest) = rest.split_at_mut(kind.points(order));
        pieces.push((cell, piece));
    }
    pieces.into_par_iter().for_each(|(cell, piece)| {
        let from = raw.cell_nodes(cell);
        let position = |node: u32| raw.positions[node as usize];
        match &matrices[raw.kinds[cell] as usize][usize::from(raw.orders[cell]) - 1] {
            None => piece.iter_mut().zip(from).for_each(|(to, node)| *to = position(*node)),
            Some(matrix) => {
                for (to, row) in piece.iter_mut().zip(matrix.chunks(from.len())) {
                    for (weight, node) in row.iter().zip(from) {
                        let x = position(*node);
                        (0..3).for_each(|d| to[d] += weight * x[d]);
                    }
                }
            }
        }
    });
    (nodes, first_node)
}

/// Refuses faces that meet, but with curved shapes that differ.
pub fn refuse_gaps(mesh: &Mesh, cells: Cells, positions: &[[f64; 3]]) -> Result<(), TopologyProblem> {
    /// Share of the face's size by which the two shapes may differ.
    const SLACK: f64 = 1e-5;
    let order = mesh.geometry_order;
    if order == 1 {
        return Ok(());
    }
    let points = ElementKind::ALL.map(|kind| -> Vec<Vec<usize>> {
        (0..kind.faces().len())
            .map(|face| kind.face_indices(face, order))
            .collect()
    });
    let meetings = [FaceShape::Triangle, FaceShape::Quad].map(|shape| -> Vec<Vec<usize>> {
        let theirs = |o| {
            (0..shape.points(order))
                .map(|point| shape.oriented_point(o, point, order))
                .collect()
        };
        (0..shape.orientations()).map(theirs).collect()
    });
    let gap = |cell: usize, face: usize| {
        let (other, back, orientation, rotation) = mesh.cell_sides(cell)[face].neighbour()?;
        if (other, back) < (cell, face) {
            return None;
        }
        let ours = &points[mesh.kinds[cell] as usize][face];
        let theirs = &points[mesh.kinds[other] as usize][back];
        let shape = mesh.kinds[cell].faces()[face].shape;
        let at = &meetings[shape as usize][orientation];
        let between = |point: usize| -> [f64; 3] {
            let x = mesh.nodes[mesh.first_node[cell] + ours[point]];
            let y = mesh.nodes[mesh.first_node[other] + theirs[at[point]]];
            let x = rotation.map_or(x, |r| turn(&mesh.rotations[r], x));
            std::array::from_fn(|d| x[d] - y[d])
        };
        // Zero inside the mesh, the same everywhere across a periodic boundary.
        let shift = between(0);
        let apart = (1..ours.len())
            .map(|point| distance(between(point), shift))
            .fold(0.0, f64::max);
        let corner = mesh.nodes[mesh.first_node[cell] + ours[0]];
        let lengths = ours
            .iter()
            .map(|point| distance(mesh.nodes[mesh.first_node[cell] + point], corner));
        let size = lengths.fold(0.0, f64::max);
        (apart > SLACK * size).then_some((apart, [(cell, face), (other, back)]))
    };
    let found = (0..mesh.kinds.len())
        .into_par_iter()
        .find_map_first(|cell| (0..mesh.kinds[cell].faces().len()).find_map(|face| gap(cell, face)));
    match found {
        None => Ok(()),
        Some((distance, places)) => Err(TopologyProblem::Gap {
            distance,
            places: Box::new(places.map(|at| {
                let mut place = FaceLocation::new(at);
                place.locate(cells, &mesh.tags, positions);
                place
            })),
        }),
    }
}
