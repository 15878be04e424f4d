//! Each entry of a time index against the log: the greatest timestamp so far, and the batch that
//! brought it.
//!
//! An entry names the last offset of that batch; brokers before 4.0 may have named the record
//! itself. A batch's timestamp is that of its header: records that compaction took are in it no
//! more, and where none is left the header keeps what the index says.
//!
//! A closed segment's index ends with the greatest timestamp of the segment, by which retention
//! judges it (`LogSegment.largestTimestamp`).

use std::path::PathBuf;
use std::sync::Arc;

use super::cases::Cases;
use super::checker::{CheckedBatch, Checker, Found};
use super::code::FindingCode;
use super::entry_stream::{EntryStream, Numbered};
use super::finding::{Evidence, Finding};
use super::setting::Setting;
use crate::analysis::log_findings::Severity;
use crate::format::batch::MAGIC;
use crate::format::number::{Offset, Timestamp};
use crate::format::time_index::{ENTRY_SIZE, TimeIndexEntry};
use crate::state::read::SegmentFile;
use crate::storage::damage::Damage;
use crate::storage::file_name::FileKind;
use crate::storage::source::{ReadError, Source};

type Entries = EntryStream<TimeIndexEntry, ENTRY_SIZE>;

/// Holds the time index of each segment against the log.
#[derive(Debug)]
pub(super) struct TimeIndexCheck {
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
    /// A broker has closed the segment.
    is_closed: bool,
    /// The start takes the index as it is.
    is_taken_as_is: bool,
    /// The greatest timestamp so far and the last offset of its batch.
    greatest: (Timestamp, Offset),
    /// The timestamps of all batches so far are known.
    is_known: bool,
    /// The last batch of all ended here.
    last_offset: Option<Offset>,
    /// What lay behind it cannot be read.
    is_behind_damage: bool,
    corrupt: Cases,
    mismatch: Cases,
    overtaken: Cases,
}

impl TimeIndexCheck {
    pub(super) const fn new(setting: Arc<Setting>) -> Self {
        Self {
            setting,
            current: None,
            unread: Vec::new(),
        }
    }

    fn missing(&self, segment: &SegmentFile, path: PathBuf) -> Finding {
        let base_offset = segment.base_offset;
        let is_read_again = self.setting.is_recovered(base_offset)
            || self
                .setting
                .companion(segment, FileKind::OffsetIndex)
                .is_err();
        let message = match is_read_again {
            true => {
                "the segment has no time index; a broker that starts reads the whole segment again \
                 and makes one"
            }
            false => {
                "the segment has no time index; a broker that starts makes an empty one, by which \
                 it finds no timestamp in this segment, and retention goes by the time at which \
                 the file was last changed"
            }
        };
        let severity = self.setting.severity(base_offset).min(Severity::Warning);
        let finding = Finding::new(FindingCode::IndexMissing, severity, &path, message);
        finding.resting_on(Evidence::absent(path))
    }
}

impl Checker for TimeIndexCheck {
    fn begin_segment(&mut self, segment: &SegmentFile, found: Found<'_>) {
        self.current = None;
        let path = match self.setting.companion(segment, FileKind::TimeIndex) {
            Ok(path) => path,
            Err(_) if !segment.is_named() => return,
            Err(path) => {
                found(self.missing(segment, path));
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
        if let Some(current) = &mut self.current
            && let Err(error) = current.batch(checked)
        {
            self.unread.push(error);
            self.current = None;
        }
    }

    fn damage(&mut self, _: &Damage, _: Found<'_>) {
        if let Some(current) = &mut self.current {
            current.is_behind_damage = true;
            current.is_known = false;
        }
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
        let rises = |before: &TimeIndexEntry, entry: &TimeIndexEntry| {
            entry.timestamp > before.timestamp && entry.offset >= before.offset
        };
        let is_possible = |entry: &TimeIndexEntry, base: Offset| {
            entry.offset >= base && entry.timestamp >= Timestamp(0)
        };
        let is_recovered = setting.is_recovered(base_offset);
        Self {
            base_offset,
            entries: EntryStream::new(source, base_offset, log_size, rises, is_possible),
            severity: setting.severity(base_offset),
            outlook: setting.outlook(base_offset),
            is_closed: setting.is_closed(base_offset),
            is_taken_as_is: setting.is_clean && !is_recovered && setting.state.is_none(),
            greatest: (Timestamp::NONE, base_offset),
            is_known: true,
            last_offset: None,
            is_behind_damage: false,
            corrupt: Cases::default(),
            mismatch: Cases::default(),
            overtaken: Cases::default(),
        }
    }

    #[inline]
    fn peek(&mut self) -> Result<Option<Numbered<TimeIndexEntry>>, ReadError> {
        match self.entries.at_hand() {
            Some(one) => Ok(one),
            None => self.look_ahead(),
        }
    }

    fn look_ahead(&mut self) -> Result<Option<Numbered<TimeIndexEntry>>, ReadError> {
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
                        stored: Some(format!("timestamp {}", odd.entry.timestamp)),
                        ..Evidence::default()
                    })
                    .resting_on(Evidence {
                        what: "entry before",
                        offset: Some(before.map_or(base_offset, |one| one.offset)),
                        stored: before.map(|one| format!("timestamp {}", one.timestamp)),
                        ..Evidence::default()
                    })
            });
        })
    }

    #[inline]
    fn batch(&mut self, checked: &CheckedBatch<'_>) -> Result<(), ReadError> {
        let batch = checked.batch;
        let header = (batch.magic >= MAGIC && checked.is_valid).then_some(batch.max_timestamp);
        let timestamp = header.or(checked.greatest_timestamp);
        if let Some(one) = self.peek()?
            && one.entry.offset <= batch.last_offset
        {
            self.entries_up_to(checked, header)?;
        }
        match timestamp {
            Some(timestamp) if timestamp > self.greatest.0 => {
                self.greatest = (timestamp, batch.last_offset);
            }
            Some(_) => {}
            None => self.is_known = false,
        }
        self.last_offset = Some(batch.last_offset);
        self.is_behind_damage = false;
        Ok(())
    }

    /// The entries that name an offset of this batch, or one in front of it that no batch has.
    fn entries_up_to(
        &mut self,
        checked: &CheckedBatch<'_>,
        header: Option<Timestamp>,
    ) -> Result<(), ReadError> {
        let (batch, records) = (checked.batch, checked.greatest_timestamp);
        // Of a message of magic 0 or 1 that wraps others only the last offset is known.
        let first = match (batch.magic >= MAGIC, self.last_offset) {
            (true, _) => batch.base_offset,
            (false, Some(before)) => before.plus(1),
            (false, None) => self.base_offset,
        };
        while let Some(one) = self.peek()?
            && one.entry.offset <= batch.last_offset
        {
            self.entries.pass();
            let TimeIndexEntry { timestamp, offset } = one.entry;
            if offset < first {
                if !self.is_behind_damage {
                    self.not_found(one, Some(batch.last_offset));
                }
            } else if !checked.is_valid || (header.is_none() && records.is_none()) {
                // Nothing is known of its times.
            } else if header != Some(timestamp) && records != Some(timestamp) {
                self.other_time(one, header.or(records));
            } else if self.greatest.0 >= timestamp {
                self.overtaken(one);
            }
        }
        Ok(())
    }

    fn finding(&self, one: Numbered<TimeIndexEntry>, message: String) -> Finding {
        let path = self.entries.source().path();
        let message = message + self.outlook;
        Finding::new(FindingCode::TimeIndexMismatch, self.severity, path, message)
            .at(Entries::position(one.number))
            .spanning(ENTRY_SIZE as u64)
            .with_offset(one.entry.offset)
    }

    fn not_found(&mut self, one: Numbered<TimeIndexEntry>, found: Option<Offset>) {
        let found = found.map_or_else(
            || "the end of the segment".to_owned(),
            |last| format!("the next one ends with offset {last}"),
        );
        let message = format!(
            "expected a batch that holds offset {}, found none; {found}",
            one.entry.offset
        );
        let finding = self.finding(one, message).resting_on(Evidence {
            what: "entry",
            offset: Some(one.entry.offset),
            stored: Some(format!("timestamp {}", one.entry.timestamp)),
            ..Evidence::default()
        });
        self.mismatch.add(|| finding);
    }

    fn other_time(&mut self, one: Numbered<TimeIndexEntry>, found: Option<Timestamp>) {
        let TimeIndexEntry { timestamp, offset } = one.entry;
        let found = found.unwrap_or(Timestamp::NONE);
        let message = format!(
            "expected the batch that holds offset {offset} to have the greatest timestamp \
             {timestamp}, found {found}"
        );
        let finding = self.finding(one, message).resting_on(Evidence::values(
            "timestamp",
            &timestamp,
            &found,
        ));
        self.mismatch.add(|| finding);
    }

    /// A follower that cut its log goes on from the last entry, not from the greatest timestamp
    /// that is left: no damage, but a search by time passes over what came before.
    fn overtaken(&mut self, one: Numbered<TimeIndexEntry>) {
        let TimeIndexEntry { timestamp, offset } = one.entry;
        let (greatest, before) = self.greatest;
        let message = format!(
            "expected the greatest timestamp up to offset {offset}, found {timestamp}; the batch \
             that ends with offset {before} has {greatest}, and a search by time passes over it"
        );
        let mut finding = self.finding(one, message);
        finding.severity = finding.severity.min(Severity::Warning);
        let finding = finding.resting_on(Evidence::values("timestamp", &timestamp, &greatest));
        self.overtaken.add(|| finding);
    }

    fn finish(&mut self, found: Found<'_>) -> Result<(), ReadError> {
        while let Some(one) = self.peek()? {
            self.entries.pass();
            if !self.is_behind_damage {
                self.not_found(one, None);
            }
        }
        self.entries.source().check()?;
        self.corrupt.tell(found);
        self.mismatch.tell(found);
        self.overtaken.tell(found);
        self.cut(found);
        if !self.padded(found) {
            self.last(found);
        }
        Ok(())
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

    /// A clean stop cuts preallocated space off; a start that is told of one takes it for entries
    /// (`LogSegment.largestTimestamp` takes the last one, 0 too, before the time of the file). Says
    /// whether it is so: then what the entries in front say counts no more.
    fn padded(&self, found: Found<'_>) -> bool {
        let Some(number) = self.entries.padding().filter(|_| self.is_taken_as_is) else {
            return false;
        };
        let position = Entries::position(number);
        let path = self.entries.source().path();
        let message = "zeros at the end, which a clean stop cuts off: a broker that starts takes \
                       the last of them for the greatest timestamp, and retention takes the \
                       segment for one of 1970 and deletes it";
        let severity = self.severity;
        let finding = Finding::new(FindingCode::IndexCorrupt, severity, path, message);
        let finding = finding
            .at(position)
            .spanning(self.entries.source().len() - position);
        found(finding.resting_on(Evidence::values(
            "timestamp",
            &Timestamp(0),
            &self.greatest.0,
        )));
        true
    }

    /// Whether the last entry is that of the greatest timestamp, as a closed segment has it.
    fn last(&self, found: Found<'_>) {
        let (greatest, offset) = self.greatest;
        let (_, last) = self.entries.given();
        let indexed = last.map_or(Timestamp::NONE, |last| last.timestamp);
        if !self.is_closed || !self.is_known || indexed >= greatest {
            return;
        }
        let path = self.entries.source().path();
        let end = match last {
            Some(_) => {
                format!("the last entry has {indexed}; retention takes the segment for as old")
            }
            None => "there is no entry; retention goes by the time at which the file was last \
                     changed"
                .to_owned(),
        };
        let message = format!(
            "expected an entry of the greatest timestamp, {greatest} at offset {offset}, found \
             none: {end}{}",
            self.outlook
        );
        let severity = self.severity.min(Severity::Warning);
        let finding = Finding::new(FindingCode::TimeIndexMismatch, severity, path, message);
        found(finding.with_offset(offset).resting_on(Evidence::values(
            "timestamp",
            &indexed,
            &greatest,
        )));
    }
}

fn out_of_order(entry: &TimeIndexEntry, before: Option<TimeIndexEntry>, base: Offset) -> String {
    let TimeIndexEntry { timestamp, offset } = entry;
    if *offset < base {
        return format!("expected an offset from the segment's base {base} on, found {offset}");
    }
    match before {
        Some(before) if offset < &before.offset || timestamp <= &before.timestamp => format!(
            "expected an entry above timestamp {} and not below offset {}, found timestamp \
             {timestamp} and offset {offset}",
            before.timestamp, before.offset
        ),
        _ if *timestamp < Timestamp(0) => {
            format!("expected a timestamp of 0 or more, found {timestamp}")
        }
        _ => format!(
            "expected an entry below the one that follows, found timestamp {timestamp} and offset \
             {offset}"
        ),
    }
}
