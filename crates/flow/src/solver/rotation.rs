//! The rotating frame of a running case: whether the mesh goes with it, and its velocity at the points of the device.

use super::{SetupError, Solver};
use crate::device::DeviceError;
use crate::format::location;
use crate::geometry::Geometry;
use crate::mesh::Mesh;
use crate::physics::RotatingFrame;
use crate::ranks::Ranks;
use crate::vector::{dot, length, minus};

/// Largest difference between the velocities of the frame on both sides of a periodic boundary, relative to the largest
/// of these velocities: decimals of a mesh file.
const SAME: f64 = 1e-5;

/// Logs the frame, and verifies that periodic boundaries go with it: what is carried from one side to the other must
/// meet the same forces there. A rotation about the axis of the frame and a shift along it are such motions.
/// Collective.
///
/// # Errors
/// A periodic boundary does not go with the frame.
pub(super) fn check_periods(
    frame: &RotatingFrame,
    mesh: &Mesh,
    geometry: &Geometry,
    order: usize,
    ranks: &Ranks,
) -> Result<(), SetupError> {
    let mut fastest = [0.0];
    for &x in &geometry.points {
        fastest[0] = length(frame.velocity(x)).max(fastest[0]);
    }
    ranks.allreduce_max(&mut fastest);
    tracing::info!("frame   {}: its speed is up to {:.4}", frame.describe(), fastest[0]);
    let faces = geometry.joined_faces(mesh, order, ranks);
    let wrong = faces.iter().find(|face| {
        let carried = match face.rotation {
            Some(rotation) => mesh.rotations[rotation].map(|row| dot(row, frame.velocity(face.here))),
            None => frame.velocity(face.here),
        };
        length(minus(carried, frame.velocity(face.there))) > SAME * fastest[0]
    });
    let checked = match wrong {
        None => Ok(()),
        Some(face) => Err(SetupError::RotatingFrame(format!(
            "the mesh is periodic between {} and {}, where the centrifugal force of the frame differs: periodic \
             boundaries must be joined by a rotation about the axis of the frame, or by a shift along it",
            location(face.here),
            location(face.there)
        ))),
    };
    ranks.agree(checked, SetupError::OnOtherRank)
}

impl Solver {
    /// Writes the velocity of the frame to the device, if it rotates.
    pub(super) fn set_frame(&mut self) -> Result<(), DeviceError> {
        let Some(frame) = self.frame else { return Ok(()) };
        let mut velocity = vec![0.0; 3 * self.points()];
        for (cell, values) in self.geometry.cells_of(&mut velocity, 3).into_iter().enumerate() {
            let points = self.geometry.cell_positions(cell);
            for (p, &x) in points.iter().enumerate() {
                for (d, v) in frame.velocity(x).into_iter().enumerate() {
                    values[d * points.len() + p] = v;
                }
            }
        }
        self.device.set_frame_velocity(&velocity)?;
        let faces = &self.device.plan().boundary_faces;
        let points = faces.last().map_or(0, |b| b.first_point + b.points);
        let mut at_boundaries = vec![0.0; 3 * points];
        self.boundary_values().each_point(0.0, |face, boundary, l, at| {
            if let Some(velocity) = self.boundaries[boundary].frame_velocity(at.x) {
                at_boundaries[3 * (face.first_point + l)..][..3].copy_from_slice(&velocity);
            }
        });
        self.device.set_boundary_frame(&at_boundaries)
    }
}
