//! A replica of one partition: its log, and the producer state that real rules make of it.
//!
//! Restarts and truncations go the ways of `LogLoader` and `UnifiedLog` on the log in memory; what
//! a broker would read from files is what [`crate::state::load`] reads there.

mod read_back;

use crate::format::number::{LeaderEpoch, Offset, ProducerEpoch, ProducerId, Timestamp};
use crate::format::producer_snapshot::ProducerEntry;
use crate::format::txn_index::AbortedTxn;
use crate::simulate::stored::Stored;
use crate::simulate::truth::WriterIndex;
use crate::state::append::Append;
use crate::state::chunk::Chunk;
use crate::state::entry::{BATCHES_OF_A_BROKER, BatchMetadata, Entry};
use crate::state::epochs::LeaderEpochs;
use crate::state::error::StateError;
use crate::state::event;
use crate::state::manager::{Finished, Manager};
use crate::state::rules::{Path, Reset, RuleSet};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// How long a producer may be silent before a broker forgets it (`producer.id.expiration.ms`).
pub const EXPIRATION_MS: i64 = 86_400_000;

/// The producer state of a broker.
pub type BrokerState = Manager<BATCHES_OF_A_BROKER>;

/// Whose batch the state of a producer id came from last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Owner {
    writer: WriterIndex,
    epoch: ProducerEpoch,
}

/// Something an append shows that the producer state itself does not know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sign {
    /// The state of an id was another writer's.
    OwnerChanged {
        /// Which id.
        producer_id: ProducerId,
        /// Whose it was, and is.
        writers: [WriterIndex; 2],
        /// The epochs before and now.
        epochs: [ProducerEpoch; 2],
        /// Where.
        offset: Offset,
    },
    /// A marker closed a transaction of another writer.
    ForeignTransaction {
        /// The id of both.
        producer_id: ProducerId,
        /// Whose transaction, and whose marker.
        writers: [WriterIndex; 2],
        /// Where the transaction began.
        first_offset: Offset,
        /// Where the marker lies.
        offset: Offset,
    },
}

/// What became of an append.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Appended {
    /// It is in the log.
    Taken,
    /// A leader took it for a repeat of this batch: nothing was appended, the client hears of a
    /// success at the old offset.
    Duplicate(BatchMetadata),
}

/// How a replica comes up again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Restart {
    /// After a clean stop, which leaves a snapshot at the log's end.
    pub is_clean: bool,
    /// Its snapshot files are gone.
    pub has_lost_snapshots: bool,
}

/// What reading back depends on.
#[derive(Debug, Clone, Copy)]
pub struct Reading {
    /// Whose rules.
    pub rules: &'static dyn RuleSet,
    /// The time now.
    pub now: Timestamp,
}

/// One replica.
#[derive(Debug, Clone)]
pub struct Replica {
    log: Vec<Arc<Stored>>,
    manager: BrokerState,
    epochs: LeaderEpochs,
    aborted: Vec<AbortedTxn>,
    snapshots: BTreeMap<Offset, Vec<ProducerEntry>>,
    /// The base offsets of its segments.
    segments: Vec<Offset>,
    /// What is on disk for sure: a recovery begins here.
    recovery_point: Offset,
    /// The cluster ids that mirrored entries are tagged with (bit-field design).
    tags: HashMap<ProducerId, String>,
    owners: HashMap<ProducerId, Owner>,
    /// It fetches only when it is told to, or when a write waits for it.
    pub is_lagging: bool,
}

impl Replica {
    /// An empty replica of `partition`.
    #[must_use]
    pub fn new(partition: &str, rules: &'static dyn RuleSet) -> Self {
        Self {
            log: Vec::new(),
            manager: Manager::new(partition, rules),
            epochs: LeaderEpochs::new(),
            aborted: Vec::new(),
            snapshots: BTreeMap::new(),
            segments: vec![Offset(0)],
            recovery_point: Offset(0),
            tags: HashMap::new(),
            owners: HashMap::new(),
            is_lagging: false,
        }
    }

    /// The batches, rising.
    #[must_use]
    pub fn log(&self) -> &[Arc<Stored>] {
        &self.log
    }

    /// The producer state.
    #[must_use]
    pub const fn manager(&self) -> &BrokerState {
        &self.manager
    }

    /// The leader epochs of its batches.
    #[must_use]
    pub const fn epochs(&self) -> &LeaderEpochs {
        &self.epochs
    }

    /// Its transaction index.
    #[must_use]
    pub fn aborted(&self) -> &[AbortedTxn] {
        &self.aborted
    }

    /// Its snapshot files.
    #[must_use]
    pub const fn snapshots(&self) -> &BTreeMap<Offset, Vec<ProducerEntry>> {
        &self.snapshots
    }

    /// The base offsets of its segments.
    #[must_use]
    pub fn segments(&self) -> &[Offset] {
        &self.segments
    }

    /// The offset behind its last batch.
    #[must_use]
    pub fn end(&self) -> Offset {
        self.log
            .last()
            .map_or(Offset(0), |stored| stored.batch.next_offset())
    }

    /// The batches from the one that begins at `offset` or behind it.
    #[must_use]
    pub fn from(&self, offset: Offset) -> &[Arc<Stored>] {
        let first = self
            .log
            .partition_point(|stored| stored.batch.base_offset < offset);
        self.log.get(first..).unwrap_or_default()
    }

    /// The batch that holds an offset.
    #[must_use]
    pub fn at(&self, offset: Offset) -> Option<&Arc<Stored>> {
        let place = self
            .log
            .partition_point(|stored| stored.batch.last_offset < offset);
        self.log
            .get(place)
            .filter(|stored| stored.batch.base_offset <= offset)
    }

    /// Where the batches of this leader epoch and of those before end
    /// (`LeaderEpochFileCache.endOffsetFor`).
    #[must_use]
    pub fn end_of_epoch(&self, epoch: LeaderEpoch) -> Offset {
        let next = self.epochs.entries().find(|next| next.leader_epoch > epoch);
        next.map_or(self.end(), |next| next.start_offset)
    }

    /// The last stable offset under a high watermark.
    #[must_use]
    pub fn last_stable_offset(&self, high_watermark: Offset) -> Offset {
        self.manager.last_stable_offset(Offset(0), high_watermark)
    }

    /// The high watermark moved up.
    pub fn on_high_watermark(&mut self, high_watermark: Offset) {
        self.manager.on_high_watermark_updated(high_watermark);
    }

    /// The cluster id that the state of a producer is tagged with.
    #[must_use]
    pub fn tag(&self, id: ProducerId) -> Option<&str> {
        self.manager.producers().find(id)?;
        self.tags.get(&id).map(String::as_str)
    }

    /// Tags the state of a producer with where it came from.
    pub fn set_tag(&mut self, id: ProducerId, cluster_id: &str) {
        if self.manager.producers().find(id).is_some() {
            self.tags.insert(id, cluster_id.to_owned());
        }
    }

    /// Takes batches in, all at once.
    ///
    /// # Errors
    /// What a broker refuses them with; the replica is then as it was, but for a barrier in front
    /// of the refused batch.
    pub fn append(
        &mut self,
        how: Append,
        batches: &[Arc<Stored>],
        signs: &mut Vec<Sign>,
    ) -> Result<Appended, StateError> {
        let mut chunk = Chunk::new(how);
        for stored in batches {
            let (batch, control) = (&stored.batch, stored.control.as_ref());
            let taken = chunk.add(&mut self.manager, batch, control, &mut event::ignore)?;
            if let Some(kept) = taken {
                return Ok(Appended::Duplicate(kept));
            }
        }
        let finished = chunk.commit(&mut self.manager)?;
        self.follow_owners(how.path, batches, signs);
        for stored in batches {
            let batch = &stored.batch;
            if batch.partition_leader_epoch > LeaderEpoch(-1) {
                self.epochs
                    .assign(batch.partition_leader_epoch, batch.base_offset);
            }
            if batch.is_control {
                // An update by a marker does not carry the tag on.
                self.tags.remove(&batch.producer_id);
            }
            self.log.push(Arc::clone(stored));
        }
        self.manager.set_map_end_offset(self.end());
        self.conclude(&finished, signs);
        Ok(Appended::Taken)
    }

    fn conclude(&mut self, finished: &[Finished], signs: &mut Vec<Sign>) {
        for finished in finished {
            self.aborted.extend(finished.index_entry());
            let txn = finished.txn;
            let writer_at = |offset| self.at(offset).and_then(|stored| stored.truth.writer());
            if let (Some(whose), Some(by)) =
                (writer_at(txn.first_offset), writer_at(txn.last_offset))
                && whose != by
            {
                signs.push(Sign::ForeignTransaction {
                    producer_id: txn.producer_id,
                    writers: [whose, by],
                    first_offset: txn.first_offset,
                    offset: txn.last_offset,
                });
            }
        }
    }

    /// Follows whose batches made the state of each id, through barriers as the rules obey them.
    fn follow_owners(&mut self, path: Path, batches: &[Arc<Stored>], signs: &mut Vec<Sign>) {
        let rules = self.manager.rules();
        let mut here: Vec<ProducerId> = Vec::new();
        for stored in batches {
            let batch = &stored.batch;
            if stored.is_barrier() {
                match rules.reset(path) {
                    Reset::Ignored => {}
                    Reset::Everything => self.owners.clear(),
                    // What the chunk has gathered is put back at its end.
                    Reset::MapOfManager => self.owners.retain(|id, _| here.contains(id)),
                }
                continue;
            }
            let id = batch.producer_id;
            let Some(writer) = stored.truth.writer().filter(|_| rules.keeps_state_of(id)) else {
                continue;
            };
            let epoch = batch.producer_epoch;
            let before = self.owners.insert(id, Owner { writer, epoch });
            here.push(id);
            if let Some(before) = before
                && before.writer != writer
            {
                signs.push(Sign::OwnerChanged {
                    producer_id: id,
                    writers: [before.writer, writer],
                    epochs: [before.epoch, epoch],
                    offset: batch.base_offset,
                });
            }
        }
    }

    /// Begins a new segment at the end of the log, with a snapshot, if it does not begin there.
    pub fn roll(&mut self) {
        let end = self.end();
        if self.segments.last().is_some_and(|base| *base < end) {
            self.segments.push(end);
            self.take_snapshot();
            self.recovery_point = end;
        }
    }

    /// Writes a snapshot of now.
    pub fn take_snapshot(&mut self) {
        let entries = self.snapshot_entries();
        self.snapshots.insert(self.end(), entries);
    }

    /// What a snapshot of now would hold, by producer id.
    #[must_use]
    pub fn snapshot_entries(&self) -> Vec<ProducerEntry> {
        let mut entries = sorted_entries(&self.manager);
        for entry in &mut entries {
            let tag = self.tags.get(&entry.producer_id);
            entry.source_cluster_id = tag.map(|tag| tag.as_bytes().to_vec());
        }
        entries
    }

    /// Forgets silent producers.
    pub fn expire(&mut self, now: Timestamp, expiration_ms: i64) {
        self.manager.remove_expired(now, expiration_ms);
        self.forget_owners();
    }

    fn forget_owners(&mut self) {
        let known = self.manager.producers();
        self.owners.retain(|id, _| known.find(*id).is_some());
        self.tags.retain(|id, _| known.find(*id).is_some());
    }

    /// The entry of a producer.
    #[must_use]
    pub fn entry(&self, id: ProducerId) -> Option<Entry<BATCHES_OF_A_BROKER>> {
        self.manager.producers().get(id)
    }
}

/// The entries of a manager, without tags, by producer id.
fn sorted_entries(manager: &BrokerState) -> Vec<ProducerEntry> {
    let mut entries: Vec<ProducerEntry> = manager.snapshot_entries().collect();
    entries.sort_unstable_by_key(|entry| entry.producer_id);
    entries
}
