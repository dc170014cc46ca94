//! From the programs of a run to images that the driver loads: out of the cache, from NVRTC, or from PTX made ahead of time.

use std::sync::Arc;

use cudarc::driver::CudaModule;
use cudarc::nvrtc::Ptx;
use rayon::prelude::*;

use super::architecture::{Architecture, NotAnArchitecture};
use super::cache::{Cache, Key};
use super::compiler::{BuildError, Compiled, compile};
use super::driver::Gpu;
use super::error::{CudaError, failed};
use super::nvrtc_lookup::nvrtc;
use super::prebuilt;
use super::programs::Constants;
use super::source::Program;
use super::variant::Variant;

/// The images of all programs of a run.
pub struct Assembly {
    /// Programs of each variant.
    pub programs: Vec<Vec<Program>>,
    /// The images of these programs.
    pub images: Vec<Vec<Vec<u8>>>,
    /// Where they come from, for the log.
    pub origin: String,
}

/// Assembles the kernels of a run with its constants frozen into them.
pub fn assemble(gpu: &Gpu, variants: &[Variant], constants: &Constants) -> Result<Assembly, CudaError> {
    let Ok(compiler) = nvrtc() else {
        return ahead_of_time(variants);
    };
    let architecture = gpu_architecture(gpu)?;
    let cache = Cache::of_user();
    let programs: Vec<Vec<Program>> = variants.iter().map(|v| v.programs(Some(constants))).collect();
    let all: Vec<(usize, &Program)> = programs
        .iter()
        .enumerate()
        .flat_map(|(i, programs)| programs.iter().map(move |p| (i, p)))
        .collect();
    let built: Vec<(usize, Compiled, bool)> = all
        .par_iter()
        .map(|(i, program)| {
            let key = Key::new(program, &architecture, compiler.version, gpu.driver_version);
            let (compiled, cached) = cache.load_or_build(key, || compile(program, &architecture))?;
            Ok((*i, compiled, cached))
        })
        .collect::<Result<_, BuildError>>()?;
    let mut images = vec![Vec::new(); variants.len()];
    let (mut cached, mut seconds) = (0, 0.0);
    for (i, compiled, was_cached) in built {
        if was_cached {
            cached += 1;
        } else {
            tracing::debug!("compiled in {:.2} s: {:?}", compiled.seconds, compiled.resources);
            seconds += compiled.seconds;
        }
        images[i].push(compiled.image);
    }
    let total = all.len();
    let origin = match total - cached {
        0 => format!("{total} from the cache"),
        built => format!(
            "{built} of {total} compiled (NVRTC {}, {seconds:.1} s of work)",
            compiler.version_name()
        ),
    };
    Ok(Assembly {
        programs,
        images,
        origin,
    })
}

/// One file on its own, compiled anew: for what runs do not use.
pub fn assemble_one(
    gpu: &Gpu,
    variant: &Variant,
    constants: &Constants,
    file: &'static str,
) -> Result<Arc<CudaModule>, CudaError> {
    load(
        gpu,
        compile(&variant.program(file, Some(constants)), &gpu_architecture(gpu)?)?.image,
    )
}

/// Loads an image into the driver.
pub fn load(gpu: &Gpu, mut image: Vec<u8>) -> Result<Arc<CudaModule>, CudaError> {
    // PTX is text, which ends with a zero byte; machine code is not read beyond its own headers.
    image.push(0);
    let image = Ptx::from_binary(image);
    gpu.context.load_module(image).map_err(failed("loading a kernel"))
}

fn gpu_architecture(gpu: &Gpu) -> Result<Architecture, CudaError> {
    gpu.architecture
        .parse()
        .map_err(|e: NotAnArchitecture| CudaError::Call {
            call: "naming the architecture",
            text: e.to_string(),
        })
}

/// The kernels of any run of this order, precision and arithmetic, which read the constants as parameters.
fn ahead_of_time(variants: &[Variant]) -> Result<Assembly, CudaError> {
    let directory = prebuilt::directory();
    // One set serves both kinds of metric terms.
    let variants: Vec<Variant> = variants.iter().map(|v| Variant { curved: false, ..*v }).collect();
    let programs: Vec<Vec<Program>> = variants.iter().map(|variant| variant.programs(None)).collect();
    let read = |(variant, programs): (&Variant, &Vec<Program>)| {
        let texts = programs
            .iter()
            .map(|p| prebuilt::read(&directory, variant, p).map(String::into_bytes));
        texts.collect::<Result<Vec<_>, _>>()
    };
    Ok(Assembly {
        images: variants.iter().zip(&programs).map(read).collect::<Result<_, _>>()?,
        programs,
        origin: format!("from {}", directory.display()),
    })
}
