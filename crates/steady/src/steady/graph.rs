//! The dual of all ranks' vertices, the same on every rank: what is made of it depends on no partition. The coarse
//! levels and the lines of preconditioners are.

use rayon::prelude::*;

use crate::ranks::Ranks;
use crate::steady::conditions::BoundaryList;
use crate::steady::dual::{DualMesh, VertexNeighbour};
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
        order.par_sort_unstable_by_key(|&n| global[n]);
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
        let ends: Vec<u32> = ends.par_iter().map(|&number| find(&whole, number)).collect();
        for &n in &order {
            let edges = first[n]..first[n + 1];
            whole.neighbour.extend_from_slice(&ends[edges.clone()]);
            whole.area.extend_from_slice(&area[edges.clone()]);
            whole.displacement.extend_from_slice(&displacement[edges]);
            whole.first_edge.push(whole.neighbour.len() as u32);
        }
        let gathered = |boundary: &BoundaryList| {
            let numbers: Vec<u64> = boundary.vertex.iter().map(|&v| dual.global[v as usize]).collect();
            let numbers = ranks.allgather(&numbers);
            let area = gather(ranks, &boundary.area);
            let data = gather(ranks, &boundary.data);
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

    /// Returns the part of a rank that owns the vertices `owned` and reads those that are `wanted`. Collective.
    pub fn part(&self, owned: Vec<u32>, mut wanted: Vec<u32>, ranks: &Ranks) -> Part {
        let me = ranks.rank() as u32;
        wanted.retain(|&vertex| self.owner[vertex as usize] != me);
        wanted.sort_unstable_by_key(|&vertex| (self.owner[vertex as usize], vertex));
        wanted.dedup();
        let count = owned.len();
        let mut local = vec![u32::MAX; self.len()];
        let vertex: Vec<u32> = owned.into_iter().chain(wanted.iter().copied()).collect();
        (0..)
            .zip(&vertex)
            .for_each(|(number, &vertex)| local[vertex as usize] = number);
        let mut requests = vec![Vec::new(); ranks.size()];
        wanted
            .iter()
            .for_each(|&vertex| requests[self.owner[vertex as usize] as usize].push(vertex));
        let counts: Vec<usize> = requests.iter().map(Vec::len).collect();
        let mut begin = count;
        let mut exchange = Vec::new();
        for (rank, (asked, count)) in ranks.alltoall(requests).into_iter().zip(counts).enumerate() {
            let receive = begin..begin + count;
            begin = receive.end;
            if rank != me as usize && !(asked.is_empty() && receive.is_empty()) {
                let send = asked.into_iter().map(|vertex| local[vertex as usize]).collect();
                exchange.push(VertexNeighbour { rank, send, receive });
            }
        }
        Part {
            vertex,
            owned: count,
            local,
            exchange,
        }
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

/// The vertices of a graph that a rank owns or reads.
pub struct Part {
    /// Vertices of the graph, owned ones and the halo.
    pub vertex: Vec<u32>,
    /// Number of owned ones.
    pub owned: usize,
    /// Local number of each vertex of the graph, or u32::MAX.
    pub local: Vec<u32>,
    exchange: Vec<VertexNeighbour>,
}

impl Part {
    /// Returns the dual of the part.
    pub fn dual(&self, graph: &Graph) -> DualMesh {
        let of = |values: &[f64]| self.vertex.iter().map(|&v| values[v as usize]).collect();
        let mut dual = DualMesh {
            owned: self.owned,
            vertices_of_all_ranks: graph.len() as u64,
            global: self.vertex.iter().map(|&v| graph.dual.global[v as usize]).collect(),
            position: self.vertex.iter().map(|&v| graph.dual.position[v as usize]).collect(),
            volume: of(&graph.dual.volume),
            wall_distance: of(&graph.dual.wall_distance),
            first_edge: vec![0],
            exchange: self.exchange.clone(),
            ..DualMesh::default()
        };
        for &vertex in &self.vertex[..self.owned] {
            for edge in graph.dual.edges(vertex as usize) {
                dual.neighbour.push(self.local[graph.dual.neighbour[edge] as usize]);
                dual.area.push(graph.dual.area[edge]);
                dual.displacement.push(graph.dual.displacement[edge]);
            }
            dual.first_edge.push(dual.neighbour.len() as u32);
        }
        dual
    }

    /// Returns the boundaries of the part.
    pub fn boundaries(&self, graph: &Graph) -> Vec<BoundaryList> {
        let of = |boundary: &BoundaryList| {
            let number = |&n: &usize| self.local[boundary.vertex[n] as usize];
            let mine: Vec<usize> = (0..boundary.vertex.len())
                .filter(|n| (number(n) as usize) < self.owned)
                .collect();
            BoundaryList {
                vertex: mine.iter().map(number).collect(),
                area: mine.iter().map(|&n| boundary.area[n]).collect(),
                data: mine.iter().map(|&n| boundary.data[n]).collect(),
                ..*boundary
            }
        };
        graph.boundaries.iter().map(of).collect()
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
