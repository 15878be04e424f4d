//! `check`: what is wrong with a partition, and what follows from it.
//!
//! One pass over the log feeds every [`checker`]; what they find are [`finding`]s: data with a
//! code, a place and the values on both sides. Nothing here advises or prints.

mod cases;
pub mod checker;
mod checkpoints;
pub mod code;
mod collisions;
pub mod companions;
pub mod coordinator_mismatch;
mod duplicates;
mod entry_stream;
pub mod everything;
pub mod finding;
pub mod hanging;
mod internal_records;
pub mod known_cluster;
mod leader_epochs;
mod ledger;
pub mod leftovers;
pub mod log_directory;
mod look;
mod names;
mod neighbours;
mod not_issued;
mod offset_index;
mod partition_metadata;
pub mod pass;
mod producers;
mod records;
mod setting;
mod snapshots;
pub mod terms;
mod time_index;
mod txn_entry_file;
mod txn_index;
pub mod walk_damage;
pub mod watch;
