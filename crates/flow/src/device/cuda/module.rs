//! The images of the programs of a run, which the driver loads as modules. An image comes from the cache, from NVRTC,
//! or from prebuilt PTX.

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
    /// The variants for which they are compiled.
    pub variants: Vec<Variant>,
    /// Programs of each variant.
    pub programs: Vec<Vec<Program>>,
    /// Images of these programs, `[variant][program][byte]`.
    pub images: Vec<Vec<Vec<u8>>>,
    /// Origin of the images, for the log.
    pub origin: String,
}

/// Returns the images of all programs of a run for a GPU of this architecture and a driver of this version, without
/// calling the driver. The constants are frozen into them, except where there is no NVRTC and prebuilt PTX is used.
///
/// # Errors
/// A program does not compile, or there is neither NVRTC nor prebuilt PTX.
pub fn assemble(
    (architecture, driver_version): (&str, i32),
    variants: &[Variant],
    constants: &Constants,
) -> Result<Assembly, CudaError> {
    let Ok(compiler) = nvrtc() else {
        return read_prebuilt(variants);
    };
    let architecture = parsed(architecture)?;
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
            let key = Key::new(program, &architecture, compiler.version, driver_version);
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
        variants: variants.to_vec(),
        programs,
        images,
        origin,
    })
}

/// Compiles programs that belong to no variant, or finds them in the cache, and loads them.
///
/// # Errors
/// There is no NVRTC, a program does not compile, or the driver rejects it.
pub fn modules_of(gpu: &Gpu, programs: &[Program]) -> Result<Vec<Arc<CudaModule>>, CudaError> {
    let architecture: Architecture = parsed(&gpu.architecture)?;
    let (cache, version) = (Cache::of_user(), nvrtc().map_err(BuildError::from)?.version);
    let driver = gpu.driver_version;
    let images = programs
        .par_iter()
        .map(|program| {
            let key = Key::new(program, &architecture, version, driver);
            let (compiled, _) = cache.load_or_build(key, || compile(program, &architecture))?;
            Ok(compiled.image)
        })
        .collect::<Result<Vec<_>, BuildError>>()?;
    images.into_iter().map(|image| load(gpu, image)).collect()
}

/// Loads an image into the driver.
///
/// # Errors
/// The driver rejects the image.
pub fn load(gpu: &Gpu, mut image: Vec<u8>) -> Result<Arc<CudaModule>, CudaError> {
    // PTX is text and must end with a zero byte. The driver does not read machine code beyond the length in its
    // headers.
    image.push(0);
    let image = Ptx::from_binary(image);
    gpu.context.load_module(image).map_err(failed("loading a kernel"))
}

/// Returns the architecture of this name.
///
/// # Errors
/// It is not the name of an architecture.
pub fn parsed(architecture: &str) -> Result<Architecture, CudaError> {
    architecture.parse().map_err(|e: NotAnArchitecture| CudaError::Call {
        call: "reading the architecture",
        text: e.to_string(),
    })
}

/// Reads prebuilt PTX. Its kernels read the constants of the run as parameters.
fn read_prebuilt(variants: &[Variant]) -> Result<Assembly, CudaError> {
    let directory = prebuilt::directory();
    let variants: Vec<Variant> = variants.iter().map(|variant| variant.prebuilt()).collect();
    let programs: Vec<Vec<Program>> = variants.iter().map(|variant| variant.programs(None)).collect();
    let read = |(variant, programs): (&Variant, &Vec<Program>)| {
        let texts = programs
            .iter()
            .map(|p| prebuilt::read(&directory, variant, p).map(String::into_bytes));
        texts.collect::<Result<Vec<_>, _>>()
    };
    Ok(Assembly {
        images: variants.iter().zip(&programs).map(read).collect::<Result<_, _>>()?,
        variants,
        programs,
        origin: format!("from {}", directory.display()),
    })
}
