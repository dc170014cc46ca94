//! What a study asks of the steady solutions of its designs.

use std::path::Path;

use crate::case::Case;
use crate::io::{STEADY_CONVERGENCE, TableFile};
use crate::output::Output;
use crate::steady::convergence_columns;

use super::measure::{RunEnd, Written};

/// The column of the table of the convergence that is judged.
const COLUMN: &str = "density";

/// Returns the last residual of the density over the largest, from the files of a steady solution.
///
/// # Errors
/// Returns what is missing.
pub fn residual_of(folder: &Path) -> Result<f64, String> {
    let table = TableFile::read(&folder.join(STEADY_CONVERGENCE))
        .map_err(|error| error.to_string())?
        .table;
    let residuals = table
        .column(COLUMN)
        .ok_or_else(|| format!("{STEADY_CONVERGENCE} has no column {COLUMN}"))?;
    let largest = residuals.iter().copied().fold(0.0, f64::max);
    let last = residuals
        .last()
        .ok_or_else(|| format!("{STEADY_CONVERGENCE} has no rows"))?;
    Ok(last / largest)
}

/// Returns the iteration at which the steady solution of a case ends at the latest.
pub fn end_of_steady(case: &Case) -> RunEnd {
    let iterations = case.steady.as_ref().map(|settings| settings.iterations);
    iterations.map_or(RunEnd::At(f64::INFINITY), |iterations| RunEnd::At(iterations as f64))
}

/// Returns what the steady solution of a case, which has these outputs, writes.
pub fn written_by_steady(outputs: &[Box<dyn Output>], case: &Case) -> Written {
    let model = case.steady.as_ref().map(|settings| settings.scheme.turbulence);
    let columns = convergence_columns(model.unwrap_or_default())
        .into_iter()
        .map(|(name, unit)| (name.to_owned(), unit));
    let mut written = Written::by(outputs);
    written.series.push(("convergence".to_owned(), columns.collect()));
    written
}
