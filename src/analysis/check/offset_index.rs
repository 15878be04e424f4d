//! Each entry of an offset index against the batch that it leads to.
//!
//! An entry names the last offset of a batch and where that begins. Brokers before 4.0 wrote one
//! entry for all batches that were appended together: the place of the first and the last offset
//! of the last. Such an entry leads no reader past its offset either.

use std::sync::Arc;

use super::cases::Cases;
use super::checker::{CheckedBatch, Checker, Found};
use super::code::FindingCode;
use super::entry_stream::{EntryStream, Numbered};
use super::finding::{Evidence, Finding};
use super::setting::{Setting, file_name};
use crate::analysis::log_findings::Severity;
use crate::format::number::Offset;
use crate::format::offset_index::{ENTRY_SIZE, OffsetIndexEntry};
use crate::state::read::SegmentFile;
use crate::storage::damage::Damage;
use crate::storage::file_name::FileKind;
use crate::storage::source::{ReadError, Source};

type Entries = EntryStream<OffsetIndexEntry, ENTRY_SIZE>;

/// A log so long without an entry in its index is searched from the front each time.
const LONG: u64 = 1 << 20;

/// Holds the offset index of each segment against the log.
#[derive(Debug)]
pub(super) struct OffsetIndexCheck {
    setting: Arc<Setting>,
    current: Option<Current>,
    pub(super) unread: Vec<ReadError>,
}

/// The segment at hand.
#[derive(Debug)]
struct Current {
    base_offset: Offset,
    entries: Entries,
    severity: Severity,
    outlook: &'static str,
    /// An entry whose offset lies behind its batch, until the batch that ends there comes.
    reaching: Option<Numbered<OffsetIndexEntry>>,
    /// The byte behind the last batch or damage.
    end: u64,
    corrupt: Cases,
    mismatch: Cases,
}

impl OffsetIndexCheck {
    pub(super) const fn new(setting: Arc<Setting>) -> Self {
        Self {
            setting,
            current: None,
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

impl Checker for OffsetIndexCheck {
    fn begin_segment(&mut self, segment: &SegmentFile, found: Found<'_>) {
        self.current = None;
        let path = match self.setting.companion(segment, FileKind::OffsetIndex) {
            Ok(path) => path,
            Err(_) if !segment.is_named() => return,
            Err(path) => {
                let severity = self.setting.severity(segment.base_offset);
                let message = "the segment has no offset index; a broker that starts reads the \
                               whole segment again and makes one";
                let severity = severity.min(Severity::Warning);
                let finding = Finding::new(FindingCode::IndexMissing, severity, &path, message);
                found(finding.resting_on(Evidence::absent(path)));
                return;
            }
        };
        match Source::open(&path, self.setting.access) {
            Ok(source) => {
                let size = std::fs::metadata(&segment.path).map_or(0, |metadata| metadata.len());
                self.current = Some(Current::new(segment, source, size, &self.setting));
            }
            Err(error) => self.unread.push(error),
        }
    }

    #[inline]
    fn batch(&mut self, checked: &CheckedBatch<'_>, _: Found<'_>) {
        let Some(current) = &mut self.current else {
            return;
        };
        let outcome = current.batch(checked);
        self.keep(outcome);
    }

    fn damage(&mut self, damage: &Damage, _: Found<'_>) {
        let Some(current) = &mut self.current else {
            return;
        };
        let outcome = current.damage(damage);
        self.keep(outcome);
    }

    fn end_segment(&mut self, found: Found<'_>) {
        if let Some(mut current) = self.current.take()
            && let Err(error) = current.finish(found)
        {
            self.unread.push(error);
        }
    }
}

impl Current {
    fn new(segment: &SegmentFile, source: Source, log_size: u64, setting: &Setting) -> Self {
        let base_offset = segment.base_offset;
        let rises = |before: &OffsetIndexEntry, entry: &OffsetIndexEntry| {
            entry.offset > before.offset && entry.position > before.position
        };
        let is_possible =
            |entry: &OffsetIndexEntry, base: Offset| entry.offset >= base && entry.position >= 0;
        Self {
            base_offset,
            entries: EntryStream::new(source, base_offset, log_size, rises, is_possible),
            severity: setting.severity(base_offset),
            outlook: setting.outlook(base_offset),
            reaching: None,
            end: 0,
            corrupt: Cases::default(),
            mismatch: Cases::default(),
        }
    }

    #[inline]
    fn peek(&mut self) -> Result<Option<Numbered<OffsetIndexEntry>>, ReadError> {
        match self.entries.at_hand() {
            Some(one) => Ok(one),
            None => self.look_ahead(),
        }
    }

    fn look_ahead(&mut self) -> Result<Option<Numbered<OffsetIndexEntry>>, ReadError> {
        let path = self.entries.source().path().to_owned();
        let (corrupt, severity, outlook) = (&mut self.corrupt, self.severity, self.outlook);
        let base_offset = self.base_offset;
        self.entries.peek(&mut |odd, before| {
            corrupt.add(|| {
                let message = out_of_order(&odd.entry, before, base_offset) + outlook;
                Finding::new(FindingCode::IndexCorrupt, severity, path.clone(), message)
                    .at(Entries::position(odd.number))
                    .spanning(ENTRY_SIZE as u64)
                    .with_offset(odd.entry.offset)
                    .resting_on(Evidence {
                        what: "entry",
                        offset: Some(odd.entry.offset),
                        stored: Some(format!("position {}", odd.entry.position)),
                        ..Evidence::default()
                    })
                    .resting_on(Evidence {
                        what: "entry before",
                        offset: Some(before.map_or(base_offset, |one| one.offset)),
                        stored: before.map(|one| format!("position {}", one.position)),
                        ..Evidence::default()
                    })
            });
        })
    }

    #[inline]
    fn batch(&mut self, checked: &CheckedBatch<'_>) -> Result<(), ReadError> {
        let (batch, place) = (checked.batch, checked.batch.place);
        self.end = place.end();
        self.pass_up_to(place.position)?;
        if let Some(one) = self.peek_at(place.position)? {
            self.entries.pass();
            self.end_reaching(None);
            // A header with a wrong checksum says nothing for certain.
            if checked.is_valid && one.entry.offset > batch.last_offset {
                self.reaching = Some(one);
            } else if checked.is_valid && one.entry.offset < batch.last_offset {
                self.mismatched(one, Some(batch.last_offset));
            }
        }
        if let Some(one) = self.reaching {
            if batch.last_offset == one.entry.offset {
                self.reaching = None;
            } else if batch.last_offset > one.entry.offset {
                self.end_reaching(Some(batch.last_offset));
            }
        }
        Ok(())
    }

    fn damage(&mut self, damage: &Damage) -> Result<(), ReadError> {
        self.pass_up_to(damage.position)?;
        let end = damage.position.saturating_add(damage.size);
        self.end = end;
        // What lay there is gone, and told of the log.
        self.reaching = None;
        while self
            .peek()?
            .is_some_and(|one| position_of(&one.entry) < end)
        {
            self.entries.pass();
        }
        Ok(())
    }

    /// Entries that lead to a place in front of `position` lead to the middle of a batch.
    #[inline]
    fn pass_up_to(&mut self, position: u64) -> Result<(), ReadError> {
        while let Some(one) = self.peek()?
            && position_of(&one.entry) < position
        {
            self.entries.pass();
            self.end_reaching(None);
            self.mismatched(one, None);
        }
        Ok(())
    }

    fn peek_at(&mut self, position: u64) -> Result<Option<Numbered<OffsetIndexEntry>>, ReadError> {
        let one = self.peek()?;
        Ok(one.filter(|one| position_of(&one.entry) == position))
    }

    /// No batch has ended with the offset that was waited for.
    fn end_reaching(&mut self, found: Option<Offset>) {
        if let Some(one) = self.reaching.take() {
            self.mismatched(one, found);
        }
    }

    fn mismatched(&mut self, one: Numbered<OffsetIndexEntry>, last: Option<Offset>) {
        let OffsetIndexEntry { offset, position } = one.entry;
        let (path, severity, outlook) = (self.entries.source().path(), self.severity, self.outlook);
        self.mismatch.add(|| {
            let found = match last {
                Some(last) => format!("one that ends with offset {last}"),
                None => "none".to_owned(),
            };
            let message = format!(
                "expected a batch at position {position} of the log that ends with offset \
                 {offset}, found {found}{outlook}"
            );
            Finding::new(FindingCode::IndexMismatch, severity, path, message)
                .at(Entries::position(one.number))
                .spanning(ENTRY_SIZE as u64)
                .with_offset(offset)
                .resting_on(Evidence {
                    what: "batch",
                    path: Some(path.with_extension("log")),
                    position: u64::try_from(position).ok(),
                    offset: last,
                    ..Evidence::default()
                })
        });
    }

    fn finish(&mut self, found: Found<'_>) -> Result<(), ReadError> {
        while let Some(one) = self.peek()? {
            self.entries.pass();
            self.end_reaching(None);
            match position_of(&one.entry) < self.end {
                true => self.mismatched(one, None),
                false => self.behind(one),
            }
        }
        self.end_reaching(None);
        self.entries.source().check()?;
        self.corrupt.tell(found);
        self.mismatch.tell(found);
        self.cut(found);
        self.empty(found);
        Ok(())
    }

    fn behind(&mut self, one: Numbered<OffsetIndexEntry>) {
        let (path, severity, outlook) = (self.entries.source().path(), self.severity, self.outlook);
        let (end, position) = (self.end, one.entry.position);
        self.corrupt.add(|| {
            let message = format!(
                "expected a position within the {end} bytes of the log, found {position}{outlook}"
            );
            Finding::new(FindingCode::IndexCorrupt, severity, path, message)
                .at(Entries::position(one.number))
                .spanning(ENTRY_SIZE as u64)
                .with_offset(one.entry.offset)
                .resting_on(Evidence::values("position", &position, &end))
        });
    }

    fn cut(&self, found: Found<'_>) {
        let (cut, length) = (self.entries.cut(), self.entries.source().len());
        if cut > 0 {
            let message = format!(
                "expected whole entries of {ENTRY_SIZE} bytes, found {cut} bytes behind the last \
                 one, {length} in all{}",
                self.outlook
            );
            let path = self.entries.source().path();
            let finding = Finding::new(FindingCode::IndexCorrupt, self.severity, path, message);
            let finding = finding.at(length - cut).spanning(cut);
            let whole = length - cut;
            found(finding.resting_on(Evidence::values("sizeInBytes", &length, &whole)));
        }
    }

    fn empty(&self, found: Found<'_>) {
        if self.entries.given().0 == 0 && self.entries.whole() == 0 && self.end > LONG {
            let path = self.entries.source().path();
            let message = format!(
                "no entry for {} bytes of log: unless index.interval.bytes is that large, an \
                 index was lost, and each read of {} begins at its front",
                self.end,
                file_name(&path.with_extension("log"))
            );
            let code = FindingCode::IndexMismatch;
            let finding = Finding::new(code, Severity::Note, path, message);
            let bytes = Evidence::values("bytes of log without an entry", &self.end, &LONG);
            found(finding.resting_on(bytes));
        }
    }
}

/// The position of an entry that is in order, which is none below 0.
#[inline]
fn position_of(entry: &OffsetIndexEntry) -> u64 {
    u64::try_from(entry.position).unwrap_or(0)
}

fn out_of_order(
    entry: &OffsetIndexEntry,
    before: Option<OffsetIndexEntry>,
    base: Offset,
) -> String {
    let OffsetIndexEntry { offset, position } = entry;
    if *offset < base {
        return format!("expected an offset from the segment's base {base} on, found {offset}");
    }
    match before {
        Some(before) if offset <= &before.offset || position <= &before.position => format!(
            "expected an entry above offset {} and position {}, found offset {offset} and position \
             {position}",
            before.offset, before.position
        ),
        _ if *position < 0 => format!("expected a position of 0 or more, found {position}"),
        _ => format!(
            "expected an entry below the one that follows, found offset {offset} and position \
             {position}"
        ),
    }
}
