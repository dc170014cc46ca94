//! Outputs that are a series: a row of numbers for each sample, in a CSV file.
//!
//! Such an output consists of its keys (`series_keys!`), which make a [`SeriesRequest`], and of its [`Rows`].
//! Everything else is here: the period, the columns of step and time, and the samples at the start and the end of a
//! run. The run opens the file, and truncates it when it continues from a checkpoint.

use std::fmt;
use std::sync::Arc;

use super::error::OutputError;
use super::interface::{Columns, ExtraSamples, Output, SampleContext};
use super::request::{Request, Setup};
use super::schedule::Schedule;
use crate::input::Every;
use crate::solver::Solver;

/// Declares the keys of an output that is a series, with the evaluation of its period.
macro_rules! series_keys {
    ($name:ident) => {
        $crate::input::keys! {
        /// A series of values over time: exactly one of `every` and `every-steps`.
        $name as "a mapping with the key `every` or `every-steps`" {
            /// Period in time, above 0; steps are shortened to meet it.
            pub every: Option<$crate::input::Number>,
            /// Period in steps, at least 1.
            pub every_steps: Option<$crate::input::Count>,
        }}

        impl $name {
            fn period(
                &self,
                context: &$crate::output::keys::Context,
            ) -> Result<$crate::input::Every, $crate::input::Problem> {
                context.scope.every(&context.key, &self.every, &self.every_steps)
            }
        }
    };
}
pub(super) use series_keys;

/// The contents of a series.
pub(super) trait Rows {
    /// Returns the name of the file without `.csv`.
    fn name(&self) -> &'static str;

    /// Returns names and units of the columns after those of step and time.
    fn columns(&self) -> Columns;

    /// Returns whether the rows need the right-hand side of the state on the device.
    fn needs_rhs(&self) -> bool {
        false
    }

    /// Returns the values of the present state, in the order of the columns. Collective.
    ///
    /// # Errors
    /// The device fails.
    fn row(&mut self, context: &mut SampleContext) -> Result<Vec<f64>, OutputError>;
}

/// The step from the settings of an output to its series, once there is a solver.
type Create = Box<dyn Fn(&Solver) -> Vec<Box<dyn Rows>> + Send + Sync>;

/// An output that is a series, or several with the same period, as a case asks for it.
pub(super) struct SeriesRequest {
    /// Key under `output`.
    key: &'static str,
    every: Every,
    fingerprints: Vec<(String, String)>,
    create: Create,
}

impl SeriesRequest {
    /// Returns the shared request of the output with this key. The settings that determine the contents of its files
    /// are `fingerprints`.
    pub fn shared(
        key: &'static str,
        every: Every,
        fingerprints: Vec<(String, String)>,
        create: impl Fn(&Solver) -> Vec<Box<dyn Rows>> + Send + Sync + 'static,
    ) -> Arc<dyn Request> {
        Arc::new(SeriesRequest {
            key,
            every,
            fingerprints,
            create: Box::new(create),
        })
    }
}

impl fmt::Debug for SeriesRequest {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} {} {:?}", self.key, self.every, self.fingerprints)
    }
}

impl Request for SeriesRequest {
    fn label(&self) -> String {
        self.key.to_owned()
    }

    fn every(&self) -> Every {
        self.every
    }

    fn create(&self, setup: &mut Setup) -> Result<Vec<Box<dyn Output>>, OutputError> {
        let output = |rows| -> Box<dyn Output> {
            let schedule = Schedule::new(Some(self.every), &setup.clock);
            Box::new(SeriesOutput { schedule, rows })
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
        context.append(self.rows.name(), &row)
    }
}

/// Returns fixed names and units as columns.
pub(super) fn columns(fixed: &[(&str, &'static str)]) -> Columns {
    fixed.iter().map(|(name, unit)| ((*name).to_owned(), *unit)).collect()
}
