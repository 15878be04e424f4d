//! Whether the offset and the time index of a segment serve a reader, whoever wrote them.
//!
//! A running broker's indexes differ from those that a recovery builds: restarts and appends of
//! many batches move their entries. What counts is that each entry is true and that none is
//! missing that a search needs.

use crate::format::number::{Offset, Timestamp};
use crate::format::offset_index::OffsetIndexEntry;
use crate::format::time_index::TimeIndexEntry;
use crate::state::index_build::{IndexBuild, InvalidOffset};

/// A batch as indexes see it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Indexed {
    pub(super) position: u64,
    pub(super) first: Offset,
    pub(super) last: Offset,
    pub(super) max_timestamp: Timestamp,
}

/// What is wrong with an index that is to be built anew, in words.
pub(super) type Fault = String;

/// Follows a segment's batches with the entries of its indexes.
#[derive(Debug)]
pub(super) struct IndexCheck {
    offsets: Following<OffsetIndexEntry>,
    /// The offset of the last entry, up to the batch that ends with it: one append may have
    /// brought several batches, and the entry names the last.
    named: Option<Offset>,
    times: Following<TimeIndexEntry>,
    build: Result<IndexBuild, InvalidOffset>,
    /// Entries that a recovery would write.
    due: u64,
    greatest: Timestamp,
    last_time: Timestamp,
}

/// The entries of an index, one after the other, up to the first that is not true.
#[derive(Debug)]
struct Following<E> {
    entries: std::vec::IntoIter<E>,
    next: Option<E>,
    taken: u64,
    fault: Option<Fault>,
}

impl<E: Copy> Following<E> {
    fn new(entries: Option<Vec<E>>) -> Self {
        let fault = entries.is_none().then(|| "it is not there".to_owned());
        let mut entries = entries.unwrap_or_default().into_iter();
        let next = entries.next();
        Self {
            entries,
            next,
            taken: 0,
            fault,
        }
    }

    fn take(&mut self) {
        self.taken += 1;
        self.next = self.entries.next();
    }

    fn refuse(&mut self, fault: impl FnOnce() -> Fault) {
        self.fault.get_or_insert_with(fault);
        self.next = None;
    }
}

impl IndexCheck {
    /// Begins in front of the first batch; `None` for an index that is not there.
    pub(super) fn new(
        base: Offset,
        interval: u64,
        offsets: Option<Vec<OffsetIndexEntry>>,
        times: Option<Vec<TimeIndexEntry>>,
    ) -> Self {
        Self {
            offsets: Following::new(offsets),
            named: None,
            times: Following::new(times),
            build: Ok(IndexBuild::new(base, interval)),
            due: 0,
            greatest: Timestamp::NONE,
            last_time: Timestamp::NONE,
        }
    }

    /// The next batch.
    pub(super) fn batch(&mut self, batch: &Indexed) {
        self.offset_entries(batch);
        self.time_entries(batch);
        self.greatest = self.greatest.max(batch.max_timestamp);
        if let Ok(build) = &mut self.build {
            match build.batch(batch.position, batch.last, batch.max_timestamp) {
                Ok(due) => self.due += u64::from(due.is_some()),
                Err(invalid) => self.build = Err(invalid),
            }
        }
    }

    /// Entries that point here must name the last offset of this batch or of one behind it; old
    /// brokers named the first.
    fn offset_entries(&mut self, batch: &Indexed) {
        let offsets = &mut self.offsets;
        while let Some(entry) = offsets.next {
            let position = u64::try_from(entry.position).unwrap_or(u64::MAX);
            if position > batch.position {
                break;
            }
            if position < batch.position || entry.offset < batch.first {
                let at = batch.position;
                offsets.refuse(|| {
                    format!(
                        "its entry for offset {} leads to byte {}, and no batch with that offset \
                         begins there (the next: byte {at}, offset {})",
                        entry.offset, entry.position, batch.first
                    )
                });
                break;
            }
            if self.named.is_none() && entry.offset != batch.first {
                self.named = Some(entry.offset);
            }
            offsets.take();
            if let Some(next) = offsets.next
                && (next.offset <= entry.offset || next.position <= entry.position)
            {
                offsets.refuse(|| {
                    let number = entry.offset;
                    format!("its entries do not rise behind the one for offset {number}")
                });
            }
        }
        if let Some(named) = self.named.filter(|named| *named <= batch.last) {
            self.named = None;
            if named < batch.last {
                let last = batch.last;
                offsets.refuse(|| {
                    format!("it names offset {named}, inside the batch that ends with {last}")
                });
            }
        }
    }

    /// An entry names the first batch with the greatest timestamp so far.
    fn time_entries(&mut self, batch: &Indexed) {
        let times = &mut self.times;
        while let Some(entry) = times.next {
            if entry.offset > batch.last {
                break;
            }
            let is_true = entry.offset >= batch.first
                && entry.timestamp == batch.max_timestamp
                && entry.timestamp >= self.greatest
                && entry.timestamp > self.last_time;
            if !is_true {
                times.refuse(|| {
                    format!(
                        "its entry for time {} and offset {} is not that of the greatest \
                         timestamp there",
                        entry.timestamp, entry.offset
                    )
                });
                break;
            }
            self.last_time = entry.timestamp;
            times.take();
        }
    }

    /// The segment has ended: what is wrong with the offset index and with the time
    /// index.
    pub(super) fn end(mut self) -> (Option<Fault>, Option<Fault>) {
        let behind = self.offsets.next.map(|entry| entry.offset);
        if let Some(offset) = behind.or(self.named) {
            self.offsets
                .refuse(|| format!("its entry for offset {offset} lies behind the log"));
        }
        if let Some(entry) = self.times.next {
            self.times
                .refuse(|| format!("its entry for offset {} lies behind the log", entry.offset));
        }
        let (taken, due) = (self.offsets.taken, self.due);
        if is_sparse(taken, due) {
            self.offsets
                .refuse(|| format!("it has {taken} entries where a recovery writes {due}"));
        }
        let (found, greatest) = (self.last_time, self.greatest);
        if found < greatest {
            self.times.refuse(|| {
                format!("its last entry has time {found}, the segment's greatest is {greatest}")
            });
        }
        (self.offsets.fault, self.times.fault)
    }
}

/// Far fewer entries than the log asks for: a search would read large parts of the segment.
/// Restarts and large appends leave some out.
fn is_sparse(entries: u64, due: u64) -> bool {
    due > entries.saturating_mul(2).saturating_add(2)
}
