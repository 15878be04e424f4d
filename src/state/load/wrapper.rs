//! Batches of old formats, and what damage makes of a new one: a search asks each batch that it
//! comes by for its base offset, and an old one has that in its first message
//! (`AbstractLegacyRecordBatch.baseOffset`).

use super::stop::{Halt, Stop};
use super::stream::span;
use crate::format::batch::MAGIC;
use crate::state::batch::Batch;
use crate::storage::segment::contents::{BatchReader, DEFAULT_MAX_RECORD_BYTES};
use crate::storage::source::Source;
use std::ops::ControlFlow;

/// Where the attributes of an old message stand.
const ATTRIBUTES: usize = 17;
/// The codec that no old format has.
const ZSTD: u8 = 4;

/// Ends where a broker does that looks for the first message inside. Of what goes wrong inside
/// the class of the exception is not told apart. `magic` is the file's; below 0 it counts as old.
pub(super) fn check_wrapper(source: &Source, batch: &Batch, magic: u8) -> Result<(), Halt> {
    if magic.cast_signed() >= MAGIC.cast_signed() {
        return Ok(());
    }
    let head = source
        .window()
        .probe::<{ ATTRIBUTES + 1 }>(batch.place.position)?;
    let codec = head.map_or(0, |head| head[ATTRIBUTES] & 7);
    let (class, message) = match codec {
        0 => return Ok(()),
        1..ZSTD if magic < MAGIC => match has_first(source, batch, magic)? {
            true => return Ok(()),
            false => (
                INSIDE,
                "no message can be read inside a batch of an old format".to_owned(),
            ),
        },
        1..=ZSTD => (
            INSIDE,
            format!(
                "Invalid wrapper found in legacy deep record iterator {}",
                magic.cast_signed()
            ),
        ),
        _ => (
            "IllegalArgumentException",
            format!("Unknown compression type id: {codec}"),
        ),
    };
    Err(Halt::Stop(Stop {
        class,
        message,
        segment: Some(batch.place.segment),
        position: Some(batch.place.position),
    }))
}

/// Stands for all that can go wrong inside.
const INSIDE: &str = "InvalidRecordException";

fn has_first(source: &Source, batch: &Batch, magic: u8) -> Result<bool, Halt> {
    let mut span = span(batch);
    span.magic = magic;
    let mut reader = BatchReader::new(source, DEFAULT_MAX_RECORD_BYTES);
    let mut found = false;
    let _fault = reader.load(span)?.entries(&mut |_| {
        found = true;
        ControlFlow::Break(())
    })?;
    Ok(found)
}
