//! Whole partitions and log directories as a broker would leave them: segments that roll, indexes,
//! transaction indexes, producer snapshots, leader epochs, checkpoints.
//!
//! What is written goes to a place that is empty before, and nothing is ever written over. Twins
//! of the writing halves of `UnifiedLog`, `LocalLog` and `LogSegment` of Kafka 4.4.0.
//! Nothing here decides what to write: batches come whole, and who believes what of producers is
//! the owner's affair ([`partition`]) or that of a rule set ([`replayed`]).

mod appended;
pub mod copied;
pub mod error;
pub mod log_directory;
mod new_file;
pub mod partition;
pub mod replayed;
mod segment;
pub mod unfinished;
