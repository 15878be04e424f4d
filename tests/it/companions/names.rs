//! Names of segments, gaps and overlaps, leftovers and strays.

use std::fs;

use kfsck::analysis::log_findings::Severity::{Error, Note, Warning};

use super::scene::{Scene, told};

const KINDS: [&str; 5] = ["log", "index", "timeindex", "txnindex", "snapshot"];

fn segment(base: u64, kind: &str) -> String {
    format!("{base:020}.{kind}")
}

#[test]
fn a_segment_that_went_away_from_a_log_that_is_not_compacted() {
    let scene = Scene::of("txn-both-0");
    for kind in KINDS {
        scene.remove(&segment(48, kind));
    }
    let gap = scene.only("segment-gap");
    assert_eq!((gap.severity, gap.offset.unwrap().0), (Warning, 48));
    assert!(
        gap.message.contains("offsets 48 to 93 are missing"),
        "{}",
        gap.message
    );
    // A cleaner has been at it.
    scene.write_beside("cleaner-offset-checkpoint", b"0\n1\ntxn-both 0 94\n");
    assert_eq!(scene.only("segment-gap").severity, Note);
    // The log starts behind it.
    scene.write_beside("cleaner-offset-checkpoint", b"0\n0\n");
    scene.write_beside("log-start-offset-checkpoint", b"0\n1\ntxn-both 0 94\n");
    assert_eq!(scene.only("segment-gap").severity, Note);
}

#[test]
fn an_emptied_segment_and_other_holes_of_compaction() {
    let scene = Scene::of("txn-both-0");
    for kind in ["log", "index", "timeindex"] {
        scene.write(&segment(48, kind), &[]);
    }
    scene.remove(&segment(48, "txnindex"));
    let gap = scene.only("segment-gap");
    assert!(
        gap.message.contains("which holds nothing"),
        "{}",
        gap.message
    );
    // The same where another segment shows that records were taken.
    scene.edit(&segment(0, "log"), |bytes| drop(bytes.drain(97..377)));
    for kind in ["index", "timeindex"] {
        scene.write(&segment(0, kind), &[]);
    }
    assert_eq!(scene.only("segment-gap").severity, Note);
}

#[test]
fn segments_that_overlap() {
    let scene = Scene::of("txn-both-0");
    for kind in ["index", "timeindex", "txnindex"] {
        scene.remove(&segment(48, kind));
    }
    fs::rename(
        scene.path(&segment(48, "log")),
        scene.path(&segment(46, "log")),
    )
    .unwrap();
    let expected = told(Error, "segment-overlap", &segment(0, "log"), None, 46);
    assert!(scene.told().contains(&expected));
}

#[test]
fn a_name_above_the_first_offset() {
    let scene = Scene::of("txn-both-0");
    for kind in ["index", "timeindex", "txnindex"] {
        scene.remove(&segment(48, kind));
    }
    fs::rename(
        scene.path(&segment(48, "log")),
        scene.path(&segment(50, "log")),
    )
    .unwrap();
    let mismatch = scene.only("name-mismatch");
    assert_eq!((mismatch.severity, mismatch.offset.unwrap().0), (Error, 48));
    // Below it, what retention and compaction leave.
    fs::rename(
        scene.path(&segment(50, "log")),
        scene.path(&segment(48, "log")),
    )
    .unwrap();
    scene.edit(&segment(48, "log"), |bytes| drop(bytes.drain(..238)));
    assert!(
        scene
            .all_told()
            .iter()
            .all(|told| told.1 != "name-mismatch")
    );
}

#[test]
fn a_name_without_all_its_digits() {
    let scene = Scene::of("idem-0");
    fs::rename(scene.path(&segment(0, "log")), scene.path("0.log")).unwrap();
    let mismatch = scene.only("name-mismatch");
    assert_eq!(mismatch.severity, Error);
    assert!(
        mismatch.message.contains(&segment(0, "log")),
        "{}",
        mismatch.message
    );
    // Of its companions there is nothing to say but that they lie there.
    fs::rename(scene.path(&segment(0, "index")), scene.path("0.index")).unwrap();
    let codes: Vec<_> = scene.told().iter().map(|told| told.1).collect();
    assert_eq!(codes, ["name-mismatch"]);
}

#[test]
fn what_a_broken_off_compaction_leaves() {
    for (name, severity) in [
        (segment(48, "log.swap"), Warning),
        (segment(48, "index.swap"), Warning),
        (segment(48, "log.cleaned"), Note),
        (segment(48, "txnindex.deleted"), Note),
        ("leader-epoch-checkpoint.tmp".to_owned(), Note),
        ("5.log.swap.deleted".to_owned(), Note),
    ] {
        let scene = Scene::of("txn-both-0");
        scene.write(&name, b"");
        let expected = told(severity, "leftover-file", &name, None, None);
        assert!(
            scene.all_told().contains(&expected),
            "{name}: {:?}",
            scene.all_told()
        );
    }
    // A swap file that is not complete is removed as well.
    let scene = Scene::of("txn-both-0");
    scene.write(&segment(48, "log.swap"), b"");
    scene.write(&segment(48, "index.cleaned"), b"");
    assert_eq!(scene.told(), []);
    scene.remove(&segment(48, "index.cleaned"));
    scene.write(&segment(94, "index.cleaned"), b"");
    assert_eq!(scene.told().len(), 1);
}

#[test]
fn an_index_without_its_log() {
    let scene = Scene::of("idem-0");
    let name = segment(7, "timeindex");
    scene.write(&name, b"");
    assert_eq!(
        scene.told(),
        [told(Warning, "leftover-file", &name, None, 7)]
    );
    // It comes back with the start.
    scene.write(&segment(7, "log.swap"), b"");
    let swap = segment(7, "log.swap");
    assert_eq!(
        scene.told(),
        [told(Warning, "leftover-file", &swap, None, None)]
    );
}

#[test]
fn a_segment_that_waits_as_a_swap_file_is_no_gap() {
    let scene = Scene::of("txn-both-0");
    fs::rename(
        scene.path(&segment(48, "log")),
        scene.path(&segment(48, "log.swap")),
    )
    .unwrap();
    for kind in ["index", "timeindex", "txnindex"] {
        scene.remove(&segment(48, kind));
    }
    let gap = scene.only("segment-gap");
    assert_eq!(gap.severity, Note);
    assert!(gap.message.contains(".swap"), "{}", gap.message);
}

#[test]
fn names_at_which_a_broker_ends() {
    for name in [
        "server.log",
        "x.index",
        "new.swap",
        "old.cleaned",
        "00000000000000000042-2bCZTqVkSLe-oRgDv1Yg3g.timeindex",
    ] {
        let scene = Scene::of("idem-0");
        scene.write(name, b"");
        let expected = told(Error, "start-blocked", name, None, None);
        assert_eq!(scene.told(), [expected], "{name}");
    }
}

#[test]
fn what_is_none_of_kafkas_in_a_partition() {
    let scene = Scene::of("idem-0");
    scene.write("notes.txt", b"");
    scene.write("meta.properties", b"");
    scene.write("quorum-state", b"{}");
    fs::create_dir(scene.path("backup")).unwrap();
    let all = scene.all_told();
    for name in ["backup", "meta.properties", "notes.txt", "quorum-state"] {
        assert!(
            all.contains(&told(Note, "stray-file", name, None, None)),
            "{name}: {all:?}"
        );
    }
    assert_eq!(scene.told(), []);
}
