//! All integration tests, in one binary.

mod barrier;
mod batches;
mod bounds;
mod corpus;
mod damaged;
mod fixtures;
mod golden;
mod jsonl;
mod run;
mod schema;
mod sections;
mod stock;
mod told;
mod walk;
