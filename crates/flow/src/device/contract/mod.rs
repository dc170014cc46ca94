//! The contract between the host and the kernels of ptx/: every fact that both sides must state in the same way, stated
//! once.
//!
//! - `family` has the macro that declares the parameters of a family of kernels.
//! - `params` lists the arguments of every kernel. From it follow the struct [`Params`], its C++ twin `struct Params`,
//!   the constants that are frozen into GPU programs, and assertions of every field's offset on both sides.
//! - `records` lists the structures in arrays that kernels read: [`GatherIndex`], [`Slot`], [`Sent`], [`SampledPoint`],
//!   [`BarNumbers`], [`MatchingRow`], [`InterfaceFace`].
//! - `kernels` lists the kernels: their files, what they range over, their shared memory. From it follow the files that
//!   are compiled, the tables of functions on the CPU, the programs and launch shapes on the GPU.
//! - `steady` has the parameters and kernels of the steady solver.
//! - `numbers` has lengths of arrays and enumerations. Enumerations that are marked `#[repr(i32)]`, here or anywhere
//!   else in `src/`, get a C++ twin: `RiemannSolver::Hllc` is `RIEMANN_HLLC`, the first word of the type's name and
//!   that of the variant.
//!
//! The build script includes this folder, and writes `params.h` and `kinds.h` for both compilers. A new parameter is
//! one line in `params.rs` and the place that sets it; a new kernel is one entry in `kernels.rs` and its file in
//! ptx/kernels.

mod family;
mod kernels;
mod numbers;
mod params;
mod records;
mod steady;

pub use family::ConstantValue;
pub use kernels::{CellSizes, Files, KERNELS, Kernel, KernelSpec, Over, Use, VALUES_PER_CELL, files_of};
pub use numbers::*;
pub use params::{ARGUMENTS, CONSTANTS, Params};
pub use records::{
    BarNumbers, FieldSpec, GatherIndex, InterfaceFace, MatchingRow, MortarFace, MortarPart, RECORDS, RecordSpec,
    SampledPoint, Sent, Slot,
};
pub use steady::{
    HeldAtWall, STEADY_ARGUMENTS, STEADY_CONSTANTS, SteadyItems, SteadyKernel, SteadyParams, steady_files,
};
