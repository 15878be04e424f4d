use super::*;
use crate::format::damage::{assert_inside, bit_flips, hex, truncations};

const TXN_BOTH: &[u8] = include_bytes!("../../../testdata/structures/txn-both-47.snapshot");
const MARKER: &[u8] = include_bytes!("../../../testdata/structures/marker-only-27.snapshot");
const EMPTY: &[u8] = include_bytes!("../../../testdata/structures/empty-98.snapshot");
const OVER: &[u8] = include_bytes!("../../../testdata/structures/short-over-long.snapshot");
const VERDICTS: &str = include_str!("../../../testdata/structures/snapshot-verdicts.tsv");

/// Version 2, labelled by hand: F(42,5) from a cluster, and 5, which is local. No release writes
/// it. Of a published example the length, the first bytes and the CRC are known; the other fields
/// are those of the example of version 1, and that they are right is what the CRC says.
fn version_2() -> Vec<u8> {
    hex("0002 3aa00156 00000002
         8000001500000005 0000 00000009 0000000000000063 00000009 0000019d0aa3cc00
         ffffffff ffffffffffffffff 0016 414245694d305256 5a6e65496d617137 7a4e33755f77
         0000000000000005 0000 00000009 0000000000000063 00000009 0000019d0aa3cc00
         ffffffff ffffffffffffffff ffff")
}

/// The verdict over a whole file.
fn stock_verdict(bytes: &[u8]) -> Result<(), String> {
    let computed = crc::crc32c(bytes.get(COUNT..).unwrap_or_default());
    let head = &bytes[..bytes.len().min(ENTRIES)];
    super::stock_verdict(head, bytes.len() as u64, computed)
}

#[test]
fn files_of_a_broker_round_trip() {
    for bytes in [TXN_BOTH, MARKER, EMPTY, &version_2()] {
        let snapshot = decode(bytes).unwrap();
        assert_eq!(snapshot.faults, []);
        assert!(snapshot.is_sealed() && verify(bytes).is_ok());
        assert_eq!(encode(snapshot.version, &snapshot.entries).unwrap(), bytes);
    }
}

/// The values that the stock dump tool prints for the same file.
#[test]
fn entries_as_the_stock_tool_prints_them() {
    let entries = decode(TXN_BOTH).unwrap().entries;
    let first = &entries[0];
    assert_eq!(
        (first.producer_id, first.producer_epoch.0),
        (ProducerId(17), 0)
    );
    assert_eq!(first.first_sequence(), Some(Sequence(8)));
    assert_eq!(
        (first.last_sequence, first.last_offset),
        (Sequence(10), Offset(41))
    );
    assert_eq!((first.offset_delta, first.coordinator_epoch.0), (2, 0));
    assert_eq!(first.timestamp, Timestamp(1_796_007_808_022));
    assert_eq!(first.open_txn(), Some(Offset(39)));
    assert_eq!(entries[2].open_txn(), None);
    let marker = &decode(MARKER).unwrap().entries[0];
    assert_eq!(
        (marker.producer_id, marker.producer_epoch.0),
        (ProducerId(43), 4)
    );
    assert_eq!((marker.has_batch(), marker.first_sequence()), (false, None));
    let mirrored = &decode(&version_2()).unwrap().entries[0];
    assert_eq!(mirrored.producer_id, ProducerId(-9_223_371_946_660_462_587));
    let source: &[u8] = b"ABEiM0RVZneImaq7zN3u_w";
    assert_eq!(mirrored.source_cluster_id.as_deref(), Some(source));
}

/// Version 1, from a public description of the format, byte by byte.
#[test]
fn version_1_by_hand() {
    let bytes = hex(
        "0001 cd5d3265 00000001 0000000000000005 0000 00000009 0000000000000063
                     00000009 0000019d0aa3cc00 ffffffff ffffffffffffffff",
    );
    let snapshot = decode(&bytes).unwrap();
    assert_eq!(
        (snapshot.faults.len(), snapshot.stored_crc),
        (0, 0xcd5d_3265)
    );
    assert_eq!(snapshot.entries[0].first_sequence(), Some(Sequence(0)));
}

#[test]
fn every_cut_is_a_fault_and_keeps_what_stands_before_it() {
    for bytes in [TXN_BOTH, &version_2()] {
        let whole = decode(bytes).unwrap();
        for cut in truncations(bytes) {
            match decode(cut) {
                Err(fault) => {
                    assert!(cut.len() < ENTRIES);
                    assert_inside(&fault, cut);
                }
                Ok(snapshot) => {
                    assert!(!snapshot.faults.is_empty() && !snapshot.is_sealed());
                    assert!(whole.entries.starts_with(&snapshot.entries));
                    for fault in &snapshot.faults {
                        assert_inside(fault, cut);
                    }
                }
            }
            assert!(stock_verdict(cut).is_err());
        }
    }
}

#[test]
fn every_flipped_bit_is_caught() {
    for bytes in [TXN_BOTH, MARKER, EMPTY, &version_2()] {
        for flipped in bit_flips(bytes) {
            let faults = decode(&flipped).map_or_else(|fault| vec![fault], |s| s.faults);
            assert!(!faults.is_empty());
            for fault in faults {
                assert_inside(&fault, &flipped);
            }
            assert!(stock_verdict(&flipped).is_err());
        }
    }
}

/// Kafka's writer does not cut the file first. Three entries were there, one was written.
#[test]
fn a_short_snapshot_over_a_longer_one_is_readable() {
    let snapshot = decode(OVER).unwrap();
    assert_eq!(snapshot.stale_tail, Some(ENTRIES + ENTRY_SIZE..OVER.len()));
    assert!(snapshot.is_sealed() && verify(OVER).is_err());
    assert_eq!(snapshot.entries.len(), 1);
    assert_eq!(snapshot.entries[0].producer_id, ProducerId(4));
    let problems: Vec<_> = snapshot.faults.iter().map(|fault| &fault.problem).collect();
    assert_eq!(problems, [&Problem::Trailing { bytes: 92 }]);
    // With one more bit wrong it is damage like any other.
    let mut worse = OVER.to_vec();
    worse[ENTRIES] ^= 1;
    let snapshot = decode(&worse).unwrap();
    assert!(snapshot.stale_tail.is_none() && !snapshot.is_sealed());
}

#[test]
fn an_absurd_count_allocates_nothing() {
    let mut bytes = TXN_BOTH.to_vec();
    bytes[COUNT..ENTRIES].copy_from_slice(&i32::MAX.to_be_bytes());
    let snapshot = decode(&bytes).unwrap();
    assert_eq!((snapshot.count, snapshot.entries.len()), (i32::MAX, 3));
    assert!(snapshot.entries.capacity() < 16);
    assert_eq!(snapshot.faults.last().unwrap().at, TXN_BOTH.len());
}

/// Every verdict that `ProducerStateManager.readSnapshot` gave, and for what it accepted: id,
/// first sequence, open transaction.
#[test]
fn verdicts_as_kafka_gives_them() {
    for line in VERDICTS.lines().filter(|line| !line.starts_with('#')) {
        let (bytes, said) = line.split_once('\t').unwrap();
        let bytes = hex(bytes);
        let ours = stock_verdict(&bytes).map_or_else(|text| text, |()| accepted(&bytes));
        assert_eq!(ours, said);
    }
    let mut huge = hex("0001 00000000 000f4241");
    huge.resize(1_000_001 + ENTRIES, 0);
    let said = VERDICTS.lines().last().unwrap().strip_prefix("# ").unwrap();
    assert_eq!(stock_verdict(&huge), Err(said.to_owned()));
}

fn accepted(bytes: &[u8]) -> String {
    let mut text = "accepted".to_owned();
    for entry in decode(bytes).unwrap().entries {
        let first = entry.first_sequence();
        let first = first.map_or_else(|| "none".to_owned(), |sequence| sequence.to_string());
        let txn = entry.open_txn().map_or_else(
            || "OptionalLong.empty".to_owned(),
            |offset| format!("OptionalLong[{offset}]"),
        );
        text.push_str(&format!(" {}/{first}/{txn}", entry.producer_id));
    }
    text
}

#[test]
fn a_cluster_id_that_is_too_long_is_not_written() {
    let mut entries = decode(MARKER).unwrap().entries;
    entries[0].source_cluster_id = Some(vec![b'x'; 40_000]);
    assert!(encode(Version::V2, &entries).is_err());
    assert_eq!(encode(Version::V1, &entries).unwrap(), MARKER);
}

#[test]
fn the_fields_of_a_header_as_far_as_it_goes() {
    let bytes = encode(Version::V1, &[]).unwrap();
    let whole = Head::of(&bytes);
    assert_eq!((whole.version, whole.count), (Some(1), Some(0)));
    assert!(whole.stored_crc.is_some() && whole.stored_crc == whole.computed_crc);
    for length in 0..bytes.len() {
        let head = Head::of(&bytes[..length]);
        assert_eq!(head.version.is_some(), length >= CRC, "{length}");
        assert_eq!(head.stored_crc.is_some(), length >= COUNT, "{length}");
        assert_eq!(head.computed_crc.is_some(), length >= COUNT, "{length}");
        assert_eq!(head.count, None, "{length}");
    }
    // What another version counts with its third field is not known.
    let other = Head::of(&[0, 3, 0, 0, 0, 9, 0, 0, 0, 1]);
    assert_eq!((other.version, other.stored_crc), (Some(3), Some(9)));
    assert_eq!(other.count, None);
}
