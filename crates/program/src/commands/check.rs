//! `fr-les check CASE`: reads and builds all that a run would, and reports mesh, memory, flow, boundaries, modelled
//! walls, turbulent inlets, sponges, time step and costs. It writes nothing. With `--steady` it does so for the steady
//! solution of the case. What it reports is in structures, which are logged as they are found and printed as JSON.

use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;
use serde::Serialize;

use super::Failure;
use super::describe::{Description, describe};
use super::json::{Form, FormArgs, print_json};
use super::run::{CaseArgs, set_up};
use crate::case::Case;
use crate::device::cuda::Gpu;
use crate::device::{DeviceError, DeviceKind, TimeStepBounds};
use crate::input::Every;
use crate::io::Quantity;
use crate::log;
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
mod walls;

use cost::Cost;
use drift::Settling;
use flow::Flow;
use inlets::TurbulentInlet;
use schemes::SchemeCost;
use sponges::SpongeFacts;
use walls::ModelledWall;

/// What a run would be.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Checked {
    title: String,
    run: Description,
    flow: Flow,
    boundaries: Vec<boundaries::Row>,
    modelled_walls: Vec<ModelledWall>,
    settling: Option<Settling>,
    turbulent_inlets: Vec<TurbulentInlet>,
    sponges: Vec<SpongeFacts>,
    limits: Limits,
    schemes: Vec<SchemeCost>,
    steps: Steps,
    mesh_hash: String,
    volume: Quantity,
    cost: Cost,
}

impl Checked {
    /// Returns the estimate of the seconds of all steps.
    pub fn seconds(&self) -> f64 {
        self.cost.wall_clock.value
    }
}

/// The limits of the time step in the initial state.
#[derive(Debug, Serialize)]
struct Limits {
    acoustic: Quantity,
    /// `None` in an inviscid gas.
    viscous: Option<Quantity>,
    /// The largest step that linear stability allows.
    stable: Quantity,
}

/// The steps of a run, estimated from the initial state.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Steps {
    /// Length of a step, in units of time.
    dt: Quantity,
    /// Number of steps.
    count: u64,
    /// Number of output times at which a step may end early.
    at_most_more: f64,
    /// Time that the steps cover.
    span: Quantity,
}

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
/// The case is wrong or cannot be set up, its checkpoint is missing, or the device fails.
pub fn run(args: &CheckArgs, world: &SimpleCommunicator) -> Result<(), Failure> {
    let mut case = args.case.read_on_ranks(world)?;
    if args.steady {
        let (_, checked) = steady::examine(&mut case, world)?;
        print(args.form(), world, &checked);
    } else {
        let checked = examine(case, world, |_, _| Ok(()))?;
        print(args.form(), world, &checked);
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
/// The case cannot be set up, its checkpoint is missing, `require` fails, or the device fails.
pub(super) fn examine(
    mut case: Case,
    world: &SimpleCommunicator,
    require: impl FnOnce(&[Box<dyn Output>], RunEnd) -> Result<(), Failure>,
) -> Result<Checked, Failure> {
    tracing::info!("{}", case.title);
    use_cpu_without_driver(&mut case);
    find_checkpoint(&case, world)?;
    let mut solver = set_up(&case, world)?;
    let end = end_of_run(&case, &mut solver)?;
    require(&try_outputs(&case, &mut solver)?, end)?;
    let run = describe(&case, &mut solver, world)?;
    let flow = Flow::of(&solver)?;
    flow.log();
    let boundaries = boundaries::log(&mut solver)?;
    let modelled_walls = walls::log(&mut solver, |boundary| boundaries[boundary].area)?;
    let settling = drift::settling(&solver, &boundaries);
    settling.iter().for_each(Settling::log);
    let turbulent_inlets = inlets::log(&solver);
    let sponges = sponges::log(&solver);
    let (limits, rates) = limits(&case, &mut solver)?;
    limits.log();
    let schemes = schemes::log(&case, &mut solver, &rates)?;
    let steps = Steps::of(&case, limits.stable.value);
    steps.log();
    bars::warn(&solver, steps.span.value, flow.slowest_sound());
    phases::warn(&case, &solver, &steps);
    let mesh_hash = format!("{:016x}", solver.mesh.hash());
    let volume = Quantity::new(solver.geometry.volume, "m^3");
    tracing::info!("mesh    hash {mesh_hash}, volume {:.8e}", volume.value);
    let cost = cost::log(&case, &mut solver, &steps)?;
    Ok(Checked {
        title: case.title,
        run,
        flow,
        boundaries,
        modelled_walls,
        settling,
        turbulent_inlets,
        sponges,
        limits,
        schemes,
        steps,
        mesh_hash,
        volume,
        cost,
    })
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

/// Returns the step that a case takes where this one is stable.
fn chosen(case: &Case, stable: f64) -> f64 {
    match case.run.step {
        TimeStep::Fixed(dt) => dt,
        TimeStep::Cfl(cfl) => cfl * stable,
    }
}

/// Returns the limits of the time step, and the rates from which they come. Collective.
fn limits(case: &Case, solver: &mut Solver) -> Result<(Limits, TimeStepBounds), DeviceError> {
    let rates = solver.time_step_bounds()?;
    solver.begin(0.0, chosen(case, solver.stable_step(&rates)));
    let seconds = |time: f64| Quantity::new(time, "s");
    let limits = Limits {
        acoustic: seconds(solver.acoustic_step(&rates)),
        viscous: solver
            .gas
            .viscosity
            .is_some()
            .then(|| seconds(solver.viscous_step(&rates))),
        stable: seconds(solver.stable_step(&rates)),
    };
    Ok((limits, rates))
}

impl Limits {
    fn log(&self) {
        let viscous = match &self.viscous {
            Some(viscous) => format!("viscous {:.3e}", viscous.value),
            None => "no viscous one (inviscid gas)".to_owned(),
        };
        tracing::info!(
            "limits  acoustic {:.3e}, {viscous}: linear stability allows dt = {:.3e} at the start",
            self.acoustic.value,
            self.stable.value
        );
    }
}

impl Steps {
    /// Returns the approximate number of steps, where the initial state allows steps of this length.
    fn of(case: &Case, stable: f64) -> Self {
        let dt = chosen(case, stable);
        let to_end = case.run.end.map(|end| (end / dt).ceil() as u64);
        let count = to_end.into_iter().chain(case.run.steps).min().unwrap_or(0);
        let span = case.run.end.unwrap_or(f64::INFINITY).min(count as f64 * dt);
        Steps {
            dt: Quantity::new(dt, "s"),
            count,
            at_most_more: shortened_steps(case, span),
            span: Quantity::new(span, "s"),
        }
    }

    fn log(&self) {
        let more = match self.at_most_more {
            0.0 => String::new(),
            stops => format!(", and up to {stops:.0} more where outputs shorten one"),
        };
        tracing::info!("steps   about {} of dt = {:.3e}{more}", self.count, self.dt.value);
    }
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
