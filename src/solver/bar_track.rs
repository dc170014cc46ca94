//! Where the track of a row of bars lies in the mesh: the size of its cells, and whether it leaves the mesh.

use std::f64::consts::TAU;

use super::{Bars, Solver};
use crate::format::number;
use crate::geometry::{Geometry, Locator, extent};
use crate::physics::BarRow;
use crate::ranks::Ranks;

/// Places on the circle of a bar at which it is looked up in the mesh.
const ON_CIRCLE: usize = 16;
/// Most positions of a moving bar at which its circle is looked up; they are a radius apart where fewer suffice.
const MOST_POSITIONS: f64 = 500.0;

/// The cells in the track of a row: all y for a moving row, the bars themselves for one at rest.
pub(super) struct Track {
    /// Largest distance between neighbouring points of these cells in x or y: their extent over the order. It is 0 if
    /// there are none.
    pub spacing: f64,
    /// Lowest and highest y of the cells at the x of the row, whether they are in the track or not.
    ends: [f64; 2],
    /// Whether bars come back with the period of the domain.
    repeats: bool,
}

impl Track {
    /// Collective.
    pub fn new(row: &BarRow, pitch: f64, geometry: &Geometry, order: usize, ranks: &Ranks) -> Self {
        // The lowest y with its sign changed, so that all are maxima.
        let mut largest = [0.0, f64::NEG_INFINITY, f64::NEG_INFINITY];
        let radius = 0.5 * row.diameter;
        for cell in 0..geometry.kinds.len() {
            let [low, high] = extent(geometry.cell_positions(cell));
            if low[0] >= row.x + radius || high[0] <= row.x - radius {
                continue;
            }
            let apart = 0.5 * (low[1] + high[1]) - row.y;
            let nearest = if pitch > 0.0 {
                pitch * (apart / pitch).round()
            } else {
                0.0
            };
            let beside = (apart - nearest).abs() >= radius + 0.5 * (high[1] - low[1]);
            if !(beside && row.speed == 0.0) {
                let size = (high[0] - low[0]).max(high[1] - low[1]);
                largest[0] = largest[0].max(size / order as f64);
            }
            (largest[1], largest[2]) = (largest[1].max(-low[1]), largest[2].max(high[1]));
        }
        ranks.allreduce_max(&mut largest);
        Track {
            spacing: largest[0],
            ends: [-largest[1], largest[2]],
            repeats: pitch > 0.0,
        }
    }

    /// Refuses a row that never meets the mesh, with the key and what is wrong.
    pub fn require_cells(&self, row: &BarRow) -> Result<(), (&'static str, String)> {
        let [low, high] = self.ends;
        if low > high {
            return Err(("x", format!("the mesh has no cells at x = {}", row.x)));
        }
        // A bar that moves in a domain that does not repeat may come from outside. One that leaves at once is a slip.
        let (y, radius) = (row.y, 0.5 * row.diameter);
        let gone = (y - radius >= high && row.speed > 0.0) || (y + radius <= low && row.speed < 0.0);
        match self.spacing == 0.0 || (gone && !self.repeats) {
            true => Err((
                "y",
                format!(
                    "the bar at y = {y} never meets the mesh, which is at y from {} to {} there",
                    number(low),
                    number(high)
                ),
            )),
            false => Ok(()),
        }
    }
}

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
