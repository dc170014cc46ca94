//! Two-dimensional meshes of a file, which are extended in z by layers of cells.
//!
//! Triangles become prisms and quadrilaterals hexahedra of the same geometric order, so that curved edges stay curved.
//! The boundaries of curves become boundaries of surfaces, and the two ends are the boundaries z- and z+.

use super::cells::FaceVertices;
use super::error::{FilePosition, MeshError};
use super::motion::{Motion, RigidMotion};
use super::source::PeriodicPair;
use super::unconnected::{Link, Surface, UnconnectedMesh};
use crate::element::{ElementKind, FaceShape};
use crate::format::location;

/// Names of the two ends.
const ENDS: [&str; 2] = ["z-", "z+"];

/// The extension of a two-dimensional mesh in z.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extrusion {
    /// Length in z of all layers together, in the unit of length of the mesh; above 0.
    pub thickness: f64,
    /// Number of layers of cells, of equal height; at least 1.
    pub layers: usize,
}

impl Extrusion {
    /// The pair of the two ends.
    pub fn ends(&self) -> PeriodicPair {
        let [first, second] = ENDS.map(str::to_owned);
        PeriodicPair {
            first,
            second,
            motion: Motion::Translation([0.0, 0.0, self.thickness]),
        }
    }
}

/// A triangle or a quadrilateral.
#[derive(Debug, Clone)]
pub struct PlaneCell {
    /// Shape of the cell.
    pub shape: FaceShape,
    /// Geometric order.
    pub order: u8,
    /// Tag in the file.
    pub tag: u64,
    /// Indices of the nodes on an equispaced lattice, in the order of [`FaceShape::lattice`].
    pub nodes: Vec<u32>,
}

/// The nodes, cells and edges of a two-dimensional mesh.
#[derive(Debug, Default)]
pub struct PlaneMesh {
    /// Nodes, and the curves as surfaces with their groups, names and links; without cells.
    pub base: UnconnectedMesh,
    /// The cells.
    pub cells: Vec<PlaneCell>,
    /// Elements of curves: their two vertices, and the index of the curve.
    pub edges: Vec<([u32; 2], u32)>,
}

/// Why a file of Gmsh may have no surfaces.
const UNSAVED: &str = ": where curves have names, a surface has to have one as well to be saved (`Physical Surface`)";

/// Least thickness of a layer relative to the size of the mesh, at which coordinates still have ten digits.
const THINNEST: f64 = 1e-6;

impl PlaneMesh {
    /// Returns the mesh of all layers.
    ///
    /// # Errors
    /// The mesh has no cells, its cells have several orders, or its nodes do not lie in a plane z = const.
    pub fn extruded(self, by: &Extrusion) -> Result<UnconnectedMesh, MeshError> {
        let order = self.order().map_err(|detail| self.refused(detail))?;
        let low = self.height().map_err(|detail| self.refused(detail))?;
        let PlaneMesh { base, cells, edges } = self;
        let nodes_of_level = base.positions.len();
        let extent = base.extent();
        if by.thickness / by.layers as f64 <= THINNEST * extent {
            let detail = format!(
                "layers of {:e} are too thin for a mesh of size {extent:e}: they must be thicker than {THINNEST:e} \
                 of it",
                by.thickness / by.layers as f64
            );
            return Err(refused(&base, detail));
        }
        let levels = order * by.layers;
        let count = nodes_of_level * (levels + 1);
        let mut raw = UnconnectedMesh {
            file: base.file,
            gmsh: base.gmsh,
            node_tags: base.node_tags.repeat(levels + 1),
            positions: Vec::with_capacity(count),
            surfaces: base.surfaces,
            group_names: base.group_names,
            entity_names: base.entity_names,
            coincident: base.coincident,
            ..UnconnectedMesh::default()
        };
        if u32::try_from(count).is_err() {
            let detail = format!("{count} nodes result; at most {} are supported", u32::MAX);
            return Err(refused(&raw, detail));
        }
        for level in 0..=levels {
            let z = low + by.thickness * level as f64 / levels as f64;
            raw.positions.extend(base.positions.iter().map(|[x, y, _]| [*x, *y, z]));
        }
        let raised = |node: u32, level: usize| node + (level * nodes_of_level) as u32;
        let linked = base.links.iter().filter_map(|link| spatial(link, &base.positions));
        raw.links = linked
            .map(|link| {
                let nodes = link.nodes.iter();
                let columns = nodes.flat_map(|(&a, &b)| (0..=levels).map(move |k| (raised(a, k), raised(b, k))));
                let nodes = columns.collect();
                Link { nodes, ..link }
            })
            .collect();
        let mut tag = 0;
        for layer in 0..by.layers {
            for cell in &cells {
                let kind = match cell.shape {
                    FaceShape::Triangle => ElementKind::Prism,
                    FaceShape::Quad => ElementKind::Hex,
                };
                let column = (0..=order).map(|k| order * layer + k);
                let nodes: Vec<u32> = column
                    .flat_map(|level| cell.nodes.iter().map(move |node| raised(*node, level)))
                    .collect();
                // One layer keeps the tags of the file; those of several would not be distinct.
                tag = if by.layers == 1 { cell.tag } else { tag + 1 };
                raw.push_cell(kind, order as u8, tag, &nodes);
            }
        }
        for ([a, b], curve) in edges {
            for layer in 0..by.layers {
                let [low, high] = [order * layer, order * (layer + 1)];
                let vertices = [raised(a, low), raised(b, low), raised(a, high), raised(b, high)];
                raw.patches.push((FaceVertices::new(&vertices).key(), curve));
            }
        }
        for (end, level) in ENDS.into_iter().zip([0, levels]) {
            let surface = add_boundary(&mut raw, end);
            for cell in &cells {
                let vertices = cell.vertices().map(|node| raised(node, level));
                let key = FaceVertices::new(&vertices[..cell.shape.vertices()]).key();
                raw.patches.push((key, surface));
            }
        }
        Ok(raw)
    }

    /// The order of all cells.
    fn order(&self) -> Result<usize, String> {
        let Some(first) = self.cells.first() else {
            let hint = if self.base.gmsh { UNSAVED } else { "" };
            return Err(format!("the mesh has no triangles or quadrilaterals to extrude{hint}"));
        };
        match self.cells.iter().find(|cell| cell.order != first.order) {
            None => Ok(usize::from(first.order)),
            Some(other) => Err(format!(
                "element {} is of geometric order {}, but element {} of order {}; all need the same to be extruded",
                first.tag, first.order, other.tag, other.order
            )),
        }
    }

    /// The coordinate z of the plane.
    fn height(&self) -> Result<f64, String> {
        /// Largest deviation from the plane, relative to the extent of the mesh.
        const SLACK: f64 = 1e-9;
        let position = |node: &u32| self.base.positions[*node as usize];
        let [mut low, mut high] = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        for x in self.cells.iter().flat_map(|cell| &cell.nodes).map(position) {
            (0..3).for_each(|d| (low[d], high[d]) = (low[d].min(x[d]), high[d].max(x[d])));
        }
        let extent = (0..2).map(|d| high[d] - low[d]).fold(0.0, f64::max);
        if high[2] - low[2] <= SLACK * extent {
            return Ok(low[2]);
        }
        let outside = |cell: &&PlaneCell| {
            cell.nodes
                .iter()
                .any(|node| position(node)[2] - low[2] > SLACK * extent)
        };
        let cell = self.cells.iter().find(outside).expect("a node lies above the lowest");
        let at = cell.nodes.iter().map(position).max_by(|a, b| a[2].total_cmp(&b[2]));
        Err(format!(
            "the mesh is not flat: its lowest node lies at z = {}, but element {} has one at {}; a mesh that is \
             extruded lies in a plane z = const",
            low[2],
            cell.tag,
            location(at.expect("a cell has nodes"))
        ))
    }

    fn refused(&self, detail: String) -> MeshError {
        refused(&self.base, detail)
    }
}

fn refused(raw: &UnconnectedMesh, detail: String) -> MeshError {
    MeshError::Content {
        file: raw.file.clone(),
        place: FilePosition::Whole,
        detail,
    }
}

impl PlaneCell {
    /// The vertices of the cell in the order of its lattice; the last one of a triangle is repeated.
    fn vertices(&self) -> [u32; 4] {
        let g = usize::from(self.order);
        let last = self.nodes.len() - 1;
        let third = match self.shape {
            FaceShape::Triangle => last,
            FaceShape::Quad => g * (g + 1),
        };
        [0, g, third, last].map(|at| self.nodes[at])
    }

    /// The vertices of the cell, once round.
    pub fn ring(&self) -> Vec<u32> {
        let [a, b, c, d] = self.vertices();
        match self.shape {
            FaceShape::Triangle => vec![a, b, c],
            FaceShape::Quad => vec![a, b, d, c],
        }
    }
}

/// Adds a surface that belongs to a boundary of this name, and returns its index.
pub fn add_boundary(raw: &mut UnconnectedMesh, name: &str) -> u32 {
    let known = raw.group_names.iter().find(|(_, known)| *known == name);
    let group = known.map_or_else(
        || {
            let used = raw.surfaces.iter().flat_map(|surface| &surface.groups);
            1 + used.chain(raw.group_names.keys()).copied().max().unwrap_or(0)
        },
        |(group, _)| *group,
    );
    raw.group_names.insert(group, name.to_owned());
    // A curve or a surface without elements is known by its links alone.
    let linked = raw.links.iter().flat_map(|link| [link.master, link.slave]);
    let used = raw.surfaces.iter().map(|surface| surface.entity).chain(linked);
    let entity = used.max().unwrap_or(0).saturating_add(1);
    raw.surfaces.push(Surface {
        entity,
        groups: vec![group],
    });
    raw.surfaces.len() as u32 - 1
}

/// The link of two curves with its motion, which is that of the file or else the shift of a pair of nodes; `None` if
/// there is neither.
fn spatial(link: &Link, positions: &[[f64; 3]]) -> Option<Link> {
    let shift = || {
        let (&from, &to) = link.nodes.first_key_value()?;
        let RigidMotion { offset: [x, y, z], .. } =
            RigidMotion::shift(positions[from as usize], positions[to as usize]);
        Some([1.0, 0.0, 0.0, x, 0.0, 1.0, 0.0, y, 0.0, 0.0, 1.0, z, 0.0, 0.0, 0.0, 1.0])
    };
    Some(Link {
        affine: Some(link.affine.or_else(shift)?),
        ..link.clone()
    })
}
