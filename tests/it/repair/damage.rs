//! Every sound batch stays that is to stay, and no other, whatever was damaged.

use std::fs;
use std::ops::Range;
use std::path::Path;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use kfsck::repair::plan::Action;
use kfsck::storage::segment::walk::{Piece, Walk};
use kfsck::storage::source::Source;

use super::healthy::partitions;
use super::{Copied, Verb, repaired, terms_of};

fn below(dice: &mut ChaCha8Rng, count: usize) -> usize {
    usize::try_from(dice.next_u32()).unwrap() % count
}

/// Damages a partition: the log file and the bytes of it that are not what they were. Bytes are
/// only changed or cut off.
fn damage(copied: &Copied, dice: &mut ChaCha8Rng) -> Option<(String, Range<usize>)> {
    let logs = copied.logs();
    let log = &logs[below(dice, logs.len())];
    let mut bytes = fs::read(log).unwrap();
    if bytes.is_empty() {
        return None;
    }
    let at = below(dice, bytes.len());
    let range = match below(dice, 4) {
        0 => {
            bytes[at] ^= 1 << below(dice, 8);
            at..at + 1
        }
        1 => {
            let end = bytes.len();
            bytes.truncate(at);
            at..end
        }
        2 => {
            let end = bytes.len().min(at + 1 + below(dice, 299));
            bytes[at..end].fill(0);
            at..end
        }
        _ => {
            let end = bytes.len().min(at + 1 + below(dice, 99));
            dice.fill_bytes(&mut bytes[at..end]);
            at..end
        }
    };
    fs::write(log, bytes).unwrap();
    for (name, _) in super::contents(&copied.path) {
        let is_companion = !name.ends_with(".log") && name != "partition.metadata";
        if is_companion && below(dice, 5) == 0 {
            fs::remove_file(copied.path.join(name)).unwrap();
        }
    }
    let name = log.file_name().unwrap().to_str().unwrap();
    Some((name.to_owned(), range))
}

/// The batches of a partition's logs, in order: the file, the place and the bytes of each.
fn batches(directory: &Path) -> Vec<(String, Range<usize>, Vec<u8>)> {
    let mut found = Vec::new();
    for (name, bytes) in super::contents(directory) {
        if !name.ends_with(".log") {
            continue;
        }
        let source = Source::from_bytes(&name, bytes.clone());
        let mut walk = Walk::new(&source);
        while let Some(piece) = walk.next_piece().unwrap() {
            let Piece::Batch(span) = piece else {
                panic!("{name}: {piece:?}");
            };
            let (start, end) = (span.position as usize, span.end() as usize);
            found.push((name.clone(), start..end, bytes[start..end].to_vec()));
        }
    }
    found
}

#[test]
fn salvage_keeps_all_sound_batches_and_truncate_those_in_front_of_the_first_damage() {
    let mut dice = ChaCha8Rng::seed_from_u64(6);
    let (mut damaged, mut lossless) = (0, 0);
    for partition in partitions() {
        for _ in 0..6 {
            let copied = Copied::new(&partition);
            let before = batches(&copied.path);
            let Some((log, range)) = damage(&copied, &mut dice) else {
                continue;
            };
            let now = fs::read(copied.path.join(&log)).unwrap();
            let is_hit = |(name, place, bytes): &(String, Range<usize>, Vec<u8>)| {
                *name == log && now.get(place.clone()) != Some(bytes)
            };
            let sound: Vec<_> = before.iter().filter(|batch| !is_hit(batch)).collect();
            let (plan, result) = repaired(&copied.path, Verb::Salvage, &terms_of(&partition));
            let after = batches(&result);
            let bytes: Vec<_> = after.iter().map(|(_, _, bytes)| bytes).collect();
            let place = format!("{partition} {log} {range:?}: {:#?}", plan.steps);
            let mut rest = bytes.iter();
            for (_, _, sound) in &sound {
                assert!(rest.any(|bytes| *bytes == sound), "{place}");
            }
            assert!(after.len() <= before.len(), "{place}");
            damaged += usize::from(!plan.lost.is_empty());
            lossless += usize::from(plan.lost.is_empty());

            let (plan, result) = repaired(&copied.path, Verb::Truncate, &terms_of(&partition));
            let after = batches(&result);
            let first = before.iter().position(is_hit).unwrap_or(before.len());
            // Zeros to the end, and a field that nothing covers: nobody can tell.
            let is_cut = { plan.steps.iter() }.any(|step| step.action == Action::Cut);
            let kept = match is_cut {
                true => [first, first],
                // A file that ends where a batch did shows nothing.
                false => [before.len(), sound.len()],
            };
            assert!(kept.contains(&after.len()), "{kept:?} {place}");
            let pairs = after.iter().zip(&before).take(first);
            assert!(
                { pairs }.all(|(after, before)| after.2 == before.2),
                "{place}"
            );
        }
    }
    assert!(
        damaged > 100,
        "{damaged} of them lost something, {lossless} nothing"
    );
}
