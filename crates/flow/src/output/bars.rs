//! The series bars.csv: the force on each bar, its power, the heat that it gives, and the momentum of the gas inside.
//!
//! The device sums over the points of each cell what the bars add to it. The host adds the cells without rounding, so
//! that the result is the same for any placement of cells on any number of ranks.

use std::sync::Arc;

use super::error::OutputError;
use super::interface::{Columns, SampleContext};
use super::keys::{Context, Keys};
use super::request::Request;
use super::series::{Rows, SeriesRequest, series_keys};
use crate::input::Problem;
use crate::solver::BarLoads;

/// The key, and the name of the series.
const NAME: &str = "bars";

/// Columns of every bar: the part after its name and an underscore, and the unit.
const OF_A_BAR: [(&str, &str); 6] = [
    ("force_x", "N"),
    ("force_y", "N"),
    ("power", "W"),
    ("heat", "W"),
    ("momentum_x", "kg m/s"),
    ("momentum_y", "kg m/s"),
];

series_keys!(BarsKeys);

impl Keys for BarsKeys {
    fn request(&self, context: &Context) -> Result<Arc<dyn Request>, Problem> {
        if !context.facts.bars {
            return Err(Problem::new("there is nothing to write: the case has no bars")
                .key(&context.key)
                .help("bars are described by the key `bars` of the case"));
        }
        let timing = self.timing(context)?;
        Ok(SeriesRequest::shared(NAME, timing, Vec::new(), |solver| {
            let bars = solver.bars().iter();
            let names = bars.flat_map(|bars| (0..bars.spacing.count).map(|bar| format!("{}_{bar}", bars.row.name)));
            vec![Box::new(BarRows { names: names.collect() })]
        }))
    }
}

/// The rows of the bars.
struct BarRows {
    /// Names of the bars: that of the row, and the number in it.
    names: Vec<String>,
}

impl Rows for BarRows {
    fn name(&self) -> &'static str {
        NAME
    }

    fn columns(&self) -> Columns {
        let of_one = |name: &String| OF_A_BAR.map(|(what, unit)| (format!("{name}_{what}"), unit));
        self.names.iter().flat_map(of_one).collect()
    }

    fn row(&mut self, context: &mut SampleContext) -> Result<Vec<f64>, OutputError> {
        let mut values = Vec::new();
        let time = context.clock.time;
        for row in 0..context.solver.bars().len() {
            let loads = context.solver.bar_loads(row, time)?;
            values.extend(loads.iter().flat_map(BarLoads::values));
        }
        Ok(values)
    }
}
