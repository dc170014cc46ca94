//! Results of a traverse of an annulus: functions of the means over time and angle in its bands.
//!
//! The velocity of the means has the parts along the normal of the surface, around the axis and along the surface, so
//! that fluxes are those through the surface. A band is mixed out by itself: its fluxes determine a flow with uniform
//! velocities along these three directions. Mass-weighted velocities are momentum fluxes over the mass flux; swirl and
//! pitch are their angles from the axis. Values of the whole surface follow from the sums over the bands, which have
//! equal areas; those that are mixed out are mass-weighted means of the bands.

use super::surface::Surface;
use crate::output::traverses::loss::Heads;
use crate::output::traverses::means::{self, P, QUANTITIES, RHO_U, RHO_U_H0, RHO_U_P0, RHO_U_U, RHO_U_V, RHO_U_W, Row};
use crate::output::traverses::mixed_out::MixedOut;
use crate::physics::Gas;

/// Results of a band: names and units.
const OF_BAND: [(&str, &str); 13] = [
    ("mass_flux", "kg/(m^2 s)"),
    ("p", "Pa"),
    ("p0_mass", "Pa"),
    ("T0_mass", "K"),
    ("u_axial", "m/s"),
    ("u_theta", "m/s"),
    ("u_radial", "m/s"),
    ("swirl", "deg"),
    ("pitch", "deg"),
    ("p_mixed", "Pa"),
    ("p0_mixed", "Pa"),
    ("mach_mixed", "-"),
    ("swirl_mixed", "deg"),
];
/// Places in them.
const P_MIXED: usize = 9;
const P0_MIXED: usize = 10;

/// The loss coefficient, of a band and of the whole, if the total pressure of the inlet is given.
const OMEGA: (&str, &str) = ("omega", "-");

/// Columns of the map over angle and radius, and what it is made of: means over time and over the height of a band.
pub const OF_MAP: [(&str, &str); 11] = [
    ("rho", "kg/m^3"),
    ("u_axial", "m/s"),
    ("u_theta", "m/s"),
    ("u_radial", "m/s"),
    ("p", "Pa"),
    ("T", "K"),
    ("p0", "Pa"),
    ("T0", "K"),
    ("swirl", "deg"),
    ("pitch", "deg"),
    ("rho_u", "kg/(m^2 s)"),
];

/// The step from means to results.
#[derive(Debug, Clone, PartialEq)]
pub struct Analysis {
    pub gas: Gas,
    pub surface: Surface,
    /// Total pressure of the inlet.
    pub total_pressure: Option<f64>,
}

type Names = Vec<(&'static str, &'static str)>;

impl Analysis {
    /// Names and units of the results of a band.
    pub fn of_band(&self) -> Names {
        OF_BAND.into_iter().chain(self.total_pressure.map(|_| OMEGA)).collect()
    }

    /// Names and units of the results of the whole surface: the mass flow, and those of a band up to the total pressure
    /// of the mixed flow.
    pub fn of_all(&self) -> Names {
        let of_band = OF_BAND[1..=P0_MIXED].iter().copied();
        let omega = self.total_pressure.map(|_| OMEGA);
        [("mass_flow", "kg/s")]
            .into_iter()
            .chain(of_band)
            .chain(omega)
            .collect()
    }

    /// Returns the results of the bands, `[band][result]`, from the means, `[band][angle][quantity]`.
    pub fn bands(&self, means: &[f64]) -> Vec<f64> {
        let of = |row: &Row| {
            let values = self.band(row);
            let omega = self.omega(values[P0_MIXED], values[P_MIXED]);
            values.into_iter().chain(omega)
        };
        self.rows(means).iter().flat_map(of).collect()
    }

    /// Returns the results of the whole surface.
    pub fn whole(&self, means: &[f64]) -> Vec<f64> {
        let rows = self.rows(means);
        let all = means::over_points(&rows);
        let mixed = |which: usize| {
            let shares = rows.iter().map(|row| row[RHO_U] * self.band(row)[which]);
            shares.sum::<f64>() / (rows.len() as f64 * all[RHO_U])
        };
        let [_, p, p0, t0, axial, around, outwards, swirl, pitch, ..] = self.band(&all);
        let [p_mixed, p0_mixed] = [P_MIXED, P0_MIXED].map(mixed);
        let flow = all[RHO_U] * self.surface.area();
        let values = [
            flow, p, p0, t0, axial, around, outwards, swirl, pitch, p_mixed, p0_mixed,
        ];
        values.into_iter().chain(self.omega(p0_mixed, p_mixed)).collect()
    }

    /// Returns the values of the map, `[band][angle][column]`.
    pub fn map(&self, means: &[f64]) -> Vec<f64> {
        let of = |row: &Row| {
            let velocity = self.surface.cylindrical([row[means::U], row[means::V], row[means::W]]);
            let [swirl, pitch] = angles(velocity);
            let [axial, around, outwards] = velocity;
            let [rho, p, t] = [row[0], row[P], row[P + 1]];
            let [p0, t0] = [row[means::P0], row[means::P0 + 1]];
            [rho, axial, around, outwards, p, t, p0, t0, swirl, pitch, row[RHO_U]]
        };
        means.as_chunks::<QUANTITIES>().0.iter().flat_map(of).collect()
    }

    /// Means over the angle in each band.
    fn rows(&self, means: &[f64]) -> Vec<Row> {
        let all = means.as_chunks::<QUANTITIES>().0;
        all.chunks(all.len() / self.surface.bands)
            .map(means::over_points)
            .collect()
    }

    fn band(&self, row: &Row) -> [f64; OF_BAND.len()] {
        let mass = row[RHO_U];
        let velocity = self
            .surface
            .cylindrical([RHO_U_U, RHO_U_V, RHO_U_W].map(|flux| row[flux] / mass));
        let [axial, around, outwards] = velocity;
        let [swirl, pitch] = angles(velocity);
        let mixed = MixedOut::new(&means::fluxes(row), &self.gas);
        let [swirl_mixed, _] = angles(self.surface.cylindrical(mixed.velocity));
        [
            mass,
            row[P],
            row[RHO_U_P0] / mass,
            row[RHO_U_H0] / (mass * self.gas.heat_capacity()),
            axial,
            around,
            outwards,
            swirl,
            pitch,
            mixed.pressure,
            mixed.total_pressure,
            mixed.mach,
            swirl_mixed,
        ]
    }

    fn omega(&self, total: f64, pressure: f64) -> Option<f64> {
        let heads = self.total_pressure.map(|inlet| Heads {
            inlet,
            behind: pressure,
        });
        heads.map(|heads| heads.omega(total))
    }
}

/// Swirl and pitch in degrees: the angles of the circumferential and of the radial velocity from the axial one.
fn angles([axial, around, outwards]: [f64; 3]) -> [f64; 2] {
    [around, outwards].map(|across| across.atan2(axial).to_degrees())
}
