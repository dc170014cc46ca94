#![no_main]

use fr_les_fuzz::{checks, initialise_mpi};

libfuzzer_sys::fuzz_target!(init: initialise_mpi(), |bytes: &[u8]| checks::initial::run(bytes));
