//! All that is asked of one partition: the pass over its log with everyone who looks, and what a
//! broker will do with it.

use super::checker::{Checker, Found};
use super::companions::check_companions_of;
use super::pass::check_partition;
use super::terms::{Tally, Terms};
use super::watch::Watch;
use crate::analysis::next_start::NextStart;
use crate::format::number::Offset;
use crate::storage::checkpoints::Checkpoints;
use crate::storage::directory::{KafkaFile, Listing, PartitionDirectory};
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
    let mut companions = check_companions_of(directory, checkpoints, terms.access, found);
    let looking: &mut [&mut dyn Checker] = &mut [&mut companions];
    let tally = check_partition(directory, checkpoints, terms, looking, watch, found);
    for error in companions.into_unread() {
        watch.unread(error);
    }
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
