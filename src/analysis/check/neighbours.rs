//! What batches say of each other: no checksum covers base offset, length, leader epoch and magic
//! of a batch, so only the batches around it tell when one of them is wrong; behind the last one of
//! a log it is the names of files that tell.

use std::path::{Path, PathBuf};

use super::code::FindingCode;
use super::finding::{Evidence, Finding};
use super::ledger::Ledger;
use crate::analysis::event_verdict::Severity;
use crate::analysis::words::utc;
use crate::format::batch::MAGIC;
use crate::format::number::{LeaderEpoch, Offset, Timestamp};
use crate::state::batch::Batch;
use crate::state::log_end::right_base;
use crate::state::read::SegmentFile;

/// A clock may be so far ahead: brokers take it (`message.timestamp.after.max.ms`).
const LEEWAY_MS: i64 = 3_600_000;

/// What is remembered of a batch.
#[derive(Debug, Clone, Copy)]
struct Side {
    position: u64,
    size: u32,
    first: Offset,
    last: Offset,
    /// -1 for none, as before magic 2.
    epoch: LeaderEpoch,
}

impl Side {
    #[inline]
    fn of(batch: &Batch) -> Self {
        Self {
            position: batch.place.position,
            size: batch.place.size,
            first: batch.base_offset,
            last: batch.last_offset,
            epoch: match batch.magic < MAGIC {
                true => LeaderEpoch(-1),
                false => batch.partition_leader_epoch,
            },
        }
    }

    fn end(&self) -> u64 {
        self.position.saturating_add(self.size.into())
    }

    fn evidence(&self, what: &'static str) -> Evidence {
        Evidence::place(what, self.first, self.position)
    }
}

/// Two batches between which the leader epoch fell: the one behind them tells which is wrong.
#[derive(Debug)]
struct Fallen {
    in_front: Option<Side>,
    before: Side,
    /// The file of an earlier segment in which that one lies.
    path: Option<PathBuf>,
    last: Side,
}

/// Compares each batch with the ones in front of it.
#[derive(Debug)]
pub(super) struct Neighbours {
    path: PathBuf,
    base: Offset,
    /// Where the log ended once, by the names of files.
    named_end: Option<Offset>,
    /// The batch before in this segment.
    before: Option<Side>,
    /// The one before that.
    before_that: Option<Side>,
    /// The last batch of an earlier segment, and that segment.
    earlier: Option<(Side, PathBuf)>,
    /// The last batch has a lower leader epoch than the one before.
    fallen: Option<Fallen>,
    /// The greatest timestamp of the segment and the batch that has it.
    greatest: Option<(Timestamp, Side)>,
}

impl Neighbours {
    pub(super) fn new(named_end: Option<Offset>) -> Self {
        Self {
            path: PathBuf::new(),
            base: Offset(0),
            named_end,
            before: None,
            before_that: None,
            earlier: None,
            fallen: None,
            greatest: None,
        }
    }

    pub(super) fn begin_segment(&mut self, path: &Path, base: Offset) {
        if let Some(last) = self.before.take() {
            self.earlier = Some((last, std::mem::take(&mut self.path)));
        }
        self.before_that = None;
        self.fallen = None;
        self.greatest = None;
        self.path = path.to_owned();
        self.base = base;
    }

    /// Takes a batch in whose checksum holds or was not asked for.
    #[inline]
    pub(super) fn batch(&mut self, batch: &Batch, ledger: &mut Ledger<'_>) {
        let side = Side::of(batch);
        if !self.is_usual(&side) {
            self.judge(&side, ledger);
        }
        let is_later = |(greatest, _): &(Timestamp, Side)| batch.max_timestamp > *greatest;
        if batch.magic >= MAGIC && self.greatest.as_ref().is_none_or(is_later) {
            self.greatest = Some((batch.max_timestamp, side));
        }
        self.before_that = self.before.replace(side);
    }

    /// The last offset and the leader epoch of the batch before, in this segment.
    pub(super) fn last(&self) -> Option<(Offset, LeaderEpoch)> {
        self.before.as_ref().map(|side| (side.last, side.epoch))
    }

    /// The greatest timestamp of the segment so far.
    pub(super) fn greatest(&self) -> Option<Timestamp> {
        self.greatest.as_ref().map(|(greatest, _)| *greatest)
    }

    /// Takes in batches that are as usual, by the last two of them and the first that has a greater
    /// timestamp than all.
    pub(super) fn followed(&mut self, [before, last, latest]: [Option<&Batch>; 3]) {
        if let Some(latest) = latest {
            self.greatest = Some((latest.max_timestamp, Side::of(latest)));
        }
        for batch in [before, last].into_iter().flatten() {
            self.before_that = self.before.replace(Side::of(batch));
        }
    }

    /// The last batch of the segment so far.
    pub(super) fn before(&self) -> Option<Evidence> {
        let before = self.before.as_ref()?;
        Some(before.evidence("batch before"))
    }

    /// Whether a batch begins where the one before in this segment ends, or where the segment does.
    #[inline]
    pub(super) fn is_continued_by(&self, batch: &Batch) -> bool {
        let due = match &self.before {
            Some(before) => before.last.0.checked_add(1),
            None => Some(self.base.0),
        };
        due == Some(batch.base_offset.0)
    }

    /// The batch at the one offset that the batch before and the one behind leave to it, where it
    /// says another, and the finding that tells so. In front of a segment's first batch stands the
    /// name of the file.
    #[cold]
    pub(super) fn placed(&self, batch: &Batch, behind: &Batch) -> Option<(Batch, Finding)> {
        let before = self.before.as_ref();
        let should = match before {
            Some(before) => before.last.0.checked_add(1)?,
            None if batch.place.position == 0 => self.base.0,
            None => return None,
        };
        let length = batch.last_offset.0.checked_sub(batch.base_offset.0)?;
        let last = should.checked_add(length)?;
        let is_alone = length >= 0
            && batch.magic >= MAGIC
            && should != batch.base_offset.0
            && behind.last_offset >= behind.base_offset
            && last.checked_add(1) == Some(behind.base_offset.0);
        if !is_alone {
            return None;
        }
        let leave = match before {
            Some(_) => "both neighbours leave",
            None => "the file's name and the batch behind leave",
        };
        let (placed, mut finding) = self.moved(batch, Offset(should), leave);
        if let Some(before) = before {
            finding = finding.resting_on(before.evidence("batch before"));
        }
        let behind = Side::of(behind).evidence("batch behind");
        Some((placed, finding.resting_on(behind)))
    }

    /// The same of the last batch of a file: where the segment `next` begins, or behind the last
    /// one where the log ended by the names of files, stands for a batch behind.
    #[cold]
    pub(super) fn placed_last(
        &self,
        batch: &Batch,
        next: Option<&SegmentFile>,
    ) -> Option<(Batch, Finding)> {
        let end = next.map_or(self.named_end, |next| Some(next.base_offset));
        let due = match &self.before {
            Some(before) if before.end() == batch.place.position => before.last.plus(1),
            None if batch.place.position == 0 => self.base,
            _ => return None,
        };
        let offsets = (batch.base_offset, batch.last_offset);
        let should = right_base(end, due, offsets).filter(|_| batch.magic >= MAGIC)?;
        let why = match next {
            Some(_) => "what lies in front and the name of the next segment leave",
            None => {
                "what lies in front and the name of a producer snapshot or segment, by which the \
                 log ended once, leave"
            }
        };
        let (placed, finding) = self.moved(batch, should, why);
        let before = self.before.as_ref();
        Some(match before {
            Some(before) => (placed, finding.resting_on(before.evidence("batch before"))),
            None => (placed, finding),
        })
    }

    /// A batch at the one offset that something leaves to it, and what is said of that.
    fn moved(&self, batch: &Batch, should: Offset, leave: &str) -> (Batch, Finding) {
        let text = format!(
            "its base offset is {}, and {leave} room for {should} alone; no checksum covers this \
             field",
            batch.base_offset
        );
        let code = FindingCode::OffsetRegression;
        let finding = self
            .finding(code, Severity::Error, &Side::of(batch), text)
            .resting_on(Evidence::values("baseOffset", &batch.base_offset, &should));
        let length = batch.last_offset.0.saturating_sub(batch.base_offset.0);
        let placed = Batch {
            base_offset: should,
            last_offset: should.plus(length),
            ..*batch
        };
        (placed, finding)
    }

    #[inline]
    fn is_usual(&self, side: &Side) -> bool {
        let distance = side.last.0.wrapping_sub(self.base.0);
        let follows = match &self.before {
            Some(before) => side.first > before.last && side.epoch >= before.epoch,
            None => false,
        };
        let fits = distance <= i64::from(i32::MAX);
        let rises = follows && side.first.0 >= 0 && side.last >= side.first;
        rises && fits && self.fallen.is_none()
    }

    #[cold]
    fn judge(&mut self, side: &Side, ledger: &mut Ledger<'_>) {
        self.judge_fallen(Some(side), ledger);
        if side.first.0 < 0 {
            let text = format!("expected a base offset of 0 or more, found {}", side.first);
            let code = FindingCode::BadBatchHeader;
            ledger.add(self.finding(code, Severity::Error, side, text));
        }
        if side.epoch < LeaderEpoch(-1) {
            let text = format!(
                "expected a leader epoch of -1 or more, found {}",
                side.epoch
            );
            let code = FindingCode::BadBatchHeader;
            ledger.add(self.finding(code, Severity::Error, side, text));
        }
        if side.last < side.first {
            ledger.add(self.backward(side));
        } else if side.last.0.saturating_sub(self.base.0) > i64::from(i32::MAX) {
            ledger.add(self.beyond_index(side));
        }
        if let Some(before) = &self.before
            && side.first.0 >= 0
            && side.first <= before.last
            && before.first <= before.last
        {
            ledger.add(self.offset_regression(before, side));
        }
        let before = match (&self.before, &self.earlier) {
            (Some(before), _) => Some((before, None)),
            (None, Some((last, path))) => Some((last, Some(path))),
            (None, None) => None,
        };
        if let Some((before, path)) = before
            && side.epoch < before.epoch
            && side.epoch > LeaderEpoch(-1)
        {
            let earlier = self.earlier.as_ref().map(|(last, _)| *last);
            self.fallen = Some(Fallen {
                in_front: match path {
                    Some(_) => None,
                    None => self.before_that.or(earlier),
                },
                before: *before,
                path: path.cloned(),
                last: *side,
            });
        }
    }

    /// The epoch fell with the last batch: whether that one is wrong or the one before, the next
    /// one tells, if there is one.
    fn judge_fallen(&mut self, next: Option<&Side>, ledger: &mut Ledger<'_>) {
        let Some(Fallen {
            in_front,
            before,
            path,
            last,
        }) = self.fallen.take()
        else {
            return;
        };
        let finding = match (in_front, next) {
            (Some(in_front), _) if in_front.epoch <= last.epoch => {
                self.wrong_epoch(&before, [&in_front, &last])
            }
            (_, Some(next)) if next.epoch >= before.epoch => {
                self.wrong_epoch(&last, [&before, next])
            }
            _ => self.epoch_regression(&before, path.as_ref(), &last),
        };
        ledger.add(finding);
    }

    fn wrong_epoch(&self, wrong: &Side, [before, behind]: [&Side; 2]) -> Finding {
        let code = FindingCode::LeaderEpochRegression;
        let (low, high) = (before.epoch, behind.epoch);
        let expected = match low == high {
            true => low.to_string(),
            false => format!("{low} to {high}"),
        };
        let text = format!(
            "its leader epoch is {}, and both neighbours leave {expected} alone; no checksum \
             covers this field",
            wrong.epoch
        );
        self.finding(code, Severity::Error, wrong, text)
            .resting_on(Evidence::values(
                "partitionLeaderEpoch",
                &wrong.epoch,
                &expected,
            ))
            .resting_on(before.evidence("batch before"))
            .resting_on(behind.evidence("batch behind"))
    }

    fn finding(&self, code: FindingCode, severity: Severity, of: &Side, text: String) -> Finding {
        Finding::new(code, severity, &self.path, text)
            .at(of.position)
            .spanning(of.size.into())
            .with_offset(of.first)
    }

    /// The last offset lies below the first, or where 64 bits end.
    fn backward(&self, side: &Side) -> Finding {
        let delta = side.last.0.wrapping_sub(side.first.0);
        let (code, text) = match side.first.0.checked_add(delta) {
            Some(_) => (
                FindingCode::OffsetRegression,
                format!("expected a lastOffsetDelta of 0 or more, found {delta}"),
            ),
            None => (
                FindingCode::OffsetOverflow,
                format!(
                    "the last offset, {} + {delta}, is more than 64 bits hold",
                    side.first
                ),
            ),
        };
        let finding = self.finding(code, Severity::Error, side, text);
        finding.resting_on(side.evidence("batch"))
    }

    fn beyond_index(&self, side: &Side) -> Finding {
        let text = format!(
            "offset {} lies {} behind the segment's base {}, and an index holds distances up to \
             2147483647: a broker that recovers the segment must split it",
            side.last,
            side.last.0.saturating_sub(self.base.0),
            self.base
        );
        let finding = self.finding(FindingCode::OffsetOverflow, Severity::Error, side, text);
        finding.resting_on(side.evidence("batch"))
    }

    fn offset_regression(&self, before: &Side, side: &Side) -> Finding {
        let code = FindingCode::OffsetRegression;
        let text = format!(
            "expected an offset above {}, the last of the batch at position {}, found {}; a broker \
             that recovers the segment empties it or loses what follows",
            before.last, before.position, side.first
        );
        self.finding(code, Severity::Error, side, text)
            .resting_on(before.evidence("batch before"))
            .resting_on(side.evidence("batch"))
    }

    fn epoch_regression(&self, before: &Side, path: Option<&PathBuf>, side: &Side) -> Finding {
        let code = FindingCode::LeaderEpochRegression;
        let text = format!(
            "expected a leader epoch of {} or more, as the batch before has, found {}: batches of \
             two logs, or a damaged field, which no checksum covers",
            before.epoch, side.epoch
        );
        let mut evidence = before.evidence("batch before");
        evidence.path = path.cloned();
        self.finding(code, Severity::Warning, side, text)
            .resting_on(evidence)
            .resting_on(side.evidence("batch"))
    }

    /// The segment has ended: whether its age counts from a time that has not come.
    pub(super) fn end_segment(&mut self, now: Timestamp, ledger: &mut Ledger<'_>) {
        self.judge_fallen(None, ledger);
        if let Some((time, side)) = self.greatest.take()
            && time.0 > now.0.saturating_add(LEEWAY_MS)
        {
            // A time that no calendar holds is a number there too.
            let (number, date) = (time.to_string(), utc::text(time));
            let shown = match number == date {
                true => number,
                false => format!("{number} ({date})"),
            };
            let text = format!(
                "timestamp {shown} lies in the future: while retention goes by time, this segment \
                 and all behind it are kept until then"
            );
            let finding =
                self.finding(FindingCode::FutureTimestamp, Severity::Warning, &side, text);
            ledger.add(finding.resting_on(Evidence::values("maxTimestamp", &time, &now)));
        }
    }
}
