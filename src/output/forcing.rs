//! The series forcing.csv: the force that holds the mass flow, and the bulk velocity and density that result.

use std::sync::Arc;

use super::error::OutputError;
use super::interface::{Columns, ExtraSamples, Output, SampleContext};
use super::keys::{Context, Keys};
use super::request::{Request, Setup};
use super::schedule::Schedule;
use crate::input::{Count, Every, Number, Problem, keys};

/// The key, and the name of the series.
const NAME: &str = "forcing";

/// Columns of the series.
const COLUMNS: [(&str, &str); 5] = [
    ("step", "-"),
    ("time", "s"),
    ("bulk_velocity", "m/s"),
    ("bulk_density", "kg/m^3"),
    ("force", "N/m^3"),
];

/// The series that a case asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct ForcingRequest {
    /// The period of the rows.
    pub every: Every,
}

keys! {
/// A series of values over time: exactly one of `every` and `every-steps`.
ForcingKeys as "a mapping with the key `every` or `every-steps`" {
    /// Period in time, above 0; steps are shortened to meet it.
    pub every: Option<Number>,
    /// Period in steps, at least 1.
    pub every_steps: Option<Count>,
}}

impl Keys for ForcingKeys {
    fn request(&self, context: &Context) -> Result<Arc<dyn Request>, Problem> {
        if !context.facts.holds_mass_flow {
            return Err(Problem::new("there is nothing to write: the case holds no mass flow")
                .key(&context.key)
                .help("it is the series of `forcing.mass-flow`; integrals and boundaries have series of their own"));
        }
        Ok(Arc::new(ForcingRequest {
            every: context.scope.every(&context.key, &self.every, &self.every_steps)?,
        }))
    }
}

impl Request for ForcingRequest {
    fn label(&self) -> String {
        NAME.to_owned()
    }

    fn every(&self) -> Every {
        self.every
    }

    fn create(&self, setup: &mut Setup) -> Result<Vec<Box<dyn Output>>, OutputError> {
        Ok(vec![Box::new(ForcingSeries {
            schedule: Schedule::new(Some(self.every), &setup.clock),
        })])
    }
}

/// The series of the mass-flow forcing.
struct ForcingSeries {
    schedule: Schedule,
}

impl Output for ForcingSeries {
    fn name(&self) -> &'static str {
        NAME
    }

    fn schedule(&mut self) -> &mut Schedule {
        &mut self.schedule
    }

    fn extra_samples(&self) -> ExtraSamples {
        ExtraSamples::StartAndEnd
    }

    fn series(&self) -> Vec<(String, Columns)> {
        let columns = COLUMNS.map(|(name, unit)| (name.to_owned(), unit));
        vec![(NAME.to_owned(), columns.to_vec())]
    }

    fn sample(&mut self, context: &mut SampleContext) -> Result<(), OutputError> {
        let Some((force, direction)) = context.solver.mass_flow_force() else {
            return Ok(());
        };
        let bulk = context.solver.bulk()?;
        let clock = context.clock;
        let row = [
            clock.step as f64,
            clock.time,
            bulk.velocity(direction),
            bulk.density,
            force,
        ];
        context.append(NAME, &row)
    }
}
