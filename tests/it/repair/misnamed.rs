//! Segment files under names of other places.

use std::fs;
use std::path::Path;

use kfsck::repair::plan::Plan;

use super::odd_logs::{Made, log_of};
use super::{Copied, Verb, contents, found_in, repaired, terms};

fn name(base: i64) -> String {
    format!("{base:020}.log")
}

/// Two files take each other's name.
pub(super) fn exchange(directory: &Path, one: &str, other: &str) {
    let aside = directory.join("aside");
    fs::rename(directory.join(one), &aside).unwrap();
    fs::rename(directory.join(other), directory.join(one)).unwrap();
    fs::rename(aside, directory.join(other)).unwrap();
}

fn says(plan: &Plan, old: &str, new: &str) -> bool {
    let said = format!("{old} becomes {new}");
    plan.steps
        .iter()
        .any(|step| step.file == new && step.detail.contains(&said))
}

#[test]
fn files_whose_names_were_exchanged_get_them_back() {
    for kinds in [&["log"][..], &["log", "index", "timeindex", "txnindex"]] {
        let copied = Copied::new("main/txn-both-0");
        let before = contents(&copied.path);
        for kind in kinds {
            let [one, other] = [48, 94].map(|base| format!("{base:020}.{kind}"));
            exchange(&copied.path, &one, &other);
        }
        let told = found_in(&copied.path, &terms());
        assert!(
            told.iter().any(|told| told.contains(" name-mismatch")),
            "{told:#?}"
        );
        for verb in [Verb::Salvage, Verb::Truncate] {
            let (plan, result) = repaired(&copied.path, verb, &terms());
            assert!(says(&plan, &name(94), &name(48)), "{plan:#?}");
            assert!(says(&plan, &name(48), &name(94)), "{plan:#?}");
            assert!(plan.lost.is_empty(), "{plan:#?}");
            let after = contents(&result);
            for (name, bytes) in &before {
                let is_built = name.ends_with("index") && !name.ends_with("txnindex");
                assert!(is_built || after[name] == *bytes, "{name}");
            }
            assert_eq!(after.len(), before.len());
        }
    }
}

#[test]
fn three_files_in_a_circle_get_their_names_back() {
    let logs = [log_of(&[0, 1]), log_of(&[3, 4]), log_of(&[5]), log_of(&[8])];
    let [a, b, c, d] = logs.clone();
    let made = Made::new(&[(0, b), (2, c), (5, a), (6, d)]);
    let (plan, result) = made.repaired(Verb::Salvage);
    assert!(plan.lost.is_empty(), "{plan:#?}");
    let after = contents(&result);
    for (base, log) in [0, 2, 5, 6].into_iter().zip(logs) {
        assert!(after[&name(base)] == log, "{base}");
    }
}

#[test]
fn a_file_that_was_renamed_goes_where_its_batches_fill_what_is_left() {
    let logs = [log_of(&[0, 1]), log_of(&[2, 3, 4]), log_of(&[5, 6])];
    for (at, wrong) in [(0, 1), (1, 3), (1, 900), (2, 6), (2, 70)] {
        let bases = [0, 2, 5];
        let mut names = bases;
        names[at] = wrong;
        let segments: Vec<_> = names.into_iter().zip(logs.clone()).collect();
        let made = Made::new(&segments);
        for verb in [Verb::Salvage, Verb::Truncate] {
            let (plan, result) = made.repaired(verb);
            assert!(
                says(&plan, &name(wrong), &name(bases[at])),
                "{at} {wrong}: {plan:#?}"
            );
            assert!(plan.lost.is_empty(), "{plan:#?}");
            let after = contents(&result);
            assert!(!after.contains_key(&name(wrong)));
            for (base, log) in bases.iter().zip(&logs) {
                assert!(after[&name(*base)] == *log, "{base}");
            }
        }
    }
}

#[test]
fn names_stay_where_nothing_tells_that_another_one_is_right() {
    // An offset is missing inside; in front; behind. And the first offset was changed.
    for (renamed, offsets) in [
        (4, &[2, 4][..]),
        (4, &[3, 4]),
        (4, &[2, 3]),
        (2, &[1 << 40, 3, 4]),
    ] {
        let made = Made::new(&[
            (0, log_of(&[0, 1])),
            (renamed, log_of(offsets)),
            (5, log_of(&[5])),
        ]);
        let (plan, _) = made.repaired(Verb::Salvage);
        let mut steps = plan.steps.iter();
        assert!(
            steps.all(|step| !step.detail.contains(".log becomes")),
            "{plan:#?}"
        );
    }
}
