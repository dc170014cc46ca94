//! The outputs of the case, which sample the steady solution once: forces, surfaces, slices, probes, distributions
//! along blades, traverses.
//!
//! They sample a solver of the run in time, whose state is the hand-over, on the CPU and in double precision. It has no
//! sub-grid model and no synthetic turbulence, since the solution is a mean. Its relaxed outlets hold their pressure,
//! as those of the steady solver do. Outputs that take means get one sample, whose weight is 1.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;

use super::{Convergence, Finish, SteadyError};
use crate::device::DeviceKind;
use crate::format::{location, number};
use crate::input::Field;
use crate::io::{Precision, Provenance, STEADY_CHECKPOINT, Series, agree};
use crate::output::{self, Beside, FileList, Output, SampleContext, Sampled};
use crate::physics::{GasState, Initial, Thermal};
use crate::run::AllSettings;
use crate::solver::{Clock, FilterRecord, InterfaceUse, Settings, SetupError, Solver, StepError};

/// Refuses outputs for which the mesh lacks something. Collective.
///
/// # Errors
/// The case cannot be set up, or the mesh does not have what an output asks for.
pub(super) fn check(run: AllSettings, world: &SimpleCommunicator) -> Result<(), SteadyError> {
    if run.output.requests.is_empty() {
        return Ok(());
    }
    created(run, Solver::on_ranks(&settings(run, at_rest()), world)?).map(drop)
}

/// Returns the solver whose state outputs sample, in the initial state of the case. Collective.
///
/// # Errors
/// The case cannot be set up.
pub fn solver_at_start(run: AllSettings, world: &SimpleCommunicator) -> Result<Solver, SteadyError> {
    Ok(Solver::on_ranks(&settings(run, run.solver.initial.clone()), world)?)
}

/// Returns the outputs that the case asks for, and refuses those for which the mesh of a solver lacks something.
/// Collective.
///
/// # Errors
/// The mesh does not have what an output asks for.
pub(super) fn created(run: AllSettings, mut solver: Solver) -> Result<Vec<Box<dyn Output>>, SteadyError> {
    Ok(output::create(
        run.output,
        &mut solver,
        &Clock::default(),
        Sampled::SteadySolution,
    )?)
}

/// Lets the outputs sample the solution in the folder `directory`, which has ended so, and write their files
/// there. Returns these. Collective.
///
/// # Errors
/// The mesh does not have what an output asks for, or a file cannot be written.
pub(super) fn write(
    run: AllSettings,
    world: &SimpleCommunicator,
    directory: &Path,
    provenance: &Provenance,
    end: &Finish,
) -> Result<Vec<PathBuf>, SteadyError> {
    if run.output.requests.is_empty() {
        return Ok(Vec::new());
    }
    let path = directory.join(STEADY_CHECKPOINT);
    let initial = Initial::File {
        path: path.clone(),
        fluctuations: None,
    };
    // What there is to say of this solver was said at the check, and its initial state is no fact of the case.
    let silent = tracing::subscriber::NoSubscriber::new();
    let solver = tracing::subscriber::with_default(silent, || Solver::on_ranks(&settings(run, initial), world));
    let mut solver = solver.map_err(|error| of_solution(&path, error))?;
    solver.set_mass_flow_force(end.force)?;
    let there = output::Settings {
        directory: directory.to_path_buf(),
        ..run.output.clone()
    };
    let begin = Clock::default();
    let mut outputs = output::create(&there, &mut solver, &begin, Sampled::SteadySolution)?;
    let wanted: Vec<_> = outputs.iter().flat_map(|output| output.series()).collect();
    let mut series = agree(world, open(&wanted, directory, world, provenance))?;
    solver.evaluate_rhs(0.0).map_err(of_step)?;
    // Means begin at the times of the case.
    let from = there.requests.iter().filter_map(|request| request.samples_from());
    let mut after = Clock::default();
    after.advance(1.0 + from.fold(0.0, f64::max), None);
    let mut files = Vec::new();
    let mut results = Vec::new();
    let mut beside = Beside::default();
    let mut filter = FilterRecord::default();
    let log = |line: std::fmt::Arguments| {
        if world.rank() == 0 {
            match end.convergence {
                Convergence::Reached => tracing::info!("{line}"),
                Convergence::NotReached => tracing::info!("not converged: {line}"),
            }
        }
    };
    for output in &mut outputs {
        let mut context = SampleContext {
            solver: &mut solver,
            world,
            provenance,
            clock: if output.accumulates() { after } else { begin },
            dt: 0.0,
            last_step: None,
            series: &mut series,
            files: &mut files,
            results: &mut results,
            beside: &mut beside,
            filter: &mut filter,
            log: &log,
        };
        output.sample(&mut context)?;
        output.flush(&mut context)?;
        output.write(&mut context)?;
    }
    beside.finish(world)?;
    for file in beside.take_complete() {
        let list = file.list().filter(|_| world.rank() == 0);
        agree(world, list.map_or(Ok(()), FileList::write))?;
        files.push(file.path);
    }
    let written = match world.rank() {
        0 => output::write_results(directory, &results, &begin, provenance),
        _ => Ok(None),
    };
    files.extend(agree(world, written)?);
    let tables = wanted.iter().map(|(name, _)| directory.join(format!("{name}.csv")));
    Ok(tables.chain(files).collect())
}

/// Creates the series on rank 0.
fn open(
    wanted: &[(String, output::Columns)],
    directory: &Path,
    world: &SimpleCommunicator,
    provenance: &Provenance,
) -> Result<BTreeMap<String, Series>, crate::io::Error> {
    let mut series = BTreeMap::new();
    for (name, columns) in wanted.iter().filter(|_| world.rank() == 0) {
        let columns: Vec<_> = columns.iter().map(|(name, unit)| (name.as_str(), *unit)).collect();
        let path = directory.join(format!("{name}.csv"));
        series.insert(name.clone(), Series::create(&path, &columns, provenance)?);
    }
    Ok(series)
}

/// Returns gas at rest, since a check depends on no state: that of a file would be interpolated for it.
fn at_rest() -> Initial {
    let [zero, one] = [0.0, 1.0].map(Field::constant);
    Initial::State(GasState {
        velocity: [zero.clone(), zero.clone(), zero],
        pressure: one.clone(),
        thermal: Thermal::Density(one),
    })
}

/// Returns the settings of the solver whose state outputs sample.
fn settings(run: AllSettings, initial: Initial) -> Settings {
    let boundaries = run.solver.boundaries.iter();
    Settings {
        initial,
        boundaries: boundaries
            .map(|(name, boundary)| (name.clone(), boundary.without_turbulence().without_relaxation()))
            .collect(),
        interfaces: InterfaceUse::Mix,
        sgs: None,
        precision: Precision::Double,
        device: DeviceKind::Cpu,
        ..run.solver.clone()
    }
}

/// Returns an error about the initial state as one about the steady solution, which is not that of the case.
fn of_solution(path: &Path, error: SetupError) -> SteadyError {
    match error {
        SetupError::Value(value) if value.key.starts_with("initial") => SteadyError::Solution {
            path: path.to_path_buf(),
            detail: format!(
                "it {} {} at {}, which must be {}",
                value.what,
                number(value.value),
                location(value.at),
                value.must
            ),
        },
        error => error.into(),
    }
}

fn of_step(error: StepError) -> SteadyError {
    SetupError::from(error).into()
}
