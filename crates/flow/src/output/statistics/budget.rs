//! The budget of turbulent kinetic energy from means of products, in the density-weighted form (P. G. Huang, G. N.
//! Coleman, P. Bradshaw, J. Fluid Mech. 305, 1995, 185-218, 10.1017/S0022112095004599). With the density-weighted mean
//! `{a} = <rho a>/<rho>`, `a" = a - {a}`, `a' = a - <a>` and `<rho> k = <rho u_i" u_i">/2`, the rate of change of
//! `<rho> k` is the sum of
//!
//! ```text
//! k_convection           -d/dx_j (<rho> k {u_j})
//! k_production           -<rho u_i" u_j"> d{u_i}/dx_j
//! k_transport            -d/dx_j <rho u_i" u_i" u_j">/2
//! k_pressure_diffusion   -d/dx_j <p' u_j'>
//! k_pressure_dilatation   <p' du_j'/dx_j>
//! k_viscous_diffusion     d/dx_j <tau_ij' u_i'>
//! k_dissipation          -<tau_ij' du_i'/dx_j>
//! k_mass_flux             <u_i"> (d<tau_ij>/dx_j - d<p>/dx_i)
//! ```
//!
//! and of the work of forces other than uniform ones. Derivatives of fluctuations are those of the viscous flux of the
//! scheme, with its correction by the neighbours, and derivatives of means are those of the polynomials of each cell.

use super::products::Products;
use crate::device::statistics::factor::{P, RHO, U, V, W};
use crate::device::statistics::strain::{MU, XX, XY, XZ, YY, YZ, ZZ};

/// Columns of the budget: name and unit. k, the terms in the order above, and their sum.
pub const TERMS: [(&str, &str); 10] = [
    ("k", "m^2/s^2"),
    ("k_convection", "W/m^3"),
    ("k_production", "W/m^3"),
    ("k_transport", "W/m^3"),
    ("k_pressure_diffusion", "W/m^3"),
    ("k_pressure_dilatation", "W/m^3"),
    ("k_viscous_diffusion", "W/m^3"),
    ("k_dissipation", "W/m^3"),
    ("k_mass_flux", "W/m^3"),
    ("k_residual", "W/m^3"),
];

/// The rows of velocity.
const VELOCITY: [i32; 3] = [U, V, W];
/// The rows of the rates of strain.
const STRAIN: [i32; 6] = [XX, YY, ZZ, XY, XZ, YZ];
/// The place of a component of a symmetric tensor in the order xx, yy, zz, xy, xz, yz.
const AT: [[usize; 3]; 3] = [[0, 3, 4], [3, 1, 5], [4, 5, 2]];

/// What is differentiated: density-weighted velocity, the fluxes of convection, transport, pressure and viscosity,
/// mean viscous stress, mean pressure.
const VELOCITIES: usize = 0;
const CONVECTIVE: usize = 3;
const TRANSPORT: usize = 6;
const PRESSURE: usize = 9;
const VISCOUS: usize = 12;
const STRESS: usize = 15;
const MEAN_PRESSURE: usize = 21;
const SLOPES: usize = 22;

/// What the budget needs of a point.
#[derive(Debug, Clone)]
pub struct Local {
    /// What is differentiated.
    values: [f64; SLOPES],
    /// Turbulent kinetic energy by mass.
    k: f64,
    /// <rho u_i" u_j">.
    stress: [f64; 6],
    /// <u_i">.
    mean_fluctuation: [f64; 3],
    /// <tau_ij' du_i'/dx_j> and <p' du_j'/dx_j>.
    dissipation: f64,
    pressure_dilatation: f64,
}

/// The places of the products that the budget needs.
#[derive(Debug)]
pub struct Budget {
    rho: usize,
    p: usize,
    u: [usize; 3],
    pu: [usize; 3],
    rho_u: [usize; 3],
    rho_uu: [usize; 6],
    /// rho u_i u_i u_j, `[j][i]`.
    rho_uuu: [[usize; 3]; 3],
    s: [usize; 6],
    mu_s: [usize; 6],
    /// p s_ii.
    ps: [usize; 3],
    /// mu s_ij u_i, `[j][i]`.
    mu_su: [[usize; 3]; 3],
    /// mu s_ii u_j, `[j][i]`.
    mu_su_of_dilatation: [[usize; 3]; 3],
    /// mu s_ij s_ij.
    mu_ss: [usize; 6],
    /// mu s_xx s_yy, mu s_xx s_zz, mu s_yy s_zz.
    mu_ss_mixed: [usize; 3],
}

impl Budget {
    /// Finds the products.
    pub fn new(products: &Products) -> Self {
        let state = |rows: &[i32]| products.state(rows);
        let strain = |rows: &[i32]| products.strain(rows);
        let square = |f: &dyn Fn(usize, usize) -> usize| {
            let row = |j: usize| std::array::from_fn(|i| f(j, i));
            std::array::from_fn(row)
        };
        let pairs = [(U, U), (V, V), (W, W), (U, V), (U, W), (V, W)];
        Budget {
            rho: state(&[RHO]),
            p: state(&[P]),
            u: VELOCITY.map(|u| state(&[u])),
            pu: VELOCITY.map(|u| state(&[u, P])),
            rho_u: VELOCITY.map(|u| state(&[RHO, u])),
            rho_uu: pairs.map(|(a, b)| state(&[RHO, a, b])),
            rho_uuu: square(&|j, i| state(&[RHO, VELOCITY[i], VELOCITY[i], VELOCITY[j]])),
            s: STRAIN.map(|s| strain(&[s])),
            mu_s: STRAIN.map(|s| strain(&[MU, s])),
            ps: [XX, YY, ZZ].map(|s| strain(&[P, s])),
            mu_su: square(&|j, i| strain(&[MU, STRAIN[AT[i][j]], VELOCITY[i]])),
            mu_su_of_dilatation: square(&|j, i| strain(&[MU, STRAIN[i], VELOCITY[j]])),
            mu_ss: STRAIN.map(|s| strain(&[MU, s, s])),
            mu_ss_mixed: [[XX, YY], [XX, ZZ], [YY, ZZ]].map(|[a, b]| strain(&[MU, a, b])),
        }
    }

    /// Computes what the budget needs of a point from the means of the products there.
    pub fn at(&self, means: &[f64]) -> Local {
        let of = |place: usize| means[place];
        let trace = |places: &[usize; 3]| places.iter().map(|&place| means[place]).sum::<f64>();
        let (rho, p) = (of(self.rho), of(self.p));
        let u = self.u.map(of);
        let favre = self.rho_u.map(|place| means[place] / rho);
        let product = |c: usize| favre[[0, 1, 2, 0, 0, 1][c]] * favre[[0, 1, 2, 1, 2, 2][c]];
        let stress: [f64; 6] = std::array::from_fn(|c| of(self.rho_uu[c]) - rho * product(c));
        let rho_k = 0.5 * (stress[0] + stress[1] + stress[2]);
        let square: f64 = favre.iter().map(|x| x * x).sum();
        let rho_square = trace(&[self.rho_uu[0], self.rho_uu[1], self.rho_uu[2]]);
        let transport = |j: usize| {
            let crossed: f64 = (0..3).map(|i| favre[i] * of(self.rho_uu[AT[i][j]])).sum();
            0.5 * (trace(&self.rho_uuu[j]) - 2.0 * crossed - favre[j] * rho_square + 2.0 * rho * square * favre[j])
        };
        let s = self.s.map(of);
        let dilatation = s[0] + s[1] + s[2];
        let mu_s = self.mu_s.map(of);
        let third = 2.0 / 3.0 * (mu_s[0] + mu_s[1] + mu_s[2]);
        let tau: [f64; 6] = std::array::from_fn(|c| 2.0 * mu_s[c] - if c < 3 { third } else { 0.0 });
        let work = |j: usize| 2.0 * trace(&self.mu_su[j]) - 2.0 / 3.0 * trace(&self.mu_su_of_dilatation[j]);
        let viscous = |j: usize| work(j) - (0..3).map(|i| tau[AT[i][j]] * u[i]).sum::<f64>();
        // a_ij b_ij of symmetric tensors.
        let contraction = |terms: [f64; 6]| terms[0] + terms[1] + terms[2] + 2.0 * (terms[3] + terms[4] + terms[5]);
        let mu_ss = self.mu_ss.map(of);
        let square_of_dilatation = mu_ss[0] + mu_ss[1] + mu_ss[2] + 2.0 * trace(&self.mu_ss_mixed);
        let mean_work = contraction(std::array::from_fn(|c| tau[c] * s[c]));
        let mut values = [0.0; SLOPES];
        for j in 0..3 {
            values[VELOCITIES + j] = favre[j];
            values[CONVECTIVE + j] = rho_k * favre[j];
            values[TRANSPORT + j] = transport(j);
            values[PRESSURE + j] = of(self.pu[j]) - p * u[j];
            values[VISCOUS + j] = viscous(j);
        }
        values[STRESS..STRESS + 6].copy_from_slice(&tau);
        values[MEAN_PRESSURE] = p;
        Local {
            values,
            k: rho_k / rho,
            stress,
            mean_fluctuation: std::array::from_fn(|i| u[i] - favre[i]),
            dissipation: 2.0 * contraction(mu_ss) - 2.0 / 3.0 * square_of_dilatation - mean_work,
            pressure_dilatation: trace(&self.ps) - p * dilatation,
        }
    }
}

/// Computes the columns of the budget at the points of a polynomial, from a function that returns the gradient at these
/// points of values there.
pub fn terms(points: &[Local], gradient: impl Fn(&[f64]) -> Vec<[f64; 3]>) -> Vec<[f64; TERMS.len()]> {
    let slopes: [Vec<[f64; 3]>; SLOPES] = std::array::from_fn(|column| {
        let values: Vec<f64> = points.iter().map(|point| point.values[column]).collect();
        gradient(&values)
    });
    let of_point = |(p, point): (usize, &Local)| {
        let slope = |column: usize, j: usize| slopes[column][p][j];
        let divergence = |first: usize| (0..3).map(|j| slope(first + j, j)).sum::<f64>();
        let all = || (0..3).flat_map(|i| (0..3).map(move |j| (i, j)));
        let production: f64 = all()
            .map(|(i, j)| point.stress[AT[i][j]] * slope(VELOCITIES + i, j))
            .sum();
        let force = |i: usize| {
            let viscous: f64 = (0..3).map(|j| slope(STRESS + AT[i][j], j)).sum();
            viscous - slope(MEAN_PRESSURE, i)
        };
        let terms = [
            -divergence(CONVECTIVE),
            -production,
            -divergence(TRANSPORT),
            -divergence(PRESSURE),
            point.pressure_dilatation,
            divergence(VISCOUS),
            -point.dissipation,
            (0..3).map(|i| point.mean_fluctuation[i] * force(i)).sum(),
        ];
        let [a, b, c, d, e, f, g, h] = terms;
        [point.k, a, b, c, d, e, f, g, h, terms.iter().sum()]
    };
    points.iter().enumerate().map(of_point).collect()
}
