//! The rotations after which the sectors of an annulus repeat, and how vectors are carried across their sides.
//!
//! A vertex has the position of its first point, and vectors at it have the components that they have there. An edge
//! that passes a side of the sector leads to the place to which the rotation carries the vertex at its other end, and
//! vectors of that vertex are carried there with it before they are used.
//!
//! Rows of blades have numbers of their own, so that blocks of cells may repeat after different angles about one axis.
//! A number of turns therefore says by which of the angles it is: of the n-th angle, from 0, one turn is 2n + 1 and two
//! turns are 2n + 2. The other way round they are negative, and no turn of any angle is 0.

use crate::mesh::RigidMotion;
use crate::vector::{Vector, cross, dot, length, minus};

/// Largest difference of the matrices of rotations that are the same.
const SAME: f64 = 1e-9;

/// Ways in which a vertex of a cell may be seen by an angle: one turn and two, both ways.
const WAYS: usize = 4;

/// Most angles after which blocks of a mesh may repeat, so that all numbers of turns fit into an `i8`.
pub const MOST_ANGLES: usize = 60;

/// Turns by an angle, which has a number.
#[derive(Clone, Copy)]
struct Turns {
    angle: usize,
    count: i8,
}

impl Turns {
    /// Reads a number of turns; `None` if it is 0.
    fn of(number: i8) -> Option<Self> {
        let above = usize::from(number.unsigned_abs()).checked_sub(1)?;
        let count = 1 + (above % 2) as i8;
        Some(Turns {
            angle: above / 2,
            count: if number > 0 { count } else { -count },
        })
    }

    /// Returns them as a number.
    fn number(self) -> i8 {
        self.count + self.count.signum() * 2 * self.angle as i8
    }
}

/// The rotations after which the blocks of a mesh repeat. They have one axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Rotation {
    /// The motions of the kernels' table: none, and then those of each angle by 1, -1, 2 and -2 turns.
    motions: Vec<RigidMotion>,
    /// Whether two turns by an angle are a whole circle, `[angle]`.
    is_half: Vec<bool>,
    /// Distance from the axis below which a point is on it.
    near: f64,
}

/// Returns whether two matrices are the same rotation.
pub fn same_matrix(a: &[Vector; 3], b: &[Vector; 3]) -> bool {
    let mut pairs = a.as_flattened().iter().zip(b.as_flattened());
    pairs.all(|(a, b)| (a - b).abs() <= SAME)
}

/// Returns a point of the axis of a rotation and the direction of the axis.
fn axis_of(motion: &RigidMotion) -> [Vector; 2] {
    let m = &motion.matrix;
    let cosine = 0.5 * (m[0][0] + m[1][1] + m[2][2] - 1.0);
    // Twice the sine times the direction.
    let skew = [m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]];
    // The symmetric part is cosine I + (1 - cosine) n n^T, whose longest column less the first term is along n.
    let column = |d: usize| -> Vector {
        std::array::from_fn(|row| 0.5 * (m[row][d] + m[d][row]) - if row == d { cosine } else { 0.0 })
    };
    let longest = (1..3).fold(column(0), |most, d| {
        if length(column(d)) > length(most) {
            column(d)
        } else {
            most
        }
    });
    let direction = longest.map(|c| c / length(longest));
    // The fixed point p across the axis has p - R p = offset.
    let across: Vector = {
        let along = dot(motion.offset, direction);
        std::array::from_fn(|d| motion.offset[d] - along * direction[d])
    };
    let turned = cross(direction, across);
    let cotangent = 0.5 * dot(skew, direction) / (1.0 - cosine);
    let point = std::array::from_fn(|d| 0.5 * (across[d] + cotangent * turned[d]));
    [point, direction]
}

impl Rotation {
    /// Returns the rotations by these motions about one axis, one of each angle; `None` if their axes differ by more
    /// than `near`, at a point or by the length of their unit vectors. Points nearer to the axis than `near` are on it.
    pub fn new(of_angles: &[RigidMotion], near: f64) -> Option<Self> {
        let nothing = RigidMotion {
            matrix: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            offset: [0.0; 3],
        };
        let mut rotation = Rotation {
            motions: vec![nothing],
            is_half: Vec::new(),
            near,
        };
        for motion in of_angles {
            let twice = RigidMotion {
                matrix: std::array::from_fn(|row| {
                    std::array::from_fn(|column| dot(motion.matrix[row], motion.matrix.map(|other| other[column])))
                }),
                offset: motion.apply(motion.offset),
            };
            rotation.is_half.push(same_matrix(&twice.matrix, &nothing.matrix));
            rotation
                .motions
                .extend([*motion, motion.inverse(), twice, twice.inverse()]);
        }
        let [point, direction] = axis_of(of_angles.first()?);
        rotation.is_about(point, direction).then_some(rotation)
    }

    /// Whether the axis of all angles goes through a point in a direction.
    pub fn is_about(&self, point: Vector, direction: Vector) -> bool {
        self.motions.iter().all(|motion| {
            let turned = motion.matrix.map(|row| dot(row, direction));
            length(minus(motion.apply(point), point)) <= self.near && length(minus(turned, direction)) <= SAME.sqrt()
        })
    }

    /// Place of so many turns in the table of the kernels.
    pub fn place(turns: i8) -> usize {
        Turns::of(turns).map_or(0, |Turns { angle, count }| {
            1 + WAYS * angle + 2 * usize::from(count.unsigned_abs() - 1) + usize::from(count < 0)
        })
    }

    /// Returns the matrices of the table of the kernels, row by row.
    pub fn matrices(&self) -> Vec<f64> {
        let all = self.motions.iter().flat_map(|motion| motion.matrix);
        all.flatten().collect()
    }

    /// Turns by which a point can lie away from its vertex, without any first. Both ways are one if two turns are a
    /// whole circle.
    pub fn of_points(&self) -> Vec<i8> {
        let of_angle = |angle| self.of_points_by(Some(angle));
        let by_angles = (0..self.is_half.len()).flat_map(of_angle);
        [0].into_iter().chain(by_angles.filter(|turns| *turns != 0)).collect()
    }

    /// The same in a block that repeats after this angle, or that has none. Ways that the block lacks are 0.
    pub fn of_points_by(&self, angle: Option<usize>) -> [i8; 3] {
        angle.map_or([0; 3], |angle| {
            let turn = Turns { angle, count: 1 }.number();
            [0, turn, if self.is_half[angle] { 0 } else { -turn }]
        })
    }

    /// Number of the angle of these turns; `None` for no turn.
    pub fn angle_of(turns: i8) -> Option<usize> {
        Turns::of(turns).map(|turns| turns.angle)
    }

    /// Returns an angle, in radians.
    pub fn angle(&self, number: usize) -> f64 {
        let matrix = &self.motions[1 + WAYS * number].matrix;
        let skew = [
            matrix[2][1] - matrix[1][2],
            matrix[0][2] - matrix[2][0],
            matrix[1][0] - matrix[0][1],
        ];
        length(skew).atan2(matrix[0][0] + matrix[1][1] + matrix[2][2] - 1.0)
    }

    /// Returns by how many turns a point is seen from another one of the same cell, if both lie so many turns away from
    /// their vertices.
    pub fn between(&self, here: i8, there: i8) -> i8 {
        let [from, to] = [here, there].map(Turns::of);
        let Some(angle) = from.or(to).map(|turns| turns.angle) else {
            return 0;
        };
        let [from, to] = [from, to].map(|turns| turns.map_or(0, |turns| turns.count));
        let count = to - from;
        let count = if self.is_half[angle] {
            count.rem_euclid(2)
        } else {
            count
        };
        match count {
            0 => 0,
            count => Turns { angle, count }.number(),
        }
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

    /// Returns how far a turn by the least angle carries a point.
    pub fn chord(&self, x: Vector) -> f64 {
        let once = self.motions[1..].iter().step_by(WAYS);
        once.map(|motion| length(minus(motion.apply(x), x)))
            .fold(f64::INFINITY, f64::min)
    }

    /// Returns whether a point is on the axis.
    pub fn is_on_axis(&self, x: Vector) -> bool {
        self.chord(x) <= self.near
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A turn about the axis through (1, 0, 0) along z.
    fn by(angle: f64) -> RigidMotion {
        let (sine, cosine) = angle.sin_cos();
        RigidMotion {
            matrix: [[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]],
            offset: [1.0 - cosine, -sine, 0.0],
        }
    }

    #[test]
    fn numbers_of_turns_tell_the_angles_apart() {
        let angles = [0.3, 0.5, std::f64::consts::PI];
        let rotation = Rotation::new(&angles.map(by), 1e-9).expect("one axis");
        assert_eq!(rotation.of_points(), [0, 1, -1, 3, -3, 5]);
        let x = [1.8, 0.1, 0.4];
        for (number, angle) in angles.into_iter().enumerate() {
            assert!((rotation.angle(number) - angle).abs() < 1e-14);
            let one = rotation.of_points_by(Some(number))[1];
            assert_eq!(Rotation::angle_of(one), Some(number));
            assert!(length(minus(rotation.carried(one, x), by(angle).apply(x))) < 1e-15);
            assert_eq!(rotation.between(0, one), one);
            assert_eq!(rotation.between(one, one), 0);
            if number < 2 {
                assert_eq!(rotation.between(one, 0), -one);
                let two = rotation.between(-one, one);
                assert!(length(minus(rotation.carried(two, x), by(2.0 * angle).apply(x))) < 1e-15);
                assert!(length(minus(rotation.carried(-two, rotation.carried(two, x)), x)) < 1e-15);
            } else {
                assert_eq!(rotation.between(one, 0), one);
            }
        }
        assert_eq!((Rotation::place(0), Rotation::angle_of(0)), (0, None));
        assert_eq!(rotation.matrices().len(), 9 * (1 + 3 * WAYS));
    }

    #[test]
    fn rotations_about_different_axes_are_none() {
        let mut elsewhere = by(0.5);
        elsewhere.offset[0] += 0.1;
        assert_eq!(Rotation::new(&[by(0.3), elsewhere], 1e-6), None);
        let mut climbing = by(0.5);
        climbing.offset[2] = 0.1;
        assert_eq!(Rotation::new(&[by(0.3), climbing], 1e-6), None);
        // Half a turn about another axis through the same point commutes with this one.
        let across = RigidMotion {
            matrix: [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]],
            offset: [0.0; 3],
        };
        assert_eq!(Rotation::new(&[by(std::f64::consts::PI), across], 1e-6), None);
        let rotation = Rotation::new(&[by(0.3), by(0.5)], 1e-6).expect("one axis");
        assert!(rotation.is_about([1.0, 0.0, 3.0], [0.0, 0.0, 1.0]));
        assert!(!rotation.is_about([1.1, 0.0, 3.0], [0.0, 0.0, 1.0]));
        assert!(!rotation.is_about([1.0, 0.0, 3.0], [1.0, 0.0, 0.0]));
    }
}
