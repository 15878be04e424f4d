//! `repair`: what would make a partition sound again, as a plan; and the plan, carried out.
//!
//! A [`plan::Plan`] is a value: the same one is printed and applied. It holds for each file of the
//! result what it is made of ([`content::Content`]), so carrying it out reads the old files and
//! writes new ones beside them, a piece at a time, and decides nothing any more. Input is never
//! opened for writing.

pub mod content;
pub mod plan;
