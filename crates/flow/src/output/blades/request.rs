//! The settings of a distribution along a wall.

use super::section::Section;
use super::stations::Stations;
use crate::input::Every;
use crate::output::error::OutputError;
use crate::output::request::Phases;
use crate::output::surface_points::Surfaces;
use crate::solver::Solver;

/// The key.
pub const NAME: &str = "blades";

/// The distribution along one wall that a case asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct BladeRequest {
    /// Name.
    pub name: String,
    /// Name of the boundary.
    pub boundary: String,
    /// Time from which on the state is sampled.
    pub from: f64,
    /// The period of the samples.
    pub every: Every,
    /// Total pressure of the inlet.
    pub total_pressure: f64,
    /// Static pressure of the exit.
    pub pressure: f64,
    /// Total temperature of the inlet.
    pub total_temperature: Option<f64>,
    /// The place where the two sides begin.
    pub leading_edge: Option<[f64; 2]>,
    /// The sections, if the wall is cut.
    pub sections: Vec<Section>,
    /// The cascade of which the blade is one.
    pub cascade: Option<CascadeRequest>,
    /// The phases at which means are taken, if they are.
    pub phase: Option<Phases>,
}

/// What is known of a cascade besides its blade.
#[derive(Debug, Clone, PartialEq)]
pub struct CascadeRequest {
    /// Distance of the blades in y.
    pub pitch: f64,
    /// Angles of the flow at the inlet and the exit from x, in radians.
    pub angles: [f64; 2],
}

impl CascadeRequest {
    /// Returns Zweifel's number of the angles for an extent of the blade in x:
    /// 2 pitch/chord cos^2(a2) (tan(a1) + tan(a2)) (O. Zweifel, Brown Boveri Review 32, 1945, 436-444).
    pub fn zweifel(&self, chord: f64) -> f64 {
        let [inlet, exit] = self.angles;
        2.0 * self.pitch / chord * exit.cos().powi(2) * (inlet.tan() + exit.tan())
    }
}

/// A curve that has a distribution: the whole wall, or one of its sections.
#[derive(Debug)]
pub struct Part {
    /// The name of its results and, after `blade_`, of its files.
    pub name: String,
    /// Its stations.
    pub stations: Stations,
}

impl BladeRequest {
    /// Returns the names of the parts: that of the wall, or that with the number of each section.
    pub fn names(&self) -> Vec<String> {
        match self.sections.len() {
            0 => vec![self.name.clone()],
            count => (1..=count)
                .map(|number| format!("{}.section-{number}", self.name))
                .collect(),
        }
    }

    /// Returns the names of the files of a part: that of the distribution and, if means are taken at phases, that of
    /// these.
    pub fn files(&self, part: &str) -> Vec<String> {
        let ends = [Some(".csv"), self.phase.map(|_| ".phase.csv")].into_iter().flatten();
        ends.map(|end| format!("blade_{part}{end}")).collect()
    }

    /// Finds the faces of the wall and the stations of its parts. Collective.
    ///
    /// # Errors
    /// The wall is not extruded along z although it has no sections, is not one curve, does not reach a section, or has
    /// a leading edge although it is open.
    pub fn parts(&self, solver: &Solver) -> Result<(Surfaces, Vec<Part>), OutputError> {
        let names = &solver.mesh.boundary_names;
        let surfaces = Surfaces::of_solver(solver, |b| names[b] == self.boundary);
        let key = |part: &str| format!("output.{NAME}.{}.{part}", self.name);
        let faces = &surfaces.faces;
        let stations = |number: usize| match self.sections.get(number) {
            None => Stations::new(solver, faces, &key("boundary"), &self.boundary),
            Some(section) => {
                let list = match section {
                    Section::Plane(_) => "spans",
                    Section::Cylinder(..) => "radii",
                };
                let key = key(&format!("{list}[{number}]"));
                Stations::of_section(solver, faces, section, &key, &self.boundary)
            }
        };
        let numbered = self.names().into_iter().enumerate();
        let parts: Result<Vec<Part>, OutputError> = numbered
            .map(|(number, name)| stations(number).map(|stations| Part { name, stations }))
            .collect();
        let parts = parts?;
        if self.leading_edge.is_some() && parts.iter().any(|part| !part.stations.curve.closed) {
            let what = format!(
                "the boundary `{}` has two ends, between which it has one side: remove `leading-edge`",
                self.boundary
            );
            let key = key("leading-edge");
            return Err(OutputError::Refused { key, what });
        }
        Ok((surfaces, parts))
    }
}
