//! `kfsck groups`: commits replayed as a coordinator replays them. The order of the cases is that
//! of `OffsetMetadataManager`; in each run of the gate a real broker says what its groups have
//! committed, and the real tool takes the CSV.

mod copies;
mod replay;
mod wholeness;

use std::fs;
use std::path::Path;

use serde::Deserialize;

use crate::batches::Batch;
use crate::corpus;
use crate::program::{Outcome, Run};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    schema: u32,
    groups: Vec<Group>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Group {
    group_id: String,
    #[serde(rename = "type")]
    kind: String,
    state: String,
    offsets: Vec<Committed>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Committed {
    topic_partition: String,
    committed_offset: i64,
    leader_epoch: Option<i32>,
    metadata: String,
    commit_timestamp: i64,
    expire_timestamp: Option<i64>,
    log_end_offset: Option<i64>,
    lag: Option<i64>,
}

fn text(text: &str) -> Vec<u8> {
    let length = i16::try_from(text.len()).unwrap();
    [&length.to_be_bytes()[..], text.as_bytes()].concat()
}

/// `OffsetCommitKey` of a group's offset in `plain-0`.
fn key(group: &str) -> Vec<u8> {
    [&[0, 1][..], &text(group), &text("plain"), &[0; 4]].concat()
}

/// `OffsetCommitValue` 3: offset, leader epoch 7, metadata, when.
fn value(offset: i64) -> Vec<u8> {
    let epoch = 7_i32.to_be_bytes();
    let when = 1_700_000_000_000_i64.to_be_bytes();
    [
        &[0, 3][..],
        &offset.to_be_bytes(),
        &epoch,
        &text("note"),
        &when,
    ]
    .concat()
}

/// A log of `__consumer_offsets` in the making.
#[derive(Default)]
struct Log {
    bytes: Vec<u8>,
    next: i64,
}

impl Log {
    fn add(&mut self, mut batch: Batch, count: i64) {
        batch.base_offset = self.next;
        batch.timestamp = 1_700_000_000_000 + self.next;
        self.bytes.extend(batch.encode());
        self.next += count;
    }

    fn commit(mut self, group: &str, offset: Option<i64>, producer: i64) -> Self {
        let value = offset.map(value);
        let mut batch = Batch::new(0).record(Some(&key(group)), value.as_deref());
        batch.producer_id = producer;
        if producer >= 0 {
            batch.attributes = 0x10;
            batch.producer_epoch = 0;
        }
        self.add(batch, 1);
        self
    }

    fn end(mut self, producer: i64, is_commit: bool) -> Self {
        let key = [0, 0, 0, u8::from(is_commit)];
        let mut batch = Batch::new(0).record(Some(&key), Some(&[0; 6]));
        batch.attributes = 0x30;
        batch.producer_id = producer;
        batch.producer_epoch = 0;
        self.add(batch, 1);
        self
    }

    fn record(mut self, key: &[u8], value: Option<&[u8]>) -> Self {
        self.add(Batch::new(0).record(Some(key), value), 1);
        self
    }

    fn written(&self) -> tempfile::TempDir {
        let place = tempfile::tempdir().unwrap();
        let partition = place.path().join("__consumer_offsets-7");
        fs::create_dir(&partition).unwrap();
        fs::write(partition.join("00000000000000000000.log"), &self.bytes).unwrap();
        place
    }
}

fn groups(path: &Path, more: &[&str]) -> Vec<Group> {
    let run = Run::new(["groups", "--format", "json"]).arg(path);
    let run = more.iter().fold(run, Run::arg);
    parsed(&run.outcome().ended_with(0))
}

fn parsed(outcome: &Outcome) -> Vec<Group> {
    let document: Document = serde_json::from_str(outcome.text()).unwrap();
    assert_eq!(document.schema, 1);
    document.groups
}

/// Of one group and one partition.
fn offset(log: &Log, more: &[&str]) -> Option<i64> {
    let place = log.written();
    let groups = groups(place.path(), more);
    let offsets: Vec<_> = groups.iter().flat_map(|group| &group.offsets).collect();
    assert!(offsets.len() <= 1, "{offsets:?}");
    offsets.first().map(|committed| committed.committed_offset)
}

#[test]
fn the_last_commit_counts_and_one_without_a_value_takes_it_away() {
    let log = Log::default()
        .commit("g", Some(5), -1)
        .commit("g", Some(3), -1);
    assert_eq!(offset(&log, &[]), Some(3));
    assert_eq!(offset(&log.commit("g", None, -1), &[]), None);
}

#[test]
fn commits_of_a_transaction_count_when_it_commits() {
    let open = || {
        Log::default()
            .commit("g", Some(5), -1)
            .commit("g", Some(9), 4)
    };
    assert_eq!(offset(&open(), &[]), Some(5));
    assert_eq!(offset(&open().end(4, true), &[]), Some(9));
    assert_eq!(offset(&open().end(4, false), &[]), Some(5));
    // Another producer's marker ends nothing.
    assert_eq!(offset(&open().end(3, true), &[]), Some(5));
    // What was written later stays, though the transaction ends behind it.
    let later = open().commit("g", Some(7), -1).end(4, true);
    assert_eq!(offset(&later, &[]), Some(7));
    // What was taken away in between does not come back.
    let gone = open().commit("g", None, -1).end(4, true);
    assert_eq!(offset(&gone, &[]), None);
}

#[test]
fn as_it_was_then() {
    let log = Log::default()
        .commit("g", Some(5), -1)
        .commit("g", Some(6), -1);
    let log = log.commit("g", Some(9), 4).end(4, true);
    for (at, expected) in [
        (0, None),
        (1, Some(5)),
        (2, Some(6)),
        (3, Some(6)),
        (4, Some(9)),
    ] {
        assert_eq!(
            offset(&log, &["--at-offset", &at.to_string()]),
            expected,
            "{at}"
        );
    }
    for (at, expected) in [(-1, None), (0, Some(5)), (2, Some(6)), (3, Some(9))] {
        let at = (1_700_000_000_000_i64 + at).to_string();
        assert_eq!(offset(&log, &["--at-time", &at]), expected, "{at}");
    }
}

#[test]
fn every_field_of_a_commit_and_the_lag_where_the_topic_lies_beside() {
    let place = Log::default().commit("g", Some(2), -1).written();
    let topic = place.path().join("plain-0");
    fs::create_dir(&topic).unwrap();
    let two = Batch::new(0)
        .record(None, Some(b"a"))
        .record(None, Some(b"b"));
    let five = Batch::new(4).record(None, Some(b"c"));
    let log = [two.encode(), five.encode()].concat();
    fs::write(topic.join("00000000000000000000.log"), log).unwrap();
    let offsets = place.path().join("__consumer_offsets-7");
    for path in [place.path(), &offsets] {
        let groups = groups(path, &[]);
        let [
            Group {
                group_id,
                kind,
                state,
                offsets,
            },
        ] = &groups[..]
        else {
            panic!("{groups:?}");
        };
        assert_eq!(
            (&group_id[..], &kind[..], &state[..]),
            ("g", "classic", "Empty")
        );
        let committed = &offsets[0];
        assert_eq!(committed.topic_partition, "plain-0");
        assert_eq!(committed.leader_epoch, Some(7));
        assert_eq!(committed.metadata, "note");
        assert_eq!(committed.commit_timestamp, 1_700_000_000_000);
        assert_eq!(committed.expire_timestamp, None);
        assert_eq!(
            (committed.log_end_offset, committed.lag),
            (Some(5), Some(3))
        );
    }
}

/// `ConsumerGroupMetadata`, member, target epoch and what the member has, as they come. A group
/// begins with epoch 1, so that of its first member is 2.
#[test]
fn a_group_of_the_new_protocol_goes_through_its_states() {
    let of = |record_type: u8, more: &[u8]| [&[0, record_type][..], &text("g"), more].concat();
    let member = text("m");
    let epoch = |epoch: u8| [0, 0, 0, 0, 0, epoch, 0];
    // No instance, rack or regular expression; client and host; no topics; timeout; no assignor.
    let joined = [0, 0, 0, 0, 2, b'c', 2, b'h', 1, 0, 0, 0, 0, 0, 0, 0];
    let log = Log::default().record(&of(3, &[]), Some(&epoch(2)));
    let state = |log: &Log| {
        let place = log.written();
        let groups = groups(place.path(), &[]);
        let kinds: Vec<_> = groups.iter().map(|group| group.kind.as_str()).collect();
        assert_eq!(kinds, ["consumer"]);
        groups[0].state.clone()
    };
    assert_eq!(state(&log), "Empty");
    let log = log.record(&of(5, &member), Some(&joined));
    assert_eq!(state(&log), "Assigning");
    let log = log.record(&of(6, &[]), Some(&epoch(2)));
    assert_eq!(state(&log), "Reconciling");
    let has = [0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 1, 1, 0];
    let log = log.record(&of(8, &member), Some(&has));
    assert_eq!(state(&log), "Stable");
    let log = log.record(&of(5, &member), None);
    assert_eq!(state(&log), "Empty");
    let place = log.record(&of(3, &[]), None).written();
    assert_eq!(groups(place.path(), &[]).len(), 0);
}

#[test]
fn the_groups_of_a_real_broker() {
    let main = corpus::directory().join("main");
    let groups = groups(&main, &[]);
    let kinds: Vec<_> = groups.iter().map(|group| group.kind.as_str()).collect();
    assert!(
        kinds.contains(&"classic") && kinds.contains(&"consumer"),
        "{kinds:?}"
    );
    assert!(groups.iter().all(|group| group.state == "Empty"));
    // Commits of a transaction that was committed are among them.
    assert!(
        groups
            .iter()
            .any(|group| group.group_id.starts_with("group-of-txn-"))
    );
    let offsets = groups.iter().flat_map(|group| &group.offsets);
    for committed in offsets.clone() {
        assert!(committed.log_end_offset.is_some(), "{committed:?}");
    }
    // A line of the CSV is an offset of the document.
    let csv = Run::new(["groups", "--format", "csv"])
        .arg(&main)
        .outcome()
        .ended_with(0);
    let lines = groups.iter().flat_map(|group| {
        group.offsets.iter().map(|committed| {
            let (topic, partition) = committed.topic_partition.rsplit_once('-').unwrap();
            format!(
                "{},{topic},{partition},{}",
                group.group_id, committed.committed_offset
            )
        })
    });
    assert_eq!(
        csv.text().lines().map(str::to_owned).collect::<Vec<_>>(),
        lines.collect::<Vec<_>>()
    );
    assert!(csv.text().lines().count() >= 4);
}

#[test]
fn a_name_that_a_csv_reader_would_tear_is_quoted() {
    let place = Log::default().commit("a,\"b", Some(5), -1).written();
    let csv = Run::new(["groups", "--format", "csv"])
        .arg(place.path())
        .outcome()
        .ended_with(0);
    assert_eq!(csv.text(), "\"a,\"\"b\",plain,0,5\n");
}

#[test]
fn what_cannot_be_read_is_told_and_the_rest_shown() {
    let mut log = Log::default().commit("g", Some(5), -1);
    let damaged = log.bytes.len() + 61;
    log = log
        .commit("h", Some(6), -1)
        .record(b"\0\x01\0", None)
        .commit("i", Some(7), -1);
    log.bytes[damaged] ^= 1;
    let place = log.written();
    let run = Run::new(["groups", "--format", "json"]).arg(place.path());
    let outcome = run.outcome().ended_with(1);
    let ids: Vec<_> = parsed(&outcome)
        .into_iter()
        .map(|group| group.group_id)
        .collect();
    assert_eq!(ids, ["g", "i"]);
    let told: Vec<_> = outcome.stderr.lines().collect();
    assert_eq!(told.len(), 2, "{}", outcome.stderr);
    assert!(told[0].contains("checksum does not match"), "{}", told[0]);
    assert!(told[1].contains("offset 2: type 1, key"), "{}", told[1]);
}

#[test]
fn what_is_asked_wrongly_is_refused() {
    let main = corpus::directory().join("main");
    let several = Run::new(["groups", "--at-offset", "5"])
        .arg(&main)
        .outcome()
        .ended_with(3);
    assert!(
        several.stderr.contains("--at-time works for all"),
        "{}",
        several.stderr
    );
    let none = Run::new(["groups"])
        .arg(main.join("plain-0"))
        .outcome()
        .ended_with(3);
    assert!(none.stderr.contains("found neither"), "{}", none.stderr);
    let absent = Run::new(["groups", "--group-id", "nobody"]).arg(&main);
    let absent = absent.outcome().ended_with(0);
    assert!(
        absent.stderr.contains("no group 'nobody'"),
        "{}",
        absent.stderr
    );
    assert_eq!(absent.text(), "no groups\n");
}
