//! What a device is told of a turbulent inlet, and the memory that it takes.

use super::contract::{TURBULENT_POINTS, TURBULENT_VALUES};

/// A point of a turbulent inlet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TurbulentPoint {
    /// Number of the point among all points of boundary faces, in the order of the plan.
    pub number: usize,
    /// Position relative to the centre of the inlet.
    pub x: [f64; 3],
    /// Lower triangular factor that gives the sum of the modes the stresses of the point.
    pub factor: [f64; 6],
    /// Place among the rows of amplitudes: the row, and behind the point the weight of the next one; 0 without rows.
    pub place: f64,
    /// Velocity per unit of the correction of the mass flow.
    pub shift: [f64; 3],
}

/// The modes of a turbulent inlet and its points on this rank.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TurbulentInlet {
    /// Wave vectors (turns per length).
    pub waves: Vec<[f64; 3]>,
    /// Directions, times amplitude if that is the same at all points.
    pub directions: Vec<[f64; 3]>,
    /// Amplitudes of the modes in LENGTH_ROWS rows, `[row][mode]`; none if they are the same at all points.
    pub amplitudes: Vec<Vec<f64>>,
    /// Phases at t = 0 (turns).
    pub phases: Vec<f64>,
    /// Frequencies (turns per time).
    pub frequencies: Vec<f64>,
    /// The points.
    pub points: Vec<TurbulentPoint>,
}

/// Returns the bytes of an inlet of `points` points, with reals of `real` bytes in blocks of `lanes` cells. `varies`
/// says whether the length of its turbulence varies. Its modes, a few MB at most, are not counted.
pub fn inlet_bytes(points: usize, varies: bool, lanes: usize, real: usize) -> usize {
    let place = if varies { real } else { 0 };
    points.next_multiple_of(TURBULENT_POINTS * lanes) * (TURBULENT_VALUES * real + place + size_of::<i64>())
}
