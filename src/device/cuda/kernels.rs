//! The kernels of a run, loaded into the driver: one set for each way in which cells hold their metric terms.

use std::ffi::c_void;
use std::sync::Arc;

use cudarc::driver::{CudaFunction, CudaModule, CudaStream, result, sys};

use super::assembly::load;
use super::driver::Gpu;
use super::error::{CudaError, failed};
use super::programs::Variant;
use super::shape::{Shape, launch_shape};
use crate::device::params::Params;

/// A kernel and how it is launched.
pub struct Kernel {
    function: CudaFunction,
    /// Threads, cells, shared memory.
    pub shape: Shape,
}

impl Kernel {
    /// The kernel `name` of `file`.
    pub fn new(module: &Arc<CudaModule>, file: &str, name: &str, variant: &Variant) -> Result<Self, CudaError> {
        let function = module.load_function(name).map_err(failed("finding a kernel"))?;
        let shape = launch_shape(file, name, variant);
        let set = |attribute, value: usize| {
            function
                .set_attribute(attribute, value as i32)
                .map_err(failed("shaping a kernel"))
        };
        if shape.shared > 0 {
            set(
                sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                shape.shared,
            )?;
        }
        Ok(Kernel { function, shape })
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

/// The kernels for one kind of metric terms.
pub struct Kernels {
    /// Ghost states of boundary faces.
    pub ghost_states: Kernel,
    /// Ghost traces of boundary faces.
    pub ghost_traces: Kernel,
    /// What flows through boundary faces.
    pub boundary_fluxes: Kernel,
    /// What flows through them at every point.
    pub surface_values: Kernel,
    /// Packs traces for other ranks.
    pub pack: Kernel,
    /// The state at places within cells.
    pub sample: Kernel,
    /// Sweep 1.
    pub sweep1: Kernel,
    /// Sweep 2 by stage.
    pub sweep2: [Kernel; 4],
    /// Bounds on the time step.
    pub rates: Kernel,
    /// Mass and momentum.
    pub bulk: Kernel,
    /// Integrals.
    pub integrals: Kernel,
    /// Statistics.
    pub statistics: Kernel,
}

impl Kernels {
    /// Loads the images of [`Variant::programs`].
    pub fn load(gpu: &Gpu, variant: &Variant, images: &[Vec<u8>]) -> Result<Self, CudaError> {
        let modules = images
            .iter()
            .map(|image| load(gpu, image.clone()))
            .collect::<Result<Vec<_>, _>>()?;
        let files = variant.files();
        let kernel = |file: &str, name: &str| {
            let module = files.iter().position(|f| *f == file).expect("a file of a run");
            Kernel::new(&modules[module], file, name, variant)
        };
        let sweep2 = |stage: usize| {
            let module = (files.len() - 1 + stage).min(modules.len() - 1);
            Kernel::new(&modules[module], variant.sweep2(), "sweep2", variant)
        };
        Ok(Kernels {
            ghost_states: kernel("ghosts.cu", "ghost_states")?,
            ghost_traces: kernel("ghosts.cu", "ghost_traces")?,
            boundary_fluxes: kernel("surface.cu", "boundary_fluxes")?,
            surface_values: kernel("surface.cu", "surface_values")?,
            pack: kernel("halo.cu", "pack")?,
            sample: kernel("sample.cu", "sample")?,
            sweep1: kernel(variant.sweep1(), "sweep1")?,
            rates: kernel("bounds.cu", "rates")?,
            bulk: kernel("integrals.cu", "bulk")?,
            integrals: kernel("integrals.cu", "integrals")?,
            statistics: kernel("statistics.cu", "statistics")?,
            sweep2: [sweep2(0)?, sweep2(1)?, sweep2(2)?, sweep2(3)?],
        })
    }
}
