//! Sentences of findings, and times and sizes in them as people read them.

pub mod events;
pub mod measure;
pub mod read_back;
pub mod utc;
