//! A launch of a kernel over cells or boundary faces.

use super::contract::{FilterUpdate, INTERFACE_SHIFTS, Kernel, LEVELS, Params, RelaxedUpdate};
use super::memory::Real;
use super::moment::Moment;
use super::plan::Classes;
use super::traces::{Buffer, Cells};
use super::update::StageUpdate;

/// A launch of a kernel over cells or boundary faces.
#[derive(Debug, Clone, Copy)]
pub struct Launch {
    pub(super) kernel: Kernel,
    pub(super) input: Buffer,
    pub(super) cells: Cells,
    pub(super) classes: Classes,
    pub(super) update: Option<(Buffer, StageUpdate)>,
    pub(super) arguments: Arguments,
    /// Number of the stage in the step, from 1; 0 outside of a step.
    pub(super) stage: usize,
    /// The moment of the step at which that which moves is wanted.
    pub(super) moment: Moment,
}

/// What some kernels take besides states and cells.
#[derive(Debug, Clone, Copy)]
pub(super) enum Arguments {
    /// Nothing.
    None,
    /// What happens to the relaxed values of boundary points, and the share of the last rate in each level.
    Relaxed(RelaxedUpdate, [f64; LEVELS]),
    /// What the filter does.
    Filter(FilterUpdate),
    /// A row of bars, by its number.
    BarRow(usize),
    /// The time by which running means are advanced.
    Interval(f64),
}

impl Launch {
    /// A launch over all cells, or all boundary faces, that reads the state at the start of the step.
    pub fn new(kernel: Kernel) -> Self {
        Launch {
            kernel,
            input: Buffer::Start,
            cells: Cells::All,
            classes: Classes::ALL,
            update: None,
            arguments: Arguments::None,
            stage: 0,
            moment: Moment::BEGIN,
        }
    }

    /// Sweep 2: right-hand side and stage update. The input is the state at `moment`.
    pub fn sweep2(input: Buffer, output: Buffer, update: StageUpdate, moment: Moment) -> Self {
        Launch::new(Kernel::Sweep2).of(input).into(output, update).at(moment)
    }

    /// Filters the result of a stage, which its update wrote. The input is that of the stage, with halos and ghosts.
    pub fn filter(input: Buffer, output: Buffer, update: StageUpdate) -> Self {
        let filter = Arguments::Filter(FilterUpdate::of_stage(update.stage()));
        Launch::new(Kernel::Filter).of(input).into(output, update).with(filter)
    }

    /// Carries cells from the start of the step by the first rate alone to the time `share` of a stage, as a share of
    /// the step: output = start + share dt k_1.
    pub fn rest(output: Buffer, share: f64) -> Self {
        let update = StageUpdate::Middle {
            fraction: 0.0,
            weight: share,
        };
        Launch::new(Kernel::Rest).into(output, update)
    }

    /// The same launch, reading this state.
    pub fn of(self, input: Buffer) -> Self {
        Launch { input, ..self }
    }

    /// The state that the launch writes; its input if it has no update.
    pub(super) fn output(&self) -> Buffer {
        self.update.map_or(self.input, |(output, _)| output)
    }

    /// The same launch over these cells.
    pub fn over(self, cells: Cells) -> Self {
        Launch { cells, ..self }
    }

    /// The same launch over cells of these classes only.
    pub fn within(self, classes: Classes) -> Self {
        Launch { classes, ..self }
    }

    /// The same launch in the stage of this number, from 1, by which a state that is not physical is noted.
    pub fn in_stage(self, stage: usize) -> Self {
        Launch { stage, ..self }
    }

    /// The same launch, which sees what moves at this moment of the step.
    pub fn at(self, moment: Moment) -> Self {
        Launch { moment, ..self }
    }

    /// The same launch with these arguments of its kernel.
    pub(super) fn with(self, arguments: Arguments) -> Self {
        Launch { arguments, ..self }
    }

    /// The same launch, writing this state by this update.
    pub fn into(self, output: Buffer, update: StageUpdate) -> Self {
        Launch {
            update: Some((output, update)),
            ..self
        }
    }
}

impl Arguments {
    /// Passes them to a kernel.
    pub(super) fn set<R: Real>(self, params: &mut Params<R>) {
        match self {
            Arguments::None => {}
            Arguments::Relaxed(update, shares) => {
                params.relaxed_update = update as i64;
                params.level_shares = shares.map(R::from_f64);
            }
            Arguments::Filter(update) => params.filter_update = update as i64,
            Arguments::BarRow(row) => params.bar_row = row as i64,
            Arguments::Interval(time) => params.sample_weight = time,
        }
    }
}

impl Moment {
    /// Lets a kernel see what moves at this moment.
    pub(super) fn set<R: Real>(self, params: &mut Params<R>) {
        let number = self.number();
        params.bar_rows = params.bar_rows.wrapping_add(number * params.bars as usize);
        let of_moment = INTERFACE_SHIFTS * params.interfaces as usize;
        params.interface_shift = params.interface_shift.wrapping_add(number * of_moment);
    }
}
