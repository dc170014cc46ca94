//! The provenance of a file: program, case, mesh and device.
//!
//! A result without its case is not reproducible, and files get separated from their directory. Every file therefore
//! carries its provenance: HDF5 files the whole text of the case, CSV files a few comment lines.

use std::path::Path;
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

use hdf5::Group;
use mpi::topology::SimpleCommunicator;

use super::Error;
use super::parallel::Shared;

/// The commit of the program.
static COMMIT: OnceLock<&str> = OnceLock::new();

/// Sets the commit from which the program was built. Only the program knows it, so that nothing else is compiled again
/// for a new one.
pub fn set_commit(commit: &'static str) {
    let _ = COMMIT.set(commit);
}

/// The origin of a file. Start from [`Provenance::of_this_program`] and add the run.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Provenance {
    /// Version of the program.
    pub version: String,
    /// Git revision from which the program was built, or "unknown".
    pub git: String,
    /// Start of the run in UTC, as in `2025-01-31T12:00:00Z`.
    pub created: String,
    /// Title of the case.
    pub title: String,
    /// Text of the case file with the overrides of the command line appended.
    pub case_text: String,
    /// Hash of the mesh.
    pub mesh_hash: u64,
    /// Description of the device.
    pub device: String,
    /// Floating-point format of the computation (that of the file may differ).
    pub precision: String,
    /// Number of MPI ranks.
    pub ranks: usize,
}

impl Provenance {
    /// Returns version, revision and the present time, with the fields of the run empty and one rank.
    pub fn of_this_program() -> Self {
        Provenance {
            version: env!("CARGO_PKG_VERSION").to_string(),
            git: COMMIT.get().copied().unwrap_or("unknown").to_string(),
            created: utc(SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |since| since.as_secs())),
            title: String::new(),
            case_text: String::new(),
            mesh_hash: 0,
            device: String::new(),
            precision: String::new(),
            ranks: 1,
        }
    }

    /// Returns names and values of all entries but the case text, in the order of output.
    fn entries(&self) -> [(&'static str, String); 8] {
        [
            ("version", format!("fr-les {}", self.version)),
            ("git", self.git.clone()),
            ("created", self.created.clone()),
            ("title", self.title.clone()),
            ("device", self.device.clone()),
            ("precision", self.precision.clone()),
            ("ranks", self.ranks.to_string()),
            ("mesh-hash", format!("{:016x}", self.mesh_hash)),
        ]
    }

    /// Returns comment lines for the beginning of a text file; each starts with "# " and ends with a line feed. They
    /// contain only entries that determine the numbers, so that a run gives the same bytes at any time and place.
    pub fn comment(&self) -> String {
        let line = |(name, value): (&str, String)| {
            // A line break in a title must not turn the rest of it into data.
            format!("# {name}: {}\n", value.split_whitespace().collect::<Vec<_>>().join(" "))
        };
        self.decisive_entries().map(line).collect()
    }

    /// Returns the entries that determine the numbers, by name.
    pub fn decisive_entries(&self) -> impl Iterator<Item = (&'static str, String)> + use<> {
        let decisive = |(name, _): &(&str, String)| !["created", "device", "ranks"].contains(name);
        self.entries().into_iter().filter(decisive)
    }

    /// Writes the group `/provenance`: attributes, and the case text as the dataset `case`, since attributes are
    /// limited to 64 kB. Collective; `self` is the same on all ranks.
    pub(super) fn write(&self, file: &Shared<'_>, root: &Group) -> Result<(), Error> {
        let group = file.group(root, "provenance")?;
        for (name, value) in self.entries() {
            file.text_attribute(&group, name, &value)?;
        }
        file.text(&group, "case", &self.case_text)
    }

    /// Returns the provenance of rank 0 on every rank: parallel HDF5 requires equal attributes, but the clocks and
    /// device names of ranks differ.
    pub(super) fn of_root(&self, comm: &SimpleCommunicator, path: &Path) -> Result<Self, Error> {
        let bytes = super::parallel::broadcast(comm, 0, || serde_json::to_vec(self).unwrap_or_default());
        serde_json::from_slice(&bytes).map_err(|error| Error::Input {
            path: path.to_path_buf(),
            detail: error.to_string(),
        })
    }
}

/// Formats a number of seconds since 1970 as date and time in UTC, as in `2025-01-31T12:00:00Z`.
fn utc(seconds: u64) -> String {
    // Counted from 1 March of year 0 the leap day is a year's last day, and the months' lengths repeat every five
    // months (153 days); 400 years have 146097 days, and 719468 days lie between that March and 1970.
    let days = seconds / 86_400 + 719_468;
    let era = days / 146_097;
    let day = days % 146_097;
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let time = seconds % 86_400;
    let hour = time / 3_600;
    let minute = time / 60 % 60;
    let second = time % 60;
    format!(
        "{:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z",
        400 * era + year + next
    )
}

/// Returns the seconds since 1970 of a date and time in UTC, as in `2025-01-31T12:00:00Z`.
pub fn seconds_of_utc(text: &str) -> Option<u64> {
    let numbers: Result<Vec<u64>, _> = text.strip_suffix('Z')?.split(['-', 'T', ':']).map(str::parse).collect();
    let [year, month, day, hour, minute, second] = numbers.ok()?.try_into().ok()?;
    // As in `utc`, years begin in March.
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year.checked_sub(1)?, month + 9)
    };
    let days = (365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day).checked_sub(719_469)?;
    Some(86_400 * days + 3_600 * hour + 60 * minute + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        assert_eq!(utc(0), "1970-01-01T00:00:00Z");
        assert_eq!(utc(951_827_696), "2000-02-29T12:34:56Z");
        assert_eq!(utc(1_735_689_599), "2024-12-31T23:59:59Z");
        assert_eq!(utc(4_107_542_400), "2100-03-01T00:00:00Z");
        for seconds in (0..5_000_000_000).step_by(1_234_567) {
            assert_eq!(seconds_of_utc(&utc(seconds)), Some(seconds));
        }
        for wrong in ["", "2025-01-31", "2025-01-31T12:00:00", "2025-x-31T12:00:00Z"] {
            assert_eq!(seconds_of_utc(wrong), None);
        }
    }

    #[test]
    fn comments_stay_comments() {
        let provenance = Provenance {
            title: "two\nlines".to_string(),
            ..Provenance::of_this_program()
        };
        let comment = provenance.comment();
        assert!(comment.contains("# title: two lines\n"));
        assert!(comment.lines().all(|line| line.starts_with("# ")));
        assert!(comment.contains("# mesh-hash: 0000000000000000\n"));
    }
}
