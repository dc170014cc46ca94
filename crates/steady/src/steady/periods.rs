//! The shifts after which a mesh repeats, and the images in which they carry a vertex.

use std::cmp::Ordering;

use nalgebra::DMatrix;

use crate::geometry::Geometry;
use crate::mesh::Mesh;
use crate::ranks::Ranks;
use crate::vector::{Vector, dot, length, minus};

/// Number of periods by which a point lies away from its vertex, for each of the shifts.
pub type Image = [i8; 3];

/// Largest distance between the centres of the two sides of a face that is no period, relative to the size of the face.
const SAME_PLACE: f64 = 1e-4;
/// Largest difference of two shifts that are the same period, relative to the period.
const SAME_PERIOD: f64 = 1e-3;

/// The shifts of a mesh that is periodic by translation: at most three, which are linearly independent.
#[derive(Debug, Clone, Default)]
pub struct Periods {
    shifts: Vec<Vector>,
    /// Vectors whose product with a shift is 1, and 0 with the others.
    reciprocal: Vec<Vector>,
    /// The shifts of further blocks of cells, whose periods in the same directions have other lengths.
    others: Vec<Periods>,
}

/// Where a point lies, seen from its vertex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    /// Number of periods.
    pub image: Image,
    /// Their sum.
    pub shift: Vector,
}

impl Periods {
    /// Finds the shifts from the faces that are joined at a distance. Collective.
    pub fn new(mesh: &Mesh, geometry: &Geometry, order: usize, ranks: &Ranks) -> Self {
        let mut mine: Vec<Vector> = Vec::new();
        for face in geometry.joined_faces(mesh, order, ranks) {
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
        Self::of(all.as_chunks::<3>().0)
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
        self.shifts.is_empty()
    }

    /// Returns by how many periods a point lies away from its vertex, if the difference of their positions is a sum of
    /// shifts of one block.
    pub fn place(&self, difference: Vector) -> Option<Place> {
        let mut best = self.with_rest(difference);
        for other in &self.others {
            let found = other.with_rest(difference);
            let is_nearer = match (&found, &best) {
                (Some((_, rest)), Some((_, least))) => rest < least,
                (found, _) => found.is_some(),
            };
            if is_nearer {
                best = found;
            }
        }
        best.map(|(place, _)| place)
    }

    /// Returns the place of a point by the shifts of one block, and what these leave of the difference.
    fn with_rest(&self, difference: Vector) -> Option<(Place, f64)> {
        let mut image = [0; 3];
        for (number, r) in image.iter_mut().zip(&self.reciprocal) {
            let share = dot(*r, difference).round();
            *number = (share.abs() <= 100.0).then_some(share as i8)?;
        }
        let shift = self.shift(image);
        let rest = length(minus(difference, shift));
        let shortest = self.shifts.iter().map(|s| length(*s)).fold(f64::INFINITY, f64::min);
        (rest <= 0.05 * shortest).then_some((Place { image, shift }, rest))
    }

    /// Returns the shift of an image.
    fn shift(&self, image: Image) -> Vector {
        let parts = self.shifts.iter().zip(image);
        parts.fold([0.0; 3], |sum, (shift, n)| {
            std::array::from_fn(|d| sum[d] + f64::from(n) * shift[d])
        })
    }
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
        let at = |i: i8, j: i8| periods.shift([i, j, 0]);
        for (i, j) in [(0, 0), (1, 0), (-2, 1), (3, -3)] {
            let (image, shift) = ([i, j, 0], at(i, j));
            assert_eq!(periods.place(shift), Some(Place { image, shift }));
        }
        assert_eq!(periods.place([1.0, 0.25, 0.0]), None);
        assert!(periods.others.is_empty());
    }

    #[test]
    fn blocks_with_other_pitches_have_images_of_their_own() {
        let [pitch, other, span] = [[0.0, 1.0, 0.0], [0.0, 1.03, 0.0], [0.0, 0.0, 2.0]];
        let periods = Periods::of(&[other, span, pitch, other]);
        for (shift, image) in [
            (pitch, [1, 0, 0]),
            (other, [1, 0, 0]),
            (span, [0, 1, 0]),
            ([0.0, -1.03, 2.0], [-1, 1, 0]),
        ] {
            assert_eq!(periods.place(shift), Some(Place { image, shift }));
        }
        assert_eq!(periods.place([0.0, 0.5, 0.0]), None);
    }
}
