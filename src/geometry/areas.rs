//! Area vectors of faces, computed once a face in one of its two cells and used by both.
//!
//! Conservation requires that both sides have the same vector to the last bit. A uniform flow requires that it agrees
//! with the metric terms of both cells. Except in pyramids, the curl form gives the same vector from both sides up to
//! rounding; the metric terms of pyramids are corrected to agree.

use rayon::prelude::*;

use super::Geometry;
use super::pyramid_metrics::{Identity, PyramidMetrics};
use crate::element::{ElementKind, Elements};
use crate::mesh::{FaceKey, Mesh, RemoteFace, Side};
use crate::ranks::Ranks;

impl Geometry {
    /// First face point of a face.
    pub fn face_start(&self, cell: usize, face: usize, order: usize) -> usize {
        let before = (0..face).map(|f| self.kinds[cell].face_points(f, order)).sum::<usize>();
        self.first_face_point[cell] + before
    }

    /// Takes the area vectors of every face from one of its sides: from an affine cell if there is one, else from a
    /// hexahedron, else from the cell of lower number. Collective.
    pub(super) fn share_face_areas(&mut self, mesh: &Mesh, elements: &Elements, ranks: &Ranks) {
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
        self.take_areas_of_other_ranks(mesh, elements, ranks);
    }

    /// Does the same for faces between ranks, which exchange their area vectors.
    fn take_areas_of_other_ranks(&mut self, mesh: &Mesh, elements: &Elements, ranks: &Ranks) {
        let mut faces = mesh.remote_faces();
        let of_face = |f: &RemoteFace| {
            let start = self.face_start(f.cell, f.face, elements.order);
            let areas = &self.areas[start..start + f.shape().points(elements.order)];
            let affine = f64::from(u8::from(self.affine[f.cell]));
            [affine]
                .into_iter()
                .chain(areas.as_flattened().iter().copied())
                .collect::<Vec<f64>>()
        };
        let lists: Vec<(usize, Vec<f64>)> = faces
            .iter_mut()
            .map(|(&rank, faces)| {
                faces.sort_by_key(|f| f.there);
                (rank, faces.iter().flat_map(of_face).collect())
            })
            .collect();
        for (faces, theirs) in faces.values_mut().zip(ranks.exchange_with(&lists)) {
            faces.sort_by_key(|f| f.here);
            let mut rest = &theirs[..];
            for f in faces.iter() {
                let (count, shape) = (f.shape().points(elements.order), f.shape());
                let (one, others) = rest.split_at(1 + 3 * count);
                rest = others;
                let (here, there) = ((self.affine[f.cell], f.here), (one[0] != 0.0, f.there));
                if f.rotation.is_some() || first_of_two(here, there) {
                    continue;
                }
                let theirs = one[1..].as_chunks::<3>().0;
                // In the order of this side's face points.
                let ours: Vec<[f64; 3]> = (0..count)
                    .map(|l| theirs[shape.oriented_point(f.orientation, l, elements.order)])
                    .collect();
                self.give_areas(elements, (f.cell, f.face), 0, &ours);
            }
        }
    }

    /// Sets the area vectors of a face in the cell on its other side.
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
                // The kernels take the area vectors of curved hexahedra from the metric terms.
                let sign = if f % 2 == 1 { -1.0 } else { 1.0 };
                for m in 0..3 {
                    self.metrics[9 * first + (3 * (f / 2) + m) * np + indices[there]] = sign * area[m];
                }
            }
        }
    }

    /// Returns true if the area vectors of a face are taken from this side.
    fn owns(&self, mesh: &Mesh, cell: usize, face: usize) -> bool {
        let Side::Cell { cell: c, face: f, .. } = mesh.cell_sides(cell)[face] else {
            return true;
        };
        let name = |cell: usize, face: usize| {
            let kind = self.kinds[cell];
            (self.affine[cell], (kind, kind.faces()[face].shape, cell, face))
        };
        first_of_two(name(cell, face), name(c, f))
    }

    /// Outward area vectors of a face from the cell's metric terms or, for curved cells other than hexahedra, from the
    /// mapping of the face.
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
        let areas = elements.face(kind.faces()[face].shape).areas(&positions);
        areas.into_iter().map(|area| area.map(|x| sign * x)).collect()
    }

    /// Corrects the metric terms of pyramids such that their discrete divergence vanishes.
    pub(super) fn restore_identities_of_pyramids(&mut self, elements: &Elements) {
        let bent = |c: &usize| self.kinds[*c] == ElementKind::Pyramid && !self.affine[*c];
        let cells: Vec<usize> = (0..self.kinds.len()).filter(bent).collect();
        if cells.is_empty() {
            return;
        }
        let fix = PyramidMetrics::new(elements.order, Identity::Volume);
        let corrected: Vec<Vec<f64>> = cells
            .par_iter()
            .map(|&c| {
                let mut metrics = self.cell_metrics(c).to_vec();
                let areas = &self.areas[self.first_face_point[c]..self.first_face_point[c + 1]];
                fix.corrected(&mut metrics, areas);
                metrics
            })
            .collect();
        for (c, metrics) in cells.into_iter().zip(corrected) {
            let first = 9 * self.first_point[c];
            self.metrics[first..first + metrics.len()].copy_from_slice(&metrics);
        }
    }
}

/// Returns true if the first side, given as affine or not and its key, provides the area vectors for the second.
fn first_of_two((affine, (kind, _, cell, face)): (bool, FaceKey), (other, (k, _, c, f)): (bool, FaceKey)) -> bool {
    let hex = |kind: ElementKind| kind == ElementKind::Hex;
    if affine != other {
        affine
    } else if hex(kind) != hex(k) {
        hex(kind)
    } else {
        (cell, face) < (c, f)
    }
}
