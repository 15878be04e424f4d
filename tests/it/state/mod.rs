//! The producer state against what brokers wrote, what was met in the field, and what our documents
//! say.

mod corpus_snapshots;
mod fixtures;
mod read_back;
mod words;
mod worked;
