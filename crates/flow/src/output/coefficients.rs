//! The series coefficients.csv beside that of the boundaries: coefficients of forces, heat, and y+ of walls.

use super::error::OutputError;
use super::interface::{Columns, SampleContext};
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
        ("output.reference".to_owned(), format!("{self:?}"))
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
    /// Whether they are no-slip walls.
    sticking: bool,
}

impl Coefficients {
    /// Returns the rows of all no-slip walls, or of the slip walls if there are no others; `None` without walls.
    /// Collective.
    pub(super) fn new(solver: &Solver, reference: &Reference) -> Option<Self> {
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
        (!walls.is_empty()).then(|| Coefficients {
            reference: reference.clone(),
            boundaries: solver.boundary_fluxes(),
            surfaces: Surfaces::of_solver(solver, |b| sticking && walls.iter().any(|(_, wall)| *wall == b)),
            walls,
            sticking,
        })
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
        for (name, _) in &self.walls {
            let more = if self.sticking { &OF_STICKING[..] } else { &[] };
            let of_wall = FORCES.iter().chain(more);
            columns.extend(of_wall.map(|(what, unit)| (format!("{name}_{what}"), *unit)));
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
        let unit = self.reference.dynamic_pressure() * self.reference.area;
        let mut row = Vec::new();
        for (_, wall) in &self.walls {
            let flux = &fluxes[*wall];
            let along = |force: Vector, d: usize| dot(force, self.reference.directions[d]) / unit;
            // Relative to the reference pressure, which alone would exert a force on any open surface.
            let force = minus(flux.force, flux.area.vector.map(|a| self.reference.pressure * a));
            row.extend([0, 1, 2].map(|d| along(force, d)));
            row.push(along(flux.viscous, 0));
            if self.sticking {
                row.extend(self.of_wall(solver, *wall, &points));
            }
        }
        Ok(row)
    }
}
