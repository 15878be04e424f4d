//! Those who read a worked log: a replay, a replica, a leader, a start.

use super::batch::Written;
use super::parse::{Line, Start, What, Who};
use crate::state::read_back;
use crate::state::words::{Asked, FIRST_TIME, index_entry, leader_epochs, producers};
use kfsck::format::number::{Offset, Timestamp};
use kfsck::format::producer_snapshot::{self, Version};
use kfsck::format::txn_index::AbortedTxn;
use kfsck::state::append::Append;
use kfsck::state::batch::{Batch, Control};
use kfsck::state::chunk::Chunk;
use kfsck::state::event::{Event, Kind, ignore};
use kfsck::state::load::{Action, Change, LoadOptions, load, truncate};
use kfsck::state::manager::{Applied, Manager};
use kfsck::state::replay::{Replay, Visitor};
use kfsck::state::rules::RuleSet;
use kfsck::storage::directory::PartitionDirectory;
use std::fs;

const PARTITION: &str = "t-0";

/// The lines up to and with one, under one rule set.
pub(super) struct Reading<'a> {
    pub(super) lines: &'a [Line],
    pub(super) rules: &'static dyn RuleSet,
    pub(super) asked: Asked<'a>,
}

#[derive(Default)]
struct Heard {
    aborted: Vec<AbortedTxn>,
    /// The batch's base offset and words.
    events: Vec<(Offset, String)>,
}

impl Visitor for Heard {
    fn event(&mut self, event: &Event<'_>) {
        let words = match &event.kind {
            Kind::WouldStop(error) => format!("ends a broker: {}", error.class()),
            kind => format!("event {}", kind.code()),
        };
        self.events.push((event.batch.base_offset, words));
    }

    fn aborted(&mut self, _: Offset, txn: &AbortedTxn) {
        self.aborted.push(*txn);
    }
}

impl Reading<'_> {
    /// What the last line makes of the state, in words.
    pub(super) fn words(&self) -> Vec<String> {
        match &self.lines.last().unwrap().what {
            What::Batch(written) => self.replayed(written),
            What::Fetches(fetches) => self.fetched(fetches),
            What::Comes(who, written) => self.comes(*who, written),
            What::Start(start) => self.started(*start),
            What::Truncated(end) => self.truncated(*end),
            What::Segment | What::Snapshot { .. } => Vec::new(),
        }
    }

    fn batches(&self) -> impl Iterator<Item = &Written> {
        self.lines.iter().filter_map(|line| match &line.what {
            What::Batch(written) => Some(written),
            _ => None,
        })
    }

    /// The offset behind the log.
    fn end(&self) -> i64 {
        self.batches().last().map_or(0, |written| written.last + 1)
    }

    /// The batches as they are read back.
    fn read(&self) -> Vec<(Batch, Option<Control>)> {
        let segments = self.segments().into_iter();
        segments
            .flat_map(|(base, bytes)| read_back::of_bytes(base, &bytes))
            .collect()
    }

    /// The segments, each with its base offset.
    fn segments(&self) -> Vec<(Offset, Vec<u8>)> {
        let mut segments: Vec<(Offset, Vec<u8>)> = Vec::new();
        let (mut number, mut rolls) = (0, true);
        for line in self.lines {
            match &line.what {
                What::Segment => rolls = true,
                What::Batch(written) => {
                    if std::mem::take(&mut rolls) {
                        segments.push((Offset(written.first), Vec::new()));
                    }
                    let (_, bytes) = segments.last_mut().unwrap();
                    bytes.extend(written.bytes(number));
                    number += 1;
                }
                _ => {}
            }
        }
        segments
    }

    /// The partition's directory, which goes with its guard.
    fn directory(&self) -> (tempfile::TempDir, PartitionDirectory) {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join(PARTITION);
        fs::create_dir(&folder).unwrap();
        for (base, bytes) in self.segments() {
            fs::write(folder.join(format!("{:020}.log", base.0)), bytes).unwrap();
            fs::write(folder.join(format!("{:020}.index", base.0)), []).unwrap();
        }
        for (place, line) in self.lines.iter().enumerate() {
            if let What::Snapshot { offset, is_torn } = line.what {
                let before = Reading {
                    lines: &self.lines[..place],
                    ..*self
                };
                let content = match is_torn {
                    true => vec![0, 1, 0, 0],
                    false => before.snapshot(offset),
                };
                fs::write(folder.join(format!("{offset:020}.snapshot")), content).unwrap();
            }
        }
        let directory = PartitionDirectory::list(&folder);
        (root, directory)
    }

    /// The snapshot that a replay of the lines takes at their end.
    fn snapshot(&self, offset: i64) -> Vec<u8> {
        let (state, _) = self.replay();
        assert_eq!(state.next_offset(), Offset(offset), "a snapshot elsewhere");
        let entries: Vec<_> = state.manager().snapshot_entries().collect();
        producer_snapshot::encode(Version::V1, &entries).unwrap()
    }

    fn replay(&self) -> (Replay<5>, Heard) {
        let segments = self.segments();
        let start = segments.first().map_or(Offset(0), |(base, _)| *base);
        let mut heard = Heard::default();
        let mut state = Replay::<5>::new(PARTITION, self.rules, start);
        for (base_offset, bytes) in &segments {
            state.begin_segment(*base_offset);
            for (batch, control) in read_back::of_bytes(*base_offset, bytes) {
                let flow = state.batch(&batch, control.as_ref(), &mut heard);
                assert!(flow.is_continue());
            }
            state.end_segment(&mut heard);
        }
        (state, heard)
    }

    /// A replay up to and with the last batch, and what it tells of that batch.
    fn replayed(&self, written: &Written) -> Vec<String> {
        let (state, heard) = self.replay();
        assert_eq!(state.next_offset().0, written.last + 1);
        let mut words = producers(state.manager(), self.asked);
        words.push(format!("LSO {}", state.last_stable_offset()));
        let here = |txn: &&AbortedTxn| txn.last_offset.0 == written.first;
        words.extend(heard.aborted.iter().filter(here).map(index_entry));
        let events = heard.events.into_iter();
        let here = events.filter(|(offset, _)| offset.0 == written.first);
        words.extend(here.map(|(_, event)| event));
        words.extend(leader_epochs(state.epochs().entries(), self.asked));
        words
    }

    /// A replica that got the log in these fetches.
    fn fetched(&self, fetches: &[Vec<i64>]) -> Vec<String> {
        let batches = self.read();
        let listed: Vec<_> = fetches.iter().flatten().copied().collect();
        let there: Vec<_> = batches
            .iter()
            .map(|(batch, _)| batch.base_offset.0)
            .collect();
        assert_eq!(listed, there, "the fetches are not the log");
        let mut manager = Manager::<5>::new(PARTITION, self.rules);
        let (mut rest, how) = (batches.iter(), Append::FOLLOWER);
        let mut entries = Vec::new();
        for fetch in fetches {
            let mut chunk = Chunk::new(how);
            for (batch, control) in rest.by_ref().take(fetch.len()) {
                let control = control.as_ref();
                chunk
                    .add(&mut manager, batch, control, &mut ignore)
                    .unwrap();
            }
            let finished = chunk.commit(&mut manager).unwrap();
            entries.extend(finished.iter().filter_map(|one| one.index_entry()));
        }
        let mut words = self.state(&mut manager, self.end());
        words.extend(entries.iter().map(index_entry));
        words
    }

    /// A replica that got the log batch by batch.
    fn replica(&self) -> Manager<5> {
        let mut manager = Manager::<5>::new(PARTITION, self.rules);
        for (batch, control) in self.read() {
            let how = Append::FOLLOWER;
            manager
                .apply(how, &batch, control.as_ref(), &mut ignore)
                .unwrap();
        }
        manager
    }

    /// Such a replica, the high watermark at `end`, after it has cut the log to end there.
    fn truncated(&self, end: i64) -> Vec<String> {
        let (_root, directory) = self.directory();
        let mut manager = self.replica();
        manager.set_map_end_offset(Offset(self.end()));
        manager.on_high_watermark_updated(Offset(end));
        let options = LoadOptions::new(self.rules);
        let manager = truncate(&directory, manager, Offset(end), &options);
        self.state(&mut manager.unwrap().unwrap(), end)
    }

    /// One more batch behind a log that came batch by batch.
    fn comes(&self, who: Who, written: &Written) -> Vec<String> {
        let mut manager = self.replica();
        let bytes = written.bytes(self.batches().count());
        let (batch, control) = read_back::of_bytes(Offset(written.first), &bytes).remove(0);
        let how = match who {
            Who::Client => Append::CLIENT,
            Who::UnverifiedClient => Append {
                is_verified: false,
                ..Append::CLIENT
            },
            Who::Coordinator(version) => Append::coordinator(version),
            Who::Follower => Append::FOLLOWER,
        };
        match manager.apply(how, &batch, control.as_ref(), &mut ignore) {
            Err(error) => vec![format!("refused: {}", error.class())],
            Ok(Applied::Duplicate(old)) => {
                let (first, last) = (old.first_offset(), old.last_offset);
                vec![format!("repeat of {first}..{last}")]
            }
            Ok(_) => self.state(&mut manager, written.last + 1),
        }
    }

    fn state(&self, manager: &mut Manager<5>, end: i64) -> Vec<String> {
        manager.on_high_watermark_updated(Offset(end));
        let mut words = producers(manager, self.asked);
        let stable = manager.last_stable_offset(Offset(0), Offset(end));
        words.push(format!("LSO {stable}"));
        words
    }

    /// A broker that starts on the directory.
    fn started(&self, start: Start) -> Vec<String> {
        let (_root, directory) = self.directory();
        let options = LoadOptions {
            clean_shutdown: start.is_clean,
            log_start_offset: Offset(start.log_start),
            recovery_point: Offset(start.recovery_point),
            now: start.now.map(|now| Timestamp(FIRST_TIME + now)),
            ..LoadOptions::new(self.rules)
        };
        let outcome = load::<5>(&directory, PARTITION, &options).unwrap();
        let mut words = Vec::new();
        match outcome.log {
            Err(stop) => words.push(format!("ends the broker: {}", stop.class)),
            Ok(log) => {
                words.extend(producers(&log.manager, self.asked));
                words.push(format!("LSO {}", log.last_stable_offset));
                if log.log_end_offset.0 != self.end() {
                    words.push(format!("log end {}", log.log_end_offset));
                }
                let aborted = log.segments.iter().flat_map(|segment| &segment.aborted);
                words.extend(aborted.map(index_entry));
                let epochs = log.leader_epochs.iter().copied();
                words.extend(leader_epochs(epochs, self.asked));
                if self.asked.is_told("first unstable")
                    && let Some(first) = log.first_unstable_offset
                {
                    words.push(format!("first unstable {first}"));
                }
            }
        }
        let actions = outcome.actions.iter();
        words.extend(actions.filter_map(|action| self.action(action)));
        words
    }

    /// What a start does to segments and snapshots that were there.
    fn action(&self, action: &Action) -> Option<String> {
        let (digits, kind) = action.name.split_once('.')?;
        let offset: i64 = digits.parse().ok()?;
        match (kind, &action.change) {
            ("log", Change::Deleted(_)) => Some(format!("segment {offset} deleted")),
            ("snapshot", Change::Deleted(_)) => Some(format!("snapshot {offset} deleted")),
            ("log", Change::Truncated(size)) => {
                let is_left = |batch: &Batch| {
                    let end = batch.place.position + u64::from(batch.place.size);
                    batch.place.segment.0 == offset && end <= *size
                };
                let batches = self.read();
                let last = batches.iter().rfind(|(batch, _)| is_left(batch));
                let last = last.map_or(offset - 1, |(batch, _)| batch.last_offset.0);
                Some(format!("cut behind {last}"))
            }
            _ => None,
        }
    }
}
