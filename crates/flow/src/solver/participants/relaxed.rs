//! The relaxed values of inlets and outlets: their start, and their place in a checkpoint.
//!
//! The kernels keep a number at each point of a relaxed boundary (ptx/physics/boundary.h), which is part of the state.
//! In a checkpoint it is found by boundary, cell and face, so that any number of ranks can continue. At another order
//! it is interpolated along the face.

use std::collections::HashMap;

use crate::device::{BOUNDARY_VALUES, BoundaryFace, Device, DeviceError, Exterior, Field, Plan};
use crate::element::{Correction, Elements, FaceShape, gauss_lobatto, triangle_nodes};
use crate::io::{CheckpointData, CheckpointSection};
use crate::physics::RelaxedSlot;
use crate::solver::domain::Domain;
use crate::solver::participant::{Case, Participant, Restart};
use crate::solver::{SetupError, StepError};

/// Numbers before the values of a face in a checkpoint: cell, face, number of points.
const HEAD: usize = 3;

/// What is kept of each boundary, by the end of its name in a checkpoint.
const KEPT: [(&str, Field); 2] = [("relaxed", Field::Relaxed), ("noted", Field::NotedPressure)];

/// Returns the name of the array of a boundary in a checkpoint.
fn entry(name: &str, kept: &str) -> String {
    format!("boundaries.{name}.{kept}")
}

/// The relaxed values of a case.
pub struct RelaxedValues {
    /// Indices of the boundaries that relax.
    boundaries: Vec<usize>,
}

impl RelaxedValues {
    /// Returns the relaxed values of a case; `None` if no boundary relaxes.
    pub fn of_case(case: &Case) -> Option<Self> {
        let all = case.boundaries.iter().enumerate();
        let boundaries: Vec<usize> = all
            .filter(|(_, b)| b.kind().is_relaxed())
            .map(|(index, _)| index)
            .collect();
        (!boundaries.is_empty()).then_some(RelaxedValues { boundaries })
    }

    fn restore_kept(
        &self,
        domain: &Domain,
        device: &mut dyn Device,
        section: &CheckpointSection,
        (kept, field): (&str, Field),
    ) -> Result<(), DeviceError> {
        let mut values = device.read(field)?;
        if values.is_empty() {
            return Ok(());
        }
        let mut interpolations = HashMap::new();
        for &boundary in &self.boundaries {
            let name = &domain.mesh.boundary_names[boundary];
            let stored = section.arrays.get(&entry(name, kept)).map_or(&[][..], Vec::as_slice);
            let stored: HashMap<(u64, u64), &[f64]> = faces(stored)
                .map(|face| ((face[0] as u64, face[1] as u64), &face[HEAD..]))
                .collect();
            if stored.is_empty() && field == Field::Relaxed && domain.ranks.rank() == 0 {
                tracing::warn!("boundaries.{name} begins to relax now: the checkpoint has no values of it");
            }
            for b in faces_of(device.plan(), boundary) {
                let Some(old) = stored.get(&(domain.mesh.global(b.cell) as u64, b.face as u64)) else {
                    continue;
                };
                let new = &mut values[b.first_point..b.first_point + b.points];
                if old.len() == b.points {
                    new.copy_from_slice(old);
                    continue;
                }
                let shape = domain.mesh.kinds[b.cell].faces()[b.face].shape;
                let order = domain.elements.order;
                let matrix = interpolations
                    .entry((shape, old.len()))
                    .or_insert_with(|| interpolation(shape, old.len(), order));
                for (new, row) in new.iter_mut().zip(matrix.chunks(old.len())) {
                    *new = row.iter().zip(*old).map(|(factor, value)| factor * value).sum();
                }
            }
        }
        device.write(field, &values)
    }
}

impl Participant for RelaxedValues {
    /// Lets the values begin at the state on the device.
    fn place(&mut self, _: &Domain, device: &mut dyn Device) -> Result<(), SetupError> {
        Ok(device.begin_relaxed()?)
    }

    /// Adds the values as `[cell, face, points, values]` of each face of a boundary, on rank 0, which writes them.
    fn save(&self, domain: &Domain, device: &dyn Device, data: &mut CheckpointData) -> Result<(), StepError> {
        for (kept, field) in KEPT {
            let values = device.read(field)?;
            for &boundary in &self.boundaries {
                let mut mine = Vec::new();
                for b in faces_of(device.plan(), boundary) {
                    mine.extend([domain.mesh.global(b.cell) as f64, b.face as f64, b.points as f64]);
                    mine.extend(&values[b.first_point..b.first_point + b.points]);
                }
                let all = domain.ranks.gather_on_first(mine);
                let mut faces: Vec<&[f64]> = faces(&all).collect();
                faces.sort_by_key(|face| (face[0] as u64, face[1] as u64));
                let name = entry(&domain.mesh.boundary_names[boundary], kept);
                data.section.arrays.insert(name, faces.concat());
            }
        }
        Ok(())
    }

    /// Continues with the values of a checkpoint; those that it lacks begin anew.
    fn restore(&mut self, domain: &Domain, device: &mut dyn Device, from: &Restart) -> Result<(), StepError> {
        device.begin_relaxed()?;
        for kept in KEPT {
            self.restore_kept(domain, device, &from.data.section, kept)?;
        }
        Ok(())
    }
}

/// Returns the largest rate (1/time) of each boundary, 0 if it does not relax. Of an outlet that holds a mean it is the
/// rate of that mean. Collective.
///
/// # Errors
/// A boundary value is not valid at the start.
pub fn rates(domain: &Domain, plan: &Plan) -> Result<Vec<f64>, StepError> {
    let boundary_values = domain.boundary_values(plan);
    let data = boundary_values.data(0.0).map_err(StepError::from);
    let data = domain.ranks.agree(data, StepError::OnOtherRank)?;
    let mut rates = vec![0.0f64; domain.boundaries.len()];
    boundary_values.each_point(0.0, |face, boundary, l, at| {
        let condition = &domain.boundaries[boundary];
        if condition.kind().is_relaxed() {
            let of_point = data[BOUNDARY_VALUES * face.first_point + RelaxedSlot::Rate as usize * face.points + l];
            rates[boundary] = condition.held_rate(at).unwrap_or(of_point).max(rates[boundary]);
        }
    });
    domain.ranks.allreduce_max(&mut rates);
    Ok(rates)
}

/// Returns the faces of a boundary on this rank.
fn faces_of(plan: &Plan, boundary: usize) -> impl Iterator<Item = &BoundaryFace> {
    let faces = plan.boundary_faces.iter();
    faces.filter(move |b| matches!(b.exterior, Exterior::Condition(index) if index == boundary))
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
