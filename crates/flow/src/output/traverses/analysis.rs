//! Results of a traverse: functions of the means on its pitch lines.
//!
//! A traverse has one plane, or two if the inlet is sampled as well. The results are those of each plane (the fluxes
//! through it, mass-weighted means, the mixed-out state), the force between two planes, and the loss coefficients. The
//! force is that which the gas exerts on all that lies between the planes, by the balance of momentum in the mean:
//! their area times the momentum flux at the inlet less that behind.

use super::loss::Heads;
use super::means::{self, COLUMNS, P0, QUANTITIES, RHO_U_P0, Row};
use super::mixed_out::MixedOut;
use crate::physics::Gas;

/// Results of a plane: names and units.
const OF_PLANE: [(&str, &str); 16] = [
    ("mass_flux", "kg/(m^2 s)"),
    ("momentum_x", "Pa"),
    ("momentum_y", "Pa"),
    ("momentum_z", "Pa"),
    ("energy_flux", "W/m^2"),
    ("p0_mass", "Pa"),
    ("T0_mass", "K"),
    ("rho_mixed", "kg/m^3"),
    ("u_mixed", "m/s"),
    ("v_mixed", "m/s"),
    ("w_mixed", "m/s"),
    ("p_mixed", "Pa"),
    ("p0_mixed", "Pa"),
    ("mach_mixed", "-"),
    ("angle_mixed", "deg"),
    ("Tu", "-"),
];

/// Results of two planes.
const BETWEEN: [(&str, &str); 3] = [("force_x", "N"), ("force_y", "N"), ("force_z", "N")];

/// Results with the total pressure of the inlet.
const OF_LOSS: [(&str, &str); 10] = [
    ("p01", "Pa"),
    ("p2", "Pa"),
    ("mach_is", "-"),
    ("omega", "-"),
    ("Y", "-"),
    ("zeta", "-"),
    ("omega_mass", "-"),
    ("omega_mixing", "-"),
    ("zeta_mass", "-"),
    ("zeta_mixing", "-"),
];

/// The total pressure of the inlet to which losses refer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Inlet {
    /// None: there are no coefficients.
    None,
    /// A number.
    TotalPressure(f64),
    /// The mass-weighted mean on the plane at this x, which is sampled as well.
    Plane(f64),
}

/// The step from means to results.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Analysis {
    pub gas: Gas,
    /// Area of a plane.
    pub area: f64,
    pub inlet: Inlet,
    /// The pressure behind, p2; without it, that of the mixed-out state.
    pub pressure: Option<f64>,
}

impl Inlet {
    /// Returns names and units of the results of a traverse with this inlet.
    pub fn results(&self) -> Vec<(String, &'static str)> {
        let owned = |list: &[(&str, &'static str)]| -> Vec<(String, &'static str)> {
            list.iter().map(|(name, unit)| ((*name).to_owned(), *unit)).collect()
        };
        let mut all = owned(&OF_PLANE);
        if let Inlet::Plane(_) = self {
            all.extend(OF_PLANE.map(|(name, unit)| (format!("inlet_{name}"), unit)));
            all.extend(owned(&BETWEEN));
        }
        if *self != Inlet::None {
            all.extend(owned(&OF_LOSS));
        }
        all
    }
}

impl Analysis {
    /// Returns the number of planes.
    pub fn planes(&self) -> usize {
        match self.inlet {
            Inlet::Plane(_) => 2,
            _ => 1,
        }
    }

    /// Returns the values of the results from the means, `[plane][point][quantity]`.
    pub fn evaluate(&self, means: &[f64]) -> Vec<f64> {
        let planes: Vec<Row> = self.rows(means).map(means::over_points).collect();
        let mut all: Vec<f64> = self.rows(means).flat_map(|points| self.of_plane(points)).collect();
        if let [behind, inlet] = planes[..] {
            let [before, after] = [inlet, behind].map(|plane| means::fluxes(&plane).momentum);
            all.extend((0..3).map(|d| self.area * (before[d] - after[d])));
        }
        if let Some(heads) = self.heads(&planes) {
            let total = self.mixed_out(&planes[0]).total_pressure;
            all.extend([heads.inlet, heads.behind, heads.isentropic_mach(&self.gas)]);
            let [omega, zeta] = [heads.omega(total), heads.zeta(total, &self.gas)];
            all.extend([omega, heads.y(total), zeta]);
            // What is lost at the plane, and what mixing behind it adds.
            let here = planes[0][RHO_U_P0] / planes[0][means::RHO_U];
            for (mixed_out, at_plane) in [(omega, heads.omega(here)), (zeta, heads.zeta(here, &self.gas))] {
                all.extend([at_plane, mixed_out - at_plane]);
            }
        }
        all
    }

    /// Returns names and units of the columns of the table of a plane, after the ordinate.
    pub fn columns(&self, plane: usize) -> Vec<(&'static str, &'static str)> {
        let local = (plane == 0 && self.inlet != Inlet::None).then_some(("omega", "-"));
        COLUMNS.into_iter().chain(local).collect()
    }

    /// Returns the values of the columns, `[point][column]`, from the means, `[plane][point][quantity]`. The local loss
    /// coefficient is that of the mean of the total pressure at the point.
    pub fn table(&self, plane: usize, means: &[f64]) -> Vec<f64> {
        let planes: Vec<Row> = self.rows(means).map(means::over_points).collect();
        let heads = self.heads(&planes).filter(|_| plane == 0);
        let points = self.rows(means).nth(plane).unwrap_or_default();
        let of_point = |row: &Row| {
            let omega = heads.map(|heads| heads.omega(row[P0]));
            means::columns(row).into_iter().chain(omega)
        };
        points.iter().flat_map(of_point).collect()
    }

    /// Returns the rows of each plane.
    fn rows<'a>(&self, means: &'a [f64]) -> impl Iterator<Item = &'a [Row]> {
        let rows = means.as_chunks::<QUANTITIES>().0;
        rows.chunks(rows.len() / self.planes())
    }

    fn mixed_out(&self, plane: &Row) -> MixedOut {
        MixedOut::new(&means::fluxes(plane), &self.gas)
    }

    /// Returns the pressures to which losses refer, from the means over each plane.
    fn heads(&self, planes: &[Row]) -> Option<Heads> {
        let inlet = match (self.inlet, planes) {
            (Inlet::TotalPressure(pressure), _) => pressure,
            (Inlet::Plane(_), [_, inlet]) => inlet[RHO_U_P0] / inlet[means::RHO_U],
            _ => return None,
        };
        let behind = self.pressure.unwrap_or_else(|| self.mixed_out(&planes[0]).pressure);
        Some(Heads { inlet, behind })
    }

    /// Returns the results of a plane from the means at its points.
    fn of_plane(&self, points: &[Row]) -> [f64; OF_PLANE.len()] {
        let plane = means::over_points(points);
        let fluxes = means::fluxes(&plane);
        let mixed = self.mixed_out(&plane);
        let [u, v, w] = mixed.velocity;
        let [x, y, z] = fluxes.momentum;
        [
            fluxes.mass,
            x,
            y,
            z,
            fluxes.energy,
            plane[RHO_U_P0] / fluxes.mass,
            fluxes.energy / (fluxes.mass * self.gas.heat_capacity()),
            mixed.density,
            u,
            v,
            w,
            mixed.pressure,
            mixed.total_pressure,
            mixed.mach,
            mixed.angle,
            means::mean_intensity(points),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAS: Gas = Gas {
        gamma: 1.4,
        prandtl: 0.71,
        gas_constant: 1.0,
        viscosity: None,
    };

    /// Two points of uniform flow at the inlet; behind, a slower stream beside a faster one.
    fn means() -> Vec<f64> {
        let state = |rho: f64, v: [f64; 3], p: f64| means::products(&[rho, v[0], v[1], v[2], p, p / rho], &GAS);
        let behind = [state(1.0, [1.0, -1.5, 0.0], 10.0), state(1.0, [0.5, -1.0, 0.0], 10.0)];
        let inlet = [state(1.1, [0.75 / 1.1, 0.4, 0.1], 11.2); 2];
        behind.iter().chain(&inlet).flatten().copied().collect()
    }

    #[test]
    fn results_have_names_and_refer_to_the_inlet_plane() {
        let analysis = Analysis {
            gas: GAS,
            area: 0.3,
            inlet: Inlet::Plane(-1.0),
            pressure: None,
        };
        let names = analysis.inlet.results();
        let values = analysis.evaluate(&means());
        assert_eq!(names.len(), values.len());
        let of = |name: &str| values[names.iter().position(|(n, _)| n == name).expect(name)];
        // Values of the mixed-out state: see the tests of `mixed_out`.
        assert!((of("p0_mixed") - 11.285559520552).abs() < 1e-12);
        assert!((of("angle_mixed") - (-1.333333333333f64 / 0.747843809063).atan().to_degrees()).abs() < 1e-9);
        // The mean weighted with the mass flux of both streams, 1 and 1/2.
        let total = |u: f64, v: f64| 10.0 * (1.0 + 0.2 * (u * u + v * v) / 14.0).powf(3.5);
        let mean = (total(1.0, -1.5) + 0.5 * total(0.5, -1.0)) / 1.5;
        assert!((of("p0_mass") - mean).abs() < 1e-12);
        // cp = 3.5, T = 10 in both streams.
        let temperature = (10.0 + 3.25 / 7.0 + 0.5 * (10.0 + 1.25 / 7.0)) / 1.5;
        assert!((of("T0_mass") - temperature).abs() < 1e-12);
        let squares = (0.75f64 / 1.1).powi(2) + 0.16 + 0.01;
        let inlet = 11.2 * (1.0 + 0.2 * squares / (1.4 * 11.2 / 1.1)).powf(3.5);
        assert!((of("p01") - inlet).abs() < 1e-12 && (of("inlet_p0_mass") - inlet).abs() < 1e-12);
        assert_eq!(of("p2"), of("p_mixed"));
        assert!((of("omega") - (inlet - of("p0_mixed")) / (inlet - of("p_mixed"))).abs() < 1e-14);
        // The mass-weighted total pressure of both streams is above that after mixing.
        assert!((of("omega_mass") - (inlet - mean) / (inlet - of("p_mixed"))).abs() < 1e-14);
        assert!((of("omega_mixing") - (mean - of("p0_mixed")) / (inlet - of("p_mixed"))).abs() < 1e-14);
        let head = |total: f64| 1.0 - (of("p_mixed") / total).powf(2.0 / 7.0);
        assert!((of("zeta_mass") - (1.0 - head(mean) / head(inlet))).abs() < 1e-13);
        assert!((of("zeta_mixing") - (head(mean) - head(of("p0_mixed"))) / head(inlet)).abs() < 1e-13);
        assert!(of("zeta_mixing") > 0.0);
        assert!((of("mass_flux") - 0.75).abs() < 1e-15 && (of("inlet_mass_flux") - 0.75).abs() < 1e-15);
        let force = 0.3 * (0.75 * 0.75 / 1.1 + 11.2 - (1.25 / 2.0 + 10.0));
        assert!((of("force_x") - force).abs() < 1e-14);
        assert!((of("force_y") - 0.3 * (0.75 * 0.4 + (1.5 + 0.5) / 2.0)).abs() < 1e-14);
        assert!((of("force_z") - 0.3 * 0.075).abs() < 1e-14);
    }

    #[test]
    fn given_pressures_take_the_place_of_those_of_the_planes() {
        let mut analysis = Analysis {
            gas: GAS,
            area: 1.0,
            inlet: Inlet::TotalPressure(12.0),
            pressure: Some(9.5),
        };
        let means = &means()[..2 * QUANTITIES];
        let values = analysis.evaluate(means);
        let [p01, p2, mach, omega, ..] = values[OF_PLANE.len()..] else {
            panic!("no losses")
        };
        assert_eq!([p01, p2], [12.0, 9.5]);
        assert!((9.5 * (1.0 + 0.2 * mach * mach).powf(3.5) - 12.0).abs() < 1e-12);
        assert!((omega - (12.0 - 11.285559520552) / 2.5).abs() < 1e-12);
        let columns = analysis.columns(0).len();
        let table = analysis.table(0, means);
        assert_eq!((table.len(), columns), (2 * columns, COLUMNS.len() + 1));
        let local = 10.0 * (1.0 + 0.2 * 1.25 / 14.0f64).powf(3.5);
        assert!((table[2 * columns - 1] - (12.0 - local) / 2.5).abs() < 1e-12);
        analysis.inlet = Inlet::None;
        assert_eq!(analysis.evaluate(means).len(), OF_PLANE.len());
        assert_eq!(analysis.columns(0).len(), COLUMNS.len());
    }
}
