//! `fr-les bench`: how fast a Taylor-Green box runs here, kernel by kernel, against what memory and arithmetic allow.

use std::path::PathBuf;
use std::time::Instant;

use serde_json::json;

use super::run::{Failure, print_line};
use crate::case::Case;
use crate::device::{Buffer, StageUpdate};
use crate::solver::Solver;

mod cost;

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
    /// auto or cpu
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
    /// Time steps per repeat
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    steps: u64,
    /// Repeats; best and median are reported
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u64).range(1..=1000))]
    repeats: u64,
    /// Also write the result as JSON
    #[arg(long)]
    json: Option<PathBuf>,
}

/// Times of one piece of work over the repeats, in seconds.
struct Times(Vec<f64>);

impl Times {
    fn measure(repeats: u64, mut work: impl FnMut()) -> Self {
        work();
        let mut times: Vec<f64> = (0..repeats)
            .map(|_| {
                let begin = Instant::now();
                work();
                begin.elapsed().as_secs_f64()
            })
            .collect();
        times.sort_by(f64::total_cmp);
        Times(times)
    }

    fn best(&self) -> f64 {
        self.0[0]
    }

    fn median(&self) -> f64 {
        self.0[self.0.len() / 2]
    }
}

/// Runs the benchmark and prints it.
pub fn run(args: &BenchArgs) -> Result<(), Failure> {
    let case = Case::parse(&case_text(args), std::path::Path::new("(bench)"), &[])?;
    let mut solver = Solver::new(&case)?;
    let points = solver.points();
    let n = case.order + 1;
    let real = if args.precision == "single" { 4 } else { 8 };
    let memory = solver.device.memory();
    let threads = args
        .threads
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
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

    let dt = 0.5 * {
        let rates = solver.device.rates();
        solver.stable_step(&rates)
    };
    let mut time = 0.0;
    let step = Times::measure(args.repeats, || {
        for _ in 0..args.steps {
            solver.step(time, dt);
            time += dt;
        }
    });
    let per_stage = |seconds: f64| seconds / (args.steps * 4) as f64;
    let copy = copy_bandwidth(threads, points * 5 * real);
    let per_point = |seconds: f64| seconds * 1e9 / points as f64;
    let cost = cost::Cost::new(n, real, args.curved, !args.inviscid);

    let device = solver.device.as_mut();
    let mut kernels = Vec::new();
    if !args.inviscid {
        kernels.push((
            "sweep1",
            Times::measure(args.repeats, || device.sweep1(Buffer::Start)),
            cost.sweep1,
        ));
    }
    // dt = 0 leaves the state as it is, so that kernels can be repeated.
    let middle = StageUpdate::Middle { dt: 0.0, weight: 0.0 };
    kernels.push((
        "sweep2",
        Times::measure(args.repeats, || device.sweep2(Buffer::Start, Buffer::A, middle)),
        cost.sweep2,
    ));
    kernels.push((
        "rates",
        Times::measure(args.repeats, || {
            device.rates();
        }),
        cost.rates,
    ));

    let (best, median) = (per_stage(step.best()), per_stage(step.median()));
    print_line(format_args!(
        "\n{:<10} {:>12} {:>12} {:>10} {:>10} {:>10} {:>9}",
        "", "best ns/DOF", "median", "bytes/DOF", "GB/s", "flop/DOF", "GFLOP/s"
    ));
    let row = |name: &str, best: f64, median: f64, work: cost::Work| {
        print_line(format_args!(
            "{name:<10} {:>12.3} {:>12.3} {:>10.1} {:>10.2} {:>10.0} {:>9.2}",
            per_point(best),
            per_point(median),
            work.bytes,
            work.bytes * points as f64 / best * 1e-9,
            work.flops,
            work.flops * points as f64 / best * 1e-9
        ));
    };
    row("stage", best, median, cost.stage);
    for (name, times, work) in &kernels {
        row(name, times.best(), times.median(), *work);
    }
    let stage_bandwidth = cost.stage.bytes * points as f64 / best;
    print_line(format_args!(
        "\n{:.4} GDOF/s (best), {:.4} (median); {:.1} ns per DOF, stage and core; copy {:.1} GB/s; stage at {:.0} % of it",
        points as f64 / best * 1e-9,
        points as f64 / median * 1e-9,
        per_point(best) * threads as f64,
        copy * 1e-9,
        100.0 * stage_bandwidth / copy
    ));
    print_line(format_args!(
        "bytes: each array once per kernel, neighbours from cache; flops: counted in the source, fma = 2, division and root = 1"
    ));

    if let Some(path) = &args.json {
        let kernel = |(name, times, work): &(&str, Times, cost::Work)| {
            let ns = per_point(times.best());
            let fraction = work.bytes * points as f64 / times.best() / copy;
            (
                (*name).to_owned(),
                json!({
                    "ns": times.best() * 1e9, "ns_per_dof": ns, "ns_per_dof_median": per_point(times.median()),
                    "bytes_per_dof": work.bytes, "flops_per_dof": work.flops, "fraction_of_copy": fraction,
                }),
            )
        };
        let result = json!({
            "device": solver.device.describe(), "threads": threads, "order": args.order, "cells": args.cells,
            "precision": args.precision, "curved": args.curved, "points": points,
            "gdof_per_s": points as f64 / best * 1e-9, "gdof_per_s_median": points as f64 / median * 1e-9,
            "ns_per_dof_stage": per_point(best), "ns_per_dof_stage_median": per_point(median),
            "ns_per_dof_stage_core": per_point(best) * threads as f64,
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
         periodic: [x, y, z]\n    elements: {}\n    warp: {}\norder: {}\nprecision: {}\ndevice: {}\n{threads}\
         constants: {{p0: 1/(1.4*0.1^2)}}\ngas: {{gamma: 1.4, prandtl: 0.71, gas-constant: 1.0{viscosity}}}\n\
         initial:\n  u: sin(x)*cos(y)*cos(z)\n  v: -cos(x)*sin(y)*cos(z)\n  w: 0\n  \
         p: p0 + (cos(2*x) + cos(2*y))*(cos(2*z) + 2)/16\n  temperature: p0\ntime: {{steps: 1, cfl: 0.5}}\n",
        args.elements,
        if args.curved { 0.1 } else { 0.0 },
        args.order,
        args.precision,
        args.device,
        c = args.cells
    )
}

/// Bytes read plus written per second when every thread copies its share of `bytes`.
fn copy_bandwidth(threads: usize, bytes: usize) -> f64 {
    let share = bytes.max(64 << 20).div_ceil(threads);
    let mut arrays: Vec<(Vec<u8>, Vec<u8>)> = (0..threads).map(|_| (vec![1u8; share], vec![0u8; share])).collect();
    let times = Times::measure(5, || {
        std::thread::scope(|scope| {
            for (from, to) in &mut arrays {
                scope.spawn(move || to.copy_from_slice(std::hint::black_box(from)));
            }
        });
    });
    (2 * share * threads) as f64 / times.best()
}
