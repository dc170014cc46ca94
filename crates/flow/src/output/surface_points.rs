//! Loads on boundaries at single points: pressure, traction, heat and y+.
//!
//! They are computed from the common fluxes that the cells use, so that the integral of the traction is the force of
//! [`BoundaryFluxes`](crate::solver::BoundaryFluxes). The pressure on a wall is the momentum flux of the
//! Riemann solver between the cell and its mirror image. The traction is the viscous flux of momentum. Both are divided
//! by the size of the face's area vector at the point.

use rayon::prelude::*;

use crate::device::{Device, DeviceError, Exterior, Plan, SURFACE_VALUES};
use crate::element::{Elements, FaceShape};
use crate::geometry::Geometry;
use crate::mesh::Mesh;
use crate::physics::{Boundary, Gas};
use crate::solver::Solver;
use crate::vector::length;

/// One boundary face.
#[derive(Debug, Clone, Copy)]
pub struct SurfaceFace {
    /// Index of its boundary in the mesh.
    pub boundary: usize,
    /// Index of its cell.
    pub cell: usize,
    /// Index of the face in the cell.
    pub face: usize,
    /// Its shape.
    pub shape: FaceShape,
    /// Distance along the normal from the face to the nearest solution point off the face.
    pub spacing: f64,
    /// Offset of its values among those of the device, in points.
    pub(super) values: usize,
    /// Whether it belongs to a wall, with or without slip.
    wall: bool,
}

/// The state and the loads at a point of a face.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SurfacePoint {
    /// Outward area vector, per area of the face's standard shape.
    pub area: [f64; 3],
    /// Pressure.
    pub pressure: f64,
    /// Density.
    pub density: f64,
    /// Velocity of the gas, with the small slip of the discrete solution.
    pub velocity: [f64; 3],
    /// Temperature of the gas.
    pub temperature: f64,
    /// Viscous part of the force of the gas on the boundary, per area.
    pub traction: [f64; 3],
    /// Heat that leaves the gas through the boundary, per area and time.
    pub heat: f64,
}

/// Faces of some boundaries in the order of their cells.
#[derive(Debug)]
pub struct Surfaces {
    /// The faces.
    pub faces: Vec<SurfaceFace>,
    gas: Gas,
}

/// Returns the part of a vector parallel to the face of this area vector.
pub fn tangential(v: [f64; 3], area: [f64; 3]) -> [f64; 3] {
    let dot = |a: [f64; 3], b: [f64; 3]| (0..3).map(|d| a[d] * b[d]).sum::<f64>();
    let normal = dot(v, area) / dot(area, area);
    std::array::from_fn(|d| v[d] - normal * area[d])
}

/// Returns the least distance of solution points off the face, along the normal at the nearest of the face's points.
fn spacing(positions: &[[f64; 3]], on: &[usize], areas: &[[f64; 3]]) -> f64 {
    let off = (0..positions.len()).filter(|i| !on.contains(i)).map(|i| {
        let away = |l: usize| -> [f64; 3] { std::array::from_fn(|d| positions[i][d] - positions[on[l]][d]) };
        let squared = |l: usize| away(l).iter().map(|x| x * x).sum::<f64>();
        let nearest = (0..on.len()).min_by(|&a, &b| squared(a).total_cmp(&squared(b)));
        let along = |l: usize| {
            let size = length(areas[l]);
            let dot: f64 = away(l).iter().zip(areas[l]).map(|(x, a)| x * a).sum();
            (dot / size).abs()
        };
        nearest.map_or(f64::INFINITY, along)
    });
    off.fold(f64::INFINITY, f64::min)
}

impl Surfaces {
    /// Finds the faces of those boundaries of a solver's mesh that are `wanted`, by their indices in the mesh.
    pub fn of_solver(solver: &Solver, wanted: impl Fn(usize) -> bool) -> Self {
        Self::new(
            solver.device.plan(),
            &solver.mesh,
            &solver.geometry,
            &solver.elements,
            &solver.boundaries,
            &solver.gas,
            wanted,
        )
    }

    /// Finds the faces whose boundary is `wanted`. `conditions` holds the condition of every boundary of the mesh.
    pub fn new(
        plan: &Plan,
        mesh: &Mesh,
        geometry: &Geometry,
        elements: &Elements,
        conditions: &[Boundary],
        gas: &Gas,
        wanted: impl Fn(usize) -> bool,
    ) -> Self {
        let mut faces: Vec<(usize, usize, usize, usize)> = Vec::new();
        for b in &plan.boundary_faces {
            if let Exterior::Condition(boundary) = b.exterior
                && wanted(boundary)
            {
                faces.push((b.cell, b.face, boundary, b.first_point));
            }
        }
        faces.sort_unstable();
        let face = |&(cell, face, boundary, values): &(usize, usize, usize, usize)| {
            let kind = mesh.kinds[cell];
            let order = elements.order;
            let shape = kind.faces()[face].shape;
            let on = kind.face_indices(face, order);
            let areas = geometry.face_areas(cell, face);
            SurfaceFace {
                boundary,
                cell,
                face,
                shape,
                spacing: spacing(geometry.cell_positions(cell), &on, &areas),
                values,
                wall: conditions[boundary].wall().is_some(),
            }
        };
        Surfaces {
            faces: faces.par_iter().map(face).collect(),
            gas: *gas,
        }
    }

    /// Computes the loads at the points of each face at the present state. The device must hold its right-hand side.
    pub fn take(&self, device: &mut dyn Device, geometry: &Geometry) -> Result<Vec<Vec<SurfacePoint>>, DeviceError> {
        let values = device.surface_values()?;
        Ok(self.of_values(&values, device.plan().order, geometry))
    }

    /// Computes the loads at the points of each face from the values that the device has returned of all boundaries, in
    /// cells of this order.
    pub fn of_values(&self, values: &[f64], order: usize, geometry: &Geometry) -> Vec<Vec<SurfacePoint>> {
        let of_face = |face: &SurfaceFace| {
            let areas = geometry.face_areas(face.cell, face.face);
            let points = face.shape.points(order);
            let values = &values[SURFACE_VALUES * face.values..SURFACE_VALUES * (face.values + points)];
            let point = |l: usize| {
                let value = |q: usize| values[q * points + l];
                let vector = |q: usize| [value(q), value(q + 1), value(q + 2)];
                let area = areas[l];
                let squared = area.iter().map(|a| a * a).sum::<f64>();
                let size = squared.sqrt();
                let convected: f64 = vector(5).iter().zip(area).map(|(f, a)| f * a).sum();
                SurfacePoint {
                    area,
                    pressure: if face.wall {
                        convected / squared
                    } else {
                        value(0) * self.gas.gas_constant * value(4)
                    },
                    density: value(0),
                    velocity: vector(1),
                    temperature: value(4),
                    traction: vector(8).map(|f| f / size),
                    heat: value(11) / size,
                }
            };
            (0..points).map(point).collect()
        };
        self.faces.par_iter().map(of_face).collect()
    }

    /// Returns y+ = u_tau d/nu of a face's first solution point off the wall, with u_tau^2 the tangential traction over
    /// the density.
    pub fn y_plus(&self, face: &SurfaceFace, point: &SurfacePoint) -> f64 {
        let along = tangential(point.traction, point.area);
        let shear = length(along);
        let mu = self.gas.mu(point.temperature);
        if mu > 0.0 {
            face.spacing * (point.density * shear).max(0.0).sqrt() / mu
        } else {
            0.0
        }
    }
}
