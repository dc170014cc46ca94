//! What can go wrong with a GPU, and what a user can do about it.

use thiserror::Error;

use super::compiler::BuildError;
use super::prebuilt::PrebuiltError;
use super::shape::LaunchError;

/// Why a GPU cannot be used, or stopped.
#[derive(Debug, Error)]
pub enum CudaError {
    /// No libcuda.
    #[error("no NVIDIA driver on this machine (libcuda.so.1 cannot be loaded); install it, or take device: cpu")]
    NoDriver,
    /// The driver does not start or sees no device.
    #[error("the NVIDIA driver finds no GPU ({0}); look at nvidia-smi and CUDA_VISIBLE_DEVICES, or take device: cpu")]
    NoGpu(String),
    /// The driver is older than the compiler's output.
    #[error(
        "the NVIDIA driver supports CUDA {driver}, but the run-time compiler found here is that of CUDA {compiler}: \
         update the driver, or name an older NVRTC in FR_LES_NVRTC"
    )]
    OldDriver {
        /// CUDA version of the driver.
        driver: String,
        /// CUDA version of NVRTC.
        compiler: String,
    },
    /// The case does not fit.
    #[error(
        "the case needs {needed:.2} GB on the GPU ({state:.2} states, {traces:.2} traces, {geometry:.2} geometry, \
         {connectivity:.2} connectivity, {other:.2} other), and {free:.2} of {total:.2} GB are free: fewer cells, a lower order, \
         or precision: single"
    )]
    Memory {
        /// Gigabytes of everything.
        needed: f64,
        /// Of the states.
        state: f64,
        /// Of the viscous traces.
        traces: f64,
        /// Of metric terms.
        geometry: f64,
        /// Of neighbour slots.
        connectivity: f64,
        /// Of the rest.
        other: f64,
        /// Free on the device.
        free: f64,
        /// Size of the device.
        total: f64,
    },
    /// A kernel cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// PTX made ahead of time is missing or old.
    #[error(transparent)]
    Prebuilt(#[from] PrebuiltError),
    /// Launch shapes asked for in the environment make no sense.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// A call failed.
    #[error("{call}: {text}")]
    Call {
        /// What was asked for.
        call: &'static str,
        /// The driver's words.
        text: String,
    },
    /// A kernel failed; the driver refuses everything from then on.
    #[error(
        "a kernel failed on the GPU: {0}. The results since the last output are lost. A bad card shows in `nvidia-smi -q` and \
         dmesg (Xid); otherwise run a small case under compute-sanitizer with --no-graph, and report what it says"
    )]
    Fault(String),
}

/// Puts a driver's error into words; those that end the context are faults.
pub fn failed(call: &'static str) -> impl Fn(cudarc::driver::DriverError) -> CudaError {
    use cudarc::driver::sys::cudaError_enum as code;
    move |e| {
        let words = |s: Result<&std::ffi::CStr, _>| {
            s.map_or(String::new(), |s: &std::ffi::CStr| s.to_string_lossy().into_owned())
        };
        let text = format!("{} ({})", words(e.error_string()), words(e.error_name()));
        match e.0 {
            code::CUDA_ERROR_ILLEGAL_ADDRESS
            | code::CUDA_ERROR_ILLEGAL_INSTRUCTION
            | code::CUDA_ERROR_MISALIGNED_ADDRESS
            | code::CUDA_ERROR_INVALID_ADDRESS_SPACE
            | code::CUDA_ERROR_INVALID_PC
            | code::CUDA_ERROR_HARDWARE_STACK_ERROR
            | code::CUDA_ERROR_LAUNCH_FAILED
            | code::CUDA_ERROR_LAUNCH_TIMEOUT
            | code::CUDA_ERROR_ASSERT
            | code::CUDA_ERROR_ECC_UNCORRECTABLE => CudaError::Fault(text),
            _ => CudaError::Call { call, text },
        }
    }
}
