//! Values to text or JSON, on writers that the caller gives; names of output fields live here.
#![cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects,
        clippy::as_conversions,
        reason = "here numbers are counts and sizes of our own, and bytes were read below"
    )
)]

pub mod check;
pub mod cluster;
pub mod compare;
pub mod control_json;
pub mod digits;
pub mod dump;
pub mod explain;
pub mod groups;
pub mod json;
pub mod log_findings;
pub mod message_json;
pub mod one_line;
pub mod paragraph;
pub mod pid;
pub mod pieces;
mod producer_table;
pub mod producers;
pub mod repair;
pub mod shell_word;
pub mod simulation;
pub mod snapshot;
pub mod snapshot_json;
pub mod table;
pub mod transactions;

pub use crate::analysis::words::{measure, read_back, utc};
