//! The incomplete elimination that preconditions the system of the mean flow (DILU): factors colour by colour, and the
//! solution with them.

use super::lines::Lines;
use super::matrix::Matrix;
use crate::device::DeviceError;
use crate::device::contract::{HeldAtWall, SteadyKernel, SteadyParams};
use crate::ranks::Ranks;
use crate::steady::arrays::EliminationArrays;
use crate::steady::conditions::BoundaryList;
use crate::steady::dual::DualMesh;
use crate::steady::exchange::Halo;
use crate::steady::grid::Grid;
use crate::steady::machine::Machine;

/// What an incomplete elimination needs to know of the vertices.
pub struct Elimination<M: Machine> {
    arrays: EliminationArrays<M>,
}

impl<M: Machine> Elimination<M> {
    /// Uploads the colours, and what walls hold at each local vertex. Collective.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn new(
        grid: &Grid<M>,
        dual: &DualMesh,
        lines: &Lines,
        boundaries: &[BoundaryList],
    ) -> Result<Self, DeviceError> {
        let slices = &grid.slices;
        let held = held(dual, boundaries, grid.ranks());
        let mut colours = vec![0.0f64; slices.slots];
        let mut held_in = vec![HeldAtWall::Nothing as i32; slices.slots];
        for vertex in 0..dual.len() {
            let slot = slices.slot(vertex);
            colours[slot] = f64::from(lines.colour[vertex]);
            held_in[slot] = held[vertex];
        }
        let mut arrays = EliminationArrays::zeros(&*grid.store, &slices.slots)?;
        grid.store.write(&mut arrays.colour, &colours)?;
        grid.store.write(&mut arrays.held, &held_in)?;
        Ok(Elimination { arrays })
    }

    /// Returns the bytes of its arrays.
    pub fn bytes(&self) -> usize {
        self.arrays.in_use().total()
    }

    /// Computes the factors of a matrix. `flow` are parameters that lead to the flow of which it is the Jacobian.
    pub fn factor(&self, matrix: &Matrix<M>, flow: &SteadyParams) -> Result<(), DeviceError> {
        let mut params = *flow;
        matrix.connect(&mut params);
        self.arrays.connect(&mut params);
        for (number, colour) in matrix.lines.of_colour.iter().enumerate() {
            matrix.grid.launch(SteadyKernel::Eliminate, params, colour.clone())?;
            let elements = matrix.unknowns.count().pow(2);
            matrix
                .grid
                .update_halo_of_single(Halo::Colour(number), params.factors, elements)?;
        }
        Ok(())
    }

    /// Solves for x with the lower factors, and then with the upper ones.
    pub fn solve(&self, matrix: &Matrix<M>, b: *const f32, x: *mut f32) -> Result<(), DeviceError> {
        let mut params = matrix.of_solution(b, x);
        self.arrays.connect(&mut params);
        let of_colour = &matrix.lines.of_colour;
        for (number, colour) in of_colour.iter().enumerate() {
            matrix.grid.launch(SteadyKernel::Substitute, params, colour.clone())?;
            matrix.share(Halo::Colour(number), x)?;
        }
        params.backward = 1;
        // The last colour has no later ones.
        for (number, colour) in of_colour.iter().enumerate().rev().skip(1) {
            matrix.grid.launch(SteadyKernel::Substitute, params, colour.clone())?;
            matrix.share(Halo::Colour(number), x)?;
        }
        Ok(())
    }
}

/// What walls hold at all local vertices, in numbers of [`HeldAtWall`]. Collective.
fn held(dual: &DualMesh, boundaries: &[BoundaryList], ranks: &Ranks) -> Vec<i32> {
    let mut held = vec![HeldAtWall::Nothing as i32; dual.len()];
    for boundary in boundaries.iter().filter(|boundary| boundary.is_no_slip()) {
        let here = if boundary.kind.is_isothermal() {
            HeldAtWall::VelocityAndTemperature
        } else {
            HeldAtWall::Velocity
        };
        for &vertex in &boundary.vertex {
            let held = &mut held[vertex as usize];
            *held = (*held).max(here as i32);
        }
    }
    dual.update_halo(ranks, &mut held);
    held
}
