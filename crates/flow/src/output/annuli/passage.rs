//! The mesh around the axis of an annulus: points that are turned by periods into it, and the radii of hub and casing.
//!
//! A point lies in the mesh if a cell of any rank contains it, so that what is found here does not depend on the number
//! of ranks.

use std::collections::BTreeSet;
use std::f64::consts::TAU;

use crate::geometry::Locator;
use crate::input::AXES;
use crate::output::error::OutputError;
use crate::solver::Solver;
use crate::vector::Vector;

/// Number of intervals of the radii of a mesh in which hub and casing are looked for.
const INTERVALS: usize = 128;
/// Number of parts into which the interval between a radius outside and one inside is divided, and how often. What is
/// left is 1e-10 of the radii.
const PARTS: usize = 8;
const DIVISIONS: usize = 9;
/// Largest difference of the radii of a hub or of a casing at different angles, as a fraction of the height. Those of
/// polygons of straight cells differ; a body is far higher.
const UNEVEN: f64 = 0.05;

/// A point by its place in the meridional plane and its angle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Polar {
    /// Position along the axis.
    pub x: f64,
    /// Distance from the axis.
    pub r: f64,
    /// Angle to the right about the axis, from the first axis after it on.
    pub angle: f64,
}

impl Polar {
    /// Returns the point in space, about the axis of this index.
    pub fn about(self, axis: usize) -> Vector {
        let mut at = [0.0; 3];
        at[axis] = self.x;
        at[(axis + 1) % 3] = self.r * self.angle.cos();
        at[(axis + 2) % 3] = self.r * self.angle.sin();
        at
    }
}

/// A mesh around an axis.
pub struct Passage<'a> {
    solver: &'a Solver,
    locator: Locator<'a>,
    /// Index of the axis.
    pub axis: usize,
    /// Angle after which the block of cells around the positions of the traverse repeats.
    pub period: f64,
}

/// A point that is turned into the mesh.
#[derive(Debug, Clone, Copy)]
struct Image {
    /// Number of periods by which it is turned.
    turn: usize,
    at: Vector,
}

/// What the mesh has at a position along the axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reach {
    /// No cell.
    Nothing,
    /// An annulus between these radii of hub and casing.
    Annulus([f64; 2]),
    /// Cells, but not from the hub to the casing at all angles.
    Part,
}

/// Radii of which the second one lies in the mesh and the first one does not.
#[derive(Debug, Clone, Copy)]
struct Bracket {
    outside: f64,
    inside: f64,
}

impl Bracket {
    /// Returns the radii that divide it, from the outside on.
    fn parts(&self) -> [f64; PARTS - 1] {
        let part = |k: usize| (k + 1) as f64 / PARTS as f64;
        std::array::from_fn(|k| self.outside + (self.inside - self.outside) * part(k))
    }
}

/// A direction across the axis, with brackets of hub and casing.
#[derive(Debug, Clone, Copy)]
struct Ray {
    angle: f64,
    ends: [Bracket; 2],
}

impl<'a> Passage<'a> {
    /// Returns the mesh around the axis of this index, as it is in the block of cells at this position along the axis:
    /// blocks at mixing planes repeat after angles of their own. `key` is that of the traverse. Collective.
    ///
    /// # Errors
    /// The mesh repeats by a rotation about another axis.
    pub fn new(solver: &'a Solver, axis: usize, along: f64, key: &str) -> Result<Self, OutputError> {
        let mut angles = Vec::new();
        for matrix in &solver.mesh.rotations {
            angles.push(rotation_about(axis, matrix).ok_or_else(|| OutputError::Refused {
                key: format!("{key}.axis"),
                what: format!("the mesh repeats by a rotation about another axis than {}", AXES[axis]),
            })?);
        }
        let mut place = [0.0; 3];
        place[axis] = along;
        let mut of_block = [0.0f64];
        for face in (solver.geometry).joined_faces(&solver.mesh, solver.elements.order, &solver.ranks) {
            if let Some(rotation) = face.rotation
                && solver.motions.is_one_block(face.here, place)
            {
                of_block[0] = of_block[0].max(angles[rotation]);
            }
        }
        solver.ranks.allreduce_max(&mut of_block);
        let period = if of_block[0] > 0.0 { of_block[0] } else { TAU };
        Ok(Passage {
            solver,
            locator: Locator::new(&solver.mesh, &solver.geometry, solver.elements.order),
            axis,
            period,
        })
    }

    /// Returns `count` equidistant angles over the period.
    pub fn angles(&self, count: usize) -> Vec<f64> {
        (0..count).map(|i| self.period * i as f64 / count as f64).collect()
    }

    /// Returns the points, turned into the mesh by as few periods as possible; `None` for those that lie in no cell.
    /// Collective.
    pub fn places(&self, polar: &[Polar]) -> Vec<Option<Vector>> {
        let images = self.images(polar, 0..self.periods());
        let points = images.into_iter().map(|image| image.map(|image| image.at));
        points.collect()
    }

    /// Number of periods of the circle.
    fn periods(&self) -> usize {
        (TAU / self.period).round() as usize
    }

    /// Returns the first image of each point that lies in the mesh, of those turned by these numbers of periods.
    /// Collective.
    fn images(&self, polar: &[Polar], turns: impl IntoIterator<Item = usize>) -> Vec<Option<Image>> {
        let mut images = vec![None; polar.len()];
        let mut open: Vec<usize> = (0..polar.len()).collect();
        for turn in turns {
            let turned = |&i: &usize| {
                let angle = polar[i].angle + turn as f64 * self.period;
                Polar { angle, ..polar[i] }.about(self.axis)
            };
            let turned: Vec<Vector> = open.iter().map(turned).collect();
            let found = self.locator.find(&turned);
            let mut outside: Vec<u64> = found.iter().map(|found| u64::from(found.is_none())).collect();
            self.solver.ranks.allreduce_min(&mut outside);
            for ((&i, at), outside) in open.iter().zip(turned).zip(&outside) {
                images[i] = (*outside == 0).then_some(Image { turn, at });
            }
            open.retain(|&i| images[i].is_none());
            if open.is_empty() {
                break;
            }
        }
        images
    }

    /// Returns what the mesh has at a position along the axis. The hub has the largest radius of those at these angles,
    /// and the casing the least. Collective.
    pub fn reach(&self, x: f64, angles: &[f64]) -> Reach {
        let [least, most] = self.radii();
        // Cells may bulge beyond the outermost points, and an axis inside of the mesh needs no point on it.
        let [from, to] = [0.99 * least, 1.01 * most];
        let steps = (0..=INTERVALS).map(|k| from + (to - from) * k as f64 / INTERVALS as f64);
        let radii: Vec<f64> = [0.0].into_iter().chain(steps).collect();
        let at = |&angle: &f64| radii.iter().map(move |&r| Polar { x, r, angle });
        let polar: Vec<Polar> = angles.iter().flat_map(at).collect();
        let images = self.images(&polar, 0..self.periods());
        // Sides that lean need one turn more or less next to the walls.
        let near = |image: &Image| [self.periods() - 1, 0, 1].map(|more| (image.turn + more) % self.periods());
        let turns: BTreeSet<usize> = images.iter().flatten().flat_map(near).collect();
        let ends = |images: &[Option<Image>]| {
            let first = images.iter().position(Option::is_some)?;
            let last = images.iter().rposition(Option::is_some)?;
            let end = |outside: usize, inside: usize| Bracket {
                outside: radii[outside],
                inside: radii[inside],
            };
            let beyond = (last + 1).min(radii.len() - 1);
            Some([end(first.saturating_sub(1), first), end(beyond, last)])
        };
        let all = angles.iter().zip(images.chunks(radii.len()));
        let mut rays: Vec<Ray> = all
            .filter_map(|(&angle, images)| ends(images).map(|ends| Ray { angle, ends }))
            .collect();
        for _ in 0..DIVISIONS {
            self.narrow(x, &mut rays, &turns);
        }
        let spread = |end: usize| {
            let radii = rays.iter().map(|ray| ray.ends[end].inside);
            [radii.clone().fold(f64::INFINITY, f64::min), radii.fold(0.0, f64::max)]
        };
        let [hub, casing] = [0, 1].map(spread);
        let even = |ends: [f64; 2]| ends[1] - ends[0] <= UNEVEN * (casing[1] - hub[0]);
        match rays.len() {
            0 => Reach::Nothing,
            count if count == angles.len() && even(hub) && even(casing) => Reach::Annulus([hub[1], casing[0]]),
            _ => Reach::Part,
        }
    }

    /// Divides the brackets of rays at a position along the axis. Collective.
    fn narrow(&self, x: f64, rays: &mut [Ray], turns: &BTreeSet<usize>) {
        let of_end = |end: &Bracket, angle: f64| end.parts().map(|r| Polar { x, r, angle });
        let polar: Vec<Polar> = rays
            .iter()
            .flat_map(|ray| ray.ends.iter().flat_map(|end| of_end(end, ray.angle)))
            .collect();
        let images = self.images(&polar, turns.iter().copied());
        let ends = rays.iter_mut().flat_map(|ray| &mut ray.ends);
        for (end, images) in ends.zip(images.chunks(PARTS - 1)) {
            let parts = end.parts();
            let first = images.iter().position(Option::is_some).unwrap_or(PARTS - 1);
            *end = Bracket {
                outside: if first > 0 { parts[first - 1] } else { end.outside },
                inside: parts.get(first).copied().unwrap_or(end.inside),
            };
        }
    }

    /// Returns the least and the largest distance of points of the mesh from the axis. Collective.
    fn radii(&self) -> [f64; 2] {
        let [a, b] = [(self.axis + 1) % 3, (self.axis + 2) % 3];
        self.ends(|x| x[a].hypot(x[b]))
    }

    /// Returns the least and the largest position of points of the mesh along the axis. Collective.
    pub fn length(&self) -> [f64; 2] {
        self.ends(|x| x[self.axis])
    }

    fn ends(&self, of: impl Fn(&Vector) -> f64) -> [f64; 2] {
        // The negative of the largest one, so that one reduction finds both.
        let mut ends = [f64::INFINITY; 2];
        for x in &self.solver.geometry.points {
            let here = of(x);
            ends = [ends[0].min(here), ends[1].min(-here)];
        }
        self.solver.ranks.allreduce_min(&mut ends);
        [ends[0], -ends[1]]
    }
}

/// Angle of a rotation about a coordinate axis; `None` if it is about another one.
fn rotation_about(axis: usize, matrix: &[[f64; 3]; 3]) -> Option<f64> {
    const SAME: f64 = 1e-9;
    let [a, b] = [(axis + 1) % 3, (axis + 2) % 3];
    let still = (matrix[axis][axis] - 1.0).abs() < SAME && matrix[a][axis].abs() < SAME && matrix[b][axis].abs() < SAME;
    still.then(|| matrix[b][a].atan2(matrix[a][a]).abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_angle_of_a_rotation_is_that_about_its_own_axis_only() {
        let (sin, cos) = 0.3f64.sin_cos();
        let about_x = [[1.0, 0.0, 0.0], [0.0, cos, -sin], [0.0, sin, cos]];
        assert!((rotation_about(0, &about_x).expect("its axis") - 0.3).abs() < 1e-15);
        assert!(rotation_about(2, &about_x).is_none());
    }
}
