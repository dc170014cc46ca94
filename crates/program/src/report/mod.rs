//! The report of a run: one HTML page with all figures inside, which any browser opens without a network.
//!
//! The page is made from the files in the output directory of a run, whether it has ended or still goes on: the record
//! of the run, all tables, and the newest slices and surfaces. Each file of this room makes one section, and leaves it
//! out where the run has no such files. The page is well-formed XML as well, so that other programs can read it.

mod balances;
mod cascade;
mod columns;
mod convergence;
mod facts;
mod headline;
pub(crate) mod html;
mod losses;
mod picture;
pub(crate) mod places;
mod references;
mod resolution;
mod run;
mod slices;
mod tables;

pub use facts::filter_in_words;
pub use picture::Picture;
pub use references::References;
pub use run::Error;

use std::path::Path;

use crate::io;
use run::Run;

/// A report.
#[derive(Debug)]
pub struct Report {
    /// The page in HTML.
    pub page: String,
    /// The figures of the page, each for a file of its own.
    pub pictures: Vec<Picture>,
}

/// Returns the report of the run in a directory, or of the steady solution in its folder `steady` if there is nothing
/// else, beside values from elsewhere.
///
/// # Errors
/// The directory cannot be listed, or holds nothing of a run. A file that cannot be read
/// becomes a line in the report.
pub fn of_run(directory: &Path, references: &References) -> Result<Report, Error> {
    let steady = directory.join(io::STEADY_FOLDER);
    let run = match Run::read(directory) {
        Err(Error::Empty(_)) if steady.join(io::RUN_RECORD).exists() => Run::read(&steady)?,
        read => read?,
    };
    let mut sections = facts::sections(&run);
    sections.extend(headline::section(&run, references));
    sections.extend(convergence::sections(&run));
    sections.extend(balances::section(&run));
    sections.extend(slices::section(&run));
    sections.extend(tables::sections(&run, references));
    sections.extend(resolution::section(&run));
    let title = run.record.as_ref().map(|record| record.title.clone());
    let title = title.unwrap_or_else(|| directory.display().to_string());
    Ok(Report {
        page: html::page(&title, &sections),
        pictures: sections.into_iter().flat_map(|section| section.pictures).collect(),
    })
}
