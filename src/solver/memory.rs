//! Whether a case fits this machine, before anything of it is built.

use super::SetupError;
use crate::case::{Case, Precision};

/// Refuses a case whose set-up needs more memory than the host has available. The estimate counts the device's arrays and the host's
/// double-precision geometry, which exist side by side while a run is set up; a few per cent are left out.
pub fn check(case: &Case, on_gpu: bool) -> Result<(), SetupError> {
    let Some(available) = available() else { return Ok(()) };
    let n = (case.order + 1) as f64;
    let points = case.mesh.cells.iter().map(|&c| c as f64).product::<f64>() * n.powi(3);
    let curved = case.mesh.warp != 0.0;
    let real = if case.precision == Precision::Double { 8.0 } else { 4.0 };
    let metrics = if curved { 10.0 } else { 28.0 / n.powi(3) };
    let state = if case.time.kahan { 25.0 } else { 20.0 };
    let traces = if case.gas.viscosity.is_some() { 24.0 / n } else { 0.0 };
    // Geometry nodes, points, metric terms, Jacobian, areas, initial state.
    let host = 3.0 + 3.0 + 9.0 + 1.0 + 18.0 / n + 5.0 + metrics;
    let device = if on_gpu { 5.0 + metrics } else { state + traces + metrics }; // on their way to the GPU, or there to stay
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
