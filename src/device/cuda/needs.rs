//! Whether a case fits a GPU, from its numbers alone, before anything of it is built.

use super::driver::Gpu;
use super::error::CudaError;
use super::shape::WIDTH;
use crate::device::{INTEGRALS, Memory};
use crate::mesh::FACES;

/// The numbers of a case that its arrays depend on.
#[derive(Debug, Clone, Copy)]
pub struct Needs {
    /// Bytes of a real.
    pub real: usize,
    /// Points of a line.
    pub n: usize,
    /// Affine cells.
    pub affine_cells: usize,
    /// Cells with metric terms at every point.
    pub curved_cells: usize,
    /// Faces on boundaries.
    pub boundary_faces: usize,
    /// Viscous terms.
    pub viscous: bool,
    /// Kahan's compensation.
    pub kahan: bool,
}

impl Needs {
    /// What the device's arrays will take (`Arrays::new`).
    pub fn memory(&self) -> Memory {
        let Needs {
            real,
            n,
            boundary_faces,
            ..
        } = *self;
        let (np, nl) = (n * n * n, n * n);
        let affine = self.affine_cells.next_multiple_of(WIDTH);
        let curved = self.curved_cells.next_multiple_of(WIDTH);
        let cells = affine + curved;
        let states = if self.kahan { 5 } else { 4 };
        Memory {
            state: real * (states * cells * 5 * np + 3 * boundary_faces * 9 * nl),
            traces: real * usize::from(self.viscous) * 4 * nl * (cells * FACES + boundary_faces),
            geometry: real * (12 * affine + 10 * curved * np + cells * FACES * 4),
            connectivity: cells * FACES * 33 + 98 * nl * 4 + boundary_faces * (32 + 5 * nl * real),
            other: cells * INTEGRALS * 8 + real,
        }
    }

    /// Says what is needed and what is free, and refuses a case that does not fit.
    pub fn check(&self, gpu: &Gpu) -> Result<(), CudaError> {
        let needed = self.memory();
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
}
