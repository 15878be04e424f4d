//! `kfsck compare` as scripts and people use it: its JSON, its text, its inputs and exit codes.

use std::fs;
use std::path::{Path, PathBuf};

use super::document::{Document, Range, Shown};
use super::partition;
use crate::batches::plain;
use crate::contract::make_fifo;
use crate::program::{Outcome, Run, copy_tree, state, testdata};

fn run(options: &[&str], source: &Path, dest: &Path) -> Outcome {
    let run = options.iter().fold(Run::new(["compare"]), Run::arg);
    run.arg(source).arg(dest).outcome()
}

fn json(options: &[&str], source: &Path, dest: &Path) -> (Document, Outcome) {
    let outcome = run(&[&["--format", "json"], options].concat(), source, dest);
    let text = outcome.text();
    assert_eq!(text.lines().count(), 1, "{text}");
    let document = serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    (document, outcome)
}

/// The log directories of a scenario under a design.
fn simulated(scenario: &str, strategy: &str) -> (tempfile::TempDir, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let run = Run::new(["simulate-chain", "-q", "--builtin", scenario]);
    let run = run.arg("--strategy").arg(strategy).arg("--write-logs");
    run.arg(place.path()).outcome().ended_with(0);
    let logs = place.path().join(scenario).join(strategy);
    (place, logs)
}

/// A copy of a partition in which one batch is damaged.
fn damaged(from: &Path, name: &str) -> (tempfile::TempDir, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let copy = place.path().join(from.file_name().unwrap());
    copy_tree(from, &copy);
    let path = copy.join(name);
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(path, bytes).unwrap();
    (place, copy)
}

const BOTH: &str = "main/txn-both-0";
const FIRST: &str = "00000000000000000000.log";

#[test]
fn the_same_logs_end_with_0() {
    let (document, outcome) = json(&[], &testdata(BOTH), &testdata(BOTH));
    assert_eq!(outcome.ended_with(0).stderr, "");
    assert_eq!(
        (document.schema, document.verdict.as_str()),
        (1, "identical")
    );
    assert_eq!(document.relation, "replicas");
    assert!(document.differences.is_empty() && document.counts.is_empty());
    let whole = Range {
        first_offset: 0,
        last_offset: 151,
    };
    assert_eq!(document.equal, [whole]);
    assert!(document.producer_ids.iter().all(|id| id.relation == "same"));
    assert_eq!((document.keep, document.restored.is_none()), (None, true));
    let cut = document.divergence.unwrap();
    assert_eq!((cut.end_offset, cut.is_parting), (152, false));
    assert!(!cut.rewrites_epochs && cut.leader_epoch > 0);
    assert_eq!((cut.source_records, cut.dest_records), (0, 0));
    for log in [&document.source, &document.dest] {
        assert_eq!((log.records, log.damages, log.bytes_damaged), (133, 0, 0));
        assert_eq!((log.log_start_offset, log.log_end_offset), (0, 152));
        assert_eq!(log.topic_partition, "txn-both-0");
        assert!(log.bytes > 0 && log.batches > 0 && log.cluster_id.is_some());
        assert!(log.path.ends_with(BOTH) && log.records_restorable == 0);
    }
    let left_out = (document.equal_left_out, document.differences_left_out);
    assert_eq!((left_out, document.barriers_left_out), ((0, 0), 0));
}

#[test]
fn damage_ends_with_1_and_is_restored_elsewhere() {
    let (_one, source) = damaged(&testdata(BOTH), FIRST);
    let (_other, dest) = damaged(&testdata(BOTH), "00000000000000000094.log");
    let before = [state(&source), state(&dest)];
    let place = tempfile::tempdir().unwrap();
    let target = place.path().join("new/union");
    let options = ["--restore-to", target.to_str().unwrap()];
    let (document, outcome) = json(&options, &source, &dest);
    outcome.ended_with(1);
    assert_eq!(before, [state(&source), state(&dest)]);
    let kinds: Vec<_> = document
        .differences
        .iter()
        .map(|one| one.kind.as_str())
        .collect();
    assert_eq!(kinds, ["damaged-in-source", "damaged-in-dest"]);
    assert!(
        document
            .differences
            .iter()
            .all(|one| one.severity == "error")
    );
    assert!(
        document
            .counts
            .iter()
            .all(|count| count.stretches == 1 && count.batches == 1)
    );
    assert_eq!(document.counts[0].kind, "damaged-in-source");
    assert!(document.counts[0].severity == "error" && document.counts[0].records > 0);
    let first = &document.differences[0];
    let (Some(Shown::Damage { code, .. }), Some(Shown::Batch { base_offset, .. })) =
        (&first.source, &first.dest)
    else {
        panic!("{first:?}");
    };
    assert_eq!(
        (code.as_str(), *base_offset),
        ("crc-mismatch", first.offset)
    );
    assert!(first.last_offset >= Some(first.offset) && first.records > 0);
    assert_eq!(first.batches, 1);
    let restored = document.restored.unwrap();
    assert_eq!(
        (restored.records, restored.log_end_offset),
        (133, Some(152))
    );
    assert_eq!(
        (restored.cut_at, restored.log_start_offset),
        (None, Some(0))
    );
    assert!(restored.records_from_source > 0 && restored.records_from_dest > 0);
    assert!(restored.lost.is_empty() && restored.may_revive.is_empty());
    assert!(restored.leader_epochs_from.is_empty() && restored.refusal.is_none());
    let path = restored.path.unwrap();
    assert_eq!(Path::new(&path), target.join("txn-both-0"));
    assert!(restored.batches > 50);
    for name in ["leader-epoch-checkpoint", "partition.metadata", FIRST] {
        let original = fs::read(testdata(BOTH).join(name)).unwrap();
        assert!(
            fs::read(Path::new(&path).join(name)).unwrap() == original,
            "{name}"
        );
    }
    run(&[], &testdata(BOTH), Path::new(&path)).ended_with(0);
    // What is there is never written over.
    let again = run(&options, &source, &dest).ended_with(3);
    assert!(again.stderr.contains("holds"), "{}", again.stderr);
}

#[test]
fn text_says_first_what_it_comes_to() {
    let (_one, source) = damaged(&testdata(BOTH), FIRST);
    for (source, dest, code, word) in [
        (testdata(BOTH), testdata(BOTH), 0, "IDENTICAL: 133 records"),
        (source, testdata(BOTH), 1, "DAMAGED: source in 1 place"),
    ] {
        let outcome = run(&[], &source, &dest).ended_with(code);
        assert!(outcome.text().starts_with(word), "{}", outcome.text());
        assert!(
            !outcome.text().contains("--restore-to DIR"),
            "{}",
            outcome.text()
        );
    }
}

#[test]
fn a_mirror_that_was_stopped() {
    let (_place, logs) = simulated("active-passive", "barrier");
    let (source, dest) = (logs.join("A/orders-0"), logs.join("B/0/orders-0"));
    let (document, outcome) = json(&[], &source, &dest);
    outcome.ended_with(1);
    assert_eq!(
        (document.relation.as_str(), document.verdict.as_str()),
        ("mirror", "ahead")
    );
    assert_eq!(document.keep.as_deref(), Some("dest"));
    let [barrier] = &document.barriers[..] else {
        panic!("{:?}", document.barriers);
    };
    assert_eq!(
        (barrier.control_type.as_str(), barrier.r#in.as_str()),
        ("MIRROR_PID_RESET", "dest")
    );
    assert_eq!((barrier.offset, barrier.producer_id), (5, -1));
    assert!(barrier.producer_id_hex.is_none() && barrier.source_cluster_id.is_none());
    assert!(barrier.partition_leader_epoch > 0);
    let control = &document.differences[0];
    let Some(Shown::Batch { control_type, .. }) = &control.dest else {
        panic!("{control:?}");
    };
    assert_eq!(control_type.as_deref(), Some("MIRROR_PID_RESET"));
}

#[test]
fn ids_beyond_2_to_the_53_come_with_their_digits() {
    let (_place, logs) = simulated("active-passive", "bit-field");
    let (source, dest) = (logs.join("A/orders-0"), logs.join("B/0/orders-0"));
    let (document, _) = json(&[], &source, &dest);
    let mapped = document
        .producer_ids
        .iter()
        .find(|id| id.relation == "mapped")
        .unwrap();
    assert_eq!(mapped.mapping.as_deref(), Some("bit-field"));
    assert_eq!((mapped.producer_id, mapped.region), (Some(5), Some(42)));
    assert_eq!(mapped.dest_producer_id, Some(-9_223_371_946_660_462_587));
    assert_eq!(
        mapped.dest_producer_id_hex.as_deref(),
        Some("0x8000001500000005")
    );
    assert!(mapped.producer_id_hex.is_none() && mapped.collision.is_none());
    assert!(mapped.batches > 0 && mapped.first_offset <= mapped.last_offset);
    let strings = run(
        &["--format", "json", "--wide-integers", "string"],
        &source,
        &dest,
    );
    assert!(
        strings
            .text()
            .contains("\"destProducerId\":\"-9223371946660462587\"")
    );
}

#[test]
fn a_follower_that_is_behind_is_a_note() {
    let all: Vec<u8> = (0..4).flat_map(|at| plain(at, b"v")).collect();
    let (_one, source) = partition(&[(0, all.clone())]);
    let (_other, dest) = partition(&[(0, all[..all.len() / 2].to_vec())]);
    let (document, outcome) = json(&[], &source, &dest);
    assert_eq!(outcome.ended_with(0).stderr, "");
    assert_eq!(
        (document.verdict.as_str(), document.keep.as_deref()),
        ("behind", Some("source"))
    );
    run(&[], &dest, &source).ended_with(1);
    run(&["--exit-zero"], &dest, &source).ended_with(0);
}

#[test]
fn a_conflict_writes_nothing_and_ends_with_3() {
    let (_one, source) = partition(&[(0, [plain(0, b"a"), plain(1, b"b")].concat())]);
    let (_other, dest) = partition(&[(0, [plain(0, b"a"), plain(1, b"c")].concat())]);
    let place = tempfile::tempdir().unwrap();
    let target = place.path().join("union");
    let options = ["--restore-to", target.to_str().unwrap()];
    let (document, outcome) = json(&options, &source, &dest);
    outcome.ended_with(3);
    let refusal = document.restored.unwrap().refusal.unwrap();
    assert_eq!(
        (refusal.kind.as_str(), refusal.offset),
        ("conflict", Some(1))
    );
    assert!(refusal.source.is_some() && refusal.dest.is_some());
    assert!(!target.exists());
    let text = run(&options, &source, &dest);
    assert!(
        text.text().contains("NOT RESTORED: at offset 1"),
        "{}",
        text.text()
    );
}

#[test]
fn a_union_never_goes_into_an_input() {
    let (_one, source) = damaged(&testdata(BOTH), FIRST);
    let before = state(&source);
    for inside in ["", "deeper/still"] {
        let target = source.join(inside);
        let options = ["--restore-to", target.to_str().unwrap()];
        let outcome = run(&options, &source, &testdata(BOTH)).ended_with(3);
        assert!(outcome.stderr.contains("lies inside"), "{}", outcome.stderr);
        assert_eq!(outcome.text(), "");
    }
    assert_eq!(before, state(&source));
}

#[test]
fn a_union_never_goes_where_a_broker_would_find_it() {
    let (_one, source) = damaged(&testdata(BOTH), FIRST);
    let logs = source.parent().unwrap();
    fs::write(logs.join("meta.properties"), "version=1\n").unwrap();
    let before = fs::read_dir(logs).unwrap().count();
    let target = logs.join("new");
    let options = ["--restore-to", target.to_str().unwrap()];
    let outcome = run(&options, &source, &testdata(BOTH)).ended_with(3);
    let told = "lies in a log directory";
    assert!(outcome.stderr.contains(told), "{}", outcome.stderr);
    assert_eq!(fs::read_dir(logs).unwrap().count(), before);
}

#[test]
fn logs_that_have_no_union() {
    let place = tempfile::tempdir().unwrap();
    let target = place.path().join("union");
    let options = ["--restore-to", target.to_str().unwrap()];
    let metadata = testdata("main/__cluster_metadata-0");
    let (_one, source) = damaged(&testdata(BOTH), FIRST);
    let other_id = "version: 0\ntopic_id: cwxwTFQGTUyYNhf-zwBc8g";
    fs::write(source.join("partition.metadata"), other_id).unwrap();
    let both = testdata(BOTH);
    for (source, dest, kind, told) in [
        (&metadata, &metadata, "cluster-metadata", "the quorum"),
        (&source, &both, "topic-ids", "cwxwTFQGTUyYNhf-zwBc8g"),
    ] {
        let (document, _) = json(&options, source, dest);
        assert_eq!(document.restored.unwrap().refusal.unwrap().kind, kind);
        let outcome = run(&options, source, dest).ended_with(3);
        assert!(outcome.text().contains(told), "{}", outcome.text());
        assert!(!target.exists());
    }
    // The metadata beside one of them know its topic.
    let outcome = run(&options, &source, &both).ended_with(3);
    let words: Vec<_> = outcome.text().split_whitespace().collect();
    let topic = both.file_name().unwrap().to_str().unwrap();
    let (topic, _) = topic.rsplit_once('-').unwrap();
    let told = format!("({topic} by the metadata beside it) in dest");
    assert!(words.join(" ").contains(&told), "{}", outcome.text());
}

#[test]
fn inputs_that_cannot_be_compared() {
    let sound = testdata(BOTH);
    let absent = Path::new("absent/orders-0");
    for (source, dest) in [(absent, sound.as_path()), (&sound, absent)] {
        let outcome = run(&[], source, dest).ended_with(3);
        assert_eq!(outcome.text(), "");
        assert!(outcome.stderr.contains("absent"), "{}", outcome.stderr);
    }
    let outcome = run(&[], &testdata("main"), &sound).ended_with(3);
    assert!(
        outcome.stderr.contains("name one of them"),
        "{}",
        outcome.stderr
    );
    let index = sound.join("00000000000000000000.index");
    let outcome = run(&[], &index, &sound).ended_with(3);
    assert!(
        outcome.stderr.contains("a file of kind index"),
        "{}",
        outcome.stderr
    );
    for few in [&[][..], &["-"], &["-", "-"], &["a", "b", "c"]] {
        let run = few.iter().fold(Run::new(["compare"]), Run::arg);
        assert_eq!(run.outcome().ended_with(2).text(), "");
    }
}

#[test]
fn segments_fifos_and_plain_reads_give_the_same() {
    let sound = testdata(BOTH).join(FIRST);
    let (_place, copy) = damaged(&testdata(BOTH), FIRST);
    let other = copy.join(FIRST);
    let mapped = run(&[], &sound, &other).ended_with(1);
    let plain = run(&["--no-mmap"], &sound, &other).ended_with(1);
    assert_eq!(mapped.text(), plain.text());
    assert!(
        mapped.text().starts_with("DAMAGED: dest in 1 place"),
        "{}",
        mapped.text()
    );
    let place = tempfile::tempdir().unwrap();
    let fifo = make_fifo(place.path(), FIRST);
    let bytes = fs::read(&sound).unwrap();
    let writer = {
        let fifo = fifo.clone();
        std::thread::spawn(move || fs::write(fifo, bytes).unwrap())
    };
    let outcome = run(&[], &fifo, &other).ended_with(1);
    writer.join().unwrap();
    assert_eq!(outcome.text().lines().next(), mapped.text().lines().next());
}
