//! `repair snapshot --rebuild`: what the log says of its producers, at each place where a broker
//! looks for it.

use super::content::Content;
use super::draft::{Draft, topic_partition};
use super::error::{PlanError, Refusal};
use super::plan::{Plan, Verb};
use super::snapshot_files::{self, SnapshotFile};
use super::sound;
use super::terms::Terms;
use crate::format::number::Offset;
use crate::format::producer_snapshot::{self, ProducerEntry, Version};
use crate::state::append::Append;
use crate::state::entry::Entry;
use crate::state::event;
use crate::state::manager::Manager;
use crate::state::read::segments;
use crate::storage::directory::PartitionDirectory;
use crate::storage::file_name::FileKind;
use std::collections::{BTreeMap, BTreeSet};

/// Plans to write the snapshot at an offset, the log's end if none is given, and to make all others
/// true. The log tells everything; only of producers whose batches retention has taken a snapshot
/// is believed.
///
/// # Errors
/// A file that cannot be read; a log that is not sound; an offset where a broker keeps no snapshot.
pub fn plan(
    directory: &PartitionDirectory,
    at: Option<Offset>,
    terms: &Terms,
) -> Result<Plan, PlanError> {
    let mut draft = Draft::of(directory)?;
    draft.refuse_swaps()?;
    let files = snapshot_files::read(directory, terms.access)?;
    let bases: BTreeSet<Offset> = segments(directory)
        .iter()
        .map(|segment| segment.base_offset)
        .collect();
    let first = bases.first().copied().unwrap_or(terms.log_start);
    let partition = topic_partition(directory);
    let mut manager = Manager::<1>::new(partition.clone(), terms.rules);
    manager.count_all_as_replicated();
    let believed = believed(&files, first);
    for entry in &believed {
        manager.load_entry(&Entry::from_snapshot(entry));
    }
    let is_asked = |offset: Offset| at == Some(offset) || files.iter().any(|f| f.offset == offset);
    let mut truth: BTreeMap<Offset, Vec<ProducerEntry>> = BTreeMap::new();
    let asked = bases.iter().copied().filter(|base| is_asked(*base));
    let mut ahead = asked.peekable();
    let sound = sound::read(directory, terms, &mut |item| {
        let batch = item.batch;
        while let Some(base) = ahead.next_if(|base| *base <= batch.base_offset) {
            truth.insert(base, manager.snapshot_entries().collect());
        }
        let applied = manager.apply(Append::LOAD, batch, item.control, &mut event::ignore);
        applied.map(|_| ()).map_err(|error| PlanError::Refused {
            path: directory.path.clone(),
            refusal: Refusal::NotLoaded(format!("ends with {}: {error}", error.class())),
        })
    })?;
    for base in ahead {
        truth.insert(base, manager.snapshot_entries().collect());
    }
    truth.insert(sound.end, manager.snapshot_entries().collect());
    let start = terms.log_start.max(first);
    truth.retain(|offset, _| *offset > start);
    let at = at.unwrap_or(sound.end);
    if at > start && !truth.contains_key(&at) || at > sound.end {
        return Err(PlanError::Refused {
            path: directory.path.clone(),
            refusal: Refusal::Producers(nowhere(at, &bases, sound.end)),
        });
    }
    let like = sound.segments.last().map_or("", |segment| &segment.file);
    write(&mut draft, &files, &truth, at, like);
    if !believed.is_empty() {
        draft.warnings.push(format!(
            "{} producers are known from a snapshot alone, because retention has taken their \
             batches: what it says of them is believed",
            believed.len()
        ));
    }
    Ok(draft.finish(Verb::Snapshot, partition, sound.kept))
}

fn nowhere(at: Offset, bases: &BTreeSet<Offset>, end: Offset) -> String {
    let nearest = bases.range(..=at).next_back();
    let nearest = nearest.map_or(String::new(), |base| {
        format!("; the segment begins at {base}")
    });
    format!(
        "offset {at}: a broker keeps snapshots where segments begin and at the log's end, {end}, \
         and removes any other{nearest}"
    )
}

/// What the newest readable snapshot says of producers of which no batch is left.
fn believed(files: &[SnapshotFile], first: Offset) -> Vec<ProducerEntry> {
    let newest = files.iter().rev().find(|file| file.snapshot.is_ok());
    let entries = newest.map_or(&[][..], SnapshotFile::entries).iter();
    // Of one with nothing but markers nothing tells where they were.
    let is_gone = |entry: &&ProducerEntry| first > Offset(0) && entry.last_offset < first;
    entries.filter(is_gone).cloned().collect()
}

/// Every file that is there becomes true or goes; the one at `at` is there in the end.
fn write(
    draft: &mut Draft<'_>,
    files: &[SnapshotFile],
    truth: &BTreeMap<Offset, Vec<ProducerEntry>>,
    at: Offset,
    like: &str,
) {
    let mut wanted: BTreeMap<Offset, Option<&SnapshotFile>> = BTreeMap::new();
    for file in files {
        if truth.contains_key(&file.offset) {
            wanted.insert(file.offset, Some(file));
        } else {
            draft.remove(&file.name, "no segment begins there, and no log ends");
        }
    }
    if truth.contains_key(&at) {
        wanted.entry(at).or_insert(None);
    }
    for (offset, file) in wanted {
        let Some(entries) = truth.get(&offset) else {
            continue;
        };
        let why = match file.map(|file| (&file.snapshot, says(file, entries))) {
            Some((Ok(_), true)) => continue,
            Some((Ok(_), false)) => "it does not say what the log says".to_owned(),
            Some((Err(fault), _)) => format!("it cannot be read: {fault}"),
            None => "what the log says of its producers".to_owned(),
        };
        // Only more than 2^31 entries could be refused, and no table holds that many.
        let bytes = producer_snapshot::encode(Version::V1, entries).unwrap_or_default();
        let name = draft.name(FileKind::ProducerSnapshot, offset);
        draft.write(&name, Content::Bytes(bytes), like, why);
    }
}

/// Whether a snapshot has these entries, in any order.
fn says(file: &SnapshotFile, entries: &[ProducerEntry]) -> bool {
    let by_id = |entries: &[ProducerEntry]| {
        let mut entries = entries.to_vec();
        entries.sort_by_key(|entry| entry.producer_id);
        entries
    };
    let is_stock = |version| version == Version::V1;
    let version = file.snapshot.as_ref().map(|snapshot| snapshot.version);
    version.is_ok_and(is_stock) && by_id(file.entries()) == by_id(entries)
}
