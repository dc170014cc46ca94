//! `fr-les bench`: the speed of a Taylor-Green box on this machine, kernel by kernel, compared with the limits of
//! memory and arithmetic.
//!
//! Elements, orders, sizes, precisions and arithmetics may be lists. Every combination is measured. One that does not
//! fit into the machine, or whose order its elements do not have, is reported and skipped. `--suite` has a fixed set of
//! cases, and `--against` measures those of an earlier file again and compares. `--exchange` measures the ways between
//! ranks in place of cases.

use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;

use super::{Failure, print_line};
use crate::device::cuda::CudaError;
use crate::device::{DeviceError, DeviceKind};
use crate::mesh::BoxElements;
use crate::ranks::Ranks;
use crate::solver::SetupError;

mod against;
pub mod cost;
mod exchange;
pub mod list;
mod measure;
mod options;
mod report;
mod setup;
mod steady;
mod suite;

pub use options::BenchArgs;
use setup::Setup;

/// Runs the benchmark, or all of a series, on the ranks of `world`; the first rank prints it. The results are on file
/// before the next case begins. Returns the exit code: 1 if a case is slower than in the file of `--against`.
/// Collective.
///
/// # Errors
/// Arguments cannot be combined, a case cannot be measured, a file cannot be written, or the file of `--against` is of
/// another machine.
pub fn run(args: &BenchArgs, world: &SimpleCommunicator) -> Result<u8, Failure> {
    let (first, ranks) = (world.rank() == 0, Ranks::of(world));
    if args.steady {
        return steady_steps(args, ranks.size());
    }
    if args.exchange {
        return exchange::run(args, &ranks).map(|()| 0);
    }
    let earlier = args
        .against
        .as_deref()
        .map(|path| against::Earlier::read(path, ranks.size()));
    let earlier = ranks.agree(earlier.transpose(), Failure::OnOtherRank)?;
    let setups = match &earlier {
        _ if args.suite => suite::setups(&args.first(), suite::on_gpu(args, &ranks)?),
        Some(earlier) => earlier.setups(&args.first())?,
        None => args.combinations(),
    };
    let series = setups.len() > 1;
    // A file that cannot be written is reported before the work, by the rank that would write it.
    let writable = if first { args.check_files() } else { Ok(()) };
    ranks.agree(writable, Failure::OnOtherRank)?;
    let mut results = Vec::new();
    for (index, setup) in setups.iter().enumerate() {
        if index > 0 && first && !args.is_suite() {
            print_line(format_args!(""));
        }
        let head = format!("{} of {}: {}", index + 1, setups.len(), report::heading(setup));
        if series && first && !args.is_suite() {
            print_line(format_args!("{head}"));
        }
        match measure::measure(setup, world) {
            Ok(_) if !first => {}
            Ok(measured) => {
                if args.is_suite() {
                    print_line(format_args!("{head}: {}", report::speed(&measured)))
                } else {
                    report::print(setup, &measured)
                }
                results.push(report::json(setup, &measured));
            }
            Err(failure) if series && does_not_fit(setup, &failure) => {
                if first {
                    print_line(format_args!("skipped: {failure}"));
                }
                results.push(report::json_error(setup, &failure.to_string()));
            }
            Err(failure) => return Err(failure),
        }
        let written = match (&earlier, first) {
            (_, false) => Ok(()),
            // Another machine is refused as soon as its name is known.
            (Some(earlier), true) => earlier.check_machine(&results).and(args.write(&results, series)),
            (None, true) => args.write(&results, series),
        };
        ranks.agree(written, Failure::OnOtherRank)?;
    }
    let Some(earlier) = earlier.filter(|_| first) else {
        return Ok(0);
    };
    Ok(u8::from(earlier.compare(&results, args.tolerance) > 0))
}

/// Times steps of the steady solver. Returns the exit code.
fn steady_steps(args: &BenchArgs, ranks: usize) -> Result<u8, Failure> {
    if ranks > 1 {
        return Err(Failure::Argument("--steady measures one rank".into()));
    }
    args.check_files()?;
    let device = match args.device.as_str() {
        "cpu" => DeviceKind::Cpu,
        "cuda" => DeviceKind::Cuda,
        _ => DeviceKind::Auto,
    };
    let mut results = Vec::new();
    for &elements in &args.elements {
        for (&order, &cells) in args
            .order
            .0
            .iter()
            .flat_map(|p| args.cells.0.iter().map(move |c| (p, c)))
        {
            let times = steady::run(&steady::Setup {
                cells,
                order,
                elements,
                device,
                threads: args.threads,
                graph: !args.no_graph,
            })?;
            results.push(serde_json::to_value(times).unwrap_or_default());
            args.write(&results, true)?;
        }
    }
    Ok(0)
}

/// Returns whether another case of the series may run although this one does not: smaller, of lower order, or with
/// other cubes.
fn does_not_fit(setup: &Setup, failure: &Failure) -> bool {
    use SetupError::{Box, Device, Memory, OnOtherRank, Order};
    match failure {
        Failure::Setup(Memory { .. } | Device(DeviceError::Cuda(CudaError::Memory { .. })) | Order { .. } | Box(_)) => {
            true
        }
        // The rank that reports the error has one of these.
        Failure::Setup(OnOtherRank(_)) => true,
        // All settings but the number of cubes are known to be valid.
        Failure::Case(_) => setup.elements == BoxElements::Mixed,
        _ => false,
    }
}
