//! Files that appear whole or not at all.
//!
//! A file is written under a temporary name in the same directory, flushed to the medium and renamed, and the directory
//! is flushed. A temporary file in another file system would be copied in place of renamed, and a copy can be
//! interrupted. [`Partial`] owns the temporary file until the rename, and removes it after an error.

use std::ffi::OsString;
use std::fs::{self, File, Permissions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use super::Error;
use super::files::{create_anew, open_regular};
use super::temporary_folder::random_number;
use super::writable::or_here;

/// Writes `bytes` to `path` and replaces an existing file: readers see the old file or the new one, never a part.
///
/// # Errors
/// The file cannot be written; an existing file is then unchanged.
pub fn atomic_write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let partial = Partial::new(path)?;
    let mut file = partial.create()?;
    file.write_all(bytes).map_err(Error::os("write", path))?;
    drop(file);
    partial.publish()
}

/// Does the same if several processes of one user may write one file at the same time: each uses its own temporary
/// name, and the last rename wins. Other users can neither read nor write the file. A process that is killed leaves its
/// temporary file behind.
///
/// # Errors
/// The file cannot be written; an existing file is then unchanged.
pub fn atomic_write_shared(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let partial = Partial::unique(path)?;
    let mut file = partial.create()?;
    let own = Permissions::from_mode(0o600);
    file.set_permissions(own).map_err(Error::os("protect", path))?;
    file.write_all(bytes).map_err(Error::os("write", path))?;
    drop(file);
    partial.publish()
}

/// A file that is being written under a temporary name. It is removed on drop unless it was published.
pub struct Partial {
    path: PathBuf,
    temporary: PathBuf,
    remove: bool,
}

impl Partial {
    /// Chooses the temporary name for `path`; creates nothing. The name depends on `path` alone, so that all ranks
    /// agree on it and the next attempt overwrites the remains of a killed run. It is hidden, so that viewers do not
    /// group it with numbered files.
    ///
    /// # Errors
    /// `path` is not the name of a file.
    pub fn new(path: &Path) -> Result<Self, Error> {
        let name = path.file_name().ok_or_else(|| Error::Input {
            path: path.to_path_buf(),
            detail: "this is not the name of a file".to_string(),
        })?;
        let mut hidden = OsString::from(".");
        hidden.push(name);
        hidden.push(".part");
        Ok(Partial {
            path: path.to_path_buf(),
            temporary: path.with_file_name(hidden),
            remove: true,
        })
    }

    /// Does the same with a temporary name that no other process or thread uses, on any machine that shares the
    /// directory.
    fn unique(path: &Path) -> Result<Self, Error> {
        let mut partial = Partial::new(path)?;
        partial
            .temporary
            .set_extension(format!("{:016x}.part", random_number()));
        Ok(partial)
    }

    /// Returns the file for a rank that writes into it, but leaves publishing and removing it to rank 0.
    pub fn of_rank_0(mut self) -> Self {
        self.remove = false;
        self
    }

    /// Returns the temporary name of the file.
    pub fn temporary(&self) -> &Path {
        &self.temporary
    }

    /// Creates the temporary file, empty.
    pub fn create(&self) -> Result<File, Error> {
        create_anew(&self.temporary)
    }

    /// Opens the temporary file, which was created before, for writing.
    ///
    /// # Errors
    /// The operating system refuses, or it is no longer a regular file.
    pub fn open(&self) -> Result<File, Error> {
        open_regular(&self.temporary, File::options().write(true)).map_err(Error::os("open", &self.temporary))
    }

    /// Reserves `bytes` of space for the temporary file. Returns false if the file system cannot reserve space.
    ///
    /// If the disk fills up while ranks write together, MPI libraries leave the ranks waiting for each other inside the
    /// write. Reserved space prevents this.
    ///
    /// # Errors
    /// The space is not available.
    pub fn reserve(&self, bytes: u64) -> Result<bool, Error> {
        let file = self.open()?;
        match rustix::fs::fallocate(&file, rustix::fs::FallocateFlags::empty(), 0, bytes) {
            Ok(()) => Ok(true),
            Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => {
                let there = rustix::fs::fstatvfs(&file).ok();
                // Some network file systems do not report their size.
                let free = there.filter(|there| there.f_blocks > 0);
                match free.map(|there| there.f_bavail.saturating_mul(there.f_frsize)) {
                    Some(free) if free < bytes => {
                        let megabytes = |bytes: u64| bytes as f64 * 1e-6;
                        let detail = format!(
                            "No space left on device: {:.1} MB may be needed, {:.1} MB are free",
                            megabytes(bytes),
                            megabytes(free)
                        );
                        let source = std::io::Error::new(ErrorKind::StorageFull, detail);
                        Err(Error::os("reserve space for", &self.temporary)(source))
                    }
                    // This also fails beyond `ulimit -f`, before HDF5 would crash there.
                    _ => file
                        .set_len(bytes)
                        .map(|()| false)
                        .map_err(Error::os("reserve space for", &self.temporary)),
                }
            }
            Err(errno) => Err(Error::os("reserve space for", &self.temporary)(errno.into())),
        }
    }

    /// Flushes the temporary file to the medium and gives it its final name.
    pub fn publish(mut self) -> Result<(), Error> {
        // Opened for writing: some systems refuse to flush a file that is open for reading only.
        let file = self.open()?;
        file.sync_all().map_err(Error::os("flush", &self.temporary))?;
        fs::rename(&self.temporary, &self.path).map_err(Error::os("rename", &self.temporary))?;
        self.remove = false;
        // Flushing the directory writes the rename to the medium. Network file systems may refuse this, which is not an
        // error: the file is complete in either case.
        let parent = self.path.parent().unwrap_or(Path::new(""));
        if let Ok(directory) = File::open(or_here(parent)) {
            let _ = directory.sync_all();
        }
        Ok(())
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if self.remove {
            // An error is being reported already, and the file may never have been created.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::files::{create_own_folder, open_to_append, read_input};

    fn names(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }

    #[test]
    fn writes_and_replaces_without_leftovers() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.txt");
        atomic_write(&path, b"one").unwrap();
        atomic_write(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(names(directory.path()), ["a.txt"]);
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.txt");
        atomic_write(&path, b"old").unwrap();
        let partial = Partial::new(&path).unwrap();
        partial.create().unwrap().write_all(b"half of the n").unwrap();
        drop(partial);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(directory.path()), ["a.txt"]);

        // A directory in the way makes the rename, the last step, fail.
        let taken = directory.path().join("taken");
        fs::create_dir(&taken).unwrap();
        let error = atomic_write(&taken, b"new").unwrap_err();
        assert!(error.to_string().contains("cannot rename"), "{error}");
        assert_eq!(names(&taken).len(), 0);
        assert_eq!(names(directory.path()).len(), 2);
    }

    #[test]
    fn nothing_is_written_through_links_or_pipes() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        fs::write(at("victim"), "as before").unwrap();
        std::os::unix::fs::symlink(at("victim"), at(".a.txt.part")).unwrap();
        atomic_write(&at("a.txt"), b"new").unwrap();
        fs::hard_link(at("victim"), at(".b.txt.part")).unwrap();
        atomic_write(&at("b.txt"), b"new").unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            at(".c.txt.part"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RWXU,
            0,
        )
        .unwrap();
        // A pipe that nobody reads would be waited for.
        assert!(open_to_append(&at(".c.txt.part")).is_err());
        assert!(read_input(&at(".c.txt.part")).is_err() && read_input(Path::new("/dev/zero")).is_err());
        atomic_write(&at("c.txt"), b"new").unwrap();
        for name in ["a.txt", "b.txt", "c.txt"] {
            assert_eq!(fs::read(at(name)).unwrap(), b"new");
        }
        std::os::unix::fs::symlink(at("victim"), at("log")).unwrap();
        let error = open_to_append(&at("log")).unwrap_err().to_string();
        assert!(
            error.contains("it is a symbolic link, which is not followed"),
            "{error}"
        );
        std::os::unix::fs::symlink(at("absent"), at("dangling")).unwrap();
        assert!(open_to_append(&at("dangling")).is_err() && !at("absent").exists());
        assert_eq!(fs::read(at("victim")).unwrap(), b"as before");

        fs::create_dir(at("elsewhere")).unwrap();
        std::os::unix::fs::symlink(at("elsewhere"), at("steady")).unwrap();
        let error = create_own_folder(&at("steady")).unwrap_err().to_string();
        assert!(error.contains("this is a symbolic link"), "{error}");
        create_own_folder(&at("elsewhere")).unwrap();
    }

    #[test]
    fn errors_name_the_file() {
        let error = atomic_write(Path::new("/no/such/directory/a.txt"), b"")
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("cannot create /no/such/directory/.a.txt.part"),
            "{error}"
        );
        assert!(atomic_write(Path::new("/"), b"").is_err());
    }
}
