//! Access to a GPU: detection of driver and device, their properties, and the queues.
//!
//! libcuda is loaded at run time, so that the same program runs on machines without it. This module checks for
//! everything that can be missing, because cudarc would panic instead of returning an error.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cudarc::driver::{CudaContext, CudaEvent, CudaStream, DriverError, result, sys};

use super::communicator::Communicator;
use super::compiler::BuildError;
use super::energy::Energy;
use super::error::{CudaError, failed};
use super::nvrtc_lookup::nvrtc;
use super::prebuilt;
use crate::device::Meeting;

/// How often a host that waits for the GPU asks whether the network has failed.
const LOOK: Duration = Duration::from_millis(100);

/// A GPU and its queues. The queues overlap: two of kernels, and one for transfers in each direction.
pub struct Gpu {
    /// CUDA context.
    pub context: Arc<CudaContext>,
    /// Queue of kernels.
    pub compute: Arc<CudaStream>,
    /// Queue of kernels over frontier cells and of the packing of their traces. It has the highest priority.
    pub frontier: Arc<CudaStream>,
    /// Queue of device-to-host copies.
    pub d2h: Arc<CudaStream>,
    /// Queue of host-to-device copies.
    pub h2d: Arc<CudaStream>,
    /// Name of the device.
    pub name: String,
    /// Name of the architecture, for instance sm_90.
    pub architecture: String,
    /// CUDA version that the driver supports, 1000 major + 10 minor.
    pub driver_version: i32,
    /// UUID of the device, which is the same in all processes whatever devices they see.
    pub id: [u64; 2],
    /// The ranks with which the GPU exchanges traces by NCCL.
    pub(super) communicator: RefCell<Option<Communicator>>,
    energy: Energy,
}

impl Gpu {
    /// Returns whether there is a driver.
    pub fn has_driver() -> bool {
        // SAFETY: only tries to load the library.
        unsafe { sys::is_culib_present() }
    }

    /// Returns the number of visible GPUs, at least one.
    ///
    /// # Errors
    /// There is no driver or no visible GPU.
    pub fn count() -> Result<usize, CudaError> {
        if !Gpu::has_driver() {
            return Err(CudaError::NoDriver);
        }
        result::init().map_err(|e| CudaError::NoGpu(e.to_string()))?;
        let count = CudaContext::device_count().map_err(|e| CudaError::NoGpu(e.to_string()))?;
        match count {
            0 => Err(CudaError::NoGpu("no device is visible".to_owned())),
            count => Ok(count as usize),
        }
    }

    /// Opens one of the visible GPUs; `number` is taken modulo their count.
    ///
    /// # Errors
    /// There is no driver or no visible GPU, or the driver fails.
    pub fn open(number: usize) -> Result<Self, CudaError> {
        let count = Gpu::count()?;
        let context = CudaContext::new(number % count).map_err(failed("opening the GPU"))?;
        // SAFETY: cudarc's event tracking protects its slices, which are not used here. Queues are ordered by explicit
        // events, and a recorded step must not contain events that were recorded outside it.
        unsafe { context.disable_event_tracking() };
        let mut driver_version = 0;
        // SAFETY: writes one int.
        unsafe { sys::cuDriverGetVersion(&mut driver_version) }
            .result()
            .map_err(failed("querying the driver's version"))?;
        let (major, minor) = context
            .compute_capability()
            .map_err(failed("querying the compute capability"))?;
        let (_, highest) = result::stream::get_priority_range().map_err(failed("querying the range of priorities"))?;
        let queue = || context.new_stream().map_err(failed("opening a queue"));
        let id = uuid_halves(context.uuid().map_err(failed("querying the UUID of the GPU"))?);
        Ok(Gpu {
            energy: Energy::of_gpu(id),
            communicator: RefCell::new(None),
            compute: queue()?,
            d2h: queue()?,
            h2d: queue()?,
            frontier: context
                .new_stream_with_priority(highest)
                .map_err(failed("opening a queue"))?,
            name: context.name().map_err(failed("querying the name of the GPU"))?,
            architecture: format!("sm_{major}{minor}"),
            driver_version,
            id,
            context,
        })
    }

    /// Checks that kernels for this GPU are available: by a compiler whose output the driver supports, or as prebuilt
    /// PTX.
    ///
    /// # Errors
    /// There is neither, or the compiler is newer than the driver.
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

    /// Returns the free and the total memory, in bytes.
    ///
    /// # Errors
    /// The driver fails.
    pub fn memory(&self) -> Result<(usize, usize), CudaError> {
        self.context.mem_get_info().map_err(failed("querying free memory"))
    }

    /// Returns the millijoules that the GPU has used since its driver was loaded; `None` if NVML is missing or does not
    /// count them.
    pub fn millijoules(&self) -> Option<u64> {
        self.energy.millijoules()
    }

    /// Returns a new event, with a time stamp if `timed`.
    ///
    /// # Errors
    /// The driver fails.
    pub fn event(&self, timed: bool) -> Result<CudaEvent, CudaError> {
        let flags = if timed {
            sys::CUevent_flags::CU_EVENT_DEFAULT
        } else {
            sys::CUevent_flags::CU_EVENT_DISABLE_TIMING
        };
        self.context.new_event(Some(flags)).map_err(failed("creating an event"))
    }

    /// Returns `count` new queues, of the highest priority if `first`.
    ///
    /// # Errors
    /// The driver fails.
    pub fn queues(&self, count: usize, first: bool) -> Result<Vec<Arc<CudaStream>>, CudaError> {
        let (_, highest) = result::stream::get_priority_range().map_err(failed("querying the range of priorities"))?;
        let queue = |_| {
            if first {
                self.context.new_stream_with_priority(highest)
            } else {
                self.context.new_stream()
            }
        };
        (0..count)
            .map(queue)
            .map(|new| new.map_err(failed("opening a queue")))
            .collect()
    }

    /// Waits until the queue is empty.
    ///
    /// # Errors
    /// The GPU or the network fails.
    pub fn wait_for_queue(&self, queue: &CudaStream) -> Result<(), CudaError> {
        // SAFETY: queries a live queue.
        self.wait(
            || unsafe { sys::cuStreamQuery(queue.cu_stream()) },
            || queue.synchronize(),
        )
    }

    /// Waits until the work before an event is done.
    ///
    /// # Errors
    /// The GPU or the network fails.
    pub fn wait_for_event(&self, event: &CudaEvent) -> Result<(), CudaError> {
        // SAFETY: queries a live event.
        self.wait(
            || unsafe { sys::cuEventQuery(event.cu_event()) },
            || event.synchronize(),
        )
    }

    /// Meets the other ranks, and exchanges with these ones in this queue from now on. Collective.
    ///
    /// # Errors
    /// Those of [`Communicator::join`].
    pub(super) fn meet(
        &self,
        queue: Arc<CudaStream>,
        meeting: &Meeting,
        neighbours: &[usize],
    ) -> Result<(), CudaError> {
        // Without a plan of halos the neighbours are numbered by their ranks.
        let neighbours: Vec<_> = neighbours.iter().map(|&rank| (rank, rank)).collect();
        self.communicator
            .replace(Some(Communicator::join(queue, meeting, &neighbours)?));
        Ok(())
    }

    /// Waits for the GPU by `synchronize`. Where it exchanges traces through a network, whose other end may be gone,
    /// `query` is asked instead, and the network now and then.
    fn wait(
        &self,
        query: impl Fn() -> sys::CUresult,
        synchronize: impl Fn() -> Result<(), DriverError>,
    ) -> Result<(), CudaError> {
        let waiting = || failed("waiting for the GPU");
        if self.communicator.borrow().is_none() {
            return synchronize().map_err(waiting());
        }
        self.context.bind_to_thread().map_err(failed("choosing the GPU"))?;
        let mut looked = Instant::now();
        loop {
            match query() {
                sys::CUresult::CUDA_ERROR_NOT_READY => std::thread::yield_now(),
                answer => return answer.result().map_err(waiting()),
            }
            if looked.elapsed() > LOOK {
                self.communicator.borrow().as_ref().map_or(Ok(()), Communicator::look)?;
                looked = Instant::now();
            }
        }
    }

    /// Makes later work of the queue `later` wait for the work that is in the queue `earlier` now.
    ///
    /// # Errors
    /// The driver fails.
    pub fn order(&self, earlier: &CudaStream, later: &CudaStream) -> Result<(), CudaError> {
        later.join(earlier).map_err(failed("ordering two queues"))
    }
}

/// Returns the sixteen bytes of a UUID as two numbers.
fn uuid_halves(uuid: sys::CUuuid) -> [u64; 2] {
    let half = |first: usize| u64::from_le_bytes(std::array::from_fn(|byte| uuid.bytes[first + byte] as u8));
    [half(0), half(8)]
}
