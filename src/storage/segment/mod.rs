//! A segment file read front to back: every byte belongs to exactly one batch or one damage range.

pub mod contents;
mod legacy_contents;
mod range_crc;
mod resync;
pub mod walk;
