//! What is wrong with the bytes of a producer snapshot, and what a broker will do with the file.

use std::collections::HashMap;

use crate::format::malformed::{Malformed, Problem};
use crate::format::producer_snapshot::{self, ENTRIES, ENTRY_SIZE, Snapshot, Version};
use crate::storage::damage::{Code, Damage};

/// A snapshot as far as it could be read, and what is wrong with it.
#[derive(Debug)]
pub struct Health {
    /// What could be read; `None` where not even the header can be.
    pub snapshot: Option<Snapshot>,
    /// What a stock broker says of the file before it deletes it; `None` when it takes it.
    pub refusal: Option<String>,
    /// What is wrong, in the order of the bytes.
    pub damage: Vec<Damage>,
}

/// Reads a snapshot.
#[must_use]
pub fn examine(bytes: &[u8]) -> Health {
    let refusal = producer_snapshot::stock_verdict_of(bytes).err();
    let said = match &refusal {
        Some(text) => format!("; a broker says \"{text}\" and deletes the file"),
        None => String::new(),
    };
    let corrupt = |fault: &Malformed| Damage {
        position: fault.at as u64,
        size: size_of(&fault.problem),
        code: Code::SnapshotCorrupt,
        message: format!("{fault}{said}"),
    };
    match producer_snapshot::decode(bytes) {
        Ok(snapshot) => {
            let mut damage: Vec<_> = snapshot.faults.iter().map(corrupt).collect();
            damage.extend(repeated(&snapshot));
            Health {
                snapshot: Some(snapshot),
                refusal,
                damage,
            }
        }
        Err(fault) => Health {
            snapshot: None,
            refusal,
            damage: vec![corrupt(&fault)],
        },
    }
}

impl Health {
    /// Whether the checksum holds and every byte belongs to an entry; a version that a stock broker
    /// does not know is valid nonetheless.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        let whole = |snapshot: &Snapshot| snapshot.faults.is_empty();
        self.snapshot.as_ref().is_some_and(whole)
    }
}

/// Bytes that belong to a fault and to nothing else.
const fn size_of(problem: &Problem) -> u64 {
    match problem {
        Problem::Truncated { left, .. } => *left as u64,
        Problem::Trailing { bytes } => *bytes,
        _ => 0,
    }
}

/// Entries of a producer that has one already: no broker writes them.
fn repeated(snapshot: &Snapshot) -> Vec<Damage> {
    let mut seen = HashMap::new();
    let mut damage = Vec::new();
    for (index, entry) in snapshot.entries.iter().enumerate() {
        let Some(before) = seen.insert(entry.producer_id, index) else {
            continue;
        };
        let open = match snapshot.entries.get(before).map(|entry| entry.open_txn()) {
            Some(Some(first)) => format!(
                "; the open transaction of the first, since offset {first}, would hold the last \
                 stable offset back with no producer to show for it"
            ),
            _ => String::new(),
        };
        damage.push(Damage {
            position: position_of(snapshot, index).unwrap_or(ENTRIES as u64),
            size: 0,
            code: Code::SnapshotCorrupt,
            message: format!(
                "producer {} has an entry already, the {}; a broker loads both and keeps the \
                 last{open}",
                entry.producer_id,
                ordinal(before + 1)
            ),
        });
    }
    damage
}

/// Where an entry lies in the file, in bytes; of version 2 all before it must be there.
#[must_use]
pub fn position_of(snapshot: &Snapshot, index: usize) -> Option<u64> {
    let before = snapshot.entries.get(..index)?;
    let texts: usize = match snapshot.version {
        Version::V1 => 0,
        Version::V2 => before
            .iter()
            .map(|entry| 2 + entry.source_cluster_id.as_ref().map_or(0, Vec::len))
            .sum(),
    };
    Some((ENTRIES + index * ENTRY_SIZE + texts) as u64)
}

/// `1st`, `2nd`, `3rd`, `4th`.
fn ordinal(number: usize) -> String {
    let ending = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}
