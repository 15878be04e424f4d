//! Worked logs, each with the rule that it shows.

mod append;
mod chunk;
mod control;
mod events;
mod load;
mod log;
mod replay;
mod rules;
mod table;
mod truncation;
