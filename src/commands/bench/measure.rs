//! One measurement: whole steps, every kernel by itself, and a copy to compare them with.

use std::time::Instant;

use super::cost::{Cost, Work as Count, interface};
use super::{Failure, Setup};
use crate::case::Case;
use crate::device::{Buffer, Cells, Device, DeviceError, StageUpdate, Work};
use crate::solver::{Solver, StepError};

/// Seconds of continuous stepping before anything is timed: processors under load lower their clocks within it.
pub const WARM_UP: f64 = 0.6;
/// Repeats of a single kernel; the median is reported.
pub const REPEATS: usize = 9;

/// Speed of whole steps, in seconds a stage.
#[derive(Debug)]
pub struct Speed {
    /// First steps after a pause, at the clocks of an idle machine.
    pub burst: f64,
    /// Mean over continuous stepping after the warm-up.
    pub sustained: f64,
}

/// What was measured of one case.
#[derive(Debug)]
pub struct Measurement {
    /// The device in words.
    pub device: String,
    /// CPU threads.
    pub threads: Option<usize>,
    /// Solution points.
    pub points: usize,
    /// Bytes on the device.
    pub memory: usize,
    /// Whole steps.
    pub speed: Speed,
    /// What a stage should cost.
    pub stage: Count,
    /// Bytes read and written per second by a copy.
    pub copy: f64,
    /// Name, seconds and counted work of each kernel.
    pub kernels: Vec<(&'static str, f64, Count)>,
}

fn stepping(solver: &mut Solver, dt: f64, setup: &Setup) -> Result<Speed, StepError> {
    let mut seconds = |steps: u64| -> Result<f64, StepError> {
        solver.rates()?; // an idle device, so that the clock covers these steps alone
        let begin = Instant::now();
        for _ in 0..steps {
            solver.step(0.0, dt)?;
        }
        solver.rates()?;
        Ok(begin.elapsed().as_secs_f64())
    };
    let stages = |steps: u64| (4 * steps) as f64;
    seconds(setup.steps)?;
    std::thread::sleep(std::time::Duration::from_secs_f64(WARM_UP));
    let burst = seconds(setup.steps)? / stages(setup.steps);
    // So many steps that one call lasts long beside its two waits for the device.
    let chunk = setup.steps.max((0.2 / (4.0 * burst)) as u64);
    let window = |least: f64, seconds: &mut dyn FnMut(u64) -> Result<f64, StepError>| {
        let (mut time, mut steps) = (0.0, 0);
        while time < least {
            time += seconds(chunk)?;
            steps += chunk;
        }
        Ok::<_, StepError>(time / stages(steps))
    };
    window(WARM_UP, &mut seconds)?;
    let sustained = window(setup.seconds, &mut seconds)?;
    Ok(Speed { burst, sustained })
}

/// Median time of a piece of work, in seconds.
fn median(device: &mut dyn Device, work: &mut Work) -> Result<f64, DeviceError> {
    device.seconds(work)?;
    let mut times = (0..REPEATS)
        .map(|_| device.seconds(work))
        .collect::<Result<Vec<f64>, _>>()?;
    times.sort_by(f64::total_cmp);
    Ok(times[REPEATS / 2])
}

/// Builds the case of `setup` and measures it.
pub fn measure(setup: &Setup) -> Result<Measurement, Failure> {
    let mut case = Case::parse(&setup.case_text(), std::path::Path::new("(bench)"), &[])?;
    case.graph = setup.graph;
    let mut solver = Solver::new(&case)?;
    let cost = Cost::of_mesh(&solver.geometry, case.order, setup.real_bytes(), setup.viscous);
    let rates = solver.rates()?;
    let dt = 0.5 * solver.stable_step(&rates);
    let memory = solver.device.memory().total();
    let speed = stepping(&mut solver, dt, setup)?;
    let (points, device) = (solver.points(), solver.device.as_mut());
    let copy = device.copy_bandwidth()?;
    Ok(Measurement {
        device: device.describe(),
        threads: device.threads(),
        points,
        memory,
        speed,
        stage: cost.stage(),
        copy,
        kernels: kernels(device, setup, &cost)?,
    })
}

fn kernels(
    device: &mut dyn Device,
    setup: &Setup,
    cost: &Cost,
) -> Result<Vec<(&'static str, f64, Count)>, DeviceError> {
    let mut kernels = Vec::new();
    if setup.viscous {
        let time = median(device, &mut |d| d.sweep1(Buffer::Start, Cells::All))?;
        kernels.push(("sweep1", time, cost.sweep1));
    }
    // No weight and no time: the state stays as it is, so that kernels can be repeated.
    device.set_step(0.0)?;
    let (fraction, weight) = (0.0, 0.0);
    for (name, update, output, values) in [
        ("sweep2 first", StageUpdate::First { fraction, weight }, Buffer::A, 15.0),
        (
            "sweep2 middle",
            StageUpdate::Middle { fraction, weight },
            Buffer::A,
            25.0,
        ),
        ("sweep2 last", StageUpdate::Last { weight }, Buffer::B, 30.0),
    ] {
        let time = median(device, &mut |d| d.sweep2(Buffer::Start, output, update, Cells::All))?;
        kernels.push((name, time, cost.sweep2(values)));
    }
    kernels.push(("rates", median(device, &mut |d| d.rates().map(|_| ()))?, cost.rates));
    if setup.interfaces {
        for (name, by_faces) in [("flux by cells", false), ("flux by faces", true)] {
            let time = median(device, &mut |d| d.interface_flux(by_faces))?;
            let work = interface(setup.order as usize, setup.real_bytes(), setup.curved, by_faces);
            kernels.push((name, time, work));
        }
    }
    Ok(kernels)
}
