//! The loops that are compared, and the modes in which each runs.

use crate::device::contract::LoopKernel;

/// The way in which a loop brings its results to the items that they belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// It adds to values of other items; one thread takes all items.
    OneThread,
    /// It adds to values of other items by atomic adds.
    Atomics,
    /// It adds to values of other items, and each launch takes the items of one colour, which share none.
    Colours,
    /// It computes the values of its own item.
    Gather,
    /// The same, with the lists of neighbouring items side by side.
    SlicedGather,
    /// One loop stores what faces or edges contribute, and one over cells or nodes adds.
    StoreAndGather,
}

impl Mode {
    /// Name in results.
    pub fn name(self) -> &'static str {
        match self {
            Mode::OneThread => "one thread",
            Mode::Atomics => "atomics",
            Mode::Colours => "colours",
            Mode::Gather => "gather",
            Mode::SlicedGather => "sliced gather",
            Mode::StoreAndGather => "store and gather",
        }
    }
}

/// A loop.
#[derive(Debug, Clone, Copy)]
pub struct LoopSpec {
    /// Name in results; NV, GQ, SF and LM are those of Y. Weng et al. (2021).
    pub name: &'static str,
    /// What it computes, the same for all loops that are compared.
    pub quantity: &'static str,
    /// The kernel; in [`Mode::StoreAndGather`] another one stores.
    pub kernel: LoopKernel,
    /// Its modes.
    pub modes: &'static [Mode],
}

/// Modes of a loop that gathers.
const GATHER: &[Mode] = &[Mode::Gather, Mode::SlicedGather];
/// Modes of a loop that scatters.
const SCATTER: &[Mode] = &[Mode::OneThread, Mode::Atomics, Mode::Colours];
/// Modes of a loop over faces or edges whose contributions may be stored.
const SCATTER_OR_STORE: &[Mode] = &[Mode::OneThread, Mode::Atomics, Mode::Colours, Mode::StoreAndGather];

const fn of(name: &'static str, quantity: &'static str, kernel: LoopKernel, modes: &'static [Mode]) -> LoopSpec {
    LoopSpec {
        name,
        quantity,
        kernel,
        modes,
    }
}

/// All loops. Of each quantity the loop that gathers comes first, because the others are compared with it.
pub const LOOPS: [LoopSpec; 14] = [
    of("NV-N", "values of nodes", LoopKernel::NvN, GATHER),
    of("NV-F", "values of nodes", LoopKernel::NvF, SCATTER),
    of("NV-C", "values of nodes", LoopKernel::NvC, SCATTER),
    of("GQ-C", "gradient in cells", LoopKernel::GqC, GATHER),
    of("GQ-F", "gradient in cells", LoopKernel::GqF, SCATTER_OR_STORE),
    // Almost all nodes near a node share a cell with it, so that colours would leave a few nodes to each launch.
    of(
        "GQ-N",
        "gradient in cells",
        LoopKernel::GqN,
        &[Mode::OneThread, Mode::Atomics],
    ),
    of("SF-C", "sum of fluxes", LoopKernel::SumOf5, GATHER),
    of("SF-F", "sum of fluxes", LoopKernel::SfF, SCATTER),
    of("LM-C", "least and largest pressure", LoopKernel::LmC, GATHER),
    of("LM-F", "least and largest pressure", LoopKernel::LmF, SCATTER),
    of("gradient by nodes", "gradient at nodes", LoopKernel::GradientN, GATHER),
    of(
        "gradient by edges",
        "gradient at nodes",
        LoopKernel::GradientE,
        SCATTER_OR_STORE,
    ),
    of("flux by nodes", "flux at nodes", LoopKernel::FluxN, GATHER),
    of("flux by edges", "flux at nodes", LoopKernel::FluxE, SCATTER_OR_STORE),
];
