//! All that is asked of one partition: the pass over its log with everyone who looks, and what a
//! broker will do with it.

use super::checker::{Checker, Found};
use super::code::FindingCode;
use super::companions::check_companions_of;
use super::coordinator_mismatch::CoordinatorMismatch;
use super::finding::{Evidence, Finding};
use super::hanging::Others;
use super::known_cluster::KnownCluster;
use super::not_issued::NotIssued;
use super::pass::check_opened;
use super::terms::{Tally, Terms};
use super::watch::Watch;
use crate::analysis::log_findings::Severity;
use crate::analysis::next_start::aborts::Aborts;
use crate::analysis::next_start::{self, Action, Forgotten, NextStart, StartOptions, stray};
use crate::analysis::partition_copies::PartitionCopies;
use crate::analysis::partition_log::first_offset;
use crate::analysis::snapshot_queue::snapshots_of;
use crate::format::number::Offset;
use crate::storage::checkpoints::Checkpoints;
use crate::storage::directory::{KafkaFile, Listing, PartitionDirectory};
use crate::storage::file_name::FileKind;
use crate::storage::partition_name::DirectoryState;
use crate::storage::source::{ReadError, Source};

/// What is known of a partition beside its findings.
#[derive(Debug)]
pub struct Gathered {
    /// How much was looked at.
    pub tally: Tally,
    /// What the next start does; `None` where nobody can say.
    pub next_start: Option<NextStart>,
}

/// What is known of the log directory that a partition lies in.
#[derive(Debug, Clone, Copy)]
pub struct Around<'a> {
    /// Its checkpoints.
    pub checkpoints: &'a Checkpoints,
    /// The cluster that it belongs to.
    pub cluster: &'a KnownCluster,
    /// The id of that, where the log directory says so.
    pub cluster_id: Option<&'a str>,
    /// All copies of partitions that are checked together.
    pub copies: Option<&'a PartitionCopies<'a>>,
}

/// Checks a partition's directory. Findings come in an order that depends on nothing but the
/// files.
pub fn partition(
    directory: &PartitionDirectory,
    around: &Around<'_>,
    terms: &Terms,
    watch: &mut dyn Watch,
    found: Found<'_>,
) -> Gathered {
    let state = directory.name.as_ref().and_then(|name| name.state);
    if state == Some(DirectoryState::Deleted) {
        return on_its_way_out(directory, around, terms, watch, found);
    }
    loaded(directory, around, terms, watch, found)
}

/// A broker loads a deleted partition before it removes it: what does not end its start is of no
/// account.
fn on_its_way_out(
    directory: &PartitionDirectory,
    around: &Around<'_>,
    terms: &Terms,
    watch: &mut dyn Watch,
    found: Found<'_>,
) -> Gathered {
    let mut held = Vec::new();
    let gathered = loaded(directory, around, terms, watch, &mut |finding| {
        held.push(finding);
    });
    let next = gathered.next_start.as_ref();
    let is_fatal = next.is_some_and(|next| next.action == Action::BrokerFails);
    for mut finding in held {
        if !is_fatal && finding.code != FindingCode::StartBlocked {
            finding.severity = Severity::Note;
        }
        found(finding);
    }
    gathered
}

fn loaded(
    directory: &PartitionDirectory,
    around: &Around<'_>,
    terms: &Terms,
    watch: &mut dyn Watch,
    found: Found<'_>,
) -> Gathered {
    let checkpoints = around.checkpoints;
    let mut aborts = Aborts::default();
    let tally = look(directory, around, terms, &mut aborts, watch, found);
    let next_start = match watch.is_cancelled() {
        true => None,
        false => next_start(directory, checkpoints, terms, &aborts, watch),
    };
    let next_start =
        next_start.map(|next| stray::behind_the_load(next, directory, checkpoints, tally.records));
    if checkpoints.is_clean_shutdown
        && let Some(next) = &next_start
        && let Some(forgotten) = next.forgotten
    {
        let mut finding = snapshot_missing(directory, &forgotten);
        finding.topic_partition = Some(next.topic_partition.clone());
        found(finding);
    }
    Gathered { tally, next_start }
}

fn look(
    directory: &PartitionDirectory,
    around: &Around<'_>,
    terms: &Terms,
    aborts: &mut Aborts,
    watch: &mut dyn Watch,
    found: Found<'_>,
) -> Tally {
    let Around {
        checkpoints,
        cluster,
        ..
    } = around;
    let others = Others {
        coordinators: cluster.coordinators.as_ref(),
        cluster_id: around.cluster_id,
        copies: around.copies,
    };
    let mut companions = check_companions_of(directory, checkpoints, terms.access, found);
    let mut ids = NotIssued::new(cluster.issued.as_ref());
    let mut transactions = CoordinatorMismatch::new(directory, others, terms);
    let looking: &mut [&mut dyn Checker] =
        &mut [&mut companions, aborts, &mut ids, &mut transactions];
    let beside = (None, others);
    let tally = check_opened(beside, directory, checkpoints, terms, looking, watch, found);
    for error in companions.into_unread() {
        watch.unread(error);
    }
    tally
}

/// After a stop in order a broker reads no log where there is no snapshot at all
/// (`UnifiedLog.rebuildProducerState`): what the log tells of producers is then forgotten.
fn snapshot_missing(directory: &PartitionDirectory, forgotten: &Forgotten) -> Finding {
    let Forgotten {
        producers,
        open_transactions: open,
        log_end_offset: end,
    } = forgotten;
    let message = match snapshots_of(directory).last() {
        None => format!(
            "no producer snapshot is left, and the stop was clean: a broker that starts does not \
             read the log then, and forgets {producers} producers and {open} open transactions"
        ),
        Some(_) => format!(
            "no producer snapshot that a broker goes on with tells of {producers} producers and \
             {open} open transactions of the log, and the stop was clean: a broker that starts \
             forgets them"
        ),
    };
    let code = FindingCode::SnapshotMissing;
    Finding::new(code, Severity::Error, &directory.path, message)
        .with_offset(*end)
        .resting_on(Evidence::values("producers", &0, producers))
        .resting_on(Evidence::values("open transactions", &0, open))
}

fn next_start(
    directory: &PartitionDirectory,
    checkpoints: &Checkpoints,
    terms: &Terms,
    aborts: &Aborts,
    watch: &mut dyn Watch,
) -> Option<NextStart> {
    let options = StartOptions {
        access: terms.access,
        now: Some(terms.now),
        expiration_ms: terms.expiration_ms,
        aborts: Some(aborts),
    };
    match next_start::of(directory, checkpoints, &options) {
        Ok(next) => Some(next),
        Err(error) => {
            watch.unread(error);
            None
        }
    }
}

/// Checks one segment by itself: what lies beside it is not asked. Where its name does not tell
/// the base offset, the first batch does.
///
/// # Errors
/// The file cannot be opened, or its beginning cannot be read.
pub fn segment(
    file: &KafkaFile,
    terms: &Terms,
    watch: &mut dyn Watch,
    found: Found<'_>,
) -> Result<Gathered, ReadError> {
    let source = Source::open(&file.path, terms.access)?;
    let mut file = file.clone();
    if file.name.base_offset.is_none() {
        file.name.base_offset = Some(first_offset(&source)?.unwrap_or(Offset(0)));
    }
    file.name.kind = FileKind::Log;
    file.name.suffix = None;
    let directory = PartitionDirectory {
        path: file.path.clone(),
        name: None,
        listing: Listing {
            files: vec![file],
            ..Listing::default()
        },
    };
    let nothing = Checkpoints::default();
    let opened = (Some(source), Others::default());
    let tally = check_opened(opened, &directory, &nothing, terms, &mut [], watch, found);
    Ok(Gathered {
        tally,
        next_start: None,
    })
}
