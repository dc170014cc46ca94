//! What the report is made from: how well a mesh resolves the turbulence of a solution, at its walls, across its
//! boundary layers, and in the flow away from them.

use super::stations::{self, Station};
use super::volume::{TurbulentCell, turbulent_cells};
use super::walls::{WallFace, wall_faces};
use crate::element::Elements;
use crate::geometry::Geometry;
use crate::ranks::Ranks;
use crate::steady::handover::Solution;

/// What a report is made from. Rank 0, which writes it, has all of it.
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
    /// Turbulent cells away from walls, on rank 0.
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
