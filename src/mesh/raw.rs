//! A mesh as a file gives it: nodes, cells and surface elements, not yet connected.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

use crate::element::ElementKind;

/// What a mesh file says.
#[derive(Debug, Default)]
pub struct RawMesh {
    /// The file.
    pub file: PathBuf,
    /// Tags of the nodes.
    pub node_tags: Vec<u64>,
    /// Positions of the nodes.
    pub positions: Vec<[f64; 3]>,
    /// Kind of each cell.
    pub kinds: Vec<ElementKind>,
    /// Geometric order of each cell.
    pub orders: Vec<u8>,
    /// Tag of each cell.
    pub tags: Vec<u64>,
    /// Indices of the cells' nodes, cell by cell: on an equispaced lattice, numbered as [`ElementKind::index`] says.
    pub nodes: Vec<u32>,
    /// Where each cell starts in `nodes`; one more than there are cells.
    pub first_node: Vec<usize>,
    /// Elements on surfaces: the vertices as in [`super::cells::FaceVertices::key`], and the surface.
    pub patches: Vec<([u32; 4], u32)>,
    /// The surfaces that surface elements lie on.
    pub surfaces: Vec<Surface>,
    /// Names of physical groups of surfaces.
    pub group_names: HashMap<i64, String>,
    /// Surfaces that the file says are periodic.
    pub links: Vec<Link>,
}

/// A surface.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Surface {
    /// Its tag in the file.
    pub entity: i64,
    /// The physical groups it belongs to.
    pub groups: Vec<i64>,
}

/// Two surfaces that are periodic by what the file says.
#[derive(Debug, Clone)]
pub struct Link {
    /// Tag of the one surface.
    pub slave: i64,
    /// Tag of the other.
    pub master: i64,
    /// Affine map, row by row, from master to slave.
    pub affine: Option<[f64; 16]>,
    /// Nodes of the master with those of the slave that correspond to them.
    pub nodes: BTreeMap<u32, u32>,
}

impl RawMesh {
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

    /// Nodes of a cell.
    pub fn cell_nodes(&self, cell: usize) -> &[u32] {
        &self.nodes[self.first_node[cell]..self.first_node[cell + 1]]
    }

    /// Name of the boundary that a physical group of surfaces makes.
    pub fn group_name(&self, group: i64) -> String {
        self.group_names
            .get(&group)
            .cloned()
            .unwrap_or_else(|| group.to_string())
    }
}
