//! Couette flow between plates of different temperatures, with its exact solution. Velocity and temperature are
//! polynomials; the density is not, and limits the accuracy. docs/explanation/verification.md has the orders of all
//! kinds of cells, and explains where the order is lower.

use crate::common::cases::{advance_to, solver};
use crate::common::errors::{l2_error, observed_order};

const MU: f64 = 0.05;
const PRANDTL: f64 = 0.72;
const CP: f64 = 3.5;

/// Error at t = 2 on n cubes between the plates. The exact solution is u = y/2, T = 1 + 0.2 y + Pr U^2/(2 cp) y (1 - y)
/// with U = 1/2.
fn couette(kind: &str, order: usize, n: usize) -> (f64, [f64; 5]) {
    let k = PRANDTL * 0.25 / (2.0 * CP);
    let text = format!(
        "mesh: {{box: {{cells: [{}, {n}, {n}], lower: [0, 0, 0], upper: [2, 1, 1], periodic: [x, z], \
         elements: {kind}}}}}\norder: {order}\n\
         gas: {{prandtl: {PRANDTL}, viscosity: {{constant: {MU}}}}}\n\
         initial: {{u: 0.5*y, v: 0, w: 0, p: 1, temperature: 1 + 0.2*y + {k}*y*(1 - y)}}\nboundaries:\n  \
         y-: {{type: no-slip-isothermal, temperature: 1}}\n  \
         y+: {{type: no-slip-isothermal, temperature: 1.2, velocity: [0.5, 0, 0]}}\ntime: {{steps: 1}}\n",
        2 * n
    );
    let mut s = solver(&text);
    advance_to(&mut s, 2.0, 0.8);
    let error = l2_error(&s, |x| {
        let y = x[1];
        let (rho, u) = (1.0 / (1.0 + 0.2 * y + k * y * (1.0 - y)), 0.5 * y);
        [rho, rho * u, 0.0, 0.0, 2.5 + 0.5 * rho * u * u]
    });
    (1.0 / n as f64, error)
}

/// Tests that take longer than those of `make test`.
mod long {
    use super::*;

    #[test]
    #[ignore = "takes half a minute"]
    fn couette_flow_converges_with_order_p_plus_1_on_prisms_and_tetrahedra() {
        for kind in ["prism", "tet"] {
            let errors = [2, 4].map(|n| couette(kind, 2, n));
            // The other components of momentum are zero.
            let observed = observed_order(&format!("Couette, {kind} p 2"), &errors, &[0, 1, 4]);
            assert!(observed >= 2.8, "{kind}: {observed:.2}");
        }
    }
}
