//! Flows with known solutions, and the errors of the solver for them.

use fr_les::solver::Source;

use super::cases::{advance_to, solver};
use super::errors::{l2_error, observed_order};

/// State of an isentropic vortex of strength 2 and radius 1 that is carried at Mach 0.5 along x, y and z through a
/// periodic box. It moves fast enough that the normal velocity vanishes at no face. Where it vanishes, the upwind flux
/// of shear and entropy waves becomes a central one, and every scheme of this family loses half an order or more.
pub fn vortex_state(x: f64, y: f64, t: f64) -> [f64; 5] {
    let wrap = |s: f64| s - 16.0 * (s / 16.0).round();
    let (u0, v0) = (0.5, 0.5);
    let (dx, dy) = (wrap(x - u0 * t), wrap(y - v0 * t));
    let f = 0.5 * (1.0 - dx * dx - dy * dy);
    let strength = 2.0 / (2.0 * std::f64::consts::PI);
    let temperature = 1.0 - 0.2 * strength * strength * (2.0 * f).exp(); // gamma R T with gamma = 1.4, c = 1
    let rho = temperature.powf(2.5);
    let p = rho * temperature / 1.4;
    let (u, v) = (u0 - strength * dy * f.exp(), v0 + strength * dx * f.exp());
    [
        rho,
        rho * u,
        rho * v,
        rho * 0.5,
        p / 0.4 + 0.5 * rho * (u * u + v * v + 0.25),
    ]
}

/// Mesh width, and error of the vortex at t = 1.
pub fn vortex_error(elements: &str, order: usize, cells: usize, warp: f64) -> (f64, [f64; 5]) {
    // The distortion is three-dimensional, and so must be the refinement. Cubes that are divided into other cells stay
    // cubes.
    let (layers, thickness) = match (elements, warp == 0.0) {
        (_, false) => (cells / 8, 2.0),
        ("hex", true) => (1, 1.0),
        (_, true) => (2, 32.0 / cells as f64),
    };
    // These are the formulas of `vortex_state` at t = 0. The box is centred, so no periodic image is needed.
    let text = format!(
        "mesh:\n  box:\n    cells: [{cells}, {cells}, {layers}]\n    lower: [-8, -8, 0]\n    \
         upper: [8, 8, {thickness}]\n    periodic: [x, y, z]\n    \
         elements: {elements}\n    warp: {warp}\norder: {order}\nconstants: {{s: 1/pi, g: 1.4}}\n\
         initial:\n  u: 0.5 - s*y*exp(0.5*(1 - x^2 - y^2))\n  v: 0.5 + s*x*exp(0.5*(1 - x^2 - y^2))\n  w: 0.5\n  \
         rho: (1 - 0.2*s^2*exp(1 - x^2 - y^2))^2.5\n  p: (1 - 0.2*s^2*exp(1 - x^2 - y^2))^3.5/g\ntime: {{steps: 1}}\n"
    );
    let mut s = solver(&text);
    advance_to(&mut s, 1.0, 0.5);
    (16.0 / cells as f64, l2_error(&s, |x| vortex_state(x[0], x[1], 1.0)))
}

/// Returns the polynomial degrees whose observed order is below p + `beyond`, as text. `meshes` lists degrees with
/// their numbers of cells in each direction, and `error` takes both.
pub fn short_of_order(
    name: &str,
    meshes: &[(usize, [usize; 3])],
    beyond: f64,
    error: impl Fn(usize, usize) -> (f64, [f64; 5]),
) -> Vec<String> {
    let mut short = Vec::new();
    for &(order, ref meshes) in meshes {
        let errors: Vec<_> = meshes.iter().map(|&n| error(order, n)).collect();
        let observed = observed_order(&format!("{name} p {order}"), &errors, &[0, 1, 2, 3, 4]);
        if observed < order as f64 + beyond {
            short.push(format!("{name} p {order}: {observed:.2}"));
        }
    }
    short
}

/// Asserts that every observed order is at least p + 0.8.
pub fn check_orders(name: &str, meshes: &[(usize, [usize; 3])], error: impl Fn(usize, usize) -> (f64, [f64; 5])) {
    let short = short_of_order(name, meshes, 0.8, error);
    assert!(short.is_empty(), "order below p + 0.8: {}", short.join(", "));
}

/// A viscous wave along (1, 1, 1). All fields depend on s = x + y + z alone, so the source that keeps them steady is
/// d/ds (F_x + F_y + F_z).
pub mod wave {
    pub const MU: f64 = 0.005;
    pub const PRANDTL: f64 = 0.7;
    const GAMMA: f64 = 1.4;

    /// Density, velocity and pressure at s, and the derivatives of velocity and of temperature T = p/rho.
    fn fields(s: f64) -> (f64, [f64; 3], f64, [f64; 3], f64) {
        let (rho, drho) = (1.0 + 0.1 * s.sin(), 0.1 * s.cos());
        let v = [
            0.3 + 0.1 * (s + 1.0).sin(),
            0.25 + 0.1 * s.cos(),
            0.4 + 0.1 * (s + 2.0).cos(),
        ];
        let dv = [0.1 * (s + 1.0).cos(), -0.1 * s.sin(), -0.1 * (s + 2.0).sin()];
        let (p, dp) = (
            1.0 / GAMMA * (1.0 + 0.1 * (s + 2.0).sin()),
            0.1 / GAMMA * (s + 2.0).cos(),
        );
        (rho, v, p, dv, dp / rho - p * drho / (rho * rho))
    }

    pub fn state(s: f64) -> [f64; 5] {
        let (rho, v, p, _, _) = fields(s);
        let kinetic = 0.5 * rho * v.iter().map(|v| v * v).sum::<f64>();
        [rho, rho * v[0], rho * v[1], rho * v[2], p / (GAMMA - 1.0) + kinetic]
    }

    /// The sum of the fluxes, F_x + F_y + F_z.
    fn flux(s: f64) -> [f64; 5] {
        let (rho, v, p, dv, dt) = fields(s);
        let u = state(s);
        let through: f64 = v.iter().sum();
        let dilatation: f64 = dv.iter().sum();
        // grad v_i = dv_i (1, 1, 1), so the row sums of tau are mu (3 dv_i + div v - 2/3 div v).
        let tau = dv.map(|d| MU * (3.0 * d + dilatation / 3.0));
        let conductivity = MU * GAMMA / (GAMMA - 1.0) / PRANDTL;
        let mut f = [0.0; 5];
        f[0] = rho * through;
        for i in 0..3 {
            f[1 + i] = rho * v[i] * through + p - tau[i];
        }
        let work: f64 = (0..3).map(|i| v[i] * tau[i]).sum();
        f[4] = (u[4] + p) * through - work - 3.0 * conductivity * dt;
        f
    }

    /// Source of the five equations, without the work of the force, which the solver adds itself. The derivative is a
    /// central difference of order eight, which is exact to 1e-12 for these waves.
    pub fn source(s: f64) -> [f64; 5] {
        let h = 0.02;
        let weights = [4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0];
        let mut d = [0.0; 5];
        for (k, w) in weights.iter().enumerate() {
            let (plus, minus) = (flux(s + h * (k as f64 + 1.0)), flux(s - h * (k as f64 + 1.0)));
            for v in 0..5 {
                d[v] += w * (plus[v] - minus[v]) / h;
            }
        }
        let (_, v, _, _, _) = fields(s);
        d[4] -= (0..3).map(|i| d[1 + i] * v[i]).sum::<f64>();
        d
    }
}

/// Mesh width, and error of the viscous wave at t = 2.
pub fn wave_error(elements: &str, order: usize, cells: usize, warp: f64) -> (f64, [f64; 5]) {
    let text = format!(
        "mesh:\n  box:\n    cells: [{cells}, {cells}, {cells}]\n    lower: [0, 0, 0]\n    \
         upper: [2*pi, 2*pi, 2*pi]\n    \
         periodic: [x, y, z]\n    elements: {elements}\n    warp: {warp}\norder: {order}\n\
         gas: {{prandtl: {}, viscosity: {{constant: {}}}}}\n\
         initial:\n  rho: 1 + 0.1*sin(x+y+z)\n  u: 0.3 + 0.1*sin(x+y+z+1)\n  v: 0.25 + 0.1*cos(x+y+z)\n  \
         w: 0.4 + 0.1*cos(x+y+z+2)\n  \
         p: (1 + 0.1*sin(x+y+z+2))/1.4\ntime: {{steps: 1}}\n",
        wave::PRANDTL,
        wave::MU
    );
    let mut s = solver(&text);
    s.set_source(Source {
        value: Box::new(|x, _| wave::source(x[0] + x[1] + x[2])),
        varies: false,
    })
    .unwrap();
    let end = 2.0;
    advance_to(&mut s, end, 0.5);
    (
        2.0 * std::f64::consts::PI / cells as f64,
        l2_error(&s, |x| wave::state(x[0] + x[1] + x[2])),
    )
}
