//! Reads the golden batches of `testdata/structures/control-records.log` for tests.

use super::cursor::Cursor;

const LOG: &[u8] = include_bytes!("../../testdata/structures/control-records.log");
/// What the stock dump tool printed behind `headerKeys: []`, a line a record.
pub(crate) const PRINTED: &str = include_str!("../../testdata/structures/control-records.txt");

/// The header of a batch of magic 2, in bytes.
const BATCH_HEADER: usize = 61;

/// Key and value of the one record in each batch.
pub(crate) fn control_records() -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut log = Cursor::new(LOG);
    let mut records = Vec::new();
    while log.remaining() > 0 {
        log.i64("baseOffset").unwrap();
        let length = log.i32("batchLength").unwrap();
        let batch = log.take(usize::try_from(length).unwrap(), "batch").unwrap();
        let mut record = Cursor::new(&batch[BATCH_HEADER - 12..]);
        record.varint("length").unwrap();
        record.i8("attributes").unwrap();
        record.varlong("timestampDelta").unwrap();
        record.varint("offsetDelta").unwrap();
        let key = bytes(&mut record);
        records.push((key, bytes(&mut record)));
    }
    assert_eq!(records.len(), PRINTED.lines().count());
    records
}

fn bytes(record: &mut Cursor<'_>) -> Vec<u8> {
    let length = record.varint("length").unwrap();
    record
        .take(usize::try_from(length).unwrap(), "bytes")
        .unwrap()
        .to_vec()
}
