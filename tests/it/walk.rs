//! The walk over a segment: every byte belongs to one piece, and after damage it finds back by the
//! rules that docs/dump-log.md gives.

use std::fs;

use kfsck::storage::segment::walk::{End, Piece, Span, Walk};
use kfsck::storage::source::{Access, Source};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

use crate::batches::{self, Batch, HEADER, LENGTH_AT, split};
use crate::corpus;

/// All pieces of a source and why they end.
fn pieces(source: &Source) -> (Vec<Piece>, End) {
    let mut walk = Walk::new(source);
    let mut found = Vec::new();
    while let Some(piece) = walk.next_piece().unwrap() {
        found.push(piece);
    }
    assert_eq!(walk.next_piece().unwrap(), None, "ended for ever");
    (found, walk.end().unwrap())
}

fn walked(log: &[u8]) -> Vec<Piece> {
    pieces(&Source::from_bytes("log", log.to_vec())).0
}

/// Begin, size and whether it is a batch.
fn places(log: &[u8]) -> Vec<(u64, u64, bool)> {
    walked(log).iter().map(place).collect()
}

fn place(piece: &Piece) -> (u64, u64, bool) {
    match piece {
        Piece::Batch(Span { position, size, .. }) => (*position, u64::from(*size), true),
        Piece::Damage(damage) => (damage.position, damage.size, false),
    }
}

/// What must hold whatever the bytes are.
fn is_accounted_for(log: &[u8]) -> Vec<Piece> {
    let found = walked(log);
    let mut next = 0;
    for piece in &found {
        let (position, size, _) = place(piece);
        assert_eq!(position, next, "a hole or an overlap");
        assert!(size > 0, "an empty piece at {position}");
        next += size;
    }
    assert_eq!(
        usize::try_from(next),
        Ok(log.len()),
        "bytes without a piece"
    );
    found
}

fn log_of(parts: &[&[u8]]) -> (Vec<u8>, Vec<u64>) {
    let places = parts.iter().scan(0, |next, part| {
        let at = *next;
        *next += part.len() as u64;
        Some(at)
    });
    (parts.concat(), places.collect())
}

fn set_length(log: &mut [u8], at: usize, length: i32) {
    log[at + LENGTH_AT..at + LENGTH_AT + 4].copy_from_slice(&length.to_be_bytes());
}

#[test]
fn a_batch_that_leads_to_another_is_a_batch_whatever_its_checksum() {
    let (first, second, third) = (
        batches::plain(0, b"a"),
        batches::plain(1, b"b"),
        batches::plain(2, b"c"),
    );
    for victim in 0..3 {
        let mut parts = [first.clone(), second.clone(), third.clone()];
        parts[victim][HEADER] ^= 0xff;
        let log = parts.concat();
        let size = first.len() as u64;
        let expected = [(0, size, true), (size, size, true), (2 * size, size, true)];
        assert_eq!(places(&log), expected, "batch {victim} damaged");
    }
}

/// The damaged batch's own length lands on a batch that frames and checksums: that wins over the
/// whole batches in its value.
#[test]
fn a_right_length_wins_over_batches_inside() {
    let inner = [batches::plain(7, b"x"), batches::plain(8, b"y")].concat();
    let mut damaged = batches::plain(1, &inner);
    // The magic is gone, so the batch does not frame; its length is right.
    damaged[16] = 9;
    let (log, at) = log_of(&[&batches::plain(0, b"a"), &damaged, &batches::plain(2, b"c")]);
    let length = log.len() as u64;
    assert_eq!(
        places(&log),
        [
            (0, at[1], true),
            (at[1], at[2] - at[1], false),
            (at[2], length - at[2], true)
        ]
    );
}

/// Otherwise the first candidate wins that checksums and whose successor frames or is the end.
#[test]
fn without_a_length_the_first_that_checksums_wins() {
    let good = batches::plain(3, b"good");
    // Frames, leads to the good one, and its checksum is wrong.
    let mut wrong = batches::plain(2, b"wrong");
    *wrong.last_mut().unwrap() ^= 1;
    let (log, at) = log_of(&[&batches::plain(0, b"a"), &[0xee; 40], &wrong, &good]);
    let length = log.len() as u64;
    assert_eq!(
        places(&log),
        [
            (0, at[1], true),
            (at[1], at[3] - at[1], false),
            (at[3], length - at[3], true)
        ]
    );
    // A right checksum whose length leads into nothing does not win either.
    let lost = batches::plain(2, b"lost");
    let (log, at) = log_of(&[
        &batches::plain(0, b"a"),
        &[0xee; 40],
        &lost,
        &[0xdd; 50],
        &good,
    ]);
    let length = log.len() as u64;
    assert_eq!(
        places(&log),
        [
            (0, at[1], true),
            (at[1], at[4] - at[1], false),
            (at[4], length - at[4], true)
        ]
    );
}

/// A backup of a topic of batches: every value is a whole batch, and an outer header is damaged.
#[test]
fn a_log_of_batches_is_read_right_when_an_outer_header_is_damaged() {
    let outer: Vec<_> = (0..6)
        .map(|offset| {
            let inner: Vec<_> = (0..4).map(|n| batches::plain(n, b"inner value")).collect();
            let batch = Batch::new(offset * 4);
            inner
                .iter()
                .fold(batch, |batch, value| batch.record(Some(b"k"), Some(value)))
                .encode()
        })
        .collect();
    let parts: Vec<&[u8]> = outer.iter().map(Vec::as_slice).collect();
    let (log, at) = log_of(&parts);
    let start = usize::try_from(at[2]).unwrap();
    let sound: Vec<_> = at
        .iter()
        .map(|at| (*at, outer[0].len() as u64, true))
        .collect();
    assert_eq!(places(&log), sound);
    // Each byte of the header but the length: no inner batch may come out as one of the log's.
    for byte in (0..LENGTH_AT).chain(LENGTH_AT + 4..HEADER) {
        for value in [0, 1, 0x7f, 0xff] {
            let mut log = log.clone();
            log[start + byte] = value;
            let found: Vec<_> = places(&log)
                .iter()
                .map(|(at, size, _)| (*at, *size))
                .collect();
            let expected: Vec<_> = sound.iter().map(|(at, size, _)| (*at, *size)).collect();
            assert_eq!(found, expected, "byte {byte} is {value:#x}");
        }
    }
    // Without its length its records tell where it ends.
    for length in [0, 5, 49, 700, 0x7fff_fff0, -1] {
        let mut log = log.clone();
        set_length(&mut log, start, length);
        let mut expected = sound.clone();
        expected[2].2 = false;
        assert_eq!(places(&log), expected, "length {length}");
    }
}

#[test]
fn tails_say_what_they_are() {
    let batch = batches::plain(0, b"a");
    for (tail, expected) in [
        (vec![], End::EndOfFile),
        (vec![0; 100], End::ZeroTail),
        (batches::plain(1, b"b")[..40].to_vec(), End::TruncatedTail),
        (
            [&batches::plain(1, b"b")[..11], &[0; 200]].concat(),
            End::TruncatedTail,
        ),
        (vec![0xee; 100], End::EndOfFile),
    ] {
        let log = [&batch[..], &tail].concat();
        let (found, end) = pieces(&Source::from_bytes("log", log));
        assert_eq!(end, expected, "{tail:?}");
        assert_eq!(found.len(), 1 + usize::from(!tail.is_empty()));
    }
}

#[test]
fn a_limit_ends_before_the_batch_that_reaches_beyond_it() {
    let log = [batches::plain(0, b"a"), batches::plain(1, b"b")].concat();
    let size = log.len() as u64 / 2;
    for (limit, count, end) in [
        (0, 0, End::Limit),
        (size - 1, 0, End::Limit),
        (size, 1, End::Limit),
        (2 * size - 1, 1, End::Limit),
        (2 * size, 2, End::EndOfFile),
    ] {
        let source = Source::from_bytes("log", log.clone());
        let mut walk = Walk::new(&source).stopping_after(limit);
        let mut found = 0;
        while walk.next_piece().unwrap().is_some() {
            found += 1;
        }
        assert_eq!((found, walk.end()), (count, Some(end)), "limit {limit}");
    }
}

/// Something that happens to the bytes of a file.
#[derive(Debug, Clone)]
enum Mishap {
    Flip { at: usize, bit: u8 },
    Zero { at: usize, size: usize },
    Cut { at: usize, size: usize },
    Insert { at: usize, bytes: Vec<u8> },
    Repeat { at: usize, size: usize },
}

impl Mishap {
    /// Does it; gives the range of the old bytes that it touched.
    fn happen(&self, log: &mut Vec<u8>) -> (usize, usize) {
        let length = log.len().max(1);
        match self {
            Self::Flip { at, bit } => {
                let at = at % length;
                if let Some(byte) = log.get_mut(at) {
                    *byte ^= 1 << (bit % 8);
                }
                (at, at + 1)
            }
            Self::Zero { at, size } => {
                let range = clip(*at, *size, log.len());
                log[range.0..range.1].fill(0);
                range
            }
            Self::Cut { at, size } => {
                let range = clip(*at, *size, log.len());
                log.drain(range.0..range.1);
                range
            }
            Self::Insert { at, bytes } => {
                let at = at % length;
                let at = at.min(log.len());
                log.splice(at..at, bytes.iter().copied());
                (at, at)
            }
            Self::Repeat { at, size } => {
                let range = clip(*at, *size, log.len());
                let copy = log[range.0..range.1].to_vec();
                log.splice(range.1..range.1, copy);
                (range.1, range.1)
            }
        }
    }
}

fn clip(at: usize, size: usize, length: usize) -> (usize, usize) {
    let at = at % length.max(1);
    (at.min(length), at.saturating_add(size).min(length))
}

fn mishap() -> impl Strategy<Value = Mishap> {
    let at = || 0..1_usize << 20;
    let size = || prop_oneof![1..80_usize, 1..3000_usize];
    let garbage = prop_oneof![
        proptest::collection::vec(any::<u8>(), 1..200),
        (1..200_usize).prop_map(|size| vec![2; size]),
        (1..200_usize).prop_map(|size| vec![0; size]),
    ];
    prop_oneof![
        (at(), 0..8_u8).prop_map(|(at, bit)| Mishap::Flip { at, bit }),
        (at(), size()).prop_map(|(at, size)| Mishap::Zero { at, size }),
        (at(), size()).prop_map(|(at, size)| Mishap::Cut { at, size }),
        (at(), garbage).prop_map(|(at, bytes)| Mishap::Insert { at, bytes }),
        (at(), size()).prop_map(|(at, size)| Mishap::Repeat { at, size }),
    ]
}

/// Real segments of every magic, short enough to be walked a thousand times.
fn segments() -> Vec<Vec<u8>> {
    let found: Vec<_> = corpus::segments()
        .into_iter()
        .map(|(_, log)| log)
        .filter(|log| (500..30_000).contains(&log.len()))
        .step_by(5)
        .collect();
    assert!(found.len() > 5);
    found
}

/// A length led past this batch to another one, to the last zeros or to the end of the file, which
/// wins, and the damage tells of it.
fn is_told(log: &[u8], found: &[Piece], span: Span) -> bool {
    let leads_to_the_end = |position: u64| {
        let field = usize::try_from(position).unwrap() + LENGTH_AT;
        let length = log.get(field..).and_then(<[u8]>::first_chunk);
        let length = length.map_or(-1, |bytes| i32::from_be_bytes(*bytes));
        u64::try_from(length + 12).is_ok_and(|size| position + size == log.len() as u64)
    };
    let begins = |at| {
        let batch = |piece: &Piece| matches!(piece, Piece::Batch(next) if next.position == at);
        found.iter().any(batch)
    };
    found.iter().any(|piece| match piece {
        // By chance too: a wrong length that leads to a batch makes a batch, whose checksum tells.
        Piece::Batch(outer) => {
            let is_inside = outer.position < span.position && span.end() <= outer.end();
            is_inside && begins(outer.end())
        }
        Piece::Damage(damage) => {
            let range = damage.position..damage.position + damage.size;
            range.contains(&span.position)
                && (damage.message.contains("where its length leads")
                    || leads_to_the_end(damage.position))
                && damage.message.contains("; inside, ")
        }
    })
}

fn config() -> ProptestConfig {
    ProptestConfig {
        // Found cases become tests of their own, in words.
        failure_persistence: Some(Box::new(FileFailurePersistence::Off)),
        // 256 cases, or as many as PROPTEST_CASES says.
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_byte_is_accounted_for(
        which in 0..1000_usize,
        mishaps in proptest::collection::vec(mishap(), 1..6),
    ) {
        let segments = segments();
        let mut log = segments[which % segments.len()].clone();
        for mishap in &mishaps {
            mishap.happen(&mut log);
        }
        let found = is_accounted_for(&log);
        // However the bytes are reached, the same is seen.
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log");
        fs::write(&path, &log).unwrap();
        for access in [Access::Map, Access::Plain] {
            let (same, _) = pieces(&Source::open(&path, access).unwrap());
            prop_assert_eq!(&same, &found);
        }
    }

    /// After one mishap all batches are found that it did not touch.
    #[test]
    fn batches_away_from_the_damage_are_found(which in 0..1000_usize, mishap in mishap()) {
        let segments = segments();
        let sound = &segments[which % segments.len()];
        let mut log = sound.clone();
        let (from, to) = mishap.happen(&mut log);
        let found = is_accounted_for(&log);
        let shift = i64::try_from(log.len()).unwrap() - i64::try_from(sound.len()).unwrap();
        let mut missing = Vec::new();
        // A zero less in a row of zeros that goes on into the next batch: then it is that one
        // which lacks a byte.
        let mut unharmed = 0;
        for piece in walked(sound) {
            let Piece::Batch(mut span) = piece else { continue };
            let (begin, end) = (span.position, span.end());
            if begin >= to as u64 {
                span.position = span.position.checked_add_signed(shift).unwrap();
            } else if end > from as u64 {
                let own = usize::try_from(begin).unwrap()..usize::try_from(end).unwrap();
                unharmed += usize::from(log.get(own.clone()) == sound.get(own));
                continue;
            }
            if !found.contains(&Piece::Batch(span)) && !is_told(&log, &found, span) {
                missing.push(span);
            }
        }
        prop_assert!(missing.len() <= unharmed, "{:?}: lost {:?}", mishap, missing);
    }
}

#[test]
fn a_sound_segment_is_its_batches() {
    for (path, log) in corpus::segments() {
        if path.contains("cut-tail") || path.contains("crash-prealloc") {
            continue;
        }
        let expected: Vec<_> = split(&log)
            .iter()
            .map(|(at, batch)| (*at as u64, batch.len() as u64, true))
            .collect();
        assert_eq!(places(&log), expected, "{path}");
    }
}

/// Where a piece as long as the last batch is missing, the length in front leads to the file's end.
#[test]
fn a_length_that_leads_to_the_end_by_chance_tells_of_the_batch_inside() {
    let written = [batches::plain(0, &[7; 90]), batches::plain(1, b"value")];
    let [first, last] = written.each_ref().map(Vec::len);
    let mut log = written.concat();
    log.drain(12..12 + last);
    let [Piece::Damage(damage)] = &walked(&log)[..] else {
        panic!("more than one piece of damage");
    };
    assert_eq!((damage.position, damage.size), (0, log.len() as u64));
    let at = first - last + 1;
    let inside = format!(
        "{first} bytes of damage up to the end of the file; inside, 1 record set has a right \
         checksum, the first at position {}: `tail -c +{at}` cuts it out",
        at - 1
    );
    assert!(damage.message.ends_with(&inside), "{}", damage.message);
}

/// Zeros to the end are no place that a length could hit only by being right: a length with a
/// flipped bit leads into preallocated space as well, past everything that was written.
#[test]
fn a_length_that_leads_into_the_tail_hides_no_good_batch() {
    let written: Vec<_> = (0..9)
        .map(|offset| batches::plain(offset, b"value"))
        .collect();
    let size = written[0].len() as u64;
    let torn = &batches::plain(9, &[7; 500])[..300];
    for tail in [vec![0; 1 << 16], [torn, &[1; 90]].concat()] {
        for (length, magic) in [(0x4000 + 60, 2), (0x4000 + 60, 9), (9 * size as i32 - 5, 2)] {
            let mut log = [written.concat(), tail.clone()].concat();
            let victim = usize::try_from(size).unwrap();
            set_length(&mut log, victim, length);
            log[victim + 16] = magic;
            let found = places(&log);
            for number in (0..9).filter(|number| *number != 1) {
                let place = (number * size, size, true);
                assert!(
                    found.contains(&place),
                    "{length} {magic}: {place:?} in {found:?}"
                );
            }
        }
    }
}
