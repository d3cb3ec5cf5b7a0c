#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| rustio::fuzzing::range(input));
