//! `fr-les bench`: how fast a Taylor-Green box runs here, kernel by kernel, against what memory and arithmetic allow.
//!
//! Orders, sizes, precisions and arithmetics may be lists; every combination is measured in turn, and one that does not fit
//! the machine is reported and passed over.

use std::path::PathBuf;

use serde_json::Value;

use super::run::{Failure, print_line};
use crate::device::DeviceError;
use crate::device::cuda::CudaError;
use crate::element::ElementKind;
use crate::solver::SetupError;

pub mod cost;
mod list;
mod measure;
mod report;

use list::{Cells, Orders};

/// Arguments of `fr-les bench`.
#[derive(Debug, clap::Args)]
pub struct BenchArgs {
    /// Polynomial degree p, 1..8; a list (2,4,7) or a range (1..8, ends included) for a series
    #[arg(long, value_name = "LIST", default_value = "4")]
    order: Orders,
    /// Cells per direction; a list or a range for a series
    #[arg(long, value_name = "LIST", default_value = "16")]
    cells: Cells,
    /// As many cells as give about so many points at every order, instead of --cells
    #[arg(long, value_name = "N", conflicts_with = "cells", value_parser = number_of_points)]
    points: Option<f64>,
    /// double or single, or both
    #[arg(long, value_name = "LIST", default_value = "double", value_delimiter = ',')]
    precision: Vec<String>,
    /// auto, strict or fast, or several
    #[arg(long, value_name = "LIST", default_value = "auto", value_delimiter = ',')]
    arithmetic: Vec<String>,
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
    /// Also time the interface flux alone, by a loop over cells and by one over faces
    #[arg(long)]
    interfaces: bool,
    /// Time steps in a burst
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    steps: u64,
    /// Seconds of continuous stepping that are timed
    #[arg(long, default_value_t = 2.0, value_parser = seconds_of_stepping)]
    seconds: f64,
    /// Launch every kernel on its own instead of replaying a recorded step
    #[arg(long)]
    no_graph: bool,
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
    elements: String,
    curved: bool,
    viscous: bool,
    interfaces: bool,
    steps: u64,
    seconds: f64,
    graph: bool,
}

impl BenchArgs {
    /// Every combination, sizes varying fastest.
    fn setups(&self) -> Vec<Setup> {
        let mut setups = Vec::new();
        for &order in &self.order.0 {
            let cells = self.points.map_or_else(
                || self.cells.0.clone(),
                |points| vec![self.cells_for(points, order as usize)],
            );
            for precision in &self.precision {
                for arithmetic in &self.arithmetic {
                    setups.extend(cells.iter().map(|&cells| Setup {
                        order,
                        cells,
                        precision: precision.clone(),
                        arithmetic: arithmetic.clone(),
                        device: self.device.clone(),
                        threads: self.threads,
                        elements: self.elements.clone(),
                        curved: self.curved,
                        viscous: !self.inviscid,
                        interfaces: self.interfaces,
                        steps: self.steps,
                        seconds: self.seconds,
                        graph: !self.no_graph,
                    }));
                }
            }
        }
        setups
    }

    /// Cubes per direction that give about so many points.
    fn cells_for(&self, points: f64, order: usize) -> u64 {
        let of_a_cube = match self.elements.as_str() {
            "prism" => 2.0 * ElementKind::Prism.points(order) as f64,
            "tet" => 6.0 * ElementKind::Tet.points(order) as f64,
            "pyramid" => 6.0 * ElementKind::Pyramid.points(order) as f64,
            _ => ElementKind::Hex.points(order) as f64,
        };
        let cells = ((points / of_a_cube).cbrt().round() as u64).clamp(1, list::MOST_CELLS);
        if self.elements == "mixed" { cells.next_multiple_of(4) } else { cells }
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

fn within(text: &str, range: std::ops::RangeInclusive<f64>) -> Result<f64, String> {
    let value = text.parse().ok().filter(|x| range.contains(x));
    value.ok_or_else(|| format!("it takes a number from {:e} to {:e}", range.start(), range.end()))
}

fn number_of_points(text: &str) -> Result<f64, String> {
    within(text, 8.0..=1e12)
}

fn seconds_of_stepping(text: &str) -> Result<f64, String> {
    within(text, 0.01..=3600.0)
}

/// Runs the benchmark, or all of a series, and prints it. What has been measured is on file before the next case begins.
pub fn run(args: &BenchArgs) -> Result<(), Failure> {
    let setups = args.setups();
    // What cannot be written is said before the work.
    if let Some(folder) = args.json.as_ref().and_then(|path| path.parent()) {
        crate::io::create_directory(folder)?;
    }
    let series = setups.len() > 1;
    let mut results = Vec::new();
    for (index, setup) in setups.iter().enumerate() {
        if index > 0 {
            print_line(format_args!(""));
        }
        if series {
            print_line(format_args!(
                "{} of {}: {}",
                index + 1,
                setups.len(),
                report::heading(setup)
            ));
        }
        match measure::measure(setup) {
            Ok(measured) => {
                report::print(setup, &measured);
                results.push(report::json(setup, &measured));
            }
            Err(failure) if series && does_not_fit(&failure) => {
                print_line(format_args!("passed over: {failure}"));
                results.push(report::json_error(setup, &failure.to_string()));
            }
            Err(failure) => return Err(failure),
        }
        args.write(&results, series)?;
    }
    Ok(())
}

/// Whether a smaller case might run where this one does not.
fn does_not_fit(failure: &Failure) -> bool {
    matches!(
        failure,
        Failure::Setup(SetupError::Memory { .. } | SetupError::Device(DeviceError::Cuda(CudaError::Memory { .. })))
    )
}

impl Setup {
    /// Bytes of a number of the state.
    fn real_bytes(&self) -> usize {
        if self.precision == "single" { 4 } else { 8 }
    }

    /// Taylor-Green on the box that the setup describes.
    fn case_text(&self) -> String {
        let threads = self.threads.map_or(String::new(), |t| format!("threads: {t}\n"));
        let viscosity = if self.viscous {
            ", viscosity: {constant: 1/1600}"
        } else {
            ""
        };
        format!(
            "title: benchmark\nmesh:\n  box:\n    cells: [{c}, {c}, {c}]\n    lower: [-pi, -pi, -pi]\n    \
             upper: [pi, pi, pi]\n    periodic: [x, y, z]\n    elements: {}\n    warp: {}\norder: {}\nprecision: {}\n\
             arithmetic: {}\ndevice: {}\n{threads}\
             constants: {{p0: 1/(1.4*0.1^2)}}\ngas: {{gamma: 1.4, prandtl: 0.71, gas-constant: 1.0{viscosity}}}\n\
             initial:\n  u: sin(x)*cos(y)*cos(z)\n  v: -cos(x)*sin(y)*cos(z)\n  w: 0\n  \
             p: p0 + (cos(2*x) + cos(2*y))*(cos(2*z) + 2)/16\n  temperature: p0\ntime: {{steps: 1, cfl: 0.5}}\n",
            self.elements,
            if self.curved { 0.1 } else { 0.0 },
            self.order,
            self.precision,
            self.arithmetic,
            self.device,
            c = self.cells
        )
    }
}
