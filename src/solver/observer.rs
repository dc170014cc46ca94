//! Observers: what looks at the state now and then, and leaves files behind or remembers what it saw.
//!
//! The run loop asks each one when it wants to look, shows it the state at that [`Moment`], keeps its series, and puts what it
//! remembers into the checkpoints, so that a run that was stopped goes on as if it had not been. What only one of them does
//! is in its own file; none of them changes the state or the time step, except that steps are shortened to hit the times that
//! it asks for.

use std::collections::BTreeMap;
use std::path::PathBuf;

use mpi::topology::SimpleCommunicator;

use super::coefficients::Coefficients;
use super::mass_flow::ForcingSeries;
use super::numbered::Numbered;
use super::probes::ProbeSet;
use super::schedule::Schedule;
use super::slices::SliceFiles;
use super::spectra::SpectraAlong;
use super::statistics::Statistics;
use super::surfaces::SurfaceFiles;
use super::{Clock, Run, RunError, Solver};
use crate::case::Case;
use crate::io::{Layout, Memory, Provenance, Series, agree};

/// Columns of a series: name and unit.
pub(super) type Columns = Vec<(String, &'static str)>;

/// The state at one step, and where what is seen of it goes.
pub(super) struct Moment<'a> {
    pub case: &'a Case,
    pub solver: &'a mut Solver,
    pub world: &'a SimpleCommunicator,
    pub provenance: &'a Provenance,
    pub clock: Clock,
    series: &'a mut BTreeMap<String, Series>,
    /// Files of the run, for its closing lines.
    pub files: &'a mut Vec<PathBuf>,
}

impl Moment<'_> {
    /// Appends a row to one of the observer's series; rank 0's counts. Collective.
    pub fn append(&mut self, series: &str, row: &[f64]) -> Result<(), RunError> {
        let appended = self.series.get_mut(series).map_or(Ok(()), |series| series.append(row));
        Ok(agree(self.world, appended)?)
    }
}

/// What an observer puts into a checkpoint: the memory is that of rank 0, the fields are of all cells.
#[derive(Debug, Default)]
pub(super) struct Notes {
    pub memory: Memory,
    /// Name, what each cell has, and values, one cell after the other in mesh order.
    pub fields: BTreeMap<String, (Layout, Vec<f64>)>,
}

/// At which states an observer looks whether or not its schedule says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Besides {
    /// None.
    Nothing,
    /// The initial one.
    Start,
    /// The initial one and the last one of a run.
    StartAndEnd,
}

/// Something that looks at the state.
pub(super) trait Observer {
    /// Its key under `output`; what it puts into [`Notes`] begins with this name.
    fn name(&self) -> &'static str;
    /// When it looks.
    fn schedule(&mut self) -> &mut Schedule;
    /// When it looks besides.
    fn besides(&self) -> Besides {
        Besides::Nothing
    }
    /// Whether it needs the right-hand side of the state on the device, with ghosts and traces.
    fn needs_rhs(&self) -> bool {
        false
    }
    /// The series that it appends to.
    fn series(&self) -> Vec<(String, Columns)> {
        Vec::new()
    }
    /// Looks at the state. Collective.
    fn observe(&mut self, moment: &mut Moment) -> Result<(), RunError>;
    /// Brings what it still holds back into its series; called before a checkpoint marks how far they are, and where a run ends.
    /// Collective.
    fn settle(&mut self, _moment: &mut Moment) -> Result<(), RunError> {
        Ok(())
    }
    /// Writes what has gathered since the start; called where a checkpoint is written, and at the end. Collective.
    fn report(&mut self, _moment: &mut Moment) -> Result<(), RunError> {
        Ok(())
    }
    /// The numbered files that it writes.
    fn files(&mut self) -> Option<&mut Numbered> {
        None
    }
    /// Notes what it has to know when the run goes on: the numbers of its files, unless there is more. Collective.
    fn remember(&mut self, _solver: &Solver, notes: &mut Notes) -> Result<(), RunError> {
        if let Some(files) = self.files() {
            files.remember(notes);
        }
        Ok(())
    }
    /// Takes up what it noted; `false` if the notes have nothing of it, which then begins anew. Collective.
    fn recall(&mut self, moment: &mut Moment, notes: &Notes) -> Result<bool, RunError> {
        match self.files() {
            Some(files) => files.recall(notes, moment.world),
            None => Ok(true),
        }
    }
}

impl Moment<'_> {
    /// Says at the end of a run that means have no samples; where the end is a time, that was said before.
    pub(super) fn say_if_empty(&self, name: &str, from: f64) {
        let ended = self.case.time.steps.is_some_and(|steps| self.clock.step >= steps);
        if ended && self.solver.ranks.rank() == 0 {
            tracing::warn!(
                "output.{name}: nothing has been sampled, and no file written; samples begin after t = {from}"
            );
        }
    }
}

/// The observers that a case asks for.
pub(super) fn of_case(case: &Case, solver: &mut Solver, clock: &Clock) -> Result<Vec<Box<dyn Observer>>, RunError> {
    let mut all: Vec<Box<dyn Observer>> = Vec::new();
    let output = &case.output;
    if let Some(every) = output.forcing {
        all.push(Box::new(ForcingSeries::new(every, clock)));
    }
    if let Some(statistics) = &output.statistics {
        all.push(Box::new(Statistics::new(statistics, solver, clock)?));
    }
    for (name, probes) in &output.probes {
        all.push(Box::new(ProbeSet::new(case, name, probes, solver, clock)?));
    }
    if let Some(spectra) = &output.spectra {
        all.push(Box::new(SpectraAlong::new(spectra, solver, clock)?));
    }
    if let Some(surfaces) = &output.surfaces {
        all.push(Box::new(SurfaceFiles::new(case, solver, clock, surfaces)));
    }
    if let (Some(every), Some(reference)) = (output.boundaries, &output.reference)
        && let Some(coefficients) = Coefficients::new(solver, clock, every, reference)
    {
        all.push(Box::new(coefficients));
    }
    for slice in &output.slices {
        all.push(Box::new(SliceFiles::new(case, solver, clock, slice)));
    }
    Ok(all)
}

/// Finds out, before a run, whether the solver has what its observers look at. Collective.
pub fn check_observers(case: &Case, solver: &mut Solver) -> Result<(), RunError> {
    of_case(case, solver, &Clock::default()).map(drop)
}

impl Run<'_> {
    /// Times that observers want steps to end at.
    pub(super) fn observed_times(&mut self) -> f64 {
        let times = self.observers.iter_mut().filter_map(|o| o.schedule().next_time());
        times.fold(f64::INFINITY, f64::min)
    }

    /// Which observers look at the present state.
    pub(super) fn observers_due(&mut self, last: bool) -> Vec<bool> {
        let clock = self.clock;
        let due = |o: &mut Box<dyn Observer>| o.schedule().due(&clock) | (last && o.besides() == Besides::StartAndEnd);
        self.observers.iter_mut().map(due).collect()
    }

    /// Lets those look.
    pub(super) fn observe(&mut self, due: &[bool]) -> Result<(), RunError> {
        let mut look = std::mem::take(&mut self.observers);
        let with_rhs = look.iter().zip(due).any(|(o, &due)| due && o.needs_rhs());
        let looked = match with_rhs {
            true => self.right_hand_side(),
            false => Ok(()),
        };
        let looked = looked.and_then(|()| {
            let mut due = look.iter_mut().zip(due).filter(|(_, due)| **due);
            due.try_for_each(|(observer, _)| observer.observe(&mut self.moment()))
        });
        self.observers = look;
        looked
    }

    /// Lets all of them bring home what they hold back.
    pub(super) fn settle(&mut self) -> Result<(), RunError> {
        let mut all = std::mem::take(&mut self.observers);
        let settled = all.iter_mut().try_for_each(|o| o.settle(&mut self.moment()));
        self.observers = all;
        settled
    }

    /// Lets all of them report.
    pub(super) fn report(&mut self) -> Result<(), RunError> {
        let mut all = std::mem::take(&mut self.observers);
        let reported = all.iter_mut().try_for_each(|o| o.report(&mut self.moment()));
        self.observers = all;
        reported
    }

    /// Gives them what a checkpoint remembers.
    pub(super) fn recall(&mut self, notes: &Notes) -> Result<(), RunError> {
        let mut all = std::mem::take(&mut self.observers);
        for means in ["statistics", "spectra"] {
            let wanted = all.iter().any(|o| o.name() == means);
            if notes.memory.parts.contains_key(means) && !wanted && self.solver.ranks.rank() == 0 {
                tracing::warn!(
                    "the checkpoint has sums of output.{means}, which the case does not ask for: they end here"
                );
            }
        }
        let recalled = all.iter_mut().try_for_each(|o| {
            if !o.recall(&mut self.moment(), notes)? {
                tracing::info!("output.{} begins here: the checkpoint has nothing of it", o.name());
            }
            Ok(())
        });
        self.observers = all;
        recalled
    }

    fn moment(&mut self) -> Moment<'_> {
        Moment {
            case: self.case,
            solver: self.solver,
            world: self.world,
            provenance: &self.provenance,
            clock: self.clock,
            series: &mut self.series,
            files: &mut self.files,
        }
    }
}
