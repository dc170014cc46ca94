//! The choice of the device: the kind that the case asks for, or with `device: auto` a GPU if a usable one is present.

use super::{Settings, SetupError};
use crate::device::cuda::{Gpu, Options};
use crate::device::{Arithmetic, Conditions, DeviceKind, Precision};
use crate::device::{CpuDevice, CudaDevice, CudaError, Device, DeviceError, Physics, Real};
use crate::element::Elements;
use crate::geometry::Geometry;
use crate::mesh::Mesh;
use crate::physics::{ScalarConstants, WallLaw};
use crate::runge_kutta::TimeScheme;

/// Returns the GPU to compute on; `None` means the CPU. The ranks of one machine take its GPUs in turn; this one is
/// number `rank` of them.
///
/// # Errors
/// The case asks for a GPU and none can be used.
pub fn choose(kind: DeviceKind, rank: usize) -> Result<Option<Gpu>, SetupError> {
    let gpu = match kind {
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
        Err(reason) if kind == DeviceKind::Auto => {
            tracing::warn!("the CPU computes, because the GPU cannot be used: {reason}");
            Ok(None)
        }
        Err(reason) => Err(DeviceError::from(reason).into()),
    }
}

/// Builds the device in the precision of the case. The `ranks` ranks of this machine share its cores unless the case
/// sets the number of threads.
///
/// # Errors
/// The device cannot be opened, has too little memory, or its kernels cannot be compiled.
pub fn build(
    settings: &Settings,
    gpu: Option<Gpu>,
    ranks: usize,
    mesh: &Mesh,
    geometry: &Geometry,
    elements: &Elements,
    conditions: Conditions,
) -> Result<Box<dyn Device>, DeviceError> {
    let cores = || std::thread::available_parallelism().map_or(1, |cores| (cores.get() / ranks).max(1));
    let threads = settings.threads.or_else(|| (ranks > 1).then(cores));
    match settings.precision {
        Precision::Double => build_in::<f64>(settings, gpu, threads, mesh, geometry, elements, conditions),
        Precision::Single => build_in::<f32>(settings, gpu, threads, mesh, geometry, elements, conditions),
    }
}

fn build_in<R: Real>(
    settings: &Settings,
    gpu: Option<Gpu>,
    threads: Option<usize>,
    mesh: &Mesh,
    geometry: &Geometry,
    elements: &Elements,
    conditions: Conditions,
) -> Result<Box<dyn Device>, DeviceError> {
    let (frames, angular_velocity) = settings.frames();
    let physics = Physics {
        gas: settings.gas,
        scheme: settings.scheme,
        kahan: settings.kahan,
        low_storage: settings.time_scheme.low_storage().is_some(),
        paired: settings.time_scheme == TimeScheme::Paired,
        sgs: settings.sgs,
        scalars: ScalarConstants::of(&settings.scalars),
        turbulence: settings.turbulent(),
        turbulence_varies: settings.turbulence_varies(),
        interfaces: settings.sides_of_interfaces().len() / 2,
        mortars: !mesh.mortars.is_empty(),
        wall_models: settings.wall_models().any(|_| true),
        wall_equilibrium: settings.wall_models().any(|law| law == WallLaw::Equilibrium),
        bars: settings.bars.len(),
        sponges: !settings.sponges.is_empty(),
        frames,
        angular_velocity,
    };
    let Some(gpu) = gpu else {
        let device = CpuDevice::<R>::new(mesh, geometry, elements, &physics, conditions, threads)?;
        return Ok(Box::new(device));
    };
    let options = Options {
        fast: settings.arithmetic != Arithmetic::Strict,
        graph: settings.graph,
    };
    let device = CudaDevice::<R>::new(gpu, mesh, geometry, elements, &physics, conditions, options)?;
    Ok(Box::new(device))
}
