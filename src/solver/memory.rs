//! Whether a case fits this machine, before anything of it is built.

use super::SetupError;
use crate::case::{Case, Precision};
use crate::device::DeviceError;
use crate::device::cuda::{Gpu, Needs};

/// Refuses a case that needs more memory than the GPU, if it runs on one, or the host has free. On the host the device's arrays
/// (on the CPU) or their copies on the way to the GPU exist beside the double-precision geometry; a few per cent are left out.
pub fn check(case: &Case, gpu: Option<&Gpu>) -> Result<(), SetupError> {
    let n = case.order + 1;
    let cells = case.mesh.cells.iter().product::<usize>();
    let curved = case.mesh.warp != 0.0;
    let double = case.precision == Precision::Double;
    if let Some(gpu) = gpu {
        let [x, y, z] = case.mesh.cells;
        let sides = [y * z, x * z, x * y];
        let open = (0..3).filter(|&d| !case.mesh.periodic[d]).map(|d| 2 * sides[d]);
        let needs = Needs {
            real: if double { 8 } else { 4 },
            n,
            affine_cells: if curved { 0 } else { cells },
            curved_cells: if curved { cells } else { 0 },
            boundary_faces: open.sum(),
            viscous: case.gas.viscosity.is_some(),
            kahan: case.time.kahan,
        };
        needs.check(gpu).map_err(DeviceError::from)?;
    }
    let Some(available) = available() else { return Ok(()) };
    let (n, points) = (n as f64, cells as f64 * (n as f64).powi(3));
    let real = if double { 8.0 } else { 4.0 };
    let metrics = if curved { 10.0 } else { 36.0 / n.powi(3) };
    let state = if case.time.kahan { 25.0 } else { 20.0 };
    let traces = if case.gas.viscosity.is_some() { 24.0 / n } else { 0.0 };
    let device = if gpu.is_some() {
        5.0 + metrics
    } else {
        state + traces + metrics
    };
    // Geometry nodes, points, metric terms, Jacobian, areas, initial state.
    let host = 3.0 + 3.0 + 9.0 + 1.0 + 18.0 / n + 5.0 + metrics;
    let needed = points * (real * device + 8.0 * host);
    if needed > available {
        return Err(SetupError::Memory {
            points,
            needed: needed / 1e9,
            available: available / 1e9,
        });
    }
    Ok(())
}

/// Bytes that the system can still hand out, where it says so.
fn available() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|l| l.starts_with("MemAvailable:"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024.0)
}
