//! The series coefficients.csv beside that of the boundaries: coefficients of forces and moments, heat, and y+ of
//! walls, and the coefficients of bodies of several walls.

use super::error::OutputError;
use super::interface::{Columns, SampleContext};
use super::loads::{COMPONENTS, Loads, Moments};
use super::series::Rows;
use super::surface_points::{SurfacePoint, Surfaces};
use crate::input::{Number, Problem, Scope, keys, positive, unit};
use crate::physics::Boundary;
use crate::ranks::ExactSum;
use crate::solver::BoundaryFluxes;
use crate::solver::Solver;
use crate::vector::{Vector, cross, dot, length, minus};

/// Name of the series.
const NAME: &str = "coefficients";

/// The reference state by which pressures, tractions and forces are divided.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference {
    /// Static pressure.
    pub pressure: f64,
    /// Density.
    pub density: f64,
    /// Velocity. Drag is the force along it.
    pub velocity: [f64; 3],
    /// Area.
    pub area: f64,
    /// Length by which moments are divided, if they are.
    pub length: Option<f64>,
    /// Unit vectors of drag, lift and side force; the last is drag x lift.
    pub directions: [[f64; 3]; 3],
}

impl Reference {
    /// Returns half the density times the speed squared, a pressure.
    pub fn dynamic_pressure(&self) -> f64 {
        0.5 * self.density * dot(self.velocity, self.velocity)
    }

    /// Returns the key, and a text that changes with the reference state.
    pub fn fingerprint(&self) -> (String, String) {
        // Without a length the text is that of the checkpoints from before there was one.
        let text = format!("{self:?}").replace(" length: None,", "");
        ("output.reference".to_owned(), text)
    }
}

keys! {
/// A reference state.
ReferenceKeys as "a mapping with the keys `pressure`, `density`, `velocity`, `area`" {
    /// Static pressure, above 0.
    pub pressure: Number,
    /// Density, above 0.
    pub density: Number,
    /// Velocity. Its magnitude enters the dynamic pressure; its direction is that of drag.
    pub velocity: [Number; 3],
    /// Area by which forces are divided, above 0.
    pub area: Number,
    /// Length by which moments are divided in addition, above 0. Without it moments have no coefficients.
    pub length: Option<Number>,
    /// Direction of lift; only its part perpendicular to the velocity is used. The side force is along velocity x lift.
    #[serde(default = "upward")]
    pub lift: [Number; 3],
}}

fn upward() -> [Number; 3] {
    [0.0, 1.0, 0.0].map(Number::from)
}

impl ReferenceKeys {
    /// Evaluates and checks the keys.
    ///
    /// # Errors
    /// A value cannot be evaluated or is not valid.
    pub fn reference(&self, scope: &Scope) -> Result<Reference, Problem> {
        let above_zero = |name: &str, number| {
            let key = format!("output.reference.{name}");
            scope.number_if(&key, number, positive, "above 0")
        };
        let drag = scope.direction("output.reference.velocity", &self.velocity)?;
        let key = "output.reference.lift";
        let lift = scope.direction(key, &self.lift)?;
        let along = dot(drag, lift);
        let lift = if along.abs() < 0.999 {
            unit([0, 1, 2].map(|d| lift[d] - along * drag[d]))
        } else {
            None
        };
        let Some(lift) = lift else {
            return Err(
                Problem::new("the direction of lift is that of `velocity`, which drag has")
                    .key(key)
                    .help("what is perpendicular to the velocity in it counts; default 0, 1, 0"),
            );
        };
        Ok(Reference {
            pressure: above_zero("pressure", &self.pressure)?,
            density: above_zero("density", &self.density)?,
            velocity: scope.numbers("output.reference.velocity", &self.velocity)?,
            area: above_zero("area", &self.area)?,
            length: self
                .length
                .as_ref()
                .map(|length| above_zero("length", length))
                .transpose()?,
            directions: [drag, lift, cross(drag, lift)],
        })
    }
}

/// Columns of every wall.
const FORCES: [(&str, &str); 4] = [("drag", "-"), ("lift", "-"), ("side", "-"), ("friction_drag", "-")];
/// Further columns of no-slip walls.
const OF_STICKING: [(&str, &str); 3] = [("heat", "W"), ("y_plus_mean", "-"), ("y_plus_max", "-")];

/// The series of coefficients.
pub(super) struct Coefficients {
    reference: Reference,
    boundaries: BoundaryFluxes,
    surfaces: Surfaces,
    /// Names and indices of the walls.
    walls: Vec<(String, usize)>,
    /// Those of bodies of several walls, behind all boundaries.
    bodies: Vec<(String, usize)>,
    /// Whether the walls are no-slip walls.
    sticking: bool,
    /// The moments, with the length by which they are divided.
    moments: Option<(Moments, f64)>,
}

impl Coefficients {
    /// Returns the rows of all no-slip walls, or of the slip walls if there are no others; `None` without walls.
    /// Collective.
    pub(super) fn new(solver: &Solver, reference: &Reference, loads: &Loads) -> Option<Self> {
        let all = solver.boundaries.iter().zip(&solver.mesh.boundary_names).enumerate();
        let kept = |keep: &dyn Fn(&Boundary) -> bool| -> Vec<(String, usize)> {
            let walls = all.clone().filter(|(_, (boundary, _))| keep(boundary));
            walls.map(|(number, (_, name))| (name.clone(), number)).collect()
        };
        let no_slip = kept(&|b| b.is_no_slip());
        let sticking = !no_slip.is_empty();
        let walls = if sticking {
            no_slip
        } else {
            kept(&|b| b.wall().is_some())
        };
        let bodies = loads.of_mesh(solver);
        let behind =
            |(number, (name, _)): (usize, &(String, _))| (name.clone(), solver.mesh.boundary_names.len() + number);
        let moments = |length| loads.moments(solver).map(|moments| (moments, length));
        (!walls.is_empty()).then(|| Coefficients {
            reference: reference.clone(),
            boundaries: solver.boundary_fluxes().with_bodies(&bodies),
            bodies: bodies.iter().enumerate().map(behind).collect(),
            moments: reference.length.and_then(moments),
            surfaces: Surfaces::of_solver(solver, |b| sticking && walls.iter().any(|(_, wall)| *wall == b)),
            walls,
            sticking,
        })
    }

    /// Returns whether a wall, not a body, has heat and y+.
    fn has_points(&self, wall: usize) -> bool {
        self.sticking && self.walls.iter().any(|(_, known)| *known == wall)
    }

    /// Returns heat, mean y+ and largest y+ of a wall. Collective.
    fn of_wall(&self, solver: &Solver, wall: usize, points: &[Vec<SurfacePoint>]) -> [f64; 3] {
        let faces = self
            .surfaces
            .faces
            .iter()
            .zip(points)
            .filter(|(f, _)| f.boundary == wall);
        let mut sums: [ExactSum; 3] = Default::default();
        let mut largest = [0.0];
        for (face, points) in faces {
            let weights = solver.elements.face_weights(face.shape);
            let mut of_face = [0.0; 3];
            for (point, weight) in points.iter().zip(weights) {
                let area = weight * length(point.area);
                let y_plus = self.surfaces.y_plus(face, point);
                largest[0] = f64::max(largest[0], y_plus);
                for (sum, value) in of_face.iter_mut().zip([point.heat, y_plus, 1.0]) {
                    *sum += area * value;
                }
            }
            sums.iter_mut().zip(of_face).for_each(|(sum, of_face)| sum.add(of_face));
        }
        let [heat, y_plus, area] = ExactSum::allreduce(&solver.ranks, sums).map(ExactSum::value);
        solver.ranks.allreduce_max(&mut largest);
        [heat, y_plus / area, largest[0]]
    }
}

impl Rows for Coefficients {
    fn name(&self) -> &'static str {
        NAME
    }

    fn columns(&self) -> Columns {
        let mut columns = Columns::new();
        for (name, wall) in self.walls.iter().chain(&self.bodies) {
            let of_moments = self.moments.iter().flat_map(|_| COMPONENTS.map(|what| (what, "-")));
            let of_sticking = OF_STICKING.into_iter().filter(|_| self.has_points(*wall));
            let all = FORCES.into_iter().chain(of_sticking).chain(of_moments);
            columns.extend(all.map(|(what, unit)| (format!("{name}_{what}"), unit)));
        }
        columns
    }

    fn needs_rhs(&self) -> bool {
        true
    }

    fn row(&mut self, context: &mut SampleContext) -> Result<Vec<f64>, OutputError> {
        let solver = &mut *context.solver;
        let fluxes = self.boundaries.take(solver.device.as_mut(), &solver.domain.ranks)?;
        let points = if self.sticking {
            self.surfaces.take(solver.device.as_mut(), &solver.domain.geometry)?
        } else {
            Vec::new()
        };
        let moments = self
            .moments
            .as_ref()
            .map(|(moments, _)| moments.take(solver))
            .transpose()?;
        let unit = self.reference.dynamic_pressure() * self.reference.area;
        let mut row = Vec::new();
        for (_, wall) in self.walls.iter().chain(&self.bodies) {
            let flux = &fluxes[*wall];
            let along = |force: Vector, d: usize| dot(force, self.reference.directions[d]) / unit;
            // Relative to the reference pressure, which alone would exert a force on any open surface.
            let force = minus(flux.force, flux.area.vector.map(|a| self.reference.pressure * a));
            row.extend([0, 1, 2].map(|d| along(force, d)));
            row.push(along(flux.viscous, 0));
            if self.has_points(*wall) {
                row.extend(self.of_wall(solver, *wall, &points));
            }
            if let (Some(of_forces), Some((moments, length))) = (&moments, &self.moments) {
                let of_reference = moments.of_pressure(*wall).map(|m| self.reference.pressure * m);
                row.extend(minus(of_forces[*wall], of_reference).map(|m| m / (unit * length)));
            }
        }
        Ok(row)
    }
}
