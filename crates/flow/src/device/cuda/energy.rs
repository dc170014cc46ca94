//! The energy that a GPU uses, as NVIDIA's management library (NVML) counts it.
//!
//! NVML belongs to the driver. It is loaded at run time, while the mesh is built; where it is missing, or the GPU does
//! not count its energy, nothing is known and nothing is reported.

use std::ffi::{CString, c_char, c_int, c_ulonglong, c_void};
use std::sync::{Arc, OnceLock};

use libloading::Library;

/// Name of the library of the driver.
const NVML: &str = "libnvidia-ml.so.1";

/// NVML's handle of a GPU.
type Handle = *mut c_void;

/// The counter of the energy of one GPU.
struct Meter {
    // SAFETY: must be called with a handle of `library`, which is loaded as long as this struct lives.
    total: unsafe extern "C" fn(Handle, *mut c_ulonglong) -> c_int,
    /// The handle, as a number, since NVML may be called from any thread.
    gpu: usize,
    _library: Library,
}

impl Meter {
    /// Opens the counter of the GPU with this UUID; `None` without `library`, the GPU or a counter.
    fn open(library: &str, uuid: &str) -> Option<Self> {
        let uuid = CString::new(uuid).ok()?;
        // SAFETY: the initialisers of NVIDIA's library demand nothing of the caller. The types are those of nvml.h,
        // unchanged since version 8 of the library. The last function gets a text and the address of a handle, after
        // the library was initialised.
        unsafe {
            let library = Library::new(library).ok()?;
            let start = *library.get::<unsafe extern "C" fn() -> c_int>(b"nvmlInit_v2\0").ok()?;
            let total = *library.get(b"nvmlDeviceGetTotalEnergyConsumption\0").ok()?;
            type Find = unsafe extern "C" fn(*const c_char, *mut Handle) -> c_int;
            let find = *library.get::<Find>(b"nvmlDeviceGetHandleByUUID\0").ok()?;
            let mut gpu: Handle = std::ptr::null_mut();
            let found = start() == 0 && find(uuid.as_ptr(), &mut gpu) == 0;
            let meter = Meter {
                total,
                gpu: gpu as usize,
                _library: library,
            };
            (found && meter.millijoules().is_some()).then_some(meter)
        }
    }

    /// Returns what the GPU has used since its driver was loaded.
    fn millijoules(&self) -> Option<u64> {
        let mut total = 0;
        // SAFETY: the handle is that of a GPU of this library, and the function writes one number.
        let status = unsafe { (self.total)(self.gpu as Handle, &mut total) };
        (status == 0).then_some(total)
    }
}

/// The counter of the energy of a GPU, which opens in the background.
pub struct Energy {
    library: &'static str,
    uuid: String,
    meter: Arc<OnceLock<Option<Meter>>>,
}

impl Energy {
    /// Begins to open the counter of the GPU with these bytes as its UUID.
    pub fn of_gpu(uuid: [u64; 2]) -> Self {
        Self::opening(NVML, name(uuid))
    }

    fn opening(library: &'static str, uuid: String) -> Self {
        let (meter, name) = (Arc::<OnceLock<_>>::default(), uuid.clone());
        let opened = Arc::clone(&meter);
        std::thread::spawn(move || opened.get_or_init(|| Meter::open(library, &name)).is_some());
        Energy { library, uuid, meter }
    }

    /// Returns the millijoules that the GPU has used since its driver was loaded, if NVML counts them.
    pub fn millijoules(&self) -> Option<u64> {
        let meter = self.meter.get_or_init(|| Meter::open(self.library, &self.uuid));
        meter.as_ref()?.millijoules()
    }
}

/// Returns NVML's name of the GPU with these bytes as its UUID.
fn name(uuid: [u64; 2]) -> String {
    let hex: Vec<String> = uuid
        .iter()
        .flat_map(|half| half.to_le_bytes())
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let parts = [&hex[..4], &hex[4..6], &hex[6..8], &hex[8..10], &hex[10..]].map(<[String]>::concat);
    format!("GPU-{}", parts.join("-"))
}

#[cfg(test)]
mod tests {
    use super::super::library::compiled;
    use super::*;

    const UUID: [u64; 2] = [0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908];
    const NAME: &str = "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f";

    /// Compiles a library that knows one GPU; each query finds that 5 mJ more were used. `status` is the result of
    /// queries.
    fn library(status: i32) -> &'static str {
        let folder = tempfile::tempdir().expect("temporary directory").keep();
        let text = format!(
            "#include <string.h>\nstatic int up; static unsigned long long used = 1000;\n\
             int nvmlInit_v2(void) {{ up = 1; return 0; }}\n\
             int nvmlDeviceGetHandleByUUID(const char *uuid, void **gpu) {{\n\
             *gpu = &used; return up && !strcmp(uuid, \"{NAME}\") ? 0 : 6; }}\n\
             int nvmlDeviceGetTotalEnergyConsumption(void *gpu, unsigned long long *mj) {{\n\
             *mj = *(unsigned long long *)gpu += 5; return {status}; }}\n"
        );
        let library = compiled(&folder, "nvml.so", &text);
        Box::leak(library.display().to_string().into_boxed_str())
    }

    #[test]
    fn the_energy_of_the_gpu_with_its_uuid_is_read() {
        assert_eq!(name(UUID), NAME);
        let counting = library(0);
        let energy = Energy::opening(counting, name(UUID));
        let first = energy.millijoules().expect("a counter");
        assert!(first > 1000);
        assert_eq!(energy.millijoules(), Some(first + 5));
        assert_eq!(Energy::opening(counting, name([1, 2])).millijoules(), None);
        assert_eq!(Energy::opening(library(3), name(UUID)).millijoules(), None);
        assert_eq!(Energy::opening("libno-nvml.so.1", name(UUID)).millijoules(), None);
    }
}
