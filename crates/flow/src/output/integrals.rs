//! Integrals over the domain: mean kinetic energy and the terms of its budget, enstrophy, conserved totals, extremes.
//!
//! The device sums over each cell, and over the cells without rounding, so that the result is the same for any
//! placement of cells on any number of ranks.
//!
//! Mass, momentum and energy are sums over the points with the weights of the scheme, which conserves these sums. Means
//! of products of the flow (energies, enstrophy, dissipation) are integrals of the polynomials of density, velocity and
//! pressure that the solution files hold, by a rule that is exact for them but for small terms
//! ([`crate::element::OutputRule`]). Strain and vorticity are those of the polynomial inside the cell. The divergence
//! on which pressure works has the correction at the faces.
//!
//! The decay of kinetic energy is that of the semi-discrete equations at this very state, not a difference in time: the
//! exact derivative of `kinetic_energy`. It needs no smooth series and includes the dissipation at interfaces.

use std::sync::Arc;

use super::error::OutputError;
use super::interface::{Columns, SampleContext};
use super::keys::{Context, Keys};
use super::request::Request;
use super::series::{Rows, SeriesRequest, columns, series_keys};
use crate::device::{Device, DeviceError, INTEGRALS, SUMS};
use crate::input::{Problem, Table};
use crate::ranks::{ExactSum, Ranks};
use crate::solver::{FilterRecord, Solver};

/// The key, and the name of the series.
const NAME: &str = "integrals";

/// Names and units of the columns, in the order of [`Integrals::row`]. Means are per unit volume.
const COLUMNS: [(&str, &str); 18] = [
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

/// Names and units of the columns of the filter (`scheme.shock`): the share of the cells that it changed in the last
/// step, and how far it took them to their means, from 0 to 1, on average. Then, since the row before: how often it
/// changed a cell in a stage; how far it took one at most, and the number of that cell, -1 without one; and how often
/// steps were taken back.
///
/// Runs without a filter have them too, of a filter that does nothing: a run that died goes on from its checkpoint with
/// `scheme.shock`, and its series with the same columns.
const FILTER_COLUMNS: [(&str, &str); 6] = [
    ("filtered_cells", "%"),
    ("filter_strength", "-"),
    ("filter_changes", "-"),
    ("filter_most", "-"),
    ("filter_cell", "-"),
    ("steps_back", "-"),
];

/// Signs of the extremes, in the order of the kernel: -1 where the minimum is wanted.
const SIGNS: [f64; INTEGRALS - SUMS] = [-1.0, 1.0, -1.0, 1.0, -1.0, 1.0, 1.0];

/// Integrals at one time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Integrals {
    /// Mass, momentum and total energy, integrated over the domain.
    pub conserved: [f64; 5],
    /// Mean of rho |v|^2/2, an integral of the polynomials of density and velocity.
    pub kinetic_energy: f64,
    /// Rate -d/dt of the mean kinetic energy.
    pub kinetic_energy_decay: f64,
    /// Mean of rho |curl v|^2/2.
    pub enstrophy: f64,
    /// Mean of tau : grad v.
    pub dissipation_viscous: f64,
    /// Mean of -p div v.
    pub dissipation_pressure: f64,
    /// Minimum and maximum of density, pressure and temperature.
    pub extremes: [f64; 6],
    /// Largest Mach number.
    pub mach_max: f64,
}

impl Integrals {
    /// Computes the integrals of a solver's present state. The device must hold its right-hand side. Collective.
    pub fn of(solver: &mut Solver) -> Result<Self, DeviceError> {
        Self::take(
            solver.device.as_mut(),
            solver.domain.geometry.volume,
            &solver.domain.ranks,
        )
    }

    /// Computes the integrals of the present state over all ranks. The device must hold its right-hand side.
    /// Collective.
    pub fn take(device: &mut dyn Device, volume: f64, ranks: &Ranks) -> Result<Self, DeviceError> {
        let totals = device.integrals()?;
        let sums = ExactSum::allreduce_vec(ranks, totals.sums)
            .into_iter()
            .map(ExactSum::value);
        let sums: Vec<f64> = sums.take(SUMS).collect();
        // All extremes as maxima: every other one is a minimum with its sign changed.
        let mut extremes: [f64; INTEGRALS - SUMS] = std::array::from_fn(|k| {
            if SIGNS[k] < 0.0 {
                -totals.least[SUMS + k]
            } else {
                totals.greatest[SUMS + k]
            }
        });
        ranks.allreduce_max(&mut extremes);
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

    /// Returns the values of a row, for a time step `dt`.
    fn row(&self, dt: f64) -> [f64; COLUMNS.len()] {
        let (c, x) = (self.conserved, self.extremes);
        [
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

series_keys!(IntegralsKeys);

impl Keys for IntegralsKeys {
    fn request(&self, context: &Context) -> Result<Arc<dyn Request>, Problem> {
        let timing = self.timing(context)?;
        Ok(SeriesRequest::shared(NAME, timing, Vec::new(), |solver| {
            if let Some(motion) = solver.motions.moving().next() {
                tracing::warn!(
                    "output.{NAME}: momentum, kinetic and total energy and the Mach number are sums and extremes of \
                     blocks that move past each other at the interface {} to {}, each as it sees the flow",
                    motion.names[0],
                    motion.names[1]
                );
            }
            vec![Box::new(IntegralsRows)]
        }))
    }
}

/// Returns what the filter did over the rows of a series of integrals; `None` if it has no such columns.
pub fn filter_record(table: &Table) -> Option<FilterRecord> {
    let names = ["filter_changes", "filter_most", "filter_cell", "steps_back"];
    let columns: Option<Vec<&[f64]>> = names.iter().map(|name| table.column(name)).collect();
    let columns = columns?;
    let mut all = FilterRecord::default();
    for row in 0..columns[0].len() {
        let of_row = FilterRecord::of_numbers(std::array::from_fn(|column| columns[column][row]));
        all.acts.add(&of_row.acts);
        all.taken_back += of_row.taken_back;
    }
    Some(all)
}

/// The rows of the integrals.
struct IntegralsRows;

impl Rows for IntegralsRows {
    fn name(&self) -> &'static str {
        NAME
    }

    fn columns(&self) -> Columns {
        columns(&[&COLUMNS[..], &FILTER_COLUMNS].concat())
    }

    fn averaged(&self) -> Columns {
        // Those of the flow: what the filter did is counted, and means that were begun without one go on with one.
        columns(&COLUMNS)
    }

    fn needs_rhs(&self) -> bool {
        true
    }

    fn row(&mut self, context: &mut SampleContext) -> Result<Vec<f64>, OutputError> {
        let integrals = Integrals::of(context.solver)?;
        let mut row = integrals.row(context.dt).to_vec();
        let filtered = context.solver.filters().then(|| context.solver.filtered());
        let filtered = filtered.transpose()?.unwrap_or_default();
        row.extend([100.0 * filtered.share, filtered.strength]);
        // What was done since the last row, since a filter that saves a flow may act in one stage of thousands.
        row.extend(std::mem::take(context.filter).numbers());
        Ok(row)
    }
}
