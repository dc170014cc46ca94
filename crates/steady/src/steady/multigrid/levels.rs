//! The levels of a rank: the vertices of each that it owns, with a halo of all that the transfers between levels read.

use std::collections::HashMap;

use super::agglomeration::coarsen;
use crate::ranks::Ranks;
use crate::steady::conditions::BoundaryList;
use crate::steady::dual::DualMesh;
use crate::steady::graph::{Graph, Part};

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

impl Levels {
    /// Makes levels with that of `dual`, to the halo of which this adds what the transfers read. Collective.
    pub fn new(dual: &mut DualMesh, boundaries: &[BoundaryList], by: Coarsening, ranks: &Ranks) -> Self {
        let mut graphs = vec![Graph::new(dual, boundaries, ranks)];
        let mut parents = Vec::new();
        while graphs.len() < by.levels {
            let finest = &graphs[graphs.len() - 1];
            let (mut next, mut parent) = coarsen(finest);
            for _ in 1..by.pairings {
                let (pairs, of_pair) = coarsen(&next);
                parent.iter_mut().for_each(|vertex| *vertex = of_pair[*vertex as usize]);
                next = pairs;
            }
            if next.len() < by.fewest || 4 * next.len() > 3 * finest.len() {
                break;
            }
            graphs.push(next);
            parents.push(parent);
        }
        let members = |level: usize| {
            let mut members = vec![Vec::new(); graphs[level].len()];
            (0..)
                .zip(&parents[level - 1])
                .for_each(|(fine, &parent)| members[parent as usize].push(fine));
            members
        };
        let me = ranks.rank() as u32;
        let mut parts: Vec<Part> = Vec::new();
        for (level, graph) in graphs.iter().enumerate() {
            // Along the curve that the finest vertices follow in memory. The lowest member of an owned agglomerate is
            // owned, so that all of them are met.
            let order: Vec<u32> = match parts.last() {
                None => dual.global[..dual.owned]
                    .iter()
                    .map(|&number| graph.find(number))
                    .collect(),
                Some(finer) => {
                    let mut seen = vec![false; graph.len()];
                    let parents = finer.vertex[..finer.owned]
                        .iter()
                        .map(|&fine| parents[level - 1][fine as usize]);
                    let new = parents.filter(|&parent| !std::mem::replace(&mut seen[parent as usize], true));
                    new.filter(|&parent| graph.owner[parent as usize] == me).collect()
                }
            };
            let mut wanted: Vec<u32> = Vec::new();
            if level == 0 {
                wanted.extend(dual.global[dual.owned..].iter().map(|&number| graph.find(number)));
            }
            for &vertex in &order {
                wanted.extend(graph.dual.edges(vertex as usize).map(|edge| graph.dual.neighbour[edge]));
            }
            if let Some(finer) = parts.last() {
                wanted.extend(
                    finer.vertex[..finer.owned]
                        .iter()
                        .map(|&fine| parents[level - 1][fine as usize]),
                );
            }
            if let Some(parent) = parents.get(level) {
                let fine =
                    (0..graph.len() as u32).filter(|&v| graphs[level + 1].owner[parent[v as usize] as usize] == me);
                wanted.extend(fine);
            }
            parts.push(graph.part(order, wanted, ranks));
        }
        replace_halo(dual, parts[0].dual(&graphs[0]));
        let coarse = (1..parts.len()).map(|level| {
            let part = &parts[level];
            let finer = &parts[level - 1];
            let graph = &graphs[level];
            let members = members(level);
            let of_vertex = |&vertex: &u32| {
                members[vertex as usize]
                    .iter()
                    .map(|&fine| finer.local[fine as usize])
                    .collect()
            };
            let parent = |&fine: &u32| part.local[parents[level - 1][fine as usize] as usize];
            Level {
                dual: part.dual(graph),
                members: part.vertex[..part.owned].iter().map(of_vertex).collect(),
                parent: finer.vertex[..finer.owned].iter().map(parent).collect(),
            }
        });
        Levels {
            coarse: coarse.collect(),
        }
    }
}

/// Gives a dual the halo of another one that has the same owned vertices and a larger halo.
fn replace_halo(dual: &mut DualMesh, larger: DualMesh) {
    let local: HashMap<u64, u32> = larger.global.iter().copied().zip(0..).collect();
    let number = |&vertex: &u32| local[&dual.global[vertex as usize]];
    *dual = DualMesh {
        interior: dual.interior,
        point_vertex: dual.point_vertex.iter().map(number).collect(),
        boundary: std::mem::take(&mut dual.boundary),
        ..larger
    };
}
