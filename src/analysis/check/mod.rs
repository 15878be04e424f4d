//! `check`: what is wrong with a partition, and what follows from it.
//!
//! One pass over the log feeds every [`checker`]; what they find are [`finding`]s: data with a
//! code, a place and the values on both sides. Nothing here advises or prints.

pub mod checker;
pub mod code;
mod collisions;
pub mod finding;
mod hanging;
mod ledger;
mod look;
mod neighbours;
pub mod pass;
mod producers;
mod records;
mod snapshots;
pub mod terms;
pub mod watch;
