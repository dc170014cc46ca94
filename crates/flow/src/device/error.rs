//! Why a device cannot be used.

use thiserror::Error;

use super::cuda::CudaError;
use super::field::Field;

/// Why a device cannot be used.
#[derive(Debug, Error)]
pub enum DeviceError {
    /// The processor lacks what the kernels need.
    #[error("this processor has neither AVX2 with FMA nor AVX-512, which the kernels are built for")]
    Processor,
    /// An unknown value of FR_LES_SIMD.
    #[error("FR_LES_SIMD is '{0}'; it takes avx2 or avx512, and the processor must have it")]
    Simd(String),
    /// Kernels that were left out of the build.
    #[error(
        "this program was built without the CPU kernels of {kind} cells of order {order} in {precision} precision \
         (FR_LES_KERNELS); a build without this variable has all"
    )]
    NotBuilt {
        /// Kind of the cells.
        kind: &'static str,
        /// Their order.
        order: usize,
        /// Precision of the run.
        precision: &'static str,
    },
    /// The thread pool could not be started.
    #[error("cannot start {threads} threads: {reason}")]
    Threads {
        /// Number of threads.
        threads: usize,
        /// Error of the system.
        reason: String,
    },
    /// The device lacks a feature.
    #[error("{0} cannot be computed on this device")]
    Lacking(&'static str),
    /// A field that cannot be read, or not written.
    #[error("{0:?} cannot be {1}")]
    Access(Field, &'static str),
    /// An error of a GPU.
    #[error("cuda: {0}")]
    Cuda(#[from] CudaError),
}
