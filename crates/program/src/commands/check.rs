//! `fr-les check CASE`: reads and builds all that a run would, and reports mesh, memory, flow, boundaries, modelled
//! walls, turbulent inlets, sponges, time step and costs. It writes nothing. With `--steady` it does so for the steady
//! solution of the case.

use mpi::topology::SimpleCommunicator;

use super::Failure;
use super::describe::describe;
use super::run::{CaseArgs, set_up};
use crate::case::Case;
use crate::device::cuda::Gpu;
use crate::device::{DeviceError, DeviceKind};
use crate::input::Every;
use crate::output::Output;
use crate::ranks::Ranks;
use crate::run::{Restart, RunError, TimeStep, create_outputs, require_checkpoint};
use crate::solver::{Clock, Solver};
use crate::study::RunEnd;

mod bars;
mod boundaries;
mod cost;
mod drift;
mod flow;
mod inlets;
mod phases;
mod schemes;
mod sponges;
pub(super) mod steady;
mod units;
mod walls;

/// The steps of a run, estimated from the initial state.
struct Steps {
    /// Length of a step, in units of time.
    dt: f64,
    /// Number of steps.
    count: u64,
    /// Time that the steps cover.
    span: f64,
}

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
    use_cpu_without_driver(&mut case);
    find_checkpoint(&case, world)?;
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
    let steps = log_steps(&case, &mut solver)?;
    bars::warn(&solver, steps.span, slowest_sound);
    phases::warn(&case, &solver, &steps);
    tracing::info!(
        "mesh    hash {:016x}, volume {:.8e}",
        solver.mesh.hash(),
        solver.geometry.volume
    );
    cost::log(&case, &mut solver, &steps)
}

/// Takes the CPU in place of a GPU if there is none: cases are checked on login nodes of clusters.
fn use_cpu_without_driver(case: &mut Case) {
    if case.solver.device == DeviceKind::Cuda && !Gpu::has_driver() {
        tracing::warn!(
            "device: cuda, but there is no NVIDIA driver here: a run needs one; memory and time below are \
             those of the CPU"
        );
        case.solver.device = DeviceKind::Cpu;
    }
}

/// Refuses a case whose checkpoint is missing. Collective.
fn find_checkpoint(case: &Case, world: &SimpleCommunicator) -> Result<(), Failure> {
    let found = match &case.run.restart {
        Some(Restart::Latest) => {
            let there = require_checkpoint(&case.output.directory);
            there.map_err(|error| case.refuse("restart", error.to_string()).into())
        }
        Some(Restart::File(path)) if !path.exists() => {
            let text = format!("there is no checkpoint or solution {}", path.display());
            Err(case.refuse("restart", text).into())
        }
        _ => Ok(()),
    };
    Ranks::of(world).agree(found, Failure::OnOtherRank)
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

/// Logs the limits of the time step and the approximate number of steps. Collective.
fn log_steps(case: &Case, solver: &mut Solver) -> Result<Steps, DeviceError> {
    let rates = solver.time_step_bounds()?;
    let chosen = |stable: f64| match case.run.step {
        TimeStep::Fixed(dt) => dt,
        TimeStep::Cfl(cfl) => cfl * stable,
    };
    solver.begin(0.0, chosen(solver.stable_step(&rates)));
    let stable = solver.stable_step(&rates);
    let viscous = match solver.gas.viscosity {
        Some(_) => format!("viscous {:.3e}", solver.viscous_step(&rates)),
        None => "no viscous one (inviscid gas)".to_owned(),
    };
    tracing::info!(
        "limits  acoustic {:.3e}, {viscous}: linear stability allows dt = {stable:.3e} at the start",
        solver.acoustic_step(&rates)
    );
    schemes::log(case, solver, &rates)?;
    let dt = chosen(stable);
    let to_end = case.run.end.map(|end| (end / dt).ceil() as u64);
    let count = to_end.into_iter().chain(case.run.steps).min().unwrap_or(0);
    let span = case.run.end.unwrap_or(f64::INFINITY).min(count as f64 * dt);
    let more = match shortened_steps(case, span) {
        0.0 => String::new(),
        stops => format!(", and up to {stops:.0} more where outputs shorten one"),
    };
    tracing::info!("steps   about {count} of dt = {dt:.3e}{more}");
    Ok(Steps { dt, count, span })
}

/// Returns the number of output times at which a step may end early.
fn shortened_steps(case: &Case, span: f64) -> f64 {
    // Checkpoints are written at the end of a step that is not shortened.
    let requests = case.output.requests.iter().map(|request| request.every());
    let stops = requests.filter_map(|every| match every {
        Every::Time(period) => Some((span / period).floor()),
        Every::Steps(_) => None,
    });
    stops.sum()
}
