//! `fr-les kernels`: compiles the GPU kernels as a run would, on any machine that has NVRTC, and reports their
//! resources; or writes them as PTX for machines that have no NVRTC.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use thiserror::Error;

use super::bench::cost::{Cost, Counted};
use super::bench::list::Orders;
use super::print_line;
use crate::device::contract::Kernel;
use crate::device::cuda::architecture::{Architecture, NotAnArchitecture};
use crate::device::cuda::compiler::{BuildError, Compiled, Resources, check_architecture, compile, supported};
use crate::device::cuda::prebuilt::{self, words};
use crate::device::cuda::programs::Constants;
use crate::device::cuda::shape::{LaunchError, check_environment, launch_shape};
use crate::device::cuda::source::Program;
use crate::device::cuda::variant::Variant;
use crate::device::cuda::{STEADY_THREADS, steady_programs};
use crate::element::ElementKind;
use crate::io;
use crate::physics::{Gas, Viscosity};
use crate::steady;

/// Arguments of `fr-les kernels`.
#[derive(Debug, clap::Args)]
pub struct KernelsArgs {
    /// Architectures, e.g. sm_80,sm_90 (repeatable) [default: sm_90, with --ptx compute_75]
    #[arg(long, value_delimiter = ',')]
    arch: Vec<String>,
    /// Polynomial degrees: 4, 2,4,7 or 1..8, ends included (repeatable) [default: all that the elements have]
    #[arg(long, value_name = "LIST")]
    order: Vec<Orders>,
    /// hex, prism, tet, pyramid (repeatable) [default: all]
    #[arg(long, value_delimiter = ',', value_parser = ["hex", "prism", "tet", "pyramid"])]
    elements: Vec<String>,
    /// double, single (repeatable) [default: both]
    #[arg(long, value_delimiter = ',', value_parser = ["double", "single"])]
    precision: Vec<String>,
    /// strict, fast (repeatable) [default: strict, with --ptx both]
    #[arg(long, value_delimiter = ',', value_parser = ["strict", "fast"])]
    arithmetic: Vec<String>,
    /// For cells with metric terms at every point, rather than affine ones
    #[arg(long)]
    curved: bool,
    /// With `scheme.entropy-correction: cells`
    #[arg(long, conflicts_with_all = ["steady", "ptx"])]
    entropy_correction: bool,
    /// The kernels of the steady solver instead, which compute in double precision
    #[arg(long, conflicts_with_all = ["order", "elements", "precision", "curved", "ptx"])]
    steady: bool,
    /// Write PTX into this directory instead of reporting
    #[arg(long, value_name = "DIR")]
    ptx: Option<PathBuf>,
}

/// An error that prevents the compilation of all kernels.
#[derive(Debug, Error)]
pub enum KernelsError {
    /// There is no compiler, or none for this architecture.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A name is not that of an architecture.
    #[error(transparent)]
    Architecture(#[from] NotAnArchitecture),
    /// PTX is requested for an architecture of machine code.
    #[error("PTX is made for architectures like compute_75, not {0}")]
    NotPtx(Architecture),
    /// One set of files holds one architecture.
    #[error("--ptx writes for one architecture at a time, each into a folder of its own; {0} are named")]
    OnePtx(usize),
    /// None of the named elements has one of the named orders.
    #[error("--order: other elements than hex go up to order 6")]
    Nothing,
    /// The launch shapes in the environment are not valid.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// A file could not be written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl KernelsError {
    /// Returns the exit code: 2 for bad input, 1 for anything else.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Build(BuildError::Nvrtc(_) | BuildError::Compile { .. } | BuildError::Call { .. }) | Self::Io(_) => 1,
            Self::Build(BuildError::Architecture { .. })
            | Self::Architecture(_)
            | Self::NotPtx(_)
            | Self::OnePtx(_)
            | Self::Nothing
            | Self::Launch(_) => 2,
        }
    }
}

/// One program of one variant, or one of the steady solver.
struct Job {
    of: Of,
    program: Program,
}

/// What a program computes.
#[derive(Clone, Copy)]
enum Of {
    /// A run in time on cells of one kind.
    Run(Variant),
    /// A steady solution, with fast arithmetic or without.
    Steady(bool),
}

impl Job {
    fn options(&self) -> String {
        match self.of {
            Of::Run(variant) => {
                let (precision, arithmetic) = words(variant.double, variant.fast);
                format!("{} p{} {precision} {arithmetic}", variant.kind, variant.order)
            }
            Of::Steady(fast) => {
                let (precision, arithmetic) = words(true, fast);
                format!("{precision} {arithmetic}")
            }
        }
    }

    /// Threads of a block of a kernel, and its dynamic shared memory in bytes.
    fn launch(&self, kernel: &str) -> (usize, usize) {
        match &self.of {
            Of::Run(variant) => {
                let shape = launch_shape(
                    self.program.file,
                    Kernel::named(kernel),
                    &variant.of_file(self.program.file, self.program.stage),
                );
                (shape.threads, shape.shared)
            }
            Of::Steady(_) => (STEADY_THREADS, 0),
        }
    }

    fn words(&self) -> String {
        format!("{} {}", self.options(), self.program.label)
    }
}

/// Compiles the kernels, and prints or writes the result. Returns 1 if a program failed.
///
/// # Errors
/// The arguments cannot be combined, there is no compiler, or a file cannot be written.
pub fn run(args: &KernelsArgs) -> Result<u8, KernelsError> {
    let default = if args.ptx.is_some() {
        prebuilt::ARCHITECTURE
    } else {
        "sm_90"
    };
    let names = if args.arch.is_empty() {
        vec![default.to_owned()]
    } else {
        args.arch.clone()
    };
    let architectures = names
        .iter()
        .map(|n| n.parse())
        .collect::<Result<Vec<Architecture>, _>>()?;
    check_environment()?;
    let jobs = jobs(args);
    if jobs.is_empty() {
        return Err(KernelsError::Nothing);
    }
    // Checked here, so that a wrong name is one error and not one for each program.
    architectures.iter().try_for_each(check_architecture)?;
    if let Some(directory) = &args.ptx {
        if let Some(architecture) = architectures.iter().find(|a| !a.ptx) {
            return Err(KernelsError::NotPtx(architecture.clone()));
        }
        if architectures.len() > 1 {
            return Err(KernelsError::OnePtx(architectures.len()));
        }
        return write_ptx(directory, &jobs, &architectures[0]);
    }
    print_line(format_args!("NVRTC {}", supported()?.0));
    let (mut failed, mut unfit) = (0, 0);
    for architecture in &architectures {
        let results = compile_each(&jobs, architecture);
        let (f, u) = report(architecture, &jobs, &results);
        failed += f;
        unfit += u;
    }
    let count = jobs.len() * architectures.len();
    let unfit = if unfit == 0 {
        String::new()
    } else {
        format!(", {unfit} kernels need more than the GPU has")
    };
    print_line(format_args!(
        "{count} programs: {} compiled, {failed} failed{unfit}",
        count - failed
    ));
    Ok(u8::from(failed > 0))
}

fn jobs(args: &KernelsArgs) -> Vec<Job> {
    let orders = if args.order.is_empty() {
        (1..=8).collect::<Vec<u64>>()
    } else {
        args.order.iter().flat_map(|list| list.0.iter().copied()).collect()
    };
    let both = |chosen: &[String], first: &str, second: &str, default: &[bool]| -> Vec<bool> {
        let named = [(first, true), (second, false)]
            .into_iter()
            .filter(|(name, _)| chosen.iter().any(|c| c == name));
        if chosen.is_empty() {
            default.to_vec()
        } else {
            named.map(|(_, value)| value).collect()
        }
    };
    let fasts: &[bool] = if args.ptx.is_some() { &[false, true] } else { &[false] };
    let fasts = both(&args.arithmetic, "fast", "strict", fasts);
    if args.steady {
        return fasts.into_iter().flat_map(steady_jobs).collect();
    }
    let doubles = both(&args.precision, "double", "single", &[true, false]);
    let named = ElementKind::ALL
        .into_iter()
        .filter(|kind| args.elements.is_empty() || args.elements.iter().any(|name| name == kind.name()));
    let mut jobs = Vec::new();
    let of_kind = |kind: ElementKind| orders.iter().map(move |&order| (kind, order));
    for (kind, order) in named
        .flat_map(of_kind)
        .filter(|&(kind, order)| order as usize <= kind.max_order())
    {
        for &double in &doubles {
            for &fast in &fasts {
                let variant = Variant {
                    kind,
                    order: order as usize,
                    double,
                    fast,
                    curved: args.curved,
                    corrects_entropy: args.entropy_correction,
                };
                // PTX compiled ahead of time serves any run. The table shows what a run of Taylor-Green would load.
                let (variant, constants) = match args.ptx {
                    Some(_) => (variant.prebuilt(), None),
                    None => (variant, Some(Constants::typical(&variant))),
                };
                let programs = variant.programs(constants.as_ref()).into_iter();
                jobs.extend(programs.map(|program| Job {
                    of: Of::Run(variant),
                    program,
                }));
            }
        }
    }
    jobs
}

/// Returns the programs of the steady solver, with the constants of air with the model of Spalart and Allmaras.
fn steady_jobs(fast: bool) -> impl Iterator<Item = Job> {
    let gas = Gas {
        gamma: 1.4,
        prandtl: 0.72,
        gas_constant: 287.05,
        viscosity: Some(Viscosity::Constant(1.8e-5)),
    };
    let programs = steady_programs(&steady::Scheme::default().constants(&gas), fast);
    programs.into_iter().map(move |program| Job {
        of: Of::Steady(fast),
        program,
    })
}

type Outcome = Result<Compiled, BuildError>;

/// Compiles all programs, and shows on standard error how many are done: the first row of a table appears only when all
/// of them are.
fn compile_each(jobs: &[Job], architecture: &Architecture) -> Vec<Outcome> {
    // Highest orders first: they take longest, and none of them should be left alone at the end.
    let mut order: Vec<usize> = (0..jobs.len()).collect();
    let of_run = |job: &Job| match job.of {
        Of::Run(variant) => variant.order,
        Of::Steady(_) => 0,
    };
    order.sort_by_key(|&i| std::cmp::Reverse(of_run(&jobs[i])));
    let text = format!("programs are compiled for {architecture}");
    let bar = if std::io::stderr().is_terminal() {
        let style = ProgressStyle::with_template("{pos} of {len} {msg}");
        ProgressBar::new(jobs.len() as u64)
            .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
            .with_message(text)
    } else {
        let _ = writeln!(std::io::stderr(), "{} {text}", jobs.len());
        ProgressBar::hidden()
    };
    bar.tick();
    let mut results: Vec<(usize, Outcome)> = order
        .par_iter()
        .with_max_len(1)
        .map(|&i| {
            let outcome = compile(&jobs[i].program, architecture);
            bar.inc(1);
            (i, outcome)
        })
        .collect();
    bar.finish_and_clear();
    results.sort_by_key(|(i, _)| *i);
    results.into_iter().map(|(_, outcome)| outcome).collect()
}

/// Prints the table of one architecture. Returns the number of programs that failed, and of kernels that compile but
/// cannot run there.
fn report(architecture: &Architecture, jobs: &[Job], results: &[Outcome]) -> (usize, usize) {
    print_line(format_args!(
        "\n{architecture}\n{:<18} {:<20} {:<18} {:>9} {:>9} {:>7} {:>7} {:>8} {:>10} {:>9} {:>11}",
        "program",
        "kernel",
        "variant",
        "registers",
        "shared B",
        "stack B",
        "spill B",
        "threads",
        "occupancy",
        "bytes/DOF",
        "compiled s"
    ));
    let (mut failed, mut unfit) = (0, 0);
    let mut messages: Vec<(String, Vec<String>)> = Vec::new();
    for (job, result) in jobs.iter().zip(results) {
        let message = match result {
            Ok(compiled) => {
                for resources in &compiled.resources {
                    unfit += usize::from(!print_kernel(architecture, job, resources, compiled.seconds));
                }
                if compiled.resources.is_empty() {
                    let (label, seconds) = (&job.program.label, compiled.seconds);
                    print_line(format_args!(
                        "{label:<18} {:<20} {:<18} {seconds:>82.2}",
                        "(PTX)",
                        job.options()
                    ));
                }
                compiled.warnings.clone()
            }
            Err(error) => {
                failed += 1;
                error.to_string()
            }
        };
        // Many variants usually give the same message.
        match messages.iter_mut().find(|(text, _)| *text == message) {
            _ if message.is_empty() => {}
            Some((_, from)) => from.push(job.words()),
            None => messages.push((message, vec![job.words()])),
        }
    }
    for (text, from) in &messages {
        let all = from.len() == jobs.len();
        let from = if all {
            "every program".to_owned()
        } else {
            from.join(", ")
        };
        print_line(format_args!("\n{from}:\n{text}"));
    }
    print_line(format_args!(""));
    (failed, unfit)
}

/// Returns one line of the table, and whether the kernel can run on this architecture.
fn print_kernel(architecture: &Architecture, job: &Job, resources: &Resources, seconds: f64) -> bool {
    let (threads, dynamic) = job.launch(&resources.kernel);
    let shared = resources.shared + dynamic;
    let share = architecture
        .multiprocessor()
        .map(|m| m.occupancy(threads, resources.registers, shared));
    let occupancy = match share {
        None => "?".to_owned(),
        Some(0.0) => "no room".to_owned(),
        Some(share) => format!("{:.0} %", 100.0 * share),
    };
    let bytes = counted(job).map_or(String::new(), |bytes| format!("{bytes:.0}"));
    print_line(format_args!(
        "{:<18} {:<20} {:<18} {:>9} {shared:>9} {:>7} {:>7} {:>8} {occupancy:>10} {bytes:>9} {seconds:>11.2}",
        job.program.label,
        resources.kernel,
        job.options(),
        resources.registers,
        resources.stack,
        resources.spill_stores + resources.spill_loads,
        threads,
    ));
    share != Some(0.0)
}

/// Returns the bytes that a kernel must move per point, if they are counted.
fn counted(job: &Job) -> Option<f64> {
    let Of::Run(Variant {
        kind,
        order,
        double,
        curved,
        ..
    }) = job.of
    else {
        return None;
    };
    let cost = Cost::new(Counted {
        kind,
        order,
        real: if double { 8 } else { 4 },
        curved,
        viscous: true,
    });
    match job.program.label.as_str() {
        "sweep1" => Some(cost.sweep1.bytes),
        "sweep2 first" => Some(cost.sweep2(15.0).bytes),
        "sweep2 middle" => Some(cost.sweep2(25.0).bytes),
        "sweep2 last" => Some(cost.sweep2(30.0).bytes),
        _ => None,
    }
}

fn write_ptx(directory: &Path, jobs: &[Job], architecture: &Architecture) -> Result<u8, KernelsError> {
    io::create_directory(directory)?;
    let mut failed = 0;
    for (job, result) in jobs.iter().zip(compile_each(jobs, architecture)) {
        match (result, job.of) {
            (Ok(compiled), Of::Run(variant)) => {
                prebuilt::write(directory, &variant, &job.program, &compiled.image)?;
            }
            // PTX ahead of time needs programs without the constants of a run, which these are not.
            (Ok(_), Of::Steady(_)) => {}
            (Err(error), _) => {
                failed += 1;
                print_line(format_args!("{}: {error}", job.words()));
            }
        }
    }
    let written = jobs.len() - failed;
    print_line(format_args!(
        "{written} programs written to {} as PTX for {architecture}, {failed} failed",
        directory.display()
    ));
    Ok(u8::from(failed > 0))
}
