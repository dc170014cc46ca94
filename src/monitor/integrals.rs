//! Integrals over the domain: mean kinetic energy and what changes it, enstrophy, conserved totals, extremes.
//!
//! The device sums over the points of each cell; here cells are added without rounding, so the result is the same for any
//! placement of cells on any number of ranks. The decay of kinetic energy is that of the semi-discrete equations at this very
//! state, not a difference in time: it needs no smooth series and is exact for what the scheme does, dissipation at
//! interfaces included.

use crate::device::{Device, DeviceError, INTEGRALS, SUMS};
use crate::ranks::{ExactSum, Ranks};

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

/// Of the extremes, in the order of the kernel: -1 where the least is wanted.
const SIGNS: [f64; INTEGRALS - SUMS] = [-1.0, 1.0, -1.0, 1.0, -1.0, 1.0, 1.0];

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
    /// Of the present state over all ranks; the device must hold its right-hand side. Collective.
    pub fn take(device: &mut dyn Device, volume: f64, ranks: &Ranks) -> Result<Self, DeviceError> {
        let cells = device.integrals()?;
        let sums: [ExactSum; SUMS] = std::array::from_fn(|q| cells.chunks(INTEGRALS).map(|c| c[q]).collect());
        let sums = ExactSum::over(ranks, sums).map(ExactSum::value);
        // Extremes as greatest numbers: every other one is a least one.
        let mut extremes = [f64::NEG_INFINITY; INTEGRALS - SUMS];
        for cell in cells.chunks(INTEGRALS) {
            for ((most, x), sign) in extremes.iter_mut().zip(&cell[SUMS..]).zip(SIGNS) {
                *most = most.max(sign * x);
            }
        }
        ranks.greatest(&mut extremes);
        let mean = |q: usize| sums[q] / volume;
        Ok(Integrals {
            conserved: [sums[0], sums[1], sums[2], sums[3], sums[4]],
            kinetic_energy: mean(5),
            kinetic_energy_decay: -mean(6),
            enstrophy: mean(7),
            dissipation_viscous: mean(8),
            dissipation_pressure: -mean(9),
            extremes: std::array::from_fn(|k| SIGNS[k] * extremes[k]),
            mach_max: extremes[6].sqrt(),
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
