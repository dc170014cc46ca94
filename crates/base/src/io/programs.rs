//! Where programs and libraries of others are looked for.
//!
//! The working directory is no such place: a case may have been unpacked there with programs beside it, and reading a
//! case must run none of them. Places are those that the user's environment names with absolute paths, and the Python
//! environment of the checkout in which this program was built.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use rustix::fs::Access;

/// Folder of the Python environment of a checkout, and the folder beside it in which cargo builds programs.
const ENVIRONMENT: &str = ".venv";
const BUILT: &str = "target";

/// Returns the folders of PATH in their order. A folder that is relative or empty is left out, since it is the working
/// directory or a folder of it.
pub fn search_path() -> Vec<PathBuf> {
    folders_of(&std::env::var_os("PATH").unwrap_or_default())
}

fn folders_of(path: &OsStr) -> Vec<PathBuf> {
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .collect()
}

/// Returns the first program of one of these names in PATH, the names in their order.
pub fn find_program(names: &[&str]) -> Option<PathBuf> {
    let folders = search_path();
    names.iter().find_map(|name| first_program(&folders, name))
}

/// Returns the first program of a name in these folders.
pub fn first_program(folders: &[PathBuf], name: &str) -> Option<PathBuf> {
    let mut paths = folders.iter().map(|folder| folder.join(name));
    paths.find(|path| path.is_file() && rustix::fs::access(path, Access::EXEC_OK).is_ok())
}

/// Returns a path as a word of a command that no program takes for an option.
pub fn argument(path: &Path) -> PathBuf {
    match path.as_os_str().as_encoded_bytes().first() {
        Some(b'-') => Path::new(".").join(path),
        _ => path.to_path_buf(),
    }
}

/// Returns the absolute path that a variable of the environment holds.
pub fn absolute_variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name)
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
}

/// Returns the Python environments of this user, which need not exist: that of the checkout of this program, the active
/// ones, and the user's own.
pub fn python_environments() -> Vec<PathBuf> {
    let program = std::env::current_exe().ok();
    let own = program.as_deref().and_then(checkout).map(|root| root.join(ENVIRONMENT));
    let active = ["VIRTUAL_ENV", "CONDA_PREFIX"]
        .into_iter()
        .filter_map(absolute_variable);
    let home = absolute_variable("HOME").map(|home| home.join(".local"));
    own.into_iter().chain(active).chain(home).collect()
}

/// Returns the checkout in which a program was built.
fn checkout(program: &Path) -> Option<&Path> {
    let mut above = program.ancestors().skip(1);
    above.find(|folder| folder.ends_with(BUILT)).and_then(Path::parent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_working_directory_is_not_searched() {
        let folders = folders_of(OsStr::new(":.:bin:/usr/bin::../bin:/bin:"));
        assert_eq!(folders, ["/usr/bin", "/bin"].map(PathBuf::from));
        assert!(folders_of(OsStr::new("")).is_empty());
    }

    #[test]
    fn a_program_is_a_file_that_can_be_executed() {
        use std::os::unix::fs::PermissionsExt;
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let paths = folders.each_ref().map(|folder| folder.path().to_path_buf());
        std::fs::write(paths[0].join("tool"), "no program").unwrap();
        let second = paths[1].join("tool");
        std::fs::write(&second, "#!/bin/sh\n").unwrap();
        assert_eq!(first_program(&paths, "tool"), None);
        std::fs::set_permissions(&second, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(first_program(&paths, "tool"), Some(second));
    }

    #[test]
    fn no_path_is_an_option() {
        let words = ["--report", "a/-b", "/-c"].map(|path| argument(Path::new(path)));
        assert_eq!(words, ["./--report", "a/-b", "/-c"].map(PathBuf::from));
    }

    #[test]
    fn the_checkout_is_beside_the_folder_of_the_build() {
        let of = |program| checkout(Path::new(program)).map(|root| root.to_path_buf());
        assert_eq!(of("/src/fr-les/target/release/fr-les"), Some("/src/fr-les".into()));
        assert_eq!(of("/src/fr-les/target/release/deps/cli-1"), Some("/src/fr-les".into()));
        assert_eq!(of("/tmp/fr-les"), None);
        assert_eq!(of("/usr/local/bin/fr-les"), None);
    }
}
