//! Values to text or JSON, on writers that the caller gives; names of output fields live here.

pub mod control_json;
pub mod digits;
pub mod dump;
pub mod json;
pub mod measure;
pub mod pid;
pub mod table;
pub mod transactions;
