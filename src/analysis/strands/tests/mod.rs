//! Each sign fires where it should, and stays silent where something legal looks like it.

mod log;

use super::*;
use crate::format::number::{LeaderEpoch, Offset, Sequence};
use log::Log;

const DAY: i64 = 86_400_000;

#[test]
fn a_second_writer_begins_with_zero_in_the_same_epoch() {
    let log = Log::new()
        .data(5, 0, 0, 2)
        .data(5, 0, 3, 3)
        .data(5, 0, 0, 1);
    let finding = log
        .data(5, 0, 2, 2)
        .shows(Grade::Likely, &[Sign::SequenceRestart]);
    assert_eq!((finding.offset(), finding.strand_count), (Offset(4), 2));
    let evidence = finding.evidence[0];
    assert_eq!(evidence.earlier.last_sequence, Sequence(3));
    assert_eq!(evidence.later.base_sequence, Sequence(0));
    let [old, new] = finding.strands[..] else {
        panic!("two strands");
    };
    assert_eq!(
        (old.first.base_offset, old.last.last_offset),
        (Offset(0), Offset(3))
    );
    assert_eq!(
        (new.first.base_offset, new.last.last_offset),
        (Offset(4), Offset(6))
    );
    assert!(!finding.deciders().is_empty());
}

#[test]
fn two_strands_in_turns_are_certain() {
    let log = Log::new()
        .data(5, 0, 0, 2)
        .data(5, 0, 0, 0)
        .data(5, 0, 3, 4);
    let signs = [Sign::SequenceRestart, Sign::SequenceGap, Sign::Resumed];
    let finding = log.shows(Grade::Certain, &signs);
    assert_eq!(finding.strand_count, 2);
    assert_eq!(finding.deciders(), Vec::<&str>::new());
}

#[test]
fn sequences_wrap() {
    let log = Log::new()
        .data(5, 0, i32::MAX - 1, i32::MAX)
        .data(5, 0, 0, 3);
    log.data(5, 0, 4, 4).nothing();
    Log::new()
        .data(5, 0, i32::MAX - 1, 2)
        .data(5, 0, 3, 3)
        .nothing();
    let log = Log::new()
        .data(5, 0, i32::MAX - 1, 2)
        .data(5, 0, i32::MAX, 1);
    log.shows(Grade::Likely, &[Sign::SequenceBack]);
    // What is missing may lie across the wrap, if it is not much.
    let log = Log::new().data(5, 0, i32::MAX - 9, i32::MAX - 9).hole();
    log.data(5, 0, 0, 0).nothing();
    let log = Log::new()
        .data(5, 0, i32::MAX - 9, i32::MAX - 9)
        .data(5, 0, 0, 0);
    log.shows(Grade::Possible, &[Sign::SequenceGap]);
    let log = Log::new().data(5, 0, 2_000_000_000, 2_000_000_000).hole();
    log.data(5, 0, 0, 0)
        .shows(Grade::Likely, &[Sign::SequenceRestart]);
}

#[test]
fn an_epoch_goes_up_and_not_down() {
    Log::new()
        .data(5, 0, 0, 2)
        .data(5, 1, 0, 0)
        .data(5, 7, 0, 0)
        .nothing();
    let log = Log::new().data(5, 1, 0, 2).data(5, 0, 0, 0);
    log.shows(Grade::Certain, &[Sign::EpochBack]);
    // Its time says that it is older than the epoch that stands in front.
    let log = Log::new()
        .at(9000)
        .data(5, 1, 0, 2)
        .at(8000)
        .data(5, 0, 0, 0);
    let finding = log.shows(Grade::Possible, &[Sign::EpochBack]);
    assert_eq!(finding.evidence[0].excuse, Some(Excuse::Misplaced));
}

#[test]
fn a_new_epoch_begins_with_zero() {
    let log = Log::new().data(5, 0, 0, 2).data(5, 1, 4, 4);
    log.shows(Grade::Possible, &[Sign::NotAtZero]);
    Log::new()
        .data(5, 0, 0, 2)
        .hole()
        .data(5, 1, 4, 4)
        .nothing();
    let log = Log::new().txn().data(5, 0, 0, 2).end(5, 1, false, 0);
    log.data(5, 1, 3, 3)
        .shows(Grade::Possible, &[Sign::NotAtZero]);
    // Where the log does not begin with the id, its data may lie in front.
    Log::new()
        .hole()
        .end(5, 1, false, 0)
        .txn()
        .data(5, 1, 3, 3)
        .nothing();
    let log = Log::new().end(5, 1, false, 0).txn().data(5, 1, 3, 3);
    log.shows(Grade::Possible, &[Sign::NotAtZero]);
}

#[test]
fn transactions_of_both_versions() {
    let mut log = Log::new().txn();
    for round in 0..3 {
        log = log.data(5, 0, round, round).end(5, 0, round == 1, 4);
    }
    for epoch in 0..3 {
        log = log
            .data(6, epoch, 0, 3)
            .data(6, epoch, 4, 4)
            .end(6, epoch + 1, false, 4);
    }
    log.end(6, 3, false, 4).end(7, 0, true, 4).nothing();
}

#[test]
fn plain_data_in_an_open_transaction() {
    let log = Log::new().txn().data(5, 0, 0, 2).plain().data(5, 0, 3, 3);
    let finding = log.shows(Grade::Possible, &[Sign::PlainInTransaction]);
    assert_eq!(finding.evidence[0].excuse, Some(Excuse::Continued));
    // Another sequence is another writer's.
    let log = Log::new().txn().data(5, 0, 0, 2).plain().data(5, 0, 9, 9);
    log.shows(
        Grade::Certain,
        &[Sign::PlainInTransaction, Sign::SequenceGap],
    );
}

#[test]
fn an_id_keeps_its_kind() {
    let log = Log::new().txn().data(5, 0, 0, 2).end(5, 0, false, 0);
    log.plain()
        .data(5, 0, 3, 3)
        .shows(Grade::Possible, &[Sign::KindChange]);
    let log = Log::new().data(5, 0, 0, 2).txn().data(5, 0, 9, 9);
    log.shows(Grade::Likely, &[Sign::KindChange, Sign::SequenceGap]);
}

#[test]
fn markers_of_old_epochs() {
    for (is_abort, grade, sign) in [
        (false, Grade::Likely, Sign::CommitEpochBack),
        (true, Grade::Possible, Sign::AbortEpochBack),
    ] {
        let log = Log::new().txn().data(5, 3, 0, 2).end(5, 2, is_abort, 0);
        log.shows(grade, &[sign]);
    }
    let log = Log::new().txn().data(5, 0, 0, 2).end(5, 0, false, 5);
    let log = log.data(5, 0, 3, 3).end(5, 0, false, 4);
    log.shows(Grade::Possible, &[Sign::CoordinatorEpochBack]);
}

#[test]
fn a_marker_closes_the_transaction_of_another_strand() {
    let log = Log::new().txn().data(5, 0, 0, 2).data(5, 0, 0, 0);
    let signs = [
        Sign::SequenceRestart,
        Sign::ForeignMarker,
        Sign::EmptyMarker,
    ];
    log.end(5, 0, false, 0)
        .end(5, 0, true, 0)
        .shows(Grade::Likely, &signs);
}

#[test]
fn what_is_missing_is_no_evidence_where_a_cleaner_was() {
    Log::new()
        .data(5, 0, 0, 2)
        .hole()
        .data(5, 0, 9, 9)
        .nothing();
    Log::new()
        .data(5, 0, 0, 2)
        .hole()
        .data(6, 0, 0, 0)
        .data(5, 0, 9, 9)
        .nothing();
    let log = Log::new()
        .data(6, 0, 0, 0)
        .hole()
        .data(5, 0, 0, 2)
        .data(5, 0, 9, 9);
    log.shows(Grade::Possible, &[Sign::SequenceGap]);
    // A hole explains nothing that goes back.
    let log = Log::new().data(5, 0, 0, 2).hole().data(5, 0, 0, 0);
    log.shows(Grade::Likely, &[Sign::SequenceRestart]);
}

#[test]
fn the_same_batch_once_more_is_no_other_writer() {
    let log = Log::new()
        .at(5000)
        .data(5, 0, 0, 2)
        .at(6000)
        .data(5, 0, 3, 3);
    log.led_by(9)
        .at(5000)
        .data(5, 0, 0, 2)
        .at(7000)
        .data(5, 0, 4, 4)
        .nothing();
    // The same sequences at another time are another batch.
    let log = Log::new().data(5, 0, 0, 2).led_by(1).data(5, 0, 0, 2);
    log.shows(
        Grade::Likely,
        &[Sign::SequenceRestart, Sign::LeaderEpochRise],
    );
}

#[test]
fn batches_that_one_writer_may_have_sent_in_another_order() {
    let mut log = Log::new();
    for sequence in 0..20 {
        log = log.data(5, 0, sequence, sequence);
    }
    // Too long ago to be known again, but its time fits.
    let finding = log.led_by(-1).at(3000).data(5, 0, 2, 2);
    let finding = finding.shows(Grade::Possible, &[Sign::SequenceBack]);
    assert_eq!(finding.evidence[0].excuse, Some(Excuse::Misplaced));
    // The strand goes on behind what stands in front.
    let log = Log::new()
        .at(9000)
        .data(5, 1, 0, 2)
        .at(3000)
        .data(5, 0, 7, 7);
    let log = log
        .data(5, 0, 8, 8)
        .at(9500)
        .data(5, 0, 9, 9)
        .data(5, 0, 10, 10);
    let finding = log.shows(Grade::Certain, &[Sign::EpochBack, Sign::EpochBack]);
    let excuses: Vec<_> = finding.evidence.iter().map(|one| one.excuse).collect();
    assert_eq!(excuses, [Some(Excuse::Misplaced), None]);
    // What is remembered shows that it is another batch.
    let log = Log::new()
        .at(1000)
        .data(5, 0, 0, 1)
        .at(9000)
        .data(5, 0, 2, 2);
    log.at(5000)
        .data(5, 0, 0, 0)
        .shows(Grade::Likely, &[Sign::SequenceRestart]);
}

#[test]
fn a_broker_forgets_who_is_silent() {
    Log::new()
        .data(5, 0, 0, 2)
        .silent(DAY)
        .data(5, 0, 3, 3)
        .nothing();
    Log::new()
        .data(5, 0, 0, 2)
        .silent(DAY)
        .data(5, 1, 0, 0)
        .nothing();
    let log = Log::new().data(5, 0, 0, 2).silent(DAY).data(5, 0, 0, 0);
    let finding = log.shows(Grade::Possible, &[Sign::SequenceRestart]);
    assert_eq!(
        finding.evidence[0].excuse,
        Some(Excuse::Silence(DAY + 1000))
    );
    let log = Log::new()
        .data(5, 0, 0, 2)
        .silent(DAY - 2000)
        .data(5, 0, 0, 0);
    log.shows(Grade::Likely, &[Sign::SequenceRestart]);
}

#[test]
fn what_lies_below_the_logs_start_may_have_been_deleted() {
    for (log_start, grade) in [(3, Grade::Possible), (2, Grade::Likely)] {
        let mut log = Log::new();
        log.strands = Strands::new(Options {
            log_start: Some(Offset(log_start)),
            ..Options::default()
        });
        let log = log.data(5, 0, 0, 2).data(5, 0, 0, 0);
        log.shows(grade, &[Sign::SequenceRestart]);
    }
}

#[test]
fn a_barrier_parts_writers_legally() {
    let log = Log::new()
        .data(5, 3, 0, 2)
        .barrier()
        .barrier()
        .data(5, 0, 9, 9);
    let log = log.data(5, 0, 10, 10).data(5, 0, 0, 0);
    let finding = log.shows(Grade::Likely, &[Sign::SequenceRestart]);
    let section = Section {
        first_offset: Offset(5),
        end_offset: Offset(8),
        begins_with_barrier: true,
        ends_with_barrier: false,
    };
    assert_eq!(finding.section, section);
}

#[test]
fn leader_changes_ids_without_a_name_and_other_ids_say_nothing() {
    let log = Log::new()
        .data(5, 0, 0, 2)
        .led_by(20)
        .data(5, 0, 3, 3)
        .led_by(3);
    log.data(-1, -1, -1, -1)
        .data(6, 0, 0, 0)
        .data(5, 0, 4, 4)
        .data(-7, 0, 0, 0)
        .nothing();
}

#[test]
fn the_coordinator_of_groups_numbers_nothing() {
    let partition = PartitionName::parse("__consumer_offsets-7".as_ref()).unwrap();
    let mut log = Log::new().txn();
    log.strands = log.strands.of(Some(&partition));
    let log = log.data(5, 0, 0, 0).data(5, 0, 0, 0).end(5, 0, false, 0);
    log.data(5, 1, 0, 0).nothing();
}

#[test]
fn neighbours_in_a_block_support_each_other() {
    let mut log = Log::new();
    for id in [1001, 1999, 2000] {
        log = log.data(id, 0, 0, 2).data(id, 0, 0, 0);
    }
    let findings = log.report().findings;
    let companions: Vec<_> = findings.iter().map(|one| one.companions).collect();
    assert_eq!(companions, [1, 1, 0]);
    assert!(findings[0].confidence > findings[2].confidence);
}

#[test]
fn what_is_kept_is_bounded() {
    let mut log = Log::new();
    log.strands = Strands::new(Options {
        most_findings: 2,
        ..Options::default()
    });
    for _ in 0..100 {
        log = log.data(5, 0, 0, 2).data(6, 0, 0, 2).data(7, 0, 0, 2);
    }
    let report = log.report();
    assert_eq!((report.findings.len(), report.left_out), (2, 1));
    let finding = &report.findings[0];
    assert_eq!((finding.strands.len(), finding.strand_count), (9, 100));
    assert_eq!((finding.evidence.len(), finding.sign_count), (12, 99));
    assert!(size_of::<Trail>() <= 320, "{} bytes", size_of::<Trail>());
}

#[test]
fn ids_at_risk() {
    let log = Log::new()
        .data(5, 0, 0, 2)
        .data(1003, 0, 0, 2)
        .data(-7, 0, 0, 0)
        .barrier();
    let log = log.led_by(11).data(2, 0, 0, 0).led_by(12).data(3, 0, 0, 0);
    let risk = log.report().risk;
    assert_eq!((risk.barriers, risk.rises), (1, 1));
    let id = |highest: Option<Highest>| highest.map(|one| one.producer_id.0);
    let [barrier, rise] = risk.boundaries[..] else {
        panic!("two boundaries");
    };
    assert_eq!((barrier.stop, barrier.offset), (Stop::Barrier, Offset(7)));
    assert_eq!(
        (id(barrier.below), id(barrier.since_barrier)),
        (Some(1003), Some(1003))
    );
    let (from, to) = (LeaderEpoch(0), LeaderEpoch(11));
    assert_eq!(
        (rise.stop, rise.offset),
        (Stop::LeaderEpochRise { from, to }, Offset(8))
    );
    assert_eq!((id(rise.below), id(rise.since_barrier)), (Some(1003), None));
    assert_eq!(
        (id(risk.highest), id(risk.since_barrier)),
        (Some(1003), Some(3))
    );
    assert_eq!(risk.highest.unwrap().next_safe_id(), ProducerId(1004));
    assert_eq!(risk.highest.unwrap().last.last_sequence, Sequence(2));
}
