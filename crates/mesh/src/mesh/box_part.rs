//! Boxes of which each rank builds its own cells only.
//!
//! The cubes of a box are divided among the ranks by halving: the longest side is cut in proportion to the ranks on
//! either side, until one rank is left. Every rank finds the cubes of all others by the same arithmetic, so that
//! nothing is exchanged, and no rank holds more than its share.

use std::ops::Range;

use mpi::topology::SimpleCommunicator;
use mpi::traits::*;

use super::CellCounts;
use super::box_mesh::{BoxGrid, joined};
use super::source::BoxMesh;
use super::types::Mesh;

/// Number of cells from which a box is built by parts. Smaller boxes are divided by METIS, which needs the whole box.
/// (A periodic box of 100^3 hexahedra has 68 306 faces between 8 parts of METIS, and 60 000 between halves.)
const LEAST_CELLS: f64 = 4e6;

/// Ranges of cubes in the three directions.
type Cubes = [Range<usize>; 3];

/// Returns whether ranks build a box by parts: if it has at least 4 million cells of one kind.
pub fn is_built_by_parts(b: &BoxMesh) -> bool {
    CellCounts::of_box(b).is_some_and(|counts| counts.sum(|_, _| 1.0) >= LEAST_CELLS)
}

/// Builds this rank's part of a box of cells of one kind. There must be many cubes a rank. Collective.
pub fn box_on_ranks(b: &BoxMesh, order: usize, comm: &SimpleCommunicator) -> Mesh {
    let of_box = BoxGrid::new(b, order);
    let (mut mesh, mut hash) = std::thread::scope(|scope| {
        let hash = (comm.rank() == 0).then(|| scope.spawn(|| of_box.grid.hash(|at, level| of_box.position(at, level))));
        let mesh = part_of_box(b, &of_box, comm.size() as usize, comm.rank() as usize);
        (mesh, hash.map_or(0, |hash| hash.join().expect("a hash does not fail")))
    });
    comm.process_at_rank(0).broadcast_into(&mut hash);
    if let Some(part) = &mut mesh.part {
        part.hash = hash;
    }
    mesh
}

/// Builds the part of rank `rank` of `ranks`, without the hash of the whole mesh.
fn part_of_box(b: &BoxMesh, of_box: &BoxGrid, ranks: usize, rank: usize) -> Mesh {
    let own = cubes_of(b.cells, ranks, |_, _, low| rank < low);
    Mesh {
        joined: joined(b),
        ..of_box.grid.part(
            &own.0,
            |at| cubes_of(b.cells, ranks, |d, cut, _| at[d] < cut).1,
            |at, level| of_box.position(at, level),
        )
    }
}

/// Halves the cubes until one rank is left; returns its cubes and its number. `is_low(d, cut, low)` chooses a half at
/// each cut across direction `d`: the one below `cut`, whose ranks end before `low`, or the other.
fn cubes_of(cells: [usize; 3], ranks: usize, is_low: impl Fn(usize, usize, usize) -> bool) -> (Cubes, usize) {
    let mut cubes = cells.map(|n| 0..n);
    let (mut first, mut ranks) = (0, ranks);
    while ranks > 1 {
        let longest = (0..3).max_by_key(|&d| cubes[d].len()).unwrap_or_default();
        let side = cubes[longest].clone();
        let low = ranks / 2;
        let cut = side.start + (side.len() * low / ranks).max(1);
        if is_low(longest, cut, first + low) {
            cubes[longest].end = cut;
            ranks = low;
        } else {
            cubes[longest].start = cut;
            (first, ranks) = (first + low, ranks - low);
        }
    }
    (cubes, first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::partition::extract;
    use crate::mesh::{BoxElements, WarpKind, build_box};

    /// The parts of a box are those that are taken out of the whole box, and so is the hash.
    #[test]
    fn parts_are_those_of_the_whole_box() {
        let kinds = [
            BoxElements::Hex,
            BoxElements::Prism,
            BoxElements::Tet,
            BoxElements::Pyramid,
        ];
        for (elements, periodic) in
            kinds
                .into_iter()
                .zip([[true, false, true], [false; 3], [true; 3], [false, true, false]])
        {
            for (ranks, warp) in [(1, 0.0), (2, 0.1), (3, 0.0), (7, 0.1)] {
                let b = BoxMesh {
                    cells: [7, 3, 5],
                    lower: [0.0, -1.0, 2.0],
                    upper: [3.0, 1.0, 3.0],
                    periodic,
                    elements,
                    stretch: [None, Some(1.5), None],
                    warp,
                    warp_kind: WarpKind::Curved,
                };
                let whole = build_box(&b, 2).expect("a box");
                let of_box = BoxGrid::new(&b, 2);
                assert_eq!(of_box.grid.hash(|at, level| of_box.position(at, level)), whole.hash());
                let per_cube = whole.len() / b.cells.iter().product::<usize>();
                let part_of: Vec<u32> = (0..whole.len())
                    .map(|cell| {
                        let cube = cell / per_cube;
                        let at = [cube % 7, cube / 7 % 3, cube / 21];
                        cubes_of(b.cells, ranks, |d, cut, _| at[d] < cut).1 as u32
                    })
                    .collect();
                for rank in 0..ranks {
                    let expected = extract(&whole, &part_of, rank);
                    let part = part_of_box(&b, &of_box, ranks, rank);
                    assert!(!part.is_empty());
                    assert_eq!(part.kinds, expected.kinds);
                    assert_eq!(part.nodes, expected.nodes);
                    assert_eq!(part.first_node, expected.first_node);
                    assert_eq!(part.sides, expected.sides);
                    assert_eq!(part.first_side, expected.first_side);
                    assert_eq!(part.boundary_names, expected.boundary_names);
                    assert_eq!(part.joined, expected.joined);
                    assert_eq!(part.part.unwrap().global, expected.part.unwrap().global);
                }
            }
        }
    }

    /// Ranks get about equally many cubes.
    #[test]
    fn shares_are_even() {
        for ranks in [2, 3, 5, 12, 64, 100] {
            let shares = (0..ranks).map(|rank| {
                let (cubes, number) = cubes_of([160, 200, 130], ranks, |_, _, low| rank < low);
                assert_eq!(number, rank);
                cubes.iter().map(Range::len).product::<usize>()
            });
            let shares: Vec<usize> = shares.collect();
            assert_eq!(shares.iter().sum::<usize>(), 160 * 200 * 130);
            let (least, most) = (shares.iter().min().unwrap(), shares.iter().max().unwrap());
            assert!(*most as f64 / (*least as f64) < 1.12, "{ranks}: {least} to {most}");
        }
    }

    mod long {
        use super::*;

        /// Prints what one rank of many takes for its part of a box of 100 million hexahedra, and rank 0 for the hash.
        #[test]
        #[ignore = "takes minutes and 7 GB"]
        fn time_and_memory_of_a_large_box() {
            let b = BoxMesh {
                cells: [500, 500, 400],
                lower: [0.0; 3],
                upper: [5.0, 5.0, 4.0],
                periodic: [true, true, false],
                elements: BoxElements::Hex,
                stretch: [None, None, Some(1.5)],
                warp: 0.0,
                warp_kind: WarpKind::Curved,
            };
            let resident = || {
                let text = std::fs::read_to_string("/proc/self/statm").expect("Linux");
                let pages: f64 = text.split(' ').nth(1).expect("a number").parse().expect("a number");
                pages * 4096.0
            };
            let of_box = BoxGrid::new(&b, 3);
            for ranks in [64, 32, 16, 8] {
                let begin = std::time::Instant::now();
                let before = resident();
                let part = part_of_box(&b, &of_box, ranks, ranks / 2);
                let bytes = resident() - before;
                println!(
                    "{ranks} ranks: {} cells in {:.2} s, {:.2} GB, {:.0} bytes a cell",
                    part.len(),
                    begin.elapsed().as_secs_f64(),
                    bytes / 1e9,
                    bytes / part.len() as f64
                );
            }
            let begin = std::time::Instant::now();
            let hash = of_box.grid.hash(|at, level| of_box.position(at, level));
            println!("hash {hash:016x} in {:.2} s", begin.elapsed().as_secs_f64());
        }
    }
}
