//! The points at which an initial state from a file is wanted.

use crate::geometry::Geometry;
use crate::mesh::Mesh;
use crate::physics::Gas;
use crate::ranks::Ranks;

/// The points of a mesh at an order.
#[derive(Clone, Copy)]
pub struct InitialPoints<'a> {
    /// The mesh.
    pub mesh: &'a Mesh,
    /// Its solution points.
    pub geometry: &'a Geometry,
    /// Order of the solution.
    pub order: usize,
    /// The gas.
    pub gas: &'a Gas,
    /// The ranks.
    pub ranks: &'a Ranks,
}
