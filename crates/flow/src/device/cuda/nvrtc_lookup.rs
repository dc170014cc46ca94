//! NVRTC, NVIDIA's run-time compiler: the search for its library on this machine, and its functions.
//!
//! The library is loaded here by its path rather than through cudarc, which asks the dynamic linker for a fixed list of
//! names. That cannot prefer a directory that the user names over a CUDA toolkit in LD_LIBRARY_PATH, does not find
//! future major versions, and panics where something is missing.

use std::collections::BTreeSet;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use libloading::Library;

use crate::io::{absolute_variable, python_environments};

/// The reason why there is no NVRTC.
#[derive(Debug, Clone, thiserror::Error)]
pub enum LoadError {
    /// None of the searched directories has it.
    #[error(
        "NVRTC, NVIDIA's run-time compiler, is not on this machine: `pip install nvidia-cuda-nvrtc` in a Python \
         environment, load or install the CUDA toolkit, or set FR_LES_NVRTC to the directory of libnvrtc.so\n\
         searched: {searched}"
    )]
    Missing {
        /// The searched directories.
        searched: String,
    },
    /// FR_LES_NVRTC names a directory without it.
    #[error("FR_LES_NVRTC is {}, but there is no libnvrtc.so in it (nor in its lib64 or nvidia/*/lib)", .0.display())]
    NotThere(PathBuf),
    /// The dynamic linker cannot load it.
    #[error("cannot load {}: {reason}", path.display())]
    Refused {
        /// Path of the library.
        path: PathBuf,
        /// The reason that the linker gives.
        reason: String,
    },
}

/// Handle of a program of NVRTC.
pub(super) type Handle = *mut c_void;
/// Result of a call of NVRTC; zero is success.
type Status = c_int;
/// A text that ends with a zero byte.
type Text = *const c_char;

macro_rules! functions {
    ($($field:ident = $name:literal: fn($($argument:ty),*);)*) => {
        /// NVRTC's functions, as its header declares them.
        pub(super) struct Functions {
            // SAFETY: must be called as nvrtc.h requires: with live programs, and buffers that are large enough.
            $(pub $field: unsafe extern "C" fn($($argument),*) -> Status,)*
            // SAFETY: takes any number, and returns text that lives as long as the library.
            error_string: unsafe extern "C" fn(Status) -> *const c_char,
        }

        impl Functions {
            /// # Safety
            /// SAFETY: `library` must be NVRTC, and stay loaded as long as the functions are used.
            unsafe fn of(library: &Library) -> Result<Self, libloading::Error> {
                // SAFETY: the caller guarantees the library. The types are those of nvrtc.h, unchanged since CUDA 11.2.
                unsafe {
                    Ok(Functions {
                        $($field: *library.get(concat!($name, "\0").as_bytes())?,)*
                        error_string: *library.get(b"nvrtcGetErrorString\0")?,
                    })
                }
            }
        }
    };
}

functions! {
    version = "nvrtcVersion": fn(*mut c_int, *mut c_int);
    architecture_count = "nvrtcGetNumSupportedArchs": fn(*mut c_int);
    architectures = "nvrtcGetSupportedArchs": fn(*mut c_int);
    create = "nvrtcCreateProgram": fn(*mut Handle, *const c_char, *const c_char, c_int, *const Text, *const Text);
    compile = "nvrtcCompileProgram": fn(Handle, c_int, *const Text);
    destroy = "nvrtcDestroyProgram": fn(*mut Handle);
    log_size = "nvrtcGetProgramLogSize": fn(Handle, *mut usize);
    log = "nvrtcGetProgramLog": fn(Handle, *mut c_char);
    cubin_size = "nvrtcGetCUBINSize": fn(Handle, *mut usize);
    cubin = "nvrtcGetCUBIN": fn(Handle, *mut c_char);
    ptx_size = "nvrtcGetPTXSize": fn(Handle, *mut usize);
    ptx = "nvrtcGetPTX": fn(Handle, *mut c_char);
}

/// The compiler, loaded for the rest of the process.
pub struct Nvrtc {
    pub(super) functions: Functions,
    /// Path of the library, or its bare name if the dynamic linker found it.
    pub path: PathBuf,
    /// Major and minor version.
    pub version: (u32, u32),
    /// Supported compute capabilities times ten, in ascending order.
    pub architectures: Vec<u32>,
}

impl Nvrtc {
    /// Returns the message of NVRTC for a status.
    pub(super) fn reason(&self, status: Status) -> String {
        // SAFETY: the function accepts any number and returns a static string.
        unsafe { CStr::from_ptr((self.functions.error_string)(status)) }
            .to_string_lossy()
            .into_owned()
    }

    /// Returns the version as text, e.g. "13.0".
    pub fn version_name(&self) -> String {
        format!("{}.{}", self.version.0, self.version.1)
    }
}

/// Returns the NVRTC of this machine, which is searched for once: in FR_LES_NVRTC if that is set, else in the paths of
/// the dynamic linker, then in CUDA toolkits, then in Python environments.
///
/// # Errors
/// NVRTC is not found or cannot be loaded.
pub fn nvrtc() -> Result<&'static Nvrtc, LoadError> {
    static LOADED: OnceLock<Result<Nvrtc, LoadError>> = OnceLock::new();
    LOADED.get_or_init(search).as_ref().map_err(LoadError::clone)
}

fn search() -> Result<Nvrtc, LoadError> {
    if let Some(directory) = std::env::var_os("FR_LES_NVRTC").filter(|d| !d.is_empty()) {
        // The user has named a directory, so no other one is searched.
        let directory = PathBuf::from(directory);
        let searched = [vec![directory.clone(), directory.join("lib64")], wheels(&directory)].concat();
        return load(newest(&searched).ok_or(LoadError::NotThere(directory))?);
    }
    for name in ["libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"] {
        let found = Found {
            library: name.into(),
            builtins: None, // the linker finds it in the same paths
        };
        if let Ok(nvrtc) = load(found) {
            return Ok(nvrtc);
        }
    }
    let groups = search_directories();
    // The first group with a library is used, and the newest version in it.
    match groups.iter().find_map(|group| newest(group)) {
        Some(found) => load(found),
        None => Err(LoadError::Missing {
            searched: std::iter::once("the dynamic linker's paths".to_owned())
                .chain(groups.iter().flatten().map(|p| p.display().to_string()))
                .collect::<Vec<_>>()
                .join(", "),
        }),
    }
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

/// Paths of the library of NVRTC and of the library with its built-in functions.
#[derive(Debug, PartialEq)]
struct Found {
    library: PathBuf,
    builtins: Option<PathBuf>,
}

/// Returns the newest version in these directories.
fn newest(directories: &[PathBuf]) -> Option<Found> {
    let versions = |directory: &PathBuf, stem: &str| -> Vec<(Vec<u32>, PathBuf)> {
        let files = children(directory, stem).into_iter();
        files
            .filter_map(|path| {
                let name = path.file_name()?.to_str()?;
                let version = name.strip_prefix(stem)?.trim_start_matches('.');
                let numbers: Result<Vec<u32>, _> = version.split('.').map(str::parse).collect();
                // libnvrtc.so without a version is a link to one of the others, or the only one.
                Some((if version.is_empty() { vec![0] } else { numbers.ok()? }, path))
            })
            .collect()
    };
    let libraries = directories.iter().flat_map(|d| {
        versions(d, "libnvrtc.so")
            .into_iter()
            .map(move |(v, path)| (v, path, d))
    });
    let (version, library, directory) = libraries.max_by(|a, b| a.0.cmp(&b.0))?;
    let builtins = versions(directory, "libnvrtc-builtins.so")
        .into_iter()
        .filter(|(v, _)| version[0] == 0 || v[0] == version[0])
        .max();
    Some(Found {
        library,
        builtins: builtins.map(|(_, path)| path),
    })
}

/// Loads the libraries for the rest of the process.
fn load(found: Found) -> Result<Nvrtc, LoadError> {
    // A relative path is made absolute, since the linker would search its own paths for a bare name.
    let absolute = |path: &Path| match path.components().count() {
        1 => path.to_path_buf(),
        _ => std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()),
    };
    let refused = |path: &Path, reason: String| LoadError::Refused {
        path: path.to_path_buf(),
        reason,
    };
    let open = |path: &Path| {
        // SAFETY: loading runs the initialisers of NVIDIA's libraries, which demand nothing of the caller.
        unsafe { Library::new(absolute(path)) }.map_err(|e| refused(path, e.to_string()))
    };
    // NVRTC asks the linker for its built-in functions by a bare name, which the linker finds if the library is loaded
    // already. `forget` keeps the library loaded.
    if let Some(builtins) = &found.builtins {
        std::mem::forget(open(builtins)?);
    }
    let library = open(&found.library)?;
    // SAFETY: a library of that name is NVRTC. The next line forgets it, so that it is never closed.
    let functions = unsafe { Functions::of(&library) };
    std::mem::forget(library);
    let functions = functions.map_err(|e| refused(&found.library, e.to_string()))?;
    let mut major = 0;
    let mut minor = 0;
    let mut count = 0;
    // SAFETY: both functions fill the integers whose addresses they get.
    let statuses = unsafe {
        [
            (functions.version)(&mut major, &mut minor),
            (functions.architecture_count)(&mut count),
        ]
    };
    let mut architectures: Vec<c_int> = vec![0; count.max(0) as usize];
    // SAFETY: the function fills `count` integers.
    let status = unsafe { (functions.architectures)(architectures.as_mut_ptr()) };
    if statuses != [0, 0] || status != 0 {
        return Err(refused(&found.library, "the query of its version fails".to_owned()));
    }
    architectures.sort_unstable();
    Ok(Nvrtc {
        functions,
        path: found.library,
        version: (major as u32, minor as u32),
        architectures: architectures.into_iter().map(|a| a as u32).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_library_and_its_own_builtins_are_taken() {
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
        std::fs::write(new.join("libnvrtc-builtins.so.14.0"), "").unwrap();
        std::fs::write(new.join("libnvrtc-builtins.alt.so.13.0"), "").unwrap();
        let found = |library: PathBuf, builtins: PathBuf| {
            let builtins = Some(builtins);
            Some(Found { library, builtins })
        };
        let expected = found(new.join("libnvrtc.so.13"), new.join("libnvrtc-builtins.so.13.0"));
        assert_eq!(newest(&[old.clone(), new]), expected);
        let expected = found(old.join("libnvrtc.so.9.2"), old.join("libnvrtc-builtins.so.9.2"));
        assert_eq!(newest(&[old]), expected);
        assert_eq!(newest(&[directory.path().to_path_buf()]), None);
    }

    #[test]
    fn what_is_no_nvrtc_is_refused_with_a_reason() {
        let directory = tempfile::tempdir().unwrap();
        let library = directory.path().join("libnvrtc.so.13");
        std::fs::write(&library, "not a library").unwrap();
        let error = load(newest(&[directory.path().to_path_buf()]).unwrap()).err().unwrap();
        assert!(error.to_string().contains("libnvrtc.so.13: "), "{error}");
    }
}
