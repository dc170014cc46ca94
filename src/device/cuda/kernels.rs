//! The kernels of a run, loaded into the driver: one set for each way in which cells hold their metric terms.

use std::ffi::c_void;
use std::sync::Arc;

use cudarc::driver::{CudaFunction, CudaModule, CudaStream, result, sys};

use super::driver::Gpu;
use super::error::{CudaError, failed};
use super::module::load;
use super::shape::{Shape, launch_shape};
use super::source::Program;
use super::variant::Variant;
use crate::device::contract::{Kernel, Params, Stage};

/// A kernel that the driver has loaded, and how it is launched.
pub struct LoadedKernel {
    function: CudaFunction,
    /// Threads, cells, shared memory.
    pub shape: Shape,
}

impl LoadedKernel {
    /// A kernel of the module that was made of `file`.
    pub fn new(module: &Arc<CudaModule>, file: &str, kernel: Kernel, variant: &Variant) -> Result<Self, CudaError> {
        let name = kernel.spec().name;
        let function = module.load_function(name).map_err(failed("finding a kernel"))?;
        let shape = launch_shape(file, Some(kernel), variant);
        if shape.shared > 0 {
            let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            function
                .set_attribute(attribute, shape.shared as i32)
                .map_err(failed("shaping a kernel"))?;
        }
        Ok(LoadedKernel { function, shape })
    }

    /// Puts `blocks` thread blocks into a queue.
    pub fn launch<R>(&self, queue: &CudaStream, blocks: usize, params: &Params<R>) -> Result<(), CudaError> {
        if blocks == 0 {
            return Ok(());
        }
        let mut arguments = [(&raw const *params).cast_mut().cast::<c_void>()];
        // SAFETY: the kernel's one argument is a Params, or its leading part where constants are frozen, of live device arrays;
        // the driver copies it now.
        unsafe {
            result::launch_kernel(
                self.function.cu_function(),
                (blocks as u32, 1, 1),
                (self.shape.threads as u32, 1, 1),
                self.shape.shared as u32,
                queue.cu_stream(),
                &mut arguments,
            )
        }
        .map_err(failed("launching a kernel"))
    }
}

/// The kernels of a run for one kind of cell and of metric terms.
pub struct LoadedKernels(Vec<Vec<LoadedKernel>>);

impl LoadedKernels {
    /// Loads the images of [`Variant::programs`].
    pub fn load(gpu: &Gpu, variant: &Variant, programs: &[Program], images: &[Vec<u8>]) -> Result<Self, CudaError> {
        let mut loaded: Vec<Vec<LoadedKernel>> = Kernel::ALL.iter().map(|_| Vec::new()).collect();
        for (program, image) in programs.iter().zip(images) {
            let module = load(gpu, image.clone())?;
            for &kernel in Kernel::ALL
                .iter()
                .filter(|kernel| kernel.file(variant.kind) == Some(program.file))
            {
                loaded[kernel as usize].push(LoadedKernel::new(&module, program.file, kernel, variant)?);
            }
        }
        Ok(LoadedKernels(loaded))
    }

    /// A kernel; of those that are compiled for each stage, that of `stage`.
    pub fn get(&self, kernel: Kernel, stage: Stage) -> &LoadedKernel {
        match &self.0[kernel as usize][..] {
            [] => unreachable!("runs launch the kernels of runs"),
            [one] => one,
            by_stage => &by_stage[stage as usize],
        }
    }
}
