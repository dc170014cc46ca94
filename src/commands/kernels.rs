//! `fr-les kernels`: compiles the GPU kernels as a run would, on any machine that has NVRTC, and says what they use; or
//! writes them as PTX for machines that have none.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use thiserror::Error;

use super::run::print_line;
use crate::device::cuda::architecture::{Architecture, NotAnArchitecture};
use crate::device::cuda::compiler::{BuildError, Compiled, Resources, check_architecture, compile, supported};
use crate::device::cuda::prebuilt::{self, words};
use crate::device::cuda::shape::launch_shape;
use crate::device::cuda::source::{Program, programs};
use crate::io;

/// Arguments of `fr-les kernels`.
#[derive(Debug, clap::Args)]
pub struct KernelsArgs {
    /// Architectures, e.g. sm_80,sm_90 (repeatable) [default: sm_90, with --ptx compute_75]
    #[arg(long, value_delimiter = ',')]
    arch: Vec<String>,
    /// Polynomial degrees (repeatable) [default: 1 to 8]
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..=8))]
    order: Vec<u64>,
    /// double, single (repeatable) [default: both]
    #[arg(long, value_delimiter = ',', value_parser = ["double", "single"])]
    precision: Vec<String>,
    /// strict, fast (repeatable) [default: strict, with --ptx both]
    #[arg(long, value_delimiter = ',', value_parser = ["strict", "fast"])]
    arithmetic: Vec<String>,
    /// Write PTX into this directory instead of reporting
    #[arg(long, value_name = "DIR")]
    ptx: Option<PathBuf>,
}

/// Why kernels could not be compiled at all.
#[derive(Debug, Error)]
pub enum KernelsError {
    /// No compiler, or none for this architecture.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A name that is no architecture.
    #[error(transparent)]
    Architecture(#[from] NotAnArchitecture),
    /// PTX is asked for, but machine code is named.
    #[error("PTX is made for architectures like compute_75, not {0}")]
    NotPtx(Architecture),
    /// A file could not be written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// One program of one order, precision and arithmetic.
struct Variant {
    order: usize,
    double: bool,
    fast: bool,
    program: Program,
}

impl Variant {
    fn words(&self) -> String {
        let (precision, arithmetic) = words(self.double, self.fast);
        format!("p{} {precision} {arithmetic} {}", self.order, self.program.label)
    }
}

/// Compiles, and prints or writes the result; 1 if any program failed.
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
    // Here, so that a wrong name is one mistake and not one a program.
    architectures.iter().try_for_each(check_architecture)?;
    let variants = variants(args);
    if let Some(directory) = &args.ptx {
        if let Some(architecture) = architectures.iter().find(|a| !a.ptx) {
            return Err(KernelsError::NotPtx(architecture.clone()));
        }
        return write_ptx(directory, &variants, &architectures[0]);
    }
    print_line(format_args!("NVRTC {}", supported()?.0));
    let (mut failed, mut unfit) = (0, 0);
    for architecture in &architectures {
        let results = compile_each(&variants, architecture);
        let (f, u) = report(architecture, &variants, &results);
        failed += f;
        unfit += u;
    }
    let count = variants.len() * architectures.len();
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

fn variants(args: &KernelsArgs) -> Vec<Variant> {
    let orders = if args.order.is_empty() {
        (1..=8).collect()
    } else {
        args.order.clone()
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
    let doubles = both(&args.precision, "double", "single", &[true, false]);
    let fasts: &[bool] = if args.ptx.is_some() { &[false, true] } else { &[false] };
    let fasts = both(&args.arithmetic, "fast", "strict", fasts);
    let mut variants = Vec::new();
    for &order in &orders {
        for &double in &doubles {
            for &fast in &fasts {
                let order = order as usize;
                variants.extend(programs(order, double, fast, None).into_iter().map(|program| Variant {
                    order,
                    double,
                    fast,
                    program,
                }));
            }
        }
    }
    variants
}

type Outcome = Result<Compiled, BuildError>;

fn compile_each(variants: &[Variant], architecture: &Architecture) -> Vec<Outcome> {
    // Highest orders first: they take longest, and none of them should be left alone at the end.
    let mut order: Vec<usize> = (0..variants.len()).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(variants[i].order));
    let mut results: Vec<(usize, Outcome)> = order
        .par_iter()
        .with_max_len(1)
        .map(|&i| (i, compile(&variants[i].program, architecture)))
        .collect();
    results.sort_by_key(|(i, _)| *i);
    results.into_iter().map(|(_, outcome)| outcome).collect()
}

/// Prints the table of one architecture; returns how many programs failed, and how many kernels compile but can never
/// run there.
fn report(architecture: &Architecture, variants: &[Variant], results: &[Outcome]) -> (usize, usize) {
    print_line(format_args!(
        "\n{architecture}\n{:<14} {:<18} {:<18} {:>9} {:>9} {:>7} {:>7} {:>8} {:>10} {:>9}",
        "program",
        "kernel",
        "variant",
        "registers",
        "shared B",
        "stack B",
        "spill B",
        "threads",
        "occupancy",
        "compiled s"
    ));
    let (mut failed, mut unfit) = (0, 0);
    let mut messages: Vec<(String, Vec<String>)> = Vec::new();
    for (variant, result) in variants.iter().zip(results) {
        let message = match result {
            Ok(compiled) => {
                for resources in &compiled.resources {
                    unfit += usize::from(!print_kernel(architecture, variant, resources, compiled.seconds));
                }
                if compiled.resources.is_empty() {
                    let (label, seconds) = (&variant.program.label, compiled.seconds);
                    print_line(format_args!(
                        "{label:<14} {:<18} {:<18} {seconds:>70.2}",
                        "(PTX)",
                        options(variant)
                    ));
                }
                compiled.warnings.clone()
            }
            Err(error) => {
                failed += 1;
                error.to_string()
            }
        };
        // The same words usually come from many variants.
        match messages.iter_mut().find(|(text, _)| *text == message) {
            _ if message.is_empty() => {}
            Some((_, from)) => from.push(variant.words()),
            None => messages.push((message, vec![variant.words()])),
        }
    }
    for (text, from) in &messages {
        let all = from.len() == variants.len();
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

fn options(variant: &Variant) -> String {
    let (precision, arithmetic) = words(variant.double, variant.fast);
    format!("p{} {precision} {arithmetic}", variant.order)
}

/// One line of the table; whether the kernel can run on this architecture.
fn print_kernel(architecture: &Architecture, variant: &Variant, resources: &Resources, seconds: f64) -> bool {
    let shape = launch_shape(variant.program.file, &resources.kernel, variant.order, variant.double);
    let shared = resources.shared + shape.shared;
    let share = architecture
        .multiprocessor()
        .map(|m| m.occupancy(shape.threads, resources.registers, shared));
    let occupancy = match share {
        None => "?".to_owned(),
        Some(0.0) => "no room".to_owned(),
        Some(share) => format!("{:.0} %", 100.0 * share),
    };
    print_line(format_args!(
        "{:<14} {:<18} {:<18} {:>9} {shared:>9} {:>7} {:>7} {:>8} {occupancy:>10} {seconds:>9.2}",
        variant.program.label,
        resources.kernel,
        options(variant),
        resources.registers,
        resources.stack,
        resources.spill_stores + resources.spill_loads,
        shape.threads,
    ));
    share != Some(0.0)
}

fn write_ptx(directory: &Path, variants: &[Variant], architecture: &Architecture) -> Result<u8, KernelsError> {
    io::create_directory(directory)?;
    let mut failed = 0;
    for (variant, result) in variants.iter().zip(compile_each(variants, architecture)) {
        match result {
            Ok(compiled) => {
                let of = (variant.order, variant.double, variant.fast);
                prebuilt::write(directory, of, &variant.program, &compiled.image)?;
            }
            Err(error) => {
                failed += 1;
                print_line(format_args!("{}: {error}", variant.words()));
            }
        }
    }
    let written = variants.len() - failed;
    print_line(format_args!(
        "{written} programs written to {} as PTX for {architecture}, {failed} failed",
        directory.display()
    ));
    Ok(u8::from(failed > 0))
}
