//! The rotating frames of a running case: whether the mesh goes with them, and their velocities at the points of the
//! device. There is one for all cells, or blocks of cells that turn past each other have their own.

use crate::device::Device;
use crate::format::location;
use crate::geometry::{Geometry, extent};
use crate::mesh::Mesh;
use crate::physics::{FrameForces, RotatingFrame};
use crate::ranks::Ranks;
use crate::solver::SetupError;
use crate::solver::domain::Domain;
use crate::solver::motions::Motions;
use crate::solver::participant::{Case, Participant};
use crate::vector::{Vector, dot, length, minus};

/// Largest difference between the velocities of the frame on both sides of a periodic boundary, relative to the largest
/// of these velocities: decimals of a mesh file.
const SAME: f64 = 1e-5;

/// The frames of the cells of a case.
enum CellFrames {
    /// All have the same one.
    One(RotatingFrame),
    /// Blocks turn past each other.
    Several(Motions),
}

impl CellFrames {
    /// Returns the frame of the cells around a place.
    fn around(&self, within: Vector) -> RotatingFrame {
        match self {
            CellFrames::One(frame) => *frame,
            CellFrames::Several(motions) => motions.frame(within).expect("interfaces lie around an axis"),
        }
    }

    /// Returns the frame of a cell with these points.
    fn of_cell(&self, points: &[Vector]) -> RotatingFrame {
        self.around(centre(points))
    }

    fn log(&self, fastest: f64) {
        match self {
            CellFrames::One(frame) => match frame.forces {
                FrameForces::All => tracing::info!("frame   {}: its speed is up to {fastest:.4}", frame.describe()),
                // Its axis is nowhere.
                FrameForces::Coriolis => tracing::info!("frame   {}", frame.describe()),
            },
            CellFrames::Several(_) => tracing::info!("frame   cells of blocks that turn move at up to {fastest:.4}"),
        }
    }
}

/// Returns a place within the cell of these points.
fn centre(points: &[Vector]) -> Vector {
    let [low, high] = extent(points);
    std::array::from_fn(|d| 0.5 * (low[d] + high[d]))
}

/// Verifies that periodic boundaries go with the frames, and returns the largest speed of these: what is carried from
/// one side to the other must meet the same forces there. A rotation about the axis of the frame and a shift along it
/// are such motions. Without the centrifugal force any shift and any rotation about the direction of the axis are.
/// Collective.
///
/// # Errors
/// A periodic boundary does not go with its frame.
fn check_periods(
    frames: &CellFrames,
    mesh: &Mesh,
    geometry: &Geometry,
    order: usize,
    ranks: &Ranks,
) -> Result<f64, SetupError> {
    let mut fastest = [0.0];
    for cell in 0..mesh.len() {
        let points = geometry.cell_positions(cell);
        let frame = frames.of_cell(points);
        fastest[0] = points
            .iter()
            .fold(fastest[0], |most: f64, &x| length(frame.velocity(x)).max(most));
    }
    ranks.allreduce_max(&mut fastest);
    let faces = geometry.joined_faces(mesh, order, ranks);
    let turned = |rotation: Option<usize>, v: Vector| match rotation {
        Some(rotation) => mesh.rotations[rotation].map(|row| dot(row, v)),
        None => v,
    };
    let wrong = faces.iter().find_map(|face| {
        let frame = frames.around(face.here);
        let omega = frame.angular_velocity;
        let is_wrong = match frame.forces {
            FrameForces::All => {
                let carried = turned(face.rotation, frame.velocity(face.here));
                length(minus(carried, frame.velocity(face.there))) > SAME * fastest[0]
            }
            FrameForces::Coriolis => length(minus(turned(face.rotation, omega), omega)) > SAME * length(omega),
        };
        is_wrong.then_some((face, frame))
    });
    let checked = match wrong {
        None => Ok(fastest[0]),
        Some((face, frame)) => {
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
            let what = format!(
                "the mesh is periodic between {} and {}, where the {force} force of the frame differs: periodic \
                 boundaries must be joined by {motion}",
                location(face.here),
                location(face.there)
            );
            Err(match frames {
                CellFrames::One(_) => SetupError::RotatingFrame(what),
                CellFrames::Several(motions) => SetupError::Interface {
                    key: motions.turning().map_or_else(String::new, |motion| {
                        format!("boundaries.{}.angular-speed", motion.names[1])
                    }),
                    what,
                },
            })
        }
    };
    ranks.agree(checked, SetupError::OnOtherRank)
}

/// Verifies that the periodic boundaries of a mesh go with a rotating frame of all cells. Collective.
///
/// # Errors
/// A periodic boundary does not go with the frame.
pub fn check_frame(
    frame: RotatingFrame,
    mesh: &Mesh,
    geometry: &Geometry,
    order: usize,
    ranks: &Ranks,
) -> Result<(), SetupError> {
    check_periods(&CellFrames::One(frame), mesh, geometry, order, ranks).map(drop)
}

/// Verifies that the periodic boundaries of a mesh go with the frames of blocks that turn past each other, if they do.
/// Collective.
///
/// # Errors
/// A periodic boundary does not go with the frame of its block.
pub fn check_blocks(
    motions: &Motions,
    mesh: &Mesh,
    geometry: &Geometry,
    order: usize,
    ranks: &Ranks,
) -> Result<(), SetupError> {
    match motions.turning() {
        None => Ok(()),
        Some(_) => check_periods(&CellFrames::Several(motions.clone()), mesh, geometry, order, ranks).map(drop),
    }
}

/// The velocity of the frames of the cells, which the device keeps at its points; the centrifugal force follows from
/// it, so that zeros leave this force out.
pub struct FrameVelocity(CellFrames);

impl FrameVelocity {
    /// Returns the frames of a case, if they rotate. Collective.
    ///
    /// # Errors
    /// A periodic boundary does not go with them.
    pub fn of_case(case: &Case) -> Result<Option<Self>, SetupError> {
        let frames = match case.settings.frame {
            Some(frame) => CellFrames::One(frame),
            None if case.settings.turning_about().is_some() => CellFrames::Several(case.interfaces.motions.clone()),
            None => return Ok(None),
        };
        let fastest = check_periods(&frames, case.mesh, case.geometry, case.settings.order, case.ranks)?;
        frames.log(fastest);
        Ok(Some(FrameVelocity(frames)))
    }
}

impl Participant for FrameVelocity {
    fn place(&mut self, domain: &Domain, device: &mut dyn Device) -> Result<(), SetupError> {
        let geometry = &domain.geometry;
        let mut velocity = vec![0.0; 3 * domain.points()];
        for (cell, values) in geometry.cells_of(&mut velocity, 3).into_iter().enumerate() {
            let points = geometry.cell_positions(cell);
            let frame = self.0.of_cell(points);
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
        if let CellFrames::Several(motions) = &self.0 {
            let speed = |cell: usize| motions.angular_speed(centre(geometry.cell_positions(cell)));
            device.set_frame_speed(&(0..domain.mesh.len()).map(speed).collect::<Vec<_>>())?;
        }
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
