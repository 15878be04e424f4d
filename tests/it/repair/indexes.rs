//! Indexes that are built anew are those of real Kafka, to the byte.

use std::fs;

use super::healthy::partitions;
use super::{Copied, Verb, contents, plan_with, repaired, terms_of};

const PARTITION: &str = "main/txn-both-0";

fn is_index(name: &str) -> bool {
    ["index", "timeindex", "txnindex"]
        .iter()
        .any(|kind| name.rsplit_once('.').is_some_and(|(_, end)| end == *kind))
}

/// A broker that never stopped in between writes the entries that a recovery writes.
#[test]
fn without_its_indexes_a_partition_gets_those_that_a_broker_wrote() {
    let (mut same, mut others) = (0, Vec::new());
    for partition in partitions() {
        let copied = Copied::new(&partition);
        let before = contents(&copied.path);
        for name in before.keys().filter(|name| is_index(name)) {
            fs::remove_file(copied.path.join(name)).unwrap();
        }
        let (_, result) = repaired(&copied.path, Verb::Index, &terms_of(&partition));
        let after = contents(&result);
        for (name, bytes) in before.iter().filter(|(_, bytes)| !bytes.is_empty()) {
            match after.get(name) == Some(bytes) {
                true => same += usize::from(is_index(name)),
                false => others.push(format!("{partition}/{name}")),
            }
        }
    }
    assert!(same > 60, "{same} are the same");
    // A clean stop adds an entry to a time index and begins to count anew for both; a cleaner keeps
    // aborted transactions whose data it has taken, which a recovery does not.
    let differs = |name: &String| {
        let stopped = ["main/__", "main/txn-open-0/"];
        stopped.iter().any(|front| name.starts_with(front))
            || name.ends_with("timeindex")
            || name.starts_with("main/compact-horizon-0/") && name.ends_with("txnindex")
    };
    assert!(
        others.len() < 20 && others.iter().all(differs),
        "{others:#?}"
    );
}

#[test]
fn an_index_that_lies_is_built_anew() {
    let partition = PARTITION;
    let sound = Copied::new(partition);
    let indexes: Vec<_> = contents(&sound.path)
        .into_iter()
        .filter(|(name, bytes)| is_index(name) && !bytes.is_empty())
        .collect();
    assert!(indexes.len() > 6);
    for (name, _) in &indexes {
        fs::remove_file(sound.path.join(name)).unwrap();
    }
    let (_, rebuilt) = repaired(&sound.path, Verb::Index, &terms_of(PARTITION));
    let rebuilt = contents(&rebuilt);
    for (name, bytes) in indexes {
        // The last stable offset in a transaction index depends on how batches were appended.
        let told = if name.ends_with("txnindex") {
            26
        } else {
            bytes.len()
        };
        for at in (0..told).step_by(3) {
            let copied = Copied::new(partition);
            copied.change(&name, |bytes| bytes[at] ^= 0x10);
            let (plan, result) = repaired(&copied.path, Verb::Index, &terms_of(partition));
            let steps: Vec<_> = plan.steps.iter().map(|step| &step.file).collect();
            assert_eq!(steps, [&name], "byte {at}");
            let after = contents(&result).remove(&name).unwrap();
            assert!(after == rebuilt[&name], "{name}: byte {at}");
        }
        let copied = Copied::new(partition);
        copied.change(&name, |bytes| bytes.truncate(bytes.len() - 1));
        let (_, result) = repaired(&copied.path, Verb::Index, &terms_of(partition));
        assert!(contents(&result)[&name] == rebuilt[&name], "{name}, cut");
    }
}

#[test]
fn indexes_of_damaged_segments_wait_for_the_log() {
    let copied = Copied::new(PARTITION);
    let logs = copied.logs();
    let log = logs[1].file_name().unwrap().to_str().unwrap().to_owned();
    copied.change(&log, |bytes| bytes[70] ^= 1);
    let index = log.replace(".log", ".index");
    fs::remove_file(copied.path.join(&index)).unwrap();
    let plan = plan_with(&copied.path, Verb::Index, &terms_of(PARTITION));
    assert!(plan.is_empty(), "{:#?}", plan.steps);
    assert!(plan.warnings[0].contains(&log), "{:?}", plan.warnings);
    let (_, result) = repaired(&copied.path, Verb::Salvage, &terms_of(PARTITION));
    assert!(contents(&result).contains_key(&index));
}

/// Where its zeros begin nothing tells how an entry must go on.
#[test]
fn zeros_that_end_an_index_go() {
    let name = "00000000000000000000.index";
    let partition = "main/codec-none-0";
    let copied = Copied::new(partition);
    let before = contents(&copied.path);
    copied.change(name, |bytes| bytes.resize(1 << 20, 0));
    let (_, result) = repaired(&copied.path, Verb::Index, &terms_of(partition));
    assert_eq!(contents(&result)[name], before[name]);
}
