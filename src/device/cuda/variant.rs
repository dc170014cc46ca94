//! The variant of a kernel: everything on which its machine code depends, besides the constants of the run.

use crate::device::contract::{CellSizes, Kernel};
use crate::element::ElementKind;

/// The kind of cell, order and arithmetic that kernels are compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variant {
    /// Kind of cell.
    pub kind: ElementKind,
    /// Polynomial degree.
    pub order: usize,
    /// Whether reals are in double precision.
    pub double: bool,
    /// Whether kernels use approximate reciprocals and roots.
    pub fast: bool,
    /// Whether cells have metric terms at every point.
    pub curved: bool,
}

impl Variant {
    /// Returns the shared memory of a block for each of its cells, in bytes.
    pub fn shared(&self, kernel: Kernel) -> usize {
        let real = if self.double { 8 } else { 4 };
        (kernel.spec().shared)(&CellSizes::on_gpu(self.kind, self.order, real))
    }
}
