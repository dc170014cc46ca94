//! The stages of a time step: which state each reads and writes, its update, and the moment at which it needs data.
//!
//! Stages at the same time share a moment: the second and the third of RK4.

use crate::device::{Buffer, Moment, StageUpdate};
use crate::runge_kutta::{LowStorage, TimeScheme};

/// One stage of a Runge-Kutta step, or a right-hand side alone.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stage {
    /// The state whose right-hand side is computed.
    pub input: Buffer,
    /// The destination of the next state, or of the right-hand side.
    pub output: Buffer,
    /// The use of the right-hand side.
    pub update: StageUpdate,
    /// The moment of the input.
    pub moment: Moment,
}

impl Stage {
    /// The right-hand side of the state at the start of the step, which stays on the device.
    pub const RHS_ONLY: Stage = Stage {
        input: Buffer::Start,
        output: Buffer::A,
        update: StageUpdate::RhsOnly,
        moment: Moment::BEGIN,
    };
}

/// Returns the moments of a step that starts at `time`, in their order.
pub(super) fn moments(scheme: TimeScheme, time: f64, dt: f64) -> Vec<f64> {
    let mut shares = scheme.stage_times();
    shares.dedup();
    shares.into_iter().map(|share| time + share * dt).collect()
}

/// Returns the stages of a step.
pub(super) fn of(scheme: TimeScheme) -> Vec<Stage> {
    let steps = scheme.low_storage().map_or_else(rk4, low_storage);
    let times = scheme.stage_times();
    let mut moment = 0;
    let stage = |(number, (input, output, update)): (usize, (Buffer, Buffer, StageUpdate))| {
        moment += usize::from(number > 0 && times[number] != times[number - 1]);
        Stage {
            input,
            output,
            update,
            moment: Moment::new(moment),
        }
    };
    steps.into_iter().enumerate().map(stage).collect()
}

/// Returns the stages of RK4:
///
/// ```text
/// k_m = R(U_n + a_m dt k_{m-1})
/// U_{n+1} = U_n + dt (k_1 + 2 k_2 + 2 k_3 + k_4)/6
/// ```
fn rk4() -> Vec<(Buffer, Buffer, StageUpdate)> {
    use Buffer::{A, B, Start};
    use StageUpdate::{First, Last, Middle};
    let (third, sixth) = (1.0 / 3.0, 1.0 / 6.0);
    let first = First {
        fraction: 0.5,
        weight: sixth,
    };
    let middle = |fraction| Middle {
        fraction,
        weight: third,
    };
    let last = Last {
        fraction: 0.0,
        weight: sixth,
    };
    vec![
        (Start, A, first),
        (A, B, middle(0.5)),
        (B, A, middle(1.0)),
        (A, Start, last),
    ]
}

/// Returns the stages of a scheme in 2N form. States alternate between two buffers, since neighbours read the input of
/// a stage while its output is written.
fn low_storage(LowStorage { a, b }: LowStorage) -> Vec<(Buffer, Buffer, StageUpdate)> {
    let last = b.len() - 1;
    let stage = |number: usize| {
        let (fraction, weight) = (b[number], a[number]);
        let update = match number {
            0 => StageUpdate::First { fraction, weight },
            _ if number == last => StageUpdate::Last { fraction, weight },
            _ => StageUpdate::Middle { fraction, weight },
        };
        match number.is_multiple_of(2) {
            true => (Buffer::Start, Buffer::A, update),
            false => (Buffer::A, Buffer::Start, update),
        }
    };
    (0..=last).map(stage).collect()
}
