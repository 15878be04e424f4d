//! All integration tests, in one binary.

mod batches;
mod corpus;
mod golden;
mod jsonl;
mod run;
mod schema;
