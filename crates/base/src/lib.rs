//! What every other part of fr-les stands on: ranks, vectors, numbers in text, the log, expressions, physics, elements
//! and files.
#![deny(missing_docs)]

pub mod element;
pub mod format;
pub mod input;
pub mod io;
pub mod log;
pub mod physics;
pub mod ranks;
pub mod runge_kutta;
pub mod vector;
