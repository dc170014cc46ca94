//! The place of a solution file in its run: its time, its step and its mesh. A run that continues from a solution needs
//! them; the fields are read as those of any other solution ([`super::StoredSolution`]).

use std::path::{Path, PathBuf};

use hdf5::types::FixedAscii;
use hdf5::{File, H5Type};

use super::Error;
use super::guarded::readable;

/// Time, step and mesh of a solution file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SolutionMoment {
    /// Physical time, in the unit of the case.
    pub time: f64,
    /// Number of completed steps; 0 at t = 0, where a steady solution states its iterations.
    pub step: u64,
    /// Hash of the whole mesh.
    pub mesh_hash: u64,
}

/// More steps than a run can take, from where doubles do not hold every whole number.
const MOST_STEPS: u64 = 1 << 53;

/// Returns whether a file is a solution, or another file for ParaView, and no checkpoint. To be called by any rank.
pub fn is_solution(path: &Path) -> bool {
    // A pipe would wait for a writer.
    let file = readable(path).ok().and_then(|_| File::open(path).ok());
    file.is_some_and(|file| file.link_exists("VTKHDF") && !file.link_exists("checkpoint"))
}

impl SolutionMoment {
    /// Reads time, step and mesh. To be called by any rank.
    ///
    /// # Errors
    /// The file cannot be read, or lacks one of them.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let file = File::open(path).map_err(Error::hdf5("open the file", path))?;
        let hash = file.group("provenance").and_then(|group| group.attr("mesh-hash"));
        let hash = hash.and_then(|hash| hash.read_scalar::<FixedAscii<16>>()).ok();
        let hash = hash.and_then(|hash| u64::from_str_radix(hash.as_str(), 16).ok());
        let time = one::<f64>(&file, "time").filter(|time| time.is_finite() && *time >= 0.0);
        let step = one::<u64>(&file, "step").filter(|step| *step < MOST_STEPS);
        match (time, step, hash) {
            (Some(time), Some(step), Some(mesh_hash)) => Ok(SolutionMoment {
                time,
                step: if time == 0.0 { 0 } else { step },
                mesh_hash,
            }),
            _ => Err(Error::Input {
                path: PathBuf::from(path),
                detail: "it does not say of which time, step and mesh it is: it is no solution of this version of \
                         fr-les, with which a run could continue"
                    .to_owned(),
            }),
        }
    }
}

/// Returns the only value of a dataset of the file's field data, if it is there.
fn one<T: H5Type + Copy>(file: &File, name: &str) -> Option<T> {
    let dataset = file.dataset(&format!("VTKHDF/FieldData/{name}")).ok()?;
    if dataset.size() != 1 {
        return None;
    }
    dataset.read_raw::<T>().ok()?.first().copied()
}
