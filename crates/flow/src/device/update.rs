//! The update of the state by a stage of a time step.

use super::contract::Stage;

/// Update by the right-hand side k of one stage, which sweep 2 does. In 2N form each stage is S = weight S + dt k,
/// output = input + fraction S, compensated if asked for, where S is the accumulator and 0 before the first stage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum StageUpdate {
    /// Keep k itself in the accumulator.
    RhsOnly,
    /// acc = weight k; output = start + fraction dt k.
    First {
        /// Share of the step to the next stage; B_m in 2N form.
        fraction: f64,
        /// b_m; A_m in 2N form.
        weight: f64,
    },
    /// acc += weight k; output = start + fraction dt k.
    Middle {
        /// Share of the step to the next stage; B_m in 2N form.
        fraction: f64,
        /// b_m; A_m in 2N form.
        weight: f64,
    },
    /// The output, which is the start, += dt (acc + weight k), compensated if asked for.
    Last {
        /// 0; B_m in 2N form.
        fraction: f64,
        /// b_m; A_m in 2N form.
        weight: f64,
    },
}

/// An update as the kernels get it.
#[derive(Debug, Clone, Copy)]
pub(super) struct UpdateNumbers {
    pub(super) stage: Stage,
    /// 0 where the update has none.
    pub(super) fraction: f64,
    /// 0 where the update has none.
    pub(super) weight: f64,
}

impl StageUpdate {
    /// The numbers that the kernels get.
    pub(super) fn numbers(self) -> UpdateNumbers {
        let (fraction, weight) = match self {
            StageUpdate::RhsOnly => (0.0, 0.0),
            StageUpdate::First { fraction, weight }
            | StageUpdate::Middle { fraction, weight }
            | StageUpdate::Last { fraction, weight } => (fraction, weight),
        };
        UpdateNumbers {
            stage: self.stage(),
            fraction,
            weight,
        }
    }

    /// The stage in the kernels.
    pub(super) fn stage(self) -> Stage {
        match self {
            StageUpdate::RhsOnly => Stage::RhsOnly,
            StageUpdate::First { .. } => Stage::First,
            StageUpdate::Middle { .. } => Stage::Middle,
            StageUpdate::Last { .. } => Stage::Last,
        }
    }
}
