//! The levels of a rank: the vertices of each that it owns, with a halo of all that the transfers between levels read.

use super::agglomeration::coarsen;
use super::surface::Surface;
use crate::ranks::Ranks;
use crate::steady::conditions::BoundaryList;
use crate::steady::dual::DualMesh;
use crate::steady::halo::{AnyVertex, LocalNumbers};

/// How levels are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Coarsening {
    /// Largest number of levels, with the finest.
    pub levels: usize,
    /// Number of times that vertices are joined in pairs from a level to the next.
    pub pairings: usize,
    /// Fewest vertices of a level.
    pub fewest: usize,
}

/// The points, and the coarse levels if a preconditioner has any.
#[derive(Debug, Clone, Copy)]
pub struct Meshes<'a> {
    /// The dual of the points.
    pub dual: &'a DualMesh,
    /// The levels below.
    pub levels: Option<&'a Levels>,
}

/// The levels of a rank below the finest one.
#[derive(Debug)]
pub struct Levels {
    /// The coarse levels, the finest of them first.
    pub coarse: Vec<Level>,
}

/// A coarse level, and its ties with the level above, whose vertices are called fine here.
#[derive(Debug)]
pub struct Level {
    /// Its dual. Edges of a vertex to itself are left out: nothing passes through them.
    pub dual: DualMesh,
    /// Fine local vertices of each owned agglomerate, in the order of their global numbers.
    pub members: Vec<Vec<u32>>,
    /// Local agglomerate of each owned fine vertex.
    pub parent: Vec<u32>,
}

/// The ties between two levels by the numbers of their vertices.
struct Ties {
    /// The agglomerate of each owned fine vertex.
    parent: Vec<AnyVertex>,
    /// Fine vertices of each owned agglomerate, in the order of their global numbers.
    members: Vec<Vec<AnyVertex>>,
}

impl Ties {
    /// Tells the owners of agglomerates of the members. Collective.
    fn new(finer: &DualMesh, parent: Vec<AnyVertex>, coarse: &DualMesh, ranks: &Ranks) -> Self {
        let mut lists = vec![Vec::new(); ranks.size()];
        for (parent, number) in parent.iter().zip(&finer.global) {
            lists[parent.owner as usize].extend([parent.number, *number]);
        }
        let local = LocalNumbers::new(&coarse.global);
        let mut members = vec![Vec::new(); coarse.owned];
        for (list, owner) in ranks.alltoall(lists).iter().zip(0..) {
            for &[parent, number] in list.as_chunks().0 {
                members[local.local(parent) as usize].push(AnyVertex { owner, number });
            }
        }
        let by_number = |members: &mut Vec<AnyVertex>| members.sort_unstable_by_key(|member| member.number);
        members.iter_mut().for_each(by_number);
        Ties { parent, members }
    }
}

impl Levels {
    /// Makes levels with that of `dual`, to the halo of which this adds what the transfers read. Collective.
    pub fn new(dual: &mut DualMesh, boundaries: &[BoundaryList], by: Coarsening, ranks: &Ranks) -> Self {
        let mut surface = Surface::new(dual, boundaries, ranks);
        let mut duals: Vec<DualMesh> = Vec::new();
        let mut ties: Vec<Ties> = Vec::new();
        while duals.len() + 1 < by.levels {
            let finer = duals.last().unwrap_or(dual);
            let mut next = coarsen(finer, &surface, ranks);
            for _ in 1..by.pairings {
                next = next.coarser(ranks);
            }
            let count = next.dual.vertices_of_all_ranks;
            if count < by.fewest as u64 || 4 * count > 3 * finer.vertices_of_all_ranks {
                break;
            }
            next.parent.truncate(finer.owned);
            ties.push(Ties::new(finer, next.parent, &next.dual, ranks));
            duals.push(next.dual);
            surface = next.surface;
        }
        let halo = dual.vertices(ranks).split_off(dual.owned);
        let parents = std::iter::once(&halo).chain(ties.iter().map(|ties| &ties.parent));
        for (level, parents) in parents.enumerate() {
            let members = ties.get(level).map_or(&[][..], |ties| &ties.members);
            let wanted = [&parents[..], &members.concat()].concat();
            let of_level = if level == 0 { &mut *dual } else { &mut duals[level - 1] };
            of_level.replace_halo(&wanted, ranks);
        }
        let mut coarse: Vec<Level> = Vec::new();
        for (of_level, ties) in duals.into_iter().zip(ties) {
            let fine = LocalNumbers::new(&coarse.last().map_or(&*dual, |level| &level.dual).global);
            let local = LocalNumbers::new(&of_level.global);
            let members = |members: Vec<AnyVertex>| members.iter().map(|member| fine.local(member.number)).collect();
            coarse.push(Level {
                members: ties.members.into_iter().map(members).collect(),
                parent: ties.parent.iter().map(|parent| local.local(parent.number)).collect(),
                dual: of_level,
            });
        }
        Levels { coarse }
    }
}
