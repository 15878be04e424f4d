//! What `kfsck check` holds against the cluster's own topics: producer ids against the metadata,
//! transactions against their coordinators.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::batches::Batch;
use crate::program::{Run, copy_tree, testdata};
use crate::txns::log::{Log, START};

pub(super) const LOG: &str = "00000000000000000000.log";
const METADATA: &str = "__cluster_metadata-0";

pub(super) fn findings(code: &str, more: &[&str], paths: &[&Path]) -> Vec<Value> {
    let run = Run::new(["check", "--format=json", "--only", code]);
    let run = more.iter().fold(run, Run::arg);
    let outcome = paths.iter().fold(run, Run::arg).outcome();
    let answer: Value = serde_json::from_str(outcome.text()).unwrap();
    answer["findings"].as_array().unwrap().clone()
}

fn not_issued(paths: &[&Path]) -> Vec<String> {
    let found = findings("producer-id-not-issued", &["--now=2026-12-02"], paths);
    let told = found.iter().map(|one| {
        let severity = one["severity"].as_str().unwrap();
        format!(
            "{severity} {} {}",
            one["topicPartition"].as_str().unwrap(),
            one["producerId"]
        )
    });
    told.collect()
}

/// Where each batch of a log begins, and where the last one ends.
fn bounds(log: &[u8]) -> Vec<usize> {
    let mut bounds = vec![0];
    let mut at = 0;
    while at < log.len() {
        let length = i32::from_be_bytes(log[at + 8..at + 12].try_into().unwrap());
        if length == 0 {
            break;
        }
        at += 12 + usize::try_from(length).unwrap();
        bounds.push(at);
    }
    bounds
}

/// Ends a log in front of its last batches.
pub(super) fn without_last(path: &Path, batches: usize) {
    let log = fs::read(path).unwrap();
    let bounds = bounds(&log);
    let end = bounds[bounds.len() - 1 - batches];
    fs::write(path, &log[..end]).unwrap();
}

/// A log directory with the metadata of a small cluster.
fn beside_metadata() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    let metadata = testdata("crash/clean").join(METADATA);
    copy_tree(&metadata, &root.path().join(METADATA));
    root
}

#[test]
fn ids_that_the_clusters_metadata_have_not_given_out_are_told_once_each() {
    let root = beside_metadata();
    let data = root.path();
    for name in ["txn-v1-0", "txn-v2-0", "txn-open-0"] {
        copy_tree(&testdata("main").join(name), &data.join(name));
    }
    // Their blocks begin at 0, 1000 and 2000, and this cluster has given out the first.
    let told = not_issued(&[data]);
    assert_eq!(
        told,
        [
            "warning txn-open-0 1010",
            "warning txn-open-0 2005",
            "warning txn-open-0 2006",
            "warning txn-open-0 2003",
            "warning txn-open-0 2004",
            "warning txn-open-0 2007",
            "warning txn-v2-0 1004",
            "warning txn-v2-0 1005",
        ]
    );
    // The metadata beside a partition are known, whatever is given.
    assert_eq!(not_issued(&[&data.join("txn-v2-0")]), told[6..]);
    assert_eq!(not_issued(&[&data.join("txn-v2-0").join(LOG)]), [""; 0]);
    let found = findings("producer-id-not-issued", &[], &[&data.join("txn-v2-0")]);
    let repair = found[0]["repair"].as_str().unwrap();
    assert!(
        repair.contains("--remap 1004=4611686018427388908"),
        "{repair}"
    );
    // A log that is torn may have said more.
    let log = data.join(METADATA).join(LOG);
    let bytes = fs::read(&log).unwrap();
    let end = *bounds(&bytes).last().unwrap();
    fs::write(&log, &bytes[..end - 5]).unwrap();
    assert_eq!(not_issued(&[data]), [""; 0]);
    // So may one with damage in it.
    let mut flipped = bytes.clone();
    flipped[end - 5] ^= 1;
    fs::write(&log, flipped).unwrap();
    assert_eq!(not_issued(&[data]), [""; 0]);
}

#[test]
fn metadata_count_for_the_log_directories_of_their_own_cluster() {
    let root = tempfile::tempdir().unwrap();
    let [metadata, data] = ["metadata", "data"].map(|name| root.path().join(name));
    let source = testdata("crash/clean");
    copy_tree(&source.join(METADATA), &metadata.join(METADATA));
    copy_tree(&testdata("main").join("txn-v2-1"), &data.join("txn-v2-1"));
    for directory in [&metadata, &data] {
        fs::copy(
            source.join("meta.properties"),
            directory.join("meta.properties"),
        )
        .unwrap();
    }
    assert_eq!(not_issued(&[&metadata, &data]).len(), 2);
    assert_eq!(
        not_issued(&[&metadata.join(METADATA), &data.join("txn-v2-1")]).len(),
        2
    );
    assert_eq!(not_issued(&[&data]), [""; 0]);
    let other = testdata("main").join("meta.properties");
    fs::copy(other, data.join("meta.properties")).unwrap();
    assert_eq!(not_issued(&[&metadata, &data]), [""; 0]);
}

#[test]
fn an_id_is_a_guess_where_it_is_later_than_the_metadata_and_silent_where_repairs_gave_it() {
    let root = beside_metadata();
    let data = root.path();
    let log = Log::default().data(999, 0).data(1000, 0).data(1 << 62, 0);
    let log = log.data(-7, 0).data((1 << 62) - 1, 0);
    const YEARS: i64 = 10 * 365 * 86_400_000;
    log.later(YEARS).data(1001, 0).write(&data.join("t-0"), 0);
    assert_eq!(
        not_issued(&[data]),
        [
            "warning t-0 1000",
            "warning t-0 4611686018427387903",
            "note t-0 1001"
        ]
    );
    // A cluster that has given out none yet begins with 0.
    let path = data.join(METADATA).join(LOG);
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bounds(&bytes)[3]]).unwrap();
    assert_eq!(not_issued(&[data])[0], "warning t-0 999");
    // One of which nothing was read yet is not known.
    fs::write(&path, []).unwrap();
    assert_eq!(not_issued(&[data]), [""; 0]);
}

fn mismatches(more: &[&str], data: &Path) -> Vec<Value> {
    findings("coordinator-mismatch", more, &[data])
}

pub(super) fn brief(found: &[Value]) -> Vec<String> {
    let told = found.iter().map(|one| {
        let severity = one["severity"].as_str().unwrap();
        format!("{severity} {} {}", one["producerId"], one["offset"])
    });
    told.collect()
}

/// Partitions of a real broker with its coordinators.
pub(super) fn real(names: &[&str]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    let states = [
        "__transaction_state-0",
        "__transaction_state-1",
        "__transaction_state-2",
    ];
    for name in states.iter().chain(names) {
        copy_tree(&testdata("main").join(name), &root.path().join(name));
    }
    root
}

#[test]
fn a_marker_that_is_missing_at_the_end_is_told_by_the_coordinator() {
    const NOW: [&str; 1] = ["--now=2026-12-02"];
    for (name, log, producer, aborts) in [
        ("txn-v2-0", LOG, 1005, true),
        ("txn-v1-0", LOG, 22, false),
        ("txn-both-0", "00000000000000000147.log", 1009, false),
    ] {
        let root = real(&[name]);
        let data = root.path();
        assert_eq!(brief(&mismatches(&NOW, data)), [""; 0], "{name}");
        without_last(&data.join(name).join(log), 1);
        let found = mismatches(&NOW, data);
        assert_eq!(found.len(), 1, "{name}");
        assert_eq!(found[0]["producerId"], producer, "{name}");
        assert_eq!(found[0]["severity"], "warning");
        assert_eq!(
            found[0]["repair"].is_string(),
            aborts,
            "{name}: {}",
            found[0]
        );
        // A marker may be on its way for as long as a transaction may take.
        let young = ["--now=2026-12-02", "--max-transaction-timeout=100000h"];
        assert_eq!(brief(&mismatches(&young, data)), [""; 0], "{name}");
    }
}

#[test]
fn a_coordinator_that_has_ended_nothing_contradicts_a_marker() {
    const NOW: [&str; 1] = ["--now=2026-12-02"];
    let root = real(&["txn-open-0"]);
    let data = root.path();
    let partition = data.join("__transaction_state-0");
    // What would tell that the log went further.
    for file in fs::read_dir(&partition).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "snapshot") {
            fs::remove_file(path).unwrap();
        }
    }
    let state = partition.join(LOG);
    // Its last records are of one producer: ongoing, prepared, completed.
    without_last(&state, 1);
    assert_eq!(brief(&mismatches(&NOW, data)), [""; 0]);
    without_last(&state, 1);
    let found = mismatches(&NOW, data);
    assert_eq!(found.len(), 1);
    // Its partition ends before the marker, so it may be an older copy.
    assert_eq!(found[0]["severity"], "note");
    assert_eq!(found[0]["producerId"], 2005);
    assert_eq!(found[0]["repair"], Value::Null);
}

/// `kafka-transactions.sh abort` gives the marker the epoch of the data, a coordinator the next.
#[test]
fn a_marker_that_was_written_by_hand_into_what_its_coordinator_has_open() {
    const NOW: [&str; 1] = ["--now=2026-12-02"];
    let root = real(&["txn-open-0"]);
    assert_eq!(brief(&mismatches(&NOW, root.path())), [""; 0]);
    let mut marker = Batch {
        base_offset: 69,
        attributes: 0x30,
        producer_id: 1010,
        producer_epoch: 0,
        timestamp: 1_796_013_463_300,
        ..Batch::new(0)
    };
    marker = marker.record(Some(&[0; 4]), Some(&[0; 6]));
    let log = root.path().join("txn-open-0/00000000000000000047.log");
    let old = fs::read(&log).unwrap();
    fs::write(&log, [old, marker.encode()].concat()).unwrap();
    let found = mismatches(&NOW, root.path());
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0]["producerId"], 1010);
    assert_eq!(found[0]["offset"], 69);
}

/// Another id's record, much later, to lie behind one record.
fn later() -> Vec<u8> {
    let mut batch = state_of(*b"zz", 8, COMPLETE_COMMIT, 0, &[], (100, 100));
    // The base offset, which no checksum covers.
    batch[7] = 1;
    batch
}

/// A partition of `__transaction_state` with one record of producer 5, in the first version.
pub(super) fn state(status: u8, epoch: i16, topics: &[&str], times: (i64, i64)) -> Vec<u8> {
    state_of(*b"id", 5, status, epoch, topics, times)
}

fn state_of(
    id: [u8; 2],
    producer_id: i64,
    status: u8,
    epoch: i16,
    topics: &[&str],
    (updated, started): (i64, i64),
) -> Vec<u8> {
    let mut value = vec![0, 0];
    value.extend(producer_id.to_be_bytes());
    value.extend(epoch.to_be_bytes());
    value.extend([0, 0, 0xea, 0x60, status]);
    value.extend(i32::try_from(topics.len()).unwrap().to_be_bytes());
    for topic in topics {
        value.extend([0, u8::try_from(topic.len()).unwrap()]);
        value.extend(topic.as_bytes());
        value.extend([0, 0, 0, 1, 0, 0, 0, 0]);
    }
    value.extend((START + updated * 1000).to_be_bytes());
    value.extend((START + started * 1000).to_be_bytes());
    let batch = Batch {
        timestamp: START + updated * 1000,
        ..Batch::new(0)
    };
    let key = [&[0, 0, 0, 2][..], &id].concat();
    batch.record(Some(&key), Some(&value)).encode()
}

pub(super) const ONGOING: u8 = 1;
pub(super) const PREPARE_COMMIT: u8 = 2;
const PREPARE_ABORT: u8 = 3;
pub(super) const COMPLETE_COMMIT: u8 = 4;
pub(super) const COMPLETE_ABORT: u8 = 5;

fn against(log: &Log, state: &[u8]) -> Vec<Value> {
    let root = tempfile::tempdir().unwrap();
    log.write(&root.path().join("t-0"), 0);
    let coordinator = root.path().join("__transaction_state-0");
    fs::create_dir(&coordinator).unwrap();
    fs::write(coordinator.join(LOG), state).unwrap();
    mismatches(&["--now=2026-12-01"], root.path())
}

#[test]
fn an_open_transaction_that_its_coordinator_has_closed() {
    let open = || Log::default().data(5, 3);
    let told = |state: &[u8]| brief(&against(&open(), state));
    let warned = ["warning 5 0"];
    let none = [""; 0];
    assert_eq!(told(&state(COMPLETE_COMMIT, 3, &[], (1, 0))), warned);
    // What it closed before that began says nothing of it.
    assert_eq!(told(&state(COMPLETE_COMMIT, 3, &[], (-1, -2))), none);
    assert_eq!(told(&state(ONGOING, 3, &["t"], (1, 0))), none);
    assert_eq!(told(&state(ONGOING, 3, &["u"], (1, 0))), warned);
    assert_eq!(told(&state(ONGOING, 3, &["u"], (-1, -1))), none);
    // It has gone on to another epoch, or is about to.
    assert_eq!(told(&state(ONGOING, 4, &["t"], (-1, -1))), warned);
    assert_eq!(told(&state(PREPARE_ABORT, 4, &["t"], (1, 0))), none);
    assert_eq!(told(&state(PREPARE_ABORT, 4, &["u"], (1, 0))), warned);
    // One that is behind says nothing.
    assert_eq!(told(&state(COMPLETE_COMMIT, 2, &[], (1, 0))), none);
    assert_eq!(told(&state(COMPLETE_COMMIT, 3, &[], (1, 0))[..90]), none);

    let repair = |state: &[u8]| against(&open(), state)[0]["repair"].clone();
    assert_eq!(repair(&state(COMPLETE_COMMIT, 3, &[], (1, 0))), Value::Null);
    let line = repair(&state(COMPLETE_ABORT, 3, &[], (1, 0)));
    assert!(
        line.as_str()
            .unwrap()
            .starts_with("kfsck repair abort --producer-id 5 ")
    );
    // That was the abort of a later one.
    assert_eq!(repair(&state(COMPLETE_ABORT, 3, &[], (2, 1))), Value::Null);

    let closed = state(COMPLETE_COMMIT, 3, &[], (1, 0));
    let goes_on = || open().later(86_400_000).plain();
    assert_eq!(brief(&against(&goes_on(), &closed)), ["error 5 0"]);
    // The marker may lie where the log is damaged.
    let mut damaged = goes_on();
    *damaged.bytes.last_mut().unwrap() ^= 1;
    assert_eq!(brief(&against(&damaged, &closed)), none);
}

#[test]
fn a_transaction_that_a_marker_has_ended_and_its_coordinator_has_not() {
    let ended = || Log::default().data(5, 3).commit(5, 3);
    let told = |state: &[u8]| brief(&against(&ended(), &[state, &later()].concat()));
    let none = [""; 0];
    assert_eq!(told(&state(ONGOING, 3, &["t"], (0, 0))), ["warning 5 1"]);
    // Without anything later in its partition that may be an older copy.
    assert_eq!(
        brief(&against(&ended(), &state(ONGOING, 3, &["t"], (0, 0)))),
        ["note 5 1"]
    );
    assert_eq!(told(&state(ONGOING, 2, &["t"], (9, 9))), ["warning 5 1"]);
    // The next transaction of the same epoch, without data here so far.
    assert_eq!(told(&state(ONGOING, 3, &["t"], (2, 2))), none);
    assert_eq!(told(&state(ONGOING, 3, &["t"], (1, 1))), none);
    assert_eq!(told(&state(ONGOING, 3, &["u"], (0, 0))), none);
    assert_eq!(told(&state(ONGOING, 4, &["t"], (0, 0))), none);
    let more = ended().data(5, 3);
    assert_eq!(
        brief(&against(&more, &state(ONGOING, 3, &["t"], (0, 0)))),
        none
    );

    assert_eq!(told(&state(PREPARE_COMMIT, 3, &["t"], (1, 0))), none);
    assert_eq!(told(&state(COMPLETE_COMMIT, 3, &[], (1, 0))), none);
    assert_eq!(
        told(&state(PREPARE_ABORT, 3, &["t"], (1, 0))),
        ["error 5 1"]
    );
    assert_eq!(told(&state(PREPARE_ABORT, 3, &["u"], (1, 0))), none);
    // Which of the transactions of one epoch that was cannot be told.
    assert_eq!(told(&state(COMPLETE_ABORT, 3, &[], (1, 0))), none);
    // One that hung and was aborted by hand.
    let by_hand = ended().data(5, 3).abort(5, 3);
    assert_eq!(
        brief(&against(&by_hand, &state(COMPLETE_COMMIT, 3, &[], (1, 0)))),
        none
    );
}

#[test]
fn a_transaction_that_is_committed_here_and_aborted_elsewhere() {
    const NOW: [&str; 1] = ["--now=2026-12-02"];
    let root = real(&["txn-v2-0"]);
    let data = root.path();
    let path = data.join("txn-v2-0").join(LOG);
    let mut log = fs::read(&path).unwrap();
    let bounds = bounds(&log);
    let marker = &mut log[bounds[bounds.len() - 2]..];
    // Behind the header: length, attributes, time, offset, length of the key, version, type.
    marker[61 + 5 + 3] ^= 1;
    let crc = kfsck::format::batch::computed_crc(marker);
    marker[17..21].copy_from_slice(&crc.to_be_bytes());
    fs::write(&path, &log).unwrap();
    let found = mismatches(&NOW, data);
    assert_eq!(brief(&found), ["error 1005 27"]);
    assert_eq!(found[0]["repair"], Value::Null);
}
