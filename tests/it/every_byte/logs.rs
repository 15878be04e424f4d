//! Segments and KRaft snapshots of each magic and codec, and every kind of control record.

use std::path::Path;

use kfsck::format::batch;
use kfsck::storage::damage::{Code, Damage};
use kfsck::storage::file_name::FileKind;
use kfsck::storage::segment::walk::Span;

use super::{Change, every_change, inputs};
use crate::fuzz::bodies::{Met, segment as dump};

/// Tries every change of every log up to that size with that magic in its first batch.
fn every_change_of(magic: u8, largest: usize) {
    let mut logs = inputs(|kind| matches!(kind, FileKind::Log | FileKind::KraftSnapshot));
    logs.retain(|input| input.bytes.len() <= largest);
    let mut tried = 0;
    for input in logs {
        let sound = dump(&input.bytes);
        if sound
            .batches
            .first()
            .is_none_or(|batch| batch.magic != magic)
        {
            continue;
        }
        tried += 1;
        let invalid = |damage: &Damage| damage.code == Code::CrcMismatch || damage.size > 0;
        let is_sound = !sound.damage.iter().any(invalid);
        every_change(&input.bytes, |change, bytes| {
            let met = dump(bytes);
            if is_sound {
                notices(change, &sound.batches, &met, &input.path);
            }
        });
    }
    assert!(tried >= 8, "only {tried} small logs of magic {magic}");
}

/// A dump of changed bytes tells of what must not change unnoticed.
fn notices(change: Change, sound: &[Span], met: &Met, path: &Path) {
    match change {
        Change::Cut(length) => {
            let length = length as u64;
            let whole: Vec<_> = sound
                .iter()
                .filter(|span| span.end() <= length)
                .copied()
                .collect();
            let (found, inside) = met.batches.split_at(whole.len().min(met.batches.len()));
            assert_eq!(found, whole, "{change:?} of {}", path.display());
            // A wrapper that was cut may hold whole messages, which no checksum tells from those
            // of a damaged file.
            if !inside.is_empty() && inside.iter().all(|span| span.magic < batch::MAGIC) {
                return;
            }
            let boundary = whole.last().map_or(0, |span| span.end());
            let tails = met.damage.iter().filter(|damage| damage.size > 0);
            let tails: Vec<_> = tails.map(|tail| (tail.position, tail.size)).collect();
            let expected = [(boundary, length - boundary)];
            let expected = &expected[..usize::from(boundary < length)];
            assert_eq!(tails, expected, "{change:?} of {}", path.display());
        }
        Change::Flip { byte, .. } => {
            let byte = byte as u64;
            let struck = sound
                .iter()
                .find(|span| (span.position..span.end()).contains(&byte));
            let struck = struck.expect("a sound log is batches from front to end");
            let is_noticed = |damage: &Damage| match damage.code {
                Code::CrcMismatch => damage.position == struck.position,
                _ => damage.position <= byte && byte < damage.position + damage.size,
            };
            let noticed = met.damage.iter().any(is_noticed);
            let found = &met.damage;
            assert!(
                noticed || is_free(byte - struck.position, struck.magic),
                "{change:?} of {} is not noticed: {found:?}",
                path.display()
            );
            if struck.magic == batch::MAGIC && byte - struck.position >= 17 {
                // Under the checksum no byte says how long the batch is.
                assert_eq!(met.batches, sound, "{change:?} of {}", path.display());
            }
        }
    }
}

/// Bytes that no checksum covers and no rule binds: the offset, and in magic 2 the leader epoch.
fn is_free(at: u64, magic: u8) -> bool {
    at < 8 || (magic == batch::MAGIC && (12..16).contains(&at))
}

#[test]
fn magic_0() {
    every_change_of(0, 2048);
}

#[test]
fn magic_1() {
    every_change_of(1, 2048);
}

#[test]
fn magic_2() {
    // Below this lie all codecs and all kinds of control records.
    every_change_of(2, 1150);
}
