//! The check that a case fits into the memory of this machine, before anything large is allocated.

use super::{Settings, SetupError};
use crate::device::cuda::{self, Gpu, shape};
use crate::device::{DeviceError, Plan, Sizes, memory_of};
use crate::element::ElementKind;
use crate::mesh::CellCounts;

/// Verifies that the GPU, if the case runs on one, and the host have the memory that a case needs. On the host the
/// arrays of the device (on the CPU) or their copies on the way to the GPU exist beside the geometry in double
/// precision. The estimate leaves out a few per cent. `ranks` ranks share the memory of the host.
///
/// # Errors
/// The case needs more memory than is available.
pub fn check(settings: &Settings, counts: &CellCounts, gpu: Option<&Gpu>, ranks: usize) -> Result<(), SetupError> {
    let plan = Plan::of_counts(counts, settings.order, |kind| gpu.map_or(1, |_| shape::width(kind)));
    let real = settings.real_bytes();
    let mut device = memory_of(&Sizes {
        plan: &plan,
        real,
        viscous: settings.gas.viscosity.is_some(),
        kahan: settings.kahan,
        turbulence: settings.turbulent(),
        rotates: settings.frame.is_some(),
        relaxed: settings.boundaries.values().any(|b| b.kind().is_relaxed()),
        names: settings.boundaries.len(),
    });
    let sums = |kind: ElementKind| settings.output_doubles_per_cell[kind] as f64;
    // The sums of statistics stay on the device, and come to the host for checkpoints.
    let sums = 8.0 * counts.sum(|kind, _| sums(kind));
    device.other += sums as usize;
    if let Some(gpu) = gpu {
        cuda::check_memory(gpu, &device).map_err(DeviceError::from)?;
    }
    let Some(available) = available().map(|bytes| bytes / ranks as f64) else {
        return Ok(());
    };
    let on_host = match gpu {
        None => device.total() as f64,
        // A state and the metric terms on their way to the GPU.
        Some(_) => (real * plan.state_len() + device.geometry) as f64 + sums,
    };
    let np = |kind: ElementKind| kind.points(settings.order) as f64;
    let nf = |kind: ElementKind| kind.total_face_points(settings.order) as f64;
    let metrics = |kind, affine| if affine { 36.0 } else { 10.0 * np(kind) };
    // Geometry nodes, points, metric terms, Jacobian, areas, initial state; metric terms in the order of the device.
    let host = |kind, affine| (3.0 + 3.0 + 9.0 + 1.0 + 5.0) * np(kind) + 3.0 * nf(kind) + metrics(kind, affine);
    let needed = on_host + 8.0 * counts.sum(host);
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
