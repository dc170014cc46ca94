//! The lengths to which the rates of relaxed boundaries refer.

use super::SetupError;
use super::boundary_fluxes::BoundaryFluxes;
use crate::geometry::Geometry;
use crate::mesh::{Mesh, Side};
use crate::physics::Boundary;
use crate::ranks::Ranks;
use crate::vector::{dot, length};

/// Shortest mean area vector over the area, below which a boundary has no direction.
const LEAST_DIRECTION: f64 = 1e-3;

/// Lengths to which the rates of a boundary refer; 0 where it does not need them.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Lengths {
    /// Extent of the domain along the mean normal.
    pub extent: f64,
    /// Size of a face, the root of the mean area.
    pub face_size: f64,
}

/// Returns the lengths of each boundary that relaxes. Collective.
///
/// # Errors
/// A boundary is closed or nearly so, and has no mean normal.
pub fn lengths(
    boundaries: &[Boundary],
    fluxes: &BoundaryFluxes,
    mesh: &Mesh,
    geometry: &Geometry,
    ranks: &Ranks,
) -> Result<Vec<Lengths>, SetupError> {
    let needs = |b: &Boundary| b.relaxation().is_some_and(|relaxation| relaxation.length.is_none());
    let of_boundary = |(index, boundary): (usize, &Boundary)| {
        if boundary.relaxation().is_none() {
            return Ok(Lengths::default());
        }
        let area = fluxes.area(index);
        let mut faces = [mesh.sides.iter().filter(|side| **side == Side::Boundary(index)).count() as u64];
        ranks.allreduce_sum(&mut faces);
        let face_size = (area.size / faces[0] as f64).sqrt();
        if !needs(boundary) {
            return Ok(Lengths { extent: 0.0, face_size });
        }
        let size = length(area.vector);
        if size < LEAST_DIRECTION * area.size {
            let name = mesh.boundary_names[index].clone();
            return Err(SetupError::NoLength { name });
        }
        let along = geometry.points.iter().map(|&x| dot(x, area.vector) / size);
        let mut ends = along.fold([f64::NEG_INFINITY; 2], |[most, least], x| [most.max(x), least.max(-x)]);
        ranks.allreduce_max(&mut ends);
        let extent = ends[0] + ends[1];
        Ok(Lengths { extent, face_size })
    };
    boundaries.iter().enumerate().map(of_boundary).collect()
}
