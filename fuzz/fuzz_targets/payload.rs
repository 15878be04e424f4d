//! Compressed payloads and their records; see `bodies::payload`.
//!
//! `cargo +nightly fuzz run payload fuzz/corpus/payload testdata/batches`
#![no_main]

#[expect(dead_code, reason = "each target calls one body")]
#[path = "../../tests/it/fuzz/bodies.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bodies::payload(bytes));
