//! The kernels of the steady solver on a GPU: one program for each file of ptx/steady, with the constants of the run.

use super::error::CudaError;
use super::kernels::LoadedKernel;
use super::module::modules_of;
use super::programs::member;
use super::source::Program;
use super::store::GpuStore;
use crate::device::contract::{STEADY_CONSTANTS, SteadyKernel, SteadyParams, steady_files};

/// Threads of a block, one a vertex; ptx/steady/vertex.h has the same number.
pub const STEADY_THREADS: usize = 128;
/// Vertices of a slice of edges; ptx/steady/vertex.h has the same number.
pub const STEADY_SLICE: usize = 32;

/// Returns the programs of the steady solver with the constants of these parameters.
pub fn steady_programs(params: &SteadyParams, fast: bool) -> Vec<Program> {
    let members = STEADY_CONSTANTS.iter().zip(params.constant_values());
    let frozen: String = members
        .map(|(field, value)| member(field.name, value, |x| format!("{x:e}")))
        .collect();
    let mut macros = vec![
        ("STEADY", "1"),
        ("ELEMENT", "HEX"),
        ("ORDER", "1"),
        ("REAL", "double"),
        ("FROZEN", &frozen),
        // NVRTC has no offsetof; see `Variant::macros`.
        ("__builtin_offsetof(type, field)", "__INTADDR__(&(((type *)0)->field))"),
    ];
    if fast {
        macros.push(("FAST_MATH", "1"));
    }
    let macros: Vec<(String, String)> = macros
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    steady_files()
        .into_iter()
        .map(|file| Program {
            label: format!("steady {}", file.trim_end_matches(".cu")),
            folder: "steady",
            file,
            stage: None,
            macros: macros.clone(),
        })
        .collect()
}

/// Compiles and loads the kernels of the steady solver, in the order of [`SteadyKernel::ALL`].
///
/// # Errors
/// There is no NVRTC, a program does not compile, or the driver rejects it.
pub fn steady_kernels(store: &GpuStore, params: &SteadyParams, fast: bool) -> Result<Vec<LoadedKernel>, CudaError> {
    let programs = steady_programs(params, fast);
    let modules = modules_of(&store.gpu, &programs)?;
    SteadyKernel::ALL
        .iter()
        .map(|kernel| {
            let module = programs.iter().position(|program| program.file == kernel.file());
            let module = &modules[module.expect("every kernel has a file")];
            LoadedKernel::new(module, kernel.name(), STEADY_THREADS, STEADY_THREADS, 0)
        })
        .collect()
}
