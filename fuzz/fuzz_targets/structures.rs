//! Every structure that is read from bytes; see `bodies::structures`.
//!
//! `cargo +nightly fuzz run structures fuzz/corpus/structures testdata/structures`
#![no_main]

#[expect(dead_code, reason = "each target calls one body")]
#[path = "../../tests/it/fuzz/bodies.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bodies::structures(bytes));
