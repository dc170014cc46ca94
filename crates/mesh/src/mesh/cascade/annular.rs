//! An annular row as it is set: the number of blades, hub and casing, and the sections of the blade.

use std::f64::consts::TAU;

use super::curve::Curve;
use super::plane::{Point, extent};
use crate::input::Problem;

/// Places at which hub and casing are compared.
const PLACES: usize = 400;

/// An annular row about the x axis. Lengths are in chords.
#[derive(Debug, Clone)]
pub struct Annular {
    /// Number of blades.
    pub blades: usize,
    /// Radius of the hub, a function of x.
    pub(super) hub: Curve,
    /// Radius of the casing.
    pub(super) casing: Curve,
    /// Sections of the blade on cylinders, radii ascending. With one only, the blade has the same section everywhere.
    pub sections: Vec<BladeSection>,
    /// Number of the section of which the mesh of the plane is made.
    pub middle: usize,
    /// Height between hub and casing at the middle of the blade.
    pub height: f64,
}

/// A section of the blade on a cylinder.
#[derive(Debug, Clone)]
pub struct BladeSection {
    /// Radius of the cylinder.
    pub radius: f64,
    /// Points (x, arc length about the axis), once round to the left, with a round trailing edge; `None` for the
    /// section that is meshed, whose points are those of the cascade.
    pub points: Option<Vec<Point>>,
}

impl Annular {
    /// Returns the radius at x and a fraction of the height from the hub.
    pub(super) fn radius(&self, x: f64, fraction: f64) -> f64 {
        let hub = self.hub.at(x);
        hub + fraction * (self.casing.at(x) - hub)
    }

    /// Pitch of the middle section, along the circle.
    pub fn pitch(&self) -> f64 {
        TAU * self.sections[self.middle].radius / self.blades as f64
    }
}

/// Puts hub, casing and sections together. Hub and casing are points (x, r); a single section may come without radius.
/// Returns the points of the section that is meshed too.
///
/// # Errors
/// The curves do not reach from the inlet to the outlet or meet, or the sections are out of order or do not reach from
/// the hub to the casing.
pub(super) fn annular(
    blades: usize,
    walls: [&[Point]; 2],
    ends: [f64; 2],
    sections: Vec<(Option<f64>, Vec<Point>)>,
) -> Result<(Annular, Vec<Point>), Problem> {
    let curve = |key: &str, points: &[Point]| wall_curve(points, ends).map_err(|problem| problem.under(key));
    let hub = curve("annulus.hub", walls[0])?;
    let casing = curve("annulus.casing", walls[1])?;
    for i in 0..=PLACES {
        let x = ends[0] + (ends[1] - ends[0]) * i as f64 / PLACES as f64;
        let [low, high] = [hub.at(x), casing.at(x)];
        if low <= 0.0 {
            let what = format!("the hub has the radius {low:.5} at x = {x:.5}: radii are above 0");
            return Err(Problem::new(what).key("annulus.hub"));
        }
        if low >= high {
            let what = format!("the hub, with the radius {low:.5}, is not below the casing, {high:.5}, at x = {x:.5}");
            return Err(Problem::new(what)
                .key("annulus.casing")
                .help("the curves are smooth through their points and may swing between distant ones"));
        }
    }
    let [from, to] = sections
        .iter()
        .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], (_, points)| {
            let [from, to] = extent(points);
            [low.min(from), high.max(to)]
        });
    let middle_of_blade = 0.5 * (from + to);
    let height = casing.at(middle_of_blade) - hub.at(middle_of_blade);
    let middle_radius = hub.at(middle_of_blade) + 0.5 * height;
    let radii: Vec<f64> = sections
        .iter()
        .map(|(radius, _)| radius.unwrap_or(middle_radius))
        .collect();
    refuse_disorder(&radii)?;
    let apart = |k: usize| (radii[k] - middle_radius).abs();
    let middle = (0..radii.len())
        .min_by(|&i, &j| apart(i).total_cmp(&apart(j)))
        .unwrap_or(0);
    let points = sections.into_iter().map(|(_, points)| Some(points));
    let each = radii.into_iter().zip(points);
    let mut row = Annular {
        sections: each.map(|(radius, points)| BladeSection { radius, points }).collect(),
        middle,
        height,
        blades,
        hub,
        casing,
    };
    row.refuse_uncovered([from, to])?;
    let meshed = row.sections[middle].points.take().unwrap_or_default();
    Ok((row, meshed))
}

/// Refuses sections whose radii do not ascend.
fn refuse_disorder(radii: &[f64]) -> Result<(), Problem> {
    match radii.windows(2).position(|pair| pair[1] <= pair[0]) {
        None => Ok(()),
        Some(k) => Err(Problem::new(format!(
            "the sections are out of order: this one has the radius {}, and the one before it {}",
            radii[k + 1],
            radii[k]
        ))
        .key(format!("profile.sections[{}].radius", k + 1))
        .help("sections are listed from the hub to the casing")),
    }
}

impl Annular {
    /// Refuses sections between which hub or casing does not lie where the blade is.
    fn refuse_uncovered(&self, [from, to]: [f64; 2]) -> Result<(), Problem> {
        /// Distances below this part of the radius are rounding of the input.
        const SLACK: f64 = 1e-6;
        let [Some(first), Some(last)] = [self.sections.first(), self.sections.last()] else {
            return Ok(());
        };
        if self.sections.len() == 1 {
            return Ok(());
        }
        for i in 0..=PLACES {
            let x = from + (to - from) * i as f64 / PLACES as f64;
            let [low, high] = [self.hub.at(x), self.casing.at(x)];
            if low < first.radius * (1.0 - SLACK) || high > last.radius * (1.0 + SLACK) {
                return Err(Problem::new(format!(
                    "the sections lie between the radii {} and {}, but hub and casing are at {low:.5} and {high:.5} \
                     at x = {x:.5}, where the blade is",
                    first.radius, last.radius
                ))
                .key("profile.sections")
                .help("the first section is at the hub or below it, and the last one at the casing or above it"));
            }
        }
        Ok(())
    }
}

/// The curve of a hub or a casing.
fn wall_curve(points: &[Point], [inlet, outlet]: [f64; 2]) -> Result<Curve, Problem> {
    if points.len() < 2 {
        let what = format!("a curve of {} points: at least 2 are needed, [x, r] each", points.len());
        return Err(Problem::new(what));
    }
    if let Some(i) = points.windows(2).position(|pair| pair[1][0] <= pair[0][0]) {
        let what = format!("x is {} after {}: it must ascend", points[i + 1][0], points[i][0]);
        return Err(Problem::new(what).key(format!("[{}][0]", i + 1)));
    }
    let [from, to] = [points[0][0], points[points.len() - 1][0]];
    if from > inlet || to < outlet {
        return Err(Problem::new(format!(
            "the curve reaches from x = {from} to {to}, but the mesh from the inlet at {inlet} to the outlet at \
             {outlet}"
        )));
    }
    Ok(Curve::new(points))
}
