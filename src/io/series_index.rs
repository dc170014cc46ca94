//! The list that strings solution files together in time.
//!
//! ParaView groups files that are numbered, and opens the group as one series; but its VTKHDF reader announces times
//! only for files of more than one step, so a group of single moments would be played as 0, 1, 2, .... The list
//! `NAME.vtkhdf.series` gives it the physical times.

use std::path::{Path, PathBuf};

use super::{Error, atomic_write};

/// Lists the solutions `NAME_*.vtkhdf` in `directory`, in the order of their times, in `NAME.vtkhdf.series` there, and
/// returns the path of the list. To be called by one rank, after a solution was written.
///
/// The directory itself is looked at each time, so the list is right after a restart too, and after files were removed.
pub fn write_series_index(directory: &Path, name: &str) -> Result<PathBuf, Error> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(Error::os("list", directory))? {
        let path = entry.map_err(Error::os("list", directory))?.path();
        let Some(file) = path.file_name().and_then(|file| file.to_str()) else {
            continue;
        };
        if file
            .strip_prefix(name)
            .is_some_and(|rest| rest.starts_with('_') && rest.ends_with(".vtkhdf"))
        {
            files.push((read_time(&path)?, file.to_string()));
        }
    }
    files.sort_by(|(a, first), (b, second)| a.total_cmp(b).then_with(|| first.cmp(second)));
    let files: Vec<_> = files
        .iter()
        .map(|(time, name)| serde_json::json!({"name": name, "time": time}))
        .collect();
    let list = serde_json::json!({"file-series-version": "1.0", "files": files});
    let path = directory.join(format!("{name}.vtkhdf.series"));
    atomic_write(&path, format!("{list:#}\n").as_bytes())?;
    Ok(path)
}

/// The physical time of a solution file.
fn read_time(path: &Path) -> Result<f64, Error> {
    let read = || hdf5::File::open(path)?.dataset("VTKHDF/Steps/Values")?.read_1d::<f64>();
    let times = read().map_err(Error::hdf5("read the time", path))?;
    times.first().copied().ok_or_else(|| Error::Input {
        path: path.to_path_buf(),
        detail: "no time in it".to_string(),
    })
}
