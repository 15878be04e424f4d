//! What a broker passes over in silence, each with the batches that show it.

use super::log::{Log, told};
use crate::format::number::Sequence;
use crate::state::event::{Kind, judge_sequences};
use crate::state::manager::Manager;
use crate::state::rules::Stock;

fn events(log: &Log) -> Vec<String> {
    told(&mut Manager::new("t-0", &Stock), log)
}

#[test]
fn a_log_as_a_leader_writes_it_is_silent() {
    let log = Log::new()
        .data(4, 0, 0, 3)
        .data(4, 0, 3, 1)
        .data(4, 1, 0, 1)
        .txn(5, 0, 0, 2)
        .commit(5, 1, 0)
        .txn(5, 1, 0, 1)
        .abort(5, 2, 1)
        .data(6, 0, i32::MAX, 1)
        .data(6, 0, 0, 1)
        .data(-1, -1, -1, 1);
    assert_eq!(events(&log), [] as [&str; 0]);
}

#[test]
fn sequences_that_do_not_follow() {
    let first = Log::new().data(5, 0, 0, 5);
    let next = |sequence, records| events(&first.clone().data(5, 0, sequence, records));
    assert_eq!(next(7, 1), ["sequence-gap 5 after 4"]);
    assert_eq!(next(0, 5), ["sequence-repeat 5 after 4"]);
    assert_eq!(next(2, 2), ["sequence-repeat 5 after 4"]);
    assert_eq!(next(3, 4), ["sequence-overlap 5 after 4"]);
    let new_epoch = first.data(5, 1, 3, 1);
    assert_eq!(events(&new_epoch), ["sequence-gap 5 after 4"]);
}

#[test]
fn sequences_are_judged_on_the_circle() {
    let judge = |sequence, records, expected| {
        let log = Log::new().data(5, 0, sequence, records);
        judge_sequences(&log.batches()[0].0, Sequence(expected))
    };
    let expected = Sequence(2);
    assert_eq!(
        judge(i32::MAX, 1, 2),
        Some(Kind::SequenceRepeat { expected })
    );
    assert_eq!(
        judge(i32::MAX, 4, 2),
        Some(Kind::SequenceOverlap { expected })
    );
    assert_eq!(
        judge(i32::MAX, 3, 2),
        Some(Kind::SequenceRepeat { expected })
    );
    let expected = Sequence(i32::MAX);
    assert_eq!(judge(1, 1, i32::MAX), Some(Kind::SequenceGap { expected }));
    assert_eq!(judge(2, 1, 2), None);
    assert_eq!(judge(-1, 1, 2), None);
}

#[test]
fn epochs_that_go_down() {
    let log = Log::new().data(5, 3, 0, 1).data(5, 2, 0, 1);
    assert_eq!(events(&log), ["epoch-regression 1 after 0"]);
    let log = Log::new().txn(5, 3, 0, 1).abort(5, 2, 0);
    assert_eq!(events(&log), ["marker-old-epoch 1 after 0"]);
    let log = Log::new()
        .txn(5, 3, 0, 1)
        .abort(5, 3, 9)
        .txn(5, 3, 1, 1)
        .commit(5, 3, 8);
    assert_eq!(events(&log), ["coordinator-epoch-regression 3 after 2"]);
}

#[test]
fn a_marker_without_a_transaction_is_a_note() {
    let log = Log::new().txn(5, 0, 0, 1).commit(5, 0, 0).commit(5, 0, 0);
    assert_eq!(events(&log), ["empty-transaction 2 after 0"]);
}
