//! The check that a case fits into the memory of a GPU. It follows from the numbers of cells and faces, before the mesh
//! and its geometry are built.

use super::driver::Gpu;
use super::error::CudaError;
use crate::device::MemoryUse;

fn gigabytes(bytes: usize) -> f64 {
    bytes as f64 / 1e9
}

/// Logs the needed and the free memory.
///
/// # Errors
/// The GPU fails.
pub fn log_memory(gpu: &Gpu, needed: &MemoryUse) -> Result<(), CudaError> {
    let (free, total) = gpu.memory()?;
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
    Ok(())
}

/// Checks that the case fits into the free memory.
///
/// # Errors
/// The case needs more memory than is free, or the GPU fails.
pub fn check_memory(gpu: &Gpu, needed: &MemoryUse) -> Result<(), CudaError> {
    let (free, total) = gpu.memory()?;
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
