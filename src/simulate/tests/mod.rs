//! Runs of the built-in scenarios and of small ones.

mod builtin;
mod explore;
mod written;
