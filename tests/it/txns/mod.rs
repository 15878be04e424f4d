//! `kfsck txns`: open transactions and their verdicts, transactions that ended, their sizes.

mod at_time;
mod barrier;
mod coordinators;
mod document;
mod ended;
mod fixtures;
pub(crate) mod log;
mod open;
mod options;
mod progress;
mod verdicts;
mod wholeness;
