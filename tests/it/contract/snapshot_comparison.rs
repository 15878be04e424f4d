//! `kfsck inspect-snapshot` against the log: equal, missing, extra and different producers, and
//! what explains them.

use std::fs;

use kfsck::format::number::{
    CoordinatorEpoch, Offset, ProducerEpoch, ProducerId, Sequence, Timestamp,
};
use kfsck::format::producer_snapshot::{self, ProducerEntry, Version};

use super::inputs::run;
use super::snapshots::{Field, INSPECT, SOUND, inspect, one, results};
use crate::batches::{self, Batch};
use crate::program::{Run, copies, testdata};

const T: i64 = 1_774_000_000_000;

pub(super) fn entry(producer_id: i64, last_sequence: i32, last_offset: i64) -> ProducerEntry {
    ProducerEntry {
        producer_id: ProducerId(producer_id),
        producer_epoch: ProducerEpoch(0),
        last_sequence: Sequence(last_sequence),
        last_offset: Offset(last_offset),
        offset_delta: 0,
        timestamp: Timestamp(T),
        coordinator_epoch: CoordinatorEpoch(-1),
        current_txn_first_offset: Offset(-1),
        source_cluster_id: None,
    }
}

/// One record of a producer.
pub(super) fn data(offset: i64, producer_id: i64, base_sequence: i32) -> Vec<u8> {
    let batch = Batch {
        producer_id,
        producer_epoch: 0,
        base_sequence,
        timestamp: T,
        ..Batch::new(offset)
    };
    batch.record(None, Some(b"v")).encode()
}

/// A partition whose one segment begins at `base` and whose snapshots hold these entries.
pub(super) fn partition(
    base: i64,
    log: &[u8],
    snapshots: &[(i64, &[ProducerEntry])],
) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let partition = directory.path().join("orders-0");
    fs::create_dir(&partition).unwrap();
    fs::write(partition.join(format!("{base:020}.log")), log).unwrap();
    for (offset, entries) in snapshots {
        let bytes = producer_snapshot::encode(Version::V1, entries).unwrap();
        fs::write(partition.join(format!("{offset:020}.snapshot")), bytes).unwrap();
    }
    directory
}

#[test]
fn each_result_of_a_comparison() {
    let log = [data(0, 1, 0), data(1, 2, 0), data(2, 3, 0), data(3, 2, 1)].concat();
    let held = [entry(1, 0, 0), entry(2, 0, 1), entry(9, 4, 2)];
    let directory = partition(0, &log, &[(4, &held)]);
    let (snapshot, outcome) = one(&[], directory.path());
    let stderr = outcome.ended_with(1).stderr;
    assert!(
        stderr.contains(
            "snapshot-mismatch: not what a replay of the log gives: 1 missing, 1 extra, 1 different"
        ),
        "{stderr}"
    );
    // Where the first of them lies.
    assert!(stderr.contains("position 56: "), "{stderr}");
    let mut told = results(&snapshot);
    told.sort_unstable();
    assert_eq!(
        told,
        [(1, "equal"), (2, "differs"), (3, "missing"), (9, "extra")]
    );
    let of = |id| {
        snapshot
            .comparison
            .iter()
            .find(|told| told.producer_id == id)
            .unwrap()
    };
    let field = |name: &str, snapshot, log| Field {
        name: name.to_owned(),
        snapshot,
        log,
    };
    assert_eq!(
        of(2).fields,
        [
            field("lastSequence", Some(0), Some(1)),
            field("lastOffset", Some(1), Some(3)),
        ]
    );
    assert!(of(3).fields.contains(&field("lastOffset", None, Some(2))));
    assert!(of(9).fields.contains(&field("lastOffset", Some(2), None)));
    assert!(of(2).cause.is_none() && !of(2).is_legal);
    assert_eq!((&of(2).producer_id_hex, of(1).is_legal), (&None, true));
    // A producer that expired need not be there.
    let expiry = ["--expire-after", "1", "--now", "1774000000001"];
    let (snapshot, outcome) = one(&expiry, directory.path());
    outcome.ended_with(1);
    let missing = snapshot
        .comparison
        .iter()
        .find(|told| told.result == "missing");
    assert_eq!(
        missing.unwrap().cause.as_deref(),
        Some("legal: it has expired")
    );
}

#[test]
fn a_producer_below_the_log_start_may_live_in_the_snapshot_alone() {
    let log = [data(100, 1, 7), data(101, 1, 8)].concat();
    let held = [entry(1, 8, 101), entry(2, 3, 50)];
    let directory = partition(100, &log, &[(102, &held)]);
    let (snapshot, outcome) = one(&[], directory.path());
    assert!(
        outcome
            .ended_with(0)
            .stderr
            .contains("note: legal differences")
    );
    let extra = &snapshot.comparison[0];
    assert_eq!((extra.producer_id, extra.result.as_str()), (2, "extra"));
    assert!(extra.is_legal);
    assert!(
        extra
            .cause
            .as_ref()
            .unwrap()
            .contains("below the log's start, 100")
    );
    // The same where the log begins with 0 is none.
    let log = [data(0, 1, 7), data(1, 1, 8)].concat();
    let held = [entry(1, 8, 1), entry(2, 3, 0)];
    let directory = partition(0, &log, &[(2, &held)]);
    let (snapshot, outcome) = one(&[], directory.path());
    outcome.ended_with(1);
    assert!(!snapshot.comparison[0].is_legal);
}

#[test]
fn a_snapshot_that_the_log_does_not_reach() {
    let log = [data(10, 1, 7), data(11, 1, 8)].concat();
    let held = [entry(1, 8, 11)];
    let directory = partition(10, &log, &[(5, &held), (12, &held), (40, &held)]);
    let (document, outcome) = inspect(&[], directory.path());
    let stderr = outcome.ended_with(1).stderr;
    assert!(
        stderr.contains("snapshot-stray: the log ends at 12"),
        "{stderr}"
    );
    assert!(
        stderr.contains("the log begins at 10, above its offset"),
        "{stderr}"
    );
    let snapshots = document.snapshots.iter();
    let compared: Vec<_> = snapshots.map(|one| one.compared_with.is_some()).collect();
    assert_eq!(compared, [false, true, false]);
}

/// Compaction may take what lies around a snapshot's offset, and a snapshot may lie inside a batch.
#[test]
fn a_snapshot_at_an_offset_that_no_batch_begins_with() {
    let log = [data(10, 1, 7), data(30, 1, 8)].concat();
    let held = [entry(1, 7, 10)];
    let directory = partition(10, &log, &[(20, &held)]);
    let (document, outcome) = inspect(&[], directory.path());
    outcome.ended_with(0);
    let [snapshot] = &document.snapshots[..] else {
        panic!("{document:?}")
    };
    assert_eq!(results(snapshot), [(1, "equal")]);
}

/// The cleaner keeps the last batch of a producer, without records, or with fewer and then with a
/// lower time.
#[test]
fn a_batch_that_lost_its_latest_record_to_compaction() {
    let mut batch = Batch {
        producer_id: 1,
        producer_epoch: 0,
        base_sequence: 0,
        timestamp: T - 500,
        ..Batch::new(0)
    };
    batch = batch.record(None, Some(b"v"));
    batch.last_offset_delta = 1;
    let mut held = entry(1, 1, 1);
    held.offset_delta = 1;
    let thinned = partition(0, &batch.encode(), &[(2, std::slice::from_ref(&held))]);
    let (snapshot, outcome) = one(&[], thinned.path());
    let stderr = outcome.ended_with(0).stderr;
    assert!(
        stderr.contains("note: legal differences from the log"),
        "{stderr}"
    );
    let told = &snapshot.comparison[0];
    assert_eq!(told.fields.len(), 1, "{told:?}");
    let cause = told.cause.as_deref().unwrap();
    assert!(
        cause.contains("took records of the batch at offset 0"),
        "{cause}"
    );
    // A whole batch has the time that it had.
    let whole = partition(0, &batch.record(None, None).encode(), &[(2, &[held])]);
    one(&[], whole.path()).1.ended_with(1);
}

#[test]
fn a_log_elsewhere_serves_a_snapshot_that_was_sent_alone() {
    let directory = copies(&[(SOUND, "00000000000000000047.snapshot")]);
    let alone = directory.path().join("00000000000000000047.snapshot");
    let log = testdata("main/txn-open-0");
    let (snapshot, outcome) = one(&["--log", log.to_str().unwrap()], &alone);
    outcome.ended_with(0);
    assert!(
        results(&snapshot)
            .iter()
            .all(|(_, result)| *result == "equal")
    );
    assert_eq!(snapshot.comparison.len(), 5);
    let own = Run::new(["inspect-snapshot", "--log"]).arg(&log).outcome();
    assert_eq!(own.ended_with(0).text(), run(INSPECT, &[&log]).text());
}

/// Layout B of the barrier, at any offset.
fn barrier(offset: i64) -> Vec<u8> {
    batches::control(offset, Some(&[0, 0, 0, 7]), Some(&[0, 0, 0]))
}

/// Layout A of the barrier.
fn sourced_barrier(offset: i64) -> Vec<u8> {
    let value = [&[0, 0, 23][..], b"ABEiM0RVZneImaq7zN3u_w", &[0]].concat();
    batches::control(offset, Some(&[0, 0, 0, 7]), Some(&value))
}

#[test]
fn producers_from_before_a_barrier_are_named() {
    for layout in [barrier, sourced_barrier] {
        let log = [data(0, 5, 0), data(1, 7, 0), layout(2), data(3, 8, 0)].concat();
        let held = [entry(5, 0, 0), entry(7, 0, 1), entry(8, 0, 3)];
        let directory = partition(0, &log, &[(4, &held)]);
        let (snapshot, outcome) = one(&[], directory.path());
        let stderr = outcome.ended_with(1).stderr;
        assert!(
            stderr.contains("note: mirror-pid-reset: offset 2 is a barrier"),
            "{stderr}"
        );
        assert!(
            stderr.contains(
                "position 10: snapshot-before-barrier: holds producers from before the barrier at \
                 offset 2"
            ) && stderr.contains(": 5, 7\n"),
            "{stderr}"
        );
        assert_eq!(
            results(&snapshot),
            [(5, "extra"), (7, "extra"), (8, "equal")]
        );
        // A stock broker wrote just that, and a snapshot that obeys the barrier is none of its.
        let (snapshot, outcome) = one(&["--rules", "stock"], directory.path());
        assert_eq!(outcome.ended_with(0).stderr, "");
        assert!(
            results(&snapshot)
                .iter()
                .all(|(_, result)| *result == "equal")
        );
        let directory = partition(0, &log, &[(4, &[entry(8, 0, 3)])]);
        one(&[], directory.path()).1.ended_with(0);
        one(&["--rules", "stock"], directory.path()).1.ended_with(1);
    }
}

#[test]
fn negative_ids_have_state_by_the_rules_that_map_them() {
    let log = [data(0, -7, 0), data(1, 5, 0)].concat();
    let held = [entry(5, 0, 1), entry(-7, 0, 0)];
    let directory = partition(0, &log, &[(2, &held)]);
    let (snapshot, outcome) = one(&[], directory.path());
    outcome.ended_with(1);
    assert_eq!(results(&snapshot), [(-7, "extra"), (5, "equal")]);
    let cause = snapshot.comparison[0].cause.as_ref().unwrap();
    assert!(cause.contains("--rules mapped"), "{cause}");
    let (snapshot, outcome) = one(
        &["--rules", "mapped", "--producer-id", "-7"],
        directory.path(),
    );
    outcome.ended_with(0);
    assert_eq!(results(&snapshot), [(-7, "equal")]);
    assert_eq!(snapshot.entries[0].origin, "negated");
}

#[test]
fn a_refused_snapshot_names_the_one_that_a_broker_takes_instead() {
    let log = [data(0, 1, 0), data(1, 1, 1)].concat();
    let directory = partition(0, &log, &[(1, &[entry(1, 0, 0)]), (2, &[entry(1, 1, 1)])]);
    let newest = directory
        .path()
        .join("orders-0/00000000000000000002.snapshot");
    let mut bytes = fs::read(&newest).unwrap();
    bytes[20] ^= 1;
    fs::write(&newest, &bytes).unwrap();
    let outcome = run(INSPECT, &[&newest]).ended_with(1);
    let text = outcome.text();
    assert!(
        text.contains("deletes it, takes 00000000000000000001.snapshot\n"),
        "{text}"
    );
    fs::remove_file(newest.with_file_name("00000000000000000001.snapshot")).unwrap();
    let outcome = run(INSPECT, &[&newest]).ended_with(1);
    assert!(
        outcome.text().contains("reads the log from its start"),
        "{}",
        outcome.text()
    );
}

/// Twenty legal differences do not hide the one that is none.
#[test]
fn what_nothing_explains_comes_first_in_text() {
    let log = data(100, 1, 0);
    let mut held: Vec<_> = (2..40).map(|id| entry(id, 0, 50)).collect();
    held.push(entry(40, 0, 100));
    let directory = partition(100, &log, &[(101, &held)]);
    let outcome = run(INSPECT, &[directory.path()]).ended_with(1);
    let text = outcome.text();
    let first = text
        .lines()
        .skip_while(|line| !line.contains(" extra, "))
        .nth(1);
    assert_eq!(
        first,
        Some("  producer 40 is in the snapshot alone"),
        "{text}"
    );
}

#[test]
fn a_table_of_many_producers_is_cut_and_json_is_not() {
    let held: Vec<_> = (0..100_000).map(|id| entry(id, 0, id)).collect();
    let bytes = producer_snapshot::encode(Version::V1, &held).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("00000000000000100000.snapshot");
    fs::write(&path, bytes).unwrap();
    let text = run(INSPECT, &[&path]).ended_with(0);
    assert!(text.text().ends_with("and 99980 more (--top 100000)\n"));
    assert!(
        text.text()
            .lines()
            .skip(1)
            .all(|line| line.chars().count() <= 80)
    );
    let (snapshot, _) = one(&[], &path);
    assert_eq!(snapshot.entries.len(), 100_000);
    let (snapshot, _) = one(&["--top", "3"], &path);
    assert_eq!(snapshot.entries.len(), 3);
    let all = run(&["inspect-snapshot", "--top", "all"], &[&path]).ended_with(0);
    assert!(all.text().lines().count() > 100_000);
}
