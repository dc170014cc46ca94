//! `fr-les report`: one HTML page about a run.

use std::path::{Path, PathBuf};

use super::print_line;
use crate::io::{self, atomic_write};
use crate::report::{self, Error, Picture, References};

/// Write one HTML page about a run or a steady solution that has ended or still goes on: what was run, on what and at
/// what cost, balances of the boundaries and of a cascade, pictures of slices, means and series with their statistical
/// errors, resolution, and warnings. The page holds all its figures; any browser opens it without a network.
#[derive(Debug, clap::Args)]
pub struct ReportArgs {
    /// Output directory of the run
    #[arg(value_name = "DIR")]
    pub run: PathBuf,
    /// File to write [default: report.html in the directory]
    #[arg(long, value_name = "FILE.html")]
    pub output: Option<PathBuf>,
    /// Table to lay beside the run (repeatable): points along a blade (`x_over_C` and any of M_is, C_p, C_f), or one
    /// row of results, whose columns have the names of results.json or their ends, as `zeta` or `wake.zeta`
    #[arg(long, value_name = "FILE.csv")]
    pub reference: Vec<PathBuf>,
    /// Write each figure of the page as a PNG file as well, into this folder
    #[arg(long, value_name = "FOLDER")]
    pub pictures: Option<PathBuf>,
}

/// Writes the page and its pictures, and prints their paths.
///
/// # Errors
/// The directory holds nothing of a run, or a file cannot be written.
pub fn run(args: &ReportArgs) -> Result<(), Error> {
    let output = args.output.clone().unwrap_or_else(|| args.run.join("report.html"));
    let report = report::of_run(&args.run, &References::read(&args.reference)?)?;
    atomic_write(&output, report.page.as_bytes())?;
    print_line(format_args!("{}", output.display()));
    let Some(folder) = &args.pictures else {
        return Ok(());
    };
    write_pictures(folder, &report.pictures)
}

/// Writes each picture as a PNG file into a folder, and prints their paths.
///
/// # Errors
/// A picture cannot be drawn, or a file cannot be written.
pub(super) fn write_pictures(folder: &Path, pictures: &[Picture]) -> Result<(), Error> {
    io::create_directory(folder)?;
    for picture in pictures {
        let path = folder.join(format!("{}.png", picture.name));
        atomic_write(&path, &picture.png()?)?;
        print_line(format_args!("{}", path.display()));
    }
    Ok(())
}
