//! The quantities whose means a traverse takes at each point of its pitch line, the columns of its table, and the
//! fluxes through its plane.

use super::mixed_out::Fluxes;
use crate::output::fields::Primitives;
use crate::physics::Gas;

/// Number of quantities at a point of the pitch line.
pub const QUANTITIES: usize = 20;
/// Their values, sums or means.
pub type Row = [f64; QUANTITIES];

/// Places of quantities in a row.
pub const U: usize = 1;
pub const V: usize = 2;
pub const W: usize = 3;
pub const P: usize = 4;
pub const RHO_U: usize = 6;
pub const RHO_U_U: usize = 7;
pub const RHO_U_V: usize = 8;
pub const RHO_U_W: usize = 9;
pub const RHO_U_H0: usize = 10;
pub const P0: usize = 11;
pub const RHO_U_P0: usize = 13;
/// First of the products of velocities.
pub const UU: usize = 14;

/// Names and units of the columns: one of each quantity, of which the last six are stresses, covariances of the
/// velocity, and the turbulence intensity.
pub const COLUMNS: [(&str, &str); QUANTITIES + 1] = [
    ("rho", "kg/m^3"),
    ("u", "m/s"),
    ("v", "m/s"),
    ("w", "m/s"),
    ("p", "Pa"),
    ("T", "K"),
    ("rho_u", "kg/(m^2 s)"),
    ("rho_u_u", "Pa"),
    ("rho_u_v", "Pa"),
    ("rho_u_w", "Pa"),
    ("rho_u_h0", "W/m^2"),
    ("p0", "Pa"),
    ("T0", "K"),
    ("rho_u_p0", "kg Pa/(m^2 s)"),
    ("uu", "m^2/s^2"),
    ("vv", "m^2/s^2"),
    ("ww", "m^2/s^2"),
    ("uv", "m^2/s^2"),
    ("uw", "m^2/s^2"),
    ("vw", "m^2/s^2"),
    ("Tu", "-"),
];

/// The two factors of the products of velocities.
const FACTORS: [[usize; 2]; 6] = [[U, U], [V, V], [W, W], [U, V], [U, W], [V, W]];

/// Returns the values of the quantities at a point.
pub fn products(state: &Primitives, gas: &Gas) -> Row {
    let [rho, u, v, w, p, t] = *state;
    let half = 0.5 * (u * u + v * v + w * w);
    let flux = rho * u;
    let h0 = gas.heat_capacity() * t + half;
    let p0 = gas.total_pressure(rho, [u, v, w], p);
    [
        rho,
        u,
        v,
        w,
        p,
        t,
        flux,
        flux * u,
        flux * v,
        flux * w,
        flux * h0,
        p0,
        h0 / gas.heat_capacity(),
        flux * p0,
        u * u,
        v * v,
        w * w,
        u * v,
        u * w,
        v * w,
    ]
}

/// Returns the columns of the table from the means at a point.
pub fn columns(means: &Row) -> [f64; COLUMNS.len()] {
    let mut columns = [0.0; COLUMNS.len()];
    columns[..QUANTITIES].copy_from_slice(means);
    for (column, [a, b]) in columns[UU..].iter_mut().zip(FACTORS) {
        *column -= means[a] * means[b];
    }
    columns[QUANTITIES] = intensity(means);
    columns
}

/// Returns the turbulence intensity from the means at a point: `sqrt((uu + vv + ww)/3)/|U|` with the variances and the
/// mean velocity U. It is not a number where the mean velocity is zero.
pub fn intensity(means: &Row) -> f64 {
    let squares = |d: usize| means[U + d] * means[U + d];
    let speed: f64 = (0..3).map(squares).sum();
    let variances: f64 = (0..3).map(|d| means[UU + d] - squares(d)).sum();
    // Rounding may leave less than nothing of a flow that does not fluctuate.
    (variances.max(0.0) / (3.0 * speed)).sqrt()
}

/// Returns the mass-weighted mean over points of the turbulence intensity.
pub fn mean_intensity(rows: &[Row]) -> f64 {
    let weighted: f64 = rows.iter().map(|row| row[RHO_U] * intensity(row)).sum();
    weighted / rows.iter().map(|row| row[RHO_U]).sum::<f64>()
}

/// Returns the mean of each quantity over points: the trapezoidal rule, as they are equidistant over a period.
pub fn over_points(rows: &[Row]) -> Row {
    let mut sums = [0.0; QUANTITIES];
    for row in rows {
        sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
    }
    sums.map(|sum| sum / rows.len() as f64)
}

/// Returns the fluxes through a plane from the means over its area.
pub fn fluxes(means: &Row) -> Fluxes {
    Fluxes {
        mass: means[RHO_U],
        momentum: [means[RHO_U_U] + means[P], means[RHO_U_V], means[RHO_U_W]],
        energy: means[RHO_U_H0],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAS: Gas = Gas {
        gamma: 1.4,
        prandtl: 0.71,
        gas_constant: 287.0,
        viscosity: None,
    };

    /// Returns the column of this name.
    fn of(row: &[f64], name: &str) -> f64 {
        row[COLUMNS
            .iter()
            .position(|(column, _)| *column == name)
            .expect("a column")]
    }

    #[test]
    fn total_values_are_those_of_gas_brought_to_rest_without_loss() {
        let rho = 1.1;
        let v = [120.0, -50.0, 30.0];
        let t = 290.0;
        let p = rho * 287.0 * t;
        let row = products(&[rho, v[0], v[1], v[2], p, t], &GAS);
        let half = 0.5 * v.iter().map(|c| c * c).sum::<f64>();
        // cp = 3.5 R; along an isentrope p ~ T^3.5.
        let t0 = t + half / (3.5 * 287.0);
        assert!((of(&row, "T0") / t0 - 1.0).abs() < 1e-14);
        assert!((of(&row, "p0") / (p * (t0 / t).powf(3.5)) - 1.0).abs() < 1e-14);
        assert!((of(&row, "rho_u_h0") / (rho * v[0] * 3.5 * 287.0 * t0) - 1.0).abs() < 1e-14);
        assert_eq!(of(&row, "rho_u_p0"), rho * v[0] * of(&row, "p0"));
        assert_eq!(of(&row, "rho_u_w"), rho * v[0] * v[2]);
        let fluxes = fluxes(&row);
        assert_eq!(
            fluxes.momentum,
            [rho * v[0] * v[0] + p, rho * v[0] * v[1], rho * v[0] * v[2]]
        );
        assert_eq!([fluxes.mass, fluxes.energy], [rho * v[0], of(&row, "rho_u_h0")]);
    }

    #[test]
    fn stresses_are_covariances_and_other_columns_are_means() {
        let states: Vec<Primitives> = (0..7)
            .map(f64::from)
            .map(|k| [1.0 + 0.1 * k, (2.0 * k).sin(), k.cos(), 0.3 * k, 100.0 + k, 1.0])
            .collect();
        let rows: Vec<Row> = states.iter().map(|state| products(state, &GAS)).collect();
        let mean = |f: &dyn Fn(&Primitives) -> f64| states.iter().map(f).sum::<f64>() / 7.0;
        let row = columns(&over_points(&rows));
        for (name, a, b) in [
            ("uu", 1, 1),
            ("vv", 2, 2),
            ("ww", 3, 3),
            ("uv", 1, 2),
            ("uw", 1, 3),
            ("vw", 2, 3),
        ] {
            let (at, bt) = (mean(&|q| q[a]), mean(&|q| q[b]));
            let covariance = mean(&|q| (q[a] - at) * (q[b] - bt));
            assert!((of(&row, name) - covariance).abs() < 1e-14, "{name}");
        }
        assert!((of(&row, "rho_u_v") - mean(&|q| q[0] * q[1] * q[2])).abs() < 1e-14);
        assert!((of(&row, "p") - 103.0).abs() < 1e-12);
    }

    /// A point of a wake at two times: the mean velocity, and fluctuations of both signs.
    fn of_wake([u, v, w]: [f64; 3], [a, b, c]: [f64; 3]) -> Row {
        let at = |sign: f64| products(&[1.2, u + sign * a, v + sign * b, w + sign * c, 10.0, 9.0], &GAS);
        over_points(&[at(1.0), at(-1.0)])
    }

    #[test]
    fn the_intensity_is_that_of_known_fluctuations_weighted_with_the_mass_flux() {
        // Speeds of 3 and 7, and fluctuations whose squares have the sums 3 * 0.3^2 and 3 * 0.7^2.
        let wake = of_wake([2.0, -2.0, 1.0], [0.3, 0.3, -0.3]);
        let stream = of_wake([6.0, -3.0, 2.0], [0.7, 0.7, 0.7]);
        assert!((of(&columns(&wake), "Tu") - 0.1).abs() < 1e-14 && (intensity(&stream) - 0.1).abs() < 1e-14);
        let calm = of_wake([6.0, -3.0, 2.0], [0.0, 0.0, 0.0]);
        assert!(intensity(&calm) < 1e-7);
        // The calm stream has three quarters of the mass.
        assert!((mean_intensity(&[wake, calm]) - 0.025).abs() < 1e-7);
        let along = of_wake([6.0, -3.0, 2.0], [0.0, 0.0, 2.1]);
        let expected = (2.0 * 0.1 + 6.0 * 0.3 / 3.0f64.sqrt()) / 8.0;
        assert!((mean_intensity(&[wake, along]) - expected).abs() < 1e-14);
        assert!(intensity(&of_wake([0.0; 3], [0.0; 3])).is_nan());
    }
}
