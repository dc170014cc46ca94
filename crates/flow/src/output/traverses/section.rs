//! The section of a domain that a traverse samples: a plane x = const over a pitch in y and the span in z.
//!
//! The domain repeats in y after the pitch, and its sides may be curved, so that a pitch line with straight ends leaves
//! it at one side. What lies beyond is sampled a pitch, or several, away, where the flow is the same.

use crate::geometry::{Locator, extent};
use crate::output::error::OutputError;
use crate::solver::Solver;

/// Index of the direction of the pitch.
const Y: usize = 1;

/// Extent of a domain across the flow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Section {
    /// Length after which the domain repeats in y.
    pub pitch: f64,
    /// Length of the domain in z.
    pub span: f64,
    /// Least z of the domain.
    z: f64,
    /// Least and largest y of the domain.
    y: [f64; 2],
}

impl Section {
    /// Returns the section of the mesh. `key` is that of the traverse. Collective.
    ///
    /// # Errors
    /// The domain does not repeat in y.
    pub fn new(solver: &Solver, key: &str) -> Result<Self, OutputError> {
        let mesh = &solver.mesh;
        let geometry = &solver.geometry;
        let ranks = &solver.ranks;
        let pitch = geometry.period(mesh, solver.elements.order, Y, ranks);
        let pitch = pitch.ok_or_else(|| OutputError::Refused {
            key: key.to_owned(),
            what: "the domain does not repeat in y: a traverse is a line over a pitch in y, at whose ends the flow \
                   is the same"
                .to_owned(),
        })?;
        let [mut low, mut high] = extent(&geometry.points);
        ranks.allreduce_min(&mut low);
        ranks.allreduce_max(&mut high);
        Ok(Section {
            pitch,
            span: high[2] - low[2],
            z: low[2],
            y: [low[Y], high[Y]],
        })
    }

    /// Returns `count` equidistant ordinates of a pitch that begins at `y`.
    pub fn ordinates(&self, y: f64, count: usize) -> Vec<f64> {
        (0..count).map(|i| y + self.pitch * i as f64 / count as f64).collect()
    }

    /// Returns the points of the plane at `x`: for each ordinate those of `lines` lines, which lie in the middle of
    /// equal parts of the span. They are moved by pitches into the domain; those that lie in no cell stay. Collective.
    pub fn points(&self, solver: &Solver, x: f64, ordinates: &[f64], lines: usize) -> Vec<[f64; 3]> {
        let part = |line: usize| self.z + self.span * (line as f64 + 0.5) / lines as f64;
        let of = |&y: &f64| (0..lines).map(move |line| [x, y, part(line)]);
        let mut points: Vec<[f64; 3]> = ordinates.iter().flat_map(of).collect();
        let locator = Locator::new(&solver.mesh, &solver.geometry, solver.elements.order);
        let mut open: Vec<usize> = (0..points.len()).collect();
        for pitches in self.images(ordinates) {
            let moved: Vec<[f64; 3]> = open
                .iter()
                .map(|&i| [x, points[i][Y] + pitches as f64 * self.pitch, points[i][2]])
                .collect();
            let mut outside: Vec<u64> = locator.find(&moved).iter().map(|f| u64::from(f.is_none())).collect();
            solver.ranks.allreduce_min(&mut outside);
            for ((&i, to), _) in open
                .iter()
                .zip(moved)
                .zip(&outside)
                .filter(|(_, outside)| **outside == 0)
            {
                points[i] = to;
            }
            let still = open.into_iter().zip(outside).filter(|(_, outside)| *outside > 0);
            open = still.map(|(i, _)| i).collect();
        }
        points
    }

    /// Returns the numbers of pitches by which ordinates can be moved into the domain, the least first.
    fn images(&self, ordinates: &[f64]) -> Vec<i64> {
        let last = ordinates.len() - 1;
        let from = ((self.y[0] - ordinates[last]) / self.pitch).floor() as i64;
        let to = ((self.y[1] - ordinates[0]) / self.pitch).ceil() as i64;
        let mut images: Vec<i64> = (from..=to).collect();
        images.sort_by_key(|k| (k.abs(), *k < 0));
        images
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinates_divide_a_pitch_and_are_moved_by_as_few_pitches_as_possible() {
        let section = Section {
            pitch: 0.5,
            span: 0.1,
            z: 0.0,
            y: [-0.8, 0.2],
        };
        let ordinates = section.ordinates(0.25, 4);
        assert_eq!(ordinates, [0.25, 0.375, 0.5, 0.625]);
        assert_eq!(section.images(&ordinates), [0, -1, -2, -3]);
        assert_eq!(section.images(&section.ordinates(-1.0, 2)), [0, 1, -1, 2, 3]);
    }
}
