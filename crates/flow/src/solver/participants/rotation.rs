//! The rotating frame of a running case: whether the mesh goes with it, and its velocity at the points of the device.

use crate::device::Device;
use crate::format::location;
use crate::geometry::Geometry;
use crate::mesh::Mesh;
use crate::physics::{FrameForces, RotatingFrame};
use crate::ranks::Ranks;
use crate::solver::SetupError;
use crate::solver::domain::Domain;
use crate::solver::participant::{Case, Participant};
use crate::vector::{Vector, dot, length, minus};

/// Largest difference between the velocities of the frame on both sides of a periodic boundary, relative to the largest
/// of these velocities: decimals of a mesh file.
const SAME: f64 = 1e-5;

/// Logs the frame, and verifies that periodic boundaries go with it: what is carried from one side to the other must
/// meet the same forces there. A rotation about the axis of the frame and a shift along it are such motions. Without
/// the centrifugal force any shift and any rotation about the direction of the axis are. Collective.
///
/// # Errors
/// A periodic boundary does not go with the frame.
fn check_periods(
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
    match frame.forces {
        FrameForces::All => tracing::info!("frame   {}: its speed is up to {:.4}", frame.describe(), fastest[0]),
        // Its axis is nowhere.
        FrameForces::Coriolis => tracing::info!("frame   {}", frame.describe()),
    }
    let faces = geometry.joined_faces(mesh, order, ranks);
    let turned = |rotation: Option<usize>, v: Vector| match rotation {
        Some(rotation) => mesh.rotations[rotation].map(|row| dot(row, v)),
        None => v,
    };
    let omega = frame.angular_velocity;
    let wrong = faces.iter().find(|face| match frame.forces {
        FrameForces::All => {
            let carried = turned(face.rotation, frame.velocity(face.here));
            length(minus(carried, frame.velocity(face.there))) > SAME * fastest[0]
        }
        FrameForces::Coriolis => length(minus(turned(face.rotation, omega), omega)) > SAME * length(omega),
    });
    let (force, motion) = match frame.forces {
        FrameForces::All => (
            "centrifugal",
            "a rotation about the axis of the frame, or by a shift along it",
        ),
        FrameForces::Coriolis => (
            "Coriolis",
            "a shift, or by a rotation about the direction of the axis of the frame",
        ),
    };
    let checked = match wrong {
        None => Ok(()),
        Some(face) => Err(SetupError::RotatingFrame(format!(
            "the mesh is periodic between {} and {}, where the {force} force of the frame differs: periodic boundaries \
             must be joined by {motion}",
            location(face.here),
            location(face.there)
        ))),
    };
    ranks.agree(checked, SetupError::OnOtherRank)
}

/// The velocity of the frame, which the device keeps at its points; the centrifugal force follows from it, so that
/// zeros leave this force out.
pub struct FrameVelocity(RotatingFrame);

impl FrameVelocity {
    /// Returns the frame of a case, if it rotates. Collective.
    ///
    /// # Errors
    /// A periodic boundary does not go with the frame.
    pub fn of_case(case: &Case) -> Result<Option<Self>, SetupError> {
        let Some(frame) = case.settings.frame else {
            return Ok(None);
        };
        check_periods(&frame, case.mesh, case.geometry, case.settings.order, case.ranks)?;
        Ok(Some(FrameVelocity(frame)))
    }
}

impl Participant for FrameVelocity {
    fn place(&mut self, domain: &Domain, device: &mut dyn Device) -> Result<(), SetupError> {
        let (frame, geometry) = (&self.0, &domain.geometry);
        let mut velocity = vec![0.0; 3 * domain.points()];
        for (cell, values) in geometry.cells_of(&mut velocity, 3).into_iter().enumerate() {
            let points = geometry.cell_positions(cell);
            if frame.forces == FrameForces::Coriolis {
                continue;
            }
            for (p, &x) in points.iter().enumerate() {
                for (d, v) in frame.velocity(x).into_iter().enumerate() {
                    values[d * points.len() + p] = v;
                }
            }
        }
        device.set_frame_velocity(&velocity)?;
        let faces = &device.plan().boundary_faces;
        let points = faces.last().map_or(0, |b| b.first_point + b.points);
        let mut at_boundaries = vec![0.0; 3 * points];
        let boundary_values = domain.boundary_values(device.plan());
        boundary_values.each_point(0.0, |face, boundary, l, at| {
            if let Some(velocity) = domain.boundaries[boundary].frame_velocity(at.x) {
                at_boundaries[3 * (face.first_point + l)..][..3].copy_from_slice(&velocity);
            }
        });
        Ok(device.set_boundary_frame(&at_boundaries)?)
    }
}
