//! Writing a mesh as a file of Gmsh's format 4.1, binary or as text.
//!
//! Each boundary is a surface with a physical group of its name, the cells are a volume with the group `fluid`. The
//! two sides of a periodic boundary are the groups `periodic_1_l` and `periodic_1_r`, and so on, whose nodes and motion
//! are in `$Periodic`. Source: the Gmsh reference manual, "MSH file format". Text has an entity, a node or an element
//! in each line, and no group has the number of another one, as PyFR's reader wants.

use std::fmt::Display;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::super::geometry_nodes::FaceNodes;
use super::super::shared_nodes::{Period, SharedNodes};
use super::node_order::{cell_lattice, face_lattice};
use super::types::{ElementType, Family};
use crate::element::{FaceShape, triangle_index};
use crate::io::{Error, Partial};
use crate::mesh::types::{CellFace, Mesh, Side};

/// Name of the physical group of the cells.
const CELLS: &str = "fluid";

/// How numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GmshForm {
    /// As they are in memory.
    Binary,
    /// As text, with the fewest digits that give the same number.
    Text,
}

/// Writes a whole mesh and replaces a file of the same name.
///
/// # Errors
/// Gmsh has no elements of the mesh's geometry order, the mesh has hanging nodes, or the file cannot be written.
pub fn write_gmsh(mesh: &Mesh, path: &Path, form: GmshForm) -> Result<(), Error> {
    let refused = |detail: String| Error::Input {
        path: path.to_path_buf(),
        detail,
    };
    if !mesh.mortars.is_empty() {
        let divided = mesh.divided_faces().count();
        return Err(refused(format!(
            "{divided} faces meet smaller ones at hanging nodes, and files of Gmsh do not say that cells are joined \
             there"
        )));
    }
    let surfaces_have_types =
        [Family::Triangle, Family::Quad].map(|family| ElementType::number(family, mesh.geometry_order));
    let kinds = mesh.kinds_present();
    let cells_have_types = kinds
        .iter()
        .map(|kind| ElementType::number(Family::Cell(*kind), mesh.geometry_order));
    if cells_have_types
        .chain(surfaces_have_types)
        .any(|number| number.is_none())
    {
        return Err(refused(format!(
            "Gmsh has no elements of geometry order {} for all kinds of cells of this mesh",
            mesh.geometry_order
        )));
    }
    if let Some(name) = mesh.boundary_names.iter().find(|name| name.contains(['"', '\n'])) {
        return Err(refused(format!("the name of the boundary {name:?} cannot be written")));
    }
    let nodes = SharedNodes::of(mesh);
    let partial = Partial::new(path)?;
    let file = partial.create()?;
    let mut out = Output {
        file: BufWriter::with_capacity(1 << 20, file),
        form,
    };
    let content = Content::of(mesh, &nodes);
    let written = out.all(mesh, &nodes, &content);
    written.map_err(|source| Error::Os {
        action: "write",
        path: path.to_path_buf(),
        source,
    })?;
    drop(out);
    partial.publish()
}

/// The surfaces of the file.
struct Content<'a> {
    mesh: &'a Mesh,
    /// Name and faces of each surface; its tag and the number of its group are its place in the list, from 1 on.
    surfaces: Vec<(String, Vec<CellFace>)>,
}

impl<'a> Content<'a> {
    fn of(mesh: &'a Mesh, nodes: &SharedNodes) -> Self {
        let mut surfaces: Vec<(String, Vec<CellFace>)> = mesh
            .boundary_names
            .iter()
            .map(|name| (name.clone(), Vec::new()))
            .collect();
        for cell in 0..mesh.len() {
            for (face, side) in mesh.cell_sides(cell).iter().enumerate() {
                if let Side::Boundary(name) = side {
                    surfaces[*name].1.push(CellFace { cell, face });
                }
            }
        }
        for (number, period) in nodes.periods.iter().enumerate() {
            for (side, letter) in ["l", "r"].into_iter().enumerate() {
                let faces = period.faces.iter().map(|pair| pair[side]).collect();
                surfaces.push((format!("periodic_{}_{letter}", number + 1), faces));
            }
        }
        Self { mesh, surfaces }
    }

    /// Tag of the volume and number of its group, which no surface has.
    fn volume(&self) -> i32 {
        self.surfaces.len() as i32 + 1
    }

    /// Shape of a face.
    fn shape(&self, CellFace { cell, face }: CellFace) -> FaceShape {
        self.mesh.kinds[cell].faces()[face].shape
    }
}

/// A file that is being written.
struct Output<W: Write> {
    file: W,
    form: GmshForm,
}

impl<W: Write> Output<W> {
    fn all(&mut self, mesh: &Mesh, nodes: &SharedNodes, content: &Content) -> io::Result<()> {
        match self.form {
            GmshForm::Binary => {
                self.text("$MeshFormat\n4.1 1 8\n")?;
                self.ints(&[1])?;
            }
            GmshForm::Text => self.text("$MeshFormat\n4.1 0 8\n")?,
        }
        self.end("MeshFormat")?;
        self.names(content)?;
        self.entities(nodes, content)?;
        self.nodes(nodes, content)?;
        self.elements(mesh, nodes, content)?;
        self.periods(mesh.boundary_names.len(), nodes)?;
        self.file.flush()
    }

    fn text(&mut self, text: &str) -> io::Result<()> {
        self.file.write_all(text.as_bytes())
    }

    /// Ends a line of text.
    fn line(&mut self) -> io::Result<()> {
        match self.form {
            GmshForm::Binary => Ok(()),
            GmshForm::Text => self.text("\n"),
        }
    }

    /// Ends a section.
    fn end(&mut self, section: &str) -> io::Result<()> {
        if self.form == GmshForm::Binary {
            self.text("\n")?;
        }
        self.text(&format!("$End{section}\n"))
    }

    /// Writes a number.
    fn number(&mut self, bytes: &[u8], value: impl Display) -> io::Result<()> {
        match self.form {
            GmshForm::Binary => self.file.write_all(bytes),
            GmshForm::Text => write!(self.file, "{value} "),
        }
    }

    fn ints(&mut self, values: &[i32]) -> io::Result<()> {
        values
            .iter()
            .try_for_each(|value| self.number(&value.to_le_bytes(), value))
    }

    fn sizes(&mut self, values: &[usize]) -> io::Result<()> {
        values
            .iter()
            .try_for_each(|value| self.number(&(*value as u64).to_le_bytes(), value))
    }

    fn reals(&mut self, values: &[f64]) -> io::Result<()> {
        values
            .iter()
            .try_for_each(|value| self.number(&value.to_le_bytes(), value))
    }

    fn names(&mut self, content: &Content) -> io::Result<()> {
        self.text(&format!("$PhysicalNames\n{}\n", content.surfaces.len() + 1))?;
        for (number, (name, _)) in content.surfaces.iter().enumerate() {
            self.text(&format!("2 {} \"{name}\"\n", number + 1))?;
        }
        let volume = content.volume();
        self.text(&format!("3 {volume} \"{CELLS}\"\n$EndPhysicalNames\n"))
    }

    fn entities(&mut self, nodes: &SharedNodes, content: &Content) -> io::Result<()> {
        let bound =
            |d: usize, of: fn(f64, f64) -> f64, start: f64| nodes.positions.iter().map(|x| x[d]).fold(start, of);
        let low: [f64; 3] = std::array::from_fn(|d| bound(d, f64::min, f64::INFINITY));
        let high: [f64; 3] = std::array::from_fn(|d| bound(d, f64::max, f64::NEG_INFINITY));
        self.text("$Entities\n")?;
        self.sizes(&[0, 0, content.surfaces.len(), 1])?;
        self.line()?;
        // Tag, bounds, groups, and the entities that bound it, which are not needed.
        for tag in 1..=content.volume() {
            self.ints(&[tag])?;
            self.reals(&low)?;
            self.reals(&high)?;
            self.sizes(&[1])?;
            self.ints(&[tag])?;
            self.sizes(&[0])?;
            self.line()?;
        }
        self.end("Entities")
    }

    fn nodes(&mut self, nodes: &SharedNodes, content: &Content) -> io::Result<()> {
        let count = nodes.positions.len();
        self.text("$Nodes\n")?;
        self.sizes(&[1, count, 1, count])?;
        self.line()?;
        self.ints(&[3, content.volume(), 0])?;
        self.sizes(&[count])?;
        self.line()?;
        for tag in 1..=count {
            self.sizes(&[tag])?;
            self.line()?;
        }
        for position in &nodes.positions {
            self.reals(position)?;
            self.line()?;
        }
        self.end("Nodes")
    }

    fn elements(&mut self, mesh: &Mesh, nodes: &SharedNodes, content: &Content) -> io::Result<()> {
        const SHAPES: [FaceShape; 2] = [FaceShape::Triangle, FaceShape::Quad];
        let order = mesh.geometry_order;
        let with = |faces: &[CellFace], shape| -> Vec<CellFace> {
            faces.iter().copied().filter(|at| content.shape(*at) == shape).collect()
        };
        let surfaces = (1_i32..)
            .zip(&content.surfaces)
            .flat_map(|(tag, (_, faces))| SHAPES.map(|shape| (tag, shape, with(faces, shape))))
            .filter(|(.., faces)| !faces.is_empty())
            .collect::<Vec<_>>();
        let kinds = mesh.kinds_present();
        let all = mesh.len() + surfaces.iter().map(|(.., faces)| faces.len()).sum::<usize>();
        self.text("$Elements\n")?;
        self.sizes(&[surfaces.len() + kinds.len(), all, 1, all])?;
        self.line()?;
        let mut tag = 0;
        let tables = FaceNodes::new(mesh);
        for (surface, shape, faces) in surfaces {
            let family = if shape == FaceShape::Triangle {
                Family::Triangle
            } else {
                Family::Quad
            };
            self.block(2, surface, family, order, faces.len())?;
            for at in faces {
                let numbers: Vec<u32> = tables.nodes(at).map(|node| nodes.numbers[node]).collect();
                let outward = mesh.kinds[at.cell].faces()[at.face].sign > 0.0;
                tag += 1;
                self.sizes(&[tag])?;
                for [i, j] in face_lattice(shape, order) {
                    let [i, j] = if outward { [i, j] } else { [j, i] };
                    let corner = match shape {
                        FaceShape::Triangle => triangle_index(i, j, order),
                        FaceShape::Quad => i + (order + 1) * j,
                    };
                    self.sizes(&[numbers[corner] as usize + 1])?;
                }
                self.line()?;
            }
        }
        for kind in kinds {
            let lattice: Vec<usize> = cell_lattice(kind, order)
                .into_iter()
                .map(|at| kind.index(at, order))
                .collect();
            let cells: Vec<usize> = (0..mesh.len()).filter(|cell| mesh.kinds[*cell] == kind).collect();
            self.block(3, content.volume(), Family::Cell(kind), order, cells.len())?;
            for cell in cells {
                tag += 1;
                self.sizes(&[tag])?;
                let first = mesh.first_node[cell];
                lattice
                    .iter()
                    .try_for_each(|at| self.sizes(&[nodes.numbers[first + at] as usize + 1]))?;
                self.line()?;
            }
        }
        self.end("Elements")
    }

    /// Writes the head of a block of elements.
    fn block(&mut self, dimension: i32, entity: i32, family: Family, order: usize, count: usize) -> io::Result<()> {
        let number = ElementType::number(family, order).expect("was found before");
        self.ints(&[dimension, entity, number as i32])?;
        self.sizes(&[count])?;
        self.line()
    }

    /// Writes the periods, whose surfaces follow those of the boundaries.
    fn periods(&mut self, boundaries: usize, nodes: &SharedNodes) -> io::Result<()> {
        if nodes.periods.is_empty() {
            return Ok(());
        }
        self.text("$Periodic\n")?;
        self.sizes(&[nodes.periods.len()])?;
        self.line()?;
        for (number, period) in nodes.periods.iter().enumerate() {
            let first = (boundaries + 2 * number + 1) as i32;
            // The map carries the master, which comes last, to the slave.
            self.ints(&[2, first + 1, first])?;
            self.line()?;
            self.sizes(&[16])?;
            self.reals(&affine(period))?;
            self.line()?;
            self.sizes(&[period.nodes.len()])?;
            self.line()?;
            for [here, there] in &period.nodes {
                self.sizes(&[*there as usize + 1, *here as usize + 1])?;
                self.line()?;
            }
        }
        self.end("Periodic")
    }
}

/// The motion of a period as the rows of a matrix of homogeneous coordinates.
fn affine(period: &Period) -> [f64; 16] {
    let mut matrix = [0.0; 16];
    for d in 0..3 {
        matrix[4 * d..4 * d + 3].copy_from_slice(&period.rotation[d]);
        matrix[4 * d + 3] = period.shift[d];
    }
    matrix[15] = 1.0;
    matrix
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::ElementKind;

    #[test]
    fn types_have_the_numbers_by_which_they_are_read() {
        for order in 1..=4 {
            for family in ElementKind::ALL
                .map(Family::Cell)
                .into_iter()
                .chain([Family::Triangle, Family::Quad])
            {
                let number = ElementType::number(family, order).expect("exists");
                let found = ElementType::new(number.into()).expect("is read");
                assert_eq!((found.family, found.order, found.complete), (family, order, true));
            }
        }
        assert_eq!(ElementType::number(Family::Quad, 0), None);
        assert_eq!(ElementType::number(Family::Quad, 11), None);
    }
}
