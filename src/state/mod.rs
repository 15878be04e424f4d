//! What a broker would believe after reading a log: producers, transactions, leader epochs.
//!
//! Twins of `ProducerStateManager`, `ProducerAppendInfo`, `LogLoader` and `LeaderEpochFileCache` of
//! Kafka 4.4.0, exact to the text of their errors. Pure: logs are read through
//! [`crate::storage`], the time is given, nothing is written and nothing printed.

pub mod append;
pub mod batch;
pub mod chunk;
pub mod entry;
pub mod epochs;
pub mod error;
pub mod event;
pub(crate) mod hash;
pub mod index_build;
mod leader;
pub mod load;
pub mod log_end;
pub mod manager;
mod ongoing;
mod open_slots;
pub mod read;
pub mod replay;
pub mod rules;
pub(crate) mod slot_index;
pub mod snapshot;
pub mod table;
#[cfg(test)]
mod tests;
pub mod transactions;
mod usual;
