//! Clusters that mirror partitions to each other, with a ground truth of who wrote what.
//!
//! Every replica keeps its producer state with the code that reads real logs ([`crate::state`]);
//! what a write meant is known beside it ([`truth`]) and never shown to that code. So a scenario
//! shows which write is lost and which transaction is corrupted under which design of Cluster
//! Mirroring (KIP-1279). Deterministic: the same scenario and seed give the same bytes.
#![cfg_attr(
    not(test),
    expect(
        clippy::arithmetic_side_effects,
        reason = "here numbers are counts and offsets of small logs of our own"
    )
)]

pub mod builtin;
pub mod cluster;
pub mod consumer;
pub mod explore;
pub mod happening;
pub mod harm;
pub mod invariants;
pub mod link;
pub mod replica;
pub mod run;
pub mod scenario;
pub mod stored;
pub mod strategy;
#[cfg(test)]
mod tests;
pub mod truth;
pub mod world;
pub mod write_logs;
