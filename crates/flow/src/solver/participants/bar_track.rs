//! The track of a row of bars: the size of its cells, and whether the row meets the mesh.

use crate::format::number;
use crate::geometry::{Geometry, extent};
use crate::physics::{BarRow, Spacing};
use crate::ranks::Ranks;

/// The cells in the track of a row: all y for a moving row, the bars themselves for one at rest.
pub(super) struct Track {
    /// Largest distance between neighbouring points of these cells in x or y: their extent over the order. It is 0 if
    /// there are none.
    pub spacing: f64,
    /// Lowest and highest y of the cells at the x of the row, whether they are in the track or not.
    pub ends: [f64; 2],
    /// Whether bars come back with the period of the domain.
    repeats: bool,
}

impl Track {
    /// Finds the cells in the track of a row of bars that repeat as `spacing` says. Collective.
    pub fn new(row: &BarRow, spacing: Spacing, geometry: &Geometry, order: usize, ranks: &Ranks) -> Self {
        // The lowest y with its sign changed, so that all are maxima.
        let mut largest = [0.0, f64::NEG_INFINITY, f64::NEG_INFINITY];
        let radius = 0.5 * row.diameter;
        for cell in 0..geometry.kinds.len() {
            let [low, high] = extent(geometry.cell_positions(cell));
            if low[0] >= row.x + radius || high[0] <= row.x - radius {
                continue;
            }
            let apart = 0.5 * (low[1] + high[1]) - row.y;
            let nearest = spacing.pitch * spacing.nearest(apart, 0.0);
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
            repeats: spacing.pitch > 0.0,
        }
    }

    /// Verifies that a row meets the mesh.
    ///
    /// # Errors
    /// It never does: the key, and what is wrong.
    pub fn require_cells(&self, row: &BarRow) -> Result<(), (&'static str, String)> {
        let [low, high] = self.ends;
        if low > high {
            return Err(("x", format!("the mesh has no cells at x = {}", row.x)));
        }
        // A bar that moves in a domain that does not repeat may come from outside. One that leaves at once is a slip.
        let (y, radius) = (row.y, 0.5 * row.diameter);
        let gone = (y - radius >= high && row.speed > 0.0) || (y + radius <= low && row.speed < 0.0);
        if self.spacing > 0.0 && (self.repeats || !gone) {
            return Ok(());
        }
        let what = if low < y + radius && y - radius < high {
            format!("the bar at y = {y} lies in a hole of the mesh at x = {}", row.x)
        } else {
            format!(
                "the bar at y = {y} never meets the mesh, which is at y from {} to {} there",
                number(low),
                number(high)
            )
        };
        Err(("y", what))
    }
}
