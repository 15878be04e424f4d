//! `__transaction_state`, read to the state of each transactional id, and the stock rule for
//! transactions that hang.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::path::Path;

use kfsck::analysis::hanging_transaction::{Arm, Doubt, Judgement, OpenTransaction, judge};
use kfsck::analysis::state_partition_count::PartitionCount;
use kfsck::analysis::transaction_coordinator::{
    Fault, StatePartition, TRANSACTION_STATE_TOPIC, TransactionCoordinator, TransactionState,
};
use kfsck::format::malformed::Problem;
use kfsck::format::number::{LeaderEpoch, Offset, ProducerId, Timestamp};
use kfsck::format::transaction_log::{TransactionLogKey, TransactionLogValue, Version};
use kfsck::storage::checkpoints::Checkpoints;
use kfsck::storage::directory::PartitionDirectory;
use kfsck::storage::source::{Access, ReadError, Source};

use crate::batches::{Batch, HEADER};
use crate::program::testdata;

/// What Kafka's own reader made of the committed partitions.
const TRUTH: &str = include_str!("../../testdata/structures/transaction-state.tsv");

fn read(directory: &Path) -> StatePartition {
    let checkpoints = Checkpoints::default();
    StatePartition::read(
        &PartitionDirectory::list(directory),
        &checkpoints,
        Access::Plain,
    )
}

/// The coordinators of a committed log directory.
fn coordinator(log_directory: &str) -> TransactionCoordinator {
    let root = testdata(log_directory);
    let partitions = (0..3)
        .map(|number| {
            let name = format!("{TRANSACTION_STATE_TOPIC}-{number}");
            (number, read(&root.join(name)))
        })
        .collect();
    TransactionCoordinator::new(partitions, None)
}

/// A state in the words of the file of truth.
fn shown(state: &TransactionState) -> String {
    let value = &state.value;
    let topics = value.transaction_partitions.iter().flatten();
    let mut partitions: Vec<_> = topics
        .flat_map(|topic| {
            let name = String::from_utf8_lossy(&topic.topic);
            topic
                .partition_ids
                .iter()
                .map(move |id| format!("{name}-{id}"))
        })
        .collect();
    partitions.sort();
    format!(
        "{} {} {} {} {} {} {} [{}] {} {} {}",
        state.offset,
        state.timestamp,
        state.leader_epoch,
        value.producer_id,
        value.producer_epoch,
        value.transaction_timeout_ms,
        value.transaction_status,
        partitions.join(","),
        value.last_update_timestamp,
        value.start_timestamp,
        value.client_transaction_version
    )
}

#[test]
fn the_state_of_every_id_is_the_one_that_kafka_reads() {
    let mut found = Vec::new();
    for log_directory in ["crash/clean", "crash/unclean", "main"] {
        let coordinator = coordinator(log_directory);
        for (number, partition) in coordinator.partitions() {
            assert!(partition.is_complete(), "{:?}", partition.faults());
            for (key, state) in partition.states() {
                let id = String::from_utf8(key.transactional_id.clone()).unwrap();
                let name = format!("{log_directory}/{TRANSACTION_STATE_TOPIC}-{number}");
                found.push(format!("{name}\t{id}\t{}", shown(state)));
            }
        }
    }
    let truth: Vec<_> = TRUTH.lines().collect();
    assert_eq!(truth.len(), 29);
    assert_eq!(found, truth);
}

/// The one record of each batch: key and value.
fn real_records() -> Vec<(Vec<u8>, Option<Vec<u8>>)> {
    let mut records = Vec::new();
    for (name, log) in crate::corpus::segments() {
        if !name.contains(TRANSACTION_STATE_TOPIC) {
            continue;
        }
        let source = Source::from_bytes(name, log);
        let mut walk = kfsck::storage::segment::walk::Walk::new(&source);
        let mut reader = kfsck::storage::segment::contents::BatchReader::new(&source, 1 << 20);
        while let Some(piece) = walk.next_piece().unwrap() {
            let kfsck::storage::segment::walk::Piece::Batch(span) = piece else {
                continue;
            };
            let mut batch = reader.load(span).unwrap();
            let mut keep = |entry: &kfsck::storage::segment::contents::Entry<'_>| {
                let key = entry.key.unwrap().to_vec();
                records.push((key, entry.value.map(<[u8]>::to_vec)));
                std::ops::ControlFlow::Continue(())
            };
            assert_eq!(batch.entries(&mut keep).unwrap(), None);
        }
    }
    records
}

#[test]
fn records_of_a_broker_are_written_as_they_were() {
    let mut values = 0;
    for (key, value) in real_records() {
        assert_eq!(TransactionLogKey::decode(&key).unwrap().encode(), key);
        // No transactional id has expired.
        let value = value.unwrap();
        let read = TransactionLogValue::decode(&value).unwrap();
        assert_eq!(read.encode(), value);
        // Brokers of transaction.version 1 and 2 both write this one.
        assert_eq!(read.version, Version::V1);
        values += 1;
    }
    assert!(values > 60, "{values}");
}

fn open(topic: &str, partition: i32, producer_id: i64) -> OpenTransaction<'_> {
    OpenTransaction {
        topic,
        partition,
        producer_id: ProducerId(producer_id),
        last_timestamp: Timestamp(1_796_013_453_019),
    }
}

#[test]
fn open_transactions_of_a_broker_that_stopped_are_known() {
    let coordinator = coordinator("main");
    let three = NonZeroU32::new(3).unwrap();
    assert_eq!(coordinator.partition_count(), PartitionCount::Known(three));
    assert_eq!(coordinator.unread_partitions(three, 5), (vec![], 0));
    for (producer_id, id) in [(1010, "txn-open.two.open"), (2007, "txn-open.three.open")] {
        let transaction = open("txn-open", 0, producer_id);
        let Judgement::Known {
            transactional_id, ..
        } = judge(&transaction, &coordinator)
        else {
            panic!("{producer_id} is not known");
        };
        assert_eq!(transactional_id.transactional_id, id.as_bytes());
    }
}

#[test]
fn the_first_arm_and_the_third() {
    let coordinator = coordinator("main");
    assert_eq!(
        judge(&open("txn-open", 0, 77), &coordinator),
        Judgement::Hanging(Arm::NoTransactionalId)
    );
    // The ongoing transaction has another partition, a completed one has none.
    for (transaction, id) in [
        (open("txn-open", 1, 1010), "txn-open.two.open"),
        (open("txn-v2", 0, 1004), "txn-v2.two.2"),
    ] {
        let Judgement::Hanging(Arm::PartitionNotInTransaction {
            transactional_id, ..
        }) = judge(&transaction, &coordinator)
        else {
            panic!("{transaction:?}");
        };
        assert_eq!(transactional_id.transactional_id, id.as_bytes());
    }
}

#[test]
fn overdue_is_more_than_the_timeout() {
    let transaction = open("t", 0, 1);
    let at = |later: i64| Timestamp(transaction.last_timestamp.0 + later);
    assert!(!transaction.is_overdue(at(900_000), 900_000));
    assert!(transaction.is_overdue(at(900_001), 900_000));
    assert!(!transaction.is_overdue(at(-5), 900_000));
}

fn key(id: &str) -> Vec<u8> {
    let mut key = vec![0, 0, 0, u8::try_from(id.len()).unwrap()];
    key.extend(id.as_bytes());
    key
}

/// Version 0: producer id, epoch 0, a minute, status, one topic `t` with partition 0, or null.
fn value(producer_id: i64, status: u8, partitions: bool) -> Vec<u8> {
    let mut value = vec![0, 0];
    value.extend(producer_id.to_be_bytes());
    value.extend([0, 0, 0, 0, 0xea, 0x60, status]);
    if partitions {
        value.extend([0, 0, 0, 1, 0, 1, b't', 0, 0, 0, 1, 0, 0, 0, 0]);
    } else {
        value.extend([0xff; 4]);
    }
    value.extend([0; 16]);
    value
}

pub(crate) fn partition_of(log: &[u8]) -> StatePartition {
    let mut partition = StatePartition::default();
    let source = Source::from_bytes("00000000000000000000.log", log.to_vec());
    partition.read_segment(&source).unwrap();
    partition
}

fn ids(partition: &StatePartition) -> Vec<(&str, i64)> {
    let states = partition.states();
    states
        .map(|(key, state)| {
            let id = std::str::from_utf8(&key.transactional_id).unwrap();
            (id, state.value.producer_id.0)
        })
        .collect()
}

#[test]
fn the_last_record_counts_and_one_without_a_value_forgets() {
    let mut log = Batch::new(0)
        .record(Some(&key("a")), Some(&value(1, 1, true)))
        .record(Some(&key("b")), Some(&value(2, 1, true)))
        .encode();
    let mut second = Batch::new(2)
        .record(Some(&key("a")), Some(&value(3, 4, true)))
        .record(Some(&key("b")), None);
    second.leader_epoch = 7;
    log.extend(second.encode());
    let partition = partition_of(&log);
    assert!(partition.is_complete());
    assert_eq!(ids(&partition), [("a", 3)]);
    let (_, state) = partition.states().next().unwrap();
    assert_eq!(state.offset, Offset(2));
    assert_eq!(state.timestamp, Timestamp(1_700_000_000_000));
    assert_eq!(state.leader_epoch, LeaderEpoch(7));
}

#[test]
fn compressed_records_are_read() {
    let mut batch = Batch::new(0).record(Some(&key("a")), Some(&value(1, 1, true)));
    batch.payload = zstd::encode_all(&batch.payload[..], 3).unwrap();
    batch.attributes = 4;
    assert_eq!(ids(&partition_of(&batch.encode())), [("a", 1)]);
}

#[test]
fn what_cannot_be_read_is_told_and_the_rest_is_read() {
    let unknown_type = [0, 1, 0, 1, b'x'];
    let mut unknown_version = value(1, 1, true);
    unknown_version[1] = 2;
    let cut = &value(1, 1, true)[..20];
    let bad = Batch::new(0)
        .record(Some(&unknown_type), Some(b"x"))
        .record(Some(&key("a")), Some(&unknown_version))
        .record(None, Some(&value(1, 1, true)))
        .record(Some(&key("b")), Some(cut))
        .record(Some(&key("c")), Some(&value(1, 8, true)))
        .record(Some(&key("d")), Some(&value(1, 1, false)))
        .record(Some(&key("e")), Some(&value(1, 0, false)))
        .encode();
    let partition = partition_of(&bad);
    assert_eq!(ids(&partition), [("e", 1)]);
    let faults: Vec<_> = partition
        .faults()
        .iter()
        .map(|fault| match fault {
            Fault::Record {
                offset,
                fault,
                stops_broker,
            } => (offset.0, fault.field, *stops_broker),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        faults,
        [
            (0, "type", false),
            (1, "version", false),
            (2, "key", true),
            (3, "transactionPartitions", true),
            (4, "transactionStatus", true),
            (5, "transactionPartitions", true),
        ]
    );
    assert!(!partition.is_complete());
    let null = &partition.faults()[5];
    let Fault::Record { fault, .. } = null else {
        panic!("{null:?}");
    };
    assert_eq!(fault.problem, Problem::Null);
}

#[test]
fn damage_is_a_fault_and_a_tail_is_none() {
    let good = Batch::new(0)
        .record(Some(&key("a")), Some(&value(1, 1, true)))
        .encode();
    let next = Batch::new(1)
        .record(Some(&key("b")), Some(&value(2, 1, true)))
        .encode();
    let flipped_at = |at: usize| {
        let mut log = [&good[..], &next].concat();
        log[at] ^= 1;
        partition_of(&log)
    };
    let checksum = flipped_at(HEADER + 5);
    assert_eq!(ids(&checksum), [("b", 2)]);
    assert!(matches!(
        checksum.faults(),
        [Fault::Checksum { position: 0, .. }]
    ));
    let magic = flipped_at(crate::batches::MAGIC_AT);
    assert!(!magic.is_complete());
    assert_eq!(ids(&magic), [("b", 2)]);
    for tail in [&[0; 200][..], &next[..70]] {
        let partition = partition_of(&[&good[..], tail].concat());
        assert!(partition.is_complete(), "{:?}", partition.faults());
        assert_eq!(ids(&partition), [("a", 1)]);
    }
}

#[test]
fn a_segment_that_cannot_be_opened_is_told_and_deleted_ones_do_not_count() {
    let root = tempfile::tempdir().unwrap();
    let put = |name: &str, batch: &Batch| {
        std::fs::write(root.path().join(name), batch.encode()).unwrap();
    };
    let first = Batch::new(0).record(Some(&key("a")), Some(&value(1, 1, true)));
    put("00000000000000000000.log", &first);
    put(
        "00000000000000000001.log",
        &Batch::new(1).record(Some(&key("a")), Some(&value(2, 1, true))),
    );
    put(
        "00000000000000000002.log.deleted",
        &Batch::new(2).record(Some(&key("a")), Some(&value(3, 1, true))),
    );
    let whole = read(root.path());
    assert!(whole.is_complete());
    assert_eq!(ids(&whole), [("a", 2)]);
    let directory = PartitionDirectory::list(root.path());
    std::fs::remove_file(root.path().join("00000000000000000001.log")).unwrap();
    let partial = StatePartition::read(&directory, &Checkpoints::default(), Access::Map);
    assert_eq!(ids(&partial), [("a", 1)]);
    assert!(matches!(
        partial.faults(),
        [Fault::Read(ReadError::Open { .. })]
    ));
}

/// Coordinators of a topic of two partitions; `a` (hash 97) belongs to partition 1, `b` to 0.
fn two(zero: &Batch, one: &Batch, count: Option<u32>) -> TransactionCoordinator {
    let partitions = [(0, zero), (1, one)];
    let partitions = partitions.map(|(number, batch)| (number, partition_of(&batch.encode())));
    let count = count.and_then(NonZeroU32::new);
    TransactionCoordinator::new(BTreeMap::from(partitions), count)
}

pub(crate) fn holding(id: &str, producer_id: i64, status: u8) -> Batch {
    Batch::new(0).record(Some(&key(id)), Some(&value(producer_id, status, true)))
}

#[test]
fn the_second_arm() {
    // A record where it does not belong: listed, but its coordinator does not know it.
    let misplaced = two(&holding("a", 5, 1), &Batch::new(0), Some(2));
    let id = TransactionLogKey {
        transactional_id: b"a".to_vec(),
    };
    assert_eq!(
        judge(&open("t", 0, 5), &misplaced),
        Judgement::Hanging(Arm::UnknownTransaction {
            transactional_id: &id,
            found_in: 0,
            home: 1,
        })
    );
    let dead = two(&holding("a", 5, 1), &holding("a", 5, 6), Some(2));
    assert!(matches!(
        judge(&open("t", 0, 5), &dead),
        Judgement::Hanging(Arm::UnknownTransaction { .. })
    ));
    // The same record in both: the coordinator's own decides.
    let both = two(&holding("a", 5, 1), &holding("a", 5, 1), Some(2));
    assert!(matches!(
        judge(&open("t", 0, 5), &both),
        Judgement::Known { .. }
    ));
    // A dead id is not listed at all.
    let dead = two(&Batch::new(0), &holding("a", 5, 6), Some(2));
    assert_eq!(
        judge(&open("t", 0, 5), &dead),
        Judgement::Hanging(Arm::NoTransactionalId)
    );
}

#[test]
fn an_empty_transaction_has_no_partition_whatever_its_record_says() {
    let empty = two(&Batch::new(0), &holding("a", 5, 0), Some(2));
    assert!(matches!(
        judge(&open("t", 0, 5), &empty),
        Judgement::Hanging(Arm::PartitionNotInTransaction { .. })
    ));
}

#[test]
fn what_was_not_read_leaves_a_doubt() {
    let transaction = open("t", 0, 9);
    let three = two(&holding("b", 4, 1), &holding("a", 5, 1), Some(3));
    // 97 and 98 modulo 3 are 1 and 2: the record of b has its home in the partition that is not
    // there.
    let undecided = Judgement::Undecided(Doubt::UnreadPartitions {
        lowest: vec![2],
        unread: 1,
        of: NonZeroU32::new(3).unwrap(),
    });
    assert_eq!(judge(&transaction, &three), undecided);
    assert_eq!(judge(&open("t", 0, 4), &three), undecided);
    // Neither 50 nor 2 partitions: a would lie in 47 or 1. Of 97 it is at home.
    let odd = two(&holding("a", 5, 1), &Batch::new(0), None);
    assert_eq!(odd.partition_count(), PartitionCount::Unknown);
    assert_eq!(
        judge(&transaction, &odd),
        Judgement::Undecided(Doubt::UnknownPartitionCount)
    );
    assert!(matches!(
        judge(&open("t", 0, 5), &odd),
        Judgement::Known { .. }
    ));
    // In both at once, nothing is sure.
    let contradicted = two(&holding("a", 5, 1), &holding("a", 5, 1), None);
    assert_eq!(
        judge(&open("t", 0, 5), &contradicted),
        Judgement::Undecided(Doubt::MisplacedIds)
    );
    let broken = Batch::new(0)
        .record(Some(&key("a")), Some(&value(5, 1, true)))
        .record(Some(&key("c")), Some(b"\0\0"));
    let broken = two(&Batch::new(0), &broken, Some(2));
    let count = |count| NonZeroU32::new(count).unwrap();
    assert_eq!(broken.unread_partitions(count(2), 5), (vec![1], 1));
    // A number that somebody gave makes nobody count to it.
    let (lowest, unread) = broken.unread_partitions(count(u32::MAX), 2);
    assert_eq!((lowest, unread), (vec![1, 2], 4_294_967_294));
    assert!(matches!(
        judge(&open("t", 0, 5), &broken),
        Judgement::Known { .. }
    ));
    assert_eq!(
        judge(&open("t", 7, 5), &broken),
        Judgement::Undecided(Doubt::IncompletePartition(1))
    );
}
