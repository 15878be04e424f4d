//! A segment; see `bodies::segment`.
//!
//! `cargo +nightly fuzz run segment fuzz/corpus/segment testdata/batches testdata/kafka/control/*`
#![no_main]

#[expect(dead_code, reason = "each target calls one body")]
#[path = "../../tests/it/fuzz/bodies.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| drop(bodies::segment(bytes)));
