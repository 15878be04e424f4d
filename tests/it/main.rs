//! All integration tests, in one binary.

mod corpus;
mod golden;
mod run;
