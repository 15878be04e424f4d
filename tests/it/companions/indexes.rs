//! Offset and time indexes.

use kfsck::analysis::log_findings::Severity::{Error, Note, Warning};

use super::scene::{Scene, told};
use crate::batches::Batch;

const LOG: &str = "00000000000000000000.log";
const INDEX: &str = "00000000000000000000.index";
const TIMES: &str = "00000000000000000000.timeindex";
const LAST_TIMES: &str = "00000000000000000147.timeindex";

/// Relative offset and position.
fn entry(offset: i32, position: i32) -> Vec<u8> {
    [offset.to_be_bytes(), position.to_be_bytes()].concat()
}

/// Timestamp and relative offset.
fn time(timestamp: i64, offset: i32) -> Vec<u8> {
    [&timestamp.to_be_bytes()[..], &offset.to_be_bytes()].concat()
}

#[test]
fn an_entry_that_leads_elsewhere() {
    for (number, changed, offset) in [
        // The batch there ends with 19.
        (0, entry(18, 1155), 18),
        (0, entry(23, 1155), 23),
        // In the middle of a batch.
        (1, entry(31, 2186), 31),
        (1, entry(31, 2184), 31),
    ] {
        let scene = Scene::of("txn-both-0");
        let position = number * 8;
        scene.edit(INDEX, |bytes| {
            bytes.splice(position..position + 8, changed);
        });
        let expected = told(Error, "index-mismatch", INDEX, position as u64, offset);
        assert_eq!(scene.told(), [expected]);
        // The start makes it anew.
        scene.kill();
        scene.write_beside("recovery-point-offset-checkpoint", b"0\n0\n");
        assert_eq!(scene.told()[0].0, Warning);
        // Where nobody knows of a start it stays an error.
        scene.take_away();
        assert_eq!(scene.told()[0].0, Error);
    }
}

#[test]
fn entries_that_break_the_rules_of_an_index() {
    for (bytes, position, offset) in [
        (vec![entry(19, 1155), entry(31, 4000)], 8, Some(31)),
        (vec![entry(19, 1155), entry(19, 2185)], 8, Some(19)),
        (vec![entry(-1, 1155), entry(31, 2185)], 0, Some(-1)),
        (vec![entry(19, -1155), entry(31, 2185)], 0, Some(19)),
        (vec![entry(300, 3000), entry(31, 2185)], 8, Some(31)),
        (vec![entry(19, 1155), entry(31, 2185), vec![0; 3]], 16, None),
        // The first entry of zeros may be one; what follows it does not rise.
        (vec![vec![0; 24], entry(31, 2185)], 8, Some(0)),
    ] {
        let scene = Scene::of("txn-both-0");
        scene.write(INDEX, &bytes.concat());
        let all = scene.told();
        assert_eq!(
            all[0],
            told(Error, "index-corrupt", INDEX, position, offset),
            "{all:?}"
        );
    }
}

#[test]
fn many_wrong_entries_are_one_finding() {
    let scene = Scene::of("txn-both-0");
    scene.write(INDEX, &[entry(18, 1155), entry(30, 2185)].concat());
    let finding = scene.only("index-mismatch");
    assert!(
        finding.message.ends_with("; 1 more case in this file"),
        "{}",
        finding.message
    );
}

#[test]
fn an_index_that_is_not_there() {
    let scene = Scene::of("txn-both-0");
    scene.remove(TIMES);
    let alone = scene.only("index-missing").message;
    assert!(alone.contains("makes an empty one"), "{alone}");
    scene.remove(INDEX);
    for finding in scene.findings() {
        assert!(finding.message.contains("segment again"), "{finding:?}");
    }
    assert_eq!(
        scene.told(),
        [
            told(Warning, "index-missing", INDEX, None, None),
            told(Warning, "index-missing", TIMES, None, None),
        ]
    );
}

/// Brokers before 4.0 wrote one entry for all batches of an append: the place of the first and the
/// last offset of the last.
#[test]
fn an_entry_of_several_batches_is_none_of_damage() {
    let scene = Scene::of("txn-both-0");
    // From the batch of 15 to 19 to that of 22 to 24, and on to 25 to 29.
    scene.write(INDEX, &[entry(24, 1155), entry(31, 2087)].concat());
    assert_eq!(scene.told(), []);
    for (offset, next) in [(23, 31), (30, 31)] {
        // No batch ends with 23; the next entry begins before the batch that ends with 30.
        scene.write(INDEX, &[entry(offset, 1155), entry(next, 1795)].concat());
        let expected = told(Error, "index-mismatch", INDEX, 0, i64::from(offset));
        assert_eq!(scene.told(), [expected]);
    }
}

#[test]
fn preallocated_space_is_no_entry_and_a_clean_stop_leaves_none() {
    let scene = Scene::of("txn-both-0");
    scene.edit("00000000000000000147.index", |bytes| bytes.resize(8192, 0));
    scene.edit(LAST_TIMES, |bytes| bytes.resize(12 * 700, 0));
    let expected = told(Error, "index-corrupt", LAST_TIMES, 12, None);
    assert_eq!(scene.told(), [expected]);
    scene.kill();
    assert_eq!(scene.told(), []);
}

#[test]
fn an_index_that_leads_into_damage_is_not_told_twice() {
    let scene = Scene::of("txn-both-0");
    scene.edit(LOG, |bytes| bytes[1155..1447].fill(0xee));
    assert_eq!(scene.told(), []);
}

#[test]
fn a_time_that_is_not_its_batchs() {
    for (number, changed, offset) in [
        (0, time(1_587_773_232_683, 19), 19),
        (1, time(1_796_013_449_147, 30), 30),
        (2, time(1_796_013_449_156, 35), 35),
    ] {
        let scene = Scene::of("txn-both-0");
        scene.edit(TIMES, |bytes| {
            bytes.splice(number * 12..number * 12 + 12, changed);
        });
        let expected = told(
            Error,
            "time-index-mismatch",
            TIMES,
            number as u64 * 12,
            offset,
        );
        assert_eq!(scene.told()[0], expected);
    }
}

#[test]
fn times_that_break_the_rules_of_an_index() {
    let (first, second) = (time(1_587_773_232_684, 19), time(1_796_013_449_147, 31));
    let last = time(1_796_013_449_156, 34);
    for (bytes, position) in [
        (vec![first.clone(), first.clone(), last.clone()], 12),
        (vec![time(-5, 19), second.clone(), last.clone()], 0),
        (
            vec![time(1_587_773_232_684, -2), second.clone(), last.clone()],
            0,
        ),
        (vec![second.clone(), first.clone(), last.clone()], 12),
        (vec![first, second, last, vec![0; 5]], 36),
    ] {
        let scene = Scene::of("txn-both-0");
        scene.write(TIMES, &bytes.concat());
        let all = scene.told();
        assert!(
            all.iter().any(|told| {
                (told.0, told.1, told.3) == (Error, "index-corrupt", Some(position))
            }),
            "{all:?}"
        );
    }
}

/// Brokers before 4.0 named the record, not its batch's last offset.
#[test]
fn the_offset_of_the_record_itself_is_none_of_damage() {
    let scene = Scene::of("txn-both-0");
    scene.edit(TIMES, |bytes| {
        bytes.splice(..12, time(1_587_773_232_684, 16));
    });
    assert_eq!(scene.told(), []);
}

#[test]
fn a_closed_segment_whose_index_does_not_reach_its_greatest_time() {
    let scene = Scene::of("txn-both-0");
    scene.edit(TIMES, |bytes| bytes.truncate(24));
    let expected = told(Warning, "time-index-mismatch", TIMES, None, 34);
    assert_eq!(scene.told(), [expected]);
    // As a broker leaves it that starts without one.
    scene.write(TIMES, &[]);
    let finding = scene.only("time-index-mismatch");
    assert!(
        finding.message.contains("there is no entry"),
        "{}",
        finding.message
    );
    let scene = Scene::of("txn-both-0");
    scene.write(LAST_TIMES, &[]);
    assert_eq!(scene.told().len(), 1);
    // The last segment of a broker that was killed is not closed.
    scene.kill();
    assert_eq!(scene.told(), []);
}

#[test]
fn an_entry_that_an_earlier_batch_overtakes() {
    let scene = Scene::of("idem-0");
    let batch = |offset, timestamp| {
        let batch = Batch {
            timestamp,
            ..Batch::new(offset)
        };
        batch.record(None, None).encode()
    };
    scene.write(LOG, &[batch(0, 50), batch(1, 20), batch(2, 60)].concat());
    scene.write(INDEX, &[]);
    scene.write("leader-epoch-checkpoint", b"0\n1\n0 0\n");
    for name in [
        "replication-offset-checkpoint",
        "recovery-point-offset-checkpoint",
    ] {
        scene.write_beside(name, b"0\n1\nidem 0 3\n");
    }
    scene.write(TIMES, &[time(50, 0), time(60, 2)].concat());
    assert_eq!(scene.told(), []);
    scene.write(TIMES, &[time(20, 1), time(60, 2)].concat());
    let expected = told(Warning, "time-index-mismatch", TIMES, 0, 1);
    assert_eq!(scene.told(), [expected]);
}

/// The log cleaner keeps the header of a batch whose records are gone, and indexes it by that.
#[test]
fn an_emptied_batch_bears_out_the_time_of_its_header() {
    let scene = Scene::of("idem-0");
    let emptied = Batch {
        last_offset_delta: 4,
        timestamp: 50,
        ..Batch::new(0)
    };
    scene.write(LOG, &emptied.encode());
    scene.write(INDEX, &[]);
    scene.write("leader-epoch-checkpoint", b"0\n1\n0 0\n");
    for name in [
        "replication-offset-checkpoint",
        "recovery-point-offset-checkpoint",
    ] {
        scene.write_beside(name, b"0\n1\nidem 0 5\n");
    }
    scene.write(TIMES, &time(50, 4));
    assert_eq!(scene.told(), []);
    scene.write(TIMES, &time(51, 4));
    assert_eq!(scene.told()[0].1, "time-index-mismatch");
}

#[test]
fn an_index_in_a_directory_on_its_way_out_is_a_note() {
    let name = "gone.topic-0.c7e07dc5b22e46719f191e5b78e48730-delete";
    let scene = Scene::of(name);
    scene.remove(INDEX);
    assert_eq!(scene.told(), []);
    assert!(
        scene
            .all_told()
            .contains(&told(Note, "index-missing", INDEX, None, None))
    );
}
