//! A segment file read front to back: every byte belongs to exactly one batch or one damage range.

pub mod contents;
mod framed;
mod growth;
mod legacy_contents;
mod range_crc;
mod reach;
pub mod record_offsets;
mod resync;
pub mod walk;
