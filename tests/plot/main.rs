//! Figures.

#[path = "../common"]
mod common {
    pub mod figures;
    pub mod program;
}

mod bench;
mod figures;
mod profiles;
mod timeline;
