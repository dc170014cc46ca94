//! Files whose arrays a thread writes beside the run, so that the devices wait for the copy of their state only.
//!
//! The ranks lay a file out together: HDF5 creates all datasets, writes texts and attributes, and closes the file,
//! which is then whole but for the rows of its arrays. These rows are kept in memory with their places in the file: an
//! array that is stored in one piece has a fixed place, which HDF5 tells. A thread of each rank writes them there and
//! flushes the file. When it has done so on all ranks, the run gives the file its name.
//!
//! This needs nothing of MPI and HDF5 that they might not give. The thread calls neither of them: it has a handle of
//! its own of a file that HDF5 has closed. The run's own calls, in which ranks wait for each other, therefore keep
//! their order on all ranks, and MPI need not be used by several threads. The bytes are those that HDF5 would have
//! written. Ranks write different bytes of a file whose length is fixed, through handles that cannot read, so that no
//! machine writes back bytes of another one that it has kept in a page.
//!
//! One file is written at a time, in the order in which they were begun. Files of one step may wait for each other; a
//! file of another step is begun when they are complete ([`Beside::make_room`]), so that the copies in memory are those
//! of one step at most.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use mpi::topology::SimpleCommunicator;

use super::Error;
use super::parallel::{Unfinished, agree, publish};
use super::partial::Partial;
use super::stretch::{Stretch, write_stretches};

/// Rows that the thread is to write into a file.
struct Task {
    path: PathBuf,
    stretches: Vec<Stretch>,
}

/// The thread of a rank.
struct Worker {
    /// `None` once no more tasks come.
    tasks: Option<Sender<Task>>,
    /// One result for each task, in their order.
    results: Receiver<Result<(), Error>>,
    handle: Option<JoinHandle<()>>,
}

impl Worker {
    fn start() -> std::io::Result<Self> {
        let (tasks, waiting) = channel::<Task>();
        let (done, results) = channel();
        let work = move || {
            for Task { path, stretches } in waiting {
                let written = write_stretches(&path, &stretches);
                // Before the run learns of it, which may then take a copy of the same size.
                drop(stretches);
                if done.send(written).is_err() {
                    return;
                }
            }
        };
        let handle = std::thread::Builder::new().name("files".to_owned()).spawn(work)?;
        Ok(Worker {
            tasks: Some(tasks),
            results,
            handle: Some(handle),
        })
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        drop(self.tasks.take());
        if let Some(handle) = self.handle.take() {
            // If the thread panicked, its message is on the screen.
            let _ = handle.join();
        }
    }
}

/// A file that is being written.
struct Pending<T> {
    /// Its final name.
    path: PathBuf,
    partial: Partial,
    /// The step of the run in which it was begun.
    step: u64,
    /// What this rank's thread has said.
    result: Option<Result<(), Error>>,
    /// What the run does when it is complete.
    then: T,
}

/// The files that are written beside a run, each with a `T` that tells the run what to do when it is complete.
pub struct Beside<T> {
    worker: Option<Worker>,
    /// In the order in which they were begun, which is the same on all ranks.
    pending: VecDeque<Pending<T>>,
    complete: Vec<T>,
}

impl<T> Default for Beside<T> {
    fn default() -> Self {
        Beside {
            worker: None,
            pending: VecDeque::new(),
            complete: Vec::new(),
        }
    }
}

impl<T> Beside<T> {
    /// Waits until a file of a step may be begun. Collective.
    ///
    /// # Errors
    /// A file could not be written.
    pub fn make_room(&mut self, comm: &SimpleCommunicator, path: &Path, step: u64) -> Result<(), Error> {
        let in_the_way = |file: &Pending<T>| file.step != step || file.path == path;
        if self.pending.iter().any(in_the_way) {
            self.finish(comm)?;
        }
        Ok(())
    }

    /// Lets the thread complete a file that was begun in a step. [`Beside::make_room`] has been called. Collective.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn add(
        &mut self,
        comm: &SimpleCommunicator,
        path: &Path,
        step: u64,
        file: Unfinished,
        then: T,
    ) -> Result<(), Error> {
        let Unfinished { partial, stretches } = file;
        let started = match self.worker.take() {
            Some(worker) => Ok(worker),
            None => Worker::start().map_err(Error::os("start the thread that writes", path)),
        };
        let worker = self.worker.insert(agree(comm, started)?);
        let task = Task {
            path: partial.temporary().to_path_buf(),
            stretches,
        };
        if let Some(tasks) = &worker.tasks {
            // A thread that is gone is found when its result is asked for.
            let _ = tasks.send(task);
        }
        self.pending.push_back(Pending {
            path: path.to_path_buf(),
            partial,
            step,
            result: None,
            then,
        });
        Ok(())
    }

    /// Returns how many files this rank's thread has yet to write.
    pub fn unfinished(&mut self) -> usize {
        while let Some(result) = self.worker.as_ref().and_then(|worker| worker.results.try_recv().ok()) {
            self.note(result);
        }
        self.pending.iter().filter(|file| file.result.is_none()).count()
    }

    fn note(&mut self, result: Result<(), Error>) {
        if let Some(file) = self.pending.iter_mut().find(|file| file.result.is_none()) {
            file.result = Some(result);
        }
    }

    /// Gives the files their names that all ranks have written, if no rank has more than `unfinished` to write; the
    /// number is the same on all ranks. Collective.
    ///
    /// # Errors
    /// A file could not be written. No part of it remains, nor of those that were begun after it.
    pub fn publish(&mut self, comm: &SimpleCommunicator, unfinished: usize) -> Result<(), Error> {
        while self.pending.len() > unfinished {
            let Some(Pending {
                path,
                partial,
                result,
                then,
                ..
            }) = self.pending.pop_front()
            else {
                break;
            };
            let stopped = || std::io::Error::other("the thread that writes has stopped");
            let result = result.unwrap_or_else(|| Err(Error::os("write", &path)(stopped())));
            let published = agree(comm, result).and_then(|()| publish(comm, partial));
            if let Err(error) = published {
                self.pending.clear();
                return Err(error);
            }
            self.complete.push(then);
        }
        Ok(())
    }

    /// Waits until all files are complete. Collective.
    ///
    /// # Errors
    /// As for [`Beside::publish`].
    pub fn finish(&mut self, comm: &SimpleCommunicator) -> Result<(), Error> {
        while self.pending.iter().any(|file| file.result.is_none()) {
            let Some(result) = self.worker.as_ref().and_then(|worker| worker.results.recv().ok()) else {
                break;
            };
            self.note(result);
        }
        self.publish(comm, 0)
    }

    /// Returns what the run has to do for files that have become complete, in the order of the files.
    pub fn take_complete(&mut self) -> Vec<T> {
        std::mem::take(&mut self.complete)
    }
}
