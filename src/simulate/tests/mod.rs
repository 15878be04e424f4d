//! Runs of the built-in scenarios and of small ones.

mod builtin;
mod epochs;
mod explore;
mod written;
