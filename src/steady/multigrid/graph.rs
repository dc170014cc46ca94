//! The dual of all ranks' vertices, from which the coarse levels are made: the same on every rank.

use crate::physics::PointData;
use crate::ranks::Ranks;
use crate::steady::conditions::BoundaryList;
use crate::steady::dual::DualMesh;
use crate::vector::{Vector, dot, length};

/// Smallest cosine of the angle between the boundaries at vertices that may be one.
const FACING: f64 = 0.5;

/// The dual of all ranks' vertices, in the order of their global numbers.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    /// Global numbers in ascending order, `[vertex]`; those of a coarser graph are that of its lowest member.
    pub number: Vec<u64>,
    /// Rank that owns a vertex, `[vertex]`.
    pub owner: Vec<u32>,
    /// Positions, `[vertex]`.
    pub position: Vec<Vector>,
    /// Volumes, `[vertex]`.
    pub volume: Vec<f64>,
    /// Distances from the nearest no-slip wall, `[vertex]`.
    pub wall_distance: Vec<f64>,
    /// Offsets of the vertices in the lists of edges, `[vertex + 1]`.
    pub first_edge: Vec<u32>,
    /// Vertex at the other end, `[edge]`.
    pub neighbour: Vec<u32>,
    /// Area vectors, `[edge]`.
    pub area: Vec<Vector>,
    /// Vectors to the other ends, `[edge]`.
    pub displacement: Vec<Vector>,
    /// The boundaries.
    pub boundaries: Vec<GraphBoundary>,
}

/// A boundary with all its vertices.
#[derive(Debug, Clone)]
pub struct GraphBoundary {
    /// Vertices in ascending order.
    pub vertex: Vec<u32>,
    /// Outward area vectors, `[vertex of the boundary]`.
    pub area: Vec<Vector>,
    /// Data of the condition, `[vertex of the boundary]`.
    pub data: Vec<PointData>,
    /// Whether it is a no-slip wall.
    pub is_no_slip: bool,
}

/// Concatenates the values of all ranks. Collective.
fn gather<const N: usize>(ranks: &Ranks, mine: &[[f64; N]]) -> Vec<[f64; N]> {
    ranks.allgather(mine.as_flattened()).as_chunks::<N>().0.to_vec()
}

impl Graph {
    /// Collects the vertices of all ranks. Collective.
    pub fn new(dual: &DualMesh, boundaries: &[BoundaryList], ranks: &Ranks) -> Self {
        let owned = 0..dual.owned;
        let global = ranks.allgather(&dual.global[owned.clone()]);
        let mut order: Vec<usize> = (0..global.len()).collect();
        order.sort_unstable_by_key(|&n| global[n]);
        let sorted: Vec<u64> = order.iter().map(|&n| global[n]).collect();
        let edge_count = dual.first_edge[dual.owned] as usize;
        let degree: Vec<u32> = owned.clone().map(|v| dual.edges(v).len() as u32).collect();
        let ends: Vec<u64> = dual.neighbour[..edge_count]
            .iter()
            .map(|&v| dual.global[v as usize])
            .collect();
        let degree = ranks.allgather(&degree);
        let ends = ranks.allgather(&ends);
        let area = gather(ranks, &dual.area[..edge_count]);
        let displacement = gather(ranks, &dual.displacement[..edge_count]);
        let mut first = vec![0usize];
        degree
            .iter()
            .for_each(|&n| first.push(first[first.len() - 1] + n as usize));
        let in_order = |values: Vec<f64>| -> Vec<f64> { order.iter().map(|&n| values[n]).collect() };
        let owner = ranks.allgather(&vec![ranks.rank() as u32; dual.owned]);
        let position = gather(ranks, &dual.position[owned.clone()]);
        let mut graph = Graph {
            number: sorted,
            owner: order.iter().map(|&n| owner[n]).collect(),
            position: order.iter().map(|&n| position[n]).collect(),
            volume: in_order(ranks.allgather(&dual.volume[owned.clone()])),
            wall_distance: in_order(ranks.allgather(&dual.wall_distance[owned])),
            first_edge: vec![0],
            ..Graph::default()
        };
        for &n in &order {
            let edges = first[n]..first[n + 1];
            let ends: Vec<u32> = ends[edges.clone()].iter().map(|&number| graph.find(number)).collect();
            graph.neighbour.extend(ends);
            graph.area.extend_from_slice(&area[edges.clone()]);
            graph.displacement.extend_from_slice(&displacement[edges]);
            graph.first_edge.push(graph.neighbour.len() as u32);
        }
        for boundary in boundaries {
            let numbers: Vec<u64> = boundary.vertex.iter().map(|&v| dual.global[v as usize]).collect();
            let numbers = ranks.allgather(&numbers);
            let (area, data) = (gather(ranks, &boundary.area), gather(ranks, &boundary.data));
            let mut order: Vec<usize> = (0..numbers.len()).collect();
            order.sort_unstable_by_key(|&n| numbers[n]);
            graph.boundaries.push(GraphBoundary {
                vertex: order.iter().map(|&n| graph.find(numbers[n])).collect(),
                area: order.iter().map(|&n| area[n]).collect(),
                data: order.iter().map(|&n| data[n]).collect(),
                is_no_slip: boundary.is_no_slip(),
            });
        }
        graph
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.volume.len()
    }

    /// The vertex of a global number.
    pub fn find(&self, number: u64) -> u32 {
        self.number.partition_point(|&n| n < number) as u32
    }

    /// Edges of a vertex, as a range of the lists of edges.
    pub fn edges(&self, vertex: usize) -> std::ops::Range<usize> {
        self.first_edge[vertex] as usize..self.first_edge[vertex + 1] as usize
    }

    /// What decides which vertices may be one: the boundaries on which each is, its no-slip wall, and its area on all
    /// boundaries.
    pub fn classes(&self) -> Vec<Class> {
        let mut classes = vec![Class::default(); self.len()];
        for (boundary, number) in self.boundaries.iter().zip(1..) {
            for (&vertex, area) in boundary.vertex.iter().zip(&boundary.area) {
                let class = &mut classes[vertex as usize];
                class.boundaries.push(number);
                if boundary.is_no_slip && class.wall == 0 {
                    class.wall = number;
                }
                (0..3).for_each(|d| class.area[d] += area[d]);
            }
        }
        classes
    }
}

/// Where a vertex is on the boundaries.
#[derive(Debug, Clone, Default)]
pub struct Class {
    /// 1 + the index of each boundary.
    boundaries: Vec<u32>,
    /// 1 + the index of the first no-slip wall, or 0.
    pub wall: u32,
    area: Vector,
}

impl Class {
    /// Whether two vertices may be one: they are on the same boundaries, which do not face different ways. The block of
    /// the local step has the sum of the area vectors, so that areas on opposite boundaries must not cancel.
    pub fn joins(&self, other: &Class) -> bool {
        let facing = dot(self.area, other.area) >= FACING * length(self.area) * length(other.area);
        self.boundaries == other.boundaries && facing
    }
}
