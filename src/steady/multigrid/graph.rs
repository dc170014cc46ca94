//! The dual of all ranks' vertices, from which the coarse levels are made: the same on every rank.

use crate::ranks::Ranks;
use crate::steady::conditions::BoundaryList;
use crate::steady::dual::DualMesh;
use crate::vector::{Vector, dot, length};

/// Smallest cosine of the angle between the boundaries at vertices that may be one.
const FACING: f64 = 0.5;

/// The dual of all ranks' vertices, in the order of their global numbers. The number of a vertex of a coarser graph is
/// that of its lowest member.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    /// All vertices, each of which counts as owned.
    pub dual: DualMesh,
    /// Rank that owns a vertex, `[vertex]`.
    pub owner: Vec<u32>,
    /// The boundaries, with their vertices in ascending order.
    pub boundaries: Vec<BoundaryList>,
}

/// Concatenates the values of all ranks. Collective.
fn gather<const N: usize>(ranks: &Ranks, mine: &[[f64; N]]) -> Vec<[f64; N]> {
    ranks.allgather(mine.as_flattened()).as_chunks::<N>().0.to_vec()
}

/// The vertex of a global number, where vertices are in the order of these.
fn find(dual: &DualMesh, number: u64) -> u32 {
    dual.global.partition_point(|&n| n < number) as u32
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
        let mut whole = DualMesh {
            owned: sorted.len(),
            global: sorted,
            position: order.iter().map(|&n| position[n]).collect(),
            volume: in_order(ranks.allgather(&dual.volume[owned.clone()])),
            wall_distance: in_order(ranks.allgather(&dual.wall_distance[owned])),
            first_edge: vec![0],
            ..DualMesh::default()
        };
        for &n in &order {
            let edges = first[n]..first[n + 1];
            let ends: Vec<u32> = ends[edges.clone()].iter().map(|&number| find(&whole, number)).collect();
            whole.neighbour.extend(ends);
            whole.area.extend_from_slice(&area[edges.clone()]);
            whole.displacement.extend_from_slice(&displacement[edges]);
            whole.first_edge.push(whole.neighbour.len() as u32);
        }
        let gathered = |boundary: &BoundaryList| {
            let numbers: Vec<u64> = boundary.vertex.iter().map(|&v| dual.global[v as usize]).collect();
            let numbers = ranks.allgather(&numbers);
            let (area, data) = (gather(ranks, &boundary.area), gather(ranks, &boundary.data));
            let mut order: Vec<usize> = (0..numbers.len()).collect();
            order.sort_unstable_by_key(|&n| numbers[n]);
            BoundaryList {
                vertex: order.iter().map(|&n| find(&whole, numbers[n])).collect(),
                area: order.iter().map(|&n| area[n]).collect(),
                data: order.iter().map(|&n| data[n]).collect(),
                ..*boundary
            }
        };
        Graph {
            owner: order.iter().map(|&n| owner[n]).collect(),
            boundaries: boundaries.iter().map(gathered).collect(),
            dual: whole,
        }
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.dual.owned
    }

    /// The vertex of a global number.
    pub fn find(&self, number: u64) -> u32 {
        find(&self.dual, number)
    }

    /// Returns where each vertex is on the boundaries, which decides what vertices may become one: its boundaries, its
    /// no-slip wall, and its area on all boundaries.
    pub fn classes(&self) -> Vec<Class> {
        let mut classes = vec![Class::default(); self.len()];
        for (boundary, number) in self.boundaries.iter().zip(1..) {
            for (&vertex, area) in boundary.vertex.iter().zip(&boundary.area) {
                let class = &mut classes[vertex as usize];
                class.boundaries.push(number);
                if boundary.is_no_slip() && class.wall == 0 {
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
    /// Whether two vertices may be one: they are on the same boundaries, which do not face different ways. A coarse
    /// vertex has the sum of its members' area vectors on a boundary, which must not cancel.
    pub fn joins(&self, other: &Class) -> bool {
        let facing = dot(self.area, other.area) >= FACING * length(self.area) * length(other.area);
        self.boundaries == other.boundaries && facing
    }
}
