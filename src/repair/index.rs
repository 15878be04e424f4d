//! `repair index`: offset, time and transaction indexes from the log alone, and these only.

use super::content::{Content, IndexOf};
use super::draft::{Draft, topic_partition};
use super::error::PlanError;
use super::kept_log::{Ground, kept_log};
use super::part::KeptSegment;
use super::plan::{Plan, Verb};
use super::terms::{How, Terms};
use crate::storage::directory::PartitionDirectory;
use crate::storage::file_name::FileKind;

/// Plans to build each index anew that is missing or not right. One that a running broker wrote
/// may have its entries at other batches than a recovery's: it stays.
///
/// # Errors
/// A file that cannot be read, or a directory that is no partition's.
pub fn plan(directory: &PartitionDirectory, terms: &Terms) -> Result<Plan, PlanError> {
    let mut draft = Draft::of(directory)?;
    let partition = topic_partition(directory);
    let log = kept_log(&Ground {
        directory,
        partition: &partition,
        terms,
        how: How::AsItIs,
        epochs: None,
        snapshots: None,
    })?;
    for segment in &log.segments {
        if segment.is_damaged {
            draft.warnings.push(format!(
                "{} is damaged: its indexes stay as they are; `kfsck repair log` first",
                segment.source
            ));
        } else {
            correct(&mut draft, segment, terms);
        }
    }
    draft.warnings.extend(log.lost_ends);
    Ok(draft.finish(Verb::Index, partition, log.ledger.kept))
}

/// Corrects the indexes of a segment of the result, where they need it.
pub(super) fn correct(draft: &mut Draft<'_>, segment: &KeptSegment, terms: &Terms) {
    let log = draft.name(FileKind::Log, segment.base);
    let of = IndexOf {
        log: log.clone(),
        interval: terms.index_interval_bytes,
    };
    let (offsets, times) = &segment.faults;
    let changed = (!segment.is_unchanged).then(|| "the segment changes".to_owned());
    if let Some(why) = changed.clone().or_else(|| offsets.clone()) {
        draft.build(FileKind::OffsetIndex, segment.base, of.clone(), why);
    }
    if let Some(why) = changed.clone().or_else(|| times.clone()) {
        draft.build(FileKind::TimeIndex, segment.base, of, why);
    }
    if let Some(bytes) = &segment.txn_index {
        let name = draft.name(FileKind::TxnIndex, segment.base);
        let why = match draft.has(&name) {
            true => "it does not tell the aborted transactions of its segment".to_owned(),
            false => "transactions were aborted in its segment, and it is not there".to_owned(),
        };
        let content = Content::Bytes(bytes.clone());
        draft.write(&name, content, &segment.source, changed.unwrap_or(why));
    }
}
