//! The producer state of the corpus against what its brokers wrote.

mod corpus_snapshots;
