//! The median dual of a rank's vertices: volumes, edges with their areas, boundaries, and the exchange of halos.
//!
//! A solver gathers over the edges of a vertex in the order in which they are stored, so that its results depend
//! neither on threads nor on ranks.

use std::ops::Range;

use mpi::traits::Equivalence;

use super::rotation::Rotation;
use crate::device::Frames;
use crate::physics::{FrameForces, RotatingFrame};
use crate::ranks::Ranks;
use crate::vector::{Vector, length};

/// The median dual of a rank's vertices. Lengths are in the unit of length of the mesh.
///
/// Local vertices are numbered: interior ones, whose edges end at owned vertices only; those on the frontier; and the
/// halo, which other ranks own.
#[derive(Debug, Clone, Default)]
pub struct DualMesh {
    /// Number of interior vertices.
    pub interior: usize,
    /// Number of vertices that this rank owns: interior ones, and then those on the frontier.
    pub owned: usize,
    /// Number of vertices of all ranks.
    pub vertices_of_all_ranks: u64,
    /// Global numbers, which no partition changes, `[vertex]`, owned ones and the halo.
    pub global: Vec<u64>,
    /// Positions, `[vertex]`, owned ones and the halo.
    pub position: Vec<Vector>,
    /// Volumes of the dual, `[vertex]`, owned ones and the halo.
    pub volume: Vec<f64>,
    /// Distances from the nearest no-slip wall, `[vertex]`, owned ones and the halo; infinite without walls.
    pub wall_distance: Vec<f64>,
    /// Offsets of the owned vertices in the lists of edges, `[vertex + 1]`.
    pub first_edge: Vec<u32>,
    /// Local vertex at the other end of an edge, `[edge]`; edges of a vertex are sorted by its global number and then
    /// by the periodic image. A vertex may be its own neighbour.
    pub neighbour: Vec<u32>,
    /// The rotations of a mesh that is periodic by such; vectors at vertices are those at their positions.
    pub rotation: Option<Rotation>,
    /// The rotating frame in which the mesh is at rest. Where blocks of cells have frames of their own, this one turns
    /// at the angular speed 1.
    pub frame: Option<RotatingFrame>,
    /// The angular speeds of these, `[vertex]`, owned ones and the halo; empty where all cells have one frame.
    pub frame_speed: Vec<f64>,
    /// Turns that carry the neighbour to the end of an edge, `[edge]`; empty without a rotation.
    pub turns: Vec<i8>,
    /// Turns that carry its vertex to a point of this rank's cells, `[cell][point]`; empty without a rotation.
    pub point_turns: Vec<i8>,
    /// Area vectors of the dual's facets from the vertex to its neighbour, `[edge]`; that of the other end is the same
    /// with the opposite sign, to the last bit, or turned.
    pub area: Vec<Vector>,
    /// Vectors from the vertex to its neighbour, through the period where there is one, `[edge]`; antisymmetric to the
    /// last bit like `area`.
    pub displacement: Vec<Vector>,
    /// One entry for each boundary of the mesh, in the order of [`crate::mesh::Mesh::boundary_names`].
    pub boundary: Vec<BoundaryVertices>,
    /// Ranks with which values at vertices are exchanged, in ascending order.
    pub exchange: Vec<VertexNeighbour>,
    /// Local vertex of each point of this rank's cells, `[cell][point]`, owned or in the halo.
    pub point_vertex: Vec<u32>,
}

/// The owned vertices on a boundary.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BoundaryVertices {
    /// Local vertices, in the order of their global numbers.
    pub vertex: Vec<u32>,
    /// Outward area vectors, `[vertex of the boundary]`.
    pub area: Vec<Vector>,
}

/// A rank with which values at vertices are exchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VertexNeighbour {
    /// Number of the rank.
    pub rank: usize,
    /// Owned vertices whose values are sent, in the order of their global numbers.
    pub send: Vec<u32>,
    /// Vertices of the halo whose values are received, in the order of their global numbers.
    pub receive: Range<usize>,
}

impl DualMesh {
    /// Number of local vertices, with the halo.
    pub fn len(&self) -> usize {
        self.global.len()
    }

    /// Turns that carry the neighbour to the end of an edge.
    pub fn turns_of_edge(&self, edge: usize) -> i8 {
        self.turns.get(edge).copied().unwrap_or(0)
    }

    /// Turns that carry its vertex to a point of this rank's cells.
    pub fn turns_of_point(&self, point: usize) -> i8 {
        self.point_turns.get(point).copied().unwrap_or(0)
    }

    /// Carries a vector with so many turns.
    pub fn turned(&self, turns: i8, v: Vector) -> Vector {
        self.rotation.as_ref().map_or(v, |rotation| rotation.turned(turns, v))
    }

    /// Carries the gradients of the components of a vector with so many turns.
    pub fn turned_gradient(&self, turns: i8, gradient: &[Vector; 3]) -> [Vector; 3] {
        let along = gradient.map(|of_component| self.turned(turns, of_component));
        let columns = [0, 1, 2].map(|d| self.turned(turns, along.map(|row| row[d])));
        std::array::from_fn(|row| columns.map(|column| column[row]))
    }

    /// Whether the cells have rotating frames, one or several.
    pub fn frames(&self) -> Frames {
        match (self.frame, self.frame_speed.is_empty()) {
            (None, _) => Frames::None,
            (Some(_), true) => Frames::One,
            (Some(_), false) => Frames::Several,
        }
    }

    /// Velocity of the rotating frame at a vertex; 0 where it exerts no centrifugal force.
    pub fn frame_velocity(&self, vertex: usize) -> Vector {
        let velocity = match self.frame {
            Some(frame) if frame.forces == FrameForces::All => frame.velocity(self.position[vertex]),
            _ => [0.0; 3],
        };
        match self.frame_speed.get(vertex) {
            Some(speed) => velocity.map(|v| speed * v),
            None => velocity,
        }
    }

    /// Returns true if the rank has no vertices.
    pub fn is_empty(&self) -> bool {
        self.global.is_empty()
    }

    /// Replaces the values at the vertices of the halo by those of the ranks that own them. Collective.
    pub fn update_halo<T: Equivalence + Copy + Default>(&self, ranks: &Ranks, values: &mut [T]) {
        self.update_halo_of(ranks, values.as_chunks_mut::<1>().0);
    }

    /// The same for several values at each vertex. Collective.
    pub fn update_halo_of<T, const N: usize>(&self, ranks: &Ranks, values: &mut [[T; N]])
    where
        T: Equivalence + Copy + Default,
    {
        let mut lists = vec![Vec::new(); ranks.size()];
        for neighbour in &self.exchange {
            let sent = neighbour.send.iter().flat_map(|&v| values[v as usize]);
            lists[neighbour.rank] = sent.collect();
        }
        let received = ranks.alltoall(lists);
        for neighbour in &self.exchange {
            let to = values[neighbour.receive.clone()].as_flattened_mut();
            to.copy_from_slice(&received[neighbour.rank]);
        }
    }

    /// Gives owned vertices without a value (NaN) the value that another rank has for them in its halo. Collective.
    pub fn complete_from_halos(&self, ranks: &Ranks, values: &mut [f64]) {
        let mut lists = vec![Vec::new(); ranks.size()];
        for neighbour in &self.exchange {
            lists[neighbour.rank] = values[neighbour.receive.clone()].to_vec();
        }
        let received = ranks.alltoall(lists);
        for neighbour in &self.exchange {
            for (&vertex, &value) in neighbour.send.iter().zip(&received[neighbour.rank]) {
                let own = &mut values[vertex as usize];
                if own.is_nan() {
                    *own = value;
                }
            }
        }
    }

    /// Returns the distance from the walls of the nearest neighbour of an owned vertex that is off them. A vertex in a
    /// corner has none: there it is the length of its shortest edge.
    pub fn distance_off_walls(&self, vertex: usize) -> f64 {
        let of_neighbours = self
            .edges(vertex)
            .map(|edge| self.wall_distance[self.neighbour[edge] as usize]);
        let nearest = of_neighbours.filter(|d| *d > 0.0).fold(f64::INFINITY, f64::min);
        if nearest.is_finite() {
            return nearest;
        }
        self.shortest_edge(vertex)
    }

    /// Length of the shortest edge of an owned vertex.
    pub fn shortest_edge(&self, vertex: usize) -> f64 {
        let lengths = self.edges(vertex).map(|edge| length(self.displacement[edge]));
        lengths.fold(f64::INFINITY, f64::min)
    }

    /// Edges of an owned vertex, as a range of the lists of edges.
    pub fn edges(&self, vertex: usize) -> Range<usize> {
        self.first_edge[vertex] as usize..self.first_edge[vertex + 1] as usize
    }
}
