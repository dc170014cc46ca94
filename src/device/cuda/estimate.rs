//! Whether a case fits a GPU, from its numbers alone, before anything of it is built.

use super::driver::Gpu;
use super::error::CudaError;
use crate::device::MemoryUse;

/// Logs the memory that is needed and free, and refuses a case that does not fit.
///
/// # Errors
///
/// Returns an error if the case needs more memory than is free, or the GPU fails.
pub fn check_memory(gpu: &Gpu, needed: &MemoryUse) -> Result<(), CudaError> {
    let (free, total) = gpu.memory()?;
    let gigabytes = |bytes: usize| bytes as f64 / 1e9;
    tracing::info!(
        "gpu     {} ({}, CUDA {}.{}): {:.2} GB needed, {:.2} of {:.2} GB free",
        gpu.name,
        gpu.architecture,
        gpu.driver_version / 1000,
        gpu.driver_version % 1000 / 10,
        gigabytes(needed.total()),
        gigabytes(free),
        gigabytes(total)
    );
    if needed.total() <= free {
        return Ok(());
    }
    Err(CudaError::Memory {
        needed: gigabytes(needed.total()),
        state: gigabytes(needed.state),
        traces: gigabytes(needed.traces),
        geometry: gigabytes(needed.geometry),
        connectivity: gigabytes(needed.connectivity),
        other: gigabytes(needed.other),
        free: gigabytes(free),
        total: gigabytes(total),
    })
}
