//! States in the words of `docs/producer-state.md`.

use kfsck::format::leader_epoch_checkpoint::EpochEntry;
use kfsck::format::txn_index::AbortedTxn;
use kfsck::state::entry::Entry;
use kfsck::state::manager::Manager;

/// 2023-11-14T22:13:20Z, from which the time of an entry is counted.
pub(super) const FIRST_TIME: i64 = 1_700_000_000_000;

/// What a document says, to leave out what it need not say.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked<'a>(pub(super) &'a [String]);

impl Asked<'_> {
    /// Whether it speaks of something.
    pub(super) fn is_told(&self, start: &str) -> bool {
        self.0.iter().any(|item| item.starts_with(start))
    }

    fn is_told_of(&self, producer: &str, word: &str) -> bool {
        let mut items = self.0.iter();
        items.any(|item| item.starts_with(producer) && item.contains(word))
    }
}

/// Each producer by its id; `nobody` without any.
pub(super) fn producers<const N: usize>(manager: &Manager<N>, asked: Asked<'_>) -> Vec<String> {
    let mut entries: Vec<_> = manager.producers().iter().collect();
    if entries.is_empty() {
        return vec!["nobody".to_owned()];
    }
    entries.sort_by_key(|entry| entry.producer_id);
    entries.iter().map(|entry| producer(entry, asked)).collect()
}

fn producer<const N: usize>(entry: &Entry<N>, asked: Asked<'_>) -> String {
    let name = format!("{}:", entry.producer_id);
    let mut text = format!("{name} epoch {}", entry.producer_epoch);
    if let Some(last) = entry.batches.last() {
        let (sequence, offset) = (last.last_sequence, last.last_offset);
        text += &format!(", last sequence {sequence} at offset {offset}");
    }
    if asked.is_told_of(&name, "keeps") {
        text += ", keeps";
        for kept in entry.batches.as_slice() {
            text += &format!(" {}..{}", kept.first_sequence(), kept.last_sequence);
        }
    }
    if entry.coordinator_epoch.0 != -1 {
        text += &format!(", coordinator {}", entry.coordinator_epoch);
    }
    if let Some(first) = entry.current_txn_first_offset {
        text += &format!(", open since {first}");
    }
    if asked.is_told_of(&name, "time") {
        text += &format!(", time {}", entry.last_timestamp.0 - FIRST_TIME);
    }
    text
}

pub(super) fn index_entry(txn: &AbortedTxn) -> String {
    let (id, first, last) = (txn.producer_id, txn.first_offset, txn.last_offset);
    let stable = txn.last_stable_offset;
    format!("index entry {id}: {first}..{last}, LSO {stable}")
}

/// The leader epochs, where they are asked for.
pub(super) fn leader_epochs(
    entries: impl Iterator<Item = EpochEntry>,
    asked: Asked<'_>,
) -> Option<String> {
    let entries: Vec<_> = entries
        .map(|entry| format!("{} from {}", entry.leader_epoch, entry.start_offset))
        .collect();
    let text = format!("leader epochs {}", entries.join(", "));
    asked.is_told("leader epochs").then_some(text)
}
