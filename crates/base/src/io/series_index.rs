//! The list of solution files with their times.
//!
//! ParaView groups numbered files and opens a group as one series. Its VTKHDF reader reports times only for files with
//! more than one step, so a group of files with one step each would get the times 0, 1, 2, .... The list
//! `NAME.vtkhdf.series` supplies the physical times.

use std::path::{Path, PathBuf};

use super::{Error, atomic_write};

/// Writes solutions (time, file name), in the given order, to the list `NAME.vtkhdf.series` in their directory, and
/// returns its path. To be called by one rank after a solution was written. The list contains only files of this run,
/// so that files of an older run in the same directory are not shown with them.
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
