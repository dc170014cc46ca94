//! The mesh loops on a GPU (ptx/loops), compiled when the benchmark asks for them.

use super::error::CudaError;
use super::kernels::LoadedKernel;
use super::module::modules_of;
use super::source::Program;
use super::store::GpuStore;
use crate::device::contract::{LOOP_GAS, LoopKernel, loop_files};

/// Threads of a block, one an item; ptx/loops/loop.h has the same number.
const THREADS: usize = 128;
/// Items of a slice of lists.
pub const LOOP_SLICE: usize = 32;

/// Returns the programs of the mesh loops.
pub fn loop_programs(double: bool) -> Vec<Program> {
    let real = if double { "double" } else { "float" };
    let macros = [
        ("LOOPS", "1"),
        ("ELEMENT", "HEX"),
        ("ORDER", "1"),
        ("REAL", real),
        ("FROZEN", LOOP_GAS),
        // NVRTC has no offsetof; see `Variant::macros`.
        ("__builtin_offsetof(type, field)", "__INTADDR__(&(((type *)0)->field))"),
    ];
    let program = |file: &'static str| Program {
        label: file.trim_end_matches(".cu").replace('_', " "),
        folder: "loops",
        file,
        stage: None,
        macros: macros.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
    };
    loop_files().into_iter().map(program).collect()
}

/// Compiles and loads the mesh loops, in the order of [`LoopKernel::ALL`]: each with plain adds, for launches whose
/// items share no values that it writes, and with atomic ones if it adds to values of other items.
///
/// # Errors
/// There is no NVRTC, a program does not compile, or the driver rejects it.
pub fn loop_kernels(store: &GpuStore, double: bool) -> Result<Vec<(LoadedKernel, Option<LoadedKernel>)>, CudaError> {
    let programs = loop_programs(double);
    let modules = modules_of(&store.gpu, &programs)?;
    let functions = |kernel: &LoopKernel| {
        let module = programs.iter().position(|program| program.file == kernel.file());
        let module = &modules[module.expect("every kernel has a file")];
        let load = |name: &str| LoadedKernel::new(module, name, THREADS, THREADS, 0);
        let atomic = kernel.scatters().then(|| load(&format!("{}_atomics", kernel.name())));
        Ok((load(kernel.name())?, atomic.transpose()?))
    };
    LoopKernel::ALL.iter().map(functions).collect()
}
