//! The stages of a time step: which state each reads and writes, its update, and the moment at which it needs data.
//!
//! Stages at the same time share a moment: the second and the third of RK4.
//!
//! In a stage of the paired scheme only the cells of some levels compute a right-hand side. Two more rings of cells
//! need their states: the cells beside those that compute, since their viscous traces are read, and the cells beside
//! these.

use crate::device::{Buffer, Classes, Moment, StageUpdate};
use crate::runge_kutta::paired::{self, LEVELS, MEMBERS, STAGES};
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
    /// Its number in the step, from 1; 0 of a right-hand side alone.
    pub number: usize,
    /// What a stage of the paired scheme computes; `None` if all cells do the same.
    pub paired: Option<PairedStage>,
}

/// The cells that take part in a stage of the paired scheme.
#[derive(Debug, Clone, Copy)]
pub(super) struct PairedStage {
    /// Number of the stage.
    number: usize,
    /// Number of levels whose cells compute a right-hand side.
    levels: usize,
    /// What the step is of.
    equation: Equation,
}

/// What a step is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Equation {
    /// The flow.
    Flow,
    /// A linear equation ([`linear`]).
    Linear,
}

impl PairedStage {
    /// Returns the cells that compute viscous traces.
    pub fn swept(&self) -> Classes {
        Classes::with_ring(self.levels)
    }

    /// Returns the cells that compute a right-hand side, with the update of each, one for cells of several levels where
    /// it is the same.
    pub fn updates(&self) -> impl Iterator<Item = (Classes, StageUpdate)> {
        let (number, levels) = (self.number, self.levels);
        let equation = self.equation;
        let first_of_run = move |&level: &usize| level == 0 || update(number, level) != update(number, level - 1);
        (0..levels).filter(first_of_run).map(move |first| {
            let end = (first + 1..levels).find(|&level| update(number, level) != update(number, first));
            let update = match equation {
                Equation::Flow => update(number, first),
                Equation::Linear => never_last(update(number, first)),
            };
            (Classes::of_levels(first..end.unwrap_or(levels)), update)
        })
    }

    /// Returns the cells that compute no right-hand side, but whose state the next stage reads, and the time of the
    /// next stage as a share of the step; `None` if there are none.
    pub fn resting(&self) -> Option<(Classes, f64)> {
        let next = self.number + 1;
        (next < STAGES && self.levels < LEVELS).then(|| {
            let needed = Classes::with_two_rings(levels_of(next));
            (needed.behind_levels(self.levels), paired::stage_time(next))
        })
    }

    /// Returns the shares of the last rate in the input of the next stage, of each level; 0 of cells that rest.
    pub fn shares(&self) -> [f64; LEVELS] {
        MEMBERS.map(|member| {
            if self.number + 1 < STAGES {
                member.share_of_last(self.number + 1)
            } else {
                paired::WEIGHTS[1]
            }
        })
    }
}

/// Returns the number of levels that compute a right-hand side in a stage.
fn levels_of(number: usize) -> usize {
    MEMBERS.iter().filter(|member| member.evaluates(number)).count()
}

/// Returns the update of a level after a stage, by the rate of that stage and, as the weight, the first one.
fn update(number: usize, level: usize) -> StageUpdate {
    let next = number + 1;
    if next == STAGES {
        let [weight, fraction] = paired::WEIGHTS;
        return StageUpdate::Last { fraction, weight };
    }
    let time = paired::stage_time(next);
    match number {
        0 => StageUpdate::First {
            fraction: time,
            weight: 0.0,
        },
        _ => {
            let fraction = MEMBERS[level].share_of_last(next);
            StageUpdate::Middle {
                fraction,
                weight: time - fraction,
            }
        }
    }
}

impl Stage {
    /// The right-hand side of the state at the start of the step, which stays on the device.
    pub const RHS_ONLY: Stage = Stage {
        input: Buffer::Start,
        output: Buffer::A,
        update: StageUpdate::RhsOnly,
        moment: Moment::BEGIN,
        number: 0,
        paired: None,
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
    let steps = match scheme {
        TimeScheme::Paired => paired(),
        _ => scheme.low_storage().map_or_else(rk4, low_storage),
    };
    let times = scheme.stage_times();
    let mut moment = 0;
    let stage = |(number, (input, output, update)): (usize, (Buffer, Buffer, StageUpdate))| {
        moment += usize::from(number > 0 && times[number] != times[number - 1]);
        Stage {
            input,
            output,
            update,
            moment: Moment::new(moment),
            number: number + 1,
            paired: (scheme == TimeScheme::Paired).then(|| PairedStage {
                number,
                levels: levels_of(number),
                equation: Equation::Flow,
            }),
        }
    };
    steps.into_iter().enumerate().map(stage).collect()
}

/// Returns the stages of a step of a linear equation, which end where those of a step do and multiply its solution by
/// the same numbers. None of them is a last one, in which alone the entropy of cells is corrected, and the first leaves
/// the right-hand side in the accumulator, times the step in 2N form. RK4 is `1 + z (1 + z/2 (1 + z/3 (1 + z/4)))`.
pub(super) fn linear(scheme: TimeScheme) -> Vec<Stage> {
    let mut stages = of(scheme);
    let count = stages.len();
    for (number, stage) in stages.iter_mut().enumerate() {
        stage.update = match (scheme, stage.update) {
            (TimeScheme::Rk4, update) => {
                let (fraction, weight) = (1.0 / (count - number) as f64, 1.0);
                match update {
                    StageUpdate::First { .. } => StageUpdate::First { fraction, weight },
                    _ => StageUpdate::Middle { fraction, weight },
                }
            }
            (_, update) => never_last(update),
        };
        if let Some(paired) = &mut stage.paired {
            paired.equation = Equation::Linear;
        }
    }
    stages
}

/// Returns an update of a scheme other than RK4 with no last stage.
fn never_last(update: StageUpdate) -> StageUpdate {
    match update {
        StageUpdate::Last { fraction, weight } => StageUpdate::Middle { fraction, weight },
        update => update,
    }
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

/// Returns the stages of the paired scheme, with the updates of the cells that evaluate all of them. The number of
/// stages is even, so that the last one reads another array than it writes.
fn paired() -> Vec<(Buffer, Buffer, StageUpdate)> {
    use Buffer::{A, B, Start};
    let stage = |number: usize| {
        let input = [Start, A, B][if number == 0 { 0 } else { 2 - number % 2 }];
        let output = if number + 1 == STAGES {
            Start
        } else {
            [A, B][number % 2]
        };
        (input, output, update(number, 0))
    };
    (0..STAGES).map(stage).collect()
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
        if number.is_multiple_of(2) {
            (Buffer::Start, Buffer::A, update)
        } else {
            (Buffer::A, Buffer::Start, update)
        }
    };
    (0..=last).map(stage).collect()
}
