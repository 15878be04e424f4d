//! `repair`: what would make a partition sound again, as a plan; and the plan, carried out.
//!
//! A [`plan::Plan`] is a value: the same one is printed and applied. It holds for each file of the
//! result what it is made of ([`content::Content`]), so carrying it out reads the old files and
//! writes new ones beside them, a piece at a time, and decides nothing any more. Input is never
//! opened for writing.
#![cfg_attr(
    not(test),
    expect(
        clippy::arithmetic_side_effects,
        reason = "here numbers are counts and places of what was read below"
    )
)]

pub mod abort;
pub mod apply;
pub mod barrier;
mod chain;
pub mod content;
mod copies;
mod draft;
mod epoch_line;
pub mod error;
mod gaps;
mod holes;
pub mod index;
mod index_check;
mod inside;
mod kept_log;
mod ledger;
pub mod log;
mod losses;
mod misnamed;
pub mod new_ids;
mod old_indexes;
mod old_snapshots;
mod order;
mod part;
pub mod pids;
pub mod plan;
mod producer_files;
mod put_right;
mod renumbering;
pub mod replicas;
pub mod snapshot;
mod snapshot_files;
pub mod snapshot_rebuild;
mod snapshot_truth;
mod sound;
mod split;
mod survey;
mod tail;
pub mod terms;
mod tiered;
mod txn_check;
mod which_ids;
mod words;

pub use sound::internal_topic;
