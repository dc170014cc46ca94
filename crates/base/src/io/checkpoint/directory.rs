//! The checkpoints of a directory: their names, the newest one, and the removal of old ones.

use std::fs;
use std::path::{Path, PathBuf};

use super::read::StoredCheckpoint;
use super::types::Header;
use crate::io::Error;

/// First and last part of the name of a checkpoint.
const NAME: (&str, &str) = ("checkpoint_", ".h5");

/// A file with the name of a checkpoint, and its header or the error of reading it.
pub type ListedCheckpoint = (PathBuf, Result<Header, Error>);

/// Returns the name of the checkpoint of a step.
pub fn checkpoint_name(step: u64) -> String {
    format!("{}{step:08}{}", NAME.0, NAME.1)
}

/// Returns the checkpoints of a directory with their headers, newest first; those that cannot be read come before all
/// others. To be called by one rank.
///
/// The newest is the one that was written last, which need not be the one of the most steps: an earlier run may have
/// left that.
pub fn list_checkpoints(directory: &Path) -> Result<Vec<ListedCheckpoint>, Error> {
    let mut found = Vec::new();
    for name in names(directory)? {
        let steps = name.strip_prefix(NAME.0).and_then(|rest| rest.strip_suffix(NAME.1));
        if steps.is_some_and(|steps| !steps.is_empty() && steps.bytes().all(|b| b.is_ascii_digit())) {
            let path = directory.join(name);
            let header = StoredCheckpoint::header_of(&path);
            found.push((path, header));
        }
    }
    found.sort_by_key(|(_, header)| std::cmp::Reverse(header.as_ref().map_or((u64::MAX, 0), |h| (h.written, h.step))));
    Ok(found)
}

/// Removes all but the newest `keep` of `own`, the names of the checkpoints that a run has written, oldest first, and
/// the temporary files of runs that were killed. To be called by one rank, after a checkpoint was written.
pub fn remove_old_checkpoints(directory: &Path, own: &mut Vec<String>, keep: usize) -> Result<(), Error> {
    let old: Vec<String> = own.drain(..own.len().saturating_sub(keep)).collect();
    let unfinished = names(directory)?.into_iter().filter(|name| {
        let whole = name.strip_prefix('.').and_then(|name| name.strip_suffix(".part"));
        whole.is_some_and(|name| name.starts_with(NAME.0) && name.ends_with(NAME.1))
    });
    for name in unfinished.chain(old) {
        let path = directory.join(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::os("remove", &path)(error));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Returns the names in a directory that are valid text; none if the directory does not exist.
fn names(directory: &Path) -> Result<Vec<String>, Error> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(Error::os("list", directory))?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(Error::os("list", directory))?;
        names.extend(entry.file_name().into_string());
    }
    Ok(names)
}
