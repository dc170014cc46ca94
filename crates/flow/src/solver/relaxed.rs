//! The relaxed values of inlets and outlets: their start, and their place in a checkpoint.
//!
//! The kernels keep a number at each point of a relaxed boundary (ptx/physics/boundary.h), which is part of the state.
//! In a checkpoint it is found by boundary, cell and face, so that any number of ranks can continue. At another order
//! it is interpolated along the face.

use std::collections::HashMap;

use super::boundary_fluxes::BoundaryFluxes;
use super::{SetupError, Solver, StepError};
use crate::device::{BOUNDARY_VALUES, BoundaryFace, DeviceError, Exterior, Field};
use crate::element::{Correction, Elements, FaceShape, gauss_lobatto, triangle_nodes};
use crate::geometry::Geometry;
use crate::io::CheckpointSection;
use crate::mesh::{Mesh, Side};
use crate::physics::{Boundary, RelaxedSlot};
use crate::ranks::Ranks;
use crate::vector::{dot, length};

/// Numbers before the values of a face in a checkpoint: cell, face, number of points.
const HEAD: usize = 3;

/// What is kept of each boundary, by the end of its name in a checkpoint.
const KEPT: [(&str, Field); 2] = [("relaxed", Field::Relaxed), ("noted", Field::NotedPressure)];

/// Returns the name of the array of a boundary in a checkpoint.
fn entry(name: &str, kept: &str) -> String {
    format!("boundaries.{name}.{kept}")
}

/// Shortest mean area vector over the area, below which a boundary has no direction.
const LEAST_DIRECTION: f64 = 1e-3;

/// Lengths to which the rates of a boundary refer; 0 where it does not need them.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Lengths {
    /// Extent of the domain along the mean normal.
    pub extent: f64,
    /// Size of a face, the root of the mean area.
    pub face_size: f64,
}

/// Returns the lengths of each boundary that relaxes. Collective.
///
/// # Errors
/// A boundary is closed or nearly so, and has no mean normal.
pub(super) fn lengths(
    boundaries: &[Boundary],
    fluxes: &BoundaryFluxes,
    mesh: &Mesh,
    geometry: &Geometry,
    ranks: &Ranks,
) -> Result<Vec<Lengths>, SetupError> {
    let needs = |b: &Boundary| b.relaxation().is_some_and(|relaxation| relaxation.length.is_none());
    let of_boundary = |(index, boundary): (usize, &Boundary)| {
        if boundary.relaxation().is_none() {
            return Ok(Lengths::default());
        }
        let area = fluxes.area(index);
        let mut faces = [mesh.sides.iter().filter(|side| **side == Side::Boundary(index)).count() as u64];
        ranks.allreduce_sum(&mut faces);
        let face_size = (area.size / faces[0] as f64).sqrt();
        if !needs(boundary) {
            return Ok(Lengths { extent: 0.0, face_size });
        }
        let size = length(area.vector);
        if size < LEAST_DIRECTION * area.size {
            let name = mesh.boundary_names[index].clone();
            return Err(SetupError::NoLength { name });
        }
        let along = geometry.points.iter().map(|&x| dot(x, area.vector) / size);
        let mut ends = along.fold([f64::NEG_INFINITY; 2], |[most, least], x| [most.max(x), least.max(-x)]);
        ranks.allreduce_max(&mut ends);
        let extent = ends[0] + ends[1];
        Ok(Lengths { extent, face_size })
    };
    boundaries.iter().enumerate().map(of_boundary).collect()
}

impl Solver {
    /// Lets the relaxed values begin at the state on the device, if a boundary relaxes.
    pub(super) fn begin_relaxed(&mut self) -> Result<(), DeviceError> {
        if self.boundaries.iter().any(|b| b.kind().is_relaxed()) {
            self.device.begin_relaxed()
        } else {
            Ok(())
        }
    }

    /// Returns the largest rate (1/time) of each boundary, 0 if it does not relax. Of an outlet that holds a mean it is
    /// the rate of that mean. Collective.
    ///
    /// # Errors
    /// A boundary value is not valid at the start.
    pub fn relaxation_rates(&self) -> Result<Vec<f64>, StepError> {
        let data = self.boundary_values().data(0.0);
        let data = self
            .ranks
            .agree(data.map_err(StepError::from), StepError::OnOtherRank)?;
        let mut rates = vec![0.0f64; self.boundaries.len()];
        self.boundary_values().each_point(0.0, |face, boundary, l, at| {
            let condition = &self.boundaries[boundary];
            if condition.kind().is_relaxed() {
                let of_point = data[BOUNDARY_VALUES * face.first_point + RelaxedSlot::Rate as usize * face.points + l];
                rates[boundary] = condition.held_rate(at).unwrap_or(of_point).max(rates[boundary]);
            }
        });
        self.ranks.allreduce_max(&mut rates);
        Ok(rates)
    }

    /// Adds the relaxed values to a checkpoint, as `[cell, face, points, values]` of each face of a boundary.
    /// Collective.
    ///
    /// # Errors
    /// The device fails.
    pub(super) fn save_relaxed(&self, section: &mut CheckpointSection) -> Result<(), DeviceError> {
        let relaxed = self
            .boundaries
            .iter()
            .enumerate()
            .filter(|(_, b)| b.kind().is_relaxed());
        let relaxed: Vec<usize> = relaxed.map(|(index, _)| index).collect();
        if relaxed.is_empty() {
            return Ok(());
        }
        for (kept, field) in KEPT {
            let values = self.device.read(field)?;
            for &boundary in &relaxed {
                let mut mine = Vec::new();
                for b in self.faces_of(boundary) {
                    mine.extend([self.mesh.global(b.cell) as f64, b.face as f64, b.points as f64]);
                    mine.extend(&values[b.first_point..b.first_point + b.points]);
                }
                let all = self.ranks.allgather(&mine);
                let mut faces: Vec<&[f64]> = faces(&all).collect();
                faces.sort_by_key(|face| (face[0] as u64, face[1] as u64));
                section
                    .arrays
                    .insert(entry(&self.mesh.boundary_names[boundary], kept), faces.concat());
            }
        }
        Ok(())
    }

    /// Continues with the relaxed values of a checkpoint; those that it lacks begin anew. The device must hold the
    /// state.
    ///
    /// # Errors
    /// The device fails.
    pub(super) fn restore_relaxed(&mut self, section: &CheckpointSection) -> Result<(), DeviceError> {
        self.begin_relaxed()?;
        for (kept, field) in KEPT {
            self.restore_kept(section, kept, field)?;
        }
        Ok(())
    }

    fn restore_kept(&mut self, section: &CheckpointSection, kept: &str, field: Field) -> Result<(), DeviceError> {
        let mut values = self.device.read(field)?;
        if values.is_empty() {
            return Ok(());
        }
        let mut interpolations = HashMap::new();
        for boundary in (0..self.boundaries.len()).filter(|&b| self.boundaries[b].kind().is_relaxed()) {
            let name = &self.mesh.boundary_names[boundary];
            let stored = section.arrays.get(&entry(name, kept)).map_or(&[][..], Vec::as_slice);
            let stored: HashMap<(u64, u64), &[f64]> = faces(stored)
                .map(|face| ((face[0] as u64, face[1] as u64), &face[HEAD..]))
                .collect();
            if stored.is_empty() && field == Field::Relaxed && self.ranks.rank() == 0 {
                tracing::warn!("boundaries.{name} begins to relax now: the checkpoint has no values of it");
            }
            for b in self.faces_of(boundary) {
                let Some(old) = stored.get(&(self.mesh.global(b.cell) as u64, b.face as u64)) else {
                    continue;
                };
                let new = &mut values[b.first_point..b.first_point + b.points];
                if old.len() == b.points {
                    new.copy_from_slice(old);
                    continue;
                }
                let shape = self.mesh.kinds[b.cell].faces()[b.face].shape;
                let order = self.elements.order;
                let matrix = interpolations
                    .entry((shape, old.len()))
                    .or_insert_with(|| interpolation(shape, old.len(), order));
                for (new, row) in new.iter_mut().zip(matrix.chunks(old.len())) {
                    *new = row.iter().zip(*old).map(|(factor, value)| factor * value).sum();
                }
            }
        }
        self.device.write(field, &values)
    }

    /// Returns the faces of a boundary on this rank.
    fn faces_of(&self, boundary: usize) -> impl Iterator<Item = &BoundaryFace> {
        let faces = self.device.plan().boundary_faces.iter();
        faces.filter(move |b| matches!(b.exterior, Exterior::Condition(index) if index == boundary))
    }
}

/// Splits the array of a checkpoint into its faces.
fn faces(array: &[f64]) -> impl Iterator<Item = &[f64]> {
    let mut rest = array;
    std::iter::from_fn(move || {
        let length = HEAD + *rest.get(HEAD - 1)? as usize;
        let (face, others) = rest.split_at_checked(length)?;
        rest = others;
        Some(face)
    })
}

/// Returns the matrix from the values at `from` points of a face to those at the points of `order`,
/// `[point][from]`. A face without an order of so many points gives an empty matrix.
fn interpolation(shape: FaceShape, from: usize, order: usize) -> Vec<f64> {
    let Some(old) = (1..=8).find(|&order| shape.points(order) == from) else {
        return Vec::new();
    };
    let targets: Vec<[f64; 2]> = match shape {
        FaceShape::Triangle => triangle_nodes(order),
        FaceShape::Quad => {
            let points = gauss_lobatto(order).0;
            points
                .iter()
                .flat_map(|&b| points.iter().map(move |&a| [a, b]))
                .collect()
        }
    };
    Elements::new(old, Correction::Radau, &[]).face_interpolation(shape, &targets)
}
