use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Read};
use std::ops::ControlFlow;

use super::inner::{InnerFault, Walked, for_each_inner};
use super::*;
use crate::format::compression::Decompressor;

const NO_LIMIT: u64 = u64::MAX;

macro_rules! golden {
    ($name:literal, $extension:literal) => {
        (
            include_bytes!(concat!("../../../testdata/batches/", $name, $extension)).as_slice(),
            include_str!(concat!("../../../testdata/batches/", $name, ".deep.txt")),
        )
    };
}

const MESSAGES: [(&[u8], &str); 2] = [
    golden!("magic0-plain", ".messages"),
    golden!("magic1-append-time", ".messages"),
];

const WRAPPERS: [(&[u8], &str); 7] = [
    golden!("magic0-gzip", ".batch"),
    golden!("magic0-snappy", ".batch"),
    golden!("magic0-lz4", ".batch"),
    golden!("magic1-gzip", ".batch"),
    golden!("magic1-snappy", ".batch"),
    golden!("magic1-lz4", ".batch"),
    golden!("magic1-gzip-append-time", ".batch"),
];

/// A message as kafka-dump-log prints it in deep iteration.
fn record_line(record: &LegacyRecord<'_>) -> String {
    format!(
        "| offset: {} {}: {} keySize: {} valueSize: {} isValid: {} crc: {}\n",
        record.offset,
        record.timestamp_type,
        record.timestamp,
        record.key_size,
        record.value_size,
        record.is_valid(),
        record.crc,
    )
}

/// A message of a segment as kafka-dump-log prints it; the position is the original segment's.
fn message_line(bytes: &[u8], position: &str) -> String {
    let header = MessageHeader::decode(bytes).unwrap();
    let record = LegacyRecord::decode(bytes).unwrap();
    format!(
        "offset: {} position: {position} {}: {} size: {} magic: {} compresscodec: {} crc: {} \
         isvalid: {}\n",
        header.offset,
        header.timestamp_type(),
        header.timestamp,
        header.size_in_bytes(),
        header.magic,
        header.codec().unwrap(),
        header.crc,
        record.is_valid(),
    )
}

fn positions(dump: &str) -> impl Iterator<Item = &str> {
    dump.lines()
        .filter_map(|line| line.split_once(" position: ")?.1.split(' ').next())
}

fn walk<R: BufRead + io::Seek>(input: &mut R) -> (String, Result<Walked, InnerFault>) {
    let mut lines = String::new();
    let result = for_each_inner(input, &mut Decompressor::new(), NO_LIMIT, &mut |record| {
        lines.push_str(&record_line(record));
        ControlFlow::Continue(())
    });
    (lines, result)
}

fn walk_slice(bytes: &[u8]) -> (String, Result<Walked, InnerFault>) {
    walk(&mut io::Cursor::new(bytes))
}

#[test]
fn messages_read_as_kafka_dumps_them_and_encode_to_themselves() {
    for (mut bytes, dump) in MESSAGES {
        let mut lines = String::new();
        for position in positions(dump) {
            let record = LegacyRecord::decode(bytes).unwrap();
            write!(
                lines,
                "{}{}",
                message_line(bytes, position),
                record_line(&record)
            )
            .unwrap();
            let mut encoded = Vec::new();
            record.encode(&mut encoded);
            let (whole, rest) = bytes.split_at(encoded.len());
            assert_eq!(encoded, whole);
            bytes = rest;
        }
        assert_eq!(lines, dump);
        assert!(bytes.is_empty());
    }
}

#[test]
fn wrappers_open_as_kafka_dumps_them() {
    for (bytes, dump) in WRAPPERS {
        let wrapper = message_line(bytes, positions(dump).next().unwrap());
        // The second input is a file reader with other bytes in front and behind.
        let framed = [b"before", bytes, b"behind"].concat();
        let mut file = BufReader::with_capacity(5, io::Cursor::new(framed));
        file.read_exact(&mut [0; 6]).unwrap();
        for (lines, result) in [walk_slice(bytes), walk(&mut file)] {
            let messages = lines.lines().count() as u64;
            assert_eq!(result.unwrap(), Walked { messages, cut: 0 });
            assert_eq!(format!("{wrapper}{lines}"), dump);
        }
    }
}

#[test]
fn a_visitor_may_break_off() {
    let mut seen = 0;
    let mut input = io::Cursor::new(WRAPPERS[3].0);
    let walked = for_each_inner(&mut input, &mut Decompressor::new(), NO_LIMIT, &mut |_| {
        seen += 1;
        if seen == 3 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    let expected = Walked {
        messages: 3,
        cut: 0,
    };
    assert_eq!((walked.unwrap(), seen), (expected, 3));
}

#[test]
fn a_message_above_the_limit_is_told_and_those_before_it_are_given() {
    let (bytes, dump) = WRAPPERS[3];
    let mut offsets = Vec::new();
    // The first message takes 22 bytes, key and value; the limit is one that a later one breaks.
    let mut input = io::Cursor::new(bytes);
    let fault = for_each_inner(&mut input, &mut Decompressor::new(), 32, &mut |record| {
        offsets.push(record.offset);
        ControlFlow::Continue(())
    })
    .unwrap_err();
    let InnerFault::TooLarge { size, limit, .. } = fault else {
        panic!("{fault}");
    };
    assert!(size > limit && limit == 32);
    assert!(offsets.len() < dump.lines().count() - 1);
}

/// A message of magic 1 with the right checksum, out of labelled parts.
fn message(offset: i64, magic: u8, attributes: i8, timestamp: i64, value: &[u8]) -> Vec<u8> {
    let mut checked = vec![magic];
    checked.extend(attributes.to_be_bytes());
    if magic == 1 {
        checked.extend(timestamp.to_be_bytes());
    }
    checked.extend((-1_i32).to_be_bytes());
    checked.extend((value.len() as i32).to_be_bytes());
    checked.extend(value);
    let mut bytes = offset.to_be_bytes().to_vec();
    bytes.extend((checked.len() as i32 + 4).to_be_bytes());
    bytes.extend(Kind::Crc32.of(&checked).to_be_bytes());
    bytes.extend(checked);
    bytes
}

/// A wrapper around `inside` with one bare snappy block of literals, which needs no encoder.
fn wrapper(offset: i64, magic: u8, attributes: i8, timestamp: i64, inside: &[u8]) -> Vec<u8> {
    assert!(inside.len() < 1 << 14);
    let length = inside.len();
    let mut value = vec![(length & 0x7f) as u8 | 0x80, (length >> 7) as u8];
    for literal in inside.chunks(60) {
        value.push(((literal.len() - 1) << 2) as u8);
        value.extend(literal);
    }
    message(offset, magic, attributes | 2, timestamp, &value)
}

fn fault(bytes: &[u8]) -> InnerFault {
    walk_slice(bytes).1.unwrap_err()
}

#[test]
fn offsets_in_magic_1_count_back_from_the_wrapper() {
    // Compaction has taken messages 0 and 2 away: the distances stay.
    let inside = [message(1, 1, 0, 7, b"a"), message(3, 1, 0, 9, b"b")].concat();
    for (offset, first) in [(103, 101), (3, 1), (0, 1)] {
        let (lines, result) = walk_slice(&wrapper(offset, 1, 0, 9, &inside));
        assert!(
            lines.starts_with(&format!("| offset: {first} CreateTime: 7 ")),
            "{lines}"
        );
        assert_eq!(result.unwrap().messages, 2);
    }
    let InnerFault::Wrapper(found) = fault(&wrapper(2, 1, 0, 9, &inside)) else {
        panic!("the wrapper's offset is below the last message's");
    };
    assert_eq!((found.field, found.at), ("offset", 0));
}

#[test]
fn a_message_of_the_other_magic_is_read_as_kafka_reads_it() {
    let old = wrapper(1, 1, 8, 5, &message(0, 0, 0, -1, b"a"));
    assert!(
        walk_slice(&old)
            .0
            .starts_with("| offset: 1 NoTimestampType: -1 ")
    );
    // The type comes from the wrapper, which has none, and the timestamp from the message.
    let new = wrapper(1, 0, 0, -1, &message(0, 1, 8, 5, b"a"));
    assert!(
        walk_slice(&new)
            .0
            .starts_with("| offset: 0 NoTimestampType: 5 ")
    );
}

#[test]
fn a_message_set_cut_short_ends_without_a_fault() {
    let inside = [message(0, 1, 0, 7, b"a"), message(1, 1, 0, 9, b"b")].concat();
    let whole = message(0, 1, 0, 7, b"a").len();
    for length in whole..inside.len() {
        let (lines, result) = walk_slice(&wrapper(10, 1, 0, 9, &inside[..length]));
        let cut = (length - whole) as u64;
        assert_eq!(result.unwrap(), Walked { messages: 1, cut });
        assert!(lines.starts_with("| offset: 10 "));
    }
    for length in 1..whole {
        let found = fault(&wrapper(10, 1, 0, 9, &inside[..length]));
        assert!(matches!(found, InnerFault::Message(_)), "{found}");
    }
}

#[test]
fn what_kafka_refuses_inside_is_refused_at_its_place() {
    let first = message(0, 0, 0, -1, b"a");
    let mut magic_2 = message(1, 0, 0, -1, b"b");
    magic_2[MAGIC_AT] = 2;
    let mut small = message(1, 0, 0, -1, b"b");
    small[SIZE_AT + 3] = 13;
    let mut long_value = message(1, 0, 0, -1, b"b");
    long_value[HEADER_LENGTH_V0 + 7] = 2;
    for (second, field, at) in [
        (message(1, 0, 2, -1, b"b"), "attributes", ATTRIBUTES_AT),
        (magic_2, "magic", MAGIC_AT),
        (small, "size", SIZE_AT),
        (long_value, "value", HEADER_LENGTH_V0 + 8),
    ] {
        let inside = [&first[..], &second].concat();
        let (lines, result) = walk_slice(&wrapper(1, 0, 0, -1, &inside));
        assert_eq!(lines.lines().count(), 1);
        let Err(InnerFault::Message(found)) = result else {
            panic!("{field} was taken");
        };
        assert_eq!((found.field, found.at), (field, first.len() + at));
    }
}

#[test]
fn a_wrapper_that_is_none_is_refused() {
    let plain = message(0, 1, 0, 1, b"a");
    let zstd = message(0, 1, 4, 1, b"a");
    let mut null = message(0, 1, 1, 1, b"");
    let at = null.len() - 4;
    null[at..].copy_from_slice(&[0xff; 4]);
    let mut reaches_out = wrapper(0, 1, 0, 1, &plain);
    reaches_out[SIZE_AT + 3] -= 1;
    for (bytes, field) in [
        (plain, "attributes"),
        (zstd, "attributes"),
        (null, "valueSize"),
        (reaches_out, "valueSize"),
    ] {
        let InnerFault::Wrapper(found) = fault(&bytes) else {
            panic!("{field} was taken");
        };
        assert_eq!(found.field, field);
    }
    assert!(matches!(
        fault(&message(0, 1, 1, 1, b"a")),
        InnerFault::Compressed(_)
    ));
}

#[test]
fn truncated_anywhere_and_with_any_bit_flipped_it_ends() {
    for (bytes, _) in MESSAGES.into_iter().chain(WRAPPERS) {
        let record = LegacyRecord::decode(bytes).unwrap();
        let whole = MessageHeader::decode(bytes).unwrap().size_in_bytes() as usize;
        assert!(record.is_valid());
        for length in 0..whole {
            assert!(LegacyRecord::decode(&bytes[..length]).is_err());
            walk_slice(&bytes[..length]).1.unwrap_err();
        }
        let mut flipped = bytes[..whole].to_vec();
        for bit in 0..whole * 8 {
            flipped[bit / 8] ^= 1 << (bit % 8);
            if let Ok(record) = LegacyRecord::decode(&flipped) {
                // Offset and size are under no checksum.
                assert_eq!(record.is_valid(), bit < SIZE_AT * 8);
            }
            let _ = walk_slice(&flipped);
            flipped[bit / 8] ^= 1 << (bit % 8);
        }
    }
}
