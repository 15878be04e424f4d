//! What a running broker believes after its log was cut.

use super::chunk::in_chunks;
use super::load::Partition;
use super::log::{Log, kept};
use crate::format::number::{Offset, Timestamp};
use crate::state::append::Append;
use crate::state::load::{LoadOptions, truncate};
use crate::state::manager::Manager;
use crate::state::rules::{Barrier, Fork, Mapped, RuleSet, Stock};
use crate::storage::directory::PartitionDirectory;

/// A follower that has fetched each of these logs in one go; the high watermark is at the last.
fn follower(rules: &'static dyn RuleSet, fetches: &[&Log]) -> Manager<5> {
    let (mut manager, _) = in_chunks(rules, Append::FOLLOWER, fetches);
    let last = fetches.last().unwrap();
    manager.set_map_end_offset(Offset(last.end()));
    manager.on_high_watermark_updated(Offset(last.writes[0].offset));
    manager
}

fn cut(partition: &Partition, manager: Manager<5>, end: i64) -> Manager<5> {
    let options = LoadOptions::new(manager.rules());
    let directory = PartitionDirectory::list(&partition.path(""));
    let manager = truncate(&directory, manager, Offset(end), &options);
    manager.unwrap().unwrap()
}

fn ids(manager: &Manager<5>) -> Vec<i64> {
    let entries = manager.producers().iter();
    let mut ids: Vec<_> = entries.map(|entry| entry.producer_id.0).collect();
    ids.sort_unstable();
    ids
}

fn joined(logs: &[&Log]) -> Log {
    let mut whole = logs[0].clone();
    for log in &logs[1..] {
        whole.writes.extend(log.writes.clone());
    }
    whole
}

/// Producers 5 and 6, and a barrier fetched apart.
fn stopped() -> (Log, Log) {
    let before = Log::new().data(5, 0, 0, 1).txn(6, 0, 0, 1);
    let abort = before.abort(6, 0, 0);
    (abort, Log::from(3).barrier())
}

#[test]
fn a_cut_brings_the_state_of_its_offset_back() {
    let first = Log::new().data(5, 0, 0, 1).txn(6, 0, 0, 1);
    let second = Log::from(2)
        .abort(6, 0, 0)
        .data(7, 0, 0, 1)
        .data(5, 0, 1, 1);
    let partition = Partition::of(&[&first, &second]);
    let live = || follower(&Stock, &[&first, &second]);
    let manager = cut(&partition, live(), 3);
    assert_eq!(ids(&manager), [5, 6]);
    assert_eq!(
        (kept(&manager, 5), manager.map_end_offset().0),
        (vec![(0, 0)], 3)
    );
    // The transaction is open again where its marker goes.
    let manager = cut(&partition, live(), 2);
    assert_eq!(manager.first_unstable_offset(), Some(Offset(1)));
    // What a snapshot says is not read from the log again.
    partition.snapshot(&first.clone().write(|batch| {
        (batch.pid, batch.epoch, batch.sequence, batch.offset) = (9, 0, 0, 1);
    }));
    assert_eq!(ids(&cut(&partition, live(), 3)), [5, 6, 9]);
    // A snapshot behind the cut counts for nothing, and an end that is not behind it changes
    // nothing.
    assert_eq!(ids(&cut(&partition, live(), 1)), [5]);
    assert_eq!(kept(&cut(&partition, live(), 5), 5), [(0, 0), (1, 4)]);
}

#[test]
fn a_cut_in_front_of_all_segments_leaves_nobody() {
    let log = Log::from(4).data(5, 0, 0, 1);
    let partition = Partition::of(&[&log]);
    let manager = cut(&partition, follower(&Stock, &[&log]), 2);
    assert_eq!(
        (ids(&manager), manager.map_end_offset()),
        (vec![], Offset(2))
    );
}

/// P4: the log in front of the barrier is not read, for nobody was known behind it.
#[test]
fn fork_does_not_bring_producers_back_when_the_barrier_is_truncated_away() {
    let (before, barrier) = stopped();
    let partition = Partition::of(&[&joined(&[&before, &barrier])]);
    let after = |rules: &'static dyn RuleSet| {
        let live = follower(rules, &[&before, &barrier]);
        ids(&cut(&partition, live, 3))
    };
    assert_eq!(after(&Fork), [] as [i64; 0]);
    assert_eq!(after(&Barrier), [5, 6]);
    assert_eq!(after(&Mapped), [5, 6]);
    assert_eq!(after(&Stock), [5, 6]);
    // While an ended transaction waits for the high watermark the state is not empty.
    let (mut waiting, _) = in_chunks(&Fork, Append::FOLLOWER, &[&before, &barrier]);
    waiting.set_map_end_offset(Offset(4));
    assert_eq!(ids(&cut(&partition, waiting, 3)), [5, 6]);
    // A start reads what is left and knows them: replicas of one log do not agree.
    let left = Partition::of(&[&before]);
    left.write("00000000000000000003.snapshot", []);
    let loaded = left.loaded(&LoadOptions::new(&Fork));
    assert_eq!(ids(&loaded.manager), [5, 6]);
}

/// P4 where a snapshot lies in front of the barrier: its producers come back, the later ones do
/// not.
#[test]
fn fork_brings_back_what_a_snapshot_tells_and_no_more() {
    let (before, barrier) = stopped();
    let first = Log::new().data(4, 0, 0, 1);
    let partition = Partition::of(&[&joined(&[&before, &barrier])]);
    partition.snapshot(&first);
    let live = |rules| follower(rules, &[&before, &barrier]);
    assert_eq!(ids(&cut(&partition, live(&Fork), 3)), [4]);
    assert_eq!(ids(&cut(&partition, live(&Barrier), 3)), [4, 6]);
}

/// P4 needs an empty state: one producer behind the barrier, and the log is read.
#[test]
fn fork_reads_the_log_when_somebody_wrote_behind_the_barrier() {
    let (before, barrier) = stopped();
    let behind = Log::from(4).data(7, 0, 0, 1);
    let partition = Partition::of(&[&joined(&[&before, &barrier, &behind])]);
    let live = follower(&Fork, &[&before, &barrier, &behind]);
    assert_eq!(ids(&cut(&partition, live, 3)), [5, 6]);
    // The barrier stays, and a segment is one chunk: P1 puts the producers back.
    let live = follower(&Fork, &[&before, &barrier, &behind]);
    assert_eq!(ids(&cut(&partition, live, 4)), [5, 6]);
    let live = follower(&Barrier, &[&before, &barrier, &behind]);
    assert_eq!(ids(&cut(&partition, live, 4)), [] as [i64; 0]);
}

/// The rule behind P4 is the stock broker's: whoever has expired does not come back either, under
/// any rules.
#[test]
fn a_state_that_expired_to_nothing_is_not_read_again() {
    let log = Log::new().data(5, 0, 0, 1).data(5, 0, 1, 1);
    let partition = Partition::of(&[&log]);
    for rules in [&Stock as &'static dyn RuleSet, &Barrier, &Mapped, &Fork] {
        let mut live = follower(rules, &[&log]);
        live.remove_expired(Timestamp(i64::MAX), 1);
        assert_eq!(ids(&cut(&partition, live, 1)), [] as [i64; 0]);
    }
}

/// P3 after the next start: the snapshot does not tell of the transaction, and the last stable
/// offset jumps.
#[test]
fn fork_forgets_the_transaction_that_was_open_at_the_barrier_at_the_next_start() {
    let (before, barrier) = (Log::new().txn(5, 0, 0, 1), Log::from(1).barrier());
    let live = follower(&Fork, &[&before, &barrier]);
    assert_eq!(live.last_stable_offset(Offset(0), Offset(2)), Offset(0));
    let partition = Partition::of(&[&before, &barrier]);
    partition.snapshot_of(&live);
    let loaded = partition.loaded(&LoadOptions::new(&Fork));
    assert_eq!(loaded.last_stable_offset, Offset(2));
    assert_eq!(ids(&loaded.manager), [] as [i64; 0]);
}
