//! `repair log`: what cannot be read leaves the log, and all that is derived from the log follows.

use super::content::{Content, IndexOf, Piece, Range};
use super::draft::{Draft, name_of, topic_partition};
use super::error::{PlanError, Refusal};
use super::index;
use super::kept_log::{Ground, KeptLog, kept_log};
use super::old_snapshots::OldSnapshots;
use super::part::KeptSegment;
use super::plan::{Plan, Verb};
use super::terms::{How, Terms};
use super::tiered;
use super::words;
use crate::format::leader_epoch_checkpoint;
use crate::format::number::Offset;
use crate::format::producer_snapshot::{self, Version};
use crate::state::epochs::LeaderEpochs;
use crate::state::read::segments;
use crate::storage::directory::PartitionDirectory;
use crate::storage::file_name::FileKind;
use crate::storage::partition_name::CLUSTER_METADATA;
use crate::storage::source::{ReadError, Source};
use std::collections::BTreeSet;
use std::sync::Arc;

const LEADER_EPOCHS: &str = "leader-epoch-checkpoint";

/// Plans a log without damage: one that ends in front of the first, or one with all batches that
/// can be read. [`How::AsItIs`] plans as [`How::Salvage`] does.
///
/// # Errors
/// A file that cannot be read, or a partition that is not repaired.
pub fn plan(directory: &PartitionDirectory, how: How, terms: &Terms) -> Result<Plan, PlanError> {
    let how = match how {
        How::Truncate => How::Truncate,
        How::AsItIs | How::Salvage => How::Salvage,
    };
    let refused = |refusal| PlanError::Refused {
        path: directory.path.clone(),
        refusal,
    };
    if directory
        .name
        .as_ref()
        .is_some_and(|name| name.topic == CLUSTER_METADATA)
    {
        return Err(refused(Refusal::ClusterMetadata));
    }
    if tiered::of_partition(directory, terms.local_start).is_some() {
        return Err(refused(Refusal::Tiered));
    }
    let mut draft = Draft::of(directory)?;
    draft.refuse_swaps()?;
    let files = segments(directory);
    if let Some([one, _]) = files
        .windows(2)
        .find(|pair| matches!(pair, [one, other] if one.base_offset == other.base_offset))
    {
        return Err(refused(Refusal::SameBase(one.base_offset)));
    }
    let partition = topic_partition(directory);
    let snapshots = OldSnapshots::read(directory, terms.rules, terms.access)?;
    let epochs = old_epochs(directory, terms)?;
    let mut log = kept_log(&Ground {
        directory,
        partition: &partition,
        terms,
        how,
        epochs: epochs.as_ref(),
        snapshots: Some(&snapshots),
    })?;
    let emptied = empty_below_start(&mut log, terms);
    draft.warnings.append(&mut log.gaps);
    draft.steps = std::mem::take(&mut log.steps);
    plan_segments(&mut draft, directory, &log, emptied, terms);
    plan_snapshots(&mut draft, &log, &snapshots, terms);
    plan_epochs(&mut draft, &log, epochs, directory);
    let words = words::of(directory, how, &log, &draft.steps);
    let mut plan = draft.finish(Verb::Log, partition, log.ledger.kept);
    plan.lost = log.ledger.lost;
    if !plan.is_empty() {
        plan.warnings.extend(words.warnings);
        plan.alternatives = words.alternatives;
    }
    Ok(plan)
}

/// A log that ends below its start is deleted by a broker, all of it: the result is what it then
/// begins with. Gives that offset.
fn empty_below_start(log: &mut KeptLog, terms: &Terms) -> Option<Offset> {
    if log.end >= terms.log_start || log.segments.is_empty() {
        return None;
    }
    log.segments.clear();
    log.producers.clear();
    log.epochs = LeaderEpochs::new();
    log.end = terms.log_start;
    log.first_change = Some(log.first_change.unwrap_or(log.end));
    Some(terms.log_start)
}

fn plan_segments(
    draft: &mut Draft<'_>,
    directory: &PartitionDirectory,
    log: &KeptLog,
    emptied: Option<Offset>,
    terms: &Terms,
) {
    let stay: BTreeSet<Offset> = log.segments.iter().map(|segment| segment.base).collect();
    for file in segments(directory) {
        let base = file.base_offset;
        if !stay.contains(&base) {
            let name = name_of(&file.path);
            let is_moved = log.segments.iter().any(|segment| segment.source == name);
            let mut copies = log.copies.iter();
            let copy = copies.find(|copy| copy.file.base_offset == base);
            let why = match copy {
                _ if is_moved => "it bears another name now".to_owned(),
                Some(copy) => format!("it is {} once more, byte for byte", name_of(&copy.of.path)),
                None => "no batch of it stays".to_owned(),
            };
            draft.remove(&name, &why);
            for kind in [
                FileKind::OffsetIndex,
                FileKind::TimeIndex,
                FileKind::TxnIndex,
            ] {
                let name = draft.name(kind, base);
                draft.remove(&name, "its segment goes");
            }
        }
    }
    for segment in &log.segments {
        plan_segment(draft, segment, terms);
    }
    if let Some(base) = emptied {
        let name = draft.name(FileKind::Log, base);
        let why = "the log would end below its start, where a broker deletes all of it and begins \
                   anew: so does this";
        let like = segments(directory);
        let like = like.last().map_or(name.clone(), |file| name_of(&file.path));
        draft.write(&name, Content::Bytes(Vec::new()), &like, why.to_owned());
        for kind in [FileKind::OffsetIndex, FileKind::TimeIndex] {
            let of = IndexOf {
                log: name.clone(),
                interval: terms.index_interval_bytes,
            };
            draft.build(
                kind,
                base,
                of,
                "that of a segment without a batch".to_owned(),
            );
        }
    }
}

fn plan_segment(draft: &mut Draft<'_>, segment: &KeptSegment, terms: &Terms) {
    if !segment.is_unchanged {
        let pieces = segment.stretches.iter().map(|stretch| {
            let range = Range {
                file: segment.source.clone(),
                position: stretch.position,
                length: stretch.length,
            };
            match stretch.change {
                None => Piece::Range(range),
                Some(change) => Piece::Edited(range, Arc::new(change)),
            }
        });
        let content = Content::Pieces(pieces.collect());
        let name = draft.name(FileKind::Log, segment.base);
        draft.put(&name, content, &segment.source);
    }
    index::correct(draft, segment, terms);
}

/// Snapshots up to the first change stay true. Behind it a broker that started would take one at
/// the beginning of each of the last two segments, and one at the end. Where there should be one
/// and is none they are made as well.
fn plan_snapshots(draft: &mut Draft<'_>, log: &KeptLog, old: &OldSnapshots, terms: &Terms) {
    let bases: BTreeSet<Offset> = log.segments.iter().map(|segment| segment.base).collect();
    let first = bases.first().copied().unwrap_or(log.end);
    let start = terms.log_start.max(first);
    // Whoever rolls a segment takes one at its beginning.
    let begins_behind = log.segments.last().map(|segment| segment.base);
    let is_missed = begins_behind.is_some_and(|base| base > start)
        && !old.offsets().any(|offset| old.is_usable(offset))
        && log.producers.iter().any(|(_, entries)| !entries.is_empty());
    let Some(change) = log.first_change.or(is_missed.then_some(start)) else {
        return;
    };
    let is_true = |offset: Offset| {
        offset > start && offset <= change && bases.contains(&offset) && old.is_usable(offset)
    };
    let mut written = BTreeSet::new();
    for (offset, entries) in &log.corrected {
        if is_true(*offset) && written.insert(*offset) {
            // Only more than 2^31 entries could be refused, and no table holds that many.
            let bytes = producer_snapshot::encode(Version::V1, entries).unwrap_or_default();
            let name = draft.name(FileKind::ProducerSnapshot, *offset);
            let why = "it does not say what the log says".to_owned();
            draft.write(&name, Content::Bytes(bytes), &name, why);
        }
    }
    for (offset, entries) in &log.producers {
        if *offset <= start || is_true(*offset) || !written.insert(*offset) {
            continue;
        }
        // Only more than 2^31 entries could be refused, and no table holds that many.
        let bytes = producer_snapshot::encode(Version::V1, entries).unwrap_or_default();
        let name = draft.name(FileKind::ProducerSnapshot, *offset);
        let why = format!("what a broker knows of producers at offset {offset}");
        let like = log.segments.last().map_or("", |segment| &segment.source);
        draft.write(&name, Content::Bytes(bytes), like, why);
    }
    for offset in old.offsets() {
        if !is_true(offset) && !written.contains(&offset) {
            let name = draft.name(FileKind::ProducerSnapshot, offset);
            draft.remove(
                &name,
                "it knows of batches that are not there any more, or is of no use",
            );
        }
    }
}

/// The old checkpoint stays where it agrees with the batches that stay, but for epochs behind the
/// end.
fn plan_epochs(
    draft: &mut Draft<'_>,
    log: &KeptLog,
    old: Option<LeaderEpochs>,
    directory: &PartitionDirectory,
) {
    let is_there = draft.has(LEADER_EPOCHS);
    let is_missed = old.is_none() && (is_there || log.epochs.latest().is_some());
    let agrees = log.epochs_agree && !is_missed;
    let mut epochs = match (agrees, old) {
        (true, None) => return,
        (true, Some(old)) => old,
        (false, _) => log.epochs.clone(),
    };
    let is_behind = epochs
        .latest()
        .is_some_and(|latest| latest.start_offset > log.end);
    if agrees && !is_behind {
        return;
    }
    epochs.truncate_from_end(log.end.plus(1));
    let entries: Vec<_> = epochs.entries().collect();
    let bytes = leader_epoch_checkpoint::encode(&entries);
    let why = match agrees {
        true => "epochs begin behind the end of the log",
        false => "it does not say the same as the batches",
    };
    let like = segments(directory);
    let like = like
        .last()
        .map_or(String::new(), |file| name_of(&file.path));
    draft.write(LEADER_EPOCHS, Content::Bytes(bytes), &like, why.to_owned());
}

/// What leader-epoch-checkpoint says, if a broker takes it.
fn old_epochs(
    directory: &PartitionDirectory,
    terms: &Terms,
) -> Result<Option<LeaderEpochs>, ReadError> {
    let mut files = directory.files_of(FileKind::LeaderEpochCheckpoint);
    let Some(file) = files.find(|file| file.name.suffix.is_none()) else {
        return Ok(None);
    };
    let source = Source::open(&file.path, terms.access)?;
    let entries = leader_epoch_checkpoint::decode(&source.contents()?).ok();
    source.check()?;
    Ok(entries.and_then(|entries| LeaderEpochs::from_checkpoint(&entries).ok()))
}
