//! Whether a case fits a GPU, from its numbers alone, before anything of it is built.

use super::driver::Gpu;
use super::error::CudaError;
use super::shape::width;
use crate::device::{FLUXES, INTEGRALS, MemoryUse};
use crate::element::{ElementKind, FaceShape};

/// The numbers of a case that its arrays depend on.
#[derive(Debug, Clone, Copy)]
pub struct MemoryEstimate {
    /// Bytes of a real.
    pub real: usize,
    /// Polynomial degree.
    pub order: usize,
    /// Affine cells, and cells with metric terms at every point, of each kind.
    pub cells: [[usize; 2]; 4],
    /// Triangles and quadrilaterals on boundaries.
    pub boundary: [usize; 2],
    /// Viscous terms.
    pub viscous: bool,
    /// Kahan's compensation.
    pub kahan: bool,
    /// Sums of statistics of a cell of each kind.
    pub sums: [usize; 4],
}

impl MemoryEstimate {
    /// What the device's arrays will take (`Arrays::new`).
    pub fn memory(&self) -> MemoryUse {
        let MemoryEstimate {
            real, order, boundary, ..
        } = *self;
        let viscous = usize::from(self.viscous);
        let states = if self.kahan { 5 } else { 4 };
        let face_points = [FaceShape::Triangle, FaceShape::Quad].map(|shape| shape.points(order));
        let boundary_points = boundary[0] * face_points[0] + boundary[1] * face_points[1];
        let faces = boundary[0] + boundary[1];
        let mut memory = MemoryUse {
            state: real * 3 * 9 * boundary_points,
            traces: real * viscous * 4 * boundary_points,
            geometry: 0,
            connectivity: faces * 40 + boundary_points * 12 * real,
            other: real + faces * FLUXES * 8,
        };
        for kind in ElementKind::ALL {
            let (np, nf, faces) = (kind.points(order), kind.total_face_points(order), kind.faces().len());
            let hex = kind == ElementKind::Hex;
            let padded = |affine: usize| self.cells[kind as usize][affine].next_multiple_of(width(kind));
            let (affine, curved) = (padded(0), padded(1));
            let cells = affine + curved;
            memory.state += real * states * cells * 5 * np;
            memory.traces += real * viscous * cells * (4 * nf + if hex { 0 } else { 12 * np });
            memory.geometry += real * (affine * (12 + 4 * faces) + curved * (10 * np + if hex { 0 } else { 4 * nf }));
            memory.connectivity += cells * faces * 33;
            memory.other += cells * (INTEGRALS + self.sums[kind as usize]) * 8;
        }
        memory
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
