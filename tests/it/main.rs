//! All integration tests, in one binary.

mod barrier;
mod batches;
mod bounds;
#[cfg(unix)]
mod contract;
mod corpus;
mod damaged;
mod every_byte;
mod fixtures;
mod fuzz;
mod golden;
mod index_batches;
mod jsonl;
mod offsets;
#[cfg(unix)]
mod program;
mod resync;
mod round_trip;
mod run;
mod schema;
mod sections;
mod stock;
mod told;
mod walk;
