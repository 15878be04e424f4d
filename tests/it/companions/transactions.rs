//! Transaction indexes and leader epochs.

use kfsck::analysis::log_findings::Severity::{Error, Note, Warning};

use super::scene::{Scene, told};

const INDEX: &str = "00000000000000000048.txnindex";
const EPOCHS: &str = "leader-epoch-checkpoint";
/// Where fields of an entry stand, and its size.
const PRODUCER: usize = 2;
const FIRST: usize = 10;
const LAST: usize = 18;
const STABLE: usize = 26;
const SIZE: usize = 34;

#[test]
fn a_transaction_index_that_is_not_there() {
    let scene = Scene::of("txn-both-0");
    scene.remove(INDEX);
    let finding = scene.only("txn-index-missing");
    assert_eq!(finding.severity, Error);
    assert_eq!(
        (finding.offset.unwrap().0, finding.producer_id.unwrap().0),
        (76, 26)
    );
    assert!(finding.message.ends_with("; 1 more case in this file"));
    assert!(
        finding.message.contains("does not notice"),
        "{}",
        finding.message
    );
    // After a kill the start makes it anew, where it reads the segment again.
    scene.kill();
    assert_eq!(scene.told()[0].0, Error, "flushed before");
    scene.write_beside("recovery-point-offset-checkpoint", b"0\n1\ntxn-both 0 60\n");
    assert_eq!(scene.told(), []);
    assert_eq!(scene.only("txn-index-missing").severity, Note);
    // Without aborted transactions there is none.
    let scene = Scene::of("idem-0");
    assert!(!scene.path("00000000000000000000.txnindex").exists());
}

#[test]
fn entries_that_are_wrong_or_too_few_or_too_many() {
    type Change = fn(&mut Vec<u8>);
    let cases: [(Change, u64, i64); 6] = [
        (|bytes| bytes[PRODUCER + 7] += 1, 0, 78),
        (|bytes| bytes[FIRST + 7] += 1, 0, 78),
        (|bytes| bytes[SIZE + FIRST + 7] -= 1, 34, 90),
        // Of a marker that is not there; the one of the true offset is then missing.
        (|bytes| bytes[LAST + 7] = 77, 0, 77),
        (|bytes| bytes.extend_from_within(SIZE..), 68, 90),
        (|bytes| drop(bytes.drain(..SIZE)), u64::MAX, 76),
    ];
    for (change, position, offset) in cases {
        let scene = Scene::of("txn-both-0");
        scene.edit(INDEX, change);
        let position = Some(position).filter(|position| *position < u64::MAX);
        let expected = told(Error, "txn-index-mismatch", INDEX, position, offset);
        let all = scene.told();
        assert!(all.contains(&expected), "{all:?}");
    }
}

#[test]
fn the_last_stable_offset_depends_on_what_was_appended_together() {
    let scene = Scene::of("txn-both-0");
    scene.edit(INDEX, |bytes| bytes[STABLE + 7] -= 3);
    assert_eq!(scene.told(), []);
    // But one above what follows ends a broker's search.
    for (entry, offset) in [(0, 78), (SIZE, 90)] {
        let scene = Scene::of("txn-both-0");
        scene.edit(INDEX, |bytes| bytes[entry + STABLE + 3] ^= 8);
        let position = entry as u64;
        let expected = told(Error, "txn-index-mismatch", INDEX, position, offset);
        assert_eq!(scene.told(), [expected]);
    }
}

#[test]
fn entries_that_no_broker_reads() {
    let scene = Scene::of("txn-both-0");
    scene.edit(INDEX, |bytes| bytes.extend([0; 20]));
    assert_eq!(
        scene.told(),
        [told(Error, "index-corrupt", INDEX, 68, None)]
    );
    let scene = Scene::of("txn-both-0");
    scene.edit(INDEX, |bytes| bytes[SIZE + 1] = 1);
    let finding = scene.only("index-corrupt");
    assert_eq!((finding.severity, finding.position), (Error, Some(34)));
    assert!(
        finding.message.contains("does not start"),
        "{}",
        finding.message
    );
    // Preallocated: version 0, and all offsets below the segment.
    let scene = Scene::of("txn-both-0");
    scene.edit(INDEX, |bytes| bytes.extend([0; SIZE]));
    assert_eq!(scene.told(), [told(Error, "index-corrupt", INDEX, 68, 0)]);
}

#[test]
fn an_entry_whose_marker_cannot_be_read_is_not_told() {
    let scene = Scene::of("txn-both-0");
    scene.edit("00000000000000000048.log", |bytes| {
        bytes[3044..3122].fill(0xee);
    });
    assert_eq!(scene.told(), []);
}

/// Compaction takes the records of aborted transactions, and their entries keep their offsets.
#[test]
fn a_first_offset_that_compaction_took() {
    let scene = Scene::of("txn-both-0");
    scene.edit("00000000000000000048.log", |bytes| {
        drop(bytes.drain(2436..2589));
    });
    for kind in ["index", "timeindex"] {
        scene.edit(&format!("00000000000000000048.{kind}"), Vec::clear);
    }
    let all = scene.told();
    assert!(all.iter().all(|told| !told.1.starts_with("txn")), "{all:?}");
}

#[test]
fn leader_epochs_that_are_not_those_of_the_log() {
    for (text, offset) in [
        ("0\n2\n0 0\n4 152\n", 81),
        ("0\n3\n0 0\n2 83\n4 152\n", 81),
        ("0\n3\n0 0\n2 60\n4 152\n", 60),
        ("0\n2\n2 81\n4 152\n", 0),
        ("0\n0\n", 0),
        ("", 0),
    ] {
        let scene = Scene::of("txn-both-0");
        scene.write(EPOCHS, text.as_bytes());
        let expected = told(
            Error,
            "leader-epoch-checkpoint-mismatch",
            EPOCHS,
            None,
            offset,
        );
        assert_eq!(scene.told(), [expected], "{text}");
    }
}

#[test]
fn leader_epochs_that_a_log_need_not_show() {
    for text in [
        // Leaders that never wrote; compaction may have taken what others wrote.
        "0\n4\n0 0\n1 81\n2 81\n4 152\n",
        "0\n3\n0 0\n2 81\n9 152\n",
        "0\n2\n0 0\n2 81\n",
    ] {
        let scene = Scene::of("txn-both-0");
        scene.write(EPOCHS, text.as_bytes());
        let all = scene.told();
        let differs = all
            .iter()
            .any(|told| told.1 == "leader-epoch-checkpoint-mismatch");
        assert!(!differs, "{all:?}");
    }
}

#[test]
fn leader_epochs_that_are_missing_or_cannot_be_read() {
    let scene = Scene::of("txn-both-0");
    scene.remove(EPOCHS);
    let expected = told(
        Warning,
        "leader-epoch-checkpoint-mismatch",
        EPOCHS,
        None,
        None,
    );
    assert_eq!(scene.told(), [expected]);
    scene.take_away();
    assert_eq!(scene.told(), [], "a copy of the segments");
    for (text, severity, position) in [
        ("0\n3\n0 0\n", Error, 2),
        ("1\n", Error, 0),
        ("0\n1\nx 0\n", Error, 4),
        ("0\n1\n-1 0\n", Error, 4),
    ] {
        let scene = Scene::of("txn-both-0");
        scene.write(EPOCHS, text.as_bytes());
        let expected = told(severity, "checkpoint-corrupt", EPOCHS, position, None);
        assert_eq!(scene.told(), [expected], "{text}");
    }
    // One of the two lines is dropped.
    let scene = Scene::of("txn-both-0");
    scene.write(EPOCHS, b"0\n4\n0 0\n2 81\n1 81\n4 152\n");
    assert_eq!(scene.told()[0].1, "checkpoint-corrupt");
}

#[test]
fn leader_epochs_that_begin_behind_the_log() {
    let scene = Scene::of("txn-both-0");
    scene.write(EPOCHS, b"0\n4\n0 0\n2 81\n4 152\n5 160\n");
    let expected = told(
        Warning,
        "leader-epoch-checkpoint-mismatch",
        EPOCHS,
        None,
        160,
    );
    assert_eq!(scene.told(), [expected]);
    scene.kill();
    assert_eq!(scene.told(), []);
}

/// Which lines a broker has then dropped, depends on more than the log.
#[test]
fn a_log_whose_epochs_fall_says_nothing_of_the_file() {
    let scene = Scene::of("txn-both-0");
    // No checksum covers the leader epoch.
    scene.edit("00000000000000000094.log", |bytes| bytes[15] = 1);
    scene.write(EPOCHS, b"0\n2\n0 0\n4 152\n");
    assert_eq!(scene.told(), []);
}
