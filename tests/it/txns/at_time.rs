//! Which transactions were open at a time.

use std::fs;
use std::path::Path;

use super::document::{Document, Verdict, json, only, txns};
use super::log::{Log, START, state_batch};
use crate::batches::Batch;

/// So much later than anything else.
const AGES: i64 = 1_000_000_000;

fn at(path: &Path, time: i64, more: &[&str]) -> (Document, String) {
    let time = time.to_string();
    let (document, outcome) = json(path, &[&["--at-time", &time], more].concat());
    (document, outcome.stderr)
}

/// Who had a transaction open so many milliseconds after the first batch was written.
fn open(log: &Log, after: i64) -> Vec<i64> {
    let root = tempfile::tempdir().unwrap();
    log.write(&root.path().join("t-0"), 0);
    let (document, _) = at(root.path(), START + after, &[]);
    assert_eq!(document.at_time, Some(START + after));
    assert_eq!(document.now, START + after);
    let open = only(document).transactions;
    open.iter().map(|one| one.producer_id).collect()
}

#[test]
fn those_are_open_that_had_begun_and_not_ended() {
    let log = Log::default()
        .data(5, 0)
        .data(6, 0)
        .commit(5, 0)
        .abort(6, 0);
    for (after, expected) in [
        (-1, vec![]),
        (0, vec![5]),
        (999, vec![5]),
        (1000, vec![5, 6]),
        (1999, vec![5, 6]),
        (2000, vec![6]),
        (3000, vec![]),
        (AGES, vec![]),
    ] {
        assert_eq!(open(&log, after), expected, "{after}");
    }
}

#[test]
fn markers_tell_the_time_and_data_only_between_them() {
    let begun = || Log::default().data(5, 0).commit(5, 0);
    // Records that keep the time of an event long past.
    let log = begun().later(-AGES).data(7, 0).later(0).commit(7, 0);
    assert_eq!(open(&log, 500), [5]);
    assert_eq!(open(&log, 1000), [7]);
    assert_eq!(open(&log, 2999), [7]);
    assert_eq!(open(&log, 3000), [0; 0]);
    // A producer whose clock is ahead.
    let log = Log::default().later(AGES).data(8, 0).later(0);
    let log = log.data(5, 0).commit(5, 0);
    assert_eq!(open(&log, 2000), [8]);
    assert_eq!(open(&log, 1999), [0; 0]);
}

#[test]
fn everything_that_is_told_of_a_log_is_as_of_then() {
    let root = tempfile::tempdir().unwrap();
    let log = Log::default().data(5, 0).plain().commit(5, 0).data(6, 0);
    log.plain().write(&root.path().join("t-0"), 0);
    let checkpoint = "0\n1\nt 0 5\n";
    fs::write(
        root.path().join("replication-offset-checkpoint"),
        checkpoint,
    )
    .unwrap();
    let (document, _) = at(root.path(), START + 1000, &["--stats"]);
    let partition = only(document);
    let ends = (partition.last_stable_offset, partition.log_end_offset);
    assert_eq!(ends, (Some(0), Some(2)));
    assert_eq!(partition.high_watermark, None);
    let held = partition.held_back.unwrap();
    assert_eq!((held.batches, held.records), (2, 2));
    let stats = partition.stats.unwrap();
    assert_eq!((stats.committed, stats.open), (0, 1));
    let (document, _) = at(root.path(), START + 3000, &["--all"]);
    let verdicts = only(document).transactions.into_iter();
    let verdicts: Vec<_> = verdicts.map(|one| one.verdict).collect();
    assert_eq!(verdicts, [Verdict::Closed, Verdict::Ongoing]);
    // A segment alone, too.
    let segment = root.path().join("t-0/00000000000000000000.log");
    let (document, _) = at(&segment, START + 1000, &[]);
    assert_eq!(only(document).held_back.unwrap().batches, 2);
}

#[test]
fn text_says_as_of_when() {
    let root = tempfile::tempdir().unwrap();
    let log = Log::default().data(5, 0).commit(5, 0);
    log.write(&root.path().join("t-0"), 0);
    let then = txns(root.path(), &["--at-time=2023-11-14T22:13:20.5Z"]).ended_with(0);
    let words = "Logs and coordinators as of 2023-11-14T22:13:20.500Z.\n\
                 Judged as of 2023-11-14T22:13:20.500Z.\n";
    assert!(then.text().ends_with(words), "{}", then.text());
    let later = txns(root.path(), &["--at-time=2023-11-15"]).ended_with(0);
    let words = "No open transaction in 1 partition as of 2023-11-15T00:00:00Z.\n";
    assert_eq!(later.text(), words);
    let earlier = txns(root.path(), &["--at-time=2023-11-14"]).ended_with(0);
    let words = "t-0: note: its first batch here is later than --at-time";
    assert!(earlier.stderr.contains(words), "{}", earlier.stderr);
}

/// Its coordinator had it then, and knows of its end now.
#[test]
fn coordinators_are_asked_what_they_knew() {
    let root = tempfile::tempdir().unwrap();
    let log = Log::default().data(5, 0).plain().plain().commit(5, 0);
    log.write(&root.path().join("t-0"), 0);
    let state = root.path().join("__transaction_state-0");
    fs::create_dir(&state).unwrap();
    let record = |offset, after, status, topics: &[&str]| {
        let batch = Batch {
            timestamp: START + after,
            ..Batch::new(offset)
        };
        state_batch(batch, "a", 5, status, topics)
    };
    let records = [record(0, 0, 1, &["t"]), record(1, 3000, 4, &[])];
    fs::write(state.join("00000000000000000000.log"), records.concat()).unwrap();
    let judged = |after| {
        let (document, _) = at(root.path(), START + after, &["--max-transaction-timeout=1"]);
        let partitions = document.partitions.into_iter();
        let mut open = partitions.flat_map(|partition| partition.transactions);
        let open = open.next()?;
        // It may have ended since.
        assert_eq!(open.abort_command, None);
        Some((open.verdict, open.reason))
    };
    let (verdict, reason) = judged(2000).unwrap();
    assert_eq!(verdict, Verdict::Ongoing);
    assert!(reason.contains("has it as Ongoing"), "{reason}");
    assert_eq!(judged(3000), None);
    // What nobody knows now, somebody may have known then.
    let records = record(0, 3000, 1, &["u"]);
    fs::write(state.join("00000000000000000000.log"), records).unwrap();
    let (verdict, reason) = judged(2000).unwrap();
    assert_eq!(verdict, Verdict::Suspect);
    assert!(!reason.contains("hanging"), "{reason}");
}

#[test]
fn an_end_elsewhere_that_came_later_was_none_then() {
    let root = tempfile::tempdir().unwrap();
    let log = || Log::default().data(5, 0);
    let copies = ["one", "two"].map(|name| root.path().join(name));
    log().write(&copies[0].join("t-0"), 0);
    log().commit(5, 0).write(&copies[1].join("t-0"), 0);
    let other = copies[1].to_str().unwrap();
    let verdict = |after| {
        let more = ["--max-transaction-timeout=1", other];
        let (document, _) = at(&copies[0], START + after, &more);
        document.partitions[0].transactions[0].verdict
    };
    assert_eq!(verdict(999), Verdict::Suspect);
    assert_eq!(verdict(1000), Verdict::Ongoing);
}
