//! Two batches of the same offsets: the same content, and if not, what was done to one of them.
//!
//! A mirror that maps producer ids changes the id, the checksum over it and the leader epoch, and
//! nothing else (`UnifiedLog.maybeOverrideProducerIdAndLeaderEpoch` of the fork); a mirror of the
//! final design and a follower change nothing. No design groups records anew, so batches are
//! compared byte by byte. A log cleaner takes records out and may write the rest anew.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::ops::ControlFlow;

use super::reading::Seen;
use super::side::Side;
use crate::format::batch::{ATTRIBUTES_AT, HEADER_SIZE, Header, MAGIC, PRODUCER_ID_AT};
use crate::format::legacy::CRC_AT;
use crate::format::number::{Offset, ProducerId};
use crate::format::producer_id_mapping::{Mapping, Reading, Region};
use crate::storage::segment::contents::{BatchReader, DEFAULT_MAX_RECORD_BYTES, Entry};
use crate::storage::source::{ReadError, Window};

/// Where the fields behind the producer's id begin.
const BEHIND_PRODUCER_ID: usize = PRODUCER_ID_AT + size_of::<i64>();
/// Bytes compared at a time.
const PIECE: usize = 1 << 20;
/// Records of a batch that are remembered to find them in the other: more are no cleaner's work
/// that is worth the memory.
const MOST_RECORDS: usize = 1 << 20;

/// How batches of the same offsets stand to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Likeness {
    /// Byte by byte the same.
    Same,
    /// But for the leader epoch.
    LeaderEpoch,
    /// But for the producer's id, and perhaps the leader epoch.
    ProducerId,
    /// The cleaner has taken records of one that the other has, or marked it; the side that has
    /// more is the one to keep.
    Cleaned {
        /// Whose batch is whole, or holds more.
        fuller: Side,
    },
    /// The same records in other bytes.
    Encoding,
    /// Something else.
    Other,
}

/// How a mapping of the drafts leads from one id to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mapped {
    /// Negation: -(id + 2), of an id from 0 up; both kinds of it give the same.
    Negated,
    /// Negation of an id below 0: it is back at what it was two mirrors before.
    NegatedTwice,
    /// The source's region and the low 31 bits of the id.
    BitField(Region),
}

impl Mapped {
    /// How `source` becomes `dest`; `None` where no mapping does that.
    #[must_use]
    pub fn between(source: ProducerId, dest: ProducerId) -> Option<Self> {
        if source == ProducerId::NONE || source == dest {
            return None;
        }
        if Mapping::NegateIdempotent.map(source) == dest {
            return Some(Self::Negated);
        }
        if Mapping::Negate.map(source) == dest {
            return Some(Self::NegatedTwice);
        }
        Reading::all_of(dest).into_iter().find_map(|one| {
            let Reading::BitField { region, .. } = one else {
                return None;
            };
            (Mapping::BitField(region).map(source) == dest).then_some(Self::BitField(region))
        })
    }

    /// The name in machine-readable output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Negated => "negation",
            Self::NegatedTwice => "double-negation",
            Self::BitField(_) => "bit-field",
        }
    }
}

/// Compares two batches of the same first and last offset.
pub(super) fn likeness(source: &Seen, dest: &Seen) -> Result<Likeness, ReadError> {
    let (one, other) = (&source.batch, &dest.batch);
    let is_same_size = one.place.size == other.place.size;
    let is_legacy = one.magic < MAGIC;
    if one.magic != other.magic || (is_legacy && !is_same_size) {
        return Ok(Likeness::Other);
    }
    if is_legacy {
        return Ok(match same_from(source, dest, CRC_AT)? {
            true => Likeness::Same,
            false => Likeness::Other,
        });
    }
    if is_same_size {
        let is_same_epoch = one.partition_leader_epoch == other.partition_leader_epoch;
        if one.producer_id == other.producer_id && same_from(source, dest, ATTRIBUTES_AT)? {
            return Ok(match is_same_epoch {
                true => Likeness::Same,
                false => Likeness::LeaderEpoch,
            });
        }
        let (front, back) = (ATTRIBUTES_AT..PRODUCER_ID_AT, BEHIND_PRODUCER_ID);
        if one.producer_id != other.producer_id
            && source.head()?.get(front.clone()) == dest.head()?.get(front)
            && same_from(source, dest, back)?
        {
            return Ok(Likeness::ProducerId);
        }
    }
    by_records(source, dest)
}

/// Whether the bytes from `from` on are the same; both batches are of one size.
fn same_from(source: &Seen, dest: &Seen, from: usize) -> Result<bool, ReadError> {
    let size = source.batch.place.size as usize;
    let (mut one, mut other) = (source.file.window(), dest.file.window());
    let mut at = from;
    while at < size {
        let length = (size - at).min(PIECE);
        if piece(&mut one, source, at, length)? != piece(&mut other, dest, at, length)? {
            return Ok(false);
        }
        at += length;
    }
    Ok(true)
}

fn piece<'w>(
    window: &'w mut Window<'_>,
    seen: &Seen,
    at: usize,
    length: usize,
) -> Result<&'w [u8], ReadError> {
    window.bytes(seen.batch.place.position + at as u64, length)
}

/// Whether the records of one batch are among those of the other.
fn by_records(source: &Seen, dest: &Seen) -> Result<Likeness, ReadError> {
    let (one, other) = (&source.batch, &dest.batch);
    let is_one_writer = one.producer_id == other.producer_id
        && one.producer_epoch == other.producer_epoch
        && one.base_sequence == other.base_sequence
        && one.is_transactional == other.is_transactional
        && one.is_control == other.is_control;
    if !is_one_writer {
        return Ok(Likeness::Other);
    }
    let fuller = match one.count >= other.count {
        true => Side::Source,
        false => Side::Dest,
    };
    let (more, fewer) = match fuller {
        Side::Source => (source, dest),
        Side::Dest => (dest, source),
    };
    let Some(known) = records(fewer)? else {
        return Ok(Likeness::Other);
    };
    let mut left = known.len();
    let is_whole = each_record(more, &mut |offset, digest| {
        if known.get(&offset) == Some(&digest) {
            left = left.saturating_sub(1);
        }
        ControlFlow::Continue(())
    })?;
    if !is_whole || left > 0 {
        return Ok(Likeness::Other);
    }
    let has_horizon = |seen: &Seen| -> Result<bool, ReadError> {
        let head = seen.head()?;
        Ok(Header::new(&head).attributes().has_delete_horizon())
    };
    let is_marked = has_horizon(source)? != has_horizon(dest)?;
    match one.count == other.count && !is_marked {
        true => Ok(Likeness::Encoding),
        // Of two that hold the same the one without the cleaner's mark is the older.
        false if one.count == other.count && has_horizon(source)? => {
            Ok(Likeness::Cleaned { fuller: Side::Dest })
        }
        false => Ok(Likeness::Cleaned { fuller }),
    }
}

/// What tells each record of a batch; `None` where they do not decode or are too many.
fn records(seen: &Seen) -> Result<Option<HashMap<Offset, u64>>, ReadError> {
    let mut known = HashMap::new();
    let is_whole = each_record(seen, &mut |offset, digest| {
        known.insert(offset, digest);
        match known.len() < MOST_RECORDS {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    })?;
    Ok((is_whole && known.len() < MOST_RECORDS).then_some(known))
}

/// Gives offset and digest of each record; false where they do not decode.
fn each_record(
    seen: &Seen,
    visit: &mut impl FnMut(Offset, u64) -> ControlFlow<()>,
) -> Result<bool, ReadError> {
    let mut reader = BatchReader::new(&seen.file, DEFAULT_MAX_RECORD_BYTES);
    let fault = reader.load(seen.span())?.entries(&mut |entry| {
        let mut hasher = DefaultHasher::new();
        hash(entry, &mut hasher);
        visit(entry.offset, hasher.finish())
    })?;
    Ok(fault.is_none())
}

fn hash(entry: &Entry<'_>, hasher: &mut DefaultHasher) {
    entry.timestamp.hash(hasher);
    entry.key.hash(hasher);
    entry.value.hash(hasher);
    for header in entry.headers.iter() {
        header.key.hash(hasher);
        header.value.hash(hasher);
    }
}

/// Whether a cleaner may have taken a batch: it looks at keys, so one record without a key stays
/// for ever; control batches go when their transaction is gone.
pub(super) fn may_be_cleaned(seen: &Seen) -> Result<bool, ReadError> {
    if seen.batch.is_control {
        return Ok(true);
    }
    let mut has_keys = true;
    let mut reader = BatchReader::new(&seen.file, DEFAULT_MAX_RECORD_BYTES);
    reader.load(seen.span())?.entries(&mut |entry| {
        has_keys &= entry.key.is_some();
        match has_keys {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        }
    })?;
    Ok(has_keys)
}

/// Whether a batch shows the work of a cleaner: fewer records than offsets, or a delete horizon.
pub(super) fn shows_cleaner(seen: &Seen) -> bool {
    let batch = &seen.batch;
    if batch.magic < MAGIC || seen.batch.place.size < HEADER_SIZE as u32 {
        return false;
    }
    let offsets = batch.last_offset.0.saturating_sub(batch.base_offset.0);
    i64::from(batch.count) <= offsets
}

#[cfg(test)]
mod tests {
    use super::Mapped;
    use crate::format::number::ProducerId;
    use crate::format::producer_id_mapping::Region;

    /// The values that the designs published.
    #[test]
    fn a_mapping_is_known_by_what_it_makes_of_an_id() {
        for (source, dest, mapped) in [
            (5, -7, Some(Mapped::Negated)),
            (-7, 5, Some(Mapped::NegatedTwice)),
            (
                5,
                -9_223_371_946_660_462_587,
                Some(Mapped::BitField(Region(42))),
            ),
            (6, -9_223_371_946_660_462_587, None),
            (5, 5, None),
            (5, 6, None),
            (-1, 5, None),
            (5, -1, None),
        ] {
            let found = Mapped::between(ProducerId(source), ProducerId(dest));
            assert_eq!(found, mapped, "{source} {dest}");
        }
    }
}
