//! All that a check finds of a run in time, as text and as JSON.

use serde::Serialize;

use super::boundaries;
use super::cost::Cost;
use super::drift::Settling;
use super::extent::Extent;
use super::flow::Flow;
use super::inlets::TurbulentInlet;
use super::interfaces::InterfaceFacts;
use super::schemes::SchemeCost;
use super::sponges::SpongeFacts;
use super::steps::{Limits, Steps};
use super::walls::ModelledWall;
use super::whole::Whole;
use crate::commands::describe::Description;
use crate::io::Quantity;

/// What a run would be.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::commands) struct Checked {
    pub(super) title: String,
    pub(super) run: Description,
    pub(super) flow: Flow,
    pub(super) extent: Extent,
    /// The cells of the whole mesh. The field `run` counts those of the first rank.
    #[serde(rename = "whole-mesh")]
    pub(super) size: Whole,
    pub(super) boundaries: Vec<boundaries::Row>,
    pub(super) modelled_walls: Vec<ModelledWall>,
    pub(super) settling: Option<Settling>,
    pub(super) turbulent_inlets: Vec<TurbulentInlet>,
    pub(super) sponges: Vec<SpongeFacts>,
    pub(super) interfaces: Vec<InterfaceFacts>,
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
