//! All that is asked of one partition: the pass over its log with everyone who looks, and what a
//! broker will do with it.

use super::checker::Found;
use super::pass::check_partition;
use super::terms::{Tally, Terms};
use super::watch::Watch;
use crate::analysis::next_start::NextStart;
use crate::format::number::Offset;
use crate::storage::checkpoints::Checkpoints;
use crate::storage::directory::{KafkaFile, Listing, LogDirectory, PartitionDirectory};
use crate::storage::file_name::FileKind;

/// What is known of a partition beside its findings.
#[derive(Debug)]
pub struct Gathered {
    /// How much was looked at.
    pub tally: Tally,
    /// What the next start does; `None` where nobody can say.
    pub next_start: Option<NextStart>,
}

/// Checks a partition's directory. Findings come in an order that depends on nothing but the
/// files.
pub fn partition(
    directory: &PartitionDirectory,
    checkpoints: &Checkpoints,
    terms: &Terms,
    watch: &mut dyn Watch,
    found: Found<'_>,
) -> Gathered {
    let tally = check_partition(directory, checkpoints, terms, &mut [], watch, found);
    Gathered {
        tally,
        next_start: None,
    }
}

/// Checks one segment by itself: what lies beside it is not asked.
pub fn segment(
    file: &KafkaFile,
    terms: &Terms,
    watch: &mut dyn Watch,
    found: Found<'_>,
) -> Gathered {
    let mut file = file.clone();
    file.name.kind = FileKind::Log;
    file.name.suffix = None;
    file.name.base_offset.get_or_insert(Offset(0));
    let directory = PartitionDirectory {
        path: file.path.clone(),
        name: None,
        listing: Listing {
            files: vec![file],
            ..Listing::default()
        },
    };
    let nothing = Checkpoints::default();
    let tally = check_partition(&directory, &nothing, terms, &mut [], watch, found);
    Gathered {
        tally,
        next_start: None,
    }
}

/// Checks what lies beside the partitions of a log directory.
pub fn log_directory(_: &LogDirectory, _: &Terms, _: &mut dyn Watch, _: Found<'_>) {}
