//! The record of a steady solution in its folder, which `fr-les watch` and `fr-les report` read, as they read that of a
//! run in time.

use std::time::{Duration, Instant};

use super::{Convergence, Finish, Progress, Steady, SteadyError};
use crate::element::ElementKind;
use crate::io::{RecordedMesh, RunPart, RunRecord};
use crate::log;
use crate::run::Outcome;
use crate::steady::scheme::STAGES;

/// Time between two updates of the files, which is that between two looks of `fr-les watch`.
const INTERVAL: Duration = Duration::from_secs(2);

/// The record, on rank 0.
pub(super) struct Recorder {
    record: RunRecord,
    directory: std::path::PathBuf,
    is_root: bool,
    has_begun: bool,
    begin: Instant,
    written: Instant,
}

impl Recorder {
    /// Makes the record, or adds a part to that of the solution that is continued. `begin` is the start of the program.
    /// Nothing is written before [`Recorder::begin`]. Collective.
    pub fn new(steady: &Steady, iteration: u64, continued: bool, begin: Instant) -> Self {
        let part = RunPart {
            last_step: Some(steady.settings.iterations),
            gpus: steady.gpu.is_some().then_some(steady.ranks.size()),
            ..RunPart::begin(
                &steady.provenance,
                steady.gpu.is_some(),
                STAGES as f64,
                (iteration, 0.0),
            )
        };
        let is_root = steady.ranks.rank() == 0;
        let mut parts = Vec::new();
        if continued && is_root {
            parts = RunRecord::earlier_parts(&steady.directory);
        }
        parts.push(part);
        Recorder {
            record: RunRecord {
                title: steady.provenance.title.clone(),
                case: steady.provenance.case_text.clone(),
                steady: true,
                mesh: recorded_mesh(steady),
                parts,
            },
            directory: steady.directory.clone(),
            is_root,
            has_begun: false,
            begin,
            written: Instant::now(),
        }
    }

    /// Writes that the solution goes on.
    pub fn begin(&mut self) {
        self.has_begun = true;
        self.write();
    }

    /// Takes over what a solution has reached, and writes the table of the convergence and the record every few
    /// seconds.
    pub fn advance(&mut self, steady: &Steady, kept: &Progress) {
        if let Some(part) = self.record.parts.last_mut() {
            part.last = (kept.iteration, 0.0);
        }
        if self.is_root && self.written.elapsed() >= INTERVAL {
            self.update();
            if let Err(error) = steady.write_convergence(&kept.rows) {
                tracing::warn!("the table of the convergence is not up to date: {error}");
            }
            self.write();
            self.written = Instant::now();
        }
    }

    /// Writes how the solution ended, if it has begun.
    pub fn end(mut self, ended: &Result<Finish, SteadyError>) {
        self.update();
        let outcome = match ended {
            Ok(Finish {
                outcome: Outcome::Finished,
                convergence,
                ..
            }) => match convergence {
                Convergence::Reached => "finished".to_owned(),
                Convergence::NotReached => "finished, not converged".to_owned(),
            },
            Ok(_) => "interrupted".to_owned(),
            Err(error) => format!("failed: {error}"),
        };
        if let Some(part) = self.record.parts.last_mut() {
            part.outcome = outcome;
        }
        self.write();
    }

    fn update(&mut self) {
        if let Some(part) = self.record.parts.last_mut() {
            part.seconds = self.begin.elapsed().as_secs_f64();
            part.warnings = log::warnings();
        }
    }

    /// Writes the record on rank 0. The solution goes on without it if that fails.
    fn write(&self) {
        if self.is_root
            && self.has_begun
            && let Err(error) = self.record.write(&self.directory)
        {
            tracing::warn!("the record of the solution is not up to date: {error}");
        }
    }
}

/// Returns the numbers of cells and vertices of all ranks. Collective.
fn recorded_mesh(steady: &Steady) -> RecordedMesh {
    let mesh = &steady.mesh;
    let mut counts = ElementKind::ALL.map(|kind| mesh.kinds.iter().filter(|k| **k == kind).count() as u64);
    steady.ranks.allreduce_sum(&mut counts);
    let cells = ElementKind::ALL.iter().zip(counts).filter(|(_, count)| *count > 0);
    RecordedMesh {
        hash: format!("{:016x}", steady.provenance.mesh_hash),
        cells: cells.map(|(kind, count)| (kind.name().to_owned(), count)).collect(),
        order: steady.points,
        points: steady.dual.vertices_of_all_ranks,
    }
}
