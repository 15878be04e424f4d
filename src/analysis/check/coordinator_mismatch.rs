//! Transactions of which the log of a partition and their coordinator say different things.
//!
//! Only what a coordinator's own record shows counts here; that no coordinator knows a producer
//! is for [`hanging_transaction`](crate::analysis::hanging_transaction). A coordinator writes that
//! it ends a transaction before any marker is written, and that it has ended it when all are
//! (`TransactionCoordinator.endTransaction`, `TransactionMarkerChannelManager` of Kafka 4.4.0).

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use super::checker::{CheckedBatch, Checker, Found};
use super::code::FindingCode;
use super::finding::{Evidence, Finding};
use super::hanging::{Others, reading};
use super::known_cluster::Coordinators;
use super::terms::Terms;
use crate::analysis::completed_commit::EPOCH_FOR_EACH;
use crate::analysis::log_bytes::LogBytes;
use crate::analysis::log_findings::Severity;
use crate::analysis::partition_copies::ThisCopy;
use crate::analysis::state_partition_count::PartitionCount;
use crate::analysis::transaction_coordinator::{StatePartition, TransactionState};
use crate::format::number::{Offset, ProducerEpoch, ProducerId, Timestamp};
use crate::format::transaction_log::{TransactionLogKey, TransactionLogValue, TransactionStatus};
use crate::state::batch::{Batch, Control, Marker};
use crate::state::read::{SegmentFile, segments};
use crate::state::replay::Replay;
use crate::storage::damage::{Code, Damage};
use crate::storage::directory::PartitionDirectory;
use crate::storage::partition_name::PartitionName;

/// Evidence of a transaction that is open here and was aborted by its coordinator, and of one of
/// which it does not say how it ended.
pub const WAS_ABORTED: &str = "transaction that was aborted";
const WAS_CLOSED: &str = "transaction that was closed";

/// Holds a partition's transactions against what their coordinators say.
pub(super) struct CoordinatorMismatch<'c> {
    /// Nobody where nothing is to be said.
    asked: Option<Asked<'c>>,
    directory: &'c PartitionDirectory,
    others: Others<'c>,
    terms: Terms,
    /// Producers of transactions; `None` of whom no coordinator speaks.
    seen: HashMap<ProducerId, Option<Seen>>,
    /// The segment that is read.
    path: Arc<Path>,
    /// No part was left out in which a marker may lie.
    is_whole: bool,
    /// The greatest timestamp, and where the batch ends that has it.
    latest: (Timestamp, Offset),
}

#[derive(Clone, Copy)]
struct Asked<'c> {
    name: &'c PartitionName,
    coordinators: &'c Coordinators,
}

/// The last transaction of a producer here, as far as it was read.
#[derive(Debug, Default)]
struct Seen {
    /// The first data behind the last marker: where it lies and its time.
    open: Option<(Arc<Path>, Batch)>,
    ended: Option<Ended>,
}

#[derive(Debug)]
struct Ended {
    marker: Marker,
    batch: Batch,
    path: Arc<Path>,
    /// The time of the first record that it ended, and the epoch of its batch.
    began: Option<(Timestamp, ProducerEpoch)>,
}

/// The one transactional id that uses a producer id.
struct Known<'c> {
    id: &'c TransactionLogKey,
    partition: u32,
    state: &'c TransactionState,
}

impl<'c> CoordinatorMismatch<'c> {
    pub(super) fn new(
        directory: &'c PartitionDirectory,
        others: Others<'c>,
        terms: &Terms,
    ) -> Self {
        // Nobody ends transactions in a directory that is not the partition's own.
        let name = directory.name.as_ref();
        let name = name.filter(|name| name.state.is_none());
        let asked = name.zip(others.coordinators);
        Self {
            directory,
            others,
            asked: asked.map(|(name, coordinators)| Asked { name, coordinators }),
            terms: *terms,
            seen: HashMap::new(),
            path: Arc::from(Path::new("")),
            is_whole: true,
            latest: (Timestamp::NONE, Offset(-1)),
        }
    }
}

impl Checker for CoordinatorMismatch<'_> {
    fn wants_batches(&self) -> bool {
        self.asked.is_some()
    }

    fn skip_segment(&mut self) {
        self.is_whole = false;
    }

    fn begin_segment(&mut self, segment: &SegmentFile, _: Found<'_>) {
        self.path = Arc::from(&*segment.path);
    }

    fn batch(&mut self, checked: &CheckedBatch<'_>, _: Found<'_>) {
        let (Some(asked), batch) = (self.asked, checked.batch) else {
            return;
        };
        self.is_whole &= checked.is_valid;
        if batch.max_timestamp > self.latest.0 {
            self.latest = (batch.max_timestamp, batch.last_offset);
        }
        if !batch.is_transactional || batch.producer_id < ProducerId(0) || !checked.is_valid {
            return;
        }
        let seen = self.seen.entry(batch.producer_id);
        let Some(seen) = seen.or_insert_with_key(|id| asked.known(*id).map(|_| Seen::default()))
        else {
            return;
        };
        match checked.control {
            Some(Control::Marker(marker)) => {
                let open = seen.open.take();
                seen.ended = Some(Ended {
                    marker: *marker,
                    batch: *batch,
                    path: Arc::clone(&self.path),
                    began: open.map(|(_, first)| (first.first_timestamp, first.producer_epoch)),
                });
            }
            Some(_) => {}
            None if seen.open.is_some() => {}
            None => seen.open = Some((Arc::clone(&self.path), *batch)),
        }
    }

    fn damage(&mut self, damage: &Damage, _: Found<'_>) {
        self.is_whole &= damage.code == Code::ZeroTail;
    }

    fn end(&mut self, state: &Replay<1>, found: Found<'_>) {
        let Some(asked) = self.asked.filter(|_| self.is_whole) else {
            return;
        };
        let mut seen: Vec<_> = self.seen.iter().collect();
        seen.sort_unstable_by_key(|(id, _)| **id);
        for (id, seen) in seen {
            let (Some(seen), Some(known)) = (seen, asked.known(*id)) else {
                continue;
            };
            match (&seen.open, &seen.ended) {
                (Some((path, first)), _) => {
                    if let Some(finding) = self.open(&asked, &known, state, (path, first)) {
                        found(finding);
                    }
                }
                (None, Some(ended)) => {
                    if let Some(finding) = ended_otherwise(&asked, &known, ended) {
                        found(finding);
                    }
                }
                (None, None) => {}
            }
        }
    }
}

impl<'c> Asked<'c> {
    /// What the coordinator says of the producer, where it is sure that it is the one to ask.
    fn known(self, id: ProducerId) -> Option<Known<'c>> {
        let coordinator = &self.coordinators.known;
        let [(partition, id)] = coordinator.transactional_ids(id) else {
            return None;
        };
        let is_home = match coordinator.partition_count() {
            PartitionCount::Known(count) => id.partition(count) == *partition,
            PartitionCount::Unknown => true,
            PartitionCount::Contradicted => false,
        };
        let held = coordinator.partitions().get(partition);
        let held = held.filter(|held| is_home && StatePartition::is_complete(held))?;
        Some(Known {
            id,
            partition: *partition,
            state: held.state(id)?,
        })
    }

    fn has(self, value: &TransactionLogValue) -> bool {
        value.has_partition(self.name.topic.as_bytes(), self.name.partition)
    }

    /// The record of the coordinator.
    fn record(self, known: &Known<'_>) -> Evidence {
        let value = &known.state.value;
        Evidence {
            what: "state of the transactional id",
            path: self.coordinators.paths.get(&known.partition).cloned(),
            offset: Some(known.state.offset),
            stored: Some(format!(
                "{}, epoch {}, updated {}",
                value.transaction_status, value.producer_epoch, value.last_update_timestamp
            )),
            ..Evidence::default()
        }
    }
}

impl Known<'_> {
    fn words(&self) -> String {
        let value = &self.state.value;
        format!(
            "its coordinator has transactional id {:?} as {} with epoch {}",
            String::from_utf8_lossy(&self.id.transactional_id),
            value.transaction_status,
            value.producer_epoch
        )
    }
}

const fn is_prepared(status: TransactionStatus) -> bool {
    matches!(
        status,
        TransactionStatus::PrepareCommit
            | TransactionStatus::PrepareAbort
            | TransactionStatus::PrepareEpochFence
    )
}

fn follows(epoch: ProducerEpoch, other: ProducerEpoch) -> bool {
    other.0.checked_add(1) == Some(epoch.0)
}

/// Whether the coordinator has given the producer this epoch and knows of no transaction with it
/// yet. It writes that one has begun before the producer may write to the partition, so a log with
/// data of it is later than such a record.
fn waits_for(value: &TransactionLogValue, epoch: ProducerEpoch) -> bool {
    let has_epochs = value.client_transaction_version >= EPOCH_FOR_EACH;
    let waits = match value.transaction_status {
        TransactionStatus::Empty => true,
        TransactionStatus::CompleteCommit | TransactionStatus::CompleteAbort => has_epochs,
        _ => false,
    };
    waits && value.producer_epoch == epoch
}

/// Whether the coordinator will send no marker for a transaction of this epoch here, whose last
/// record has that time: it has gone on to another epoch, or has closed what it had after that.
fn is_closed(
    value: &TransactionLogValue,
    has: bool,
    epoch: ProducerEpoch,
    last: Timestamp,
) -> bool {
    let status = value.transaction_status;
    if value.producer_epoch > epoch {
        return !(has && is_prepared(status));
    }
    let is_behind = value.last_update_timestamp >= last;
    let has_none = matches!(
        status,
        TransactionStatus::CompleteCommit | TransactionStatus::CompleteAbort
    );
    let is_older = waits_for(value, epoch);
    value.producer_epoch == epoch && !is_older && is_behind && (has_none || !has)
}

/// Whether the abort that the coordinator has completed is that of a transaction of this epoch,
/// whose first record has that time.
fn is_aborted(value: &TransactionLogValue, epoch: ProducerEpoch, first: Timestamp) -> bool {
    let is_next = follows(value.producer_epoch, epoch);
    let is_it = match value.client_transaction_version >= EPOCH_FOR_EACH {
        true => is_next,
        false => {
            let began_before = value.start_timestamp <= first && value.start_timestamp.0 > 0;
            (is_next || value.producer_epoch == epoch) && began_before
        }
    };
    value.transaction_status == TransactionStatus::CompleteAbort && is_it
}

impl CoordinatorMismatch<'_> {
    /// Whether another copy has the marker, and this one is behind.
    fn has_ended_elsewhere(&self, asked: &Asked<'_>, id: ProducerId, first: Offset) -> bool {
        let Some(copies) = self.others.copies else {
            return false;
        };
        let segments = segments(self.directory);
        let this = ThisCopy {
            name: asked.name,
            path: &self.directory.path,
            cluster: self.others.cluster_id,
            log: LogBytes::Segments(&segments),
        };
        let open = BTreeMap::from([(first, id)]);
        !copies.ends(&this, &open, &reading(&self.terms)).is_empty()
    }

    /// A transaction that is open in the log.
    fn open(
        &self,
        asked: &Asked<'_>,
        known: &Known<'_>,
        state: &Replay<1>,
        (path, batch): (&Path, &Batch),
    ) -> Option<Finding> {
        let id = batch.producer_id;
        let entry = state.manager().producers().get(id)?;
        let first = entry.current_txn_first_offset?;
        let (epoch, last) = (entry.producer_epoch, entry.last_timestamp);
        let value = &known.state.value;
        // A marker may be on its way until then.
        let timeout = self.terms.max_transaction_timeout_ms;
        let is_overdue = self.terms.now.0.saturating_sub(last.0) > timeout;
        if !is_overdue || !is_closed(value, asked.has(value), epoch, last) {
            return None;
        }
        if self.has_ended_elsewhere(asked, id, first) {
            return None;
        }
        let end = state.transactions().open_of(id)?.last_offset;
        // A log that goes on for long behind the end would have its marker.
        let (latest, at) = self.latest;
        let closed = known.state.timestamp;
        let goes_on = at > end && latest.0.saturating_sub(closed.0) > timeout;
        let (severity, rest) = match goes_on {
            true => (Severity::Error, "the log goes on, and has no marker"),
            false => (
                Severity::Warning,
                "the log has no marker; a replica that had not fetched it yet gets it from the \
                 leader",
            ),
        };
        let text = format!(
            "the transaction of producer {id} with epoch {epoch} is open here since offset \
             {first}, and {}, so no marker will come: {rest}",
            known.words()
        );
        let what = match is_aborted(value, epoch, batch.first_timestamp) {
            true => WAS_ABORTED,
            false => WAS_CLOSED,
        };
        let code = FindingCode::CoordinatorMismatch;
        let place = batch.place;
        let finding = Finding::new(code, severity, path, text)
            .at(place.position)
            .spanning(place.size.into())
            .with_offset(first)
            .with_producer(id)
            .resting_on(Evidence::place(what, first, place.position));
        Some(finding.resting_on(asked.record(known)))
    }
}

/// A transaction that a marker has ended, and its coordinator has not, or otherwise.
fn ended_otherwise(asked: &Asked<'_>, known: &Known<'_>, ended: &Ended) -> Option<Finding> {
    let value = &known.state.value;
    let (marker, batch) = (&ended.marker, &ended.batch);
    let epoch = batch.producer_epoch;
    // Without an epoch of its own only its time tells a transaction from the one before.
    let is_same = value.producer_epoch == epoch;
    let is_of_it = marker.timestamp >= value.last_update_timestamp
        && ended
            .began
            .is_some_and(|(time, _)| time >= value.start_timestamp);
    // A coordinator gives a marker the next epoch; one written by hand has that of the data.
    let is_by_hand = is_same
        && marker.timestamp >= value.last_update_timestamp
        && ended.began.is_some_and(|(_, began)| began == epoch);
    let has_epochs = value.client_transaction_version >= EPOCH_FOR_EACH;
    let has = asked.has(value);
    let (severity, says) = match value.transaction_status {
        TransactionStatus::Ongoing if has => {
            let is_ended = match has_epochs {
                true => epoch > value.producer_epoch || is_by_hand,
                false => epoch > value.producer_epoch || is_same && is_of_it,
            };
            // A copy of its partition that ends before the marker may be too old to know.
            let held = asked.coordinators.known.partitions().get(&known.partition);
            let last = held.and_then(StatePartition::last_timestamp);
            let told = match last.is_none_or(|last| last < marker.timestamp) {
                true => (
                    Severity::Note,
                    "so it has ended none, or what is here of __transaction_state is older than \
                     the marker",
                ),
                false => (
                    Severity::Warning,
                    "so it has ended none: the marker was written without it, or its record of \
                     the end is lost",
                ),
            };
            is_ended.then_some(told)?
        }
        TransactionStatus::PrepareCommit | TransactionStatus::PrepareAbort if has => {
            let is_abort = value.transaction_status == TransactionStatus::PrepareAbort;
            let is_ended = is_same && (has_epochs || is_of_it);
            let says = "so one transaction is committed here and aborted elsewhere";
            (is_ended && is_abort != marker.is_abort).then_some((Severity::Error, says))?
        }
        TransactionStatus::CompleteCommit | TransactionStatus::CompleteAbort if has_epochs => {
            let is_abort = value.transaction_status == TransactionStatus::CompleteAbort;
            // What comes behind the end was written by hand, for what came late.
            let is_ended = is_same && marker.timestamp <= known.state.timestamp;
            let says = "so one transaction is committed here and aborted elsewhere";
            (is_ended && is_abort != marker.is_abort).then_some((Severity::Error, says))?
        }
        _ => return None,
    };
    let id = batch.producer_id;
    let (kind, offset) = (
        if marker.is_abort { "ABORT" } else { "COMMIT" },
        batch.base_offset,
    );
    let text = format!(
        "{kind} at offset {offset} ended the transaction of producer {id}, and {}, {says}",
        known.words()
    );
    let (code, place) = (FindingCode::CoordinatorMismatch, batch.place);
    let finding = Finding::new(code, severity, &*ended.path, text)
        .at(place.position)
        .spanning(place.size.into())
        .with_offset(offset)
        .with_producer(id)
        .resting_on(Evidence::place("marker", offset, place.position));
    Some(finding.resting_on(asked.record(known)))
}
