//! Where vertices are on the boundaries, which decides what vertices may become one.

use std::collections::BTreeSet;

use crate::ranks::Ranks;
use crate::steady::conditions::BoundaryList;
use crate::steady::dual::DualMesh;
use crate::vector::{Vector, dot, length};

/// Smallest cosine of the angle between the boundaries at vertices that may be one.
const FACING: f64 = 0.5;

/// Where the local vertices of a dual are on the boundaries.
pub struct Surface {
    /// Number of the set of boundaries that a vertex is on, `[vertex]`.
    pub set: Vec<u32>,
    /// Sum of the outward area vectors on all of them, `[vertex]`.
    pub outward: Vec<Vector>,
    /// Of each set 1 + the index of the first no-slip wall, or 0.
    pub wall_of_set: Vec<u32>,
}

impl Surface {
    /// Finds the sets of boundaries that vertices of any rank are on, which all ranks number in the same way, and those
    /// of the local vertices. Collective.
    pub fn new(dual: &DualMesh, boundaries: &[BoundaryList], ranks: &Ranks) -> Self {
        let mut on: Vec<Vec<u32>> = vec![Vec::new(); dual.owned];
        let mut outward = vec![[0.0; 3]; dual.len()];
        for (boundary, index) in boundaries.iter().zip(0..) {
            for (&vertex, area) in boundary.vertex.iter().zip(&boundary.area) {
                on[vertex as usize].push(index);
                (0..3).for_each(|d| outward[vertex as usize][d] += area[d]);
            }
        }
        let mine: BTreeSet<&Vec<u32>> = on.iter().collect();
        let words = mine
            .into_iter()
            .flat_map(|set| [&[set.len() as u32], &set[..]].concat());
        let words = ranks.allgather(&words.collect::<Vec<u32>>());
        let mut rest = &words[..];
        let mut sets = BTreeSet::new();
        while let [count, after @ ..] = rest {
            let (set, after) = after.split_at(*count as usize);
            sets.insert(set);
            rest = after;
        }
        let sets: Vec<&[u32]> = sets.into_iter().collect();
        let number = |set: &Vec<u32>| sets.partition_point(|other| *other < &set[..]) as u32;
        let mut set: Vec<u32> = on.iter().map(number).collect();
        set.resize(dual.len(), 0);
        dual.update_halo(ranks, &mut set);
        dual.update_halo_of(ranks, &mut outward);
        let wall = |set: &&[u32]| {
            let wall = set.iter().find(|&&index| boundaries[index as usize].is_no_slip());
            wall.map_or(0, |index| 1 + index)
        };
        Surface {
            set,
            outward,
            wall_of_set: sets.iter().map(wall).collect(),
        }
    }

    /// Whether two vertices may be one: they are on the same boundaries, which do not face different ways. A coarse
    /// vertex has the sum of its members' area vectors, which must not cancel.
    pub fn joins(&self, a: usize, b: usize) -> bool {
        let [of_a, of_b] = [a, b].map(|vertex| self.outward[vertex]);
        let facing = dot(of_a, of_b) >= FACING * (length(of_a) * length(of_b));
        self.set[a] == self.set[b] && facing
    }

    /// Whether two vertices are on the same no-slip wall, or neither is on one.
    pub fn have_one_wall(&self, a: usize, b: usize) -> bool {
        let [of_a, of_b] = [a, b].map(|vertex| self.wall_of_set[self.set[vertex] as usize]);
        of_a == of_b
    }
}
