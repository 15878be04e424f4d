//! What the log shows of producers, transactions and barriers.

use super::{SEGMENT, T, batch, brief, check_files, check_log, of, patched, terms};
use kfsck::analysis::check::code::FindingCode;
use kfsck::analysis::check::terms::Depth;
use kfsck::format::batch_draft::BatchDraft;
use kfsck::format::control::{ControlType, EndTxnMarker};
use kfsck::format::control_batch::{Place, put_end_txn_marker, put_mirror_pid_reset};
use kfsck::format::mirror_reset::MirrorPidReset;
use kfsck::format::number::{
    CoordinatorEpoch, LeaderEpoch, Offset, ProducerEpoch, ProducerId, Timestamp,
};
use kfsck::state::rules::{Mapped, Stock};

fn told(batches: &[Vec<u8>]) -> Vec<String> {
    brief(&check_log(&batches.concat()))
}

fn none() -> [String; 0] {
    []
}

fn plain(offset: i64, producer: i64, epoch: i16, sequence: i32) -> Vec<u8> {
    batch(offset, of(producer, epoch, sequence))
}

/// The same some time later.
fn later(offset: i64, ms: i64, sequence: i32) -> Vec<u8> {
    batch(offset, |draft: &mut BatchDraft| {
        of(5, 0, sequence)(draft);
        draft.base_timestamp = Timestamp(T + ms);
        draft.max_timestamp = Timestamp(T + ms);
    })
}

fn transactional(offset: i64, producer: i64, epoch: i16, sequence: i32) -> Vec<u8> {
    batch(offset, |draft: &mut BatchDraft| {
        of(producer, epoch, sequence)(draft);
        draft.attributes = draft.attributes.with_transactional();
    })
}

fn place(offset: i64) -> Place {
    Place {
        offset: Offset(offset),
        partition_leader_epoch: LeaderEpoch(4),
        timestamp: Timestamp(T),
    }
}

pub(super) fn marker(offset: i64, producer: i64, epoch: i16, coordinator: i32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let who = (ProducerId(producer), ProducerEpoch(epoch));
    let what = EndTxnMarker::new(CoordinatorEpoch(coordinator));
    put_end_txn_marker(place(offset), who, ControlType::Commit, what, &mut bytes).unwrap();
    bytes
}

pub(super) fn barrier(offset: i64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let value = MirrorPidReset::Bare { version: 0 };
    put_mirror_pid_reset(place(offset), &value, &mut bytes).unwrap();
    bytes
}

#[test]
fn sequences_that_do_not_follow() {
    let first = plain(0, 5, 0, 0);
    assert_eq!(told(&[first.clone(), plain(1, 5, 0, 1)]), none());
    let gap = [first.clone(), plain(1, 5, 0, 3)].concat();
    let findings = check_log(&gap);
    assert_eq!(brief(&findings)[0], "W sequence-gap 1");
    let finding = &findings[0];
    assert_eq!(finding.producer_id, Some(ProducerId(5)));
    let values = finding.evidence.last().unwrap();
    assert_eq!(values.stored.as_deref(), Some("3"));
    assert_eq!(values.computed.as_deref(), Some("1"));
    let before = &finding.evidence[1];
    assert_eq!((before.offset, before.position), (Some(Offset(0)), Some(0)));
    let repeat = told(&[first.clone(), plain(1, 5, 0, 1), plain(2, 5, 0, 1)]);
    assert!(
        repeat.contains(&"W sequence-repeat 2".to_owned()),
        "{repeat:?}"
    );
    let overlap = super::records(1, 3, of(5, 0, 0));
    let overlap = told(&[first.clone(), overlap]);
    assert!(
        overlap.contains(&"W sequence-overlap 1".to_owned()),
        "{overlap:?}"
    );
    // As many offsets are missing: compaction took them.
    assert_eq!(told(&[first.clone(), plain(3, 5, 0, 3)]), none());
    // After a day of silence a producer is forgotten.
    let silent = told(&[first, later(1, 86_400_000, 3)]);
    assert!(
        silent.contains(&"N sequence-gap 1".to_owned()),
        "{silent:?}"
    );
    assert!(!silent.iter().any(|one| one.starts_with('W')), "{silent:?}");
}

#[test]
fn a_group_coordinator_numbers_nothing() {
    let root = tempfile::tempdir().unwrap();
    let log = [plain(0, 5, 0, 0), plain(1, 5, 0, 0), plain(2, 5, 0, 0)].concat();
    for (topic, is_odd) in [
        ("__consumer_offsets-0", false),
        ("consumer_offsets-0", true),
    ] {
        let directory = root.path().join(topic);
        std::fs::create_dir(&directory).unwrap();
        std::fs::write(directory.join(SEGMENT), &log).unwrap();
        let (_, mut findings) = super::check(&directory, &terms(Depth::Records));
        // These records are no coordinator's.
        findings.retain(|one| one.code != FindingCode::InternalRecordUndecodable);
        assert_eq!(!findings.is_empty(), is_odd, "{:?}", brief(&findings));
    }
}

#[test]
fn epochs_that_go_back() {
    let back = told(&[plain(0, 5, 2, 0), plain(1, 5, 1, 0)]);
    assert!(
        back.contains(&"W epoch-regression 1".to_owned()),
        "{back:?}"
    );
    assert_eq!(told(&[plain(0, 5, 1, 0), plain(1, 5, 2, 0)]), none());
    let old = told(&[transactional(0, 5, 1, 0), marker(1, 5, 0, 3)]);
    assert!(old.contains(&"W marker-old-epoch 1".to_owned()), "{old:?}");
    let coordinators = [
        transactional(0, 5, 0, 0),
        marker(1, 5, 0, 7),
        transactional(2, 5, 0, 1),
        marker(3, 5, 0, 6),
    ];
    let findings = check_log(&coordinators.concat());
    assert_eq!(brief(&findings)[0], "W coordinator-epoch-regression 3");
    let values = findings[0].evidence.last().unwrap();
    assert_eq!(values.stored.as_deref(), Some("6"));
    assert_eq!(values.computed.as_deref(), Some("7"));
    let same = [
        transactional(0, 5, 1, 0),
        marker(1, 5, 1, 3),
        transactional(2, 5, 1, 1),
        marker(3, 5, 2, 3),
    ];
    assert_eq!(told(&same), none());
}

#[test]
fn what_ends_a_broker() {
    let mixed = told(&[transactional(0, 5, 0, 0), plain(1, 5, 0, 1)]);
    assert!(
        mixed.contains(&"E non-transactional-in-transaction 1".to_owned()),
        "{mixed:?}"
    );
    let ended = [
        transactional(0, 5, 0, 0),
        marker(1, 5, 0, 3),
        transactional(2, 5, 0, 1),
        marker(3, 5, 0, 3),
    ];
    assert_eq!(told(&ended), none());
    // The value's version, 13 bytes into the record: below 0.
    let version = patched(marker(1, 5, 0, 3), 61 + 10, &[0x80]);
    let broken = told(&[transactional(0, 5, 0, 0), version]);
    assert!(
        broken.contains(&"E marker-malformed 1".to_owned()),
        "{broken:?}"
    );
    // Of nobody it ends no transaction, and nobody reads it but a dump.
    let nobody = patched(marker(0, 5, 0, 3), 43, &[0xff; 8]);
    let cut = patched(nobody.clone(), 61 + 10, &[0x80]);
    assert_eq!(told(&[nobody]), none());
    assert_eq!(told(&[cut]), ["E marker-malformed 0"]);
}

#[test]
fn transactions_that_stay_open() {
    let log = transactional(0, 5, 0, 0);
    let findings = check_log(&log);
    assert_eq!(brief(&findings), ["W hanging-transaction 0"]);
    assert!(findings[0].message.contains("__transaction_state"));
    assert_eq!(findings[0].position, Some(0));
    let mut soon = terms(Depth::Records);
    soon.now = Timestamp(T + 900_000);
    let findings = check_files(&[(SEGMENT, &log)], &soon);
    assert_eq!(brief(&findings), none());
    assert_eq!(told(&[log, marker(1, 5, 0, 0)]), none());
}

#[test]
fn ids_below_none_are_told_once_each() {
    let log = [
        plain(0, -7, 0, 0),
        plain(1, -7, 0, 1),
        plain(2, -8, 0, 0),
        batch(3, |_| ()),
    ];
    assert_eq!(
        told(&log),
        ["W negative-producer-id 0", "W negative-producer-id 2"]
    );
    let mut mapped = terms(Depth::Records);
    mapped.rules = &Mapped;
    let findings = check_files(&[(SEGMENT, &log.concat())], &mapped);
    assert_eq!(
        brief(&findings),
        ["N negative-producer-id 0", "N negative-producer-id 2"]
    );
}

#[test]
fn two_writers_under_one_id() {
    let turns = [
        plain(0, 5, 0, 0),
        plain(1, 5, 0, 1),
        later(2, 10, 0),
        plain(3, 5, 0, 2),
        later(4, 20, 1),
    ];
    let findings = check_log(&turns.concat());
    let collision = findings
        .iter()
        .find(|one| one.code.as_str() == "pid-collision");
    let collision = collision.unwrap_or_else(|| panic!("{:?}", brief(&findings)));
    assert_eq!(
        &brief(std::slice::from_ref(collision))[0],
        "E pid-collision 2"
    );
    assert!(collision.evidence.len() >= 2);
    // A barrier parts them.
    let parted = [
        plain(0, 5, 0, 0),
        plain(1, 5, 0, 1),
        barrier(2),
        later(3, 10, 0),
    ];
    assert_eq!(told(&parted), none());
}

#[test]
fn a_barrier_that_is_missing() {
    let risen = |offset, sequence, ms| {
        batch(offset, |draft: &mut BatchDraft| {
            of(5, 0, sequence)(draft);
            draft.partition_leader_epoch = LeaderEpoch(14);
            draft.base_timestamp = Timestamp(T + ms);
            draft.max_timestamp = Timestamp(T + ms);
        })
    };
    let before = [plain(0, 5, 0, 0), plain(1, 5, 0, 1), plain(2, 5, 0, 2)].concat();
    let missing = told(&[before.clone(), risen(3, 0, 10), risen(4, 1, 20)]);
    assert!(
        missing.contains(&"W barrier-missing 3".to_owned()),
        "{missing:?}"
    );
    let there = told(&[before.clone(), barrier(3), risen(4, 0, 10), risen(5, 1, 20)]);
    assert_eq!(there, none());
    // A rise alone is an election.
    assert_eq!(told(&[before.clone(), risen(3, 3, 10)]), none());
    // In a log that has barriers it may be a stop.
    let guess = [barrier(0), plain(1, 5, 0, 0), risen(2, 1, 10)];
    assert_eq!(told(&guess), ["N barrier-missing 2"]);
}

#[test]
fn barriers_that_are_odd() {
    let two = [plain(0, 5, 0, 0), barrier(1), barrier(2), plain(3, 5, 0, 0)];
    let findings = check_log(&two.concat());
    assert_eq!(brief(&findings), ["N barrier-repeated 2"]);
    let apart = [barrier(0), plain(1, 5, 0, 0), barrier(2)];
    assert_eq!(told(&apart), none());
    let open = [transactional(0, 5, 0, 0), barrier(1)];
    assert_eq!(told(&open), ["W barrier-open-transaction 1"]);
    let mut stock = terms(Depth::Records);
    stock.rules = &Stock;
    let findings = check_files(&[(SEGMENT, &open.concat())], &stock);
    assert_eq!(
        brief(&findings),
        ["W hanging-transaction 0"],
        "a stock broker obeys none"
    );
    // Two bytes of the value instead of three.
    let mut value = barrier(0);
    let record = value.split_off(61);
    let shorter = [record[0] - 2, record[1], record[2], record[3], record[4]];
    let shorter = [&value[..], &shorter, &record[5..9], &[4, 0, 0, 0]].concat();
    assert_eq!(told(&[super::resealed(shorter)]), ["E barrier-malformed 0"]);
    let of_producer = patched(barrier(0), 43, &7_i64.to_be_bytes());
    assert_eq!(told(&[of_producer]), ["E barrier-malformed 0"]);
}
