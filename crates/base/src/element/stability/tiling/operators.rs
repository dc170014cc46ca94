//! The semi-discrete operators of waves, sound and diffusion on a tiling, in the form of the kernels.

use num_complex::Complex64;

use super::Tiling;
use crate::vector::{Vector, dot, length};

impl Tiling {
    /// Operator -v . grad u with upwind fluxes.
    pub(super) fn advect(&self, u: &[Complex64], velocity: Vector, phase: Vector) -> Vec<Complex64> {
        let np = self.element.len();
        let mut result = Vec::with_capacity(u.len());
        for (number, cell) in self.cells.iter().enumerate() {
            let own = &u[number * np..][..np];
            let outside = self.outside(cell, u, phase);
            let flux: Vec<_> = own.iter().map(|&u| velocity.map(|v| u * v)).collect();
            let jump: Vec<_> = (0..outside.len())
                .map(|f| (outside[f] - own[self.traces[f]]) * dot(velocity, cell.areas[f]).min(0.0))
                .collect();
            result.extend(self.divergence(cell, &flux, &jump).into_iter().map(|r| -r));
        }
        result
    }

    /// Operator of sound in gas at rest with a speed of 1: dp/dt = -div v, dv/dt = -grad p. The vector u holds p and
    /// then the components of v. The upwind flux damps jumps of pressure and normal velocity, but not of transverse
    /// velocity.
    pub(super) fn sound(&self, u: &[Complex64], phase: Vector) -> Vec<Complex64> {
        let np = self.element.len();
        let points = u.len() / 4;
        let zero = Complex64::from(0.0);
        let mut result = vec![zero; u.len()];
        for (number, cell) in self.cells.iter().enumerate() {
            let of = |variable: usize| &u[variable * points..][..points];
            let own: [&[Complex64]; 4] = std::array::from_fn(|variable| &of(variable)[number * np..][..np]);
            let jumps: [Vec<Complex64>; 4] = std::array::from_fn(|variable| {
                let outside = self.outside(cell, of(variable), phase);
                outside
                    .iter()
                    .zip(&self.traces)
                    .map(|(&o, &t)| o - own[variable][t])
                    .collect()
            });
            // Common less own flux: of pressure, and along the area vector of velocity.
            let at_faces: Vec<[Complex64; 2]> = (0..self.traces.len())
                .map(|f| {
                    let area = cell.areas[f];
                    let size = length(area);
                    let through: Complex64 = (0..3).map(|m| jumps[m + 1][f] * area[m]).sum();
                    [
                        0.5 * (through - jumps[0][f] * size),
                        0.5 * (jumps[0][f] - through / size),
                    ]
                })
                .collect();
            for variable in 0..4 {
                let flux: Vec<[Complex64; 3]> = (0..np)
                    .map(|p| match variable {
                        0 => std::array::from_fn(|m| own[m + 1][p]),
                        _ => std::array::from_fn(|m| if m + 1 == variable { own[0][p] } else { zero }),
                    })
                    .collect();
                let jump: Vec<Complex64> = at_faces
                    .iter()
                    .zip(&cell.areas)
                    .map(|([pressure, velocity], area)| match variable {
                        0 => *pressure,
                        _ => velocity * area[variable - 1],
                    })
                    .collect();
                let rates = self.divergence(cell, &flux, &jump).into_iter().map(|r| -r);
                let place = &mut result[variable * points + number * np..][..np];
                place.iter_mut().zip(rates).for_each(|(place, rate)| *place = rate);
            }
        }
        result
    }

    /// Laplacian of u: BR1, with each side's normal derivative at the face corrected by that of its own jump.
    pub(super) fn diffuse(&self, u: &[Complex64], phase: Vector) -> Vec<Complex64> {
        let (np, nfp) = (self.element.len(), self.element.face_len());
        // The strength that the kernels give the penalty on every face (ptx/physics/viscous.h).
        let strength = -self.strength;
        let zero = Complex64::from(0.0);
        let mut gradients = Vec::with_capacity(u.len());
        let mut fluxes = Vec::with_capacity(self.cells.len() * nfp);
        for (number, cell) in self.cells.iter().enumerate() {
            let own = &u[number * np..][..np];
            let half_jump: Vec<Complex64> = self
                .outside(cell, u, phase)
                .iter()
                .zip(&self.traces)
                .map(|(outside, &t)| (outside - own[t]) * 0.5)
                .collect();
            let mut gradient = vec![[zero; 3]; np];
            for m in 0..3 {
                let flux: Vec<_> = own
                    .iter()
                    .map(|&u| std::array::from_fn(|n| if n == m { u } else { zero }))
                    .collect();
                let jump: Vec<_> = half_jump
                    .iter()
                    .zip(&cell.areas)
                    .map(|(jump, area)| jump * area[m])
                    .collect();
                for (g, value) in gradient.iter_mut().zip(self.divergence(cell, &flux, &jump)) {
                    g[m] = value;
                }
            }
            for f in 0..nfp {
                let area = cell.areas[f];
                let plain: Complex64 = (0..3).map(|m| gradient[self.traces[f]][m] * area[m]).sum();
                let penalty = half_jump[f] * dot(area, area) * strength / cell.jacobian;
                fluxes.push((plain, plain + penalty));
            }
            gradients.extend(gradient);
        }
        let mut result = Vec::with_capacity(u.len());
        for (number, cell) in self.cells.iter().enumerate() {
            let jump: Vec<_> = cell
                .neighbours
                .iter()
                .enumerate()
                .map(|(f, n)| {
                    let (plain, own) = fluxes[number * nfp + f];
                    let turn = Complex64::from_polar(1.0, dot(phase, n.shift));
                    (own - fluxes[n.cell * nfp + n.face_point].1 * turn) * 0.5 - plain
                })
                .collect();
            result.extend(self.divergence(cell, &gradients[number * np..][..np], &jump));
        }
        result
    }
}
