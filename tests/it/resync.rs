//! Where the walk goes on behind damage, and what it believes: batches that lie in values, lengths
//! that are off by a little, batches that lead nowhere.

use kfsck::format::frame::Frame;
use kfsck::storage::segment::walk::{Piece, Walk};
use kfsck::storage::source::Source;

use crate::batches::{self, Batch, CRC_AT, HEADER, MAGIC_AT, message, set_length};
use crate::jsonl::Reason;
use crate::nested::{outer, value};
use crate::told::{pieces, tells};

const NAME: &str = "00000000000000000000.log";

#[test]
fn batches_in_the_values_of_a_batch_that_was_cut_are_not_the_logs() {
    let first = batches::plain(0, b"a");
    for last in [outer(1).encode(), message(1, 1, &value().repeat(3))] {
        for length in 1..last.len() {
            let tail = &last[..length];
            let log = [&first[..], tail].concat();
            let place = format!("{}+{length}", first.len());
            let (code, reason) = match tail.iter().all(|byte| *byte == 0) {
                true => ("zero-tail", Reason::ZeroTail),
                false => ("truncated-tail", Reason::TruncatedTail),
            };
            let expected = [
                format!("0+{} batch 0..0", first.len()),
                format!("{place} {code}"),
            ];
            if length % 40 == 0 {
                let expected: Vec<_> = expected.iter().map(String::as_str).collect();
                tells(NAME, &log, &expected, reason);
            }
            let (dump, _) = crate::jsonl::dump_of(NAME, &log);
            assert_eq!(pieces(&dump), expected, "cut to {length}");
        }
    }
}

/// The batch in front of the tail has a wrong checksum, so its length is believed only when no
/// good batch lies behind its records.
#[test]
fn batches_in_the_values_in_front_of_a_tail_are_not_the_logs() {
    let sound = outer(5).encode();
    let size = sound.len();
    let cut = &outer(8).encode()[..size - 20];
    for (tail, code, reason) in [
        (&[0; 100][..], "zero-tail", Reason::ZeroTail),
        (cut, "truncated-tail", Reason::TruncatedTail),
    ] {
        // A bit of the checksum; of a value, which no size depends on; of the first record's
        // timestamp.
        for at in [17, HEADER + 40, HEADER + 3] {
            let mut damaged = sound.clone();
            damaged[at] ^= 1;
            let log = [&damaged, tail].concat();
            let expected = [
                format!("0+{size} batch 5..7 invalid"),
                "0+0 crc-mismatch".to_owned(),
                format!("{size}+{} {code}", tail.len()),
            ];
            let expected: Vec<_> = expected.iter().map(String::as_str).collect();
            tells(NAME, &log, &expected, reason);
        }
    }
    // A batch without batches inside, of which no record can be read, in front of one with them.
    let mut damaged = batches::plain(5, b"value");
    damaged[HEADER..].fill(0xff);
    let size = damaged.len();
    let log = [&damaged, cut].concat();
    let (dump, _) = crate::jsonl::dump_of(NAME, &log);
    let told = pieces(&dump);
    assert_eq!(told[0], format!("0+{size} batch 5..5 invalid"));
    assert_eq!(
        told.last().unwrap(),
        &format!("{size}+{} truncated-tail", cut.len())
    );
}

/// Where the records do not tell, the first that checksums and leads on is believed.
#[test]
fn without_evidence_the_first_that_checksums_wins() {
    // Said to be compressed: its bytes are no records.
    let last = Batch {
        attributes: 1,
        ..outer(1)
    };
    let log = last.encode();
    let at = HEADER + log[HEADER..].windows(8).position(|w| *w == [0; 8]).unwrap();
    let log = &log[..log.len() - 30];
    let (dump, _) = crate::jsonl::dump_of(NAME, log);
    let told = pieces(&dump);
    assert_eq!(told[0], format!("0+{at} bad-batch-header"));
    assert!(told[1].ends_with(" batch 0..0"), "{told:?}");
    // The sizes of its record contradict one another: what follows may be the log's own.
    let good = [batches::plain(2, b"b"), batches::plain(3, b"c")].concat();
    for change in [
        |batch: &mut Vec<u8>| batch[HEADER] = 0x7e,
        |batch: &mut Vec<u8>| {
            let at = batch.len() - 7;
            batch[at] = 0x7e;
        },
        // A record of 6616 bytes by its size; null key, null value and a header tell of ten.
        |batch: &mut Vec<u8>| {
            let record = [0xac, 0x67, 0, 0, 0, 1, 1, 2, 2, b'k', 2, b'v'];
            batch[HEADER..][..record.len()].copy_from_slice(&record);
        },
    ] {
        let mut damaged = batches::plain(1, b"value");
        let size = damaged.len();
        change(&mut damaged);
        set_length(&mut damaged, 0x7fff_fff0);
        let log = [damaged, good.clone()].concat();
        let (dump, _) = crate::jsonl::dump_of(NAME, &log);
        assert_eq!(pieces(&dump)[0], format!("0+{size} bad-batch-header"));
        assert_eq!(dump.batches().count(), 2);
    }
}

/// A length is wrong and all else right: the damage is that batch and no byte more.
#[test]
fn a_batch_without_its_length_ends_where_its_records_end() {
    let size = outer(1).encode().len();
    let cut = &outer(9).encode()[..size - 20];
    let next = batches::plain(4, b"next");
    for (behind, told) in [(&next[..], "batch 4..4"), (cut, "truncated-tail")] {
        let mut damaged = outer(1).encode();
        set_length(&mut damaged, 13);
        let log = [&damaged, behind].concat();
        let (dump, _) = crate::jsonl::dump_of(NAME, &log);
        let expected = [
            format!("0+{size} bad-batch-header"),
            format!("{size}+{} {told}", behind.len()),
        ];
        assert_eq!(pieces(&dump), expected);
        let message = &dump.damage().next().unwrap().message;
        assert!(
            message.contains("at least 49 (magic 2), found 13"),
            "{message}"
        );
        assert!(message.contains("where its records end"), "{message}");
    }
}

/// The least length of a batch is its magic's.
#[test]
fn a_length_that_is_too_small_is_told_with_the_least_one() {
    for (magic, least) in [(0, 14), (1, 22), (2, 49)] {
        for length in [0, 13, least - 1] {
            let mut batch = batches::plain(0, b"a");
            batch[MAGIC_AT] = magic;
            set_length(&mut batch, length);
            let (dump, _) = crate::jsonl::dump_of(NAME, &batch);
            let message = &dump.damage().next().unwrap().message;
            let expected = format!("at least {least} (magic {magic}), found {length};");
            assert!(message.contains(&expected), "{message}");
        }
    }
}

#[test]
fn damage_tells_the_good_batches_inside() {
    let [garbage, more] = [&[0xee; 40][..], &[0xdd; 50]];
    // Two that lead nowhere; the second holds another in its value, which does not count.
    let alone = batches::plain(1, b"alone");
    let nested = batches::plain(2, &alone);
    let good = batches::plain(3, b"good");
    let first = batches::plain(0, b"a");
    let at = first.len() + garbage.len();
    for (tail, ending) in [
        (&good[..], "bytes of damage up to position"),
        (&[], "bytes of damage up to the end"),
    ] {
        let inside = [garbage, &alone, more, &nested, more].concat();
        let log = [&first[..], &inside, tail].concat();
        let (dump, run) = crate::jsonl::dump_of(NAME, &log);
        assert_eq!(
            pieces(&dump)[1],
            format!("{}+{} garbage", first.len(), inside.len()),
            "{}",
            run.stderr
        );
        let message = &dump.damage().next().unwrap().message;
        assert!(message.contains(ending), "{message}");
        let expected = format!(
            "inside, 2 record sets have a right checksum, the first at position {at}: \
             `tail -c +{}` cuts it out",
            at + 1
        );
        assert!(message.contains(&expected), "{message}");
    }
    let log = [&first[..], garbage, &alone, more, &good].concat();
    let (dump, _) = crate::jsonl::dump_of(NAME, &log);
    let message = &dump.damage().next().unwrap().message;
    let expected =
        format!("inside, 1 record set has a right checksum, the first at position {at}:");
    assert!(message.contains(&expected), "{message}");
    let log = [&first[..], garbage, more, &good].concat();
    let (dump, _) = crate::jsonl::dump_of(NAME, &log);
    let message = &dump.damage().next().unwrap().message;
    assert!(!message.contains("inside"), "{message}");
}

/// A length that leads past a good batch to another one is believed, and the damage says so.
#[test]
fn damage_tells_the_good_batches_that_its_length_leads_past() {
    let [lost, next] = [2, 3].map(|offset| batches::plain(offset, b"value"));
    let mut damaged = batches::plain(1, b"value");
    let at = damaged.len();
    set_length(&mut damaged, at + lost.len() - 12);
    damaged[MAGIC_AT] = 7;
    for (log, sizes) in [
        ([&damaged[..], &lost, &next].concat(), 2),
        ([&damaged[..], &lost].concat(), 1),
    ] {
        let (dump, _) = crate::jsonl::dump_of(NAME, &log);
        let told = pieces(&dump);
        assert_eq!(told.len(), sizes);
        assert_eq!(told[0], format!("0+{} bad-batch-header", at + lost.len()));
        let message = &dump.damage().next().unwrap().message;
        let expected =
            format!("inside, 1 record set has a right checksum, the first at position {at}:");
        assert!(message.contains(&expected), "{message}");
    }
}

/// A length that is off by a few bytes leads into the next batch, where bytes may frame by
/// accident. Neither that one nor any other is lost by it.
#[test]
fn a_length_that_is_off_by_a_little_costs_no_other_batch() {
    let mut framed = 0;
    for leader_epoch in [-1, 0, 1, 2, 0x0102, 0x0202_0202] {
        for (first, size) in [(0, 40), (1, 300), (250, 300), (1 << 20, 60_000)] {
            let parts: Vec<_> = (0..4)
                .map(|number| {
                    let value = vec![0; size + usize::try_from(number).unwrap()];
                    let batch = Batch {
                        leader_epoch,
                        ..Batch::new(first + number)
                    };
                    batch.record(None, Some(&value)).encode()
                })
                .collect();
            for off in (1..=48).flat_map(|off| [-off, off]) {
                let mut damaged = parts[1].clone();
                let length = damaged.len().checked_add_signed(off).unwrap() - 12;
                if length < 49 {
                    continue;
                }
                set_length(&mut damaged, length);
                let log = [&parts[0], &damaged, &parts[2], &parts[3]].map(Vec::as_slice);
                let log = log.concat();
                let misread = parts[0].len() + length + 12;
                framed += usize::from(frames(&log[misread..]));
                let source = Source::from_bytes("log", log);
                let found = starts(&source);
                for number in [0, 2, 3] {
                    let at: usize = parts[..number].iter().map(Vec::len).sum();
                    assert!(
                        found.contains(&at),
                        "epoch {leader_epoch}, offset {first}, {off} off: {found:?}"
                    );
                }
            }
        }
    }
    assert!(framed > 30, "{framed} accidents");
}

/// The same where the bytes in the next batch look like another of its magic: the checksum has a 2
/// where the magic is misread. Far behind lies the end of the file, as the length misread needs it.
#[test]
fn a_checksum_that_is_misread_as_a_magic_costs_no_batch() {
    let far = batches::plain(9, &vec![0; 9 << 20]);
    for off in [1, 2] {
        let next = (0..10_000)
            .map(|timestamp| Batch {
                timestamp,
                ..Batch::new(8)
            })
            .map(|batch| batch.record(None, Some(b"next")).encode())
            .find(|batch| batch[CRC_AT + off - 1] == 2)
            .unwrap();
        assert!(frames(&[&next[off..], &far].concat()));
        let mut damaged = batches::plain(7, b"value");
        let length = damaged.len() - 12 + off;
        set_length(&mut damaged, length);
        let log = [&damaged[..], &next, &far].concat();
        let (at, behind) = (damaged.len(), damaged.len() + next.len());
        let found = starts(&Source::from_bytes("log", log));
        assert_eq!(found, [at, behind], "{off} off");
    }
}

fn frames(bytes: &[u8]) -> bool {
    let frame = Frame::decode(bytes.first_chunk().unwrap());
    frame.size().is_some_and(|size| size <= bytes.len() as u64)
}

/// Where sound batches of the log begin, as far as the walk gives them as pieces.
fn starts(source: &Source) -> Vec<usize> {
    let mut walk = Walk::new(source);
    let mut found = Vec::new();
    while let Some(piece) = walk.next_piece().unwrap() {
        if let Piece::Batch(span) = piece {
            found.push(usize::try_from(span.position).unwrap());
        }
    }
    found
}

/// Two neighbours with wrong checksums are batches all the same, also where one does not look like
/// the successor of the other: no good batch says that a length is wrong.
#[test]
fn neighbours_with_wrong_checksums_are_batches() {
    let sizes: Vec<_> = [(5, 0), (5, 0), (3, 1), (4, 0)]
        .into_iter()
        .map(|(offset, leader_epoch)| {
            let batch = Batch {
                leader_epoch,
                ..Batch::new(offset)
            };
            let mut batch = batch.record(None, Some(b"value")).encode();
            batch[HEADER + 8] ^= 1;
            batch
        })
        .collect();
    let log = sizes.concat();
    let (dump, _) = crate::jsonl::dump_of(NAME, &log);
    let found: Vec<_> = dump.batches().map(|batch| batch.is_valid).collect();
    assert_eq!(found, [false; 4]);
    assert!(dump.damage().all(|damage| damage.size_in_bytes == 0));
}

/// A length that leads to where the zeros of a preallocated file begin is right: one wrong byte
/// does not let the batches of a value out.
#[test]
fn one_wrong_byte_in_front_of_zeros_lets_no_batch_of_a_value_out() {
    let first = batches::plain(0, b"first");
    let last = outer(1).encode();
    for at in [MAGIC_AT, CRC_AT + 4, HEADER, HEADER + 4] {
        let mut log = [&first[..], &last, &[0; 300]].concat();
        log[first.len() + at] ^= 0x85;
        let source = Source::from_bytes("log", log);
        let mut walk = Walk::new(&source);
        let mut begins = Vec::new();
        while let Some(piece) = walk.next_piece().unwrap() {
            begins.push(match piece {
                Piece::Batch(span) => span.position,
                Piece::Damage(damage) => damage.position,
            });
        }
        let [first, last] = [first.len(), first.len() + last.len()].map(|at| at as u64);
        assert_eq!(begins, [0, first, last], "byte {at} of the last batch");
    }
}
