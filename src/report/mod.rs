//! Values to text or JSON, on writers that the caller gives; names of output fields live here.

pub mod control_json;
pub mod digits;
pub mod dump;
pub mod json;
pub mod log_findings;
pub mod pid;
pub mod producers;
pub mod snapshot;
pub mod snapshot_json;
pub mod table;
pub mod utc;
