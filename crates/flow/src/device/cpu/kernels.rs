//! The kernels that the build script has compiled: for every kind of cell, order, precision and set of vector
//! instructions.

use std::ffi::c_void;

use super::store::KernelFunction;
use crate::device::DeviceError;
use crate::device::contract::{KERNELS, Kernel, MAX_N, SteadyKernel, SteadyParams};
use crate::device::engine::KernelSet;
use crate::element::ElementKind;

/// The kernels of one kind of cell, order, precision and vector width.
#[derive(Clone, Copy)]
pub struct Kernels {
    /// In the order of [`KERNELS`]; `None` where cells of this kind have no such kernel.
    functions: [Option<KernelFunction>; KERNELS.len()],
    // SAFETY: these two take nothing and return constants.
    params_size: unsafe extern "C" fn() -> i64,
    lanes: unsafe extern "C" fn() -> i64,
}

mod table {
    use crate::device::cpu::kernels::{ElementKind, Kernels, SteadyKernels, c_void};
    include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
}

impl Kernels {
    /// The kernels for cells of a kind and order.
    ///
    /// # Errors
    /// FR_LES_KERNELS has left them out of the build.
    pub fn of(kind: ElementKind, order: usize, double: bool, set: &str) -> Result<Self, DeviceError> {
        table::kernels(kind, order, double, set).ok_or(DeviceError::NotBuilt {
            kind: kind.name(),
            order,
            precision: if double { "double" } else { "single" },
        })
    }

    /// The lowest order that kernels for cells of a kind were built for.
    pub fn lowest_order(kind: ElementKind, double: bool, set: &str) -> usize {
        let built = |order: &usize| table::kernels(kind, *order, double, set).is_some();
        (1..MAX_N).find(built).unwrap_or(1)
    }

    /// A kernel that the kind of cell has.
    pub fn get(&self, kernel: Kernel) -> KernelFunction {
        self.functions[kernel as usize].expect("only kernels that the kind of cell has are launched")
    }

    /// Number of cells that a kernel computes side by side.
    pub fn lanes(&self) -> usize {
        // SAFETY: takes nothing and returns a constant.
        unsafe { (self.lanes)() as usize }
    }

    /// Size of the parameters as the kernels see it, in bytes.
    pub fn params_size(&self) -> usize {
        // SAFETY: takes nothing and returns a constant.
        unsafe { (self.params_size)() as usize }
    }

    /// The set that an engine launches from.
    pub fn set(&self) -> KernelSet<KernelFunction> {
        KernelSet(self.functions.iter().map(|f| f.iter().copied().collect()).collect())
    }
}

/// The kernels of the steady solver of one vector width.
#[derive(Clone, Copy)]
pub struct SteadyKernels {
    /// In the order of [`SteadyKernel::ALL`].
    functions: [KernelFunction; SteadyKernel::ALL.len()],
    // SAFETY: these two take nothing and return constants.
    params_size: unsafe extern "C" fn() -> i64,
    lanes: unsafe extern "C" fn() -> i64,
}

impl SteadyKernels {
    /// The kernels for a set of vector instructions.
    ///
    /// # Panics
    ///
    /// Panics if the set is none of those that the kernels are compiled for.
    pub fn of(set: &str) -> Self {
        let kernels = table::steady_kernels(set).expect("kernels are compiled for all vector sets");
        // SAFETY: takes nothing and returns a constant.
        let size = unsafe { (kernels.params_size)() as usize };
        assert_eq!(size, size_of::<SteadyParams>(), "kernels and host must agree");
        kernels
    }

    /// A kernel.
    pub fn get(&self, kernel: SteadyKernel) -> KernelFunction {
        self.functions[kernel as usize]
    }

    /// Number of vertices that a kernel computes side by side.
    pub fn lanes(&self) -> usize {
        // SAFETY: takes nothing and returns a constant.
        unsafe { (self.lanes)() as usize }
    }
}

/// The names of the sets of vector instructions that the processor has and kernels are built for, the widest first.
pub fn vector_sets() -> Vec<&'static str> {
    #[cfg(target_arch = "x86_64")]
    {
        let has_wide = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512cd");
        let has_narrow = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("movbe");
        let sets = [("avx512", has_wide && has_narrow), ("avx2", has_narrow)];
        let usable = sets
            .iter()
            .filter(|(name, has)| *has && table::VECTOR_SETS.contains(name));
        usable.map(|(name, _)| *name).collect()
    }
    #[cfg(not(target_arch = "x86_64"))]
    table::VECTOR_SETS.to_vec()
}

/// Returns the name of the widest set of vector instructions that the processor has, or of the one that FR_LES_SIMD
/// asks for.
///
/// # Errors
/// The processor has none of them, or not this one.
pub fn vector_set() -> Result<&'static str, DeviceError> {
    let available = vector_sets();
    match std::env::var("FR_LES_SIMD") {
        Ok(name) => available
            .iter()
            .copied()
            .find(|s| *s == name)
            .ok_or(DeviceError::Simd(name)),
        Err(_) => available.first().copied().ok_or(DeviceError::Processor),
    }
}
