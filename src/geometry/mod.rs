//! The mapping to physical space: solution points, metric terms and face areas.
//!
//! Metric terms are taken in the curl form of D. A. Kopriva, J. Sci. Comput. 26 (2006) 301, from the interpolant of the
//! mapping on the solution points. Their discrete divergence then vanishes, and a uniform flow stays uniform. In
//! pyramids, whose derivatives do not commute, the smallest correction that achieves this is added. The area vector of
//! a face is computed once, on one of its two sides, and both cells use it: equal to the last bit, with opposite signs.

mod areas;
mod gradient;
mod locate;
mod metrics;
mod period;
mod plane_cut;
mod pseudo_inverse;
mod pyramid_metrics;
mod wall_distance;

pub use gradient::gradient;
pub use locate::{Found, Locator, MappedCells, extent, longest_side, sides};
pub use metrics::derivative;
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
    /// Kind of each cell, `[cell]`.
    pub kinds: Vec<ElementKind>,
    /// Offsets of the cells in `points`, `[cell + 1]`.
    pub first_point: Vec<usize>,
    /// Offsets of the cells in `areas`, `[cell + 1]`.
    pub first_face_point: Vec<usize>,
    /// Positions of the solution points, `[cell][point]`.
    pub points: Vec<[f64; 3]>,
    /// Contravariant metric terms Ja^d_m, `[cell][3 d + m][point]`.
    pub metrics: Vec<f64>,
    /// Jacobian, `[cell][point]`.
    pub jacobian: Vec<f64>,
    /// Outward area vectors, `[cell][face][face point]`, per unit of the standard face's measure.
    pub areas: Vec<[f64; 3]>,
    /// True for cells with constant metric terms, `[cell]`.
    pub affine: Vec<bool>,
    /// Volume of all cells of all ranks.
    pub volume: f64,
}

/// Splits an array of `size` values a point into one slice a cell.
fn by_cells<'a, T: Send>(array: &'a mut [T], first_point: &[usize], size: usize) -> Vec<&'a mut [T]> {
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
    ///
    /// Returns an error if a cell is inverted or degenerate.
    pub fn new(mesh: &Mesh, elements: &Elements) -> Result<Self, GeometryError> {
        Self::on_ranks(mesh, elements, &Ranks::alone())
    }

    /// Computes the geometry of a rank's part of a mesh. Collective: all ranks succeed, or none.
    ///
    /// # Errors
    ///
    /// Returns an error if a cell of any rank is inverted or degenerate.
    pub fn on_ranks(mesh: &Mesh, elements: &Elements, ranks: &Ranks) -> Result<Self, GeometryError> {
        let order = elements.order;
        let kinds = mesh.kinds.clone();
        let first_point = offsets(&kinds, |kind| kind.points(order));
        let first_face_point = offsets(&kinds, |kind| kind.total_face_points(order));
        let to_points = Interpolation::new(mesh, elements);
        let points: Vec<[f64; 3]> = (0..mesh.len())
            .into_par_iter()
            .flat_map_iter(|c| to_points.apply(kinds[c], mesh.cell_nodes(c)))
            .collect();
        let count = points.len();
        let (mut metrics, mut jacobian) = (vec![0.0; count * 9], vec![0.0; count]);
        by_cells(&mut metrics, &first_point, 9)
            .into_par_iter()
            .zip(by_cells(&mut jacobian, &first_point, 1))
            .enumerate()
            .for_each(|(c, (m, j))| {
                let x = &points[first_point[c]..first_point[c + 1]];
                metrics::metric_terms(x, elements, kinds[c], m, j);
            });
        let mut geometry = Geometry {
            kinds,
            first_point,
            first_face_point,
            points,
            metrics,
            jacobian,
            areas: Vec::new(),
            affine: Vec::new(),
            volume: 0.0,
        };
        ranks.agree(geometry.refuse_inverted(mesh), GeometryError::OnOtherRank)?;
        geometry.affine = (0..mesh.len())
            .into_par_iter()
            .map(|c| metrics::is_constant(geometry.cell_metrics(c), geometry.cell_positions(c), order))
            .collect();
        for c in (0..mesh.len()).filter(|&c| geometry.affine[c]) {
            let (first, np) = (geometry.first_point[c], geometry.cell_points(c));
            let terms = &mut geometry.metrics[9 * first..9 * (first + np)];
            metrics::average(terms, np);
            metrics::drop_round_off(terms);
            metrics::average(&mut geometry.jacobian[first..first + np], np);
        }
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

    /// Metric terms of a cell, `[3 d + m][point]`.
    pub fn cell_metrics(&self, cell: usize) -> &[f64] {
        &self.metrics[9 * self.first_point[cell]..9 * self.first_point[cell + 1]]
    }

    /// Volume of a cell; `weights` are those of [`Elements::weights`] for its kind.
    pub fn cell_volume(&self, cell: usize, weights: &[f64]) -> f64 {
        let jacobian = &self.jacobian[self.first_point[cell]..self.first_point[cell + 1]];
        weights.iter().zip(jacobian).map(|(w, j)| w * j).sum()
    }

    fn total_volume(&self, elements: &Elements, ranks: &Ranks) -> f64 {
        let weights = PerKind::new(|kind| match self.kinds.contains(&kind) {
            true => elements.weights(kind),
            false => Vec::new(),
        });
        let volumes = (0..self.kinds.len()).map(|c| self.cell_volume(c, &weights[self.kinds[c]]));
        let [volume] = ExactSum::allreduce(ranks, [volumes.collect()]);
        volume.value()
    }

    /// Refuses a mesh with a Jacobian that is not positive, and reports the smallest one.
    fn refuse_inverted(&self, mesh: &Mesh) -> Result<(), GeometryError> {
        let bad = |&i: &usize| self.jacobian[i].is_nan() || self.jacobian[i] <= 0.0;
        let points: Vec<usize> = (0..self.jacobian.len()).into_par_iter().filter(bad).collect();
        let worst = points.iter().copied().min_by(|&a, &b| {
            let key = |i: usize| {
                if self.jacobian[i].is_nan() {
                    f64::NEG_INFINITY
                } else {
                    self.jacobian[i]
                }
            };
            key(a).total_cmp(&key(b))
        });
        let Some(worst) = worst else { return Ok(()) };
        let mut cells: Vec<usize> = points.iter().map(|&i| self.cell_of_point(i)).collect();
        cells.dedup();
        Err(GeometryError::Inverted {
            cell: mesh.name_of(self.cell_of_point(worst)),
            jacobian: self.jacobian[worst],
            at: self.points[worst],
            others: cells.len() - 1,
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
