//! The verdict on an open transaction: what each needs to fire, and what keeps it silent.

use std::fs;
use std::path::Path;

use super::document::{Transaction, Verdict, json, only, txns};
use super::log::{Log, START, state_partition};

/// A quarter of an hour, the default, after the last write at offset 0.
const IN_TIME: i64 = START + 900_000;
const OVERDUE: i64 = IN_TIME + 1;

/// -1 stands for no time.
#[test]
fn without_a_time_a_transaction_counts_as_overdue() {
    let root = tempfile::tempdir().unwrap();
    let log = Log::default().later(-1 - START).data(5, 0);
    log.write(&root.path().join("t-0"), 0);
    let transaction = judged_at(root.path(), START, 1);
    assert_eq!(transaction.verdict, Verdict::Suspect);
    assert_eq!(
        (transaction.start_timestamp, transaction.age_ms),
        (None, None)
    );
    assert!(transaction.reason.starts_with("nothing tells when"));
}

/// A log directory with the open transaction of producer 5 in t-0, and partitions of
/// `__transaction_state`; `a` (97) has its home in partition 1 of two, `b` (98) in 0.
fn directory(states: &[(u32, &[u8])]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    Log::default().data(5, 0).write(&root.path().join("t-0"), 0);
    for (number, bytes) in states {
        let partition = root.path().join(format!("__transaction_state-{number}"));
        fs::create_dir(&partition).unwrap();
        fs::write(partition.join("00000000000000000000.log"), bytes).unwrap();
    }
    root
}

fn judged_at(path: &Path, now: i64, code: i32) -> Transaction {
    let (document, outcome) = json(path, &["--now", &now.to_string()]);
    outcome.ended_with(code);
    let mut partitions = document.partitions;
    partitions.retain(|partition| partition.topic_partition == "t-0");
    let mut transactions = partitions.remove(0).transactions;
    assert_eq!(transactions.len(), 1);
    transactions.remove(0)
}

#[track_caller]
fn says(transaction: &Transaction, words: &[&str]) {
    for word in words {
        assert!(transaction.reason.contains(word), "{}", transaction.reason);
    }
}

#[test]
fn a_transaction_in_time_is_ongoing() {
    let root = directory(&[]);
    for now in [IN_TIME, START, START - 5] {
        let transaction = judged_at(root.path(), now, 0);
        assert_eq!(transaction.verdict, Verdict::Ongoing);
        assert_eq!(transaction.abort_command, None);
        says(&transaction, &["its producer last wrote", "15 min"]);
    }
}

#[test]
fn an_overdue_one_is_suspect_while_nobody_can_be_asked() {
    let root = directory(&[]);
    let transaction = judged_at(root.path(), OVERDUE, 1);
    assert_eq!(transaction.verdict, Verdict::Suspect);
    says(&transaction, &["--transaction-log", "longer than 15 min"]);
    assert_eq!(
        transaction.abort_command.as_deref(),
        Some(
            "kafka-transactions.sh --bootstrap-server <HOST:PORT> abort --topic t --partition 0 \
             --start-offset 0"
        )
    );
}

#[test]
fn one_that_its_coordinator_has_is_ongoing() {
    let (own, other) = (
        state_partition("a", 5, 1, &["t"]),
        state_partition("b", 6, 1, &["u"]),
    );
    let root = directory(&[(0, &other), (1, &own)]);
    let transaction = judged_at(root.path(), OVERDUE, 0);
    assert_eq!(transaction.verdict, Verdict::Ongoing);
    assert_eq!(transaction.transactional_id.as_deref(), Some("a"));
    assert_eq!(transaction.abort_command, None);
    says(&transaction, &["'a'", "Ongoing", "will end it"]);
}

#[test]
fn the_first_arm_no_transactional_id() {
    let (one, other) = (
        state_partition("a", 7, 1, &["t"]),
        state_partition("b", 6, 1, &["t"]),
    );
    let root = directory(&[(0, &other), (1, &one)]);
    let transaction = judged_at(root.path(), OVERDUE, 1);
    assert_eq!(transaction.verdict, Verdict::Hanging);
    assert_eq!(transaction.transactional_id, None);
    assert!(transaction.abort_command.is_some());
    says(&transaction, &["no transactional id uses its producer id"]);
    // In time, nothing hangs.
    assert_eq!(judged_at(root.path(), IN_TIME, 0).verdict, Verdict::Ongoing);
}

#[test]
fn the_second_arm_a_coordinator_that_does_not_know_it() {
    // The record of `a` lies in partition 0, where it does not belong.
    let lost = state_partition("a", 5, 1, &["t"]);
    let dead = state_partition("a", 5, 6, &["t"]);
    let root = directory(&[(0, &lost), (1, &dead)]);
    let now = [
        "--now",
        &OVERDUE.to_string(),
        "--transaction-log-partitions",
    ];
    let judged = |count: &str, code: i32| {
        let args = [&now[..], &[count]].concat();
        let (document, outcome) = json(root.path(), &args);
        outcome.ended_with(code);
        let partitions = document.partitions.into_iter();
        let mut open = partitions.flat_map(|partition| partition.transactions);
        open.next().unwrap()
    };
    let transaction = judged("2", 1);
    assert_eq!(transaction.verdict, Verdict::Hanging);
    says(
        &transaction,
        &[
            "the coordinator of transactional id 'a'",
            "does not know it",
        ],
    );
    assert!(transaction.abort_command.is_some());
    // Were there one partition, it would be at home there.
    let transaction = judged("1", 0);
    assert_eq!(transaction.verdict, Verdict::Ongoing);
    // Whose coordinator is not at hand, may be known to it.
    let transaction = judged("5", 1);
    assert_eq!(transaction.verdict, Verdict::Suspect);
    says(&transaction, &["of the 5 partitions", "not whole: 2"]);
}

#[test]
fn how_many_partitions_there_are_may_be_unknown() {
    let root = directory(&[(0, &[]), (1, &[])]);
    let transaction = judged_at(root.path(), OVERDUE, 1);
    assert_eq!(transaction.verdict, Verdict::Suspect);
    says(&transaction, &["--transaction-log-partitions N"]);
    let args = [
        "--now",
        &OVERDUE.to_string(),
        "--transaction-log-partitions",
        "2",
    ];
    let (document, _) = json(root.path(), &args);
    let mut open = document.partitions.iter().flat_map(|one| &one.transactions);
    assert_eq!(open.next().unwrap().verdict, Verdict::Hanging);
}

#[test]
fn the_third_arm_a_transaction_without_this_partition() {
    let other = state_partition("b", 6, 1, &["u"]);
    for (status, topics, words) in [
        (1, &["u"][..], ["(Ongoing) without this partition", "'a'"]),
        (4, &[], ["no transaction now (CompleteCommit)", "'a'"]),
        (0, &["t"], ["no transaction now (Empty)", "'a'"]),
    ] {
        let own = state_partition("a", 5, status, topics);
        let root = directory(&[(0, &other), (1, &own)]);
        let transaction = judged_at(root.path(), OVERDUE, 1);
        assert_eq!(transaction.verdict, Verdict::Hanging);
        assert_eq!(transaction.transactional_id.as_deref(), Some("a"));
        says(&transaction, &words);
    }
}

/// The record of another id, to lie behind one record.
fn behind_one(id: &str, producer_id: i64) -> Vec<u8> {
    let mut batch = state_partition(id, producer_id, 1, &["u"]);
    // The base offset, which no checksum covers.
    batch[7] = 1;
    batch
}

#[test]
fn a_partition_that_is_missing_or_damaged_leaves_a_doubt() {
    let (one, other) = (
        state_partition("a", 7, 1, &["t"]),
        state_partition("b", 6, 1, &["t"]),
    );
    // 97, 101 and 98 modulo 4 are 1, 1 and 2; partition 3 says that there are four, and no other
    // number fits all.
    let two = [&one[..], &behind_one("e", 8)].concat();
    let root = directory(&[(1, &two), (2, &other), (3, &[])]);
    let transaction = judged_at(root.path(), OVERDUE, 1);
    assert_eq!(transaction.verdict, Verdict::Suspect);
    says(&transaction, &["of the 4 partitions", "not whole: 0"]);
    let mut damaged = state_partition("b", 6, 1, &["t"]);
    *damaged.last_mut().unwrap() ^= 1;
    let whole = state_partition("b", 6, 1, &["t"]);
    let root = directory(&[(0, &[&damaged[..], &whole].concat()), (1, &one)]);
    let transaction = judged_at(root.path(), OVERDUE, 1);
    assert_eq!(transaction.verdict, Verdict::Suspect);
    says(&transaction, &["of the 2 partitions", "not whole: 0"]);
}

#[test]
fn without_the_partitions_name_the_third_arm_is_not_asked() {
    let (own, other) = (
        state_partition("a", 5, 1, &["u"]),
        state_partition("b", 6, 1, &["u"]),
    );
    let root = directory(&[(0, &other), (1, &own)]);
    let copy = root.path().join("copy");
    Log::default().data(5, 0).data(8, 0).write(&copy, 0);
    let now = (START + 10_000_000).to_string();
    let state = root.path().to_str().unwrap();
    let (document, outcome) = json(&copy, &["--now", &now, "--transaction-log", state]);
    outcome.ended_with(1);
    let partition = only(document);
    assert_eq!(partition.topic_partition, "copy");
    let [known, unknown] = &partition.transactions[..] else {
        panic!("{partition:?}");
    };
    assert_eq!(known.verdict, Verdict::Suspect);
    says(known, &["does not say which partition"]);
    // The first arm needs no name.
    assert_eq!(unknown.verdict, Verdict::Hanging);
    let command = unknown.abort_command.as_ref().unwrap();
    assert!(command.contains("--topic <TOPIC> --partition <PARTITION>"));
}

#[test]
fn a_producer_below_0_belongs_to_another_cluster() {
    let root = tempfile::tempdir().unwrap();
    let id = i64::MIN + 5;
    Log::default()
        .data(id, 0)
        .write(&root.path().join("t-0"), 0);
    let now = (START + 10_000_000).to_string();
    let (document, outcome) = json(root.path(), &["--now", &now, "--rules", "mapped"]);
    outcome.ended_with(1);
    let transaction = &only(document).transactions[0];
    assert_eq!(
        (transaction.producer_id, transaction.verdict),
        (id, Verdict::Suspect)
    );
    assert_eq!(
        transaction.producer_id_hex.as_deref(),
        Some("0x8000000000000005")
    );
    assert_eq!(transaction.abort_command, None);
    says(transaction, &["another cluster"]);
    // To a stock broker it has no state, and so no transaction.
    let (document, outcome) = json(root.path(), &["--now", &now]);
    outcome.ended_with(0);
    let partition = only(document);
    assert!(partition.transactions.is_empty());
    assert_eq!(partition.last_stable_offset, partition.log_end_offset);
}

/// `c`, `e` and so on (99, 101) have their home in partition 1 of two, `d` and so on in 0.
#[test]
fn the_second_arm_without_being_told_how_many_partitions_there_are() {
    let states = |ids: &[&str]| {
        let states = ids.iter().map(|id| match *id {
            "a" => state_partition("a", 5, 1, &["t"]),
            id => state_partition(id, 6, 1, &["u"]),
        });
        states.collect::<Vec<_>>().concat()
    };
    // The record of `a` lies in partition 0.
    let (zero, one) = (states(&["a", "b", "d"]), states(&["c", "e"]));
    let root = directory(&[(0, &zero), (1, &one)]);
    let transaction = judged_at(root.path(), OVERDUE, 1);
    assert_eq!(transaction.verdict, Verdict::Hanging);
    let home = "lies in __transaction_state-0 and belongs into __transaction_state-1";
    says(&transaction, &["'a'", "does not know it", home]);
    // Fewer ids in their places leave a doubt, and none out of place leave none.
    let (zero, one) = (states(&["a", "b"]), states(&["c"]));
    let root = directory(&[(0, &zero), (1, &one)]);
    let transaction = judged_at(root.path(), OVERDUE, 1);
    assert_eq!(transaction.verdict, Verdict::Suspect);
    says(
        &transaction,
        &["no number of partitions", "--transaction-log-partitions N"],
    );
    let (zero, one) = (states(&["b"]), states(&["a", "c"]));
    let root = directory(&[(0, &zero), (1, &one)]);
    let transaction = judged_at(root.path(), OVERDUE, 0);
    assert_eq!(transaction.verdict, Verdict::Ongoing);
}

/// Two ids with one producer: the reason and the field name the same.
#[test]
fn of_several_ids_the_one_that_decides_is_named() {
    let (idle, own) = (
        state_partition("b", 5, 4, &[]),
        state_partition("c", 5, 1, &["t"]),
    );
    let root = directory(&[(0, &idle), (1, &own)]);
    let transaction = judged_at(root.path(), OVERDUE, 0);
    assert_eq!(transaction.transactional_id.as_deref(), Some("c"));
    says(&transaction, &["'c'"]);
}

/// A replica of `__transaction_state` that lags does not know what began since.
#[test]
fn of_two_replicas_the_one_that_goes_further_judges() {
    let old = [&state_partition("z", 9, 1, &["u"])[..], &behind_one("y", 8)].concat();
    let mut next = state_partition("a", 5, 1, &["t"]);
    // The base offset, which no checksum covers.
    next[7] = 2;
    let behind = directory(&[(0, &old)]);
    let ahead = directory(&[(0, &[&old[..], &next].concat())]);
    for root in [&behind, &ahead] {
        fs::write(root.path().join("meta.properties"), "cluster.id=c\n").unwrap();
    }
    let alone = judged_at(behind.path(), OVERDUE, 1);
    assert_eq!(alone.verdict, Verdict::Hanging);
    for (first, second, left_out) in [
        (&behind, &ahead, "the copy before is left out: it ends at 2"),
        (&ahead, &behind, "this copy is left out: it ends at 2"),
    ] {
        let second = second.path().to_str().unwrap();
        let now = OVERDUE.to_string();
        let (document, outcome) = json(first.path(), &[second, "--now", &now]);
        let stderr = outcome.ended_with(0).stderr;
        assert!(stderr.contains(left_out), "{stderr}");
        let open = document.partitions.iter().flat_map(|one| &one.transactions);
        let verdicts: Vec<_> = open.map(|open| open.verdict).collect();
        assert_eq!(verdicts, [Verdict::Ongoing; 2]);
        // Both hold t-0, so text says where.
        let text = txns(first.path(), &[second, "--now", &now]).ended_with(0);
        for root in [&behind, &ahead] {
            let title = format!("{}: last stable", root.path().join("t-0").display());
            let text = text.text().replace('\n', " ");
            assert!(text.contains(&title), "{text}");
        }
    }
}

/// What a leader who was cut off wrote beyond the others is none of the cluster's log.
#[test]
fn of_two_replicas_that_of_the_later_leader_judges() {
    let of = |epoch: u8, batches: &[Vec<u8>]| {
        let mut bytes = Vec::new();
        for (offset, batch) in batches.iter().enumerate() {
            let mut batch = batch.clone();
            // Base offset and leader epoch, which no checksum covers.
            batch[7] = u8::try_from(offset).unwrap();
            batch[15] = if offset == 0 { 0 } else { epoch };
            bytes.extend(batch);
        }
        let root = directory(&[(0, &bytes)]);
        fs::write(root.path().join("meta.properties"), "cluster.id=c\n").unwrap();
        root
    };
    let begun = state_partition("a", 5, 1, &["t"]);
    let other = state_partition("z", 9, 1, &["u"]);
    let cut_off = of(
        1,
        &[other.clone(), other.clone(), other.clone(), other.clone()],
    );
    let leader = of(2, &[other, begun]);
    for (first, second) in [(&cut_off, &leader), (&leader, &cut_off)] {
        let second = second.path().to_str().unwrap();
        let (document, outcome) = json(first.path(), &[second, "--now", &OVERDUE.to_string()]);
        let stderr = outcome.ended_with(0).stderr;
        let said = "left out: it ends at 4 in leader epoch 1, another at 2 in leader epoch 2";
        assert!(stderr.contains(said), "{stderr}");
        let open = document.partitions.iter().flat_map(|one| &one.transactions);
        let verdicts: Vec<_> = open.map(|open| open.verdict).collect();
        assert_eq!(verdicts, [Verdict::Ongoing; 2]);
    }
}
