//! Writing a checkpoint of a run in progress.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Run;
use super::RunError;
use super::observer::Notes;
use super::stop::together;
use crate::case::{Case, DEFAULT_KEEP};
use crate::io::{self, CellField, Checkpoint, Layout, Mark};
use crate::monitor::Progress;
use crate::words::shown;

/// Names of the fields.
pub(super) const STATE: &str = "state";
pub(super) const COMPENSATION: &str = "compensation";
/// Variables of both.
pub(super) const VARIABLES: usize = 5;
/// Names under which the run loop remembers: words; time, what its sum has lost, and dt.
pub(super) const RUN: &str = "run";
pub(super) const CLOCK: &str = "run.clock";

/// What the run loop remembers in words and whole numbers.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Words {
    /// What the time step follows from besides the state ([`step_rule`]).
    pub step_rule: String,
    pub series: BTreeMap<String, Mark>,
    /// Names of the checkpoints that are there, this one being the last.
    pub checkpoints: Vec<String>,
    /// What the flow follows from, and what files are of ([`settings`]).
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
}

/// All of a case that decides the time step of a given state: where it changes, the step is not taken from the checkpoint.
pub(super) fn step_rule(case: &Case) -> String {
    let Case {
        order,
        precision,
        scheme,
        gas,
        ..
    } = case;
    format!("{:?} {order} {precision:?} {scheme:?} {gas:?}", case.time.step)
}

/// What of a case the flow follows from, and what its series and files are of, by key: what goes on over two of these is of neither.
pub(super) fn settings(case: &Case) -> BTreeMap<String, String> {
    let output = &case.output;
    let flow = [
        ("gas", format!("{:?}", case.gas)),
        ("sgs", format!("{:?}", case.sgs)),
        ("forcing", format!("{:?}", case.forcing)),
        ("boundaries", format!("{:?}", case.boundaries)),
    ];
    let flow = flow.map(|(key, words)| (key.to_owned(), words));
    let reference = output
        .reference
        .iter()
        .map(|r| ("output.reference".to_owned(), format!("{r:?}")));
    let probes = output.probes.iter();
    let probes = probes.map(|(name, p)| (format!("output.probes.{name}"), format!("{:?}", p.places)));
    let slices = output.slices.iter();
    let slices = slices.map(|s| {
        (
            format!("output.slices.{}", s.name),
            format!("{:?} {:?}", s.point, s.normal),
        )
    });
    flow.into_iter().chain(reference).chain(probes).chain(slices).collect()
}

impl Run<'_> {
    /// Writes a checkpoint, and then removes those that are old. The time step stays as it is.
    pub(super) fn write_checkpoint(&mut self, progress: &Progress) -> Result<(), RunError> {
        let begin = std::time::Instant::now();
        self.healthy()?;
        self.settle()?;
        if !self.case.output.writes() {
            self.create_directory()?;
        }
        let directory = &self.case.output.directory;
        let name = io::checkpoint_name(self.clock.step);
        let path = directory.join(&name);
        let series = self.on_root(|run| {
            let marks = run.series.iter();
            marks.map(|(name, series)| Ok((name.clone(), series.mark()?))).collect()
        })?;
        let mut kept = self.kept.clone();
        kept.retain(|old| *old != name);
        kept.push(name);
        let words = Words {
            step_rule: step_rule(self.case),
            series,
            checkpoints: kept.clone(),
            settings: settings(self.case),
        };
        let mut notes = Notes::default();
        self.solution_files.remember(&mut notes);
        for observer in &mut self.observers {
            observer.remember(self.solver, &mut notes)?;
        }
        let Notes {
            mut memory,
            fields: observed,
        } = notes;
        memory.arrays.extend(self.solver.remember_mass_flow());
        let words = serde_json::to_value(words).unwrap_or_default();
        memory.parts.insert(RUN.to_owned(), words);
        let clock = [self.clock.time, self.clock.lost, self.dt];
        memory.arrays.insert(CLOCK.to_owned(), clock.to_vec());

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
        fields.extend(observed.iter().map(|(name, (layout, values))| CellField {
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
            precision: self.case.precision,
            after: self.newest.map_or(0, |(written, _)| written),
            cells: &cells,
            kinds: &mesh.kinds,
            fields: &fields,
            memory: &memory,
            provenance: &self.provenance,
        };
        let written = io::write_checkpoint(&path, self.world, &checkpoint)?;
        let keep = self.case.output.checkpoint.map_or(DEFAULT_KEEP, |c| c.keep);
        self.kept = self.on_root(|_| {
            io::remove_old_checkpoints(directory, &mut kept, keep)?;
            Ok(kept)
        })?;
        self.newest = Some((written, self.clock.step));
        progress.say(|| {
            let (time, seconds) = (self.clock.time, begin.elapsed().as_secs_f64());
            tracing::info!("t {}: wrote {} in {seconds:.2} s", shown(time), path.display());
        });
        self.last_output = Some(path);
        Ok(())
    }
}
