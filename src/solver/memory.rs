//! The check that a case fits into the memory of this machine, before anything large is allocated.

use super::{Settings, SetupError};
use crate::device::DeviceError;
use crate::device::cuda::{Gpu, MemoryEstimate};
use crate::element::ElementKind;
use crate::mesh::CellCounts;

/// Verifies that the GPU, if the case runs on one, and the host have the memory that a case needs. On the host the
/// arrays of the device (on the CPU) or their copies on the way to the GPU exist beside the geometry in double
/// precision. The estimate leaves out a few per cent. `ranks` ranks share the memory of the host.
///
/// # Errors
/// The case needs more memory than is available.
pub fn check(settings: &Settings, counts: &CellCounts, gpu: Option<&Gpu>, ranks: usize) -> Result<(), SetupError> {
    let viscous = settings.gas.viscosity.is_some();
    let sums = settings.output_doubles_per_cell;
    if let Some(gpu) = gpu {
        let needs = MemoryEstimate {
            real: settings.real_bytes(),
            order: settings.order,
            cells: counts.cells,
            boundary: counts.boundary,
            viscous,
            kahan: settings.kahan,
            sums,
        };
        needs.check(gpu).map_err(DeviceError::from)?;
    }
    let Some(available) = available().map(|bytes| bytes / ranks as f64) else {
        return Ok(());
    };
    let np = |kind: ElementKind| kind.points(settings.order) as f64;
    let nf = |kind: ElementKind| kind.total_face_points(settings.order) as f64;
    let real = settings.real_bytes() as f64;
    let metrics = |kind, affine| if affine { 36.0 } else { 10.0 * np(kind) };
    let state = if settings.kahan { 25.0 } else { 20.0 };
    let device = |kind: ElementKind, affine| {
        let kept = if viscous && kind != ElementKind::Hex { 12.0 } else { 0.0 };
        let traces = if viscous { 4.0 * nf(kind) } else { 0.0 };
        let fields = if gpu.is_some() {
            5.0 * np(kind)
        } else {
            (state + kept) * np(kind) + traces
        };
        fields + metrics(kind, affine)
    };
    // Geometry nodes, points, metric terms, Jacobians, areas, initial state.
    let host = |kind, affine| (3.0 + 3.0 + 9.0 + 1.0 + 5.0) * np(kind) + 3.0 * nf(kind) + metrics(kind, affine);
    // Sums of statistics stay on the host on a CPU, and come to the host for checkpoints with a GPU.
    let kept = |kind: ElementKind| 8.0 * sums[kind as usize] as f64;
    let needed = counts.sum(|kind, affine| real * device(kind, affine) + 8.0 * host(kind, affine) + kept(kind));
    if needed > available {
        return Err(SetupError::Memory {
            points: counts.sum(|kind, _| np(kind)),
            needed: needed / 1e9,
            available: available / 1e9,
        });
    }
    Ok(())
}

/// Returns the bytes that the system can still provide, if it reports them.
fn available() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|l| l.starts_with("MemAvailable:"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024.0)
}
