//! What `kfsck txns` answers: written partition by partition, and transactions that ended while
//! they are read.

pub mod abort_command;
pub mod coordinators;
pub mod json;
pub mod reason;
pub mod text;

use std::path::{Path, PathBuf};

use self::coordinators::Known;
use crate::analysis::held_back::HeldBack;
use crate::analysis::open_transactions::{OpenView, Verdict};
use crate::analysis::transaction_stats::TransactionStats;
use crate::format::number::{Offset, ProducerId, Timestamp};
use crate::format::transaction_log::TransactionLogKey;
use crate::report::one_line::on_one_line;
use crate::state::table::Table;
use crate::state::transactions::Transaction;
use crate::storage::partition_name::PartitionName;

/// What was asked, as far as the answer shows it.
#[derive(Debug, Clone)]
pub struct Terms {
    /// The clock.
    pub now: Timestamp,
    /// Whether nobody gave that time, so that the machine's clock did.
    pub is_clock: bool,
    /// The time as of which logs and coordinators are shown, if not as they are.
    pub as_of: Option<Timestamp>,
    /// The greatest timeout of a transaction, in milliseconds.
    pub max_timeout_ms: i64,
    /// The name of the rules.
    pub rules: &'static str,
    /// How many open transactions of a partition are shown, and how many of those that ended.
    pub top: Option<u64>,
    /// Whether transactions that ended are shown.
    pub all: bool,
    /// Whether counts and sizes are shown.
    pub stats: bool,
    /// Whether not every transaction was asked for.
    pub is_filtered: bool,
    /// Whether text names partitions by their paths: several directories may hold the same one.
    pub by_path: bool,
}

/// A partition, as far as it is known before it is read.
#[derive(Debug, Clone, Copy)]
pub struct Head<'a> {
    /// The partition as `topic-0`.
    pub topic_partition: &'a str,
    /// The partition, where a name tells it.
    pub name: Option<&'a PartitionName>,
    /// The directory or file.
    pub path: &'a Path,
}

/// A transaction that ended.
#[derive(Debug, Clone, Copy)]
pub struct Ended<'a> {
    /// The transaction.
    pub transaction: &'a Transaction,
    /// The transactional id that uses the producer's id now.
    pub transactional_id: Option<&'a TransactionLogKey>,
    /// The file that holds the first batch.
    pub first_path: Option<&'a Path>,
    /// The file that holds the marker.
    pub marker_path: Option<&'a Path>,
}

/// A transaction that was open at a barrier and is over without a marker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dropped {
    /// Whose.
    pub producer_id: ProducerId,
    /// Its first offset.
    pub first_offset: Offset,
    /// The barrier's offset.
    pub barrier_offset: Offset,
}

/// A partition that was read.
#[derive(Debug)]
pub struct PartitionView<'a> {
    /// Which.
    pub head: Head<'a>,
    /// Where the log begins.
    pub log_start_offset: Offset,
    /// The last stable offset as if the high watermark were the log's end.
    pub last_stable_offset: Offset,
    /// The high watermark of the checkpoint, where there is one.
    pub high_watermark: Option<Offset>,
    /// The offset behind the last batch.
    pub log_end_offset: Offset,
    /// What lies at the last stable offset and behind it.
    pub held_back: HeldBack,
    /// The open transactions that were asked for, by first offset, each with the file that holds
    /// its first batch.
    pub open: Vec<(OpenView<'a>, Option<PathBuf>)>,
    /// What barriers voided.
    pub dropped: Vec<Dropped>,
    /// Counts and sizes.
    pub stats: TransactionStats,
    /// The state of each producer.
    pub state: &'a Table<1>,
    /// The producers that were asked for, by id.
    pub producers: Vec<ProducerId>,
}

/// What was met in all partitions.
#[derive(Debug, Default)]
pub struct Totals {
    /// Partitions with at least one segment.
    pub partitions: u64,
    /// Those with an open transaction that was asked for.
    pub with_open: u64,
    /// Open transactions: ongoing, suspect, hanging.
    pub open: [u64; 3],
    /// Counts and sizes.
    pub stats: TransactionStats,
}

impl Terms {
    /// What a partition is called in text.
    fn title(&self, head: &Head<'_>) -> String {
        match self.by_path {
            true => on_one_line(&head.path.to_string_lossy()).into_owned(),
            false => head.topic_partition.to_owned(),
        }
    }
}

impl Totals {
    /// Counts a partition in.
    pub fn add(&mut self, view: &PartitionView<'_>) {
        self.partitions += 1;
        self.with_open += u64::from(!view.open.is_empty());
        for (open, _) in &view.open {
            let at = match open.verdict() {
                Verdict::Ongoing => 0,
                Verdict::Suspect => 1,
                Verdict::Hanging => 2,
            };
            self.open[at] += 1;
        }
        self.stats.merge(&view.stats);
    }
}

/// One form of the answer; what is written goes to the end of a buffer.
pub trait Report {
    /// Before the first partition.
    fn start(&mut self, out: &mut Vec<u8>);

    /// Before a partition is read.
    fn begin(&mut self, head: &Head<'_>, out: &mut Vec<u8>);

    /// A transaction of that partition ended, where those are asked for.
    fn ended(&mut self, head: &Head<'_>, ended: &Ended<'_>, out: &mut Vec<u8>);

    /// The partition was read.
    fn finish(&mut self, view: &PartitionView<'_>, out: &mut Vec<u8>);

    /// The partition could not be read to its end.
    fn fail(&mut self, out: &mut Vec<u8>);

    /// What coordinators know, where that was asked for; before the end.
    fn coordinators(&mut self, known: &[Known<'_>], out: &mut Vec<u8>);

    /// After the last partition.
    fn end(&mut self, totals: &Totals, out: &mut Vec<u8>);
}

/// The verdict as machine-readable output spells it.
#[must_use]
pub const fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Ongoing => "ongoing",
        Verdict::Suspect => "suspect",
        Verdict::Hanging => "hanging",
    }
}
