//! Matrices of coarser levels: sums of the blocks of the finer one, in the order of the global numbers of the members
//! and of their edges. Blocks of members that another rank owns come from it, so that no partition changes a sum.

use std::cell::RefCell;
use std::collections::HashMap;

use rayon::prelude::*;

use super::matrix::Matrix;
use crate::device::DeviceError;
use crate::device::contract::{SteadyKernel, SteadyParams};
use crate::device::store::Memory;
use crate::steady::dual::DualMesh;
use crate::steady::exchange::{Part, exchange};
use crate::steady::machine::{Machine, upload};
use crate::steady::multigrid::Level;
use crate::steady::solver::Solver;

/// Most elements of a block.
const ELEMENTS: usize = 25;

/// The blocks of a finer level that are added to each block of a coarser one.
pub struct Galerkin<M: Machine> {
    begin: M::Array,
    blocks: M::Array,
    /// Number of sums.
    count: usize,
    /// Blocks that other ranks add, their values, and those that come from other ranks.
    sent: M::Array,
    packed: M::Array,
    received: RefCell<M::Array>,
    parts: Vec<Part>,
}

/// The row of a member: the number of its own block and those of its edges, and the global numbers of the agglomerates
/// at the other ends of these.
struct MemberRow {
    own: i32,
    edges: Vec<(i32, u64)>,
}

impl<M: Machine> Galerkin<M> {
    /// Finds the blocks of each sum. Collective.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn new(level: &Level, (finer, dual): (&Solver<M>, &DualMesh), coarse: &Solver<M>) -> Result<Self, DeviceError> {
        let (ranks, slices, store) = (finer.ranks(), &finer.slices, &*finer.store);
        let mut agglomerate = vec![0u64; dual.len()];
        for (number, &parent) in agglomerate.iter_mut().zip(&level.parent) {
            *number = level.dual.global[parent as usize];
        }
        dual.update_halo(ranks, &mut agglomerate);
        let slice = finer.slice;
        let edge_block = |vertex: usize, k: usize| slices.place_of_edge(vertex, k, slice) as i32;
        let own_block = |vertex: usize| -1 - slices.slot(vertex) as i32;
        let ends = |vertex: usize| {
            dual.edges(vertex)
                .map(|edge| agglomerate[dual.neighbour[edge] as usize])
        };

        // Rows for the owners of their agglomerates: the member, the number of its edges and the ends of these.
        let mut owner = vec![ranks.rank(); level.dual.len()];
        for part in &level.dual.exchange {
            owner[part.receive.clone()].fill(part.rank);
        }
        let mut messages = vec![Vec::new(); ranks.size()];
        let mut of_rank = vec![Vec::new(); ranks.size()];
        for (vertex, &parent) in level.parent.iter().enumerate() {
            let rank = owner[parent as usize];
            if rank == ranks.rank() {
                continue;
            }
            messages[rank].extend([dual.global[vertex], dual.edges(vertex).len() as u64]);
            messages[rank].extend(ends(vertex));
            of_rank[rank].push(own_block(vertex));
            of_rank[rank].extend((0..dual.edges(vertex).len()).map(|k| edge_block(vertex, k)));
        }
        let arrived = ranks.alltoall(messages);
        let (mut foreign, mut parts, mut sent) = (HashMap::new(), Vec::new(), Vec::new());
        let first_foreign = slices.neighbour.len();
        let mut count = 0;
        for (rank, (message, of_rank)) in arrived.iter().zip(&of_rank).enumerate() {
            let begin = (sent.len(), count);
            sent.extend_from_slice(of_rank);
            let mut rest = message.as_slice();
            while let [member, edges, after @ ..] = rest {
                let (ends, after) = after.split_at(*edges as usize);
                let block = |k: usize| (first_foreign + count + k) as i32;
                let row = MemberRow {
                    own: block(0),
                    edges: (1..).map(block).zip(ends.iter().copied()).collect(),
                };
                foreign.insert(*member, row);
                (count, rest) = (count + 1 + ends.len(), after);
            }
            if begin != (sent.len(), count) {
                parts.push(Part {
                    rank,
                    sent: begin.0..sent.len(),
                    received: begin.1..count,
                });
            }
        }

        // The blocks of each row's sums: those of its edges, and then of its own.
        let sums_of = |vertex: usize| {
            let edges = level.dual.edges(vertex);
            let neighbours = &level.dual.neighbour[edges.clone()];
            let number = level.dual.global[vertex];
            let mut blocks: Vec<(u32, i32)> = Vec::new();
            let mut add = |end: u64, block: i32| {
                // What has no edge, because its facets cancel each other, acts on the agglomerate itself.
                let leads = |&to: &u32| end != number && level.dual.global[to as usize] == end;
                let edge = neighbours.iter().position(leads).unwrap_or(edges.len());
                blocks.push((edge as u32, block));
            };
            for &member in &level.members[vertex] {
                let member = member as usize;
                if member < dual.owned {
                    add(number, own_block(member));
                    ends(member)
                        .enumerate()
                        .for_each(|(k, end)| add(end, edge_block(member, k)));
                } else {
                    let row = &foreign[&dual.global[member]];
                    add(number, row.own);
                    row.edges.iter().for_each(|&(block, end)| add(end, block));
                }
            }
            blocks.sort_by_key(|&(edge, _)| edge);
            blocks
        };
        let sums: Vec<Vec<(u32, i32)>> = (0..level.dual.owned).into_par_iter().map(sums_of).collect();
        let edges = coarse.slices.neighbour.len();
        let place = |vertex: usize, edge: u32| match edge as usize {
            own if own == level.dual.edges(vertex).len() => edges + coarse.slices.slot(vertex),
            k => coarse.slices.place_of_edge(vertex, k, slice),
        };
        let mut begin = vec![0i64; edges + coarse.slices.owned_slots + 1];
        for (vertex, sums) in sums.iter().enumerate() {
            sums.iter().for_each(|&(edge, _)| begin[place(vertex, edge) + 1] += 1);
        }
        (1..begin.len()).for_each(|n| begin[n] += begin[n - 1]);
        let mut blocks = vec![0i32; begin[begin.len() - 1] as usize];
        for (vertex, sums) in sums.iter().enumerate() {
            for sum in sums.chunk_by(|a, b| a.0 == b.0) {
                let first = begin[place(vertex, sum[0].0)] as usize;
                blocks[first..]
                    .iter_mut()
                    .zip(sum)
                    .for_each(|(to, &(_, block))| *to = block);
            }
        }
        let room = |blocks: usize| store.zeros(ELEMENTS * blocks * size_of::<f64>());
        Ok(Galerkin {
            count: begin.len() - 1,
            begin: upload(store, &begin)?,
            blocks: upload(store, &blocks)?,
            packed: room(sent.len())?,
            sent: upload(store, &sent)?,
            received: RefCell::new(room(count)?),
            parts,
        })
    }

    /// Returns the bytes of its lists, without those of the exchange.
    pub fn bytes(&self) -> usize {
        self.begin.bytes() + self.blocks.bytes()
    }

    /// Computes the matrix of the coarser level. Collective.
    ///
    /// # Errors
    /// The machine fails.
    pub fn sum(
        &self,
        (finer, matrix): (&Solver<M>, &Matrix<M>),
        (coarse, sums): (&Solver<M>, &Matrix<M>),
    ) -> Result<(), DeviceError> {
        let mut params = sums.params(coarse, std::ptr::null(), std::ptr::null_mut());
        matrix.read_as_finer(&mut params, finer);
        params.edges = coarse.slices.neighbour.len() as i64;
        self.exchange(params, finer)?;
        let received = self.received.borrow();
        params.exchange = received.pointer();
        params.exchanged_count = self.parts.last().map_or(0, |part| part.received.end) as i64;
        params.sum_begin = self.begin.pointer();
        params.sum_blocks = self.blocks.pointer();
        coarse.launch(SteadyKernel::Galerkin, params, 0..self.count)
    }

    /// Sends the blocks that other ranks add, and receives those that this one adds, if there are any.
    fn exchange(&self, mut params: SteadyParams, finer: &Solver<M>) -> Result<(), DeviceError> {
        let Some(last) = self.parts.last() else { return Ok(()) };
        let (store, elements) = (&*finer.store, params.unknowns.pow(2) as usize);
        let sent = last.sent.end;
        params.exchange = self.packed.pointer();
        params.exchanged_count = sent as i64;
        params.sum_blocks = self.sent.pointer();
        finer.launch(SteadyKernel::PackBlocks, params, 0..sent)?;
        let packed = store.read::<f64>(&self.packed, 0..elements * sent)?;
        let all = exchange(finer.ranks(), &self.parts, elements, &packed);
        store.write(&mut self.received.borrow_mut(), &all)
    }
}
