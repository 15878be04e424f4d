//! A plan: what a repair does to a partition, what stays and what is lost, before anything is
//! written.

use super::content::Content;
use super::replicas::Replicas;
use crate::format::number::Offset;
use std::path::PathBuf;

/// What a repair does to one partition. Applying it reads nothing but [`Plan::files`]; the rest
/// tells people and scripts what that means.
#[derive(Debug, Clone)]
pub struct Plan {
    /// What was asked for.
    pub verb: Verb,
    /// The partition as `topic-0`: the name of the result's directory.
    pub topic_partition: String,
    /// The partition's directory as it is.
    pub directory: PathBuf,
    /// What is done, in order, as far as anybody wants to know of it.
    pub steps: Vec<Step>,
    /// Every file that the directory holds now or will hold. A file made of others comes behind
    /// them.
    pub files: Vec<FilePlan>,
    /// What can be read afterwards.
    pub kept: Kept,
    /// What is not there any more afterwards, by rising offsets.
    pub lost: Vec<Lost>,
    /// Which brokers have the partition, where the cluster's metadata were asked.
    pub replicas: Option<Replicas>,
    /// What may be better than this plan, the best first; each a sentence.
    pub alternatives: Vec<String>,
    /// What follows from it that is not plain; each a sentence.
    pub warnings: Vec<String>,
}

/// The kinds of repair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verb {
    /// Batches that cannot be read leave the log.
    Log,
    /// Indexes are built anew from the log.
    Index,
    /// Producer snapshots are written anew or changed.
    Snapshot,
    /// Producer ids are changed.
    Pids,
    /// A barrier is appended.
    Barrier,
    /// A transaction is aborted.
    Abort,
}

/// One thing that is done to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What is done.
    pub action: Action,
    /// The file's name in the partition's directory.
    pub file: String,
    /// Where, in bytes from the start of the file as it is now.
    pub position: Option<u64>,
    /// How many bytes of the file as it is now it concerns, or how many a new file has.
    pub size: Option<u64>,
    /// The offset that it concerns, or the first of several.
    pub offset: Option<Offset>,
    /// Why, in words.
    pub detail: String,
}

/// What a step does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// The file ends here.
    Cut,
    /// Bytes leave the file; what lies behind them moves up.
    Drop,
    /// The file goes.
    Remove,
    /// The file is written, anew or for the first time.
    Write,
    /// What lies behind goes to a new segment.
    Split,
    /// Batches are changed where they lie.
    Change,
    /// Batches are added at the end.
    Append,
}

/// What becomes of one file.
#[derive(Debug, Clone)]
pub struct FilePlan {
    /// Its name in the partition's directory.
    pub name: String,
    /// What it is made of.
    pub content: Content,
    /// The old file whose owner, mode and time of last change a new one takes: brokers delete by
    /// that time. Its own where it was there before.
    pub like: Option<String>,
}

/// What can be read afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Kept {
    /// Records, control records included.
    pub records: u64,
    /// The first offset, unless nothing is left.
    pub first_offset: Option<Offset>,
    /// The last one.
    pub last_offset: Option<Offset>,
}

/// A range of offsets of which nothing is left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    /// The first offset, where something tells.
    pub first_offset: Option<Offset>,
    /// The last offset, where something tells.
    pub last_offset: Option<Offset>,
    /// How many records, where something tells.
    pub records: Option<u64>,
    /// Why, in words.
    pub reason: String,
}

impl Plan {
    /// Whether there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.files.iter().any(|file| file.content.is_change())
    }

    /// The plan of a file.
    #[must_use]
    pub fn file(&self, name: &str) -> Option<&FilePlan> {
        self.files.iter().find(|file| file.name == name)
    }
}

impl FilePlan {
    /// A file that takes its attributes from what bears its name now.
    #[must_use]
    pub fn new(name: impl Into<String>, content: Content) -> Self {
        let (name, like) = (name.into(), None);
        Self {
            name,
            content,
            like,
        }
    }

    /// Names the old file whose attributes it takes, if it is new.
    #[must_use]
    pub fn like(mut self, name: impl Into<String>) -> Self {
        self.like = Some(name.into());
        self
    }
}

impl Verb {
    /// The spelling in commands and output.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Log => "log",
            Self::Index => "index",
            Self::Snapshot => "snapshot",
            Self::Pids => "pids",
            Self::Barrier => "barrier",
            Self::Abort => "abort",
        }
    }
}

impl Action {
    /// The spelling in output.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cut => "cut",
            Self::Drop => "drop",
            Self::Remove => "remove",
            Self::Write => "write",
            Self::Split => "split",
            Self::Change => "change",
            Self::Append => "append",
        }
    }
}
