//! The shares that cells have in the edges and boundaries of vertices, and their way to the ranks that own these.

use super::construction::{Construction, EdgeShare};
use crate::mesh::Side;
use crate::ranks::Ranks;
use crate::vector::{Vector, cross, minus};

/// The shares that cells of other ranks have in the edges of owned vertices.
#[derive(Debug, Default)]
pub struct Edges {
    /// Provisional number of a vertex, and a share in one of its edges; sorted by the vertex.
    vertices: Vec<u32>,
    shares: Vec<EdgeShare>,
}

impl Edges {
    /// Shares in the edges of a vertex.
    pub fn of(&self, vertex: u32) -> &[EdgeShare] {
        let begin = self.vertices.partition_point(|&v| v < vertex);
        let end = begin + self.vertices[begin..].partition_point(|&v| v == vertex);
        &self.shares[begin..end]
    }
}

/// The share of a cell's face in the area of a vertex on a boundary.
#[derive(Debug, Clone, Copy)]
pub struct BoundaryShare {
    /// Index of the boundary.
    pub boundary: u32,
    /// Provisional number of the vertex.
    pub vertex: u32,
    /// Global number of the cell.
    pub cell: u64,
    /// The face of the cell.
    pub face: u32,
    /// The point of the face. A face across a period of one cell has two points at the vertex.
    pub point: u32,
    /// Outward area vector.
    pub area: Vector,
}

/// Number of words in which a share in an edge is sent.
const EDGE_WORDS: usize = 15;
/// Number of words in which a share in the area on a boundary is sent.
const BOUNDARY_WORDS: usize = 8;

impl Construction<'_> {
    /// Sends the shares of this rank's cells in the edges of vertices that other ranks own, and returns those of other
    /// ranks' cells in the edges of owned vertices. Vertices that only these reach are added. Collective.
    pub fn exchange_edges(&mut self, ranks: &Ranks) -> Edges {
        let mut lists = vec![Vec::new(); ranks.size()];
        let number = |vertex: u32| self.vertices.number[vertex as usize];
        let cell_vertices = 0..self.vertices.number.len() as u32;
        for vertex in cell_vertices.filter(|&v| !self.owns(v)) {
            let list: &mut Vec<u64> = &mut lists[self.vertices.owner[vertex as usize] as usize];
            self.for_edges(vertex, |share| {
                let [i, j, k, turns] = share.image.map(|n| u64::from(n as u8));
                let other = share.neighbour as usize;
                let owner = u64::from(self.vertices.owner[other]);
                list.extend([
                    number(vertex),
                    number(share.neighbour),
                    owner,
                    i | j << 8 | k << 16 | turns << 24,
                ]);
                list.extend([share.cell, u64::from(share.edge)]);
                let vectors = [share.area, share.displacement, self.vertices.position[other]];
                list.extend(vectors.as_flattened().iter().map(|x| x.to_bits()));
            });
        }
        let received = ranks.alltoall(lists);
        let words = || received.iter().flat_map(|list| list.as_chunks::<EDGE_WORDS>().0);
        let vector = |words: &[u64]| -> Vector { std::array::from_fn(|d| f64::from_bits(words[d])) };
        let unknown = words().filter(|words| self.find(words[1]).is_none());
        let new = unknown.map(|words| (words[1], words[2] as u32, vector(&words[12..])));
        self.add_vertices(new.collect());
        let here = |number: u64| self.find(number).expect("vertices that were unknown have been added");
        let mut shares: Vec<(u32, EdgeShare)> = words()
            .map(|words| {
                let share = EdgeShare {
                    neighbour: here(words[1]),
                    image: [0, 8, 16, 24].map(|bits| (words[3] >> bits) as u8 as i8),
                    cell: words[4],
                    edge: words[5] as u32,
                    area: vector(&words[6..]),
                    displacement: vector(&words[9..]),
                };
                (here(words[0]), share)
            })
            .collect();
        shares.sort_by_key(|(vertex, _)| *vertex);
        let (vertices, shares) = shares.into_iter().unzip();
        Edges { vertices, shares }
    }

    /// Returns the shares of all ranks' faces in the areas of owned vertices. Collective.
    pub fn exchange_boundary_shares(&self, ranks: &Ranks) -> Vec<BoundaryShare> {
        let mut mine = Vec::new();
        let mut lists: Vec<Vec<u64>> = vec![Vec::new(); ranks.size()];
        for share in self.boundary_shares() {
            if self.owns(share.vertex) {
                mine.push(share);
                continue;
            }
            let list = &mut lists[self.vertices.owner[share.vertex as usize] as usize];
            let number = self.vertices.number[share.vertex as usize];
            list.extend([u64::from(share.boundary), number, share.cell]);
            list.extend([share.face, share.point].map(u64::from));
            list.extend(share.area.map(f64::to_bits));
        }
        for list in ranks.alltoall(lists) {
            mine.extend(list.as_chunks::<BOUNDARY_WORDS>().0.iter().map(|words| BoundaryShare {
                boundary: words[0] as u32,
                vertex: self.find(words[1]).expect("the owner knows its vertices"),
                cell: words[2],
                face: words[3] as u32,
                point: words[4] as u32,
                area: std::array::from_fn(|d| f64::from_bits(words[5 + d])),
            }));
        }
        mine
    }

    /// Returns the shares of this rank's faces in the areas of vertices.
    fn boundary_shares(&self) -> Vec<BoundaryShare> {
        let mut shares = Vec::new();
        for cell in 0..self.mesh.len() {
            for (face, side) in self.mesh.cell_sides(cell).iter().enumerate() {
                let Side::Boundary(boundary) = *side else { continue };
                let first = self.geometry.first_point[cell];
                let points = self.mesh.kinds[cell].face_indices(face, self.order);
                let x: Vec<Vector> = points.iter().map(|p| self.vertices.point[first + p]).collect();
                let areas = point_areas(&self.sub_cells_of(cell).boundary[face], &x);
                shares.extend(
                    points
                        .iter()
                        .zip(areas)
                        .zip(0..)
                        .map(|((inside, area), point)| BoundaryShare {
                            boundary: boundary as u32,
                            vertex: self.vertices.of_point[first + inside],
                            cell: self.mesh.global(cell) as u64,
                            face: face as u32,
                            point,
                            area: self.at_vertex(first + inside, area),
                        }),
                );
            }
        }
        shares
    }
}

/// Returns the area vectors around the points of a face that is divided into these sub-faces: in each sub-face that of
/// the quadrilateral of the point, the middles of the edges at it, and the centre of the sub-face.
fn point_areas(outlines: &[Vec<usize>], x: &[Vector]) -> Vec<Vector> {
    let mut areas = vec![[0.0; 3]; x.len()];
    for outline in outlines {
        let n = outline.len();
        let centre: Vector = std::array::from_fn(|d| outline.iter().map(|&p| x[p][d]).sum::<f64>() / n as f64);
        for (i, &point) in outline.iter().enumerate() {
            let before = x[outline[(i + n - 1) % n]];
            let after = x[outline[(i + 1) % n]];
            // The difference of the middles of the two edges.
            let across: Vector = std::array::from_fn(|d| 0.5 * (before[d] - after[d]));
            let area = cross(minus(centre, x[point]), across);
            areas[point] = std::array::from_fn(|d| areas[point][d] + 0.5 * area[d]);
        }
    }
    areas
}
