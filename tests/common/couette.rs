//! Couette flow with viscous heating.

/// Couette flow of viscosity `mu` between walls at y = 0 and y = h, of which the upper one moves with `speed`, in a box
/// of 1 by h by 2. The initial state is the exact solution for a Prandtl number of 0.72, with viscous heating.
pub fn couette(elements: &str, order: usize, mu: f64, h: f64, speed: f64) -> String {
    format!(
        "mesh: {{box: {{cells: [4, 2, 2], lower: [0, 0, 0], upper: [1, {h}, 2], periodic: [x, z], \
         elements: {elements}}}}}\n\
         order: {order}\ngas: {{prandtl: 0.72, viscosity: {{constant: {mu}}}}}\n\
         constants: {{h: {h}, s: {speed}, k: 0.72/7*{speed}^2}}\n\
         initial: {{u: s*y/h, v: 0, w: 0, p: 1, temperature: 1 + k*y/h*(1 - y/h)}}\nboundaries:\n  \
         y-: {{type: no-slip-isothermal, temperature: 1}}\n  \
         y+: {{type: no-slip-isothermal, temperature: 1, velocity: [s, 0, 0]}}\ntime: {{steps: 1}}\n"
    )
}
