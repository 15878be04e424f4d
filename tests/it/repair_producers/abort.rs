//! `repair abort`.

use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use kfsck::analysis::transaction_coordinator::{StatePartition, TransactionCoordinator};
use kfsck::format::number::{Offset, ProducerId, Timestamp};
use kfsck::repair::abort::{Abort, plan};
use kfsck::repair::plan::Plan;
use kfsck::storage::directory::PartitionDirectory;
use kfsck::storage::source::Source;

use super::{carried_out, loaded, partition, refusal, terms};
use crate::program::{Outcome, Run, copy_tree, testdata};
use crate::txns::log::{Log, START, state_partition};

const DAY_MS: i64 = 86_400_000;

fn forced(id: i64) -> Abort<'static> {
    Abort {
        producer_id: ProducerId(id),
        timestamp: Timestamp(START + DAY_MS),
        coordinator: None,
        beside: None,
        force: true,
        now: Timestamp(START + DAY_MS),
        max_timeout_ms: 900_000,
    }
}

/// Coordinators of a topic of one partition, with one transactional id.
fn coordinator(producer_id: i64, status: u8, topics: &[&str]) -> TransactionCoordinator {
    let bytes = state_partition("id", producer_id, status, topics);
    let mut partition = StatePartition::default();
    let source = Source::from_bytes("00000000000000000000.log", bytes);
    partition.read_segment(&source).unwrap();
    let partitions = BTreeMap::from([(0, partition)]);
    TransactionCoordinator::new(partitions, NonZeroU32::new(1))
}

#[test]
fn a_transaction_that_hangs_is_aborted() {
    let place = tempfile::tempdir().unwrap();
    // A committed transaction first: its coordinator's epoch, 7, is the last seen.
    let log = Log::default().data(5, 3).commit(5, 3).data(5, 3).data(5, 3);
    let directory = partition(place.path(), "orders-0", &[&log]);
    assert_eq!(loaded(&directory, false).last_stable_offset, Offset(2));
    let nobody = coordinator(9, 1, &["orders"]);
    let abort = Abort {
        coordinator: Some(&nobody),
        force: false,
        ..forced(5)
    };
    let (made, result) = carried_out(&directory, &|listed| plan(listed, &abort, &terms()));
    let after = loaded(&result, false);
    assert_eq!(after.last_stable_offset, Offset(5));
    assert_eq!(after.log_end_offset, Offset(5));
    assert_eq!(after.manager.ongoing().count(), 0);
    let aborted = &after.segments[0].aborted;
    assert_eq!(aborted.len(), 1);
    assert_eq!(aborted[0].producer_id, ProducerId(5));
    assert_eq!(
        (aborted[0].first_offset, aborted[0].last_offset),
        (Offset(2), Offset(4))
    );
    let entry = after.manager.producers().get(ProducerId(5)).unwrap();
    assert_eq!((entry.producer_epoch.0, entry.coordinator_epoch.0), (3, 7));
    assert!(made.steps[0].detail.contains("coordinator epoch 7"));
    assert!(
        made.warnings
            .iter()
            .any(|warning| warning.starts_with("hanging"))
    );
    assert!(
        made.warnings
            .iter()
            .any(|warning| warning.contains("every replica"))
    );
}

#[test]
fn without_a_marker_before_the_coordinators_epoch_is_0_and_an_index_grows() {
    let place = tempfile::tempdir().unwrap();
    let log = Log::default().data(4, 0).abort(4, 0).data(5, 0);
    let directory = partition(place.path(), "orders-0", &[&log]);
    let (_, result) = carried_out(&directory, &|listed| plan(listed, &forced(5), &terms()));
    let after = loaded(&result, false);
    let ids: Vec<i64> = after.segments[0]
        .aborted
        .iter()
        .map(|txn| txn.producer_id.0)
        .collect();
    assert_eq!(ids, [4, 5]);
    let entry = after.manager.producers().get(ProducerId(5)).unwrap();
    assert_eq!(entry.coordinator_epoch.0, 0);
}

fn planned(abort: &Abort<'_>, log: &Log) -> Result<Plan, kfsck::repair::error::PlanError> {
    let place = tempfile::tempdir().unwrap();
    let directory = partition(place.path(), "orders-0", &[log]);
    plan(&PartitionDirectory::list(&directory), abort, &terms())
}

#[test]
fn only_what_hangs_is_aborted_without_force() {
    let log = Log::default().data(5, 0);
    let known = coordinator(5, 1, &["orders"]);
    let elsewhere = coordinator(5, 1, &["other"]);
    let asked = |coordinator| Abort {
        coordinator: Some(coordinator),
        force: false,
        ..forced(5)
    };
    let told = refusal(planned(&asked(&known), &log));
    assert!(
        told.contains("its coordinator knows it (Ongoing)"),
        "{told}"
    );
    assert!(!planned(&asked(&elsewhere), &log).unwrap().is_empty());
    let early = Abort {
        now: Timestamp(START + 60_000),
        ..asked(&elsewhere)
    };
    let told = refusal(planned(&early, &log));
    assert!(told.contains("may end by itself"), "{told}");
    let nobody = Abort {
        coordinator: None,
        force: false,
        ..forced(5)
    };
    let told = refusal(planned(&nobody, &log));
    assert!(told.contains("--transaction-log"), "{told}");
    // One partition of two is not all.
    let bytes = state_partition("id", 9, 1, &["orders"]);
    let mut partition = StatePartition::default();
    let source = Source::from_bytes("00000000000000000000.log", bytes);
    partition.read_segment(&source).unwrap();
    let partitions = BTreeMap::from([(0, partition)]);
    let half = TransactionCoordinator::new(partitions, NonZeroU32::new(2));
    let told = refusal(planned(&asked(&half), &log));
    assert!(told.contains("cannot be told"), "{told}");
}

#[test]
fn a_commit_that_is_decided_is_never_aborted() {
    let log = Log::default().data(5, 0);
    let prepared = coordinator(5, 2, &["orders"]);
    for force in [false, true] {
        let abort = Abort {
            coordinator: Some(&prepared),
            force,
            ..forced(5)
        };
        let told = refusal(planned(&abort, &log));
        assert!(told.contains("decided to commit"), "{told}");
        assert!(told.contains("\"id\""), "{told}");
    }
    // The commit of another partition decides nothing here.
    let other = coordinator(5, 2, &["other"]);
    let abort = Abort {
        coordinator: Some(&other),
        ..forced(5)
    };
    assert!(!planned(&abort, &log).unwrap().is_empty());
}

#[test]
fn what_is_not_open_is_not_ended() {
    let log = Log::default().data(5, 0).commit(5, 0);
    let made = planned(&forced(5), &log).unwrap();
    assert!(made.is_empty());
    assert!(made.warnings[0].contains("no transaction open"));
    let told = refusal(planned(&forced(6), &log));
    assert!(told.contains("knows no producer 6"), "{told}");
}

/// Coordinators of a topic of one partition, whose first record is written again so many times.
fn later(producer_id: i64, status: u8, topics: &[&str], times: usize) -> TransactionCoordinator {
    let bytes = state_partition("id", producer_id, status, topics);
    let mut partition = StatePartition::default();
    for number in 0..=times {
        let mut bytes = bytes.clone();
        bytes[..8].copy_from_slice(&i64::try_from(number).unwrap().to_be_bytes());
        let source = Source::from_bytes("00000000000000000000.log", bytes);
        partition.read_segment(&source).unwrap();
    }
    TransactionCoordinator::new(BTreeMap::from([(0, partition)]), NonZeroU32::new(1))
}

#[test]
fn what_lies_beside_the_partition_may_contradict() {
    let log = Log::default().data(5, 0);
    let nobody = coordinator(9, 1, &["orders"]);
    let contradicts = |beside: &TransactionCoordinator| {
        let abort = Abort {
            coordinator: Some(&nobody),
            beside: Some(beside),
            force: false,
            ..forced(5)
        };
        let made = planned(&abort, &log).unwrap();
        assert!(!made.is_empty());
        let mut warnings = made.warnings.iter();
        warnings.any(|warning| warning.contains("contradicts") && warning.contains("Ongoing"))
    };
    assert!(contradicts(&coordinator(5, 1, &["orders"])));
    assert!(!contradicts(&coordinator(5, 1, &["other"])));
    assert!(!contradicts(&nobody));
}

#[test]
fn a_commit_that_the_log_directory_knows_of_counts_unless_others_know_more() {
    let log = Log::default().data(5, 0);
    let prepared = coordinator(5, 2, &["orders"]);
    let (alike, further) = (later(9, 1, &["orders"], 0), later(9, 1, &["orders"], 1));
    for given in [None, Some(&alike)] {
        let abort = Abort {
            coordinator: given,
            beside: Some(&prepared),
            ..forced(5)
        };
        let told = refusal(planned(&abort, &log));
        assert!(told.contains("decided to commit"), "{told}");
    }
    let abort = Abort {
        coordinator: Some(&further),
        beside: Some(&prepared),
        ..forced(5)
    };
    let made = planned(&abort, &log).unwrap();
    let mut warnings = made.warnings.iter();
    assert!(warnings.any(|warning| warning.contains("contradicts")));
}

/// A log directory of a cluster, where one transactional id uses this producer id.
fn coordinators(place: &Path, cluster: &str, producer_id: i64) -> PathBuf {
    let state = place.join("__transaction_state-0");
    fs::create_dir_all(&state).unwrap();
    let bytes = state_partition("id", producer_id, 1, &["orders"]);
    fs::write(state.join("00000000000000000000.log"), bytes).unwrap();
    let meta = format!("version=1\ncluster.id={cluster}\nnode.id=1\n");
    fs::write(place.join("meta.properties"), meta).unwrap();
    place.to_owned()
}

fn asked(logs: &[&Path], partition: &Path) -> Outcome {
    let run = Run::new(["repair", "abort", "--dry-run", "--now=2026-12-01"]);
    let run = run.arg("--producer-id=5").arg(partition);
    let run = run.arg("--transaction-log-partitions=1");
    let run = logs
        .iter()
        .fold(run, |run, log| run.arg("--transaction-log").arg(log));
    run.outcome()
}

#[test]
fn coordinators_of_another_cluster_have_no_say() {
    let place = tempfile::tempdir().unwrap();
    let [one, two, copy] = ["one", "two", "copy"].map(|name| place.path().join(name));
    let own = coordinators(&one, "one", 5);
    let other = coordinators(&two, "two", 9);
    let log = Log::default().data(5, 0);
    let orders = partition(&own, "orders-0", &[&log]);
    for given in [
        other.clone(),
        other.join("__transaction_state-0"),
        other.join("."),
    ] {
        let told = asked(&[&given], &orders).ended_with(3).stderr;
        for part in [
            "is of cluster two",
            "of cluster one",
            "give a log directory of cluster one",
        ] {
            assert!(told.contains(part), "{told}");
        }
    }
    let told = asked(&[&own, &other], &orders).ended_with(3).stderr;
    assert!(told.contains("is of cluster two"), "{told}");
    // Those of the partition's own cluster are asked.
    let told = asked(&[&own], &orders).ended_with(3).stderr;
    assert!(told.contains("its coordinator knows it"), "{told}");
    // A copy that says nothing of its cluster is believed, and contradicted.
    let bare = coordinators(&copy, "copy", 9);
    fs::remove_file(bare.join("meta.properties")).unwrap();
    let outcome = asked(&[&bare], &orders).ended_with(1);
    let text = outcome.text().split_whitespace().collect::<Vec<_>>();
    let text = text.join(" ");
    assert!(text.contains("beside the partition contradicts"), "{text}");
    assert!(
        outcome.stderr.contains("is heard too"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn a_live_transaction_of_a_real_broker_is_not_aborted_by_another_clusters_word() {
    let place = tempfile::tempdir().unwrap();
    let own = place.path().join("main");
    for name in [
        "txn-open-0",
        "__transaction_state-0",
        "__transaction_state-1",
    ] {
        copy_tree(&testdata("main").join(name), &own.join(name));
    }
    let meta = testdata("main/meta.properties");
    fs::copy(meta, own.join("meta.properties")).unwrap();
    let other = testdata("crash/clean");
    let run = Run::new(["repair", "abort", "--dry-run", "--now=2026-12-01"]);
    let run = run.arg("--producer-id=1010").arg(own.join("txn-open-0"));
    let run = run.arg("--transaction-log").arg(&other);
    let told = run.outcome().ended_with(3).stderr;
    assert!(told.contains("coordinators of another cluster"), "{told}");
}
