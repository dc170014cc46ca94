//! What the machine code of a kernel depends on besides the constants of the run.

use crate::device::contract::{CellSizes, Kernel};
use crate::element::ElementKind;

/// The kind of cell, order and arithmetic that kernels are compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variant {
    /// Kind of cell.
    pub kind: ElementKind,
    /// Polynomial degree.
    pub order: usize,
    /// Double precision.
    pub double: bool,
    /// Approximate reciprocals and roots.
    pub fast: bool,
    /// Metric terms at every point.
    pub curved: bool,
}

impl Variant {
    /// Shared memory of a cell of a block, in bytes.
    pub fn shared(&self, kernel: Kernel) -> usize {
        let real = if self.double { 8 } else { 4 };
        (kernel.spec().shared)(&CellSizes::on_gpu(self.kind, self.order, real))
    }
}
