//! Fluxes of mass, momentum and energy through each named boundary. The flux of momentum is the force on a wall.
//!
//! The device sums the common fluxes of the right-hand side over the points of each boundary face. The host adds the
//! faces without rounding, so that the result is the same for any placement of cells on any number of ranks. The cells
//! use the very same fluxes, so that the sum over all boundaries is minus the rate of change of the domain's integrals
//! (volume sources aside), to round-off.

use crate::device::{Buffer, Device, DeviceError, Exterior, FLUXES, Moment, Plan};
use crate::element::Elements;
use crate::geometry::Geometry;
use crate::mesh::Mesh;
use crate::ranks::{ExactSum, Ranks};
use crate::vector::{Vector, length};

/// The named boundaries of a mesh with their faces.
#[derive(Debug, Default)]
pub struct BoundaryFluxes {
    names: Vec<String>,
    /// Faces of each boundary, as indices into the plan.
    faces: Vec<Vec<usize>>,
    areas: Vec<Area>,
}

/// The area of a boundary.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Area {
    /// Size.
    pub size: f64,
    /// Sum of the area vectors, which point out of the domain: zero for a closed boundary.
    pub vector: Vector,
}

/// Fluxes out of the domain through one boundary.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoundaryFlux {
    /// Mass per time.
    pub mass: f64,
    /// Momentum per time: the force of the gas on the boundary.
    pub force: [f64; 3],
    /// The viscous part of the force.
    pub viscous: [f64; 3],
    /// Energy per time: convection, conduction and the work of the force.
    pub energy: f64,
    /// Mean pressure of the gas at the boundary.
    pub pressure: f64,
    /// Share of the area through which gas flows against the sense of the boundary: out of an inlet, or into an outlet.
    pub reversed: f64,
    /// Area of the boundary.
    pub area: Area,
}

impl BoundaryFlux {
    /// Returns mass, force, viscous force, energy, area, mean pressure and the reversed share, in the order of the
    /// series.
    pub fn values(&self) -> [f64; 11] {
        let ([x, y, z], [viscous_x, viscous_y, viscous_z]) = (self.force, self.viscous);
        [
            self.mass,
            x,
            y,
            z,
            viscous_x,
            viscous_y,
            viscous_z,
            self.energy,
            self.area.size,
            self.pressure,
            self.reversed,
        ]
    }
}

impl BoundaryFluxes {
    /// Finds the faces of the boundaries of a mesh. Faces with another cell behind them ([`Exterior::Rotated`]) belong
    /// to no boundary. Collective.
    pub(super) fn new(plan: &Plan, mesh: &Mesh, geometry: &Geometry, elements: &Elements, ranks: &Ranks) -> Self {
        let of = |name: usize| {
            let all = plan.boundary_faces.iter().enumerate();
            all.filter(|(_, b)| matches!(b.exterior, Exterior::Condition(n) if n == name))
                .map(|(number, _)| number)
                .collect()
        };
        let faces: Vec<Vec<usize>> = (0..mesh.boundary_names.len()).map(of).collect();
        let area = |number: usize| {
            let b = &plan.boundary_faces[number];
            let weights = elements.face_weights(geometry.kinds[b.cell].faces()[b.face].shape);
            let points = weights.iter().zip(geometry.face_areas(b.cell, b.face));
            points.fold([0.0; 4], |sum, (w, [x, y, z])| {
                let terms = [length([x, y, z]), x, y, z];
                std::array::from_fn(|k| sum[k] + w * terms[k])
            })
        };
        BoundaryFluxes {
            names: mesh.boundary_names.clone(),
            areas: faces
                .iter()
                .map(|faces| {
                    let sums = std::array::from_fn(|k| faces.iter().map(|&f| area(f)[k]).collect());
                    let [size, x, y, z] = ExactSum::allreduce(ranks, sums).map(ExactSum::value);
                    Area {
                        size,
                        vector: [x, y, z],
                    }
                })
                .collect(),
            faces,
        }
    }

    /// Returns the boundaries and behind them bodies of several, each with its name and the indices of its boundaries.
    pub fn with_bodies(mut self, bodies: &[(String, Vec<usize>)]) -> Self {
        for (name, parts) in bodies {
            let areas = parts.iter().map(|&part| self.areas[part]);
            let area = areas.fold(
                Area {
                    size: 0.0,
                    vector: [0.0; 3],
                },
                |sum, area| Area {
                    size: sum.size + area.size,
                    vector: std::array::from_fn(|d| sum.vector[d] + area.vector[d]),
                },
            );
            self.names.push(name.clone());
            self.faces
                .push(parts.iter().flat_map(|&part| self.faces[part].clone()).collect());
            self.areas.push(area);
        }
        self
    }

    /// Returns the names of the boundaries, in the order of the columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Computes the fluxes out of the domain through each boundary at the present state. The device must hold its
    /// right-hand side. Collective.
    ///
    /// # Errors
    /// The device fails.
    pub fn take(&self, device: &mut dyn Device, ranks: &Ranks) -> Result<Vec<BoundaryFlux>, DeviceError> {
        let fluxes = device.boundary_fluxes()?;
        let all = 0..self.names.len();
        Ok(all.map(|boundary| self.of_boundary(boundary, &fluxes, ranks)).collect())
    }

    /// Computes the share of the area of each boundary that gas passes against its sense at the present state. It needs
    /// no right-hand side. Collective.
    ///
    /// # Errors
    /// The device fails.
    pub fn reversed(&self, device: &mut dyn Device, ranks: &Ranks) -> Result<Vec<f64>, DeviceError> {
        device.ghost_states(Buffer::Start, Moment::BEGIN)?;
        let fluxes = self.take(device, ranks)?;
        Ok(fluxes.iter().map(|flux| flux.reversed).collect())
    }

    /// Returns the fluxes through one boundary, from the values of all boundary faces
    /// ([`crate::device::Field::BoundaryFluxes`]). Collective.
    pub(super) fn of_boundary(&self, boundary: usize, fluxes: &[f64], ranks: &Ranks) -> BoundaryFlux {
        let (faces, area) = (&self.faces[boundary], self.areas[boundary]);
        let sums = std::array::from_fn(|q| faces.iter().map(|&f| fluxes[f * FLUXES + q]).collect());
        let s: [f64; FLUXES] = ExactSum::allreduce(ranks, sums).map(ExactSum::value);
        BoundaryFlux {
            mass: s[0],
            force: [s[1], s[2], s[3]],
            viscous: [s[4], s[5], s[6]],
            energy: s[7],
            pressure: s[8] / area.size,
            reversed: s[9] / area.size,
            area,
        }
    }

    /// Returns the area of a boundary.
    pub fn area(&self, boundary: usize) -> Area {
        self.areas[boundary]
    }
}
