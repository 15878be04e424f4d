//! Carries a plan out: into a new directory ([`output`]), or in the partition's own ([`in_place`]).
//!
//! Nothing here decides anything: files are made by their recipes and take the owner, mode and time
//! of last change of those they come from. A broker must not run meanwhile: the lock of the log
//! directory is taken, where there is one.

pub mod disk;
pub mod in_place;
mod journal;
pub mod output;
mod recipe;
mod staging;
pub mod verify;
