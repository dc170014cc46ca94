//! Mapping to physical space: solution points, metric terms, face areas.
//!
//! Metric terms are taken in the curl form of D. A. Kopriva, J. Sci. Comput. 26 (2006) 301, from the mapping's interpolant on
//! the solution points, so that their discrete divergence vanishes and a uniform flow stays uniform; in pyramids, whose
//! derivatives do not commute, the smallest change that makes it vanish is added. The area vector of a face is computed once,
//! on one of its two sides, and both cells use it: to the last bit, up to the sign.

mod areas;
mod gradient;
mod locate;
mod metrics;
mod plane_cut;

pub use gradient::gradient;
pub use locate::{Found, Locator, extent, longest_side, sides};
pub use metrics::derivative;
pub use plane_cut::{CellSlicer, Cut, IN_PLANE, Plane};
use rayon::prelude::*;
use thiserror::Error;

use crate::element::Correction;
use crate::element::{ElementKind, Elements, ReferenceElement, gauss_lobatto, lagrange_matrix};
use crate::mesh::Mesh;
use crate::ranks::{ExactSum, Ranks};
use crate::words::place;

/// A cell whose mapping cannot be used.
#[derive(Debug, Error)]
pub enum GeometryError {
    /// The Jacobian is not positive somewhere.
    #[error(
        "{cell} is inverted or degenerate: its Jacobian is {jacobian:.3e} at {}; \
         it must be positive everywhere ({others} more such cells)", place(*at)
    )]
    Inverted {
        /// The cell, by number, and by tag if it has one.
        cell: String,
        /// Jacobian at the worst point.
        jacobian: f64,
        /// Where.
        at: [f64; 3],
        /// How many other cells are inverted.
        others: usize,
    },
    /// Another rank has inverted cells.
    #[error("rank {0} has inverted cells")]
    Elsewhere(usize),
}

/// Geometry of all cells.
#[derive(Debug)]
pub struct Geometry {
    /// Kind of each cell.
    pub kinds: Vec<ElementKind>,
    /// Where each cell's points begin, and the end of the last.
    pub first_point: Vec<usize>,
    /// Where each cell's face points begin, and the end of the last.
    pub first_face_point: Vec<usize>,
    /// Solution points, cell by cell.
    pub points: Vec<[f64; 3]>,
    /// Contravariant metric terms Ja^d_m, cell by cell as `[3 d + m][point]`.
    pub metrics: Vec<f64>,
    /// Jacobian at the solution points.
    pub jacobian: Vec<f64>,
    /// Outward area vectors at the face points, cell by cell, face by face.
    pub areas: Vec<[f64; 3]>,
    /// Whether a cell's metric terms are constant.
    pub affine: Vec<bool>,
    /// Volume of all cells of all ranks.
    pub volume: f64,
}

/// Splits an array of `size` values a point into the pieces of the cells.
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

/// Sums of `size` of each kind, from 0.
fn offsets(kinds: &[ElementKind], size: impl Fn(ElementKind) -> usize) -> Vec<usize> {
    let mut sum = 0;
    let ends = kinds.iter().map(|&kind| {
        sum += size(kind);
        sum
    });
    [0].into_iter().chain(ends).collect()
}

impl Geometry {
    /// Computes everything for a whole mesh on the points of the elements.
    pub fn new(mesh: &Mesh, elements: &Elements) -> Result<Self, GeometryError> {
        Self::on_ranks(mesh, elements, &Ranks::alone())
    }

    /// Computes everything for a rank's part of a mesh. Collective: all ranks succeed, or none.
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
        ranks.agree(geometry.refuse_inverted(mesh), GeometryError::Elsewhere)?;
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

    /// Points of a cell.
    pub fn cell_points(&self, cell: usize) -> usize {
        self.first_point[cell + 1] - self.first_point[cell]
    }

    /// Solution points of a cell.
    pub fn cell_positions(&self, cell: usize) -> &[[f64; 3]] {
        &self.points[self.first_point[cell]..self.first_point[cell + 1]]
    }

    /// A field of `size` values a point in pieces, one for each cell.
    pub fn cells_of<'a, T: Send>(&self, field: &'a mut [T], size: usize) -> Vec<&'a mut [T]> {
        by_cells(field, &self.first_point, size)
    }

    /// The cell that holds a solution point.
    pub fn cell_of_point(&self, point: usize) -> usize {
        self.first_point.partition_point(|&first| first <= point) - 1
    }

    /// Metric terms of a cell, `[3 d + m][point]`.
    pub fn cell_metrics(&self, cell: usize) -> &[f64] {
        &self.metrics[9 * self.first_point[cell]..9 * self.first_point[cell + 1]]
    }

    /// Volume of a cell.
    pub fn cell_volume(&self, cell: usize, weights: &[f64]) -> f64 {
        let jacobian = &self.jacobian[self.first_point[cell]..self.first_point[cell + 1]];
        weights.iter().zip(jacobian).map(|(w, j)| w * j).sum()
    }

    fn total_volume(&self, elements: &Elements, ranks: &Ranks) -> f64 {
        let mut weights: [Vec<f64>; 4] = Default::default();
        for kind in ElementKind::ALL.into_iter().filter(|kind| self.kinds.contains(kind)) {
            weights[kind as usize] = elements.weights(kind);
        }
        let volumes = (0..self.kinds.len()).map(|c| self.cell_volume(c, &weights[self.kinds[c] as usize]));
        let [volume] = ExactSum::allreduce(ranks, [volumes.collect()]);
        volume.value()
    }

    /// The least Jacobian of the worst cell, if it is not positive.
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

/// From geometry nodes to solution points, for each kind of cell.
struct Interpolation {
    /// Points of a line of geometry nodes, and values of their Lagrange polynomials at the solution points.
    line: (usize, Vec<f64>),
    n: usize,
    others: [Vec<f64>; 4],
}

impl Interpolation {
    fn new(mesh: &Mesh, elements: &Elements) -> Self {
        let g = mesh.geometry_order;
        let mut others: [Vec<f64>; 4] = Default::default();
        for kind in mesh.kinds_present() {
            if kind != ElementKind::Hex {
                others[kind as usize] =
                    ReferenceElement::new(kind, g, Correction::Radau).interpolation(&elements.dense(kind).points);
            }
        }
        Interpolation {
            line: (g + 1, lagrange_matrix(&gauss_lobatto(g).0, &elements.line.points)),
            n: elements.line.len(),
            others,
        }
    }

    fn apply(&self, kind: ElementKind, nodes: &[[f64; 3]]) -> Vec<[f64; 3]> {
        match kind {
            ElementKind::Hex => interpolate(nodes, self.line.0, &self.line.1, self.n),
            _ => multiply(&self.others[kind as usize], nodes),
        }
    }
}

/// A matrix with rows as long as `values` times these values, M quantities at once.
pub fn multiply<const M: usize>(matrix: &[f64], values: &[[f64; M]]) -> Vec<[f64; M]> {
    matrix
        .chunks(values.len())
        .map(|row| std::array::from_fn(|d| row.iter().zip(values).map(|(a, x)| a * x[d]).sum()))
        .collect()
}

/// Values of a tensor-product polynomial on another set of points, M quantities at once: `matrix` has rows of `from` entries,
/// `to` of them.
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
