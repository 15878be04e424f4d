//! A segment file read front to back: every byte belongs to exactly one batch or one damage range.

pub mod batch_faults;
pub mod contents;
pub mod control_faults;
mod framed;
mod growth;
mod legacy_contents;
mod lone;
mod range_crc;
mod reach;
pub mod record_offsets;
mod record_walk;
mod resync;
pub mod walk;
