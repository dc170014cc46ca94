//! `fr-les report`: one HTML page about a run.

use std::path::PathBuf;

use super::print_line;
use crate::io::atomic_write;
use crate::report::{self, Error};

/// Write one HTML page about a run that has ended or still goes on: what was run, on what and at what cost, balances of
/// the boundaries and of a cascade, pictures of slices, means and series with their statistical errors, resolution, and
/// warnings. The page holds all its figures; any browser opens it without a network.
#[derive(Debug, clap::Args)]
pub struct ReportArgs {
    /// Output directory of the run
    #[arg(value_name = "DIR")]
    pub run: PathBuf,
    /// File to write [default: report.html in the directory]
    #[arg(long, value_name = "FILE.html")]
    pub output: Option<PathBuf>,
}

/// Writes the page and prints its path.
///
/// # Errors
/// The directory holds nothing of a run, or the page cannot be written.
pub fn run(args: &ReportArgs) -> Result<(), Error> {
    let output = args.output.clone().unwrap_or_else(|| args.run.join("report.html"));
    let page = report::page(&args.run)?;
    atomic_write(&output, page.as_bytes())?;
    print_line(format_args!("{}", output.display()));
    Ok(())
}
