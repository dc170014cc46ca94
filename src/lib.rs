//! fr-les: a high-order flux-reconstruction solver for large-eddy simulation of compressible flow.
#![deny(missing_docs)]

pub mod case;
pub mod io;
