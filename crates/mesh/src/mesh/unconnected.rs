//! A mesh as the file of another program describes it: nodes, cells and surface elements, not yet connected.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use crate::element::ElementKind;

/// The nodes, cells and surface elements of a mesh file.
#[derive(Debug, Default)]
pub struct UnconnectedMesh {
    /// The file.
    pub file: PathBuf,
    /// True if Gmsh wrote the file: advice in messages then uses its words.
    pub gmsh: bool,
    /// Tags of the nodes, `[node]`.
    pub node_tags: Vec<u64>,
    /// Positions of the nodes, `[node]`.
    pub positions: Vec<[f64; 3]>,
    /// Kind of each cell, `[cell]`.
    pub kinds: Vec<ElementKind>,
    /// Geometric order of each cell, `[cell]`.
    pub orders: Vec<u8>,
    /// Tag of each cell, `[cell]`.
    pub tags: Vec<u64>,
    /// Indices of the cells' nodes on an equispaced lattice, `[cell][node]`, in the order of [`ElementKind::index`].
    pub nodes: Vec<u32>,
    /// Offsets of the cells in `nodes`, `[cell + 1]`.
    pub first_node: Vec<usize>,
    /// Surface elements: their vertices as [`super::cells::FaceVertices::key`], and their index in `surfaces`.
    pub patches: Vec<([u32; 4], u32)>,
    /// Surfaces on which surface elements lie.
    pub surfaces: Vec<Surface>,
    /// Names of the physical groups of surfaces, by their numbers.
    pub group_names: HashMap<i64, String>,
    /// Names of surfaces in messages, by their tags; those without one are called by their tag.
    pub entity_names: HashMap<i64, String>,
    /// Pairs of surfaces that the file declares as periodic, or as the two sides of an interface.
    pub links: Vec<Link>,
    /// Faces that meet several smaller ones.
    pub mortars: Vec<RawMortar>,
    /// True if faces without a boundary that lie at the same place are joined, although they have nodes of their own.
    pub coincident: bool,
}

/// A surface of the model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Surface {
    /// Tag of the surface in the file.
    pub entity: i64,
    /// Physical groups to which the surface belongs.
    pub groups: Vec<i64>,
}

/// A face that meets two or four smaller ones, by the vertices of all of them as [`super::cells::FaceVertices::key`].
#[derive(Debug, Clone)]
pub struct RawMortar {
    /// Tag of the cell of the larger face.
    pub element: u64,
    /// Number of this face in the file, from 1, for messages.
    pub side: usize,
    /// The larger face.
    pub big: [u32; 4],
    /// The smaller ones, in any order.
    pub small: Vec<[u32; 4]>,
}

/// Two surfaces that the file declares as periodic.
#[derive(Debug, Clone)]
pub struct Link {
    /// Tag of the surface that Gmsh meshes as a copy of the master.
    pub slave: i64,
    /// Tag of the master surface.
    pub master: i64,
    /// Affine map from master to slave: rows of a 4 x 4 matrix.
    pub affine: Option<[f64; 16]>,
    /// Node of the slave that corresponds to each node of the master.
    pub nodes: BTreeMap<u32, u32>,
}

impl UnconnectedMesh {
    /// Largest extent of the nodes in a direction.
    pub fn extent(&self) -> f64 {
        let of = |d: usize| {
            let values = || self.positions.iter().map(|x| x[d]);
            values().fold(f64::NEG_INFINITY, f64::max) - values().fold(f64::INFINITY, f64::min)
        };
        (0..3).map(of).fold(0.0, f64::max)
    }

    /// Adds a cell.
    pub fn push_cell(&mut self, kind: ElementKind, order: u8, tag: u64, nodes: &[u32]) {
        self.kinds.push(kind);
        self.orders.push(order);
        self.tags.push(tag);
        self.nodes.extend_from_slice(nodes);
        if self.first_node.is_empty() {
            self.first_node.push(0);
        }
        self.first_node.push(self.nodes.len());
    }

    /// Indices of a cell's nodes.
    pub fn cell_nodes(&self, cell: usize) -> &[u32] {
        &self.nodes[self.first_node[cell]..self.first_node[cell + 1]]
    }

    /// Nodes at the corners of all cells, `[cell][corner]`, and the offsets of the cells.
    pub fn corners(&self) -> (Vec<u32>, Vec<usize>) {
        let mut corner_nodes = HashMap::new();
        let mut corners = Vec::with_capacity(8 * self.kinds.len());
        let mut first_corner = Vec::with_capacity(self.kinds.len() + 1);
        first_corner.push(0);
        for (cell, (&kind, &order)) in self.kinds.iter().zip(&self.orders).enumerate() {
            let order = usize::from(order);
            let local: &Vec<usize> = corner_nodes.entry((kind, order)).or_insert_with(|| {
                let vertices = kind.lattice_vertices(order);
                vertices.into_iter().map(|at| kind.index(at, order)).collect()
            });
            let nodes = self.cell_nodes(cell);
            corners.extend(local.iter().map(|at| nodes[*at]));
            first_corner.push(corners.len());
        }
        (corners, first_corner)
    }

    /// Name of the boundary that a physical group of surfaces becomes: that of the group, or else its number.
    pub fn group_name(&self, group: i64) -> String {
        self.group_names
            .get(&group)
            .cloned()
            .unwrap_or_else(|| group.to_string())
    }
}
