//! Small logs of one id, each batch with the writer that it should have.

use super::{Decisions, Link, Member, Undecidable, Unmixed, unmix};
use crate::analysis::strands::Seen;
use crate::format::number::{
    CoordinatorEpoch, LeaderEpoch, Offset, ProducerEpoch, Sequence, Timestamp,
};
use crate::state::batch::Marker;

const DAY_MS: i64 = 86_400_000;

/// A batch of `sequences` under a leader, one after the other in the log.
fn data(epoch: i16, sequences: (i32, i32), leader: i32) -> Member {
    let (base, last) = sequences;
    Member {
        seen: Seen {
            base_offset: Offset(0),
            last_offset: Offset(0),
            partition_leader_epoch: LeaderEpoch(leader),
            producer_epoch: ProducerEpoch(epoch),
            base_sequence: Sequence(base),
            last_sequence: Sequence(last),
            first_timestamp: Timestamp(0),
            max_timestamp: Timestamp(0),
            is_transactional: false,
            is_control: false,
        },
        marker: None,
        is_apart: false,
    }
}

fn in_transaction(mut member: Member) -> Member {
    member.seen.is_transactional = true;
    member
}

fn abort(epoch: i16, leader: i32) -> Member {
    let mut member = in_transaction(data(epoch, (-1, -1), leader));
    member.seen.is_control = true;
    member.marker = Some(Marker {
        is_abort: true,
        version: 0,
        coordinator_epoch: CoordinatorEpoch(0),
        timestamp: Timestamp(0),
    });
    member
}

/// Gives batches their offsets and times.
fn log(members: impl IntoIterator<Item = Member>) -> Vec<Member> {
    let mut at = 0;
    let place = |mut member: Member| {
        let seen = &mut member.seen;
        let length = i64::from(seen.last_sequence.0 - seen.base_sequence.0);
        (seen.base_offset, seen.last_offset) = (Offset(at), Offset(at + length));
        (seen.first_timestamp, seen.max_timestamp) = (Timestamp(at), Timestamp(at));
        at += length + 1;
        member
    };
    members.into_iter().map(place).collect()
}

fn at_times<const N: usize>(members: &mut [Member], times: [i64; N]) {
    for (member, time) in members.iter_mut().zip(times) {
        member.seen.first_timestamp = Timestamp(time);
        member.seen.max_timestamp = Timestamp(time);
    }
}

fn found(members: &[Member]) -> Unmixed {
    unmix(members, 1, &Decisions::new(), DAY_MS).unwrap()
}

/// The places of batches that more than one writer may have written.
fn ambiguous(found: &Unmixed) -> Vec<usize> {
    let runs = found.runs.iter().filter(|run| run.is_ambiguous());
    runs.flat_map(|run| run.places.clone()).collect()
}

#[test]
fn one_writer_is_one() {
    let members = log([
        data(0, (0, 4), 0),
        data(0, (5, 9), 1),
        data(1, (0, 2), 1),
        data(1, (3, 3), 7),
    ]);
    let found = found(&members);
    assert_eq!((found.count, found.is_certain()), (1, true));
    assert_eq!(found.writers, [0; 4]);
    assert_eq!(unmix(&[], 1, &Decisions::new(), DAY_MS).unwrap().count, 0);
}

#[test]
fn sequences_that_begin_again_behind_a_stop_are_of_the_second() {
    let mirrored = (0..4).map(|n| data(0, (n * 10, n * 10 + 9), 3));
    let local = (0..3).map(|n| data(0, (n * 10, n * 10 + 9), 14));
    let members = log(mirrored.chain(local));
    let found = found(&members);
    assert_eq!(found.writers, [0, 0, 0, 0, 1, 1, 1]);
    assert_eq!((found.count, found.is_certain()), (2, true));
}

#[test]
fn two_writers_in_turns_are_told_apart_by_their_sequences() {
    let turns = (0..6).flat_map(|n| [data(0, (n, n), 0), data(0, (100 + n, 100 + n), 5)]);
    let members = log(turns);
    let found = found(&members);
    let expected: Vec<usize> = (0..12).map(|place| place % 2).collect();
    assert_eq!(found.writers, expected);
}

#[test]
fn a_kind_of_its_own_tells_a_writer_whatever_its_numbers() {
    let members = log([
        data(0, (0, 0), 0),
        in_transaction(data(0, (1, 1), 11)),
        abort(0, 11),
        data(0, (1, 1), 11),
    ]);
    let found = found(&members);
    assert_eq!(found.writers, [0, 1, 1, 0]);
    assert!(found.is_certain());
}

#[test]
fn where_both_may_go_on_nothing_is_guessed() {
    // The second writer has come to where the first ended.
    let members = log([
        data(0, (0, 4), 0),
        data(0, (0, 1), 11),
        data(0, (2, 4), 11),
        data(0, (5, 6), 22),
    ]);
    let found = found(&members);
    assert_eq!(found.count, 2);
    assert_eq!(ambiguous(&found), [3]);
    let run = found.runs.last().unwrap();
    assert_eq!(
        (run.link, run.others[0].link),
        (Link::Follows, Link::Follows)
    );
    let sum = run.confidence + run.others[0].confidence;
    assert!((sum - 1.0).abs() < 1e-9, "{run:?}");

    for writer in [0, 1] {
        let decisions = Decisions::from([(members[3].seen.base_offset, writer)]);
        let decided = unmix(&members, 1, &decisions, DAY_MS).unwrap();
        assert_eq!(decided.writers, [0, 1, 1, writer]);
        assert!(decided.is_certain());
    }
}

#[test]
fn a_new_epoch_may_be_of_either() {
    let members = log([data(0, (0, 4), 0), data(0, (0, 1), 11), data(1, (0, 0), 12)]);
    assert_eq!(ambiguous(&found(&members)), [2]);
}

/// Nobody but the first has records here, and the marker may be of a producer that has none.
#[test]
fn a_marker_in_front_of_an_epoch_that_goes_on_is_of_nobody_for_certain() {
    let members = log([
        in_transaction(data(0, (0, 0), 0)),
        abort(1, 0),
        in_transaction(data(0, (1, 1), 10)),
        in_transaction(data(0, (2, 2), 10)),
    ]);
    let found = found(&members);
    assert_eq!(found.count, 2);
    assert_eq!(ambiguous(&found), [1, 2, 3]);
}

/// A mirror that goes on with another source brings what came before.
#[test]
fn batches_of_transactions_that_come_in_another_order_may_be_of_one() {
    let mut members = log([
        in_transaction(data(1, (17, 18), 1)),
        in_transaction(data(1, (2, 3), 1)),
        in_transaction(data(1, (4, 5), 1)),
    ]);
    at_times(&mut members, [23, 6, 7]);
    let found = found(&members);
    assert_eq!((found.count, found.is_certain()), (1, true));
}

/// The second batch is the first one's writer's, sent before; others follow on it by chance.
#[test]
fn what_follows_on_a_batch_that_may_be_misplaced_is_certain_of_nobody() {
    let mut members = log([
        data(0, (8, 8), 10),
        data(0, (0, 1), 0),
        data(0, (2, 2), 12),
        data(0, (4, 5), 12),
    ]);
    at_times(&mut members, [172_862, 43_206, 43_252, 172_866]);
    let found = found(&members);
    assert_eq!((found.count, ambiguous(&found)), (2, vec![1, 2, 3]));
}

#[test]
fn a_batch_that_may_be_misplaced_is_certain_of_nobody_where_the_writers_are_told() {
    let mut members = log([
        data(1, (0, 1), 0),
        data(0, (2, 3), 0),
        data(0, (7, 9), 10),
        data(1, (2, 3), 20),
    ]);
    at_times(&mut members, [302_463, 6_000, 216_051, 302_474]);
    let told = unmix(&members, 2, &Decisions::new(), DAY_MS).unwrap();
    assert_eq!((told.count, ambiguous(&told)), (2, vec![1, 2, 3]));
}

#[test]
fn sequences_that_begin_again_may_lie_at_one_time_in_another_order() {
    let mut members = log([
        data(0, (2, 2), 0),
        data(0, (i32::MAX - 1, i32::MAX), 0),
        data(0, (0, 1), 0),
    ]);
    at_times(&mut members, [10, 6, 6]);
    let found = found(&members);
    assert_eq!((found.count, found.is_certain()), (1, true));
}

#[test]
fn behind_more_batches_than_a_broker_remembers_no_other_can_hide() {
    // The first writer may have sent any that the second could send, but for the sixth in a row.
    let second = (0..9).map(|n| data(0, (n, n), 11));
    let members = log([data(0, (0, 0), 0)].into_iter().chain(second));
    let found = found(&members);
    assert!(
        found
            .runs
            .iter()
            .any(|run| run.places == [7, 8, 9] || run.places.len() > 2)
    );
    assert!(!ambiguous(&found).is_empty());
}

#[test]
fn a_batch_stored_twice_is_of_who_wrote_it() {
    let mut members = log([data(0, (0, 4), 0), data(0, (5, 6), 0), data(0, (5, 6), 12)]);
    assert_eq!(
        found(&members).count,
        2,
        "of another time it is another batch"
    );
    let time = members[1].seen.first_timestamp;
    members[2].seen.first_timestamp = time;
    let found = found(&members);
    assert_eq!((found.count, found.writers), (1, vec![0, 0, 0]));
}

#[test]
fn decisions_must_be_for_batches_and_agree() {
    let members = log((0..9).map(|n| data(0, (n, n), 0)));
    let decide = |decisions: &[(i64, usize)]| {
        let decisions = decisions
            .iter()
            .map(|(offset, writer)| (Offset(*offset), *writer));
        unmix(&members, 1, &decisions.collect(), DAY_MS)
    };
    assert_eq!(decide(&[(40, 1)]), Err(Undecidable::NoBatch(Offset(40))));
    let (offset, other) = (Offset(8), Offset(7));
    assert_eq!(
        decide(&[(7, 0), (8, 1)]),
        Err(Undecidable::Contradicted { offset, other })
    );
    // What nothing shows can be decided nevertheless.
    let split = decide(&[(3, 1)]).unwrap();
    assert_eq!((split.count, split.writers[3]), (2, 1));
}
