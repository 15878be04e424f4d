//! Judgements: what values mean together. Nothing here prints, and what is found is data.

pub mod belief;
pub mod hanging_transaction;
pub mod log_findings;
pub mod lone_segment;
pub mod mapping_edges;
pub mod producer_order;
pub mod region_odds;
pub mod snapshot_comparison;
pub mod snapshot_health;
pub mod snapshot_replay;
pub mod transaction_coordinator;
pub mod witness;
