//! The command line: parses the arguments, starts MPI and the log where a command needs them, and turns the outcome
//! into an exit code.

#[cfg(test)]
mod commands_page;
mod out_of_memory;

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use fr_les::commands::json::Form;
use fr_les::commands::{
    Failure, bench, blade, check, doctor, exit_code_of, explain, kernels, launcher, manual, mesh, nearest_command,
    plot, print_error, report, run, schema, shows_colours, study, version, watch,
};
use fr_les::device::cuda::nccl;
use fr_les::io::set_commit;
use fr_les::log::{Stream, Watch};
use fr_les::ranks::{Ranks, abort_all_on_panic};
use mpi::environment::Universe;
use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;

/// High-order flux-reconstruction solver for large-eddy simulation of compressible flow.
#[derive(Parser)]
#[command(
    version,
    arg_required_else_help = true,
    override_usage = "fr-les <CASE> [OPTIONS]\n       fr-les <COMMAND> [OPTIONS]",
    after_help = "`fr-les CASE` is short for `fr-les run CASE`.\n\n\
                  Exit codes: 0 done, 2 bad input, 3 diverged, 4 interrupted after writing the state, 1 anything else."
)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
    /// Log warnings only
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Log details, too; the variable RUST_LOG chooses more finely
    #[arg(short, long, global = true)]
    verbose: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Run a case
    Run(run::RunArgs),
    /// Read everything, report mesh, flow, boundaries, time step and costs; write nothing
    Check(check::CheckArgs),
    /// Time a Taylor-Green box, kernel by kernel
    Bench(bench::BenchArgs),
    /// Compile the GPU kernels here, without a GPU: what they use, or PTX for machines without NVRTC
    Kernels(kernels::KernelsArgs),
    /// Import, generate or examine a mesh
    Mesh(mesh::MeshArgs),
    /// Describe the profile of a blade by few numbers
    Blade(blade::BladeArgs),
    /// Draw forces and other series over time, their spectra, profiles, or other tables of a run
    Plot(plot::PlotArgs),
    /// Write one HTML page about a run: what was run, its cost, balances, figures and pictures
    Report(report::ReportArgs),
    /// Report what of this machine can be used, what is missing, and the command that brings it
    Doctor(doctor::DoctorArgs),
    /// Show progress, time left, speed and last values of a run, from its files alone
    Watch(watch::WatchArgs),
    /// Run a case many times with other values of some variables, and compare the runs
    Study(study::StudyArgs),
    /// Print the JSON schema of a case, a study or a cascade, for editors
    Schema(schema::SchemaArgs),
    /// Print the documentation of a key of a case, a study or a cascade
    Explain(explain::ExplainArgs),
    /// Print the completions of a shell
    Completions(manual::CompletionsArgs),
    /// Write the manual pages of all commands
    Man(manual::ManArgs),
}

impl Command {
    /// Returns the name of a command that does not use ranks.
    fn single_process(&self) -> Option<&'static str> {
        match self {
            Command::Run(_) | Command::Check(_) | Command::Bench(_) => None,
            Command::Kernels(_) => Some("kernels"),
            Command::Mesh(_) => Some("mesh"),
            Command::Blade(_) => Some("blade"),
            Command::Plot(_) => Some("plot"),
            Command::Report(_) => Some("report"),
            Command::Doctor(_) => Some("doctor"),
            Command::Watch(_) => Some("watch"),
            Command::Study(args) if args.on_ranks() => None,
            Command::Study(_) => Some("study"),
            Command::Schema(_) => Some("schema"),
            Command::Explain(_) => Some("explain"),
            Command::Completions(_) => Some("completions"),
            Command::Man(_) => Some("man"),
        }
    }

    /// Returns the form in which the command prints its result.
    fn form(&self) -> Form {
        match self {
            Command::Check(args) => args.form(),
            Command::Mesh(args) => args.form(),
            Command::Doctor(args) => args.form(),
            Command::Watch(args) => args.form(),
            Command::Study(args) => args.form(),
            _ => Form::Text,
        }
    }
}

fn main() -> ExitCode {
    set_commit(env!("FR_LES_GIT"));
    let CommandLine {
        command,
        quiet,
        verbose,
    } = parse(std::env::args_os().collect());
    if let Some(code) = refuse_ranks(&command) {
        return code;
    }
    let log = Log {
        filter: log_filter(quiet, verbose),
        stream: command.form().log(),
    };
    // Beyond the limit of `ulimit -f` a write is to fail, as on a full disk, instead of ending the program.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::<AtomicBool>::default());
    match command {
        Command::Run(args) => {
            // A signal that comes while MPI starts ends the run after its first step, as any other one does.
            let signal = run::catch_signals();
            on_ranks(log, |world| run::run(&args, world, signal))
        }
        Command::Study(args) if args.on_ranks() => {
            let signal = run::catch_signals();
            on_ranks(log, |world| study::on_ranks(&args, world, signal))
        }
        Command::Check(mut args) => {
            // The short text leaves out the lines to which details belong.
            args.long |= verbose;
            on_ranks(log, |world| check::run(&args, world).map(|()| 0))
        }
        Command::Bench(args) => on_ranks(log, |world| bench::run(&args, world)),
        command => {
            log.start();
            in_one_process(command)
        }
    }
}

/// Parses the arguments; ends the program where they are wrong, or ask for help or the version.
fn parse(arguments: Vec<OsString>) -> CommandLine {
    let mut parser = CommandLine::command();
    // Asking the libraries takes a moment, and HDF5 wants MPI to be started first where it is used.
    if arguments.iter().any(|word| word == "--version") {
        parser = parser.long_version(version::long());
    }
    let behind = command_behind_options(&arguments, &parser);
    let arguments = with_command(arguments, &parser);
    let first = arguments.iter().skip(1).find(|word| !is_switch(word));
    let first = first
        .map(|word| word.to_string_lossy().into_owned())
        .unwrap_or_default();
    let parsed = parser.try_get_matches_from_mut(arguments);
    parsed
        .and_then(|matches| CommandLine::from_arg_matches(&matches))
        .unwrap_or_else(|mut error| {
            if error.get(ContextKind::InvalidSubcommand) == Some(&ContextValue::String(first)) {
                suggest_command(&mut error);
            }
            if let Some(command) = behind.filter(|_| error.kind() == ErrorKind::UnknownArgument) {
                let what = format!("the options of a command stand behind it, as in `fr-les {command} FILE [OPTIONS]`");
                error = parser.error(ErrorKind::UnknownArgument, what);
            }
            leave_the_message_to_rank_0(error.exit_code() as u8);
            error.exit()
        })
}

fn is_switch(word: &OsString) -> bool {
    ["-q", "--quiet", "-v", "--verbose"].iter().any(|switch| word == switch)
}

/// Puts the nearest command into the error of an unknown one. The parser's own likeness misses swapped letters (`rnu`).
fn suggest_command(error: &mut clap::Error) {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return;
    };
    if let Some(name) = nearest_command(word, &CommandLine::command()) {
        let suggestion = ContextValue::Strings(vec![name]);
        error.insert(ContextKind::SuggestedSubcommand, suggestion);
    }
}

/// Returns the arguments with the command `run` inserted where they begin with a case file or with an option of a run.
fn with_command(mut arguments: Vec<OsString>, parser: &clap::Command) -> Vec<OsString> {
    let is_known = |word: &str| parser.get_subcommands().any(|command| command.get_name() == word);
    let Some(at) = (1..arguments.len()).find(|&at| !is_switch(&arguments[at])) else {
        return arguments;
    };
    let word = arguments[at].to_string_lossy();
    let is_run = match word.as_ref() {
        "help" | "-h" | "--help" | "-V" | "--version" => false,
        word if is_known(word) => false,
        word if word.starts_with('-') => true,
        // A word that is no file and does not look like one is a misspelt command.
        word => word.contains(['.', '/']) || Path::new(&arguments[at]).exists(),
    };
    if is_run {
        arguments.insert(at, "run".into());
    }
    arguments
}

/// Returns the command that stands behind options, which are taken for those of a run.
fn command_behind_options(arguments: &[OsString], parser: &clap::Command) -> Option<String> {
    let mut words = arguments.iter().skip(1).skip_while(|word| is_switch(word));
    words.next()?.to_str()?.strip_prefix('-')?;
    let name = |word: &OsString| parser.find_subcommand(word).map(|found| found.get_name().to_owned());
    words.find_map(name)
}

/// Refuses several ranks for a command that does not use them.
fn refuse_ranks(command: &Command) -> Option<ExitCode> {
    let name = command.single_process()?;
    launcher::rank_and_size().filter(|(_, size)| *size > 1)?;
    leave_the_message_to_rank_0(2);
    print_error(&format!("error: `{name}` runs in one process: start it without mpirun"));
    Some(ExitCode::from(2))
}

/// Ends every rank but the first, which prints the message that all of them have.
fn leave_the_message_to_rank_0(code: u8) {
    if launcher::rank_and_size().is_some_and(|(rank, _)| rank > 0) {
        std::thread::sleep(PATIENCE);
        std::process::exit(i32::from(code));
    }
}

/// Returns the filter of the log in the syntax of `RUST_LOG`. Options of the command line override that variable.
fn log_filter(quiet: bool, verbose: bool) -> String {
    match (quiet, verbose) {
        (true, _) => "warn".to_owned(),
        (_, true) => "info,fr_les=debug".to_owned(),
        _ => std::env::var("RUST_LOG").unwrap_or_else(|_| "info".to_owned()),
    }
}

/// What the log has, in the syntax of `RUST_LOG`, and where it goes.
struct Log {
    filter: String,
    stream: Stream,
}

impl Log {
    fn start(self) {
        let is_terminal = match self.stream {
            Stream::Output => std::io::stdout().is_terminal(),
            Stream::Error => std::io::stderr().is_terminal(),
        };
        fr_les::log::start(self.filter, self.stream, shows_colours(is_terminal));
    }
}

/// Starts MPI and the log of the first rank, and runs `work` on all ranks.
fn on_ranks(log: Log, work: impl FnOnce(&SimpleCommunicator) -> Result<u8, Failure>) -> ExitCode {
    let mut watch = Watch::start("start");
    let Some(universe) = start_mpi() else {
        print_error("error: MPI could not be initialised");
        return ExitCode::FAILURE;
    };
    let world = universe.world();
    if let Some(message) = launcher::foreign(world.size()) {
        leave_the_message_to_rank_0(2);
        print_error(&format!("error: {message}"));
        return ExitCode::from(2);
    }
    abort_all_on_panic(&world);
    let filter = if world.rank() == 0 {
        log.filter
    } else {
        "off".to_owned()
    };
    Log { filter, ..log }.start();
    watch.ended("MPI started in");
    report(work(&world), &world)
}

fn start_mpi() -> Option<Universe> {
    let set = |name: &str| std::env::var_os(name);
    for (name, value) in launcher::quick_start(set).into_iter().chain(nccl::environment(set)) {
        // SAFETY: the program has no other thread yet that could read or change the environment: MPI, the log and the
        // pools of threads start later, and handlers of signals do not touch it.
        unsafe { std::env::set_var(name, value) };
    }
    mpi::initialize_with_threading(mpi::Threading::Serialized).map(|(universe, _)| universe)
}

/// Executes a command that needs no MPI.
fn in_one_process(command: Command) -> ExitCode {
    let (done, code) = match command {
        Command::Kernels(args) => match kernels::run(&args) {
            Ok(0) => return ExitCode::SUCCESS,
            Ok(_) => return ExitCode::FAILURE,
            Err(error) => (Err(error.to_string()), error.exit_code()),
        },
        Command::Doctor(args) => {
            return if doctor::run(&args) {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            };
        }
        Command::Mesh(args) => {
            let mut universe = None;
            let alone = || {
                universe = start_mpi();
                universe.as_ref().map(Universe::world)
            };
            of_files(mesh::run(&args, alone))
        }
        Command::Blade(args) => of_files(blade::run(&args)),
        Command::Plot(args) => of_files(plot::run(&args)),
        Command::Report(args) => of_files(report::run(&args)),
        Command::Watch(args) => of_files(watch::run(&args)),
        Command::Study(args) => match study::run(&args) {
            Ok(code) => return ExitCode::from(code),
            Err(failure) => {
                print_error(&failure.to_string());
                return ExitCode::from(failure.exit_code());
            }
        },
        Command::Schema(args) => (schema::run(&args).map_err(|error| error.to_string()), 1),
        Command::Explain(args) => of_files(explain::run(&args)),
        Command::Completions(args) => {
            let done = manual::completions(&args, CommandLine::command());
            (done.map_err(|error| error.to_string()), 1)
        }
        Command::Man(args) => of_files(manual::man(&args, CommandLine::command())),
        Command::Run(_) | Command::Check(_) | Command::Bench(_) => unreachable!("these run on ranks"),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            print_error(&format!("error: {message}"));
            ExitCode::from(code)
        }
    }
}

/// Returns the message of a command that reads and writes files, if it failed, and the exit code for that case.
fn of_files<E: Into<Box<dyn std::error::Error>>>(done: Result<(), E>) -> (Result<(), String>, u8) {
    match done.map_err(Into::into) {
        Ok(()) => (Ok(()), 0),
        Err(error) => (Err(error.to_string()), exit_code_of(&*error)),
    }
}

/// How long other ranks than the first wait before they report an error that they may not have met alone.
const PATIENCE: Duration = Duration::from_millis(300);

/// Ends a command on all ranks with one message, that of the lowest rank that has one. A rank that failed on its own,
/// so that the others wait for it, ends all of them.
fn report(result: Result<u8, Failure>, world: &SimpleCommunicator) -> ExitCode {
    let failure = match result {
        Ok(code) => return ExitCode::from(code),
        Err(failure) => failure,
    };
    let message = match world.size() {
        1 => failure.to_string(),
        _ => format!("rank {}: {failure}", world.rank()),
    };
    if failure.alone() {
        // Where all fail alike, the first of them ends the others before they print.
        if world.rank() > 0 {
            std::thread::sleep(PATIENCE);
        }
        print_error(&message);
        if world.size() > 1 {
            world.abort(i32::from(failure.exit_code()));
        }
        return ExitCode::from(failure.exit_code());
    }
    let ranks = Ranks::of(world);
    let speaker = ranks.first_rank_where(!failure.elsewhere()).unwrap_or(0);
    let speaks = speaker == world.rank() as usize;
    if speaks {
        print_error(&message);
    }
    let mut code = [if speaks { failure.exit_code() } else { 0 }];
    ranks.allreduce_sum(&mut code);
    ExitCode::from(code[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The arguments that clap gets of a line that begins with `fr-les`.
    fn completed(line: &str) -> String {
        let words = std::iter::once("fr-les").chain(line.split_whitespace());
        let words = with_command(words.map(OsString::from).collect(), &CommandLine::command());
        let words: Vec<_> = words.iter().skip(1).map(|word| word.to_string_lossy()).collect();
        words.join(" ")
    }

    #[test]
    fn a_case_is_run_without_a_command() {
        for line in [
            "case.yaml",
            "./case",
            "-",
            "--set time.end=1 case.yaml",
            "/dev/null --hash",
        ] {
            assert_eq!(completed(line), format!("run {line}"));
        }
        assert_eq!(completed("-q case.yaml"), "-q run case.yaml");
    }

    #[test]
    fn a_command_behind_options_is_seen() {
        let of = |line: &str| {
            let words: Vec<_> = std::iter::once("fr-les")
                .chain(line.split_whitespace())
                .map(OsString::from)
                .collect();
            command_behind_options(&words, &CommandLine::command())
        };
        assert_eq!(of("--threads 2 check a.yaml").as_deref(), Some("check"));
        assert_eq!(of("-q --set a=1 mesh info a.h5").as_deref(), Some("mesh"));
        assert_eq!((of("-q check a.yaml"), of("--threads 2 a.yaml")), (None, None));
    }

    #[test]
    fn commands_and_misspelt_commands_stay() {
        for line in [
            "run case.yaml",
            "check case.yaml",
            "chekc case.yaml",
            "help run",
            "--help",
            "-q check a",
            "",
        ] {
            assert_eq!(completed(line), line);
        }
    }
}
