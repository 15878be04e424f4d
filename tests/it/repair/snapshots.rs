//! Snapshots in front of the damage: who says what the log says stays, who says something else is
//! corrected, and a producer that nobody else knows any more is not forgotten.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use kfsck::format::number::{Offset, ProducerId, Sequence};
use kfsck::format::producer_snapshot::{ProducerEntry, Version, decode, encode};

use super::{Copied, Verb, contents, repaired, terms};

const FIRST: &str = "00000000000000000048.snapshot";
const SECOND: &str = "00000000000000000094.snapshot";
const END: &str = "00000000000000000152.snapshot";

fn entries(bytes: &[u8]) -> BTreeMap<ProducerId, ProducerEntry> {
    let snapshot = decode(bytes).unwrap();
    assert!(snapshot.faults.is_empty());
    let entries = snapshot.entries.into_iter();
    entries.map(|entry| (entry.producer_id, entry)).collect()
}

fn read(directory: &Path, name: &str) -> BTreeMap<ProducerId, ProducerEntry> {
    entries(&fs::read(directory.join(name)).unwrap())
}

fn change(copied: &Copied, name: &str, change: impl FnOnce(&mut Vec<ProducerEntry>)) {
    copied.change(name, |bytes| {
        let mut entries: Vec<_> = entries(bytes).into_values().collect();
        change(&mut entries);
        *bytes = encode(Version::V1, &entries).unwrap();
    });
}

/// The first batch of the last segment but one is damaged.
fn damaged() -> Copied {
    let copied = Copied::new("main/txn-both-0");
    copied.change("00000000000000000094.log", |bytes| bytes[100] ^= 1);
    copied
}

/// Who wrote the batch that snapshots of producers without one are made of.
fn stranger(last_offset: i64) -> ProducerEntry {
    let copied = Copied::new("main/txn-both-0");
    let known = read(&copied.path, SECOND).into_values();
    let known = { known }.find(|entry| entry.last_sequence.0 >= 0).unwrap();
    ProducerEntry {
        producer_id: ProducerId(99_999),
        last_offset: Offset(last_offset),
        current_txn_first_offset: Offset(-1),
        ..known
    }
}

#[test]
fn those_that_say_what_the_log_says_stay_byte_for_byte() {
    let copied = damaged();
    for verb in [Verb::Salvage, Verb::Truncate] {
        let (_, result) = repaired(&copied.path, verb, &terms());
        for name in [FIRST, SECOND] {
            assert_eq!(
                contents(&result)[name],
                contents(&copied.path)[name],
                "{name}"
            );
        }
    }
}

#[test]
fn those_that_say_something_else_are_corrected_before_the_damage_and_at_it() {
    for name in [FIRST, SECOND] {
        let copied = damaged();
        let right = read(&copied.path, name);
        change(&copied, name, |entries| {
            let with_batch = |entry: &&mut ProducerEntry| entry.last_sequence.0 >= 0;
            let entry = entries.iter_mut().find(with_batch).unwrap();
            entry.last_sequence = Sequence(entry.last_sequence.0 + 5);
            // Nothing in the log tells of it, and the log begins at offset 0.
            entries.push(stranger(3));
        });
        assert_ne!(read(&copied.path, name), right);
        for verb in [Verb::Salvage, Verb::Truncate] {
            let (plan, result) = repaired(&copied.path, verb, &terms());
            assert_eq!(read(&result, name), right, "{verb:?} {name}");
            let mut steps = plan.steps.iter().filter(|step| step.file == name);
            assert!(
                steps.any(|step| step.detail.contains("what the log says")),
                "{plan:#?}"
            );
            for (file, bytes) in contents(&result) {
                let is_snapshot = file.ends_with(".snapshot");
                assert!(
                    !is_snapshot || !entries(&bytes).contains_key(&ProducerId(99_999)),
                    "{file}"
                );
            }
        }
    }
}

/// Its batches were in a segment that retention has taken.
#[test]
fn a_producer_that_lives_in_a_snapshot_alone_stays() {
    let copied = damaged();
    for (name, _) in contents(&copied.path) {
        if name.starts_with("00000000000000000000.") {
            fs::remove_file(copied.path.join(name)).unwrap();
        }
    }
    let gone = stranger(3);
    for name in [FIRST, SECOND] {
        change(&copied, name, |entries| entries.push(gone.clone()));
    }
    let before = contents(&copied.path);
    let (_, result) = repaired(&copied.path, Verb::Salvage, &terms());
    assert_eq!(contents(&result)[SECOND], before[SECOND]);
    assert_eq!(read(&result, END).get(&gone.producer_id), Some(&gone));
    // Where it says something wrong beside that, the rest of it stays.
    change(&copied, SECOND, |entries| {
        entries.push(ProducerEntry {
            producer_id: ProducerId(99_998),
            ..stranger(60)
        });
    });
    let (_, result) = repaired(&copied.path, Verb::Truncate, &terms());
    assert_eq!(read(&result, SECOND), entries(&before[SECOND]));
}
