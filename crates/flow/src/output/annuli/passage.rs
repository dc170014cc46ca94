//! The mesh around the axis of an annulus: points that are turned by periods into it, and the radii of hub and casing.
//!
//! A point lies in the mesh if a cell of any rank contains it, so that what is found here does not depend on the number
//! of ranks.

use std::f64::consts::TAU;

use crate::geometry::Locator;
use crate::input::AXES;
use crate::output::error::OutputError;
use crate::solver::Solver;
use crate::vector::Vector;

/// Number of intervals of the radii of a mesh in which hub and casing are looked for.
const INTERVALS: usize = 128;
/// Number of parts into which the interval between a radius outside and one inside is divided, and how often. What is
/// left is below the rounding of the first interval.
const PARTS: usize = 16;
const DIVISIONS: usize = 11;

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
    /// Angle after which the mesh repeats.
    pub period: f64,
}

/// Radii of which the second one lies in the mesh and the first one does not.
#[derive(Debug, Clone, Copy)]
struct Bracket {
    outside: f64,
    inside: f64,
}

impl<'a> Passage<'a> {
    /// Returns the mesh around the axis of this index. `key` is that of the traverse.
    ///
    /// # Errors
    /// The mesh repeats by a rotation about another axis.
    pub fn new(solver: &'a Solver, axis: usize, key: &str) -> Result<Self, OutputError> {
        let mut period = TAU;
        for matrix in &solver.mesh.rotations {
            period = rotation_about(axis, matrix).ok_or_else(|| OutputError::Refused {
                key: format!("{key}.axis"),
                what: format!("the mesh repeats by a rotation about another axis than {}", AXES[axis]),
            })?;
        }
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
        let mut places = vec![None; polar.len()];
        let mut open: Vec<usize> = (0..polar.len()).collect();
        let periods = (TAU / self.period).round() as usize;
        for turn in (0..periods).map(|turn| turn as f64 * self.period) {
            let turned = |&i: &usize| {
                let angle = polar[i].angle + turn;
                Polar { angle, ..polar[i] }.about(self.axis)
            };
            let turned: Vec<Vector> = open.iter().map(turned).collect();
            let found = self.locator.find(&turned);
            let mut outside: Vec<u64> = found.iter().map(|found| u64::from(found.is_none())).collect();
            self.solver.ranks.allreduce_min(&mut outside);
            for ((&i, at), outside) in open.iter().zip(turned).zip(&outside) {
                places[i] = (*outside == 0).then_some(at);
            }
            open.retain(|&i| places[i].is_none());
            if open.is_empty() {
                break;
            }
        }
        places
    }

    /// Returns the radii between which the mesh reaches at a position along the axis, at all of these angles: the
    /// largest of the least ones, and the least of the largest ones. Angles at which no radius lies in the mesh do not
    /// count; `None` if there are no others. Collective.
    pub fn reach(&self, x: f64, angles: &[f64]) -> Option<[f64; 2]> {
        let [least, most] = self.radii();
        // No point is nearer to the axis than 0, but cells may bulge beyond the outermost points.
        let [from, to] = [0.99 * least, 1.01 * most];
        let steps = (0..=INTERVALS).map(|k| from + (to - from) * k as f64 / INTERVALS as f64);
        let radii: Vec<f64> = [0.0].into_iter().chain(steps).collect();
        let at = |&angle: &f64| radii.iter().map(move |&r| Polar { x, r, angle });
        let found = self.places(&angles.iter().flat_map(at).collect::<Vec<Polar>>());
        let mut open: Vec<f64> = Vec::new();
        let mut hubs: Vec<Bracket> = Vec::new();
        let mut casings: Vec<Bracket> = Vec::new();
        for (&angle, found) in angles.iter().zip(found.chunks(radii.len())) {
            let inside = |k: &usize| found[*k].is_some();
            let all = 0..radii.len();
            let (Some(first), Some(last)) = (all.clone().find(inside), all.rev().find(inside)) else {
                continue;
            };
            open.push(angle);
            hubs.push(Bracket {
                outside: radii[first.saturating_sub(1)],
                inside: radii[first],
            });
            casings.push(Bracket {
                outside: radii[(last + 1).min(radii.len() - 1)],
                inside: radii[last],
            });
        }
        let ends = |brackets: Vec<Bracket>| self.narrowed(x, &open, brackets).into_iter();
        let hub = ends(hubs).reduce(f64::max)?;
        Some([hub, ends(casings).reduce(f64::min)?])
    }

    /// Returns the radii inside of brackets, one for each angle, next to those outside. Collective.
    fn narrowed(&self, x: f64, angles: &[f64], mut brackets: Vec<Bracket>) -> Vec<f64> {
        let radius = |of: &Bracket, k: usize| of.outside + (of.inside - of.outside) * k as f64 / PARTS as f64;
        for _ in 0..DIVISIONS {
            let at = |(of, &angle)| {
                (1..PARTS).map(move |k| Polar {
                    x,
                    r: radius(of, k),
                    angle,
                })
            };
            let all: Vec<Polar> = brackets.iter().zip(angles).flat_map(at).collect();
            let found = self.places(&all);
            for (of, found) in brackets.iter_mut().zip(found.chunks(PARTS - 1)) {
                let first = 1 + found.iter().position(Option::is_some).unwrap_or(PARTS - 1);
                let inside = if first == PARTS { of.inside } else { radius(of, first) };
                *of = Bracket {
                    outside: radius(of, first - 1),
                    inside,
                };
            }
        }
        brackets.into_iter().map(|of| of.inside).collect()
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
