//! Loads of worked directories. The rules were seen on a 4.4.0 broker; the words are Kafka's.

use super::log::{Log, START};
use crate::format::leader_epoch_checkpoint::{self, EpochEntry};
use crate::format::number::{LeaderEpoch, Offset, ProducerId, Timestamp};
use crate::format::producer_snapshot::{self, Version};
use crate::state::load::{Change, LoadOptions, Loaded, Outcome, load};
use crate::state::manager::Manager;
use crate::state::rules::{Barrier, Fork, RuleSet, Stock};
use crate::storage::directory::PartitionDirectory;
use std::fs;
use std::path::PathBuf;

/// A partition's directory.
pub(super) struct Partition {
    root: tempfile::TempDir,
}

impl Partition {
    /// Segments at the first offsets of these logs, each with an empty offset index.
    pub(super) fn of(logs: &[&Log]) -> Self {
        let partition = Self {
            root: tempfile::tempdir().unwrap(),
        };
        fs::create_dir(partition.root.path().join("t-0")).unwrap();
        for log in logs {
            let base = log.writes[0].offset;
            partition.write(&format!("{base:020}.log"), log.bytes());
            partition.write(&format!("{base:020}.index"), []);
        }
        partition
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join("t-0").join(name)
    }

    pub(super) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).unwrap();
    }

    /// The snapshot that a broker takes behind these batches.
    pub(super) fn snapshot(&self, log: &Log) {
        let mut manager = super::log::recovered(log);
        manager.set_map_end_offset(Offset(log.end()));
        self.snapshot_of(&manager);
    }

    pub(super) fn snapshot_of(&self, manager: &Manager<5>) {
        let entries: Vec<_> = manager.snapshot_entries().collect();
        let bytes = producer_snapshot::encode(Version::V1, &entries).unwrap();
        self.write(
            &format!("{:020}.snapshot", manager.map_end_offset().0),
            bytes,
        );
    }

    fn load(&self, options: &LoadOptions) -> Outcome<5> {
        let before = fs::read_dir(self.path("")).unwrap().count();
        let directory = PartitionDirectory::list(&self.path(""));
        let outcome = load(&directory, "t-0", options).unwrap();
        assert_eq!(fs::read_dir(self.path("")).unwrap().count(), before);
        outcome
    }

    pub(super) fn loaded(&self, options: &LoadOptions) -> Loaded<5> {
        *self.load(options).log.unwrap()
    }

    fn stopped(&self, options: &LoadOptions) -> String {
        self.load(options).log.unwrap_err().to_string()
    }
}

fn clean() -> LoadOptions {
    LoadOptions::new(&Stock)
}

fn unclean() -> LoadOptions {
    LoadOptions {
        clean_shutdown: false,
        ..clean()
    }
}

fn ids(loaded: &Loaded<5>) -> Vec<i64> {
    let mut ids: Vec<_> = loaded
        .manager
        .producers()
        .iter()
        .map(|entry| entry.producer_id.0)
        .collect();
    ids.sort_unstable();
    ids
}

fn offsets(loaded: &Loaded<5>) -> Vec<i64> {
    loaded.snapshots.iter().map(|offset| offset.0).collect()
}

/// Two segments: 0 to 3 and 4 to 7; the transaction of producer 6 is open at the end.
fn two_segments() -> (Log, Log) {
    let first = Log::new().data(5, 0, 0, 2).txn(6, 0, 0, 1).abort(6, 0, 0);
    let second = Log::from(4)
        .txn(6, 0, 1, 1)
        .data(5, 0, 2, 1)
        .data(7, 0, 0, 2);
    (first, second)
}

fn whole(first: &Log, second: &Log) -> Log {
    let mut log = first.clone();
    log.writes.extend(second.writes.clone());
    log
}

#[test]
fn without_any_snapshot_a_clean_start_reads_nothing_and_knows_nobody() {
    let (first, second) = two_segments();
    let loaded = Partition::of(&[&first, &second]).loaded(&clean());
    assert_eq!(ids(&loaded), [] as [i64; 0]);
    assert_eq!(
        (loaded.log_end_offset, loaded.last_stable_offset),
        (Offset(8), Offset(8))
    );
    // At the last two segments and at the end; one at 0 would say nothing.
    assert_eq!(offsets(&loaded), [4, 8]);
}

#[test]
fn a_snapshot_that_does_not_read_is_deleted_and_the_log_is_read() {
    let (first, second) = two_segments();
    let partition = Partition::of(&[&first, &second]);
    partition.write("00000000000000000008.snapshot", [0, 1, 0, 0]);
    let outcome = partition.load(&clean());
    let deleted = &outcome.actions[0];
    assert_eq!(deleted.name, "00000000000000000008.snapshot");
    assert!(matches!(deleted.change, Change::Deleted(_)));
    let loaded = outcome.log.unwrap();
    assert_eq!(ids(&loaded), [5, 6, 7]);
    assert_eq!(
        loaded.first_unstable_offset,
        Some(Offset(2)),
        "the high watermark is at 0"
    );
    assert_eq!(loaded.last_stable_offset, Offset(4));
    assert_eq!(offsets(&loaded), [4, 8]);
}

#[test]
fn a_start_goes_on_from_the_newest_snapshot() {
    let (first, second) = two_segments();
    let partition = Partition::of(&[&first, &second]);
    partition.snapshot(&first);
    let loaded = partition.loaded(&clean());
    let five = loaded.manager.producers().get(ProducerId(5)).unwrap();
    // Of the batches before the snapshot only the last is kept.
    let last: Vec<_> = five
        .batches
        .as_slice()
        .iter()
        .map(|kept| kept.last_offset.0)
        .collect();
    assert_eq!((ids(&loaded), last), (vec![5, 6, 7], vec![1, 5]));
    // The log says nothing about what a snapshot holds.
    partition.snapshot(
        &whole(&first, &second)
            .data(9, 0, 0, 1)
            .write(|batch| batch.offset = 7),
    );
    assert_eq!(ids(&partition.loaded(&clean())), [5, 6, 7, 9]);
}

#[test]
fn what_has_expired_is_not_taken_from_a_snapshot_but_is_from_the_log() {
    let (first, second) = two_segments();
    let partition = Partition::of(&[&first, &second]);
    partition.snapshot(&first);
    let day = 86_400_000;
    let late = |now| LoadOptions {
        now: Some(Timestamp(now)),
        ..clean()
    };
    let kept = |options: &LoadOptions| {
        let loaded = partition.loaded(options);
        loaded
            .manager
            .producers()
            .get(ProducerId(5))
            .unwrap()
            .batches
            .as_slice()
            .len()
    };
    assert_eq!(kept(&late(START + day - 1)), 2);
    assert_eq!(kept(&late(START + day)), 1);
}

#[test]
fn a_bad_checksum_cuts_an_unclean_log_there_and_deletes_later_segments() {
    let (first, second) = two_segments();
    let third = Log::from(8).data(8, 0, 0, 1);
    let partition = Partition::of(&[&first, &second, &third]);
    let mut bytes = second.bytes();
    let at = second.writes[0].bytes().len() + 30;
    bytes[at] ^= 1;
    partition.write("00000000000000000004.log", bytes);
    let outcome = partition.load(&unclean());
    let deleted: Vec<_> = outcome
        .actions
        .iter()
        .filter(|action| matches!(action.change, Change::Deleted(_)))
        .map(|action| action.name.as_str())
        .collect();
    assert_eq!(
        deleted,
        ["00000000000000000008.log", "00000000000000000008.index"]
    );
    let loaded = outcome.log.unwrap();
    assert_eq!(
        (loaded.log_end_offset, ids(&loaded)),
        (Offset(5), vec![5, 6])
    );
    assert_eq!(loaded.segments.len(), 2);
    assert_eq!(
        loaded.segments[1].size,
        second.writes[0].bytes().len() as u64
    );
    // The index was built anew from the markers.
    assert_eq!(loaded.segments[0].aborted[0].last_offset, Offset(3));
    // A clean start looks at no checksum.
    partition.snapshot(&first);
    assert_eq!(partition.loaded(&clean()).log_end_offset, Offset(9));
}

#[test]
fn a_recovery_begins_with_the_segment_of_the_recovery_point() {
    let (first, second) = two_segments();
    let partition = Partition::of(&[&first, &second]);
    let mut bytes = first.bytes();
    bytes[30] ^= 1;
    partition.write("00000000000000000000.log", bytes);
    let at = |point| LoadOptions {
        recovery_point: Offset(point),
        ..unclean()
    };
    assert_eq!(partition.loaded(&at(0)).log_end_offset, Offset(0));
    assert_eq!(partition.loaded(&at(3)).log_end_offset, Offset(0));
    let loaded = partition.loaded(&at(4));
    assert_eq!(
        (loaded.log_end_offset, loaded.recovery_point),
        (Offset(8), Offset(4))
    );
}

#[test]
fn what_ends_a_broker() {
    let plain = Log::new().txn(5, 0, 0, 1).data(5, 0, 1, 1);
    let null = Log::new().control(5, 0, 1, None);
    let seven = Log::new().control(5, 0, 7, Some(vec![0, 0, 0]));
    for (log, text) in [
        (
            &plain,
            "InvalidTxnStateException: Expected transactional write from producer 5 at offset \
             (offset=1, segment=[-1:-1]) in partition t-0",
        ),
        (
            &null,
            "NullPointerException: Cannot invoke \"java.nio.ByteBuffer.getShort()\" because \
             \"value\" is null",
        ),
        (
            &seven,
            "IllegalArgumentException: Invalid control record type for end transaction marker \
             UNKNOWN",
        ),
    ] {
        let partition = Partition::of(&[log]);
        assert_eq!(partition.stopped(&unclean()), text);
        partition.write("00000000000000000001.snapshot", []);
        assert_eq!(partition.stopped(&clean()), text);
    }
}

/// A recovery counts the marker's size before it understands it, cuts behind it, and the start
/// that follows reads it again.
#[test]
fn a_marker_of_a_version_below_0_is_cut_behind_and_ends_the_broker_all_the_same() {
    let text = "InvalidRecordException: Invalid version found for end transaction marker: -1. May \
                indicate data corruption";
    let marker = Log::new()
        .data(5, 0, 0, 1)
        .control(6, 0, 1, Some(vec![0xff, 0xff, 0, 0, 0, 0]));
    let partition = Partition::of(&[&marker.clone().data(7, 0, 0, 1)]);
    let outcome = partition.load(&unclean());
    let size = marker.bytes().len() as u64;
    let cut = outcome
        .actions
        .iter()
        .find(|action| action.change == Change::Truncated(size));
    assert!(cut.is_some(), "{:?}", outcome.actions);
    assert_eq!(outcome.log.unwrap_err().to_string(), text);
    partition.write("00000000000000000001.snapshot", []);
    assert_eq!(partition.stopped(&clean()), text);
}

/// The last stable offset is where a consumer goes on: at a batch.
#[test]
fn a_transaction_that_the_log_start_cuts_is_open_from_its_batch_on() {
    let partition = Partition::of(&[&Log::new().txn(5, 0, 0, 5).data(6, 0, 0, 1)]);
    partition.write("00000000000000000001.snapshot", []);
    let loaded = partition.loaded(&LoadOptions {
        log_start_offset: Offset(3),
        ..clean()
    });
    assert_eq!(loaded.log_start_offset, Offset(3));
    assert_eq!(loaded.last_stable_offset, Offset(0));
}

#[test]
fn a_log_that_ends_before_its_start_goes_whole() {
    let (first, second) = two_segments();
    let partition = Partition::of(&[&first, &second]);
    partition.snapshot(&first);
    let entry = EpochEntry {
        leader_epoch: LeaderEpoch(3),
        start_offset: Offset(0),
    };
    partition.write(
        "leader-epoch-checkpoint",
        leader_epoch_checkpoint::encode(&[entry]),
    );
    let loaded = partition.loaded(&LoadOptions {
        log_start_offset: Offset(9),
        ..clean()
    });
    assert_eq!(
        (loaded.log_start_offset, loaded.log_end_offset),
        (Offset(9), Offset(9))
    );
    assert_eq!((ids(&loaded), loaded.segments.len()), (vec![], 1));
    assert_eq!(loaded.leader_epochs, []);
    let loaded = partition.loaded(&LoadOptions {
        log_start_offset: Offset(5),
        ..clean()
    });
    assert_eq!(loaded.leader_epochs[0].to_string(), "3 5");
    assert_eq!(loaded.log_start_offset, Offset(5));
}

#[test]
fn snapshots_that_lie_at_no_segment_go_but_for_the_highest() {
    let (first, second) = two_segments();
    let partition = Partition::of(&[&first, &second]);
    for offset in [1, 2, 4, 6] {
        partition.write(&format!("{offset:020}.snapshot"), []);
    }
    let outcome = partition.load(&clean());
    let strays: Vec<_> = outcome
        .actions
        .iter()
        .take(2)
        .map(|action| action.name.clone())
        .collect();
    assert_eq!(
        strays,
        [
            "00000000000000000001.snapshot",
            "00000000000000000002.snapshot"
        ]
    );
    // Those that stay do not read either, so nothing is left but the log.
    assert_eq!(ids(&outcome.log.unwrap()), [5, 6, 7]);
}

#[test]
fn a_segment_without_its_index_is_recovered_and_one_without_its_txn_index_is_not() {
    let (first, second) = two_segments();
    let partition = Partition::of(&[&first, &second]);
    partition.snapshot(&first);
    assert_eq!(partition.loaded(&clean()).segments[0].aborted, []);
    fs::remove_file(partition.path("00000000000000000000.index")).unwrap();
    assert_eq!(partition.loaded(&clean()).segments[0].aborted.len(), 1);
}

#[test]
fn a_swap_file_takes_the_place_of_the_segments_that_it_was_made_from() {
    let (first, second) = two_segments();
    let partition = Partition::of(&[&first, &second]);
    let compacted = Log::new().data(5, 0, 0, 2).write(|batch| {
        (batch.offset, batch.pid, batch.epoch, batch.sequence) = (7, 7, 0, 1);
    });
    partition.write("00000000000000000000.log.swap", compacted.bytes());
    partition.write("00000000000000000000.index.swap", []);
    partition.write("00000000000000000000.log.deleted", []);
    let loaded = partition.loaded(&clean());
    assert_eq!(loaded.segments.len(), 1);
    assert_eq!(
        (loaded.segments[0].size, loaded.log_end_offset.0),
        (compacted.bytes().len() as u64, 8)
    );
    // A compaction that had not come to its end counts for nothing.
    partition.write("00000000000000000000.log.cleaned", []);
    assert_eq!(partition.loaded(&clean()).segments.len(), 2);
}

#[test]
fn a_name_without_a_number_ends_a_broker() {
    let partition = Partition::of(&[&two_segments().0]);
    partition.write("copy.log", []);
    assert_eq!(
        partition.stopped(&clean()),
        "NumberFormatException: For input string: \"copy\""
    );
}

#[test]
fn offsets_that_do_not_rise_empty_a_segment_in_a_recovery() {
    let log = (0..200).fold(Log::new(), |log, sequence| {
        log.write(|batch| {
            (batch.pid, batch.epoch, batch.sequence) = (5, 0, sequence);
            batch.offset = 1000 - i64::from(sequence);
        })
    });
    let mut log = log;
    log.writes[0].offset = 0;
    let partition = Partition::of(&[&log]);
    let loaded = partition.loaded(&unclean());
    assert_eq!(
        (loaded.segments[0].size, loaded.log_end_offset),
        (0, Offset(0))
    );
}

#[test]
fn a_tail_that_is_not_all_there_is_passed_over_when_clean_and_cut_when_not() {
    let log = Log::new().data(5, 0, 0, 1).data(5, 0, 1, 1);
    let partition = Partition::of(&[&log]);
    let bytes = log.bytes();
    partition.write("00000000000000000000.log", &bytes[..bytes.len() - 1]);
    partition.write("00000000000000000002.snapshot", []);
    for options in [clean(), unclean()] {
        let loaded = partition.loaded(&options);
        assert_eq!(loaded.log_end_offset, Offset(1));
    }
}

/// P2 of the prototype: a recovery writes the producers from before the barrier into a snapshot,
/// and the start goes on from there. P1: a clean start puts them back, a segment being one chunk.
#[test]
fn the_fork_loses_its_barrier_in_a_start() {
    let log = Log::new().data(5, 0, 0, 1).barrier().data(6, 0, 0, 1);
    let partition = Partition::of(&[&log]);
    let by = |rules: &'static dyn RuleSet, clean_shutdown| LoadOptions {
        clean_shutdown,
        ..LoadOptions::new(rules)
    };
    assert_eq!(ids(&partition.loaded(&by(&Barrier, false))), [6]);
    assert_eq!(ids(&partition.loaded(&by(&Fork, false))), [5, 6]);
    partition.write("00000000000000000003.snapshot", []);
    assert_eq!(ids(&partition.loaded(&by(&Barrier, true))), [6]);
    assert_eq!(ids(&partition.loaded(&by(&Fork, true))), [5, 6]);
}
