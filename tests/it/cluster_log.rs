//! `__cluster_metadata` of real brokers, read to the image of the cluster.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use kfsck::analysis::cluster_log::ClusterLog;
use kfsck::format::metadata_record::MetadataRecord;
use kfsck::format::number::{Offset, ProducerId};
use kfsck::format::partition_metadata;
use kfsck::format::schema::{Struct, Value, of_name, table};
use kfsck::storage::directory::{self, Operand, PartitionDirectory};
use kfsck::storage::source::Access;

use crate::batches::{Batch, control, split};
use crate::corpus;
use crate::program::{copy_tree, dump_jsonl, printed};

fn read(partition: &Path) -> ClusterLog {
    ClusterLog::read(&PartitionDirectory::list(partition), Access::Plain)
}

fn log_directories() -> Vec<PathBuf> {
    let names = ["main", "crash/clean", "crash/unclean"];
    names.map(|name| corpus::directory().join(name)).to_vec()
}

/// The partitions that lie there, against what the controller says of them.
#[test]
fn every_partition_of_a_broker_is_known() {
    for place in log_directories() {
        let log = read(&place.join("__cluster_metadata-0"));
        assert!(log.faults.is_empty(), "{:?}", log.faults);
        let Operand::Log(listed) = directory::expand(&place).unwrap() else {
            panic!("{place:?} is a log directory");
        };
        let mut known = BTreeSet::new();
        for partition in &listed.partitions {
            let name = partition.name.as_ref().unwrap();
            let file = partition.path.join("partition.metadata");
            if name.topic == "__cluster_metadata" || !file.is_file() {
                continue;
            }
            let stored = partition_metadata::decode(&fs::read(file).unwrap()).unwrap();
            if name.state.is_some() {
                let topic = log.image.topics().get(&stored.topic_id);
                assert_eq!(topic, None, "{name:?} is deleted, or never was");
                continue;
            }
            let (id, topic) = log.image.topic(&name.topic).unwrap();
            assert_eq!(id, stored.topic_id, "{name:?}");
            let found = &topic.partitions[&name.partition];
            assert_eq!(found.replicas, [1]);
            // A broker that stops cleanly leaves the in-sync replicas.
            let in_sync = [&found.isr[..], &found.eligible_leader_replicas].concat();
            assert_eq!(in_sync, [1], "{name:?}");
            known.insert((name.topic.clone(), name.partition));
        }
        let topics = log.image.topics().values();
        let said: BTreeSet<_> = topics
            .flat_map(|topic| {
                let numbers = topic.partitions.keys();
                numbers.map(|number| (topic.name.clone(), *number))
            })
            .collect();
        assert_eq!(said, known);
        assert!(known.len() > 3, "{known:?}");
        assert_eq!(log.image.brokers().keys().collect::<Vec<_>>(), [&1]);
        // Blocks of 1000 ids, from 0 on.
        let ProducerId(next) = log.image.next_producer_id().unwrap();
        assert!(next >= 1000 && next % 1000 == 0, "{next}");
    }
}

/// A snapshot and the log behind it say the same as the log from its beginning.
#[test]
fn with_and_without_snapshots() {
    let place = tempfile::tempdir().unwrap();
    let whole = corpus::directory().join("main/__cluster_metadata-0");
    let copy = place.path().join("__cluster_metadata-0");
    fs::create_dir(&copy).unwrap();
    for file in corpus::files(&whole) {
        let name = file.file_name().unwrap();
        if name.to_str().unwrap().ends_with(".log") {
            fs::copy(&file, copy.join(name)).unwrap();
        }
    }
    let (with, without) = (read(&whole), read(&copy));
    let snapshot = with.snapshot.as_deref().unwrap().to_str().unwrap();
    assert!(!snapshot.contains("00000000000000000000-"), "{snapshot}");
    assert_eq!(without.snapshot, None);
    assert_eq!(with.image, without.image);
    assert_eq!(with.end_offset, without.end_offset);
}

/// What lies in front of a snapshot is not asked, whatever became of it.
#[test]
fn segments_that_a_snapshot_covers() {
    let place = tempfile::tempdir().unwrap();
    let copy = place.path().join("__cluster_metadata-0");
    copy_tree(
        &corpus::directory().join("main/__cluster_metadata-0"),
        &copy,
    );
    let expected = read(&copy);
    let first = copy.join("00000000000000000000.log");
    let mut bytes = fs::read(&first).unwrap();
    let behind = |batch: &[u8]| i64::from_be_bytes(batch[..8].try_into().unwrap());
    let newest = expected.snapshot.as_deref().unwrap().file_name().unwrap();
    let newest: i64 = newest.to_str().unwrap()[..20].parse().unwrap();
    let batches = split(&bytes);
    let (at, base) = { batches.iter() }
        .map(|(at, batch)| (*at, behind(batch)))
        .rfind(|(_, base)| *base <= newest)
        .unwrap();
    assert!(base > 0);
    let rest = bytes.split_off(at);
    fs::write(copy.join(format!("{base:020}.log")), rest).unwrap();
    bytes[100] ^= 1;
    fs::write(&first, bytes).unwrap();
    let log = read(&copy);
    assert!(log.faults.is_empty(), "{:?}", log.faults);
    assert_eq!(
        (log.image, log.end_offset),
        (expected.image, expected.end_offset)
    );
    for name in corpus::files(&copy) {
        if name.extension().is_some_and(|end| end == "log") {
            fs::remove_file(name).unwrap();
        }
    }
    let log = read(&copy);
    assert!(log.faults[0].to_string().contains("found no segment"));
}

/// What is newest and broken is passed over; what is missing in front of the log ends the reading.
#[test]
fn snapshots_that_are_not_whole() {
    let place = tempfile::tempdir().unwrap();
    let copy = place.path().join("__cluster_metadata-0");
    fs::create_dir(&copy).unwrap();
    let mut snapshots = Vec::new();
    for file in corpus::files(&corpus::directory().join("main/__cluster_metadata-0")) {
        let name = file.file_name().unwrap().to_str().unwrap();
        fs::copy(&file, copy.join(name)).unwrap();
        if name.ends_with(".checkpoint") {
            snapshots.push(name.to_owned());
        }
    }
    snapshots.sort();
    let expected = read(&copy);
    let newest = copy.join(snapshots.last().unwrap());
    let bytes = fs::read(&newest).unwrap();
    let batches = split(&bytes);
    let (footer, _) = batches.last().unwrap();
    for broken in [&bytes[..*footer], &bytes[..100], &[]] {
        fs::write(&newest, broken).unwrap();
        let log = read(&copy);
        assert_eq!(
            (log.image, log.end_offset),
            (expected.image.clone(), expected.end_offset)
        );
        assert_eq!(log.faults.len(), 1, "{:?}", log.faults);
        assert!(log.faults[0].to_string().contains("never finished"));
    }
    // The log alone, without its first batches.
    for name in &snapshots {
        fs::remove_file(copy.join(name)).unwrap();
    }
    let log = copy.join("00000000000000000000.log");
    let bytes = fs::read(&log).unwrap();
    let (second, _) = split(&bytes)[1];
    fs::write(&log, &bytes[second..]).unwrap();
    let read = read(&copy);
    assert_eq!(read.end_offset, Offset(0));
    assert!(read.image.topics().is_empty());
    let told = read.faults[0].to_string();
    assert!(told.contains("expected the record of offset 0"), "{told}");
}

/// A record of metadata, its fields given.
pub(crate) fn record(name: &str, fields: &[(&str, Value<'static>)]) -> Vec<u8> {
    let message = of_name(&table::metadata::RECORDS, name).unwrap();
    let mut body = Struct::new(&message.shape);
    for (name, value) in fields {
        *body.get_mut(name).unwrap() = value.clone();
    }
    let record = MetadataRecord {
        message,
        version: 0,
        body,
    };
    record.encode().unwrap()
}

pub(crate) fn ints(numbers: &[i64]) -> Value<'static> {
    Value::List(numbers.iter().copied().map(Value::Int).collect())
}

/// Writes a log of these records, each a batch of its own.
pub(crate) fn write(place: &Path, records: &[Vec<u8>]) -> PathBuf {
    let partition = place.join("__cluster_metadata-0");
    fs::create_dir_all(&partition).unwrap();
    let mut bytes = control(0, Some(&[0, 0, 0, 2]), Some(&[0; 7]));
    for (offset, value) in (1..).zip(records) {
        bytes.extend(Batch::new(offset).record(None, Some(value)).encode());
    }
    fs::write(partition.join("00000000000000000000.log"), bytes).unwrap();
    partition
}

fn log_of(records: &[Vec<u8>]) -> (tempfile::TempDir, ClusterLog) {
    let place = tempfile::tempdir().unwrap();
    let read = read(&write(place.path(), records));
    (place, read)
}

const ORDERS: (&str, Value<'static>) = ("name", Value::Text(b"orders"));
const FIRST: (&str, Value<'static>) = ("partitionId", Value::Int(0));

fn change(fields: &[(&str, Value<'static>)]) -> Vec<u8> {
    record("PartitionChangeRecord", &[&[FIRST], fields].concat())
}

/// A broker of epoch 7, fenced.
fn broker(id: i64) -> Vec<u8> {
    let fields = [
        ("brokerId", Value::Int(id)),
        ("brokerEpoch", Value::Int(7)),
        ("fenced", Value::Bool(true)),
    ];
    record("RegisterBrokerRecord", &fields)
}

/// After the rules of `PartitionRegistration.merge`: each change counts, and a leader that is named
/// begins an epoch, be it the same.
#[test]
fn changes_of_partitions() {
    let leader = |id: i64| ("leader", Value::Int(id));
    let whole = [
        FIRST,
        ("replicas", ints(&[1, 2, 3])),
        ("isr", ints(&[1, 2, 3])),
        leader(1),
        ("leaderEpoch", Value::Int(4)),
        ("partitionEpoch", Value::Int(9)),
    ];
    let (_place, log) = log_of(&[
        record("TopicRecord", &[ORDERS]),
        record("PartitionRecord", &whole),
        change(&[("isr", ints(&[1, 2]))]),
        change(&[("isr", ints(&[2])), leader(2)]),
        change(&[leader(2), ("replicas", ints(&[2, 4]))]),
        record("ProducerIdsRecord", &[("nextProducerId", Value::Int(3000))]),
    ]);
    assert!(log.faults.is_empty(), "{:?}", log.faults);
    assert_eq!(log.end_offset, Offset(7));
    let (_, topic) = log.image.topic("orders").unwrap();
    let partition = &topic.partitions[&0];
    assert_eq!(partition.replicas, [2, 4]);
    assert_eq!(partition.isr, [2]);
    assert_eq!((partition.leader, partition.leader_epoch.0), (2, 6));
    assert_eq!(partition.partition_epoch, 12);
    assert_eq!(log.image.next_producer_id(), Some(ProducerId(3000)));
}

#[test]
fn changes_of_brokers() {
    let changed = |field, value| {
        let who = [("brokerId", Value::Int(2)), ("brokerEpoch", Value::Int(7))];
        let field = [(field, Value::Int(value))];
        record(
            "BrokerRegistrationChangeRecord",
            &[&who[..], &field].concat(),
        )
    };
    let fenced = |records: &[Vec<u8>]| {
        let (_place, log) = log_of(records);
        assert!(log.faults.is_empty(), "{:?}", log.faults);
        assert_eq!(log.image.brokers().keys().collect::<Vec<_>>(), [&2]);
        log.image.brokers()[&2].is_fenced
    };
    let gone = record("UnregisterBrokerRecord", &[("brokerId", Value::Int(1))]);
    let mut records = vec![broker(1), broker(2), gone];
    assert!(fenced(&records));
    for (value, expected) in [(-1, false), (0, false), (1, true)] {
        records.push(changed("fenced", value));
        assert_eq!(fenced(&records), expected, "{value}");
    }
    for (name, expected) in [("UnfenceBrokerRecord", false), ("FenceBrokerRecord", true)] {
        records.push(record(
            name,
            &[("id", Value::Int(2)), ("epoch", Value::Int(7))],
        ));
        assert_eq!(fenced(&records), expected, "{name}");
    }
}

/// What there is not cannot change; the image ends in front of it.
#[test]
fn records_that_contradict_what_was_before() {
    let topic = record("TopicRecord", &[ORDERS]);
    let other = [("topicName", Value::Text(b"other"))];
    let other_epoch = [("id", Value::Int(2)), ("epoch", Value::Int(8))];
    for (before, wrong, expected) in [
        (
            topic.clone(),
            change(&[]),
            "offset 2: topic AAAAAAAAAAAAAAAAAAAAAA has no partition 0",
        ),
        (
            broker(2),
            record("RemoveTopicRecord", &[]),
            "there is no topic AAAAAAAAAAAAAAAAAAAAAA",
        ),
        (
            broker(2),
            record("FenceBrokerRecord", &other_epoch),
            "there is no broker 2 of this epoch",
        ),
        (
            topic,
            record("ClearElrRecord", &other),
            "there is no topic \"other\"",
        ),
        (broker(2), vec![1, 6, 0], "found 6"),
    ] {
        let (_place, log) = log_of(&[before, wrong]);
        assert_eq!(log.end_offset, Offset(2));
        let told = log.faults[0].to_string();
        assert!(told.ends_with(expected), "{told}");
    }
}

/// Records between begin and end count together or not at all.
#[test]
fn transactions_of_metadata() {
    let topic = |name: &'static [u8]| record("TopicRecord", &[("name", Value::Text(name))]);
    let [begin, end, abort] =
        ["Begin", "End", "Abort"].map(|name| record(&format!("{name}TransactionRecord"), &[]));
    let names = |log: &ClusterLog| -> Vec<_> {
        let topics = log.image.topics().values();
        topics.map(|topic| topic.name.clone()).collect()
    };
    let (_place, log) = log_of(&[begin.clone(), topic(b"kept"), end.clone()]);
    assert_eq!(
        (names(&log), log.end_offset),
        (vec!["kept".to_owned()], Offset(4))
    );
    let (_place, log) = log_of(&[begin.clone(), topic(b"gone"), abort.clone()]);
    assert_eq!((names(&log), log.end_offset), (vec![], Offset(4)));
    let (_place, log) = log_of(&[begin.clone(), topic(b"open")]);
    assert_eq!((names(&log), log.end_offset), (vec![], Offset(1)));
    let (_place, log) = log_of(&[begin.clone(), begin]);
    assert_eq!((log.faults.len(), log.end_offset), (1, Offset(1)));
    for marker in [end, abort] {
        let (_place, log) = log_of(&[marker]);
        assert!(
            log.faults[0]
                .to_string()
                .ends_with("ends that has not begun")
        );
    }
}

/// Version 2 of partitions has them, and a record of its own clears them.
#[test]
fn eligible_leader_replicas() {
    let of_version_2 = |name: &str, fields: &[(&str, Value<'static>)]| {
        let message = of_name(&table::metadata::RECORDS, name).unwrap();
        let mut body = Struct::new(&message.shape);
        for (name, value) in fields {
            *body.get_mut(name).unwrap() = value.clone();
        }
        let version = 2;
        MetadataRecord {
            message,
            version,
            body,
        }
        .encode()
        .unwrap()
    };
    let number = ("partitionId", Value::Int(0));
    let eligible = [
        number.clone(),
        ("isr", ints(&[])),
        ("eligibleLeaderReplicas", ints(&[3])),
        ("lastKnownElr", ints(&[2])),
    ];
    let mut records = vec![
        record("TopicRecord", &[("name", Value::Text(b"orders"))]),
        of_version_2("PartitionRecord", &[number, ("isr", ints(&[3]))]),
        of_version_2("PartitionChangeRecord", &eligible),
    ];
    let of = |records: &[Vec<u8>]| {
        let (_place, log) = log_of(records);
        assert!(log.faults.is_empty(), "{:?}", log.faults);
        log.image.topic("orders").unwrap().1.partitions[&0].clone()
    };
    let partition = of(&records);
    assert!(partition.isr.is_empty());
    assert_eq!(partition.eligible_leader_replicas, [3]);
    assert_eq!(
        (partition.last_known_elr, partition.partition_epoch),
        (vec![2], 0)
    );
    for name in [&b"orders"[..], b""] {
        records.push(record(
            "ClearElrRecord",
            &[("topicName", Value::Text(name))],
        ));
        let partition = of(&records);
        assert!(partition.eligible_leader_replicas.is_empty());
        // The second finds nothing to clear.
        assert_eq!(
            (partition.last_known_elr, partition.partition_epoch),
            (vec![], 1)
        );
    }
}

/// A field of JSON alone: the stock text is as it was.
#[test]
fn a_dump_names_the_topic_of_an_id() {
    let whole = corpus::directory().join("main");
    let place = tempfile::tempdir().unwrap();
    copy_tree(&whole.join("plain-0"), &place.path().join("plain-0"));
    let stored = fs::read_to_string(whole.join("plain-0/partition.metadata")).unwrap();
    let (_, id) = stored.trim_end().split_once("topic_id: ").unwrap();
    for (root, name) in [(&*whole, Some("plain")), (place.path(), None)] {
        let file = root.join("plain-0/partition.metadata");
        let outcome = dump_jsonl([&file]).outcome().ended_with(0);
        let object = &outcome.of_type("partitionMetadata")[0];
        assert_eq!(object["topicId"], id);
        assert_eq!(object["topicName"].as_str(), name, "{object}");
        let text = printed([&file]);
        let expected = format!("\nversion: 0 topic_id: {id}\n");
        let text = String::from_utf8(text).unwrap();
        assert!(text.ends_with(&expected), "{text}");
    }
}
