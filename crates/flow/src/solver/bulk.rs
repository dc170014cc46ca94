//! Mass and momentum of the whole domain. They need no right-hand side, so that they are cheap enough to be computed
//! often.
//!
//! The device sums over the points of each cell, and over the cells without rounding.

use crate::device::{Device, DeviceError};
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
        let sums = ExactSum::allreduce_vec(ranks, device.bulk()?.sums);
        let mean: Vec<f64> = sums.into_iter().map(|sum| sum.value() / volume).collect();
        Ok(Bulk {
            density: mean[0],
            momentum: [mean[1], mean[2], mean[3]],
        })
    }

    /// Returns the bulk velocity, momentum over mass, in a direction (0, 1, 2).
    pub fn velocity(&self, direction: usize) -> f64 {
        self.momentum[direction] / self.density
    }
}
