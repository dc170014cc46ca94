//! Figures of results.
#![deny(missing_docs)]

use fr_les_base::{format, input, io, physics, vector};
use fr_les_flow::output;

pub mod plot;
