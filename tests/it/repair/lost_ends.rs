//! End markers that are lost, of which the transaction index still knows.

use super::{Copied, Verb, contents, repaired, terms};

const INDEX: &str = "00000000000000000000.txnindex";

/// `txn-v1-0` with a byte of its first log changed.
fn with_damage(at: usize) -> Copied {
    let copied = Copied::new("main/txn-v1-0");
    copied.change("00000000000000000000.log", |bytes| bytes[at] ^= 1);
    copied
}

#[test]
fn what_a_lost_commit_has_committed_stays_committed() {
    // The marker at offset 43; the index tells of one that begins at 44.
    let copied = with_damage(2850 + 70);
    let before = contents(&copied.path);
    let (plan, result) = repaired(&copied.path, Verb::Salvage, &terms());
    assert_eq!(contents(&result).get(INDEX), before.get(INDEX));
    let told = |plan: &kfsck::repair::plan::Plan| plan.warnings.concat();
    let expected = "begins at offset 31 is lost";
    assert!(told(&plan).contains(expected), "{:?}", plan.warnings);
    let index = super::plan(&result, Verb::Index);
    assert!(index.is_empty(), "{:?}", index.steps);
}

#[test]
fn a_lost_abort_is_told_with_its_transaction() {
    let copied = with_damage(1518 + 70);
    let (plan, _) = repaired(&copied.path, Verb::Salvage, &terms());
    let told = plan.warnings.concat();
    let expected = "the marker at offset 20 that aborted the transaction";
    assert!(told.contains(expected), "{told}");
    // Without damage nothing is said.
    let sound = Copied::new("main/txn-v1-0");
    let plan = super::plan(&sound.path, Verb::Salvage);
    assert!(plan.is_empty() && plan.warnings.is_empty(), "{plan:?}");
}
