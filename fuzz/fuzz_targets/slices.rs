#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fr_les_fuzz::checks::report::run_slices(bytes));
