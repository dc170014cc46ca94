//! fr-les: a high-order flux-reconstruction solver for large-eddy simulation of compressible flow.
//!
//! Data flows one way: `case` -> `mesh` -> `geometry` -> `device` -> `solver` -> `output` -> `run`; `commands` are the verbs
//! that put them together.
#![deny(missing_docs)]

pub mod case;
pub mod commands;
pub mod device;
pub mod element;
pub mod geometry;
pub mod halo;
pub mod input;
pub mod io;
pub mod mesh;
pub mod output;
pub mod physics;
pub mod plot;
pub mod ranks;
pub mod run;
pub mod solver;
pub mod vector;
pub mod words;
