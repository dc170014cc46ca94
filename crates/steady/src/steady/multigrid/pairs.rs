//! Pairs of vertices along the strongest couplings, and who joins them: the agglomerates of a coarser level.
//!
//! The coupling of an edge is its area over its length. In stretched cells pairs lie across the layer, and once the
//! coarse cells are as wide as long they alternate between the directions (directional coarsening; D. J. Mavriplis, J.
//! Comput. Phys. 145 (1998) 141).
//!
//! Edges have an order that both of their ends see, so that pairs need no list of all edges: a vertex asks the one at
//! the end of its first edge, and two that ask each other are a pair. That gives the pairs of a list of all edges, the
//! first edges first, on any number of ranks (J.-H. Hoepman, arXiv:cs/0410047 (2004)).

use std::cmp::{Ordering, Reverse};
use std::collections::{HashMap, HashSet};

use rayon::prelude::*;

use super::surface::Surface;
use crate::ranks::Ranks;
use crate::steady::dual::DualMesh;
use crate::steady::halo::AnyVertex;
use crate::vector::{Vector, length, minus};

/// Smallest coupling of a pair over the lesser of the largest ones of both.
const STRONG: f64 = 0.25;

/// What a vertex asks that has no one left to ask.
const NOBODY: u64 = u64::MAX;

/// The agglomerates of vertices, each with the number and the owner of one of its members, the first one.
pub struct Agglomerates {
    /// The agglomerate of each vertex, with the halo.
    pub of: Vec<AnyVertex>,
    /// Place of each vertex relative to the first one of its agglomerate, through a period where one is between them.
    pub place: Vec<Vector>,
}

impl Agglomerates {
    /// Joins vertices in pairs, the strongest couplings first; equal ones (to a part in eight) follow in the order of
    /// the global numbers. What then is left alone joins the pair of its strongest neighbour, or of the next one if
    /// another vertex has joined this. Collective.
    pub fn new(dual: &DualMesh, surface: &Surface, ranks: &Ranks) -> Self {
        let mut handshakes = Handshakes {
            dual,
            candidates: candidates(dual, surface, ranks),
            turn: vec![0; dual.owned],
            asks: vec![NOBODY; dual.len()],
            news: false,
        };
        handshakes.run(ranks);
        let mut all = handshakes.pairs(ranks);
        all.join(&handshakes, ranks);
        all.update_halo(dual, ranks);
        all
    }

    fn update_halo(&mut self, dual: &DualMesh, ranks: &Ranks) {
        dual.update_halo_of_vertices(ranks, &mut self.of);
        dual.update_halo_of(ranks, &mut self.place);
    }

    /// Lets the vertices that are alone join pairs. In each round they ask the owners of the pairs, which take the one
    /// with the lowest number. Collective.
    fn join(&mut self, handshakes: &Handshakes, ranks: &Ranks) {
        let dual = handshakes.dual;
        let is_alone = |&vertex: &usize| !handshakes.is_taken(vertex);
        // The vertices that ask, each with the number of candidates that it has asked in vain.
        let mut asking: Vec<(usize, usize)> = (0..dual.owned).filter(is_alone).map(|vertex| (vertex, 0)).collect();
        let mut full: HashSet<u64> = HashSet::new();
        loop {
            asking.retain(|&(vertex, refused)| refused < handshakes.candidates[vertex].len());
            if ranks.first_rank_where(!asking.is_empty()).is_none() {
                break;
            }
            let mut questions = vec![Vec::new(); ranks.size()];
            let mut asked = vec![Vec::new(); ranks.size()];
            for (vertex, refused) in asking {
                let edge = handshakes.candidates[vertex][refused] as usize;
                let pair = self.of[dual.neighbour[edge] as usize];
                questions[pair.owner as usize].extend([pair.number, dual.global[vertex]]);
                asked[pair.owner as usize].push((vertex, refused));
            }
            let questions = ranks.alltoall(questions);
            let questions: Vec<&[[u64; 2]]> = questions.iter().map(|list| list.as_chunks().0).collect();
            let mut lowest: HashMap<u64, u64> = HashMap::new();
            for &[pair, vertex] in questions.iter().copied().flatten() {
                if !full.contains(&pair) {
                    let chosen = lowest.entry(pair).or_insert(vertex);
                    *chosen = vertex.min(*chosen);
                }
            }
            full.extend(lowest.keys());
            let is_chosen = |[pair, vertex]: &[u64; 2]| u8::from(lowest.get(pair) == Some(vertex));
            let answers = questions.iter().map(|list| list.iter().map(is_chosen).collect());
            let answers = ranks.alltoall(answers.collect());
            asking = Vec::new();
            for ((vertex, refused), is_chosen) in asked.concat().into_iter().zip(answers.concat()) {
                if is_chosen == 0 {
                    asking.push((vertex, refused + 1));
                    continue;
                }
                let edge = handshakes.candidates[vertex][refused] as usize;
                let other = dual.neighbour[edge] as usize;
                self.of[vertex] = self.of[other];
                self.place[vertex] = minus(self.place[other], dual.displacement[edge]);
            }
        }
    }
}

/// Returns the edges by which each owned vertex may be in a pair, the first ones first. Both ends of an edge see the
/// same, because areas and displacements are antisymmetric to the last bit. Vertices that see each other turned are in
/// no pair: their velocities have different components. Collective.
fn candidates(dual: &DualMesh, surface: &Surface, ranks: &Ranks) -> Vec<Vec<u32>> {
    let coupling = |edge: usize| length(dual.area[edge]) / length(dual.displacement[edge]);
    let end = |edge: usize| dual.neighbour[edge] as usize;
    let is_other = |vertex: usize, edge: usize| end(edge) != vertex && dual.turns_of_edge(edge) == 0;
    let others = |vertex: usize| dual.edges(vertex).filter(move |&edge| is_other(vertex, edge));
    // Vertices off a wall are across it from those on it: their couplings keep pairs from lying along the wall.
    let counts = |a: usize, b: usize| !surface.have_one_wall(a, b) || surface.joins(a, b);
    let owned = (0..dual.owned).into_par_iter();
    let strongest = |vertex: usize| {
        let counting = others(vertex).filter(|&edge| counts(vertex, end(edge)));
        counting.map(coupling).fold(0.0, f64::max)
    };
    let mut most: Vec<f64> = owned.clone().map(strongest).collect();
    most.resize(dual.len(), 0.0);
    dual.update_halo(ranks, &mut most);
    let of_vertex = |vertex: usize| {
        let joins = |&edge: &usize| {
            let least = STRONG * most[vertex].min(most[end(edge)]);
            surface.joins(vertex, end(edge)) && coupling(edge) >= least
        };
        let in_order = |edge: usize| {
            // The exponent and the first two binary places, so that rounding does not decide between equal couplings.
            let class = Reverse(coupling(edge).to_bits() >> 50);
            let number = dual.global[end(edge)];
            // Edges to one vertex through different periods: by the displacement from the lower end.
            let sign = if dual.global[vertex] < number { 1.0 } else { -1.0 };
            ((class, number, dual.displacement[edge].map(|x| sign * x)), edge as u32)
        };
        let mut edges: Vec<_> = others(vertex).filter(joins).map(in_order).collect();
        edges.sort_by(|(a, _), (b, _)| a.partial_cmp(b).unwrap_or(Ordering::Equal));
        edges.into_iter().map(|(_, edge)| edge).collect()
    };
    owned.map(of_vertex).collect()
}

/// The vertices while they find partners.
struct Handshakes<'a> {
    dual: &'a DualMesh,
    /// Edges of each owned vertex to those that it asks, one after the other.
    candidates: Vec<Vec<u32>>,
    /// Place of the present one among the candidates.
    turn: Vec<usize>,
    /// Number of the vertex that a vertex asks, with the halo: its own one if it is in a pair.
    asks: Vec<u64>,
    /// Whether something has changed since the last round.
    news: bool,
}

impl Handshakes<'_> {
    fn is_taken(&self, vertex: usize) -> bool {
        self.asks[vertex] == self.dual.global[vertex]
    }

    /// The edge to the vertex that an owned one asks, or by which it is in a pair.
    fn edge(&self, vertex: usize) -> Option<usize> {
        let edge = self.candidates[vertex].get(self.turn[vertex])?;
        Some(*edge as usize)
    }

    /// The vertex at the other end of this edge.
    fn asked(&self, vertex: usize) -> Option<usize> {
        self.edge(vertex).map(|edge| self.dual.neighbour[edge] as usize)
    }

    /// Lets an owned vertex ask the first candidate that is in no pair.
    fn ask(&mut self, vertex: usize) {
        while self.asked(vertex).is_some_and(|other| self.is_taken(other)) {
            self.turn[vertex] += 1;
        }
        let asks = self.asked(vertex).map_or(NOBODY, |other| self.dual.global[other]);
        self.news |= self.asks[vertex] != asks;
        self.asks[vertex] = asks;
    }

    /// Makes two vertices a pair that ask each other, and returns the owned ones that had asked either of them.
    fn take(&mut self, pair: [usize; 2]) -> Vec<usize> {
        let owned = self.dual.owned;
        let mut left = Vec::new();
        for taken in pair {
            self.asks[taken] = self.dual.global[taken];
            let edges = self.candidates.get(taken).into_iter().flatten();
            let near = edges.map(|&edge| self.dual.neighbour[edge as usize] as usize);
            left.extend(near.filter(|&vertex| vertex < owned && self.asks[vertex] == self.dual.global[taken]));
        }
        self.news = true;
        left
    }

    /// Lets owned vertices ask, and those that had asked one of a pair, until nothing more follows on this rank.
    fn settle(&mut self, mut waiting: Vec<usize>) {
        let owned = self.dual.owned;
        while let Some(vertex) = waiting.pop() {
            if self.is_taken(vertex) {
                continue;
            }
            self.ask(vertex);
            let Some(other) = self.asked(vertex) else { continue };
            if other >= owned || self.asks[other] != self.dual.global[vertex] {
                continue;
            }
            waiting.append(&mut self.take([vertex, other]));
        }
    }

    /// Finds all pairs. Ranks exchange what vertices ask as often as there is something new. Collective.
    fn run(&mut self, ranks: &Ranks) {
        let dual = self.dual;
        let is_frontier = |&vertex: &usize| {
            let mut ends = self.candidates[vertex]
                .iter()
                .map(|&edge| dual.neighbour[edge as usize]);
            ends.any(|end| end as usize >= dual.owned)
        };
        let frontier: Vec<usize> = (0..dual.owned).filter(is_frontier).collect();
        let mut waiting: Vec<usize> = (0..dual.owned).collect();
        loop {
            self.settle(waiting);
            dual.update_halo(ranks, &mut self.asks);
            waiting = frontier.clone();
            // The owners of both see this now.
            for &vertex in &frontier {
                let other = self.asked(vertex).filter(|&other| other >= dual.owned);
                if let Some(other) = other.filter(|&other| self.asks[other] == dual.global[vertex]) {
                    waiting.append(&mut self.take([vertex, other]));
                }
            }
            if ranks.first_rank_where(std::mem::take(&mut self.news)).is_none() {
                break;
            }
        }
    }

    /// Returns the pairs, each with its lower vertex as the first one; other vertices are alone. Collective.
    fn pairs(&self, ranks: &Ranks) -> Agglomerates {
        let dual = self.dual;
        let vertices = dual.vertices(ranks);
        let mut all = Agglomerates {
            of: vertices.clone(),
            place: vec![[0.0; 3]; dual.len()],
        };
        for vertex in (0..dual.owned).filter(|&vertex| self.is_taken(vertex)) {
            let edge = self.edge(vertex).expect("it is in a pair by an edge");
            let other = dual.neighbour[edge] as usize;
            if dual.global[other] < dual.global[vertex] {
                all.of[vertex] = vertices[other];
                all.place[vertex] = minus([0.0; 3], dual.displacement[edge]);
            }
        }
        all.update_halo(dual, ranks);
        all
    }
}
