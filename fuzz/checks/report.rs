//! The files in the output directory of a run must be reported and watched whatever they hold.

use std::path::Path;

use fr_les::commands::watch::{self, WatchArgs};
use fr_les::report;

use super::{hdf5_changes, parts};

/// Files of text that a report is made of.
const FILES: [&str; 6] = [
    "run.json",
    "integrals.csv",
    "convergence.csv",
    "boundaries.csv",
    "profile_a.csv",
    "adequacy.md",
];
/// A record of a run.
const RECORD: &[u8] = include_bytes!("../seeds/report/run.json");
/// Slices that [`super::hdf5_changes`] changes.
const SLICES: &[&[u8]] = &[include_bytes!("../seeds/slices/plane.vtkhdf")];

/// Reads the parts of the bytes as the texts of a run.
pub fn run(bytes: &[u8]) {
    view(parts::folder(bytes, &FILES).path());
}

/// Reads bytes as a slice and as surfaces of a run.
pub fn run_slices(bytes: &[u8]) {
    let folder = parts::folder(RECORD, &FILES);
    for name in ["slices_a_0000.vtkhdf", "surfaces_0000.vtkhdf"] {
        hdf5_changes::write(&folder.path().join(name), bytes, SLICES);
    }
    view(folder.path());
}

/// Makes the report of a directory, and shows its state.
fn view(directory: &Path) {
    match report::of_run(directory, &report::References::default()) {
        Ok(report) => assert!(report.page.ends_with("</html>\n")),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    let run = directory.to_path_buf();
    if let Err(error) = watch::run(&WatchArgs {
        run,
        once: true,
        json: false,
    }) {
        assert!(!error.to_string().is_empty());
    }
}
