//! Means of the columns of a series over time, with their statistical errors.
//!
//! They are written to NAME.means.csv, whose one row has four values for each column of the series: the mean, its
//! standard error, whether this is a lower bound, and the mean over the second half of the time less that over the
//! first. Samples are those of the schedule: the rows at the start and the end of a run do not count, so that a run in
//! pieces has the same means.

use std::path::{Path, PathBuf};

use mpi::traits::Communicator;

use super::batch_means::BatchMeans;
use super::error::OutputError;
use super::estimate::{AT_LEAST, Certainty, ERROR, Estimate, HALF_DIFFERENCE};
use super::interface::{Columns, SampleContext};
use super::results::NamedResult;
use crate::io::{CheckpointData, agree, shortest, write_table};
use crate::solver::Clock;

/// The means of a series.
pub struct SeriesMeans {
    /// Name of the series.
    name: &'static str,
    path: PathBuf,
    /// Time from which on rows count.
    from: f64,
    columns: Columns,
    means: BatchMeans,
}

impl SeriesMeans {
    /// Returns means without samples of the columns of a series, whose directory is given.
    pub fn new(name: &'static str, columns: Columns, directory: &Path, from: f64, clock: &Clock) -> Self {
        SeriesMeans {
            name,
            path: directory.join(format!("{name}.means.csv")),
            from,
            means: BatchMeans::new(columns.len(), from.max(clock.time)),
            columns,
        }
    }

    /// Adds a row of the series, without step and time.
    pub fn add(&mut self, time: f64, row: &[f64]) {
        self.means.add(time, row);
    }

    /// Returns the names of the columns as results.
    pub fn results(&self) -> Vec<String> {
        let columns = self.columns.iter();
        columns.map(|(column, _)| format!("{}.{column}", self.name)).collect()
    }

    /// Returns a result if it can be relied on at present ([`super::Output::result`]).
    pub fn result(&self, name: &str) -> Option<Estimate> {
        let number = self.results().iter().position(|known| known == name)?;
        let reliable = self.means.reliable(estimates);
        reliable.map(|estimates| estimates[number])
    }

    /// Writes the file. Collective.
    pub fn write(&self, context: &mut SampleContext) -> Result<(), OutputError> {
        if self.means.samples() == 0 {
            context.warn_if_empty(&format!("{}.means", self.name), self.from);
            return Ok(());
        }
        let written = match context.world.rank() {
            0 => {
                let named = |(name, unit): &(String, &'static str)| {
                    [("", *unit), (ERROR, *unit), (AT_LEAST, "-"), (HALF_DIFFERENCE, *unit)]
                        .map(|(part, unit)| (format!("{name}{part}"), unit))
                };
                let columns: Vec<_> = self.columns.iter().flat_map(named).collect();
                let columns: Vec<_> = columns.iter().map(|(name, unit)| (name.as_str(), *unit)).collect();
                let estimates = estimates(&self.means);
                let row = estimates
                    .iter()
                    .flat_map(|e| [e.value, e.error, e.certainty.entry(), e.half_difference]);
                let row: Vec<f64> = row.collect();
                let units = self.columns.iter().map(|(_, unit)| *unit);
                let named = self.results().into_iter().zip(units).zip(&estimates);
                context.found(named.map(|((name, unit), estimate)| NamedResult::new(name, unit, *estimate)));
                let bounds = estimates.iter().filter(|e| e.certainty == Certainty::AtLeast).count();
                if bounds > 0 {
                    (context.log)(format_args!(
                        "means of {}: the errors of {bounds} of {} columns are not known or lower bounds",
                        self.name,
                        estimates.len()
                    ));
                }
                write_table(
                    &self.path,
                    &columns,
                    &row,
                    &self.means.description(),
                    context.provenance,
                )
            }
            _ => Ok(()),
        };
        agree(context.world, written)?;
        context.wrote(vec![self.path.clone()]);
        Ok(())
    }

    /// Returns the name of the entries in a checkpoint.
    fn entry(&self) -> String {
        format!("{}.means", self.name)
    }

    /// Returns the settings under which stored sums can be continued.
    fn shape(&self) -> serde_json::Value {
        let columns: Vec<&str> = self.columns.iter().map(|(name, _)| name.as_str()).collect();
        serde_json::json!({"from": shortest(self.from), "columns": columns})
    }

    /// Stores the sums in a checkpoint.
    pub fn save(&self, data: &mut CheckpointData) {
        data.section.parts.insert(self.entry(), self.shape());
        self.means.save(&self.entry(), &mut data.section);
    }

    /// Continues from the sums of a checkpoint. Returns `false` if it has none.
    pub fn restore(&mut self, context: &SampleContext, data: &CheckpointData) -> bool {
        let Some(shape) = data.section.parts.get(&self.entry()) else {
            return false;
        };
        let same = *shape == self.shape() && self.means.restore(&self.entry(), &data.section);
        if !same && context.solver.ranks.rank() == 0 {
            let name = self.name;
            let from = shape["from"].as_str().unwrap_or_default();
            tracing::warn!(
                "the means of {name} begin anew: those of the checkpoint are from t = {from} on, or of other \
                     columns"
            );
        }
        true
    }
}

/// Returns the estimates of the means of all columns.
fn estimates(means: &BatchMeans) -> Vec<Estimate> {
    means.estimates(<[f64]>::to_vec)
}
