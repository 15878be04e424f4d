//! What explains a difference, and what does not.

use super::*;
use crate::analysis::cleaner_traces::tests::batch;
use crate::format::number::{CoordinatorEpoch, ProducerEpoch, Sequence};
use crate::state::batch::{Batch, Control};
use crate::state::rules::Barrier;

fn entry(producer_id: i64, last_offset: i64) -> ProducerEntry {
    ProducerEntry {
        producer_id: ProducerId(producer_id),
        producer_epoch: ProducerEpoch(0),
        last_sequence: Sequence(3),
        last_offset: Offset(last_offset),
        offset_delta: 0,
        timestamp: Timestamp(1000),
        coordinator_epoch: CoordinatorEpoch(-1),
        current_txn_first_offset: Offset(-1),
        source_cluster_id: None,
    }
}

fn table(entries: &[ProducerEntry]) -> Table<1> {
    let mut table = Table::new();
    for stored in entries {
        table.add(&Entry::from_snapshot(stored));
    }
    table
}

/// A log from offset 0.
fn log<'a>(producers: &'a Table<1>, traces: &'a CleanerTraces) -> Log<'a> {
    Log {
        producers,
        first_offset: Offset(0),
        log_start: Offset(0),
        knows_below: false,
        traces,
        missing_from: None,
        older_snapshot: None,
        last_barrier: None,
        rules: &Barrier,
        expiry: None,
    }
}

fn causes(differences: &[Difference]) -> Vec<Option<Cause>> {
    differences.iter().map(|told| told.cause).collect()
}

#[test]
fn compaction_explains_the_batch_whose_offset_is_missing() {
    let producers = table(&[entry(1, 4)]);
    let mut traces = CleanerTraces::default();
    traces.note(Offset(5), &batch(8, 8, 1), None);
    let held = [entry(1, 6), entry(2, 9), entry(3, 7)];
    let told = compare(&held, true, &log(&producers, &traces));
    let hole = Some(Cause::Compacted(Offset(5)));
    assert_eq!(causes(&told), [hole, None, hole]);
    assert!(told[0].is_legal() && !told[1].is_legal());
    let end = Log {
        missing_from: Some(Offset(8)),
        ..log(&producers, &traces)
    };
    let told = compare(&held, true, &end);
    assert_eq!(told[1].cause, Some(Cause::Compacted(Offset(8))));
}

/// What one difference of an entry is put down to, where the log has `traces`.
fn cause(
    traces: &CleanerTraces,
    log_has: &ProducerEntry,
    change: impl Fn(&mut ProducerEntry),
) -> Option<Cause> {
    let producers = table(std::slice::from_ref(log_has));
    let mut held = log_has.clone();
    change(&mut held);
    let told = compare(&[held], true, &log(&producers, traces));
    assert_eq!(told.len(), 1, "{told:?}");
    told[0].cause
}

/// The batch of 0 to 4 has lost records and holds the producer's last time: only that may
/// differ, and only downwards.
#[test]
fn a_batch_that_lost_records_explains_a_lower_time_and_nothing_else() {
    let mut traces = CleanerTraces::default();
    traces.note(Offset(0), &batch(0, 4, 0), None);
    traces.note(Offset(5), &batch(5, 5, 1), None);
    let taken = Some(Cause::RecordsTaken(Offset(0)));
    let later = |held: &mut ProducerEntry| held.timestamp.0 += 1;
    assert_eq!(cause(&traces, &entry(1, 4), later), taken);
    // Of a batch that is whole, nothing.
    assert_eq!(cause(&traces, &entry(1, 5), later), None);
    let earlier = |held: &mut ProducerEntry| held.timestamp.0 -= 1;
    assert_eq!(cause(&traces, &entry(1, 4), earlier), None);
    let fields: [fn(&mut ProducerEntry); 5] = [
        |held| held.last_sequence.0 += 1,
        |held| held.offset_delta += 1,
        |held| held.producer_epoch.0 += 1,
        |held| held.coordinator_epoch.0 += 1,
        |held| held.current_txn_first_offset = Offset(0),
    ];
    for change in fields {
        assert_eq!(cause(&traces, &entry(1, 4), change), None);
        // A time that is explained excuses no other field.
        let both = |held: &mut ProducerEntry| {
            change(held);
            later(held);
        };
        assert_eq!(cause(&traces, &entry(1, 4), both), None);
    }
}

/// A marker that is gone takes its time and its epochs along.
#[test]
fn a_marker_that_is_gone_explains_what_it_had_set() {
    let mut hole = CleanerTraces::default();
    hole.note(Offset(0), &batch(0, 4, 5), None);
    hole.note(Offset(5), &batch(6, 6, 1), None);
    let mut emptied = CleanerTraces::default();
    let marker = Batch {
        is_control: true,
        ..batch(5, 5, 0)
    };
    emptied.note(Offset(5), &marker, Some(&Control::NoRecord));
    let none = CleanerTraces::default();
    for (traces, gone) in [
        (&hole, Some(Cause::Compacted(Offset(5)))),
        (&emptied, Some(Cause::MarkerEmptied(Offset(5)))),
        (&none, None),
    ] {
        let time = |held: &mut ProducerEntry| held.timestamp.0 -= 7;
        assert_eq!(cause(traces, &entry(1, 4), time), gone);
        let coordinator = |held: &mut ProducerEntry| held.coordinator_epoch.0 = 3;
        assert_eq!(cause(traces, &entry(1, 4), coordinator), gone);
        // It had begun another epoch, in which no batch was written.
        let epoch = |held: &mut ProducerEntry| {
            held.producer_epoch.0 += 1;
            held.last_offset = Offset(-1);
        };
        assert_eq!(cause(traces, &entry(1, 4), epoch), gone);
        assert_eq!(cause(traces, &entry(1, -1), epoch), gone);
        let lower = |held: &mut ProducerEntry| held.coordinator_epoch.0 = -2;
        assert_eq!(cause(traces, &entry(1, 4), lower), None);
        // In the same epoch the batch would be known.
        let forgot = |held: &mut ProducerEntry| held.last_offset = Offset(-1);
        assert_eq!(cause(traces, &entry(1, 4), forgot), None);
    }
}

#[test]
fn the_first_batches_of_a_transaction_may_be_gone() {
    let mut traces = CleanerTraces::default();
    traces.note(Offset(2), &batch(4, 4, 1), None);
    let mut log_has = entry(1, 4);
    log_has.current_txn_first_offset = Offset(4);
    let first = |first| move |held: &mut ProducerEntry| held.current_txn_first_offset = first;
    let gone = Some(Cause::Compacted(Offset(2)));
    assert_eq!(cause(&traces, &log_has, first(Offset(3))), gone);
    assert_eq!(cause(&traces, &log_has, first(Offset(1))), None);
    // The marker stays as long as a batch of its transaction does.
    assert_eq!(cause(&traces, &log_has, first(Offset(-1))), None);
}

#[test]
fn what_lies_below_the_log_start_explains_fields_and_producers() {
    let producers = table(&[entry(1, 101)]);
    let traces = CleanerTraces::default();
    let mut held = entry(1, 101);
    held.coordinator_epoch = CoordinatorEpoch(4);
    held.current_txn_first_offset = Offset(90);
    let begins = Log {
        first_offset: Offset(100),
        log_start: Offset(100),
        ..log(&producers, &traces)
    };
    let below = Some(Cause::BelowLogStart(Offset(100)));
    let told = compare(&[held.clone(), entry(2, -1)], true, &begins);
    assert_eq!(causes(&told), [below, below]);
    // A transaction that begins inside the log does not begin below it.
    held.current_txn_first_offset = Offset(100);
    assert_eq!(causes(&compare(&[held.clone()], true, &begins)), [None]);
    // Where the snapshot at the log's first offset was read, nothing is unknown.
    let knows = Log {
        knows_below: true,
        ..begins
    };
    held.current_txn_first_offset = Offset(90);
    assert_eq!(causes(&compare(&[held], true, &knows)), [None]);
}

#[test]
fn what_explains_a_missing_producer() {
    let mut late = entry(2, 50);
    late.timestamp = Timestamp(1000 + DEFAULT_EXPIRATION_MS);
    let mut open = entry(3, 10);
    open.current_txn_first_offset = Offset(10);
    let producers = table(&[entry(1, 10), late.clone(), open]);
    let traces = CleanerTraces::default();
    let plain = log(&producers, &traces);
    let silence = Some(Cause::MayHaveExpired(DEFAULT_EXPIRATION_MS));
    // An open transaction keeps its producer.
    let told = compare(&[late], true, &plain);
    assert_eq!(causes(&told), [silence, None]);
    let producers = table(&[entry(1, 10), entry(2, 50)]);
    let older = Log {
        older_snapshot: Some(Offset(20)),
        ..log(&producers, &traces)
    };
    let silent = Some(Cause::SilentSince(Offset(20)));
    assert_eq!(causes(&compare(&[], true, &older)), [silent, None]);
    let unread = Some(Cause::Unread);
    assert_eq!(causes(&compare(&[], false, &older)), [unread, unread]);
}

/// A job that writes records of years ago expires at once, however often it writes.
#[test]
fn times_that_go_back_tell_nothing_of_silence() {
    let at = |id, offset, days| ProducerEntry {
        timestamp: Timestamp(days * DEFAULT_EXPIRATION_MS),
        ..entry(id, offset)
    };
    let traces = CleanerTraces::default();
    let producers = table(&[at(1, 10, 900), at(2, 20, 899)]);
    let told = compare(&[], true, &log(&producers, &traces));
    let back = Some(Cause::TimesGoBack);
    let silent = Some(Cause::MayHaveExpired(DEFAULT_EXPIRATION_MS));
    assert_eq!(causes(&told), [back, silent]);
    let mut close = at(2, 20, 899);
    close.timestamp.0 += 1;
    let producers = table(&[at(1, 10, 900), close]);
    let told = compare(&[], true, &log(&producers, &traces));
    assert_eq!(causes(&told), [None, None]);
}

#[test]
fn the_fields_of_a_batch_that_is_not_there_mean_nothing() {
    let marker_only = ProducerEntry {
        last_sequence: Sequence(77),
        offset_delta: 9,
        ..entry(1, -1)
    };
    let producers = table(&[entry(1, -1)]);
    let traces = CleanerTraces::default();
    assert_eq!(compare(&[marker_only], true, &log(&producers, &traces)), []);
    // Of two entries the last counts.
    let producers = table(&[entry(1, 8)]);
    let held = [entry(1, 5), entry(1, 8)];
    assert_eq!(compare(&held, true, &log(&producers, &traces)), []);
}
