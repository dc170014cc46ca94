//! The cost of a run: hours, from some time steps on the device, and gigabytes, from the sizes of files.

use std::time::Instant;

use serde::Serialize;

use super::steps::Steps;
use crate::case::Case;
use crate::commands::Failure;
use crate::element::ElementKind;
use crate::format::{duration, size};
use crate::input::Every;
use crate::io::Quantity;
use crate::output::CheckpointPeriod;
use crate::solver::{Solver, StepError};

/// Seconds for which steps are timed, and the largest number of timed steps.
const TIMED: f64 = 0.5;
const MOST_STEPS: u64 = 50;

/// The cost of a run on this machine.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Cost {
    /// That of all steps.
    pub wall_clock: Quantity,
    wall_clock_per_step: Quantity,
    /// Files that grow with the mesh; `None` if the run writes nothing.
    files: Option<Files>,
}

/// Files that grow with the mesh.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Files {
    total: Quantity,
    of_each: Vec<FilesOf>,
    not_counted: Vec<String>,
}

/// The files of an output.
#[derive(Debug, Serialize)]
struct FilesOf {
    output: String,
    files: f64,
    /// Of each of them.
    size: Quantity,
}

/// Times some steps, which change the state. Logs the time of all steps and the size of large files, and returns them.
/// Collective.
///
/// # Errors
/// A boundary value is not possible, or the device fails.
pub(super) fn log(case: &Case, solver: &mut Solver, steps: &Steps) -> Result<Cost, Failure> {
    let of_step = seconds_per_step(solver, steps.dt.value)?;
    let seconds = of_step * steps.all();
    tracing::info!(
        "cost    {} for {:.0} steps of {} each, timed here; outputs take more",
        duration(seconds),
        steps.all(),
        duration(of_step)
    );
    let files = case.output.writes().then(|| files(case, solver, steps, seconds));
    files.iter().for_each(Files::log);
    Ok(Cost {
        wall_clock: Quantity::new(seconds, "s"),
        wall_clock_per_step: Quantity::new(of_step, "s"),
        files,
    })
}

impl Cost {
    /// Returns the bytes of the files that grow with the mesh, if there are any.
    pub fn bytes(&self) -> Option<f64> {
        let files = self.files.as_ref()?;
        (!files.of_each.is_empty()).then_some(files.total.value)
    }
}

impl Files {
    fn log(&self) {
        let part = |of: &FilesOf| format!("{:.0} {} of {}", of.files, of.output, size(of.size.value));
        let parts: Vec<String> = self.of_each.iter().map(part).collect();
        let others = if self.not_counted.is_empty() {
            String::new()
        } else {
            format!("; not counted: {}", self.not_counted.join(", "))
        };
        if !parts.is_empty() {
            tracing::info!("files   {} ({}){others}", size(self.total.value), parts.join(", "));
        }
    }
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

/// Returns the size of the files that grow with the mesh, of a run whose steps take so many seconds. Collective.
fn files(case: &Case, solver: &Solver, steps: &Steps, seconds: f64) -> Files {
    let bytes_each = |bytes: f64| Quantity::new(bytes, "bytes");
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
        parts.push(FilesOf {
            output: request.label(),
            files,
            size: bytes_each(bytes),
        });
    }
    if let Some(checkpoints) = case.output.checkpoints {
        let bytes = checkpoint_bytes(case, solver);
        let written = match checkpoints.period {
            CheckpointPeriod::Flow(every) => steps.outputs(every),
            CheckpointPeriod::Clock(period) => 1.0 + (seconds / period.as_secs_f64()).floor(),
        };
        let kept = written.min(checkpoints.keep as f64);
        total += kept * bytes;
        parts.push(FilesOf {
            output: "checkpoints".to_owned(),
            files: kept,
            size: bytes_each(bytes),
        });
    }
    Files {
        total: bytes_each(total),
        of_each: parts,
        not_counted: small,
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
            Every::Time(period) => (self.span.value / period).floor(),
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
            first_step: 0,
            first_time: Quantity::new(0.0, "s"),
            dt: Quantity::new(0.1, "s"),
            count: 100,
            at_most_more: 0.0,
            span: Quantity::new(10.0, "s"),
        };
        assert_eq!(
            (steps.outputs(Every::Time(2.0)), steps.outputs(Every::Steps(30))),
            (6.0, 4.0)
        );
    }
}
