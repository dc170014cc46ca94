//! The way to a GPU: is there a driver, is there a device, what can it do.
//!
//! libcuda is loaded at run time, so the same binary runs where there is none. Everything that can be missing is asked for
//! before cudarc would panic on it.

use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaEvent, CudaStream, result, sys};

use super::compiler::BuildError;
use super::error::{CudaError, failed};
use super::nvrtc_lookup::nvrtc;
use super::prebuilt;

/// A GPU and its queues: computing, transfers out of the device and into it, which overlap with that, and beside computing one
/// for what other ranks wait for.
pub struct Gpu {
    /// The context.
    pub context: Arc<CudaContext>,
    /// Kernels.
    pub compute: Arc<CudaStream>,
    /// Kernels over cells with neighbours on other ranks, and the packing of what those need. They go before others.
    pub frontier: Arc<CudaStream>,
    /// Out of the device, to the host or to other devices.
    pub down: Arc<CudaStream>,
    /// Into the device, from the host or from other devices.
    pub up: Arc<CudaStream>,
    /// Name of the device.
    pub name: String,
    /// Such as sm_90.
    pub architecture: String,
    /// CUDA version that the driver supports, 1000 major + 10 minor.
    pub driver_version: i32,
    /// The device's own number, the same for all that use it, whatever they see of the machine.
    pub id: [u64; 2],
}

impl Gpu {
    /// Whether there is a driver at all.
    pub fn has_driver() -> bool {
        // SAFETY: only tries to load the library.
        unsafe { sys::is_culib_present() }
    }

    /// One of the visible GPUs: they are counted round and round.
    pub fn open(number: usize) -> Result<Self, CudaError> {
        if !Gpu::has_driver() {
            return Err(CudaError::NoDriver);
        }
        result::init().map_err(|e| CudaError::NoGpu(e.to_string()))?;
        let count = CudaContext::device_count().map_err(|e| CudaError::NoGpu(e.to_string()))?;
        if count == 0 {
            return Err(CudaError::NoGpu("no device is visible".to_owned()));
        }
        let count = count as usize;
        let context = CudaContext::new(number % count).map_err(failed("opening the GPU"))?;
        // SAFETY: cudarc's own tracking serves its slices, which are not used here; queues are ordered by explicit events, and a
        // recorded step may not contain events from outside.
        unsafe { context.disable_event_tracking() };
        let mut driver_version = 0;
        // SAFETY: writes one int.
        unsafe { sys::cuDriverGetVersion(&mut driver_version) }
            .result()
            .map_err(failed("asking for the driver's version"))?;
        let (major, minor) = context
            .compute_capability()
            .map_err(failed("asking for the compute capability"))?;
        let (_, first) = result::stream::get_priority_range().map_err(failed("asking for priorities"))?;
        let queue = || context.new_stream().map_err(failed("opening a queue"));
        Ok(Gpu {
            compute: queue()?,
            down: queue()?,
            up: queue()?,
            frontier: context
                .new_stream_with_priority(first)
                .map_err(failed("opening a queue"))?,
            name: context.name().map_err(failed("asking for the name"))?,
            architecture: format!("sm_{major}{minor}"),
            driver_version,
            id: halves(context.uuid().map_err(failed("asking for the device's number"))?),
            context,
        })
    }

    /// Whether kernels can be had for it: a compiler that the driver understands, or PTX made ahead of time.
    pub fn ready(&self) -> Result<(), CudaError> {
        match nvrtc() {
            Ok(compiler) if compiler.version.0 as i32 > self.driver_version / 1000 => Err(CudaError::OldDriver {
                driver: format!("{}.{}", self.driver_version / 1000, self.driver_version % 1000 / 10),
                compiler: compiler.version_name(),
            }),
            Ok(_) => Ok(()),
            Err(_) if prebuilt::directory().is_dir() => Ok(()),
            Err(reason) => Err(BuildError::from(reason).into()),
        }
    }

    /// Free and total memory, in bytes.
    pub fn memory(&self) -> Result<(usize, usize), CudaError> {
        self.context.mem_get_info().map_err(failed("asking for free memory"))
    }

    /// An event with or without a time stamp.
    pub fn event(&self, timed: bool) -> Result<CudaEvent, CudaError> {
        let flags = if timed {
            sys::CUevent_flags::CU_EVENT_DEFAULT
        } else {
            sys::CUevent_flags::CU_EVENT_DISABLE_TIMING
        };
        self.context.new_event(Some(flags)).map_err(failed("making an event"))
    }

    /// Lets `later` wait for all that is in `earlier` now.
    pub fn order(&self, earlier: &CudaStream, later: &CudaStream) -> Result<(), CudaError> {
        later.join(earlier).map_err(failed("ordering two queues"))
    }
}

/// Sixteen bytes as two numbers.
fn halves(uuid: sys::CUuuid) -> [u64; 2] {
    let half = |first: usize| u64::from_le_bytes(std::array::from_fn(|byte| uuid.bytes[first + byte] as u8));
    [half(0), half(8)]
}
