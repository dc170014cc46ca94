//! The rigid motions that carry one side of a periodic boundary to the other.

use crate::vector::{cross, dot, length, minus};

/// The motion that carries the first boundary of a periodic pair to the second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Motion {
    /// A shift by this vector.
    Translation([f64; 3]),
    /// A rotation about an axis.
    Rotation {
        /// A point on the axis.
        point: [f64; 3],
        /// Direction of the axis, of any length.
        axis: [f64; 3],
        /// Angle in radians, by the right-hand rule.
        angle: f64,
    },
}

/// The map x -> matrix x + offset.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RigidMotion {
    /// Rows of a rotation.
    pub matrix: [[f64; 3]; 3],
    /// Vector that is added after the rotation.
    pub offset: [f64; 3],
}

const IDENTITY: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// Product of a matrix and a vector.
pub fn turn(matrix: &[[f64; 3]; 3], x: [f64; 3]) -> [f64; 3] {
    matrix.map(|row| dot(row, x))
}

/// Distance of two points.
pub fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    length(minus(a, b))
}

impl RigidMotion {
    /// Returns the map of a motion.
    ///
    /// # Errors
    /// Returns the problem, as the predicate of a sentence about the motion, if a number is not finite or if the axis
    /// has length zero.
    pub fn new(motion: Motion) -> Result<Self, &'static str> {
        const NOT_FINITE: &str = "has a number that is not finite";
        match motion {
            Motion::Translation(offset) if offset.iter().all(|x| x.is_finite()) => Ok(Self {
                matrix: IDENTITY,
                offset,
            }),
            Motion::Translation(_) => Err(NOT_FINITE),
            Motion::Rotation { point, axis, angle } => {
                let length = dot(axis, axis).sqrt();
                if length == 0.0 {
                    return Err("is a rotation about an axis of length zero");
                }
                if !point.iter().chain(&[length, angle]).all(|x| x.is_finite()) {
                    return Err(NOT_FINITE);
                }
                let unit = axis.map(|x| x / length);
                let (sin, cos) = angle.sin_cos();
                // Rodrigues: the images of the three unit vectors are the columns.
                let columns = IDENTITY.map(|e| {
                    let (along, across) = (dot(unit, e), cross(unit, e));
                    let image: [f64; 3] =
                        std::array::from_fn(|d| cos * e[d] + sin * across[d] + (1.0 - cos) * along * unit[d]);
                    image
                });
                let matrix: [[f64; 3]; 3] = std::array::from_fn(|row| columns.map(|column| column[row]));
                let turned = turn(&matrix, point);
                Ok(Self {
                    matrix,
                    offset: std::array::from_fn(|d| point[d] - turned[d]),
                })
            }
        }
    }

    /// Returns the translation that carries one point to another.
    pub fn shift(from: [f64; 3], to: [f64; 3]) -> Self {
        Self {
            matrix: IDENTITY,
            offset: std::array::from_fn(|d| to[d] - from[d]),
        }
    }

    /// Returns the motion of an affine map, given as rows of a 4 x 4 matrix.
    ///
    /// # Errors
    /// Returns the problem, as the predicate of a sentence about the motion, if the map is not a rigid motion.
    pub fn from_affine(map: &[f64; 16]) -> Result<Self, &'static str> {
        /// Largest deviation from a rotation: users may write sines with few digits.
        const SLACK: f64 = 1e-6;
        const NOT_RIGID: &str = "is not rigid: it is no rotation and no translation";
        if !map.iter().all(|x| x.is_finite()) {
            return Err("has a number that is not finite");
        }
        let rows: [[f64; 3]; 3] = std::array::from_fn(|r| std::array::from_fn(|c| map[4 * r + c]));
        let near = |value: f64, wanted: f64| (value - wanted).abs() <= SLACK;
        let orthonormal = (0..3).all(|a| (0..3).all(|b| near(dot(rows[a], rows[b]), IDENTITY[a][b])));
        // Gmsh up to version 3 leaves the last row at zero: only the others count there.
        let last = &map[12..];
        let affine = last[..3].iter().all(|&x| near(x, 0.0)) && (near(last[3], 1.0) || near(last[3], 0.0));
        if !orthonormal || !affine || dot(cross(rows[0], rows[1]), rows[2]) < 0.0 {
            return Err(NOT_RIGID);
        }
        // Make the rows orthonormal to rounding, so that vectors keep their length.
        let unit = |x: [f64; 3]| x.map(|c| c / dot(x, x).sqrt());
        let first = unit(rows[0]);
        let along = dot(first, rows[1]);
        let second = unit(std::array::from_fn(|d| rows[1][d] - along * first[d]));
        Ok(Self {
            matrix: [first, second, cross(first, second)],
            offset: [map[3], map[7], map[11]],
        })
    }

    /// Returns the motion as rows of a 4 x 4 matrix.
    pub fn affine(&self) -> [f64; 16] {
        let mut map = [0.0; 16];
        for (row, values) in self.matrix.iter().enumerate() {
            map[4 * row..4 * row + 3].copy_from_slice(values);
            map[4 * row + 3] = self.offset[row];
        }
        map[15] = 1.0;
        map
    }

    /// Returns the image of a point.
    pub fn apply(&self, x: [f64; 3]) -> [f64; 3] {
        let turned = turn(&self.matrix, x);
        std::array::from_fn(|d| turned[d] + self.offset[d])
    }

    /// Returns the inverse motion.
    pub fn inverse(&self) -> Self {
        let matrix = transpose(&self.matrix);
        Self {
            matrix,
            offset: turn(&matrix, self.offset).map(|x| -x),
        }
    }

    /// Returns true if vectors keep their direction.
    fn is_translation(&self) -> bool {
        same(&self.matrix, &IDENTITY, 1e-9)
    }

    /// Returns the indices in `list` of the rotation and of its inverse, which are added if they are not there; `None`
    /// for a translation.
    pub fn rotations(&self, list: &mut Vec<[[f64; 3]; 3]>) -> Option<[usize; 2]> {
        if self.is_translation() {
            return None;
        }
        Some([self.matrix, transpose(&self.matrix)].map(|matrix| {
            let known = list.iter().position(|other| same(other, &matrix, 1e-12));
            known.unwrap_or_else(|| {
                list.push(matrix);
                list.len() - 1
            })
        }))
    }
}

fn transpose(matrix: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    std::array::from_fn(|row| matrix.map(|other| other[row]))
}

fn same(a: &[[f64; 3]; 3], b: &[[f64; 3]; 3], tolerance: f64) -> bool {
    a.iter()
        .flatten()
        .zip(b.iter().flatten())
        .all(|(x, y)| (x - y).abs() <= tolerance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rotation_turns_by_the_right_hand_rule_about_its_axis() {
        let motion = Motion::Rotation {
            point: [1.0, 0.0, 5.0],
            axis: [0.0, 0.0, 3.0],
            angle: std::f64::consts::FRAC_PI_2,
        };
        let rigid = RigidMotion::new(motion).expect("is a rotation");
        let there = rigid.apply([2.0, 0.0, 1.0]);
        assert!(distance(there, [1.0, 1.0, 1.0]) < 1e-15, "{there:?}");
        assert!(distance(rigid.inverse().apply(there), [2.0, 0.0, 1.0]) < 1e-15);
        let mut list = Vec::new();
        assert_eq!(rigid.rotations(&mut list), Some([0, 1]));
        assert_eq!(rigid.inverse().rotations(&mut list), Some([1, 0]));
    }

    #[test]
    fn reflections_and_stretchings_are_no_motions() {
        let mut map = [
            1.0, 0.0, 0.0, 2.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0,
        ];
        assert_eq!(RigidMotion::from_affine(&map).expect("a shift").offset, [2.0, 0.0, 0.0]);
        // Gmsh up to version 3 wrote no last row.
        map[15] = 0.0;
        assert_eq!(RigidMotion::from_affine(&map).expect("a shift").offset, [2.0, 0.0, 0.0]);
        map[15] = 0.5;
        assert!(RigidMotion::from_affine(&map).is_err());
        (map[14], map[15]) = (1.0, 1.0);
        assert!(RigidMotion::from_affine(&map).is_err());
        map[14] = 0.0;
        map[0] = -1.0;
        assert!(RigidMotion::from_affine(&map).is_err());
        map[0] = 1.5;
        assert!(RigidMotion::from_affine(&map).is_err());
        map[0] = f64::NAN;
        assert!(RigidMotion::from_affine(&map).is_err());
    }
}
