//! Producer ids that look like the cluster's own and that it has not given out: batches of another
//! cluster, which it will collide with when it gives them out itself.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::checker::{CheckedBatch, Checker, Found};
use super::code::FindingCode;
use super::finding::{Evidence, Finding};
use super::known_cluster::Issued;
use crate::analysis::log_findings::Severity;
use crate::format::number::ProducerId;
use crate::state::batch::Batch;
use crate::state::read::SegmentFile;

/// So many ids are told.
const MOST: usize = 4096;

/// From here on no controller comes; repairs give such ids.
const RESERVED: ProducerId = ProducerId(1 << 62);

/// So many ids a controller gives to a broker at once.
const BLOCK: u64 = 1000;

/// Looks for them.
pub(super) struct NotIssued<'i> {
    issued: Option<&'i Issued>,
    told: HashSet<ProducerId>,
    /// The segment that is read.
    path: PathBuf,
}

impl<'i> NotIssued<'i> {
    pub(super) fn new(issued: Option<&'i Issued>) -> Self {
        Self {
            issued,
            told: HashSet::new(),
            path: PathBuf::new(),
        }
    }
}

impl Checker for NotIssued<'_> {
    fn wants_batches(&self) -> bool {
        self.issued.is_some()
    }

    fn begin_segment(&mut self, segment: &SegmentFile, _: Found<'_>) {
        self.path.clone_from(&segment.path);
    }

    fn batch(&mut self, checked: &CheckedBatch<'_>, found: Found<'_>) {
        let (Some(issued), batch) = (self.issued, checked.batch) else {
            return;
        };
        let id = batch.producer_id;
        let is_foreign = (issued.next..RESERVED).contains(&id) && checked.is_valid;
        if is_foreign && self.told.len() < MOST && self.told.insert(id) {
            found(finding(issued, batch, &self.path));
        }
    }
}

/// Whether a segment and the directory of the metadata lie in one log directory.
fn lie_together(segment: &Path, metadata: &Path) -> bool {
    let log_directory = segment.parent().and_then(Path::parent);
    log_directory.is_some() && log_directory == metadata.parent()
}

#[cold]
fn finding(issued: &Issued, batch: &Batch, path: &Path) -> Finding {
    let (id, next) = (batch.producer_id, issued.next);
    let blocks = id.0.abs_diff(next.0) / BLOCK;
    let when = match blocks {
        0 => "with its next block of ids".to_owned(),
        1 => "with the block of ids after the next".to_owned(),
        more => format!("{more} blocks of ids after the next"),
    };
    // What was written after the copy ends may well have been given out after it.
    let is_later = batch.max_timestamp > issued.last_timestamp;
    // The times of batches are mostly those of clients' clocks.
    let (severity, age) = match (is_later, lie_together(path, &issued.path)) {
        (true, _) => (
            Severity::Note,
            "; the batch is later than the last record of the metadata, so this copy of them may \
             be too old to know",
        ),
        (false, false) => (
            Severity::Note,
            "; the metadata lie in another log directory, and a copy that was taken earlier may \
             be too old to know",
        ),
        (false, true) => (Severity::Warning, ""),
    };
    let text = format!(
        "the first batch of producer {id}, which is {} by its value, and the cluster has given out \
         no id from {next} on: it was mirrored from another cluster, or the metadata are older \
         than this log; {when} the cluster gives the same id to a producer of its own, which \
         collides with this one{age}",
        id.origin(),
    );
    Finding::new(FindingCode::ProducerIdNotIssued, severity, path, text)
        .at(batch.place.position)
        .spanning(batch.place.size.into())
        .with_offset(batch.base_offset)
        .with_producer(id)
        .resting_on(Evidence::place(
            "batch",
            batch.base_offset,
            batch.place.position,
        ))
        .resting_on(Evidence {
            what: "nextProducerId",
            path: Some(issued.path.clone()),
            offset: Some(issued.end_offset.plus(-1)),
            stored: Some(id.to_string()),
            computed: Some(format!("below {next}")),
            ..Evidence::default()
        })
}
