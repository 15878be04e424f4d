//! Loads a partition as a broker would and says what comes of it.

use std::collections::BTreeSet;
use std::io::ErrorKind;

use super::readable::{Readable, is_damaged, offset_at};
use super::verdict::{Verdict, counted};
use super::{Action, Forgotten, StartOptions};
use crate::analysis::producer_order::is_expired;
use crate::format::number::Offset;
use crate::state::entry::Entry;
use crate::state::load::{
    Action as FileAction, BEHIND_A_CUT, BETWEEN_SWAPS, Change, LoadOptions, Loaded, Origin,
    Outcome, Stop, load,
};
use crate::state::read::{ReadOptions, SegmentFile, segments};
use crate::state::replay::{Replay, replay};
use crate::state::rules::Stock;
use crate::storage::checkpoints::Checkpoints;
use crate::storage::directory::PartitionDirectory;
use crate::storage::file_name::{FileKind, FileName};
use crate::storage::partition_name::{CLUSTER_METADATA, DirectoryState};
use crate::storage::source::ReadError;

/// What happens in a start that loads the directory with these options.
pub(super) fn judge(
    directory: &PartitionDirectory,
    topic_partition: &str,
    load_with: &LoadOptions,
    checkpoints: &Checkpoints,
    options: &StartOptions<'_>,
) -> Result<Verdict, ReadError> {
    let mut verdict = Verdict::default();
    let outcome: Outcome<1> = match load(directory, topic_partition, load_with) {
        Ok(outcome) => outcome,
        Err(ReadError::Open { path, reason }) if reason.kind() == ErrorKind::PermissionDenied => {
            let path = path.display();
            let sentence =
                format!("{path} may not be read; if the broker may not read it either, {DISK}");
            verdict.add_offline(None, sentence);
            return Ok(verdict);
        }
        Err(error) => return Err(error),
    };
    let judge = Judge {
        directory,
        topic_partition,
        load_with,
        options,
        swapped: swapped(directory, &outcome.actions),
        segments: segments(directory),
    };
    judge.say_swaps(&mut verdict);
    match &outcome.log {
        Err(stop) => judge.say_stop(stop, &mut verdict)?,
        Ok(loaded) => {
            judge.say_losses(&outcome, loaded, &mut verdict)?;
            judge.say_misnamed(&mut verdict)?;
            judge.say_unseen(loaded, &mut verdict)?;
            judge.say_producers(&outcome, loaded, &mut verdict)?;
            judge.say_aborts(loaded, &mut verdict);
            judge.say_read_again(&outcome, loaded, &mut verdict);
            judge.say_committed(checkpoints, loaded, &mut verdict);
        }
    }
    Ok(verdict)
}

/// How a start ends that meets an `IOException`.
pub(super) const DISK: &str =
    "the log directory goes offline, and the broker ends if it has no other one";

/// The logs that get their names from swap files.
fn swapped(directory: &PartitionDirectory, actions: &[FileAction]) -> Vec<SegmentFile> {
    let renamed = actions
        .iter()
        .filter(|action| matches!(action.change, Change::Renamed(_)))
        .filter(|action| action.name.ends_with(".log.swap"));
    let found = renamed.filter_map(|action| {
        Some(SegmentFile {
            base_offset: FileName::parse(action.name.as_ref()).base_offset?,
            path: directory.path.join(&action.name),
        })
    });
    found.collect()
}

struct Judge<'a> {
    directory: &'a PartitionDirectory,
    topic_partition: &'a str,
    load_with: &'a LoadOptions,
    options: &'a StartOptions<'a>,
    /// Segments that come from swap files.
    swapped: Vec<SegmentFile>,
    /// The files that are called segments.
    segments: Vec<SegmentFile>,
}

impl Judge<'_> {
    fn segment(&self, base: Offset) -> Option<&SegmentFile> {
        let named = self.segments.iter().filter(|segment| segment.is_named());
        let mut all = self.swapped.iter().chain(named);
        all.find(|segment| segment.base_offset == base)
    }

    fn is_on_its_way_out(&self) -> bool {
        let name = self.directory.name.as_ref();
        name.and_then(|name| name.state) == Some(DirectoryState::Deleted)
    }

    fn say_swaps(&self, verdict: &mut Verdict) {
        let swapped = self.swapped.iter();
        let bases = swapped.map(|segment| segment.base_offset.to_string());
        let names: Vec<_> = bases.collect();
        if !names.is_empty() {
            let sentence = format!(
                "a compaction or a split was broken off: what it made takes the place of the \
                 segments that it was made from, at {}",
                names.join(", ")
            );
            verdict.add(Action::CleanLoad, None, 0, sentence);
        }
        if self.is_on_its_way_out() {
            let sentence = "the partition is on its way out and is deleted after the start";
            verdict.add(Action::CleanLoad, None, 0, sentence);
        }
    }

    fn say_stop(&self, stop: &Stop, verdict: &mut Verdict) -> Result<(), ReadError> {
        let offset = match (stop.segment, stop.position) {
            (Some(segment), Some(position)) => self.offset_at(segment, position)?,
            (segment, _) => segment,
        };
        let place = match (stop.segment, stop.position) {
            (Some(segment), Some(position)) => {
                format!(" at byte {position} of segment {segment}")
            }
            (Some(segment), None) => format!(" in segment {segment}"),
            (None, _) => String::new(),
        };
        let sentence = |end| format!("loading the partition ends{place} with {stop}: {end}");
        match stop.is_of_the_disk() {
            true => verdict.add_offline(offset, sentence(DISK)),
            false => {
                let end = "nothing catches that, and the broker ends whatever else it holds";
                verdict.add(Action::BrokerFails, offset, 0, sentence(end));
            }
        }
        Ok(())
    }

    /// The offset of what lies at a byte of a segment; `None` where that is inside a batch.
    fn offset_at(&self, base: Offset, position: u64) -> Result<Option<Offset>, ReadError> {
        match self.segment(base) {
            Some(segment) => offset_at(segment, position, self.options.access),
            None => Ok(None),
        }
    }

    /// A broker looks for a segment under one name alone, and begins an empty one where it finds
    /// none (`LogFileUtils.logFile`).
    fn say_misnamed(&self, verdict: &mut Verdict) -> Result<(), ReadError> {
        let all = self.segments.iter();
        for segment in all.filter(|segment| !segment.is_named()) {
            let readable = Readable::in_file(segment, self.options.access)?;
            let name = segment.path.file_name().unwrap_or_default();
            let sentence = format!(
                "{} is not read, as its name is not that of a segment at {}: {} that can be read \
                 are not in the log",
                name.to_string_lossy(),
                segment.base_offset,
                counted(readable.records, "record")
            );
            // It may be a copy, so nothing of it counts as lost.
            verdict.add(Action::CleanLoad, None, 0, sentence);
        }
        Ok(())
    }

    /// A log that is shorter than what was committed loads all the same.
    fn say_committed(&self, checkpoints: &Checkpoints, loaded: &Loaded<1>, verdict: &mut Verdict) {
        let name = self.directory.name.as_ref();
        let mark = name.and_then(|name| checkpoints.high_watermark(name));
        let end = loaded.log_end_offset;
        if let Some(mark) = mark.filter(|mark| *mark > end) {
            let sentence = format!(
                "the log ends at offset {end}, and offsets up to {} were committed: as leader it \
                 makes its followers cut theirs off too",
                mark.plus(-1)
            );
            verdict.add(Action::CleanLoad, None, 0, sentence);
        }
    }

    fn say_losses(
        &self,
        outcome: &Outcome<1>,
        loaded: &Loaded<1>,
        verdict: &mut Verdict,
    ) -> Result<(), ReadError> {
        let mut deleted = (Vec::new(), Readable::default(), "");
        for stretch in &outcome.lost {
            let readable = Readable::of(stretch, self.options.access)?;
            if let Some(why) = stretch.deleted {
                deleted.0.push(stretch.segment);
                deleted.1.records += readable.records;
                deleted.1.first = deleted.1.first.or(readable.first);
                deleted.2 = why;
                continue;
            }
            let last = loaded.segments.last();
            let offset = match last.is_some_and(|last| last.base_offset == stretch.segment) {
                true => loaded.log_end_offset,
                false => readable.first.unwrap_or(stretch.segment),
            };
            let sentence = format!(
                "segment {} is cut at byte {} of {}: {}",
                stretch.segment,
                stretch.start,
                stretch.end,
                match readable.records {
                    0 => "no record that can be read lies behind it".to_owned(),
                    1 => "1 record that can be read is lost".to_owned(),
                    lost => format!("{lost} records that can be read are lost"),
                }
            );
            verdict.add(Action::Truncates, Some(offset), readable.records, sentence);
        }
        let (bases, readable, why) = deleted;
        if let (Some(first), Some(last)) = (bases.first(), bases.last()) {
            let which = match first == last {
                true => format!("segment {first} is deleted"),
                false => format!(
                    "the {} segments from {first} to {last} are deleted",
                    bases.len()
                ),
            };
            let because = match why {
                BEHIND_A_CUT => "a segment in front was cut".to_owned(),
                BETWEEN_SWAPS => "all between two swap files counts as replaced".to_owned(),
                _ => format!(
                    "the log ends below its start, which is {} by log-start-offset-checkpoint, and \
                     begins there anew",
                    self.load_with.log_start_offset
                ),
            };
            let records = counted(readable.records, "record");
            let sentence = format!("{which} with {records} that can be read, as {because}");
            let offset = readable.first.unwrap_or(*first);
            verdict.add(
                Action::DeletesSegments,
                Some(offset),
                readable.records,
                sentence,
            );
        }
        Ok(())
    }

    /// What lies behind the log's end as the broker sees it.
    fn say_unseen(&self, loaded: &Loaded<1>, verdict: &mut Verdict) -> Result<(), ReadError> {
        let Some(last) = loaded.segments.last() else {
            return Ok(());
        };
        let Some(segment) = self.segment(last.base_offset) else {
            return Ok(());
        };
        if self.is_on_its_way_out() || last.size == 0 {
            return Ok(());
        }
        let (access, end) = (self.options.access, loaded.log_end_offset);
        let position = loaded.last_batch.map_or(0, |batch| batch.end());
        let goes_back = loaded.greatest_offset >= end || end <= last.base_offset;
        let is_suspect = match loaded.last_batch {
            Some(batch) => goes_back || position < last.size || is_damaged(segment, batch, access)?,
            None => true,
        };
        if !is_suspect {
            return Ok(());
        }
        let mut readable = Readable::behind(segment, last.size, end, access)?;
        let earlier = loaded.segments.iter();
        for earlier in earlier.filter(|segment| segment.base_offset < last.base_offset) {
            if end < last.base_offset
                && let Some(segment) = self.segment(earlier.base_offset)
            {
                let above = Readable::above(segment, earlier.size, end, access)?;
                readable = readable.and(above);
            }
        }
        let records = counted(readable.records, "record");
        match readable.first {
            Some(first) => {
                let sentence = format!(
                    "the log ends at offset {end} for the broker, by what it finds in segment {}: \
                     {records} that can be read lie above, and their offsets are given out again",
                    last.base_offset
                );
                verdict.add(Action::Truncates, Some(first), readable.records, sentence);
            }
            None if position >= last.size => {}
            None => {
                let sentence = format!(
                    "{} behind the log's end at byte {position} of segment {} stay, and what is \
                     written next lies behind them, where no reader comes",
                    counted(last.size - position, "byte"),
                    last.base_offset
                );
                verdict.add(Action::CleanLoad, Some(end), 0, sentence);
            }
        }
        Ok(())
    }

    /// After a clean stop without a snapshot a broker does not read the log for its producers. To
    /// read a segment again deletes the snapshots behind it, and may leave none. And where the log
    /// is read, damage may hide batches.
    fn say_producers(
        &self,
        outcome: &Outcome<1>,
        loaded: &Loaded<1>,
        verdict: &mut Verdict,
    ) -> Result<(), ReadError> {
        let is_suspect = loaded.origin != Origin::Snapshot || !outcome.recovered.is_empty();
        if !self.load_with.clean_shutdown || !is_suspect || self.is_on_its_way_out() {
            return Ok(());
        }
        let (start, end) = (loaded.log_start_offset, loaded.log_end_offset);
        let state = Replay::<1>::new(self.topic_partition, &Stock, start).upto(end);
        let read = ReadOptions {
            access: self.options.access,
            check_crc: true,
        };
        let state = replay(state, &segments(self.directory), read, &mut ())?;
        let now = self.options.now;
        let expiry = now.map(|now| (now, self.options.expiration_ms));
        let is_lost = |entry: &Entry<1>| {
            let is_known = loaded.manager.producers().find(entry.producer_id).is_some();
            !is_known && !is_expired(entry, expiry)
        };
        let (mut lost, mut open) = (0, 0);
        for entry in state.manager().producers().iter().filter(is_lost) {
            lost += 1;
            open += u64::from(entry.current_txn_first_offset.is_some());
        }
        if lost == 0 {
            return Ok(());
        }
        let stable = state.last_stable_offset();
        let transactions = match open {
            0 => String::new(),
            _ => format!(
                ", {} among them: the last stable offset goes from {stable} to {}, and consumers \
                 get to see what was never committed",
                counted(open, "open transaction"),
                loaded.last_stable_offset
            ),
        };
        let why = match (loaded.origin, outcome.recovered.is_empty()) {
            (Origin::Nothing, true) => {
                "no producer snapshot is there after a clean stop, and the log is not read for \
                 producers"
            }
            (Origin::Log(_), true) => {
                "no usable producer snapshot lies at the log's end, and damage hides batches from \
                 the broker when it reads the log for producers"
            }
            _ => "reading a segment again deletes the producer snapshots behind it",
        };
        let sentence = format!(
            "{why}: {} and with them their sequences are forgotten{transactions}",
            counted(lost, "producer")
        );
        verdict.forgotten = Some(Forgotten {
            producers: lost,
            open_transactions: open,
            log_end_offset: end,
        });
        let offset = (open > 0).then_some(stable);
        verdict.add(Action::LosesProducerState, offset, 0, sentence);
        Ok(())
    }

    fn say_aborts(&self, loaded: &Loaded<1>, verdict: &mut Verdict) {
        let Some(aborts) = self.options.aborts else {
            return;
        };
        let (mut transactions, mut records, mut first) = (0, 0_u64, None::<Offset>);
        let mut bases = BTreeSet::new();
        // A reader asks the indexes of several segments. Where damage has changed the offset of a
        // marker, an entry is known by where its transaction began.
        let told: BTreeSet<_> = loaded
            .segments
            .iter()
            .flat_map(|segment| &segment.aborted)
            .flat_map(|txn| [txn.first_offset, txn.last_offset].map(|at| (txn.producer_id, at)))
            .collect();
        for segment in &loaded.segments {
            for abort in aborts.in_segment(segment.base_offset) {
                let is_there =
                    (loaded.log_start_offset..loaded.log_end_offset).contains(&abort.last_offset);
                let ends = [abort.first_offset, abort.last_offset];
                let is_told = ends
                    .iter()
                    .any(|at| told.contains(&(abort.producer_id, *at)));
                if is_there && !is_told && abort.records > 0 {
                    transactions += 1;
                    records += abort.records;
                    first = Some(first.map_or(abort.first_offset, |f| f.min(abort.first_offset)));
                    bases.insert(segment.base_offset);
                }
            }
        }
        if let Some(base) = bases.first() {
            let which = match bases.len() {
                1 => format!("segment {base}"),
                many => format!("{many} segments from {base} on"),
            };
            let sentence = format!(
                "the transaction index of {which} does not tell of {}, and the broker does not \
                 notice: {} that were aborted become visible to consumers that read committed data",
                counted(transactions, "aborted transaction"),
                counted(records, "record")
            );
            verdict.add(Action::HidesAborts, first, 0, sentence);
        }
    }

    fn why_read_again(&self, recovered: &BTreeSet<Offset>) -> String {
        if !self.load_with.clean_shutdown {
            let name = self.directory.name.as_ref();
            return match name.is_some_and(|name| name.topic == CLUSTER_METADATA) {
                true => "a broker reads this log from its beginning at each start".to_owned(),
                false => "the last stop was not clean".to_owned(),
            };
        }
        // A file that a broker does not look for is none.
        let has_index = |base: &Offset| {
            let name = FileKind::OffsetIndex.name_at(*base);
            let mut files = self.directory.files_of(FileKind::OffsetIndex);
            files.any(|file| file.path.file_name().is_some_and(|own| *own == *name))
        };
        let (with, without): (Vec<_>, Vec<_>) = recovered.iter().partition(|base| has_index(base));
        let named = |bases: &[&Offset], what: &str| match bases {
            [] => None,
            [one] => Some(format!("{what} of segment {one}")),
            [first, ..] => Some(format!(
                "{what} of {} segments from {first} on",
                bases.len()
            )),
        };
        let reasons = [
            named(&without, "there is no offset index"),
            named(&with, "a broker refuses the transaction index"),
        ];
        reasons
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" and ")
    }

    fn say_read_again(&self, outcome: &Outcome<1>, loaded: &Loaded<1>, verdict: &mut Verdict) {
        if let (Some(first), Some(last)) = (outcome.recovered.first(), outcome.recovered.last()) {
            let which = match first == last {
                true => format!("segment {first} is read again and its indexes"),
                false => format!(
                    "{} segments from {first} to {last} are read again and their indexes",
                    outcome.recovered.len()
                ),
            };
            let why = self.why_read_again(&outcome.recovered);
            let sentence = format!("{which} are made anew, as {why}");
            verdict.add(Action::Recovers, Some(*first), 0, sentence);
        } else if let Origin::Log(from) = loaded.origin {
            let sentence = format!(
                "no usable producer snapshot lies at the log's end, so the log is read from offset \
                 {from} on for its producers"
            );
            verdict.add(Action::Recovers, Some(from), 0, sentence);
        }
        if let Some(base) = outcome.split.first() {
            let sentence =
                format!("segment {base} is split, as its offsets span more than 2147483647");
            verdict.add(Action::Recovers, Some(*base), 0, sentence);
        }
    }
}
