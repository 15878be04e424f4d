//! One control batch at the end of a log, with all that follows from it: the same for a barrier
//! and for the end of a transaction.

use super::content::{Content, IndexOf, Piece, Range};
use super::draft::{Draft, topic_partition};
use super::error::{PlanError, Refusal};
use super::plan::{Action, Plan, Step, Verb};
use super::sound::{self, Item, Sound, SoundSegment};
use super::terms::Terms;
use crate::format::batch::{HEADER_SIZE, Header};
use crate::format::control_batch::Place;
use crate::format::leader_epoch_checkpoint::{self, EpochEntry};
use crate::format::number::{LeaderEpoch, Timestamp};
use crate::format::producer_snapshot::{self, Version};
use crate::format::txn_index;
use crate::state::append::Append;
use crate::state::batch::{Batch, Control};
use crate::state::event;
use crate::state::load::{Change, LoadOptions, Loaded, load};
use crate::state::manager::{Applied, Manager};
use crate::storage::directory::PartitionDirectory;
use crate::storage::file_name::FileKind;
use crate::storage::small_file::contents;
use crate::storage::source::Source;

const LEADER_EPOCHS: &str = "leader-epoch-checkpoint";

/// The end of a log, and what a broker knows there.
pub(super) struct Tail<'a> {
    directory: &'a PartitionDirectory,
    terms: &'a Terms,
    pub(super) partition: String,
    sound: Sound,
    last: SoundSegment,
    loaded: Box<Loaded<1>>,
    /// The last epoch that `leader-epoch-checkpoint` names. A leader that has written nothing is
    /// named there at the log's end, where a load forgets it.
    named_epoch: LeaderEpoch,
    /// What the last batch is, if it is a control batch.
    pub(super) last_control: Option<Control>,
}

impl<'a> Tail<'a> {
    /// Reads the whole log, and loads it as a broker does after a clean stop. `visit` sees each
    /// batch.
    ///
    /// # Errors
    /// A file that cannot be read; a log that is not sound, or that a broker would not take as it
    /// is.
    pub(super) fn read(
        directory: &'a PartitionDirectory,
        terms: &'a Terms,
        visit: &mut dyn FnMut(&Item<'_>),
    ) -> Result<Self, PlanError> {
        let refused = |refusal| PlanError::Refused {
            path: directory.path.clone(),
            refusal,
        };
        let mut last_control = None;
        let sound = sound::read(directory, terms, &mut |item| {
            last_control = item.control.cloned();
            visit(&item);
            Ok(())
        })?;
        let partition = topic_partition(directory);
        let Some(last) = sound.segments.last().cloned() else {
            let why = "finds no segment".to_owned();
            return Err(refused(Refusal::NotLoaded(why)));
        };
        let loaded = loaded(directory, &partition, terms).map_err(refused_or_read(&refused))?;
        Ok(Self {
            directory,
            terms,
            partition,
            sound,
            last,
            loaded,
            named_epoch: named_epoch(directory, terms),
            last_control,
        })
    }

    /// What a broker knows at the end.
    pub(super) const fn manager(&self) -> &Manager<1> {
        &self.loaded.manager
    }

    /// Where a batch goes: the log's end, under the last leader epoch. A follower passes over a
    /// batch of a later epoch than its own, and one of an earlier epoch makes it forget the later
    /// ones.
    pub(super) fn place(&self, timestamp: Timestamp) -> Place {
        let known = self.loaded.leader_epochs.last();
        let known = known.map_or(LeaderEpoch(0), |last| last.leader_epoch);
        Place {
            offset: self.sound.end,
            partition_leader_epoch: self.sound.leader_epoch.max(known).max(self.named_epoch),
            timestamp,
        }
    }

    /// A plan in which nothing happens.
    pub(super) fn nothing(self, verb: Verb, why: String) -> Result<Plan, PlanError> {
        let mut draft = Draft::of(self.directory)?;
        draft.warnings.push(why);
        Ok(draft.finish(verb, self.partition, self.sound.kept))
    }

    /// Plans to append a batch, whose record is `control`; `detail` says what it is.
    ///
    /// # Errors
    /// A segment that has no room for it, or a batch that a broker would not survive.
    pub(super) fn append(
        mut self,
        verb: Verb,
        bytes: Vec<u8>,
        control: &Control,
        detail: String,
    ) -> Result<Plan, PlanError> {
        let mut draft = Draft::of(self.directory)?;
        draft.refuse_swaps()?;
        let batch = self.batch_of(&bytes)?;
        draft.steps.push(Step {
            action: Action::Append,
            file: self.last.file.clone(),
            position: Some(self.last.length),
            size: u64::try_from(bytes.len()).ok(),
            offset: Some(batch.base_offset),
            detail,
        });
        self.plan_log(&mut draft, bytes);
        self.plan_indexes(&mut draft);
        self.plan_transaction(&mut draft, &batch, control)?;
        self.plan_snapshots(&mut draft, &batch);
        self.plan_epochs(&mut draft, &batch);
        let mut kept = self.sound.kept;
        kept.records = kept.records.saturating_add(1);
        kept.first_offset.get_or_insert(batch.base_offset);
        kept.last_offset = Some(batch.last_offset);
        Ok(draft.finish(verb, self.partition, kept))
    }

    fn batch_of(&self, bytes: &[u8]) -> Result<Batch, PlanError> {
        let place = crate::state::batch::Place {
            segment: self.last.base,
            position: self.last.length,
            size: u32::try_from(bytes.len()).unwrap_or(u32::MAX),
        };
        let head = bytes.first_chunk::<HEADER_SIZE>();
        let batch = head.map(|head| Batch::new(head, place));
        let distance = self.sound.end.0.saturating_sub(self.last.base.0);
        let has_room =
            place.end() <= u64::from(i32::MAX.unsigned_abs()) && distance <= i64::from(i32::MAX);
        batch.filter(|_| has_room).ok_or_else(|| {
            self.refused(format!(
                "{} has no room for another batch: start a broker once and let it roll, or let \
                 it append",
                self.last.file
            ))
        })
    }

    fn refused(&self, why: String) -> PlanError {
        PlanError::Refused {
            path: self.directory.path.clone(),
            refusal: Refusal::Producers(why),
        }
    }

    fn plan_log(&self, draft: &mut Draft<'_>, bytes: Vec<u8>) {
        let file = self.last.file.clone();
        let mut pieces = vec![Piece::Range(Range {
            file: file.clone(),
            position: 0,
            length: self.last.length,
        })];
        pieces.push(Piece::Bytes(bytes));
        draft.put(&file, Content::Pieces(pieces), &file);
    }

    fn plan_indexes(&self, draft: &mut Draft<'_>) {
        for kind in [FileKind::OffsetIndex, FileKind::TimeIndex] {
            let of = IndexOf {
                log: self.last.file.clone(),
                interval: self.terms.index_interval_bytes,
            };
            let why = "the segment has one batch more".to_owned();
            draft.build(kind, self.last.base, of, why);
        }
    }

    /// Goes on to the batch; an aborted transaction goes into the index of the segment.
    fn plan_transaction(
        &mut self,
        draft: &mut Draft<'_>,
        batch: &Batch,
        control: &Control,
    ) -> Result<(), PlanError> {
        let manager = &mut self.loaded.manager;
        manager.count_all_as_replicated();
        let (how, ignore) = (Append::LOAD, &mut event::ignore);
        let finished = match manager.apply(how, batch, Some(control), ignore) {
            Ok(Applied::Taken { finished, .. }) => finished,
            Ok(_) => None,
            Err(error) => {
                let class = error.class();
                let why = format!("a broker that reads the batch ends with {class}: {error}");
                return Err(self.refused(why));
            }
        };
        self.loaded.manager.set_map_end_offset(batch.next_offset());
        let Some(entry) = finished.and_then(|finished| finished.index_entry()) else {
            return Ok(());
        };
        let name = draft.name(FileKind::TxnIndex, self.last.base);
        let mut pieces = Vec::new();
        if draft.has(&name) {
            let path = self.directory.path.join(&name);
            let length = Source::open(&path, self.terms.access)?.len();
            pieces.push(Piece::Range(Range {
                file: name.clone(),
                position: 0,
                length,
            }));
        }
        let mut bytes = Vec::new();
        txn_index::encode(&entry, &mut bytes);
        pieces.push(Piece::Bytes(bytes));
        let why = format!(
            "the transaction of offsets {} to {} is aborted",
            entry.first_offset, entry.last_offset
        );
        draft.write(&name, Content::Pieces(pieces), &self.last.file, why);
        Ok(())
    }

    /// A snapshot at the old end is one at no segment's base any more, unless the segment is
    /// empty.
    fn plan_snapshots(&self, draft: &mut Draft<'_>, batch: &Batch) {
        let old_end = draft.name(FileKind::ProducerSnapshot, batch.base_offset);
        if batch.base_offset != self.last.base {
            draft.remove(&old_end, "the log does not end there any more");
        }
        let entries: Vec<_> = self.loaded.manager.snapshot_entries().collect();
        // Only more than 2^31 entries could be refused, and no table holds that many.
        let bytes = producer_snapshot::encode(Version::V1, &entries).unwrap_or_default();
        let name = draft.name(FileKind::ProducerSnapshot, batch.next_offset());
        let why = "what a broker knows of producers at the new end".to_owned();
        draft.write(&name, Content::Bytes(bytes), &self.last.file, why);
    }

    fn plan_epochs(&self, draft: &mut Draft<'_>, batch: &Batch) {
        let mut entries = self.loaded.leader_epochs.clone();
        let last = entries.last().map(|last| last.leader_epoch);
        if batch.partition_leader_epoch.0 < 0 {
            return;
        }
        if last != Some(batch.partition_leader_epoch) {
            entries.push(EpochEntry {
                leader_epoch: batch.partition_leader_epoch,
                start_offset: batch.base_offset,
            });
        }
        let bytes = leader_epoch_checkpoint::encode(&entries);
        let why = "it has the epochs of all batches, and none behind them".to_owned();
        draft.write(LEADER_EPOCHS, Content::Bytes(bytes), &self.last.file, why);
    }
}

/// What is said with every batch that is appended: how replicas stay the same.
pub(super) fn procedure(plan: &mut Plan, bytes: &[u8], place: Place) {
    let crc = Header::at_front_of(bytes).map_or(0, |header| header.stored_crc());
    plan.warnings.push(format!(
        "the batch takes offset {} and must be the same on every replica, with all of them \
         stopped: {} bytes, leader epoch {}, checksum {crc:#010x}. Either repair each replica's \
         directory with --timestamp {}, and compare these numbers before a broker starts; or \
         repair one, start its broker as the only leader, and move the partition out of the log \
         directories of all others before they start, so that they fetch it anew",
        place.offset,
        bytes.len(),
        place.partition_leader_epoch,
        place.timestamp,
    ));
    plan.alternatives.push(
        "a running cluster appends by itself what is the same everywhere: abort a transaction \
         with kafka-transactions.sh, stop a mirror with its own tool, and append offline only \
         where that fails"
            .to_owned(),
    );
}

/// The last epoch of `leader-epoch-checkpoint`; 0 where it does not tell.
fn named_epoch(directory: &PartitionDirectory, terms: &Terms) -> LeaderEpoch {
    let bytes = contents(&directory.path.join(LEADER_EPOCHS), terms.access);
    let entries = bytes.and_then(|bytes| leader_epoch_checkpoint::decode(&bytes).ok());
    let last = entries.as_deref().and_then(<[_]>::last);
    last.map_or(LeaderEpoch(0), |last| last.leader_epoch)
}

fn loaded(
    directory: &PartitionDirectory,
    partition: &str,
    terms: &Terms,
) -> Result<Box<Loaded<1>>, Failed> {
    let options = LoadOptions {
        access: terms.access,
        log_start_offset: terms.log_start,
        index_interval_bytes: terms.index_interval_bytes,
        ..LoadOptions::new(terms.rules)
    };
    let outcome = load::<1>(directory, partition, &options).map_err(Failed::Read)?;
    let log = outcome
        .log
        .map_err(|stop| Failed::Load(format!("ends with {stop}")))?;
    for action in &outcome.actions {
        let what = match &action.change {
            Change::Truncated(size) => format!("cuts {} to {size} bytes", action.name),
            Change::Deleted(_) if action.name.ends_with(".log") => {
                format!("deletes {}", action.name)
            }
            _ => continue,
        };
        return Err(Failed::Load(what));
    }
    Ok(log)
}

enum Failed {
    Read(crate::storage::source::ReadError),
    Load(String),
}

fn refused_or_read(refused: &impl Fn(Refusal) -> PlanError) -> impl Fn(Failed) -> PlanError {
    move |failed| match failed {
        Failed::Read(error) => PlanError::Read(error),
        Failed::Load(what) => refused(Refusal::NotLoaded(what)),
    }
}
