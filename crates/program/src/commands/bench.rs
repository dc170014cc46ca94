//! `fr-les bench`: the speed of a Taylor-Green box on this machine, kernel by kernel, compared with the limits of
//! memory and arithmetic.
//!
//! Elements, orders, sizes, precisions and arithmetics may be lists. Every combination is measured. One that does not
//! fit into the machine, or whose order its elements do not have, is reported and skipped. `--suite` has a fixed set of
//! cases, and `--against` measures those of an earlier file again and compares.

use std::path::PathBuf;

use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;
use serde_json::Value;

use super::{Failure, print_line, word};
use crate::case::{DEFAULT_PIECE, PIECES};
use crate::device::cuda::CudaError;
use crate::device::{DeviceError, DeviceKind};
use crate::halo::Transport;
use crate::mesh::{BoxElements, BoxMesh, WarpKind};
use crate::mesh::{Mesh, build_box};
use crate::ranks::Ranks;
use crate::solver::SetupError;

mod against;
pub mod cost;
pub mod list;
mod measure;
mod report;
mod steady;
mod suite;

use list::{Cells, Orders};

/// Arguments that choose a case, which `--suite` and `--against` do themselves.
const OF_A_CASE: [&str; 8] = [
    "order",
    "cells",
    "points",
    "precision",
    "arithmetic",
    "elements",
    "curved",
    "inviscid",
];

/// Arguments of `fr-les bench`.
#[derive(Debug, clap::Args)]
pub struct BenchArgs {
    /// Time a fixed set of cases: kinds of cells, orders, precisions, sizes; compact output
    #[arg(long, conflicts_with_all = OF_A_CASE)]
    suite: bool,
    /// Time explicit steps and the parts of implicit steps of the steady solver instead, with each preconditioner; of
    /// the arguments of a case it takes --order, --cells and --elements
    #[arg(long, conflicts_with_all = ["suite", "against", "points", "curved", "inviscid"])]
    steady: bool,
    /// Compare with an earlier file of --json: time its cases again, or the suite with --suite; exit code 1 if one is
    /// slower
    #[arg(long, value_name = "FILE", conflicts_with_all = OF_A_CASE)]
    against: Option<PathBuf>,
    /// How much slower a case may be than in the file of --against, as a fraction
    #[arg(long, value_name = "FRACTION", default_value_t = 0.05, requires = "against", value_parser = tolerance)]
    #[arg(allow_negative_numbers = true)]
    tolerance: f64,
    /// Polynomial degree p, 1..8; a list (2,4,7) or a range (1..8, ends included) for a series
    #[arg(long, value_name = "LIST", default_value = "4", allow_hyphen_values = true)]
    order: Orders,
    /// Cells per direction; a list or a range for a series
    #[arg(long, value_name = "LIST", default_value = "16", allow_hyphen_values = true)]
    cells: Cells,
    /// As many cells as give about so many points at every order, instead of --cells
    #[arg(long, value_name = "N", conflicts_with = "cells", value_parser = number_of_points)]
    #[arg(allow_negative_numbers = true)]
    points: Option<f64>,
    /// double or single, or both
    #[arg(long, value_name = "LIST", default_value = "double", value_delimiter = ',')]
    #[arg(value_parser = ["double", "single"])]
    precision: Vec<String>,
    /// auto, strict or fast, or several
    #[arg(long, value_name = "LIST", default_value = "auto", value_delimiter = ',')]
    #[arg(value_parser = ["auto", "strict", "fast"])]
    arithmetic: Vec<String>,
    /// auto, cpu or cuda
    #[arg(long, default_value = "auto", value_parser = ["auto", "cpu", "cuda"])]
    device: String,
    /// CPU threads; all cores if not given
    #[arg(long, allow_negative_numbers = true)]
    threads: Option<usize>,
    /// What the cubes of the box are divided into, or several; other elements than hex go up to order 6
    #[arg(long, value_name = "LIST", default_value = "hex", value_delimiter = ',')]
    elements: Vec<BoxElements>,
    /// Curve the cells (metric terms stored at every point)
    #[arg(long)]
    curved: bool,
    /// Keys of the case's `scheme`, such as "entropy-correction: cells"
    #[arg(long, value_name = "KEYS", default_value = "")]
    scheme: String,
    /// Leave out viscous terms
    #[arg(long)]
    inviscid: bool,
    /// Time steps in a burst
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    #[arg(allow_negative_numbers = true)]
    steps: u64,
    /// Seconds of continuous stepping that are timed; 2 if not given, 1 for each case of a suite
    #[arg(long, value_parser = seconds_of_stepping, allow_negative_numbers = true)]
    seconds: Option<f64>,
    /// Launch every kernel on its own instead of replaying a recorded step
    #[arg(long)]
    no_graph: bool,
    /// What brings traces from GPU to GPU under mpirun: auto, staged, peer or cuda-aware
    #[arg(long, value_enum, default_value = "auto")]
    transport: Transport,
    /// Bytes of a message by way of the host, 4096 to 1073741824
    #[arg(long, value_name = "BYTES", default_value_t = DEFAULT_PIECE)]
    #[arg(value_parser = clap::value_parser!(u64).range(PIECES), allow_negative_numbers = true)]
    piece: u64,
    /// Also write the result as JSON; an array of results if there are several
    #[arg(long)]
    json: Option<PathBuf>,
}

/// One case to measure.
#[derive(Debug, Clone)]
struct Setup {
    order: u64,
    cells: u64,
    precision: String,
    arithmetic: String,
    device: String,
    threads: Option<usize>,
    elements: BoxElements,
    curved: bool,
    scheme: String,
    viscous: bool,
    steps: u64,
    seconds: f64,
    graph: bool,
    transport: Transport,
    piece: u64,
}

impl BenchArgs {
    /// Returns whether cases are measured that the arguments do not name one by one.
    fn is_suite(&self) -> bool {
        self.suite || self.against.is_some()
    }

    /// Returns the case of the first values of all lists.
    fn first(&self) -> Setup {
        Setup {
            order: self.order.0[0],
            cells: self.cells.0[0],
            precision: self.precision[0].clone(),
            arithmetic: self.arithmetic[0].clone(),
            device: self.device.clone(),
            threads: self.threads,
            elements: self.elements[0],
            curved: self.curved,
            scheme: self.scheme.clone(),
            viscous: !self.inviscid,
            steps: self.steps,
            seconds: self.seconds.unwrap_or(if self.is_suite() { 1.0 } else { 2.0 }),
            graph: !self.no_graph,
            transport: self.transport,
            piece: self.piece,
        }
    }

    /// Returns every combination; sizes vary fastest.
    fn combinations(&self) -> Vec<Setup> {
        let mut setups = Vec::new();
        for (&elements, &order) in self
            .elements
            .iter()
            .flat_map(|e| self.order.0.iter().map(move |p| (e, p)))
        {
            let cells = self.points.map_or_else(
                || self.cells.0.clone(),
                |points| vec![cells_for(points, elements, order as usize)],
            );
            for precision in &self.precision {
                for arithmetic in &self.arithmetic {
                    setups.extend(cells.iter().map(|&cells| Setup {
                        order,
                        cells,
                        precision: precision.clone(),
                        arithmetic: arithmetic.clone(),
                        elements,
                        ..self.first()
                    }));
                }
            }
        }
        setups
    }

    /// Times steps of the steady solver. Returns the exit code.
    fn steady_steps(&self, ranks: usize) -> Result<u8, Failure> {
        if ranks > 1 {
            return Err(Failure::Argument("--steady measures one rank".into()));
        }
        self.check_files()?;
        let device = match self.device.as_str() {
            "cpu" => DeviceKind::Cpu,
            "cuda" => DeviceKind::Cuda,
            _ => DeviceKind::Auto,
        };
        let mut results = Vec::new();
        for &elements in &self.elements {
            for (&order, &cells) in self
                .order
                .0
                .iter()
                .flat_map(|p| self.cells.0.iter().map(move |c| (p, c)))
            {
                let times = steady::run(&steady::Setup {
                    cells,
                    order,
                    elements,
                    device,
                    threads: self.threads,
                    graph: !self.no_graph,
                })?;
                results.push(serde_json::to_value(times).unwrap_or_default());
                self.write(&results, true)?;
            }
        }
        Ok(0)
    }

    fn check_files(&self) -> Result<(), Failure> {
        let checked = self.json.as_deref().map(crate::io::check_file).transpose();
        checked.map_err(|e| Failure::Argument(format!("--json {e}")))?;
        Ok(())
    }

    fn write(&self, results: &[Value], series: bool) -> Result<(), Failure> {
        let Some(path) = &self.json else { return Ok(()) };
        let text = match results {
            [one] if !series => serde_json::to_string_pretty(one),
            all => serde_json::to_string_pretty(all),
        };
        Ok(crate::io::atomic_write(path, text.unwrap_or_default().as_bytes())?)
    }
}

/// Returns the number of cubes per direction that gives about so many points.
fn cells_for(points: f64, elements: BoxElements, order: usize) -> u64 {
    // The smallest box that all elements can divide.
    let block = BoxMesh {
        cells: [4, 2, 2],
        lower: [0.0; 3],
        upper: [1.0; 3],
        periodic: [true; 3],
        elements,
        stretch: [None; 3],
        warp: 0.0,
        warp_kind: WarpKind::Curved,
    };
    let points_of = |mesh: Mesh| mesh.kinds.iter().map(|kind| kind.points(order)).sum::<usize>();
    let of_a_cube = build_box(&block, 1).map_or(1, points_of) as f64 / 16.0;
    let cells = ((points / of_a_cube).cbrt().round() as u64).clamp(1, list::MOST_CELLS);
    match elements {
        BoxElements::Mixed => cells.next_multiple_of(2).max(4),
        _ => cells,
    }
}

fn within(text: &str, range: std::ops::RangeInclusive<f64>) -> Result<f64, String> {
    let value = text.parse().ok().filter(|x| range.contains(x));
    value.ok_or_else(|| format!("it takes a number from {:e} to {:e}", range.start(), range.end()))
}

fn number_of_points(text: &str) -> Result<f64, String> {
    within(text, 8.0..=1e12)
}

fn tolerance(text: &str) -> Result<f64, String> {
    within(text, 0.0..=1.0)
}

fn seconds_of_stepping(text: &str) -> Result<f64, String> {
    within(text, 0.01..=3600.0)
}

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
        return args.steady_steps(ranks.size());
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

impl Setup {
    /// Returns the bytes of a number of the state.
    fn real_bytes(&self) -> usize {
        if self.precision == "single" { 4 } else { 8 }
    }

    /// Returns the case of a Taylor-Green flow in the box of the setup.
    fn case_text(&self) -> String {
        let threads = self.threads.map_or(String::new(), |t| format!("threads: {t}\n"));
        let viscosity = if self.viscous {
            ", viscosity: {constant: 1/1600}"
        } else {
            ""
        };
        format!(
            "title: benchmark\nmesh:\n  box:\n    cells: [{c}, {c}, {c}]\n    lower: [-pi, -pi, -pi]\n    \
             upper: [pi, pi, pi]\n    periodic: [x, y, z]\n    elements: {}\n    warp: {}\n\
             scheme: {{{}}}\norder: {}\nprecision: {}\n\
             arithmetic: {}\ndevice: {}\n{threads}exchange: {{transport: {}, piece: {}}}\n\
             constants: {{p0: 1/(1.4*0.1^2)}}\ngas: {{gamma: 1.4, prandtl: 0.71, gas-constant: 1.0{viscosity}}}\n\
             initial:\n  u: sin(x)*cos(y)*cos(z)\n  v: -cos(x)*sin(y)*cos(z)\n  w: 0\n  \
             p: p0 + (cos(2*x) + cos(2*y))*(cos(2*z) + 2)/16\n  temperature: p0\ntime: {{steps: 1, cfl: 0.5}}\n",
            word(self.elements),
            if self.curved { 0.1 } else { 0.0 },
            self.scheme,
            self.order,
            self.precision,
            self.arithmetic,
            self.device,
            word(self.transport),
            self.piece,
            c = self.cells
        )
    }
}
