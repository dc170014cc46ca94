//! Boxes of cubes, uniform or stretched to the walls, straight, trilinear or smoothly curved. Each cube is a
//! hexahedron, two prisms, six tetrahedra or six pyramids.
//!
//! The mixed box repeats a block of 4 x 2 x 2 cubes in which every pair of kinds that can share a face does so, both
//! between cubes and inside them. Its cubes are hexahedra (H), two prisms along z (P), three pyramids about corner 0
//! (C) or six about the centre (Y); two tetrahedra replace a pyramid on a split face (see [`super::cube_division`]):
//!
//! ```text
//!             z = 1                  z = 0
//!     y = 1   Y P H Y                H P H H        x from left to right
//!     y = 0   C Y Y C                P H H P
//! ```
//!
//! C requires split faces at its low sides, P at both ends in z, and H none. The arrangement of the block avoids
//! contradictions. The first two columns in x may also follow each other, so that any even number of columns from 4 on
//! makes a box.

use thiserror::Error;

use super::cube_division::CubeDivision;
use super::cube_grid::{CubeGrid, Ends};
use super::source::{BoxElements, BoxMesh, WarpKind};
use super::types::Mesh;

/// The block of the mixed box, `[z][y][x]`.
const MIXED: [[[CubeDivision; 4]; 2]; 2] = {
    use CubeDivision::{Centre as Y, Corner as C, Hex as H, Prisms as P};
    [[[P, H, H, P], [H, P, H, H]], [[C, Y, Y, C], [Y, P, H, Y]]]
};

/// An error in the parameters of a box.
#[derive(Debug, Error, PartialEq)]
pub enum BoxError {
    /// The pattern of the mixed box does not fit.
    #[error(
        "a box of mixed elements repeats a block of cubes: it needs an even number of cubes in every direction, \
         at least 4 in x and 2 in y and z, not {} x {} x {}", .0[0], .0[1], .0[2]
    )]
    Mixed([usize; 3]),
}

/// Checks that the box can be built.
///
/// # Errors
/// The numbers of cubes do not suit a box of mixed elements.
pub fn check_box(b: &BoxMesh) -> Result<(), BoxError> {
    let least = [4, 2, 2];
    let fits = (0..3).all(|d| b.cells[d] >= least[d] && b.cells[d].is_multiple_of(2));
    if b.elements == BoxElements::Mixed && !fits {
        return Err(BoxError::Mixed(b.cells));
    }
    Ok(())
}

/// Builds the box. Curved cells get geometry of degree `order`, that of the solution, so that the solution points
/// represent it exactly.
///
/// # Errors
/// [`check_box`] does.
pub fn build_box(b: &BoxMesh, order: usize) -> Result<Mesh, BoxError> {
    check_box(b)?;
    let of_box = BoxGrid::new(b, order);
    Ok(Mesh {
        joined: joined(b),
        ..of_box.grid.mesh(|at, level| of_box.position(at, level))
    })
}

/// Names of the boundaries at the two ends of each direction.
fn side_names() -> [[String; 2]; 3] {
    ["x", "y", "z"].map(|name| [format!("{name}-"), format!("{name}+")])
}

/// Names of the boundaries that a box joins as periodic.
pub(super) fn joined(b: &BoxMesh) -> Vec<[String; 2]> {
    let joined = side_names()
        .into_iter()
        .zip(b.periodic)
        .filter(|(_, periodic)| *periodic);
    joined.map(|(pair, _)| pair).collect()
}

/// The grid of cubes of a box, and the positions of its nodes.
pub(super) struct BoxGrid<'a> {
    of: &'a BoxMesh,
    /// The cubes.
    pub grid: CubeGrid,
    /// Coordinates of the nodes in each direction, `[cube][level]`.
    lines: [Vec<Coordinate>; 3],
    width: [f64; 3],
    /// Largest displacement of a node.
    amplitude: f64,
}

impl<'a> BoxGrid<'a> {
    /// The grid of a box that passes [`check_box`], for a solution of degree `order`.
    pub fn new(b: &'a BoxMesh, order: usize) -> Self {
        let curved = b.warp != 0.0 && b.warp_kind == WarpKind::Curved;
        let order = if curved { order } else { 1 };
        let mut sides = side_names();
        let ends = std::array::from_fn(|d| {
            if b.periodic[d] {
                Ends::Periodic
            } else {
                Ends::Boundaries(std::mem::take(&mut sides[d]))
            }
        });
        let uniform = match b.elements {
            BoxElements::Hex => Some(CubeDivision::Hex),
            BoxElements::Prism => Some(CubeDivision::Prisms),
            BoxElements::Tet => Some(CubeDivision::Tets),
            BoxElements::Pyramid => Some(CubeDivision::Centre),
            BoxElements::Mixed => None,
        };
        let grid = match uniform {
            Some(division) => CubeGrid::uniform(b.cells, ends, order, division),
            None => CubeGrid::new(b.cells, ends, order, |at| MIXED[at[2] % 2][at[1] % 2][at[0] % 4]),
        };
        let levels = grid.levels();
        let lines = std::array::from_fn(|d| {
            let vertices: Vec<f64> = (0..=b.cells[d])
                .map(|i| relative_vertex(i, b.cells[d], b.stretch[d]))
                .collect();
            let along = |i: usize| levels.iter().map(move |&level| (i, level));
            (0..b.cells[d])
                .flat_map(along)
                // The exact upper vertex at the upper end, so that neighbours share their nodes to the last bit.
                .map(|(i, level)| match (vertices[i], vertices[i + 1]) {
                    (_, high) if level == 1.0 => high,
                    (low, high) => low + level * (high - low),
                })
                .map(|x| Coordinate::new(x, d))
                .collect()
        });
        let width: [f64; 3] = std::array::from_fn(|d| b.upper[d] - b.lower[d]);
        let shortest = width.iter().copied().fold(f64::INFINITY, f64::min);
        BoxGrid {
            of: b,
            grid,
            lines,
            width,
            amplitude: b.warp * shortest,
        }
    }

    /// Position of the node of the cube `at` with these levels.
    pub fn position(&self, at: [usize; 3], level: [usize; 3]) -> [f64; 3] {
        let levels = self.grid.levels().len();
        let x: [&Coordinate; 3] = std::array::from_fn(|d| &self.lines[d][at[d] * levels + level[d]]);
        let place = |d: usize| self.of.lower[d] + x[d].position * self.width[d] + self.amplitude * displacement(x, d);
        std::array::from_fn(place)
    }
}

/// Position in [0, 1] of vertex `i` of a line of `cells` cells: uniform, or clustered to both ends by
/// (1 - tanh(lam (1/2 - i/n)) / tanh(lam/2)) / 2.
fn relative_vertex(i: usize, cells: usize, stretch: Option<f64>) -> f64 {
    let s = i as f64 / cells as f64;
    match stretch {
        Some(lam) if i != 0 && i != cells => 0.5 * (1.0 - (lam * (0.5 - s)).tanh() / (0.5 * lam).tanh()),
        _ => s,
    }
}

/// One coordinate of nodes in the unit box, and its factors in the displacement.
struct Coordinate {
    position: f64,
    /// Factor in the displacement along this coordinate.
    along: f64,
    /// Factor in the displacements along the other two coordinates.
    across: f64,
}

/// A full turn in radians.
const TURN: f64 = 2.0 * std::f64::consts::PI;

impl Coordinate {
    /// The coordinate `x` in direction `d`.
    fn new(x: f64, d: usize) -> Self {
        let phase = [0.3, 1.1, 2.3][d];
        Coordinate {
            position: x,
            // Exactly zero on the sides of the box: sin(2 pi) is not zero in floating point.
            along: if x == 0.0 || x == 1.0 { 0.0 } else { (TURN * x).sin() },
            // The two ends coincide in a periodic box, so that their factors must be equal to the last bit.
            across: (TURN * (if x == 1.0 { 0.0 } else { x }) + phase).cos(),
        }
    }
}

/// Displacement in direction `d` of a point of the unit box: smooth, periodic in every direction, and zero along the
/// normal on the sides of the box. Its largest slope is 1. Multiplied by `warp` and the shortest side of the box it
/// leaves all cells valid for warp < 1/2.
fn displacement(x: [&Coordinate; 3], d: usize) -> f64 {
    x[d].along * x[(d + 1) % 3].across * x[(d + 2) % 3].across / TURN
}

#[cfg(test)]
#[path = "box_tests.rs"]
mod tests;
