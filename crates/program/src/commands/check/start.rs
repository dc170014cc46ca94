//! The state at the start of a run in time or of a steady solution, and what is doubtful about it: units, inlets
//! through which gas leaves, flows at boundaries that their types do not take.

use serde::Serialize;

use super::boundaries::{self, Row, SENSELESS};
use super::extent::Extent;
use super::flow::{Flow, MACH};
use super::units;
use super::whole::Whole;
use crate::commands::Failure;
use crate::format::short;
use crate::solver::Solver;

/// The flow at the start in its domain.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Start {
    pub flow: Flow,
    pub extent: Extent,
    /// The cells of the whole mesh.
    #[serde(rename = "whole-mesh")]
    pub size: Whole,
    pub boundaries: Vec<Row>,
}

impl Start {
    /// Looks at the state of a solver, logs it and warns of what is doubtful. Collective.
    ///
    /// # Errors
    /// A boundary value is not possible, or the device fails.
    pub fn of(solver: &mut Solver, given: &boundaries::Given) -> Result<Self, Failure> {
        let flow = Flow::of(solver)?;
        flow.log();
        let mach = flow.largest(MACH);
        if mach > SENSELESS {
            tracing::warn!(
                "the Mach number of the initial state is up to {}: are speed, pressure and density in one system of \
                 units?",
                short(mach)
            );
        }
        let extent = Extent::of(solver, &flow);
        extent.log();
        let size = Whole::of(solver);
        units::warn(solver, &flow, &extent);
        let boundaries = boundaries::log(solver, given)?;
        Ok(Start {
            flow,
            extent,
            size,
            boundaries,
        })
    }
}
