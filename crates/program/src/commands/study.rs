//! `fr-les study STUDY`: runs of one case with other values of some variables, and what is known of them.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;

use super::check::{self, examine};
use super::json::Form;
use super::report::write_pictures;
use super::{Failure, print_line};
use crate::format::duration;
use crate::io::{Error, TemporaryFolder, atomic_write, check_directory, of_rank_0};
use crate::ranks::Ranks;
use crate::study::evolution::Evolution;
use crate::study::experiment::{at_points, read_designs};
use crate::study::{
    Driver, Ended, Method, Mode, Record, State, Store, Study, StudyError, Written, die_with, end_of_steady, ranked,
    report, written_by_steady,
};

mod confirm;
mod design;
mod guest;
mod of_design;
mod status;

use of_design::{choices, make_mesh, plain, state_of};

/// Designs that `--check` examines: the first, the one in the middle, and the last.
const EXAMINED: usize = 3;

/// Arguments of `fr-les study`.
#[derive(Debug, clap::Args)]
pub struct StudyArgs {
    /// Study file (YAML); docs/reference/studies.md explains it
    study: PathBuf,
    /// Report the variables, some designs as `fr-les check` does, and the cost; run nothing
    #[arg(long, conflicts_with_all = ["status", "add", "best", "report"])]
    check: bool,
    /// Print how far every design has come
    #[arg(long, conflicts_with_all = ["add", "best", "report"])]
    status: bool,
    /// Add the designs of a table, with a column for each variable; they run when the study goes on
    #[arg(long, value_name = "FILE.csv", conflicts_with_all = ["best", "report"])]
    add: Option<PathBuf>,
    /// Print the designs whose results the method of the study needs next, as JSON, and run none. With a file, or -
    /// for standard input, plan and print the designs in it, which another optimiser has chosen
    #[arg(long, value_name = "DESIGNS.json", conflicts_with_all = ["check", "status", "add", "best", "report"])]
    ask: Option<Option<PathBuf>>,
    /// Record the results of designs from a JSON file, or from standard input (-), in place of runs
    #[arg(long, value_name = "RESULTS.json", conflicts_with_all = ["check", "status", "add", "best", "report", "ask"])]
    tell: Option<PathBuf>,
    /// Print so many of the best designs as a table
    #[arg(long, value_name = "NUMBER", conflicts_with = "report")]
    best: Option<usize>,
    /// Write study.html, a page with figures and the best designs, and study.csv, a table of all designs
    #[arg(long)]
    report: bool,
    /// With --report, write each figure of the page as a PNG file as well, into this folder
    #[arg(long, value_name = "FOLDER", requires = "report")]
    pictures: Option<PathBuf>,
    /// Carry out the run of the key `confirm` with this name for the best design, or for that of --design
    #[arg(long, value_name = "NAME")]
    #[arg(conflicts_with_all = ["check", "status", "add", "best", "report", "threads", "ask", "tell"])]
    confirm: Option<String>,
    /// Run only this design, as the jobs of a batch system do; with --check, examine it
    #[arg(long, value_name = "NAME", conflicts_with_all = ["status", "add", "best", "report", "ask", "tell"])]
    design: Option<String>,
    /// CPU threads of the run of a design
    #[arg(long, requires = "design")]
    threads: Option<usize>,
    /// Number of the process whose end ends this one
    #[arg(long, requires = "design", hide = true)]
    driver: Option<i32>,
    /// With --status, print one JSON object on standard output (docs/reference/json.md)
    #[arg(long, requires = "status")]
    json: bool,
}

impl StudyArgs {
    /// Returns whether the command works on ranks: it runs one design or examines some.
    pub fn on_ranks(&self) -> bool {
        self.check || self.design.is_some() || self.confirm.is_some()
    }

    /// Returns the form of the result.
    pub fn form(&self) -> Form {
        if self.json || self.ask.is_some() {
            Form::Json
        } else {
            Form::Text
        }
    }

    /// Lets this process end with its driver, if it has one.
    ///
    /// # Errors
    /// The driver has ended already.
    pub fn follow_driver(&self) -> Result<(), Failure> {
        Ok(self.driver.map_or(Ok(()), die_with)?)
    }
}

/// Runs one design or examines some, on the ranks of `world`; returns the exit code. Collective.
///
/// # Errors
/// The study or a case is wrong, or a run fails.
pub fn on_ranks(
    args: &StudyArgs,
    world: &SimpleCommunicator,
    signal: std::io::Result<Arc<AtomicUsize>>,
) -> Result<u8, Failure> {
    args.follow_driver()?;
    let signal = signal.map_err(Failure::Signals)?;
    let study = Study::read(&args.study).map_err(Failure::from);
    let study = Ranks::of(world).agree(study, Failure::OnOtherRank)?;
    if let Some(name) = &args.confirm {
        return confirm::run(&study, name, args.design.as_deref(), world, signal);
    }
    match &args.design {
        Some(id) if !args.check => design::run(&study, id, args.threads, world, signal),
        design => check(&study, design.as_deref(), world).map(|()| 0),
    }
}

/// Does what needs no ranks: drives the study, or prints what is known of it. Returns the exit code.
///
/// # Errors
/// The study is wrong, another process drives it, or its files cannot be read or written.
pub fn run(args: &StudyArgs) -> Result<u8, Failure> {
    let study = Study::read(&args.study)?;
    let store = Store::new(&study.directory);
    store.warn_of_results_elsewhere(&study.path);
    if args.status {
        status::print(&study, &store, args.form())?;
    } else if args.report {
        write_report(&study, &store, args.pictures.as_deref())?;
    } else if let Some(count) = args.best {
        print_best(&study, &store, count)?;
    } else if let Some(table) = &args.add {
        let designs =
            read_designs(table, &study.variables).map_err(|what| Failure::Argument(format!("--add: {what}")))?;
        let _lock = store.lock()?;
        let added = Driver::new(&study, store)?.plan("added", &designs)?;
        print_line(format_args!("{added} of {} designs are new", designs.len()));
    } else if let Some(file) = &args.ask {
        let _lock = store.lock()?;
        guest::ask(&study, store, file.as_deref())?;
    } else if let Some(file) = &args.tell {
        let _lock = store.lock()?;
        guest::tell(&study, store, file)?;
    } else {
        let signal = super::run::catch_signals().map_err(Failure::Signals)?;
        let program = std::env::current_exe().map_err(|source| StudyError::Start {
            program: "fr-les".to_owned(),
            source,
        })?;
        let _lock = store.lock()?;
        let mut driver = Driver::new(&study, store)?;
        let ended = driver.run(&program, &signal)?;
        if ended != Ended::Submitted {
            driver.log_best()?;
        }
        return Ok(if ended == Ended::Interrupted { 4 } else { 0 });
    }
    Ok(0)
}

/// Reports the variables, the cases of some designs or of one, and the cost of all. Collective.
fn check(study: &Study, design: Option<&str>, world: &SimpleCommunicator) -> Result<(), Failure> {
    let (ranks, store) = (Ranks::of(world), Store::new(&study.directory));
    let writable = check_directory(&study.directory).map_err(|e| study.refuse("output", e.to_string()).into());
    ranks.agree(writable, Failure::OnOtherRank)?;
    let designs = match design {
        Some(id) => vec![choices(study, &store.read(id)?.record)?],
        None => {
            let designs = match &study.method {
                Method::Experiment(designs) | Method::Ego(designs, _) => designs.clone(),
                Method::Evolution(settings, _) => {
                    at_points(&study.variables, Evolution::new(*settings, study.variables.len()).ask())
                }
                // What will be brought is not known: the middle of all variables stands for it.
                Method::Guest => at_points(&study.variables, &[vec![0.5; study.variables.len()]]),
            };
            for variable in &study.variables {
                tracing::info!("variable {variable}");
            }
            // All are resolved, since that costs little.
            designs
                .iter()
                .try_for_each(|x| study.case_of(x, Path::new("")).map(drop))?;
            let last = designs.len() - 1;
            let mut examined: Vec<usize> = (0..EXAMINED).map(|i| i * last / (EXAMINED - 1)).collect();
            examined.dedup();
            examined.into_iter().map(|at| designs[at].clone()).collect()
        }
    };
    let mut seconds = 0.0;
    for x in &designs {
        let of_design = study
            .variables
            .iter()
            .zip(x)
            .map(|(v, choice)| format!("{} = {choice}", v.name));
        tracing::info!("--- {}", of_design.collect::<Vec<_>>().join(", "));
        // Meshes that are made for a look at them are in a folder that is removed.
        let (folder, _passing) = match design {
            Some(id) => (store.of(id), None),
            None => passing_folder(world)?,
        };
        match make_mesh(study, x, &folder, &ranks) {
            Err(failure) if state_of(&failure) == State::Mesh => {
                tracing::warn!("{}", plain(&failure));
                if let (Some(id), 0) = (design, ranks.rank()) {
                    store.end(&store.read(id)?.record.failure(State::Mesh, plain(&failure)))?;
                }
                continue;
            }
            made => made?,
        }
        study.check_retries(x, &folder)?;
        study.check_confirmations(x, &folder)?;
        let mut case = study.case_of(x, &folder)?;
        let require = |written: Written, end| {
            for (name, unit) in study.require(&written, end)? {
                tracing::info!("value   {name} [{unit}]");
            }
            Ok(())
        };
        match study.mode {
            Mode::Les => {
                let checked = examine(case, world, |outputs, end| require(Written::by(outputs), end))?;
                seconds += checked.seconds();
            }
            Mode::Steady => {
                let (outputs, checked) = check::steady::examine(&mut case, world)?;
                checked.log();
                require(written_by_steady(&outputs, &case), end_of_steady(&case))?;
            }
        }
    }
    if let (None, Mode::Les, Some(count)) = (design, study.mode, study.count()) {
        let mean = seconds / designs.len() as f64;
        let places = study.workers.gpus.len();
        tracing::info!(
            "--- {count} designs, {} each on average of those above, {} with {places} at the same time",
            duration(mean),
            duration(mean * count as f64 / places as f64)
        );
    }
    tracing::info!("ok");
    Ok(())
}

/// Returns the path of a folder for a mesh, which the first rank makes and holds. Collective.
fn passing_folder(world: &SimpleCommunicator) -> Result<(PathBuf, Option<TemporaryFolder>), Failure> {
    let parent = std::env::temp_dir();
    let made = match world.rank() {
        0 => TemporaryFolder::new(&parent, "fr-les-study").map(Some),
        _ => Ok(None),
    };
    let made = made.map_err(|source| {
        let (action, path) = ("create a folder in", parent);
        Failure::Io(Error::Os { action, path, source })
    });
    let made = Ranks::of(world).agree(made, Failure::OnOtherRank)?;
    let paths = of_rank_0(world, made.iter().map(|folder| folder.path().to_path_buf()).collect());
    Ok((paths.into_iter().collect(), made))
}

/// Writes the report and the table of all designs.
fn write_report(study: &Study, store: &Store, pictures: Option<&Path>) -> Result<(), Failure> {
    let records: Vec<Record> = store.load()?.into_iter().map(|design| design.record).collect();
    let whole = report::of(study, store, &records);
    for (name, text) in [("study.csv", report::csv(study, &records)), ("study.html", whole.page)] {
        let path = store.path(name);
        atomic_write(&path, text.as_bytes())?;
        print_line(format_args!("{}", path.display()));
    }
    if let Some(folder) = pictures {
        write_pictures(folder, &whole.pictures)?;
    }
    Ok(())
}

/// Prints the best designs as a table.
fn print_best(study: &Study, store: &Store, count: usize) -> Result<(), Failure> {
    let records: Vec<Record> = store.load()?.into_iter().map(|design| design.record).collect();
    let best: Vec<Record> = ranked(study, &records).into_iter().take(count).cloned().collect();
    print_line(format_args!("{}", report::csv(study, &best).trim_end()));
    Ok(())
}
