//! What does not change while a case runs: the mesh, what follows from it, and what the case says of the gas and the
//! boundaries. The device has the state, and [participants](super::participant) what moves or is held.

use super::boundary_fluxes::BoundaryFluxes;
use super::boundary_values::{Reference, Values};
use super::motions::Motions;
use crate::device::Plan;
use crate::element::Elements;
use crate::geometry::Geometry;
use crate::mesh::Mesh;
use crate::physics::{Boundary, Gas};
use crate::ranks::Ranks;

/// A case on its mesh, without a state.
pub struct Domain {
    /// The mesh.
    pub mesh: Mesh,
    /// The reference elements.
    pub elements: Elements,
    /// Metric terms and solution points.
    pub geometry: Geometry,
    /// The gas.
    pub gas: Gas,
    /// Condition of every boundary of the mesh.
    pub boundaries: Vec<Boundary>,
    /// How blocks of cells move past each other at interfaces.
    pub motions: Motions,
    /// What boundary values refer to.
    pub(super) reference: Reference,
    /// The ranks of this run.
    pub ranks: Ranks,
}

impl Domain {
    /// Returns the number of solution points of this rank.
    pub fn points(&self) -> usize {
        self.geometry.points.len()
    }

    /// Returns the number of solution points of all ranks. Collective.
    pub fn points_of_all_ranks(&self) -> usize {
        let mut points = [self.points() as u64];
        self.ranks.allreduce_sum(&mut points);
        points[0] as usize
    }

    /// Finds the faces of the boundaries among those of a plan. Collective.
    pub(super) fn boundary_fluxes(&self, plan: &Plan) -> BoundaryFluxes {
        BoundaryFluxes::new(plan, &self.mesh, &self.geometry, &self.elements, &self.ranks)
    }

    /// Returns the evaluation of the boundary conditions on the faces of a plan.
    pub(super) fn boundary_values<'a>(&'a self, plan: &'a Plan) -> Values<'a> {
        Values {
            faces: &plan.boundary_faces,
            names: &self.mesh.boundary_names,
            boundaries: &self.boundaries,
            reference: &self.reference,
            gas: &self.gas,
            geometry: &self.geometry,
            order: self.elements.order,
        }
    }
}
