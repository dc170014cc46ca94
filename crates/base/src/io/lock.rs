//! The lock of an output directory: two runs in one directory would truncate and rename each other's files.
//!
//! The first process of a run holds an advisory lock (`flock`) on a hidden file in the directory. The operating system
//! releases the lock when the process ends for any reason, so the file of a killed run locks nothing. If the file
//! system has no locks, the run continues without one and logs a warning.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::Error;
use super::files::{open_regular, open_to_update};

/// Name of the locked file.
const NAME: &str = ".fr-les.lock";

/// Time to wait for a run that may be ending: `mpirun` returns before the last of its killed ranks has ended.
const PATIENCE: Duration = Duration::from_secs(5);

/// A lock that keeps other runs out of a directory until it is dropped.
#[derive(Debug)]
pub struct DirectoryLock {
    path: PathBuf,
    /// The open, locked file; `None` if the file system has no locks.
    file: Option<File>,
}

impl DirectoryLock {
    /// Locks an existing directory. To be called by one rank.
    ///
    /// # Errors
    /// Returns an error only if another run holds the lock.
    pub fn take(directory: &Path) -> Result<Self, Error> {
        Self::take_within(directory, PATIENCE)
    }

    /// Returns whether a process holds the lock of a directory. Changes nothing.
    pub fn is_held(directory: &Path) -> bool {
        let file = open_regular(&directory.join(NAME), File::options().read(true));
        file.is_ok_and(|file| flock(&file, FlockOperation::NonBlockingLockShared) == Err(Errno::WOULDBLOCK))
    }

    /// Returns whether no process holds the lock of a directory; false if the file system has no locks. Changes
    /// nothing.
    pub fn is_free(directory: &Path) -> bool {
        match open_regular(&directory.join(NAME), File::options().read(true)) {
            Ok(file) => flock(&file, FlockOperation::NonBlockingLockShared).is_ok(),
            Err(error) => error.kind() == std::io::ErrorKind::NotFound,
        }
    }

    /// Tries whether files in a directory can be locked.
    ///
    /// # Errors
    /// Returns the reason why they cannot.
    pub fn can_lock(directory: &Path) -> std::io::Result<()> {
        let path = directory.join(NAME);
        let locked = attempt(&path);
        let _ = fs::remove_file(&path);
        locked.map(|_| ()).map_err(std::io::Error::from)
    }

    fn take_within(directory: &Path, patience: Duration) -> Result<Self, Error> {
        let path = directory.join(NAME);
        let begin = Instant::now();
        loop {
            match attempt(&path) {
                Ok(Some(file)) => {
                    say_who(&file);
                    let file = Some(file);
                    return Ok(DirectoryLock { path, file });
                }
                Ok(None) => continue,
                Err(Errno::WOULDBLOCK) if begin.elapsed() < patience => {
                    std::thread::sleep(Duration::from_millis(50));
                }
                Err(Errno::WOULDBLOCK) => {
                    let holder = open_regular(&path, File::options().read(true)).map(holder);
                    return Err(Error::Busy {
                        path: directory.to_path_buf(),
                        holder: match holder.unwrap_or_default() {
                            text if text.is_empty() => "its process is not known".to_owned(),
                            known => known,
                        },
                    });
                }
                Err(errno) => {
                    let error = std::io::Error::from(errno);
                    tracing::warn!(
                        "{} cannot be locked ({error}): see to it that no other run writes there",
                        directory.display()
                    );
                    return Ok(DirectoryLock { path, file: None });
                }
            }
        }
    }
}

impl Drop for DirectoryLock {
    fn drop(&mut self) {
        // Nobody replaces a locked file, but the whole directory may have been removed and created again.
        if self.file.as_ref().is_some_and(|file| is_at(file, &self.path)) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Opens and locks the file. Returns `None` if its previous holder removed it meanwhile, so that it locks nothing, or
/// if it was a symbolic link or another name of some file, which is removed: the name of the holder is not written
/// there.
fn attempt(path: &Path) -> Result<Option<File>, Errno> {
    let errno = |error: std::io::Error| Errno::from_io_error(&error).unwrap_or(Errno::IO);
    if fs::symlink_metadata(path).is_ok_and(|there| !there.is_dir() && (!there.is_file() || there.nlink() > 1)) {
        fs::remove_file(path).map_err(errno)?;
        return Ok(None);
    }
    let file = open_to_update(path).map_err(errno)?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(is_at(&file, path).then_some(file)),
        Err(Errno::INTR) => Ok(None),
        Err(errno) => Err(errno),
    }
}

/// Returns true if the open file is the one with this name.
fn is_at(file: &File, path: &Path) -> bool {
    let identity = |there: fs::Metadata| (there.dev(), there.ino());
    let open = file.metadata().map(identity);
    let named = fs::symlink_metadata(path).map(identity);
    matches!((open, named), (Ok(open), Ok(named)) if open == named)
}

/// Returns the holder of the lock, as the file names it in its first bytes.
fn holder(file: File) -> String {
    const MOST: u64 = 200;
    let mut bytes = Vec::new();
    let _ = file.take(MOST).read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).trim().to_owned()
}

/// Writes the holder of the lock into the file, for the message of other runs. Errors, as on a full disk, are ignored.
fn say_who(mut file: &File) {
    let mut host = String::new();
    let _ = File::open("/proc/sys/kernel/hostname").and_then(|mut name| name.read_to_string(&mut host));
    let host = match host.trim() {
        "" => "an unknown machine",
        name => name,
    };
    let _ = file.set_len(0);
    let _ = file.write_all(format!("process {} on {host}\n", std::process::id()).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_locked_once_and_free_again_when_the_lock_is_dropped() {
        let directory = tempfile::tempdir().unwrap();
        let soon = Duration::from_millis(60);
        let first = DirectoryLock::take(directory.path()).unwrap();
        let refused = DirectoryLock::take_within(directory.path(), soon)
            .unwrap_err()
            .to_string();
        let name = directory.path().display().to_string();
        let me = format!("process {} on ", std::process::id());
        assert!(refused.contains(&name) && refused.contains(&me), "{refused}");
        assert!(DirectoryLock::is_held(directory.path()) && !DirectoryLock::is_free(directory.path()));
        drop(first);
        assert!(!DirectoryLock::is_held(directory.path()));
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);

        // What a killed run left behind locks nothing.
        fs::write(directory.path().join(NAME), "process 1 on another\n").unwrap();
        assert!(DirectoryLock::is_free(directory.path()));
        let second = DirectoryLock::take_within(directory.path(), soon).unwrap();
        assert!(second.file.is_some());

        // The directory was removed and made anew by another run, whose lock stays.
        fs::remove_file(directory.path().join(NAME)).unwrap();
        let third = DirectoryLock::take_within(directory.path(), soon).unwrap();
        drop(second);
        assert!(DirectoryLock::take_within(directory.path(), soon).is_err());
        drop(third);
    }

    #[test]
    fn the_holder_is_not_written_through_links() {
        let directory = tempfile::tempdir().unwrap();
        let (victim, name) = (directory.path().join("victim"), directory.path().join(NAME));
        let at_victim: [fn(&Path, &Path) -> std::io::Result<()>; 2] = [
            |from, to| std::os::unix::fs::symlink(from, to),
            |from, to| fs::hard_link(from, to),
        ];
        for link in at_victim {
            fs::write(&victim, "as before").unwrap();
            link(&victim, &name).unwrap();
            assert!(!DirectoryLock::is_held(directory.path()));
            let lock = DirectoryLock::take(directory.path()).unwrap();
            assert!(lock.file.is_some() && DirectoryLock::is_held(directory.path()));
            drop(lock);
            assert_eq!(fs::read(&victim).unwrap(), b"as before");
            assert!(!name.exists());
        }
    }

    #[test]
    fn where_no_lock_can_be_had_there_is_none_and_no_error() {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join(NAME)).unwrap();
        let lock = DirectoryLock::take(directory.path()).unwrap();
        assert!(lock.file.is_none());
        drop(lock);
        assert!(directory.path().join(NAME).is_dir());
    }
}
