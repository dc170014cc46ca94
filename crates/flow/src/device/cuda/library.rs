//! NVIDIA's libraries that do not belong to the driver: the search for them on this machine, and their functions.
//!
//! A library is loaded here by its path rather than through cudarc, which asks the dynamic linker for a fixed list of
//! names. That cannot prefer a directory that the user names over a CUDA toolkit in LD_LIBRARY_PATH, does not find
//! future major versions, and panics where something is missing.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use libloading::Library;

use crate::io::{absolute_variable, python_environments};

/// The reason why a library is not there.
#[derive(Debug, Clone, thiserror::Error)]
pub enum LoadError {
    /// None of the searched directories has it.
    #[error("{what}, is not on this machine: {cure}\nsearched: {searched}")]
    Missing {
        /// The library with its purpose.
        what: &'static str,
        /// What brings it.
        cure: &'static str,
        /// The searched directories.
        searched: String,
    },
    /// The variable of the library names a directory without it.
    #[error("{variable} is {}, but there is no {stem} in it (nor in its lib64 or nvidia/*/lib)", directory.display())]
    NotThere {
        /// The variable.
        variable: &'static str,
        /// Its value.
        directory: PathBuf,
        /// Beginning of the name of the file.
        stem: &'static str,
    },
    /// The dynamic linker cannot load it.
    #[error("cannot load {}: {reason}", path.display())]
    Refused {
        /// Path of the library.
        path: PathBuf,
        /// The reason that the linker gives.
        reason: String,
    },
}

impl LoadError {
    /// The reason why a file is not the library, or cannot be used as such.
    pub(super) fn refused(path: &Path, reason: impl ToString) -> Self {
        LoadError::Refused {
            path: path.to_path_buf(),
            reason: reason.to_string(),
        }
    }
}

/// A library that is wanted.
pub(super) struct Wanted {
    /// The library with its purpose, for the error.
    pub what: &'static str,
    /// What brings it, for the error.
    pub cure: &'static str,
    /// The variable by which a user names its directory.
    pub variable: &'static str,
    /// Beginning of the name of its file, before the version.
    pub stem: &'static str,
    /// Names under which the dynamic linker may know it, the best first.
    pub names: &'static [&'static str],
}

impl Wanted {
    /// Searches for the library and loads it by `load`: in the directory of the variable if that is set, else in the
    /// paths of the dynamic linker, then in CUDA toolkits, then in Python environments.
    ///
    /// # Errors
    /// The library is not found or cannot be loaded.
    pub fn search<T>(&self, load: impl Fn(&Path) -> Result<T, LoadError>) -> Result<T, LoadError> {
        if let Some(directory) = std::env::var_os(self.variable).filter(|d| !d.is_empty()) {
            // The user has named a directory, so no other one is searched.
            return self.in_directory(directory.into(), load);
        }
        for name in self.names {
            if let Ok(library) = load(Path::new(name)) {
                return Ok(library);
            }
        }
        let groups = search_directories();
        // The first group with a library is used, and the newest version in it.
        match groups.iter().find_map(|group| newest(group, self.stem)) {
            Some(path) => load(&path),
            None => Err(LoadError::Missing {
                what: self.what,
                cure: self.cure,
                searched: std::iter::once("the dynamic linker's paths".to_owned())
                    .chain(groups.iter().flatten().map(|p| p.display().to_string()))
                    .collect::<Vec<_>>()
                    .join(", "),
            }),
        }
    }

    /// Loads the newest version in a directory that the user names.
    fn in_directory<T>(
        &self,
        directory: PathBuf,
        load: impl Fn(&Path) -> Result<T, LoadError>,
    ) -> Result<T, LoadError> {
        let searched = [vec![directory.clone(), directory.join("lib64")], wheels(&directory)].concat();
        let path = newest(&searched, self.stem).ok_or(LoadError::NotThere {
            variable: self.variable,
            directory,
            stem: self.stem,
        })?;
        load(&path)
    }
}

/// Opens a library for the rest of the process.
///
/// # Errors
/// The dynamic linker refuses it.
pub(super) fn open(path: &Path) -> Result<&'static Library, LoadError> {
    // A relative path is made absolute, since the linker would search its own paths for a bare name.
    let absolute = match path.components().count() {
        1 => path.to_path_buf(),
        _ => std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()),
    };
    // SAFETY: loading runs the initialisers of NVIDIA's libraries, which demand nothing of the caller.
    let library = unsafe { Library::new(absolute) }.map_err(|e| LoadError::refused(path, e))?;
    Ok(Box::leak(Box::new(library)))
}

/// Returns the directories to search, in groups of equal priority.
fn search_directories() -> Vec<Vec<PathBuf>> {
    let toolkits = [
        absolute_variable("CUDA_HOME"),
        absolute_variable("CUDA_PATH"),
        Some("/usr/local/cuda".into()),
    ];
    let mut groups: Vec<Vec<PathBuf>> = toolkits.into_iter().flatten().map(|t| vec![t.join("lib64")]).collect();
    let prefixes = python_environments().into_iter();
    for prefix in prefixes.chain(["/usr/local".into(), "/usr".into()]) {
        let pythons = children(&prefix.join("lib"), "python3");
        let packages = pythons
            .iter()
            .flat_map(|python| ["site-packages", "dist-packages"].map(|kind| python.join(kind)));
        let wheels: Vec<PathBuf> = packages.flat_map(|packages| wheels(&packages)).collect();
        // Directories that do not exist are left out, because an error lists all of them.
        groups.extend((!wheels.is_empty()).then_some(wheels));
    }
    let mut seen = BTreeSet::new();
    groups.retain(|group| seen.insert(group.clone()));
    groups
}

/// Returns the library directories of NVIDIA's wheels in a directory of Python packages.
fn wheels(packages: &Path) -> Vec<PathBuf> {
    let wheels = children(&packages.join("nvidia"), "");
    wheels
        .iter()
        .map(|w| w.join("lib"))
        .filter(|lib| lib.is_dir())
        .collect()
}

/// Returns the sorted paths in a directory whose names begin with `prefix`.
fn children(directory: &Path, prefix: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries
        .filter(|e| e.file_name().to_string_lossy().starts_with(prefix))
        .map(|e| e.path())
        .collect();
    paths.sort();
    paths
}

/// Returns the versions of a library in a directory, with their paths. That of a file without a version, which is a
/// link to one of the others or the only one, is zero.
pub(super) fn versions(directory: &Path, stem: &str) -> Vec<(Vec<u32>, PathBuf)> {
    let files = children(directory, stem).into_iter();
    files.filter_map(|path| Some((version(&path, stem)?, path))).collect()
}

/// Returns the version in the name of a file of a library; `None` if it is no such file.
pub(super) fn version(path: &Path, stem: &str) -> Option<Vec<u32>> {
    let name = path.file_name()?.to_str()?;
    let version = name.strip_prefix(stem)?.trim_start_matches('.');
    let numbers: Result<Vec<u32>, _> = version.split('.').map(str::parse).collect();
    if version.is_empty() {
        Some(vec![0])
    } else {
        numbers.ok()
    }
}

/// Returns the newest version of a library in these directories.
pub(super) fn newest(directories: &[PathBuf], stem: &str) -> Option<PathBuf> {
    let libraries = directories.iter().flat_map(|directory| versions(directory, stem));
    let (_, path) = libraries.max_by(|a, b| a.0.cmp(&b.0))?;
    Some(path)
}

/// Declares the functions of a library: `Functions` has a field for each, and `reason` returns the words of the library
/// for the result of a call.
macro_rules! functions {
    (
        $(#[$text:meta])*
        $words:literal;
        $($field:ident = $name:literal: fn($($argument:ty),*);)*
    ) => {
        $(#[$text])*
        pub(super) struct Functions {
            // SAFETY: must be called as the header requires: with live objects of the library, and buffers that are
            // large enough.
            $(pub $field: unsafe extern "C" fn($($argument),*) -> std::ffi::c_int,)*
            // SAFETY: takes any number, and returns text that lives as long as the library.
            words: unsafe extern "C" fn(std::ffi::c_int) -> *const std::ffi::c_char,
        }

        impl Functions {
            /// # Safety
            /// SAFETY: the library must be the one whose header declares these functions.
            unsafe fn of(library: &'static libloading::Library) -> Result<Self, libloading::Error> {
                // SAFETY: the caller guarantees the library, which stays loaded.
                unsafe {
                    Ok(Functions {
                        $($field: *library.get(concat!($name, "\0").as_bytes())?,)*
                        words: *library.get(concat!($words, "\0").as_bytes())?,
                    })
                }
            }

            /// Returns the words of the library for the result of a call.
            pub fn reason(&self, status: std::ffi::c_int) -> String {
                // SAFETY: the function accepts any number and returns a static string.
                unsafe { std::ffi::CStr::from_ptr((self.words)(status)) }
                    .to_string_lossy()
                    .into_owned()
            }
        }
    };
}
pub(super) use functions;

/// Compiles C text to a library of this name in a folder, and returns its path: tests call it in place of the real one.
#[cfg(test)]
pub(super) fn compiled(folder: &Path, name: &str, text: &str) -> PathBuf {
    let library = folder.join(name);
    let mut compiler = std::process::Command::new("cc")
        .args(["-shared", "-fPIC", "-x", "c", "-", "-o"])
        .arg(&library)
        .stdin(std::process::Stdio::piped())
        .spawn()
        .expect("a C compiler");
    let mut input = compiler.stdin.take().expect("the input of the compiler");
    std::io::Write::write_all(&mut input, text.as_bytes()).expect("the source");
    drop(input);
    assert!(compiler.wait().expect("the end of the compiler").success());
    library
}

#[cfg(test)]
mod tests {
    use super::*;

    const WANTED: Wanted = Wanted {
        what: "a library of a test",
        cure: "there is none",
        variable: "FR_LES_NO_SUCH_LIBRARY",
        stem: "libfr-les-test.so",
        names: &["libfr-les-test.so.7"],
    };

    #[test]
    fn the_newest_version_is_taken() {
        let directory = tempfile::tempdir().unwrap();
        let (old, new) = (directory.path().join("old"), directory.path().join("new"));
        for (lib, names) in [
            (&old, ["libnvrtc.so.9.2", "libnvrtc-builtins.so.9.2", "libnvrtc.so"]),
            (
                &new,
                ["libnvrtc.so.13", "libnvrtc-builtins.so.13.0", "libnvrtc.alt.so.13"],
            ),
        ] {
            std::fs::create_dir(lib).unwrap();
            for name in names {
                std::fs::write(lib.join(name), "").unwrap();
            }
        }
        let both = [old.clone(), new.clone()];
        assert_eq!(newest(&both, "libnvrtc.so"), Some(new.join("libnvrtc.so.13")));
        assert_eq!(newest(&both[..1], "libnvrtc.so"), Some(old.join("libnvrtc.so.9.2")));
        assert_eq!(newest(&[directory.path().to_path_buf()], "libnvrtc.so"), None);
    }

    #[test]
    fn a_directory_that_the_user_names_is_searched_with_its_wheels_and_no_other() {
        let directory = tempfile::tempdir().unwrap();
        let found = |path: &Path| Ok(path.to_path_buf());
        let error = WANTED.in_directory(directory.path().into(), found).unwrap_err();
        let expected = format!(
            "FR_LES_NO_SUCH_LIBRARY is {}, but there is no libfr-les-test.so in it (nor in its lib64 or nvidia/*/lib)",
            directory.path().display()
        );
        assert_eq!(error.to_string(), expected);
        let wheel = directory.path().join("nvidia/test/lib");
        std::fs::create_dir_all(&wheel).unwrap();
        std::fs::write(wheel.join("libfr-les-test.so.2"), "").unwrap();
        let path = WANTED.in_directory(directory.path().into(), found).unwrap();
        assert_eq!(path, wheel.join("libfr-les-test.so.2"));
    }

    #[test]
    fn a_library_that_is_nowhere_is_missed_with_what_brings_it() {
        let error = WANTED.search(|path| open(path).map(|_| ())).unwrap_err().to_string();
        let begin = "a library of a test, is not on this machine: there is none\nsearched: the dynamic linker's paths";
        assert!(error.starts_with(begin), "{error}");
    }
}
