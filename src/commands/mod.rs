//! The verbs of the command line: one module each, holding the arguments of the verb and a thin `run` that calls the
//! library, so that whatever a verb does can be done from Rust as well.

pub mod plot;
