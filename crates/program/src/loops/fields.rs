//! The values that the loops work on: smooth functions of the position, so that they do not depend on the numbering.

use crate::vector::{Vector, dot};

/// Values of cells, faces and nodes: density, velocity, temperature, and a sixth one.
#[derive(Debug, Clone, Copy)]
pub struct Fields {
    /// Amplitude of the waves over the linear part.
    pub waves: f64,
}

/// Values without slope. Density, temperature and the sixth one stay positive in a box of width 1.
const MEAN: [f64; 6] = [1.2, 0.4, -0.3, 0.2, 1.1, 1.5];
/// Slopes along x, y and z.
const SLOPE: [Vector; 6] = [
    [0.11, -0.07, 0.05],
    [0.23, 0.13, -0.17],
    [-0.19, 0.07, 0.21],
    [0.05, -0.25, 0.09],
    [-0.08, 0.06, 0.13],
    [0.10, 0.12, -0.14],
];
/// Wave vectors.
const WAVE: Vector = [5.1, 3.7, 4.3];

impl Fields {
    /// Returns variable `v` at x.
    pub fn value(&self, v: usize, x: Vector) -> f64 {
        MEAN[v] + dot(SLOPE[v], x) + self.waves * (dot(WAVE, x) + v as f64).sin()
    }

    /// Returns its gradient.
    pub fn gradient(&self, v: usize, x: Vector) -> Vector {
        let slope = self.waves * (dot(WAVE, x) + v as f64).cos();
        std::array::from_fn(|d| SLOPE[v][d] + slope * WAVE[d])
    }
}

impl Default for Fields {
    fn default() -> Self {
        Fields { waves: 0.05 }
    }
}
