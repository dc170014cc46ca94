//! One measurement: whole steps, every kernel by itself, and a copy to compare them with.

use std::time::Instant;

use mpi::topology::SimpleCommunicator;

use super::cost::{Cost, Work as Count};
use super::setup::Setup;
use crate::case::Case;
use crate::commands::Failure;
use crate::device::{Buffer, Cells, Classes, Device, DeviceError, Launch, Moment, StageUpdate, Traces, Work};
use crate::halo::Routes;
use crate::halo::times::Times;
use crate::solver::{Solver, StepError, used_since};

/// Seconds of continuous stepping before the timing: processors under load lower their clock frequency within it.
pub const WARM_UP: f64 = 0.6;
/// Number of repetitions of a single kernel; the median is reported.
pub const REPEATS: usize = 9;

/// Speed of whole steps, in seconds per stage.
#[derive(Debug)]
pub struct Speed {
    /// First steps after a pause, at the clock frequency of an idle machine.
    pub burst: f64,
    /// Mean over continuous stepping after the warm-up.
    pub sustained: f64,
    /// Energy of all GPUs for a stage of continuous stepping, in joules, if they count it.
    pub joules: Option<f64>,
}

/// The measurement of one case.
#[derive(Debug)]
pub struct Measurement {
    /// Description of the device.
    pub device: String,
    /// What computes, in the same words for all cases on it.
    pub machine: String,
    /// Number of CPU threads.
    pub threads: Option<usize>,
    /// Solution points.
    pub points: usize,
    /// Bytes on the device.
    pub memory: usize,
    /// Whole steps.
    pub speed: Speed,
    /// Counted work of a stage.
    pub stage: Count,
    /// Bytes read and written per second by a copy.
    pub copy: f64,
    /// Each kernel.
    pub kernels: Vec<MeasuredKernel>,
    /// Cost of many ranks, if there are many.
    pub ranks: Option<Sharing>,
}

/// A kernel over all cells.
#[derive(Debug)]
pub struct MeasuredKernel {
    /// Its name.
    pub name: &'static str,
    /// Seconds of a launch.
    pub seconds: f64,
    /// Counted work.
    pub work: Count,
}

/// Cost of sharing a mesh among ranks, on the first rank; times in seconds.
#[derive(Debug)]
pub struct Sharing {
    /// Number of ranks.
    pub ranks: usize,
    /// Solution points of all of them.
    pub points: usize,
    /// Fraction of the cells that have neighbours on other ranks.
    pub frontier: f64,
    /// Packing for the two exchanges of a stage.
    pub packing: f64,
    /// Additional time of both sweeps over interior and frontier cells in turn, compared with all cells at once.
    pub splitting: f64,
    /// Times of an exchange.
    pub times: Times,
    /// Description of the routes of traces.
    pub routes: &'static str,
}

fn stepping(solver: &mut Solver, dt: f64, setup: &Setup) -> Result<Speed, StepError> {
    let seconds = |solver: &mut Solver, steps: u64| -> Result<f64, StepError> {
        solver.synchronize()?; // an idle device, so that the clock covers these steps alone
        let begin = Instant::now();
        for _ in 0..steps {
            solver.step(0.0, dt)?;
        }
        solver.synchronize()?;
        // The slowest rank counts, and all ranks must take the same number of steps.
        let mut time = [begin.elapsed().as_secs_f64()];
        solver.ranks.allreduce_max(&mut time);
        Ok(time[0])
    };
    let stages = |steps: u64| (4 * steps) as f64;
    seconds(solver, setup.steps)?;
    std::thread::sleep(std::time::Duration::from_secs_f64(WARM_UP));
    let burst = seconds(solver, setup.steps)? / stages(setup.steps);
    // So many steps that one call takes long compared with its two waits for the device.
    let chunk = setup.steps.max((0.2 / (4.0 * burst)) as u64);
    // Time and energy of a stage.
    let mut window = |least: f64| {
        let before = solver.millijoules();
        let (mut time, mut steps) = (0.0, 0);
        while time < least {
            time += seconds(solver, chunk)?;
            steps += chunk;
        }
        let used = used_since(before, solver.millijoules());
        Ok::<_, StepError>((time / stages(steps), used.map(|joules| joules / stages(steps))))
    };
    window(WARM_UP)?;
    let (sustained, joules) = window(setup.seconds)?;
    Ok(Speed {
        burst,
        sustained,
        joules,
    })
}

/// Returns the median time of a piece of work, in seconds.
fn median(device: &mut dyn Device, work: &mut Work) -> Result<f64, DeviceError> {
    device.seconds(work)?;
    let mut times = (0..REPEATS)
        .map(|_| device.seconds(work))
        .collect::<Result<Vec<f64>, _>>()?;
    times.sort_by(f64::total_cmp);
    Ok(times[REPEATS / 2])
}

/// Returns the seconds by which many ranks lengthen a stage of this one. Collective.
fn sharing(solver: &mut Solver, viscous: bool) -> Result<Option<Sharing>, DeviceError> {
    let points = solver.points_of_all_ranks();
    let seen = solver.watch_step()?;
    let (Some(times), Some(routes)) = (solver.exchange_times(&seen), solver.routes().map(Routes::describe)) else {
        return Ok(None);
    };
    let plan = solver.device.plan();
    let frontier: usize = plan.groups.iter().map(|g| g.end - g.frontier).sum();
    let frontier = frontier as f64 / plan.blocks() as f64;
    let device = solver.device.as_mut();
    let mut packing = median(device, &mut |d| d.pack(Traces::States(Buffer::Start)))?;
    let update = StageUpdate::RhsOnly;
    let mut sweeps = |cells: &'static [Cells]| {
        median(device, &mut |d| {
            for &cells in cells {
                if viscous {
                    d.sweep1(Buffer::Start, (cells, Classes::ALL))?;
                }
                d.launch(&[Launch::sweep2(Buffer::Start, Buffer::A, update, Moment::BEGIN).over(cells)])?;
            }
            Ok(())
        })
    };
    let splitting = sweeps(&[Cells::Interior, Cells::Frontier])? - sweeps(&[Cells::All])?;
    if viscous {
        packing += median(device, &mut |d| d.pack(Traces::Viscous))?;
    }
    Ok(Some(Sharing {
        ranks: solver.ranks.size(),
        points,
        frontier,
        packing,
        splitting,
        times,
        routes,
    }))
}

/// Builds the case of `setup` and measures it. Collective.
///
/// # Errors
/// The case cannot be set up here, or the device fails.
pub fn measure(setup: &Setup, world: &SimpleCommunicator) -> Result<Measurement, Failure> {
    let mut case = Case::parse(&setup.case_text(), std::path::Path::new("(bench)"), &[])?;
    case.solver.graph = setup.graph;
    let mut solver = Solver::on_ranks(&case.solver, world)?;
    let cost = Cost::of_mesh(&solver.geometry, case.solver.order, setup.real_bytes(), setup.viscous);
    let rates = solver.time_step_bounds()?;
    let dt = 0.5 * solver.stable_step(&rates);
    let memory = solver.device.memory().total();
    let speed = stepping(&mut solver, dt, setup)?;
    let ranks = sharing(&mut solver, setup.viscous)?;
    let (points, device) = (solver.points(), solver.device.as_mut());
    let copy = device.copy_bandwidth()?;
    let measurement = Measurement {
        device: device.describe(),
        machine: device.info().machine,
        threads: device.threads(),
        points,
        memory,
        speed,
        stage: cost.stage(),
        copy,
        kernels: kernels(device, setup, &cost)?,
        ranks,
    };
    solver.disconnect()?;
    Ok(measurement)
}

/// Measures the kernels of a step one by one.
fn kernels(device: &mut dyn Device, setup: &Setup, cost: &Cost) -> Result<Vec<MeasuredKernel>, DeviceError> {
    let mut kernels = Vec::new();
    if setup.viscous {
        let seconds = median(device, &mut |d| d.sweep1(Buffer::Start, (Cells::All, Classes::ALL)))?;
        kernels.push(MeasuredKernel {
            name: "sweep1",
            seconds,
            work: cost.sweep1,
        });
    }
    // In a step of no time the state does not change, so that kernels can be repeated. The weights are not 0: the
    // correction of the entropy in the last stage divides by its share of the step.
    device.set_step(0.0)?;
    let (fraction, weight) = (0.5, 1.0);
    for (name, update, output, values) in [
        ("sweep2 first", StageUpdate::First { fraction, weight }, Buffer::A, 15.0),
        (
            "sweep2 middle",
            StageUpdate::Middle { fraction, weight },
            Buffer::A,
            25.0,
        ),
        (
            "sweep2 last",
            StageUpdate::Last { fraction, weight },
            Buffer::Start,
            30.0,
        ),
    ] {
        let seconds = median(device, &mut |d| {
            d.launch(&[Launch::sweep2(Buffer::Start, output, update, Moment::BEGIN)])
        })?;
        kernels.push(MeasuredKernel {
            name,
            seconds,
            work: cost.sweep2(values),
        });
    }
    kernels.push(MeasuredKernel {
        name: "time_step_bounds",
        seconds: median(device, &mut |d| d.time_step_bounds().map(|_| ()))?,
        work: cost.time_step_bounds,
    });
    Ok(kernels)
}
