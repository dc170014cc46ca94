//! `fr-les check CASE --steady`: what the steady solution of a case would take.

use mpi::topology::SimpleCommunicator;

use super::before::{find_checkpoint, use_cpu_without_driver};
use crate::case::Case;
use crate::commands::Failure;
use crate::commands::steady::{accepted, located};
use crate::format::{duration, short, size};
use crate::output::Output;
use crate::run::AllSettings;
use crate::steady::{self, Examination};

/// Reports the steady solution that a case describes, and returns its outputs. Collective.
///
/// # Errors
/// The case cannot be set up or asks for what the steady solution does not have, or the device fails.
pub(in crate::commands) fn examine(
    case: &mut Case,
    world: &SimpleCommunicator,
) -> Result<Vec<Box<dyn Output>>, Failure> {
    tracing::info!("{}", case.title);
    use_cpu_without_driver(case);
    find_checkpoint(case, world)?;
    let settings = accepted(case)?;
    let run = AllSettings {
        solver: &case.solver,
        output: &case.output,
        run: &case.run,
    };
    let found = steady::examine(run, settings, world).map_err(|error| located(case, error))?;
    let Examination {
        outputs: written,
        description,
        vertices,
        edges_of_a_vertex,
        bytes,
        seconds,
        nearest,
    } = found;
    tracing::info!("steady  {description}, {edges_of_a_vertex:.1} edges a vertex");
    if nearest.is_finite() {
        tracing::info!(
            "        the first points off no-slip walls are {} away and more",
            short(nearest)
        );
    }
    tracing::info!(
        "memory  {}: {:.0} bytes a vertex",
        size(bytes as f64),
        bytes as f64 / vertices as f64
    );
    let control = settings.first_control();
    let forces = control.force.map_or_else(String::new, |force| {
        format!(
            ", or when the forces change by less than {} of their size over 200 steps",
            short(force)
        )
    });
    tracing::info!(
        "end     when the residual of the density has fallen to {} of its largest value{forces}, or after {} steps",
        short(control.residual),
        settings.iterations
    );
    tracing::info!(
        "cost    at most {} for {} steps of {} each, timed here with a CFL number of {}",
        duration(seconds * settings.iterations as f64),
        settings.iterations,
        duration(seconds),
        short(control.cfl_start)
    );
    let outputs: Vec<String> = case.output.requests.iter().map(|request| request.label()).collect();
    let profiles: Vec<&str> = settings.profiles.iter().map(|profile| profile.name.as_str()).collect();
    for (what, names) in [("outputs", outputs.join(", ")), ("profile", profiles.join(", "))] {
        if !names.is_empty() {
            tracing::info!("{what:<7} {names}: once, of the solution");
        }
    }
    Ok(written)
}
