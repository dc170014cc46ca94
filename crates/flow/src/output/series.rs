//! Outputs that are a series: a row of numbers for each sample, in a CSV file.
//!
//! Such an output consists of its keys (`series_keys!`), which make a [`SeriesRequest`], and of its [`Rows`].
//! Everything else is here: the period, the columns of step and time, the samples at the start and the end of a run,
//! and the means of the columns if they are asked for. The run opens the file, and truncates it when it continues from
//! a checkpoint.

use std::fmt;
use std::sync::Arc;

use super::error::OutputError;
use super::estimate::Estimate;
use super::interface::{Columns, ExtraSamples, Output, SampleContext};
use super::request::{Request, Setup};
use super::schedule::Schedule;
use super::series_means::SeriesMeans;
use crate::input::Every;
use crate::io::CheckpointData;
use crate::solver::Solver;

/// Declares the keys of an output that is a series, with the evaluation of its period; further keys stand in braces.
macro_rules! series_keys {
    ($name:ident) => {
        series_keys!($name {});
    };
    ($name:ident { $($further:tt)* }) => {
        $crate::input::keys! {
        /// A series of values over time: exactly one of `every` and `every-steps`.
        $name as "a mapping with the key `every` or `every-steps`" {
            /// Period in time, above 0; steps are shortened to meet it.
            pub every: Option<$crate::input::Number>,
            /// Period in steps, at least 1.
            pub every_steps: Option<$crate::input::Count>,
            /// Time from which on means of the columns are taken, at least 0. They are written with their statistical
            /// errors, the rms of the fluctuations and their frequencies to NAME.means.csv, with every checkpoint and
            /// at the end. Without it there are none.
            pub means_from: Option<$crate::input::Number>,
            $($further)*
        }}

        impl $name {
            fn timing(
                &self,
                context: &$crate::output::keys::Context,
            ) -> Result<$crate::output::series::Timing, $crate::input::Problem> {
                let from = |from| {
                    let (key, test) = (context.at("means-from"), $crate::input::not_negative);
                    context.scope.number_if(&key, from, test, "at least 0")
                };
                Ok($crate::output::series::Timing {
                    every: context
                        .scope
                        .every(&context.key, &self.every, &self.every_steps)?,
                    means_from: self.means_from.as_ref().map(from).transpose()?,
                })
            }
        }
    };
}
pub(super) use series_keys;

/// The times of the rows of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Timing {
    pub every: Every,
    /// Time from which on means of the columns are taken, if they are.
    pub means_from: Option<f64>,
}

/// The contents of a series.
pub(super) trait Rows {
    /// Returns the name of the file without `.csv`.
    fn name(&self) -> &'static str;

    /// Returns names and units of the columns after those of step and time.
    fn columns(&self) -> Columns;

    /// Returns the first of these columns, of which means are taken if they are asked for.
    fn averaged(&self) -> Columns {
        self.columns()
    }

    /// Returns whether the rows need the right-hand side of the state on the device.
    fn needs_rhs(&self) -> bool {
        false
    }

    /// Returns the values of the present state, in the order of the columns. Collective.
    fn row(&mut self, context: &mut SampleContext) -> Result<Vec<f64>, OutputError>;
}

/// The step from the settings of an output to its series, once there is a solver.
type Create = Box<dyn Fn(&Solver) -> Vec<Box<dyn Rows>> + Send + Sync>;

/// An output that is a series, or several with the same period, as a case asks for it.
pub(super) struct SeriesRequest {
    /// Key under `output`.
    key: &'static str,
    timing: Timing,
    fingerprints: Vec<(String, String)>,
    create: Create,
}

impl SeriesRequest {
    /// Returns the shared request of the output with this key. The settings that determine the contents of its files
    /// are `fingerprints`.
    pub fn shared(
        key: &'static str,
        timing: Timing,
        fingerprints: Vec<(String, String)>,
        create: impl Fn(&Solver) -> Vec<Box<dyn Rows>> + Send + Sync + 'static,
    ) -> Arc<dyn Request> {
        Arc::new(SeriesRequest {
            key,
            timing,
            fingerprints,
            create: Box::new(create),
        })
    }
}

impl fmt::Debug for SeriesRequest {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} {:?} {:?}", self.key, self.timing, self.fingerprints)
    }
}

impl Request for SeriesRequest {
    fn label(&self) -> String {
        self.key.to_owned()
    }

    fn every(&self) -> Every {
        self.timing.every
    }

    fn means_from(&self) -> Option<f64> {
        self.timing.means_from
    }

    fn create(&self, setup: &mut Setup) -> Result<Vec<Box<dyn Output>>, OutputError> {
        let directory = setup.directory;
        let clock = &setup.clock;
        let output = |rows: Box<dyn Rows>| -> Box<dyn Output> {
            let every = self.timing.every;
            let means = |from| SeriesMeans::new(rows.name(), rows.averaged(), directory, (every, from), clock);
            Box::new(SeriesOutput {
                schedule: Schedule::new(Some(self.timing.every), clock),
                means: self.timing.means_from.map(means),
                rows,
            })
        };
        Ok((self.create)(setup.solver).into_iter().map(output).collect())
    }

    fn fingerprints(&self) -> Vec<(String, String)> {
        self.fingerprints.clone()
    }
}

/// An output that appends rows to its series.
struct SeriesOutput {
    schedule: Schedule,
    rows: Box<dyn Rows>,
    means: Option<SeriesMeans>,
}

impl Output for SeriesOutput {
    fn name(&self) -> &'static str {
        self.rows.name()
    }

    fn schedule(&mut self) -> &mut Schedule {
        &mut self.schedule
    }

    fn extra_samples(&self) -> ExtraSamples {
        ExtraSamples::StartAndEnd
    }

    fn needs_physical_state(&self) -> bool {
        self.rows.needs_rhs()
    }

    fn needs_rhs(&self) -> bool {
        self.rows.needs_rhs()
    }

    fn series(&self) -> Vec<(String, Columns)> {
        let mut columns = vec![("step".to_owned(), "-"), ("time".to_owned(), "s")];
        columns.extend(self.rows.columns());
        vec![(self.rows.name().to_owned(), columns)]
    }

    fn sample(&mut self, context: &mut SampleContext) -> Result<(), OutputError> {
        let mut row = vec![context.clock.step as f64, context.clock.time];
        row.extend(self.rows.row(context)?);
        if let Some(means) = self.means.as_mut().filter(|_| self.schedule.is_event(&context.clock)) {
            means.add(context.clock.time, &row[2..]);
        }
        context.append(self.rows.name(), &row)
    }

    fn accumulates(&self) -> bool {
        self.means.is_some()
    }

    fn results(&self) -> Vec<String> {
        self.means.as_ref().map_or_else(Vec::new, SeriesMeans::results)
    }

    fn result(&mut self, name: &str, _: &mut SampleContext) -> Result<Option<Estimate>, OutputError> {
        Ok(self.means.as_ref().and_then(|means| means.result(name)))
    }

    fn write(&mut self, context: &mut SampleContext) -> Result<(), OutputError> {
        self.means.as_ref().map_or(Ok(()), |means| means.write(context))
    }

    fn save(&mut self, _: &Solver, data: &mut CheckpointData) -> Result<(), OutputError> {
        self.means.iter().for_each(|means| means.save(data));
        Ok(())
    }

    fn restore(&mut self, context: &mut SampleContext, data: &CheckpointData) -> Result<bool, OutputError> {
        Ok(self.means.as_mut().is_none_or(|means| means.restore(context, data)))
    }
}

/// Returns fixed names and units as columns.
pub(super) fn columns(fixed: &[(&str, &'static str)]) -> Columns {
    fixed.iter().map(|(name, unit)| ((*name).to_owned(), *unit)).collect()
}
