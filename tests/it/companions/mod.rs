//! What lies beside logs, held against them: nothing is wrong with what real Kafka left, and what
//! is changed in it is told.

mod checkpoints;
mod directories;
mod every_bit;
mod indexes;
mod names;
mod scene;
mod transactions;

use std::path::{Path, PathBuf};

use kfsck::analysis::check::checker::{CheckedBatch, Checker};
use kfsck::analysis::check::companions::check_companions_of;
use kfsck::analysis::check::finding::Finding;
use kfsck::analysis::check::log_directory::check_log_directories;
use kfsck::analysis::log_findings::Severity;
use kfsck::format::number::Offset;
use kfsck::format::txn_index::AbortedTxn;
use kfsck::state::read::{Item, ReadOptions, read_segment, segments};
use kfsck::state::replay::{Replay, Visitor};
use kfsck::state::rules::Stock;
use kfsck::storage::checkpoints::Checkpoints;
use kfsck::storage::directory::{Operand, PartitionDirectory, expand};
use kfsck::storage::source::Access;
use std::ops::ControlFlow;

use crate::corpus::{self, Scratch};

/// Tells a checker of the aborted transactions.
#[derive(Default)]
struct Aborted(Vec<AbortedTxn>);

impl Visitor for Aborted {
    fn aborted(&mut self, _: Offset, txn: &AbortedTxn) {
        self.0.push(*txn);
    }
}

fn check_partition(
    directory: &PartitionDirectory,
    checkpoints: &Checkpoints,
    access: Access,
    findings: &mut Vec<Finding>,
) {
    let found: &mut dyn FnMut(Finding) = &mut |finding| findings.push(finding);
    let mut checker = check_companions_of(directory, checkpoints, access, found);
    let segments = segments(directory);
    let first = segments
        .first()
        .map_or(Offset(0), |first| first.base_offset);
    let mut state = Replay::<1>::new("", &Stock, first);
    let options = ReadOptions {
        access,
        check_crc: true,
    };
    for segment in &segments {
        checker.begin_segment(segment, found);
        state.begin_segment(segment.base_offset);
        let mut aborted = Aborted::default();
        read_segment(segment, options, &mut |_| true, &mut |item| {
            match item {
                Item::Damage(damage) => checker.damage(damage, found),
                Item::Batch(batch, control) => {
                    let checked = CheckedBatch {
                        batch,
                        control,
                        is_valid: true,
                        greatest_timestamp: None,
                    };
                    checker.batch(&checked, found);
                    let _: ControlFlow<()> = state.batch(batch, control, &mut aborted);
                    for txn in aborted.0.drain(..) {
                        checker.aborted(&txn, found);
                    }
                }
            }
            ControlFlow::Continue(())
        })
        .unwrap();
        state.end_segment(&mut aborted);
        for txn in aborted.0.drain(..) {
            checker.aborted(&txn, found);
        }
        checker.end_segment(found);
    }
    checker.end(&state, found);
    let unread = checker.into_unread();
    assert!(unread.is_empty(), "{unread:?}");
}

/// Checks what lies behind a path.
pub(crate) fn check(path: &Path, access: Access) -> Vec<Finding> {
    let mut findings = Vec::new();
    let operand = expand(path).unwrap();
    let beside = match &operand {
        Operand::Log(directory) => directory.path.clone(),
        _ => path.parent().unwrap().to_owned(),
    };
    let checkpoints = Checkpoints::read(&beside, access);
    if let Operand::Log(directory) = &operand {
        let both = [(directory, &checkpoints)];
        let unread = check_log_directories(&both, access, &mut |finding| findings.push(finding));
        assert!(unread.is_empty(), "{unread:?}");
    }
    for partition in operand.partitions() {
        check_partition(partition, &checkpoints, access, &mut findings);
    }
    findings
}

/// The directories of a corpus that hold partitions.
fn log_directories(root: &Path) -> Vec<PathBuf> {
    let files = corpus::files(root).into_iter();
    let logs = files.filter(|path| path.extension().is_some_and(|kind| kind == "log"));
    let mut found: Vec<_> = logs
        .map(|path| path.parent().unwrap().parent().unwrap().to_owned())
        .collect();
    found.dedup();
    assert!(found.len() >= 5);
    found
}

#[test]
fn nothing_is_wrong_with_what_real_kafka_left() {
    let scratch = Scratch::new();
    let before = scratch.fingerprint();
    let mut notes = 0;
    let mut wrong = Vec::new();
    for directory in log_directories(&scratch.path) {
        let is_killed = directory.ends_with("crash/unclean");
        for access in [Access::Map, Access::Plain] {
            for finding in check(&directory, access) {
                // The kill came in the middle of things.
                let worst = match is_killed {
                    true => Severity::Warning,
                    false => Severity::Note,
                };
                match finding.severity {
                    Severity::Note => notes += 1,
                    severity if severity <= worst => {}
                    _ => wrong.push(finding),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(notes > 0, "deleted files lie about");
    assert_eq!(before, scratch.fingerprint());
}
