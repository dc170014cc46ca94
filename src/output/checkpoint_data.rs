//! The part of a checkpoint that outputs fill: what they need to continue as if the run had not been stopped.

use std::collections::BTreeMap;

use crate::io::{CheckpointSection, Layout};

/// What the outputs put into a checkpoint.
#[derive(Debug, Default)]
pub struct CheckpointData {
    /// Named values and arrays; those of rank 0 are written.
    pub section: CheckpointSection,
    /// Fields by name: the layout of a cell's values, and the values of this rank's cells, one cell after the other in mesh order.
    pub fields: BTreeMap<String, (Layout, Vec<f64>)>,
}
