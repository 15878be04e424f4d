//! Judgements: what values mean together. Nothing here prints, and what is found is data.

pub mod belief;
pub mod distribution;
pub mod hanging_transaction;
pub mod held_back;
pub mod mapping_edges;
pub mod open_transactions;
pub mod partition_log;
pub mod region_odds;
pub mod transaction_coordinator;
pub mod transaction_logs;
pub mod transaction_stats;
