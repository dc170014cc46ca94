//! The series forcing.csv: the force that holds the mass flow, and the bulk velocity and density that result.

use std::sync::Arc;

use super::error::OutputError;
use super::interface::{Columns, SampleContext};
use super::keys::{Context, Keys};
use super::request::Request;
use super::series::{Rows, SeriesRequest, columns, series_keys};
use crate::input::Problem;

/// The key, and the name of the series.
const NAME: &str = "forcing";

/// Columns of the series.
const COLUMNS: [(&str, &str); 3] = [("bulk_velocity", "m/s"), ("bulk_density", "kg/m^3"), ("force", "N/m^3")];

series_keys!(ForcingKeys);

impl Keys for ForcingKeys {
    fn request(&self, context: &Context) -> Result<Arc<dyn Request>, Problem> {
        if !context.facts.holds_mass_flow {
            return Err(Problem::new("there is nothing to write: the case holds no mass flow")
                .key(&context.key)
                .help("it is the series of `forcing.mass-flow`; integrals and boundaries have series of their own"));
        }
        let timing = self.timing(context)?;
        Ok(SeriesRequest::shared(NAME, timing, Vec::new(), |_| {
            vec![Box::new(Forcing)]
        }))
    }
}

/// The rows of the mass-flow forcing.
struct Forcing;

impl Rows for Forcing {
    fn name(&self) -> &'static str {
        NAME
    }

    fn columns(&self) -> Columns {
        columns(&COLUMNS)
    }

    fn row(&mut self, context: &mut SampleContext) -> Result<Vec<f64>, OutputError> {
        let force = context.solver.mass_flow_force();
        let (force, direction) = force.expect("the output is refused where the case holds no mass flow");
        let bulk = context.solver.bulk()?;
        Ok(vec![bulk.velocity(direction), bulk.density, force])
    }
}
