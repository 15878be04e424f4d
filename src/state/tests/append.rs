//! The checks of an append, in Kafka's order and with its texts.

use super::log::{Log, TRANSACTIONAL, apply, kept, recovered, refusal};
use crate::format::number::{Offset, ProducerId, Sequence, Timestamp};
use crate::state::append::Append;
use crate::state::error::Origin;
use crate::state::manager::{Applied, Manager};
use crate::state::rules::{Path, Stock};

const COORDINATOR: Append = Append::coordinator(1);
const COORDINATOR_V2: Append = Append::coordinator(2);

#[test]
fn a_client_of_an_old_epoch_is_fenced_and_a_replica_goes_back_to_it() {
    let before = Log::new().data(5, 3, 0, 1);
    let old = Log::from(1).data(5, 2, 0, 1);
    assert_eq!(
        refusal(&before, Append::CLIENT, &old),
        "InvalidProducerEpochException: Epoch of producer 5 at offset 1 in t-0 is 2, which is < \
         the last seen epoch 3 (TV-1)"
    );
    let mut replica = recovered(&before);
    assert!(apply(&mut replica, Append::FOLLOWER, &old)[0].is_ok());
    let entry = replica.producers().get(ProducerId(5)).unwrap();
    assert_eq!(
        (entry.producer_epoch.0, kept(&replica, 5)),
        (2, vec![(0, 1)])
    );
}

#[test]
fn sequences_of_a_client_follow_and_wrap() {
    let before = Log::new().data(5, 0, i32::MAX - 1, 2);
    assert_eq!(
        refusal(&before, Append::CLIENT, &Log::from(2).data(5, 0, 1, 1)),
        "OutOfOrderSequenceException: Out of order sequence number for producer 5 at offset 2 in \
         partition t-0: 1 (incoming seq. number), 2147483647 (current end sequence number)"
    );
    let mut manager = recovered(&before);
    assert!(apply(&mut manager, Append::CLIENT, &Log::from(2).data(5, 0, 0, 1))[0].is_ok());
    // A batch whose own sequences wrap: 2147483646, 2147483647, 0.
    let inside = Log::new().data(6, 0, i32::MAX - 1, 3);
    let entry = recovered(&inside).producers().get(ProducerId(6)).unwrap();
    let batch = entry.batches.last().unwrap();
    assert_eq!(batch.last_sequence, Sequence(0));
    assert_eq!(batch.first_sequence(), Sequence(i32::MAX - 1));
}

#[test]
fn a_new_epoch_begins_with_sequence_0_and_an_unknown_producer_with_any() {
    let before = Log::new().data(5, 0, 0, 1);
    assert_eq!(
        refusal(&before, Append::CLIENT, &Log::from(1).data(5, 1, 7, 1)),
        "OutOfOrderSequenceException: Invalid sequence number for new epoch of producer 5 at \
         offset 1 in partition t-0: 1 (request epoch), 7 (seq. number), 0 (current producer epoch)"
    );
    let mut manager = recovered(&before);
    assert!(apply(&mut manager, Append::CLIENT, &Log::from(1).data(6, 1, 7, 1))[0].is_ok());
}

#[test]
fn behind_a_marker_alone_only_sequence_0_is_taken() {
    let before = Log::new().commit(5, 0, 0);
    assert_eq!(
        refusal(&before, Append::CLIENT, &Log::from(1).data(5, 0, 7, 1)),
        "OutOfOrderSequenceException: Out of order sequence number for producer 5 at offset 1 in \
         partition t-0: 7 (incoming seq. number), -1 (current end sequence number)"
    );
}

#[test]
fn a_repeat_of_a_kept_batch_is_answered_with_the_old_one_even_from_a_fenced_epoch() {
    let mut manager = recovered(&Log::new().data(5, 0, 0, 3).data(5, 0, 3, 2));
    let repeat = apply(&mut manager, Append::CLIENT, &Log::from(5).data(5, 0, 0, 3));
    let Ok(Applied::Duplicate(old)) = repeat[0] else {
        panic!("{repeat:?}");
    };
    assert_eq!(
        (old.first_offset(), old.last_offset),
        (Offset(0), Offset(2))
    );
    assert_eq!(kept(&manager, 5), [(2, 2), (4, 4)]);
    // Five are kept, so the sixth last is no longer known.
    let six = (0..6).fold(Log::new(), |log, sequence| log.data(5, 0, sequence, 1));
    assert_eq!(kept(&recovered(&six), 5)[0], (1, 1));
    assert!(refusal(&six, Append::CLIENT, &Log::from(6).data(5, 0, 0, 1)).contains("Out of order"));
}

#[test]
fn a_repeat_is_known_by_the_distance_of_offsets() {
    // One record is left of three: its offsets still span three, as the header says.
    let compacted = Log::new().write(|batch| {
        (batch.pid, batch.epoch, batch.sequence, batch.records) = (5, 0, 10, 3);
    });
    let entry = recovered(&compacted)
        .producers()
        .get(ProducerId(5))
        .unwrap();
    assert_eq!(entry.batches.last().unwrap().first_sequence(), Sequence(10));
}

#[test]
fn a_plain_batch_in_an_open_transaction_is_refused_by_every_origin() {
    let before = Log::new().txn(5, 0, 0, 1);
    let plain = Log::from(1).data(5, 0, 1, 1);
    for how in [
        Append::CLIENT,
        Append::FOLLOWER,
        Append::LOAD,
        Append::RECOVERY,
    ] {
        assert_eq!(
            refusal(&before, how, &plain),
            "InvalidTxnStateException: Expected transactional write from producer 5 at offset \
             (offset=1, segment=[-1:-1]) in partition t-0"
        );
    }
}

#[test]
fn a_marker_of_version_1_may_repeat_the_epoch_and_one_of_version_2_must_raise_it() {
    let before = Log::new().txn(5, 3, 0, 1);
    let same = Log::from(1).commit(5, 3, 0);
    assert_eq!(
        refusal(&before, COORDINATOR_V2, &same),
        "InvalidProducerEpochException: Epoch of producer 5 at offset 1 in t-0 is 3, which is <= \
         the last seen epoch 3 (TV2)"
    );
    for how in [
        COORDINATOR,
        Append::FOLLOWER,
        Append::LOAD,
        Append::RECOVERY,
    ] {
        let mut manager = recovered(&before);
        assert!(apply(&mut manager, how, &same)[0].is_ok());
        // Batches stay where the epoch does.
        assert_eq!(kept(&manager, 5), [(0, 0)]);
    }
    let mut manager = recovered(&before);
    let raised = Log::from(1).commit(5, 4, 0).commit(5, 4, 0);
    // The second is a repeat of a marker that was written: accepted.
    assert!(
        apply(&mut manager, COORDINATOR_V2, &raised)
            .iter()
            .all(Result::is_ok)
    );
    assert_eq!(kept(&manager, 5), []);
    // At the last epoch there is none to raise it to.
    let last = Log::new().txn(5, i16::MAX, 0, 1);
    let mut manager = recovered(&last);
    let marker = Log::from(1).commit(5, i16::MAX, 0);
    assert!(apply(&mut manager, COORDINATOR_V2, &marker)[0].is_ok());
}

#[test]
fn a_marker_of_an_old_epoch_is_fenced_unless_replicated() {
    let before = Log::new().data(5, 3, 0, 1);
    let old = Log::from(1).abort(5, 2, 0);
    // It is transactional, so the leader asks for the epoch before the append does.
    assert_eq!(
        refusal(&before, COORDINATOR, &old),
        "InvalidProducerEpochException: Epoch of producer 5 is 2, which is smaller than the last \
         seen epoch 3"
    );
    let mut replica = recovered(&before);
    assert!(apply(&mut replica, Append::FOLLOWER, &old)[0].is_ok());
    assert_eq!(
        replica
            .producers()
            .get(ProducerId(5))
            .unwrap()
            .producer_epoch
            .0,
        2
    );
}

#[test]
fn a_replaced_coordinator_is_fenced_unless_replicated_and_then_its_epoch_is_stored() {
    let before = Log::new().commit(5, 0, 9);
    let old = Log::from(1).commit(5, 0, 4);
    assert_eq!(
        refusal(&before, COORDINATOR, &old),
        "TransactionCoordinatorFencedException: Invalid coordinator epoch for producerId 5 at \
         offset 1 in partition t-0: 4 (zombie), 9 (current)"
    );
    let mut replica = recovered(&before);
    assert!(apply(&mut replica, Append::FOLLOWER, &old)[0].is_ok());
    assert_eq!(
        replica
            .producers()
            .get(ProducerId(5))
            .unwrap()
            .coordinator_epoch
            .0,
        4
    );
}

#[test]
fn a_marker_without_a_transaction_version_is_refused_but_for_replication() {
    let how = Append {
        path: Path::Append(Origin::Coordinator),
        transaction_version: -1,
        is_verified: true,
    };
    assert_eq!(
        refusal(&Log::new(), how, &Log::new().abort(5, 0, 0)),
        "IllegalArgumentException: transactionVersion must be explicitly specified, cannot use \
         default value TV_UNKNOWN for origin COORDINATOR"
    );
}

#[test]
fn a_client_that_was_not_verified_is_refused_outside_its_transaction() {
    let how = Append {
        is_verified: false,
        ..Append::CLIENT
    };
    let begin = Log::new().txn(5, 0, 0, 1);
    assert_eq!(
        refusal(&Log::new(), how, &begin),
        "InvalidTxnStateException: Record was not part of an ongoing transaction"
    );
    let mut manager = recovered(&begin);
    assert!(apply(&mut manager, how, &Log::from(1).txn(5, 0, 1, 1))[0].is_ok());
    assert_eq!(
        refusal(
            &Log::new().data(5, 3, 0, 1),
            how,
            &Log::from(1).txn(5, 1, 0, 1)
        ),
        "InvalidProducerEpochException: Epoch of producer 5 is 1, which is smaller than the last \
         seen epoch 3"
    );
}

#[test]
fn verification_asks_for_sequence_0_and_for_nothing_above_the_lowest() {
    let batch_of = |log: &Log| log.batches()[0].0;
    let mut manager = Manager::<5>::new("t-0", &Stock);
    let seventh = Log::new().txn(5, 0, 7, 1);
    manager.await_verification(&batch_of(&seventh), true, Timestamp(0));
    let refused = apply(&mut manager, Append::CLIENT, &seventh)[0].clone();
    assert_eq!(
        refused.unwrap_err().to_string(),
        "Invalid sequence number for producer 5 at offset 0 in partition t-0: 7 (incoming seq. \
         number). Expected sequence 0 for transactions v2 idempotent producer with no existing \
         state."
    );
    let mut manager = Manager::<5>::new("t-0", &Stock);
    manager.await_verification(&batch_of(&Log::new().txn(5, 0, 3, 1)), false, Timestamp(0));
    let refused = apply(&mut manager, Append::CLIENT, &seventh)[0].clone();
    assert_eq!(
        refused.unwrap_err().to_string(),
        "Out of order sequence number for producer 5 at offset 0 in partition t-0: 7 (incoming \
         seq. number), 3 (earliest seen sequence)"
    );
    // A transactional batch ends the verification: now anything goes.
    assert!(apply(&mut manager, Append::CLIENT, &Log::new().txn(5, 0, 3, 1))[0].is_ok());
    assert!(apply(&mut manager, Append::CLIENT, &Log::from(1).txn(5, 0, 4, 1))[0].is_ok());
}

#[test]
fn a_batch_of_another_epoch_empties_what_was_kept() {
    let log = Log::new().data(5, 1, 0, 1).data(5, 1, 1, 1);
    assert_eq!(kept(&recovered(&log), 5), [(0, 0), (1, 1)]);
    assert_eq!(kept(&recovered(&log.clone().data(5, 2, 0, 1)), 5), [(0, 2)]);
    assert_eq!(kept(&recovered(&log.data(5, 0, 9, 1)), 5), [(9, 2)]);
}

#[test]
fn an_entry_has_the_time_of_the_markers_record() {
    let log = Log::new().write(|batch| {
        (batch.pid, batch.epoch, batch.attributes) = (5, 0, TRANSACTIONAL | 0x20);
        batch.control = Some((Some(vec![0, 0, 0, 1]), Some(vec![0; 6])));
        batch.record_time = Some(batch.time + 77);
    });
    let entry = recovered(&log).producers().get(ProducerId(5)).unwrap();
    assert_eq!(entry.last_timestamp.0, super::log::START + 77);
}

#[test]
fn ids_below_0_have_no_state() {
    let log = Log::new()
        .txn(-7, 0, 0, 1)
        .abort(-7, 0, 0)
        .data(-1, -1, -1, 1);
    let manager = recovered(&log);
    assert!(manager.is_empty());
    assert_eq!(manager.first_unstable_offset(), None);
}
