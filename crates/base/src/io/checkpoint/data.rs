//! The part of a checkpoint that controls and outputs fill: the data with which they continue as if the run had not
//! been stopped.

use std::collections::BTreeMap;

use super::types::{CheckpointSection, Layout};

/// The data of controls and outputs in a checkpoint.
#[derive(Debug, Default)]
pub struct CheckpointData {
    /// Named values and arrays; those of rank 0 are written.
    pub section: CheckpointSection,
    /// Fields by name: the layout of the values of a cell, and the values of this rank's cells, one cell after the
    /// other in mesh order.
    pub fields: BTreeMap<String, (Layout, Vec<f64>)>,
}
