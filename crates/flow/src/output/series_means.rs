//! Means of the columns of a series over time, with their statistical errors.
//!
//! They are written to NAME.means.csv, whose one row has four values for each column of the series: the mean, its
//! standard error, whether this is a lower bound, and the mean over the second half of the time less that over the
//! first. Behind them all, each column has the root mean square of its fluctuation and its frequency. Samples are those
//! of the schedule: the rows at the start and the end of a run do not count, so that a run in pieces has the same
//! means.
//!
//! The frequency is that of rises through the mean, which is known at the end alone. Both it and the fluctuation are
//! therefore taken from the series as it is written, whose numbers read back to the same bits, so that neither memory
//! nor checkpoints grow with time.

use std::path::{Path, PathBuf};

use mpi::traits::Communicator;

use super::batch_means::BatchMeans;
use super::error::OutputError;
use super::estimate::{AT_LEAST, Certainty, ERROR, Estimate, HALF_DIFFERENCE};
use super::interface::{Columns, SampleContext};
use super::oscillation::{FREQUENCY, RMS, frequency_of, rms_of};
use super::other_names::other_names;
use super::results::NamedResult;
use super::schedule::Schedule;
use crate::input::Every;
use crate::io::{CheckpointData, agree, read_series, shortest, write_table};
use crate::solver::Clock;

/// The means of a series.
pub struct SeriesMeans {
    /// Name of the series.
    name: &'static str,
    /// The file of the means, and that of the series.
    path: PathBuf,
    series: PathBuf,
    /// Period of the rows that count.
    every: Every,
    /// Time from which on rows count.
    from: f64,
    columns: Columns,
    means: BatchMeans,
}

impl SeriesMeans {
    /// Returns means without samples of the columns of a series, whose directory is given. Rows of the period `every`
    /// count from the time `from` on.
    pub fn new(
        name: &'static str,
        columns: Columns,
        directory: &Path,
        (every, from): (Every, f64),
        clock: &Clock,
    ) -> Self {
        SeriesMeans {
            name,
            path: directory.join(format!("{name}.means.csv")),
            series: directory.join(format!("{name}.csv")),
            every,
            from,
            means: BatchMeans::new(columns.len(), from.max(clock.time)),
            columns,
        }
    }

    /// Adds a row of the series, without step and time.
    pub fn add(&mut self, time: f64, row: &[f64]) {
        self.means.add(time, &row[..self.columns.len()]);
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
                let fluctuation = |(name, unit): &(String, &'static str)| {
                    [(RMS, *unit), (FREQUENCY, "1/s")].map(|(part, unit)| (format!("{name}{part}"), unit))
                };
                let columns = self.columns.iter().flat_map(named);
                // Behind all others, so that these keep their places.
                let columns: Vec<_> = columns.chain(self.columns.iter().flat_map(fluctuation)).collect();
                let columns: Vec<_> = columns.iter().map(|(name, unit)| (name.as_str(), *unit)).collect();
                let estimates = estimates(&self.means);
                let row = estimates
                    .iter()
                    .flat_map(|e| [e.value, e.error, e.certainty.entry(), e.half_difference]);
                let row: Vec<f64> = row.chain(self.fluctuations()).collect();
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

    /// Returns the root mean square of the fluctuation of each column and its frequency, from the rows of the series
    /// that have entered the means. None is a number if there are others in the file, as after a run that was continued
    /// in another directory, and a frequency is none without a period.
    fn fluctuations(&self) -> Vec<f64> {
        let unknown = || vec![f64::NAN; 2 * self.columns.len()];
        let table = match read_series(&self.series) {
            Ok(table) => table,
            Err(error) => {
                tracing::warn!("means of {}: rms and frequencies are not known: {error}", self.name);
                return unknown();
            }
        };
        let (Some(steps), Some(times)) = (table.column("step"), table.column("time")) else {
            return unknown();
        };
        let [from, to] = self.means.span();
        let mut last = from;
        let mut counts = |row: &usize| {
            let (step, time) = (steps[*row] as u64, times[*row]);
            let counts = time > last && time <= to && Schedule::was_event(self.every, step, time);
            last = if counts { time } else { last };
            counts
        };
        let rows: Vec<usize> = (0..times.len()).filter(|row| counts(row)).collect();
        if rows.len() as u64 != self.means.samples() {
            return unknown();
        }
        let of_column = |(name, _): &(String, &'static str)| {
            let values = table.column(name).unwrap_or_default();
            let of_time: Vec<[f64; 2]> = rows.iter().map(|&row| [times[row], values[row]]).collect();
            [rms_of(&of_time), frequency_of(&of_time).unwrap_or(f64::NAN)]
        };
        self.columns.iter().flat_map(of_column).collect()
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
            let columns = other_names("columns", &shape["columns"], &self.shape()["columns"]);
            let why = columns.unwrap_or_else(|| {
                let from = shape["from"].as_str().unwrap_or_default();
                format!("are from t = {from} on")
            });
            tracing::warn!("the means of {name} begin anew: those of the checkpoint {why}");
        }
        true
    }
}

/// Returns the estimates of the means of all columns.
fn estimates(means: &BatchMeans) -> Vec<Estimate> {
    means.estimates(<[f64]>::to_vec)
}
