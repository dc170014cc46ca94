//! `fr-les check CASE`: reads and builds all that a run would, and reports mesh, memory, flow, boundaries, modelled
//! walls, turbulent inlets, sponges, time step and costs. It writes nothing. With `--steady` it does so for the steady
//! solution of the case.

use mpi::topology::SimpleCommunicator;

use super::Failure;
use super::describe::describe;
use super::run::{CaseArgs, set_up};
use crate::case::Case;
use crate::device::DeviceError;
use crate::output::Output;
use crate::run::{RunError, TimeStep, create_outputs};
use crate::solver::{Clock, Solver};
use crate::study::RunEnd;

mod bars;
mod before;
mod boundaries;
mod cost;
mod drift;
mod flow;
mod inlets;
mod phases;
mod schemes;
mod sponges;
pub(super) mod steady;
mod steps;
mod walls;

/// Arguments of `fr-les check`.
#[derive(Debug, clap::Args)]
pub struct CheckArgs {
    #[command(flatten)]
    case: CaseArgs,
    /// Report the steady solution that the section `steady` describes, in place of the run in time
    #[arg(long)]
    steady: bool,
}

/// Reports the run that the case describes on the ranks of `world`, or its steady solution. Collective.
///
/// # Errors
/// The case is wrong or cannot be set up, its checkpoint is missing, or the device fails.
pub fn run(args: &CheckArgs, world: &SimpleCommunicator) -> Result<(), Failure> {
    let mut case = args.case.read_on_ranks(world)?;
    if args.steady {
        steady::examine(&mut case, world).map(|_| ())?
    } else {
        examine(case, world, |_, _| Ok(())).map(|_| ())?
    }
    tracing::info!("ok");
    Ok(())
}

/// Reports the run of a case, whose outputs and end must pass `require`, and returns the estimate of its seconds.
/// Collective.
///
/// # Errors
/// The case cannot be set up, its checkpoint is missing, `require` fails, or the device fails.
pub(super) fn examine(
    mut case: Case,
    world: &SimpleCommunicator,
    require: impl FnOnce(&[Box<dyn Output>], RunEnd) -> Result<(), Failure>,
) -> Result<f64, Failure> {
    tracing::info!("{}", case.title);
    before::use_cpu_without_driver(&mut case);
    before::find_checkpoint(&case, world)?;
    let mut solver = set_up(&case, world)?;
    let end = end_of_run(&case, &mut solver)?;
    require(&try_outputs(&case, &mut solver)?, end)?;
    describe(&case, &mut solver, world)?;
    let slowest_sound = flow::log(&solver)?;
    let boundaries = boundaries::log(&mut solver)?;
    walls::log(&mut solver, |boundary| boundaries[boundary].area)?;
    drift::log(&solver, &boundaries);
    inlets::log(&solver);
    sponges::log(&solver);
    let steps = steps::log(&case, &mut solver)?;
    bars::warn(&solver, steps.span, slowest_sound);
    phases::warn(&case, &solver, &steps);
    tracing::info!(
        "mesh    hash {:016x}, volume {:.8e}",
        solver.mesh.hash(),
        solver.geometry.volume
    );
    cost::log(&case, &mut solver, &steps)
}

/// Returns the end of a run, by the steps that its initial state allows. Collective.
fn end_of_run(case: &Case, solver: &mut Solver) -> Result<RunEnd, DeviceError> {
    let rates = solver.time_step_bounds()?;
    let by_steps = case.run.steps.map(|steps| match case.run.step {
        TimeStep::Fixed(dt) => RunEnd::At(steps as f64 * dt),
        TimeStep::Cfl(cfl) => RunEnd::About(steps as f64 * cfl * solver.stable_step(&rates)),
    });
    Ok(RunEnd::of_run(case.run.end, by_steps))
}

/// Creates all outputs, as a run does, to find what the mesh does not have. Collective.
fn try_outputs(case: &Case, solver: &mut Solver) -> Result<Vec<Box<dyn Output>>, Failure> {
    let outputs = create_outputs(&case.output, &case.run, solver, &Clock::default());
    let outputs = outputs.map_err(RunError::from);
    outputs.map_err(|e| case.locate_run(e).map_or_else(Failure::from, Failure::from))
}
