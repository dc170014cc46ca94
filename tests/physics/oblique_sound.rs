//! Sound that arrives at a relaxed outlet at an angle: what returns, against linear theory.
//!
//! With x normal to the outlet, a wave is p' = P exp(i (kx x + ky y - omega t)), and sigma = omega - kx U - ky V is its
//! frequency in the frame of the gas, so that u' = kx p'/(rho sigma) and v' = ky p'/(rho sigma). The outlet keeps the
//! number r = u - p/z, which follows
//!
//! ```text
//! dr/dt = kappa (u' + p'/z - r') + beta c dv'/dy + beta V/z dp'/dy - beta V du'/dy
//! ```
//!
//! with the terms along the face of `lodato`. A wave leaves the residual F(kx) = -i omega (u' - p'/z) - 2 kappa p'/z -
//! i ky (...) in this equation. Those of the wave that arrives and of the wave that returns, which has the same ky and
//! omega, cancel: R = -F(arriving)/ F(returning). Without flow and for kappa = 0 it is -tan(a/2)^2.

use crate::common::cases::{advance, solver};
use crate::common::gas::{Point, points};
use std::f64::consts::PI;

/// Relative amplitude of the wave that arrives.
const AMPLITUDE: f64 = 1e-5;

/// A wave in a uniform flow with c = 1 and rho = 1.
struct Arrival {
    /// Angle of the wave vector to the normal of the outlet, in degrees.
    angle: f64,
    /// Velocity of the flow along the normal and along the face.
    flow: [f64; 2],
    transverse: &'static str,
    kappa: f64,
}

type Complex = [f64; 2];

fn divided(a: Complex, b: Complex) -> Complex {
    let square = b[0] * b[0] + b[1] * b[1];
    [
        (a[0] * b[0] + a[1] * b[1]) / square,
        (a[1] * b[0] - a[0] * b[1]) / square,
    ]
}

impl Arrival {
    /// Wave numbers of the wave that arrives, along the normal and along the face, and its frequency. Its length is 1.
    fn wave(&self) -> (f64, f64, f64) {
        let k = 2.0 * PI;
        let (sin, cos) = self.angle.to_radians().sin_cos();
        (k * cos, k * sin, k * (1.0 + cos * self.flow[0] + sin * self.flow[1]))
    }

    /// The wave number along the normal of the wave that returns: the other root of sigma^2 = kx^2 + ky^2.
    fn returning(&self) -> f64 {
        let (kx, ky, omega) = self.wave();
        let [u, v] = self.flow;
        -2.0 * (omega - ky * v) * u / (1.0 - u * u) - kx
    }

    /// Theory: what a wave with this wave number along the normal leaves in the equation of the outlet.
    fn residual(&self, kx: f64) -> Complex {
        let (_, ky, omega) = self.wave();
        let [u, v] = self.flow;
        let sigma = omega - kx * u - ky * v;
        let velocity = [kx / sigma, ky / sigma];
        let along = match self.transverse {
            "lodato" => u * (velocity[1] + v - v * velocity[0]),
            _ => 0.0,
        };
        [-2.0 * self.kappa, -omega * (velocity[0] - 1.0) - ky * along]
    }

    fn theory(&self) -> Complex {
        let [re, im] = divided(self.residual(self.wave().0), self.residual(self.returning()));
        [-re, -im]
    }

    /// Lets the wave arrive until the field near x = 0 is periodic in time, and returns the reflection there. The box
    /// is so long that vorticity, which the returning wave makes at the other end, does not come to the outlet.
    fn measured(&self) -> Complex {
        let (kx, ky, omega) = self.wave();
        let [u, v] = self.flow;
        let (sin, cos) = self.angle.to_radians().sin_cos();
        let height = if ky == 0.0 { 0.25 } else { 2.0 * PI / ky.abs() };
        let cells = (5.0 * height).ceil() as usize;
        let end = 12.0 / (1.0 - u);
        let length = 6.0;
        let wave = |x: &str, t: &str| format!("{AMPLITUDE}*cos({kx}*{x} + {ky}*y - {omega}*{t})");
        let state = |wave: &str| {
            format!("u: {u} + {cos}*{wave}, v: {v} + {sin}*{wave}, w: 0, p: 1/1.4 + {wave}, rho: 1 + {wave}")
        };
        // The rate is sigma (1 - M^2) c/(2 length).
        let relaxation = 2.0 * self.kappa / (1.0 - u * u);
        let mut s = solver(&format!(
            "mesh: {{box: {{cells: [{}, {cells}, 1], lower: [-{length}, 0, 0], upper: [0, {height}, 0.25], \
             periodic: [y, z]}}}}\norder: 3\ninitial: {{{}}}\nboundaries:\n  x-: {{type: far-field, {}}}\n  \
             x+: {{type: relaxed-outlet, p: 1/1.4, length: 1, relaxation: {relaxation}, hold: local, transverse: {}}}\n\
             time: {{steps: 1}}\n",
            5.0 * length,
            state(&wave("x", "0")),
            state(&wave(&format!("(-{length})"), "t")),
            self.transverse
        ));
        let bounds = s.device.time_step_bounds().unwrap();
        let steps = (end / (0.6 * s.stable_step(&bounds))).ceil() as usize;
        advance(&mut s, steps, end / steps as f64);
        let near: Vec<Point> = points(&s).into_iter().filter(|q| q.x[0] > -2.0).collect();
        self.reflection(&near, self.returning(), end)
    }

    /// Least squares: the pressure as a constant and two waves of any amplitude and phase.
    fn reflection(&self, points: &[Point], returning: f64, time: f64) -> Complex {
        let (kx, ky, omega) = self.wave();
        let basis = |q: &Point| {
            let angle = |kx: f64| kx * q.x[0] + ky * q.x[1] - omega * time;
            let (a, b) = (angle(kx), angle(returning));
            [1.0, a.cos(), -a.sin(), b.cos(), -b.sin()]
        };
        let mut matrix = nalgebra::SMatrix::<f64, 5, 5>::zeros();
        let mut right = nalgebra::SVector::<f64, 5>::zeros();
        for q in points {
            let row = nalgebra::SVector::<f64, 5>::from(basis(q));
            matrix += row * row.transpose();
            right += row * (q.p - 1.0 / 1.4);
        }
        let found = matrix.lu().solve(&right).expect("different waves");
        let rest = points.iter().map(|q| {
            let row = nalgebra::SVector::<f64, 5>::from(basis(q));
            (q.p - 1.0 / 1.4 - row.dot(&found)).abs()
        });
        let rest = rest.fold(0.0, f64::max) / AMPLITUDE;
        assert!(
            rest < 0.05,
            "angle {}: {rest:.3} of the field is no such wave",
            self.angle
        );
        divided([found[3], found[4]], [found[1], found[2]])
    }
}

fn size(x: Complex) -> f64 {
    x[0].hypot(x[1])
}

/// Measures, compares with theory, and returns the size of the reflection.
fn check(angle: f64, flow: [f64; 2], transverse: &'static str, kappa: f64) -> f64 {
    let arrival = Arrival {
        angle,
        flow,
        transverse,
        kappa,
    };
    let (theory, measured) = (arrival.theory(), arrival.measured());
    let off = size([measured[0] - theory[0], measured[1] - theory[1]]);
    println!(
        "{angle} degrees, flow {flow:?}, {transverse}, kappa {kappa}: {:.4}, theory {:.4}, off {off:.1e}",
        size(measured),
        size(theory)
    );
    assert!(off < 0.005, "{measured:?} {theory:?}");
    size(measured)
}

/// Tests that take longer than those of `make test`.
mod long {
    use super::*;

    #[test]
    #[ignore = "takes three minutes"]
    fn sound_at_an_angle_returns_as_theory_predicts() {
        // Hardly any flow and no relaxation: tan(a/2)^2, which all conditions of one point share.
        for angle in [0.0f64, 30.0, 45.0, 60.0] {
            let share = check(angle, [0.01, 0.0], "none", 1e-6);
            assert!((share - (0.5 * angle.to_radians()).tan().powi(2)).abs() < 0.02);
        }
        // A pattern of the values along the face that the start leaves behind decays at the rate kappa only.
        for transverse in ["none", "lodato"] {
            check(45.0, [0.3, 0.0], transverse, 0.5);
        }
        check(30.0, [0.2, 0.3], "lodato", 0.5);
        check(-45.0, [0.2, 0.3], "lodato", 0.5);
    }
}
