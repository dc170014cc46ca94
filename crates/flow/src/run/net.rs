//! The net under a run with a filter (`scheme.shock`): steps that led to a state that is not physical are taken back
//! and repeated with a shorter time step. This file has what the run remembers for that; `looks` has the looks.
//!
//! The device keeps the state at each look that finds it physical. When a later look finds one that is not, the run
//! goes back there, and repeats the steps since with half the time step, then with a quarter, and so on. At the time of
//! the bad look, and then every five of the steps that the case would take, the time step doubles until it is what the
//! case asks for; a fixed step so meets its own times again.
//!
//! Nothing is sampled or written of a state that may be taken back: a look comes first, and its state is kept. Between
//! a state that is kept and the next look nothing changes but the state and the relaxed values of boundaries, since
//! what takes part beside the state is adjusted behind a look only, before its state is kept. All decisions follow from
//! values of all ranks.
//!
//! Runs without a filter have no net: the copies take five values of a point, ten with Kahan's compensation, among some
//! 35 to 40 that such a run has in memory, and with rk4 more than a hundredth of its transfers. Where a filter is
//! chosen, a run is worth that.

use super::divergence::When;
use crate::device::TimeStepBounds;
use crate::solver::{Clock, FilterRecord, Notes};

/// Halvings of the time step before the run ends.
pub(super) const MOST_HALVINGS: u32 = 6;

/// Numbers of the net in a checkpoint: halvings, the time at which they become fewer, and two records.
pub(super) const NUMBERS: usize = 2 + 2 * FilterRecord::NUMBERS;

/// The state that the device keeps.
#[derive(Clone, Copy)]
pub(super) struct Kept {
    pub clock: Clock,
    pub dt: f64,
}

/// The net of a run.
#[derive(Default)]
pub(super) struct Net {
    /// Whether steps are taken back.
    pub active: bool,
    pub kept: Option<Kept>,
    /// How often the time step is halved.
    pub halvings: u32,
    /// The time at which it is halved once less.
    pub until: f64,
    /// The step to which the run has gone back, at which the guard has done its work.
    pub returned_to: Option<u64>,
    /// The bounds of the time step at a step, from the look behind it.
    pub bounds: Option<(u64, TimeStepBounds)>,
    /// What the filter did since the last row of integrals.csv.
    pub since_row: FilterRecord,
    /// What it did since the run began.
    pub all: FilterRecord,
    /// Whether a warning has said that steps are taken back. The log has a line for each time, and a warning at the end
    /// counts them.
    pub warned: bool,
}

impl Net {
    /// Returns the net of a run with or without a filter.
    pub fn new(active: bool) -> Self {
        Net {
            active,
            ..Net::default()
        }
    }

    /// Returns the step of the state that the device keeps.
    pub fn kept_at(&self) -> Option<u64> {
        self.kept.map(|kept| kept.clock.step)
    }

    /// Returns the time at which the time step becomes longer, if it is shortened.
    pub fn end_of_stretch(&self) -> Option<f64> {
        (self.halvings > 0).then_some(self.until)
    }

    /// Returns the numbers with which a run goes on from a checkpoint.
    pub fn numbers(&self) -> Vec<f64> {
        let own = [f64::from(self.halvings), self.until];
        own.into_iter()
            .chain(self.since_row.numbers())
            .chain(self.all.numbers())
            .collect()
    }

    /// Goes on with such numbers. Without them, as in checkpoints of older versions, nothing has been done so far.
    pub fn resume(&mut self, numbers: &[f64]) {
        let Ok(numbers) = <[f64; NUMBERS]>::try_from(numbers) else {
            return;
        };
        let record = |first: usize| FilterRecord::of_numbers(std::array::from_fn(|i| numbers[first + i]));
        (self.halvings, self.until) = (numbers[0] as u32, numbers[1]);
        self.since_row = record(2);
        self.all = record(2 + FilterRecord::NUMBERS);
    }

    /// Begins with the time step of the case. The checkpoint belongs to a case with another time step, whose halvings
    /// say nothing of this one.
    pub fn forget_halvings(&mut self) {
        (self.halvings, self.until) = (0, 0.0);
    }

    /// Adds what the filter did since the last look.
    pub fn record(&mut self, notes: &Notes) {
        self.since_row.acts.add(&notes.acts);
        self.all.acts.add(&notes.acts);
    }
}

/// A state that is not physical, or not that of the flow.
pub(super) struct Unphysical {
    /// Number of the cell in the whole mesh.
    pub cell: usize,
    /// When it became so.
    pub when: When,
    /// Share of the cells that the limiter changed in each stage, where so many were that the state is that of the
    /// limiter.
    pub limited: Option<f64>,
}
