//! Open transactions: what they hold, what they hold back, and what the line to abort them is.

use std::fs;

use kfsck::format::number::{
    CoordinatorEpoch, Offset, ProducerEpoch, ProducerId, Sequence, Timestamp,
};
use kfsck::format::producer_snapshot::{ProducerEntry, Version, encode};

use super::document::{HeldBack, State, Verdict, json, only, txns};
use super::log::{Log, START};
use crate::corpus;
use crate::program::{copy_tree, testdata};

/// Ten minutes after the broker of the corpus stopped.
const SOON: &str = "1796014062536";

#[test]
fn the_two_that_a_broker_left_open() {
    let (document, outcome) = json(&testdata("main/txn-open-0"), &["--now", SOON]);
    outcome.ended_with(1);
    let partition = only(document);
    assert_eq!(partition.topic_partition, "txn-open-0");
    assert_eq!(
        (partition.log_start_offset, partition.log_end_offset),
        (Some(0), Some(69))
    );
    assert_eq!(
        (partition.last_stable_offset, partition.high_watermark),
        (Some(0), Some(69))
    );
    let held = HeldBack {
        batches: 33,
        records: 57,
        size_in_bytes: 3401 + 1378,
    };
    assert_eq!(partition.held_back, Some(held));
    let found: Vec<_> = partition
        .transactions
        .iter()
        .map(|open| {
            assert_eq!((open.state, open.verdict), (State::Open, Verdict::Suspect));
            let last = open.last_offset.unwrap();
            assert_eq!(open.last_data_offset, Some(last));
            (
                open.producer_id,
                open.producer_epoch,
                open.first_offset,
                last,
                open.position,
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            (1010, Some(0), 0, 7, Some(0)),
            (2007, Some(0), 65, 68, Some(1047))
        ]
    );
}

#[test]
fn a_log_directory_needs_no_other_option() {
    // The records have times of years ago, so they are overdue; their coordinators have both.
    let (document, outcome) = json(&testdata("main"), &["--now", SOON]);
    let outcome = outcome.ended_with(0);
    assert!(
        outcome.stderr.contains("partitions 0 to 2"),
        "{}",
        outcome.stderr
    );
    let open: Vec<_> = document
        .partitions
        .iter()
        .flat_map(|partition| &partition.transactions)
        .map(|open| (open.transactional_id.as_deref(), open.verdict))
        .collect();
    assert_eq!(
        open,
        [
            (Some("txn-open.two.open"), Verdict::Ongoing),
            (Some("txn-open.three.open"), Verdict::Ongoing)
        ]
    );
    // Directories on their way out are no partitions in use.
    assert!(outcome.stderr.contains("-delete"), "{}", outcome.stderr);
    assert!(
        document
            .partitions
            .iter()
            .all(|partition| !partition.path.contains("-delete"))
    );
}

#[test]
fn the_transaction_log_may_lie_elsewhere() {
    let partition = testdata("main/txn-open-0");
    let foreign = testdata("crash/clean");
    let nameless = tempfile::tempdir().unwrap();
    // The metadata tell of how many partitions the topic is.
    let states = (0..3).map(|number| format!("__transaction_state-{number}"));
    for name in states.chain(["__cluster_metadata-0".to_owned()]) {
        copy_tree(&foreign.join(&name), &nameless.path().join(&name));
    }
    for (log, verdict, code) in [
        (testdata("main"), Verdict::Ongoing, 0),
        // Coordinators that do not know them; nothing says that they are of another cluster.
        (nameless.path().to_owned(), Verdict::Hanging, 1),
        // Here their meta.properties do.
        (foreign, Verdict::Suspect, 1),
    ] {
        let args = ["--now", SOON, "--transaction-log", log.to_str().unwrap()];
        let (document, outcome) = json(&partition, &args);
        let is_told = outcome
            .stderr
            .contains("its transactions are not judged by that");
        assert_eq!(is_told, verdict == Verdict::Suspect, "{}", outcome.stderr);
        outcome.ended_with(code);
        let open = only(document).transactions;
        assert!(open.iter().all(|open| open.verdict == verdict), "{open:?}");
    }
    // One partition of it knows its own ids; the others leave a doubt.
    let one = testdata("main/__transaction_state-1");
    let args = ["--now", SOON, "--transaction-log", one.to_str().unwrap()];
    let (document, outcome) = json(&partition, &args);
    outcome.ended_with(1);
    let verdicts = only(document)
        .transactions
        .into_iter()
        .map(|open| open.verdict);
    assert_eq!(
        verdicts.collect::<Vec<_>>(),
        [Verdict::Ongoing, Verdict::Suspect]
    );
}

#[test]
fn log_directories_of_one_cluster_judge_each_other() {
    let root = tempfile::tempdir().unwrap();
    let [one, two, foreign] = ["one", "two", "foreign"].map(|name| root.path().join(name));
    copy_tree(&testdata("main/txn-open-0"), &one.join("txn-open-0"));
    // The metadata tell of how many partitions the topic is.
    let states = (0..3).map(|number| format!("__transaction_state-{number}"));
    for name in states.chain(["__cluster_metadata-0".to_owned()]) {
        copy_tree(&testdata("main").join(&name), &two.join(&name));
        copy_tree(&testdata("crash/clean").join(&name), &foreign.join(&name));
    }
    fs::copy(
        testdata("main/meta.properties"),
        one.join("meta.properties"),
    )
    .unwrap();
    fs::copy(
        testdata("main/meta.properties"),
        two.join("meta.properties"),
    )
    .unwrap();
    let meta = testdata("crash/clean/meta.properties");
    fs::copy(meta, foreign.join("meta.properties")).unwrap();
    let verdicts = |other: &std::path::Path| {
        let (document, _) = json(&one, &["--now", SOON, other.to_str().unwrap()]);
        let open = document
            .partitions
            .into_iter()
            .flat_map(|one| one.transactions);
        open.map(|open| open.verdict).collect::<Vec<_>>()
    };
    assert_eq!(verdicts(&two), [Verdict::Ongoing; 2]);
    assert_eq!(verdicts(&foreign), [Verdict::Suspect; 2]);
}

#[test]
fn every_partition_of_the_corpus_agrees_with_its_checkpoint() {
    let (document, _) = json(&corpus::directory().join("main"), &["--now", SOON]);
    let mut compared = 0;
    for partition in &document.partitions {
        let end = partition.log_end_offset;
        assert!(partition.last_stable_offset <= end && partition.log_start_offset <= end);
        // After a clean stop the checkpoint has the end of each log.
        if partition.high_watermark.is_some() {
            assert_eq!(
                partition.high_watermark, end,
                "{}",
                partition.topic_partition
            );
            compared += 1;
        }
        let is_open = !partition.transactions.is_empty();
        assert_eq!(partition.last_stable_offset < end, is_open);
        assert_eq!(partition.held_back.unwrap().batches > 0, is_open);
    }
    assert!(compared >= 20, "{compared}");
}

#[test]
fn what_is_held_back_is_everything_behind_and_nothing_in_front() {
    let root = tempfile::tempdir().unwrap();
    let partition = root.path().join("t-0");
    let front = Log::default().plain().data(1, 0).commit(1, 0).plain();
    let held = Log::at(4).data(2, 0).plain().data(3, 0).commit(3, 0);
    let bytes = [&front.bytes[..], &held.bytes].concat();
    fs::create_dir(&partition).unwrap();
    fs::write(partition.join("00000000000000000000.log"), bytes).unwrap();
    let next = Log::at(8).plain();
    next.write(&partition, 8);
    let (document, _) = json(&partition, &["--now", "1700000000000"]);
    let partition = only(document);
    assert_eq!(
        (partition.last_stable_offset, partition.log_end_offset),
        (Some(4), Some(9))
    );
    let size = held.bytes.len() + next.bytes.len();
    assert_eq!(
        partition.held_back,
        Some(HeldBack {
            batches: 5,
            records: 4,
            size_in_bytes: size.try_into().unwrap()
        })
    );
    let [open] = &partition.transactions[..] else {
        panic!("{partition:?}");
    };
    assert_eq!((open.records, open.batches), (Some(1), Some(1)));
    assert_eq!(open.size_in_bytes, Some(74));
    assert_eq!(open.start_timestamp, Some(START + 4000));
    let position = u64::try_from(front.bytes.len()).unwrap();
    assert_eq!(open.position, Some(position));
}

/// Where the log's beginning is missing, the transaction may begin earlier than it seems.
#[test]
fn the_producer_is_named_where_the_start_offset_is_not_sure() {
    let root = tempfile::tempdir().unwrap();
    let partition = root.path().join("t-0");
    // Producer 2 ended an earlier transaction here, so this one begins here.
    let log = Log::at(40).commit(2, 1).data(1, 3).data(2, 1);
    log.write(&partition, 40);
    let (document, _) = json(&partition, &["--now", "1800000000000"]);
    let commands: Vec<_> = only(document)
        .transactions
        .into_iter()
        .map(|open| open.abort_command.unwrap())
        .collect();
    let head = "kafka-transactions.sh --bootstrap-server <HOST:PORT> abort --topic t --partition 0";
    assert_eq!(
        commands,
        [
            format!("{head} --producer-id 1 --producer-epoch 3 --coordinator-epoch 0"),
            format!("{head} --start-offset 42"),
        ]
    );
    let text = txns(&partition, &["--now", "1800000000000"]).ended_with(1);
    assert!(
        text.text().contains("beginning is not here"),
        "{}",
        text.text()
    );
}

fn entry(id: i64, first_offset: i64) -> ProducerEntry {
    ProducerEntry {
        producer_id: ProducerId(id),
        producer_epoch: ProducerEpoch(3),
        last_sequence: Sequence(7),
        last_offset: Offset(35),
        offset_delta: 0,
        timestamp: Timestamp(START),
        coordinator_epoch: CoordinatorEpoch(-1),
        current_txn_first_offset: Offset(first_offset),
        source_cluster_id: None,
    }
}

#[test]
fn a_snapshot_at_the_log_start_tells_of_what_began_before() {
    let root = tempfile::tempdir().unwrap();
    let partition = root.path().join("t-0");
    Log::at(40).plain().write(&partition, 40);
    let snapshot = encode(Version::V1, &[entry(1, 33)]).unwrap();
    fs::write(partition.join("00000000000000000040.snapshot"), snapshot).unwrap();
    let (document, _) = json(&partition, &["--now", "1800000000000"]);
    let partition = only(document);
    // Readers cannot be held in front of the log's start.
    assert_eq!(
        (partition.last_stable_offset, partition.log_start_offset),
        (Some(40), Some(40))
    );
    let open = &partition.transactions[0];
    assert_eq!(
        (open.producer_id, open.first_offset, open.last_offset),
        (1, 33, Some(35))
    );
    assert_eq!(
        (open.start_timestamp, open.last_timestamp),
        (None, Some(START))
    );
    assert_eq!((open.records, open.path.as_deref()), (Some(0), None));
    assert!(
        open.abort_command
            .as_ref()
            .unwrap()
            .ends_with("--start-offset 33")
    );
}

/// Of two entries of one producer a broker keeps the second, and the first one's transaction.
#[test]
fn a_transaction_that_no_producer_has_cannot_be_aborted() {
    let root = tempfile::tempdir().unwrap();
    let partition = root.path().join("t-0");
    Log::at(40).plain().write(&partition, 40);
    let snapshot = encode(Version::V1, &[entry(1, 33), entry(1, -1)]).unwrap();
    fs::write(partition.join("00000000000000000040.snapshot"), snapshot).unwrap();
    let (document, outcome) = json(&partition, &["--now", "1800000000000"]);
    outcome.ended_with(1);
    let open = &only(document).transactions[0];
    assert_eq!((open.first_offset, open.verdict), (33, Verdict::Suspect));
    assert_eq!(
        (open.producer_epoch, open.abort_command.as_ref()),
        (Some(3), None)
    );
    assert!(
        open.reason.contains("no producer has it"),
        "{}",
        open.reason
    );
}

#[test]
fn a_log_that_ends_below_its_start_is_told() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("txn-open-0");
    copy_tree(&testdata("main/txn-open-0"), &path);
    let checkpoint = root.path().join("log-start-offset-checkpoint");
    for (start, is_told) in [(69, false), (70, true)] {
        fs::write(&checkpoint, format!("0\n1\ntxn-open 0 {start}\n")).unwrap();
        let outcome = txns(&path, &["--now", SOON, "--producer-id=1"]);
        let outcome = outcome.ended_with(i32::from(is_told));
        let words = "checkpoint-mismatch: log-start-offset-checkpoint has the start 70";
        assert_eq!(
            outcome.stderr.contains(words),
            is_told,
            "{}",
            outcome.stderr
        );
    }
}
