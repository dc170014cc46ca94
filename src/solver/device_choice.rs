//! Which machine a case runs on: what it asks for, or a GPU if there is one that can be used.

use super::SetupError;
use crate::case::Case;
use crate::device::cuda::{Gpu, Options};
use crate::device::{Arithmetic, DeviceKind, Precision};
use crate::device::{CpuDevice, CudaDevice, CudaError, Device, DeviceError, Physics, Real};
use crate::element::Elements;
use crate::geometry::Geometry;
use crate::mesh::Mesh;

/// The GPU that the case is to run on; `None` means the CPU. The ranks on one machine, of which this is number `rank`, take GPUs
/// in turn.
pub fn choose(case: &Case, rank: usize) -> Result<Option<Gpu>, SetupError> {
    let gpu = match case.device {
        DeviceKind::Cpu => return Ok(None),
        DeviceKind::Cuda => Gpu::open(rank).map_err(DeviceError::from)?,
        DeviceKind::Auto => match Gpu::open(rank) {
            Ok(gpu) => gpu,
            Err(CudaError::NoDriver) => {
                tracing::info!("device  no NVIDIA driver here, so the CPU computes (device: auto)");
                return Ok(None);
            }
            Err(reason) => {
                tracing::warn!("the CPU computes, because the GPU cannot be used: {reason}");
                return Ok(None);
            }
        },
    };
    match gpu.ready() {
        Ok(()) => Ok(Some(gpu)),
        Err(reason) if case.device == DeviceKind::Auto => {
            tracing::warn!("the CPU computes, because the GPU cannot be used: {reason}");
            Ok(None)
        }
        Err(reason) => Err(DeviceError::from(reason).into()),
    }
}

/// Builds the device in the precision of the case; `ranks` of this machine share its cores unless the case says how many to use.
pub fn build(
    case: &Case,
    gpu: Option<Gpu>,
    ranks: usize,
    mesh: &Mesh,
    geometry: &Geometry,
    elements: &Elements,
    kinds: &[i32],
) -> Result<Box<dyn Device>, DeviceError> {
    let cores = || std::thread::available_parallelism().map_or(1, |cores| (cores.get() / ranks).max(1));
    let threads = case.threads.or_else(|| (ranks > 1).then(cores));
    match case.precision {
        Precision::Double => build_in::<f64>(case, gpu, threads, mesh, geometry, elements, kinds),
        Precision::Single => build_in::<f32>(case, gpu, threads, mesh, geometry, elements, kinds),
    }
}

fn build_in<R: Real>(
    case: &Case,
    gpu: Option<Gpu>,
    threads: Option<usize>,
    mesh: &Mesh,
    geometry: &Geometry,
    elements: &Elements,
    kinds: &[i32],
) -> Result<Box<dyn Device>, DeviceError> {
    let physics = Physics {
        gas: case.gas,
        scheme: case.scheme,
        kahan: case.time.kahan,
        sgs: case.sgs,
    };
    let Some(gpu) = gpu else {
        let device = CpuDevice::<R>::new(mesh, geometry, elements, &physics, kinds, threads)?;
        return Ok(Box::new(device));
    };
    let options = Options {
        fast: case.arithmetic != Arithmetic::Strict,
        graph: case.graph,
    };
    let device = CudaDevice::<R>::new(gpu, mesh, geometry, elements, &physics, kinds, options)?;
    Ok(Box::new(device))
}
