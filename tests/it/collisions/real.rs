//! Logs that real brokers wrote have no collision; those that were made up show what they should.

use crate::corpus;
use kfsck::analysis::strands::{Grade, Options, Report, Sign, Strands};
use kfsck::format::number::Offset;
use kfsck::state::read::{Item, read_source, segments};
use kfsck::storage::directory::PartitionDirectory;
use kfsck::storage::source::{Access, Source};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;

/// Batches that were put side by side and follow from nothing.
const MADE_UP: &str = "edge-batches-0";

fn take(strands: &mut Strands, path: &Path, base_offset: Offset) -> u64 {
    let mut batches = 0;
    let source = Source::open(path, Access::Plain).unwrap();
    let visit = &mut |item: Item<'_>| {
        if let Item::Batch(batch, control) = item {
            strands.batch(batch, control);
            batches += 1;
        }
        ControlFlow::Continue(())
    };
    read_source(&source, base_offset, false, &mut |_| true, visit).unwrap();
    batches
}

#[test]
fn partitions_of_real_brokers_have_none() {
    let root = corpus::directory();
    let directories: BTreeSet<_> = corpus::files(&root)
        .into_iter()
        .filter(|path| path.extension().is_some_and(|ending| ending == "log"))
        .map(|path| path.parent().unwrap().to_owned())
        .filter(|path| !path.starts_with(root.join("golden")))
        .collect();
    let (mut batches, mut wrong) = (0, Vec::new());
    for path in &directories {
        let directory = PartitionDirectory::list(path);
        let mut strands = Strands::new(Options::default()).of(directory.name.as_ref());
        for segment in segments(&directory) {
            batches += take(&mut strands, &segment.path, segment.base_offset);
        }
        let findings = strands.into_report().findings;
        if path.ends_with(MADE_UP) {
            let worst = findings.iter().map(|finding| finding.grade).max();
            assert!(
                worst >= Some(Grade::Likely),
                "{worst:?} in {}",
                path.display()
            );
            continue;
        }
        wrong.extend(
            findings
                .iter()
                .map(|one| format!("{}: {one:#?}", path.display())),
        );
    }
    assert!(
        batches > 500,
        "{batches} batches in {} partitions",
        directories.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn logs_made_up_for_one_fault_each() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/fixtures");
    for path in corpus::files(&root) {
        if path.extension().is_none_or(|ending| ending != "log") {
            continue;
        }
        let mut strands = Strands::new(Options::default());
        take(&mut strands, &path, Offset(0));
        let Report { findings, .. } = strands.into_report();
        let found: Vec<_> = findings
            .iter()
            .map(|one| (one.grade, one.evidence[0].sign))
            .collect();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let expected = match name {
            "a04_coord_epoch_regress" => vec![(Grade::Possible, Sign::CoordinatorEpochBack)],
            "a05_marker_old_epoch" => vec![(Grade::Possible, Sign::AbortEpochBack)],
            "a05b_nontxn_in_open_txn" => vec![(Grade::Possible, Sign::PlainInTransaction)],
            // The survivor of a collision goes on where it was: the other's write is lost.
            _ => vec![],
        };
        assert_eq!(found, expected, "{name}");
    }
}
