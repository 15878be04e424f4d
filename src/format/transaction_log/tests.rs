use std::num::NonZeroU32;

use super::{TopicPartitions, TransactionLogKey, TransactionLogValue, TransactionStatus, Version};
use crate::format::damage::{assert_inside, bit_flips, hex, truncations};
use crate::format::flexible::TaggedField;
use crate::format::malformed::Problem;
use crate::format::number::{ProducerEpoch, ProducerId, Timestamp};

/// What Kafka's classes wrote, damaged in part, and what its readers made of it.
const VERDICTS: &str = include_str!("../../../testdata/structures/transaction-log.tsv");

fn verdicts(kind: &str) -> Vec<(Vec<u8>, &'static str)> {
    let rows = VERDICTS.lines().filter_map(|line| {
        let (bytes, said) = line
            .strip_prefix(kind)?
            .strip_prefix('\t')?
            .split_once('\t')?;
        Some((hex(bytes), said))
    });
    rows.collect()
}

fn shown_tags(fields: &[TaggedField]) -> String {
    let shown = fields.iter().map(|TaggedField { tag, data }| {
        let data: String = data.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{tag}={data}")
    });
    shown.collect::<Vec<_>>().join(",")
}

fn shown_topic(topic: &TopicPartitions) -> String {
    let name = String::from_utf8_lossy(&topic.topic);
    let name: String = name.bytes().map(|byte| format!("{byte:02x}")).collect();
    let ids: Vec<_> = topic.partition_ids.iter().map(i32::to_string).collect();
    format!(
        "{name}:{}:{}",
        ids.join(","),
        shown_tags(&topic.tagged_fields)
    )
}

/// A value in the words of the file of verdicts, but for the bytes left.
fn shown(value: &TransactionLogValue) -> String {
    let topics = value.transaction_partitions.as_ref().map_or_else(
        || "null".to_owned(),
        |topics| {
            let topics: Vec<_> = topics.iter().map(shown_topic).collect();
            format!("[{}]", topics.join(";"))
        },
    );
    format!(
        "read {} {} {} {} {} {} {} {}={} {topics} {} {} {} {{{}}}",
        value.version.number(),
        value.producer_id,
        value.previous_producer_id,
        value.next_producer_id,
        value.producer_epoch,
        value.next_producer_epoch,
        value.transaction_timeout_ms,
        value.transaction_status.id(),
        value.transaction_status.name(),
        value.last_update_timestamp,
        value.start_timestamp,
        value.client_transaction_version,
        shown_tags(&value.tagged_fields)
    )
}

#[test]
fn values_as_kafka_reads_them() {
    let mut counts = (0, 0, 0);
    for (bytes, said) in verdicts("value") {
        let read = TransactionLogValue::decode(&bytes);
        if let Some((expected, _)) = said.split_once(" rest=") {
            assert_eq!(shown(&read.unwrap()), expected);
            counts.0 += 1;
            continue;
        }
        let fault = read.expect_err(said);
        assert_inside(&fault, &bytes);
        let unknown = fault.field == "version" && bytes.len() >= 2;
        assert_eq!(unknown, said.starts_with("unknown version"), "{said}");
        counts.1 += usize::from(unknown);
        counts.2 += usize::from(!unknown);
    }
    assert!(counts == (173, 9, 76), "{counts:?}");
}

#[test]
fn what_kafka_wrote_is_written_again() {
    // The values in front were written by Kafka's classes and left as they were.
    let mut count = 0;
    for (bytes, _) in verdicts("value")
        .iter()
        .take_while(|(bytes, _)| !bytes.is_empty())
    {
        assert_eq!(&TransactionLogValue::decode(bytes).unwrap().encode(), bytes);
        count += 1;
    }
    assert_eq!(count, 34);
    for (bytes, said) in verdicts("key") {
        if said.ends_with(" rest=0") && !said.contains("efbfbd") {
            assert_eq!(TransactionLogKey::decode(&bytes).unwrap().encode(), bytes);
        }
    }
}

#[test]
fn keys_as_kafka_reads_them() {
    let rows = verdicts("key");
    assert!(rows.len() >= 14);
    for (bytes, said) in rows {
        match (
            TransactionLogKey::decode(&bytes),
            said.strip_prefix("read "),
        ) {
            (Ok(key), Some(expected)) => {
                let text = String::from_utf8_lossy(&key.transactional_id);
                let (id, _) = expected.split_once(" rest=").unwrap();
                assert_eq!(text.as_bytes(), hex(id));
            }
            (Err(fault), None) => {
                let unknown = matches!(fault.problem, Problem::OutOfRange { .. });
                assert_eq!(unknown, said.starts_with("unknown type"), "{said}");
            }
            (read, _) => panic!("{read:?}, Kafka: {said}"),
        }
    }
}

#[test]
fn partitions_as_kafka_finds_them() {
    let rows = verdicts("partition");
    assert!(rows.len() >= 9);
    for (transactional_id, said) in rows {
        let numbers: Vec<_> = said.split(' ').collect();
        let key = TransactionLogKey { transactional_id };
        for (of, expected) in [(50, numbers[1]), (3, numbers[2])] {
            let partition = key.partition(NonZeroU32::new(of).unwrap());
            assert_eq!(partition.to_string(), expected, "{said}");
        }
    }
}

/// Labelled by hand after the schema: version 0.
const PLAIN: &str = "
    0000 00000000000003e9 0003 0000ea60 01
    00000001 0006 6f7264657273 00000002 00000000 00000007
    0000000000000064 0000000000000050";
/// The same in version 1, with every tagged field and one of a later version.
const COMPACT: &str = "
    0001 00000000000003e9 0003 0000ea60 01
    02 07 6f7264657273 03 00000000 00000007 00
    0000000000000064 0000000000000050
    05 00 08 00000000000003e8 01 08 00000000000003ea 02 02 0002 03 02 0000 09 01 ff";

fn ongoing() -> TransactionLogValue {
    TransactionLogValue {
        version: Version::V0,
        producer_id: ProducerId(1001),
        previous_producer_id: ProducerId::NONE,
        next_producer_id: ProducerId::NONE,
        producer_epoch: ProducerEpoch(3),
        next_producer_epoch: ProducerEpoch(-1),
        transaction_timeout_ms: 60_000,
        transaction_status: TransactionStatus::Ongoing,
        transaction_partitions: Some(vec![TopicPartitions {
            topic: b"orders".to_vec(),
            partition_ids: vec![0, 7],
            tagged_fields: vec![],
        }]),
        last_update_timestamp: Timestamp(100),
        start_timestamp: Timestamp(80),
        client_transaction_version: 0,
        tagged_fields: vec![],
    }
}

#[test]
fn both_versions_field_by_field() {
    let plain = ongoing();
    assert_eq!(TransactionLogValue::decode(&hex(PLAIN)).unwrap(), plain);
    let compact = TransactionLogValue {
        version: Version::V1,
        previous_producer_id: ProducerId(1000),
        next_producer_id: ProducerId(1002),
        next_producer_epoch: ProducerEpoch(0),
        client_transaction_version: 2,
        tagged_fields: vec![TaggedField {
            tag: 9,
            data: vec![0xff],
        }],
        ..ongoing()
    };
    assert_eq!(TransactionLogValue::decode(&hex(COMPACT)).unwrap(), compact);
    assert!(compact.has_partition(b"orders", 7));
    assert!(!compact.has_partition(b"orders", 1));
    assert!(!compact.has_partition(b"order", 7));
    // Version 0 has no room for the tagged fields.
    let version = Version::V0;
    assert_eq!(
        TransactionLogValue { version, ..compact }.encode(),
        hex(PLAIN)
    );
}

#[test]
fn every_cut_is_refused() {
    for bytes in [hex(PLAIN), hex(COMPACT)] {
        for cut in truncations(&bytes) {
            assert_inside(&TransactionLogValue::decode(cut).unwrap_err(), cut);
        }
    }
    let key = hex("0000 0002 6162");
    for cut in truncations(&key) {
        assert_inside(&TransactionLogKey::decode(cut).unwrap_err(), cut);
    }
}

#[test]
fn a_flipped_bit_is_refused_or_seen() {
    let mut unseen = 0;
    for bytes in [hex(PLAIN), hex(COMPACT)] {
        let original = TransactionLogValue::decode(&bytes).unwrap();
        for flipped in bit_flips(&bytes) {
            match TransactionLogValue::decode(&flipped) {
                Ok(value) => unseen += usize::from(value == original),
                Err(fault) => assert_inside(&fault, &flipped),
            }
        }
    }
    // Kafka does not look at the size of a known tagged field: seven low bits in each of four
    // sizes of one byte. The eighth makes the number longer.
    assert_eq!(unseen, 4 * 7);
    let key = hex("0000 0002 6162");
    let original = TransactionLogKey::decode(&key).unwrap();
    for flipped in bit_flips(&key) {
        match TransactionLogKey::decode(&flipped) {
            Ok(other) => assert_ne!(other, original),
            Err(fault) => assert_inside(&fault, &flipped),
        }
    }
}

#[test]
fn every_status_keeps_its_number() {
    for id in i8::MIN..=i8::MAX {
        assert_eq!(TransactionStatus::from_id(id).id(), id);
    }
    assert_eq!(
        TransactionStatus::from_id(7).to_string(),
        "PrepareEpochFence"
    );
    assert_eq!(TransactionStatus::from_id(8).to_string(), "Unknown(8)");
}
