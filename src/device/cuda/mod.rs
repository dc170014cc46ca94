//! NVIDIA GPUs: the kernels of ptx/, compiled when a run starts and kept for the next one.
//!
//! The machine code of a kernel depends on the order, the precision, the options of the case and the architecture of the
//! GPU, so it is made where it is used: `source` gives the text, `compiler` turns it into machine code by NVRTC, which
//! `library` finds, `cache` keeps it, and `prebuilt` stands in where there is no NVRTC. `architecture` and `shape` know what
//! GPUs offer and what kernels ask for.

pub mod architecture;
pub mod cache;
pub mod compiler;
pub mod library;
pub mod prebuilt;
pub mod shape;
pub mod source;
