//! The schemas of Kafka's messages, a file for each of its jars. `oracle/run schemas --out` this
//! folder writes all but this one; a test of the oracle's holds them against the jars.

#[rustfmt::skip]
pub mod clients;
#[rustfmt::skip]
pub mod group_coordinator;
#[rustfmt::skip]
pub mod metadata;
#[rustfmt::skip]
pub mod raft;
#[rustfmt::skip]
pub mod share_coordinator;
#[rustfmt::skip]
pub mod storage;
#[rustfmt::skip]
pub mod transaction_coordinator;
