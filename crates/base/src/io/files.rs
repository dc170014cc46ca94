//! Files that appear whole or not at all.
//!
//! A file is written under a temporary name in the same directory, flushed to the medium and renamed, and the directory
//! is flushed. A temporary file in another file system would be copied in place of renamed, and a copy can be
//! interrupted. [`Partial`] owns the temporary file until the rename, and removes it after an error.
//!
//! A directory of results may come from elsewhere, with symbolic links in the place of files. All files are created and
//! opened for writing by [`create_anew`] and [`open_regular`], which write through no link, and folders are made inside
//! of such a directory by [`create_own_folder`]. The tests in `tests/rules` check that no other code creates files.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, Permissions};
use std::hash::{BuildHasher, RandomState};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, OFlags};
use rustix::io::Errno;

use super::Error;

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

/// Creates a directory and its parents, if they do not exist.
///
/// # Errors
/// A directory cannot be created.
pub fn create_directory(path: &Path) -> Result<(), Error> {
    fs::create_dir_all(path).map_err(Error::os("create the directory", path))
}

/// Creates a folder that the program makes inside of an output directory, and its parents, if they do not exist.
///
/// # Errors
/// A symbolic link is in its place, or if it cannot be created.
pub fn create_own_folder(path: &Path) -> Result<(), Error> {
    refuse_link(path)?;
    create_directory(path)
}

/// Checks that what is at the place of a folder of the program is no symbolic link, which would lead out of the output
/// directory.
///
/// # Errors
/// It is one.
pub fn refuse_link(path: &Path) -> Result<(), Error> {
    if fs::symlink_metadata(path).is_ok_and(|there| there.is_symlink()) {
        return Err(Error::Input {
            path: path.to_path_buf(),
            detail: "this is a symbolic link, and no folder of this program: remove it, or move what it leads to here"
                .to_owned(),
        });
    }
    Ok(())
}

/// Creates an empty file. What has this name is removed first: a symbolic link, a second name of another file or a pipe
/// is not written to.
///
/// # Errors
/// The operating system refuses, or if another process creates the file at the same time.
pub fn create_anew(path: &Path) -> Result<File, Error> {
    make_way(path)?;
    let mut options = File::options();
    let created = options.read(true).write(true).create_new(true).open(path);
    created.map_err(Error::os("create", path))
}

/// Removes the file of this name, if there is one, before another program creates it.
///
/// # Errors
/// The operating system refuses.
pub fn make_way(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::os("replace", path)(error)),
        _ => Ok(()),
    }
}

/// Opens a regular file with these options, and nothing else: a symbolic link is not followed, and a pipe not waited
/// for.
///
/// # Errors
/// The operating system refuses, or if the path is not that of a regular file.
pub fn open_regular(path: &Path, options: &mut OpenOptions) -> std::io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let opened = options.custom_flags(flags.bits() as i32).open(path);
    let refused = |what| std::io::Error::new(ErrorKind::InvalidInput, what);
    let file = opened.map_err(|error| match Errno::from_io_error(&error) {
        Some(Errno::LOOP) => refused("it is a symbolic link, which is not followed"),
        _ => error,
    })?;
    regular(file)
}

/// Opens a regular file for reading and writing, and creates it if it does not exist.
///
/// # Errors
/// The operating system refuses, or if the path is that of something else than a regular file.
pub(crate) fn open_to_update(path: &Path) -> std::io::Result<File> {
    open_regular(
        path,
        File::options().read(true).write(true).create(true).truncate(false),
    )
}

/// Opens a regular file for reading; a symbolic link to one is followed. A pipe is not waited for, and a device, which
/// may never end, is not read.
///
/// # Errors
/// The operating system refuses, or if the path is not that of a regular file.
pub fn open_input(path: &Path) -> std::io::Result<File> {
    let flags = OFlags::NONBLOCK.bits() as i32;
    let file = File::options().read(true).custom_flags(flags).open(path)?;
    regular(file)
}

/// Returns an open file if it is a regular one, and an error for a pipe, a device or a directory.
fn regular(file: File) -> std::io::Result<File> {
    if file.metadata()?.is_file() {
        return Ok(file);
    }
    Err(std::io::Error::new(ErrorKind::InvalidInput, "it is not a regular file"))
}

/// Reads a regular file, as [`open_input`] opens it.
///
/// # Errors
/// The operating system refuses, or if the path is not that of a regular file.
pub fn read_input(path: &Path) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let read = open_input(path).and_then(|mut file| file.read_to_end(&mut bytes));
    read.map(|_| bytes).map_err(Error::os("read", path))
}

/// Reads the text of a regular file, as [`open_input`] opens it.
///
/// # Errors
/// The operating system refuses, if the path is not that of a regular file, or if the file is not
/// UTF-8.
pub fn read_input_text(path: &Path) -> Result<String, Error> {
    let mut text = String::new();
    let read = open_input(path).and_then(|mut file| file.read_to_string(&mut text));
    read.map(|_| text).map_err(Error::os("read", path))
}

/// Opens a file to which lines are appended, and creates it if it does not exist.
///
/// # Errors
/// The operating system refuses, or if the path is that of something else than a regular file.
pub fn open_to_append(path: &Path) -> Result<File, Error> {
    open_regular(path, File::options().create(true).append(true)).map_err(Error::os("open", path))
}

/// Checks that a directory can be written to, or could be after its creation. Changes nothing.
///
/// # Errors
/// It could not be created or written to.
pub fn check_directory(path: &Path) -> Result<(), Error> {
    for above in path.ancestors().map(or_here) {
        return match fs::metadata(above) {
            Ok(there) if there.is_dir() => check_access(above),
            Ok(_) => Err(Error::Input {
                path: path.to_path_buf(),
                detail: format!("no directory can be there, because {} is a file", above.display()),
            }),
            Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => continue,
            Err(e) => Err(Error::os("look into the directory", above)(e)),
        };
    }
    Ok(())
}

/// Checks that a file could be written, or replaced, without creating a directory. Changes nothing.
///
/// # Errors
/// It could not.
pub fn check_file(path: &Path) -> Result<(), Error> {
    let refused = |detail: String| Error::Input {
        path: path.to_path_buf(),
        detail,
    };
    match fs::metadata(path) {
        Ok(there) if there.is_dir() => return Err(refused("this is a directory: name a file in it".to_owned())),
        Ok(there) if !there.is_file() => {
            return Err(refused("this is no regular file, and is not replaced".to_owned()));
        }
        _ => {}
    }
    let directory = or_here(path.parent().unwrap_or(Path::new("")));
    if !directory.is_dir() {
        let directory = directory.display();
        return Err(refused(format!(
            "there is no directory {directory} to write the file to; create it first"
        )));
    }
    check_access(directory)
}

/// Returns the path, or the working directory for an empty path.
fn or_here(path: &Path) -> &Path {
    if path.as_os_str().is_empty() {
        Path::new(".")
    } else {
        path
    }
}

fn check_access(directory: &Path) -> Result<(), Error> {
    let wanted = Access::WRITE_OK | Access::EXEC_OK;
    rustix::fs::access(directory, wanted).map_err(|errno| Error::os("write to the directory", directory)(errno.into()))
}

/// A folder that is removed with its contents when it is dropped.
#[derive(Debug)]
pub struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    /// Creates a folder in another one, for this user alone; its name is the stem with a random number, so that the
    /// remains of a killed process are not in the way.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn new(parent: &Path, stem: &str) -> std::io::Result<Self> {
        let path = parent.join(format!("{stem}-{:016x}", random_number()));
        fs::DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self(path))
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Creates an empty file in the folder, or replaces it.
    ///
    /// # Errors
    /// The operating system refuses.
    pub fn create_file(&self, name: &str) -> Result<File, Error> {
        create_anew(&self.0.join(name))
    }
}

/// Returns a number that is seeded by the system for every process, and different at every call.
fn random_number() -> u64 {
    RandomState::new().hash_one(std::process::id())
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
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
    ///
    /// # Errors
    /// The operating system refuses.
    pub fn create(&self) -> Result<File, Error> {
        create_anew(&self.temporary)
    }

    /// Opens the temporary file, which was created before, for writing.
    ///
    /// # Errors
    /// The operating system refuses, or if it is no longer a regular file.
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
    ///
    /// # Errors
    /// The file cannot be flushed or renamed.
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
    fn a_temporary_folder_is_of_this_user_alone_and_unlike_others() {
        use std::os::unix::fs::MetadataExt;
        let parent = tempfile::tempdir().unwrap();
        let folders = [0; 2].map(|_| TemporaryFolder::new(parent.path(), "stem").unwrap());
        assert_ne!(folders[0].path(), folders[1].path());
        for folder in &folders {
            assert_eq!(fs::metadata(folder.path()).unwrap().mode() & 0o777, 0o700);
        }
        drop(folders);
        assert_eq!(names(parent.path()).len(), 0);
    }

    #[test]
    fn what_cannot_be_written_is_known_before() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "").unwrap();
        assert!(check_directory(Path::new("new")).is_ok() && check_directory(&at("new/newer")).is_ok());
        assert!(check_file(Path::new("new")).is_ok() && check_file(&at("file")).is_ok());
        assert_eq!(names(folder.path()), ["file"]);
        let refused = |result: Result<(), Error>, part: &str| {
            let error = result.unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        };
        refused(check_directory(&at("file/below")), "file is a file");
        refused(check_file(&at("new/file")), "new to write the file to; create it first");
        refused(check_file(folder.path()), "this is a directory");
        refused(check_file(Path::new("/dev/null")), "no regular file");
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
