//! What depends on how batches are grouped, and what does not.

use super::log::{Log, kept, recovered};
use crate::format::number::{Offset, ProducerId};
use crate::state::append::Append;
use crate::state::chunk::Chunk;
use crate::state::manager::{Finished, Manager};
use crate::state::rules::{RuleSet, Stock};

/// Takes each log in as a chunk.
pub(super) fn in_chunks(
    rules: &'static dyn RuleSet,
    how: Append,
    chunks: &[&Log],
) -> (Manager<5>, Vec<Finished>) {
    let mut manager = Manager::new("t-0", rules);
    let mut finished = Vec::new();
    for log in chunks {
        let mut chunk = Chunk::new(how);
        for (batch, control) in log.batches() {
            let control = control.filter(|_| manager.needs_control(how, &batch));
            let added = chunk.add(&mut manager, &batch, control.as_ref(), &mut |_| {});
            assert_eq!(added, Ok(None));
        }
        finished.extend(chunk.commit(&mut manager).unwrap());
    }
    (manager, finished)
}

#[test]
fn an_epoch_that_comes_back_within_a_chunk_keeps_the_batches_from_before() {
    let first = Log::new().data(5, 0, 0, 1);
    let there_and_back = Log::from(1).data(5, 1, 0, 1).data(5, 0, 1, 1);
    let (manager, _) = in_chunks(&Stock, Append::LOAD, &[&first, &there_and_back]);
    assert_eq!(kept(&manager, 5), [(0, 0), (1, 2)]);
    let one_by_one = recovered(&first.data(5, 1, 0, 1).data(5, 0, 1, 1));
    assert_eq!(kept(&one_by_one, 5), [(1, 2)]);
}

#[test]
fn markers_that_lead_an_epoch_there_and_back_leave_a_chunk_with_the_old_batch() {
    let first = Log::new().data(5, 0, 0, 1);
    let markers = Log::from(1).commit(5, 1, 0).commit(5, 0, 0);
    let (manager, _) = in_chunks(&Stock, Append::LOAD, &[&first, &markers]);
    assert_eq!(kept(&manager, 5), [(0, 0)]);
    let one_by_one = recovered(&first.commit(5, 1, 0).commit(5, 0, 0));
    assert_eq!(kept(&one_by_one, 5), []);
}

#[test]
fn a_transaction_that_begins_later_in_the_chunk_counts_in_the_last_stable_offset() {
    let log = Log::new()
        .txn(5, 0, 0, 1)
        .abort(5, 0, 0)
        .txn(6, 0, 0, 1)
        .txn(7, 0, 0, 1)
        .txn(5, 0, 1, 1);
    let (manager, finished) = in_chunks(&Stock, Append::FOLLOWER, &[&log]);
    let entry = finished[0].index_entry().unwrap();
    assert_eq!(
        (entry.first_offset, entry.last_offset),
        (Offset(0), Offset(1))
    );
    assert_eq!(entry.last_stable_offset, Offset(2));
    assert_eq!(manager.first_unstable_offset(), Some(Offset(0)));
    // Two chunks: nothing else is open yet, and the offset behind the marker is the same here.
    let (head, tail) = (
        Log::new().txn(5, 0, 0, 1).abort(5, 0, 0),
        Log::from(2).txn(6, 0, 0, 1),
    );
    let (_, finished) = in_chunks(&Stock, Append::FOLLOWER, &[&head, &tail]);
    assert_eq!(finished[0].last_stable_offset, Offset(2));
    // A gap of offsets behind the marker shows the difference.
    let gap = Log::new()
        .txn(5, 0, 0, 1)
        .abort(5, 0, 0)
        .write(|batch| (batch.offset, batch.pid, batch.epoch) = (5, 6, 0));
    let mut gap = gap;
    gap.writes[2].attributes = super::log::TRANSACTIONAL;
    gap.writes[2].sequence = 0;
    let (_, as_chunk) = in_chunks(&Stock, Append::FOLLOWER, &[&gap]);
    assert_eq!(as_chunk[0].last_stable_offset, Offset(5));
}

#[test]
fn two_transactions_of_one_producer_in_a_chunk_end_in_their_order() {
    let log = Log::new()
        .txn(5, 0, 0, 2)
        .abort(5, 0, 0)
        .txn(5, 0, 2, 1)
        .commit(5, 0, 0)
        .txn(5, 0, 3, 1);
    let (manager, finished) = in_chunks(&Stock, Append::LOAD, &[&log]);
    let ended: Vec<_> = finished
        .iter()
        .map(|one| {
            (
                one.txn.first_offset.0,
                one.txn.last_offset.0,
                one.txn.is_aborted,
            )
        })
        .collect();
    assert_eq!(ended, [(0, 2, true), (3, 4, false)]);
    let open = manager.producers().get(ProducerId(5)).unwrap();
    assert_eq!(open.current_txn_first_offset, Some(Offset(5)));
}

/// Chunks of any size against one by one: only kept batches may differ, and the last never does
/// unless an epoch goes down.
#[test]
fn snapshots_do_not_depend_on_chunks() {
    let mut log = Log::new();
    let mut random = 7_u64;
    let mut sequences = [0_i32; 6];
    let mut open = [false; 6];
    for _ in 0..400 {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let p = (random >> 40) as usize % 6;
        let pid = p as i64 + 10;
        log = match (p < 4, (random >> 50) % 4) {
            (true, 0) if open[p] => {
                open[p] = false;
                log.abort(pid, 0, 0)
            }
            (true, _) => {
                open[p] = true;
                log.txn(pid, 0, sequences[p], 2)
            }
            (false, _) => log.data(pid, 0, sequences[p], 2),
        };
        if log.writes.last().unwrap().control.is_none() {
            sequences[p] += 2;
        }
    }
    let one_by_one = recovered(&log);
    for size in [1, 3, 50, 400] {
        let chunks: Vec<Log> = log
            .writes
            .chunks(size)
            .map(|writes| Log {
                writes: writes.to_vec(),
                ..Log::new()
            })
            .collect();
        let chunks: Vec<&Log> = chunks.iter().collect();
        let (manager, finished) = in_chunks(&Stock, Append::LOAD, &chunks);
        let mut ours: Vec<_> = manager.snapshot_entries().collect();
        ours.sort_by_key(|entry| entry.producer_id);
        let mut theirs: Vec<_> = one_by_one.snapshot_entries().collect();
        theirs.sort_by_key(|entry| entry.producer_id);
        assert_eq!(ours, theirs, "chunks of {size}");
        assert!(manager.ongoing().eq(one_by_one.ongoing()));
        assert!(finished.len() > 20);
    }
}
