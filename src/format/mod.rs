//! Bytes to values and back: every structure that Kafka keeps in a partition directory.
//!
//! One on-disk structure a file: its layout constants, `decode`, `encode` and `verify` side by
//! side. Nothing here knows a path, a clock or a terminal, and no input makes it panic: the lints
//! below hold that by machine.
#![cfg_attr(
    not(test),
    deny(
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects,
        clippy::as_conversions,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::todo,
        clippy::unreachable,
        clippy::string_slice
    )
)]

pub mod compression;
pub mod cursor;
pub mod java_text;
pub mod legacy;
pub mod malformed;
pub mod number;
pub mod timestamp_type;
pub mod varint;
