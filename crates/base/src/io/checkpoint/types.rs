//! What a checkpoint consists of: its fields, the data of parts of the program, and its header.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::element::ElementKind;
use crate::io::{Precision, Provenance};

/// Version of the format that is written, and the only one that is read.
pub(super) const VERSION: u32 = 2;

/// Value of the attribute `format`.
pub(super) const FORMAT: &str = "fr-les checkpoint";

/// Data that parts of the program keep between steps. They are the same on all ranks, or those of rank 0 are used.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CheckpointSection {
    /// Texts and whole numbers, by the name of the part. Floating-point numbers go into `arrays`, because JSON does not
    /// keep every bit of them.
    pub parts: BTreeMap<String, serde_json::Value>,
    /// Numbers by name, kept to the bit.
    pub arrays: BTreeMap<String, Vec<f64>>,
}

/// The number of values of a field in each cell, and their precision in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Layout {
    /// So many variables at every solution point, `[variable][point]`, in the precision of the checkpoint.
    Points(usize),
    /// So many values of a cell of each kind, always in double precision.
    Cells([usize; 4]),
}

impl Layout {
    /// Returns the number of values of a cell of each kind.
    pub(super) fn sizes(self, order: usize) -> [usize; 4] {
        match self {
            Layout::Points(variables) => ElementKind::ALL.map(|kind| variables * kind.points(order)),
            Layout::Cells(sizes) => sizes,
        }
    }

    /// Returns the precision in the file, if that of the checkpoint is `general`.
    pub(super) fn precision(self, general: Precision) -> Precision {
        match self {
            Layout::Points(_) => general,
            Layout::Cells(_) => Precision::Double,
        }
    }
}

/// One quantity of every cell.
#[derive(Debug, Clone, Copy)]
pub struct CellField<'a> {
    /// Name in the file.
    pub name: &'a str,
    /// Number and precision of the values of a cell.
    pub layout: Layout,
    /// Values of this rank's cells, one cell after the other.
    pub values: &'a [f64],
}

/// The contents of a checkpoint.
#[derive(Debug, Clone, Copy)]
pub struct Checkpoint<'a> {
    /// Number of completed steps.
    pub step: u64,
    /// Physical time, for information; the clock of the run is in `section`.
    pub time: f64,
    /// Polynomial degree.
    pub order: usize,
    /// Precision of the fields at points, which is that of the run.
    pub precision: Precision,
    /// Time at which the checkpoint from which the run continued was written ([`Header::written`]); 0 without one.
    pub after: u64,
    /// Number of each cell of this rank in the whole mesh.
    pub cells: &'a [u64],
    /// Kinds of these cells.
    pub kinds: &'a [ElementKind],
    /// Fields of these cells.
    pub fields: &'a [CellField<'a>],
    /// Data of the parts of the program.
    pub section: &'a CheckpointSection,
    /// Provenance; that of rank 0 is written.
    pub provenance: &'a Provenance,
}

/// The header of a checkpoint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Number of completed steps.
    pub step: u64,
    /// Physical time, to the digits that JSON keeps.
    pub time: f64,
    /// Polynomial degree.
    pub order: usize,
    /// Precision of the fields at points.
    pub precision: Precision,
    /// Hash of the whole mesh.
    pub mesh_hash: u64,
    /// Number of cells of the whole mesh.
    pub cells: u64,
    /// Time of writing in milliseconds since 1970; later than that of the checkpoint from which the run continued.
    pub written: u64,
    /// Names and layouts of the fields.
    pub(super) fields: Vec<(String, Layout)>,
    pub(super) cells_checksum: u64,
    /// Names of the arrays, their lengths and checksums.
    pub(super) arrays: Vec<(String, usize, u64)>,
    pub(super) case_checksum: u64,
    pub(super) parts: BTreeMap<String, serde_json::Value>,
}
