//! Judgements: what values mean together. Nothing here prints, and what is found is data.

pub mod belief;
pub mod hanging_transaction;
pub mod mapping_edges;
pub mod region_odds;
pub mod transaction_coordinator;
