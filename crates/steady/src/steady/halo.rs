//! Halos of duals: which vertices of other ranks a rank reads, where they lie, and who sends what.

use rayon::prelude::*;

use super::dual::{DualMesh, VertexNeighbour};
use crate::ranks::Ranks;

/// A vertex of any rank. They are ordered as they lie in a halo.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct AnyVertex {
    /// Rank that owns it.
    pub owner: u32,
    /// Global number.
    pub number: u64,
}

/// Local vertices by their global numbers.
pub struct LocalNumbers(Vec<(u64, u32)>);

impl LocalNumbers {
    /// Sorts these global numbers, `[vertex]`.
    pub fn new(global: &[u64]) -> Self {
        let mut sorted: Vec<(u64, u32)> = global.iter().copied().zip(0..).collect();
        sorted.par_sort_unstable();
        LocalNumbers(sorted)
    }

    /// The local vertex of a global number.
    ///
    /// # Panics
    /// The rank neither owns the vertex nor has it in its halo.
    pub fn local(&self, number: u64) -> u32 {
        let place = self.0.binary_search_by_key(&number, |&(number, _)| number);
        self.0[place.expect("the vertex is owned or in the halo")].1
    }
}

/// Returns what is exchanged where a rank owns so many vertices and reads those of `halo`, which is sorted and follows
/// them. `local` finds the owned vertex of a global number. Collective.
pub fn exchange_of(
    owned: usize,
    halo: &[AnyVertex],
    local: impl Fn(u64) -> u32,
    ranks: &Ranks,
) -> Vec<VertexNeighbour> {
    let mut wanted = vec![Vec::new(); ranks.size()];
    halo.iter()
        .for_each(|vertex| wanted[vertex.owner as usize].push(vertex.number));
    let counts: Vec<usize> = wanted.iter().map(Vec::len).collect();
    let mut begin = owned;
    let mut exchange = Vec::new();
    for (rank, (numbers, count)) in ranks.alltoall(wanted).into_iter().zip(counts).enumerate() {
        let receive = begin..begin + count;
        begin = receive.end;
        if rank != ranks.rank() && !(numbers.is_empty() && receive.is_empty()) {
            let send = numbers.into_iter().map(&local).collect();
            exchange.push(VertexNeighbour { rank, send, receive });
        }
    }
    exchange
}

impl DualMesh {
    /// Returns the local vertices as those of any rank.
    pub fn vertices(&self, ranks: &Ranks) -> Vec<AnyVertex> {
        let owner = ranks.rank() as u32;
        let mut all: Vec<AnyVertex> = self.global.iter().map(|&number| AnyVertex { owner, number }).collect();
        for part in &self.exchange {
            all[part.receive.clone()]
                .iter_mut()
                .for_each(|vertex| vertex.owner = part.rank as u32);
        }
        all
    }

    /// Gives vertices of the halo the vertices of any rank that the owners have for them. Collective.
    pub fn update_halo_of_vertices(&self, ranks: &Ranks, vertices: &mut [AnyVertex]) {
        let mut words: Vec<[u64; 2]> = vertices.iter().map(|v| [u64::from(v.owner), v.number]).collect();
        self.update_halo_of(ranks, &mut words);
        for (vertex, [owner, number]) in vertices.iter_mut().zip(words).skip(self.owned) {
            *vertex = AnyVertex {
                owner: owner as u32,
                number,
            };
        }
    }

    /// Replaces the halo by the vertices of other ranks at the ends of the edges, `[edge]`, and those that are `wanted`
    /// beside them. Edges need no local ends before, and nothing else of the old halo is kept. Collective.
    pub fn with_halo(mut self, ends: &[AnyVertex], wanted: &[AnyVertex], ranks: &Ranks) -> Self {
        let me = ranks.rank() as u32;
        let read = ends.iter().chain(wanted).copied();
        let mut halo: Vec<AnyVertex> = read.filter(|vertex| vertex.owner != me).collect();
        halo.sort_unstable();
        halo.dedup();
        self.global.truncate(self.owned);
        let own = LocalNumbers::new(&self.global);
        self.exchange = exchange_of(self.owned, &halo, |number| own.local(number), ranks);
        self.global.extend(halo.iter().map(|vertex| vertex.number));
        let all = LocalNumbers::new(&self.global);
        self.neighbour = ends.par_iter().map(|end| all.local(end.number)).collect();
        let mut position = std::mem::take(&mut self.position);
        position.resize(self.len(), [0.0; 3]);
        self.update_halo_of(ranks, &mut position);
        let mut volume = std::mem::take(&mut self.volume);
        volume.resize(self.len(), 0.0);
        self.update_halo(ranks, &mut volume);
        let mut wall_distance = std::mem::take(&mut self.wall_distance);
        wall_distance.resize(self.len(), 0.0);
        self.update_halo(ranks, &mut wall_distance);
        DualMesh {
            position,
            volume,
            wall_distance,
            ..self
        }
    }

    /// Replaces the halo by the ends of the edges and the vertices that are `wanted` beside them, among which are those
    /// of all points. Collective.
    pub fn replace_halo(&mut self, wanted: &[AnyVertex], ranks: &Ranks) {
        let before = self.vertices(ranks);
        let ends: Vec<AnyVertex> = self.neighbour.iter().map(|&vertex| before[vertex as usize]).collect();
        *self = std::mem::take(self).with_halo(&ends, wanted, ranks);
        let all = LocalNumbers::new(&self.global);
        self.point_vertex
            .iter_mut()
            .for_each(|vertex| *vertex = all.local(before[*vertex as usize].number));
    }
}
