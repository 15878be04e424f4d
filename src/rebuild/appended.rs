//! The bytes of one append, as far as indexes and segments depend on them.

use super::error::WriteError;
use crate::format::batch::{HEADER_SIZE, Header, MAGIC, MAGIC_AT};
use crate::format::frame::{Frame, PROBE};
use crate::format::legacy::MessageHeader;
use crate::format::malformed::{Malformed, Problem};
use crate::format::number::{LeaderEpoch, Offset, Timestamp};

/// What is asked of a batch. Its records and its checksum are nobody's affair here.
#[derive(Debug, Clone, Copy)]
pub(super) struct Facts {
    pub(super) base_offset: Offset,
    pub(super) last_offset: Offset,
    pub(super) max_timestamp: Timestamp,
    pub(super) partition_leader_epoch: LeaderEpoch,
    /// Its whole size, in bytes.
    pub(super) size: u64,
}

/// The batches that follow each other in `bytes`, behind a log that ends at `log_end`.
///
/// # Errors
/// Bytes that are no whole batch of magic 2, a leader epoch below 0, an offset below the end of
/// what is before it.
pub(super) fn facts(bytes: &[u8], log_end: Offset) -> Result<Vec<Facts>, WriteError> {
    let mut found = Vec::new();
    let (mut rest, mut at, mut expected) = (bytes, 0_usize, log_end);
    while !rest.is_empty() {
        let (batch, behind) = first(rest).map_err(|fault| fault.shifted(at))?;
        let order = |found| WriteError::Order { expected, found };
        if batch.base_offset < expected {
            return Err(order(batch.base_offset));
        }
        if batch.last_offset < batch.base_offset {
            return Err(order(batch.last_offset));
        }
        if batch.partition_leader_epoch.0 < 0 {
            return Err(WriteError::LeaderEpoch {
                offset: batch.base_offset,
                epoch: batch.partition_leader_epoch,
            });
        }
        expected = batch.last_offset.plus(1);
        at = bytes.len().saturating_sub(behind.len());
        rest = behind;
        found.push(batch);
    }
    Ok(found)
}

/// The record set that `bytes` are, of any magic and with any leader epoch, behind a log that ends
/// at `log_end`. A message of magic 0 or 1 ends with its offset and tells no other.
///
/// # Errors
/// Bytes that are no whole record set, or more than one; an offset below the log's end.
pub(super) fn copied(bytes: &[u8], log_end: Offset) -> Result<Facts, WriteError> {
    let magic = bytes.get(MAGIC_AT).copied().unwrap_or(MAGIC);
    let (facts, rest) = match magic {
        MAGIC.. => first(bytes)?,
        _ => message(bytes)?,
    };
    if !rest.is_empty() {
        let stored = facts.size;
        let computed = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let problem = Problem::Mismatch { stored, computed };
        let (field, at) = ("batchLength", size_of::<i64>());
        return Err(Malformed { field, at, problem }.into());
    }
    let expected = log_end;
    for found in [facts.base_offset, facts.last_offset] {
        if found < expected {
            return Err(WriteError::Order { expected, found });
        }
    }
    Ok(facts)
}

fn message(bytes: &[u8]) -> Result<(Facts, &[u8]), Malformed> {
    let header = MessageHeader::decode(bytes)?;
    let size = header.size_in_bytes();
    let whole = usize::try_from(size).unwrap_or(usize::MAX);
    let Some((_, behind)) = bytes.split_at_checked(whole) else {
        let (needed, left) = (whole, bytes.len());
        let problem = Problem::Truncated { needed, left };
        let (field, at) = ("batch", 0);
        return Err(Malformed { field, at, problem });
    };
    let facts = Facts {
        base_offset: header.offset,
        last_offset: header.offset,
        max_timestamp: header.timestamp,
        partition_leader_epoch: LeaderEpoch(-1),
        size,
    };
    Ok((facts, behind))
}

fn first(bytes: &[u8]) -> Result<(Facts, &[u8]), Malformed> {
    let truncated = |needed| Malformed {
        field: "batch",
        at: 0,
        problem: Problem::Truncated {
            needed,
            left: bytes.len(),
        },
    };
    let Some(probe) = bytes.first_chunk::<PROBE>() else {
        return Err(truncated(HEADER_SIZE));
    };
    let frame = Frame::decode(probe);
    if frame.magic != MAGIC {
        let stored = i64::from(frame.magic);
        let expected = "2";
        let problem = Problem::OutOfRange { stored, expected };
        let (field, at) = ("magic", MAGIC_AT);
        return Err(Malformed { field, at, problem });
    }
    let Some(size) = frame.size() else {
        let stored = i64::from(frame.length);
        let expected = "49 or more";
        let problem = Problem::OutOfRange { stored, expected };
        let (field, at) = ("batchLength", size_of::<i64>());
        return Err(Malformed { field, at, problem });
    };
    let whole = usize::try_from(size).unwrap_or(usize::MAX);
    let parts = bytes.split_at_checked(whole);
    let Some((header, (_, behind))) = Header::at_front_of(bytes).zip(parts) else {
        return Err(truncated(whole));
    };
    let facts = Facts {
        base_offset: header.base_offset(),
        last_offset: header.last_offset(),
        max_timestamp: header.max_timestamp(),
        partition_leader_epoch: header.partition_leader_epoch(),
        size,
    };
    Ok((facts, behind))
}
