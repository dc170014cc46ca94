//! Matrices of coarser levels: sums of the blocks of the finer one, in the order of the global numbers of the members
//! and of their edges. Blocks of members that another rank owns come from it, so that no partition changes a sum.

use std::cell::RefCell;
use std::collections::HashMap;

use rayon::prelude::*;

use super::matrix::Matrix;
use crate::device::contract::{SteadyKernel, SteadyParams};
use crate::device::store::Memory;
use crate::device::{DeviceError, ListPart};
use crate::ranks::Ranks;
use crate::steady::arrays::{GalerkinArrays, GalerkinSizes};
use crate::steady::dual::DualMesh;
use crate::steady::grid::Grid;
use crate::steady::machine::Machine;
use crate::steady::multigrid::Level;
use crate::steady::slices::Slices;

/// The blocks of a finer level that are added to each block of a coarser one.
pub struct Galerkin<M: Machine> {
    arrays: RefCell<GalerkinArrays<M>>,
    /// Number of sums.
    count: usize,
    parts: Vec<ListPart>,
}

/// A block of the finer level's matrix.
#[derive(Debug, Clone, Copy)]
enum Block {
    /// The own block of the vertex in a slot.
    Own(usize),
    /// That at the place of an edge.
    Edge(usize),
    /// One of those that came from other ranks.
    Received(usize),
}

impl Block {
    /// The number by which the kernels know it (`element_of_block` in ptx/steady/multigrid.cu), on a level with so many
    /// places of edges.
    fn number(self, edges: usize) -> i32 {
        match self {
            Block::Own(slot) => -1 - slot as i32,
            Block::Edge(place) => place as i32,
            Block::Received(n) => (edges + n) as i32,
        }
    }
}

/// The row of a member: its own block, and those of its edges with the global numbers of the agglomerates at their
/// other ends.
struct MemberRow {
    own: Block,
    edges: Vec<(Block, u64)>,
}

/// The finer level, and the agglomerates of its vertices.
struct Finer<'a> {
    slices: &'a Slices,
    /// Vertices of a slice.
    slice: usize,
    dual: &'a DualMesh,
    /// Global number of the agglomerate of each local vertex.
    agglomerate: Vec<u64>,
}

impl<'a> Finer<'a> {
    /// Finds the agglomerates of the halo as well. Collective.
    fn new<M: Machine>(level: &Level, grid: &'a Grid<M>, dual: &'a DualMesh) -> Self {
        let mut agglomerate = vec![0u64; dual.len()];
        for (number, &parent) in agglomerate.iter_mut().zip(&level.parent) {
            *number = level.dual.global[parent as usize];
        }
        dual.update_halo(grid.ranks(), &mut agglomerate);
        Finer {
            slices: &grid.slices,
            slice: grid.slice,
            dual,
            agglomerate,
        }
    }

    /// The row of an owned vertex.
    fn row(&self, vertex: usize) -> MemberRow {
        let edge = |(k, edge): (usize, usize)| {
            let place = self.slices.place_of_edge(vertex, k, self.slice);
            let end = self.dual.neighbour[edge] as usize;
            (Block::Edge(place), self.agglomerate[end])
        };
        MemberRow {
            own: Block::Own(self.slices.slot(vertex)),
            edges: self.dual.edges(vertex).enumerate().map(edge).collect(),
        }
    }
}

/// Rows of members that another rank than that of their agglomerate owns.
struct ForeignRows {
    /// The rows of members whose agglomerates this rank owns, by global numbers.
    rows: HashMap<u64, MemberRow>,
    /// The blocks that other ranks add.
    sent: Vec<Block>,
    /// Number of the blocks that come from other ranks.
    received: usize,
    parts: Vec<ListPart>,
}

impl ForeignRows {
    /// Tells the owners of agglomerates of the rows of their members: the member, the number of its edges and the ends
    /// of these. Collective.
    fn exchange(level: &Level, finer: &Finer, ranks: &Ranks) -> Self {
        let parents = level.dual.vertices(ranks);
        let mut messages = vec![Vec::new(); ranks.size()];
        let mut of_rank = vec![Vec::new(); ranks.size()];
        for (vertex, &parent) in level.parent.iter().enumerate() {
            let rank = parents[parent as usize].owner as usize;
            if rank == ranks.rank() {
                continue;
            }
            let row = finer.row(vertex);
            messages[rank].extend([finer.dual.global[vertex], row.edges.len() as u64]);
            messages[rank].extend(row.edges.iter().map(|&(_, end)| end));
            of_rank[rank].push(row.own);
            of_rank[rank].extend(row.edges.iter().map(|&(block, _)| block));
        }
        let mut all = ForeignRows {
            rows: HashMap::new(),
            sent: Vec::new(),
            received: 0,
            parts: Vec::new(),
        };
        for (rank, (message, of_rank)) in ranks.alltoall(messages).iter().zip(of_rank).enumerate() {
            let first_sent = all.sent.len();
            let first_received = all.received;
            all.sent.extend(of_rank);
            all.read(message);
            if all.sent.len() > first_sent || all.received > first_received {
                all.parts.push(ListPart {
                    rank,
                    sent: first_sent..all.sent.len(),
                    received: first_received..all.received,
                });
            }
        }
        all
    }

    /// Adds the rows of a message.
    fn read(&mut self, message: &[u64]) {
        let mut rest = message;
        while let [member, edges, after @ ..] = rest {
            let (ends, after) = after.split_at(*edges as usize);
            let first = self.received;
            let row = MemberRow {
                own: Block::Received(first),
                edges: (first + 1..).map(Block::Received).zip(ends.iter().copied()).collect(),
            };
            self.rows.insert(*member, row);
            self.received += 1 + ends.len();
            rest = after;
        }
    }
}

/// Blocks that are added to those of a row of the coarse matrix: the number of the edge among those of the row, or one
/// past the last for the own block, and the block. They are sorted by the first.
type Sums = Vec<(usize, Block)>;

/// Returns the blocks of the sums of an owned vertex of the coarse level.
fn sums_of(level: &Level, finer: &Finer, foreign: &ForeignRows, vertex: usize) -> Sums {
    let edges = level.dual.edges(vertex);
    let neighbours = &level.dual.neighbour[edges.clone()];
    let number = level.dual.global[vertex];
    let mut sums = Sums::new();
    let mut add = |row: &MemberRow| {
        sums.push((edges.len(), row.own));
        for &(block, end) in &row.edges {
            // What has no edge, because its facets cancel each other, acts on the agglomerate itself.
            let leads = |&to: &u32| end != number && level.dual.global[to as usize] == end;
            let edge = neighbours.iter().position(leads).unwrap_or(edges.len());
            sums.push((edge, block));
        }
    };
    for &member in &level.members[vertex] {
        let member = member as usize;
        if member < finer.dual.owned {
            add(&finer.row(member));
        } else {
            add(&foreign.rows[&finer.dual.global[member]]);
        }
    }
    sums.sort_by_key(|&(edge, _)| edge);
    sums
}

/// Lists of the blocks of all sums, as the kernels read them.
struct Lists {
    begin: Vec<i64>,
    blocks: Vec<i32>,
}

impl Lists {
    /// Arranges the sums of the rows of a level by their places: those of edges, and then those of slots. The finer
    /// level has so many places of edges.
    fn new<M: Machine>(level: &Level, coarse: &Grid<M>, rows: &[Sums], finer_edges: usize) -> Self {
        let slices = &coarse.slices;
        let edges = slices.neighbour.len();
        let place = |vertex: usize, edge: usize| {
            if edge == level.dual.edges(vertex).len() {
                edges + slices.slot(vertex)
            } else {
                slices.place_of_edge(vertex, edge, coarse.slice)
            }
        };
        let mut begin = vec![0i64; edges + slices.owned_slots + 1];
        for (vertex, sums) in rows.iter().enumerate() {
            sums.iter().for_each(|&(edge, _)| begin[place(vertex, edge) + 1] += 1);
        }
        (1..begin.len()).for_each(|n| begin[n] += begin[n - 1]);
        let mut blocks = vec![0i32; begin[begin.len() - 1] as usize];
        for (vertex, sums) in rows.iter().enumerate() {
            for sum in sums.chunk_by(|a, b| a.0 == b.0) {
                let first = begin[place(vertex, sum[0].0)] as usize;
                for (to, (_, block)) in blocks[first..].iter_mut().zip(sum) {
                    *to = block.number(finer_edges);
                }
            }
        }
        Lists { begin, blocks }
    }
}

impl<M: Machine> Galerkin<M> {
    /// Finds the blocks of each sum. `finer` are the vertices above the level, of which `dual` is the dual. Collective.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn new(level: &Level, finer: &Grid<M>, dual: &DualMesh, coarse: &Grid<M>) -> Result<Self, DeviceError> {
        let members = Finer::new(level, finer, dual);
        let foreign = ForeignRows::exchange(level, &members, finer.ranks());
        let vertices = (0..level.dual.owned).into_par_iter();
        let rows: Vec<Sums> = vertices
            .map(|vertex| sums_of(level, &members, &foreign, vertex))
            .collect();
        let edges = finer.slices.neighbour.len();
        let lists = Lists::new(level, coarse, &rows, edges);
        let sizes = GalerkinSizes {
            sums: lists.begin.len() - 1,
            blocks: lists.blocks.len(),
            sent: foreign.sent.len(),
            received: foreign.received,
        };
        let sent: Vec<i32> = foreign.sent.iter().map(|block| block.number(edges)).collect();
        let store = &*finer.store;
        let mut arrays = GalerkinArrays::zeros(store, &sizes)?;
        store.write(&mut arrays.begin, &lists.begin)?;
        store.write(&mut arrays.blocks, &lists.blocks)?;
        store.write(&mut arrays.sent, &sent)?;
        Ok(Galerkin {
            arrays: RefCell::new(arrays),
            count: sizes.sums,
            parts: foreign.parts,
        })
    }

    /// Returns the bytes of its arrays.
    pub fn bytes(&self) -> usize {
        self.arrays.borrow().in_use().total()
    }

    /// Computes the matrix of the coarser level. Collective.
    pub fn sum(&self, finer: &Matrix<M>, sums: &Matrix<M>) -> Result<(), DeviceError> {
        let coarse = &*sums.grid;
        let mut params = sums.params();
        finer.read_as_finer(&mut params);
        params.edges = coarse.slices.neighbour.len() as i64;
        self.exchange(params, &finer.grid)?;
        self.arrays.borrow().connect(&mut params);
        coarse.launch(SteadyKernel::Galerkin, params, 0..self.count)
    }

    /// Sends the blocks that other ranks add, and receives those that this one adds, if there are any.
    fn exchange(&self, mut params: SteadyParams, finer: &Grid<M>) -> Result<(), DeviceError> {
        let Some(last) = self.parts.last() else { return Ok(()) };
        let elements = params.unknowns.pow(2) as usize;
        let arrays = &mut *self.arrays.borrow_mut();
        params.exchange = arrays.packed.pointer();
        params.sum_blocks = arrays.sent.pointer();
        if last.sent.end > 0 {
            finer.launch(SteadyKernel::PackBlocks, params, 0..last.sent.end)?;
        }
        finer.exchange_lists(&self.parts, elements, &arrays.packed, &mut arrays.received)
    }
}
