//! The series boundaries.csv: fluxes and forces of each named boundary. With a reference state there is also the series
//! of coefficients.

use std::sync::Arc;

use super::coefficients::{Coefficients, Reference};
use super::error::OutputError;
use super::interface::{Columns, SampleContext};
use super::keys::{Context, Keys};
use super::request::Request;
use super::series::{Rows, SeriesRequest, series_keys};
use crate::input::Problem;
use crate::solver::{BoundaryFlux, BoundaryFluxes};

/// The key, and the name of the series.
const NAME: &str = "boundaries";

/// Columns of every boundary: the part after its name and an underscore, and the unit.
const OF_A_BOUNDARY: [(&str, &str); 11] = [
    ("mass_flux", "kg/s"),
    ("force_x", "N"),
    ("force_y", "N"),
    ("force_z", "N"),
    ("viscous_x", "N"),
    ("viscous_y", "N"),
    ("viscous_z", "N"),
    ("energy_flux", "W"),
    ("area", "m^2"),
    ("pressure", "Pa"),
    ("reversed", "-"),
];

series_keys!(BoundariesKeys);

impl Keys for BoundariesKeys {
    fn request(&self, context: &Context) -> Result<Arc<dyn Request>, Problem> {
        let timing = self.timing(context)?;
        let reference = context.facts.reference.clone();
        let fingerprints = reference.iter().map(Reference::fingerprint).collect();
        Ok(SeriesRequest::shared(NAME, timing, fingerprints, move |solver| {
            let mut all: Vec<Box<dyn Rows>> = vec![Box::new(BoundaryRows {
                fluxes: solver.boundary_fluxes(),
            })];
            let coefficients = reference
                .as_ref()
                .and_then(|reference| Coefficients::new(solver, reference));
            if let Some(coefficients) = coefficients {
                all.push(Box::new(coefficients));
            }
            all
        }))
    }
}

/// The rows of the boundaries.
struct BoundaryRows {
    fluxes: BoundaryFluxes,
}

impl Rows for BoundaryRows {
    fn name(&self) -> &'static str {
        NAME
    }

    fn columns(&self) -> Columns {
        let of_one = |name: &String| OF_A_BOUNDARY.map(|(what, unit)| (format!("{name}_{what}"), unit));
        self.fluxes.names().iter().flat_map(of_one).collect()
    }

    fn needs_rhs(&self) -> bool {
        true
    }

    fn row(&mut self, context: &mut SampleContext) -> Result<Vec<f64>, OutputError> {
        let solver = &mut *context.solver;
        let fluxes = self.fluxes.take(solver.device.as_mut(), &solver.domain.ranks)?;
        Ok(fluxes.iter().flat_map(BoundaryFlux::values).collect())
    }
}
