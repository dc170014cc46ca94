//! The circles of bars, looked up in the mesh: whether a bar leaves it.

use std::f64::consts::TAU;

use super::{Bars, Solver};
use crate::geometry::{Locator, extent};

/// Places on the circle of a bar at which it is looked up in the mesh.
const ON_CIRCLE: usize = 16;
/// Most positions of a moving bar at which its circle is looked up; they are a radius apart where fewer suffice.
const MOST_POSITIONS: f64 = 500.0;

impl Bars {
    /// Returns places on the circles of the bars, x and y: of bars at rest, or along the way of moving ones within
    /// `span` of time from their begin.
    fn circles(&self, span: f64) -> Vec<[f64; 2]> {
        let (row, pitch, radius) = (&self.row, self.spacing.pitch, 0.5 * self.row.diameter);
        let (begin, way, positions) = match (row.speed == 0.0, pitch > 0.0) {
            (true, _) => (row.y, pitch * self.spacing.count as f64, self.spacing.count),
            (false, true) => along(row.y, pitch * self.spacing.count as f64, radius),
            (false, false) => along(row.y, row.y_at(span) - row.y, radius),
        };
        let centre = |position: usize| begin + way * position as f64 / positions as f64;
        let on_circle = |y: f64| {
            let angles = (0..ON_CIRCLE).map(|k| TAU * k as f64 / ON_CIRCLE as f64);
            angles.map(move |angle| [row.x + radius * angle.cos(), y + radius * angle.sin()])
        };
        (0..=positions).map(centre).flat_map(on_circle).collect()
    }
}

/// Returns the begin and the length of a way, and the number of positions on it that are a radius apart.
fn along(begin: f64, way: f64, radius: f64) -> (f64, f64, usize) {
    (
        begin,
        way,
        (way.abs() / radius).ceil().clamp(1.0, MOST_POSITIONS) as usize,
    )
}

impl Solver {
    /// Returns a place (x, y) at which a bar of a row leaves the mesh within `span` of time from its begin, if one
    /// does: all of them at rest or where the domain repeats in y, and on its way a single one that moves. The place
    /// is looked up at half the height of the mesh. Collective.
    pub fn bar_outside(&self, row: usize, span: f64) -> Option<[f64; 2]> {
        let bars = &self.bars()[row];
        let circles = bars.circles(span);
        let [low, high] = extent(&self.geometry.points);
        let mut ends = [-low[1], high[1], -low[2], high[2]];
        self.ranks.allreduce_max(&mut ends);
        let [y, z] = [0.5 * (ends[1] - ends[0]), 0.5 * (ends[3] - ends[2])];
        let period = bars.spacing.pitch * bars.spacing.count as f64;
        // The image of a place that is nearest to the middle of the domain, and its neighbours: sides that repeat may
        // be curved.
        let images = circles.iter().flat_map(|&[x, at]| {
            let turns = if period > 0.0 { ((y - at) / period).round() } else { 0.0 };
            [-1.0, 0.0, 1.0].map(|beside| [x, at + period * (turns + beside), z])
        });
        let images: Vec<[f64; 3]> = images.collect();
        let found = Locator::new(&self.mesh, &self.geometry, self.elements.order).find(&images);
        let mut inside: Vec<f64> = found
            .chunks(3)
            .map(|images| f64::from(images.iter().any(Option::is_some)))
            .collect();
        self.ranks.allreduce_max(&mut inside);
        let outside = inside.iter().position(|&inside| inside == 0.0);
        outside.map(|place| circles[place])
    }
}
