//! Real segments with damage of each kind done to one batch in their middle: the damage is told
//! where it is, and everything around it is read.

use std::fs;

use crate::batches::{CRC_AT, HEADER, LEADER_EPOCH_AT, LENGTH_AT, MAGIC_AT, split};
use crate::corpus;
use crate::jsonl::{self, FileDump, Line, Reason};
use crate::run;
use crate::told::pieces;

/// A segment of the corpus and the place of one of its batches.
struct Victim {
    path: String,
    log: Vec<u8>,
    start: usize,
    end: usize,
    /// What the sound segment tells, batch by batch.
    sound: Vec<String>,
    /// The number of the batch among these.
    number: usize,
}

/// Sound segments of magic 2 with a batch that has others on both sides.
fn victims() -> Vec<Victim> {
    let mut found = Vec::new();
    for (path, log) in corpus::segments() {
        if path.contains("legacy") || path.contains("control/") || path.contains("prealloc") {
            continue;
        }
        let batches = split(&log);
        if batches.len() < 4 || found.len() >= 6 {
            continue;
        }
        let number = batches.len() / 2;
        let (start, batch) = batches[number];
        let end = start + batch.len();
        let (dump, run) = jsonl::dump_of("0.log", &log);
        assert_eq!(run.code, Some(0), "{path}: {}", run.stderr);
        let sound = pieces(&dump);
        assert_eq!(sound.len(), batches.len());
        found.push(Victim {
            path,
            log,
            start,
            end,
            sound,
            number,
        });
    }
    assert_eq!(found.len(), 6, "segments to damage");
    found
}

impl Victim {
    fn dump(&self, log: &[u8]) -> FileDump {
        let (dump, run) = jsonl::dump_of("0.log", log);
        let is_damaged = dump.damage().next().is_some();
        assert_eq!(run.code, Some(i32::from(is_damaged)), "{}", self.path);
        dump
    }

    /// Dumps the damaged log. All other batches must be there; what is told of the victim's
    /// own bytes is returned.
    fn told(&self, log: &[u8], what: &str) -> Vec<String> {
        let mut told = pieces(&self.dump(log));
        let behind: Vec<_> = self.sound[self.number + 1..].to_vec();
        let place = |told: &String| told.split_once('+').unwrap().0.parse::<usize>().unwrap();
        let rest = told.split_off(
            told.iter()
                .take_while(|told| place(told) < self.end)
                .count(),
        );
        // That a batch's offset is not above the victim's is told of the batch behind it.
        let regression = format!("{}+0 offset-regression", self.end);
        let rest: Vec<_> = rest
            .into_iter()
            .filter(|told| *told != regression)
            .collect();
        assert_eq!(rest, behind, "{what} in {}: behind it", self.path);
        let own = told.split_off(self.number.min(told.len()));
        assert_eq!(
            told,
            self.sound[..self.number],
            "{what} in {}: before it",
            self.path
        );
        own
    }

    /// The victim must be one range of damage, or a batch with a wrong checksum; either exactly
    /// its own bytes.
    fn is_one_piece(&self, log: &[u8], what: &str) {
        let own = self.told(log, what);
        let place = format!("{}+{} ", self.start, self.end - self.start);
        assert!(
            own[0].starts_with(&place),
            "{what} in {}: {own:?}",
            self.path
        );
        assert!(
            !own[0].contains(" batch ") || own[0].ends_with(" invalid"),
            "{what}: {own:?}"
        );
        let faults = &own[1..];
        assert!(
            faults.iter().all(|told| told.contains("+0 ")),
            "{what}: {own:?}"
        );
    }

    fn is_damage(&self, log: &[u8], code: &str, what: &str) {
        let place = format!("{}+{} {code}", self.start, self.end - self.start);
        assert_eq!(self.told(log, what), [place], "{what} in {}", self.path);
    }
}

#[test]
fn a_length_past_the_end_of_the_file_or_too_small() {
    for victim in victims() {
        let field = victim.start + LENGTH_AT;
        let to_the_end = i32::try_from(victim.log.len() - victim.start - 12).unwrap();
        for length in [
            i32::MAX,
            0x7fff_fff0,
            to_the_end + 1,
            0,
            5,
            13,
            -1,
            i32::MIN,
        ] {
            let mut log = victim.log.clone();
            log[field..field + 4].copy_from_slice(&length.to_be_bytes());
            victim.is_damage(&log, "bad-batch-header", &format!("length {length}"));
        }
    }
}

#[test]
fn a_header_that_was_written_by_half() {
    for victim in victims() {
        let own = victim.start..victim.end;
        let mut log = victim.log.clone();
        log[own.clone()].fill(0);
        let crc = victim.start + CRC_AT..victim.start + CRC_AT + 4;
        log[crc.clone()].copy_from_slice(&victim.log[crc]);
        victim.is_damage(&log, "bad-batch-header", "only the checksum");
        // Zero from the middle of a field on, up to the end of the batch or of the header.
        for from in 1..HEADER {
            let mut log = victim.log.clone();
            log[victim.start + from..victim.end].fill(0);
            victim.is_one_piece(&log, &format!("zero from byte {from} on"));
            let mut log = victim.log.clone();
            log[victim.start + from..victim.start + HEADER].fill(0);
            victim.is_one_piece(&log, &format!("header zero from byte {from} on"));
        }
    }
}

/// No checksum covers these fields; the neighbours tell.
#[test]
fn a_bit_of_the_length_or_the_magic() {
    for victim in victims() {
        for bit in LENGTH_AT * 8..LEADER_EPOCH_AT * 8 {
            let log = flipped(&victim.log, victim.start * 8 + bit);
            // A shorter length may lead to bytes of a record that look like a batch; nothing
            // outside the victim may suffer from that.
            let own = victim.told(&log, &format!("bit {bit}"));
            assert!(own[0].ends_with(" invalid") || own[0].ends_with(" bad-batch-header"));
        }
        for bit in MAGIC_AT * 8..CRC_AT * 8 {
            let log = flipped(&victim.log, victim.start * 8 + bit);
            victim.is_one_piece(&log, &format!("bit {bit}"));
        }
    }
}

#[test]
fn a_bit_of_the_base_offset() {
    for victim in victims() {
        for bit in 0..LENGTH_AT * 8 {
            let log = flipped(&victim.log, victim.start * 8 + bit);
            let dump = victim.dump(&log);
            let told: Vec<_> = dump.damage().collect();
            // Where offsets have holes, a small change leads into one.
            if bit < 56 {
                assert_eq!(told.len(), 1, "bit {bit} in {}: {told:?}", victim.path);
            }
            for damage in told {
                assert_eq!(
                    damage.code, "offset-regression",
                    "bit {bit} in {}",
                    victim.path
                );
                let places = [victim.start, victim.end];
                assert!(places.contains(&usize::try_from(damage.position).unwrap()));
            }
        }
    }
}

/// Only a comparison with other batches, other files or replicas can tell: it is no damage here.
#[test]
fn a_bit_of_the_leader_epoch_is_shown_as_it_stands() {
    for victim in victims() {
        for bit in LEADER_EPOCH_AT * 8..MAGIC_AT * 8 {
            let log = flipped(&victim.log, victim.start * 8 + bit);
            let own = victim.told(&log, "leader epoch");
            assert_eq!(own, victim.sound[victim.number..=victim.number]);
        }
    }
}

/// Every bit under the checksum.
#[test]
fn a_bit_under_the_checksum_makes_an_invalid_batch() {
    for victim in victims().into_iter().take(2) {
        for bit in (CRC_AT * 8..(victim.end - victim.start) * 8).step_by(5) {
            let log = flipped(&victim.log, victim.start * 8 + bit);
            let own = victim.told(&log, &format!("bit {bit}"));
            assert!(own[0].ends_with(" invalid"), "bit {bit}: {own:?}");
            let mismatch = format!("{}+0 crc-mismatch", victim.start);
            assert!(own.contains(&mismatch), "bit {bit}: {own:?}");
        }
    }
}

fn flipped(log: &[u8], bit: usize) -> Vec<u8> {
    let mut log = log.to_vec();
    log[bit / 8] ^= 0x80 >> (bit % 8);
    log
}

#[test]
fn zeros_behind_the_last_batch() {
    for victim in victims() {
        for count in [1, 16, 17, 18, 60, 61, 4096] {
            let mut log = victim.log.clone();
            log.resize(log.len() + count, 0);
            let dump = victim.dump(&log);
            let mut expected = victim.sound.clone();
            expected.push(format!("{}+{count} zero-tail", victim.log.len()));
            assert_eq!(pieces(&dump), expected, "{}", victim.path);
            assert_eq!(dump.end.reason, Reason::ZeroTail);
        }
    }
}

#[test]
fn a_last_batch_that_is_not_all_there() {
    for victim in victims() {
        let (last, size) = split(&victim.log)
            .last()
            .map(|(at, batch)| (*at, batch.len()))
            .unwrap();
        for length in (1..size).step_by(7).chain([16, 17, 60, 61, size - 1]) {
            let dump = victim.dump(&victim.log[..last + length]);
            let mut expected = victim.sound[..victim.sound.len() - 1].to_vec();
            // The first bytes of an offset are zeros.
            let zeros = victim.log[last..last + length]
                .iter()
                .all(|byte| *byte == 0);
            let (code, reason) = match zeros {
                true => ("zero-tail", Reason::ZeroTail),
                false => ("truncated-tail", Reason::TruncatedTail),
            };
            expected.push(format!("{last}+{length} {code}"));
            assert_eq!(pieces(&dump), expected, "{} cut to {length}", victim.path);
            assert_eq!(dump.end.reason, reason);
        }
    }
}

#[test]
fn offsets_that_go_backwards() {
    for victim in victims() {
        let (_, next) = split(&victim.log)[victim.number + 1];
        let end = victim.end + next.len();
        let mut log = victim.log.clone();
        let swapped = [next, &victim.log[victim.start..victim.end]].concat();
        log[victim.start..end].copy_from_slice(&swapped);
        let dump = victim.dump(&log);
        let [damage] = dump.damage().collect::<Vec<_>>()[..] else {
            panic!("{}: {:?}", victim.path, pieces(&dump));
        };
        assert_eq!(damage.code, "offset-regression");
        assert_eq!(
            usize::try_from(damage.position),
            Ok(victim.start + next.len())
        );
        assert_eq!(dump.batches().count(), victim.sound.len());
    }
}

#[test]
fn a_short_last_entry_of_a_transaction_index() {
    let root = corpus::directory();
    let index = corpus::files(&root)
        .into_iter()
        .filter(|path| path.extension().is_some_and(|ending| ending == "txnindex"))
        .map(|path| fs::read(path).unwrap())
        .max_by_key(Vec::len)
        .unwrap();
    let (whole, _) = jsonl::dump_of("00000000000000000000.txnindex", &index);
    let entries = index.len() / 34;
    assert_eq!((index.len() % 34, whole.lines.len()), (0, entries));
    assert!(entries >= 1);
    for cut in 1..34 {
        let short = &index[..index.len() - cut];
        let (dump, run) = jsonl::dump_of("00000000000000000000.txnindex", short);
        let (fault, readable) = dump.lines.split_last().unwrap();
        assert_eq!(readable, &whole.lines[..entries - 1]);
        let Line::Damage(fault) = fault else {
            panic!("{fault:?}")
        };
        assert_eq!(fault.code, "index-corrupt");
        let place = usize::try_from(fault.position).unwrap();
        assert!(place >= (entries - 1) * 34 && place <= short.len());
        assert_eq!(run.code, Some(1));
    }
}

/// A broker preallocates indexes with zeros; after a kill they stay.
#[test]
fn zeros_behind_index_entries_are_no_entries() {
    let directory = tempfile::tempdir().unwrap();
    let root = corpus::directory().join("main");
    let mut seen = 0;
    for index in corpus::files(&root) {
        let ending = index
            .extension()
            .and_then(|ending| ending.to_str())
            .unwrap_or_default();
        let bytes = fs::read(&index).unwrap();
        let log = index.with_extension("log");
        if !["index", "timeindex"].contains(&ending) || bytes.is_empty() || !log.exists() {
            continue;
        }
        let offsets = index.with_extension("index");
        let name = index.file_name().unwrap().to_str().unwrap();
        for file in [&log, &offsets].into_iter().filter(|file| file.exists()) {
            fs::copy(file, directory.path().join(file.file_name().unwrap())).unwrap();
        }
        let dump = |zeros: usize| {
            let padded = [&bytes[..], &vec![0; zeros]].concat();
            fs::write(directory.path().join(name), padded).unwrap();
            let run = run::dump(directory.path(), &["--format", "jsonl", name]);
            (jsonl::parse(&run).remove(0).lines, run.code)
        };
        let expected = dump(0);
        assert_eq!(expected.1, Some(0), "{index:?}");
        // A multiple of both sizes of entries.
        assert_eq!(dump(24 * 100), expected, "{index:?}");
        seen += 1;
    }
    assert!(seen > 20, "{seen} indexes");
}
