//! Logs that are damaged in a way of their own.

use std::fs;
use std::path::{Path, PathBuf};

use kfsck::format::batch_draft::{BatchDraft, RecordDraft, encode};
use kfsck::format::number::{LeaderEpoch, Offset, Timestamp};
use kfsck::format::producer_snapshot::{self, Version};
use kfsck::repair::error::{PlanError, Refusal};
use kfsck::repair::log;
use kfsck::repair::plan::{Action, Plan};
use kfsck::repair::terms::{How, Terms};
use kfsck::storage::directory::PartitionDirectory;
use kfsck::storage::source::Access;

use super::{Copied, Verb, contents, plan, repaired, terms};

/// A partition made of segments.
pub(super) struct Made {
    place: tempfile::TempDir,
}

impl Made {
    pub(super) fn new(segments: &[(i64, Vec<u8>)]) -> Self {
        let made = Self {
            place: tempfile::tempdir().unwrap(),
        };
        fs::create_dir_all(made.path()).unwrap();
        for (base, bytes) in segments {
            fs::write(made.path().join(format!("{base:020}.log")), bytes).unwrap();
        }
        made
    }

    pub(super) fn path(&self) -> PathBuf {
        self.place.path().join("orders-0")
    }

    /// Of no producer.
    fn snapshot(&self, offset: i64) {
        let bytes = producer_snapshot::encode(Version::V1, &[]).unwrap();
        fs::write(self.path().join(format!("{offset:020}.snapshot")), bytes).unwrap();
    }

    pub(super) fn repaired(&self, verb: Verb) -> (Plan, PathBuf) {
        repaired(&self.path(), verb, &terms())
    }
}

/// Plain batches of one record each, no two alike.
pub(super) fn log_of(offsets: &[i64]) -> Vec<u8> {
    let batches: Vec<_> = offsets.iter().map(|offset| (*offset, 0)).collect();
    log_with(&batches)
}

/// The same with leader epochs.
pub(super) fn log_with(batches: &[(i64, i32)]) -> Vec<u8> {
    let mut log = Vec::new();
    for (number, (offset, epoch)) in batches.iter().enumerate() {
        let draft = BatchDraft::plain(
            Offset(*offset),
            LeaderEpoch(*epoch),
            Timestamp(1_700_000_000_000),
        );
        let value = format!("value {number}");
        let record = RecordDraft {
            offset_delta: 0,
            timestamp: Timestamp(1_700_000_000_000),
            key: None,
            value: Some(value.as_bytes()),
            headers: &[],
        };
        encode(&draft, [record], &mut log).unwrap();
    }
    log
}

fn fixture(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/fixtures");
    fs::read(folder.join(name)).unwrap()
}

/// First and last offset, records, reason.
pub(super) type Loss<'a> = (Option<i64>, Option<i64>, Option<u64>, &'a str);

pub(super) fn lost(plan: &Plan) -> Vec<Loss<'_>> {
    let number = |offset: Option<Offset>| offset.map(|offset| offset.0);
    let lost = plan.lost.iter();
    lost.map(|lost| {
        let (first, last) = (number(lost.first_offset), number(lost.last_offset));
        (first, last, lost.records, lost.reason.as_str())
    })
    .collect()
}

fn logs(directory: &Path) -> Vec<(String, usize)> {
    let files = contents(directory).into_iter();
    let logs = files.filter(|(name, _)| name.ends_with(".log"));
    logs.map(|(name, bytes)| (name, bytes.len())).collect()
}

#[test]
fn a_hole_is_left_out_and_what_is_behind_it_stays() {
    let made = Made::new(&[(0, fixture("a06_zero_header_mid.log"))]);
    let (plan, result) = made.repaired(Verb::Salvage);
    assert_eq!(lost(&plan), [(Some(2), Some(3), None, "bad-batch-header")]);
    assert_eq!(plan.kept.records, 4);
    assert!(
        plan.alternatives[0].contains("another replica"),
        "{plan:#?}"
    );
    assert!(plan.warnings[0].contains("holes"), "{plan:#?}");
    let whole = fixture("a06_zero_header_mid.log");
    let kept = [&whole[..81], &whole[162..]].concat();
    assert!(contents(&result)["00000000000000000000.log"] == kept);

    let (plan, result) = made.repaired(Verb::Truncate);
    assert_eq!(plan.kept.records, 2);
    let behind = (Some(4), Some(5), Some(2), "behind the first damage");
    assert_eq!(lost(&plan)[1], behind);
    assert!(contents(&result)["00000000000000000000.log"] == whole[..81]);
}

#[test]
fn zeros_at_the_end_are_no_loss_also_in_front_of_another_segment() {
    let mut first = log_of(&[0, 1]);
    first.resize(first.len() + 4096, 0);
    let made = Made::new(&[(0, first), (2, log_of(&[2, 3]))]);
    for verb in [Verb::Salvage, Verb::Truncate] {
        let (plan, result) = made.repaired(verb);
        assert!(plan.lost.is_empty() && plan.alternatives.is_empty());
        assert_eq!(plan.kept.records, 4);
        assert_eq!(logs(&result).len(), 2);
    }
}

/// Where the next segment begins further on, something was there.
#[test]
fn zeros_in_front_of_a_gap_are_a_loss() {
    let mut first = log_of(&[0, 1]);
    first.resize(first.len() + 4096, 0);
    let made = Made::new(&[(0, first), (4, log_of(&[4]))]);
    let (plan, _) = made.repaired(Verb::Salvage);
    assert_eq!(lost(&plan), [(Some(2), Some(3), None, "zero-tail")]);
    assert_eq!(plan.kept.records, 3);
    let (plan, _) = made.repaired(Verb::Truncate);
    assert_eq!(plan.kept.records, 2);
}

#[test]
fn a_segment_whose_offsets_no_index_holds_is_split() {
    let far = i64::from(i32::MAX) + 5;
    let made = Made::new(&[(0, log_of(&[0, far, far + 1]))]);
    let (plan, result) = made.repaired(Verb::Salvage);
    assert!(plan.lost.is_empty());
    assert!(plan.steps.iter().any(|step| step.action == Action::Split));
    assert!(
        plan.warnings.iter().any(|text| text.contains("split")),
        "{plan:#?}"
    );
    let size = log_of(&[0]).len();
    let names = [
        ("00000000000000000000.log".to_owned(), size),
        (format!("{far:020}.log"), 2 * size),
    ];
    assert_eq!(logs(&result), names);
}

#[test]
fn an_offset_that_was_changed_is_put_back_where_one_place_is_left() {
    let offsets = [0, 1, 2, 3, 4];
    let whole = log_of(&offsets);
    for (place, changed) in [
        (2, 1 << 40),
        (2, 0),
        (2, 3),
        (0, 1 << 40),
        (4, 1 << 40),
        (4, 1),
    ] {
        let mut offsets = offsets;
        offsets[place] = changed;
        let made = Made::new(&[(0, log_of(&offsets)), (5, log_of(&[5]))]);
        let (plan, result) = made.repaired(Verb::Salvage);
        assert_eq!((plan.kept.records, plan.lost.len()), (6, 0), "{plan:#?}");
        assert_eq!(contents(&result)["00000000000000000000.log"], whole);
        let (plan, _) = made.repaired(Verb::Truncate);
        assert_eq!(plan.kept.records, place as u64, "{plan:#?}");
    }
}

/// Where the last batch of a log begins, and its base offset.
fn last_of(log: &[u8]) -> (usize, i64) {
    let length = |at: usize| {
        let length: [u8; 4] = log[at + 8..at + 12].try_into().unwrap();
        12 + usize::try_from(i32::from_be_bytes(length)).unwrap()
    };
    let mut last = 0;
    while last + length(last) < log.len() {
        last += length(last);
    }
    let offset = i64::from_be_bytes(log[last..last + 8].try_into().unwrap());
    (last, offset)
}

#[test]
fn the_last_batch_goes_back_to_where_a_name_says_that_the_log_ended() {
    let whole = Copied::new("main/idem-0");
    let before = contents(&whole.path);
    let mut names = before.keys().filter(|name| name.ends_with(".log"));
    let name = names.next_back().unwrap().clone();
    let log = &before[&name];
    let (last, offset) = last_of(log);
    // The high bits of its base offset, its low bits upwards, and downwards, as 47 has that bit.
    for ((at, bit), zeros) in [((1, 2), 0), ((6, 2), 0), ((6, 2), 99), ((7, 32), 0)] {
        let copied = Copied::new("main/idem-0");
        let mut bytes = log.clone();
        bytes[last + at] ^= bit;
        bytes.resize(log.len() + zeros, 0);
        fs::write(copied.path.join(&name), bytes).unwrap();
        let (made, result) = repaired(&copied.path, Verb::Salvage, &terms());
        let detail = &made.steps[0].detail;
        assert!(detail.contains(&format!("becomes {offset}")), "{detail}");
        assert!(made.lost.is_empty(), "{:#?}", made.lost);
        let after = contents(&result);
        for name in [&name, "leader-epoch-checkpoint"] {
            assert!(after[name] == before[name], "{name}: {made:#?}");
        }
        let (made, result) = repaired(&copied.path, Verb::Truncate, &terms());
        assert_eq!(made.kept.last_offset, Some(Offset(offset - 1)));
        assert_eq!(contents(&result)[&name], log[..last]);
    }
}

#[test]
fn the_last_batch_stays_where_no_name_or_another_one_says_that_the_log_ended() {
    let log = log_of(&[0, 1, 7]);
    // Behind the first batch; above the log's end; at it.
    for snapshot in [None, Some(1), Some(4000), Some(8)] {
        let made = Made::new(&[(0, log.clone())]);
        if let Some(offset) = snapshot {
            made.snapshot(offset);
        }
        let (plan, result) = made.repaired(Verb::Salvage);
        assert_eq!(contents(&result)["00000000000000000000.log"], log);
        assert_eq!(plan.kept.last_offset, Some(Offset(7)), "{plan:#?}");
    }
    // An empty segment bears witness too, and damage in front of the batch silences it.
    let made = Made::new(&[(0, log.clone()), (3, Vec::new())]);
    let (_, result) = made.repaired(Verb::Salvage);
    assert_eq!(
        contents(&result)["00000000000000000000.log"],
        log_of(&[0, 1, 2])
    );
    let mut damaged = log_of(&[0, 1, 2, 7]);
    let size = damaged.len() / 4;
    damaged[2 * size + 70] ^= 1;
    let made = Made::new(&[(0, damaged)]);
    made.snapshot(3);
    let (plan, _) = made.repaired(Verb::Salvage);
    assert_eq!(plan.kept.last_offset, Some(Offset(7)), "{plan:#?}");
}

#[test]
fn an_offset_that_was_changed_costs_its_own_batch_where_several_places_are_left() {
    // Compaction has left gaps.
    for changed in [1 << 40, 0] {
        let made = Made::new(&[(0, log_of(&[0, 1, changed, 4, 5])), (6, log_of(&[6]))]);
        let (plan, _) = made.repaired(Verb::Salvage);
        assert_eq!((plan.kept.records, plan.lost.len()), (5, 1), "{plan:#?}");
    }
    // A batch that was written twice is no other one.
    let log = log_of(&[0, 1, 2]);
    let size = log.len() / 3;
    let twice = [&log[..2 * size], &log[..size], &log_of(&[3])].concat();
    let made = Made::new(&[(0, twice)]);
    let (plan, _) = made.repaired(Verb::Salvage);
    assert_eq!((plan.kept.records, plan.lost.len()), (3, 1), "{plan:#?}");
}

#[test]
fn a_leader_epoch_that_stands_out_is_put_right_or_cut() {
    let epochs = |epoch| log_with(&[(0, 3), (1, 3), (2, epoch), (3, 4), (4, 4)]);
    for (epoch, right) in [(3 + 65536, 3), (1, 3), (-7, 3)] {
        let made = Made::new(&[(0, epochs(epoch))]);
        let (plan, result) = made.repaired(Verb::Salvage);
        assert_eq!((plan.kept.records, plan.lost.len()), (5, 0), "{plan:#?}");
        let step = plan.steps.iter().find(|step| step.action == Action::Change);
        let step = step.unwrap();
        assert_eq!(
            (step.offset, step.position.is_some()),
            (Some(Offset(2)), true)
        );
        assert!(
            step.detail.contains(&format!("leader epoch {epoch}")),
            "{step:?}"
        );
        assert_eq!(contents(&result)["00000000000000000000.log"], epochs(right));

        let (plan, _) = made.repaired(Verb::Truncate);
        assert_eq!(plan.kept.records, 2, "{plan:#?}");
        assert_eq!(
            lost(&plan)[0],
            (Some(2), Some(2), Some(1), "leader-epoch-regression")
        );
    }
    // The neighbour may lie in another segment, and the checkpoint chooses.
    let first = log_with(&[(0, 3), (1, 3), (2, 900)]);
    let second = log_with(&[(3, 4), (4, 4)]);
    let made = Made::new(&[(0, first), (3, second)]);
    let checkpoint = b"0\n2\n3 0\n4 2\n";
    fs::write(made.path().join("leader-epoch-checkpoint"), checkpoint).unwrap();
    let (_, result) = made.repaired(Verb::Salvage);
    let after = contents(&result);
    let right = log_with(&[(0, 3), (1, 3), (2, 4)]);
    assert_eq!(after["00000000000000000000.log"], right);
    assert_eq!(after["leader-epoch-checkpoint"], checkpoint);
    // What fits stays, and so does the last one.
    for epoch in [3, 4] {
        let made = Made::new(&[(0, epochs(epoch))]);
        let (plan, _) = made.repaired(Verb::Salvage);
        assert!(
            plan.steps.iter().all(|step| step.action == Action::Write),
            "{plan:#?}"
        );
    }
    let made = Made::new(&[(0, log_with(&[(0, 3), (1, 3), (2, 900)]))]);
    let (plan, _) = made.repaired(Verb::Truncate);
    assert_eq!(plan.kept.records, 3, "{plan:#?}");
}

#[test]
fn what_another_segment_holds_too_stays_there() {
    let made = Made::new(&[(0, log_of(&[0, 1, 2])), (2, log_of(&[2, 3]))]);
    let (plan, _) = made.repaired(Verb::Salvage);
    assert_eq!(plan.kept.records, 4);
    // No offset is missing.
    assert_eq!(lost(&plan), [(None, None, None, "offset-regression")]);
}

#[test]
fn a_batch_that_ends_a_broker_goes() {
    let made = Made::new(&[(0, fixture("a05b_nontxn_in_open_txn.log"))]);
    let (plan, _) = made.repaired(Verb::Salvage);
    let [(_, _, _, "stops a broker")] = lost(&plan)[..] else {
        panic!("{plan:#?}");
    };
    assert!(plan.steps[0].detail.contains("InvalidTxnStateException"));
    assert!(plan.warnings.iter().any(|text| text.contains("is open")));
}

#[test]
fn a_log_that_would_end_below_its_start_begins_anew_there() {
    let made = Made::new(&[(0, log_of(&[0, 1, 2, 3]))]);
    let path = made.path();
    let name = "00000000000000000000.log";
    let mut bytes = fs::read(path.join(name)).unwrap();
    bytes[100] ^= 1;
    fs::write(path.join(name), bytes).unwrap();
    let start = Terms::new(Access::Map, Offset(3));
    let (plan, result) = repaired(&path, Verb::Truncate, &start);
    assert_eq!(logs(&result), [("00000000000000000003.log".to_owned(), 0)]);
    assert_eq!(plan.kept.records, 0);
    assert!(
        plan.warnings
            .iter()
            .any(|text| text.contains("begins and ends at 3"))
    );
    // The damage lies where nobody can read: without it all is well.
    let (plan, result) = repaired(&path, Verb::Salvage, &start);
    assert_eq!(plan.kept.records, 1);
    assert_eq!(lost(&plan), []);
    assert_eq!(logs(&result).len(), 1);
}

#[test]
fn snapshots_behind_the_damage_are_written_anew_and_older_ones_stay() {
    let copied = Copied::new("main/txn-both-0");
    let before = contents(&copied.path);
    let logs = copied.logs();
    let log = logs[2].file_name().unwrap().to_str().unwrap().to_owned();
    copied.change(&log, |bytes| {
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
    });
    let (_, result) = repaired(&copied.path, Verb::Salvage, &terms());
    let after = contents(&result);
    let snapshot = |log: &str| log.replace(".log", ".snapshot");
    let third = snapshot(&log);
    assert_eq!(after[&third], before[&third], "in front of the damage");
    assert_eq!(
        after["leader-epoch-checkpoint"],
        before["leader-epoch-checkpoint"]
    );
    assert_eq!(after["partition.metadata"], before["partition.metadata"]);
}

#[test]
fn leader_epochs_come_back_from_the_batches() {
    let name = "leader-epoch-checkpoint";
    let copied = Copied::new("main/epochs_of-leaders-0");
    let before = contents(&copied.path);
    for change in [
        b"".as_slice(),
        b"0\n1\n7 0\n",
        b"0\n1\n0 0\n",
        b"0\n1\n-3 0\n",
    ] {
        copied.change(name, |bytes| *bytes = change.to_vec());
        let (plan, result) = repaired(&copied.path, Verb::Truncate, &terms());
        assert_eq!(plan.steps.len(), 1, "{plan:#?}");
        assert_eq!(contents(&result)[name], before[name]);
        fs::remove_dir_all(result.parent().unwrap()).unwrap();
    }
}

#[test]
fn some_partitions_are_refused() {
    let refusal = |directory: &Path| {
        let listed = PartitionDirectory::list(directory);
        match log::plan(&listed, How::Salvage, &terms()) {
            Err(PlanError::Refused { refusal, .. }) => refusal,
            other => panic!("{other:?}"),
        }
    };
    let metadata = Copied::new("main/__cluster_metadata-0");
    assert_eq!(refusal(&metadata.path), Refusal::ClusterMetadata);
    let swapped = Copied::new("main/idem-0");
    fs::write(swapped.path.join("00000000000000000000.log.swap"), b"").unwrap();
    assert!(matches!(refusal(&swapped.path), Refusal::UnfinishedSwap(_)));
    let deleted = Copied::new("main/gone.topic-0.c7e07dc5b22e46719f191e5b78e48730-delete");
    assert_eq!(refusal(&deleted.path), Refusal::NotItsOwn("-delete"));
    let twice = Made::new(&[(0, log_of(&[0]))]);
    fs::write(twice.path().join("0.log"), log_of(&[0])).unwrap();
    assert_eq!(refusal(&twice.path()), Refusal::SameBase(Offset(0)));
    assert!(plan(&metadata.path, Verb::Index).lost.is_empty());
}
