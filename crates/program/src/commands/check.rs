//! `fr-les check CASE`: reads and builds all that a run would, and reports mesh, memory, flow, boundaries, modelled
//! walls, turbulent inlets, sponges, time step and costs. It writes nothing. With `--steady` it does so for the steady
//! solution of the case. What it reports is in structures, which are logged as they are found and printed as JSON.
//! Without `--long` the log is held back, and a summary of a run in time is logged at the end, with the warnings last.

use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;
use serde::Serialize;

use super::Failure;
use super::describe::describe;
use super::json::{Form, FormArgs, print_json};
use super::run::{CaseArgs, set_up};
use crate::case::Case;
use crate::device::DeviceError;
use crate::io::Quantity;
use crate::log;
use crate::output::Output;
use crate::run::{RunError, TimeStep, create_outputs};
use crate::solver::{Clock, HangingNodes, Solver};
use crate::study::RunEnd;

mod bars;
mod before;
mod boundaries;
mod checked;
mod cost;
mod drift;
mod extent;
mod flow;
mod frame;
mod inlets;
mod interfaces;
mod phases;
mod scalars;
mod schemes;
mod short;
mod spectrum;
mod sponges;
mod start;
pub(super) mod steady;
mod steps;
mod units;
mod walls;
mod whole;

use checked::Checked;
use drift::Settling;
use start::Start;
use steps::{Steps, limits};

/// A check with the warnings of its log.
#[derive(Serialize)]
struct WithWarnings<'a, T> {
    #[serde(flatten)]
    checked: &'a T,
    warnings: Vec<String>,
}

/// Arguments of `fr-les check`.
#[derive(Debug, clap::Args)]
pub struct CheckArgs {
    #[command(flatten)]
    case: CaseArgs,
    /// Report the steady solution that the section `steady` describes, in place of the run in time
    #[arg(long)]
    steady: bool,
    /// Print all that is known of a run, as it is found: scheme, memory, ranges of the flow, table of boundaries,
    /// limits of the step, cost of each time scheme
    #[arg(long)]
    pub long: bool,
    #[command(flatten)]
    form: FormArgs,
}

impl CheckArgs {
    /// Returns the form of the result.
    pub fn form(&self) -> Form {
        self.form.form()
    }
}

/// Reports the run that the case describes on the ranks of `world`, or its steady solution. Collective.
///
/// # Errors
/// The case is wrong or cannot be set up, a run would refuse what it continues from, or the device fails.
pub fn run(args: &CheckArgs, world: &SimpleCommunicator) -> Result<(), Failure> {
    let mut case = args.case.read_on_ranks(world)?;
    if args.steady {
        let hides = !args.long && args.form() == Form::Text;
        if hides {
            log::hold();
        }
        let examined = steady::examine(&mut case, world);
        log::release();
        if let Ok((_, checked)) = &examined {
            if hides {
                short::log_start(&checked.title, &checked.start);
            }
            checked.log();
        }
        if hides {
            short::log_warnings();
        }
        let (_, checked) = examined?;
        print(args.form(), world, &checked);
    } else if args.long || args.form() == Form::Json {
        let checked = examine(case, world, |_, _| Ok(()))?;
        print(args.form(), world, &checked);
    } else {
        log::hold();
        let checked = examine(case, world, |_, _| Ok(()));
        log::release();
        checked.iter().for_each(short::log);
        short::log_warnings();
        checked?;
    }
    tracing::info!("ok");
    Ok(())
}

/// Prints what was found as JSON, if it is asked for, on the first rank. As text it is in the log already.
fn print(form: Form, world: &SimpleCommunicator, checked: &impl Serialize) {
    if form == Form::Json && world.rank() == 0 {
        let warnings = log::warnings();
        print_json("check", &WithWarnings { checked, warnings });
    }
}

/// Reports the run of a case, whose outputs and end must pass `require`, and returns what it would be. Collective.
///
/// # Errors
/// The case cannot be set up, what it continues from is missing or cannot be used, `require` fails, or the device
/// fails.
pub(super) fn examine(
    mut case: Case,
    world: &SimpleCommunicator,
    require: impl FnOnce(&[Box<dyn Output>], RunEnd) -> Result<(), Failure>,
) -> Result<Checked, Failure> {
    tracing::info!("{}", case.title);
    before::use_cpu_without_driver(&mut case);
    before::find_checkpoint(&case, world)?;
    let mut solver = set_up(&case, world)?;
    let begin = before::beginning(&case, &mut solver, world)?;
    let end = end_of_run(&case, &mut solver)?;
    let outputs = try_outputs(&case, &mut solver, &begin.clock)?;
    let series = begin.require_series(&outputs, &case.output.directory, world);
    series.map_err(|e| case.locate_run(e).map_or_else(Failure::from, Failure::from))?;
    require(&outputs, end)?;
    drop(outputs);
    let run = describe(&case, &mut solver, world)?;
    let start = Start::of(&mut solver, &case.solver.boundaries)?;
    spectrum::warn(&case);
    let modelled_walls = walls::log(&mut solver, |boundary| start.boundaries[boundary].area)?;
    let settling = drift::settling(&solver, &start.boundaries);
    settling.iter().for_each(Settling::log);
    let turbulent_inlets = inlets::log(&solver);
    let scalars = scalars::log(&case, &solver);
    let sponges = sponges::log(&solver);
    let interfaces = interfaces::of(&solver);
    let hanging_nodes = HangingNodes::of(&solver.mesh, &solver.ranks);
    let (limits, rates) = limits(&case, &mut solver)?;
    limits.log();
    let schemes = schemes::log(&case, &mut solver, &rates)?;
    let steps = Steps::of(&case, &begin.clock, &limits);
    steps.log();
    steps.warn_of_outputs(&case);
    bars::warn(&solver, steps.span.value, start.flow.slowest_sound());
    frame::warn(case.solver.frame.as_ref(), &solver, &steps, start.flow.slowest_sound());
    phases::warn(&case, &solver, &steps);
    let mesh_hash = format!("{:016x}", solver.mesh.hash());
    let volume = Quantity::new(solver.geometry.volume, "m^3");
    tracing::info!("mesh    hash {mesh_hash}, volume {:.8e}", volume.value);
    let cost = cost::log(&case, &mut solver, &steps)?;
    Ok(Checked {
        title: case.title,
        run,
        start,
        modelled_walls,
        settling,
        turbulent_inlets,
        scalars,
        sponges,
        interfaces,
        hanging_nodes,
        limits,
        schemes,
        steps,
        mesh_hash,
        volume,
        cost,
    })
}

/// Returns the end of a run, by the steps that its initial state allows. Collective.
fn end_of_run(case: &Case, solver: &mut Solver) -> Result<RunEnd, DeviceError> {
    let rates = solver.time_step_bounds()?;
    let by_steps = case.run.steps.map(|steps| match case.run.step {
        TimeStep::Fixed(dt) => RunEnd::At(steps as f64 * dt),
        // By the waves with any limit: an estimate.
        TimeStep::Cfl(cfl) => RunEnd::About(steps as f64 * cfl * solver.stable_step(&rates)),
    });
    Ok(RunEnd::of_run(case.run.end, by_steps))
}

/// Creates all outputs, as a run does, to find what the mesh does not have. Collective.
fn try_outputs(case: &Case, solver: &mut Solver, begin: &Clock) -> Result<Vec<Box<dyn Output>>, Failure> {
    let outputs = create_outputs(&case.output, &case.run, solver, begin);
    let outputs = outputs.map_err(RunError::from);
    outputs.map_err(|e| case.locate_run(e).map_or_else(Failure::from, Failure::from))
}
