//! Mass and momentum of the whole domain. They need no right-hand side, so that they can be asked for often.
//!
//! The device sums over the points of each cell; cells are added without rounding, as there.

use rayon::prelude::*;

use crate::device::{BULKS, CELLS_OF_A_THREAD, Device, DeviceError};
use crate::ranks::{ExactSum, Ranks};

/// Means over the volume of the domain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bulk {
    /// Mass per volume.
    pub density: f64,
    /// Momentum per volume.
    pub momentum: [f64; 3],
}

impl Bulk {
    /// Of the present state over all ranks. Collective.
    pub fn take(device: &mut dyn Device, volume: f64, ranks: &Ranks) -> Result<Self, DeviceError> {
        let cells = device.bulk()?;
        let none = || [(); BULKS].map(|()| ExactSum::default());
        // The sums are exact, so that they may be divided among threads in any way.
        let sums = cells
            .par_chunks(BULKS)
            .with_min_len(CELLS_OF_A_THREAD)
            .fold(none, |mut sums, cell| {
                sums.iter_mut().zip(cell).for_each(|(sum, &x)| sum.add(x));
                sums
            })
            .reduce(none, |a, b| {
                let mut b = b.into_iter();
                a.map(|sum| sum.merge(b.next().unwrap_or_default()))
            });
        let [mass, x, y, z] = ExactSum::allreduce(ranks, sums).map(|sum| sum.value() / volume);
        Ok(Bulk {
            density: mass,
            momentum: [x, y, z],
        })
    }

    /// The bulk velocity: momentum over mass, in a direction.
    pub fn velocity(&self, direction: usize) -> f64 {
        self.momentum[direction] / self.density
    }
}
