//! The looks at the state of a run, and the way back where one finds a state that is not physical (`net`).

use super::divergence::{Place, When};
use super::error::RunError;
use super::net::{Kept, MOST_HALVINGS, Unphysical};
use super::progress::Progress;
use super::settings::GUARD_INTERVAL;
use super::state::Run;
use super::stop::{Asked, together};
use crate::device::TimeStepBounds;
use crate::format::physical_time;
use crate::physics::Shock;
use crate::solver::{FilterRecord, Notes};

/// Share of the cells that the limiter of positive states may change in each stage between two looks. Flows that it
/// saves need it in less than a hundredth, abrupt starts in up to a quarter; where the time step is twice too long it
/// changes three quarters, and all of them where it is longer.
const MOST_LIMITED: f64 = 0.5;

impl Run<'_> {
    /// Returns the present time step, before outputs shorten it further.
    pub(super) fn shortened(&self) -> f64 {
        self.dt * 0.5f64.powi(self.net.halvings as i32)
    }

    /// Keeps the present state, if steps may be taken back.
    pub(super) fn keep_state(&mut self) -> Result<(), RunError> {
        if self.net.active {
            self.solver.keep()?;
            self.net.kept = Some(Kept {
                clock: self.clock,
                dt: self.dt,
            });
        }
        Ok(())
    }

    /// Looks at the notes of the device, and with `bounds` those of the time step, and returns what is not physical.
    /// Otherwise the notes begin anew. Collective.
    pub(super) fn look(&mut self, bounds: Option<&TimeStepBounds>) -> Result<Option<Unphysical>, RunError> {
        let seen = bounds.and_then(|bounds| bounds.unphysical);
        let filters = self.net.active;
        let looked = (filters || seen.is_some()).then(|| self.solver.look()).transpose();
        let notes = together(self.world, looked.map_err(RunError::from))?;
        // A stage may leave a state that is not physical and that the next one mends. Where states are filtered, the
        // mean of such a cell is lost; elsewhere only the state at the look counts.
        let noted = notes.and_then(|notes| notes.fault);
        if let Some(cell) = noted
            .map(|fault| fault.cell as usize)
            .or(seen)
            .filter(|_| filters || seen.is_some())
        {
            let since = notes.map_or(0, |notes| notes.steps);
            let when = When::of_note(noted, &self.clock, since, self.solver.stages(), &self.times);
            let limited = None;
            return Ok(Some(Unphysical { cell, when, limited }));
        }
        if let Some(notes) = &notes {
            if let Some(found) = self.held_by_limiter(notes) {
                return Ok(Some(found));
            }
            self.net.record(notes);
            self.filter_watch.add(notes, self.solver.stages());
        }
        self.solver.begin_notes()?;
        self.times.clear();
        self.physical_at = Some(self.clock.step);
        Ok(None)
    }

    /// Returns what is wrong where the limiter of positive states has changed most cells in each stage: what it leaves
    /// then is bounded, and nothing else.
    fn held_by_limiter(&self, notes: &Notes) -> Option<Unphysical> {
        if self.solver.shock() != Shock::Positivity || notes.steps == 0 {
            return None;
        }
        let stages = self.solver.stages();
        let share = notes.acts.changes as f64 / notes.cell_stages(stages);
        let cell = notes.acts.cell.filter(|_| share > MOST_LIMITED)? as usize;
        Some(Unphysical {
            cell,
            when: When::of_note(None, &self.clock, notes.steps, stages, &self.times),
            limited: Some(share),
        })
    }

    /// Looks at the state after a step, if anything is going to see it, and takes the steps since the last look back if
    /// it is not physical; returns whether it did. Collective.
    ///
    /// # Errors
    /// The time step cannot become shorter, or the device fails.
    pub(super) fn takes_back(&mut self, asked: &Asked, progress: &Progress) -> Result<bool, RunError> {
        if !self.net.active {
            return Ok(false);
        }
        let clock = self.clock;
        let guard = clock.step.is_multiple_of(GUARD_INTERVAL);
        let lengthens = self.net.end_of_stretch().is_some_and(|end| clock.time >= end);
        let last = self.finished();
        let samples = self.samples_follow();
        let saves = last || self.checkpoints.awaits(&clock) || *asked != Asked::Nothing;
        if !(guard || lengthens || samples || saves) {
            return Ok(false);
        }
        let bounds = if guard {
            Some(self.solver.time_step_bounds()?)
        } else {
            None
        };
        if let Some(found) = self.look(bounds.as_ref())? {
            self.go_back(&found, progress)?;
            return Ok(true);
        }
        self.net.bounds = bounds.map(|bounds| (clock.step, bounds));
        if lengthens {
            self.net.halvings -= 1;
            self.net.until = clock.time + 0.5 * GUARD_INTERVAL as f64 * self.dt;
        }
        if !guard {
            // At a guard the state is kept behind it, since it adjusts what takes part.
            self.keep_state()?;
        }
        Ok(false)
    }

    /// Returns what was tried in vain to save the run, in words; `None` if nothing was.
    pub(super) fn tried(&self) -> Option<String> {
        let kept = self.net.kept.filter(|_| self.net.halvings == MOST_HALVINGS)?;
        let shares: Vec<String> = (1..MOST_HALVINGS).map(|n| format!("1/{}", 1u32 << n)).collect();
        Some(format!(
            "{} and 1/{} of the time step; with the last, dt = {:.4e}, the steps after step {}, t = {} fail too",
            shares.join(", "),
            1u32 << MOST_HALVINGS,
            self.shortened(),
            kept.clock.step,
            physical_time(kept.clock.time)
        ))
    }

    /// Goes back to the state that is kept, with half the time step.
    fn go_back(&mut self, found: &Unphysical, progress: &Progress) -> Result<(), RunError> {
        let kept = match self.net.kept {
            Some(kept) if self.net.halvings < MOST_HALVINGS => kept,
            _ => return Err(self.diverged(found)?),
        };
        let place = Place::describe(self.solver, found.cell, None);
        let place = together(self.world, place.map_err(RunError::from))?;
        let net = &mut self.net;
        net.until = self.clock.time.max(if net.halvings > 0 { net.until } else { 0.0 });
        net.halvings += 1;
        net.since_row.taken_back += 1;
        net.all.taken_back += 1;
        net.returned_to = Some(kept.clock.step);
        net.bounds = None;
        let (share, until) = (1u32 << net.halvings, net.until);
        self.solver.take_back()?;
        self.times.clear();
        (self.clock, self.dt) = (kept.clock, kept.dt);
        self.operator_limit.doubted = true;
        self.rhs_of = None;
        self.physical_at = Some(kept.clock.step);
        let what = match found.limited {
            None => format!("the state was not physical in {}:", found.when),
            Some(share) => format!(
                "the limiter changed {:.0} % of the cells in each stage up to step {}, most of all",
                100.0 * share,
                found.when.step
            ),
        };
        let line = format!(
            "{what} {} at {}, {}; back to step {}, t = {}, with 1/{share} of the time step until t = {}",
            place.cell,
            place.at,
            place.near,
            kept.clock.step,
            physical_time(kept.clock.time),
            physical_time(until)
        );
        let is_first = !std::mem::replace(&mut self.net.warned, true);
        progress.say(|| {
            if is_first {
                tracing::warn!("{line}");
            } else {
                tracing::info!("{line}");
            }
        });
        Ok(())
    }

    /// Returns whether steps were taken back since this process began.
    pub fn took_steps_back(&self) -> bool {
        self.net.warned
    }

    /// Returns what the filter did and how often steps were taken back, in words; `None` if nothing of this happened.
    /// Collective.
    ///
    /// # Errors
    /// The device fails.
    pub fn repairs(&self) -> Result<Option<String>, RunError> {
        let record = &self.net.all;
        if *record == FilterRecord::default() {
            return Ok(None);
        }
        let place = match record.acts.cell {
            None => String::new(),
            Some(cell) => {
                let place = Place::describe(self.solver, cell as usize, None)?;
                format!("{} at {}", place.cell, place.at)
            }
        };
        Ok(Some(format!("filter: {}", record.words(&place))))
    }
}
