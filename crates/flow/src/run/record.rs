//! The record of the run, which is kept up to date at checkpoints and at the end ([`RunRecord`]).

use std::time::Instant;

use super::error::RunError;
use super::recorder::Recorder;
use super::state::Run;
use super::stop::Outcome;
use crate::element::ElementKind;
use crate::io::{RUNNING, RecordedMesh, RunPart, RunRecord};
use crate::solver::used_since;

impl Run<'_> {
    /// Begins the record, or adds a part to that of the run that is continued, if the run writes anything. `begin` is
    /// the start of the program. Collective.
    pub(super) fn begin_record(&mut self, begin: Instant, continued: bool) {
        let mesh = self.recorded_mesh();
        let evaluations = self.solver.evaluations_per_step();
        if !self.settings.output.writes() || self.solver.ranks.rank() > 0 {
            return;
        }
        let begun = RunPart::begin(
            &self.provenance,
            self.solver.device.is_gpu(),
            evaluations,
            (self.clock.step, self.clock.time),
        );
        let part = RunPart {
            last_step: self.settings.run.steps,
            end: self.settings.run.end,
            gpus: (self.solver.gpus.count > 0).then_some(self.solver.gpus.count),
            ..begun
        };
        let mut parts = Vec::new();
        if continued {
            parts = RunRecord::earlier_parts(&self.settings.output.directory);
        }
        parts.push(part);
        let record = RunRecord {
            title: self.provenance.title.clone(),
            case: self.provenance.case_text.clone(),
            steady: false,
            mesh,
            parts,
        };
        self.recorder = Some(Recorder { record, begin });
        // The first checkpoint, if the run begins with one, brings the record with it: results with a record and
        // without a checkpoint are then those of a run that wrote none.
        if !self.begins_with_checkpoint() {
            self.write_record(RUNNING);
        }
    }

    /// Returns the numbers of cells and points of all ranks. Collective.
    fn recorded_mesh(&self) -> RecordedMesh {
        let mesh = &self.solver.mesh;
        let mut counts = ElementKind::ALL.map(|kind| mesh.kinds.iter().filter(|k| **k == kind).count() as f64);
        self.solver.ranks.allreduce_sum(&mut counts);
        let cells = ElementKind::ALL.iter().zip(counts).filter(|(_, count)| *count > 0.0);
        RecordedMesh {
            hash: format!("{:016x}", self.provenance.mesh_hash),
            cells: cells
                .map(|(kind, count)| (kind.name().to_owned(), count as u64))
                .collect(),
            order: self.solver.elements.order,
            points: self.points() as u64,
        }
    }

    /// Reads the energy that the GPUs have used since the run began. Collective.
    pub(super) fn read_energy(&mut self) {
        self.joules = used_since(self.energy_at_begin, self.solver.millijoules());
    }

    /// Writes the record with the present step, cost and warnings, on rank 0.
    pub(super) fn write_record(&mut self, outcome: &str) {
        if let Some(recorder) = &mut self.recorder {
            let directory = &self.settings.output.directory;
            recorder.write(&self.clock, self.joules, &self.net.all, outcome, directory);
        }
    }

    /// Writes how the run ended.
    pub(super) fn end_record(&mut self, ended: &Result<Outcome, RunError>) {
        let outcome = match ended {
            Ok(Outcome::Finished) => "finished".to_owned(),
            Ok(Outcome::Interrupted) => "interrupted".to_owned(),
            Err(error) => format!("failed: {error}"),
        };
        self.write_record(&outcome);
    }
}
