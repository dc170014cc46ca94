//! The order of vertices in memory for sweeps: colour by colour, in groups of lines that lie side by side.

use std::collections::HashSet;
use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::colours::colours;
use crate::ranks::Ranks;
use crate::steady::conditions::BoundaryList;
use crate::steady::dual::{BoundaryVertices, DualMesh};
use crate::steady::graph::Graph;
use crate::steady::slices::Arrangement;
use crate::vector::length;

/// Smallest coupling of a line over the largest of its vertices.
const STRONG: f64 = 0.25;

/// Lines of vertices. A vertex alone is a line of one.
#[derive(Debug)]
pub struct Lines {
    /// Where the vertices lie.
    pub arrangement: Arrangement,
    /// First slice of each group of lines, and their end.
    pub begin: Vec<i32>,
    /// Lines of each colour, with those of no vertex: groups times the vertices of a slice.
    pub of_colour: Vec<Range<usize>>,
    /// Colour of each local vertex, with the halo; of lines empty.
    pub colour: Vec<i32>,
}

impl Lines {
    /// Returns lines of one vertex each. Collective.
    pub fn of_points(dual: &DualMesh, slice: usize, ranks: &Ranks) -> Self {
        let (colours, count) = colours(dual, ranks);
        let mut vertices = vec![Vec::new(); count];
        for (vertex, &colour) in (0..).zip(&colours[..dual.owned]) {
            vertices[colour as usize].push(Some(vertex));
        }
        let mut arrangement = Arrangement::default();
        for mut colour in vertices {
            let first = arrangement.vertex.len();
            colour.resize(colour.len().next_multiple_of(slice), None);
            arrangement.vertex.append(&mut colour);
            arrangement.colours.push(first..arrangement.vertex.len());
        }
        Lines {
            begin: (0..=(arrangement.vertex.len() / slice) as i32).collect(),
            of_colour: arrangement.colours.clone(),
            arrangement,
            colour: colours,
        }
    }

    /// Returns lines along the strong couplings of stretched cells; other vertices are alone. The coupling of an edge
    /// is its area over its length. A line joins two vertices if the coupling is at least a quarter of the largest of
    /// both, and neither has more than two such edges (after D. J. Mavriplis, J. Comput. Phys. 145 (1998) 141). The
    /// lines are those of the whole mesh, and a rank must own all of a line or nothing ([`keep_lines_whole`]).
    /// Collective.
    pub fn along_strong_edges(dual: &DualMesh, slice: usize, ranks: &Ranks) -> Self {
        let graph = Graph::new(dual, &[], ranks);
        let whole = &graph.dual;
        let lines = strong_lines(whole);
        let mut line_of = vec![0u32; whole.owned];
        for (n, line) in lines.iter().enumerate() {
            line.iter().for_each(|&vertex| line_of[vertex as usize] = n as u32);
        }
        // Colours in the order of hashes, as those of single vertices.
        let priority = |line: &Vec<u32>| {
            let first = line.iter().map(|&v| whole.global[v as usize]).min().unwrap_or(0);
            (xxh3_64(&first.to_le_bytes()), first)
        };
        let mut order: Vec<usize> = (0..lines.len()).collect();
        order.sort_by_cached_key(|&n| std::cmp::Reverse(priority(&lines[n])));
        let mut local = vec![u32::MAX; graph.len()];
        for (vertex, &number) in (0..).zip(&dual.global[..dual.owned]) {
            local[graph.find(number) as usize] = vertex;
        }
        let mut colour_of = vec![usize::MAX; lines.len()];
        let mut of_colour = Vec::<Vec<Vec<u32>>>::new();
        for n in order {
            let vertices = lines[n].iter().map(|&v| v as usize);
            let ends = vertices
                .flat_map(|v| whole.edges(v))
                .map(|edge| whole.neighbour[edge] as usize);
            let taken: HashSet<usize> = ends.map(|end| colour_of[line_of[end] as usize]).collect();
            let colour = (0..).find(|colour| !taken.contains(colour)).unwrap_or(0);
            colour_of[n] = colour;
            of_colour.resize(of_colour.len().max(colour + 1), Vec::new());
            let mine: Vec<u32> = lines[n].iter().map(|&vertex| local[vertex as usize]).collect();
            if mine[0] != u32::MAX {
                of_colour[colour].push(mine);
            }
        }
        // Along the curve that the vertices follow in memory.
        of_colour.iter_mut().for_each(|lines| lines.sort_unstable());
        Lines::new(of_colour, slice)
    }

    /// Arranges the lines of each colour.
    fn new(of_colour: Vec<Vec<Vec<u32>>>, slice: usize) -> Self {
        let mut lines = Lines {
            arrangement: Arrangement::default(),
            begin: vec![0],
            of_colour: Vec::new(),
            colour: Vec::new(),
        };
        let vertex = &mut lines.arrangement.vertex;
        for mut colour in of_colour {
            let first_slot = vertex.len();
            let first = (lines.begin.len() - 1) * slice;
            // Lines of one length lie side by side; they keep their order otherwise.
            colour.sort_by_key(|line| std::cmp::Reverse(line.len()));
            for group in colour.chunks(slice) {
                for position in 0..group[0].len() {
                    vertex.extend(group.iter().map(|line| line.get(position).copied()));
                    vertex.resize(vertex.len().next_multiple_of(slice), None);
                }
                lines.begin.push((vertex.len() / slice) as i32);
            }
            lines.of_colour.push(first..(lines.begin.len() - 1) * slice);
            lines.arrangement.colours.push(first_slot..vertex.len());
        }
        lines
    }
}

/// Moves vertices between ranks so that each line along strong couplings has one owner, that of its first vertex.
/// Collective.
pub fn keep_lines_whole(dual: &mut DualMesh, boundaries: &mut Vec<BoundaryList>, ranks: &Ranks) {
    if ranks.size() == 1 {
        return;
    }
    let mut graph = Graph::new(dual, boundaries, ranks);
    for line in strong_lines(&graph.dual) {
        let owner = graph.owner[line[0] as usize];
        line.iter().for_each(|&vertex| graph.owner[vertex as usize] = owner);
    }
    let is_mine = |vertex: &u32| graph.owner[*vertex as usize] == ranks.rank() as u32;
    // What this rank owned or read, and its cells read still; then what came to it.
    let before: Vec<u32> = dual.global.iter().map(|&number| graph.find(number)).collect();
    let mut seen = vec![false; graph.len()];
    let all = before.iter().copied().chain(0..graph.len() as u32).filter(is_mine);
    let mine: Vec<u32> = all
        .filter(|&vertex| !std::mem::replace(&mut seen[vertex as usize], true))
        .collect();
    let ends = |&vertex: &u32| graph.dual.edges(vertex as usize).map(|edge| graph.dual.neighbour[edge]);
    let (interior, frontier): (Vec<u32>, Vec<u32>) =
        mine.iter().partition(|&vertex| ends(vertex).all(|end| is_mine(&end)));
    let wanted = before.iter().copied().chain(mine.iter().flat_map(ends)).collect();
    let count = interior.len();
    let part = graph.part([interior, frontier].concat(), wanted, ranks);
    *boundaries = part.boundaries(&graph);
    let boundary = |list: &BoundaryList| BoundaryVertices {
        vertex: list.vertex.clone(),
        area: list.area.clone(),
    };
    let point = |&vertex: &u32| part.local[before[vertex as usize] as usize];
    *dual = DualMesh {
        interior: count,
        boundary: boundaries.iter().map(boundary).collect(),
        point_vertex: dual.point_vertex.iter().map(point).collect(),
        ..part.dual(&graph)
    };
}

/// Returns the lines, each from its end with the lower number.
fn strong_lines(dual: &DualMesh) -> Vec<Vec<u32>> {
    let coupling = |edge: usize| length(dual.area[edge]) / length(dual.displacement[edge]);
    let strong = |vertex: usize| -> Vec<u32> {
        let others = dual
            .edges(vertex)
            .filter(|&edge| dual.neighbour[edge] as usize != vertex);
        let most = others.clone().map(coupling).fold(0.0, f64::max);
        let mut ends: Vec<u32> = others
            .filter(|&edge| coupling(edge) >= STRONG * most)
            .map(|edge| dual.neighbour[edge])
            .collect();
        ends.dedup();
        if ends.len() > 2 { Vec::new() } else { ends }
    };
    let strong: Vec<Vec<u32>> = (0..dual.owned).map(strong).collect();
    let joined: Vec<Vec<u32>> = (0..dual.owned as u32)
        .map(|v| {
            strong[v as usize]
                .iter()
                .copied()
                .filter(|&end| strong[end as usize].contains(&v))
                .collect()
        })
        .collect();
    let mut seen = vec![false; dual.owned];
    let mut lines = Vec::new();
    // From the ends of lines first; what is left then are rings, which are cut at their lowest number.
    for of_ring in [false, true] {
        for first in 0..dual.owned as u32 {
            if seen[first as usize] || (joined[first as usize].len() > 1 && !of_ring) {
                continue;
            }
            let mut line = Vec::new();
            let mut next = Some(first);
            while let Some(vertex) = next {
                seen[vertex as usize] = true;
                line.push(vertex);
                next = joined[vertex as usize].iter().copied().find(|&end| !seen[end as usize]);
            }
            lines.push(line);
        }
    }
    lines
}
