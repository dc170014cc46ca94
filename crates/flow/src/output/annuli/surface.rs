//! The surface that a traverse of an annulus samples: a plane across the axis, or a cone about it.
//!
//! It is divided into bands of equal area. A band has the points of Gauss's rule of three points in r^2, in which the
//! area is uniform, so that means over a band are exact for polynomials of degree 5 in r^2. Around, points are
//! equidistant over the angle after which the mesh repeats.

use std::f64::consts::TAU;

use crate::geometry::Locator;
use crate::input::AXES;
use crate::output::error::OutputError;
use crate::output::fields::Primitives;
use crate::solver::Solver;

/// Points and weights of Gauss's rule of 3 points on [0, 1] (Abramowitz and Stegun 1964, table 25.4).
pub const RULE: [(f64, f64); 3] = [
    (0.112_701_665_379_258_31, 5.0 / 18.0),
    (0.5, 4.0 / 9.0),
    (0.887_298_334_620_741_7, 5.0 / 18.0),
];

/// A surface of revolution as it is set: x + cone r between two radii.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// Index of the axis.
    pub axis: usize,
    /// Position along the axis where the radius is 0.
    pub x: f64,
    /// Slope dx/dr.
    pub cone: f64,
    /// The radii between which the bands lie.
    pub radii: [f64; 2],
    /// Numbers of points around and of bands.
    pub counts: [usize; 2],
}

/// A surface of revolution in a mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct Surface {
    place: Place,
    /// Angle after which the mesh repeats.
    pub period: f64,
}

impl Surface {
    /// Returns the surface in the mesh. `key` is that of the traverse.
    ///
    /// # Errors
    /// The mesh repeats by a rotation about another axis.
    pub fn new(solver: &Solver, place: &Place, key: &str) -> Result<Self, OutputError> {
        let axis = place.axis;
        let mut period = TAU;
        for matrix in &solver.mesh.rotations {
            period = rotation_about(axis, matrix).ok_or_else(|| OutputError::Refused {
                key: format!("{key}.axis"),
                what: format!("the mesh repeats by a rotation about another axis than {}", AXES[axis]),
            })?;
        }
        Ok(Surface {
            place: place.clone(),
            period,
        })
    }

    /// Area of the whole surface, all periods included.
    pub fn area(&self) -> f64 {
        let [low, high] = self.place.radii.map(|r| r * r);
        0.5 * TAU * (high - low) * self.slant()
    }

    fn slant(&self) -> f64 {
        self.place.cone.hypot(1.0)
    }

    /// The radius at a fraction of the area of a band.
    fn radius(&self, band: usize, fraction: f64) -> f64 {
        let [low, high] = self.place.radii.map(|r| r * r);
        (low + (high - low) * (band as f64 + fraction) / self.place.counts[1] as f64).sqrt()
    }

    /// Radii that divide each band into halves of equal area.
    pub fn middle_radii(&self) -> Vec<f64> {
        (0..self.place.counts[1]).map(|band| self.radius(band, 0.5)).collect()
    }

    /// Angles of the points around, from the first axis after that of the annulus on, to the right about it.
    pub fn angles(&self) -> Vec<f64> {
        let count = self.place.counts[0];
        (0..count).map(|i| self.period * i as f64 / count as f64).collect()
    }

    /// Height of a radius from the first one, as a fraction.
    pub fn height(&self, radius: f64) -> f64 {
        (radius - self.place.radii[0]) / (self.place.radii[1] - self.place.radii[0])
    }

    /// Returns a point of the surface.
    fn point(&self, radius: f64, angle: f64) -> [f64; 3] {
        let mut at = [0.0; 3];
        at[self.place.axis] = self.place.x + self.place.cone * radius;
        at[(self.place.axis + 1) % 3] = radius * angle.cos();
        at[(self.place.axis + 2) % 3] = radius * angle.sin();
        at
    }

    /// Returns the points, `[band][angle][point of the rule]`. They are turned by periods into the mesh; those that lie
    /// in no cell stay. Collective.
    pub fn points(&self, solver: &Solver) -> Vec<[f64; 3]> {
        let angles = self.angles();
        let polar: Vec<[f64; 2]> = (0..self.place.counts[1])
            .flat_map(|band| angles.iter().map(move |angle| (band, *angle)))
            .flat_map(|(band, angle)| RULE.map(|(fraction, _)| [self.radius(band, fraction), angle]))
            .collect();
        let mut points: Vec<[f64; 3]> = polar.iter().map(|[r, angle]| self.point(*r, *angle)).collect();
        let locator = Locator::new(&solver.mesh, &solver.geometry, solver.elements.order);
        let mut open: Vec<usize> = (0..points.len()).collect();
        let periods = (TAU / self.period).round() as usize;
        for turn in (0..periods).map(|turn| turn as f64 * self.period) {
            let turned: Vec<[f64; 3]> = open
                .iter()
                .map(|&i| self.point(polar[i][0], polar[i][1] + turn))
                .collect();
            let mut outside: Vec<u64> = locator.find(&turned).iter().map(|f| u64::from(f.is_none())).collect();
            solver.ranks.allreduce_min(&mut outside);
            for ((&i, to), _) in open
                .iter()
                .zip(turned)
                .zip(&outside)
                .filter(|(_, outside)| **outside == 0)
            {
                points[i] = to;
            }
            let still = open.into_iter().zip(outside).filter(|(_, outside)| *outside > 0);
            open = still.map(|(i, _)| i).collect();
            if open.is_empty() {
                break;
            }
        }
        points
    }

    /// Returns a state with the velocity along the normal of the surface (downstream), around the axis (to the right
    /// about it), and along the surface (outwards).
    pub fn local(&self, at: [f64; 3], state: &Primitives) -> Primitives {
        let [a, b] = [(self.place.axis + 1) % 3, (self.place.axis + 2) % 3];
        let radius = at[a].hypot(at[b]);
        let (cos, sin) = (at[a] / radius, at[b] / radius);
        let [rho, .., p, t] = *state;
        let v = [state[1], state[2], state[3]];
        let axial = v[self.place.axis];
        let outwards = v[a] * cos + v[b] * sin;
        let around = v[b] * cos - v[a] * sin;
        let normal = (axial - self.place.cone * outwards) / self.slant();
        let along = (outwards + self.place.cone * axial) / self.slant();
        [rho, normal, around, along, p, t]
    }

    /// Returns the axial, circumferential and radial parts of a velocity that [`Self::local`] has turned.
    pub fn cylindrical(&self, [normal, around, along]: [f64; 3]) -> [f64; 3] {
        let axial = (normal + self.place.cone * along) / self.slant();
        let outwards = (along - self.place.cone * normal) / self.slant();
        [axial, around, outwards]
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

    fn cone() -> Surface {
        Surface {
            place: Place {
                axis: 2,
                x: 0.3,
                cone: 0.75,
                radii: [1.0, 2.0],
                counts: [4, 3],
            },
            period: TAU / 12.0,
        }
    }

    #[test]
    fn bands_have_equal_areas_and_their_rule_is_exact_for_powers_of_the_square_of_the_radius() {
        let surface = cone();
        // The side of a truncated cone: pi (r1 + r2) times the slant height.
        assert!((surface.area() - TAU / 2.0 * 3.0 * 1.25).abs() < 1e-14);
        for band in 0..3 {
            let [low, high] = [0.0, 1.0].map(|f| surface.radius(band, f).powi(2));
            assert!((high - low - 1.0).abs() < 1e-14);
            let mean: f64 = RULE.iter().map(|(f, w)| w * surface.radius(band, *f).powi(10)).sum();
            assert!((mean / ((high.powi(6) - low.powi(6)) / 6.0) - 1.0).abs() < 1e-14);
        }
    }

    #[test]
    fn velocities_are_turned_into_the_surface_and_back() {
        let surface = cone();
        let at = surface.point(1.5, 0.7);
        assert!((at[2] - 0.3 - 0.75 * 1.5).abs() < 1e-15);
        let [axial, around] = [0.9, -0.4];
        let outwards = 0.2;
        let (sin, cos) = 0.7f64.sin_cos();
        let v = [outwards * cos - around * sin, outwards * sin + around * cos, axial];
        let local = surface.local(at, &[1.0, v[0], v[1], v[2], 5.0, 6.0]);
        // The normal of the cone is (1, -0.75)/1.25 in x and r.
        assert!((local[1] - (0.8 * axial - 0.6 * outwards)).abs() < 1e-15 && (local[2] - around).abs() < 1e-15);
        let back = surface.cylindrical([local[1], local[2], local[3]]);
        for (a, b) in back.iter().zip([axial, around, outwards]) {
            assert!((a - b).abs() < 1e-15);
        }
    }

    #[test]
    fn the_angle_of_a_rotation_is_that_about_its_own_axis_only() {
        let (sin, cos) = 0.3f64.sin_cos();
        let about_x = [[1.0, 0.0, 0.0], [0.0, cos, -sin], [0.0, sin, cos]];
        assert!((rotation_about(0, &about_x).expect("its axis") - 0.3).abs() < 1e-15);
        assert!(rotation_about(2, &about_x).is_none());
    }
}
