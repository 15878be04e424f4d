//! Judgements over what a log says: data for a report, never errors.

pub mod belief;
