//! The report of `fr-les mesh info`: counts, extent, the worst cells and their positions, and the memory of a run.
//!
//! The scaled Jacobian at a corner is the volume spanned by the images of its three edges, divided by the product of
//! their lengths and by the same quantity of the ideal cell with equal edges. That of a cell is the minimum over its
//! corners and sample points. It is 1 for the ideal cell and for its images stretched along edges, and at most 0 where
//! the mapping folds.
//!
//! The extent of a cell across one of its faces is its height over that face. For hexahedra and the triangles of prisms
//! it is the volume over the mean area of this face and the opposite one. Otherwise it is the volume over the area,
//! times 2 for the quadrilaterals of prisms, 3 for tetrahedra and the bases of pyramids, and 3/2 for the triangles of
//! pyramids.

mod boundary_report;
mod cell;
mod face;
mod text;
mod types;

use rayon::prelude::*;

pub use cell::CellMeasure;
pub use types::{BoundaryReport, CellLocation, Distribution, Extreme, KindCount, MemoryEstimate, Quality};

use crate::element::{ElementKind, FaceShape};
use crate::mesh::types::{Mesh, Side};
use cell::CellMeasurers;

const JACOBIAN_LIMITS: &[f64] = &[0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
const ASPECT_LIMITS: &[f64] = &[1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1000.0];
const GROWTH_LIMITS: &[f64] = &[1.05, 1.1, 1.2, 1.3, 1.5, 2.0, 3.0, 5.0];

impl Quality {
    /// Measures all cells of a mesh for a solution of degree `order`. Returns `None` if there are no cells.
    pub fn of(mesh: &Mesh, order: usize) -> Option<Self> {
        if mesh.is_empty() {
            return None;
        }
        let measurers = CellMeasurers::new(mesh);
        let cells: Vec<CellMeasure> = (0..mesh.len())
            .into_par_iter()
            .map(|c| measurers.measure(mesh, c))
            .collect();
        let kinds = count_kinds(mesh, &cells);
        let extreme = |value: f64, cell: usize| Extreme {
            value,
            place: CellLocation {
                cell,
                tag: mesh.tags.get(cell).copied(),
                centre: measurers.centre(mesh, cell),
            },
        };
        let aspect = |m: &CellMeasure| m.edges[1] / m.edges[0];
        let least = |of: &dyn Fn(&CellMeasure) -> f64| first_least(&cells, of);
        let at = |cell: usize, of: &dyn Fn(&CellMeasure) -> f64| extreme(of(&cells[cell]), cell);
        let growths = growths(mesh, &cells);
        let steepest = growths
            .iter()
            .fold(None, |best: Option<(f64, usize)>, &(ratio, cell)| match best {
                Some((most, _)) if most >= ratio => best,
                _ => Some((ratio, cell)),
            });

        let boundaries = boundary_report::boundaries(mesh, &cells, order, extreme);
        let rotated = mesh.sides.iter().filter(|s| matches!(s, Side::Rotated { .. })).count();
        let divided = mesh.divided_faces().count();
        let boundary_faces: usize = boundaries.iter().map(|b| b.faces).sum();
        Some(Quality {
            geometry_order: mesh.geometry_order,
            order,
            points: kinds.iter().map(|k| k.cells * k.kind.points(order)).sum(),
            memory: memory(&kinds, order),
            kinds,
            inner_faces: [
                (mesh.sides.len() - boundary_faces - divided - mesh.mortars.len()) / 2,
                rotated / 2,
            ],
            divided_faces: [divided, mesh.mortars.len()],
            boundaries,
            bounds: bounds(mesh),
            volume: cells.iter().map(|m| m.volume).sum(),
            smallest: at(least(&|m| m.volume), &|m| m.volume),
            largest: at(least(&|m| -m.volume), &|m| m.volume),
            worst: at(least(&|m| m.scaled_jacobian), &|m| m.scaled_jacobian),
            inverted: cells.iter().filter(|m| m.scaled_jacobian <= 0.0).count(),
            jacobians: Distribution::new(JACOBIAN_LIMITS, cells.iter().map(|m| m.scaled_jacobian)),
            aspect: at(least(&|m| -aspect(m)), &aspect),
            aspects: Distribution::new(ASPECT_LIMITS, cells.iter().map(aspect)),
            growth: steepest.map(|(ratio, cell)| extreme(ratio, cell)),
            growths: Distribution::new(GROWTH_LIMITS, growths.iter().map(|(ratio, _)| *ratio)),
            shortest_edge: at(least(&|m| m.edges[0]), &|m| m.edges[0]),
        })
    }
}

/// The cell with the smallest value, the first one of several.
fn first_least(cells: &[CellMeasure], value: impl Fn(&CellMeasure) -> f64) -> usize {
    let start = (0, value(&cells[0]));
    let (cell, _) = cells.iter().enumerate().fold(start, |best, (c, measure)| {
        let value = value(measure);
        if value < best.1 { (c, value) } else { best }
    });
    cell
}

/// Numbers of cells of the kinds that occur.
fn count_kinds(mesh: &Mesh, cells: &[CellMeasure]) -> Vec<KindCount> {
    let kinds = ElementKind::ALL.map(|kind| {
        let of_kind = || (0..mesh.len()).filter(move |&c| mesh.kinds[c] == kind);
        KindCount {
            kind,
            cells: of_kind().count(),
            affine: of_kind().filter(|&c| cells[c].affine).count(),
        }
    });
    kinds.into_iter().filter(|k| k.cells > 0).collect()
}

/// Extent of a cell across a face.
fn extent(kind: ElementKind, face: usize, measure: &CellMeasure) -> f64 {
    let area = measure.areas[face];
    let area = match (kind, kind.faces()[face].shape) {
        // The numbers of opposite faces differ in the last bit.
        (ElementKind::Hex, _) | (ElementKind::Prism, FaceShape::Triangle) => 0.5 * (area + measure.areas[face ^ 1]),
        (ElementKind::Prism, FaceShape::Quad) => area / 2.0,
        (ElementKind::Tet, _) | (ElementKind::Pyramid, FaceShape::Quad) => area / 3.0,
        (ElementKind::Pyramid, FaceShape::Triangle) => area / 1.5,
    };
    measure.volume.abs() / area
}

/// Ratio, at least 1, of the extents of the two cells at every inner face across that face, and the smaller cell.
fn growths(mesh: &Mesh, cells: &[CellMeasure]) -> Vec<(f64, usize)> {
    let of_cell = |cell: usize| {
        let sides = mesh.cell_sides(cell).iter().enumerate();
        sides.filter_map(move |(face, side)| {
            let (Side::Cell { cell: c2, face: f2, .. } | Side::Rotated { cell: c2, face: f2, .. }) = *side else {
                return None;
            };
            if (c2, f2) < (cell, face) {
                return None;
            }
            let here = extent(mesh.kinds[cell], face, &cells[cell]);
            let there = extent(mesh.kinds[c2], f2, &cells[c2]);
            Some(if here < there {
                (there / here, cell)
            } else {
                (here / there, c2)
            })
        })
    };
    (0..mesh.len()).flat_map(of_cell).collect()
}

fn bounds(mesh: &Mesh) -> [[f64; 3]; 2] {
    let none = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
    mesh.nodes.iter().fold(none, |[low, high], x| {
        [
            std::array::from_fn(|d| low[d].min(x[d])),
            std::array::from_fn(|d| high[d].max(x[d])),
        ]
    })
}

/// Memory of the states (three stages, accumulator, compensation), viscous traces, metric terms and normals, and of the
/// slots and tables of faces.
fn memory(kinds: &[KindCount], order: usize) -> MemoryEstimate {
    let (mut reals, mut bytes) = (0, 0);
    for &KindCount { kind, cells, affine } in kinds {
        let points = kind.points(order);
        let faces = kind.faces().len();
        reals += cells * (25 * points + 4 * kind.total_face_points(order) + 4 * faces);
        reals += 12 * affine + (cells - affine) * (10 * points + 3 * kind.total_face_points(order));
        bytes += cells * 28 * faces;
    }
    MemoryEstimate {
        double: 8 * reals + bytes,
        single: 4 * reals + bytes,
    }
}

#[cfg(test)]
mod tests;
