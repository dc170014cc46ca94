//! Vertices: the coincident points of neighbouring cells, united over the faces of the cells and over ranks.
//!
//! The global number of a vertex is the least of (number of the cell, number of the point) among its points. Its
//! position is that of this point, and the rank that holds it owns the vertex. None of this depends on the partition.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use rayon::prelude::*;

use super::error::DualError;
use super::periods::{Image, Periods, Place};
use super::rotation::Rotation;
use crate::element::{ElementKind, FaceShape};
use crate::geometry::Geometry;
use crate::mesh::{Mesh, Neighbour, RemoteFace};
use crate::ranks::Ranks;
use crate::vector::Vector;

/// The vertices to which the points of a rank's cells belong.
#[derive(Debug)]
pub struct Vertices {
    /// Vertex of each point, `[cell][point]`.
    pub of_point: Vec<u32>,
    /// By how many periods each point lies away from its vertex, `[cell][point]`; empty if the mesh is not periodic.
    pub image: Vec<Image>,
    /// Positions of the points, `[cell][point]`: those of the vertices, shifted by their images. Coincident points
    /// coincide to the last bit.
    pub point: Vec<Vector>,
    /// Global numbers, `[vertex]`.
    pub number: Vec<u64>,
    /// Ranks that own the vertices, `[vertex]`.
    pub owner: Vec<u32>,
    /// Positions, `[vertex]`.
    pub position: Vec<Vector>,
    /// The rotations of a mesh that is periodic by such.
    pub rotation: Option<Rotation>,
}

/// Largest number of points of a cell, by which the numbers of cells are multiplied in those of vertices.
pub fn points_of_a_cell(order: usize) -> u64 {
    ElementKind::ALL
        .iter()
        .map(|kind| kind.points(order))
        .max()
        .unwrap_or(1) as u64
}

impl Vertices {
    /// Unites the points of degree `order`. Collective.
    ///
    /// # Errors
    /// Points that the faces unite lie apart by something else than a period, or on the axis of the rotation; or faces
    /// meet smaller ones.
    pub fn new(
        mesh: &Mesh,
        geometry: &Geometry,
        order: usize,
        periods: &Periods,
        ranks: &Ranks,
    ) -> Result<Self, DualError> {
        let matching = match mesh.divided_faces().count() {
            0 => Ok(()),
            faces => Err(DualError::HangingNodes { faces }),
        };
        ranks.agree(matching, DualError::OnOtherRank)?;
        let tables = FacePoints::new(order);
        let mut united = Vertices::on_this_rank(mesh, geometry, &tables, ranks.rank());
        let stride = points_of_a_cell(order);
        let of_vertices = united.number.par_iter_mut().zip(&mut united.position);
        of_vertices.for_each(|(number, position)| {
            let first = *number as usize;
            let cell = geometry.cell_of_point(first);
            *number = mesh.global(cell) as u64 * stride + (first - geometry.first_point[cell]) as u64;
            *position = geometry.points[first];
        });
        united.unite_over_ranks(mesh, geometry, &tables, ranks);
        united.unite_equal_numbers();
        ranks.agree(united.place_points(geometry, periods), DualError::OnOtherRank)?;
        Ok(united)
    }

    /// Unites the points over the faces between cells of this rank. `number` is the first point of each vertex.
    fn on_this_rank(mesh: &Mesh, geometry: &Geometry, tables: &FacePoints, rank: usize) -> Self {
        let sets = Sets::new(geometry.points.len());
        (0..mesh.len()).into_par_iter().for_each(|cell| {
            for (face, side) in mesh.cell_sides(cell).iter().enumerate() {
                let Some(Neighbour {
                    cell: other,
                    face: back,
                    orientation,
                    ..
                }) = side.neighbour()
                else {
                    continue;
                };
                if (other, back) < (cell, face) {
                    continue;
                }
                let kind = mesh.kinds[cell];
                let first = geometry.first_point[cell];
                let theirs = tables.in_cell(mesh.kinds[other], back);
                let there = geometry.first_point[other];
                let on_neighbour = tables.on_neighbour(kind.faces()[face].shape, orientation);
                for (point, &l) in tables.in_cell(kind, face).iter().zip(on_neighbour) {
                    sets.unite((first + point) as u32, (there + theirs[l]) as u32);
                }
            }
        });
        let points = || (0..geometry.points.len() as u32).into_par_iter();
        let number: Vec<u64> = points().filter(|&p| sets.root(p) == p).map(u64::from).collect();
        let vertex_of_first: Vec<AtomicU32> = points().map(|_| AtomicU32::new(0)).collect();
        let firsts = number.par_iter().zip(0..number.len() as u32);
        firsts.for_each(|(&first, vertex)| vertex_of_first[first as usize].store(vertex, Relaxed));
        Vertices {
            of_point: points()
                .map(|p| vertex_of_first[sets.root(p) as usize].load(Relaxed))
                .collect(),
            image: Vec::new(),
            point: Vec::new(),
            owner: vec![rank as u32; number.len()],
            position: vec![[0.0; 3]; number.len()],
            number,
            rotation: None,
        }
    }

    /// Takes the least number, with its owner and position, over all faces between ranks until nothing changes.
    fn unite_over_ranks(&mut self, mesh: &Mesh, geometry: &Geometry, tables: &FacePoints, ranks: &Ranks) {
        let faces = mesh.remote_faces();
        let sorted = |key: fn(&RemoteFace) -> crate::mesh::FaceKey| -> BTreeMap<usize, Vec<RemoteFace>> {
            let mut faces = faces.clone();
            faces.values_mut().for_each(|faces| faces.sort_by_key(key));
            faces
        };
        let sent = sorted(|f| f.there);
        let received = sorted(|f| f.here);
        let vertex_at = |of_point: &[u32], f: &RemoteFace, l: usize| {
            of_point[geometry.first_point[f.cell] + tables.in_cell(mesh.kinds[f.cell], f.face)[l]] as usize
        };
        loop {
            let mut lists: Vec<(usize, Vec<u64>)> = Vec::new();
            for (&rank, faces) in &sent {
                let mut list = Vec::new();
                for face in faces {
                    for l in 0..tables.in_cell(mesh.kinds[face.cell], face.face).len() {
                        let vertex = vertex_at(&self.of_point, face, l);
                        list.extend([self.number[vertex], u64::from(self.owner[vertex])]);
                        list.extend(self.position[vertex].map(f64::to_bits));
                    }
                }
                lists.push((rank, list));
            }
            let mut changed = [0.0];
            for (faces, list) in received.values().zip(ranks.exchange_with(&lists)) {
                let mut points = list.as_chunks::<5>().0;
                for face in faces {
                    let on_neighbour = tables.on_neighbour(face.shape(), face.orientation);
                    for (l, &there) in on_neighbour.iter().enumerate() {
                        let [number, owner, x, y, z] = points[there];
                        let vertex = vertex_at(&self.of_point, face, l);
                        if number < self.number[vertex] {
                            (self.number[vertex], self.owner[vertex]) = (number, owner as u32);
                            self.position[vertex] = [x, y, z].map(f64::from_bits);
                            changed = [1.0];
                        }
                    }
                    points = &points[on_neighbour.len()..];
                }
            }
            ranks.allreduce_max(&mut changed);
            if changed == [0.0] {
                return;
            }
        }
    }

    /// Makes one vertex of those that only faces of other ranks have united.
    fn unite_equal_numbers(&mut self) {
        if self.number.is_sorted_by(|a, b| a < b) {
            return;
        }
        let count = self.number.len() as u32;
        let mut sorted: Vec<u32> = (0..count).collect();
        sorted.par_sort_unstable_by_key(|&v| (self.number[v as usize], v));
        let mut first: Vec<u32> = (0..count).collect();
        for equal in sorted.chunk_by(|a, b| self.number[*a as usize] == self.number[*b as usize]) {
            equal.iter().for_each(|&v| first[v as usize] = equal[0]);
        }
        let kept: Vec<usize> = (0..count as usize).filter(|&v| first[v] as usize == v).collect();
        let mut new = vec![0; count as usize];
        kept.iter().zip(0..).for_each(|(&v, number)| new[v] = number);
        let vertex_of = |v: &mut u32| *v = new[first[*v as usize] as usize];
        self.of_point.iter_mut().for_each(vertex_of);
        self.number = kept.iter().map(|&v| self.number[v]).collect();
        self.owner = kept.iter().map(|&v| self.owner[v]).collect();
        self.position = kept.iter().map(|&v| self.position[v]).collect();
    }

    /// Places the points at their vertices or at periodic images of them.
    fn place_points(&mut self, geometry: &Geometry, periods: &Periods) -> Result<(), DualError> {
        self.point = self.of_point.par_iter().map(|&v| self.position[v as usize]).collect();
        if periods.is_empty() {
            return Ok(());
        }
        self.rotation = periods.rotation.clone();
        if let Some(rotation) = &self.rotation
            && let Some(&at) = self.position.iter().find(|x| rotation.is_on_axis(**x))
        {
            return Err(DualError::OnAxis { at });
        }
        let places = geometry.points.par_iter().zip(&self.point);
        let found: Vec<Option<Place>> = places.map(|(at, vertex)| periods.place(*at, *vertex)).collect();
        if let Some(point) = found.par_iter().position_first(Option::is_none) {
            let at = geometry.points[point];
            let other = self.point[point];
            return Err(DualError::NoPeriod { at, other });
        }
        self.image = found.par_iter().flatten().map(|place| place.image).collect();
        self.point = found.par_iter().flatten().map(|place| place.position).collect();
        Ok(())
    }
}

/// Sets of points, which many threads unite at once. A set is a tree in which numbers fall towards the root, so that
/// its root is its first point, whatever the order in which it grew.
struct Sets {
    parent: Vec<AtomicU32>,
}

impl Sets {
    /// Returns a set for each point.
    fn new(points: usize) -> Self {
        Sets {
            parent: (0..points as u32).into_par_iter().map(AtomicU32::new).collect(),
        }
    }

    /// Finds the first point of a set, and shortens the path to it.
    fn root(&self, mut point: u32) -> u32 {
        loop {
            let above = self.parent[point as usize].load(Relaxed);
            if above == point {
                return point;
            }
            // Another thread may shorten the path at the same time: both write an ancestor.
            let further = self.parent[above as usize].load(Relaxed);
            self.parent[point as usize].store(further, Relaxed);
            point = further;
        }
    }

    /// Unites the sets of two points.
    fn unite(&self, a: u32, b: u32) {
        loop {
            let a = self.root(a);
            let b = self.root(b);
            let first = a.min(b);
            let second = a.max(b);
            // A root that another thread has put under a third one in the meantime is looked for again.
            let parent = &self.parent[second as usize];
            if first == second || parent.compare_exchange(second, first, Relaxed, Relaxed).is_ok() {
                return;
            }
        }
    }
}

/// The points of faces in their cells and on the neighbours' faces.
struct FacePoints {
    /// Points of the faces in their cells, `[kind][face][face point]`.
    in_cell: Vec<Vec<Vec<usize>>>,
    /// The neighbour's face point at each face point, `[shape][orientation][face point]`.
    on_neighbour: [Vec<Vec<usize>>; 2],
}

impl FacePoints {
    fn new(order: usize) -> Self {
        let of_kind = |kind: &ElementKind| {
            (0..kind.faces().len())
                .map(|face| kind.face_indices(face, order))
                .collect()
        };
        FacePoints {
            in_cell: ElementKind::ALL.iter().map(of_kind).collect(),
            on_neighbour: [FaceShape::Triangle, FaceShape::Quad].map(|shape| {
                let theirs = |orientation| {
                    let points = 0..shape.points(order);
                    points
                        .map(|point| shape.oriented_point(orientation, point, order))
                        .collect()
                };
                (0..shape.orientations()).map(theirs).collect()
            }),
        }
    }

    fn in_cell(&self, kind: ElementKind, face: usize) -> &[usize] {
        &self.in_cell[kind as usize][face]
    }

    fn on_neighbour(&self, shape: FaceShape, orientation: usize) -> &[usize] {
        &self.on_neighbour[shape as usize][orientation]
    }
}
