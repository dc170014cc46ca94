//! Colours of vertices: no two neighbours have the same one, so that all vertices of a colour may change at once.

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use crate::ranks::Ranks;
use crate::steady::dual::DualMesh;

/// Mark of a vertex without a colour.
const NONE: i32 = -1;

/// Returns the colours of all local vertices, from 0, and their number on all ranks. A vertex takes the lowest colour
/// that no neighbour has once all neighbours of higher priority have theirs (M. T. Jones & P. E. Plassmann, SIAM J.
/// Sci. Comput. 14 (1993) 654). Priorities are hashes of the global numbers, so that no partition changes a colour.
/// Collective.
pub fn colours(dual: &DualMesh, ranks: &Ranks) -> (Vec<i32>, usize) {
    let priority = |vertex: usize| (xxh3_64(&dual.global[vertex].to_le_bytes()), dual.global[vertex]);
    let priorities: Vec<_> = (0..dual.len()).into_par_iter().map(priority).collect();
    let mut colours = vec![NONE; dual.len()];
    let mut waiting: Vec<usize> = (0..dual.owned).collect();
    loop {
        let neighbours = |vertex: usize| {
            let ends = dual.edges(vertex).map(|edge| dual.neighbour[edge] as usize);
            ends.filter(move |&end| end != vertex)
        };
        let now: Vec<(usize, i32)> = waiting
            .par_iter()
            .filter(|&&vertex| {
                neighbours(vertex).all(|end| colours[end] != NONE || priorities[end] < priorities[vertex])
            })
            .map(|&vertex| {
                let is_free = |colour: &i32| neighbours(vertex).all(|end| colours[end] != *colour);
                (
                    vertex,
                    (0..).find(is_free).expect("there are more numbers than neighbours"),
                )
            })
            .collect();
        now.iter().for_each(|&(vertex, colour)| colours[vertex] = colour);
        waiting = waiting
            .into_par_iter()
            .filter(|&vertex| colours[vertex] == NONE)
            .collect();
        dual.update_halo(ranks, &mut colours);
        if ranks.first_rank_where(!waiting.is_empty()).is_none() {
            break;
        }
    }
    let mut most = [colours[..dual.owned].iter().copied().max().unwrap_or(NONE) as f64];
    ranks.allreduce_max(&mut most);
    (colours, most[0] as usize + 1)
}
