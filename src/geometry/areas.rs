//! Area vectors of faces: taken once a face, from one of its two cells, and given to both.
//!
//! Conservation needs the two sides to hold the same vector to the last bit, and a uniform flow needs it to be the one that
//! the metric terms of both cells contain. In all elements but pyramids the curl form gives the same vector from both sides up to
//! rounding; pyramids are changed to fit.

use rayon::prelude::*;

use super::Geometry;
use super::metrics::dense;
use crate::element::{ElementKind, Elements, MetricFix};
use crate::mesh::{Mesh, Side};

/// Area vectors at the points of a face from its own mapping, along the cross product of its two directions: the curl form of
/// the metric terms, whose derivatives along the normal drop out.
pub fn face_areas(diff: &[Vec<f64>; 2], positions: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let count = positions.len() as f64;
    let center: [f64; 3] = std::array::from_fn(|m| positions.iter().map(|x| x[m]).sum::<f64>() / count);
    let x: [Vec<f64>; 3] = std::array::from_fn(|m| positions.iter().map(|x| x[m] - center[m]).collect());
    let dx: [[Vec<f64>; 3]; 2] = std::array::from_fn(|d| std::array::from_fn(|m| dense(&diff[d], &x[m])));
    let mut areas = vec![[0.0; 3]; positions.len()];
    for n in 0..3 {
        let (m, l) = ((n + 1) % 3, (n + 2) % 3);
        let potential = |d: usize| -> Vec<f64> {
            (0..positions.len())
                .map(|p| x[m][p] * dx[d][l][p] - x[l][p] * dx[d][m][p])
                .collect()
        };
        let (along_a, along_b) = (dense(&diff[0], &potential(1)), dense(&diff[1], &potential(0)));
        for (p, area) in areas.iter_mut().enumerate() {
            area[n] = 0.5 * (along_a[p] - along_b[p]);
        }
    }
    areas
}

impl Geometry {
    /// First face point of a face.
    pub fn face_start(&self, cell: usize, face: usize, order: usize) -> usize {
        let before = (0..face).map(|f| self.kinds[cell].face_points(f, order)).sum::<usize>();
        self.first_face_point[cell] + before
    }

    /// Takes every face's area vectors from one of its sides: an affine cell's if there is one, else a hexahedron's, else that
    /// of lower number.
    pub(super) fn share_face_areas(&mut self, mesh: &Mesh, elements: &Elements) {
        let order = elements.order;
        let owned: Vec<Vec<Vec<[f64; 3]>>> = (0..mesh.len())
            .into_par_iter()
            .map(|cell| {
                (0..mesh.cell_sides(cell).len())
                    .map(|face| {
                        if self.owns(mesh, cell, face) {
                            self.own_areas(elements, cell, face)
                        } else {
                            Vec::new()
                        }
                    })
                    .collect()
            })
            .collect();
        self.areas = vec![[0.0; 3]; self.first_face_point[mesh.len()]];
        for (cell, faces) in owned.iter().enumerate() {
            for (face, areas) in faces.iter().enumerate().filter(|(_, areas)| !areas.is_empty()) {
                let start = self.face_start(cell, face, order);
                self.areas[start..start + areas.len()].copy_from_slice(areas);
                if let Side::Cell {
                    cell: c,
                    face: f,
                    orientation,
                } = mesh.cell_sides(cell)[face]
                {
                    self.give_areas(elements, (c, f), orientation, areas);
                }
            }
        }
    }

    /// Hands the area vectors of a face to the cell on its other side.
    fn give_areas(&mut self, elements: &Elements, (c, f): (usize, usize), orientation: usize, areas: &[[f64; 3]]) {
        let (kind, order) = (self.kinds[c], elements.order);
        let shape = kind.faces()[f].shape;
        let start = self.face_start(c, f, order);
        let (first, np) = (self.first_point[c], self.cell_points(c));
        let in_metrics = kind == ElementKind::Hex && !self.affine[c];
        let indices = kind.face_indices(f, order);
        for (l, area) in areas.iter().enumerate() {
            let there = shape.oriented_point(orientation, l, order);
            self.areas[start + there] = area.map(|x| -x);
            if in_metrics {
                // Curved hexahedra find the area vectors of their faces in their metric terms.
                let sign = if f % 2 == 1 { -1.0 } else { 1.0 };
                for m in 0..3 {
                    self.metrics[9 * first + (3 * (f / 2) + m) * np + indices[there]] = sign * area[m];
                }
            }
        }
    }

    /// Whether the area vectors of a face are taken from this side.
    fn owns(&self, mesh: &Mesh, cell: usize, face: usize) -> bool {
        let Side::Cell { cell: c, face: f, .. } = mesh.cell_sides(cell)[face] else {
            return true;
        };
        let hex = |cell: usize| self.kinds[cell] == ElementKind::Hex;
        if self.affine[c] != self.affine[cell] {
            self.affine[cell]
        } else if hex(c) != hex(cell) {
            hex(cell)
        } else {
            (cell, face) < (c, f)
        }
    }

    /// Outward area vectors of a face from the cell's own metric terms, or the face's own mapping, which is the same where the
    /// metric terms are not constant.
    fn own_areas(&self, elements: &Elements, cell: usize, face: usize) -> Vec<[f64; 3]> {
        let (kind, order) = (self.kinds[cell], elements.order);
        let (first, np, metrics) = (self.first_point[cell], self.cell_points(cell), self.cell_metrics(cell));
        let indices = kind.face_indices(face, order);
        if kind == ElementKind::Hex || self.affine[cell] {
            let normal = kind.face_normal(face);
            let area = |&p: &usize| {
                std::array::from_fn(|m| {
                    (0..3)
                        .filter(|&d| normal[d] != 0.0)
                        .map(|d| normal[d] * metrics[(3 * d + m) * np + p])
                        .sum()
                })
            };
            return indices.iter().map(area).collect();
        }
        let positions: Vec<[f64; 3]> = indices.iter().map(|p| self.points[first + p]).collect();
        let sign = kind.faces()[face].sign;
        let areas = face_areas(elements.face_diff(kind.faces()[face].shape), &positions);
        areas.into_iter().map(|area| area.map(|x| sign * x)).collect()
    }

    /// Makes the discrete divergence of the metric terms of pyramids vanish.
    pub(super) fn restore_identities_of_pyramids(&mut self, elements: &Elements) {
        let bent = |c: &usize| self.kinds[*c] == ElementKind::Pyramid && !self.affine[*c];
        let cells: Vec<usize> = (0..self.kinds.len()).filter(bent).collect();
        if cells.is_empty() {
            return;
        }
        let fix = MetricFix::new(elements.dense(ElementKind::Pyramid));
        let corrected: Vec<Vec<f64>> = cells
            .par_iter()
            .map(|&c| {
                let mut metrics = self.cell_metrics(c).to_vec();
                let areas = &self.areas[self.first_face_point[c]..self.first_face_point[c + 1]];
                fix.correct(&mut metrics, areas);
                metrics
            })
            .collect();
        for (c, metrics) in cells.into_iter().zip(corrected) {
            let first = 9 * self.first_point[c];
            self.metrics[first..first + metrics.len()].copy_from_slice(&metrics);
        }
    }
}
