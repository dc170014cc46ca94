//! The kernels of a run as the driver has loaded them: one set for each kind of cell, affine or curved.

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
use crate::physics::Shock;

/// A kernel that the driver has loaded, with the shape of its launches.
pub struct LoadedKernel {
    function: CudaFunction,
    /// Threads of a block.
    threads: usize,
    /// Items of a block.
    items: usize,
    /// Dynamic shared memory of a block, in bytes.
    shared: usize,
    /// The most blocks of a launch.
    most_blocks: usize,
}

impl LoadedKernel {
    /// Finds the kernel `name` in a module. Its blocks have this number of threads, items and bytes of dynamic shared
    /// memory.
    ///
    /// # Errors
    /// The module has no such kernel, or the GPU has too little shared memory.
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
                .map_err(failed("setting the shared memory of a kernel"))?;
        }
        Ok(LoadedKernel {
            function,
            threads,
            items,
            shared,
            most_blocks: usize::MAX,
        })
    }

    /// Finds a kernel of the contract in the module that was compiled from `file`.
    ///
    /// # Errors
    /// The module has no such kernel, or the GPU has too little shared memory.
    fn of_contract(
        gpu: &Gpu,
        module: &Arc<CudaModule>,
        file: &str,
        kernel: Kernel,
        variant: &Variant,
        shock: Shock,
    ) -> Result<Self, CudaError> {
        let (spec, shape) = (kernel.spec(), launch_shape(file, Some(kernel), variant));
        let items = match spec.over {
            Over::Cells | Over::Groups => shape.cells,
            Over::BoundaryPoints | Over::BoundaryFaces | Over::MatchingPoints | Over::Items => shape.threads,
        };
        let mut loaded = LoadedKernel::new(module, spec.name, shape.threads, items, shape.shared)?;
        if takes_turns(kernel, shock) {
            loaded.most_blocks = loaded.resident_blocks(gpu)?;
        }
        Ok(loaded)
    }

    /// Returns how many blocks a GPU holds at once.
    ///
    /// # Errors
    /// The driver fails.
    fn resident_blocks(&self, gpu: &Gpu) -> Result<usize, CudaError> {
        let of_one = self
            .function
            .occupancy_max_active_blocks_per_multiprocessor(self.threads as u32, self.shared, None)
            .map_err(failed("asking how many blocks a multiprocessor holds"))?;
        let multiprocessors = gpu
            .context
            .attribute(sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
            .map_err(failed("asking for the number of multiprocessors"))?;
        Ok((of_one as usize * multiprocessors as usize).max(1))
    }

    /// Adds a launch over `items` items to a queue.
    ///
    /// # Errors
    /// The driver rejects the launch.
    ///
    /// # Safety
    ///
    /// `params` must be the single argument of the kernel, or begin with it, and hold addresses of live device arrays.
    // SAFETY: the section above states what the caller must keep.
    pub unsafe fn launch<P>(&self, queue: &CudaStream, items: usize, params: &P) -> Result<(), CudaError> {
        if items == 0 {
            return Ok(());
        }
        let mut arguments = [(&raw const *params).cast_mut().cast::<c_void>()];
        // SAFETY: the caller guarantees a valid argument, and the driver copies it in this call.
        unsafe {
            result::launch_kernel(
                self.function.cu_function(),
                (items.div_ceil(self.items).min(self.most_blocks) as u32, 1, 1),
                (self.threads as u32, 1, 1),
                self.shared as u32,
                queue.cu_stream(),
                &mut arguments,
            )
        }
        .map_err(failed("launching a kernel"))
    }
}

/// Returns whether thread blocks take groups in turns in a run with a filter (`KERNEL_IN_TURNS`, ptx/dialect/cuda.h).
fn takes_turns(kernel: Kernel, shock: Shock) -> bool {
    kernel == Kernel::Filter && shock == Shock::Positivity
}

/// Loads the kernels of the programs of a variant ([`Variant::programs`]) from their images. `shock` is the filter of
/// the run.
///
/// # Errors
/// The driver rejects an image, or a kernel is missing.
pub fn load_set(
    gpu: &Gpu,
    variant: &Variant,
    shock: Shock,
    programs: &[Program],
    images: &[Vec<u8>],
) -> Result<KernelSet<LoadedKernel>, CudaError> {
    let mut loaded: Vec<Vec<LoadedKernel>> = Kernel::ALL.iter().map(|_| Vec::new()).collect();
    for (program, image) in programs.iter().zip(images) {
        let variant = variant.of_file(program.file, program.stage);
        let module = load(gpu, image.clone())?;
        for &kernel in Kernel::ALL
            .iter()
            .filter(|kernel| kernel.file(variant.kind) == Some(program.file))
        {
            loaded[kernel as usize].push(LoadedKernel::of_contract(
                gpu,
                &module,
                program.file,
                kernel,
                &variant,
                shock,
            )?);
        }
    }
    Ok(KernelSet(loaded))
}
