//! Profiles of a turbulent channel over the distance from its walls, in wall units: statistics of a run
//! (`statistics.csv`) beside a table of a direct simulation. The mean of both halves is compared, because each half
//! alone has half the samples.

use crate::io::read_series;
use std::path::Path;

mod data;
mod figure;
mod head;
mod measure;

pub use data::{Profiles, Quantity};
pub use figure::figure;
pub use measure::table;

/// Returns whether the file holds profiles of a reference, so that folders are given for their statistics.
pub fn is_reference(path: &Path) -> bool {
    read_series(path).is_ok_and(|table| table.column("y_plus").is_some())
}
