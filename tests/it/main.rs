//! All integration tests, in one binary.

mod barrier;
mod batch_draft;
mod batches;
mod bounds;
mod checked_logs;
mod cluster_images;
mod cluster_log;
mod collisions;
mod companions;
mod compare;
#[cfg(unix)]
mod contract;
mod corpus;
mod damaged;
mod damages;
mod every_byte;
mod fixtures;
mod fuzz;
mod golden;
mod groups;
mod index_batches;
mod jsonl;
#[cfg(unix)]
mod judge;
mod message_logs;
mod mirror_state;
mod nested;
mod next_start;
mod offsets;
#[cfg(unix)]
mod program;
#[cfg(target_os = "linux")]
mod reading;
mod rebuild;
mod repair;
mod repair_producers;
mod resync;
mod round_trip;
mod run;
mod schema;
mod sections;
#[cfg(unix)]
mod simulate;
mod simulated_logs;
mod small_files;
mod state;
mod state_oracle;
mod state_partition_count;
mod stock;
mod told;
#[cfg(unix)]
mod topic_names;
mod transaction_state;
#[cfg(unix)]
mod txns;
mod walk;
mod wrapped;
