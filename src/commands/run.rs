//! `fr-les run.yaml`: the run itself, from the case file to the closing lines of the log.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use mpi::topology::SimpleCommunicator;
use thiserror::Error;

use crate::case::{self, Case};
use crate::device::DeviceError;
use crate::device::Precision;
use crate::geometry::GeometryError;
use crate::io::{self, Provenance};
use crate::mesh::partition::Report;
use crate::output;
use crate::ranks::Ranks;
use crate::run::{AllSettings, Outcome, Progress, Run, RunError, Stop, TimeStep};
use crate::solver::{SetupError, Solver, StepError};
use crate::words::shown;

/// Arguments of a run.
#[derive(Debug, clap::Args)]
pub struct RunArgs {
    /// Case file
    pub case: PathBuf,
    /// Override a key of the case file, e.g. --set time.end=1.0 (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub overrides: Vec<String>,
    /// CPU threads; all cores if neither this nor the case says otherwise
    #[arg(long, allow_negative_numbers = true)]
    pub threads: Option<usize>,
    /// On a GPU, launch every kernel on its own instead of replaying a recorded time step
    #[arg(long)]
    pub no_graph: bool,
    /// Print a hash of the final state
    #[arg(long)]
    pub hash: bool,
}

/// Why a command failed; each kind has its own exit code.
#[derive(Debug, Error)]
pub enum Failure {
    /// The case file is wrong.
    #[error(transparent)]
    Case(#[from] case::Error),
    /// The case cannot be set up.
    #[error("error: {0}")]
    Setup(#[from] SetupError),
    /// The run ended early.
    #[error("error: {0}")]
    Run(#[from] RunError),
    /// A step failed.
    #[error("error: {0}")]
    Step(#[from] StepError),
    /// The device failed.
    #[error("error: device: {0}")]
    Device(#[from] DeviceError),
    /// A file could not be read or written.
    #[error("error: {0}")]
    Io(#[from] io::Error),
    /// Signals cannot be caught.
    #[error("error: cannot install signal handlers: {0}")]
    Signals(std::io::Error),
    /// Another rank failed, and says why.
    #[error("error: rank {0} cannot read the case")]
    Elsewhere(usize),
    /// Arguments that do not go together.
    #[error("error: {0}")]
    Argument(String),
}

impl Failure {
    /// Exit code: 2 bad input, 3 diverged, 1 anything else.
    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::Case(_) | Failure::Setup(_) | Failure::Elsewhere(_) | Failure::Argument(_) => 2,
            // A state that is unphysical before the first step was asked for.
            Failure::Run(RunError::Diverged { step: 0, .. } | RunError::DivergedElsewhere { step: 0 }) => 2,
            Failure::Run(RunError::Diverged { .. } | RunError::DivergedElsewhere { .. }) => 3,
            Failure::Run(RunError::Restart(_)) => 2,
            _ => 1,
        }
    }

    /// Whether another rank failed and says why.
    pub fn elsewhere(&self) -> bool {
        matches!(
            self,
            Failure::Elsewhere(_)
                | Failure::Setup(SetupError::Elsewhere(_) | SetupError::Geometry(GeometryError::Elsewhere(_)))
                | Failure::Run(RunError::OnOtherRank | RunError::DivergedElsewhere { .. })
                | Failure::Run(
                    RunError::Io(io::Error::Elsewhere { .. }) | RunError::Restart(io::Error::Elsewhere { .. })
                )
        )
    }

    /// Whether this rank failed on its own, while the others go on and wait for it.
    pub fn alone(&self) -> bool {
        matches!(
            self,
            Failure::Device(_) | Failure::Run(RunError::Device(_) | RunError::Stopped { .. })
        )
    }
}

/// Sets up a case of a file on the ranks of `world`; what only the mesh brings to light is said with the line of the case that it is
/// about. Collective.
pub(super) fn set_up(case: &Case, world: &SimpleCommunicator) -> Result<Solver, Failure> {
    if case.output.writes() {
        // Setting up may take long, and `check` writes nothing by which it would find out.
        let checked = io::check_directory(&case.output.directory);
        let checked = checked.map_err(|e| case.refuse("output.directory", e.to_string()).into());
        Ranks::of(world).agree(checked, Failure::Elsewhere)?;
    }
    Solver::on_ranks(&case.solver, world).map_err(|e| case.locate_setup(e).map_or_else(Failure::from, Failure::from))
}

impl RunArgs {
    /// Reads the case with all overrides.
    pub fn read_case(&self) -> Result<Case, Failure> {
        let mut overrides = self.overrides.clone();
        overrides.extend(self.threads.map(|t| format!("threads={t}")));
        let mut case = Case::read(&self.case, &overrides)?;
        case.solver.graph = !self.no_graph;
        if case.title.is_empty() {
            case.title = self.case.display().to_string();
        }
        Ok(case)
    }

    /// The same on all ranks. Collective: all succeed, or none.
    pub fn read_on_ranks(&self, world: &SimpleCommunicator) -> Result<Case, Failure> {
        Ranks::of(world).agree(self.read_case(), Failure::Elsewhere)
    }
}

/// Sets up the case, runs it, and returns the exit code: 0 done, 4 interrupted.
/// What [`stop_flag`] returned is handed over: it is asked for before MPI starts, which takes a while.
pub fn run(args: &RunArgs, world: &SimpleCommunicator, flag: std::io::Result<Arc<AtomicBool>>) -> Result<u8, Failure> {
    let begin = Instant::now();
    let flag = flag.map_err(Failure::Signals)?;
    let case = args.read_on_ranks(world)?;
    let stop = Stop {
        flag,
        deadline: case.run.wall_clock.and_then(|limit| begin.checked_add(limit)),
    };
    tracing::info!("{}", case.title);
    let mut solver = set_up(&case, world)?;
    describe(&case, &mut solver, world)?;

    let provenance = Provenance {
        title: case.title.clone(),
        case_text: case.text.clone(),
        mesh_hash: solver.mesh.hash(),
        device: solver.device.describe(),
        precision: if case.solver.precision == Precision::Double {
            "double"
        } else {
            "single"
        }
        .to_owned(),
        ranks: solver.ranks.size(),
        ..Provenance::of_this_program()
    };
    let ended_by = |error: RunError| case.locate_run(error).map_or_else(Failure::from, Failure::from);
    let settings = AllSettings {
        solver: &case.solver,
        output: &case.output,
        run: &case.run,
    };
    let mut run = Run::start(settings, &mut solver, world, provenance).map_err(ended_by)?;
    let points = run.points();
    let mut progress = Progress::new(points, run.clock().step, run.done());
    let outcome = run.advance(&stop, &mut progress);
    progress.finish();
    let outcome = outcome.map_err(ended_by)?;
    let clock = run.clock();
    tracing::info!(
        "{} at step {}, t = {}: {:.1} s, {:.4} GDOF/s",
        if outcome == Outcome::Finished {
            "finished"
        } else {
            "interrupted"
        },
        clock.step,
        shown(clock.time),
        progress.elapsed(),
        progress.speed(clock.step)
    );
    if !run.files.is_empty() {
        tracing::info!("wrote {}", summary(&run.files));
    }
    describe_exchange(&mut solver)?;
    if args.hash {
        let hash = solver.hash()?;
        if solver.ranks.rank() == 0 {
            print_line(format_args!("{hash:016x}"));
        }
    }
    solver.disconnect()?;
    Ok(if outcome == Outcome::Finished { 0 } else { 4 })
}

/// Says what exchanges with other ranks cost. Collective.
fn describe_exchange(solver: &mut Solver) -> Result<(), DeviceError> {
    let seen = solver.watch_rhs()?;
    let times = solver.exchange_times(&seen).filter(|t| t.messages > 0.0);
    if let (Some(t), Some(ways)) = (times, solver.ways()) {
        tracing::info!(
            "exchange, means of the first rank, two a stage: sends {:.1} kB in {:.1} messages {}; t_comm = {:.3} ms beside t_overlap = {:.3} ms of \
             interior cells, {:.0} % hidden",
            t.bytes * 1e-3,
            t.messages,
            ways.describe(),
            t.communication * 1e3,
            t.overlap * 1e3,
            100.0 * (1.0 - t.unhidden / t.communication)
        );
    }
    Ok(())
}

/// A flag that the signals raise which ask a program to end, and those by which batch systems announce that they will.
pub fn stop_flag() -> std::io::Result<Arc<AtomicBool>> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1};
    use signal_hook::flag::{register, register_conditional_shutdown};
    let flag = Arc::new(AtomicBool::new(false));
    // A person who asks twice wants the program to end at once. The other signals may well come twice: batch systems send
    // them to every process, and mpirun passes them on.
    let asked = Arc::new(AtomicBool::new(false));
    register_conditional_shutdown(SIGINT, 1, Arc::clone(&asked))?;
    register(SIGINT, asked)?;
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGUSR1] {
        register(signal, Arc::clone(&flag))?;
    }
    Ok(flag)
}

/// The files in one line: all of them if few, else the last of those that ParaView opens and how many there are.
fn summary(files: &[PathBuf]) -> String {
    let names = |of: &[&PathBuf]| {
        of.iter()
            .map(|f| f.display().to_string())
            .collect::<Vec<_>>()
            .join(", ")
    };
    let (fields, tables): (Vec<&PathBuf>, Vec<&PathBuf>) =
        files.iter().partition(|f| f.extension().is_some_and(|e| e == "vtkhdf"));
    match fields.as_slice() {
        [_, .., last] if fields.len() > 3 => {
            let fields = format!("{} .vtkhdf files up to {}", fields.len(), last.display());
            match tables.is_empty() {
                true => fields,
                false => format!("{}, {fields}", names(&tables)),
            }
        }
        _ => names(&[tables, fields].concat()),
    }
}

/// A line on standard output; that nobody reads it any more is no reason to end.
pub fn print_line(line: std::fmt::Arguments) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// The name of a choice as the case file spells it.
pub(super) fn word(choice: impl serde::Serialize) -> String {
    serde_json::to_value(choice)
        .ok()
        .and_then(|v| v.as_str().map(str::to_owned))
        .unwrap_or_default()
}

/// Says what will run: mesh, scheme, device, memory, time step. Warns where the time step is beyond linear stability.
pub fn describe(case: &Case, solver: &mut Solver, world: &SimpleCommunicator) -> Result<(), Failure> {
    let rates = solver.rates()?;
    let stable = solver.stable_step(&rates);
    let points = solver.points();
    let affine = solver.geometry.affine.iter().filter(|a| **a).count();
    if solver.ranks.size() > 1 {
        let report = Report::of_ranks(&solver.mesh, world, case.solver.order);
        tracing::info!("ranks   {}", report.summary(case.solver.precision));
        tracing::info!("        of the first:");
    }
    let memory = solver.device.memory();
    let real = if case.solver.precision == Precision::Double {
        8.0
    } else {
        4.0
    };
    let each = |bytes: usize| bytes as f64 / points as f64;
    let kinds = solver.mesh.kinds_present().into_iter().map(|kind| {
        let count = solver.mesh.kinds.iter().filter(|k| **k == kind).count();
        format!("{count} {}", if count == 1 { kind.noun() } else { kind.plural() })
    });
    tracing::info!(
        "mesh    {} ({affine} affine, {} with metric terms at every point)",
        kinds.collect::<Vec<_>>().join(", "),
        solver.mesh.len() - affine
    );
    tracing::info!(
        "scheme  p = {}, {points} points, split {}, {} interfaces, {} correction, RK4{}",
        case.solver.order,
        word(case.solver.scheme.split),
        word(case.solver.scheme.riemann),
        word(case.solver.scheme.correction),
        if case.solver.kahan { " with Kahan summation" } else { "" }
    );
    tracing::info!("device  {}", solver.device.describe());
    tracing::info!(
        "memory  {:.1} MiB: {:.1} bytes = {:.1} reals a point (state {:.0}, traces {:.0}, geometry {:.0}, connectivity {:.0}, other {:.0})",
        memory.total() as f64 / f64::from(1 << 20),
        each(memory.total()),
        each(memory.total()) / real,
        each(memory.state),
        each(memory.traces),
        each(memory.geometry),
        each(memory.connectivity),
        each(memory.other)
    );
    let end = match (case.run.end, case.run.steps) {
        (Some(t), Some(n)) => format!("to t = {t} or {n} steps"),
        (Some(t), None) => format!("to t = {t}"),
        (None, Some(n)) => format!("{n} steps"),
        (None, None) => String::new(),
    };
    let step = match case.run.step {
        TimeStep::Fixed(dt) => format!("dt = {dt:.4e}"),
        TimeStep::Cfl(cfl) => format!("cfl = {cfl}"),
    };
    tracing::info!("time    {end}, {step}");
    if let TimeStep::Fixed(dt) = case.run.step
        && dt > stable
    {
        tracing::warn!("dt {dt:.3e} is above the linear stability limit {stable:.3e} of the initial state");
    }
    let outputs: Vec<String> = case
        .output
        .files()
        .iter()
        .map(|(what, every)| format!("{what} {every}"))
        .collect();
    let outputs = if outputs.is_empty() {
        "none".to_owned()
    } else {
        outputs.join(", ")
    };
    tracing::info!("output  {}: {outputs}", case.output.directory.display());
    for warning in &case.output.warnings {
        tracing::warn!("{warning}");
    }
    for request in &case.output.requests {
        if let (Some(from), Some(end)) = (request.samples_from(), case.run.end)
            && from >= end
        {
            let name = request.label();
            tracing::warn!(
                "output.{name}.from: nothing is sampled, as the run ends at t = {end} and samples begin after t = {from}"
            );
        }
    }
    let lines = output::describe(&case.output, solver).map_err(RunError::from);
    let lines = lines.map_err(|e| case.locate_run(e).map_or_else(Failure::from, Failure::from))?;
    for line in lines {
        tracing::info!("means   {line}");
    }
    Ok(())
}
