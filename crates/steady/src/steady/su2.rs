//! The export of the sub-mesh and of a solution on it to SU2, whose unknowns are then those of the steady solution, and
//! the solutions of SU2 as the beginning of a steady one.
//!
//! SU2 solves on the median dual of its mesh as well, so that both programs can be compared on the same points. Points
//! on both sides of a period stay apart there: the sides become the markers `period_1_here` and `period_1_there`, which
//! the shift of the first period joins. An octahedron, which SU2 does not have, is written as two pyramids; they have
//! the same edges.

mod field;
mod nodes;

use std::collections::BTreeMap;
use std::io::{BufWriter, Write};
use std::path::Path;

use mpi::topology::SimpleCommunicator;

pub use field::values_at_vertices;
pub use nodes::first_points;

use nodes::Points;

use super::error::ExportError;
use super::handover::StoredSolution;
use crate::element::{ElementKind, PerKind, SubCell, SubCellShape, SubCells};
use crate::io;
use crate::mesh::{Mesh, Neighbour, Side};

/// Number of an element in files of VTK and SU2.
fn code(kind: ElementKind) -> u32 {
    match kind {
        ElementKind::Tet => 10,
        ElementKind::Hex => 12,
        ElementKind::Prism => 13,
        ElementKind::Pyramid => 14,
    }
}

/// Returns the elements of SU2 for a sub-cell, each with its number there and its vertices.
fn elements_of(cell: &SubCell) -> Vec<(u32, Vec<usize>)> {
    match (cell.shape, &cell.points[..]) {
        (SubCellShape::Octahedron, &[pole, a, b, c, d, opposite]) => {
            let pyramid = code(ElementKind::Pyramid);
            vec![(pyramid, vec![a, b, c, d, pole]), (pyramid, vec![d, c, b, a, opposite])]
        }
        (SubCellShape::Octahedron, _) => unreachable!("an octahedron has six vertices"),
        (SubCellShape::Element(kind), points) => vec![(code(kind), points.to_vec())],
    }
}

/// Writes the sub-mesh of the points of degree `order` of a whole mesh.
///
/// # Errors
/// A cell is inverted, the mesh is periodic by rotation, or the file cannot be written.
pub fn write_su2(mesh: &Mesh, order: usize, path: &Path) -> Result<(), ExportError> {
    let points = Points::new(mesh, order)?;
    let sub_mesh = SubMesh {
        mesh,
        order,
        sub_cells: PerKind::new(|kind| mesh.kinds.contains(&kind).then(|| SubCells::new(kind, order))),
        points: &points,
    };
    let partial = io::Partial::new(path)?;
    let mut file = BufWriter::new(partial.create()?);
    let written = sub_mesh.write(&mut file).and_then(|()| file.flush());
    written.map_err(io::Error::os("write", path))?;
    drop(file);
    Ok(partial.publish()?)
}

/// Writes the steady solution of a checkpoint on a whole mesh as a restart file of SU2, for the sub-mesh of the
/// solution's points. Returns their degree.
///
/// # Errors
/// The checkpoint cannot be read or is not of this mesh, or the file cannot be written.
pub fn write_su2_solution(
    mesh: &Mesh,
    checkpoint: &Path,
    world: &SimpleCommunicator,
    path: &Path,
) -> Result<usize, ExportError> {
    let stored = StoredSolution::open(checkpoint, world, mesh)?;
    let points = Points::new(mesh, stored.order())?;
    field::at_nodes(&stored, world, mesh, &points)?.write(path)?;
    Ok(stored.order())
}

/// The sub-mesh of a whole mesh.
struct SubMesh<'a> {
    mesh: &'a Mesh,
    order: usize,
    sub_cells: PerKind<Option<SubCells>>,
    points: &'a Points,
}

impl SubMesh<'_> {
    fn of(&self, cell: usize) -> &SubCells {
        self.sub_cells[self.mesh.kinds[cell]].as_ref().expect("the kind occurs")
    }

    fn write(&self, file: &mut impl Write) -> std::io::Result<()> {
        let cells = || (0..self.mesh.len()).flat_map(|cell| self.of(cell).cells.iter().map(move |sub| (cell, sub)));
        let count: usize = cells().map(|(_, sub)| elements_of(sub).len()).sum();
        writeln!(file, "NDIME= 3\nNELEM= {count}")?;
        for (cell, sub) in cells() {
            for (code, points) in elements_of(sub) {
                self.write_element(file, code, cell, &points)?;
            }
        }
        writeln!(file, "NPOIN= {}", self.points.count())?;
        let mut next = 0;
        for (node, [x, y, z]) in self.points.nodes.iter().zip(&self.points.vertices.point) {
            if *node == next {
                writeln!(file, "{x:e} {y:e} {z:e}")?;
                next += 1;
            }
        }
        let markers = self.markers();
        writeln!(file, "NMARK= {}", markers.len())?;
        for (name, faces) in markers {
            writeln!(file, "MARKER_TAG= {name}\nMARKER_ELEMS= {}", faces.len())?;
            for (cell, points) in faces {
                self.write_element(file, if points.len() == 3 { 5 } else { 9 }, cell, &points)?;
            }
        }
        Ok(())
    }

    fn write_element(&self, file: &mut impl Write, code: u32, cell: usize, points: &[usize]) -> std::io::Result<()> {
        write!(file, "{code}")?;
        for point in points {
            write!(
                file,
                " {}",
                self.points.nodes[self.points.geometry.first_point[cell] + point]
            )?;
        }
        writeln!(file)
    }

    /// Returns the sub-faces of each marker, as cells and their points.
    fn markers(&self) -> BTreeMap<String, Vec<(usize, Vec<usize>)>> {
        let mut markers: BTreeMap<String, Vec<(usize, Vec<usize>)>> = BTreeMap::new();
        for cell in 0..self.mesh.len() {
            for (face, side) in self.mesh.cell_sides(cell).iter().enumerate() {
                let points = self.mesh.kinds[cell].face_indices(face, self.order);
                let name = match *side {
                    Side::Boundary(boundary) => Some(self.mesh.boundary_names[boundary].clone()),
                    _ => self.period_of(cell, points[0], *side),
                };
                let Some(name) = name else { continue };
                let outlines = self.of(cell).boundary[face].iter();
                let faces = outlines.map(|outline| (cell, outline.iter().map(|&p| points[p]).collect()));
                markers.entry(name).or_default().extend(faces);
            }
        }
        markers
    }

    /// Returns the marker of a face with a period between it and its neighbour. `point` is its first point.
    fn period_of(&self, cell: usize, point: usize, side: Side) -> Option<String> {
        let Neighbour {
            cell: other,
            face: back,
            orientation,
            ..
        } = side.neighbour()?;
        let kind = self.mesh.kinds[other];
        let shape = kind.faces()[back].shape;
        let there = kind.face_indices(back, self.order)[shape.oriented_point(orientation, 0, self.order)];
        let image = |cell: usize, point: usize| {
            let images = &self.points.vertices.image;
            images
                .get(self.points.geometry.first_point[cell] + point)
                .copied()
                .unwrap_or_default()
        };
        let here = image(cell, point);
        let there = image(other, there);
        let period = (0..3).find(|&d| here[d] != there[d])?;
        let end = if there[period] > here[period] { "here" } else { "there" };
        Some(format!("period_{}_{end}", period + 1))
    }
}
