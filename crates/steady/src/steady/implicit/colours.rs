//! Colours of lines of vertices: no two neighbours have the same one, so that all lines of a colour may change at once.

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use crate::ranks::Ranks;
use crate::steady::dual::DualMesh;

/// Mark of a vertex without a colour.
const NONE: i32 = -1;

/// Returns the colours of all local vertices, from 0, and their number on all ranks. `lines` are those of the owned
/// vertices, and `line` is the number of the line of each local vertex. A line takes the lowest colour that no
/// neighbour has once all neighbours of higher priority have theirs (M. T. Jones & P. E. Plassmann, SIAM J. Sci.
/// Comput. 14 (1993) 654). Priorities are hashes of the numbers, so that no partition changes a colour. Collective.
pub fn colours<L: AsRef<[u32]> + Sync>(dual: &DualMesh, lines: &[L], line: &[u64], ranks: &Ranks) -> (Vec<i32>, usize) {
    let priority = |number: &u64| (xxh3_64(&number.to_le_bytes()), *number);
    let priorities: Vec<_> = line.par_iter().map(priority).collect();
    let mut colours = vec![NONE; dual.len()];
    let mut waiting: Vec<&[u32]> = lines.iter().map(AsRef::as_ref).collect();
    loop {
        let is_next = |vertices: &&&[u32]| {
            let own = priorities[vertices[0] as usize];
            neighbours(dual, line, vertices).all(|end| colours[end] != NONE || priorities[end] < own)
        };
        let colour = |vertices: &&[u32]| {
            let is_free = |colour: &i32| neighbours(dual, line, vertices).all(|end| colours[end] != *colour);
            (0..).find(is_free).expect("there are more numbers than neighbours")
        };
        let next = waiting.par_iter().filter(is_next);
        let now: Vec<(&[u32], i32)> = next.map(|vertices| (*vertices, colour(vertices))).collect();
        for (vertices, colour) in now {
            vertices.iter().for_each(|&vertex| colours[vertex as usize] = colour);
        }
        waiting.retain(|vertices| colours[vertices[0] as usize] == NONE);
        dual.update_halo(ranks, &mut colours);
        if ranks.first_rank_where(!waiting.is_empty()).is_none() {
            break;
        }
    }
    let mut most = [colours[..dual.owned].iter().copied().max().unwrap_or(NONE) as f64];
    ranks.allreduce_max(&mut most);
    (colours, most[0] as usize + 1)
}

/// Returns the vertices beside those of a line.
fn neighbours<'a>(dual: &'a DualMesh, line: &'a [u64], vertices: &'a [u32]) -> impl Iterator<Item = usize> + 'a {
    let number = line[vertices[0] as usize];
    let edges = vertices.iter().flat_map(|&vertex| dual.edges(vertex as usize));
    let ends = edges.map(|edge| dual.neighbour[edge] as usize);
    ends.filter(move |&end| line[end] != number)
}
