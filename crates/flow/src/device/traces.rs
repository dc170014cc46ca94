//! The states on a device, the cells that a sweep goes over, and what ranks exchange.

/// The three states on the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Buffer {
    /// The state at the beginning of the step, advanced by the last stage.
    Start,
    /// First stage buffer.
    A,
    /// Second stage buffer; schemes in 2N form have none.
    B,
}

/// Which cells a sweep goes over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cells {
    /// All of them.
    All,
    /// Cells without neighbours on other ranks.
    Interior,
    /// Cells with neighbours on other ranks.
    Frontier,
}

/// What ranks exchange: values at the points of the faces between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Traces {
    /// The states of a buffer.
    States(Buffer),
    /// The viscous fluxes that sweep 1 leaves.
    Viscous,
    /// The passive scalars of a buffer, which lie as states do.
    Scalars(Buffer),
    /// The diffusive fluxes of the scalars, which lie as viscous traces do.
    ScalarFluxes,
}

impl Traces {
    /// States are first, viscous traces second wherever there are two.
    pub fn index(self) -> usize {
        usize::from(self.lie_as_traces())
    }

    /// Whether they lie as viscous traces do, and not as states.
    pub fn lie_as_traces(self) -> bool {
        matches!(self, Traces::Viscous | Traces::ScalarFluxes)
    }

    /// Name in messages and traces.
    pub fn name(self) -> &'static str {
        match self {
            Traces::States(_) => "states",
            Traces::Viscous => "viscous traces",
            Traces::Scalars(_) => "scalars",
            Traces::ScalarFluxes => "fluxes of scalars",
        }
    }
}
