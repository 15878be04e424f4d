//! A plan of a repair and what became of it: for people, or as JSON.

mod json;
mod text;

pub use json::{JSON_HEAD, JSON_TAIL, json};
pub use text::text;

use crate::format::number::Offset;
use crate::repair::plan::Plan;
use std::path::Path;

/// What is shown of the repair of one partition.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// What is done.
    pub plan: &'a Plan,
    /// What became of it; `None` where it was only asked for.
    pub outcome: Option<Outcome<'a>>,
}

/// What became of a plan.
#[derive(Debug, Clone, Copy)]
pub struct Outcome<'a> {
    /// The directory of the result.
    pub path: &'a Path,
    /// Where the old files lie, of a repair in place.
    pub set_aside: Option<&'a Path>,
    /// Where the log begins, by its line in `log-start-offset-checkpoint`, if it has one.
    pub log_start: Option<Offset>,
    /// What is still not as it should be; a sentence each.
    pub left: &'a [String],
}
