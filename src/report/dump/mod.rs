//! The dump of one file: as kafka-dump-log prints it, or as JSON lines.
//!
//! A view turns batches, records and damage into bytes of one output format; `segment.rs` feeds
//! it from a walk, on as many threads as it is given, and hands the bytes over in file order.

pub mod companion;
mod control;
mod coordinator;
pub mod decoder;
pub mod file;
mod index_check;
pub mod internal_topic;
pub mod jsonl;
pub mod kafka;
mod mirror_state;
mod mismatch;
pub mod output;
mod parallel;
mod remote_log;
mod render;
mod rows;
pub mod segment;
pub mod selection;
mod stock_words;
pub mod style;
mod topic_ids;
pub mod view;
