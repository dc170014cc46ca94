//! NVRTC, NVIDIA's run-time compiler: its library and its functions.

use std::ffi::{c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::library::{LoadError, Wanted, functions, open, version, versions};

/// Beginning of the name of the library.
const STEM: &str = "libnvrtc.so";
/// The library.
const WANTED: Wanted = Wanted {
    what: "NVRTC, NVIDIA's run-time compiler",
    cure: "`pip install nvidia-cuda-nvrtc` in a Python environment, load or install the CUDA toolkit, or set \
           FR_LES_NVRTC to the directory of libnvrtc.so",
    variable: "FR_LES_NVRTC",
    stem: STEM,
    names: &["libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12"],
};

/// Handle of a program of NVRTC.
pub(super) type Handle = *mut c_void;
/// A text that ends with a zero byte.
type Text = *const c_char;

functions! {
    /// NVRTC's functions, as its header declares them, unchanged since CUDA 11.2.
    "nvrtcGetErrorString";
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
    LOADED
        .get_or_init(|| WANTED.search(load))
        .as_ref()
        .map_err(LoadError::clone)
}

/// Returns the library with NVRTC's built-in functions that lies beside NVRTC; `None` where the dynamic linker finds
/// both in the same paths.
fn builtins(nvrtc: &Path) -> Option<PathBuf> {
    let directory = nvrtc.parent().filter(|directory| !directory.as_os_str().is_empty())?;
    let major = version(nvrtc, STEM)?[0];
    let fitting = versions(directory, "libnvrtc-builtins.so").into_iter();
    let newest = fitting.filter(|(v, _)| major == 0 || v[0] == major).max();
    newest.map(|(_, path)| path)
}

/// Loads the libraries for the rest of the process.
fn load(path: &Path) -> Result<Nvrtc, LoadError> {
    // NVRTC asks the linker for its built-in functions by a bare name, which the linker finds if the library is loaded
    // already.
    if let Some(builtins) = builtins(path) {
        open(&builtins)?;
    }
    let library = open(path)?;
    // SAFETY: a library of that name is NVRTC.
    let functions = unsafe { Functions::of(library) }.map_err(|e| LoadError::refused(path, e))?;
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
        return Err(LoadError::refused(path, "the query of its version fails"));
    }
    architectures.sort_unstable();
    Ok(Nvrtc {
        functions,
        path: path.to_path_buf(),
        version: (major as u32, minor as u32),
        architectures: architectures.into_iter().map(|a| a as u32).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_builtins_of_the_same_version_are_taken() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        for name in [
            "libnvrtc.so.13",
            "libnvrtc-builtins.so.9.2",
            "libnvrtc-builtins.so.13.0",
            "libnvrtc-builtins.so.14.0",
            "libnvrtc-builtins.alt.so.13.0",
        ] {
            std::fs::write(path(name), "").unwrap();
        }
        let found = |nvrtc: &str| builtins(&path(nvrtc));
        assert_eq!(found("libnvrtc.so.13"), Some(path("libnvrtc-builtins.so.13.0")));
        assert_eq!(found("libnvrtc.so.9.2"), Some(path("libnvrtc-builtins.so.9.2")));
        assert_eq!(found("libnvrtc.so.12"), None);
        assert_eq!(builtins(Path::new("libnvrtc.so.13")), None);
    }

    #[test]
    fn what_is_no_nvrtc_is_refused_with_a_reason() {
        let directory = tempfile::tempdir().unwrap();
        let library = directory.path().join("libnvrtc.so.13");
        std::fs::write(&library, "not a library").unwrap();
        let error = load(&library).err().unwrap();
        assert!(error.to_string().contains("libnvrtc.so.13: "), "{error}");
    }
}
