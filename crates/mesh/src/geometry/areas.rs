//! Area vectors of faces, computed once a face in one of its two cells and used by both.
//!
//! Conservation requires that both sides have the same vector to the last bit. A uniform flow requires that it agrees
//! with the metric terms of both cells. Except in pyramids, the curl form gives the same vector from both sides up to
//! rounding; the metric terms of pyramids are corrected to agree.

use rayon::prelude::*;

use super::metrics::CellMetrics;
use super::pyramid_metrics::{Identity, PyramidMetrics};
use super::types::{Geometry, by_cells};
use crate::element::{ElementKind, Elements};
use crate::mesh::{FaceKey, Mesh, RemoteFace, Side};
use crate::ranks::Ranks;

/// Number of cells whose area vectors are on their way to the metric terms at one time.
const CELLS_AT_A_TIME: usize = 1 << 14;

impl Geometry {
    /// Returns the outward area vectors at the points of a face.
    pub fn face_areas(&self, cell: usize, face: usize) -> Vec<[f64; 3]> {
        let kind = self.kinds[cell];
        let start = self.area_start(cell, face);
        let count = kind.face_points(face, self.order);
        match (self.is_affine(cell), kind) {
            (true, _) => vec![self.areas[start]; count],
            (false, ElementKind::Hex) => self.normal_terms(cell, face),
            (false, _) => self.areas[start..start + count].to_vec(),
        }
    }

    /// Returns the outward area vector of a face of an affine cell.
    pub fn constant_area(&self, cell: usize, face: usize) -> [f64; 3] {
        self.areas[self.area_start(cell, face)]
    }

    /// First area vector of a face.
    fn area_start(&self, cell: usize, face: usize) -> usize {
        let of_face = |f| {
            if self.is_affine(cell) {
                1
            } else {
                self.kinds[cell].face_points(f, self.order)
            }
        };
        self.first_area[cell] + (0..face).map(of_face).sum::<usize>()
    }

    /// Takes the area vectors of every face from one of its sides: from an affine cell if there is one, else from a
    /// hexahedron, else from the cell of lower number. Collective.
    pub(super) fn share_face_areas(&mut self, mesh: &Mesh, elements: &Elements, ranks: &Ranks) {
        let mut end = 0;
        let ends = (0..mesh.len()).map(|cell| {
            end += match (self.is_affine(cell), self.kinds[cell]) {
                (true, kind) => kind.faces().len(),
                (false, ElementKind::Hex) => 0,
                (false, kind) => kind.total_face_points(self.order),
            };
            end
        });
        self.first_area = [0].into_iter().chain(ends).collect();
        let mut areas = vec![[0.0; 3]; self.first_area[mesh.len()]];
        by_cells(&mut areas, &self.first_area, 1)
            .into_par_iter()
            .enumerate()
            .filter(|(_, stored)| !stored.is_empty())
            .for_each(|(cell, mut stored)| {
                for face in 0..mesh.cell_sides(cell).len() {
                    let shared = self.shared_areas(mesh, elements, cell, face);
                    let count = if self.is_affine(cell) { 1 } else { shared.len() };
                    let (these, others) = stored.split_at_mut(count);
                    these.copy_from_slice(&shared[..count]);
                    stored = others;
                }
            });
        self.areas = areas;
        // A hexahedron gives the terms of its own faces and takes those of others, so that no cell reads what another
        // one changes.
        let curved = |c: &usize| self.kinds[*c] == ElementKind::Hex && !self.is_affine(*c);
        let hexes: Vec<usize> = (0..mesh.len()).filter(curved).collect();
        for cells in hexes.chunks(CELLS_AT_A_TIME) {
            let taken: Vec<(usize, usize, Vec<[f64; 3]>)> = cells
                .par_iter()
                .flat_map_iter(|&cell| (0..6).map(move |face| (cell, face)))
                .filter(|&(cell, face)| !self.owns(mesh, cell, face))
                .map(|(cell, face)| (cell, face, self.shared_areas(mesh, elements, cell, face)))
                .collect();
            for (cell, face, areas) in taken {
                self.set_areas(cell, face, &areas);
            }
        }
        self.take_areas_of_other_ranks(mesh, elements, ranks);
    }

    /// Does the same for faces between ranks, which exchange their area vectors.
    fn take_areas_of_other_ranks(&mut self, mesh: &Mesh, elements: &Elements, ranks: &Ranks) {
        let mut faces = mesh.remote_faces();
        let of_face = |f: &RemoteFace| {
            let affine = f64::from(u8::from(self.is_affine(f.cell)));
            let areas = self.face_areas(f.cell, f.face).into_iter().flatten();
            [affine].into_iter().chain(areas).collect::<Vec<f64>>()
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
                let count = f.shape().points(elements.order);
                let shape = f.shape();
                let (one, others) = rest.split_at(1 + 3 * count);
                rest = others;
                let here = Provider {
                    affine: self.is_affine(f.cell),
                    key: f.here,
                };
                let there = Provider {
                    affine: one[0] != 0.0,
                    key: f.there,
                };
                if f.rotation.is_some() || here.precedes(&there) {
                    continue;
                }
                let theirs = one[1..].as_chunks::<3>().0;
                // In the order of this side's face points.
                let ours: Vec<[f64; 3]> = (0..count)
                    .map(|l| theirs[shape.oriented_point(f.orientation, l, elements.order)].map(|x| -x))
                    .collect();
                self.set_areas(f.cell, f.face, &ours);
            }
        }
    }

    /// Sets the area vectors of a face.
    fn set_areas(&mut self, cell: usize, face: usize, areas: &[[f64; 3]]) {
        let kind = self.kinds[cell];
        let start = self.area_start(cell, face);
        match (&mut self.metrics[cell], kind) {
            (CellMetrics::Constant(_), _) => self.areas[start] = areas[0],
            (CellMetrics::AtPoints(values), ElementKind::Hex) => {
                // The kernels take the area vectors of curved hexahedra from the metric terms.
                let np = values.len() / 10;
                let sign = if face % 2 == 1 { 1.0 } else { -1.0 };
                for (area, point) in areas.iter().zip(kind.face_indices(face, self.order)) {
                    for m in 0..3 {
                        values[(3 * (face / 2) + m) * np + point] = sign * area[m];
                    }
                }
            }
            _ => self.areas[start..start + areas.len()].copy_from_slice(areas),
        }
    }

    /// Returns true if the area vectors of a face are taken from this side.
    fn owns(&self, mesh: &Mesh, cell: usize, face: usize) -> bool {
        let Side::Cell { cell: c, face: f, .. } = mesh.cell_sides(cell)[face] else {
            return true;
        };
        let side = |cell: usize, face: usize| {
            let kind = self.kinds[cell];
            Provider {
                affine: self.is_affine(cell),
                key: FaceKey {
                    kind,
                    shape: kind.faces()[face].shape,
                    cell,
                    face,
                },
            }
        };
        side(cell, face).precedes(&side(c, f))
    }

    /// Outward area vectors of a face from the side that provides them.
    fn shared_areas(&self, mesh: &Mesh, elements: &Elements, cell: usize, face: usize) -> Vec<[f64; 3]> {
        let Side::Cell {
            cell: other,
            face: back,
            orientation,
        } = mesh.cell_sides(cell)[face]
        else {
            return self.own_areas(elements, cell, face);
        };
        if self.owns(mesh, cell, face) {
            return self.own_areas(elements, cell, face);
        }
        let theirs = self.own_areas(elements, other, back);
        let shape = self.kinds[cell].faces()[face].shape;
        (0..theirs.len())
            .map(|l| theirs[shape.oriented_point(orientation, l, self.order)].map(|x| -x))
            .collect()
    }

    /// Outward area vectors of a face from the cell's metric terms or, for curved cells other than hexahedra, from the
    /// mapping of the face.
    fn own_areas(&self, elements: &Elements, cell: usize, face: usize) -> Vec<[f64; 3]> {
        let kind = self.kinds[cell];
        if kind == ElementKind::Hex || self.is_affine(cell) {
            return self.normal_terms(cell, face);
        }
        let first = self.first_point[cell];
        let positions: Vec<[f64; 3]> = kind
            .face_indices(face, self.order)
            .into_iter()
            .map(|p| self.points[first + p])
            .collect();
        let sign = kind.faces()[face].sign;
        let areas = elements.face(kind.faces()[face].shape).areas(&positions);
        areas.into_iter().map(|area| area.map(|x| sign * x)).collect()
    }

    /// Components of a cell's metric terms along the outward normal of a face, at the points of the face.
    fn normal_terms(&self, cell: usize, face: usize) -> Vec<[f64; 3]> {
        let kind = self.kinds[cell];
        let metrics = &self.metrics[cell];
        let normal = kind.face_normal(face);
        let at = |p: usize| {
            let along = |m: usize| {
                let terms = (0..3).filter(|&d| normal[d] != 0.0);
                terms.map(|d| normal[d] * metrics.term(d, m, p)).sum()
            };
            std::array::from_fn(along)
        };
        match metrics {
            CellMetrics::Constant(_) => vec![at(0); kind.face_points(face, self.order)],
            CellMetrics::AtPoints(_) => kind.face_indices(face, self.order).into_iter().map(at).collect(),
        }
    }

    /// Corrects the metric terms of pyramids such that their discrete divergence vanishes.
    pub(super) fn restore_identities_of_pyramids(&mut self, elements: &Elements) {
        let bent = |c: usize| self.kinds[c] == ElementKind::Pyramid && !self.is_affine(c);
        if !(0..self.kinds.len()).any(bent) {
            return;
        }
        let fix = PyramidMetrics::new(elements.order, Identity::Volume);
        let kinds = &self.kinds;
        let first_area = &self.first_area;
        let areas = &self.areas;
        self.metrics.par_iter_mut().enumerate().for_each(|(c, metrics)| {
            if let (ElementKind::Pyramid, CellMetrics::AtPoints(values)) = (kinds[c], metrics) {
                let terms = values.len() / 10 * 9;
                fix.corrected(&mut values[..terms], &areas[first_area[c]..first_area[c + 1]]);
            }
        });
    }
}

/// One of the two sides of a face, either of which may provide the area vectors for both.
struct Provider {
    affine: bool,
    key: FaceKey,
}

impl Provider {
    /// Returns true if this side provides the area vectors for the other one.
    fn precedes(&self, other: &Self) -> bool {
        let is_hex = self.key.kind == ElementKind::Hex;
        if self.affine != other.affine {
            self.affine
        } else if is_hex != (other.key.kind == ElementKind::Hex) {
            is_hex
        } else {
            (self.key.cell, self.key.face) < (other.key.cell, other.key.face)
        }
    }
}
