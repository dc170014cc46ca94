//! Fields that are derived from the state, of polynomials whose derivatives are known.

use crate::common::cases::solver;
use fr_les::output::derived::{Derived, Flow, OfDevice, components};

const ALL: [Derived; 9] = [
    Derived::Vorticity,
    Derived::QCriterion,
    Derived::Mach,
    Derived::Entropy,
    Derived::TotalPressure,
    Derived::TotalTemperature,
    Derived::VelocityGradient,
    Derived::DensityGradient,
    Derived::PressureGradient,
];

#[test]
fn fields_of_polynomials_are_exact_at_the_points() {
    let text = "mesh: {box: {cells: [4, 2, 2], lower: [0, 0, 0], upper: [1, 1, 1], elements: mixed}}\norder: 3\n\
                device: cpu\ngas: {gas-constant: 2}\ninitial: {u: 1 + x*y - z^2, v: 2*y*z + x, w: x^2 - 3*y, \
                p: 2 + x*y - z^2, rho: 1 + x + 2*y*z}\nboundaries: {x-: {type: slip}, x+: {type: slip}, \
                y-: {type: slip}, y+: {type: slip}, z-: {type: slip}, z+: {type: slip}}\ntime: {steps: 1}\n";
    let s = solver(text);
    let flow = Flow::read(&s, OfDevice::default()).unwrap();
    let mut worst = 0.0f64;
    for cell in 0..s.mesh.len() {
        let found = flow.of_cell(&ALL, cell, &flow.primitives(cell));
        assert_eq!(found.len(), components(&ALL));
        for (i, &[x, y, z]) in s.geometry.cell_positions(cell).iter().enumerate() {
            let u = 1.0 + x * y - z * z;
            let v = 2.0 * y * z + x;
            let w = x * x - 3.0 * y;
            let (p, rho) = (2.0 + x * y - z * z, 1.0 + x + 2.0 * y * z);
            let speed2 = u * u + v * v + w * w;
            let mach2 = speed2 * rho / (1.4 * p);
            // cp T0 = cp T + V^2/2 with cp = 3.5 R = 7; T = p/(2 rho).
            let total = p / (2.0 * rho) + speed2 / 14.0;
            // S_ij S_ij and O_ij O_ij of the velocity gradient.
            let g = [[y, x, -2.0 * z], [1.0, 2.0 * z, 2.0 * y], [2.0 * x, -3.0, 0.0]];
            let part = |sign: f64| -> f64 {
                let one = |i: usize, j: usize| (0.5 * (g[i][j] + sign * g[j][i])).powi(2);
                (0..9).map(|k| one(k / 3, k % 3)).sum()
            };
            let exact = [
                vec![-3.0 - 2.0 * y, -2.0 * z - 2.0 * x, 1.0 - x],
                vec![0.5 * (part(-1.0) - part(1.0) + (y + 2.0 * z).powi(2)), mach2.sqrt()],
                vec![5.0 * (p.ln() - 1.4 * rho.ln())],
                vec![p * (total * 2.0 * rho / p).powf(3.5), total],
                g.concat(),
                vec![1.0, 2.0 * z, 2.0 * y, y, x, -2.0 * z],
            ];
            for (c, exact) in exact.concat().into_iter().enumerate() {
                worst = worst.max((found[c][i][0] - exact).abs() / exact.abs().max(1.0));
            }
        }
    }
    println!("{worst:.1e}");
    assert!(worst < 1e-11, "{worst:e}");
}
