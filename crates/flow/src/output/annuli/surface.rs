//! The surface that a traverse of an annulus samples: a plane across the axis, or a cone about it.
//!
//! It is divided into bands of equal area. A band has the points of Gauss's rule of three points in r^2, in which the
//! area is uniform, so that means over a band are exact for polynomials of degree 5 in r^2. Around, points are
//! equidistant over the angle after which the mesh repeats.

use std::f64::consts::TAU;

use super::passage::{Passage, Polar, Reach};
use crate::format::number;
use crate::input::AXES;
use crate::output::error::OutputError;
use crate::output::fields::Primitives;
use crate::solver::Solver;
use crate::vector::Vector;

/// Points and weights of Gauss's rule of 3 points on [0, 1] (Abramowitz and Stegun 1964, table 25.4).
pub const RULE: [(f64, f64); 3] = [
    (0.112_701_665_379_258_31, 5.0 / 18.0),
    (0.5, 4.0 / 9.0),
    (0.887_298_334_620_741_7, 5.0 / 18.0),
];

/// What keeps points of a surface out of the mesh, and what would be right.
const BODY: &str = "a body is there, or the mesh ends at an angle. Right would be a surface before or behind the \
                    body, in a mesh of the whole circle or one that repeats by a rotation";

/// A surface of revolution as it is set: a straight meridional line from the hub to the casing.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// Index of the axis.
    pub axis: usize,
    /// Positions of the ends of the line along the axis; those of a plane are the same.
    pub x: [f64; 2],
    /// Radii of the ends; without them the ends are on the hub and on the casing of the mesh.
    pub radii: Option<[f64; 2]>,
    /// Numbers of points around and of bands.
    pub counts: [usize; 2],
}

/// A surface of revolution in a mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct Surface {
    axis: usize,
    /// Positions of the ends of the line along the axis.
    pub x: [f64; 2],
    /// Radii of the ends.
    pub radii: [f64; 2],
    /// Number of bands.
    pub bands: usize,
    /// Angles of the points around, from the first axis after that of the annulus on, to the right about it.
    pub angles: Vec<f64>,
    /// Angle after which the mesh repeats.
    pub period: f64,
}

impl Surface {
    /// Returns the surface in the mesh. `key` is that of the traverse. Collective.
    ///
    /// # Errors
    /// The mesh repeats by a rotation about another axis, or it has no hub or casing where the radii are to be found.
    pub fn new(solver: &Solver, place: &Place, key: &str) -> Result<Self, OutputError> {
        let passage = Passage::new(solver, place.axis, place.x[0], key)?;
        let [around, bands] = place.counts;
        let angles = passage.angles(around);
        let radii = match place.radii {
            Some(radii) => radii,
            None => found_radii(&passage, place.x, &angles, key)?,
        };
        Ok(Surface {
            axis: place.axis,
            x: place.x,
            radii,
            bands,
            angles,
            period: passage.period,
        })
    }

    /// Returns the surface in words.
    pub fn words(&self) -> String {
        let end = |end: usize| {
            format!(
                "r = {} at {} = {}",
                number(self.radii[end]),
                AXES[self.axis],
                number(self.x[end])
            )
        };
        format!(
            "{} angles of a period of {} degrees, {} bands from {} to {}",
            self.angles.len(),
            number(self.period.to_degrees()),
            self.bands,
            end(0),
            end(1)
        )
    }

    /// Slope dx/dr of the meridional line.
    pub fn cone(&self) -> f64 {
        (self.x[1] - self.x[0]) / (self.radii[1] - self.radii[0])
    }

    /// Area of the whole surface, all periods included.
    pub fn area(&self) -> f64 {
        let [low, high] = self.radii.map(|r| r * r);
        0.5 * TAU * (high - low) * self.slant()
    }

    fn slant(&self) -> f64 {
        self.cone().hypot(1.0)
    }

    /// The radius at a fraction of the area of a band.
    fn radius(&self, band: usize, fraction: f64) -> f64 {
        let [low, high] = self.radii.map(|r| r * r);
        (low + (high - low) * (band as f64 + fraction) / self.bands as f64).sqrt()
    }

    /// Radii that divide each band into halves of equal area.
    pub fn middle_radii(&self) -> Vec<f64> {
        (0..self.bands).map(|band| self.radius(band, 0.5)).collect()
    }

    /// Height of a radius from the first one, as a fraction.
    pub fn height(&self, radius: f64) -> f64 {
        (radius - self.radii[0]) / (self.radii[1] - self.radii[0])
    }

    /// Returns a point of the surface.
    fn point(&self, r: f64, angle: f64) -> Polar {
        let x = self.x[0] + self.cone() * (r - self.radii[0]);
        Polar { x, r, angle }
    }

    /// Returns the points, `[band][angle][point of the rule]`, turned by periods into the mesh. `key` is that of the
    /// traverse. Collective.
    ///
    /// # Errors
    /// A point lies in no cell.
    pub fn points(&self, solver: &Solver, key: &str) -> Result<Vec<Vector>, OutputError> {
        let passage = Passage::new(solver, self.axis, self.x[0], key)?;
        let polar: Vec<Polar> = (0..self.bands)
            .flat_map(|band| self.angles.iter().map(move |angle| (band, *angle)))
            .flat_map(|(band, angle)| RULE.map(|(fraction, _)| self.point(self.radius(band, fraction), angle)))
            .collect();
        let places = passage.places(&polar);
        match places.iter().position(Option::is_none) {
            Some(number) => Err(self.outside(&passage, polar[number], key)),
            None => Ok(places.into_iter().flatten().collect()),
        }
    }

    /// Returns the error for a point that lies in no cell, with what the mesh has there. Collective.
    fn outside(&self, passage: &Passage, at: Polar, key: &str) -> OutputError {
        let refused = |of: &str, what: String| OutputError::Refused {
            key: format!("{key}.{of}"),
            what,
        };
        let place = format!(
            "the point at {} = {}, r = {}, theta = {} degrees lies in no cell",
            AXES[self.axis],
            number(at.x),
            number(at.r),
            number(at.angle.to_degrees())
        );
        let [hub, casing] = match passage.reach(at.x, &self.angles) {
            Reach::Nothing => return refused("x", beside(passage, at.x)),
            Reach::Annulus([hub, casing]) if at.r < hub || at.r > casing => [hub, casing],
            _ => return refused("x", format!("{place}: {BODY}")),
        };
        let what = format!(
            "{place}: the mesh reaches from r = {} to {} there. Right would be radii between them, or no `radii`, for \
             those of hub and casing",
            number(hub),
            number(casing)
        );
        refused("radii", what)
    }

    /// Returns a state with the velocity along the normal of the surface (downstream), around the axis (to the right
    /// about it), and along the surface (outwards).
    pub fn local(&self, at: [f64; 3], state: &Primitives) -> Primitives {
        let [a, b] = [(self.axis + 1) % 3, (self.axis + 2) % 3];
        let radius = at[a].hypot(at[b]);
        let (cos, sin) = (at[a] / radius, at[b] / radius);
        let [rho, .., p, t] = *state;
        let v = [state[1], state[2], state[3]];
        let axial = v[self.axis];
        let outwards = v[a] * cos + v[b] * sin;
        let around = v[b] * cos - v[a] * sin;
        let normal = (axial - self.cone() * outwards) / self.slant();
        let along = (outwards + self.cone() * axial) / self.slant();
        [rho, normal, around, along, p, t]
    }

    /// Returns the axial, circumferential and radial parts of a velocity that [`Self::local`] has turned.
    pub fn cylindrical(&self, [normal, around, along]: [f64; 3]) -> [f64; 3] {
        let axial = (normal + self.cone() * along) / self.slant();
        let outwards = (along - self.cone() * normal) / self.slant();
        [axial, around, outwards]
    }
}

/// Returns the radius of the hub at the first position along the axis and that of the casing at the second. Collective.
fn found_radii(passage: &Passage, x: [f64; 2], angles: &[f64], key: &str) -> Result<[f64; 2], OutputError> {
    let refused = |what: String| OutputError::Refused {
        key: format!("{key}.x"),
        what,
    };
    let reach = |x: f64| match passage.reach(x, angles) {
        Reach::Annulus(radii) => Ok(radii),
        Reach::Nothing => Err(refused(beside(passage, x))),
        Reach::Part => {
            let axis = AXES[passage.axis];
            Err(refused(format!(
                "at {axis} = {} the mesh does not reach from a hub to a casing at all angles: {BODY}",
                number(x)
            )))
        }
    };
    let [hub, other] = reach(x[0])?;
    let casing = if x[0] == x[1] { other } else { reach(x[1])?[1] };
    if hub < casing {
        return Ok([hub, casing]);
    }
    Err(refused(format!(
        "the hub has the radius {} at the first position and the casing {} at the second: right would be `radii`, of \
         which the second one is larger",
        number(hub),
        number(casing)
    )))
}

/// Says that the mesh has nothing at a position along its axis, and where it is. Collective.
fn beside(passage: &Passage, x: f64) -> String {
    let [from, to] = passage.length();
    format!(
        "the mesh has no cell at {} = {}: it reaches from {} to {}",
        AXES[passage.axis],
        number(x),
        number(from),
        number(to)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cone() -> Surface {
        Surface {
            axis: 2,
            x: [1.05, 1.8],
            radii: [1.0, 2.0],
            bands: 3,
            angles: vec![0.0, 0.1],
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
        let at = surface.point(1.5, 0.7).about(2);
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
}
