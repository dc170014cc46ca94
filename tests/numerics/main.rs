//! The scheme: what it preserves, and how fast its errors fall.

#[allow(dead_code)] // each binary calls a part of the helpers
#[path = "../common"]
mod common {
    pub mod cases;
    pub mod errors;
    pub mod flows;
    pub mod random;
    pub mod turned;
}

mod elements;
mod free_stream;
mod gpu;
mod invariants;
mod order;
mod order_of_elements;
mod orientation;
