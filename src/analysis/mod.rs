//! Judgements: what values mean together. Nothing here prints, and what is found is data.
#![cfg_attr(
    not(test),
    expect(
        clippy::arithmetic_side_effects,
        clippy::as_conversions,
        reason = "here numbers are counts and sizes of our own, and bytes were read below"
    )
)]

pub mod belief;
pub mod check;
pub mod cleaner_traces;
pub mod cluster_image;
pub mod cluster_log;
pub mod compare;
pub mod completed_commit;
pub mod distribution;
pub mod event_verdict;
pub mod group_log;
pub mod groups;
pub mod hanging_transaction;
pub mod held_back;
pub mod log_as_of;
pub mod log_bytes;
pub mod log_findings;
pub mod lone_segment;
pub mod mapping_edges;
pub mod next_start;
pub mod open_transactions;
pub mod partition_copies;
pub mod partition_log;
pub mod partition_wholeness;
pub mod producer_order;
pub mod region_odds;
pub mod snapshot_comparison;
pub mod snapshot_health;
pub mod snapshot_queue;
pub mod snapshot_replay;
pub mod state_partition_count;
pub mod strands;
pub mod topic_names;
pub mod transaction_coordinator;
pub mod transaction_logs;
pub mod transaction_stats;
pub mod unmix;
pub mod witness;
pub mod words;
