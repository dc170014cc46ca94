//! The cost of a run: hours, from some time steps on the device, and gigabytes, from the sizes of files.

use std::time::Instant;

use super::steps::Steps;
use crate::case::Case;
use crate::commands::Failure;
use crate::element::ElementKind;
use crate::format::{duration, size};
use crate::input::Every;
use crate::output::CheckpointPeriod;
use crate::solver::{Solver, StepError};

/// Seconds for which steps are timed, and the largest number of timed steps.
const TIMED: f64 = 0.5;
const MOST_STEPS: u64 = 50;

/// Times some steps, which change the state. Logs the time of all steps and the size of large files, and returns the
/// seconds of all steps. Collective.
///
/// # Errors
/// A boundary value is not possible, or the device fails.
pub fn log(case: &Case, solver: &mut Solver, steps: &Steps) -> Result<f64, Failure> {
    let seconds = seconds_per_step(solver, steps.dt)?;
    tracing::info!(
        "cost    {} for {} steps of {} each, timed here; outputs take more",
        duration(seconds * steps.count as f64),
        steps.count,
        duration(seconds)
    );
    let seconds = seconds * steps.count as f64;
    if case.output.writes() {
        log_files(case, solver, steps, seconds);
    }
    Ok(seconds)
}

/// Returns the seconds of a time step on the slowest rank. Collective.
fn seconds_per_step(solver: &mut Solver, dt: f64) -> Result<f64, StepError> {
    // The first step records graphs and fills caches. If it takes long, it is the answer.
    let first = timed(solver, dt, 1)?;
    let count = ((TIMED / first) as u64).min(MOST_STEPS);
    match count {
        0 => Ok(first),
        _ => Ok(timed(solver, dt, count)? / count as f64),
    }
}

/// Returns the seconds that so many steps take on the slowest rank. Collective.
fn timed(solver: &mut Solver, dt: f64, count: u64) -> Result<f64, StepError> {
    let begin = Instant::now();
    for _ in 0..count {
        solver.step(0.0, dt)?;
    }
    solver.synchronize()?;
    let mut seconds = [begin.elapsed().as_secs_f64()];
    solver.ranks.allreduce_max(&mut seconds);
    Ok(seconds[0])
}

/// Logs the size of the files that grow with the mesh, of a run whose steps take so many seconds. Collective.
fn log_files(case: &Case, solver: &Solver, steps: &Steps, seconds: f64) {
    let mut total = 0.0;
    let mut parts = Vec::new();
    let mut small = Vec::new();
    for request in &case.output.requests {
        let Some(bytes) = request.bytes_per_file(solver) else {
            small.push(request.label());
            continue;
        };
        let files = if request.replaces_its_file() {
            1.0
        } else {
            steps.outputs(request.every())
        };
        total += files * bytes;
        parts.push(format!("{files:.0} {} of {}", request.label(), size(bytes)));
    }
    if let Some(checkpoints) = case.output.checkpoints {
        let bytes = checkpoint_bytes(case, solver);
        let written = match checkpoints.period {
            CheckpointPeriod::Flow(every) => steps.outputs(every),
            CheckpointPeriod::Clock(period) => 1.0 + (seconds / period.as_secs_f64()).floor(),
        };
        let kept = written.min(checkpoints.keep as f64);
        total += kept * bytes;
        parts.push(format!("{kept:.0} checkpoints of {}", size(bytes)));
    }
    let others = if small.is_empty() {
        String::new()
    } else {
        format!("; not counted: {}", small.join(", "))
    };
    if !parts.is_empty() {
        tracing::info!("files   {} ({}){others}", size(total), parts.join(", "));
    }
}

/// Returns the bytes of a checkpoint: the state with its compensation, the sums of statistics, and number and kind of
/// each cell. Collective.
fn checkpoint_bytes(case: &Case, solver: &Solver) -> f64 {
    let values = if case.solver.kahan { 10.0 } else { 5.0 };
    let sums = case.solver.output_doubles_per_cell;
    let of_cell = |kind: &ElementKind| 8.0 * sums[*kind] as f64 + 9.0;
    let mut cells = [solver.mesh.kinds.iter().map(of_cell).sum::<f64>()];
    solver.ranks.allreduce_sum(&mut cells);
    let state = solver.points_of_all_ranks() as f64 * values * case.solver.real_bytes() as f64;
    state + cells[0]
}

impl Steps {
    /// Returns the number of times at which an output with this schedule is written.
    fn outputs(&self, every: Every) -> f64 {
        let intervals = match every {
            Every::Time(period) => (self.span / period).floor(),
            Every::Steps(period) => (self.count / period) as f64,
        };
        1.0 + intervals
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_counted_with_the_first() {
        let steps = Steps {
            dt: 0.1,
            count: 100,
            span: 10.0,
        };
        assert_eq!(
            (steps.outputs(Every::Time(2.0)), steps.outputs(Every::Steps(30))),
            (6.0, 4.0)
        );
    }
}
