//! Where a run would begin, for a check of its case: the clock, and the series of a checkpoint, which a run refuses to
//! continue if their columns are others than its own. A check that looked at the state alone would pass such a case.

use std::collections::BTreeMap;
use std::path::Path;

use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;

use super::error::RunError;
use crate::io::{self, Mark, Series, agree};
use crate::output::{Columns, Output};
use crate::solver::Clock;

/// Where a run would begin.
#[derive(Debug, Default)]
pub struct Beginning {
    /// The clock with which it begins.
    pub clock: Clock,
    /// Length of each series when the checkpoint was written.
    pub(super) series: BTreeMap<String, Mark>,
}

impl Beginning {
    /// Verifies that a run with these outputs can continue the series of the checkpoint in its output directory. No
    /// file changes. Collective.
    ///
    /// # Errors
    /// A series has columns that no output of the run has, or is not the one that the checkpoint continues.
    pub fn require_series(
        &self,
        outputs: &[Box<dyn Output>],
        directory: &Path,
        world: &SimpleCommunicator,
    ) -> Result<(), RunError> {
        let mut wanted = outputs.iter().flat_map(|output| output.series());
        let found = match world.rank() {
            0 => wanted.try_for_each(|(name, columns)| {
                let mark = self.series.get(&name);
                let path = directory.join(format!("{name}.csv"));
                mark.map_or(Ok(()), |mark| reopen(&path, &columns, *mark).map(drop))
            }),
            _ => Ok(()),
        };
        agree(world, found).map_err(RunError::Restart)
    }
}

/// Opens a series of a checkpoint to continue it with the columns of the run, `None` if the file is not there.
///
/// # Errors
/// Those of [`Series::reopen`].
pub(super) fn reopen(path: &Path, columns: &Columns, mark: Mark) -> Result<Option<Series>, io::Error> {
    let columns: Vec<_> = columns.iter().map(|(name, unit)| (name.as_str(), *unit)).collect();
    Series::reopen(path, &columns, mark)
}
