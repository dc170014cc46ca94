//! The resolution of turbulence away from walls, cell by cell, by the scales that the steady solution implies.

use rayon::prelude::*;

use crate::element::{Elements, PerKind};
use crate::geometry::Geometry;
use crate::mesh::Side;
use crate::ranks::Ranks;
use crate::steady::handover::Solution;

/// Ratio of the eddy viscosity to the viscosity below which a cell does not count as turbulent.
const TURBULENT: f64 = 1.0;

/// A cell with turbulence that touches no no-slip wall.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TurbulentCell {
    /// Global number.
    pub cell: usize,
    /// Volume.
    pub volume: f64,
    /// Cube root of the volume over the degree, over the length of Kolmogorov (nu^3/eps)^(1/4).
    pub over_kolmogorov: f64,
    /// The same over the length of the large eddies k^(3/2)/eps.
    pub over_large: f64,
}

/// Returns the turbulent cells of all ranks on rank 0, sorted by their numbers; none on other ranks. Collective.
pub fn turbulent_cells(
    solution: &Solution,
    geometry: &Geometry,
    elements: &Elements,
    is_wall: impl Fn(usize) -> bool + Sync,
    ranks: &Ranks,
) -> Vec<TurbulentCell> {
    let mesh = solution.mesh;
    let weights = PerKind::new(|kind| {
        if mesh.kinds.contains(&kind) {
            elements.weights(kind)
        } else {
            Vec::new()
        }
    });
    let of_cell = |cell: usize| -> Option<[f64; 4]> {
        let at_wall = |side: &Side| matches!(side, Side::Boundary(boundary) if is_wall(*boundary));
        if mesh.cell_sides(cell).iter().any(at_wall) {
            return None;
        }
        let points = geometry.first_point[cell]..geometry.first_point[cell + 1];
        let vertices = solution.dual.point_vertex[points].iter().map(|&v| v as usize);
        let count = vertices.len() as f64;
        let mean = |value: &dyn Fn(usize) -> f64| vertices.clone().map(value).sum::<f64>() / count;
        let nu = mean(&|v| solution.gas.mu(solution.values[v][4]) / solution.values[v][0]);
        let eddy = mean(&|v| solution.eddy_viscosity(v));
        let energy = mean(&|v| solution.kinetic_energy(v));
        if eddy <= TURBULENT * nu || energy <= 0.0 {
            return None;
        }
        let dissipation = mean(&|v| solution.dissipation(v));
        let volume = geometry.cell_volume(cell, &weights[mesh.kinds[cell]]);
        let size = volume.cbrt() / solution.order as f64;
        let kolmogorov = (nu.powi(3) / dissipation).powf(0.25);
        let large = energy.powf(1.5) / dissipation;
        Some([mesh.global(cell) as f64, volume, size / kolmogorov, size / large])
    };
    let mine: Vec<f64> = (0..mesh.len()).into_par_iter().filter_map(of_cell).flatten().collect();
    let all = ranks.gather_on_first(mine);
    let mut cells: Vec<TurbulentCell> = all
        .as_chunks::<4>()
        .0
        .iter()
        .map(|&[cell, volume, over_kolmogorov, over_large]| TurbulentCell {
            cell: cell as usize,
            volume,
            over_kolmogorov,
            over_large,
        })
        .collect();
    cells.sort_by_key(|cell| cell.cell);
    cells
}
