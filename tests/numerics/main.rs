//! The numerical scheme: exact properties and observed orders.

#[allow(dead_code)] // each binary calls a part of the helpers
#[path = "../common"]
mod common {
    pub mod blocks;
    pub mod cases;
    pub mod errors;
    pub mod flows;
    pub mod physics;
    pub mod random;
    pub mod refined;
    pub mod sectors;
    pub mod turned;
}

mod annular;
mod annular_refused;
mod elements;
mod entropy;
mod free_stream;
mod gpu;
mod integrals;
mod interface_flux;
mod interfaces;
mod invariants;
mod mortars;
mod operator_limit;
mod order;
mod order_of_elements;
mod orientation;
mod paired;
mod scalars;
mod store;
mod time_order;
mod time_schemes;
mod viscous_penalty;
