//! The checkpoint of a run in progress.

use std::collections::BTreeMap;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::error::RunError;
use super::progress::Progress;
use super::settings::AllSettings;
use super::state::Run;
use super::stop::together;
use crate::element::ElementKind;
use crate::input::FieldTable;
use crate::io::{self, CellField, Checkpoint, CheckpointData, CheckpointSection, Layout, Mark};
use crate::output::{self, CheckpointPeriod, Completion, Contents, DEFAULT_KEEP};
use crate::solver::{STATE, Settings, Solver, VARIABLES};

/// Name of the field beside the state.
pub(super) const COMPENSATION: &str = "compensation";
/// Names of the entries of the run loop: its metadata; and time, the rounding error of its sum, and dt.
pub(super) const RUN: &str = "run";
pub(super) const CLOCK: &str = "run.clock";
/// Name of the numbers of the net.
pub(super) const NET: &str = "run.net";
/// Name of the numbers of the limit of the operator.
pub(super) const OPERATOR_LIMIT: &str = "run.operator-limit";

/// The data of the run loop in a checkpoint, besides its clock.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct RunMetadata {
    /// The settings that determine the time step, besides the state ([`step_rule`]).
    pub step_rule: String,
    /// Length of each series when the checkpoint was written.
    pub series: BTreeMap<String, Mark>,
    /// Names of the checkpoints of the run that exist, this one being the last.
    pub checkpoints: Vec<String>,
    /// Fingerprints of settings ([`fingerprints`]).
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
    /// The tables among the fields of the case, by the key of the field.
    #[serde(default)]
    pub tables: BTreeMap<String, FieldTable>,
    /// Names of the outputs that sum their samples.
    #[serde(default)]
    pub accumulating: Vec<String>,
}

/// Returns the bytes of the copy from which the checkpoint of a rank is written.
pub fn copy_of_checkpoint(settings: &Settings, solver: &Solver) -> f64 {
    let mesh = &solver.mesh;
    let copies = if settings.kahan { 2 } else { 1 };
    let state = copies * VARIABLES * settings.real_bytes() * solver.points();
    let of_cell = |kind: &ElementKind| (8 * settings.output_doubles_per_cell[*kind] + 9) as f64;
    state as f64 + mesh.kinds.iter().map(of_cell).sum::<f64>()
}

/// Returns what a checkpoint needs so that a run begins from it at step 0 and t = 0, whatever wrote it.
pub fn section_of_beginning() -> CheckpointSection {
    let metadata = serde_json::to_value(RunMetadata::default()).unwrap_or_default();
    CheckpointSection {
        parts: BTreeMap::from([(RUN.to_owned(), metadata)]),
        arrays: BTreeMap::from([(CLOCK.to_owned(), vec![0.0; 3])]),
    }
}

/// Returns the settings that determine the time step of a given state. If they change, the step is not taken from the
/// checkpoint.
pub(super) fn step_rule(settings: AllSettings) -> String {
    let Settings {
        order,
        precision,
        scheme,
        gas,
        ..
    } = settings.solver;
    let (step, limit) = (&settings.run.step, settings.run.limit);
    let time_scheme = settings.solver.time_scheme;
    format!("{step:?} {limit:?} {time_scheme:?} {order} {precision:?} {scheme:?} {gas:?}")
}

/// Returns the fingerprints of the settings that determine the flow or the contents of files, by key. An output that
/// continues under other settings mixes two configurations.
pub(super) fn fingerprints(settings: AllSettings) -> BTreeMap<String, String> {
    let flow = settings.solver.fingerprints().into_iter();
    flow.chain(settings.output.fingerprints()).collect()
}

/// Returns when the next checkpoint is due, after one that was written now, if they are written by the clock.
pub(super) fn next_on_the_clock(output: &output::Settings) -> Option<Instant> {
    match output.checkpoints?.period {
        CheckpointPeriod::Flow(_) => None,
        CheckpointPeriod::Clock(period) => Instant::now().checked_add(period),
    }
}

impl Run<'_> {
    /// Begins a checkpoint, which is completed beside the run. When it is complete, old ones are removed. The time step
    /// does not change.
    pub(super) fn write_checkpoint(&mut self, progress: &Progress) -> Result<(), RunError> {
        // Those of the steps before must be complete before this one counts the checkpoints that there are.
        let path = self
            .settings
            .output
            .directory
            .join(io::checkpoint_name(self.clock.step));
        self.beside.make_room(self.world, &path, self.clock.step)?;
        self.complete(progress)?;
        let begun = Instant::now();
        self.healthy()?;
        self.flush(progress)?;
        if !self.settings.output.writes() {
            self.create_directory()?;
        }
        let name = io::checkpoint_name(self.clock.step);
        let mut kept = self.kept.clone();
        kept.retain(|old| *old != name);
        kept.push(name);
        let metadata = self.metadata(&kept)?;
        let CheckpointData { section, fields: sums } = self.checkpoint_data(metadata)?;

        let device = self.solver.device.as_ref();
        let values = || Ok((device.state()?, device.compensation()?));
        let (state, compensation) = together(self.world, values())?;
        let field = |name, values| CellField {
            name,
            layout: Layout::Points(VARIABLES),
            values,
        };
        let mut fields = vec![field(STATE, state.as_slice())];
        fields.extend(compensation.as_deref().map(|values| field(COMPENSATION, values)));
        fields.extend(sums.iter().map(|(name, (layout, values))| CellField {
            name,
            layout: *layout,
            values,
        }));
        let mesh = &self.solver.mesh;
        let cells: Vec<u64> = (0..mesh.len()).map(|cell| mesh.global(cell) as u64).collect();
        let checkpoint = Checkpoint {
            step: self.clock.step,
            time: self.clock.time,
            order: self.solver.elements.order,
            precision: self.settings.solver.precision,
            after: self.newest_written.unwrap_or(0),
            cells: &cells,
            kinds: &mesh.kinds,
            fields: &fields,
            section: &section,
            provenance: &self.provenance,
        };
        let (written, file) = io::begin_checkpoint(&path, self.world, &checkpoint)?;
        let completion = Completion {
            path: path.clone(),
            time: self.clock.time,
            begun,
            waited: begun.elapsed(),
            contents: Contents::Checkpoint { kept, written },
        };
        self.beside.add(self.world, &path, self.clock.step, file, completion)?;
        self.checkpoint_at = next_on_the_clock(self.settings.output);
        Ok(())
    }

    /// Removes the oldest of these checkpoints, the newest of which is the last one, and keeps as many as are wanted.
    pub(super) fn keep_newest(&mut self, mut kept: Vec<String>) -> Result<(), RunError> {
        let wanted = self.settings.output.checkpoints.map_or(DEFAULT_KEEP, |c| c.keep);
        let directory = &self.settings.output.directory;
        self.kept = self.on_root(|_| {
            io::remove_old_checkpoints(directory, &mut kept, wanted.max(1))?;
            Ok(kept)
        })?;
        Ok(())
    }

    /// Returns the metadata of a checkpoint that joins the existing ones of `kept`.
    fn metadata(&self, kept: &[String]) -> Result<RunMetadata, RunError> {
        let series = self.on_root(|run| {
            let marks = run.series.iter();
            marks.map(|(name, series)| Ok((name.clone(), series.mark()?))).collect()
        })?;
        let accumulating = self.outputs.iter().filter(|o| o.accumulates());
        Ok(RunMetadata {
            step_rule: step_rule(self.settings),
            series,
            checkpoints: kept.to_vec(),
            settings: fingerprints(self.settings),
            tables: self.settings.solver.tables.clone(),
            accumulating: accumulating.map(|o| o.name().to_owned()).collect(),
        })
    }

    /// Returns the data with which the run loop, the outputs and the controls continue.
    fn checkpoint_data(&mut self, metadata: RunMetadata) -> Result<CheckpointData, RunError> {
        let mut data = CheckpointData::default();
        for output in &mut self.outputs {
            output.save(self.solver, &mut data)?;
        }
        let saved = self.solver.save_controls(&mut data);
        saved.map_err(|e| self.ended_by(e))?;
        let metadata = serde_json::to_value(metadata).unwrap_or_default();
        data.section.parts.insert(RUN.to_owned(), metadata);
        let clock = [self.clock.time, self.clock.compensation, self.dt];
        data.section.arrays.insert(CLOCK.to_owned(), clock.to_vec());
        if let Some(numbers) = self.operator_limit.numbers() {
            data.section.arrays.insert(OPERATOR_LIMIT.to_owned(), numbers);
        }
        if self.net.active {
            data.section.arrays.insert(NET.to_owned(), self.net.numbers());
        }
        Ok(data)
    }
}
