//! The arguments of `fr-les bench`, and the cases that they name one by one.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::list::{Cells, Orders};
use super::setup::{Setup, cells_for};
use crate::case::{DEFAULT_PIECE, PIECES};
use crate::commands::Failure;
use crate::halo::Transport;
use crate::mesh::BoxElements;
use crate::plot::figure::Format;

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
    pub(super) suite: bool,
    /// Time explicit steps and the parts of implicit steps of the steady solver instead, with each preconditioner; of
    /// the arguments of a case it takes --order, --cells and --elements
    #[arg(long, conflicts_with_all = ["suite", "against", "points", "curved", "inviscid"])]
    pub(super) steady: bool,
    /// Time what travels between ranks instead, by its size: messages, copies to and from GPUs, writes into the memory
    /// of other GPUs, NCCL; of other arguments it takes --device, --json and --figure (docs/how-to/network.md)
    #[arg(long, conflicts_with_all = ["suite", "steady", "against"], conflicts_with_all = OF_A_CASE)]
    #[arg(conflicts_with_all = ["transport", "threads"])]
    pub(super) exchange: bool,
    /// Draw the times of --exchange into this file, .png or .svg
    #[arg(long, value_name = "FIGURE", requires = "exchange")]
    pub(super) figure: Option<PathBuf>,
    /// Compare with an earlier file of --json: time its cases again, or the suite with --suite; exit code 1 if one is
    /// slower
    #[arg(long, value_name = "FILE", conflicts_with_all = OF_A_CASE)]
    pub(super) against: Option<PathBuf>,
    /// How much slower a case may be than in the file of --against, as a fraction
    #[arg(long, value_name = "FRACTION", default_value_t = 0.05, requires = "against", value_parser = tolerance)]
    #[arg(allow_negative_numbers = true)]
    pub(super) tolerance: f64,
    /// Polynomial degree p, 1..8; a list (2,4,7) or a range (1..8, ends included) for a series
    #[arg(long, value_name = "LIST", default_value = "4", allow_hyphen_values = true)]
    pub(super) order: Orders,
    /// Cells per direction; a list or a range for a series
    #[arg(long, value_name = "LIST", default_value = "16", allow_hyphen_values = true)]
    pub(super) cells: Cells,
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
    pub(super) device: String,
    /// CPU threads; all cores if not given
    #[arg(long, allow_negative_numbers = true)]
    pub(super) threads: Option<usize>,
    /// What the cubes of the box are divided into, or several; other elements than hex go up to order 6
    #[arg(long, value_name = "LIST", default_value = "hex", value_delimiter = ',')]
    pub(super) elements: Vec<BoxElements>,
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
    pub(super) no_graph: bool,
    /// What brings traces from GPU to GPU under mpirun: auto, staged, peer, nccl or cuda-aware
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

impl BenchArgs {
    /// Returns whether cases are measured that the arguments do not name one by one.
    pub(super) fn is_suite(&self) -> bool {
        self.suite || self.against.is_some()
    }

    /// Returns the case of the first values of all lists.
    pub(super) fn first(&self) -> Setup {
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
    pub(super) fn combinations(&self) -> Vec<Setup> {
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

    /// Verifies, before the work, that the files of `--json` and `--figure` may be written.
    pub(super) fn check_files(&self) -> Result<(), Failure> {
        for (option, path) in [("--json", &self.json), ("--figure", &self.figure)] {
            let checked = path.as_deref().map(crate::io::check_file).transpose();
            checked.map_err(|e| Failure::Argument(format!("{option} {e}")))?;
        }
        if let (Some(json), Some(figure)) = (&self.json, &self.figure)
            && is_same_file(json, figure)
        {
            return Err(Failure::Argument(format!(
                "--json and --figure are both {}: give each a file of its own",
                json.display()
            )));
        }
        let format = self.figure.as_deref().map(Format::of).transpose();
        format.map_err(|e| Failure::Argument(format!("--figure {e}")))?;
        Ok(())
    }

    /// Writes the results, as an array if they are a series.
    pub(super) fn write(&self, results: &[Value], series: bool) -> Result<(), Failure> {
        let Some(path) = &self.json else { return Ok(()) };
        let text = match results {
            [one] if !series => serde_json::to_string_pretty(one),
            all => serde_json::to_string_pretty(all),
        };
        Ok(crate::io::atomic_write(path, text.unwrap_or_default().as_bytes())?)
    }
}

/// Returns whether two paths, whose directories exist, are those of one file.
fn is_same_file(a: &Path, b: &Path) -> bool {
    let whole = |path: &Path| {
        let here = std::path::absolute(path).ok()?;
        Some(here.parent()?.canonicalize().ok()?.join(here.file_name()?))
    };
    a == b || whole(a).is_some_and(|a| Some(a) == whole(b))
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
