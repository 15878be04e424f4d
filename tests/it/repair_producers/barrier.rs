//! `repair barrier`.

use std::fs;

use kfsck::format::mirror_reset::MirrorPidReset;
use kfsck::format::number::{Offset, ProducerId, Timestamp};
use kfsck::repair::barrier::{Barrier, plan};
use kfsck::repair::content::{Content, Piece};
use kfsck::repair::plan::Action;
use kfsck::storage::directory::PartitionDirectory;

use super::{carried_out, last_log, loaded, partition, producers, terms};
use crate::batches::message;
use crate::repair::contents;
use crate::txns::log::Log;

const TIME: Timestamp = Timestamp(1_774_000_000_000);

fn named() -> Barrier {
    Barrier {
        value: MirrorPidReset::Sourced {
            version: 0,
            source_cluster_id: b"ABEiM0RVZneImaq7zN3u_w".to_vec(),
            tagged_fields: Vec::new(),
        },
        timestamp: TIME,
    }
}

fn bare() -> Barrier {
    Barrier {
        value: MirrorPidReset::Bare { version: 0 },
        timestamp: TIME,
    }
}

fn hex(text: &str) -> Vec<u8> {
    let digits: String = text.split_whitespace().collect();
    let pairs = digits.as_bytes().chunks(2);
    let text = pairs.map(|pair| std::str::from_utf8(pair).unwrap());
    text.map(|pair| u8::from_str_radix(pair, 16).unwrap())
        .collect()
}

/// The batch of layout B at offset 3, labelled by hand but for its checksum.
const BARE: &str = "0000000000000003 0000003f 00000000 02 ________ 0020 00000000
    0000019d0aa3cc00 0000019d0aa3cc00 ffffffffffffffff ffff ffffffff 00000001
    1a 00 00 00 08 0000 0007 06 0000 00 00";

#[test]
fn the_epoch_of_a_leader_that_has_written_nothing_is_not_gone_below() {
    let place = tempfile::tempdir().unwrap();
    let log = Log::default().plain().plain();
    let directory = partition(place.path(), "orders-0", &[&log]);
    let epochs = directory.join("leader-epoch-checkpoint");
    fs::write(&epochs, "0\n2\n0 0\n4 2\n").unwrap();
    let (made, result) = carried_out(&directory, &|listed| plan(listed, &bare(), &terms()));
    assert!(
        made.warnings
            .iter()
            .any(|text| text.contains("leader epoch 4"))
    );
    let (_, bytes) = last_log(&result);
    assert_eq!(bytes[log.bytes.len()..][12..16], [0, 0, 0, 4]);
    let after = fs::read_to_string(result.join("leader-epoch-checkpoint")).unwrap();
    assert_eq!(after, "0\n2\n0 0\n4 2\n");
}

#[test]
fn a_barrier_of_either_layout_comes_behind_the_last_batch() {
    for (barrier, size) in [(named(), 98), (bare(), 75)] {
        let place = tempfile::tempdir().unwrap();
        let log = Log::default().data(5, 0).commit(5, 0).plain();
        let directory = partition(place.path(), "orders-0", &[&log]);
        let before = loaded(&directory, false);
        let (made, result) = carried_out(&directory, &|listed| plan(listed, &barrier, &terms()));
        let (name, bytes) = last_log(&result);
        assert_eq!(name, "00000000000000000000.log");
        assert_eq!(bytes[..log.bytes.len()], log.bytes);
        assert_eq!(bytes.len(), log.bytes.len() + size);
        let step = &made.steps[0];
        assert_eq!(
            (step.action, step.offset),
            (Action::Append, Some(Offset(3)))
        );
        assert_eq!(
            (made.kept.records, made.kept.last_offset),
            (4, Some(Offset(3)))
        );
        let after = loaded(&result, false);
        assert_eq!(after.log_end_offset, Offset(4));
        // A stock broker passes over it.
        assert_eq!(producers(&after), producers(&before));
        assert_eq!(after.snapshots, [Offset(4)]);
        if size == 75 {
            let mut batch = bytes[log.bytes.len()..].to_vec();
            let expected = hex(&BARE.replace('_', "0"));
            batch[17..21].fill(0);
            assert_eq!(batch, expected);
        }
    }
}

#[test]
fn the_same_time_gives_the_same_bytes_whatever_the_replica() {
    let logs = [false, true].map(|is_damaged| {
        let place = tempfile::tempdir().unwrap();
        let log = Log::default().data(5, 0).commit(5, 0);
        let directory = partition(place.path(), "orders-0", &[&log]);
        // Replicas need not have the same snapshots.
        for (name, _) in contents(&directory) {
            if name.ends_with(".snapshot") && is_damaged {
                fs::write(directory.join(&name), [0; 9]).unwrap();
            }
        }
        let listed = PartitionDirectory::list(&directory);
        let made = plan(&listed, &bare(), &terms()).unwrap();
        format!("{:?}", made.file("00000000000000000000.log"))
    });
    assert_eq!(logs[0], logs[1]);
}

/// Old messages have no leader epoch, and their checksums lie where newer batches have theirs.
#[test]
fn behind_old_messages_a_barrier_has_the_first_leader_epoch() {
    let place = tempfile::tempdir().unwrap();
    let directory = place.path().join("orders-0");
    fs::create_dir(&directory).unwrap();
    let old = [b"a", b"b", b"c", b"d"].map(|value| message(1, 0, value));
    // A checksum that would be an epoch.
    let old = old.iter().find(|message| message[12] < 0x80).unwrap();
    fs::write(directory.join("00000000000000000000.log"), old).unwrap();
    let made = plan(&PartitionDirectory::list(&directory), &bare(), &terms()).unwrap();
    let file = made.file("00000000000000000000.log").unwrap();
    let Content::Pieces(pieces) = &file.content else {
        panic!("{file:?}");
    };
    let Some(Piece::Bytes(batch)) = pieces.last() else {
        panic!("{pieces:?}");
    };
    assert_eq!(batch[12..16], [0; 4]);
}

#[test]
fn one_at_the_end_is_enough() {
    let place = tempfile::tempdir().unwrap();
    let log = Log::default().data(5, 0).commit(5, 0).barrier();
    let directory = partition(place.path(), "orders-0", &[&log]);
    let made = plan(&PartitionDirectory::list(&directory), &named(), &terms()).unwrap();
    assert!(made.is_empty());
    assert!(made.warnings[0].contains("ends with a barrier"));
    // Behind other batches it is another matter.
    let log = Log::default().barrier().data(5, 0).commit(5, 0);
    let directory = partition(place.path(), "orders-1", &[&log]);
    carried_out(&directory, &|listed| plan(listed, &named(), &terms()));
}

#[test]
fn an_open_transaction_across_it_is_told() {
    let place = tempfile::tempdir().unwrap();
    let log = Log::default().data(5, 0);
    let directory = partition(place.path(), "orders-0", &[&log]);
    let (made, result) = carried_out(&directory, &|listed| plan(listed, &bare(), &terms()));
    let told = |text: &str| made.warnings.iter().any(|warning| warning.contains(text));
    assert!(told("producer 5 is open from offset 0"), "{made:#?}");
    assert!(told("all replicas") || told("every replica"));
    let after = loaded(&result, false);
    let open: Vec<_> = after
        .manager
        .ongoing()
        .map(|open| open.producer_id)
        .collect();
    assert_eq!(open, [ProducerId(5)]);
    let closed = Log::default().data(5, 0).commit(5, 0);
    let directory = partition(place.path(), "orders-1", &[&closed]);
    let made = plan(&PartitionDirectory::list(&directory), &bare(), &terms()).unwrap();
    assert!(
        !made
            .warnings
            .iter()
            .any(|warning| warning.contains("is open"))
    );
}
