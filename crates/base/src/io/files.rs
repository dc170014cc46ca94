//! Creating and opening files, and nothing but files.
//!
//! A directory of results may come from elsewhere, with symbolic links in the place of files. All files are created and
//! opened for writing by [`create_anew`] and [`open_regular`], which write through no link, and folders are made inside
//! of such a directory by [`create_own_folder`]. The tests in `tests/rules` check that no other code creates files.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;
use rustix::io::Errno;

use super::Error;

/// Creates a directory and its parents, if they do not exist.
pub fn create_directory(path: &Path) -> Result<(), Error> {
    fs::create_dir_all(path).map_err(Error::os("create the directory", path))
}

/// Creates a folder that the program makes inside of an output directory, and its parents, if they do not exist.
///
/// # Errors
/// A symbolic link is in its place, or it cannot be created.
pub fn create_own_folder(path: &Path) -> Result<(), Error> {
    refuse_link(path)?;
    create_directory(path)
}

/// Checks that what is at the place of a folder of the program is no symbolic link, which would lead out of the output
/// directory.
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
/// The operating system refuses, or another process creates the file at the same time.
pub fn create_anew(path: &Path) -> Result<File, Error> {
    make_way(path)?;
    let mut options = File::options();
    let created = options.read(true).write(true).create_new(true).open(path);
    created.map_err(Error::os("create", path))
}

/// Removes the file of this name, if there is one, before another program creates it.
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
/// The operating system refuses, or the path is not that of a regular file.
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
/// The operating system refuses, or the path is that of something else than a regular file.
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
/// The operating system refuses, or the path is not that of a regular file.
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
/// The operating system refuses, or the path is not that of a regular file.
pub fn read_input(path: &Path) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let read = open_input(path).and_then(|mut file| file.read_to_end(&mut bytes));
    read.map(|_| bytes).map_err(Error::os("read", path))
}

/// Reads the text of a regular file, as [`open_input`] opens it.
///
/// # Errors
/// The operating system refuses, the path is not that of a regular file, or the file is not UTF-8.
pub fn read_input_text(path: &Path) -> Result<String, Error> {
    let mut text = String::new();
    let read = open_input(path).and_then(|mut file| file.read_to_string(&mut text));
    read.map(|_| text).map_err(Error::os("read", path))
}

/// Opens a file to which lines are appended, and creates it if it does not exist.
///
/// # Errors
/// The operating system refuses, or the path is that of something else than a regular file.
pub fn open_to_append(path: &Path) -> Result<File, Error> {
    open_regular(path, File::options().create(true).append(true)).map_err(Error::os("open", path))
}
