//! The command line: one line a verb. Exit codes: 0 done, 2 bad input, 3 diverged, 4 interrupted (state written), 1 else.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::{Parser, Subcommand};
use fr_les::commands::{bench, check, kernels, mesh, plot, run, schema};
use fr_les::ranks::{Ranks, abort_all_on_panic};
use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;

/// High-order flux-reconstruction solver for large-eddy simulation of compressible flow.
#[derive(Parser)]
#[command(version, args_conflicts_with_subcommands = true, arg_required_else_help = true)]
#[command(
    after_help = "Exit codes: 0 done, 2 bad input, 3 diverged, 4 interrupted after writing the state, 1 anything else."
)]
struct Cli {
    #[command(subcommand)]
    verb: Option<Verb>,
    #[command(flatten)]
    run: Option<run::RunArgs>,
}

#[derive(Subcommand)]
enum Verb {
    /// Read everything, report mesh, memory and time step; run nothing
    Check(run::RunArgs),
    /// Time a Taylor-Green box, kernel by kernel
    Bench(bench::BenchArgs),
    /// Compile the GPU kernels here, without a GPU: what they use, or PTX for machines without NVRTC
    Kernels(kernels::KernelsArgs),
    /// Import, generate or examine a mesh
    Mesh(mesh::MeshArgs),
    /// Draw the integrals of runs or profiles of their statistics, or results or a timeline of bench
    Plot(plot::PlotArgs),
    /// Print the JSON schema of the case file, for editors
    Schema,
}

impl Verb {
    /// Its name, if it makes no use of ranks.
    fn alone(&self) -> Option<&'static str> {
        match self {
            Verb::Check(_) | Verb::Bench(_) => None,
            Verb::Kernels(_) => Some("kernels"),
            Verb::Mesh(_) => Some("mesh"),
            Verb::Plot(_) => Some("plot"),
            Verb::Schema => Some("schema"),
        }
    }
}

/// The rank of this process and how many there are, as an MPI launcher tells its children before MPI is started.
fn launched() -> Option<(usize, usize)> {
    let number = |name| std::env::var(name).ok()?.parse().ok();
    let of = |rank, size| Some((number(rank)?, number(size)?));
    of("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE").or_else(|| of("PMI_RANK", "PMI_SIZE"))
}

/// Ends every rank but the first, which has a moment to say for all of them what is wrong.
fn leave_the_word_to_the_first(code: u8) {
    if launched().is_some_and(|(rank, _)| rank > 0) {
        std::thread::sleep(PATIENCE);
        std::process::exit(i32::from(code));
    }
}

fn main() -> ExitCode {
    let cli = Cli::try_parse().unwrap_or_else(|error| {
        leave_the_word_to_the_first(error.exit_code() as u8);
        error.exit()
    });
    if let (Some(verb), Some(_)) = (cli.verb.as_ref().and_then(Verb::alone), launched().filter(|l| l.1 > 1)) {
        leave_the_word_to_the_first(2);
        let _ = writeln!(
            std::io::stderr(),
            "error: `{verb}` is the work of one process: start it without mpirun"
        );
        return ExitCode::from(2);
    }
    let log = std::env::var("RUST_LOG").unwrap_or_else(|_| "info".to_owned());
    // Beyond the limit of `ulimit -f` a write is to fail, as on a full disk, and not to kill the program.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::<AtomicBool>::default());
    // A signal that comes while MPI starts ends the run after its first step, as any other one does.
    let stop = matches!((&cli.verb, &cli.run), (None, Some(_))).then(run::stop_flag);
    // MPI before the log: of a run's ranks only the first keeps one.
    let on_ranks = matches!(
        (&cli.verb, &cli.run),
        (None, Some(_)) | (Some(Verb::Bench(_) | Verb::Check(_)), _)
    );
    let universe = match on_ranks.then(|| mpi::initialize_with_threading(mpi::Threading::Serialized)) {
        Some(Some((universe, _))) => Some(universe),
        Some(None) => {
            let _ = writeln!(std::io::stderr(), "error: MPI could not be initialised");
            return ExitCode::FAILURE;
        }
        None => None,
    };
    let world = universe.as_ref().map(|u| u.world());
    if let Some(world) = &world {
        abort_all_on_panic(world);
    }
    let first = world.as_ref().is_none_or(|world| world.rank() == 0);
    let log = if first { log } else { "off".to_owned() };
    tracing_subscriber::fmt()
        .with_env_filter(log)
        .log_internal_errors(false)
        .with_target(false)
        .without_time()
        // mpirun gives its ranks terminals even where its own output goes into a file.
        .with_ansi(std::io::stdout().is_terminal() && launched().is_none())
        .init();
    let failed = |message: String, code: u8| {
        let _ = writeln!(std::io::stderr(), "{message}");
        ExitCode::from(code)
    };
    match (cli.verb, cli.run.zip(stop), world) {
        (Some(Verb::Check(args)), _, Some(world)) => report(check::run(&args, &world).map(|()| 0), &world),
        (Some(Verb::Bench(args)), _, Some(world)) => report(bench::run(&args, &world).map(|()| 0), &world),
        (None, Some((args, stop)), Some(world)) => report(run::run(&args, &world, stop), &world),
        (Some(Verb::Kernels(args)), ..) => match kernels::run(&args) {
            Ok(0) => ExitCode::SUCCESS,
            Ok(_) => ExitCode::FAILURE,
            Err(e) => failed(format!("error: {e}"), e.exit_code()),
        },
        (Some(Verb::Mesh(args)), ..) => match mesh::run(&args) {
            Ok(()) => ExitCode::SUCCESS,
            Err(e) => failed(format!("error: {e}"), 2),
        },
        (Some(Verb::Plot(args)), ..) => match plot::run(&args) {
            Ok(()) => ExitCode::SUCCESS,
            Err(e) => failed(format!("error: {e}"), 2),
        },
        (Some(Verb::Schema), ..) => match schema::run() {
            Ok(()) => ExitCode::SUCCESS,
            Err(e) => failed(format!("error: {e}"), 1),
        },
        _ => failed("error: no case file given; see fr-les --help".to_owned(), 2),
    }
}

/// How long other ranks than the first wait before they tell of an error that they may not have met alone.
const PATIENCE: std::time::Duration = std::time::Duration::from_millis(300);

/// Ends a run on all ranks with one message, that of the lowest rank that has one. A rank that failed on its own, so that the others
/// wait for it, ends all of them.
fn report(result: Result<u8, run::Failure>, world: &SimpleCommunicator) -> ExitCode {
    let name = |message: &str| match world.size() {
        1 => message.to_owned(),
        _ => format!("rank {}: {message}", world.rank()),
    };
    let say = |message: String| {
        let _ = writeln!(std::io::stderr(), "{message}");
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err(failure) if failure.alone() => {
            // Where all fail alike the first of them ends the others before they speak.
            if world.rank() > 0 {
                std::thread::sleep(PATIENCE);
            }
            say(name(&failure.to_string()));
            if world.size() > 1 {
                world.abort(i32::from(failure.exit_code()));
            }
            ExitCode::from(failure.exit_code())
        }
        Err(failure) => {
            let ranks = Ranks::of(world);
            let speaks = ranks.first_rank_where(!failure.elsewhere()).unwrap_or(0);
            if speaks == world.rank() as usize {
                say(name(&failure.to_string()));
            }
            let mut code = [if speaks == world.rank() as usize {
                failure.exit_code()
            } else {
                0
            }];
            ranks.allreduce_sum(&mut code);
            ExitCode::from(code[0])
        }
    }
}
