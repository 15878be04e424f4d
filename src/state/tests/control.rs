//! What the first record of a control batch may say.

use super::log::{Bytes, CONTROL, Log, TRANSACTIONAL, kept, marker_value, recovered, refusal};
use crate::format::number::ProducerId;
use crate::state::append::Append;
use crate::state::batch::{Control, any_control, control};
use crate::storage::segment::contents::{BatchReader, DEFAULT_MAX_RECORD_BYTES};
use crate::storage::segment::walk::Span;
use crate::storage::source::Source;

/// What a load says to a control record of producer 5.
fn said(key: Bytes, value: Bytes) -> String {
    let log = Log::new().write(|batch| {
        (batch.pid, batch.epoch, batch.attributes) = (5, 0, TRANSACTIONAL | CONTROL);
        batch.control = Some((key, value));
    });
    refusal(&Log::new(), Append::LOAD, &log)
}

/// The texts are those that `EndTransactionMarker.deserialize` 4.4.0 gave for the same bytes.
#[test]
fn what_is_no_end_marker_ends_a_broker() {
    let (commit, value) = (Some(vec![0, 0, 0, 1]), Some(marker_value(0, 4)));
    for (key, value, text) in [
        (
            None,
            value.clone(),
            "NullPointerException: Cannot invoke \"java.nio.ByteBuffer.duplicate()\" because \
             \"key\" is null",
        ),
        (
            Some(vec![0, 0, 0]),
            value.clone(),
            "InvalidRecordException: Invalid value size found for control record key. Must have \
             at least 4 bytes, but found only 3",
        ),
        (
            Some(vec![0xff, 0xff, 0, 0]),
            value.clone(),
            "InvalidRecordException: Invalid version found for control record: -1. May indicate \
             data corruption",
        ),
        (
            Some(vec![0, 0, 0, 7]),
            value.clone(),
            "IllegalArgumentException: Invalid control record type for end transaction marker \
             UNKNOWN",
        ),
        (
            Some(vec![0, 0, 0, 2]),
            None,
            "IllegalArgumentException: Invalid control record type for end transaction marker \
             LEADER_CHANGE",
        ),
        (
            commit.clone(),
            None,
            "NullPointerException: Cannot invoke \"java.nio.ByteBuffer.getShort()\" because \
             \"value\" is null",
        ),
        (
            commit.clone(),
            Some(vec![0; 5]),
            "BufferUnderflowException: null",
        ),
        (
            commit,
            Some(vec![0xff, 0xfe, 0, 0, 0, 0]),
            "InvalidRecordException: Invalid version found for end transaction marker: -2. May \
             indicate data corruption",
        ),
    ] {
        assert_eq!(said(key, value), text);
    }
}

#[test]
fn a_marker_of_a_later_version_is_read_as_the_first() {
    let log = Log::new()
        .txn(5, 0, 0, 1)
        .control(5, 0, 1, Some(marker_value(9, 4)));
    let entry = recovered(&log).producers().get(ProducerId(5)).unwrap();
    assert_eq!(entry.coordinator_epoch.0, 4);
}

#[test]
fn a_control_batch_without_its_record_makes_an_unknown_producer_known_and_ends_nothing() {
    let empty = |log: Log| {
        log.write(|batch| {
            (batch.pid, batch.epoch, batch.attributes) = (5, 0, TRANSACTIONAL | CONTROL);
            batch.records = 0;
        })
    };
    assert_eq!(empty(Log::new()).batches()[0].1, Some(Control::NoRecord));
    let manager = recovered(&empty(Log::new()));
    let entry = manager.producers().get(ProducerId(5)).unwrap();
    assert_eq!((entry.producer_epoch.0, entry.last_timestamp.0), (-1, -1));
    let manager = recovered(&empty(Log::new().txn(5, 0, 0, 1)));
    assert_eq!(manager.ongoing().count(), 1);
    assert_eq!(kept(&manager, 5), [(0, 0)]);
}

#[test]
fn only_the_first_record_of_a_control_batch_counts() {
    let log = Log::new().txn(5, 0, 0, 1).write(|batch| {
        (batch.pid, batch.epoch, batch.attributes) = (5, 0, TRANSACTIONAL | CONTROL);
        batch.control = Some((Some(vec![0, 0, 0, 0]), Some(marker_value(0, 4))));
        batch.records = 3;
    });
    let batches = log.batches();
    let Some(Control::Marker(marker)) = &batches[1].1 else {
        panic!("{batches:?}");
    };
    assert!(marker.is_abort);
}

/// The short way of a marker that is as coordinators write it knows when it is not: with any one
/// byte changed it says what the records say.
#[test]
fn a_marker_says_the_same_the_short_way() {
    let mut usual = 0;
    for log in [Log::new().commit(5, 3, 7), Log::new().abort(5, 3, -1)] {
        let bytes = log.bytes();
        assert_eq!(bytes.len(), 78);
        for at in 16..bytes.len() {
            for value in [0, 1, 2, 3, 8, 12, 0x20, 0x30, 0x31, 0x38, 0x70, 0x80, 0xff] {
                let mut changed = bytes.clone();
                changed[at] = value;
                // A byte that is there anyway leaves the short way open.
                usual += u32::from(changed == bytes);
                let source = Source::from_bytes("0.log", changed);
                let mut reader = BatchReader::new(&source, DEFAULT_MAX_RECORD_BYTES);
                let span = Span {
                    position: 0,
                    size: 78,
                    magic: source.as_slice().unwrap()[16].min(2),
                };
                let short = control(&mut reader.load(span).unwrap()).unwrap();
                let long = any_control(&mut reader.load(span).unwrap()).unwrap();
                assert_eq!(short, long, "byte {at} is {value}");
            }
        }
    }
    assert!(usual > 40, "{usual}");
}
