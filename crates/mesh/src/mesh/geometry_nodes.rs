//! Conversion of the nodes of a mesh file to geometry nodes: all cells of one order, on the points of the elements.
//!
//! Files have nodes on equispaced lattices, which are the element's points up to order 2. For higher orders, and for
//! cells of lower order than others, the shape is evaluated at the element's points. This is exact, since the shape is
//! a function of the element's space.

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::cells::Cells;
use super::connect_error::FaceLocation;
use super::error::TopologyProblem;
use super::motion::{distance, turn};
use super::types::{CellFace, Mesh};
use super::unconnected::UnconnectedMesh;
use crate::element::{Correction, ElementKind, FaceShape, PerKind, ReferenceElement};

/// Points of the equispaced lattice in reference coordinates.
fn equispaced(kind: ElementKind, order: usize) -> Vec<[f64; 3]> {
    let p = order as f64;
    let point = |[i, j, k]: [usize; 3]| match kind {
        // Layer k has order - k intervals and shrinks towards the apex.
        ElementKind::Pyramid => [(2 * i + k) as f64 / p - 1.0, (2 * j + k) as f64 / p - 1.0, k as f64 / p],
        _ => [i, j, k].map(|i| 2.0 * i as f64 / p - 1.0),
    };
    kind.lattice(order).into_iter().map(point).collect()
}

/// Matrix that takes values on the equispaced lattice of order `from` to values on the element's points of order `to`,
/// `[point][lattice point]`; `None` if these points are the same.
fn conversion(kind: ElementKind, from: usize, to: usize) -> Option<Vec<f64>> {
    if from == to && to <= 2 {
        return None;
    }
    let element = ReferenceElement::new(kind, from, Correction::default());
    let target = ReferenceElement::new(kind, to, Correction::default());
    let n = element.len();
    let lattice = DMatrix::from_row_slice(n, n, &element.interpolation(&equispaced(kind, from)));
    let values = DMatrix::from_row_slice(target.len(), n, &element.interpolation(&target.points));
    // The matrix is values * lattice^-1. Its transpose is solved for, so that columns of the solution are its rows.
    let solved = lattice.transpose().lu().solve(&values.transpose());
    let solved = solved.expect("equispaced points are unisolvent in the element's space");
    Some(solved.as_slice().to_vec())
}

/// Returns the derivatives along the three reference directions at the element's points of degree `order`, as weights
/// of the nodes on the equispaced lattice, `[direction][point][lattice point]`.
pub fn derivatives(kind: ElementKind, order: usize) -> [Vec<f64>; 3] {
    let element = ReferenceElement::new(kind, order, Correction::default());
    let n = element.len();
    match conversion(kind, order, order) {
        None => element.diff,
        Some(values) => element.diff.map(|diff| {
            let product = DMatrix::from_row_slice(n, n, &diff) * DMatrix::from_row_slice(n, n, &values);
            product.transpose().as_slice().to_vec()
        }),
    }
}

/// Returns the geometry nodes of all cells on the element's points of degree `order`, and the offsets of the cells.
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

/// Returns the nodes of all cells on equispaced lattices, in the layout of [`Mesh::nodes`].
pub fn equispaced_nodes(mesh: &Mesh) -> Vec<[f64; 3]> {
    let order = mesh.geometry_order;
    let matrices = PerKind::new(|kind| {
        let element = ReferenceElement::new(kind, order, Correction::default());
        (order > 2).then(|| element.interpolation(&equispaced(kind, order)))
    });
    let of_cell = |cell: usize| match &matrices[mesh.kinds[cell]] {
        None => mesh.cell_nodes(cell).to_vec(),
        Some(matrix) => combined(matrix, mesh.cell_nodes(cell)),
    };
    let cells: Vec<Vec<[f64; 3]>> = (0..mesh.len()).into_par_iter().map(of_cell).collect();
    cells.concat()
}

/// The rows of a matrix times the positions of a cell's nodes.
pub fn combined(matrix: &[f64], nodes: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let row = |row: &[f64]| std::array::from_fn(|d| row.iter().zip(nodes).map(|(w, x)| w * x[d]).sum());
    matrix.chunks(nodes.len()).map(row).collect()
}

/// The nodes of faces in their cells and on the neighbours' faces, for meshes of one geometry order.
pub struct FaceNodes<'a> {
    mesh: &'a Mesh,
    /// Nodes of the faces in their cells, `[kind][face][face point]`.
    in_cell: PerKind<Vec<Vec<usize>>>,
    /// The neighbour's face point at each face point, `[shape][orientation][face point]`.
    on_neighbour: [Vec<Vec<usize>>; 2],
}

impl<'a> FaceNodes<'a> {
    /// Creates the tables for the geometry order of a mesh.
    pub fn new(mesh: &'a Mesh) -> Self {
        let order = mesh.geometry_order;
        let in_cell = PerKind::new(|kind| -> Vec<Vec<usize>> {
            (0..kind.faces().len())
                .map(|face| kind.face_indices(face, order))
                .collect()
        });
        let on_neighbour = [FaceShape::Triangle, FaceShape::Quad].map(|shape| -> Vec<Vec<usize>> {
            let theirs = |o| {
                (0..shape.points(order))
                    .map(|point| shape.oriented_point(o, point, order))
                    .collect()
            };
            (0..shape.orientations()).map(theirs).collect()
        });
        FaceNodes {
            mesh,
            in_cell,
            on_neighbour,
        }
    }

    /// Numbers in [`Mesh::nodes`] of a face's nodes.
    pub fn nodes(&self, CellFace { cell, face }: CellFace) -> impl Iterator<Item = usize> + Clone {
        let first = self.mesh.first_node[cell];
        self.in_cell[self.mesh.kinds[cell]][face]
            .iter()
            .map(move |node| first + node)
    }

    /// Numbers in [`Mesh::nodes`] of a face's nodes, each beside that of the neighbour's node at the same point; `None`
    /// at boundaries.
    pub fn pairs(&self, here: CellFace) -> Option<impl Iterator<Item = [usize; 2]> + Clone> {
        let mesh = self.mesh;
        let neighbour = mesh.cell_sides(here.cell)[here.face].neighbour()?;
        let theirs = &self.in_cell[mesh.kinds[neighbour.cell]][neighbour.face];
        let shape = mesh.kinds[here.cell].faces()[here.face].shape;
        let at = &self.on_neighbour[shape as usize][neighbour.orientation];
        let first = mesh.first_node[neighbour.cell];
        Some(
            self.nodes(here)
                .zip(at)
                .map(move |(node, at)| [node, first + theirs[*at]]),
        )
    }

    /// Largest difference between the shapes of a face and of the neighbour's, and both faces, if it is too large. The
    /// second of two faces that meet is not looked at.
    fn gap(&self, here: CellFace) -> Option<(f64, [CellFace; 2])> {
        /// Largest difference of the two shapes relative to the size of the face.
        const SLACK: f64 = 1e-5;
        let mesh = self.mesh;
        let neighbour = mesh.cell_sides(here.cell)[here.face].neighbour()?;
        let there = CellFace {
            cell: neighbour.cell,
            face: neighbour.face,
        };
        if there < here {
            return None;
        }
        let pairs = self.pairs(here)?;
        let difference = |[x, y]: [usize; 2]| -> [f64; 3] {
            let (x, y) = (mesh.nodes[x], mesh.nodes[y]);
            let x = neighbour.rotation.map_or(x, |r| turn(&mesh.rotations[r], x));
            std::array::from_fn(|d| x[d] - y[d])
        };
        // Zero inside the mesh; the shift of the periodic motion across a periodic boundary.
        let shift = pairs.clone().next().map(difference)?;
        let apart = pairs.map(|pair| distance(difference(pair), shift)).fold(0.0, f64::max);
        let mut nodes = self.nodes(here).map(|node| mesh.nodes[node]);
        let corner = nodes.next()?;
        let lengths = nodes.map(|node| distance(node, corner));
        let size = lengths.fold(0.0, f64::max);
        (apart > SLACK * size).then_some((apart, [here, there]))
    }
}

/// Refuses faces that meet with different curved shapes.
///
/// # Errors
/// Returns [`TopologyProblem::Gap`] with the first pair of such faces.
pub fn refuse_gaps(mesh: &Mesh, cells: Cells, positions: &[[f64; 3]]) -> Result<(), TopologyProblem> {
    if mesh.geometry_order == 1 {
        return Ok(());
    }
    let nodes = FaceNodes::new(mesh);
    let found = (0..mesh.kinds.len())
        .into_par_iter()
        .find_map_first(|cell| (0..mesh.kinds[cell].faces().len()).find_map(|face| nodes.gap(CellFace { cell, face })));
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
