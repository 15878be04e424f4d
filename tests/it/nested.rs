//! Logs whose values are batches themselves: these are never the log's, as far as bytes can tell.

use crate::batches::{self, Batch, CRC_AT, HEADER, LEADER_EPOCH_AT, MAGIC_AT, message, set_length};
use crate::jsonl::Reason;
use crate::told::{pieces, tells};

const NAME: &str = "00000000000000000000.log";

/// A value as a backup of a topic has it: three batches, one behind the other.
pub(crate) fn value() -> Vec<u8> {
    (0..3)
        .flat_map(|n| batches::plain(n, b"inner value"))
        .collect()
}

/// A batch whose values are batches.
pub(crate) fn outer(base_offset: i64) -> Batch {
    let value = value();
    let batch = Batch::new(base_offset)
        .record(Some(b"k"), Some(&value))
        .record(None, Some(b"between"));
    batch.record(Some(b"key"), Some(&value))
}

/// Only the size field is wrong; key and value say where the message ends.
#[test]
fn a_message_without_its_size_ends_where_its_value_ends() {
    for magic in [0, 1] {
        let sound = message(magic, 10, &value());
        let behind = [11, 12].map(|offset| message(magic, offset, b"next"));
        for size in [0, 13, 30, sound.len() - 13, sound.len() - 11, 8 << 20] {
            let mut damaged = sound.clone();
            set_length(&mut damaged, size);
            let log = [&damaged, &behind[0], &behind[1]]
                .map(Vec::as_slice)
                .concat();
            let [next, last] = [sound.len(), sound.len() + behind[0].len()];
            let expected = [
                format!("0+{next} bad-batch-header"),
                format!("{next}+{} batch 11..11", last - next),
                format!("{last}+{} batch 12..12", log.len() - last),
            ];
            let expected: Vec<_> = expected.iter().map(String::as_str).collect();
            let dump = tells(NAME, &log, &expected, Reason::EndOfFile);
            let message = &dump.damage().next().unwrap().message;
            assert!(message.contains("where its records end"), "{message}");
        }
    }
    // Two sizes that contradict one another and lead nowhere are no evidence of a cut.
    let mut damaged = message(1, 10, b"value");
    let size = damaged.len();
    damaged[30..34].copy_from_slice(&(8_i32 << 20).to_be_bytes());
    set_length(&mut damaged, 4 << 20);
    let log = [damaged, message(1, 11, b"next")].concat();
    let (dump, _) = crate::jsonl::dump_of(NAME, &log);
    assert_eq!(pieces(&dump)[0], format!("0+{size} bad-batch-header"));
}

fn break_checksum(batch: &mut [u8]) {
    let at = if batch[MAGIC_AT] == 2 { CRC_AT } else { 12 };
    batch[at] ^= 1;
}

type Change = (&'static str, fn(&mut Vec<u8>));

/// What may be wrong with the first of two neighbours.
const FIRST: [Change; 4] = [
    ("checksum", |batch| break_checksum(batch)),
    ("length 0", |batch| set_length(batch, 0)),
    ("length", |batch| set_length(batch, 70)),
    ("magic", |batch| batch[MAGIC_AT] = 7),
];

/// What may be wrong with the second.
const SECOND: [Change; 4] = [
    ("magic", |batch| batch[MAGIC_AT] = 7),
    ("length 0", |batch| set_length(batch, 0)),
    ("length", |batch| set_length(batch, 1 << 30)),
    ("checksum and leader epoch", |batch| {
        batch[LEADER_EPOCH_AT] ^= 5;
        break_checksum(batch);
    }),
];

/// The second is damaged as well, and tells by its length or records that it begins there.
#[test]
fn two_damaged_neighbours_let_no_batch_of_a_value_out() {
    let lone = Batch::new(10).record(None, Some(&value())).encode();
    let behind = Batch::new(20).record(None, Some(b"next")).encode();
    // Said to be compressed: nothing is known of it but its length.
    let packed = Batch {
        attributes: 1,
        ..outer(10)
    };
    let packed = packed.encode();
    let plain = batches::plain(30, b"last");
    let old = |offset, value: &[u8]| message(1, offset, value);
    for (first, second, last) in [
        (outer(10).encode(), &behind, &plain),
        (lone, &behind, &plain),
        (packed, &behind, &plain),
        (old(10, &value()), &old(20, b"behind"), &old(30, b"last")),
        (old(10, &value()), &outer(20).encode(), &plain),
    ] {
        for (what, change) in FIRST {
            for (and, also) in SECOND {
                let is_packed = first[HEADER - 39] == 1 && first[MAGIC_AT] == 2;
                let are_old = second[MAGIC_AT] == 1;
                if is_packed && what.starts_with("length") {
                    continue;
                }
                if are_old && what != "checksum" && and.starts_with("length") {
                    continue; // Nothing is left that says where the first ends.
                }
                let [mut one, mut other] = [first.clone(), second.clone()];
                change(&mut one);
                also(&mut other);
                let log = [&one, &other, last].map(Vec::as_slice).concat();
                let (dump, _) = crate::jsonl::dump_of(NAME, &log);
                let begins: Vec<_> = dump.batches().map(|batch| batch.position).collect();
                let places = [0, one.len(), one.len() + other.len()].map(|at| at as u64);
                assert!(
                    begins.iter().all(|at| places.contains(at)) && begins.contains(&places[2]),
                    "{what}, {and} of magic {}: {begins:?}",
                    first[MAGIC_AT]
                );
            }
        }
    }
}

/// One hole takes the end of a batch and the header behind it; length and records still agree.
#[test]
fn a_hole_across_two_batches_lets_no_batch_of_a_value_out() {
    let last = batches::plain(30, b"last");
    for first in [
        outer(10).encode(),
        message(1, 10, &[&value()[..], &[7; 20]].concat()),
    ] {
        for lost in [7, 15, 40] {
            let mut log = [&first[..], &batches::plain(20, b"next"), &last].concat();
            let end = log.len() - last.len();
            log[first.len() - lost..first.len() + 61].fill(0);
            let (dump, _) = crate::jsonl::dump_of(NAME, &log);
            let told = pieces(&dump);
            assert_eq!(told.len(), 2, "{lost}: {told:?}");
            assert_eq!(told[0], format!("0+{end} bad-batch-header"));
        }
    }
}

/// Bytes of a record are missing: what follows is the log's, wherever the sizes lead.
#[test]
fn batches_behind_a_record_that_lost_bytes_are_the_logs() {
    let good: Vec<u8> = (20..40).flat_map(|n| batches::plain(n, b"good")).collect();
    for size in 900..1100 {
        let whole = batches::plain(10, &vec![7; size]);
        let step = good.len() / 20;
        for kept in [80, 161] {
            if (whole.len() - kept).is_multiple_of(step) {
                continue; // Its length leads to one of them, so it is a batch.
            }
            let log = [&whole[..kept], &good].concat();
            let (dump, _) = crate::jsonl::dump_of(NAME, &log);
            assert_eq!(
                pieces(&dump)[0],
                format!("0+{kept} bad-batch-header"),
                "{size}"
            );
            assert_eq!(dump.batches().count(), 20, "{size}");
        }
    }
}

/// The same where the length leads to bytes that look like a damaged neighbour: the blocks of
/// snappy-java have a length that leads to their end, which is often the batch's.
#[test]
fn a_batch_across_a_damaged_neighbour_says_that_there_is_none() {
    let inner = [
        &[0, 0, 0, 1, 0, 0, 0, 1][..],
        &58_i32.to_be_bytes(),
        &[0; 58],
    ]
    .concat();
    let next = Batch {
        attributes: 2,
        payload: [&b"\x82SNAPPY\0"[..], &inner].concat(),
        ..Batch::new(20)
    };
    let (next, last) = (next.encode(), batches::plain(30, b"last"));
    for leader_epoch in [0, 1] {
        let whole = Batch {
            leader_epoch,
            ..Batch::new(10)
        };
        let whole = whole.record(None, Some(&[7; 200])).encode();
        let kept = whole.len() - HEADER - 8;
        let log = [&whole[..kept], &next, &last].concat();
        let (dump, _) = crate::jsonl::dump_of(NAME, &log);
        let expected = [
            format!("0+{kept} bad-batch-header"),
            format!("{kept}+{} batch 20..20", next.len()),
        ];
        assert_eq!(pieces(&dump)[..2], expected);
    }
}

/// Where length, records and what follows are all damaged the bytes do not tell.
#[test]
fn without_a_length_and_a_neighbour_the_first_that_checksums_wins() {
    let mut first = Batch::new(10).record(None, Some(&value())).encode();
    set_length(&mut first, 0);
    let log = [&first[..], &[0xee; 90], &batches::plain(30, b"last")].concat();
    let (dump, _) = crate::jsonl::dump_of(NAME, &log);
    assert_eq!(dump.batches().count(), 3 + 1);
}

/// A wrong length leads from a batch past sound ones to another: a batch by the rules, and the
/// damage says what it swallowed.
#[test]
fn a_wrong_checksum_tells_the_sound_batches_inside() {
    let lost = [2, 3].map(|offset| batches::plain(offset, b"value"));
    let next = batches::plain(4, b"value");
    for first in [
        batches::plain(1, b"value"),
        outer(1).encode(),
        message(1, 1, &value()),
    ] {
        let at = first.len();
        let mut raised = first.clone();
        set_length(&mut raised, at + lost.concat().len() - 12);
        let log = [&raised, &lost[0], &lost[1], &next]
            .map(Vec::as_slice)
            .concat();
        let (dump, _) = crate::jsonl::dump_of(NAME, &log);
        let damage: Vec<_> = dump.damage().collect();
        assert_eq!(damage[0].code, "crc-mismatch");
        let expected = format!(
            "; inside, 2 record sets have a right checksum, the first at position {at}: `tail -c \
             +{}` cuts it out",
            at + 1
        );
        assert!(
            damage[0].message.ends_with(&expected),
            "{}",
            damage[0].message
        );
        // What its own values hold is not told.
        let mut flipped = first;
        *flipped.last_mut().unwrap() ^= u8::from(flipped[MAGIC_AT] == 1);
        break_checksum(&mut flipped);
        let (dump, _) = crate::jsonl::dump_of(NAME, &[&flipped[..], &next].concat());
        for damage in dump.damage() {
            assert!(!damage.message.contains("inside"), "{}", damage.message);
        }
    }
}
