//! The mapping to physical space: solution points, metric terms and face areas.
//!
//! Metric terms are taken in the curl form of D. A. Kopriva, J. Sci. Comput. 26 (2006) 301, from the interpolant of the
//! mapping on the solution points. Their discrete divergence then vanishes, and a uniform flow stays uniform. In
//! pyramids, whose derivatives do not commute, the smallest correction that achieves this is added. The area vector of
//! a face is computed once, on one of its two sides, and both cells use it: equal to the last bit, with opposite signs.

mod areas;
mod extent;
mod face_surface;
mod gradient;
mod interpolation;
mod locate;
mod metrics;
mod nearest;
mod period;
mod plane_cut;
mod pseudo_inverse;
mod pyramid_metrics;
mod types;
mod wall_distance;
mod wall_faces;

pub use extent::{extent, longest_side, sides};
pub use gradient::gradient;
use interpolation::Interpolation;
pub use interpolation::{interpolate, multiply};
pub use locate::{Found, Locator, MappedCells};
pub use metrics::{CellMetrics, derivative};
pub use nearest::CellSurfaces;
pub use period::{JoinedFace, shifts};
pub use plane_cut::{CellSlicer, Cut, IN_PLANE, Plane};
use rayon::prelude::*;
use thiserror::Error;
pub use types::{Geometry, by_cells};
pub use wall_distance::WallDistance;

use crate::element::{ElementKind, Elements, PerKind};
use crate::format::location;
use crate::mesh::Mesh;
use crate::ranks::{ExactSum, Ranks};

/// An error in the mapping of a cell.
#[derive(Debug, Error)]
pub enum GeometryError {
    /// The Jacobian is not positive at some point.
    #[error(
        "{cell} is inverted or degenerate: its Jacobian is {jacobian:.3e} at {}; \
         it must be positive everywhere ({others} more such cells)", location(*at)
    )]
    Inverted {
        /// Name of the cell, with its number and its tag if it has one.
        cell: String,
        /// Jacobian at the worst point.
        jacobian: f64,
        /// Position of the worst point.
        at: [f64; 3],
        /// Number of other inverted cells.
        others: usize,
    },
    /// Another rank has inverted cells.
    #[error("rank {0} has inverted cells")]
    OnOtherRank(usize),
}

/// Offsets of cells in an array in which a cell of each kind has `size` entries.
fn offsets(kinds: &[ElementKind], size: impl Fn(ElementKind) -> usize) -> Vec<usize> {
    let mut sum = 0;
    let ends = kinds.iter().map(|&kind| {
        sum += size(kind);
        sum
    });
    [0].into_iter().chain(ends).collect()
}

impl Geometry {
    /// Computes the geometry of a whole mesh on the points of the elements.
    ///
    /// # Errors
    /// A cell is inverted or degenerate.
    pub fn new(mesh: &Mesh, elements: &Elements) -> Result<Self, GeometryError> {
        Self::on_ranks(mesh, elements, &Ranks::alone())
    }

    /// Computes the geometry of a rank's part of a mesh. Collective: all ranks succeed, or none.
    ///
    /// # Errors
    /// A cell of any rank is inverted or degenerate.
    pub fn on_ranks(mesh: &Mesh, elements: &Elements, ranks: &Ranks) -> Result<Self, GeometryError> {
        let order = elements.order;
        let kinds = mesh.kinds.clone();
        let first_point = offsets(&kinds, |kind| kind.points(order));
        let to_points = Interpolation::new(mesh, elements);
        let mut points = vec![[0.0; 3]; first_point[mesh.len()]];
        let metrics: Vec<CellMetrics> = by_cells(&mut points, &first_point, 1)
            .into_par_iter()
            .enumerate()
            .map(|(c, points)| {
                points.copy_from_slice(&to_points.apply(kinds[c], mesh.cell_nodes(c)));
                CellMetrics::new(points, elements, kinds[c])
            })
            .collect();
        let mut geometry = Geometry {
            order,
            kinds,
            first_point,
            points,
            metrics,
            first_area: Vec::new(),
            areas: Vec::new(),
            volume: 0.0,
        };
        ranks.agree(geometry.refuse_inverted(mesh), GeometryError::OnOtherRank)?;
        geometry.volume = geometry.total_volume(elements, ranks);
        geometry.share_face_areas(mesh, elements, ranks);
        geometry.restore_identities_of_pyramids(elements);
        Ok(geometry)
    }

    fn total_volume(&self, elements: &Elements, ranks: &Ranks) -> f64 {
        let weights = PerKind::new(|kind| {
            if self.kinds.contains(&kind) {
                elements.weights(kind)
            } else {
                Vec::new()
            }
        });
        let cells = (0..self.kinds.len()).into_par_iter();
        let volumes: Vec<f64> = cells.map(|c| self.cell_volume(c, &weights[self.kinds[c]])).collect();
        let [volume] = ExactSum::allreduce(ranks, [volumes.into_iter().collect()]);
        volume.value()
    }

    /// Refuses a mesh with a Jacobian that is not positive, and reports the smallest one.
    fn refuse_inverted(&self, mesh: &Mesh) -> Result<(), GeometryError> {
        // A value that is not a number counts as the smallest.
        let key = |j: f64| if j.is_nan() { f64::NEG_INFINITY } else { j };
        let smallest = |c: usize| {
            let jacobians = (0..self.cell_points(c)).map(|p| (key(self.metrics[c].jacobian(p)), c, p));
            jacobians.min_by(|a, b| a.0.total_cmp(&b.0))
        };
        let inverted: Vec<(f64, usize, usize)> = (0..mesh.len())
            .into_par_iter()
            .filter(|&c| !self.is_affine(c))
            .filter_map(smallest)
            .filter(|(jacobian, ..)| *jacobian <= 0.0)
            .collect();
        let Some(&(_, cell, point)) = inverted.iter().min_by(|a, b| a.0.total_cmp(&b.0)) else {
            return Ok(());
        };
        Err(GeometryError::Inverted {
            cell: mesh.name_of(cell),
            jacobian: self.metrics[cell].jacobian(point),
            at: self.cell_positions(cell)[point],
            others: inverted.len() - 1,
        })
    }
}
