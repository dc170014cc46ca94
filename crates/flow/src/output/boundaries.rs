//! The series boundaries.csv: fluxes and forces of each named boundary, with their moments, and of bodies of several
//! walls. With a reference state there is also the series of coefficients.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::bodies;
use super::coefficients::{Coefficients, Reference};
use super::error::OutputError;
use super::interface::{Columns, SampleContext};
use super::keys::{Context, Keys};
use super::loads::{COMPONENTS, Loads, Moments};
use super::request::Request;
use super::series::{Rows, SeriesRequest, series_keys};
use crate::input::{Number, Problem};
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

/// The columns among them that bodies have: forces.
const OF_A_BODY: std::ops::Range<usize> = 1..7;

series_keys!(BoundariesKeys {
    /// Point about which the moments of the forces are taken. Without it there are none. With `output.reference.length`
    /// coefficients.csv has their coefficients.
    pub moment_about: Option<[Number; 3]>,
    /// Bodies of several walls, by name: `{aircraft: [fuselage, wing]}`. Columns with the sums of the forces, moments
    /// and coefficients of their walls follow those of the boundaries.
    #[serde(default)]
    pub bodies: BTreeMap<String, Vec<String>>,
});

impl Keys for BoundariesKeys {
    fn request(&self, context: &Context) -> Result<Arc<dyn Request>, Problem> {
        let timing = self.timing(context)?;
        let point = |point| context.scope.numbers(&context.at("moment-about"), point);
        let loads = Loads {
            about: self.moment_about.as_ref().map(point).transpose()?,
            bodies: bodies::checked(&self.bodies, context)?,
        };
        let reference = context.facts.reference.clone();
        let mut fingerprints: Vec<_> = reference.iter().map(Reference::fingerprint).collect();
        if loads != Loads::default() {
            fingerprints.push((context.key.clone(), format!("{loads:?}")));
        }
        Ok(SeriesRequest::shared(NAME, timing, fingerprints, move |solver| {
            let mut all: Vec<Box<dyn Rows>> = vec![Box::new(BoundaryRows {
                fluxes: solver.boundary_fluxes().with_bodies(&loads.of_mesh(solver)),
                boundaries: solver.mesh.boundary_names.len(),
                moments: loads.moments(solver),
            })];
            let coefficients = reference
                .as_ref()
                .and_then(|reference| Coefficients::new(solver, reference, &loads));
            if let Some(coefficients) = coefficients {
                all.push(Box::new(coefficients));
            }
            all
        }))
    }
}

/// The rows of the boundaries and bodies.
struct BoundaryRows {
    fluxes: BoundaryFluxes,
    /// Number of boundaries; bodies follow.
    boundaries: usize,
    moments: Option<Moments>,
}

impl Rows for BoundaryRows {
    fn name(&self) -> &'static str {
        NAME
    }

    fn columns(&self) -> Columns {
        let mut columns = Columns::new();
        for (number, name) in self.fluxes.names().iter().enumerate() {
            let of_fluxes = if number < self.boundaries {
                &OF_A_BOUNDARY[..]
            } else {
                &OF_A_BOUNDARY[OF_A_BODY]
            };
            columns.extend(of_fluxes.iter().map(|(what, unit)| (format!("{name}_{what}"), *unit)));
            if self.moments.is_some() {
                columns.extend(COMPONENTS.map(|what| (format!("{name}_{what}"), "N m")));
            }
        }
        columns
    }

    fn needs_rhs(&self) -> bool {
        true
    }

    fn row(&mut self, context: &mut SampleContext) -> Result<Vec<f64>, OutputError> {
        let solver = &mut *context.solver;
        let fluxes = self.fluxes.take(solver.device.as_mut(), &solver.domain.ranks)?;
        let moments = self.moments.as_ref().map(|moments| moments.take(solver)).transpose()?;
        let mut row = Vec::new();
        for (number, values) in fluxes.iter().map(BoundaryFlux::values).enumerate() {
            row.extend(if number < self.boundaries {
                &values[..]
            } else {
                &values[OF_A_BODY]
            });
            row.extend(moments.iter().flat_map(|moments| moments[number]));
        }
        Ok(row)
    }
}
