//! Producer snapshots beside their log.

use super::{SEGMENT, T, batch, brief, check, of, terms};
use kfsck::analysis::check::finding::Finding;
use kfsck::analysis::check::terms::Depth;
use kfsck::format::control_batch::{Place, put_mirror_pid_reset};
use kfsck::format::mirror_reset::MirrorPidReset;
use kfsck::format::number::{
    CoordinatorEpoch, LeaderEpoch, Offset, ProducerEpoch, ProducerId, Sequence, Timestamp,
};
use kfsck::format::producer_snapshot::{ProducerEntry, Version, encode};
use std::fs;

fn entry(producer: i64, last_sequence: i32, last_offset: i64) -> ProducerEntry {
    ProducerEntry {
        producer_id: ProducerId(producer),
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

fn snapshot(entries: &[ProducerEntry]) -> Vec<u8> {
    encode(Version::V1, entries).unwrap()
}

/// Checks a log with these snapshots beside it, after a clean stop or none.
fn found(log: &[u8], snapshots: &[(i64, Vec<u8>)], is_clean: bool) -> Vec<Finding> {
    let root = tempfile::tempdir().unwrap();
    let directory = root.path().join("t-0");
    fs::create_dir(&directory).unwrap();
    fs::write(directory.join(SEGMENT), log).unwrap();
    if is_clean {
        fs::write(root.path().join(".kafka_cleanshutdown"), "").unwrap();
    }
    for (offset, bytes) in snapshots {
        fs::write(directory.join(format!("{offset:020}.snapshot")), bytes).unwrap();
    }
    check(&directory, &terms(Depth::Crc)).1
}

fn told(log: &[u8], snapshots: &[(i64, Vec<u8>)], is_clean: bool) -> Vec<String> {
    brief(&found(log, snapshots, is_clean))
}

fn none() -> [String; 0] {
    []
}

/// Producer 5, sequences 0 to 2 at offsets 0 to 2.
fn log() -> Vec<u8> {
    (0..3)
        .flat_map(|at| batch(i64::from(at), of(5, 0, at)))
        .collect()
}

#[test]
fn a_snapshot_at_the_end_that_agrees() {
    assert_eq!(
        told(&log(), &[(3, snapshot(&[entry(5, 2, 2)]))], true),
        none()
    );
    let inside = [
        (1, snapshot(&[entry(5, 0, 0)])),
        (3, snapshot(&[entry(5, 2, 2)])),
    ];
    assert_eq!(told(&log(), &inside, true), none());
}

#[test]
fn no_snapshot_is_left_at_the_end() {
    // What a start forgets then is told with the start.
    assert_eq!(told(&log(), &[], true), none());
    assert_eq!(told(&log(), &[], false), none(), "the log is read then");
    let older = [(1, snapshot(&[entry(5, 0, 0)]))];
    assert_eq!(told(&log(), &older, true), ["N snapshot-missing 3"]);
}

#[test]
fn snapshots_that_a_broker_refuses() {
    let mut bytes = snapshot(&[entry(5, 2, 2)]);
    *bytes.last_mut().unwrap() ^= 1;
    let told_of = told(&log(), &[(3, bytes)], true);
    assert!(
        told_of.contains(&"E snapshot-corrupt 3".to_owned()),
        "{told_of:?}"
    );
    let short = snapshot(&[entry(5, 2, 2)])[..20].to_vec();
    let told_of = told(&log(), &[(3, short)], true);
    assert!(
        told_of.contains(&"E snapshot-corrupt 3".to_owned()),
        "{told_of:?}"
    );
    let second = encode(Version::V2, &[entry(5, 2, 2)]).unwrap();
    assert_eq!(told(&log(), &[(3, second)], true), ["E snapshot-corrupt 3"]);
}

#[test]
fn snapshots_that_the_log_does_not_bear_out() {
    let findings = found(&log(), &[(3, snapshot(&[entry(5, 9, 2)]))], true);
    assert_eq!(brief(&findings), ["E snapshot-mismatch 3"]);
    let field = &findings[0].evidence[0];
    assert_eq!(field.what, "lastSequence");
    assert_eq!(
        (field.stored.as_deref(), field.computed.as_deref()),
        (Some("9"), Some("2"))
    );
    let both = [
        (1, snapshot(&[entry(5, 9, 0)])),
        (3, snapshot(&[entry(5, 2, 2)])),
    ];
    assert_eq!(told(&log(), &both, true), ["W snapshot-mismatch 1"]);
    let extra = [(3, snapshot(&[entry(5, 2, 2), entry(6, 0, 1)]))];
    assert_eq!(told(&log(), &extra, true), ["E snapshot-mismatch 3"]);
    assert_eq!(
        told(&log(), &[(3, snapshot(&[]))], true),
        ["E snapshot-mismatch 3"]
    );
}

#[test]
fn snapshots_at_places_where_none_belongs() {
    let above = [
        (3, snapshot(&[entry(5, 2, 2)])),
        (9, snapshot(&[entry(5, 8, 8)])),
    ];
    assert_eq!(told(&log(), &above, true), ["W snapshot-stray 9"]);
    let root = tempfile::tempdir().unwrap();
    let directory = root.path().join("t-0");
    fs::create_dir(&directory).unwrap();
    fs::write(directory.join(SEGMENT), log()).unwrap();
    fs::write(
        directory.join(format!("{:020}.log", 3)),
        batch(3, of(5, 0, 3)),
    )
    .unwrap();
    for (offset, sequence) in [(2, 1), (3, 2)] {
        let bytes = snapshot(&[entry(5, sequence, i64::from(sequence))]);
        fs::write(directory.join(format!("{offset:020}.snapshot")), bytes).unwrap();
    }
    let (_, findings) = check(&directory, &terms(Depth::Crc));
    assert_eq!(brief(&findings), ["N snapshot-stray 2"]);
}

#[test]
fn a_snapshot_behind_a_barrier_knows_nobody_from_before() {
    let mut log = log();
    let place = Place {
        offset: Offset(3),
        partition_leader_epoch: LeaderEpoch(4),
        timestamp: Timestamp(T),
    };
    put_mirror_pid_reset(place, &MirrorPidReset::Bare { version: 0 }, &mut log).unwrap();
    let stale = [(4, snapshot(&[entry(5, 2, 2)]))];
    assert_eq!(told(&log, &stale, true), ["W snapshot-before-barrier 4"]);
    assert_eq!(told(&log, &[(4, snapshot(&[]))], true), none());
}
