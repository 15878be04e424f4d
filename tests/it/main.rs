//! All integration tests, in one binary.

#[cfg(unix)]
mod contract;
mod every_byte;
mod fuzz;
mod program;
mod round_trip;
