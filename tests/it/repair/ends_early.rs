//! Logs that end early at the end of a batch, and segments that are not there: nothing in what is
//! left is damaged.

use std::fs;

use super::{Copied, Verb, contents, plan, repaired, terms};
use kfsck::format::number::Offset;

fn without_snapshots(copied: &Copied) {
    for name in contents(&copied.path).keys() {
        if name.ends_with(".snapshot") {
            fs::remove_file(copied.path.join(name)).unwrap();
        }
    }
}

#[test]
fn an_index_that_leads_behind_the_end_shows_what_is_lost() {
    let copied = Copied::new("main/txn-both-0");
    without_snapshots(&copied);
    let logs = copied.logs();
    // The last segment is too small for entries.
    fs::remove_file(&logs[3]).unwrap();
    fs::write(&logs[2], "").unwrap();
    let plan = plan(&copied.path, Verb::Salvage);
    assert_eq!(plan.lost.len(), 1, "{:?}", plan.lost);
    assert_eq!(plan.lost[0].first_offset, Some(Offset(94)));
    assert!(plan.lost[0].reason.contains("an index"), "{:?}", plan.lost);
    assert!(!plan.alternatives.is_empty());
}

#[test]
fn a_checkpoint_of_epochs_behind_the_end_shows_what_is_lost() {
    let copied = Copied::new("main/plain-0");
    without_snapshots(&copied);
    let checkpoint = copied.path.join("leader-epoch-checkpoint");
    fs::write(checkpoint, "0\n2\n0 0\n3 1000000\n").unwrap();
    let plan = plan(&copied.path, Verb::Salvage);
    let last = plan.lost.last().unwrap();
    assert_eq!(last.last_offset, Some(Offset(999_999)), "{:?}", plan.lost);
}

#[test]
fn a_segment_that_is_not_there_is_told() {
    let copied = Copied::new("main/txn-both-0");
    let sound = plan(&copied.path, Verb::Salvage);
    assert!(sound.warnings.is_empty(), "{:?}", sound.warnings);
    fs::remove_file(&copied.logs()[1]).unwrap();
    let plan = plan(&copied.path, Verb::Salvage);
    let told = plan.warnings.concat();
    assert!(told.contains("a segment may be lost"), "{told}");
}

#[test]
fn snapshots_that_are_all_missing_are_made() {
    let copied = Copied::new("main/txn-both-0");
    without_snapshots(&copied);
    let (_, result) = repaired(&copied.path, Verb::Salvage, &terms());
    let names: Vec<_> = contents(&result).into_keys().collect();
    let made = names.iter().filter(|name| name.ends_with(".snapshot"));
    assert_eq!(made.count(), 3, "{names:?}");
    // Whoever never rolled a segment has none.
    let copied = Copied::new("main/txn-v1-0");
    if copied.logs().len() == 1 {
        without_snapshots(&copied);
        assert!(plan(&copied.path, Verb::Salvage).is_empty());
    }
}

/// A compaction leaves segments without a batch.
#[test]
fn an_empty_segment_between_others_stays() {
    let copied = Copied::new("main/txn-both-0");
    let logs = copied.logs();
    fs::write(&logs[1], "").unwrap();
    let plan = plan(&copied.path, Verb::Salvage);
    let name = logs[1].file_name().unwrap().to_str().unwrap();
    let is_removed = |step: &kfsck::repair::plan::Step| {
        step.file == name && step.action == kfsck::repair::plan::Action::Remove
    };
    assert!(!plan.steps.iter().any(is_removed), "{:#?}", plan.steps);
}
