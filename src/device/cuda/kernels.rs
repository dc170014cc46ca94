//! The kernels of a run: one set for each way in which cells hold their metric terms, with all constants of the run frozen
//! into the code, so that what does not apply is not there and what is known is an operand.

use std::ffi::{CString, c_void};
use std::fmt::Write as _;
use std::sync::Arc;

use cudarc::driver::{CudaFunction, CudaModule, CudaStream, result, sys};

use super::driver::Gpu;
use super::error::{CudaError, failed};
use super::shape::{Shape, launch_shape};
use super::source::Program;
use crate::device::memory::Real;
use crate::device::params::Params;

/// Stages of sweep 2 as ptx/params.h numbers them.
pub const STAGES: [&str; 4] = ["rhs", "first", "middle", "last"];

/// A kernel and how it is launched.
pub struct Kernel {
    function: CudaFunction,
    /// Threads, cells, shared memory.
    pub shape: Shape,
}

impl Kernel {
    fn new(module: &Arc<CudaModule>, file: &str, name: &str, what: &What) -> Result<Self, CudaError> {
        let function = module.load_function(name).map_err(failed("finding a kernel"))?;
        let shape = launch_shape(file, name, what.order, what.double, what.curved);
        let set = |attribute, value: usize| function.set_attribute(attribute, value as i32).map_err(failed("shaping a kernel"));
        if shape.shared > 0 {
            set(sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shape.shared)?;
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
    /// Sweep 1.
    pub sweep1: Kernel,
    /// Sweep 2 by stage.
    pub sweep2: [Kernel; 4],
    /// Bounds on the time step.
    pub rates: Kernel,
    /// Integrals.
    pub integrals: Kernel,
}

/// What kernels are made for.
#[derive(Debug, Clone, Copy)]
pub struct What {
    /// Polynomial degree.
    pub order: usize,
    /// Double precision.
    pub double: bool,
    /// Approximate reciprocals and roots.
    pub fast: bool,
    /// Metric terms at every point.
    pub curved: bool,
}

impl What {
    /// The macros of all programs, with those that shape the launch of `file`.
    pub fn macros(&self, file: &str) -> Vec<(String, String)> {
        let shape = launch_shape(file, file.trim_end_matches(".cu"), self.order, self.double, self.curved);
        let mut macros = vec![
            ("ORDER", self.order.to_string()),
            ("REAL", if self.double { "double" } else { "float" }.to_owned()),
            ("CELLS", shape.cells.to_string()),
            ("BLOCKS", shape.blocks.to_string()),
        ];
        if self.fast {
            macros.push(("FAST", "1".to_owned()));
        }
        macros.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// The programs of a run, in the order in which [`Kernels::load`] takes them. Without `params` the constants stay
    /// parameters and one sweep 2 serves all stages.
    pub fn programs<R: Real>(&self, params: Option<&Params<R>>) -> Vec<Program> {
        let program = |file: &'static str, label: &str, stage: i32| {
            let mut macros = self.macros(file);
            if let Some(params) = params {
                let points = if self.curved { (self.order + 1).pow(3) } else { 1 };
                let frozen = Params { stage, metric_points: points as i32, ..*params };
                macros.push(("FROZEN".to_owned(), constants(&frozen)));
            }
            Program { label: label.to_owned(), file, macros }
        };
        let mut programs = vec![
            program("boundary.cu", "boundary", 0),
            program("sweep1.cu", "sweep1", 0),
            program("monitor.cu", "monitor", 0),
        ];
        let stages = if params.is_some() { &STAGES[..] } else { &STAGES[..1] };
        for (stage, name) in stages.iter().enumerate() {
            programs.push(program("sweep2.cu", &format!("sweep2 {name}"), stage as i32));
        }
        programs
    }
}

impl Kernels {
    /// Loads the images of [`What::programs`].
    pub fn load(gpu: &Gpu, what: &What, images: &[Vec<u8>]) -> Result<Self, CudaError> {
        let module = |image: &Vec<u8>| -> Result<Arc<CudaModule>, CudaError> {
            // PTX is text and ends with a zero byte; machine code is not read beyond its own headers.
            let image = CString::new(image.clone()).map_or_else(|_| image.clone(), CString::into_bytes_with_nul);
            gpu.context
                .load_module(cudarc::nvrtc::Ptx::from_binary(image))
                .map_err(failed("loading a kernel"))
        };
        let modules = images.iter().map(module).collect::<Result<Vec<_>, _>>()?;
        let kernel = |module: usize, file: &str, name: &str| Kernel::new(&modules[module], file, name, what);
        let sweep2 = |stage: usize| kernel((3 + stage).min(modules.len() - 1), "sweep2.cu", "sweep2");
        Ok(Kernels {
            ghost_states: kernel(0, "boundary.cu", "ghost_states")?,
            ghost_traces: kernel(0, "boundary.cu", "ghost_traces")?,
            sweep1: kernel(1, "sweep1.cu", "sweep1")?,
            rates: kernel(2, "monitor.cu", "rates")?,
            integrals: kernel(2, "monitor.cu", "integrals")?,
            sweep2: [sweep2(0)?, sweep2(1)?, sweep2(2)?, sweep2(3)?],
        })
    }
}

/// The constants of `struct Params` as static members of the same names. Decimal numbers that read back to the same bits.
fn constants<R: Real>(p: &Params<R>) -> String {
    let suffix = if R::DOUBLE { "" } else { "f" };
    let number = |x: R| if R::DOUBLE { format!("{:e}", x.to_f64()) } else { format!("{:e}{suffix}", x.to_f64() as f32) };
    let mut text = String::new();
    for (name, values) in [("diff", &p.diff[..]), ("correction", &p.correction), ("weights", &p.weights)] {
        let list: Vec<String> = values.iter().map(|&x| number(x)).collect();
        let _ = write!(text, "static constexpr real {name}[] = {{{}}}; ", list.join(", "));
    }
    for (name, value) in [
        ("gamma", p.gamma),
        ("gas_constant", p.gas_constant),
        ("cv", p.cv),
        ("cp", p.cp),
        ("conductivity_factor", p.conductivity_factor),
        ("mu", p.mu),
        ("sutherland_factor", p.sutherland_factor),
        ("sutherland_s", p.sutherland_s),
    ] {
        let _ = write!(text, "static constexpr real {name} = {}; ", number(value));
    }
    for (name, value) in [
        ("split", p.split),
        ("riemann", p.riemann),
        ("viscosity", p.viscosity),
        ("stage", p.stage),
        ("kahan", p.kahan),
        ("boundaries", p.boundaries),
        ("metric_points", p.metric_points),
    ] {
        let _ = write!(text, "static constexpr int {name} = {value}; ");
    }
    text
}
