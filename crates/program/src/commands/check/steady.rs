//! `fr-les check CASE --steady`: what the steady solution of a case would take.

use mpi::topology::SimpleCommunicator;
use serde::Serialize;

use super::before::{find_checkpoint, use_cpu_without_driver};
use super::start::Start;
use crate::case::Case;
use crate::commands::Failure;
use crate::commands::inputs::require_inputs_elsewhere;
use crate::commands::steady::{accepted, located};
use crate::format::{duration, short, size};
use crate::io::{Quantity, Writer};
use crate::output::Output;
use crate::run::AllSettings;
use crate::steady::{self, Examination};

/// What the steady solution would be.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::commands) struct SteadyChecked {
    pub(super) title: String,
    #[serde(flatten)]
    pub(super) start: Start,
    /// Vertices, points and model in words.
    description: String,
    /// The mixing planes in words.
    mixing_planes: Vec<String>,
    vertices: u64,
    edges_of_a_vertex: f64,
    /// Distance of the first points off no-slip walls; `None` without walls.
    first_points: Option<Quantity>,
    memory: Quantity,
    /// The residual of the density over its largest value at which it ends.
    residual: f64,
    /// The change of the forces over 200 steps at which it ends.
    force: Option<f64>,
    /// The CFL number of the steps that are timed.
    #[serde(skip)]
    first_cfl: f64,
    most_iterations: u64,
    wall_clock_at_most: Quantity,
    wall_clock_per_step: Quantity,
    outputs: Vec<String>,
    profiles: Vec<String>,
}

/// Reports the steady solution that a case describes, and returns its outputs and what is reported. Collective.
///
/// # Errors
/// The case cannot be set up or asks for what the steady solution does not have, or the device fails.
pub(in crate::commands) fn examine(
    case: &mut Case,
    world: &SimpleCommunicator,
) -> Result<(Vec<Box<dyn Output>>, SteadyChecked), Failure> {
    tracing::info!("{}", case.title);
    use_cpu_without_driver(case);
    find_checkpoint(case, world)?;
    let settings = accepted(case)?;
    require_inputs_elsewhere(case, Writer::Steady, world)?;
    let run = AllSettings {
        solver: &case.solver,
        output: &case.output,
        run: &case.run,
    };
    let mut solver = steady::solver_at_start(run, world).map_err(|error| located(case, error))?;
    let start = Start::of(&mut solver, &case.solver.boundaries)?;
    let found = steady::examine(run, settings, world, solver).map_err(|error| located(case, error))?;
    let Examination {
        outputs: written,
        description,
        planes: mixing_planes,
        vertices,
        edges_of_a_vertex,
        bytes,
        seconds,
        nearest,
    } = found;
    let control = settings.first_control();
    let checked = SteadyChecked {
        title: case.title.clone(),
        start,
        description,
        mixing_planes,
        vertices,
        edges_of_a_vertex,
        first_points: nearest.is_finite().then(|| Quantity::new(nearest, "m")),
        memory: Quantity::new(bytes as f64, "bytes"),
        residual: control.residual,
        force: control.force,
        first_cfl: control.cfl_start,
        most_iterations: settings.iterations,
        wall_clock_at_most: Quantity::new(seconds * settings.iterations as f64, "s"),
        wall_clock_per_step: Quantity::new(seconds, "s"),
        outputs: case.output.requests.iter().map(|request| request.label()).collect(),
        profiles: settings.profiles.iter().map(|profile| profile.name.clone()).collect(),
    };
    Ok((written, checked))
}

impl SteadyChecked {
    /// Logs what the solution would take and when it would end.
    pub fn log(&self) {
        tracing::info!(
            "steady  {}, {:.1} edges a vertex",
            self.description,
            self.edges_of_a_vertex
        );
        for plane in &self.mixing_planes {
            tracing::info!("        mixing plane {plane}");
        }
        if let Some(nearest) = &self.first_points {
            tracing::info!(
                "        the first points off no-slip walls are {} away and more",
                short(nearest.value)
            );
        }
        tracing::info!(
            "memory  {}: {:.0} bytes a vertex",
            size(self.memory.value),
            self.memory.value / self.vertices as f64
        );
        let forces = self.force.map_or_else(String::new, |force| {
            format!(
                ", or when the forces change by less than {} of their size over 200 steps",
                short(force)
            )
        });
        tracing::info!(
            "end     when the residual of the density has fallen to {} of its largest value{forces}, or after {} steps",
            short(self.residual),
            self.most_iterations
        );
        tracing::info!(
            "cost    at most {} for {} steps of {} each, timed here with a CFL number of {}",
            duration(self.wall_clock_at_most.value),
            self.most_iterations,
            duration(self.wall_clock_per_step.value),
            short(self.first_cfl)
        );
        for (what, names) in [("outputs", &self.outputs), ("profile", &self.profiles)] {
            if !names.is_empty() {
                tracing::info!("{what:<7} {}: once, of the solution", names.join(", "));
            }
        }
    }
}
