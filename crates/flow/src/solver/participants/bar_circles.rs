//! The circles of bars, looked up in the mesh: whether a bar leaves it.

use std::f64::consts::TAU;

use super::bars::Bars;
use crate::geometry::{Locator, extent};
use crate::solver::domain::Domain;

/// Places on the circle of a bar at which it is looked up in the mesh.
const ON_CIRCLE: usize = 16;
/// Most positions of a moving bar at which its circle is looked up; they are a radius apart where fewer suffice.
const MOST_POSITIONS: f64 = 500.0;

impl Bars {
    /// Returns places on the circles of the bars, x and y: of bars at rest, or along the path of moving ones during the
    /// time `span` after their start.
    fn circles(&self, span: f64) -> Vec<[f64; 2]> {
        let row = &self.row;
        let pitch = self.spacing.pitch;
        let radius = 0.5 * self.row.diameter;
        let (start, path, positions) = match (row.speed == 0.0, pitch > 0.0) {
            (true, _) => (row.y, pitch * self.spacing.count as f64, self.spacing.count),
            (false, true) => along(row.y, pitch * self.spacing.count as f64, radius),
            (false, false) => along(row.y, row.y_at(span) - row.y, radius),
        };
        let centre = |position: usize| start + path * position as f64 / positions as f64;
        let on_circle = |y: f64| {
            let angles = (0..ON_CIRCLE).map(|k| TAU * k as f64 / ON_CIRCLE as f64);
            angles.map(move |angle| [row.x + radius * angle.cos(), y + radius * angle.sin()])
        };
        (0..=positions).map(centre).flat_map(on_circle).collect()
    }
}

/// Returns the start and the length of a path, and the number of positions on it that are a radius apart.
fn along(start: f64, path: f64, radius: f64) -> (f64, f64, usize) {
    let positions = (path.abs() / radius).ceil().clamp(1.0, MOST_POSITIONS);
    (start, path, positions as usize)
}

impl Bars {
    /// Returns a place (x, y) at which a bar of the row leaves the mesh during the time `span` after its start, if one
    /// does: all of them at rest or where the domain repeats in y, and a single one that moves on its path. The place
    /// is looked up at half the height of the mesh. Collective.
    pub fn outside(&self, domain: &Domain, span: f64) -> Option<[f64; 2]> {
        let [low, high] = extent(&domain.geometry.points);
        let mut ends = [-low[2], high[2]];
        domain.ranks.allreduce_max(&mut ends);
        let z = 0.5 * (ends[1] - ends[0]);
        let period = self.spacing.pitch * self.spacing.count as f64;
        // All images of a place between the lowest and the highest y of the mesh at this x, and one beyond each: sides
        // that repeat may be curved. Of all places there are as many.
        let images = if period > 0.0 {
            ((self.ends[1] - self.ends[0]) / period).ceil() as usize + 2
        } else {
            1
        };
        let first = |at: f64| {
            if period > 0.0 {
                at + period * ((self.ends[0] - at) / period).floor()
            } else {
                at
            }
        };
        let circles: Vec<[f64; 2]> = self.circles(span).iter().map(|&[x, at]| [x, first(at)]).collect();
        let of_place = |&[x, y]: &[f64; 2]| (0..images).map(move |turn| [x, y + period * turn as f64, z]);
        let places: Vec<[f64; 3]> = circles.iter().flat_map(of_place).collect();
        let found = Locator::new(&domain.mesh, &domain.geometry, domain.elements.order).find(&places);
        let mut inside: Vec<f64> = found
            .chunks(images)
            .map(|images| f64::from(images.iter().any(Option::is_some)))
            .collect();
        domain.ranks.allreduce_max(&mut inside);
        let outside = inside.iter().position(|&inside| inside == 0.0);
        outside.map(|place| {
            [
                circles[place][0],
                circles[place][1] + if images > 1 { period } else { 0.0 },
            ]
        })
    }
}
