//! Bytes to values and back: every structure that Kafka keeps in a partition directory.
//!
//! One on-disk structure a file: its layout constants, `decode`, `encode` and `verify` side by
//! side. Nothing here knows a path, a clock or a terminal, and no input makes it panic: the lints
//! in `lib.rs` hold that by machine.

pub mod batch;
pub mod batch_draft;
pub mod batch_in_place;
mod checkpoint_file;
pub mod clean_shutdown;
pub mod cluster_id;
pub mod compression;
pub mod control;
pub mod control_batch;
pub mod coordinator_record;
pub mod crc;
pub mod cursor;
#[cfg(test)]
pub(crate) mod damage;
pub mod entry_file;
pub mod flexible;
pub mod frame;
#[cfg(test)]
pub(crate) mod golden;
mod index_search;
pub mod inflexible;
pub mod internal_record;
pub mod java_text;
pub mod json;
pub mod kraft;
pub mod leader_epoch_checkpoint;
pub mod legacy;
pub mod malformed;
pub mod meta_properties;
pub mod metadata_record;
pub mod mirror_reset;
pub mod mirror_state;
pub mod number;
pub mod offset_checkpoint;
pub mod offset_index;
pub mod partition_metadata;
pub mod producer_id_mapping;
pub mod producer_snapshot;
pub mod properties;
pub mod quorum_state;
pub mod record;
pub mod record_form;
pub mod remote_log_metadata;
pub mod schema;
mod text_lines;
pub mod time_index;
pub mod timestamp_type;
pub mod transaction_log;
pub mod txn_index;
pub mod uuid;
pub mod varint;
