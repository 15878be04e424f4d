//! fsck for Apache Kafka partition logs.
//!
//! The library is built in floors; a file may use only its own floor and lower ones:
//!
//! - [`mod@format`]: bytes to values and back; no path, no clock, no printing, no panic on any
//!   bytes;
//! - [`storage`]: files and directories, and the walk that accounts for every byte of a segment;
//! - [`report`]: values to text or JSON on writers that the caller gives.
//!
//! The binary (feature `cli`) adds the command line on top.

pub mod format;
pub mod report;
pub mod storage;
