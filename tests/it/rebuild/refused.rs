//! What a partition's writer refuses, and what it then leaves alone.

use std::fs;
use std::path::Path;

use kfsck::format::number::{Offset, ProducerId};
use kfsck::format::txn_index::AbortedTxn;
use kfsck::rebuild::error::WriteError;
use kfsck::rebuild::partition::{PartitionOptions, PartitionWriter};
use kfsck::storage::partition_name::PartitionName;

use crate::batches::{Batch, LEADER_EPOCH_AT, MAGIC_AT, plain};
use crate::corpus;

fn options(place: &Path) -> PartitionOptions {
    let partition = PartitionName {
        topic: "topic".into(),
        partition: 0,
        state: None,
    };
    PartitionOptions {
        segment_bytes: 1000,
        index_interval_bytes: 0,
        segment_index_bytes: 36,
        ..PartitionOptions::new(place, partition)
    }
}

fn with(place: &Path, change: impl FnOnce(&mut PartitionOptions)) -> Result<(), WriteError> {
    let mut options = options(place);
    change(&mut options);
    PartitionWriter::create(&options).map(drop)
}

#[test]
fn a_directory_that_holds_something_is_left_alone() {
    let place = tempfile::tempdir().unwrap();
    let directory = place.path().join("topic-0");
    fs::create_dir(&directory).unwrap();
    fs::write(directory.join("notes"), "mine").unwrap();
    let error = with(place.path(), |_| {}).unwrap_err();
    assert!(matches!(&error, WriteError::Occupied { found, .. } if found == "notes"));
    assert!(
        error
            .to_string()
            .contains("expected no directory or an empty one")
    );
    assert_eq!(corpus::files(&directory), [directory.join("notes")]);

    fs::remove_file(directory.join("notes")).unwrap();
    with(place.path(), |_| {}).unwrap();
}

#[test]
fn names_and_settings_that_cannot_be_make_nothing() {
    let place = tempfile::tempdir().unwrap();
    for topic in ["../up", "a/b", "", ".", "/root"] {
        let named = with(place.path(), |options| {
            options.partition.topic = topic.into();
        });
        // `.-0` is a name like any other.
        assert_eq!(named.is_ok(), topic == ".", "{topic}");
    }
    let negative = with(place.path(), |options| options.partition.partition = -1);
    assert!(matches!(negative, Err(WriteError::Name { .. })));
    for change in [
        |options: &mut PartitionOptions| options.segment_bytes = 0,
        |options: &mut PartitionOptions| options.segment_bytes = 1 << 31,
        |options: &mut PartitionOptions| options.segment_index_bytes = 11,
    ] {
        let refused = with(place.path(), change);
        assert!(matches!(refused, Err(WriteError::Setting { .. })));
    }
    let made: Vec<_> = fs::read_dir(place.path()).unwrap().collect();
    assert_eq!(made.len(), 1);
}

/// Every kind of bytes that no broker appends; the good batch behind them still comes.
#[test]
fn what_a_broker_refuses_changes_nothing() {
    let place = tempfile::tempdir().unwrap();
    let mut writer = PartitionWriter::create(&options(place.path())).unwrap();
    writer.append(&plain(5, b"first"), Vec::new).unwrap();

    let mut old_magic = plain(6, b"second");
    old_magic[MAGIC_AT] = 1;
    let mut no_epoch = plain(6, b"second");
    no_epoch[LEADER_EPOCH_AT..LEADER_EPOCH_AT + 4].fill(0xff);
    let mut cut = plain(6, b"second");
    cut.pop();
    let mut backwards = Batch::new(6);
    backwards.last_offset_delta = -1;
    let far = i64::from(i32::MAX) + 10;
    let apart = [plain(6, b"second"), plain(far, b"far")].concat();
    let twice = [plain(6, b"second"), plain(6, b"again")].concat();
    for (bytes, expected) in [
        (old_magic, "magic at byte 16: expected 2, found 1"),
        (no_epoch, "leader epoch of 0 or more, found -1"),
        (cut, "batch at byte 0: expected "),
        (plain(5, b"again"), "offset 5: expected 6 or more"),
        (twice, "offset 6: expected 7 or more"),
        (backwards.encode(), "offset 5: expected 6 or more"),
        (plain(6, &[0; 1000]), "more than segment.bytes, 1000"),
        (vec![7; 20], "magic"),
        // No segment can hold both.
        (apart, "more than 2147483647 above 6"),
    ] {
        let error = writer.append(&bytes, Vec::new).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert!(writer.rolls_before(&bytes).is_err());
    }
    assert_eq!(writer.log_end_offset(), Offset(6));
    assert_eq!(writer.append(&[], Vec::new).unwrap().position, 74);
}

/// An entry before each batch but the first, and room for four.
#[test]
fn one_append_may_not_fill_an_index() {
    let place = tempfile::tempdir().unwrap();
    let mut writer = PartitionWriter::create(&options(place.path())).unwrap();
    let many: Vec<u8> = (0..6).flat_map(|offset| plain(offset, b"v")).collect();
    let error = writer.append(&many, Vec::new).unwrap_err();
    assert!(matches!(error, WriteError::IndexFull { .. }), "{error}");
    assert!(error.to_string().contains("segment.index.bytes"));
}

#[test]
fn aborted_transactions_come_in_the_order_of_their_ends() {
    let place = tempfile::tempdir().unwrap();
    let mut writer = PartitionWriter::create(&options(place.path())).unwrap();
    let mut txn = AbortedTxn {
        producer_id: ProducerId(1),
        first_offset: Offset(0),
        last_offset: Offset(4),
        last_stable_offset: Offset(5),
    };
    writer.add_aborted(&txn).unwrap();
    let error = writer.add_aborted(&txn).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("ends at offset 4: expected more than 4")
    );
    txn.last_offset = Offset(5);
    writer.add_aborted(&txn).unwrap();
}

/// Cut anywhere no batch is taken; with any bit flipped it is refused or appended, and never more
/// than it is.
#[test]
fn damaged_bytes_are_refused_or_taken_as_they_are() {
    let good = plain(0, b"v");
    let place = tempfile::tempdir().unwrap();
    let mut writer = PartitionWriter::create(&options(place.path())).unwrap();
    for length in 1..good.len() {
        writer.append(&good[..length], Vec::new).unwrap_err();
    }
    assert_eq!(writer.log_end_offset(), Offset(0));
    let mut taken = 0;
    for bit in 0..good.len() * 8 {
        let mut flipped = good.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let place = tempfile::tempdir().unwrap();
        let mut writer = PartitionWriter::create(&options(place.path())).unwrap();
        if writer.append(&flipped, Vec::new).is_ok() {
            let written = writer.close(&[]).unwrap();
            let active = written.segments.last().unwrap();
            let log = written.directory.join(format!("{active:020}.log"));
            assert_eq!(fs::read(log).unwrap(), flipped, "bit {bit}");
            taken += 1;
        }
    }
    // Offsets, epochs and all under the checksum may be anything that has an order.
    assert!(taken > 400, "{taken} flips");
}
