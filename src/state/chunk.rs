//! A group of batches that is taken in at once: a produce request, a follower's fetch, one segment
//! that a load reads.
//!
//! Each producer's batches are gathered apart from the manager and merged at the end, then all
//! transactions that ended are completed. So transactions that began later in the chunk count in
//! the last stable offset of those that ended before.

use crate::format::number::{Offset, ProducerId};
use crate::state::append::{Append, AppendInfo, CompletedTxn};
use crate::state::batch::{Batch, Control};
use crate::state::entry::{BatchMetadata, Entry};
use crate::state::error::{Origin, StateError};
use crate::state::event::{Event, Fate, Kind, Previous, Sink};
use crate::state::manager::{Finished, Manager, OpenTxn};
use crate::state::ongoing::NO_TICKET;
use crate::state::rules::Reset;
use crate::state::table::{Slot, Table};

/// A chunk that is being gathered; dropped without [`Chunk::commit`] it has changed nothing but
/// what a barrier in it did.
#[derive(Debug)]
pub struct Chunk<const N: usize> {
    how: Append,
    gathered: Table<N>,
    started: Vec<(ProducerId, Offset)>,
    completed: Vec<CompletedTxn>,
    finished: Vec<Finished>,
    /// How many of those that started were told of at a barrier.
    told: usize,
}

impl<const N: usize> Chunk<N> {
    /// Begins a chunk whose batches come by `how`.
    #[must_use]
    pub fn new(how: Append) -> Self {
        Self {
            how,
            gathered: Table::new(),
            started: Vec::new(),
            completed: Vec::new(),
            finished: Vec::new(),
            told: 0,
        }
    }

    /// Where a producer is among those of this chunk.
    pub(super) fn find(&self, id: ProducerId) -> Option<Slot> {
        self.gathered.find(id)
    }

    /// Adds a batch. `Some` is the earlier batch that it repeats: a leader then appends nothing of
    /// the whole request, so the chunk is to be dropped.
    ///
    /// # Errors
    /// The exception that a broker meets; the chunk is then to be dropped.
    pub fn add(
        &mut self,
        manager: &mut Manager<N>,
        batch: &Batch,
        control: Option<&Control>,
        sink: Sink<'_>,
    ) -> Result<Option<BatchMetadata>, StateError> {
        let (how, id) = (self.how, batch.producer_id);
        if !manager.rules().keeps_state_of(id) {
            if batch.is_control && control == Some(&Control::MirrorPidReset) {
                self.barrier(manager, batch, sink)?;
            }
            return Ok(None);
        }
        let slot = self.gathered.find(id);
        if let Some(slot) = slot
            && manager.is_plain(how)
            && let Some(usual) = self.gathered.take_usual(slot, batch, control, None)
        {
            let (started, completed) = (usual.appended.started, usual.appended.completed);
            self.started.extend(started.map(|first| (id, first)));
            self.completed.extend(completed);
            return Ok(None);
        }
        let gathered = slot.and_then(|slot| self.gathered.at(slot));
        // The manager's entry matters to a leader's checks, and as evidence until the chunk has
        // a batch of its own.
        let matters = how.origin() != Origin::Replication
            || gathered.is_none_or(|entry| entry.batches.is_empty());
        let known = match matters {
            true => manager.producers().get(id),
            false => None,
        };
        if let Some(duplicate) = manager.leader_checks(how, batch, known.as_ref())? {
            return Ok(Some(duplicate));
        }
        let current = known.unwrap_or(Entry::empty(id));
        let mut updated = gathered.unwrap_or(current.without_batches());
        let mut info = AppendInfo {
            current: &current,
            updated: &mut updated,
            append: how,
            verification: manager.verification(how, id),
        };
        let appended = info.append(batch, control, sink);
        let appended = appended.map_err(|reason| manager.error(batch, reason))?;
        manager.after_append(batch);
        self.started
            .extend(appended.started.map(|first| (id, first)));
        self.completed.extend(appended.completed);
        match slot {
            Some(slot) => self.gathered.replace(slot, &updated),
            None => {
                self.gathered.add(&updated);
            }
        }
        Ok(None)
    }

    /// Obeys a barrier inside the chunk.
    fn barrier(
        &mut self,
        manager: &mut Manager<N>,
        batch: &Batch,
        sink: Sink<'_>,
    ) -> Result<(), StateError> {
        let effect = manager.rules().reset(self.how.path);
        match effect {
            Reset::Ignored => {}
            Reset::Everything => {
                self.merge(manager)?;
                manager.reset(effect, batch, &|_| Some(Fate::Dropped), sink);
            }
            Reset::MapOfManager => {
                let fate = |open: &OpenTxn| {
                    let fate = match self.has_open(open.producer_id, open.first_offset) {
                        true => Fate::Kept,
                        false => Fate::Stuck,
                    };
                    (!self.has_ended(open.producer_id, open.first_offset)).then_some(fate)
                };
                manager.reset(effect, batch, &fate, sink);
                self.tell_open(batch, sink);
            }
        }
        Ok(())
    }

    /// Whether a producer of this chunk has that transaction open, and so will have it at the end,
    /// whatever a barrier did to the manager.
    pub(super) fn has_open(&self, id: ProducerId, first_offset: Offset) -> bool {
        let entry = self.gathered.get(id);
        entry.is_some_and(|entry| entry.has_open(first_offset))
    }

    fn has_ended(&self, id: ProducerId, first_offset: Offset) -> bool {
        let mut completed = self.completed.iter();
        completed.any(|txn| txn.producer_id == id && txn.first_offset == first_offset)
    }

    /// Tells of the transactions that began in this chunk and are open at a barrier in it, of each
    /// once.
    fn tell_open(&mut self, batch: &Batch, sink: Sink<'_>) {
        for (id, first_offset) in self.started.iter().skip(self.told) {
            if !self.has_ended(*id, *first_offset) {
                let entry = self.gathered.get(*id);
                sink(&Event {
                    kind: Kind::BarrierOpenTransaction {
                        producer_id: *id,
                        first_offset: *first_offset,
                        fate: Fate::Kept,
                    },
                    batch,
                    previous: entry.as_ref().map(Previous::of),
                });
            }
        }
        self.told = self.started.len();
    }

    /// Merges what was gathered into the manager; gives the transactions that ended, in the order
    /// of their markers.
    ///
    /// # Errors
    /// A transaction ends that is not among the open ones.
    pub fn commit(mut self, manager: &mut Manager<N>) -> Result<Vec<Finished>, StateError> {
        self.merge(manager)?;
        Ok(self.finished)
    }

    fn merge(&mut self, manager: &mut Manager<N>) -> Result<(), StateError> {
        std::mem::take(&mut self.gathered).consume(|updated| {
            manager.update(updated);
        });
        self.told = 0;
        for (id, first_offset) in self.started.drain(..) {
            manager.start(id, first_offset);
        }
        for txn in self.completed.drain(..) {
            self.finished.push(manager.finish(txn, NO_TICKET)?);
        }
        Ok(())
    }
}
