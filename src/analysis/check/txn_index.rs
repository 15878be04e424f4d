//! The transaction index of each segment against the abort markers and transactions of the log.
//!
//! Both rise by the offset of the marker, so one pass compares them. Not every difference is
//! damage:
//!
//! - the last stable offset of an entry depends on what was appended together, but none may lie
//!   above the beginning of a later entry: a broker that looks for aborted transactions below an
//!   offset ends with the first entry that was stable up to there;
//! - compaction takes the records of aborted transactions: an entry keeps the first offset of a
//!   transaction that the log shows no more, or only the end of;
//! - an end marker that is lost makes two transactions look like one;
//! - a broker that was killed may not have come to the last entries, and recovers the segment.

use std::collections::VecDeque;
use std::sync::Arc;

use super::cases::Cases;
use super::checker::{CheckedBatch, Checker, Found};
use super::code::FindingCode;
use super::finding::{Evidence, Finding};
use super::setting::Setting;
use super::txn_entry_file::EntryFile;
use crate::analysis::log_findings::Severity;
use crate::format::batch::MAGIC;
use crate::format::malformed::{Malformed, Problem};
use crate::format::number::{Offset, ProducerId};
use crate::format::txn_index::{AbortedTxn, ENTRY_SIZE};
use crate::state::batch::Control;
use crate::state::read::SegmentFile;
use crate::storage::damage::Damage;
use crate::storage::file_name::FileKind;
use crate::storage::source::{ReadError, Source};

/// No transaction spans more holes than that and still matters.
const MOST_HOLES: usize = 1024;

/// Holds the transaction index of each segment against the log.
#[derive(Debug)]
pub(super) struct TxnIndexCheck {
    setting: Arc<Setting>,
    current: Option<Current>,
    /// Offsets are missing in the log, or records in a batch.
    is_thinned: bool,
    /// Something in the log cannot be read.
    is_damaged: bool,
    next_offset: Option<Offset>,
    /// Where something is missing or cannot be read: end markers may have been there. The last of
    /// them.
    holes: VecDeque<Offset>,
    pub(super) unread: Vec<ReadError>,
}

/// The segment at hand.
#[derive(Debug)]
struct Current {
    base_offset: Offset,
    file: EntryFile,
    severity: Severity,
    outlook: &'static str,
    is_recovered: bool,
    is_damaged: bool,
    /// Abort markers of which it is not known yet whether they end a transaction.
    waiting: VecDeque<Marker>,
    /// The entry so far with the highest last stable offset.
    stable: Option<(u64, AbortedTxn)>,
    missing: Cases,
    corrupt: Cases,
    mismatch: Cases,
}

/// An abort marker, and the entry of its offset with its number.
#[derive(Debug)]
struct Marker {
    offset: Offset,
    producer_id: ProducerId,
    entry: Option<(u64, AbortedTxn)>,
}

impl TxnIndexCheck {
    pub(super) const fn new(setting: Arc<Setting>) -> Self {
        Self {
            setting,
            current: None,
            is_thinned: false,
            is_damaged: false,
            next_offset: None,
            holes: VecDeque::new(),
            unread: Vec::new(),
        }
    }

    fn keep(&mut self, outcome: Result<(), ReadError>) {
        if let Err(error) = outcome {
            self.unread.push(error);
            self.current = None;
        }
    }
}

impl Checker for TxnIndexCheck {
    fn begin_segment(&mut self, segment: &SegmentFile, _: Found<'_>) {
        self.current = None;
        let file = match self.setting.companion(segment, FileKind::TxnIndex) {
            Ok(path) => Source::open(&path, self.setting.access).map(EntryFile::of),
            Err(_) if !segment.is_named() => return,
            Err(path) => Ok(EntryFile::absent(path)),
        };
        match file {
            Ok(file) => self.current = Some(Current::new(segment, file, &self.setting)),
            Err(error) => self.unread.push(error),
        }
    }

    #[inline]
    fn batch(&mut self, checked: &CheckedBatch<'_>, _: Found<'_>) {
        let batch = checked.batch;
        let first = self.setting.bases.map(|(first, _)| first);
        let expected = self.next_offset.or(first);
        let is_hole = expected.is_some_and(|expected| batch.base_offset > expected);
        let span = batch.last_offset.0.saturating_sub(batch.base_offset.0);
        self.is_thinned |= is_hole || (batch.magic >= MAGIC && i64::from(batch.count) <= span);
        self.next_offset = Some(batch.next_offset());
        if is_hole || !checked.is_valid {
            if self.holes.len() == MOST_HOLES {
                self.holes.pop_front();
            }
            let hole = expected.map_or(batch.base_offset, |at| at.min(batch.base_offset));
            self.holes.push_back(hole);
        }
        if !checked.is_valid {
            self.is_damaged = true;
            if let Some(current) = &mut self.current {
                current.is_damaged = true;
            }
        }
        if let (Some(Control::Marker(marker)), Some(current)) = (checked.control, &mut self.current)
            && marker.is_abort
            && let Err(error) = current.marker(batch.base_offset, batch.producer_id)
        {
            self.keep(Err(error));
        }
    }

    fn aborted(&mut self, txn: &AbortedTxn, _: Found<'_>) {
        let first = self.setting.bases.map_or(Offset(0), |(first, _)| first);
        let may_differ = |entry: &AbortedTxn, computed: Offset| match entry.first_offset {
            stored if stored < Offset(0) => false,
            stored if stored < computed => self.is_thinned || self.is_damaged || stored < first,
            // The marker may be lost that ended another transaction in front of this one.
            stored => {
                let mut holes = self.holes.iter();
                holes.any(|hole| computed < *hole && *hole <= stored)
            }
        };
        if let Some(current) = &mut self.current {
            current.aborted(txn, may_differ);
        }
    }

    fn damage(&mut self, _: &Damage, _: Found<'_>) {
        self.is_damaged = true;
        if let Some(current) = &mut self.current {
            current.is_damaged = true;
        }
    }

    fn end_segment(&mut self, found: Found<'_>) {
        if let Some(mut current) = self.current.take() {
            let outcome = current.finish(self.next_offset, found);
            self.keep(outcome);
        }
    }
}

impl Current {
    fn new(segment: &SegmentFile, file: EntryFile, setting: &Setting) -> Self {
        let base_offset = segment.base_offset;
        Self {
            base_offset,
            file,
            severity: setting.severity(base_offset),
            outlook: setting.outlook(base_offset),
            is_recovered: setting.is_recovered(base_offset),
            is_damaged: false,
            waiting: VecDeque::new(),
            stable: None,
            missing: Cases::default(),
            corrupt: Cases::default(),
            mismatch: Cases::default(),
        }
    }

    /// An abort marker comes by: entries in front of it have none.
    fn marker(&mut self, offset: Offset, producer_id: ProducerId) -> Result<(), ReadError> {
        let mut own = None;
        while let Some((number, entry)) = self.peek()?
            && entry.last_offset <= offset
        {
            self.file.pass();
            match entry.last_offset == offset && own.is_none() {
                true => own = Some((number, entry)),
                false => self.without_marker(number, &entry),
            }
        }
        self.waiting.push_back(Marker {
            offset,
            producer_id,
            entry: own,
        });
        Ok(())
    }

    /// The next entry; those that break the order or the file are told and passed over.
    fn peek(&mut self) -> Result<Option<(u64, AbortedTxn)>, ReadError> {
        while self.file.head.is_none() && !self.file.is_over {
            let Some((number, entry)) = self.file.read()? else {
                break;
            };
            match entry {
                Ok(entry) if entry.last_offset < self.base_offset => {
                    self.below_base(number, &entry);
                }
                Ok(entry)
                    if self
                        .file
                        .before
                        .is_some_and(|last| entry.last_offset <= last) =>
                {
                    let message = format!(
                        "expected a last offset above that of the entry in front, found {}",
                        entry.last_offset
                    );
                    self.mismatched(number, &entry, message);
                }
                Ok(entry) => {
                    self.hides(entry.first_offset);
                    let is_higher = |(_, high): (_, AbortedTxn)| {
                        entry.last_stable_offset > high.last_stable_offset
                    };
                    if self.stable.is_none_or(is_higher) {
                        self.stable = Some((number, entry));
                    }
                    self.file.head = Some((number, entry));
                }
                Err(fault) => self.unreadable(number, &fault),
            }
        }
        Ok(self.file.head)
    }

    /// A later entry may begin here: one in front that says that all is stable up to behind it
    /// keeps a broker from seeing it.
    fn hides(&mut self, later: Offset) {
        if let Some((number, entry)) = self.stable
            && entry.last_stable_offset > later
        {
            let message = format!(
                "expected a last stable offset of at most {later}, found {}, which hides later \
                 entries from a broker",
                entry.last_stable_offset
            );
            self.mismatched(number, &entry, message);
            self.stable = None;
        }
    }

    /// The log shows an aborted transaction.
    fn aborted(&mut self, txn: &AbortedTxn, may_differ: impl Fn(&AbortedTxn, Offset) -> bool) {
        let is_due = |marker: &Marker| marker.offset <= txn.last_offset;
        while self.waiting.front().is_some_and(is_due)
            && let Some(marker) = self.waiting.pop_front()
        {
            let is_its = marker.offset == txn.last_offset;
            match marker.entry {
                Some((number, entry)) => {
                    let shown = is_its.then_some(txn);
                    self.compare(number, &entry, marker.producer_id, shown, &may_differ);
                }
                // Brokers keep no state of ids below 0.
                None if is_its && txn.producer_id >= ProducerId(0) => self.without_entry(txn),
                None => {}
            }
        }
    }

    fn compare(
        &mut self,
        number: u64,
        entry: &AbortedTxn,
        producer_id: ProducerId,
        shown: Option<&AbortedTxn>,
        may_differ: &impl Fn(&AbortedTxn, Offset) -> bool,
    ) {
        if entry.producer_id != producer_id {
            let message = format!(
                "expected producer {producer_id}, whose abort marker is at offset {}, found {}",
                entry.last_offset, entry.producer_id
            );
            self.mismatched(number, entry, message);
            return;
        }
        let Some(shown) = shown else {
            return;
        };
        let (stored, computed) = (entry.first_offset, shown.first_offset);
        if stored == computed || may_differ(entry, computed) {
            return;
        }
        let message = format!(
            "expected first offset {computed}, where the transaction of producer {producer_id} \
             that is aborted at {} begins, found {stored}",
            entry.last_offset
        );
        self.mismatched(number, entry, message);
    }

    fn mismatched(&mut self, number: u64, entry: &AbortedTxn, message: String) {
        let (path, severity, outlook) = (&self.file.path, self.severity, self.outlook);
        self.mismatch.add(|| {
            let message = message + "; consumers that read committed data get the wrong records";
            let code = FindingCode::TxnIndexMismatch;
            Finding::new(code, severity, path, message + outlook)
                .at(number.saturating_mul(ENTRY_SIZE as u64))
                .spanning(ENTRY_SIZE as u64)
                .with_offset(entry.last_offset)
                .with_producer(entry.producer_id)
                .resting_on(Evidence {
                    what: "entry",
                    stored: Some(words(entry)),
                    ..Evidence::default()
                })
        });
    }

    fn without_marker(&mut self, number: u64, entry: &AbortedTxn) {
        // The marker may be what cannot be read.
        if !self.is_damaged {
            let message = format!(
                "expected an abort marker of producer {} at offset {}, found none",
                entry.producer_id, entry.last_offset
            );
            self.mismatched(number, entry, message);
        }
    }

    fn without_entry(&mut self, txn: &AbortedTxn) {
        let is_absent = self.file.source.is_none();
        let code = match is_absent {
            true => FindingCode::TxnIndexMissing,
            false => FindingCode::TxnIndexMismatch,
        };
        let what = match is_absent {
            true => "the segment has no transaction index",
            false => "the transaction index has no entry",
        };
        // A kill may come between a marker and its entry.
        let severity = match self.is_recovered {
            true => Severity::Note,
            false => self.severity,
        };
        let (path, outlook) = (&self.file.path, self.outlook);
        let effect = match self.is_recovered {
            true => outlook,
            false => {
                "; a broker does not notice, and consumers that read committed data get the \
                 aborted records"
            }
        };
        self.missing.add(|| {
            let message = format!(
                "expected an entry of the transaction of producer {} from offset {} to its abort \
                 marker at {}, found none: {what}{effect}",
                txn.producer_id, txn.first_offset, txn.last_offset
            );
            Finding::new(code, severity, path, message)
                .with_offset(txn.first_offset)
                .with_producer(txn.producer_id)
                .resting_on(Evidence {
                    what: "entry",
                    computed: Some(words(txn)),
                    ..Evidence::default()
                })
        });
    }

    fn below_base(&mut self, number: u64, entry: &AbortedTxn) {
        let (path, severity, base) = (&self.file.path, self.severity, self.base_offset);
        self.corrupt.add(|| {
            let message = format!(
                "expected a last offset from the segment's base {base} on, found {}; a broker \
                 that starts reads the whole segment again and makes the index anew",
                entry.last_offset
            );
            Finding::new(FindingCode::IndexCorrupt, severity, path, message)
                .at(number.saturating_mul(ENTRY_SIZE as u64))
                .spanning(ENTRY_SIZE as u64)
                .with_offset(entry.last_offset)
                .with_producer(entry.producer_id)
                .resting_on(Evidence::values("lastOffset", &entry.last_offset, &base))
        });
    }

    fn unreadable(&mut self, number: u64, fault: &Malformed) {
        let (path, severity) = (&self.file.path, self.severity);
        self.corrupt.add(|| {
            let (size, message) = match fault.problem {
                Problem::Truncated { left, .. } => (
                    left,
                    format!(
                        "expected whole entries of {ENTRY_SIZE} bytes, found {left} behind the \
                         last one; a broker does not notice, and appends behind them what it \
                         cannot read again"
                    ),
                ),
                _ => (
                    ENTRY_SIZE,
                    format!("{fault}; a broker does not start with this index"),
                ),
            };
            Finding::new(FindingCode::IndexCorrupt, severity, path, message)
                .at(number.saturating_mul(ENTRY_SIZE as u64))
                .spanning(size as u64)
                .resting_on(Evidence::fault(fault))
        });
    }

    fn finish(&mut self, end: Option<Offset>, found: Found<'_>) -> Result<(), ReadError> {
        while let Some((number, entry)) = self.peek()? {
            self.file.pass();
            self.without_marker(number, &entry);
        }
        if let Some(end) = end.filter(|_| !self.is_damaged) {
            self.hides(end);
        }
        // Markers that end no transaction: their producers had none open, or compaction took it.
        while let Some(marker) = self.waiting.pop_front() {
            if let Some((number, entry)) = marker.entry {
                self.compare(number, &entry, marker.producer_id, None, &|_, _| true);
            }
        }
        if let Some(source) = &self.file.source {
            source.check()?;
        }
        self.missing.tell(found);
        self.corrupt.tell(found);
        self.mismatch.tell(found);
        Ok(())
    }
}

fn words(txn: &AbortedTxn) -> String {
    format!(
        "producerId {}, firstOffset {}, lastOffset {}, lastStableOffset {}",
        txn.producer_id, txn.first_offset, txn.last_offset, txn.last_stable_offset
    )
}
