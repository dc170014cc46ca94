//! The order of vertices in memory for sweeps: colour by colour, in groups of lines that lie side by side.

use std::ops::Range;

use super::colours::colours;
use crate::ranks::Ranks;
use crate::steady::conditions::BoundaryList;
use crate::steady::dual::DualMesh;
use crate::steady::migration::migrate;
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
        let points: Vec<[u32; 1]> = (0..dual.owned as u32).map(|vertex| [vertex]).collect();
        let (colours, count) = colours(dual, &points, &dual.global, ranks);
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
        let lines = walk(dual, &joined(dual, ranks));
        // The number of a line is the lowest of its vertices.
        let mut number = dual.global.clone();
        for line in &lines {
            let lowest = line.iter().map(|&vertex| dual.global[vertex as usize]).min();
            line.iter()
                .for_each(|&vertex| number[vertex as usize] = lowest.expect("a line has vertices"));
        }
        dual.update_halo(ranks, &mut number);
        let (colours, count) = colours(dual, &lines, &number, ranks);
        let mut of_colour = vec![Vec::new(); count];
        for line in lines {
            of_colour[colours[line[0] as usize] as usize].push(line);
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

/// Moves vertices between ranks so that each line along strong couplings has one owner, that of its lowest vertex.
/// Collective.
pub fn keep_lines_whole(dual: &mut DualMesh, boundaries: &mut [BoundaryList], ranks: &Ranks) {
    if ranks.size() == 1 {
        return;
    }
    let joined = joined(dual, ranks);
    let pieces = walk(dual, &joined);
    // The lowest vertex that is known of the line of each vertex. It comes from piece to piece.
    let mut lowest = dual.vertices(ranks);
    loop {
        let mut news = false;
        for piece in &pieces {
            let beside = piece.iter().flat_map(|&vertex| &joined[vertex as usize]);
            let known = piece.iter().chain(beside).map(|&vertex| lowest[vertex as usize]);
            let first = known.min_by_key(|vertex| vertex.number).expect("a piece has vertices");
            for &vertex in piece {
                news |= std::mem::replace(&mut lowest[vertex as usize], first) != first;
            }
        }
        dual.update_halo_of_vertices(ranks, &mut lowest);
        if ranks.first_rank_where(news).is_none() {
            break;
        }
    }
    let owner: Vec<u32> = lowest.iter().map(|vertex| vertex.owner).collect();
    migrate(dual, boundaries, &owner, ranks);
}

/// Returns the one or two local vertices to which lines join each owned vertex; none if it is alone. Collective.
fn joined(dual: &DualMesh, ranks: &Ranks) -> Vec<Vec<u32>> {
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
    let mut ends: Vec<Vec<u32>> = (0..dual.owned).map(strong).collect();
    // A vertex alone is its own neighbour here, which no edge of a line leads to.
    let mut numbers: Vec<[u64; 2]> = dual.global.iter().map(|&number| [number; 2]).collect();
    for (numbers, ends) in numbers.iter_mut().zip(&ends) {
        for (number, &end) in numbers.iter_mut().zip(ends) {
            *number = dual.global[end as usize];
        }
    }
    dual.update_halo_of(ranks, &mut numbers);
    for (ends, number) in ends.iter_mut().zip(&dual.global) {
        ends.retain(|&end| numbers[end as usize].contains(number));
    }
    ends
}

/// Returns the lines of owned vertices that are joined, each from its end with the lower global number.
fn walk(dual: &DualMesh, joined: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let ends = |vertex: u32| {
        let ends = joined[vertex as usize].iter().copied();
        ends.filter(|&end| (end as usize) < dual.owned)
    };
    let mut order: Vec<u32> = (0..dual.owned as u32).collect();
    order.sort_unstable_by_key(|&vertex| dual.global[vertex as usize]);
    let mut seen = vec![false; dual.owned];
    let mut lines = Vec::new();
    // From the ends of lines first; what is left then are rings, which are cut at their lowest number.
    for of_ring in [false, true] {
        for &first in &order {
            if seen[first as usize] || (ends(first).count() > 1 && !of_ring) {
                continue;
            }
            let mut line = Vec::new();
            let mut next = Some(first);
            while let Some(vertex) = next {
                seen[vertex as usize] = true;
                line.push(vertex);
                next = ends(vertex).find(|&end| !seen[end as usize]);
            }
            lines.push(line);
        }
    }
    lines
}
