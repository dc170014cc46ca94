//! The mapping to physical space: solution points, metric terms and face areas.
//!
//! Metric terms are taken in the curl form of D. A. Kopriva, J. Sci. Comput. 26 (2006) 301, from the interpolant of the
//! mapping on the solution points. Their discrete divergence then vanishes, and a uniform flow stays uniform. In
//! pyramids, whose derivatives do not commute, the smallest correction that achieves this is added. The area vector of
//! a face is computed once, on one of its two sides, and both cells use it: equal to the last bit, with opposite signs.

mod areas;
mod face_surface;
mod gradient;
mod locate;
mod metrics;
mod nearest;
mod period;
mod plane_cut;
mod pseudo_inverse;
mod pyramid_metrics;
mod wall_distance;

pub use gradient::gradient;
pub use locate::{Found, Locator, MappedCells, extent, longest_side, sides};
pub use metrics::{CellMetrics, derivative};
pub use nearest::CellSurfaces;
pub use period::shifts;
pub use plane_cut::{CellSlicer, Cut, IN_PLANE, Plane};
use rayon::prelude::*;
use thiserror::Error;
pub use wall_distance::WallDistance;

use crate::element::{Correction, ElementKind, Elements, PerKind, ReferenceElement, gauss_lobatto, lagrange_matrix};
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

/// The geometry of all cells. Lengths are in the unit of length of the mesh.
#[derive(Debug)]
pub struct Geometry {
    /// Polynomial degree of the solution points.
    order: usize,
    /// Kind of each cell, `[cell]`.
    pub kinds: Vec<ElementKind>,
    /// Offsets of the cells in `points`, `[cell + 1]`.
    pub first_point: Vec<usize>,
    /// Positions of the solution points, `[cell][point]`.
    pub points: Vec<[f64; 3]>,
    /// Contravariant metric terms and Jacobian, `[cell]`.
    pub metrics: Vec<CellMetrics>,
    /// Offsets of the cells in `areas`, `[cell + 1]`.
    first_area: Vec<usize>,
    /// Outward area vectors, per unit of the standard face's measure: of affine cells `[cell][face]`, of curved prisms,
    /// tetrahedra and pyramids `[cell][face][face point]`. Those of curved hexahedra are in their metric terms.
    areas: Vec<[f64; 3]>,
    /// Volume of all cells of all ranks.
    pub volume: f64,
}

/// Splits an array of `size` values a point into one slice a cell; `first_point` are the offsets of the cells.
pub fn by_cells<'a, T: Send>(array: &'a mut [T], first_point: &[usize], size: usize) -> Vec<&'a mut [T]> {
    let mut rest = array;
    first_point
        .windows(2)
        .map(|w| {
            let (cell, others) = std::mem::take(&mut rest).split_at_mut((w[1] - w[0]) * size);
            rest = others;
            cell
        })
        .collect()
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

    /// Number of solution points of a cell.
    pub fn cell_points(&self, cell: usize) -> usize {
        self.first_point[cell + 1] - self.first_point[cell]
    }

    /// Positions of the solution points of a cell, `[point]`.
    pub fn cell_positions(&self, cell: usize) -> &[[f64; 3]] {
        &self.points[self.first_point[cell]..self.first_point[cell + 1]]
    }

    /// Splits a field of `size` values a point into one slice a cell.
    pub fn cells_of<'a, T: Send>(&self, field: &'a mut [T], size: usize) -> Vec<&'a mut [T]> {
        by_cells(field, &self.first_point, size)
    }

    /// Returns the cell to which a solution point belongs.
    pub fn cell_of_point(&self, point: usize) -> usize {
        self.first_point.partition_point(|&first| first <= point) - 1
    }

    /// Returns whether the metric terms of a cell are constant.
    pub fn is_affine(&self, cell: usize) -> bool {
        matches!(self.metrics[cell], CellMetrics::Constant(_))
    }

    /// Volume of a cell; `weights` are those of [`Elements::weights`] for its kind.
    pub fn cell_volume(&self, cell: usize, weights: &[f64]) -> f64 {
        let metrics = &self.metrics[cell];
        weights.iter().enumerate().map(|(p, w)| w * metrics.jacobian(p)).sum()
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

/// The interpolation from geometry nodes to solution points.
struct Interpolation {
    /// Number of geometry nodes on a line, and their Lagrange polynomials at the solution points, `[point][node]`.
    line: (usize, Vec<f64>),
    /// Number of solution points on a line.
    n: usize,
    /// Matrices of the kinds other than hexahedra, `[point][node]`.
    dense: PerKind<Vec<f64>>,
}

impl Interpolation {
    fn new(mesh: &Mesh, elements: &Elements) -> Self {
        let g = mesh.geometry_order;
        let mut dense: PerKind<Vec<f64>> = PerKind::default();
        for kind in mesh.kinds_present() {
            if kind != ElementKind::Hex {
                dense[kind] =
                    ReferenceElement::new(kind, g, Correction::Radau).interpolation(&elements.dense(kind).points);
            }
        }
        Interpolation {
            line: (g + 1, lagrange_matrix(&gauss_lobatto(g).0, &elements.line.points)),
            n: elements.line.len(),
            dense,
        }
    }

    fn apply(&self, kind: ElementKind, nodes: &[[f64; 3]]) -> Vec<[f64; 3]> {
        match kind {
            ElementKind::Hex => interpolate(nodes, self.line.0, &self.line.1, self.n),
            _ => multiply(&self.dense[kind], nodes),
        }
    }
}

/// Product of a row-major matrix and a list of values, for M quantities at once.
pub fn multiply<const M: usize>(matrix: &[f64], values: &[[f64; M]]) -> Vec<[f64; M]> {
    matrix
        .chunks(values.len())
        .map(|row| std::array::from_fn(|d| row.iter().zip(values).map(|(a, x)| a * x[d]).sum()))
        .collect()
}

/// Values of a tensor-product polynomial on another set of points, for M quantities at once; `matrix` is `[to][from]`.
pub fn interpolate<const M: usize>(values: &[[f64; M]], from: usize, matrix: &[f64], to: usize) -> Vec<[f64; M]> {
    // input[outer][from][inner] -> [outer][to][inner], one direction at a time
    let along = |input: &[[f64; M]], outer: usize, inner: usize| {
        let mut out = vec![[0.0; M]; outer * to * inner];
        for o in 0..outer {
            for t in 0..to {
                for i in 0..inner {
                    out[(o * to + t) * inner + i] = std::array::from_fn(|d| {
                        (0..from)
                            .map(|k| matrix[t * from + k] * input[(o * from + k) * inner + i][d])
                            .sum()
                    });
                }
            }
        }
        out
    };
    along(&along(&along(values, from * from, 1), from, to), 1, to * to)
}
