//! Which machine a case runs on: what it asks for, or a GPU if there is one that can be used.

use super::SetupError;
use crate::case::{Arithmetic, Case, DeviceKind, Precision};
use crate::device::cuda::{Gpu, Options};
use crate::device::{CpuDevice, CudaDevice, CudaError, Device, DeviceError, Physics};
use crate::element::LineElement;
use crate::geometry::Geometry;
use crate::mesh::Mesh;

/// The GPU that the case is to run on; `None` means the CPU.
pub fn choose(case: &Case) -> Result<Option<Gpu>, SetupError> {
    let gpu = match case.device {
        DeviceKind::Cpu => return Ok(None),
        DeviceKind::Cuda => Gpu::open().map_err(DeviceError::from)?,
        DeviceKind::Auto => match Gpu::open() {
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

/// Builds the device.
pub fn build(
    case: &Case,
    gpu: Option<Gpu>,
    mesh: &Mesh,
    geometry: &Geometry,
    line: &LineElement,
    kinds: &[i32],
) -> Result<Box<dyn Device>, DeviceError> {
    let physics = Physics {
        gas: case.gas,
        scheme: case.scheme,
        kahan: case.time.kahan,
    };
    let Some(gpu) = gpu else {
        return Ok(match case.precision {
            Precision::Double => Box::new(CpuDevice::<f64>::new(
                mesh,
                geometry,
                line,
                &physics,
                kinds,
                case.threads,
            )?),
            Precision::Single => Box::new(CpuDevice::<f32>::new(
                mesh,
                geometry,
                line,
                &physics,
                kinds,
                case.threads,
            )?),
        });
    };
    let options = Options {
        fast: case.arithmetic != Arithmetic::Strict,
        graph: case.graph,
    };
    Ok(match case.precision {
        Precision::Double => Box::new(CudaDevice::<f64>::new(
            gpu, mesh, geometry, line, &physics, kinds, options,
        )?),
        Precision::Single => Box::new(CudaDevice::<f32>::new(
            gpu, mesh, geometry, line, &physics, kinds, options,
        )?),
    })
}
