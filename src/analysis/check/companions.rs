//! All that lies beside the log of a partition, held against it in one pass.

use std::sync::Arc;

use super::checker::{CheckedBatch, Checker, Found};
use super::checkpoints::CheckpointCheck;
use super::leader_epochs::LeaderEpochCheck;
use super::names::NameCheck;
use super::offset_index::OffsetIndexCheck;
use super::setting::Setting;
use super::time_index::TimeIndexCheck;
use super::txn_index::TxnIndexCheck;
use super::{leftovers, partition_metadata};
use crate::format::txn_index::AbortedTxn;
use crate::state::read::SegmentFile;
use crate::state::replay::Replay;
use crate::storage::checkpoints::Checkpoints;
use crate::storage::damage::Damage;
use crate::storage::directory::PartitionDirectory;
use crate::storage::source::{Access, ReadError};

/// Indexes, leader epochs, checkpoints and the names of segments: one checker for all, as each
/// costs a call a batch.
#[derive(Debug)]
pub struct Companions {
    offset_index: OffsetIndexCheck,
    time_index: TimeIndexCheck,
    txn_index: TxnIndexCheck,
    leader_epochs: LeaderEpochCheck,
    names: NameCheck,
    checkpoints: CheckpointCheck,
    unread: Vec<ReadError>,
}

/// Tells what can be told of a partition's files without its log, and gives the checker that holds
/// the others against the log.
pub fn check_companions_of(
    directory: &PartitionDirectory,
    checkpoints: &Checkpoints,
    access: Access,
    found: Found<'_>,
) -> Companions {
    let name = directory.name.as_ref().map(ToString::to_string);
    let found: Found<'_> = &mut |mut finding| {
        finding.topic_partition = finding.topic_partition.take().or_else(|| name.clone());
        found(finding);
    };
    leftovers::check_partition(directory, found);
    let is_at_home = checkpoints.has_meta_properties;
    let read = partition_metadata::check(directory, is_at_home, access, found);
    let setting = Arc::new(Setting::of(directory, checkpoints, access));
    let log_start = directory.name.as_ref();
    let log_start = log_start.and_then(|name| checkpoints.log_start_offset(name));
    Companions {
        offset_index: OffsetIndexCheck::new(Arc::clone(&setting)),
        time_index: TimeIndexCheck::new(Arc::clone(&setting)),
        txn_index: TxnIndexCheck::new(Arc::clone(&setting)),
        leader_epochs: LeaderEpochCheck::new(directory, Arc::clone(&setting), log_start),
        names: NameCheck::new(Arc::clone(&setting), log_start),
        checkpoints: CheckpointCheck::new(directory, checkpoints, setting),
        unread: read.err().into_iter().collect(),
    }
}

impl Companions {
    /// The files that could not be read, or were changed meanwhile: nothing more was told of them.
    #[must_use]
    pub fn into_unread(self) -> Vec<ReadError> {
        let mut unread = self.unread;
        unread.extend(self.offset_index.unread);
        unread.extend(self.time_index.unread);
        unread.extend(self.txn_index.unread);
        unread.extend(self.leader_epochs.unread);
        unread
    }

    fn each(&mut self) -> [&mut dyn Checker; 6] {
        [
            &mut self.offset_index,
            &mut self.time_index,
            &mut self.txn_index,
            &mut self.leader_epochs,
            &mut self.names,
            &mut self.checkpoints,
        ]
    }
}

impl Checker for Companions {
    fn skip_segment(&mut self) {
        for checker in self.each() {
            checker.skip_segment();
        }
    }

    fn begin_segment(&mut self, segment: &SegmentFile, found: Found<'_>) {
        for checker in self.each() {
            checker.begin_segment(segment, found);
        }
    }

    #[inline]
    fn batch(&mut self, checked: &CheckedBatch<'_>, found: Found<'_>) {
        self.offset_index.batch(checked, found);
        self.time_index.batch(checked, found);
        self.txn_index.batch(checked, found);
        self.leader_epochs.batch(checked, found);
        self.names.batch(checked, found);
        self.checkpoints.batch(checked, found);
    }

    fn aborted(&mut self, txn: &AbortedTxn, found: Found<'_>) {
        self.txn_index.aborted(txn, found);
    }

    fn damage(&mut self, damage: &Damage, found: Found<'_>) {
        for checker in self.each() {
            checker.damage(damage, found);
        }
    }

    fn end_segment(&mut self, found: Found<'_>) {
        for checker in self.each() {
            checker.end_segment(found);
        }
    }

    fn end(&mut self, state: &Replay<1>, found: Found<'_>) {
        for checker in self.each() {
            checker.end(state, found);
        }
    }
}
