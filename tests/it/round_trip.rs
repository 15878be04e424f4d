//! What is written reads the same: every structure that has an encoder, with values that no
//! broker ever wrote. The bytes of real files are compared in the unit tests of each format.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use kfsck::format::clean_shutdown::{self, CleanShutdown};
use kfsck::format::control::{ControlKey, ControlType, EndTxnMarker};
use kfsck::format::crc::Kind;
use kfsck::format::flexible::TaggedField;
use kfsck::format::json::{self, Object, Value};
use kfsck::format::kraft::kraft_version::KRaftVersion;
use kfsck::format::kraft::leader_change::{self, Layout, LeaderChange};
use kfsck::format::kraft::snapshot_footer::SnapshotFooter;
use kfsck::format::kraft::snapshot_header::SnapshotHeader;
use kfsck::format::kraft::voters::{Endpoint, Voter, Voters};
use kfsck::format::leader_epoch_checkpoint::{self, EpochEntry};
use kfsck::format::legacy::LegacyRecord;
use kfsck::format::mirror_reset::MirrorPidReset;
use kfsck::format::number::{
    CoordinatorEpoch, LeaderEpoch, Offset, ProducerEpoch, ProducerId, Sequence, Timestamp,
};
use kfsck::format::offset_checkpoint::{self, OffsetEntry};
use kfsck::format::offset_index::{self, OffsetIndex, OffsetIndexEntry};
use kfsck::format::partition_metadata::{self, PartitionMetadata};
use kfsck::format::producer_snapshot::{self, ProducerEntry, Version};
use kfsck::format::properties::{self, Properties};
use kfsck::format::quorum_state;
use kfsck::format::time_index::{self, TimeIndex, TimeIndexEntry};
use kfsck::format::transaction_log::{
    self, TopicPartitions, TransactionLogKey, TransactionLogValue, TransactionStatus,
};
use kfsck::format::txn_index::{self, AbortedTxn, TxnIndex};
use kfsck::format::uuid::Uuid;
use kfsck::format::varint;

fn bytes(longest: usize) -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..=longest)
}

fn uuid() -> impl Strategy<Value = Uuid> {
    any::<[u8; 16]>().prop_map(Uuid)
}

fn tags() -> impl Strategy<Value = Vec<TaggedField>> {
    let field = (any::<u32>(), bytes(20)).prop_map(|(tag, data)| TaggedField { tag, data });
    vec(field, 0..3)
}

fn control_type() -> impl Strategy<Value = ControlType> {
    prop_oneof![(0..8_i16), any::<i16>()].prop_map(ControlType::from_id)
}

fn leader_change() -> impl Strategy<Value = LeaderChange> {
    let voters = || vec((any::<i32>(), uuid(), tags()), 1..4);
    let fields = (
        any::<i16>(),
        any::<bool>(),
        any::<i32>(),
        voters(),
        voters(),
        tags(),
    );
    fields.prop_map(
        |(version, plain, leader_id, voters, granting, tagged_fields)| {
            let layout = if plain {
                Layout::Plain
            } else {
                Layout::DirectoryIds
            };
            let voters_of = |voters: Vec<(i32, Uuid, Vec<TaggedField>)>| {
                let voter = |(voter_id, id, tagged_fields)| leader_change::Voter {
                    voter_id,
                    voter_directory_id: if plain { Uuid::ZERO } else { id },
                    tagged_fields,
                };
                voters.into_iter().map(voter).collect()
            };
            LeaderChange {
                // The layout with directory ids is that of versions above 0.
                version: if plain { version } else { version.max(1) },
                layout,
                leader_id,
                voters: voters_of(voters),
                granting_voters: voters_of(granting),
                tagged_fields,
            }
        },
    )
}

fn voters() -> impl Strategy<Value = Voters> {
    let endpoint = (bytes(12), bytes(30), any::<u16>(), tags());
    let endpoint = endpoint.prop_map(|(name, host, port, tagged_fields)| Endpoint {
        name,
        host,
        port,
        tagged_fields,
    });
    let voter = (
        any::<i32>(),
        uuid(),
        vec(endpoint, 0..3),
        any::<(i16, i16)>(),
        tags(),
        tags(),
    );
    let voter = voter.prop_map(
        |(voter_id, id, endpoints, (least, greatest), inner, outer)| Voter {
            voter_id,
            voter_directory_id: id,
            endpoints,
            min_supported_version: least,
            max_supported_version: greatest,
            feature_tagged_fields: inner,
            tagged_fields: outer,
        },
    );
    (any::<i16>(), vec(voter, 0..4), tags()).prop_map(|(version, voters, tagged_fields)| Voters {
        version,
        voters,
        tagged_fields,
    })
}

fn producer() -> impl Strategy<Value = ProducerEntry> {
    let numbers = any::<(i64, i16, i32, i64, i32, i64, i32, i64)>();
    (numbers, option::of(bytes(40))).prop_map(|(numbers, source_cluster_id)| {
        let (id, epoch, sequence, offset, delta, timestamp, coordinator, txn) = numbers;
        ProducerEntry {
            producer_id: ProducerId(id),
            producer_epoch: ProducerEpoch(epoch),
            last_sequence: Sequence(sequence),
            last_offset: Offset(offset),
            offset_delta: delta,
            timestamp: Timestamp(timestamp),
            coordinator_epoch: CoordinatorEpoch(coordinator),
            current_txn_first_offset: Offset(txn),
            source_cluster_id,
        }
    })
}

/// A value of either version; version 0 has none of the tagged fields.
fn transaction() -> impl Strategy<Value = TransactionLogValue> {
    let tags = || {
        // The lowest tags are those of known fields.
        let field = (4..u32::MAX, bytes(20)).prop_map(|(tag, data)| TaggedField { tag, data });
        vec(field, 0..3)
    };
    let topics = vec((bytes(20), vec(any::<i32>(), 0..4), tags()), 0..3);
    let fixed = any::<(i64, i16, i32, i8, i64, i64)>();
    let tagged = (any::<(i64, i64, i16, i16)>(), tags());
    let parts = (any::<bool>(), fixed, option::of(topics), tagged);
    parts.prop_map(|(flexible, fixed, topics, (known, unknown))| {
        let (id, epoch, timeout, status, update, start) = fixed;
        let (previous, next, client, next_epoch) = if flexible { known } else { (-1, -1, 0, -1) };
        let topic = |(topic, partition_ids, tagged_fields)| TopicPartitions {
            topic,
            partition_ids,
            tagged_fields: if flexible { tagged_fields } else { Vec::new() },
        };
        TransactionLogValue {
            version: if flexible {
                transaction_log::Version::V1
            } else {
                transaction_log::Version::V0
            },
            producer_id: ProducerId(id),
            previous_producer_id: ProducerId(previous),
            next_producer_id: ProducerId(next),
            producer_epoch: ProducerEpoch(epoch),
            next_producer_epoch: ProducerEpoch(next_epoch),
            transaction_timeout_ms: timeout,
            transaction_status: TransactionStatus::from_id(status),
            transaction_partitions: topics.map(|topics| topics.into_iter().map(topic).collect()),
            last_update_timestamp: Timestamp(update),
            start_timestamp: Timestamp(start),
            client_transaction_version: client,
            tagged_fields: if flexible { unknown } else { Vec::new() },
        }
    })
}

/// A topic's name as far as the files can hold it: no white space.
fn topic() -> impl Strategy<Value = String> {
    prop_oneof!["[a-zA-Z0-9._-]{1,40}", "[^\\s\\x0b\\x0c]{1,10}"]
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(|number| Value::Number(number.to_string())),
        Just(Value::Number("-12.50E+3".to_owned())),
        any::<String>().prop_map(Value::Text),
    ];
    leaf.prop_recursive(4, 20, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::List),
            vec((any::<String>(), inner), 0..4).prop_map(|members| Value::Object(Object(members))),
        ]
    })
}

proptest! {
    #[test]
    fn varints(small: i32, large: i64, unsigned: u32, behind in bytes(3)) {
        let write = |put: &dyn Fn(&mut Vec<u8>)| {
            let mut out = Vec::new();
            put(&mut out);
            out.extend(&behind);
            out
        };
        let out = write(&|out| varint::put_varint(small, out));
        prop_assert_eq!(varint::varint(&out), Ok((small, &behind[..])));
        let out = write(&|out| varint::put_varlong(large, out));
        prop_assert_eq!(varint::varlong(&out), Ok((large, &behind[..])));
        let out = write(&|out| varint::put_unsigned_varint(unsigned, out));
        prop_assert_eq!(varint::unsigned_varint(&out), Ok((unsigned, &behind[..])));
    }

    #[test]
    fn snapshots_of_both_versions(entries in vec(producer(), 0..6)) {
        for version in [Version::V1, Version::V2] {
            let mut expected = entries.clone();
            if version == Version::V1 {
                expected.iter_mut().for_each(|entry| entry.source_cluster_id = None);
            }
            let written = producer_snapshot::encode(version, &entries).unwrap();
            let read = producer_snapshot::decode(&written).unwrap();
            prop_assert_eq!(read.entries, expected);
            prop_assert_eq!((read.version, &read.faults), (version, &Vec::new()));
            prop_assert!(producer_snapshot::verify(&written).is_ok());
        }
    }

    #[test]
    fn indexes(
        base in 0..i64::MAX >> 1,
        steps in vec((0..i32::MAX, any::<i32>(), any::<i64>()), 0..8),
    ) {
        let base = Offset(base);
        let (mut offsets, mut times) = (Vec::new(), Vec::new());
        let (mut offset_bytes, mut time_bytes) = (Vec::new(), Vec::new());
        for (relative, position, timestamp) in steps {
            let offset = base.plus(relative.into());
            offsets.push(OffsetIndexEntry { offset, position });
            times.push(TimeIndexEntry { timestamp: Timestamp(timestamp), offset });
            offset_index::encode(offsets[offsets.len() - 1], base, &mut offset_bytes).unwrap();
            time_index::encode(times[times.len() - 1], base, &mut time_bytes).unwrap();
        }
        let read: Result<Vec<_>, _> = OffsetIndex::new(&offset_bytes[..], base).entries().collect();
        prop_assert_eq!(read, Ok(offsets));
        let read: Result<Vec<_>, _> = TimeIndex::new(&time_bytes[..], base).entries().collect();
        prop_assert_eq!(read, Ok(times));
    }

    #[test]
    fn transaction_indexes(numbers in vec(any::<(i64, i64, i64, i64)>(), 0..6)) {
        let mut written = Vec::new();
        let expected: Vec<_> = numbers.into_iter().map(|(id, first, last, stable)| {
            let txn = AbortedTxn {
                producer_id: ProducerId(id),
                first_offset: Offset(first),
                last_offset: Offset(last),
                last_stable_offset: Offset(stable),
            };
            txn_index::encode(&txn, &mut written);
            txn
        }).collect();
        let mut index = TxnIndex::new(&written[..]);
        let read: Result<Vec<_>, _> = index.entries().map(|Ok(entry)| entry).collect();
        prop_assert_eq!(read, Ok(expected));
    }

    #[test]
    fn transaction_log_records(transactional_id in bytes(40), value in transaction()) {
        let key = TransactionLogKey { transactional_id };
        prop_assert_eq!(TransactionLogKey::decode(&key.encode()), Ok(key));
        prop_assert_eq!(TransactionLogValue::decode(&value.encode()), Ok(value));
    }

    #[test]
    fn checkpoints(
        epochs in vec(any::<(i32, i64)>(), 0..8),
        offsets in vec((topic(), any::<i32>(), any::<i64>()), 0..8),
    ) {
        let epochs: Vec<_> = epochs.into_iter().map(|(epoch, start)| EpochEntry {
            leader_epoch: LeaderEpoch(epoch),
            start_offset: Offset(start),
        }).collect();
        let written = leader_epoch_checkpoint::encode(&epochs);
        prop_assert_eq!(leader_epoch_checkpoint::decode(&written), Ok(epochs));
        let offsets: Vec<_> = offsets.into_iter().map(|(topic, partition, offset)| OffsetEntry {
            topic,
            partition,
            offset: Offset(offset),
        }).collect();
        let written = offset_checkpoint::encode(&offsets).unwrap();
        prop_assert_eq!(offset_checkpoint::decode(&written), Ok(offsets));
    }

    #[test]
    fn small_text_files(version in 0..i32::MAX, id in uuid(), epoch: i64) {
        let file = CleanShutdown { version, broker_epoch: epoch };
        let written = clean_shutdown::encode(file);
        prop_assert_eq!(clean_shutdown::decode(&written), Ok(Some(file)));
        prop_assume!(id != Uuid::ZERO);
        let metadata = PartitionMetadata { version, topic_id: id };
        let written = partition_metadata::encode(&metadata);
        let read = partition_metadata::decode(&written).unwrap();
        prop_assert_eq!(read, metadata);
    }

    #[test]
    fn property_files(
        comments in vec("[ -~\\t]{0,20}", 0..3),
        entries in vec(any::<(String, String)>(), 0..6),
    ) {
        let file = Properties { comments, entries };
        prop_assert_eq!(properties::decode(&properties::encode(&file)), Ok(file));
    }

    #[test]
    fn json_objects(members in vec((any::<String>(), json_value()), 0..6)) {
        let object = Object(members);
        let written = json::encode(&object);
        prop_assert_eq!(json::decode(&written), Ok(object.clone()));
        // A reader of somebody else's agrees that it is JSON.
        prop_assert!(serde_json::from_slice::<serde_json::Value>(&written).is_ok());
    }

    #[test]
    fn quorum_states(numbers: [i32; 3], id in uuid(), more in json_value()) {
        let [leader, epoch, voted] = numbers;
        let mut file = format!(
            "{{\"leaderId\":{leader},\"leaderEpoch\":{epoch},\"votedId\":{voted},\
             \"votedDirectoryId\":\"{id}\",\"more\":"
        );
        json::put_value(&more, &mut file);
        file += ",\"data_version\":1}";
        let read = quorum_state::decode(file.as_bytes()).unwrap();
        prop_assert_eq!([read.leader_id, read.leader_epoch, read.voted_id], numbers);
        prop_assert_eq!(read.voted_directory_id, id);
        prop_assert_eq!(String::from_utf8(quorum_state::encode(&read)), Ok(file));
    }

    #[test]
    fn control_records(
        kind in control_type(),
        version in 0..=i16::MAX,
        coordinator: i32,
        cluster in bytes(40),
        tagged_fields in tags(),
    ) {
        let key = ControlKey { version, control_type: kind };
        prop_assert_eq!(ControlKey::decode(Some(&key.encode())), Ok(key));
        let marker = EndTxnMarker { version, coordinator_epoch: CoordinatorEpoch(coordinator) };
        prop_assert_eq!(EndTxnMarker::decode(Some(&marker.encode())), Ok(marker));
        let bare = MirrorPidReset::Bare { version };
        prop_assert_eq!(MirrorPidReset::decode(bare.encode().as_deref()), bare);
        let source_cluster_id = cluster;
        let sourced = MirrorPidReset::Sourced { version, source_cluster_id, tagged_fields };
        prop_assert_eq!(MirrorPidReset::decode(sourced.encode().as_deref()), sourced);
    }

    #[test]
    fn kraft_messages(
        version: i16,
        kraft_version: i16,
        timestamp: i64,
        tagged_fields in tags(),
        leader_change in leader_change(),
        voters in voters(),
    ) {
        let header = SnapshotHeader {
            version,
            last_contained_log_timestamp: Timestamp(timestamp),
            tagged_fields: tagged_fields.clone(),
        };
        prop_assert_eq!(SnapshotHeader::decode(&header.encode()), Ok(header));
        let footer = SnapshotFooter { version, tagged_fields: tagged_fields.clone() };
        prop_assert_eq!(SnapshotFooter::decode(&footer.encode()), Ok(footer));
        let protocol = KRaftVersion { version, kraft_version, tagged_fields };
        prop_assert_eq!(KRaftVersion::decode(&protocol.encode()), Ok(protocol));
        prop_assert_eq!(LeaderChange::decode(&leader_change.encode()), Ok(leader_change));
        prop_assert_eq!(Voters::decode(&voters.encode()), Ok(voters));
    }

    /// The bytes are laid out here a second time, as a message has its fields in order.
    #[test]
    fn legacy_messages(
        offset: i64,
        magic in 0..2_u8,
        attributes in 0..16_i8,
        timestamp: i64,
        key in option::of(bytes(20)),
        value in option::of(bytes(60)),
    ) {
        let mut body = vec![magic, attributes.cast_unsigned()];
        if magic == 1 {
            body.extend(timestamp.to_be_bytes());
        }
        for part in [&key, &value] {
            let size = part.as_ref().map_or(-1, |part| part.len() as i32);
            body.extend(size.to_be_bytes());
            body.extend(part.as_deref().unwrap_or_default());
        }
        let mut message = offset.to_be_bytes().to_vec();
        message.extend((body.len() as i32 + 4).to_be_bytes());
        message.extend(Kind::Crc32.of(&body).to_be_bytes());
        message.extend(&body);
        let read = LegacyRecord::decode(&message).unwrap();
        prop_assert_eq!((read.offset, read.magic), (Offset(offset), magic));
        prop_assert_eq!((read.key, read.value), (key.as_deref(), value.as_deref()));
        prop_assert!(read.is_valid());
        let mut written = Vec::new();
        read.encode(&mut written);
        prop_assert_eq!(written, message);
    }

    #[test]
    fn arbitrary_bytes(bytes in bytes(300)) {
        crate::fuzz::bodies::segment(&bytes);
        crate::fuzz::bodies::small_file(&bytes);
        crate::fuzz::bodies::payload(&bytes);
        crate::fuzz::bodies::structures(&bytes);
    }
}
