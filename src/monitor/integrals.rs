//! Integrals over the domain: mean kinetic energy and what changes it, enstrophy, conserved totals, extremes.
//!
//! The device sums over the points of each cell; here cells are added in mesh order with compensation, so the result is the
//! same for any placement of cells. The decay of kinetic energy is that of the semi-discrete equations at this very
//! state, not a difference in time: it needs no smooth series and is exact for what the scheme does, dissipation at
//! interfaces included.

use crate::device::{Device, DeviceError, INTEGRALS, SUMS};

/// Names and units of the columns, in the order of [`Integrals::row`]. Means are per unit volume.
pub const COLUMNS: [(&str, &str); 20] = [
    ("step", "-"),
    ("time", "s"),
    ("dt", "s"),
    ("kinetic_energy", "J/m^3"),
    ("kinetic_energy_decay", "W/m^3"),
    ("enstrophy", "kg/(m^3 s^2)"),
    ("dissipation_viscous", "W/m^3"),
    ("dissipation_pressure", "W/m^3"),
    ("mass", "kg"),
    ("momentum_x", "kg m/s"),
    ("momentum_y", "kg m/s"),
    ("momentum_z", "kg m/s"),
    ("total_energy", "J"),
    ("density_min", "kg/m^3"),
    ("density_max", "kg/m^3"),
    ("pressure_min", "Pa"),
    ("pressure_max", "Pa"),
    ("temperature_min", "K"),
    ("temperature_max", "K"),
    ("mach_max", "-"),
];

/// Integrals of one instant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Integrals {
    /// Mass, momentum, total energy, integrated over the domain.
    pub conserved: [f64; 5],
    /// Mean of rho |v|^2/2.
    pub kinetic_energy: f64,
    /// -d/dt of it.
    pub kinetic_energy_decay: f64,
    /// Mean of rho |curl v|^2/2.
    pub enstrophy: f64,
    /// Mean of tau : grad v.
    pub dissipation_viscous: f64,
    /// Mean of -p div v.
    pub dissipation_pressure: f64,
    /// Least and largest density, pressure, temperature.
    pub extremes: [f64; 6],
    /// Largest Mach number.
    pub mach_max: f64,
}

impl Integrals {
    /// Of the present state; the device must hold its right-hand side.
    pub fn take(device: &mut dyn Device, volume: f64) -> Result<Self, DeviceError> {
        let cells = device.integrals()?;
        let column = |q: usize| cells.chunks(INTEGRALS).map(move |c| c[q]);
        let sum = |q: usize| compensated_sum(column(q));
        let mean = |q: usize| sum(q) / volume;
        let least = |q: usize| column(q).fold(f64::INFINITY, f64::min);
        let most = |q: usize| column(q).fold(f64::NEG_INFINITY, f64::max);
        let e = SUMS;
        Ok(Integrals {
            conserved: [sum(0), sum(1), sum(2), sum(3), sum(4)],
            kinetic_energy: mean(5),
            kinetic_energy_decay: -mean(6),
            enstrophy: mean(7),
            dissipation_viscous: mean(8),
            dissipation_pressure: -mean(9),
            extremes: [
                least(e),
                most(e + 1),
                least(e + 2),
                most(e + 3),
                least(e + 4),
                most(e + 5),
            ],
            mach_max: most(e + 6).sqrt(),
        })
    }

    /// One row of the series.
    pub fn row(&self, step: u64, time: f64, dt: f64) -> [f64; COLUMNS.len()] {
        let (c, x) = (self.conserved, self.extremes);
        [
            step as f64,
            time,
            dt,
            self.kinetic_energy,
            self.kinetic_energy_decay,
            self.enstrophy,
            self.dissipation_viscous,
            self.dissipation_pressure,
            c[0],
            c[1],
            c[2],
            c[3],
            c[4],
            x[0],
            x[1],
            x[2],
            x[3],
            x[4],
            x[5],
            self.mach_max,
        ]
    }
}

/// Neumaier's sum: error of one rounding however many terms.
pub(super) fn compensated_sum(values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut lost) = (0.0f64, 0.0f64);
    for x in values {
        let next = sum + x;
        lost += if sum.abs() >= x.abs() {
            (sum - next) + x
        } else {
            (x - next) + sum
        };
        sum = next;
    }
    sum + lost
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_do_not_lose_small_terms() {
        let values = [1.0]
            .into_iter()
            .chain(std::iter::repeat_n(1e-17, 1_000_000))
            .chain([-1.0]);
        assert!((compensated_sum(values) - 1e-11).abs() < 1e-16);
    }
}
