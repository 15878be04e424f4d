//! What real Kafka wrote is healthy, and files from the field show what they were made for.

use super::{DEPTHS, brief, check, check_log, terms};
use kfsck::analysis::check::code::FindingCode;
use kfsck::analysis::check::terms::Depth;
use kfsck::analysis::event_verdict::Severity;
use kfsck::format::number::Timestamp;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Batches of Kafka's classes that were put side by side and follow from nothing.
const MADE_UP: &str = "control";

fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata")
}

/// The directories below this one that hold segments.
fn partitions(root: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.append(&mut partitions(&path));
        } else if path.extension().is_some_and(|ending| ending == "log") {
            found.insert(root.to_owned());
        }
    }
    found
}

#[test]
fn partitions_of_real_brokers_are_healthy_at_every_depth() {
    let root = testdata().join("kafka");
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let now = i64::try_from(now.unwrap().as_millis()).unwrap();
    let (mut checked, mut wrong) = (0, Vec::new());
    for path in partitions(&root) {
        let name = path.strip_prefix(&root).unwrap();
        if name.starts_with(MADE_UP) || name.starts_with("golden") {
            continue;
        }
        for depth in DEPTHS {
            let mut terms = terms(depth);
            terms.now = Timestamp(now);
            // The corpus is old by now, and its open transactions with it.
            terms.max_transaction_timeout_ms = i64::MAX;
            let (tally, findings) = check(&path, &terms);
            checked += tally.batches;
            for (brief, finding) in brief(&findings).iter().zip(&findings) {
                // What brokers leave while they run, or a killed one had made ahead of its use.
                let is_legal = finding.code == FindingCode::SnapshotStray
                    || finding.code == FindingCode::ZeroTail && name.starts_with("crash/unclean");
                if is_legal && finding.severity < Severity::Error {
                    continue;
                }
                let (name, message) = (name.display(), &finding.message);
                wrong.push(format!("{name} {depth:?}: {brief}: {message}"));
            }
        }
    }
    assert!(checked > 4_000, "{checked}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn logs_that_real_classes_were_told_to_write_are_what_they_are() {
    for path in partitions(&testdata().join("state").join("written")) {
        let mut terms = terms(Depth::Rewrite);
        terms.max_transaction_timeout_ms = i64::MAX;
        let (_, findings) = check(&path, &terms);
        // That case says that its batches have no time, and gives their records one.
        let is_meant = path.parent().unwrap().ends_with("no-times");
        let told: Vec<_> = findings
            .iter()
            .filter(|one| !is_meant || one.code != FindingCode::MaxTimestampMismatch)
            .map(|one| (one.code, &one.message))
            .collect();
        assert!(told.is_empty(), "{}: {told:?}", path.display());
        assert_eq!(findings.is_empty(), !is_meant, "{}", path.display());
    }
}

#[test]
fn files_from_the_field() {
    let folder = testdata().join("fixtures");
    let mut told = Vec::new();
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "log") {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let findings = check_log(&fs::read(&path).unwrap());
            told.push(format!("{name}: {}", brief(&findings).join(", ")));
        }
    }
    told.sort();
    assert_eq!(
        told,
        [
            "a01_pid_collision_survivor: ",
            "a03_hanging_txn: W hanging-transaction 2",
            "a04_coord_epoch_regress: W coordinator-epoch-regression 3, N pid-collision 3",
            "a05_marker_old_epoch: W marker-old-epoch 1, N pid-collision 1",
            "a05b_nontxn_in_open_txn: E non-transactional-in-transaction 1, \
             W hanging-transaction 0, N pid-collision 1",
            "a06_zero_header_mid: E bad-batch-header -",
            "a06c_zero_tail_4k: E zero-tail -",
            "a08_tail_compacted: ",
            "a08b_empty_batch: ",
            "a08c_empty_control: ",
            "a10_count_i32max: E record-count-mismatch 0",
            "a10_count_neg: E record-count-mismatch 0",
            "a10_headers_huge: E record-malformed 0",
            "b_crc_zero: E offset-regression 0",
            "b_delete_horizon: ",
            "b_unknown_control: ",
        ]
    );
}
