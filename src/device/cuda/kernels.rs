//! The kernels of a run, loaded into the driver: one set for each way in which cells hold their metric terms.

use std::ffi::c_void;
use std::sync::Arc;

use cudarc::driver::{CudaFunction, CudaModule, CudaStream, result, sys};

use super::driver::Gpu;
use super::error::{CudaError, failed};
use super::module::load;
use super::shape::launch_shape;
use super::source::Program;
use super::variant::Variant;
use crate::device::contract::{Kernel, Over};
use crate::device::engine::KernelSet;

/// A kernel that the driver has loaded, and how it is launched.
pub struct LoadedKernel {
    function: CudaFunction,
    /// Threads of a block.
    threads: usize,
    /// Items that a block goes over.
    items: usize,
    /// Dynamic shared memory of a block, in bytes.
    shared: usize,
}

impl LoadedKernel {
    /// The kernel `name` of a module, launched with blocks of so many threads, each over so many items, with this much
    /// dynamic shared memory in bytes.
    ///
    /// # Errors
    ///
    /// Returns an error if the module has no such kernel, or the GPU has less shared memory.
    pub fn new(
        module: &Arc<CudaModule>,
        name: &str,
        threads: usize,
        items: usize,
        shared: usize,
    ) -> Result<Self, CudaError> {
        let function = module.load_function(name).map_err(failed("finding a kernel"))?;
        if shared > 0 {
            let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            function
                .set_attribute(attribute, shared as i32)
                .map_err(failed("shaping a kernel"))?;
        }
        Ok(LoadedKernel {
            function,
            threads,
            items,
            shared,
        })
    }

    /// A kernel of the contract, in the module that was made of `file`.
    ///
    /// # Errors
    ///
    /// Returns an error if the module does not have it.
    pub fn of_contract(
        module: &Arc<CudaModule>,
        file: &str,
        kernel: Kernel,
        variant: &Variant,
    ) -> Result<Self, CudaError> {
        let (spec, shape) = (kernel.spec(), launch_shape(file, Some(kernel), variant));
        let items = match spec.over {
            Over::Cells => shape.cells,
            Over::BoundaryPoints | Over::BoundaryFaces | Over::Items => shape.threads,
        };
        LoadedKernel::new(module, spec.name, shape.threads, items, shape.shared)
    }

    /// Puts a launch over so many items into a queue.
    ///
    /// # Errors
    ///
    /// Returns an error if the driver refuses.
    ///
    /// # Safety
    ///
    /// `params` must be the kernel's one argument, or begin with it, and lead to live device arrays.
    pub unsafe fn launch<P>(&self, queue: &CudaStream, items: usize, params: &P) -> Result<(), CudaError> {
        if items == 0 {
            return Ok(());
        }
        let mut arguments = [(&raw const *params).cast_mut().cast::<c_void>()];
        // SAFETY: as the caller says; the driver copies the argument now.
        unsafe {
            result::launch_kernel(
                self.function.cu_function(),
                (items.div_ceil(self.items) as u32, 1, 1),
                (self.threads as u32, 1, 1),
                self.shared as u32,
                queue.cu_stream(),
                &mut arguments,
            )
        }
        .map_err(failed("launching a kernel"))
    }
}

/// Loads the images of [`Variant::programs`].
///
/// # Errors
///
/// Returns an error if the driver refuses.
pub fn load_set(
    gpu: &Gpu,
    variant: &Variant,
    programs: &[Program],
    images: &[Vec<u8>],
) -> Result<KernelSet<LoadedKernel>, CudaError> {
    let mut loaded: Vec<Vec<LoadedKernel>> = Kernel::ALL.iter().map(|_| Vec::new()).collect();
    for (program, image) in programs.iter().zip(images) {
        let module = load(gpu, image.clone())?;
        for &kernel in Kernel::ALL
            .iter()
            .filter(|kernel| kernel.file(variant.kind) == Some(program.file))
        {
            loaded[kernel as usize].push(LoadedKernel::of_contract(&module, program.file, kernel, variant)?);
        }
    }
    Ok(KernelSet(loaded))
}
