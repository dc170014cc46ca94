//! What the kernels must move and compute, counted in their source (ptx/), per solution point.

/// Bytes and floating-point operations per point.
#[derive(Debug, Clone, Copy)]
pub struct Work {
    /// Bytes through memory if every array is touched once and neighbours come from cache.
    pub bytes: f64,
    /// Operations; an fma is two, a division or root one.
    pub flops: f64,
}

/// Work of the kernels.
#[derive(Debug)]
pub struct Cost {
    /// One Runge-Kutta stage, mean over the four.
    pub stage: Work,
    /// Sweep 1.
    pub sweep1: Work,
    /// Sweep 2 without its update.
    divergence: Work,
    real: f64,
    /// Time-step bounds.
    pub rates: Work,
    /// Points of a line.
    n: f64,
    curved: bool,
}

// Operations of the pieces, in the order in which they stand in the source.
const PRIMITIVE: f64 = 13.0; // 1/rho, 3 products, |v|^2/2, fma, scale
const PHYSICAL_GRADIENT: f64 = 12.0 * 6.0;
const VISCOUS_FLUX: f64 = 3.0 + 3.0 * (2.0 + 3.0 * 3.0) + 7.0 + 6.0;
const CONVECTIVE_FLUX: f64 = 2.0 + 6.0 + 9.0 + 8.0;
const ROE: f64 = 118.0 + 2.0 * CONVECTIVE_FLUX + 15.0;
const END_CORRECTION: f64 = ROE + 18.0 + 5.0;

impl Cost {
    /// For lines of `n` points and reals of `real` bytes.
    pub fn new(n: usize, real: usize, curved: bool, viscous: bool) -> Self {
        let (n, real) = (n as f64, real as f64);
        let lines = 3.0 / n; // per point
        let geometry = if curved { 10.0 } else { 36.0 / n.powi(3) };
        let traces = if viscous { 24.0 / n } else { 0.0 };
        let slots = 6.0 * 32.0 / n.powi(3);
        let line_gradient = 16.0 + 4.0 * n * (3.0 + 2.0 * n);
        let neighbours = 2.0 * PRIMITIVE;
        let sweep1 = Work {
            bytes: real * (5.0 + geometry + traces) + slots,
            flops: PRIMITIVE + lines * (neighbours + line_gradient) + 6.0 / n * (PHYSICAL_GRADIENT + VISCOUS_FLUX),
        };
        let pairs = n * (n - 1.0) / 2.0;
        let convective_line = 5.0 * n                       // contravariant velocity
            + 4.0 * (pairs + n)                             // mass flux of every pair
            + 5.0 * (6.0 * pairs + 8.0)                     // two-point flux of five variables
            + n * (8.0 + 3.0 * 3.0)                         // enthalpy, pressure
            + 4.0 * 2.0 * n * n                             // pressure and viscous derivative
            + 5.0 * 3.0 * n                                 // correction
            + 2.0 * END_CORRECTION;
        let viscous_part = lines * line_gradient + PHYSICAL_GRADIENT + 3.0 * VISCOUS_FLUX + lines * 2.0 * 4.0 * 5.0;
        let sweep2_flops = PRIMITIVE
            + lines * (neighbours + convective_line)
            + if viscous { viscous_part } else { 0.0 }
            + 5.0 * (4.0 + 4.0);
        let divergence = Work {
            bytes: real * (geometry + traces) + slots,
            flops: sweep2_flops,
        };
        // Values moved by the update, own state included: first, two middle, last stage with compensation.
        let mean = (15.0 + 25.0 + 25.0 + 30.0) / 4.0;
        let first = if viscous {
            sweep1
        } else {
            Work { bytes: 0.0, flops: 0.0 }
        };
        Cost {
            stage: Work {
                bytes: first.bytes + divergence.bytes + real * mean,
                flops: first.flops + sweep2_flops,
            },
            sweep1,
            divergence,
            real,
            n,
            curved,
            rates: Work {
                bytes: real * (5.0 + geometry),
                flops: PRIMITIVE + 3.0 * 18.0 + 12.0,
            },
        }
    }

    /// Sweep 2 when its update moves `update` values a point, the cell's own state included.
    pub fn sweep2(&self, update: f64) -> Work {
        Work {
            bytes: self.divergence.bytes + self.real * update,
            ..self.divergence
        }
    }

    /// The interface flux alone: states read at the points that lie on faces, the outward flux written for both sides; area
    /// vectors, slots and arithmetic for every side, or for every face with its row of the list.
    pub fn interface(&self, by_faces: bool) -> Work {
        let n = self.n;
        let surface = 1.0 - ((n - 2.0) / n).powi(3);
        let sides = if by_faces { 3.0 } else { 6.0 };
        let area = if self.curved {
            3.0 * sides / n
        } else {
            3.0 * sides / n.powi(3)
        };
        let list = if by_faces { 3.0 * 24.0 / n.powi(3) } else { 0.0 };
        Work {
            bytes: self.real * (5.0 * surface + area + 30.0 / n) + sides * 36.0 / n.powi(3) + list,
            flops: sides / n * (2.0 * PRIMITIVE + ROE),
        }
    }
}
