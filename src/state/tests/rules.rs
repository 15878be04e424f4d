//! Where the rule sets differ: one test a difference.

use super::chunk::in_chunks;
use super::log::{Log, apply, kept, recovered_by, refusal};
use crate::format::number::{Offset, ProducerId};
use crate::state::append::Append;
use crate::state::event::{Fate, Kind};
use crate::state::manager::{Applied, Manager};
use crate::state::rules::{ALL, Barrier, Fork, Mapped, RuleSet, Stock, by_name};

fn ids(manager: &Manager<5>) -> Vec<i64> {
    let mut ids: Vec<_> = manager
        .producers()
        .iter()
        .map(|entry| entry.producer_id.0)
        .collect();
    ids.sort_unstable();
    ids
}

/// Producers 5 before a barrier, 6 on both sides, 7 behind.
fn across() -> Log {
    Log::new()
        .data(5, 0, 0, 1)
        .data(6, 0, 0, 1)
        .barrier()
        .data(6, 0, 9, 1)
        .data(7, 0, 0, 1)
}

fn before_and_behind() -> (Log, Log) {
    let behind = Log::from(2).barrier().data(6, 0, 9, 1).data(7, 0, 0, 1);
    (Log::new().data(5, 0, 0, 1).data(6, 0, 0, 1), behind)
}

#[test]
fn names_lead_to_their_rules() {
    for rules in ALL {
        assert_eq!(by_name(rules.name()).unwrap().name(), rules.name());
    }
    assert_eq!(ALL[0].name(), "barrier");
    assert!(by_name("kraft").is_none());
}

#[test]
fn stock_passes_over_the_barrier() {
    let manager = recovered_by(&Stock, &across());
    assert_eq!(ids(&manager), [5, 6, 7]);
    assert_eq!(kept(&manager, 6), [(0, 1), (9, 3)]);
}

#[test]
fn barrier_clears_every_producer_however_batches_are_grouped() {
    let (before, behind) = before_and_behind();
    let one_by_one = recovered_by(&Barrier, &across());
    let (one_chunk, _) = in_chunks(&Barrier, Append::LOAD, &[&across()]);
    let (two_chunks, _) = in_chunks(&Barrier, Append::LOAD, &[&before, &behind]);
    for manager in [one_by_one, one_chunk, two_chunks] {
        assert_eq!(ids(&manager), [6, 7]);
        assert_eq!(kept(&manager, 6), [(9, 3)]);
    }
}

#[test]
fn barrier_drops_an_open_transaction_and_says_so() {
    let log = Log::new().txn(5, 0, 0, 1).barrier().txn(5, 0, 1, 1);
    let mut manager = Manager::<5>::new("t-0", &Barrier);
    let mut events = Vec::new();
    for (batch, control) in log.batches() {
        let mut sink = |event: &crate::state::event::Event<'_>| events.push(event.kind.clone());
        let control = control.as_ref();
        manager
            .apply(Append::LOAD, &batch, control, &mut sink)
            .unwrap();
    }
    let open = Kind::BarrierOpenTransaction {
        producer_id: ProducerId(5),
        first_offset: Offset(0),
        fate: Fate::Dropped,
    };
    assert_eq!(events, [open]);
    assert_eq!(manager.first_unstable_offset(), Some(Offset(2)));
}

#[test]
fn a_barrier_is_not_a_clients_to_write() {
    for rules in [&Barrier as &'static dyn RuleSet, &Mapped, &Fork] {
        let mut manager = recovered_by(rules, &Log::new().data(5, 0, 0, 1));
        apply(&mut manager, Append::CLIENT, &Log::from(1).barrier());
        assert_eq!(ids(&manager), [5]);
        apply(
            &mut manager,
            Append::coordinator(0),
            &Log::from(1).barrier(),
        );
        assert_eq!(ids(&manager), [] as [i64; 0]);
    }
}

#[test]
fn a_barrier_with_a_producers_id_ends_a_broker_under_every_rule() {
    let text = refusal(
        &Log::new(),
        Append::LOAD,
        &Log::new().control(5, 0, 7, Some(vec![0; 3])),
    );
    for rules in ALL {
        let mut manager = Manager::<1>::new("t-0", rules);
        let log = Log::new().control(5, 0, 7, Some(vec![0; 3]));
        let error = apply(&mut manager, Append::LOAD, &log)[0]
            .clone()
            .unwrap_err();
        assert_eq!(format!("{}: {error}", error.class()), text);
    }
}

#[test]
fn mapped_keeps_ids_below_0_but_for_the_one_that_is_none() {
    let log = Log::new()
        .txn(-7, 0, 0, 1)
        .data(-1, -1, -1, 1)
        .txn(i64::MIN, 0, 0, 1)
        .abort(-7, 0, 0);
    assert_eq!(ids(&recovered_by(&Mapped, &log)), [i64::MIN, -7]);
    for rules in [&Stock as &'static dyn RuleSet, &Barrier, &Fork] {
        assert_eq!(ids(&recovered_by(rules, &log)), [] as [i64; 0]);
    }
    assert_eq!(ids(&recovered_by(&Mapped, &log.barrier())), [] as [i64; 0]);
}

/// P1: the barrier clears the manager, and what the chunk has gathered is put back.
#[test]
fn fork_puts_producers_of_the_same_chunk_back() {
    let (manager, _) = in_chunks(&Fork, Append::LOAD, &[&across()]);
    assert_eq!(ids(&manager), [5, 6, 7]);
    // One update for both sides: the sequence from before the barrier is still known.
    assert_eq!(kept(&manager, 6), [(0, 1), (9, 3)]);
    // A replica that fetched the barrier apart knows nothing of them.
    let (before, behind) = before_and_behind();
    let (manager, _) = in_chunks(&Fork, Append::FOLLOWER, &[&before, &behind]);
    assert_eq!(ids(&manager), [6, 7]);
    assert_eq!(kept(&manager, 6), [(9, 3)]);
}

/// P2: what recovers after an unclean stop does not look for barriers.
#[test]
fn fork_passes_over_the_barrier_in_a_recovery() {
    assert_eq!(ids(&recovered_by(&Fork, &across())), [5, 6, 7]);
    assert_eq!(ids(&recovered_by(&Barrier, &across())), [6, 7]);
}

/// P3: the producer is gone, its transaction holds the last stable offset for ever, and the next
/// snapshot does not tell.
#[test]
fn fork_keeps_an_open_transaction_without_its_producer() {
    let (before, behind) = (Log::new().txn(5, 0, 0, 1), Log::from(1).barrier());
    let (manager, _) = in_chunks(&Fork, Append::FOLLOWER, &[&before, &behind]);
    assert_eq!(ids(&manager), [] as [i64; 0]);
    assert_eq!(manager.last_stable_offset(Offset(0), Offset(2)), Offset(0));
    assert_eq!(manager.snapshot_entries().count(), 0);
    let (manager, _) = in_chunks(&Barrier, Append::FOLLOWER, &[&before, &behind]);
    assert_eq!(manager.last_stable_offset(Offset(0), Offset(2)), Offset(2));
}

#[test]
fn both_layouts_and_anything_else_of_type_7_are_the_barrier() {
    for value in [
        None,
        Some(vec![]),
        Some(vec![0, 0, 0]),
        Some(b"\0\0\x02a\0".to_vec()),
    ] {
        let log = Log::new().data(5, 0, 0, 1).control(-1, -1, 7, value);
        assert_eq!(ids(&recovered_by(&Barrier, &log)), [] as [i64; 0]);
        assert_eq!(ids(&recovered_by(&Stock, &log)), [5]);
    }
}

/// What becomes of the first batch of a local producer that got the id of a mirrored one.
fn first_batch_of_5(rules: &'static dyn RuleSet, log: &Log) -> Applied {
    let mut manager = Manager::<5>::new("t-0", rules);
    apply(&mut manager, Append::FOLLOWER, log);
    let fresh = Log::from(log.end()).data(5, 0, 0, 1);
    apply(&mut manager, Append::CLIENT, &fresh)
        .remove(0)
        .unwrap()
}

/// P5: mirroring has ended and no barrier was written. No rules can know: the first batch of a new
/// producer is answered with the offset of another's, and is appended nowhere.
#[test]
fn without_its_barrier_the_end_of_mirroring_voids_nothing_under_any_rules() {
    let mirrored = Log::new().data(5, 0, 0, 1).data(6, 0, 0, 1);
    for rules in ALL {
        let Applied::Duplicate(old) = first_batch_of_5(rules, &mirrored) else {
            panic!("{}", rules.name());
        };
        assert_eq!(old.last_offset, Offset(0));
    }
    // With the barrier only a stock broker takes the producer for the old one.
    for rules in ALL {
        let applied = first_batch_of_5(rules, &mirrored.clone().barrier());
        let is_repeat = matches!(applied, Applied::Duplicate(_));
        assert_eq!(is_repeat, rules.name() == "stock", "{}", rules.name());
    }
}

/// P5 with an open transaction: nobody aborts it, and it holds the last stable offset under every
/// set.
#[test]
fn without_its_barrier_a_transaction_of_the_source_stays_open_under_any_rules() {
    let mirrored = Log::new().txn(5, 0, 0, 1).data(6, 0, 0, 1);
    for rules in ALL {
        let manager = recovered_by(rules, &mirrored);
        assert_eq!(manager.last_stable_offset(Offset(0), Offset(2)), Offset(0));
        assert_eq!(ids(&manager), [5, 6]);
    }
}

/// P7: a batch that is sent again across the barrier is there twice; this is of the design.
#[test]
fn a_retry_across_the_barrier_is_appended_again_unless_the_barrier_is_passed_over() {
    let across = Log::new().data(5, 0, 0, 1).barrier();
    for rules in [&Barrier as &'static dyn RuleSet, &Mapped, &Fork] {
        let applied = first_batch_of_5(rules, &across);
        assert!(matches!(applied, Applied::Taken { .. }), "{applied:?}");
    }
    let applied = first_batch_of_5(&Stock, &across);
    assert!(matches!(applied, Applied::Duplicate(_)), "{applied:?}");
}
