//! `fr-les run CASE`: the run from the case file to the last lines of the log.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::time::Instant;

use mpi::topology::SimpleCommunicator;

use super::describe::describe;
use super::inputs::require_inputs_elsewhere;
use super::{Failure, print_line, steady, word};
use crate::case::Case;
use crate::device::DeviceError;
use crate::format::physical_time;
use crate::io::{self, Provenance, Writer};
use crate::plot;
use crate::ranks::Ranks;
use crate::run::{AllSettings, Outcome, Progress, Run, RunError, Stop};
use crate::solver::Solver;

/// The argument that selects standard input, and the name of that in messages.
const STANDARD_INPUT: &str = "-";
const STANDARD_INPUT_NAME: &str = "standard input";

/// The arguments that choose and change a case.
#[derive(Debug, clap::Args)]
pub struct CaseArgs {
    /// Case file, or - for standard input
    pub case: PathBuf,
    /// Override a key of the case file, e.g. --set time.end=1.0 (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub overrides: Vec<String>,
    /// CPU threads; all cores if neither this nor the case says otherwise
    #[arg(long, allow_negative_numbers = true)]
    pub threads: Option<usize>,
}

/// Arguments of `fr-les run`.
#[derive(Debug, clap::Args)]
pub struct RunArgs {
    #[command(flatten)]
    case: CaseArgs,
    /// On a GPU, launch every kernel on its own instead of replaying a recorded time step
    #[arg(long)]
    no_graph: bool,
    /// Print a hash of the final state
    #[arg(long)]
    hash: bool,
    /// Compute the steady solution that the section `steady` describes, in place of the run in time
    #[arg(long)]
    steady: bool,
}

impl CaseArgs {
    /// Reads the case with all overrides. On several ranks all succeed or all fail. Collective.
    ///
    /// # Errors
    /// The file cannot be read or is no valid case, on this or another rank.
    pub fn read_on_ranks(&self, world: &SimpleCommunicator) -> Result<Case, Failure> {
        let ranks = Ranks::of(world);
        let case = match self.case.to_str() {
            Some(STANDARD_INPUT) => self.parse(&read_standard_input(&ranks)?),
            _ => Case::read(&self.case, &self.all_overrides()).map_err(Failure::from),
        };
        let mut case = ranks.agree(case, Failure::OnOtherRank)?;
        if case.title.is_empty() {
            case.title = case.path.display().to_string();
        }
        case.warn_of_results_elsewhere();
        Ok(case)
    }

    /// Returns the case in a text from standard input.
    fn parse(&self, text: &str) -> Result<Case, Failure> {
        Ok(Case::parse(
            text,
            Path::new(STANDARD_INPUT_NAME),
            &self.all_overrides(),
        )?)
    }

    /// Returns the overrides of `--set`, and that of `--threads`.
    fn all_overrides(&self) -> Vec<String> {
        let threads = self.threads.map(|threads| format!("threads={threads}"));
        self.overrides.iter().cloned().chain(threads).collect()
    }
}

/// Returns the text on standard input on all ranks; launchers give it to the first rank only. Collective.
fn read_standard_input(ranks: &Ranks) -> Result<String, Failure> {
    let mut text = String::new();
    let read = match ranks.rank() {
        0 => std::io::stdin().read_to_string(&mut text).map(|_| ()),
        _ => Ok(()),
    };
    let failed = |error| Failure::Argument(format!("cannot read the case from {STANDARD_INPUT_NAME}: {error}"));
    ranks.agree(read.map_err(failed), Failure::OnOtherRank)?;
    Ok(String::from_utf8_lossy(&ranks.allgather(text.as_bytes())).into_owned())
}

/// Sets up the solver of a case on the ranks of `world`. Collective.
///
/// # Errors
/// The output directory cannot be written to, the run would replace a file that it reads, or the case cannot be set up.
/// A problem that only the mesh reveals is reported at the line of the case file that it concerns.
pub(super) fn set_up(case: &Case, world: &SimpleCommunicator) -> Result<Solver, Failure> {
    if case.output.writes() {
        // Before the set-up, which may take long. `check` writes nothing that could fail.
        let checked = io::check_directory(&case.output.directory);
        let checked = checked.map_err(|e| case.refuse("output.directory", e.to_string()).into());
        Ranks::of(world).agree(checked, Failure::OnOtherRank)?;
        require_inputs_elsewhere(case, Writer::Run, world)?;
    }
    let solver = Solver::on_ranks(&case.solver, world);
    let solver = solver.map_err(|e| case.locate_setup(e).map_or_else(Failure::from, Failure::from))?;
    solver.warn_of_other_units();
    Ok(solver)
}

/// Sets up the case, runs it, and returns the exit code: 0 done, 4 interrupted. `signal` is the result of
/// [`catch_signals`] before the start of MPI, which takes a while. Collective.
///
/// # Errors
/// The case is wrong or cannot be set up, the flow diverges, or a device or file fails.
pub fn run(
    args: &RunArgs,
    world: &SimpleCommunicator,
    signal: std::io::Result<Arc<AtomicUsize>>,
) -> Result<u8, Failure> {
    let begin = Instant::now();
    let signal = signal.map_err(Failure::Signals)?;
    let mut case = args.case.read_on_ranks(world)?;
    case.solver.graph = !args.no_graph;
    case.output.draw = Some(plot::slices::draw_beside);
    let outcome = if args.steady {
        steady::carry_out(&case, world, signal, begin, args.hash)?
    } else {
        carry_out(&case, world, signal, begin, args.hash)?
    };
    Ok(if outcome == Outcome::Finished { 0 } else { 4 })
}

/// Sets up a case and runs it. `begin` is the start of the program; with `hash` that of the final state is printed.
/// Collective.
///
/// # Errors
/// The case cannot be set up, the flow diverges, or a device or file fails.
pub(super) fn carry_out(
    case: &Case,
    world: &SimpleCommunicator,
    signal: Arc<AtomicUsize>,
    begin: Instant,
    hash: bool,
) -> Result<Outcome, Failure> {
    let deadline = case.run.wall_clock.and_then(|limit| begin.checked_add(limit));
    tracing::info!("{}", case.title);
    let mut solver = set_up(case, world)?;
    describe(case, &mut solver, world)?;
    let outcome = advance(case, &mut solver, world, &Stop { signal, deadline }, begin)?;
    describe_exchange(&mut solver)?;
    if hash {
        print_hash(&mut solver)?;
    }
    solver.disconnect()?;
    Ok(outcome)
}

/// Runs the case to its end, or until a signal or the clock stops it, and logs the outcome. `begin` is the start of the
/// program. Collective.
fn advance(
    case: &Case,
    solver: &mut Solver,
    world: &SimpleCommunicator,
    stop: &Stop,
    begin: Instant,
) -> Result<Outcome, Failure> {
    let ended_by = |error: RunError| case.locate_run(error).map_or_else(Failure::from, Failure::from);
    let provenance = provenance(case, solver);
    let settings = AllSettings {
        solver: &case.solver,
        output: &case.output,
        run: &case.run,
    };
    let evaluations = solver.evaluations_per_step();
    let mut run = Run::start(settings, solver, world, provenance, begin).map_err(ended_by)?;
    tracing::debug!(
        "start: ready for the first step after {:.3} s",
        begin.elapsed().as_secs_f64()
    );
    let mut progress = Progress::new(run.points(), evaluations, run.clock().step, run.done());
    let outcome = run.advance(stop, &mut progress);
    progress.finish();
    if outcome.as_ref().is_err_and(RunError::is_divergence) {
        // What the filter did is most worth knowing where it did not suffice.
        log_repairs(&run)?;
    }
    let outcome = outcome.map_err(ended_by)?;
    let clock = run.clock();
    tracing::info!(
        "{} at step {}, t = {}: {:.1} s, {:.4} GDOF/s",
        match outcome {
            Outcome::Finished => "finished",
            _ => "interrupted",
        },
        clock.step,
        physical_time(clock.time),
        progress.elapsed(),
        progress.speed(clock.step)
    );
    log_repairs(&run)?;
    log_scalars(&run)?;
    if let Some(cost) = run.cost_on_gpus(&progress) {
        tracing::info!("{cost}");
    }
    if !run.files.is_empty() {
        tracing::info!("wrote {}", summary(&run.files));
    }
    Ok(outcome)
}

/// Logs the range of each passive scalar, at which nothing else in a run looks. Collective.
fn log_scalars(run: &Run) -> Result<(), RunError> {
    for (name, [least, most]) in run.scalar_ranges()? {
        if least.is_nan() {
            tracing::warn!("scalars.{name} is not finite everywhere: its values mean nothing");
        } else {
            tracing::info!("scalars.{name} lies from {least:.6} to {most:.6}");
        }
    }
    Ok(())
}

/// Logs what the filter did and how often steps were taken back, if it did anything; where steps were, it is a warning.
/// Collective.
fn log_repairs(run: &Run) -> Result<(), RunError> {
    match run.repairs()? {
        Some(repairs) if run.took_steps_back() => tracing::warn!("{repairs}"),
        Some(repairs) => tracing::info!("{repairs}"),
        None => (),
    }
    Ok(())
}

/// Returns the provenance of the files of a run.
fn provenance(case: &Case, solver: &Solver) -> Provenance {
    Provenance {
        title: case.title.clone(),
        case_text: case.text.clone(),
        mesh_hash: solver.mesh.hash(),
        device: solver.device.describe(),
        precision: word(case.solver.precision),
        ranks: solver.ranks.size(),
        ..Provenance::of_this_program()
    }
}

/// Prints the hash of the state, and that of passive scalars, on the first rank. Collective.
fn print_hash(solver: &mut Solver) -> Result<(), DeviceError> {
    let (hash, scalars) = (solver.hash()?, solver.scalars_hash()?);
    if solver.ranks.rank() == 0 {
        print_line(format_args!("{hash:016x}"));
        if let Some(hash) = scalars {
            print_line(format_args!("scalars {hash:016x}"));
        }
    }
    Ok(())
}

/// Logs the cost of the exchange with other ranks. Collective.
fn describe_exchange(solver: &mut Solver) -> Result<(), DeviceError> {
    let seen = solver.watch_rhs()?;
    let times = solver.exchange_times(&seen).filter(|t| t.messages > 0.0);
    if let (Some(t), Some(routes)) = (times, solver.routes()) {
        tracing::info!(
            "exchange, means of the first rank, two a stage: sends {:.1} kB in {:.1} messages {}; t_comm = {:.3} ms \
             beside t_overlap = {:.3} ms of interior cells, {:.0} % hidden",
            t.bytes * 1e-3,
            t.messages,
            routes.describe(),
            t.communication * 1e3,
            t.overlap * 1e3,
            100.0 * (1.0 - t.unhidden / t.communication)
        );
    }
    Ok(())
}

/// Returns a number that becomes that of a signal that asks the program to end, including those of batch systems.
///
/// # Errors
/// A signal cannot be caught.
pub fn catch_signals() -> std::io::Result<Arc<AtomicUsize>> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1};
    use signal_hook::flag::{register, register_conditional_shutdown, register_usize};
    let caught = Arc::new(AtomicUsize::new(0));
    // A second SIGINT ends the program at once, for a user who presses Ctrl-C twice. Other signals may well come twice:
    // batch systems send them to every process, and mpirun passes them on.
    let asked = Arc::new(AtomicBool::new(false));
    register_conditional_shutdown(SIGINT, 1, Arc::clone(&asked))?;
    register(SIGINT, asked)?;
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGUSR1] {
        register_usize(signal, Arc::clone(&caught), signal as usize)?;
    }
    Ok(caught)
}

/// Returns the files in one line: all of them if they are few, otherwise their number and the last one that ParaView
/// opens.
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
            if tables.is_empty() {
                fields
            } else {
                format!("{}, {fields}", names(&tables))
            }
        }
        _ => names(&[tables, fields].concat()),
    }
}
