//! Checks, before a run, of whether what it will write can be written.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use rustix::fs::Access;

use super::Error;

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
pub(super) fn or_here(path: &Path) -> &Path {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_written_is_known_before() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "").unwrap();
        assert!(check_directory(Path::new("new")).is_ok() && check_directory(&at("new/newer")).is_ok());
        assert!(check_file(Path::new("new")).is_ok() && check_file(&at("file")).is_ok());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        let refused = |result: Result<(), Error>, part: &str| {
            let error = result.unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        };
        refused(check_directory(&at("file/below")), "file is a file");
        refused(check_file(&at("new/file")), "new to write the file to; create it first");
        refused(check_file(folder.path()), "this is a directory");
        refused(check_file(Path::new("/dev/null")), "no regular file");
    }
}
