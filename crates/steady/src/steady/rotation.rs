//! The rotation after which a sector of an annulus repeats, and how vectors are carried across its sides.
//!
//! A vertex has the position of its first point, and vectors at it have the components that they have there. An edge
//! that passes a side of the sector leads to the place to which the rotation carries the vertex at its other end, and
//! vectors of that vertex are carried there with it before they are used.

use crate::mesh::RigidMotion;
use crate::vector::{Vector, dot, length, minus};

/// Largest difference of the matrices of rotations that are the same.
const SAME: f64 = 1e-9;

/// Turns by which vertices of a cell may be seen, in the order of the kernels' table of rotations.
const TURNS: [i8; 5] = [0, 1, -1, 2, -2];

/// The rotation after which a mesh repeats.
#[derive(Debug, Clone, PartialEq)]
pub struct Rotation {
    /// The motions by so many turns, in the order of [`TURNS`].
    motions: [RigidMotion; TURNS.len()],
    /// Whether two turns are a whole circle.
    is_half: bool,
    /// Distance from the axis below which a point is on it.
    near: f64,
}

/// Returns whether two matrices are the same rotation.
pub fn same_matrix(a: &[Vector; 3], b: &[Vector; 3]) -> bool {
    let mut pairs = a.as_flattened().iter().zip(b.as_flattened());
    pairs.all(|(a, b)| (a - b).abs() <= SAME)
}

impl Rotation {
    /// Returns the rotation by this motion. Points nearer to its axis than `near` are on it.
    pub fn new(motion: RigidMotion, near: f64) -> Self {
        let twice = RigidMotion {
            matrix: std::array::from_fn(|row| {
                std::array::from_fn(|column| dot(motion.matrix[row], motion.matrix.map(|other| other[column])))
            }),
            offset: motion.apply(motion.offset),
        };
        let nothing = RigidMotion {
            matrix: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            offset: [0.0; 3],
        };
        Rotation {
            is_half: same_matrix(&twice.matrix, &nothing.matrix),
            motions: [nothing, motion, motion.inverse(), twice, twice.inverse()],
            near,
        }
    }

    /// Place of so many turns in the table of the kernels.
    pub fn place(turns: i8) -> usize {
        let place = TURNS.iter().position(|&known| known == turns);
        place.expect("a cell spans no more than a sector")
    }

    /// Returns the matrices of the table of the kernels, row by row.
    pub fn matrices(&self) -> Vec<f64> {
        let all = self.motions.iter().flat_map(|motion| motion.matrix);
        all.flatten().collect()
    }

    /// Turns by which a point can lie away from its vertex, without any first. Both ways are one if two turns are a
    /// whole circle.
    pub fn of_points(&self) -> &'static [i8] {
        if self.is_half { &TURNS[..2] } else { &TURNS[..3] }
    }

    /// Returns by how many turns a point is seen from another one, if both lie so many turns away from their vertices.
    pub fn between(&self, here: i8, there: i8) -> i8 {
        let turns = there - here;
        if self.is_half { turns.rem_euclid(2) } else { turns }
    }

    /// Carries a point by so many turns.
    pub fn carried(&self, turns: i8, x: Vector) -> Vector {
        match turns {
            0 => x,
            turns => self.motions[Self::place(turns)].apply(x),
        }
    }

    /// Turns a vector by so many turns.
    pub fn turned(&self, turns: i8, v: Vector) -> Vector {
        match turns {
            0 => v,
            turns => self.motions[Self::place(turns)].matrix.map(|row| dot(row, v)),
        }
    }

    /// Returns how far a turn carries a point.
    pub fn chord(&self, x: Vector) -> f64 {
        length(minus(self.carried(1, x), x))
    }

    /// Returns whether a point is on the axis.
    pub fn is_on_axis(&self, x: Vector) -> bool {
        self.chord(x) <= self.near
    }
}
