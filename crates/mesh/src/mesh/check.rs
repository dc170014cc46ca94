//! Consistency checks of a mesh that was read from a file, where an error would otherwise surface far from its cause.

use rayon::prelude::*;
use thiserror::Error;

use super::types::{CellFace, LONGEST_NAME, Mesh, Side};
use crate::element::{ElementKind, FaceShape};
use crate::format::shortened;

/// Largest deviation of a rotation from orthogonality.
const ROTATION_TOLERANCE: f64 = 1e-9;

/// An inconsistency of a mesh.
#[derive(Debug, Error, PartialEq)]
pub enum Fault {
    /// The degree of the geometry is not supported for a kind of cell.
    #[error("geometry order {order} is not possible for {kind}: it must be from 1 to {}", kind.max_order())]
    Order {
        /// Kind of cell.
        kind: ElementKind,
        /// Degree of the geometry.
        order: usize,
    },
    /// An array has the wrong length.
    #[error("{what}: there are {found}, but {expected} are needed")]
    Count {
        /// Name of the array.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The required length.
        expected: usize,
    },
    /// A cell's nodes or sides do not begin where those of the cells before it end.
    #[error("cell {cell}: its {what} begin at {found}, but those of the cells before it end at {expected}")]
    First {
        /// The cell.
        cell: usize,
        /// `nodes` or `sides`.
        what: &'static str,
        /// Offset of the first one.
        found: usize,
        /// The required offset.
        expected: usize,
    },
    /// A coordinate of a node is not finite.
    #[error("cell {cell}: its node {node} is ({}, {}, {}), which is not finite", at[0], at[1], at[2])]
    Node {
        /// The cell.
        cell: usize,
        /// The node of the cell.
        node: usize,
        /// Position of the node.
        at: [f64; 3],
    },
    /// A face leads to no face, or to one that does not lead back.
    #[error("cell {cell} ({kind}), face {face}: {why}")]
    Face {
        /// The cell.
        cell: usize,
        /// Kind of the cell.
        kind: ElementKind,
        /// The face of the cell.
        face: usize,
        /// The problem, as a clause.
        why: String,
    },
    /// A part of a divided face leads to no cell.
    #[error("{0}")]
    Mortar(String),
    /// A matrix is not a rotation.
    #[error("rotation {0} is not a rotation")]
    Rotation(usize),
    /// Names of boundaries are empty, too long ([`LONGEST_NAME`]) or not distinct.
    #[error(
        "boundary {index} has the name {}, which is empty, longer than {LONGEST_NAME} bytes or that of another one",
        shortened(.name)
    )]
    Name {
        /// Index of the boundary.
        index: usize,
        /// Name of the boundary.
        name: String,
    },
}

impl Mesh {
    /// Checks that sizes are right, coordinates finite and indices in range, and that every side leads back. In a
    /// rank's part, sides that lead to other ranks are checked as far as this rank can.
    ///
    /// # Errors
    /// Returns the first inconsistency.
    pub fn check(&self) -> Result<(), Fault> {
        let g = self.geometry_order;
        if let Some(&kind) = self.kinds.iter().find(|kind| g == 0 || g > kind.max_order()) {
            return Err(Fault::Order { kind, order: g });
        }
        self.check_first("nodes", &self.first_node, self.nodes.len(), |kind| kind.points(g))?;
        self.check_first("sides", &self.first_side, self.sides.len(), |kind| kind.faces().len())?;
        if !self.tags.is_empty() {
            count("tags", self.tags.len(), self.len())?;
        }
        if let Some(structured) = self.structured {
            let cells = structured
                .dims
                .iter()
                .try_fold(structured.per_cube, |product, n| product.checked_mul(*n));
            count(
                "cells of the lattice",
                cells.unwrap_or(usize::MAX),
                self.cells_of_all_ranks(),
            )?;
        }
        for (index, name) in self.boundary_names.iter().enumerate() {
            if name.is_empty() || name.len() > LONGEST_NAME || self.boundary_names[..index].contains(name) {
                let name = name.clone();
                return Err(Fault::Name { index, name });
            }
        }
        if let Some(index) = self.rotations.iter().position(|r| !is_inverse(r, &transposed(r))) {
            return Err(Fault::Rotation(index));
        }
        self.check_mortars()?;
        let inverse = [FaceShape::Triangle, FaceShape::Quad].map(inverse_orientations);
        let faults: Vec<Fault> = (0..self.len())
            .into_par_iter()
            .filter_map(|cell| self.check_cell(cell, &inverse).err())
            .collect();
        faults.into_iter().next().map_or(Ok(()), Err)
    }

    /// Checks that cells follow each other without gaps in an array of `total` entries.
    fn check_first(
        &self,
        what: &'static str,
        first: &[usize],
        total: usize,
        of_kind: impl Fn(ElementKind) -> usize,
    ) -> Result<(), Fault> {
        count(what, first.len(), self.len() + 1)?;
        let mut expected = 0;
        let own = self.kinds.iter().map(|&kind| of_kind(kind)).chain([0]);
        for (cell, (&found, own)) in first.iter().zip(own).enumerate() {
            if found != expected {
                return Err(Fault::First {
                    cell,
                    what,
                    found,
                    expected,
                });
            }
            expected += own;
        }
        count(what, total, expected)
    }

    fn check_cell(&self, cell: usize, inverse: &[Vec<usize>; 2]) -> Result<(), Fault> {
        let nodes = self.cell_nodes(cell);
        if let Some(node) = nodes.iter().position(|x| x.iter().any(|x| !x.is_finite())) {
            let at = nodes[node];
            let cell = self.global(cell);
            return Err(Fault::Node { cell, node, at });
        }
        for (face, side) in self.cell_sides(cell).iter().enumerate() {
            self.check_side(cell, face, *side, inverse).map_err(|why| Fault::Face {
                cell: self.global(cell),
                kind: self.kinds[cell],
                face,
                why,
            })?;
        }
        Ok(())
    }

    fn check_side(&self, cell: usize, face: usize, side: Side, inverse: &[Vec<usize>; 2]) -> Result<(), String> {
        if let Side::Boundary(name) = side {
            let count = self.boundary_names.len();
            return if name < count {
                Ok(())
            } else {
                Err(format!("it is of boundary {name}, but there are {count}"))
            };
        }
        if let Side::Mortar(number) = side {
            return self.check_mortar_side(CellFace { cell, face }, number);
        }
        let Behind {
            cell: c2,
            kind,
            face: f2,
            orientation,
            rotation,
        } = self.behind(side)?;
        let theirs = kind
            .faces()
            .get(f2)
            .ok_or_else(|| format!("it leads to face {f2} of cell {c2}, a {kind}"))?;
        let shape = self.kinds[cell].faces()[face].shape;
        if shape != theirs.shape {
            return Err(format!("it leads to face {f2} of cell {c2}, which has another shape"));
        }
        let back = *inverse[usize::from(shape == FaceShape::Quad)]
            .get(orientation)
            .ok_or_else(|| format!("orientation {orientation} does not exist"))?;
        let Some(neighbour) = side.neighbour() else {
            // Whether it leads back is checked together with the other rank, in `partition::pairing`.
            return if rotation.is_none_or(|r| r < self.rotations.len()) {
                Ok(())
            } else {
                Err(format!("it leads to cell {c2} through a rotation that does not exist"))
            };
        };
        let turned_back = |other: usize| match (rotation.map(|r| self.rotations.get(r)), self.rotations.get(other)) {
            (Some(Some(there)), Some(here)) => is_inverse(there, here),
            _ => false,
        };
        let reciprocal = match self.cell_sides(neighbour.cell)[f2] {
            Side::Cell {
                cell: c,
                face: f,
                orientation: o,
            } => rotation.is_none() && (c, f, o) == (cell, face, back),
            Side::Rotated {
                cell: c,
                face: f,
                orientation: o,
                rotation: other,
            } => (c, f, o) == (cell, face, back) && turned_back(other),
            Side::Remote { .. } | Side::Mortar(_) | Side::Boundary(_) => false,
        };
        if reciprocal {
            Ok(())
        } else {
            Err(format!(
                "it leads to face {f2} of cell {c2}, which does not lead back consistently"
            ))
        }
    }

    /// What is behind a side that is not a boundary.
    fn behind(&self, side: Side) -> Result<Behind, String> {
        let nowhere = |cell| format!("it leads to cell {cell}, but there are {}", self.cells_of_all_ranks());
        if let Side::Remote {
            cell,
            kind,
            face,
            orientation,
            rotation,
            ..
        } = side
        {
            return if cell < self.cells_of_all_ranks() {
                Ok(Behind {
                    cell,
                    kind,
                    face,
                    orientation,
                    rotation,
                })
            } else {
                Err(nowhere(cell))
            };
        }
        let neighbour = side.neighbour().ok_or("it is on a boundary")?;
        let kind = *self.kinds.get(neighbour.cell).ok_or_else(|| nowhere(neighbour.cell))?;
        Ok(Behind {
            cell: self.global(neighbour.cell),
            kind,
            face: neighbour.face,
            orientation: neighbour.orientation,
            rotation: neighbour.rotation,
        })
    }
}

/// What is behind a side, on this rank or on another one.
struct Behind {
    /// Number of the neighbour in the whole mesh.
    cell: usize,
    kind: ElementKind,
    /// The neighbour's face.
    face: usize,
    orientation: usize,
    rotation: Option<usize>,
}

/// Checks the length of an array.
fn count(what: &'static str, found: usize, expected: usize) -> Result<(), Fault> {
    if found == expected {
        Ok(())
    } else {
        Err(Fault::Count { what, found, expected })
    }
}

/// Inverse of each orientation.
pub(super) fn inverse_orientations(shape: FaceShape) -> Vec<usize> {
    let map = |o: usize| (0..shape.vertices()).map(move |v| shape.oriented_point(o, v, 1));
    let undoes = |o: usize, back: usize| {
        map(o)
            .enumerate()
            .all(|(v, there)| shape.oriented_point(back, there, 1) == v)
    };
    let inverse = |o| {
        (0..shape.orientations())
            .find(|&back| undoes(o, back))
            .expect("orientations form a group")
    };
    (0..shape.orientations()).map(inverse).collect()
}

/// Transpose of a matrix.
pub(super) fn transposed(r: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    std::array::from_fn(|i| std::array::from_fn(|j| r[j][i]))
}

/// Returns true if a b is the identity and a is not a reflection.
pub(super) fn is_inverse(a: &[[f64; 3]; 3], b: &[[f64; 3]; 3]) -> bool {
    let product = |i: usize, j: usize| (0..3).map(|k| a[i][k] * b[k][j]).sum::<f64>();
    let close = |x: f64, y: f64| (x - y).abs() <= ROTATION_TOLERANCE;
    let identity = (0..3).all(|i| (0..3).all(|j| close(product(i, j), f64::from(u8::from(i == j)))));
    let minor = |i: usize, j: usize| a[1][i] * a[2][j] - a[1][j] * a[2][i];
    identity && a[0][0] * minor(1, 2) - a[0][1] * minor(0, 2) + a[0][2] * minor(0, 1) > 0.0
}
