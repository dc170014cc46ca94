//! Surfaces as VTKHDF files: boundary faces as curved cells of the solution's order, cuts as flat triangles, and
//! sampling points as points, lines and quadrilaterals.
//!
//! The files are those of solutions ([`super::write_solution`]) with two-dimensional cells. Each rank writes one piece,
//! which is empty for ranks without such cells.

use std::ops::Range;
use std::path::Path;

use mpi::topology::SimpleCommunicator;

use super::parallel::{Arrays, agree};
use super::piece::check_fields;
use super::vtkhdf::{Grid, write_grid_together};
use super::{Error, MAX_ORDER, PointField, Provenance, lagrange};
use crate::element::FaceShape;

/// VTK's numbers of plain cells.
const VERTEX: u8 = 1;
const LINE: u8 = 3;
const TRIANGLE: u8 = 5;
const QUADRILATERAL: u8 = 9;

/// Returns the coordinates of the nodes of a face of order `p` >= 1 on its standard shape, in the order of its points.
/// They are equispaced, at -1 + 2 (i, j) / p.
pub fn face_nodes(shape: FaceShape, p: usize) -> Vec<[f64; 2]> {
    let at = |index: usize| (2 * index) as f64 / p as f64 - 1.0;
    shape.lattice(p).into_iter().map(|ij| ij.map(at)).collect()
}

/// The cells of a surface.
#[derive(Debug, Clone, Copy)]
pub enum SurfaceCells<'a> {
    /// Faces of one polynomial order, the same on all ranks, each with nodes of its own as [`face_nodes`] has them.
    Faces {
        /// Polynomial order, 1 to [`MAX_ORDER`].
        order: usize,
        /// Shape of each face.
        shapes: &'a [FaceShape],
    },
    /// Flat triangles of any of the points.
    Triangles(&'a [[usize; 3]]),
    /// Separate points, by their number.
    Points(usize),
    /// Line segments between successive points, by the number of points.
    Line(usize),
    /// Quadrilaterals between points in rows.
    Rows {
        /// Number of points of all rows.
        points: usize,
        /// Number of points of a row.
        row: usize,
    },
}

impl SurfaceCells<'_> {
    fn len(&self) -> usize {
        match *self {
            SurfaceCells::Faces { shapes, .. } => shapes.len(),
            SurfaceCells::Triangles(triangles) => triangles.len(),
            SurfaceCells::Points(points) => points,
            SurfaceCells::Line(points) => points.saturating_sub(1),
            SurfaceCells::Rows { points, row } => (row - 1) * (points / row - 1),
        }
    }

    /// Returns the offsets of the cells in the list of nodes, `[cell + 1]`.
    fn first(&self) -> Vec<usize> {
        match *self {
            SurfaceCells::Faces { order, shapes } => {
                let ends = shapes.iter().scan(0, |end, shape| {
                    *end += shape.points(order);
                    Some(*end)
                });
                [0].into_iter().chain(ends).collect()
            }
            SurfaceCells::Triangles(_) => self.every(3),
            SurfaceCells::Points(_) => self.every(1),
            SurfaceCells::Line(_) => self.every(2),
            SurfaceCells::Rows { .. } => self.every(4),
        }
    }

    /// Returns the offsets of cells with the same number of nodes.
    fn every(&self, nodes: usize) -> Vec<usize> {
        (0..=self.len()).map(|cell| nodes * cell).collect()
    }

    /// Returns all nodes in VTK's order, cell by cell.
    fn nodes(&self) -> Vec<usize> {
        match *self {
            SurfaceCells::Faces { order, shapes } => {
                let orders = [FaceShape::Triangle, FaceShape::Quad].map(|shape| lagrange::face_order(shape, order));
                let mut first = 0;
                let mut nodes = Vec::new();
                for &shape in shapes {
                    nodes.extend(orders[shape as usize].iter().map(|node| first + node));
                    first += shape.points(order);
                }
                nodes
            }
            SurfaceCells::Triangles(triangles) => triangles.as_flattened().to_vec(),
            SurfaceCells::Points(points) => (0..points).collect(),
            SurfaceCells::Line(_) => (0..self.len()).flat_map(|i| [i, i + 1]).collect(),
            SurfaceCells::Rows { points, row } => {
                let corners = (0..points - row).filter(|i| i % row < row - 1);
                corners.flat_map(|i| [i, i + 1, i + 1 + row, i + row]).collect()
            }
        }
    }

    fn types(&self, cells: Range<usize>) -> Vec<u8> {
        match self {
            SurfaceCells::Faces { shapes, .. } => shapes[cells].iter().map(|&s| lagrange::face_type(s)).collect(),
            SurfaceCells::Triangles(_) => vec![TRIANGLE; cells.len()],
            SurfaceCells::Points(_) => vec![VERTEX; cells.len()],
            SurfaceCells::Line(_) => vec![LINE; cells.len()],
            SurfaceCells::Rows { .. } => vec![QUADRILATERAL; cells.len()],
        }
    }

    /// Returns a description of the cells, which must be the same on all ranks.
    fn meant(&self) -> String {
        match self {
            SurfaceCells::Faces { order, .. } => format!("faces of order {order}"),
            SurfaceCells::Triangles(_) => "triangles".to_owned(),
            SurfaceCells::Points(_) => "points".to_owned(),
            SurfaceCells::Line(_) => "a line".to_owned(),
            SurfaceCells::Rows { row, .. } => format!("rows of {row}"),
        }
    }
}

/// One rank's part of a surface, which may be empty.
#[derive(Debug, Clone, Copy)]
pub struct Surface<'a> {
    /// True to store coordinates and fields in 32 bits, false for 64 bits; the same on all ranks.
    pub single: bool,
    /// Positions in the unit of length of the case, `[point]`.
    pub points: &'a [[f64; 3]],
    /// The cells.
    pub cells: SurfaceCells<'a>,
    /// Fields at the points; names and components are the same on all ranks, in the same order.
    pub fields: &'a [PointField<'a>],
    /// Integer fields of the cells with their names, which are the same on all ranks; readers expect `global_cell_id`.
    pub numbers: &'a [(&'a str, &'a [u64])],
    /// Name and text of an attribute of the file.
    pub note: Option<(&'a str, &'a str)>,
}

impl Surface<'_> {
    /// Checks lengths and names.
    fn check(&self, path: &Path) -> Result<(), Error> {
        let refuse = |detail: String| {
            Err(Error::Input {
                path: path.to_path_buf(),
                detail,
            })
        };
        let (cells, points) = (self.cells.len(), self.points.len());
        match self.cells {
            SurfaceCells::Faces { order, shapes } => {
                if !(1..=MAX_ORDER).contains(&order) {
                    return refuse(format!("order {order} is not in 1..={MAX_ORDER}"));
                }
                let needed: usize = shapes.iter().map(|shape| shape.points(order)).sum();
                if points != needed {
                    return refuse(format!(
                        "{points} points for {cells} faces of order {order}: {needed} needed"
                    ));
                }
            }
            SurfaceCells::Triangles(triangles) => {
                if let Some(node) = triangles.as_flattened().iter().find(|&&node| node >= points) {
                    return refuse(format!("a triangle has the node {node} of {points} points"));
                }
            }
            SurfaceCells::Points(needed) | SurfaceCells::Line(needed) | SurfaceCells::Rows { points: needed, .. } => {
                if points != needed {
                    return refuse(format!("{points} points where {needed} are needed"));
                }
            }
        }
        if let Some((name, numbers)) = self.numbers.iter().find(|(_, numbers)| numbers.len() != cells) {
            return refuse(format!("{} numbers '{name}' for {cells} cells", numbers.len()));
        }
        check_fields(path, self.fields, points)
    }
}

/// Writes a surface at one time to `path`. Collective; see [`super::write_solution`].
///
/// # Errors
/// The data of a rank are inconsistent, or the file cannot be written.
pub fn write_surface(
    path: &Path,
    comm: &SimpleCommunicator,
    time: f64,
    step: u64,
    surface: &Surface,
    provenance: &Provenance,
) -> Result<(), Error> {
    agree(comm, surface.check(path))?;
    let nodes = surface.cells.nodes();
    let grid = Grid {
        single: surface.single,
        points: surface.points,
        first: &surface.cells.first(),
        nodes: &|rows, out| out.extend(nodes[rows].iter().map(|&node| node as i64)),
        types: &|rows, out| out.extend(surface.cells.types(rows)),
        fields: surface.fields,
        numbers: surface.numbers,
        cells_in: None,
        meant: surface.cells.meant(),
        note: surface.note,
        checksum: None,
    };
    write_grid_together(path, comm, time, step, &grid, provenance, Arrays::Now)?.complete(comm)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(surface: &Surface) -> Option<String> {
        surface.check(Path::new("a")).err().map(|error| error.to_string())
    }

    #[test]
    fn lengths_must_fit() {
        let points = vec![[0.0; 3]; 6 + 9];
        let surface = |cells, numbers| Surface {
            single: false,
            points: &points,
            cells,
            fields: &[],
            numbers,
            note: None,
        };
        let shapes = [FaceShape::Triangle, FaceShape::Quad];
        let faces = SurfaceCells::Faces {
            order: 2,
            shapes: &shapes,
        };
        assert_eq!(refusal(&surface(faces, &[("a", &[1, 2])])), None);
        let message = refusal(&surface(faces, &[("a", &[1])])).unwrap();
        assert!(message.contains("1 numbers 'a' for 2 cells"), "{message}");
        let faces = SurfaceCells::Faces {
            order: 3,
            shapes: &shapes,
        };
        let message = refusal(&surface(faces, &[])).unwrap();
        assert!(
            message.contains("15 points for 2 faces of order 3: 26 needed"),
            "{message}"
        );
        let message = refusal(&surface(SurfaceCells::Triangles(&[[0, 1, 15]]), &[])).unwrap();
        assert!(message.contains("the node 15 of 15 points"), "{message}");
    }
}
