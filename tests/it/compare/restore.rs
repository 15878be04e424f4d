//! The union of two replicas that are damaged in different places is what both were before.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use kfsck::analysis::compare::restore::{self, Refusal};
use kfsck::analysis::compare::{Verdict, compare};
use kfsck::format::number::Offset;
use kfsck::state::load::{Change, LoadOptions, load};
use kfsck::state::rules::Stock;
use kfsck::storage::directory::PartitionDirectory;

use super::{compared, log, partition, told};
use crate::batches::{Batch, message, plain, split};
use crate::corpus;

/// The segments of a partition by name.
fn segments(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(path).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if name.ends_with(".log") {
            found.insert(name, fs::read(entry.path()).unwrap());
        }
    }
    found
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

/// A broker loads it, after either kind of stop, and neither cuts nor deletes anything.
fn assert_loads(directory: &Path, name: &str, end: Offset) {
    for clean_shutdown in [true, false] {
        let options = LoadOptions {
            clean_shutdown,
            ..LoadOptions::new(&Stock)
        };
        let listed = PartitionDirectory::list(directory);
        let outcome = load::<5>(&listed, name, &options).unwrap();
        let log = outcome
            .log
            .unwrap_or_else(|stop| panic!("{name}: {stop:?}"));
        assert_eq!(log.log_end_offset, end, "{name}");
        for action in &outcome.actions {
            let is_harmless =
                !action.name.ends_with(".log") && !matches!(action.change, Change::Truncated(_));
            assert!(is_harmless, "{name}: {action:?}");
        }
    }
}

/// Writes the union below a new directory and gives where.
fn union(source: &Path, dest: &Path, place: &Path) -> (restore::Plan, PathBuf) {
    let (one, other) = (log(source), log(dest));
    let comparison = compare(&one, &other).unwrap();
    let plan = restore::plan(&one, &other, &comparison).unwrap();
    assert_eq!(plan.refusal, None);
    let written = restore::write(&one, &other, &comparison, place).unwrap();
    let name = one.topic_partition;
    assert_loads(&written.directory, &name, written.log_end_offset);
    (plan, written.directory)
}

/// Partitions of the corpus with several batches.
fn partitions() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for place in ["main", "crash/clean", "legacy"] {
        for entry in fs::read_dir(corpus::directory().join(place)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let is_current = !name.ends_with("-delete") && !name.ends_with("-stray");
            if path.is_dir() && is_current && !name.starts_with("__cluster") {
                found.push(path);
            }
        }
    }
    found.sort();
    assert!(found.len() > 30);
    found
}

/// Where the record sets of a segment begin, with the end.
fn bounds(bytes: &[u8]) -> Vec<usize> {
    let mut bounds = vec![0];
    for (_, set) in split(bytes) {
        bounds.push(bounds.last().unwrap() + set.len());
    }
    bounds
}

/// Damages the record sets whose number gives `rest` divided by 3: a flip in the middle, or zeros.
fn damage(path: &Path, rest: usize) -> usize {
    let mut number = 0;
    let mut damaged = 0;
    for (name, mut bytes) in segments(path) {
        let bounds = bounds(&bytes);
        for pair in bounds.windows(2) {
            let (begin, end) = (pair[0], pair[1]);
            if number % 3 == rest && end > begin {
                match number % 2 {
                    0 => bytes[end - 1] ^= 0x40,
                    _ => bytes[begin..end].fill(0),
                }
                damaged += 1;
            }
            number += 1;
        }
        fs::write(path.join(name), bytes).unwrap();
    }
    damaged
}

#[test]
fn replicas_damaged_in_different_places_give_what_both_were() {
    let mut damaged = 0;
    for original in partitions() {
        let place = tempfile::tempdir().unwrap();
        let name = original.file_name().unwrap().to_str().unwrap();
        let [one, other] = ["a", "b"].map(|side| place.path().join(side).join(name));
        copy(&original, &one);
        copy(&original, &other);
        let before = segments(&original);
        let in_one = damage(&one, 0);
        let in_other = damage(&other, 1);
        damaged += in_one + in_other;
        let inputs = [segments(&one), segments(&other)];
        let (plan, restored) = union(&one, &other, &place.path().join("union"));
        assert_eq!(
            inputs,
            [segments(&one), segments(&other)],
            "{name}: touched"
        );
        assert_eq!(plan.lost, [], "{name}");
        let mut restored = segments(&restored);
        // Segments that hold nothing are not all made again.
        restored.retain(|_, bytes| !bytes.is_empty());
        let mut before = before;
        before.retain(|_, bytes| !bytes.is_empty());
        let cut = |all: &BTreeMap<String, Vec<u8>>| -> Vec<u8> {
            all.values().flatten().copied().collect()
        };
        assert!(cut(&restored) == cut(&before), "{name}: other bytes");
        assert_eq!(
            restored.keys().collect::<Vec<_>>(),
            before.keys().collect::<Vec<_>>(),
            "{name}"
        );
        let clean = compared(&original, &place.path().join("union").join(name));
        assert_eq!(told(&clean), [""; 0], "{name}");
    }
    assert!(damaged > 300, "{damaged}");
}

#[test]
fn what_both_have_lost_stays_a_hole_and_is_told() {
    let batch = |offset: i64| plain(offset, b"value");
    let bytes: Vec<u8> = (0..6).flat_map(batch).collect();
    let size = batch(0).len();
    let damaged = |offsets: &[usize]| {
        let mut bytes = bytes.clone();
        for offset in offsets {
            bytes[offset * size + size - 1] ^= 1;
        }
        partition(&[(0, bytes)])
    };
    let (_one, source) = damaged(&[1, 3]);
    let (_other, dest) = damaged(&[3, 4]);
    let comparison = compared(&source, &dest);
    assert_eq!(comparison.verdict(), Verdict::Damaged);
    let place = tempfile::tempdir().unwrap();
    let (plan, restored) = union(&source, &dest, place.path());
    assert_eq!((plan.kept.records, plan.from_source.records), (5, 1));
    assert_eq!(plan.from_dest.records, 1);
    assert_eq!(plan.lost.len(), 1, "{:?}", plan.lost);
    let kept: Vec<u8> = [0, 1, 2, 4, 5].into_iter().flat_map(batch).collect();
    assert_eq!(segments(&restored).into_values().next().unwrap(), kept);
}

/// No checksum covers its offset, and no batch lies behind it: a snapshot tells where it belongs.
#[test]
fn a_last_batch_that_was_moved_is_taken_from_the_other_alone() {
    let batch = |offset: i64| plain(offset, b"value");
    let whole: Vec<u8> = (0..6).flat_map(batch).collect();
    let moved = [&whole[..5 * batch(0).len()], &batch(5 + 512)].concat();
    let (_one, source) = partition(&[(0, moved)]);
    let (_other, dest) = partition(&[(0, whole.clone())]);
    for side in [&source, &dest] {
        fs::write(side.join("00000000000000000006.snapshot"), b"").unwrap();
    }
    for (one, other) in [(&source, &dest), (&dest, &source)] {
        assert_eq!(compared(one, other).verdict(), Verdict::Damaged);
        let place = tempfile::tempdir().unwrap();
        let (plan, restored) = union(one, other, place.path());
        assert_eq!(plan.kept.records, 6);
        assert_eq!(segments(&restored).into_values().next().unwrap(), whole);
    }
}

#[test]
fn a_conflict_is_refused_and_both_are_shown() {
    let (_one, source) = partition(&[(0, [plain(0, b"a"), plain(1, b"b")].concat())]);
    let (_other, dest) = partition(&[(0, [plain(0, b"a"), plain(1, b"c")].concat())]);
    let (one, other) = (log(&source), log(&dest));
    let comparison = compare(&one, &other).unwrap();
    assert_eq!(comparison.verdict(), Verdict::Conflict);
    let plan = restore::plan(&one, &other, &comparison).unwrap();
    let Some(Refusal::Conflict {
        offset,
        source,
        dest,
    }) = plan.refusal
    else {
        panic!("{plan:?}");
    };
    assert_eq!(offset, Offset(1));
    assert!(source.is_some() && dest.is_some() && source != dest);
}

fn of_epoch(offset: i64, leader_epoch: i32, value: &[u8]) -> Vec<u8> {
    let batch = Batch {
        leader_epoch,
        ..Batch::new(offset)
    };
    batch.record(Some(b"k"), Some(value)).encode()
}

#[test]
fn nothing_is_taken_from_behind_a_divergence() {
    let same = |offset| of_epoch(offset, 0, b"same");
    let mut one: Vec<u8> = [same(0), same(1), of_epoch(2, 1, b"one")].concat();
    let other = [
        same(0),
        same(1),
        of_epoch(2, 2, b"other"),
        of_epoch(3, 2, b"x"),
    ]
    .concat();
    // The first batch of one replica is damaged.
    let last = same(0).len() - 1;
    one[last] ^= 1;
    let (_one, source) = partition(&[(0, one)]);
    let (_other, dest) = partition(&[(0, other)]);
    let comparison = compared(&source, &dest);
    assert_eq!(comparison.verdict(), Verdict::Diverged);
    let place = tempfile::tempdir().unwrap();
    let (plan, restored) = union(&source, &dest, place.path());
    assert_eq!(plan.cut, Some(Offset(2)));
    let kept = [same(0), same(1)].concat();
    assert_eq!(segments(&restored).into_values().next().unwrap(), kept);
}

/// A leader epoch is under no checksum: the one that does not fit between its neighbours is wrong.
#[test]
fn a_flipped_leader_epoch_is_told_from_the_right_one() {
    let right: Vec<u8> = (0..4).flat_map(|at| of_epoch(at, 3, b"v")).collect();
    let size = of_epoch(0, 3, b"v").len();
    let mut wrong = right.clone();
    wrong[size + 13] ^= 0x10;
    let (_one, source) = partition(&[(0, wrong)]);
    let (_other, dest) = partition(&[(0, right.clone())]);
    assert_eq!(told(&compared(&source, &dest)), ["leader-epoch 1..1 1"]);
    let place = tempfile::tempdir().unwrap();
    let (plan, restored) = union(&source, &dest, place.path());
    assert_eq!(plan.epochs_from.len(), 1);
    assert_eq!(segments(&restored).into_values().next().unwrap(), right);
}

#[test]
fn old_messages_pass_as_they_are() {
    let all: Vec<Vec<u8>> = vec![
        message(0, 0, b"zero"),
        message(1, 1, b"one"),
        plain(2, b"two"),
    ];
    let bytes = all.concat();
    let mut one = bytes.clone();
    let last = all[0].len() - 1;
    one[last] ^= 1;
    let mut other = bytes.clone();
    let last = bytes.len() - 1;
    other[last - 2] ^= 1;
    let (_one, source) = partition(&[(0, one)]);
    let (_other, dest) = partition(&[(0, other)]);
    let place = tempfile::tempdir().unwrap();
    let (_, restored) = union(&source, &dest, place.path());
    assert_eq!(segments(&restored).into_values().next().unwrap(), bytes);
}

/// Segments that begin elsewhere: each keeps its beginning.
#[test]
fn segments_of_both_keep_their_beginnings() {
    let batch = |offset: i64| plain(offset, b"value");
    let part = |from: i64, to: i64| -> Vec<u8> { (from..to).flat_map(batch).collect() };
    let mut first = part(0, 3);
    first[batch(0).len() - 1] ^= 1;
    let (_one, source) = partition(&[(0, first), (3, part(3, 8))]);
    let (_other, dest) = partition(&[(0, part(0, 5)), (5, part(5, 8))]);
    let comparison = compared(&source, &dest);
    assert_eq!(told(&comparison), ["damaged-in-source 0..0 1"]);
    let place = tempfile::tempdir().unwrap();
    let (_, restored) = union(&source, &dest, place.path());
    let names: Vec<_> = segments(&restored).into_keys().collect();
    assert_eq!(names, [0, 3, 5].map(|base| format!("{base:020}.log")));
    let bytes: Vec<u8> = segments(&restored).into_values().flatten().collect();
    assert_eq!(bytes, part(0, 8));
}
