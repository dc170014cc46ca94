//! Figures.

#[allow(dead_code)] // each binary calls a part of the helpers
#[path = "../common"]
mod common {
    pub mod figures;
    pub mod program;
}

mod blades;
mod figures;
mod phases;
mod profiles;
mod report;
mod report_page;
mod series;
mod slices;
mod spectra;
mod traverses;
