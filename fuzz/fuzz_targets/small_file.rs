//! Indexes, snapshots, checkpoints and text files; see `bodies::small_file`.
//!
//! `cargo +nightly fuzz run small_file fuzz/corpus/small_file testdata/structures`
#![no_main]

#[expect(dead_code, reason = "each target calls one body")]
#[path = "../../tests/it/fuzz/bodies.rs"]
mod bodies;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bodies::small_file(bytes));
