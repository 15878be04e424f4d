use std::io::{self, BufRead, BufReader, Read, Write};

use super::*;
use crate::format::malformed::Problem;

mod bombs;

/// A batch as Kafka wrote it, and what Kafka's own classes decompress it to.
struct Golden {
    codec: Codec,
    magic: u8,
    batch: &'static [u8],
    /// Where the compressed bytes begin.
    start: usize,
    length: usize,
    crc: u32,
}

impl Golden {
    fn compressed(&self) -> &'static [u8] {
        &self.batch[self.start..]
    }
}

macro_rules! golden {
    ($((
        $file:literal, $codec:expr, $magic:literal, $start:literal, $length:literal, $crc:literal
    ),)*) => {
        [$(Golden {
            codec: $codec,
            magic: $magic,
            batch: include_bytes!(concat!("../../../testdata/batches/", $file)),
            start: $start,
            length: $length,
            crc: $crc,
        }),*]
    };
}

const GOLDEN: [Golden; 11] = golden![
    ("magic2-gzip.batch", Codec::Gzip, 2, 61, 89620, 0x7be1_8db3),
    (
        "magic2-snappy.batch",
        Codec::Snappy,
        2,
        61,
        397,
        0x5e00_cf75
    ),
    ("magic2-lz4.batch", Codec::Lz4, 2, 61, 89620, 0xb4e2_b270),
    ("magic2-zstd.batch", Codec::Zstd, 2, 61, 89620, 0x48d7_325f),
    ("magic0-gzip.batch", Codec::Gzip, 0, 26, 184, 0xff2c_002a),
    (
        "magic0-snappy.batch",
        Codec::Snappy,
        0,
        26,
        198,
        0xa4ba_46ac
    ),
    ("magic0-lz4.batch", Codec::Lz4, 0, 26, 443, 0x1e5c_a462),
    ("magic1-gzip.batch", Codec::Gzip, 1, 34, 438, 0xbe58_1619),
    (
        "magic1-snappy.batch",
        Codec::Snappy,
        1,
        34,
        478,
        0x6bc7_dcf5
    ),
    ("magic1-lz4.batch", Codec::Lz4, 1, 34, 372, 0xc809_d5b7),
    (
        "magic1-gzip-append-time.batch",
        Codec::Gzip,
        1,
        34,
        334,
        0xd04b_e9c1
    ),
];

fn golden(codec: Codec, magic: u8) -> &'static Golden {
    const { &GOLDEN }
        .iter()
        .find(|golden| (golden.codec, golden.magic) == (codec, magic))
        .unwrap()
}

fn inflate_from(
    decompressor: &mut Decompressor,
    codec: Codec,
    magic: u8,
    input: &mut dyn BufRead,
) -> (Vec<u8>, io::Result<usize>) {
    let mut bytes = Vec::new();
    let result = decompressor
        .open(codec, magic, input)
        .read_to_end(&mut bytes);
    (bytes, result)
}

fn inflate(codec: Codec, magic: u8, mut input: &[u8]) -> io::Result<Vec<u8>> {
    let (bytes, result) = inflate_from(&mut Decompressor::new(), codec, magic, &mut input);
    result.map(|_| bytes)
}

fn problem(codec: Codec, magic: u8, input: &[u8]) -> Problem {
    let error = inflate(codec, magic, input).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{error}");
    malformed(&error).unwrap().problem.clone()
}

#[test]
fn what_kafka_wrote_opens_to_what_kafka_reads() {
    let mut decompressor = Decompressor::new();
    for golden in &GOLDEN {
        for buffer in [1, 7, 8192] {
            let mut input = BufReader::with_capacity(buffer, golden.compressed());
            let (bytes, result) =
                inflate_from(&mut decompressor, golden.codec, golden.magic, &mut input);
            result.unwrap();
            assert_eq!(bytes.len(), golden.length, "{:?}", golden.codec);
            assert_eq!(
                crate::format::crc::Kind::Crc32.of(&bytes),
                golden.crc,
                "{:?}",
                golden.codec
            );
        }
    }
}

/// One for each thread of a pool.
#[test]
fn a_decompressor_may_move_to_another_thread() {
    fn moves<T: Send>() {}
    moves::<Decompressor>();
}

#[test]
fn stored_bytes_pass_through() {
    assert_eq!(inflate(Codec::None, 2, b"as it is").unwrap(), b"as it is");
}

#[test]
fn refills_are_large_enough_for_most_records() {
    for codec in [Codec::Gzip, Codec::Lz4, Codec::Zstd] {
        let mut decompressor = Decompressor::new();
        let mut input = golden(codec, 2).compressed();
        let mut inflated = decompressor.open(codec, 2, &mut input);
        assert!(inflated.fill_buf().unwrap().len() >= ENOUGH, "{codec}");
    }
}

/// A batch left in the middle, or broken, must leave nothing behind for the next one.
#[test]
fn a_batch_left_early_does_not_touch_the_next() {
    let mut decompressor = Decompressor::new();
    for first in &GOLDEN {
        for second in &GOLDEN {
            let mut input = &first.compressed()[..first.compressed().len() / 2];
            let mut inflated = decompressor.open(first.codec, first.magic, &mut input);
            let _ = inflated.fill_buf();
            inflated.consume(1);
            let mut input = second.compressed();
            let (bytes, result) =
                inflate_from(&mut decompressor, second.codec, second.magic, &mut input);
            result.unwrap();
            assert_eq!(crate::format::crc::Kind::Crc32.of(&bytes), second.crc);
        }
    }
}

/// Every shorter input ends: with a fault, or where Java too takes the rest for the end.
#[test]
fn truncated_anywhere_it_ends_and_gives_a_prefix() {
    let mut decompressor = Decompressor::new();
    for golden in &GOLDEN {
        let whole = inflate(golden.codec, golden.magic, golden.compressed()).unwrap();
        for length in 0..golden.compressed().len() {
            let mut input = &golden.compressed()[..length];
            let (bytes, result) =
                inflate_from(&mut decompressor, golden.codec, golden.magic, &mut input);
            assert!(whole.starts_with(&bytes));
            if golden.codec != Codec::Snappy && length > 0 {
                let error = result.unwrap_err();
                let fault = &malformed(&error).unwrap().problem;
                assert!(matches!(fault, Problem::Truncated { .. }), "{fault}");
            }
        }
    }
}

#[test]
fn any_flipped_bit_ends_without_panic() {
    let mut decompressor = Decompressor::new();
    for golden in &GOLDEN {
        let mut bytes = golden.compressed().to_vec();
        for bit in 0..bytes.len() * 8 {
            bytes[bit / 8] ^= 1 << (bit % 8);
            let mut input = &bytes[..];
            let (given, result) =
                inflate_from(&mut decompressor, golden.codec, golden.magic, &mut input);
            assert!(given.len() < 64 << 20);
            if let Err(error) = result {
                assert!(malformed(&error).is_some(), "{error}");
            }
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
    }
}

/// An input that fails after some bytes.
struct Failing(&'static [u8]);

impl Read for Failing {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self.0.read(into)? {
            0 => Err(io::Error::new(io::ErrorKind::ConnectionReset, "unplugged")),
            read => Ok(read),
        }
    }
}

#[test]
fn an_error_of_the_input_is_told_apart_and_told_again() {
    for golden in &GOLDEN {
        let half = &golden.compressed()[..golden.compressed().len() / 2];
        let mut input = BufReader::with_capacity(16, Failing(half));
        let mut decompressor = Decompressor::new();
        let mut inflated = decompressor.open(golden.codec, golden.magic, &mut input);
        let mut given = Vec::new();
        for _ in 0..2 {
            let error = inflated.read_to_end(&mut given).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
            assert!(malformed(&error).is_none());
        }
    }
}

#[test]
fn bytes_before_a_fault_are_given_first() {
    let golden = golden(Codec::Lz4, 2);
    let mut bytes = golden.compressed().to_vec();
    let end = bytes.len();
    // The end mark becomes a block that is not there.
    bytes[end - 4..].copy_from_slice(&[9, 0, 0, 0]);
    let (given, result) = inflate_from(&mut Decompressor::new(), Codec::Lz4, 2, &mut &bytes[..]);
    assert_eq!(given.len(), golden.length);
    let error = result.unwrap_err();
    let expected = Problem::Truncated { needed: 9, left: 0 };
    assert_eq!(malformed(&error).unwrap().problem, expected);
    assert_eq!(malformed(&error).unwrap().at, end);
}

mod gzip {
    use super::*;

    /// `GZIPInputStream` reads members one after another, and takes what is none for the end.
    #[test]
    fn members_follow_one_another_and_what_is_none_ends() {
        let golden = golden(Codec::Gzip, 1);
        let once = inflate(Codec::Gzip, 1, golden.compressed()).unwrap();
        let twice = golden.compressed().repeat(2);
        assert_eq!(inflate(Codec::Gzip, 1, &twice).unwrap(), once.repeat(2));
        let tail = [golden.compressed(), b"something else, and longer"].concat();
        assert_eq!(inflate(Codec::Gzip, 1, &tail).unwrap(), once);
    }

    /// Labelled by hand after RFC 1952: every optional field, then `a` as one stored block.
    #[test]
    fn optional_header_fields_are_passed_over() {
        let header = b"\x1f\x8b\x08\x1e\0\0\0\0\0\xff\x03\0abcname\0comment\0";
        let [.., high, low] = crate::format::crc::Kind::Crc32.of(header).to_be_bytes();
        let crc = crate::format::crc::Kind::Crc32
            .of(b"a")
            .to_le_bytes_by_hand();
        let body = b"\x01\x01\0\xfe\xffa";
        let good = [&header[..], &[low, high], body, &crc, &[1, 0, 0, 0]].concat();
        assert_eq!(inflate(Codec::Gzip, 2, &good).unwrap(), b"a");
        let bad = [&header[..], &[low, !high], body, &crc, &[1, 0, 0, 0]].concat();
        assert!(matches!(
            problem(Codec::Gzip, 2, &bad),
            Problem::Undecodable { .. }
        ));
    }

    trait ByHand {
        fn to_le_bytes_by_hand(self) -> [u8; 4];
    }

    impl ByHand for u32 {
        fn to_le_bytes_by_hand(self) -> [u8; 4] {
            let [a, b, c, d] = self.to_be_bytes();
            [d, c, b, a]
        }
    }

    #[test]
    fn a_wrong_trailer_is_a_mismatch() {
        let mut bytes = golden(Codec::Gzip, 2).compressed().to_vec();
        let end = bytes.len();
        bytes[end - 1] ^= 1;
        let (stored, computed) = (0x0100_0000 + 89620, 89620);
        let expected = Problem::Mismatch { stored, computed };
        assert_eq!(problem(Codec::Gzip, 2, &bytes), expected);
    }
}

mod snappy {
    use super::*;

    const HEADER: &[u8] = b"\x82SNAPPY\0\0\0\0\x01\0\0\0\x01";
    /// One block: five bytes long, a literal of five.
    const HELLO: &[u8] = b"\x05\x10hello";

    fn framed(parts: &[&[u8]]) -> Vec<u8> {
        parts.concat()
    }

    #[test]
    fn without_a_header_it_is_one_bare_block() {
        assert_eq!(inflate(Codec::Snappy, 0, HELLO).unwrap(), b"hello");
        let long = b"\x14\x4ctwenty bytes of text";
        assert_eq!(inflate(Codec::Snappy, 2, long).unwrap(), &long[2..]);
    }

    #[test]
    fn blocks_and_whole_streams_follow_one_another() {
        let block = framed(&[b"\0\0\0\x07", HELLO]);
        let input = framed(&[HEADER, &block, &block, HEADER, &block]);
        assert_eq!(
            inflate(Codec::Snappy, 2, &input).unwrap(),
            b"hellohellohello"
        );
        // A header alone is an empty stream, and up to three bytes behind a block are no block.
        assert_eq!(inflate(Codec::Snappy, 2, HEADER).unwrap(), b"");
        let input = framed(&[HEADER, &block, b"\0\0\0"]);
        assert_eq!(inflate(Codec::Snappy, 2, &input).unwrap(), b"hello");
    }

    #[test]
    fn what_java_refuses_is_refused() {
        let block = framed(&[b"\0\0\0\x07", HELLO]);
        let empty = Problem::Truncated {
            needed: 16,
            left: 0,
        };
        assert_eq!(problem(Codec::Snappy, 2, b""), empty);
        for (input, expected) in [
            (framed(&[HEADER, b"\0\0\0\0"]), "empty"),
            (
                framed(&[HEADER, b"\xff\xff\xff\xfe"]),
                "expected 0 or more, found -2",
            ),
            (
                framed(&[HEADER, &block, b"\0\0\0\x09abc"]),
                "expected 9 bytes, found 3",
            ),
            (
                framed(&[HEADER, &block, b"\x82SNAPPY\0\0\0\0\0\0\0\0\x01"]),
                "expected 1 or more, found 0",
            ),
        ] {
            let found = problem(Codec::Snappy, 2, &input).to_string();
            assert!(found.contains(expected), "{found}");
        }
    }

    /// The declared length would be an allocation of 4 GiB.
    #[test]
    fn a_block_cannot_declare_more_than_it_can_give() {
        let mut decompressor = Decompressor::new();
        let mut input: &[u8] = b"\xff\xff\xff\xff\x0f\x10hello";
        let (_, result) = inflate_from(&mut decompressor, Codec::Snappy, 2, &mut input);
        assert!(malformed(&result.unwrap_err()).is_some());
        assert!(decompressor.held() < 4096);
    }

    /// The block length would be an allocation of 128 MiB.
    #[test]
    fn a_declared_block_length_sizes_no_memory() {
        let mut decompressor = Decompressor::new();
        let input = framed(&[HEADER, b"\x08\0\0\0", HELLO]);
        let (_, result) = inflate_from(&mut decompressor, Codec::Snappy, 2, &mut &input[..]);
        assert!(malformed(&result.unwrap_err()).is_some());
        assert!(decompressor.held() < 4096);
    }
}

mod lz4 {
    use super::*;

    /// Labelled by hand: flags 0x60, blocks of 64 KiB, checksum, one stored block, the end.
    const STORED: &[u8] = b"\x04\x22\x4d\x18\x60\x40\x82\x02\0\0\x80hi\0\0\0\0";

    #[test]
    fn a_stored_block_and_what_follows_the_frame() {
        assert_eq!(inflate(Codec::Lz4, 1, STORED).unwrap(), b"hi");
        // Kafka reads one frame, and never looks behind it.
        let twice = STORED.repeat(2);
        assert_eq!(inflate(Codec::Lz4, 1, &twice).unwrap(), b"hi");
    }

    #[test]
    fn the_header_checksum_counts_from_magic_1_on() {
        let golden = golden(Codec::Lz4, 0);
        let bytes = golden.compressed();
        let Problem::Mismatch { stored, computed } = problem(Codec::Lz4, 1, bytes) else {
            panic!("a checksum over the wrong bytes was taken");
        };
        assert_eq!((stored, computed), (u64::from(bytes[6]), 0x82));
        let mut right = bytes.to_vec();
        right[6] = 0x82;
        let whole = inflate(Codec::Lz4, 0, bytes).unwrap();
        assert_eq!(inflate(Codec::Lz4, 0, &right).unwrap(), whole);
        assert_eq!(inflate(Codec::Lz4, 1, &right).unwrap(), whole);
    }

    #[test]
    fn frames_that_kafka_cannot_read_are_refused() {
        for (at, value) in [
            (0, 5),
            (4, 0x40),
            (4, 0x61),
            (4, 0xa0),
            (5, 0x30),
            (5, 0xc0),
        ] {
            let mut bytes = STORED.to_vec();
            bytes[at] = value;
            let found = problem(Codec::Lz4, 0, &bytes);
            assert!(matches!(found, Problem::Undecodable { .. }), "{found}");
        }
    }

    /// The encoder of another crate writes every checksum there is.
    #[test]
    fn block_and_content_checksums() {
        use lz4_flex::frame::{BlockMode, FrameEncoder, FrameInfo};
        let info = FrameInfo::new()
            .block_mode(BlockMode::Independent)
            .block_checksums(true)
            .content_checksum(true)
            .content_size(Some(3000));
        let mut encoder = FrameEncoder::with_frame_info(info, Vec::new());
        encoder.write_all(&b"abc".repeat(1000)).unwrap();
        let mut bytes = encoder.finish().unwrap();
        assert_eq!(inflate(Codec::Lz4, 2, &bytes).unwrap(), b"abc".repeat(1000));
        // The last bytes are block checksum, end mark and content checksum.
        let at = bytes.len() - 12;
        bytes[at] ^= 1;
        assert!(matches!(
            problem(Codec::Lz4, 2, &bytes),
            Problem::Mismatch { .. }
        ));
    }
}

mod zstd {
    use super::*;

    #[test]
    fn frames_follow_one_another() {
        let golden = golden(Codec::Zstd, 2);
        let once = inflate(Codec::Zstd, 2, golden.compressed()).unwrap();
        let twice = golden.compressed().repeat(2);
        assert_eq!(inflate(Codec::Zstd, 2, &twice).unwrap(), once.repeat(2));
    }

    /// Labelled by hand after RFC 8878: magic, a window of 2^28 (18 << 3), one empty last block.
    #[test]
    fn a_window_above_the_limit_is_refused() {
        let allowed = b"\x28\xb5\x2f\xfd\0\x88\x01\0\0";
        assert_eq!(inflate(Codec::Zstd, 2, allowed).unwrap(), b"");
        let refused = b"\x28\xb5\x2f\xfd\0\x90\x01\0\0";
        let found = problem(Codec::Zstd, 2, refused).to_string();
        assert!(found.contains("too much memory"), "{found}");
    }
}
