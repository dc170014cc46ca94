//! The vertices, points and edge areas of a rank's cells, from which the median dual is collected.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use rayon::prelude::*;

use super::periods::{Image, TURNS};
use super::vertices::{Vertices, points_of_a_cell};
use crate::element::{PerKind, SubCells, SubEdge};
use crate::geometry::{Geometry, by_cells};
use crate::mesh::Mesh;
use crate::vector::{Vector, cross, minus};

/// Vertices, or cells along the curve, that one task handles.
pub const CHUNK: usize = 1024;

/// Where the dual of a rank is under construction. Vertices have provisional numbers: those of the rank's cells, and
/// then further ones at which edges from other ranks' cells end.
pub struct Construction<'a> {
    pub mesh: &'a Mesh,
    pub geometry: &'a Geometry,
    pub order: usize,
    /// Number of this rank.
    pub rank: usize,
    pub sub_cells: PerKind<Option<SubCells>>,
    pub vertices: Vertices,
    /// Cell of each point of this rank's cells.
    pub cell_of_point: Vec<u32>,
    /// Points at each vertex in ascending order, and the offsets of the vertices in them.
    pub points: Vec<u32>,
    pub first_point: Vec<u32>,
    /// Area vectors of the edges of cells, from the first to the second end, `[cell][edge]`.
    pub edge_area: Vec<Vector>,
    /// Offsets of the cells in `edge_area`.
    pub first_edge: Vec<usize>,
    /// Vertices that other ranks own, by their global numbers.
    pub others: Vec<(u64, u32)>,
}

/// The share of a cell in an edge of a vertex.
#[derive(Debug, Clone, Copy)]
pub struct EdgeShare {
    /// Provisional number of the vertex at the other end.
    pub neighbour: u32,
    /// Image of the other end.
    pub image: Image,
    /// Global number of the cell.
    pub cell: u64,
    /// Number of the edge in the cell.
    pub edge: u32,
    /// Area vector towards the other end.
    pub area: Vector,
    /// Vector to the other end.
    pub displacement: Vector,
}

impl<'a> Construction<'a> {
    /// Lists the points at the vertices and computes the areas of the edges of all cells.
    pub fn new(mesh: &'a Mesh, geometry: &'a Geometry, order: usize, vertices: Vertices, rank: usize) -> Self {
        let sub_cells = PerKind::new(|kind| mesh.kinds.contains(&kind).then(|| SubCells::new(kind, order)));
        let of_cell = |cell: usize| sub_cells[mesh.kinds[cell]].as_ref().expect("the kind occurs");
        let mut first_edge = vec![0];
        for cell in 0..mesh.len() {
            first_edge.push(first_edge[cell] + of_cell(cell).edges.len());
        }
        let mut edge_area = vec![[0.0; 3]; first_edge[mesh.len()]];
        let of_cells = by_cells(&mut edge_area, &first_edge, 1).into_par_iter().enumerate();
        of_cells.for_each(|(cell, areas)| {
            let points = geometry.first_point[cell]..geometry.first_point[cell + 1];
            areas.copy_from_slice(&edge_areas(of_cell(cell), &vertices.point[points]));
        });
        let mut cell_of_point = vec![0; vertices.of_point.len()];
        let of_cells = geometry
            .cells_of(&mut cell_of_point, 1)
            .into_par_iter()
            .zip(0u32..mesh.len() as u32);
        of_cells.for_each(|(points, cell)| points.fill(cell));
        let (points, first_point) = points_by_vertex(&vertices);
        let others = (0..vertices.number.len()).filter(|&v| vertices.owner[v] as usize != rank);
        let mut others: Vec<(u64, u32)> = others.map(|v| (vertices.number[v], v as u32)).collect();
        others.sort_unstable();
        Construction {
            mesh,
            geometry,
            order,
            rank,
            sub_cells,
            vertices,
            cell_of_point,
            points,
            first_point,
            edge_area,
            first_edge,
            others,
        }
    }

    /// Sub-cells of a cell.
    pub fn sub_cells_of(&self, cell: usize) -> &SubCells {
        self.sub_cells[self.mesh.kinds[cell]].as_ref().expect("the kind occurs")
    }

    /// Points at a vertex of this rank's cells.
    pub fn points_at(&self, vertex: u32) -> &[u32] {
        &self.points[self.first_point[vertex as usize] as usize..self.first_point[vertex as usize + 1] as usize]
    }

    /// Returns whether this rank owns a vertex.
    pub fn owns(&self, vertex: u32) -> bool {
        self.vertices.owner[vertex as usize] as usize == self.rank
    }

    /// Returns the provisional number of the vertex with this global number, if this rank knows it.
    pub fn find(&self, number: u64) -> Option<u32> {
        let stride = points_of_a_cell(self.order);
        let global = (number / stride) as usize;
        let point = (number % stride) as usize;
        let cell = match &self.mesh.part {
            None => Some(global),
            Some(part) => part.global.binary_search(&global).ok(),
        };
        if let Some(cell) = cell {
            return Some(self.vertices.of_point[self.geometry.first_point[cell] + point]);
        }
        let place = self.others.binary_search_by_key(&number, |(number, _)| *number);
        place.ok().map(|place| self.others[place].1)
    }

    /// Adds vertices that other ranks own, each with its global number, owner and position.
    pub fn add_vertices(&mut self, mut new: Vec<(u64, u32, Vector)>) {
        new.sort_unstable_by_key(|(number, ..)| *number);
        new.dedup_by_key(|(number, ..)| *number);
        for (number, owner, position) in new {
            self.others.push((number, self.vertices.number.len() as u32));
            self.vertices.number.push(number);
            self.vertices.owner.push(owner);
            self.vertices.position.push(position);
        }
        self.others.sort_unstable();
    }

    /// Turns a vector at a point into that at its vertex.
    pub fn at_vertex(&self, point: usize, v: Vector) -> Vector {
        let rotation = self.vertices.rotation.as_ref();
        rotation.map_or(v, |rotation| rotation.turned(-self.vertices.image[point][TURNS], v))
    }

    /// Returns the image of a point as it is seen from another one.
    fn image_between(&self, here: usize, there: usize) -> Image {
        let images = &self.vertices.image;
        if images.is_empty() {
            return Image::default();
        }
        let mut image: Image = std::array::from_fn(|d| images[there][d] - images[here][d]);
        if let Some(rotation) = &self.vertices.rotation {
            image[TURNS] = rotation.between(images[here][TURNS], images[there][TURNS]);
        }
        image
    }

    /// Calls a function with the other end, its image, the cell, the edge in the cell, and the area and displacement of
    /// every edge that a vertex has in the cells of this rank.
    pub fn for_edges(&self, vertex: u32, mut edge: impl FnMut(EdgeShare)) {
        let vertices = &self.vertices;
        for here in self.points_at(vertex).iter().map(|&point| point as usize) {
            let cell = self.cell_of_point[here] as usize;
            let first = self.geometry.first_point[cell];
            for end in &self.sub_cells_of(cell).edges_of_point[here - first] {
                let there = first + end.other;
                let area = self.edge_area[self.first_edge[cell] + end.edge].map(|a| end.sign * a);
                edge(EdgeShare {
                    neighbour: vertices.of_point[there],
                    image: self.image_between(here, there),
                    cell: self.mesh.global(cell) as u64,
                    edge: end.edge as u32,
                    area: self.at_vertex(here, area),
                    displacement: self.at_vertex(here, minus(vertices.point[there], vertices.point[here])),
                });
            }
        }
    }
}

/// Returns the points at each vertex in ascending order, and the offsets of the vertices in them.
fn points_by_vertex(vertices: &Vertices) -> (Vec<u32>, Vec<u32>) {
    let zeros = |count: usize| -> Vec<AtomicU32> { (0..count).into_par_iter().map(|_| AtomicU32::new(0)).collect() };
    let of_point = &vertices.of_point;
    let count = vertices.number.len();
    let counts = zeros(count);
    of_point.par_iter().for_each(|&v| {
        counts[v as usize].fetch_add(1, Relaxed);
    });
    let mut first = vec![0; count + 1];
    let mut end = 0;
    for (count, first) in counts.iter().zip(&mut first[1..]) {
        end += count.load(Relaxed);
        *first = end;
    }
    let points = zeros(of_point.len());
    of_point
        .par_iter()
        .zip(0u32..of_point.len() as u32)
        .for_each(|(&v, point)| {
            let left = counts[v as usize].fetch_sub(1, Relaxed);
            points[(first[v as usize + 1] - left) as usize].store(point, Relaxed);
        });
    let mut points: Vec<u32> = points.into_iter().map(AtomicU32::into_inner).collect();
    // Threads have put the points of a vertex there in any order.
    let mut rest = &mut points[..];
    let of_chunks: Vec<(&[u32], &mut [u32])> = (0..count)
        .step_by(CHUNK)
        .map(|begin| {
            let first = &first[begin..=(begin + CHUNK).min(count)];
            let (these, others) = std::mem::take(&mut rest).split_at_mut((first[first.len() - 1] - first[0]) as usize);
            rest = others;
            (first, these)
        })
        .collect();
    of_chunks.into_par_iter().for_each(|(first, points)| {
        for vertex in first.windows(2) {
            points[(vertex[0] - first[0]) as usize..(vertex[1] - first[0]) as usize].sort_unstable();
        }
    });
    (points, first)
}

/// Mean of the positions of some points.
fn mean(points: &[usize], x: &[Vector]) -> Vector {
    let share = 1.0 / points.len() as f64;
    std::array::from_fn(|d| points.iter().map(|&p| x[p][d]).sum::<f64>() * share)
}

/// Returns the area vectors of the dual's facets at the edges of a cell with its points at `x`.
fn edge_areas(sub_cells: &SubCells, x: &[Vector]) -> Vec<Vector> {
    let cells: Vec<Vector> = sub_cells.cells.iter().map(|cell| mean(&cell.points, x)).collect();
    let faces: Vec<Vector> = sub_cells.faces.iter().map(|face| mean(face, x)).collect();
    let area = |edge: &SubEdge| {
        let middle = mean(&edge.ends, x);
        edge.around.iter().fold([0.0; 3], |sum: Vector, at| {
            let facet = cross(minus(cells[at.cell], middle), minus(faces[at.left], faces[at.right]));
            std::array::from_fn(|d| sum[d] + 0.5 * facet[d])
        })
    };
    sub_cells.edges.iter().map(area).collect()
}
