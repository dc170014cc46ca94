//! The description in the log before a run or at a check: ranks, mesh, scheme, device, memory, time step, output and
//! averages, with warnings of settings that cannot work as intended.

use mpi::topology::SimpleCommunicator;

use super::{Failure, word};
use crate::case::Case;
use crate::device::Precision;
use crate::format::{number, size};
use crate::mesh::partition::Report;
use crate::output;
use crate::physics::{EntropyCorrection, Riemann, Shock};
use crate::run::{RunError, TimeStep};
use crate::solver::Solver;

/// Logs the description of a run. Warns if the time step is beyond linear stability or an output would stay empty.
/// Collective.
///
/// # Errors
/// The device fails, or statistics cannot be taken on this mesh.
pub fn describe(case: &Case, solver: &mut Solver, world: &SimpleCommunicator) -> Result<(), Failure> {
    let rates = solver.time_step_bounds()?;
    let stable = solver.stable_step(&rates);
    if solver.ranks.size() > 1 {
        let report = Report::of_ranks(&solver.mesh, world, case.solver.order);
        tracing::info!("ranks   {}", report.summary(case.solver.precision));
        tracing::info!("        of the first:");
    }
    log_mesh(solver);
    log_scheme(case, solver);
    warn_of_central_interfaces(case);
    tracing::info!("device  {}", solver.device.describe());
    log_memory(case, solver);
    log_time(case);
    warn_of_instability(case, solver, stable);
    log_output(case);
    warn_of_empty_output(case);
    log_means(case, solver)
}

fn log_mesh(solver: &Solver) {
    let affine = (0..solver.mesh.len()).filter(|&c| solver.geometry.is_affine(c)).count();
    let kinds = solver.mesh.kinds_present().into_iter().map(|kind| {
        let count = solver.mesh.kinds.iter().filter(|k| **k == kind).count();
        format!("{count} {}", if count == 1 { kind.noun() } else { kind.plural() })
    });
    tracing::info!(
        "mesh    {} ({affine} affine, {} with metric terms at every point)",
        kinds.collect::<Vec<_>>().join(", "),
        solver.mesh.len() - affine
    );
}

fn log_scheme(case: &Case, solver: &Solver) {
    tracing::info!(
        "scheme  p = {}, {} points, split {}, {} interfaces, {} correction{}, {}{}{}",
        case.solver.order,
        solver.points(),
        word(case.solver.scheme.split),
        word(case.solver.scheme.riemann),
        word(case.solver.scheme.correction),
        match case.solver.scheme.entropy_correction {
            EntropyCorrection::None => "",
            EntropyCorrection::Cells => ", entropy corrected in cells",
        },
        case.solver.time_scheme.name(),
        if case.solver.kahan { " with Kahan summation" } else { "" },
        match case.solver.scheme.shock {
            Shock::None => "",
            Shock::EntropyFilter => ", entropy filter",
            Shock::Positivity => ", positivity limiter",
        }
    );
}

/// Warns of a correction of the entropy that the interfaces do not go with.
fn warn_of_central_interfaces(case: &Case) {
    let scheme = &case.solver.scheme;
    if scheme.riemann == Riemann::Central && scheme.entropy_correction != EntropyCorrection::None {
        tracing::warn!(
            "`scheme.riemann: central` dissipates nothing at interfaces, and `entropy-correction: cells` corrects what \
             cells do inside alone, so that nothing bounds the total entropy: take `roe` or `roe-entropy-stable`"
        );
    }
}

fn log_memory(case: &Case, solver: &Solver) {
    let memory = solver.device.memory();
    let real = if case.solver.precision == Precision::Double {
        8.0
    } else {
        4.0
    };
    let per_point = |bytes: usize| bytes as f64 / solver.points() as f64;
    tracing::info!(
        "memory  {}: {:.1} bytes = {:.1} reals a point (state {:.0}, traces {:.0}, geometry {:.0}, \
         connectivity {:.0}, other {:.0})",
        size(memory.total() as f64),
        per_point(memory.total()),
        per_point(memory.total()) / real,
        per_point(memory.state),
        per_point(memory.traces),
        per_point(memory.geometry),
        per_point(memory.connectivity),
        per_point(memory.other)
    );
}

fn log_time(case: &Case) {
    let end = match (case.run.end, case.run.steps) {
        (Some(t), Some(n)) => format!("to t = {t} or {n} steps"),
        (Some(t), None) => format!("to t = {t}"),
        (None, Some(n)) => format!("{n} steps"),
        (None, None) => String::new(),
    };
    let until = case.run.until.as_ref();
    let until = until.map_or_else(String::new, |until| {
        format!(
            ", or until {} is known to {} %",
            until.result,
            number(100.0 * until.share)
        )
    });
    let step = match case.run.step {
        TimeStep::Fixed(dt) => format!("dt = {dt:.4e}"),
        TimeStep::Cfl(cfl) => format!("cfl = {cfl}"),
    };
    tracing::info!("time    {end}{until}, {step}");
}

fn warn_of_instability(case: &Case, solver: &Solver, stable: f64) {
    match case.run.step {
        TimeStep::Fixed(dt) if dt <= stable && dt > solver.stable_step_with_bars(stable, dt) => {
            let with_bars = solver.stable_step_with_bars(stable, dt);
            tracing::warn!(
                "dt {dt:.3e} is above the linear stability limit of the initial state with bars, {with_bars:.3e}: a \
                 smaller dt or a smaller `strength` of the bars helps"
            );
        }
        TimeStep::Fixed(dt) if dt > stable => {
            tracing::warn!("dt {dt:.3e} is above the linear stability limit {stable:.3e} of the initial state");
        }
        TimeStep::Cfl(cfl) if cfl > 1.0 => {
            tracing::warn!("cfl {cfl} is above 1, the limit of linear stability: the run may diverge");
        }
        _ => {}
    }
}

fn log_output(case: &Case) {
    let files = case.output.files();
    let list = if files.is_empty() {
        "none".to_owned()
    } else {
        files.join(", ")
    };
    tracing::info!("output  {}: {list}", case.output.directory.display());
}

fn warn_of_empty_output(case: &Case) {
    for warning in &case.output.warnings {
        tracing::warn!("{warning}");
    }
    for request in &case.output.requests {
        let Some(end) = case.run.end else { continue };
        let name = request.label().replace(' ', ".");
        if let Some(from) = request.samples_from().filter(|from| *from >= end) {
            tracing::warn!(
                "output.{name}.from: nothing is sampled, as the run ends at t = {end} and samples begin \
                 after t = {from}"
            );
        }
        if let Some(from) = request.means_from().filter(|from| *from >= end) {
            tracing::warn!(
                "output.{name}.means-from: no means are taken, as the run ends at t = {end} and they begin \
                 after t = {from}"
            );
        }
    }
}

fn log_means(case: &Case, solver: &mut Solver) -> Result<(), Failure> {
    let lines = output::describe(&case.output, solver).map_err(RunError::from);
    let lines = lines.map_err(|e| case.locate_run(e).map_or_else(Failure::from, Failure::from))?;
    for line in lines {
        tracing::info!("means   {line}");
    }
    Ok(())
}
