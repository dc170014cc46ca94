#![no_main]

#[allow(dead_code)] // the checks of all targets
#[path = "../checks/mod.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(
    init: {
        // Dropping it would finalise MPI.
        std::mem::forget(mpi::initialize().expect("MPI"));
    },
    |bytes: &[u8]| checks::initial::run(bytes)
);
