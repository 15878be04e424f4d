//! Replays of worked logs: states at an offset, transactions, and going on behind refusals.

use super::log::Log;
use crate::format::batch::HEADER_SIZE;
use crate::format::number::{Offset, ProducerId};
use crate::format::producer_snapshot::ProducerEntry;
use crate::format::txn_index::AbortedTxn;
use crate::state::batch::{Batch, Place};
use crate::state::event::{Event, Fate, Kind};
use crate::state::read::{Item, read_source};
use crate::state::replay::{Replay, Visitor};
use crate::state::rules::{Barrier, Fork, RuleSet, Stock};
use crate::state::transactions::Transaction;
use crate::storage::source::Source;
use std::ops::ControlFlow;

#[derive(Default)]
struct Heard {
    events: Vec<String>,
    transactions: Vec<Transaction>,
    aborted: Vec<AbortedTxn>,
    /// Their offsets.
    barriers: Vec<i64>,
    /// Producer, first offset and fate of what was open at them.
    open: Vec<(i64, i64, Fate)>,
    reached: u64,
}

impl Visitor for Heard {
    fn barrier(&mut self, batch: &Batch) {
        self.barriers.push(batch.base_offset.0);
    }

    fn reached(&mut self, _: Offset, position: u64) {
        self.reached = position;
    }

    fn event(&mut self, event: &Event<'_>) {
        self.events.push(event.kind.code().to_owned());
        if let Kind::BarrierOpenTransaction {
            producer_id,
            first_offset,
            fate,
        } = event.kind
        {
            self.open.push((producer_id.0, first_offset.0, fate));
        }
    }

    fn transaction(&mut self, transaction: &Transaction) {
        self.transactions.push(*transaction);
    }

    fn aborted(&mut self, _: Offset, txn: &AbortedTxn) {
        self.aborted.push(*txn);
    }
}

/// Where newer batches have their leader epoch, older messages have their checksum.
#[test]
fn the_checksum_of_an_old_message_is_no_leader_epoch() {
    for magic in [0, 1, 2] {
        let mut head = [0; HEADER_SIZE];
        head[12..16].copy_from_slice(&[0, 0, 0, 9]);
        head[16] = magic;
        let place = Place {
            segment: Offset(0),
            position: 0,
            size: 61,
        };
        let batch = Batch {
            producer_id: ProducerId::NONE,
            ..Batch::new(&head, place)
        };
        let mut replay = Replay::<1>::new("orders-0".to_owned(), &Stock, Offset(0));
        let _flow = replay.batch(&batch, None, &mut ());
        let latest = replay.epochs().latest();
        assert_eq!(
            latest.map(|latest| latest.leader_epoch.0),
            (magic == 2).then_some(9)
        );
    }
}

fn run(mut replay: Replay<1>, log: &Log) -> (Replay<1>, Heard) {
    let mut heard = Heard::default();
    let source = Source::from_bytes("00000000000000000000.log", log.bytes());
    replay.begin_segment(Offset(0));
    let mut visit = |item: Item<'_>| match item {
        Item::Batch(batch, control) => replay.batch(batch, control, &mut heard),
        Item::Damage(_) => ControlFlow::Continue(()),
    };
    read_source(&source, Offset(0), true, &mut |_| true, &mut visit).unwrap();
    replay.end_segment(&mut heard);
    (replay, heard)
}

fn replay(rules: &'static dyn RuleSet) -> Replay<1> {
    Replay::new("t-0", rules, Offset(0))
}

#[test]
fn a_transaction_has_its_size_and_its_time() {
    let log = Log::new()
        .txn(5, 0, 0, 2)
        .txn(6, 0, 0, 1)
        .txn(5, 0, 2, 3)
        .abort(5, 0, 4)
        .txn(5, 0, 5, 1);
    let (replay, heard) = run(replay(&Stock), &log);
    let [ended] = heard.transactions[..] else {
        panic!("{:?}", heard.transactions);
    };
    assert_eq!(
        (ended.first_offset, ended.last_offset),
        (Offset(0), Offset(5))
    );
    assert_eq!((ended.batches, ended.records), (2, 5));
    let sizes: Vec<u64> = log
        .writes
        .iter()
        .map(|write| write.bytes().len() as u64)
        .collect();
    assert_eq!(ended.bytes, sizes[0] + sizes[2]);
    let start = super::log::START;
    assert_eq!(
        (ended.first_timestamp.0, ended.last_timestamp.0),
        (start, start + 2000)
    );
    let end = ended.end.unwrap();
    assert!(end.marker.is_abort && end.offset == Offset(6));
    assert_eq!(ended.coordinator_epoch().unwrap().0, 4);
    let index = AbortedTxn {
        producer_id: ProducerId(5),
        first_offset: Offset(0),
        last_offset: Offset(6),
        last_stable_offset: Offset(2),
    };
    assert_eq!(heard.aborted, [index]);
    let open: Vec<_> = replay
        .transactions()
        .open()
        .iter()
        .map(|open| open.producer_id.0)
        .collect();
    assert_eq!(open, [6, 5]);
    assert_eq!(
        (replay.last_stable_offset(), replay.next_offset()),
        (Offset(2), Offset(8))
    );
}

#[test]
fn the_state_at_an_offset_is_that_of_the_batches_that_end_below() {
    let log = Log::new()
        .data(5, 0, 0, 3)
        .data(5, 0, 3, 3)
        .data(6, 0, 0, 1);
    for (offset, last, ids) in [(0, -1, 0), (3, 2, 1), (4, 2, 1), (6, 5, 1), (7, 5, 2)] {
        let (replay, _) = run(replay(&Stock).upto(Offset(offset)), &log);
        assert_eq!(replay.manager().producers().len(), ids, "at {offset}");
        let entry = replay.manager().producers().get(ProducerId(5));
        assert_eq!(
            entry.map_or(-1, |entry| entry.last_sequence().0),
            last,
            "at {offset}"
        );
    }
}

#[test]
fn a_replay_goes_on_where_a_broker_ends() {
    let log = Log::new()
        .txn(5, 0, 0, 1)
        .data(5, 0, 1, 1)
        .control(6, 0, 1, None)
        .txn(5, 0, 2, 1)
        .abort(5, 0, 0);
    let (replay, heard) = run(replay(&Stock), &log);
    assert_eq!(
        heard.events,
        ["non-transactional-in-transaction", "marker-malformed"]
    );
    assert_eq!(heard.aborted.len(), 1);
    let entry = replay.manager().producers().get(ProducerId(5)).unwrap();
    assert_eq!(entry.last_sequence().0, 2);
    assert!(replay.manager().producers().get(ProducerId(6)).is_none());
}

#[test]
fn a_log_that_begins_in_the_middle_of_a_batch_takes_the_whole_batch() {
    let log = Log::new()
        .data(4, 0, 0, 2)
        .data(5, 0, 0, 3)
        .data(6, 0, 0, 1);
    let (replay, _) = run(Replay::new("t-0", &Stock, Offset(3)), &log);
    let ids: Vec<_> = replay
        .manager()
        .producers()
        .iter()
        .map(|entry| entry.producer_id.0)
        .collect();
    assert_eq!(ids, [5, 6]);
}

/// The batch that holds the start has the last say, whosever it is.
#[test]
fn a_transaction_from_below_the_logs_start_holds_the_batch_that_holds_the_start() {
    let log = Log::new()
        .txn(4, 0, 0, 1)
        .data(5, 0, 0, 5)
        .txn(4, 0, 1, 3)
        .data(6, 0, 0, 1);
    let stable = |start| {
        let (replay, _) = run(replay(&Stock).log_start(Offset(start)), &log);
        replay.last_stable_offset().0
    };
    assert_eq!([0, 1, 3, 5].map(stable), [0, 1, 1, 1]);
    assert_eq!([6, 7, 8, 9, 10].map(stable), [6, 6, 6, 9, 10]);
    // A replay that begins at the start sees the transaction begin with the batch that holds it.
    let (from_start, _) = run(Replay::new("t-0", &Stock, Offset(7)), &log);
    assert_eq!(from_start.last_stable_offset(), Offset(6));
    // Before the start there is nothing to be held.
    let early = replay(&Stock).log_start(Offset(7)).upto(Offset(1));
    assert_eq!(run(early, &log).0.last_stable_offset(), Offset(1));
}

#[test]
fn a_snapshot_is_where_a_replay_may_begin() {
    let head = Log::new().txn(5, 0, 0, 1).data(6, 0, 0, 1);
    let (before, _) = run(replay(&Stock), &head);
    let entries: Vec<ProducerEntry> = before.manager().snapshot_entries().collect();
    let mut from_snapshot = replay(&Stock);
    from_snapshot.start_from_snapshot(&entries, Offset(2));
    let log = head.txn(5, 0, 1, 1).commit(5, 0, 0);
    let (replay, heard) = run(from_snapshot, &log);
    assert_eq!(heard.transactions[0].first_offset, Offset(0));
    assert_eq!(heard.transactions[0].first_place, None);
    assert_eq!(replay.manager().producers().len(), 2);
    assert_eq!(replay.last_stable_offset(), Offset(4));
}

#[test]
fn leader_epochs_rise() {
    let mut log = Log::new().data(5, 0, 0, 1);
    for epoch in [3, 2, 4] {
        log.leader_epoch = epoch;
        log = log.data(-1, -1, -1, 1);
    }
    let (replay, _) = run(replay(&Stock), &log);
    let epochs: Vec<_> = replay
        .epochs()
        .entries()
        .map(|entry| entry.to_string())
        .collect();
    assert_eq!(epochs, ["0 0", "3 1", "4 3"]);
}

#[test]
fn the_fork_is_replayed_a_segment_at_once_as_it_loads() {
    let log = Log::new().data(5, 0, 0, 1).barrier();
    assert_eq!(run(replay(&Fork), &log).0.manager().producers().len(), 1);
    assert_eq!(run(replay(&Barrier), &log).0.manager().producers().len(), 0);
}

/// Two entries of one producer: the last wins, and the transaction of the first stays open.
#[test]
fn a_producer_twice_in_a_snapshot_leaves_a_transaction_without_a_producer() {
    let entry = |first: i64| ProducerEntry {
        current_txn_first_offset: Offset(first),
        ..run(replay(&Stock), &Log::new().txn(5, 0, 0, 1))
            .0
            .manager()
            .snapshot_entries()
            .next()
            .unwrap()
    };
    let mut twice = replay(&Stock);
    twice.start_from_snapshot(&[entry(3), entry(-1)], Offset(9));
    assert_eq!(twice.last_stable_offset(), Offset(3));
    let producer = twice.manager().producers().get(ProducerId(5)).unwrap();
    assert_eq!(producer.current_txn_first_offset, None);
}

#[test]
fn a_barrier_drops_what_is_open_or_takes_its_producer_away() {
    let first = Log::new().txn(5, 0, 0, 1).txn(6, 0, 0, 1);
    let second = Log::from(2).txn(6, 0, 1, 2).barrier().txn(5, 0, 0, 4);
    let second = second.barrier().txn(5, 0, 4, 1);
    let (once, _) = run(replay(&Fork), &first);
    let (twice, heard) = run(once, &second);
    assert_eq!(heard.barriers, [4, 9]);
    // Told of once: that of 5 in the first segment is stuck, and those that were read together
    // with a barrier come back behind it.
    let (stuck, kept) = (Fate::Stuck, Fate::Kept);
    assert_eq!(heard.open, [(5, 0, stuck), (6, 1, kept), (5, 5, kept)]);
    let ongoing = twice.manager().ongoing().map(|open| open.first_offset.0);
    assert_eq!(ongoing.collect::<Vec<_>>(), [0, 1, 5]);
    let transactions = twice.transactions();
    let records = |id, first_offset| {
        let open = transactions.open_at(ProducerId(id), Offset(first_offset));
        open.map(|open| open.records)
    };
    assert_eq!(
        [records(5, 0), records(6, 1), records(5, 5), records(6, 0)],
        [Some(1), Some(3), Some(5), None]
    );
    assert!(transactions.is_stuck(ProducerId(5), Offset(0)));
    assert!(!transactions.is_stuck(ProducerId(5), Offset(5)));
    assert_eq!(transactions.open().len(), 3);
    let (once, _) = run(replay(&Barrier), &first);
    let (twice, heard) = run(once, &second);
    let dropped = Fate::Dropped;
    assert_eq!(
        heard.open,
        [(5, 0, dropped), (6, 1, dropped), (5, 5, dropped)]
    );
    assert_eq!(twice.transactions().open().len(), 1);
    let (_, heard) = run(replay(&Stock), &second);
    assert_eq!((heard.barriers, heard.open), (vec![], vec![]));
}

#[test]
fn a_marker_in_front_of_a_barrier_leaves_nothing_open_at_it() {
    for rules in [&Fork as &'static dyn RuleSet, &Barrier] {
        let (once, _) = run(replay(rules), &Log::new().txn(5, 0, 0, 1));
        let (twice, heard) = run(once, &Log::from(1).commit(5, 0, 0).barrier());
        assert_eq!((heard.barriers, heard.open), (vec![2], vec![]));
        assert_eq!(twice.manager().ongoing().count(), 0);
    }
}

#[test]
fn a_segment_is_reached_to_its_end() {
    let log = Log::new().txn(5, 0, 0, 1).commit(5, 0, 0);
    let (_, heard) = run(replay(&Stock), &log);
    assert_eq!(heard.reached, u64::try_from(log.bytes().len()).unwrap());
}
