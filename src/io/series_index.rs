//! The list that strings solution files together in time.
//!
//! ParaView groups files that are numbered, and opens the group as one series; but its VTKHDF reader announces times
//! only for files of more than one step, so a group of single moments would be played as 0, 1, 2, .... The list
//! `NAME.vtkhdf.series` gives it the physical times.

use std::path::{Path, PathBuf};

use super::{Error, atomic_write};

/// Lists solutions (time, file name), in the order given, in `NAME.vtkhdf.series` in their directory, and returns the path of
/// the list. To be called by one rank, after a solution was written. The list names what the run has written itself, so files
/// that an older run left in the same directory are not shown as part of it.
pub fn write_series_index(directory: &Path, name: &str, files: &[(f64, String)]) -> Result<PathBuf, Error> {
    let files: Vec<_> = files
        .iter()
        .map(|(time, name)| serde_json::json!({"name": name, "time": time}))
        .collect();
    let list = serde_json::json!({"file-series-version": "1.0", "files": files});
    let path = directory.join(format!("{name}.vtkhdf.series"));
    atomic_write(&path, format!("{list:#}\n").as_bytes())?;
    Ok(path)
}
