//! Segments that cannot be read, those who look on, and what checkers are told.

use super::{SEGMENT, batch, brief, of, records, terms};
use kfsck::analysis::check::checker::{CheckedBatch, Checker, Found};
use kfsck::analysis::check::code::FindingCode;
use kfsck::analysis::check::finding::Finding;
use kfsck::analysis::check::pass::check_partition;
use kfsck::analysis::check::terms::{Depth, Tally};
use kfsck::analysis::check::watch::Watch;
use kfsck::analysis::event_verdict::Severity;
use kfsck::format::number::{Offset, ProducerId, Timestamp};
use kfsck::state::read::SegmentFile;
use kfsck::state::replay::Replay;
use kfsck::storage::checkpoints::Checkpoints;
use kfsck::storage::directory::PartitionDirectory;
use kfsck::storage::source::ReadError;
use std::fs;
use std::path::Path;

#[derive(Default)]
struct Looks {
    bytes: u64,
    unread: Vec<String>,
    stops_at: Option<u64>,
}

impl Watch for Looks {
    fn advanced(&mut self, bytes: u64) {
        self.bytes += bytes;
    }

    fn unread(&mut self, error: ReadError) {
        self.unread.push(error.to_string());
    }

    fn is_cancelled(&self) -> bool {
        self.stops_at.is_some_and(|at| self.bytes >= at)
    }
}

fn check(
    directory: &PartitionDirectory,
    checkers: &mut [&mut dyn Checker],
    looks: &mut Looks,
) -> (Tally, Vec<Finding>) {
    let (terms, checkpoints) = (terms(Depth::Records), Checkpoints::default());
    let mut findings = Vec::new();
    let mut found = |finding| findings.push(finding);
    let tally = check_partition(directory, &checkpoints, &terms, checkers, looks, &mut found);
    (tally, findings)
}

fn name(base: i64) -> String {
    format!("{base:020}.log")
}

fn partition(root: &Path, segments: &[(i64, Vec<u8>)]) -> PartitionDirectory {
    let directory = root.join("t-0");
    fs::create_dir(&directory).unwrap();
    for (base, bytes) in segments {
        fs::write(directory.join(name(*base)), bytes).unwrap();
    }
    PartitionDirectory::list(&directory)
}

#[test]
fn a_segment_that_cannot_be_read_hides_no_other() {
    let root = tempfile::tempdir().unwrap();
    let mut wrong = batch(2, of(5, 0, 2));
    *wrong.last_mut().unwrap() ^= 1;
    let segments = [(0, batch(0, of(5, 0, 0))), (1, Vec::new()), (2, wrong)];
    let directory = partition(root.path(), &segments);
    let path = directory.path.join(name(1));
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    let mut looks = Looks::default();
    let (tally, findings) = check(&directory, &mut [], &mut looks);
    assert_eq!(brief(&findings), ["E crc-mismatch 2"]);
    let [unread] = &looks.unread[..] else {
        panic!("{:?}", looks.unread)
    };
    assert!(unread.contains(&name(1)), "{unread}");
    assert!(tally.bytes_skipped > 0 && tally.is_complete());
    assert_eq!((tally.segments, tally.batches), (3, 2));
    assert_eq!(looks.bytes, tally.bytes_present);
}

#[test]
fn a_check_that_is_stopped_counts_the_rest_as_skipped() {
    let root = tempfile::tempdir().unwrap();
    let first: Vec<u8> = (0..5000).flat_map(|at| batch(at, |_| ())).collect();
    let size = first.len() as u64;
    let directory = partition(root.path(), &[(0, first), (5000, batch(5000, |_| ()))]);
    let mut looks = Looks {
        stops_at: Some(1),
        ..Looks::default()
    };
    let (tally, findings) = check(&directory, &mut [], &mut looks);
    assert!(findings.is_empty());
    assert_eq!(tally.batches, 1024);
    assert!(tally.bytes_skipped > size / 2 && tally.is_complete());
    assert_eq!(looks.bytes, tally.bytes_present);
}

/// Writes down what it is told.
#[derive(Default)]
struct Scribe {
    told: Vec<String>,
    wanted: Vec<Offset>,
    passes_batches: bool,
}

impl Checker for Scribe {
    fn wants_batches(&self) -> bool {
        !self.passes_batches
    }

    fn begin_segment(&mut self, segment: &SegmentFile, _: Found<'_>) {
        self.told.push(format!("segment {}", segment.base_offset));
    }

    fn batch(&mut self, checked: &CheckedBatch<'_>, _: Found<'_>) {
        let time = checked.greatest_timestamp.map(|time| time.0 - super::T);
        let offset = checked.batch.base_offset;
        self.told
            .push(format!("batch {offset} {} {time:?}", checked.is_valid));
    }

    fn end_segment(&mut self, found: Found<'_>) {
        self.told.push("end of segment".to_owned());
        found(Finding::new(
            FindingCode::StrayFile,
            Severity::Note,
            SEGMENT,
            "seen",
        ));
    }

    fn wants_state_at(&self) -> Option<Offset> {
        self.wanted.first().copied()
    }

    fn state_at(&mut self, offset: Offset, state: &Replay<1>, _: Found<'_>) {
        let last = state.manager().producers().get(ProducerId(5));
        let last = last.and_then(|entry| entry.batches.last().map(|batch| batch.last_sequence.0));
        self.told.push(format!("state at {offset}: {last:?}"));
        self.wanted.remove(0);
    }

    fn end(&mut self, state: &Replay<1>, _: Found<'_>) {
        self.told.push(format!("end {}", state.next_offset()));
    }
}

#[test]
fn what_checkers_are_told() {
    let root = tempfile::tempdir().unwrap();
    let mut wrong = batch(4, of(5, 0, 4));
    *wrong.last_mut().unwrap() ^= 1;
    let first = [batch(0, of(5, 0, 0)), records(1, 3, of(5, 0, 1)), wrong].concat();
    let empty = records(5, 0, |draft| {
        draft.last_offset_delta = 0;
        draft.max_timestamp = Timestamp(super::T);
    });
    let directory = partition(root.path(), &[(0, first), (5, empty)]);
    let mut scribe = Scribe {
        wanted: vec![Offset(1), Offset(2), Offset(5)],
        ..Scribe::default()
    };
    let mut quiet = Scribe {
        passes_batches: true,
        ..Scribe::default()
    };
    let checkers: &mut [&mut dyn Checker] = &mut [&mut scribe, &mut quiet];
    let (_, findings) = check(&directory, checkers, &mut Looks::default());
    assert_eq!(
        scribe.told,
        [
            "segment 0",
            "batch 0 true Some(0)",
            "state at 1: Some(0)",
            "state at 2: Some(0)",
            "batch 1 true Some(2)",
            "batch 4 false None",
            "end of segment",
            "segment 5",
            "state at 5: Some(3)",
            "batch 5 true None",
            "end of segment",
            "end 6",
        ]
    );
    assert_eq!(
        quiet.told,
        [
            "segment 0",
            "end of segment",
            "segment 5",
            "end of segment",
            "end 6"
        ]
    );
    let seen = findings.iter().filter(|one| one.message == "seen");
    assert!(seen.clone().count() == 4);
    assert!(
        seen.clone()
            .all(|one| one.topic_partition.as_deref() == Some("t-0"))
    );
}

#[test]
fn many_findings_of_one_kind_are_counted() {
    let root = tempfile::tempdir().unwrap();
    let log: Vec<u8> = (0..1000).flat_map(|_| batch(7, |_| ())).collect();
    let directory = partition(root.path(), &[(7, log)]);
    let (tally, findings) = check(&directory, &mut [], &mut Looks::default());
    assert_eq!(tally.batches, 1000);
    assert_eq!(findings.len(), 101);
    let last = findings.last().unwrap();
    assert!(
        last.message.starts_with("899 more of 999, the first: "),
        "{}",
        last.message
    );
}
