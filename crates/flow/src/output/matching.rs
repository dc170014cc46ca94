//! Matching points of modelled walls in wall units, for the log of a run and for `fr-les check`.

use super::surface_points::{Surfaces, tangential};
use crate::device::DeviceError;
use crate::ranks::ExactSum;
use crate::solver::Solver;
use crate::vector::length;

/// The matching points of a modelled wall.
#[derive(Debug, Clone, Copy)]
pub struct MatchingRange {
    /// Index of the boundary in the mesh.
    pub boundary: usize,
    /// Number of points.
    pub points: usize,
    /// Smallest and largest height over the wall (length).
    pub height: [f64; 2],
    /// Smallest, mean and largest y+, with density and viscosity at the wall.
    pub y_plus: [f64; 3],
}

/// Returns the matching points of all modelled walls at the state of which the device holds the right-hand side.
/// Collective.
pub fn matching_ranges(solver: &mut Solver) -> Result<Vec<MatchingRange>, DeviceError> {
    let modelled = |boundary: usize| solver.boundaries[boundary].matching().is_some();
    let numbers: Vec<usize> = (0..solver.boundaries.len())
        .filter(|&number| modelled(number))
        .collect();
    if numbers.is_empty() {
        return Ok(Vec::new());
    }
    let surfaces = Surfaces::of_solver(solver, modelled);
    let values = surfaces.take(solver.device.as_mut(), &solver.domain.geometry)?;
    let heights = &solver.device.plan().matching.heights;
    let range = |boundary: usize| {
        let (mut least, mut most) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        let mut sums: [ExactSum; 2] = std::array::from_fn(|_| ExactSum::default());
        let mine = surfaces.faces.iter().zip(&values);
        for (face, points) in mine.filter(|(face, _)| face.boundary == boundary) {
            for (point, &height) in points.iter().zip(&heights[face.values..]) {
                let shear = length(tangential(point.traction, point.area));
                let mu = solver.gas.mu(point.temperature);
                let y_plus = height * (point.density * shear).max(0.0).sqrt() / mu;
                let both = [height, y_plus];
                (0..2).for_each(|k| least[k] = least[k].min(both[k]));
                (0..2).for_each(|k| most[k] = most[k].max(both[k]));
                [y_plus, 1.0].into_iter().zip(&mut sums).for_each(|(x, sum)| sum.add(x));
            }
        }
        solver.ranks.allreduce_min(&mut least);
        solver.ranks.allreduce_max(&mut most);
        let [sum, count] = ExactSum::allreduce(&solver.ranks, sums).map(ExactSum::value);
        MatchingRange {
            boundary,
            points: count as usize,
            height: [least[0], most[0]],
            y_plus: [least[1], sum / count, most[1]],
        }
    };
    Ok(numbers.into_iter().map(range).collect())
}
