//! Files and directories: memory maps, segments, the walk over a segment that accounts for every
//! byte, partition and log directories.
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

pub mod damage;
pub mod directory;
pub mod file_name;
mod listing;
mod map;
pub mod partition_name;
mod range_reader;
mod read_at;
mod read_error;
pub mod segment;
pub mod source;
mod spool;
mod window;
