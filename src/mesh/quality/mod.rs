//! What `fr-les mesh info` says of a mesh: counts, extent, the worst cells and where they are, what a run would need.
//!
//! The scaled Jacobian of a cell is the least, over sample points and the cell's corners, of the volume that the images
//! of a corner's three edges span, over the product of their lengths and over the same for the ideal cell with equal
//! edges. It is 1 for the ideal cell and for its stretched images along edges, and not above 0 where the mapping folds.
//! The extent of a cell across one of its faces is its height over that face: volume over the mean area of this face
//! and the opposite one for hexahedra and the triangles of prisms; else volume over area, times 2 for the
//! quadrilaterals of prisms, 3 for tetrahedra and the bases of pyramids, 3/2 for the triangles of pyramids.

mod boundary_report;
mod cell;
mod face;
mod text;

use rayon::prelude::*;

pub use cell::CellMeasure;

use crate::element::{ElementKind, FaceShape};
use crate::mesh::{Mesh, Side};
use cell::CellMeasurers;

/// Where a cell is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CellLocation {
    /// The cell.
    pub cell: usize,
    /// Its tag in the mesh file.
    pub tag: Option<u64>,
    /// Mean of its vertices.
    pub centre: [f64; 3],
}

/// An extreme value and the cell that has it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extreme {
    /// The value.
    pub value: f64,
    /// The cell.
    pub place: CellLocation,
}

/// Cells of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KindCount {
    /// The kind.
    pub kind: ElementKind,
    /// How many.
    pub cells: usize,
    /// How many of them are affine.
    pub affine: usize,
}

/// A boundary.
#[derive(Debug, Clone, PartialEq)]
pub struct BoundaryReport {
    /// Its name.
    pub name: String,
    /// Number of faces.
    pub faces: usize,
    /// Their area.
    pub area: f64,
    /// Least distance between the boundary and the first solution points off it; `None` if it has no faces.
    pub first_point: Option<Extreme>,
}

/// Numbers of cells or faces by ranges of a quantity: entry i counts values below `limits[i]` and not below the one
/// before, the last entry all others.
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution {
    /// Upper limits in ascending order.
    pub limits: &'static [f64],
    /// Counts, one more than limits.
    pub counts: Vec<usize>,
}

impl Distribution {
    fn new(limits: &'static [f64], values: impl Iterator<Item = f64>) -> Self {
        let mut counts = vec![0; limits.len() + 1];
        values.for_each(|value| counts[limits.partition_point(|limit| *limit <= value)] += 1);
        Distribution { limits, counts }
    }
}

/// Bytes that a run would need for its largest arrays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryEstimate {
    /// In double precision.
    pub double: usize,
    /// In single precision.
    pub single: usize,
}

/// What there is to say of a mesh.
#[derive(Debug, Clone)]
pub struct Quality {
    /// Degree of the geometry.
    pub geometry_order: usize,
    /// Degree of the solution that points, wall distances and memory are for.
    pub order: usize,
    /// Cells by kind, without kinds that do not occur.
    pub kinds: Vec<KindCount>,
    /// Solution points.
    pub points: usize,
    /// Faces between two cells, and how many of them are periodic by rotation.
    pub inner_faces: [usize; 2],
    /// The boundaries.
    pub boundaries: Vec<BoundaryReport>,
    /// Lower and upper corner of the box around all nodes.
    pub bounds: [[f64; 3]; 2],
    /// Volume of all cells.
    pub volume: f64,
    /// Smallest cell.
    pub smallest: Extreme,
    /// Largest cell.
    pub largest: Extreme,
    /// Least scaled Jacobian.
    pub worst: Extreme,
    /// Cells whose mapping folds.
    pub inverted: usize,
    /// Distribution of scaled Jacobians.
    pub jacobians: Distribution,
    /// Largest ratio of a cell's longest edge to its shortest.
    pub aspect: Extreme,
    /// Distribution of these ratios.
    pub aspects: Distribution,
    /// Largest ratio of the extents of two cells across their common face.
    pub growth: Option<Extreme>,
    /// Distribution of these ratios.
    pub growths: Distribution,
    /// Shortest edge.
    pub shortest_edge: Extreme,
    /// What a run would need.
    pub memory: MemoryEstimate,
}

const JACOBIAN_LIMITS: &[f64] = &[0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
const ASPECT_LIMITS: &[f64] = &[1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1000.0];
const GROWTH_LIMITS: &[f64] = &[1.05, 1.1, 1.2, 1.3, 1.5, 2.0, 3.0, 5.0];

impl Quality {
    /// Looks at all cells of a mesh; `order` is the degree of the solution that the numbers of points are for. `None`
    /// if there are no cells.
    pub fn of(mesh: &Mesh, order: usize) -> Option<Self> {
        if mesh.is_empty() {
            return None;
        }
        let measurers = CellMeasurers::new(mesh);
        let cells: Vec<CellMeasure> = (0..mesh.len())
            .into_par_iter()
            .map(|c| measurers.measure(mesh, c))
            .collect();
        let extreme = |value: f64, cell: usize| Extreme {
            value,
            place: CellLocation {
                cell,
                tag: mesh.tags.get(cell).copied(),
                centre: measurers.centre(mesh, cell),
            },
        };
        // The cell where `of` is least, the first one of several.
        let least = |of: &dyn Fn(&CellMeasure) -> f64| {
            let start = (0, of(&cells[0]));
            let (cell, _) = cells.iter().enumerate().fold(start, |best, (c, measure)| {
                let value = of(measure);
                if value < best.1 { (c, value) } else { best }
            });
            cell
        };
        let aspect = |m: &CellMeasure| m.edges[1] / m.edges[0];
        let at = |cell: usize, of: &dyn Fn(&CellMeasure) -> f64| extreme(of(&cells[cell]), cell);
        let growths = growths(mesh, &cells);
        let steepest = growths
            .iter()
            .fold(None, |best: Option<(f64, usize)>, &(ratio, cell)| match best {
                Some((most, _)) if most >= ratio => best,
                _ => Some((ratio, cell)),
            });
        let kinds = ElementKind::ALL.map(|kind| {
            let of_kind = || (0..mesh.len()).filter(move |&c| mesh.kinds[c] == kind);
            KindCount {
                kind,
                cells: of_kind().count(),
                affine: of_kind().filter(|&c| cells[c].affine).count(),
            }
        });
        let kinds: Vec<KindCount> = kinds.into_iter().filter(|k| k.cells > 0).collect();
        let boundaries = boundary_report::boundaries(mesh, &cells, order, extreme);
        let rotated = mesh.sides.iter().filter(|s| matches!(s, Side::Rotated { .. })).count();
        let boundary_faces: usize = boundaries.iter().map(|b| b.faces).sum();
        Some(Quality {
            geometry_order: mesh.geometry_order,
            order,
            points: kinds.iter().map(|k| k.cells * k.kind.points(order)).sum(),
            memory: memory(&kinds, order),
            kinds,
            inner_faces: [(mesh.sides.len() - boundary_faces) / 2, rotated / 2],
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

/// Extent of a cell across a face.
fn extent(kind: ElementKind, face: usize, measure: &CellMeasure) -> f64 {
    let area = measure.areas[face];
    let area = match (kind, kind.faces()[face].shape) {
        // Opposite faces differ in the last bit of their numbers.
        (ElementKind::Hex, _) | (ElementKind::Prism, FaceShape::Triangle) => 0.5 * (area + measure.areas[face ^ 1]),
        (ElementKind::Prism, FaceShape::Quad) => area / 2.0,
        (ElementKind::Tet, _) | (ElementKind::Pyramid, FaceShape::Quad) => area / 3.0,
        (ElementKind::Pyramid, FaceShape::Triangle) => area / 1.5,
    };
    measure.volume.abs() / area
}

/// For every face between two cells the ratio, at least 1, of their extents across it, with the smaller cell.
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

/// The states (three stages, accumulator, compensation), viscous traces, metric terms and normals, and slots and tables
/// of faces.
fn memory(kinds: &[KindCount], order: usize) -> MemoryEstimate {
    let (mut reals, mut bytes) = (0, 0);
    for &KindCount { kind, cells, affine } in kinds {
        let (points, faces) = (kind.points(order), kind.faces().len());
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
