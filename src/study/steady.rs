//! What a study asks of the steady solutions of its designs.

use std::path::Path;

use crate::io::TableFile;
use crate::steady::CONVERGENCE_COLUMNS;

use super::measure::Written;

/// The table of the convergence, and its column that is judged.
const TABLE: &str = "convergence.csv";
const COLUMN: &str = "density";

/// Returns the last residual of the density over the largest, from the files of a steady solution.
///
/// # Errors
/// Returns what is missing.
pub fn residual_of(folder: &Path) -> Result<f64, String> {
    let table = TableFile::read(&folder.join(TABLE))
        .map_err(|error| error.to_string())?
        .table;
    let residuals = table
        .column(COLUMN)
        .ok_or_else(|| format!("{TABLE} has no column {COLUMN}"))?;
    let largest = residuals.iter().copied().fold(0.0, f64::max);
    let last = residuals.last().ok_or_else(|| format!("{TABLE} has no rows"))?;
    Ok(last / largest)
}

/// Returns what a steady solution writes.
pub fn written_by_steady() -> Written {
    let columns = CONVERGENCE_COLUMNS
        .iter()
        .map(|(name, unit)| ((*name).to_owned(), *unit));
    Written {
        series: vec![("convergence".to_owned(), columns.collect())],
        results: Vec::new(),
    }
}
