//! The second step of a load (`LogLoader.recoverLog`): what may not be on disk is read again, and a
//! log that ends below its start is emptied.

use super::files::{Change, name_of};
use super::segment::{Recovered, Segment};
use super::stop::Halt;
use super::{BEHIND_A_CUT, END_BELOW_START, Loader};
use crate::format::number::Offset;

impl<const N: usize> Loader<'_, N> {
    /// `recoverLog`: gives the recovery point and the log's end; nothing where a segment was split.
    pub(super) fn recover_log(&mut self) -> Result<Option<(Offset, Offset)>, Halt> {
        if !self.options.clean_shutdown && self.recover_unflushed()?.is_none() {
            return Ok(None);
        }
        let end = self.delete_all_below_start()?;
        self.at_least_one_segment(self.options.log_start_offset);
        match end {
            Some(end) if self.options.clean_shutdown => Ok(Some((end, end))),
            _ => {
                let last = self.segments.last_key_value();
                let end = match (end, last) {
                    (Some(end), _) => end,
                    (None, Some((_, last))) => last.next_offset(self.options)?,
                    (None, None) => self.options.log_start_offset,
                };
                Ok(Some((self.options.recovery_point.min(end), end)))
            }
        }
    }

    /// Recovers from the segment of the recovery point on; what follows the first that is cut is
    /// deleted. Nothing where one was split.
    fn recover_unflushed(&mut self) -> Result<Option<()>, Halt> {
        let point = self.options.recovery_point;
        let floor = self.segments.range(..=point).next_back();
        let first = floor.map_or(Offset(i64::MIN), |(base, _)| *base);
        let bases: Vec<Offset> = self
            .segments
            .range(first..)
            .map(|(base, _)| *base)
            .collect();
        let mut waiting = bases.into_iter();
        while let Some(base) = waiting.next() {
            let Some(mut segment) = self.segments.remove(&base) else {
                continue;
            };
            // The segment stays in the log while it is recovered: its base counts as one of the
            // last two, and nothing of it is read before its own offset.
            let placeholder = Segment::empty(base);
            self.segments.insert(base, placeholder);
            let recovered = self.recover_segment(&mut segment);
            let cut = match recovered {
                Ok(Recovered::Cut(cut)) => Ok(cut),
                Ok(Recovered::InvalidOffset) => {
                    let cut = segment.empty_out(self.options)?;
                    let log = name_of(base, ".log");
                    self.files.note(&log, Change::Truncated(segment.size));
                    let stretch = (segment.size, segment.size.saturating_add(cut));
                    self.files.lose(base, segment.log.as_ref(), stretch, None);
                    Ok(cut)
                }
                Err(Halt::Overflow) => {
                    self.split(&segment)?;
                    return Ok(None);
                }
                Err(halt) => Err(halt),
            }?;
            self.segments.insert(base, segment);
            if cut > 0 {
                self.delete_segments(&waiting.collect::<Vec<_>>(), BEHIND_A_CUT);
                break;
            }
        }
        Ok(Some(()))
    }

    /// `deleteSegmentsIfLogStartGreaterThanLogEnd`: gives the log's end where it has one.
    fn delete_all_below_start(&mut self) -> Result<Option<Offset>, Halt> {
        let Some((_, last)) = self.segments.last_key_value() else {
            return Ok(None);
        };
        let end = last.next_offset(self.options)?;
        let start = self.options.log_start_offset;
        if end >= start {
            return Ok(Some(end));
        }
        let bases: Vec<Offset> = self.segments.keys().copied().collect();
        self.delete_segments(&bases, END_BELOW_START);
        self.epochs.clear();
        self.keeper
            .truncate_fully(start, &mut self.disk, self.files);
        Ok(None)
    }

    fn delete_segments(&mut self, bases: &[Offset], why: &'static str) {
        for base in bases {
            if let Some(segment) = self.segments.remove(base) {
                let all = (0, segment.size);
                self.files.lose(*base, segment.log.as_ref(), all, Some(why));
            }
            for kind in [".log", ".index", ".timeindex", ".txnindex"] {
                self.files.delete(&name_of(*base, kind), why);
            }
            // A snapshot that only a recovery has written is not known and stays for now.
            self.keeper.forget(*base, &mut self.disk, self.files, why);
        }
    }

    pub(super) fn at_least_one_segment(&mut self, base: Offset) {
        if self.segments.is_empty() {
            self.segments.insert(base, Segment::empty(base));
        }
    }
}
