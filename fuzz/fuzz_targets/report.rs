#![no_main]

#[allow(dead_code)] // the checks of all targets
#[path = "../checks/mod.rs"]
mod checks;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| checks::report::run(bytes));
