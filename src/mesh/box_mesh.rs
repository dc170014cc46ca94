//! Boxes of cubes, uniform or stretched to the walls, straight, trilinear or smoothly curved; each cube is a
//! hexahedron, or two prisms, six tetrahedra or six pyramids.
//!
//! The mixed box repeats a block of 4 x 2 x 2 cubes that has every pair of kinds that can share a face, as a face of
//! the cubes and inside them. Its cubes are hexahedra (H), two prisms along z (P), three pyramids about corner 0 (C) or
//! six about the centre (Y), where pyramids on split faces give way to two tetrahedra each (see [`super::division`]):
//!
//! ```text
//!             z = 1                  z = 0
//!     y = 1   Y P H Y                H P H H        x from left to right
//!     y = 0   C Y Y C                P H H P
//! ```
//!
//! C wants split faces at its low sides, P at both ends in z, and H none: the block is so arranged that they never
//! disagree. Its first two columns in x may also stand next to each other, so that any even number of columns from 4
//! makes a box.

use thiserror::Error;

use super::Mesh;
use super::division::Division;
use super::lattice::{Ends, Lattice};
use crate::mesh::{BoxElements, BoxMesh, WarpKind};

/// The block of the mixed box as [z][y][x].
const MIXED: [[[Division; 4]; 2]; 2] = {
    use Division::{Centre as Y, Corner as C, Hex as H, Prisms as P};
    [[[P, H, H, P], [H, P, H, H]], [[C, Y, Y, C], [Y, P, H, Y]]]
};

/// A box that cannot be built.
#[derive(Debug, Error, PartialEq)]
pub enum BoxError {
    /// The pattern of the mixed box does not fit.
    #[error(
        "a box of mixed elements repeats a block of cubes: it needs an even number of cubes in every direction, \
         at least 4 in x and 2 in y and z, not {} x {} x {}", .0[0], .0[1], .0[2]
    )]
    Mixed([usize; 3]),
}

/// Whether the box can be built.
pub fn check_box(b: &BoxMesh) -> Result<(), BoxError> {
    let least = [4, 2, 2];
    let fits = (0..3).all(|d| b.cells[d] >= least[d] && b.cells[d].is_multiple_of(2));
    if b.elements == BoxElements::Mixed && !fits {
        return Err(BoxError::Mixed(b.cells));
    }
    Ok(())
}

/// Builds the box; curved cells get geometry of degree `order`, so that the solution's own points carry it exactly.
pub fn build_box(b: &BoxMesh, order: usize) -> Result<Mesh, BoxError> {
    check_box(b)?;
    let curved = b.warp != 0.0 && b.warp_kind == WarpKind::Curved;
    let sides = ["x", "y", "z"].map(|name| [format!("{name}-"), format!("{name}+")]);
    let ends = std::array::from_fn(|d| match b.periodic[d] {
        true => Ends::Periodic,
        false => Ends::Boundaries(sides[d].clone()),
    });
    let lattice = Lattice::new(b.cells, ends, if curved { order } else { 1 }, |at| match b.elements {
        BoxElements::Hex => Division::Hex,
        BoxElements::Prism => Division::Prisms,
        BoxElements::Tet => Division::Tets,
        BoxElements::Pyramid => Division::Centre,
        BoxElements::Mixed => MIXED[at[2] % 2][at[1] % 2][at[0] % 4],
    });
    let levels = lattice.levels();
    let lines: [Vec<Coordinate>; 3] = std::array::from_fn(|d| {
        let vertices: Vec<f64> = (0..=b.cells[d])
            .map(|i| relative_vertex(i, b.cells[d], b.stretch[d]))
            .collect();
        let along = |i: usize| levels.iter().map(move |&level| (i, level));
        (0..b.cells[d])
            .flat_map(along)
            // Exactly the upper vertex at the upper end, so that neighbours share their nodes to the last bit.
            .map(|(i, level)| match (vertices[i], vertices[i + 1]) {
                (_, high) if level == 1.0 => high,
                (low, high) => low + level * (high - low),
            })
            .map(|x| Coordinate::new(x, d))
            .collect()
    });
    let width: [f64; 3] = std::array::from_fn(|d| b.upper[d] - b.lower[d]);
    let shortest = width.iter().copied().fold(f64::INFINITY, f64::min);
    let amplitude = b.warp * shortest;
    let mesh = lattice.mesh(|at, level| {
        let x: [&Coordinate; 3] = std::array::from_fn(|d| &lines[d][at[d] * levels.len() + level[d]]);
        std::array::from_fn(|d| b.lower[d] + x[d].place * width[d] + amplitude * displacement(x, d))
    });
    let joined = sides.into_iter().zip(b.periodic).filter(|(_, periodic)| *periodic);
    Ok(Mesh {
        joined: joined.map(|(pair, _)| pair).collect(),
        ..mesh
    })
}

/// Vertex `i` of `cells` in [0, 1]: uniform, or clustered to both ends by
/// (1 - tanh(lam (1/2 - i/n))/tanh(lam/2))/2.
fn relative_vertex(i: usize, cells: usize, stretch: Option<f64>) -> f64 {
    let s = i as f64 / cells as f64;
    match stretch {
        Some(lam) if i != 0 && i != cells => 0.5 * (1.0 - (lam * (0.5 - s)).tanh() / (0.5 * lam).tanh()),
        _ => s,
    }
}

/// One coordinate of nodes in the unit box, with its factors in the displacement along it and across it.
struct Coordinate {
    place: f64,
    along: f64,
    across: f64,
}

/// A whole turn.
const TURN: f64 = 2.0 * std::f64::consts::PI;

impl Coordinate {
    /// The coordinate `x` in direction `d`.
    fn new(x: f64, d: usize) -> Self {
        let phase = [0.3, 1.1, 2.3][d];
        Coordinate {
            place: x,
            // No shift on the sides themselves, not even by rounding: sin(2 pi) is not zero in floating point.
            along: if x == 0.0 || x == 1.0 { 0.0 } else { (TURN * x).sin() },
            // The two ends of the other directions are the same place in a periodic box: equal to the last bit.
            across: (TURN * (if x == 1.0 { 0.0 } else { x }) + phase).cos(),
        }
    }
}

/// Smooth displacement of the unit box, periodic in every direction, that keeps the box's sides flat, in direction `d`.
/// Its largest slope is 1: times `warp` and the shortest side of the box, it leaves cells of any box valid for warp <
/// 1/2.
fn displacement(x: [&Coordinate; 3], d: usize) -> f64 {
    x[d].along * x[(d + 1) % 3].across * x[(d + 2) % 3].across / TURN
}

#[cfg(test)]
#[path = "box_tests.rs"]
mod tests;
