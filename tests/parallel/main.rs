//! Runs and files on several ranks.

#[allow(dead_code)] // each binary calls a part of the helpers
#[path = "../common"]
mod common {
    pub mod cases;
    pub mod program;
    pub mod refined;
}

mod beside;
mod box_parts;
mod checkpoint;
mod exchange;
mod jobs;
mod machines;
mod network;
mod reductions;
mod relaxed;
mod shared_mesh;
