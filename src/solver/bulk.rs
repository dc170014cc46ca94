//! Mass and momentum of the whole domain. They need no right-hand side, so that they are cheap enough to be computed
//! often.
//!
//! The device sums over the points of each cell. The host adds the cells without rounding.

use crate::device::{BULKS, Device, DeviceError};
use crate::ranks::{ExactSum, Ranks};

/// Means over the volume of the domain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bulk {
    /// Mass per volume of the domain.
    pub density: f64,
    /// Momentum per volume of the domain.
    pub momentum: [f64; 3],
}

impl Bulk {
    /// Computes the means of the present state over all ranks. Collective.
    ///
    /// # Errors
    /// The device fails.
    pub fn take(device: &mut dyn Device, volume: f64, ranks: &Ranks) -> Result<Self, DeviceError> {
        let cells = device.bulk()?;
        let sums = ExactSum::of_columns::<BULKS>(&cells, BULKS);
        let [mass, x, y, z] = ExactSum::allreduce(ranks, sums).map(|sum| sum.value() / volume);
        Ok(Bulk {
            density: mass,
            momentum: [x, y, z],
        })
    }

    /// Returns the bulk velocity, momentum over mass, in a direction (0, 1, 2).
    pub fn velocity(&self, direction: usize) -> f64 {
        self.momentum[direction] / self.density
    }
}
