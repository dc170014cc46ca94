//! The report on whether a mesh is fine enough for a large-eddy simulation, from the steady solution on its points.
//!
//! The limits are those that are usual for wall-resolved simulations with high-order schemes, and the report says so.

mod stations;
mod text;
mod volume;
mod walls;

pub use stations::Station;
pub use text::{text, warnings};
pub use volume::{TurbulentCell, turbulent_cells};
pub use walls::{INNER, WallFace, wall_faces};

use super::handover::Solution;
use crate::element::Elements;
use crate::geometry::Geometry;
use crate::ranks::Ranks;

/// What a report is made from; the same on all ranks.
#[derive(Debug, Clone, Default)]
pub struct Adequacy {
    /// Names of the boundaries of the mesh.
    pub boundaries: Vec<String>,
    /// Degree of the points.
    pub order: usize,
    /// Faces of no-slip walls.
    pub walls: Vec<WallFace>,
    /// Boundary layers at stations of these walls.
    pub stations: Vec<Station>,
    /// Turbulent cells away from walls.
    pub cells: Vec<TurbulentCell>,
    /// Volume of all cells.
    pub volume: f64,
}

impl Adequacy {
    /// Measures how well a mesh resolves the turbulence of a solution. `geometry` and `elements` have the degree of the
    /// solution's points. `is_wall` returns whether a boundary is a no-slip wall. Collective.
    pub fn new(
        solution: &Solution,
        geometry: &Geometry,
        elements: &Elements,
        is_wall: impl Fn(usize) -> bool + Sync,
        ranks: &Ranks,
    ) -> Self {
        let walls = wall_faces(solution, geometry, &is_wall, ranks);
        Adequacy {
            boundaries: solution.mesh.boundary_names.clone(),
            order: solution.order,
            stations: stations::stations(solution, geometry, elements, &walls, ranks),
            walls,
            cells: turbulent_cells(solution, geometry, elements, &is_wall, ranks),
            volume: geometry.volume,
        }
    }
}
