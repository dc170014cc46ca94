//! The program as its users start it.

#[allow(dead_code)] // each binary calls a part of the helpers
#[path = "../common"]
mod common {
    pub mod program;
    pub mod random;
}

/// The checks of the fuzz targets.
#[path = "../../fuzz/checks/mod.rs"]
mod checks;

mod batch;
mod bench_command;
mod blade;
mod case_errors;
mod check_short;
mod command_line;
mod doctor;
mod examples;
mod json;
mod kernels;
mod kinds;
mod manual;
mod many_at_once;
mod memory;
mod open_doors;
mod paths;
mod restart;
mod run_disturbed;
mod run_errors;
mod seeds;
mod solution_forms;
mod study;
mod study_changes;
mod study_guest;
mod study_meshes;
mod study_slurm;
mod study_steady;
mod watch;
