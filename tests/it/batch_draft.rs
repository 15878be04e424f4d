//! What real Kafka wrote, decoded and encoded again: the same bytes.

use kfsck::format::batch::{Attributes, HEADER_SIZE, Header, computed_crc};
use kfsck::format::batch_draft::{BatchDraft, RecordDraft, encode};
use kfsck::format::compression::Codec;
use kfsck::format::cursor::Cursor;
use kfsck::format::number::Timestamp;
use kfsck::format::record::{Record, RecordHeader};

use crate::batches::split;
use crate::corpus;

/// Every uncompressed batch of the corpus: of brokers' logs, cleaned logs, and the odd ones of
/// `control/`.
#[test]
fn every_batch_of_real_kafka_is_encoded_to_the_bytes_it_has() {
    let mut seen = Vec::new();
    for (name, log) in corpus::segments() {
        if name.starts_with("legacy/") || name.contains("cut-tail") || name.contains("unclean") {
            continue;
        }
        for (at, batch) in split(&log) {
            let header = Header::at_front_of(batch).unwrap();
            let codec = Codec::from_attributes(header.attributes().0);
            if header.magic() != 2 || codec != Some(Codec::None) {
                continue;
            }
            assert_eq!(
                header.stored_crc(),
                computed_crc(batch),
                "{name} at byte {at}"
            );
            assert_eq!(again(header, batch), batch, "{name} at byte {at}");
            seen.push((name.clone(), header.attributes(), header.count()));
        }
    }
    // Goldens that show nothing would pass too.
    let of = |flag: fn(Attributes) -> bool| seen.iter().filter(|(_, it, _)| flag(*it)).count();
    assert!(seen.len() > 500, "{} batches", seen.len());
    assert!(of(|it| it.is_transactional() && it.is_control()) > 20);
    assert!(of(Attributes::has_delete_horizon) > 2);
    assert!(
        seen.iter().any(|(_, _, count)| *count == 0),
        "an empty batch"
    );
}

/// The batch as its fields and records say it, through the encoder.
fn again(header: Header<'_>, batch: &[u8]) -> Vec<u8> {
    let mut cursor = Cursor::new(&batch[HEADER_SIZE..]);
    let records: Vec<Record<'_>> = (0..header.count())
        .map(|_| {
            let size = cursor.varint("size").unwrap();
            let body = cursor.take(size.try_into().unwrap(), "record").unwrap();
            Record::decode(body).unwrap()
        })
        .collect();
    let headers: Vec<Vec<RecordHeader<'_>>> = records
        .iter()
        .map(|record| record.headers.iter().collect())
        .collect();
    let base_timestamp = header.base_timestamp();
    let drafts = records
        .iter()
        .zip(&headers)
        .map(|(record, headers)| RecordDraft {
            timestamp: Timestamp(base_timestamp.0.wrapping_add(record.timestamp_delta)),
            offset_delta: record.offset_delta,
            key: record.key,
            value: record.value,
            headers,
        });
    let draft = BatchDraft {
        base_offset: header.base_offset(),
        partition_leader_epoch: header.partition_leader_epoch(),
        attributes: header.attributes(),
        last_offset_delta: header.last_offset_delta(),
        base_timestamp,
        max_timestamp: header.max_timestamp(),
        producer_id: header.producer_id(),
        producer_epoch: header.producer_epoch(),
        base_sequence: header.base_sequence(),
    };
    let mut out = Vec::new();
    encode(&draft, drafts, &mut out).unwrap();
    out
}
