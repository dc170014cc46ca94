//! Mapping to physical space: solution points, metric terms, face areas.
//!
//! Metric terms are taken in the curl form of D. A. Kopriva, J. Sci. Comput. 26 (2006) 301, from the mapping's interpolant on
//! the solution points, so that their discrete divergence vanishes and a uniform flow stays uniform. The area vector of a
//! face is computed once, on one of its two sides, and both cells use it: to the last bit, up to the sign.

mod metrics;

use rayon::prelude::*;
use thiserror::Error;

use crate::element::{LineElement, lagrange_matrix};
use crate::mesh::{FACES, Mesh, Side, face_index, orient};

/// Largest relative variation of the metric terms over a cell that still counts as constant.
const AFFINE_TOLERANCE: f64 = 1e-12;

/// A cell whose mapping cannot be used.
#[derive(Debug, Error)]
pub enum GeometryError {
    /// The Jacobian is not positive somewhere.
    #[error(
        "cell {cell} is inverted or degenerate: its Jacobian is {jacobian:.3e} at ({:.6}, {:.6}, {:.6}); \
         it must be positive everywhere (less warp, or more cells)", at[0], at[1], at[2]
    )]
    Inverted {
        /// The cell.
        cell: usize,
        /// Jacobian at the worst point.
        jacobian: f64,
        /// Where.
        at: [f64; 3],
    },
}

/// Geometry of all cells at order p, n = p + 1.
#[derive(Debug)]
pub struct Geometry {
    /// Points of a line, p + 1.
    pub n: usize,
    /// Solution points, n^3 a cell.
    pub points: Vec<[f64; 3]>,
    /// Contravariant metric terms Ja^d_m as [cell][3 d + m][point].
    pub metrics: Vec<f64>,
    /// Jacobian as [cell][point].
    pub jacobian: Vec<f64>,
    /// Outward area vectors as [cell][face][face point].
    pub areas: Vec<[f64; 3]>,
    /// Whether a cell's metric terms are constant.
    pub affine: Vec<bool>,
    /// Volume of all cells.
    pub volume: f64,
}

impl Geometry {
    /// Computes everything for the mesh on the points of `line`.
    pub fn new(mesh: &Mesh, line: &LineElement) -> Result<Self, GeometryError> {
        let n = line.len();
        let np = n * n * n;
        let to_points = lagrange_matrix(&crate::element::gauss_lobatto(mesh.geometry_order).0, &line.points);
        let points: Vec<[f64; 3]> = (0..mesh.len())
            .into_par_iter()
            .flat_map_iter(|c| interpolate(mesh.cell_nodes(c), mesh.geometry_order + 1, &to_points, n))
            .collect();
        let mut metrics = vec![0.0; mesh.len() * 9 * np];
        let mut jacobian = vec![0.0; mesh.len() * np];
        metrics
            .par_chunks_mut(9 * np)
            .zip(jacobian.par_chunks_mut(np))
            .enumerate()
            .for_each(|(c, (m, j))| {
                metrics::metric_terms(&points[c * np..(c + 1) * np], line, m, j);
            });
        if let Some((i, &j)) = jacobian.iter().enumerate().find(|(_, j)| j.is_nan() || **j <= 0.0) {
            return Err(GeometryError::Inverted {
                cell: i / np,
                jacobian: j,
                at: points[i],
            });
        }
        let affine: Vec<bool> = (0..mesh.len())
            .into_par_iter()
            .map(|c| metrics::is_constant(&metrics[c * 9 * np..(c + 1) * 9 * np], np, AFFINE_TOLERANCE))
            .collect();
        for c in (0..mesh.len()).filter(|&c| affine[c]) {
            metrics::average(&mut metrics[c * 9 * np..(c + 1) * 9 * np], np);
            metrics::drop_round_off(&mut metrics[c * 9 * np..(c + 1) * 9 * np]);
            metrics::average(&mut jacobian[c * np..(c + 1) * np], np);
        }
        let volume = (0..mesh.len())
            .map(|c| (0..np).map(|p| weight(line, p) * jacobian[c * np + p]).sum::<f64>())
            .sum();
        let mut geometry = Geometry {
            n,
            points,
            metrics,
            jacobian,
            areas: Vec::new(),
            affine,
            volume,
        };
        geometry.share_face_areas(mesh);
        Ok(geometry)
    }

    /// Takes every face's area vector from one of its sides: an affine cell's if there is one, else that of lower number.
    fn share_face_areas(&mut self, mesh: &Mesh) {
        let (n, np, nl) = (self.n, self.n.pow(3), self.n * self.n);
        self.areas = vec![[0.0; 3]; mesh.len() * FACES * nl];
        for cell in 0..mesh.len() {
            for face in 0..FACES {
                let other = match mesh.sides[cell][face] {
                    Side::Cell {
                        cell: c,
                        face: f,
                        orientation,
                    } => Some((c, f, orientation)),
                    Side::Boundary(_) => None,
                };
                let mine = other.is_none_or(|(c, f, _)| {
                    if self.affine[c] != self.affine[cell] {
                        self.affine[cell]
                    } else {
                        (cell, face) < (c, f)
                    }
                });
                if !mine {
                    continue;
                }
                for l in 0..nl {
                    let (a, b) = (l % n, l / n);
                    let p = face_index(face, a, b, n);
                    let sign = if face % 2 == 1 { 1.0 } else { -1.0 };
                    let area: [f64; 3] =
                        std::array::from_fn(|m| sign * self.metrics[(cell * 9 + 3 * (face / 2) + m) * np + p]);
                    self.areas[(cell * FACES + face) * nl + l] = area;
                    if let Some((c, f, orientation)) = other {
                        let (a2, b2) = orient(orientation, (a, b), n);
                        self.areas[(c * FACES + f) * nl + a2 + n * b2] = area.map(|x| -x);
                        if !self.affine[c] {
                            let (p2, sign2) = (face_index(f, a2, b2, n), if f % 2 == 1 { -1.0 } else { 1.0 });
                            for m in 0..3 {
                                self.metrics[(c * 9 + 3 * (f / 2) + m) * np + p2] = sign2 * area[m];
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Quadrature weight of point p of a cell.
pub fn weight(line: &LineElement, p: usize) -> f64 {
    let n = line.len();
    line.weights[p % n] * line.weights[p / n % n] * line.weights[p / (n * n)]
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
