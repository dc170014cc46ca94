//! All that a check finds of a run in time, as text and as JSON.

use serde::Serialize;

use super::cost::Cost;
use super::drift::Settling;
use super::inlets::TurbulentInlet;
use super::interfaces::InterfaceFacts;
use super::scalars::ScalarFacts;
use super::schemes::SchemeCost;
use super::sponges::SpongeFacts;
use super::start::Start;
use super::steps::{Limits, Steps};
use super::walls::ModelledWall;
use crate::commands::describe::Description;
use crate::io::Quantity;
use crate::solver::HangingNodes;

/// What a run would be.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::commands) struct Checked {
    pub(super) title: String,
    pub(super) run: Description,
    /// The field `run` counts the cells of the first rank, this one all.
    #[serde(flatten)]
    pub(super) start: Start,
    pub(super) modelled_walls: Vec<ModelledWall>,
    pub(super) settling: Option<Settling>,
    pub(super) turbulent_inlets: Vec<TurbulentInlet>,
    pub(super) scalars: Vec<ScalarFacts>,
    pub(super) sponges: Vec<SpongeFacts>,
    pub(super) interfaces: Vec<InterfaceFacts>,
    pub(super) hanging_nodes: Option<HangingNodes>,
    pub(super) limits: Limits,
    pub(super) schemes: Vec<SchemeCost>,
    pub(super) steps: Steps,
    pub(super) mesh_hash: String,
    pub(super) volume: Quantity,
    pub(super) cost: Cost,
}

impl Checked {
    /// Returns the estimate of the seconds of all steps.
    pub fn seconds(&self) -> f64 {
        self.cost.wall_clock.value
    }
}
