//! The shifts and the rotations after which a mesh repeats, and the images in which they carry a vertex.

use std::cmp::Ordering;

use nalgebra::DMatrix;

use super::error::DualError;
use super::rotation::{MOST_ANGLES, Rotation, same_matrix};
use crate::geometry::{Geometry, JoinedFace};
use crate::mesh::{Mesh, RigidMotion};
use crate::ranks::Ranks;
use crate::vector::{Vector, dot, length, minus};

/// Number of periods by which a point lies away from its vertex: those of each of the shifts, and turns.
pub type Image = [i8; 4];
/// Place of the turns in an image.
pub const TURNS: usize = 3;

/// Largest distance between the centres of the two sides of a face that is no period, relative to the size of the face.
const SAME_PLACE: f64 = 1e-4;
/// Largest distance of a point from the image of its vertex, relative to the shortest period.
const FAR: f64 = 0.05;
/// Largest difference of two shifts that are the same period, relative to the period.
const SAME_PERIOD: f64 = 1e-3;

/// The shifts of a mesh that is periodic by translation, at most three, which are linearly independent, and its
/// rotations. Shifts do not change by the rotations.
#[derive(Debug, Clone, Default)]
pub struct Periods {
    /// The rotations of a mesh that is periodic by such.
    pub rotation: Option<Rotation>,
    shifts: Vec<Vector>,
    /// Vectors whose product with a shift is 1, and 0 with the others.
    reciprocal: Vec<Vector>,
    /// The shifts of further blocks of cells, whose periods in the same directions have other lengths.
    others: Vec<Periods>,
}

/// Where a point lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    /// Number of periods from its vertex.
    pub image: Image,
    /// Its position: that to which they carry the vertex.
    pub position: Vector,
}

impl Periods {
    /// Finds the shifts and the rotation from the faces that are joined at a distance. Collective.
    ///
    /// # Errors
    /// There are rotations about several axes, or a shift that is not along the axis.
    pub fn new(mesh: &Mesh, geometry: &Geometry, order: usize, ranks: &Ranks) -> Result<Self, DualError> {
        let mut mine: Vec<Vector> = Vec::new();
        let faces = geometry.joined_faces(mesh, order, ranks);
        for face in &faces {
            let shift = upwards(minus(face.there, face.here));
            if face.rotation.is_some() || length(shift) <= SAME_PLACE * face.size {
                continue;
            }
            // Of the same shift with different last bits the least is kept, whatever faces the ranks have.
            match mine.iter_mut().find(|other| same(**other, shift)) {
                Some(other) if in_order(&shift, other).is_lt() => *other = shift,
                Some(_) => {}
                None => mine.push(shift),
            }
        }
        let all = ranks.allgather(mine.as_flattened());
        let mut periods = Self::of(all.as_chunks::<3>().0);
        periods.rotation = rotation_of(mesh, &faces, ranks)?;
        if let Some(rotation) = &periods.rotation {
            let blocks = periods.others.iter().chain([&periods]);
            let turned = |shift: Vector| rotation.turned(rotation.of_points()[1], shift);
            let across = |shift: &&Vector| length(minus(turned(**shift), **shift)) > length(**shift) * SAME_PERIOD;
            if let Some(&shift) = blocks.flat_map(|block| &block.shifts).find(across) {
                return Err(DualError::AcrossAxis { shift });
            }
        }
        Ok(periods)
    }

    /// Chooses the shortest independent ones of these shifts. The result does not depend on their order.
    fn of(shifts: &[Vector]) -> Self {
        let mut sorted = shifts.to_vec();
        sorted.sort_by(in_order);
        let mut chosen = Periods::default();
        let mut others: Vec<Periods> = Vec::new();
        for shift in sorted {
            let rest = minus(shift, chosen.shift_along(shift));
            if chosen.shifts.len() < 3 && length(rest) > SAME_PERIOD * length(shift) {
                chosen.shifts.push(shift);
                chosen.reciprocal = reciprocal(&chosen.shifts);
            } else if !others.iter().chain([&chosen]).any(|known| known.has(shift)) {
                others.extend(chosen.with_other_length(shift));
            }
        }
        // Directions that came later belong to all blocks.
        for other in &mut others {
            other.shifts.extend(&chosen.shifts[other.shifts.len()..]);
            other.reciprocal = reciprocal(&other.shifts);
        }
        Periods { others, ..chosen }
    }

    /// Whether this is one of the shifts.
    fn has(&self, shift: Vector) -> bool {
        self.shifts.iter().any(|&known| same(known, shift))
    }

    /// Returns the same shifts with this one in place of that along which it is; `None` if it is along none.
    fn with_other_length(&self, shift: Vector) -> Option<Self> {
        let along = self.shifts.iter().position(|&known| {
            let ratio = length(shift) / length(known);
            same(shift, known.map(|x| ratio * x))
        })?;
        let mut other = self.clone();
        other.shifts[along] = shift;
        Some(other)
    }

    /// The part of a vector in the space of the shifts.
    fn shift_along(&self, x: Vector) -> Vector {
        let parts = self.shifts.iter().zip(&self.reciprocal);
        parts.fold([0.0; 3], |sum, (shift, r)| {
            let share = dot(*r, x);
            std::array::from_fn(|d| sum[d] + share * shift[d])
        })
    }

    /// Returns true if the mesh is not periodic.
    pub fn is_empty(&self) -> bool {
        self.shifts.is_empty() && self.rotation.is_none()
    }

    /// Returns by how many periods the point `at` lies away from its vertex at `vertex`, if a number of turns and a sum
    /// of shifts of one block lead from there to the point.
    pub fn place(&self, at: Vector, vertex: Vector) -> Option<Place> {
        let turns = self.rotation.as_ref().map_or_else(|| vec![0], Rotation::of_points);
        let mut best: Option<Candidate> = None;
        for turns in turns {
            let turned = self
                .rotation
                .as_ref()
                .map_or(vertex, |rotation| rotation.carried(turns, vertex));
            for block in [self].into_iter().chain(&self.others) {
                let found = block.with_rest(at, turned);
                let is_nearer = |found: &Candidate| best.as_ref().is_none_or(|best| found.rest < best.rest);
                if let Some(mut found) = found.filter(is_nearer) {
                    found.place.image[TURNS] = turns;
                    best = Some(found);
                }
            }
        }
        let chord = self
            .rotation
            .as_ref()
            .map_or(f64::INFINITY, |rotation| rotation.chord(vertex));
        best.filter(|best| best.rest <= FAR * chord).map(|best| best.place)
    }

    /// Returns the place of a point by the shifts of one block from a turned vertex.
    fn with_rest(&self, at: Vector, vertex: Vector) -> Option<Candidate> {
        let difference = minus(at, vertex);
        let mut image = [0; 4];
        for (number, r) in image.iter_mut().zip(&self.reciprocal) {
            let share = dot(*r, difference).round();
            *number = (share.abs() <= 100.0).then_some(share as i8)?;
        }
        let shift = self.shift(image);
        let rest = length(minus(difference, shift));
        let shortest = self.shifts.iter().map(|s| length(*s)).fold(f64::INFINITY, f64::min);
        let position = match image {
            [0, 0, 0, 0] => vertex,
            _ => std::array::from_fn(|d| vertex[d] + shift[d]),
        };
        let place = Place { image, position };
        (rest <= FAR * shortest).then_some(Candidate { place, rest })
    }

    /// Returns the sum of the shifts of an image.
    fn shift(&self, image: Image) -> Vector {
        let parts = self.shifts.iter().zip(image);
        parts.fold([0.0; 3], |sum, (shift, n)| {
            std::array::from_fn(|d| sum[d] + f64::from(n) * shift[d])
        })
    }
}

/// A place where a point may lie, and its distance from there.
struct Candidate {
    place: Place,
    rest: f64,
}

/// Numbers of a rotation in a message: the index, the offset, and the size of a face.
const ROTATION_WORDS: usize = 5;

/// Returns the rotations by which faces are joined. Collective.
fn rotation_of(mesh: &Mesh, faces: &[JoinedFace], ranks: &Ranks) -> Result<Option<Rotation>, DualError> {
    let mut mine: Vec<[f64; ROTATION_WORDS]> = Vec::new();
    for face in faces {
        let Some(index) = face.rotation else { continue };
        let turned = mesh.rotations[index].map(|row| dot(row, face.here));
        let offset = minus(face.there, turned);
        let is_same = |known: &&mut [f64; ROTATION_WORDS]| {
            let [other, x, y, z, size] = **known;
            other == index as f64 && length(minus(offset, [x, y, z])) <= SAME_PLACE * size
        };
        // Of the same offset with different last bits the least is kept, whatever faces the ranks have.
        match mine.iter_mut().find(is_same) {
            Some(known) => {
                let [_, x, y, z, size] = *known;
                let least = std::cmp::min_by(offset, [x, y, z], in_order);
                *known = row(index, least, face.size.max(size));
            }
            None => mine.push(row(index, offset, face.size)),
        }
    }
    let all = ranks.allgather(mine.as_flattened());
    let all = all.as_chunks::<ROTATION_WORDS>().0;
    let mut indices: Vec<usize> = all.iter().map(|row| row[0] as usize).collect();
    indices.sort_unstable();
    indices.dedup();
    if indices.is_empty() {
        return Ok(None);
    }
    let size = all.iter().map(|row| row[4]).fold(0.0, f64::max);
    let mut motions: Vec<RigidMotion> = Vec::new();
    // An angle is known by the first of its rotations, either way.
    for index in indices {
        let matrix = mesh.rotations[index];
        let ways = |offset| {
            let motion = RigidMotion { matrix, offset };
            [motion, motion.inverse()]
        };
        let is_known = |motion: &RigidMotion| {
            ways([0.0; 3])
                .iter()
                .any(|way| same_matrix(&way.matrix, &motion.matrix))
        };
        if motions.iter().any(is_known) {
            continue;
        }
        let of_angle = |row: &[f64; ROTATION_WORDS]| {
            let [other, x, y, z, _] = *row;
            let motion = RigidMotion {
                matrix: mesh.rotations[other as usize],
                offset: [x, y, z],
            };
            let ways = [motion, motion.inverse()];
            ways.into_iter().find(|way| same_matrix(&way.matrix, &matrix))
        };
        let mut offsets: Vec<Vector> = all.iter().filter_map(of_angle).map(|motion| motion.offset).collect();
        offsets.sort_by(in_order);
        let offset = offsets[0];
        let apart = |other: &Vector| length(minus(*other, offset)) > SAME_PLACE * size;
        if offsets.iter().any(apart) || motions.len() == MOST_ANGLES {
            return Err(DualError::Rotations);
        }
        motions.push(RigidMotion { matrix, offset });
    }
    let rotation = Rotation::new(&motions, SAME_PLACE * size);
    rotation.map(Some).ok_or(DualError::Rotations)
}

fn row(index: usize, [x, y, z]: Vector, size: f64) -> [f64; ROTATION_WORDS] {
    [index as f64, x, y, z, size]
}

/// Orders shifts by their lengths.
fn in_order(a: &Vector, b: &Vector) -> Ordering {
    let components = || a.iter().zip(b).map(|(a, b)| a.total_cmp(b));
    let by_length = dot(*a, *a).total_cmp(&dot(*b, *b));
    by_length.then_with(|| components().find(|order| order.is_ne()).unwrap_or(Ordering::Equal))
}

/// Returns the vector or its opposite, of which the largest component is positive.
fn upwards(x: Vector) -> Vector {
    let largest = x.into_iter().fold(0.0f64, |a, b| if b.abs() > a.abs() { b } else { a });
    if largest < 0.0 { x.map(|c| -c) } else { x }
}

fn same(a: Vector, b: Vector) -> bool {
    length(minus(a, b)) <= SAME_PERIOD * length(a)
}

/// Returns the vectors in the space of some vectors whose products with these are 1 and 0.
fn reciprocal(vectors: &[Vector]) -> Vec<Vector> {
    let gram = DMatrix::from_fn(vectors.len(), vectors.len(), |i, j| dot(vectors[i], vectors[j]));
    let inverse = gram.try_inverse().expect("the vectors are independent");
    let combination = |i: usize| {
        let terms = vectors.iter().enumerate();
        terms.fold([0.0; 3], |sum: Vector, (j, v)| {
            std::array::from_fn(|d| sum[d] + inverse[(i, j)] * v[d])
        })
    };
    (0..vectors.len()).map(combination).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_count_the_periods_of_oblique_shifts() {
        let a = [2.0, 0.5, 0.0];
        let b = [0.0, 0.0, 0.3];
        let periods = Periods::of(&[a, b, [2.0, 0.5, 0.3], a]);
        assert_eq!(periods.shifts, [b, a]);
        for [i, j] in [[0, 0], [1, 0], [-2, 1], [3, -3]] {
            let image = [i, j, 0, 0];
            let position = periods.shift(image);
            assert_eq!(periods.place(position, [0.0; 3]), Some(Place { image, position }));
        }
        assert_eq!(periods.place([1.0, 0.25, 0.0], [0.0; 3]), None);
        assert!(periods.others.is_empty());
    }

    #[test]
    fn blocks_with_other_pitches_have_images_of_their_own() {
        let [pitch, other, span] = [[0.0, 1.0, 0.0], [0.0, 1.03, 0.0], [0.0, 0.0, 2.0]];
        let periods = Periods::of(&[other, span, pitch, other]);
        for (position, image) in [
            (pitch, [1, 0, 0, 0]),
            (other, [1, 0, 0, 0]),
            (span, [0, 1, 0, 0]),
            ([0.0, -1.03, 2.0], [-1, 1, 0, 0]),
        ] {
            assert_eq!(periods.place(position, [0.0; 3]), Some(Place { image, position }));
        }
        assert_eq!(periods.place([0.0, 0.5, 0.0], [0.0; 3]), None);
    }

    #[test]
    fn images_count_the_turns_of_a_sector_and_the_periods_along_its_axis() {
        // About the axis through (1, 0, 0) along z.
        for angle in [0.3f64, 2.0 * std::f64::consts::FRAC_PI_3, std::f64::consts::PI] {
            let (sine, cosine) = angle.sin_cos();
            let motion = RigidMotion {
                matrix: [[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]],
                offset: [1.0 - cosine, -sine, 0.0],
            };
            let rotation = Rotation::new(&[motion], 1e-6).expect("an axis");
            let mut periods = Periods::of(&[[0.0, 0.0, 0.7]]);
            periods.rotation = Some(rotation.clone());
            let vertex = [1.5, 0.2, 0.1];
            for [turns, along] in [[0, 0], [1, 0], [-1, 2], [0, -1]] {
                let turned = rotation.carried(turns, vertex);
                let at = [turned[0], turned[1], turned[2] + 0.7 * f64::from(along)];
                let found = periods.place(at, vertex).expect("an image");
                let expected = [along, 0, 0, rotation.between(0, turns)];
                assert_eq!(found.image, expected, "{angle}");
                assert!(length(minus(found.position, at)) < 1e-15, "{angle} {found:?}");
            }
            assert_eq!(periods.place([1.6, 0.3, 0.1], vertex), None);
            assert!(rotation.is_on_axis([1.0, 0.0, 5.0]) && !rotation.is_on_axis([1.01, 0.0, 0.0]));
        }
    }

    #[test]
    fn blocks_with_other_angles_have_turns_of_their_own() {
        let motions = [30.0f64, 45.0].map(|angle| {
            let (sine, cosine) = angle.to_radians().sin_cos();
            RigidMotion {
                matrix: [[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]],
                offset: [0.0; 3],
            }
        });
        let rotation = Rotation::new(&motions, 1e-6).expect("one axis");
        let periods = Periods {
            rotation: Some(rotation.clone()),
            ..Periods::default()
        };
        let vertex = [1.5, 0.2, 0.1];
        for turns in rotation.of_points() {
            let found = periods
                .place(rotation.carried(turns, vertex), vertex)
                .expect("an image");
            assert_eq!(found.image, [0, 0, 0, turns]);
        }
        // A quarter of a circle is two turns by one of the angles and three by the other, which no cell spans.
        assert_eq!(periods.place([-0.2, 1.5, 0.1], vertex), None);
    }
}
