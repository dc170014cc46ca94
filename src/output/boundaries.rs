//! The series boundaries.csv: fluxes and forces of each named boundary. With a reference state there is also the series
//! of coefficients.

use std::sync::Arc;

use super::boundary_fluxes::{BoundaryFlux, BoundaryFluxes};
use super::coefficients::{Coefficients, Reference};
use super::error::OutputError;
use super::interface::{Columns, ExtraSamples, Output, SampleContext};
use super::keys::{Context, Keys};
use super::request::{Request, Setup};
use super::schedule::Schedule;
use crate::input::{Count, Every, Number, Problem, keys};
use crate::solver::Solver;

/// The key, and the name of the series.
const NAME: &str = "boundaries";

/// Columns of every boundary: the part after its name and an underscore, and the unit.
const OF_A_BOUNDARY: [(&str, &str); 9] = [
    ("mass_flux", "kg/s"),
    ("force_x", "N"),
    ("force_y", "N"),
    ("force_z", "N"),
    ("viscous_x", "N"),
    ("viscous_y", "N"),
    ("viscous_z", "N"),
    ("energy_flux", "W"),
    ("area", "m^2"),
];

/// The series of boundaries that a case asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct BoundariesRequest {
    /// The period of the rows.
    pub every: Every,
    /// The reference state of coefficients, if they are written too.
    pub reference: Option<Reference>,
}

keys! {
/// A series of values over time: exactly one of `every` and `every-steps`.
BoundariesKeys as "a mapping with the key `every` or `every-steps`" {
    /// Period in time, above 0; steps are shortened to meet it.
    pub every: Option<Number>,
    /// Period in steps, at least 1.
    pub every_steps: Option<Count>,
}}

impl Keys for BoundariesKeys {
    fn request(&self, context: &Context) -> Result<Arc<dyn Request>, Problem> {
        Ok(Arc::new(BoundariesRequest {
            every: context.scope.every(&context.key, &self.every, &self.every_steps)?,
            reference: context.facts.reference.clone(),
        }))
    }
}

impl Request for BoundariesRequest {
    fn label(&self) -> String {
        NAME.to_owned()
    }

    fn every(&self) -> Every {
        self.every
    }

    fn create(&self, setup: &mut Setup) -> Result<Vec<Box<dyn Output>>, OutputError> {
        let (solver, clock) = (&*setup.solver, &setup.clock);
        let mut all: Vec<Box<dyn Output>> = vec![Box::new(BoundarySeries {
            schedule: Schedule::new(Some(self.every), clock),
            fluxes: fluxes(solver),
        })];
        if let Some(reference) = &self.reference
            && let Some(coefficients) = Coefficients::new(solver, clock, self.every, reference)
        {
            all.push(Box::new(coefficients));
        }
        Ok(all)
    }

    fn fingerprints(&self) -> Vec<(String, String)> {
        self.reference.iter().map(Reference::fingerprint).collect()
    }
}

/// The series of boundaries.
struct BoundarySeries {
    schedule: Schedule,
    fluxes: BoundaryFluxes,
}

/// Finds the boundaries of a solver's mesh. Collective.
fn fluxes(solver: &Solver) -> BoundaryFluxes {
    let plan = solver.device.plan();
    BoundaryFluxes::new(plan, &solver.mesh, &solver.geometry, &solver.elements, &solver.ranks)
}

/// Returns names and units of the columns, in the order of a row.
fn columns(fluxes: &BoundaryFluxes) -> Columns {
    let mut columns = vec![("step".to_owned(), "-"), ("time".to_owned(), "s")];
    for name in fluxes.names() {
        columns.extend(OF_A_BOUNDARY.map(|(what, unit)| (format!("{name}_{what}"), unit)));
    }
    columns
}

impl Output for BoundarySeries {
    fn name(&self) -> &'static str {
        NAME
    }

    fn schedule(&mut self) -> &mut Schedule {
        &mut self.schedule
    }

    fn extra_samples(&self) -> ExtraSamples {
        ExtraSamples::StartAndEnd
    }

    fn needs_physical_state(&self) -> bool {
        true
    }

    fn needs_rhs(&self) -> bool {
        true
    }

    fn series(&self) -> Vec<(String, Columns)> {
        vec![(NAME.to_owned(), columns(&self.fluxes))]
    }

    fn sample(&mut self, context: &mut SampleContext) -> Result<(), OutputError> {
        let solver = &mut *context.solver;
        let fluxes = self.fluxes.take(solver.device.as_mut(), &solver.ranks)?;
        let mut row = vec![context.clock.step as f64, context.clock.time];
        row.extend(fluxes.iter().flat_map(BoundaryFlux::values));
        context.append(NAME, &row)
    }
}
