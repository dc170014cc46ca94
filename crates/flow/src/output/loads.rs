//! Moments of the forces on boundaries about a point, and sums of walls that are one body.
//!
//! The device gives the fluxes of momentum at each point of a boundary face, which are those of the force. The host
//! takes the moment of each about the point, adds the points of a face in their order, and the faces without rounding,
//! so that the result is the same for any placement of cells on any number of ranks. The quadrature is that of the
//! force.

use super::surface_points::{SurfaceFace, Surfaces};
use crate::device::{DeviceError, SURFACE_VALUES};
use crate::ranks::ExactSum;
use crate::solver::Solver;
use crate::vector::{Vector, cross, minus};

/// Components of a moment: what follows the name of a boundary.
pub(super) const COMPONENTS: [&str; 3] = ["moment_x", "moment_y", "moment_z"];

/// Place among the values at a point of the convective and of the viscous part of the flux of momentum.
const CONVECTIVE: usize = 5;
const VISCOUS: usize = 8;

/// What a case asks for beside the forces on single boundaries.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Loads {
    /// The point about which moments are taken, if they are.
    pub about: Option<Vector>,
    /// Names of bodies, with their walls.
    pub bodies: Vec<(String, Vec<String>)>,
}

impl Loads {
    /// Returns the bodies with the indices of their walls in the mesh.
    pub fn of_mesh(&self, solver: &Solver) -> Vec<(String, Vec<usize>)> {
        let index = |wall: &String| solver.mesh.boundary_names.iter().position(|name| name == wall);
        let body = |(name, walls): &(String, Vec<String>)| (name.clone(), walls.iter().filter_map(index).collect());
        self.bodies.iter().map(body).collect()
    }

    /// Returns the moments of all boundaries and bodies, if the case asks for them. Collective.
    pub fn moments(&self, solver: &Solver) -> Option<Moments> {
        self.about
            .map(|about| Moments::new(solver, about, &self.of_mesh(solver)))
    }
}

/// The moments of the forces on the boundaries of a mesh, and on its bodies behind them.
#[derive(Debug)]
pub(super) struct Moments {
    about: Vector,
    surfaces: Surfaces,
    /// Numbers of the moments to which each boundary contributes: its own, and those of its bodies.
    parts: Vec<Vec<usize>>,
    /// Number of moments.
    count: usize,
    /// Moments of the area vectors, which are those of a pressure of 1.
    of_areas: Vec<Vector>,
}

impl Moments {
    /// Finds the faces of all boundaries. Collective.
    fn new(solver: &Solver, about: Vector, bodies: &[(String, Vec<usize>)]) -> Self {
        let boundaries = solver.mesh.boundary_names.len();
        let of_bodies = |boundary: usize| {
            let all = bodies.iter().enumerate();
            let within = all.filter(move |(_, (_, walls))| walls.contains(&boundary));
            within.map(move |(number, _)| boundaries + number)
        };
        let parts = |boundary| std::iter::once(boundary).chain(of_bodies(boundary)).collect();
        let mut moments = Moments {
            about,
            surfaces: Surfaces::of_solver(solver, |_| true),
            parts: (0..boundaries).map(parts).collect(),
            count: boundaries + bodies.len(),
            of_areas: Vec::new(),
        };
        moments.of_areas = moments.sums(solver, |face, l| solver.geometry.face_areas(face.cell, face.face)[l]);
        moments
    }

    /// Computes the moments of the present forces of the gas on each boundary and body. The device must hold its
    /// right-hand side. Collective.
    ///
    /// # Errors
    /// The device fails.
    pub fn take(&self, solver: &mut Solver) -> Result<Vec<Vector>, DeviceError> {
        let values = solver.device.surface_values()?;
        let force = |face: &SurfaceFace, l: usize| {
            let points = face.shape.points(solver.elements.order);
            let value = |q: usize| values[SURFACE_VALUES * face.values + q * points + l];
            std::array::from_fn(|d| value(CONVECTIVE + d) + value(VISCOUS + d))
        };
        Ok(self.sums(solver, force))
    }

    /// Returns the moments of the area vectors of a boundary or a body: those of a pressure of 1.
    pub fn of_pressure(&self, number: usize) -> Vector {
        self.of_areas[number]
    }

    /// Returns the moments of a force at each point of each face, per area of the face's standard shape. Collective.
    fn sums(&self, solver: &Solver, force: impl Fn(&SurfaceFace, usize) -> Vector) -> Vec<Vector> {
        let mut sums = vec![ExactSum::default(); 3 * self.count];
        for face in &self.surfaces.faces {
            let positions = solver.geometry.cell_positions(face.cell);
            let on = solver.mesh.kinds[face.cell].face_indices(face.face, solver.elements.order);
            let mut of_face = [0.0; 3];
            for (l, weight) in solver.elements.face_weights(face.shape).iter().enumerate() {
                let moment = cross(minus(positions[on[l]], self.about), force(face, l));
                of_face
                    .iter_mut()
                    .zip(moment)
                    .for_each(|(sum, moment)| *sum += weight * moment);
            }
            for part in &self.parts[face.boundary] {
                (0..3).for_each(|d| sums[3 * part + d].add(of_face[d]));
            }
        }
        let values = ExactSum::allreduce_vec(&solver.ranks, sums)
            .into_iter()
            .map(ExactSum::value);
        let values: Vec<f64> = values.collect();
        values
            .chunks(3)
            .map(|moment| std::array::from_fn(|d| moment[d]))
            .collect()
    }
}
