//! The variant of a kernel: everything on which its machine code depends, besides the constants of the run.

use crate::device::contract::{CellSizes, Kernel, Stage, Use, files_of};
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
    /// Whether they correct the entropy of cells.
    pub corrects_entropy: bool,
}

impl Variant {
    /// Returns the variant of the kernels of a file, compiled for one stage or for all of them. The entropy of cells is
    /// corrected in the last stage of a step, and in a right-hand side alone. Prebuilt kernels of a file that other
    /// runs compile by stage find the stage among their parameters.
    pub fn of_file(self, file: &str, stage: Option<Stage>) -> Variant {
        let updates_flow = files_of(self.kind, &[Use::RunByStage]).contains(&file);
        let corrects = updates_flow && !matches!(stage, Some(Stage::First | Stage::Middle));
        Variant {
            corrects_entropy: self.corrects_entropy && corrects,
            ..self
        }
    }

    /// Returns the variant of prebuilt kernels. Without constants the same ones serve affine and curved cells, and runs
    /// with and without the correction of the entropy.
    pub fn prebuilt(self) -> Variant {
        Variant {
            curved: false,
            corrects_entropy: true,
            ..self
        }
    }

    /// Returns whether a file multiplies matrices on tensor cores, where the GPU has them for double precision
    /// (ptx/method/dense_tiles.h). Other orders than 3 and 4 have not been timed with them.
    pub fn tensor_cores(&self, file: &str) -> bool {
        let one_set = matches!(self.kind, ElementKind::Tet | ElementKind::Pyramid);
        one_set
            && !self.corrects_entropy
            && matches!(self.order, 3 | 4)
            && self.double
            && self.fast
            && file.ends_with("_dense.cu")
    }

    /// Returns the shared memory of a block for each of its cells, in bytes.
    pub fn shared(&self, kernel: Kernel) -> usize {
        let real = if self.double { 8 } else { 4 };
        (kernel.spec().shared)(&CellSizes::on_gpu(self.kind, self.order, real, self.corrects_entropy))
    }
}
