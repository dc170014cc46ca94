//! The agglomeration of vertices into those of a coarser level: pairs along the strongest couplings.
//!
//! The coupling of an edge is its area over its length. In stretched cells pairs lie across the layer, and once the
//! coarse cells are as wide as long they alternate between the directions (directional coarsening; D. J. Mavriplis, J.
//! Comput. Phys. 145 (1998) 141).
//! All ranks make the same agglomerates from the whole graph, so that no partition changes them.

use rayon::prelude::*;

use crate::steady::conditions::BoundaryList;
use crate::steady::dual::DualMesh;
use crate::steady::graph::Graph;
use crate::vector::{Vector, length};

/// Smallest coupling of a pair over the lesser of the largest ones of both.
const STRONG: f64 = 0.25;
/// Difference of displacements, over their length, of edges that pass through the same period.
const SAME_IMAGE: f64 = 1e-6;

/// Area between two agglomerates, over the sum of the areas of their facets, that is rounding.
const CANCELLED: f64 = 1e-9;

/// Vertices of a graph that are one vertex of the coarser graph.
struct Agglomerates {
    /// The agglomerate of each vertex.
    of: Vec<u32>,
    /// Place of each vertex relative to the first one of its agglomerate, through a period where one is between them.
    place: Vec<Vector>,
    count: usize,
}

/// Returns the next coarser level, and the vertex of it in which each vertex is.
pub fn coarsen(graph: &Graph) -> (Graph, Vec<u32>) {
    let pairs = Agglomerates::new(graph);
    (graph.agglomerated(&pairs), pairs.of)
}

impl Agglomerates {
    /// Joins vertices in pairs, the strongest couplings first; equal ones (to a part in eight) follow in the order of
    /// the vertices. What then is left alone joins its strongest neighbour.
    fn new(graph: &Graph) -> Self {
        let coupling = |edge: usize| length(graph.dual.area[edge]) / length(graph.dual.displacement[edge]);
        let others = |vertex: usize| {
            let edges = graph.dual.edges(vertex);
            edges.filter(move |&edge| graph.dual.neighbour[edge] as usize != vertex)
        };
        let classes = graph.classes();
        // Vertices off a wall are across it from those on it: their couplings keep pairs from lying along the wall.
        let counts = |vertex: usize, edge: usize| {
            let class = &classes[vertex];
            let other = &classes[graph.dual.neighbour[edge] as usize];
            class.wall != other.wall || class.joins(other)
        };
        let most: Vec<f64> = (0..graph.len())
            .into_par_iter()
            .map(|vertex| {
                let counting = others(vertex).filter(|&edge| counts(vertex, edge));
                counting.map(coupling).fold(0.0, f64::max)
            })
            .collect();
        let joins = |vertex: usize, edge: usize| {
            let other = graph.dual.neighbour[edge] as usize;
            classes[vertex].joins(&classes[other]) && coupling(edge) >= STRONG * most[vertex].min(most[other])
        };
        // The exponent and the first two binary places, so that rounding does not decide between equal couplings.
        let rank = |edge: usize| std::cmp::Reverse(coupling(edge).to_bits() >> 50);
        let pairs = |vertex: usize| {
            let pair = move |edge: usize| (vertex as u32, graph.dual.neighbour[edge], edge as u32);
            let after = others(vertex).map(pair).filter(|&(vertex, other, _)| vertex < other);
            let joined = after.filter(|&(vertex, _, edge)| joins(vertex as usize, edge as usize));
            joined.map(|(vertex, other, edge)| (rank(edge as usize), vertex, other, edge))
        };
        let mut edges: Vec<(std::cmp::Reverse<u64>, u32, u32, u32)> =
            (0..graph.len()).into_par_iter().flat_map_iter(pairs).collect();
        edges.par_sort_unstable();
        let mut first: Vec<Option<u32>> = vec![None; graph.len()];
        let mut size = vec![1u8; graph.len()];
        let mut place = vec![[0.0; 3]; graph.len()];
        for (_, vertex, other, edge) in edges {
            let vertex = vertex as usize;
            let other = other as usize;
            if first[vertex].is_none() && first[other].is_none() {
                (first[vertex], first[other]) = (Some(vertex as u32), Some(vertex as u32));
                size[vertex] = 2;
                place[other] = graph.dual.displacement[edge as usize];
            }
        }
        for vertex in 0..graph.len() {
            if first[vertex].is_some() {
                continue;
            }
            let room = |edge: &usize| {
                let other = first[graph.dual.neighbour[*edge] as usize];
                joins(vertex, *edge) && other.is_some_and(|other| size[other as usize] == 2)
            };
            let joined = others(vertex)
                .filter(room)
                .min_by_key(|&edge| (rank(edge), graph.dual.neighbour[edge]));
            let Some(edge) = joined else { continue };
            let other = graph.dual.neighbour[edge] as usize;
            let of_pair = first[other].expect("it is in a pair");
            first[vertex] = Some(of_pair);
            size[of_pair as usize] = 3;
            place[vertex] = std::array::from_fn(|d| place[other][d] - graph.dual.displacement[edge][d]);
        }
        // In the order of their lowest members.
        let mut number = vec![u32::MAX; graph.len()];
        let mut of = vec![0; graph.len()];
        let mut count = 0;
        for vertex in 0..graph.len() {
            let number = &mut number[first[vertex].map_or(vertex, |v| v as usize)];
            if *number == u32::MAX {
                (*number, count) = (count as u32, count + 1);
            }
            of[vertex] = *number;
        }
        Agglomerates { of, place, count }
    }
}

impl Graph {
    /// Returns the graph whose vertices are these agglomerates. Volumes and areas are sums; positions and distances are
    /// means with the volumes as weights.
    fn agglomerated(&self, by: &Agglomerates) -> Graph {
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); by.count];
        (0..self.len()).for_each(|vertex| members[by.of[vertex] as usize].push(vertex as u32));
        let mut offset = vec![[0.0; 3]; self.len()];
        let mut owner = Vec::with_capacity(by.count);
        let mut coarse = DualMesh {
            owned: by.count,
            first_edge: vec![0],
            ..DualMesh::default()
        };
        for members in &members {
            let all = || members.iter().map(|&vertex| vertex as usize);
            let volume: f64 = all().map(|v| self.dual.volume[v]).sum();
            let mean =
                |value: &dyn Fn(usize) -> f64| all().map(|v| self.dual.volume[v] * value(v)).sum::<f64>() / volume;
            let centre: Vector = std::array::from_fn(|d| mean(&|v| by.place[v][d]));
            let first = members[0] as usize;
            for v in all() {
                offset[v] = std::array::from_fn(|d| by.place[v][d] - centre[d]);
            }
            coarse.global.push(self.dual.global[first]);
            owner.push(self.owner[first]);
            let origin: Vector = std::array::from_fn(|d| self.dual.position[first][d] - by.place[first][d]);
            coarse.position.push(std::array::from_fn(|d| origin[d] + centre[d]));
            coarse.volume.push(volume);
            coarse.wall_distance.push(mean(&|v| self.dual.wall_distance[v]));
        }
        // Edges to the same agglomerate are one, if they pass through the same period.
        let edges_of = |(number, members): (usize, &Vec<u32>)| {
            let mut edges: Vec<(u32, Vector, Vector, f64)> = Vec::new();
            for &vertex in members {
                for edge in self.dual.edges(vertex as usize) {
                    let other = self.dual.neighbour[edge] as usize;
                    let end = by.of[other];
                    if end as usize == number {
                        continue;
                    }
                    let step = self.dual.displacement[edge];
                    let to: Vector = std::array::from_fn(|d| offset[vertex as usize][d] + step[d] - offset[other][d]);
                    let near = SAME_IMAGE * (length(to) + length(step));
                    let same = |(of, displacement, ..): &&mut (u32, Vector, Vector, f64)| {
                        *of == end && (0..3).all(|d| (displacement[d] - to[d]).abs() <= near)
                    };
                    match edges.iter_mut().find(same) {
                        Some((_, _, area, size)) => {
                            (0..3).for_each(|d| area[d] += self.dual.area[edge][d]);
                            *size += length(self.dual.area[edge]);
                        }
                        None => edges.push((end, to, self.dual.area[edge], length(self.dual.area[edge]))),
                    }
                }
            }
            // Nothing passes between agglomerates whose facets cancel each other.
            edges.retain(|(_, _, area, size)| length(*area) > CANCELLED * size);
            edges.sort_by_key(|(end, ..)| *end);
            edges
        };
        let edges: Vec<_> = members.par_iter().enumerate().map(edges_of).collect();
        for edges in edges {
            for (end, displacement, area, _) in edges {
                coarse.neighbour.push(end);
                coarse.displacement.push(displacement);
                coarse.area.push(area);
            }
            coarse.first_edge.push(coarse.neighbour.len() as u32);
        }
        Graph {
            dual: coarse,
            owner,
            boundaries: self.boundaries.iter().map(|b| agglomerated(b, &by.of)).collect(),
        }
    }
}

/// Returns the boundary of the coarser graph: areas are sums. It has no data, which the levels do not need.
fn agglomerated(boundary: &BoundaryList, of: &[u32]) -> BoundaryList {
    let mut order: Vec<usize> = (0..boundary.vertex.len()).collect();
    order.sort_by_key(|&n| of[boundary.vertex[n] as usize]);
    let mut coarse = BoundaryList {
        vertex: Vec::new(),
        area: Vec::new(),
        data: Vec::new(),
        ..*boundary
    };
    let end = |n: usize| of[boundary.vertex[n] as usize];
    for members in order.chunk_by(|&a, &b| end(a) == end(b)) {
        coarse.vertex.push(end(members[0]));
        coarse.area.push(std::array::from_fn(|d| {
            members.iter().map(|&n| boundary.area[n][d]).sum()
        }));
    }
    coarse
}
