//! The cells, faces, edges and nodes of a mesh, and who is next to whom.
//!
//! Behind each boundary face lies a ghost, which follows the cells in number, so that every face has two cells. Nodes
//! are the vertices of the median dual of degree 1, and edges those of the dual.

use super::lists::Lists;
use crate::element::{Correction, Elements};
use crate::geometry::{Geometry, GeometryError};
use crate::mesh::Mesh;
use crate::ranks::Ranks;
use crate::steady::{DualError, DualMesh};
use crate::vector::{Vector, cross, dot, minus};

/// The cells.
#[derive(Debug, Clone)]
pub struct Cells {
    /// Nodes of the cells, without ghosts.
    pub nodes: Lists,
    /// Centres of the cells, then those of the faces of the ghosts.
    pub centre: Vec<Vector>,
}

/// The faces.
#[derive(Debug, Clone)]
pub struct Faces {
    /// Cells on both sides: the area vector points from the first to the second.
    pub cells: Vec<[i32; 2]>,
    /// Nodes of the faces.
    pub nodes: Lists,
    /// Area vectors.
    pub area: Vec<Vector>,
    /// Means of the nodes.
    pub centre: Vec<Vector>,
}

/// The edges of the median dual.
#[derive(Debug, Clone)]
pub struct Edges {
    /// Nodes at both ends: the area vector points from the first to the second.
    pub ends: Vec<[i32; 2]>,
    /// Area vectors of the facets.
    pub area: Vec<Vector>,
    /// Vectors from the first to the second end.
    pub displacement: Vec<Vector>,
}

/// Cells, faces, edges and nodes of a mesh.
#[derive(Debug, Clone)]
pub struct Tables {
    /// The cells.
    pub cells: Cells,
    /// The faces.
    pub faces: Faces,
    /// The edges.
    pub edges: Edges,
    /// Positions of the nodes.
    pub nodes: Vec<Vector>,
}

/// Numbers of cells, faces, edges and nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Cells without ghosts.
    pub cells: usize,
    /// Faces, those of boundaries included.
    pub faces: usize,
    /// Edges.
    pub edges: usize,
    /// Nodes.
    pub nodes: usize,
}

/// The reason why a mesh has no tables.
#[derive(Debug, thiserror::Error)]
pub enum TablesError {
    /// Cells are inverted.
    #[error(transparent)]
    Geometry(#[from] GeometryError),
    /// The mesh has no median dual.
    #[error(transparent)]
    Dual(#[from] DualError),
}

fn mean(points: impl ExactSizeIterator<Item = Vector>) -> Vector {
    let share = 1.0 / points.len() as f64;
    points.fold([0.0; 3], |sum, x| std::array::from_fn(|d| sum[d] + share * x[d]))
}

impl Tables {
    /// Returns the tables of a whole mesh without periods.
    ///
    /// # Errors
    /// Cells are inverted.
    pub fn new(mesh: &Mesh) -> Result<Self, TablesError> {
        let ranks = Ranks::alone();
        let elements = Elements::new(1, Correction::Radau, &mesh.kinds_present());
        let geometry = Geometry::on_ranks(mesh, &elements, &ranks)?;
        let dual = DualMesh::new(mesh, &geometry, 1, |_| false, &ranks)?;
        let points = |cell: usize| &dual.point_vertex[geometry.first_point[cell]..geometry.first_point[cell + 1]];
        let nodes = Lists::new((0..mesh.len()).map(|cell| points(cell).iter().map(|&node| node as i32)));
        let centre = (0..mesh.len()).map(|cell| mesh.center(cell)).collect();
        let mut cells = Cells { nodes, centre };
        let faces = faces(mesh, &dual.position, points, &mut cells.centre);
        let mut edges = Edges {
            ends: Vec::new(),
            area: Vec::new(),
            displacement: Vec::new(),
        };
        for node in 0..dual.owned {
            for edge in dual.edges(node).filter(|&edge| dual.neighbour[edge] as usize > node) {
                edges.ends.push([node as i32, dual.neighbour[edge] as i32]);
                edges.area.push(dual.area[edge]);
                edges.displacement.push(dual.displacement[edge]);
            }
        }
        Ok(Tables {
            cells,
            faces,
            edges,
            nodes: dual.position,
        })
    }

    /// Numbers of cells, faces, edges and nodes.
    pub fn sizes(&self) -> Sizes {
        Sizes {
            cells: self.cells.nodes.count(),
            faces: self.faces.cells.len(),
            edges: self.edges.ends.len(),
            nodes: self.nodes.len(),
        }
    }

    /// Faces of the cells; ~f where the area vector of face f points inwards.
    pub fn cell_faces(&self) -> Lists {
        let pairs = Lists::new(self.faces.cells.iter().copied());
        let mut lists = pairs.transposed(self.cells.centre.len(), signed);
        lists.first.truncate(self.cells.nodes.count() + 1);
        lists.numbers.truncate(lists.first[lists.count()] as usize);
        lists
    }

    /// Edges of the nodes; ~e where the area vector of edge e points inwards.
    pub fn node_edges(&self) -> Lists {
        Lists::new(self.edges.ends.iter().copied()).transposed(self.nodes.len(), signed)
    }

    /// Cells of the nodes.
    pub fn node_cells(&self) -> Lists {
        self.cells.nodes.transposed(self.nodes.len(), |cell, _| cell as i32)
    }

    /// Faces of the nodes.
    pub fn node_faces(&self) -> Lists {
        self.faces.nodes.transposed(self.nodes.len(), |face, _| face as i32)
    }
}

/// The entry of an item in the list of its first or second side.
fn signed(item: usize, side: usize) -> i32 {
    if side == 0 { item as i32 } else { !(item as i32) }
}

/// Returns the faces in the order of their first cells. The centres of the ghosts are appended to those of the cells.
fn faces<'a>(
    mesh: &Mesh,
    position: &[Vector],
    points: impl Fn(usize) -> &'a [u32],
    centres: &mut Vec<Vector>,
) -> Faces {
    let (mut cells, mut nodes, mut area, mut centre) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for cell in 0..mesh.len() {
        for (face, side) in mesh.cell_sides(cell).iter().enumerate() {
            let neighbour = side.neighbour().map(|neighbour| neighbour.cell);
            if neighbour.is_some_and(|neighbour| neighbour < cell) {
                continue;
            }
            let corners = mesh.kinds[cell].face_indices(face, 1);
            let of_face: Vec<i32> = corners.iter().map(|&point| points(cell)[point] as i32).collect();
            let x: Vec<Vector> = of_face.iter().map(|&node| position[node as usize]).collect();
            let middle = mean(x.iter().copied());
            // The corners of a quadrilateral are in rows of two.
            let twice = match x.len() {
                3 => cross(minus(x[1], x[0]), minus(x[2], x[0])),
                _ => cross(minus(x[3], x[0]), minus(x[2], x[1])),
            };
            let outwards = dot(twice, minus(middle, centres[cell])) > 0.0;
            let half = if outwards { 0.5 } else { -0.5 };
            let other = neighbour.unwrap_or_else(|| {
                centres.push(middle);
                centres.len() - 1
            });
            cells.push([cell as i32, other as i32]);
            nodes.push(of_face);
            area.push(twice.map(|a| half * a));
            centre.push(middle);
        }
    }
    Faces {
        cells,
        nodes: Lists::new(nodes.into_iter()),
        area,
        centre,
    }
}

/// Returns values in another order: value i is the old value `order[i]`.
fn permuted<T: Copy>(values: &[T], order: &[u32]) -> Vec<T> {
    order.iter().map(|&old| values[old as usize]).collect()
}

impl Cells {
    /// Returns the cells in another order; ghosts stay where they are.
    pub fn permuted(&self, order: &[u32]) -> Cells {
        let mut centre = permuted(&self.centre, order);
        centre.extend_from_slice(&self.centre[order.len()..]);
        Cells {
            nodes: self.nodes.permuted(order),
            centre,
        }
    }
}

impl Faces {
    /// Returns the faces in another order.
    pub fn permuted(&self, order: &[u32]) -> Faces {
        Faces {
            cells: permuted(&self.cells, order),
            nodes: self.nodes.permuted(order),
            area: permuted(&self.area, order),
            centre: permuted(&self.centre, order),
        }
    }
}

impl Edges {
    /// Returns the edges in another order.
    pub fn permuted(&self, order: &[u32]) -> Edges {
        Edges {
            ends: permuted(&self.ends, order),
            area: permuted(&self.area, order),
            displacement: permuted(&self.displacement, order),
        }
    }
}
