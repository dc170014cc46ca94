//! Several ranks.

#[path = "../common"]
mod common {
    pub mod program;
}

mod checkpoint;
mod jobs;
mod shared_mesh;
