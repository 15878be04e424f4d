//! What a replica reads back after a restart or a truncation, as `LogLoader` and `UnifiedLog` do.

use super::{EXPIRATION_MS, Owner, Reading, Replica, Restart, sorted_entries};
use crate::format::number::Offset;
use crate::format::producer_snapshot::{ProducerEntry, Version};
use crate::simulate::stored::Stored;
use crate::state::append::Append;
use crate::state::chunk::Chunk;
use crate::state::error::StateError;
use crate::state::event;
use crate::state::manager::Applied;
use std::sync::Arc;

impl Replica {
    /// Whose batches made the state is what the entries say, where they name a batch.
    fn read_owners_back(&mut self) {
        self.forget_owners();
        let entries: Vec<_> = self.manager.producers().iter().collect();
        for entry in entries {
            let last = entry.batches.last().map(|batch| batch.last_offset);
            let stored = last.and_then(|offset| self.at(offset));
            if let Some(writer) = stored.and_then(|stored| stored.truth.writer()) {
                let epoch = entry.producer_epoch;
                let owner = Owner { writer, epoch };
                self.owners.insert(entry.producer_id, owner);
            }
        }
    }

    /// Cuts the log to end at `end`, or before it where a batch lies across
    /// (`UnifiedLog.truncateTo`).
    ///
    /// # Errors
    /// Reading back what is left fails.
    pub fn truncate(&mut self, end: Offset, how: Reading) -> Result<(), StateError> {
        if end >= self.end() {
            return Ok(());
        }
        self.log.retain(|stored| stored.batch.last_offset < end);
        let end = self.end();
        self.segments.retain(|base| *base <= end);
        self.aborted.retain(|txn| txn.last_offset < end);
        self.epochs.truncate_from_end(end);
        self.recovery_point = self.recovery_point.min(end);
        let knew_nobody = self.manager.is_empty()
            && self.manager.map_end_offset() >= end
            && !self.manager.misses_barrier(end);
        self.snapshots.retain(|offset, _| *offset <= end);
        self.manager.truncate_fully_and_start_at(Offset(0));
        let from = self.load_newest(end, how);
        if !knew_nobody {
            self.scan(from, end)?;
        }
        self.manager.set_map_end_offset(end);
        self.read_owners_back();
        self.take_snapshot();
        Ok(())
    }

    /// Stops and starts.
    ///
    /// # Errors
    /// Reading the log back fails: the broker does not start.
    pub fn restart(&mut self, how: Restart, reading: Reading) -> Result<(), StateError> {
        if how.is_clean {
            self.take_snapshot();
        }
        if how.has_lost_snapshots {
            self.snapshots.clear();
        }
        let end = self.end();
        if !how.is_clean {
            self.recover(reading)?;
        }
        self.manager.truncate_fully_and_start_at(Offset(0));
        if how.is_clean && self.snapshots.is_empty() {
            // The log is not read after a clean stop.
            self.manager.set_map_end_offset(end);
        } else {
            let from = self.load_newest(end, reading);
            self.scan(from, end)?;
            self.manager.set_map_end_offset(end);
        }
        self.recovery_point = end;
        self.read_owners_back();
        self.take_snapshot();
        Ok(())
    }

    /// Reads the segments behind the recovery point batch by batch (`LogSegment.recover`): each
    /// leaves a snapshot at its end, and the index is made anew.
    fn recover(&mut self, reading: Reading) -> Result<(), StateError> {
        let first = self
            .segments
            .partition_point(|base| *base <= self.recovery_point);
        let segments = self.segments.clone();
        for (place, base) in segments.iter().enumerate().skip(first.saturating_sub(1)) {
            let end = segments.get(place + 1).copied().unwrap_or(self.end());
            self.manager.truncate_fully_and_start_at(Offset(0));
            let from = self.load_newest(*base, reading);
            self.scan(from, *base)?;
            self.aborted.retain(|txn| txn.last_offset < *base);
            for stored in self.between(*base, end) {
                let (batch, control) = (&stored.batch, stored.control.as_ref());
                let how = Append::RECOVERY;
                let applied = self
                    .manager
                    .apply(how, batch, control, &mut event::ignore)?;
                if let Applied::Taken { finished, .. } = applied {
                    let entry = finished.and_then(|finished| finished.index_entry());
                    self.aborted.extend(entry);
                }
            }
            self.snapshots.insert(end, sorted_entries(&self.manager));
        }
        Ok(())
    }

    /// Begins with the newest snapshot at `end` or before; gives its offset.
    fn load_newest(&mut self, end: Offset, reading: Reading) -> Offset {
        self.tags.clear();
        let is_readable = |entries: &[ProducerEntry]| {
            let is_tagged = |entry: &ProducerEntry| entry.source_cluster_id.is_some();
            // Only tagged entries make a file of version 2; who does not read it deletes it.
            reading.rules.reads_snapshot(Version::V2) || !entries.iter().any(is_tagged)
        };
        self.snapshots
            .retain(|offset, entries| *offset > end || is_readable(entries));
        let Some((offset, entries)) = self.snapshots.range(..=end).next_back() else {
            return Offset(0);
        };
        self.manager
            .load_snapshot(entries, *offset, reading.now, EXPIRATION_MS);
        for entry in entries {
            if let Some(tag) = &entry.source_cluster_id {
                let tag = String::from_utf8_lossy(tag).into_owned();
                self.tags.insert(entry.producer_id, tag);
            }
        }
        *offset
    }

    fn between(&self, from: Offset, end: Offset) -> Vec<Arc<Stored>> {
        let behind = self.from(from).iter();
        let inside = behind.take_while(|stored| stored.batch.base_offset < end);
        inside.cloned().collect()
    }

    /// Reads batches back, a segment at once (`UnifiedLog.loadProducersFromRecords`).
    fn scan(&mut self, from: Offset, end: Offset) -> Result<(), StateError> {
        let mut bases: Vec<Offset> = self.segments.clone();
        bases.push(end);
        for pair in bases.windows(2) {
            let [base, next] = *pair else { continue };
            let (start, stop) = (base.max(from), next.min(end));
            if start >= stop {
                continue;
            }
            let mut chunk = Chunk::new(Append::LOAD);
            for stored in self.between(start, stop) {
                let control = stored.control.as_ref();
                chunk.add(
                    &mut self.manager,
                    &stored.batch,
                    control,
                    &mut event::ignore,
                )?;
            }
            chunk.commit(&mut self.manager)?;
        }
        Ok(())
    }
}
