//! What is watched of a steady solution: the residuals of all equations and the forces on the no-slip walls.

use super::conditions::BoundaryList;
use super::dual::DualMesh;
use super::handover::Values;
use crate::physics::{BoundaryKind, Gas};
use crate::ranks::{ExactSum, Ranks};

/// Names and units of the columns of `convergence.csv`.
pub const COLUMNS: [(&str, &str); 14] = [
    ("iteration", ""),
    ("cfl", ""),
    ("density", "density/time"),
    ("momentum", "momentum/time"),
    ("energy", "pressure/time"),
    ("nu-tilde", "viscosity/time"),
    ("pressure_x", "force"),
    ("pressure_y", "force"),
    ("pressure_z", "force"),
    ("friction_x", "force"),
    ("friction_y", "force"),
    ("friction_z", "force"),
    ("linear", ""),
    ("refreshes", ""),
];

/// A row of `convergence.csv`.
pub type Row = [f64; COLUMNS.len()];

/// The rows of vertices that no-slip walls hold, and the vertices at which friction is summed.
pub struct Monitor {
    /// Whether an equation of an owned vertex is held by a wall, `[vertex][equation]`.
    held: Vec<[bool; 6]>,
    /// Vertices of no-slip walls, each once.
    friction: Vec<u32>,
}

impl Monitor {
    /// Finds what walls hold.
    pub fn new(dual: &DualMesh, boundaries: &[BoundaryList]) -> Self {
        let (mut held, mut friction) = (vec![[false; 6]; dual.owned], Vec::new());
        for boundary in boundaries.iter().filter(|boundary| boundary.is_no_slip()) {
            for &vertex in &boundary.vertex {
                let held = &mut held[vertex as usize];
                if !held[1] {
                    friction.push(vertex);
                }
                let energy = held[4] || boundary.kind == BoundaryKind::NoSlipIsothermal;
                *held = [false, true, true, true, energy, true];
            }
        }
        Monitor { held, friction }
    }

    /// Returns the root mean squares of the residuals per volume of density, momentum, energy and nu~ over all
    /// vertices, leaving out what walls hold; and the forces of pressure and friction on the no-slip walls. `state` and
    /// `residuals` are those of the owned vertices. Collective.
    pub fn measure(
        &self,
        dual: &DualMesh,
        boundaries: &[BoundaryList],
        gas: &Gas,
        state: &[Values],
        residuals: &[Values],
        ranks: &Ranks,
    ) -> ([f64; 4], [f64; 6]) {
        let mut sums = [(); 10].map(|()| ExactSum::default());
        for ((residual, held), volume) in residuals.iter().zip(&self.held).zip(&dual.volume) {
            for (equation, sum) in [0, 1, 1, 1, 2, 3].into_iter().enumerate() {
                if !held[equation] {
                    sums[sum].add((residual[equation] / volume).powi(2));
                }
            }
        }
        for boundary in boundaries.iter().filter(|boundary| boundary.is_no_slip()) {
            for (&vertex, area) in boundary.vertex.iter().zip(&boundary.area) {
                let [rho, _, _, _, temperature, _] = state[vertex as usize];
                let pressure = rho * gas.gas_constant * temperature;
                (0..3).for_each(|d| sums[4 + d].add(pressure * area[d]));
            }
        }
        for &vertex in &self.friction {
            (0..3).for_each(|d| sums[7 + d].add(-residuals[vertex as usize][1 + d]));
        }
        let sums = ExactSum::allreduce(ranks, sums).map(ExactSum::value);
        let vertices = dual.vertices_of_all_ranks as f64;
        let norm = |i: usize| (sums[i] / vertices).sqrt();
        (
            [norm(0), norm(1), norm(2), norm(3)],
            std::array::from_fn(|i| sums[4 + i]),
        )
    }
}
