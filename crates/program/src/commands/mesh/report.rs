//! The report on a mesh: its cells, boundaries, quality and memory at an order of the solution.

use std::path::Path;

use super::failure::MeshFailure;
use crate::mesh::Mesh;
use crate::mesh::quality::Quality;

/// The argument of all reports.
#[derive(Debug, clap::Args)]
pub struct ReportArgs {
    /// Polynomial degree of the solution that points, wall distances and memory are reported for
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=8))]
    #[arg(allow_negative_numbers = true)]
    pub order: u64,
}

impl ReportArgs {
    /// Returns the order, if all cells of the mesh can have it.
    pub fn order_for(&self, mesh: &Mesh) -> Result<usize, MeshFailure> {
        let order = self.order as usize;
        match mesh.kinds.iter().find(|kind| order > kind.max_order()) {
            Some(&kind) => Err(MeshFailure::Order { order, kind }),
            None => Ok(order),
        }
    }
}

/// Measures a mesh.
pub fn measure(mesh: &Mesh, path: &Path, args: &ReportArgs) -> Result<Quality, MeshFailure> {
    let order = args.order_for(mesh)?;
    Quality::of(mesh, order).ok_or_else(|| MeshFailure::Empty(path.to_path_buf()))
}
