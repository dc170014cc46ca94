//! The files that are written beside the run: when they get their names, and what follows.

use super::error::RunError;
use super::progress::Progress;
use super::state::Run;
use crate::format::physical_time;
use crate::io::RUNNING;
use crate::output::{Completion, Contents};

impl Run<'_> {
    /// Gives the files their names that all ranks have written, if no rank has more than `unfinished` to write.
    /// Collective.
    pub(super) fn publish(&mut self, unfinished: usize, progress: &Progress) -> Result<(), RunError> {
        self.beside.publish(self.world, unfinished)?;
        self.complete(progress)
    }

    /// Waits for the files that are being written. Collective.
    pub(super) fn finish_files(&mut self, progress: &Progress) -> Result<(), RunError> {
        self.beside.finish(self.world)?;
        self.complete(progress)
    }

    /// Waits for the files that are being written when the run has ended, well or with an error. Its own error is the
    /// one that is reported. Collective, unless the ranks do not answer each other any more.
    pub(super) fn end_files<T>(&mut self, ended: Result<T, RunError>, progress: &Progress) -> Result<T, RunError> {
        match ended {
            Ok(outcome) => self.finish_files(progress).map(|()| outcome),
            Err(error) if error.is_of_one_rank() && self.solver.ranks.size() > 1 => Err(error),
            Err(mut error) => {
                let _ = self.finish_files(progress);
                error.set_last_output(self.last_good());
                Err(error)
            }
        }
    }

    /// Does what follows for the files that have become complete. Collective.
    pub(super) fn complete(&mut self, progress: &Progress) -> Result<(), RunError> {
        for completion in self.beside.take_complete() {
            if let Some(list) = completion.list() {
                self.on_root(|_| list.write())?;
                self.files.push(completion.path.clone());
            }
            let Completion {
                path,
                time,
                begun,
                waited,
                contents,
            } = completion;
            let [all, waited] = [begun.elapsed(), waited].map(|time| time.as_secs_f64());
            let (at, file) = (physical_time(time), path.display());
            let cost = format!("in {all:.2} s, {waited:.2} s of which the run waited");
            let holds_state = matches!(contents, Contents::Checkpoint { .. } | Contents::Solution(_));
            match contents {
                Contents::SubCells(_) | Contents::Cells => (),
                Contents::Solution(_) | Contents::PartOfSolution(_) => {
                    progress.say(|| tracing::info!("t {at}: wrote {file}"));
                    tracing::debug!("files: {file} {cost}");
                }
                Contents::Checkpoint { kept, written } => {
                    self.keep_newest(kept)?;
                    self.newest_written = Some(written);
                    progress.say(|| tracing::info!("t {at}: wrote {file} {cost}"));
                    self.read_energy();
                    self.write_record(RUNNING);
                }
            }
            if holds_state {
                self.last_output = Some(path);
            }
        }
        Ok(())
    }
}
