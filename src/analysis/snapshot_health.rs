//! What is wrong with the bytes of a producer snapshot, and what a broker will do with the file.

use std::collections::HashMap;
use std::path::Path;

use crate::format::malformed::{Malformed, Problem};
use crate::format::producer_snapshot::{
    self, ENTRIES, ENTRY_SIZE, Head, ProducerEntry, Snapshot, Version,
};
use crate::state::rules::RuleSet;
use crate::storage::damage::{Code, Damage};
use crate::storage::source::{Access, ReadError, Source};

/// A snapshot as far as it could be read, and what is wrong with it.
#[derive(Debug)]
pub struct Health {
    /// The file's size, in bytes.
    pub size: u64,
    /// The header's fields as far as the file goes, whatever its version.
    pub head: Head,
    /// What could be read; `None` where the header is cut or of another version.
    pub snapshot: Option<Snapshot>,
    /// What a stock broker says of the file before it deletes it; `None` when it takes it.
    pub refusal: Option<String>,
    /// What is wrong, in the order of the bytes.
    pub damage: Vec<Damage>,
    /// The fields that the first of these are about; the others are entries of one producer.
    pub faults: Vec<Malformed>,
}

/// What is said of an entry of a producer that has one already.
pub const DOUBLED_ENTRY: &str = "entry of a producer that has one already";

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
        size: bytes_of(&fault.problem),
        code: Code::SnapshotCorrupt,
        message: format!("{fault}{said}"),
    };
    match producer_snapshot::decode(bytes) {
        Ok(snapshot) => {
            let mut damage: Vec<_> = snapshot.faults.iter().map(corrupt).collect();
            damage.extend(repeated(Some(snapshot.version.number()), &snapshot.entries));
            Health {
                size: bytes.len() as u64,
                head: Head {
                    version: Some(snapshot.version.number()),
                    stored_crc: Some(snapshot.stored_crc),
                    computed_crc: Some(snapshot.computed_crc),
                    count: Some(snapshot.count),
                },
                faults: snapshot.faults.clone(),
                snapshot: Some(snapshot),
                refusal,
                damage,
            }
        }
        Err(fault) => Health {
            size: bytes.len() as u64,
            head: Head::of(bytes),
            snapshot: None,
            refusal,
            damage: vec![corrupt(&fault)],
            faults: vec![fault],
        },
    }
}

impl Health {
    /// Reads the snapshot in a file.
    ///
    /// # Errors
    /// The file cannot be opened or read, or was changed meanwhile.
    pub fn read(path: &Path, access: Access) -> Result<Self, ReadError> {
        let source = Source::open(path, access)?;
        let health = examine(&source.contents()?);
        source.check()?;
        Ok(health)
    }

    /// Whether the checksum holds and every byte belongs to an entry; a version that a stock broker
    /// does not know is valid nonetheless.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        let whole = |snapshot: &Snapshot| snapshot.faults.is_empty();
        self.snapshot.as_ref().is_some_and(whole)
    }

    /// Whether a broker by these rules loads it: a stock one, or that of the prototype which writes
    /// version 2.
    #[must_use]
    pub fn is_read_by(&self, rules: &dyn RuleSet) -> bool {
        match &self.snapshot {
            Some(snapshot) if snapshot.version == Version::V2 => {
                rules.reads_snapshot(Version::V2) && snapshot.faults.is_empty()
            }
            _ => self.refusal.is_none(),
        }
    }
}

/// Bytes that belong to a fault and to nothing else.
const fn bytes_of(problem: &Problem) -> u64 {
    match problem {
        Problem::Truncated { left, .. } => *left as u64,
        Problem::Trailing { bytes } => *bytes,
        _ => 0,
    }
}

/// Entries of a producer that has one already: no broker writes them. The version decides on the
/// places in the file.
#[must_use]
pub(super) fn repeated(version: Option<i16>, entries: &[ProducerEntry]) -> Vec<Damage> {
    let mut seen: HashMap<_, usize> = HashMap::new();
    let mut damage = Vec::new();
    let mut position = ENTRIES as u64;
    for (index, entry) in entries.iter().enumerate() {
        let here = position;
        position += size_in_file(version, entry);
        let Some(before) = seen.insert(entry.producer_id, index) else {
            continue;
        };
        let open = match entries.get(before).map(ProducerEntry::open_txn) {
            Some(Some(first)) => format!(
                "; the open transaction of the first, since offset {first}, would hold the last \
                 stable offset back with no producer to show for it"
            ),
            _ => String::new(),
        };
        damage.push(Damage {
            position: here,
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

fn size_in_file(version: Option<i16>, entry: &ProducerEntry) -> u64 {
    let text = match version == Some(Version::V2.number()) {
        true => size_of::<i16>() + entry.source_cluster_id.as_ref().map_or(0, Vec::len),
        false => 0,
    };
    (ENTRY_SIZE + text) as u64
}

/// Where an entry lies in the file, in bytes; of version 2 all before it must be there.
#[must_use]
pub fn position_of(snapshot: &Snapshot, index: usize) -> Option<u64> {
    let before = snapshot.entries.get(..index)?;
    let version = Some(snapshot.version.number());
    let sizes = before.iter().map(|entry| size_in_file(version, entry));
    Some(ENTRIES as u64 + sizes.sum::<u64>())
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
