//! Errors of a GPU, with advice for the user.

use thiserror::Error;

use super::compiler::BuildError;
use super::library::LoadError;
use super::prebuilt::PrebuiltError;
use super::shape::LaunchError;

/// The reason why a GPU cannot be used, or why it stopped.
#[derive(Debug, Error)]
pub enum CudaError {
    /// libcuda cannot be loaded.
    #[error("no NVIDIA driver on this machine (libcuda.so.1 cannot be loaded); install it, or use device: cpu")]
    NoDriver,
    /// The driver does not start or finds no device.
    #[error("the NVIDIA driver finds no GPU ({0}); check nvidia-smi and CUDA_VISIBLE_DEVICES, or use device: cpu")]
    NoGpu(String),
    /// The driver is older than the compiler's output.
    #[error(
        "the NVIDIA driver supports CUDA {driver}, but the run-time compiler on this machine is that of CUDA \
         {compiler}: update the driver, or set FR_LES_NVRTC to the directory of an older NVRTC"
    )]
    OldDriver {
        /// CUDA version of the driver.
        driver: String,
        /// CUDA version of NVRTC.
        compiler: String,
    },
    /// The case needs more memory than is free. All values are in GB (10^9 bytes).
    #[error(
        "the case needs {needed:.2} GB on the GPU ({state:.2} states, {traces:.2} traces, {geometry:.2} geometry, \
         {connectivity:.2} connectivity, {other:.2} other), and {free:.2} of {total:.2} GB are free: use fewer cells, \
         a lower order, or precision: single"
    )]
    Memory {
        /// Total memory of the case.
        needed: f64,
        /// Memory of the states.
        state: f64,
        /// Memory of the viscous traces.
        traces: f64,
        /// Memory of the metric terms.
        geometry: f64,
        /// Memory of the neighbour slots.
        connectivity: f64,
        /// All other memory.
        other: f64,
        /// Free memory of the device.
        free: f64,
        /// Total memory of the device.
        total: f64,
    },
    /// A kernel cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// Prebuilt PTX is missing or belongs to another version.
    #[error(transparent)]
    Prebuilt(#[from] PrebuiltError),
    /// Launch shapes in the environment are invalid.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// NCCL is not there.
    #[error(transparent)]
    Library(LoadError),
    /// A call of NCCL failed.
    #[error("NCCL fails in {purpose}: {text}")]
    Nccl {
        /// What the call was to do.
        purpose: &'static str,
        /// Message of NCCL.
        text: String,
    },
    /// The network broke off in the middle of a run.
    #[error(
        "the exchange with rank(s) {ranks} by NCCL has broken off: {reason}. One of them, or its machine or network, \
         has failed: the log of the launcher may tell which. Restart from the last checkpoint; the variable \
         NCCL_DEBUG=WARN makes NCCL say more"
    )]
    NetworkFailed {
        /// The neighbours in the network.
        ranks: String,
        /// Message of NCCL.
        reason: String,
    },
    /// A call of the driver failed.
    #[error("{call}: {text}")]
    Call {
        /// The action that failed.
        call: &'static str,
        /// Message of the driver.
        text: String,
    },
    /// A kernel failed. The driver rejects all later calls.
    #[error(
        "a kernel failed on the GPU: {0}. The results since the last output are lost. A defective GPU is reported by \
         `nvidia-smi -q` and dmesg (Xid); otherwise run a small case under compute-sanitizer with --no-graph, and \
         report its output"
    )]
    Fault(String),
}

/// Returns the conversion of an error of the driver in the action `call`. Errors that end the context become faults.
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
