//! What needs an NVIDIA GPU.

#[path = "../common"]
mod common {
    pub mod cases;
    pub mod program;
}

mod devices;
