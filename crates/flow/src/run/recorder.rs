//! The record of a run with the start of the program, from which its seconds count.

use std::path::Path;
use std::time::Instant;

use crate::io::RunRecord;
use crate::log;
use crate::solver::{Clock, FilterRecord};

/// The record of a run and the start of the program.
pub(super) struct Recorder {
    pub record: RunRecord,
    pub begin: Instant,
}

impl Recorder {
    /// Writes the record with the present step, cost and warnings. The run goes on without it if that fails.
    pub fn write(
        &mut self,
        clock: &Clock,
        joules: Option<f64>,
        filter: &FilterRecord,
        outcome: &str,
        directory: &Path,
    ) {
        if let Some(part) = self.record.parts.last_mut() {
            part.filter = (*filter != FilterRecord::default()).then(|| filter.of_series());
            part.last = (clock.step, clock.time);
            part.seconds = self.begin.elapsed().as_secs_f64();
            part.joules = joules;
            part.outcome = outcome.to_owned();
            part.warnings = log::warnings();
        }
        if let Err(error) = self.record.write(directory) {
            tracing::warn!("the record of the run is not up to date: {error}");
        }
    }
}
