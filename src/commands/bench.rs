//! `fr-les bench`: how fast a Taylor-Green box runs here, kernel by kernel, against what memory and arithmetic allow.

use std::path::PathBuf;
use std::time::Instant;

use serde_json::json;

use super::run::{Failure, print_line};
use crate::case::Case;
use crate::device::{Buffer, Device, DeviceError, StageUpdate, Work};
use crate::solver::Solver;

pub mod cost;

/// Arguments of `fr-les bench`.
#[derive(Debug, clap::Args)]
pub struct BenchArgs {
    /// Polynomial degree p, 1..=8
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=8))]
    order: u64,
    /// Cells per direction
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u64).range(1..=1024))]
    cells: u64,
    /// double or single
    #[arg(long, default_value = "double")]
    precision: String,
    /// auto, strict or fast
    #[arg(long, default_value = "auto")]
    arithmetic: String,
    /// auto, cpu or cuda
    #[arg(long, default_value = "auto")]
    device: String,
    /// CPU threads; all cores if not given
    #[arg(long)]
    threads: Option<usize>,
    /// Cell shape; hex
    #[arg(long, default_value = "hex")]
    elements: String,
    /// Curve the cells (metric terms stored at every point)
    #[arg(long)]
    curved: bool,
    /// Leave out viscous terms
    #[arg(long)]
    inviscid: bool,
    /// Time steps in a burst
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    steps: u64,
    /// Seconds of continuous stepping that are timed
    #[arg(long, default_value_t = 2.0)]
    seconds: f64,
    /// Launch every kernel on its own instead of replaying a recorded step
    #[arg(long)]
    no_graph: bool,
    /// Also write the result as JSON
    #[arg(long)]
    json: Option<PathBuf>,
}

/// Seconds of continuous stepping before anything is timed: processors under load lower their clocks within it.
const WARM_UP: f64 = 0.6;
/// Repeats of a single kernel; the median is reported.
const REPEATS: usize = 9;

/// Speed of whole steps, in seconds a stage.
struct Speed {
    /// First steps after a pause, at the clocks of an idle machine.
    burst: f64,
    /// Mean over continuous stepping after the warm-up.
    sustained: f64,
}

fn stepping(solver: &mut Solver, dt: f64, args: &BenchArgs) -> Result<Speed, DeviceError> {
    let mut seconds = |steps: u64| -> Result<f64, DeviceError> {
        solver.device.rates()?; // an idle device, so that the clock covers these steps alone
        let begin = Instant::now();
        for _ in 0..steps {
            solver.step(0.0, dt)?;
        }
        solver.device.rates()?;
        Ok(begin.elapsed().as_secs_f64())
    };
    let stages = |steps: u64| (4 * steps) as f64;
    seconds(args.steps)?;
    std::thread::sleep(std::time::Duration::from_secs_f64(WARM_UP));
    let burst = seconds(args.steps)? / stages(args.steps);
    // So many steps that one call lasts long beside its two waits for the device.
    let chunk = args.steps.max((0.2 / (4.0 * burst)) as u64);
    let window = |least: f64, seconds: &mut dyn FnMut(u64) -> Result<f64, DeviceError>| {
        let (mut time, mut steps) = (0.0, 0);
        while time < least {
            time += seconds(chunk)?;
            steps += chunk;
        }
        Ok::<_, DeviceError>(time / stages(steps))
    };
    window(WARM_UP, &mut seconds)?;
    let sustained = window(args.seconds, &mut seconds)?;
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

/// Runs the benchmark and prints it.
pub fn run(args: &BenchArgs) -> Result<(), Failure> {
    let mut case = Case::parse(&case_text(args), std::path::Path::new("(bench)"), &[])?;
    case.graph = !args.no_graph;
    let mut solver = Solver::new(&case)?;
    let points = solver.points();
    let n = case.order + 1;
    let real = if args.precision == "single" { 4 } else { 8 };
    let memory = solver.device.memory();
    print_line(format_args!("{}", solver.device.describe()));
    print_line(format_args!(
        "p = {}, {}^3 {} cells, {points} points, {:.1} bytes ({:.1} reals) a point, {} MiB in all",
        args.order,
        args.cells,
        if args.curved { "curved" } else { "affine" },
        memory.total() as f64 / points as f64,
        memory.total() as f64 / points as f64 / real as f64,
        memory.total() >> 20
    ));

    let rates = solver.device.rates()?;
    let dt = 0.5 * solver.stable_step(&rates);
    let speed = stepping(&mut solver, dt, args)?;
    let per_point = |seconds: f64| seconds * 1e9 / points as f64;
    let cost = cost::Cost::new(n, real, args.curved, !args.inviscid);

    let device = solver.device.as_mut();
    let copy = device.copy_bandwidth()?;
    let mut kernels = Vec::new();
    if !args.inviscid {
        let time = median(device, &mut |d| d.sweep1(Buffer::Start))?;
        kernels.push(("sweep1", time, cost.sweep1));
    }
    let middle = StageUpdate::Middle {
        fraction: 0.0,
        weight: 0.0,
    };
    for (name, update, output, work) in [
        (
            "sweep2 first",
            StageUpdate::First {
                fraction: 0.0,
                weight: 0.0,
            },
            Buffer::A,
            cost.sweep2(15.0),
        ),
        ("sweep2 middle", middle, Buffer::A, cost.sweep2(25.0)),
        (
            "sweep2 last",
            StageUpdate::Last { weight: 0.0 },
            Buffer::B,
            cost.sweep2(30.0),
        ),
    ] {
        // No weight and no time: the state stays as it is, so that kernels can be repeated.
        device.set_step(0.0)?;
        kernels.push((
            name,
            median(device, &mut |d| d.sweep2(Buffer::Start, output, update))?,
            work,
        ));
    }
    kernels.push(("rates", median(device, &mut |d| d.rates().map(|_| ()))?, cost.rates));

    print_line(format_args!(
        "\n{:<14} {:>11} {:>10} {:>10} {:>8} {:>9} {:>9}",
        "", "ns/DOF", "bytes/DOF", "GB/s", "of copy", "flop/DOF", "GFLOP/s"
    ));
    let row = |name: &str, seconds: f64, work: cost::Work| {
        print_line(format_args!(
            "{name:<14} {:>11.4} {:>10.1} {:>10.1} {:>6.0} % {:>9.0} {:>9.1}",
            per_point(seconds),
            work.bytes,
            work.bytes * points as f64 / seconds * 1e-9,
            100.0 * work.bytes * points as f64 / seconds / copy,
            work.flops,
            work.flops * points as f64 / seconds * 1e-9
        ));
    };
    row("stage", speed.sustained, cost.stage);
    for (name, seconds, work) in &kernels {
        row(name, *seconds, *work);
    }
    let threads = solver.device.threads();
    print_line(format_args!(
        "\n{:.4} GDOF/s sustained ({:.0} s after {WARM_UP} s of stepping), {:.4} in a burst; copy {:.1} GB/s{}",
        points as f64 / speed.sustained * 1e-9,
        args.seconds,
        points as f64 / speed.burst * 1e-9,
        copy * 1e-9,
        threads.map_or(String::new(), |t| format!(
            "; {:.1} ns per DOF, stage and core",
            per_point(speed.sustained) * t as f64
        ))
    ));
    print_line(format_args!(
        "stage: mean of the four, sustained; kernels: median of {REPEATS} in bursts; bytes: each array once per kernel, neighbours \
         from cache; flops: counted in the source, fma = 2, division and root = 1"
    ));

    if let Some(path) = &args.json {
        let kernel = |(name, seconds, work): &(&str, f64, cost::Work)| {
            (
                (*name).to_owned(),
                json!({
                    "ns": seconds * 1e9, "ns_per_dof": per_point(*seconds),
                    "bytes_per_dof": work.bytes, "flops_per_dof": work.flops,
                    "fraction_of_copy": work.bytes * points as f64 / seconds / copy,
                }),
            )
        };
        let result = json!({
            "device": solver.device.describe(), "threads": threads, "order": args.order, "cells": args.cells,
            "precision": args.precision, "arithmetic": args.arithmetic, "curved": args.curved, "points": points,
            "gdof_per_s": points as f64 / speed.sustained * 1e-9, "gdof_per_s_burst": points as f64 / speed.burst * 1e-9,
            "ns_per_dof_stage": per_point(speed.sustained), "bytes_per_dof_stage": cost.stage.bytes,
            "ns_per_dof_stage_core": threads.map(|t| per_point(speed.sustained) * t as f64),
            "bytes_per_point": memory.total() as f64 / points as f64, "copy_bandwidth": copy,
            "kernels": kernels.iter().map(kernel).collect::<serde_json::Map<_, _>>(),
        });
        let text = serde_json::to_string_pretty(&result).unwrap_or_default();
        crate::io::atomic_write(path, text.as_bytes())?;
    }
    Ok(())
}

/// Taylor-Green on the box that the arguments describe.
fn case_text(args: &BenchArgs) -> String {
    let threads = args.threads.map_or(String::new(), |t| format!("threads: {t}\n"));
    let viscosity = if args.inviscid {
        ""
    } else {
        ", viscosity: {constant: 1/1600}"
    };
    format!(
        "title: benchmark\nmesh:\n  box:\n    cells: [{c}, {c}, {c}]\n    lower: [-pi, -pi, -pi]\n    upper: [pi, pi, pi]\n    \
         periodic: [x, y, z]\n    elements: {}\n    warp: {}\norder: {}\nprecision: {}\narithmetic: {}\ndevice: {}\n{threads}\
         constants: {{p0: 1/(1.4*0.1^2)}}\ngas: {{gamma: 1.4, prandtl: 0.71, gas-constant: 1.0{viscosity}}}\n\
         initial:\n  u: sin(x)*cos(y)*cos(z)\n  v: -cos(x)*sin(y)*cos(z)\n  w: 0\n  \
         p: p0 + (cos(2*x) + cos(2*y))*(cos(2*z) + 2)/16\n  temperature: p0\ntime: {{steps: 1, cfl: 0.5}}\n",
        args.elements,
        if args.curved { 0.1 } else { 0.0 },
        args.order,
        args.precision,
        args.arithmetic,
        args.device,
        c = args.cells
    )
}
