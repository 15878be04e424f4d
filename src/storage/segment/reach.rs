//! How far a record set reaches by what its records say, whatever its length says.
//!
//! Values may hold record sets of their own, and where a length is no help these look like those
//! of the log. The records of an uncompressed batch tell them apart: each says its size, and the
//! sizes of key, value and headers say it again. A message of magic 0 or 1 says its size twice as
//! well. Of a compressed batch nothing is known here but its length.
//!
//! Sizes say nothing of bytes that are missing, so where the last record ends must be borne out: by
//! what begins there, or by a length that says the same.

use super::walk::Walk;
use crate::format::batch::{self, HEADER_SIZE, Header};
use crate::format::compression::Codec;
use crate::format::cursor::Cursor;
use crate::format::frame::{Frame, PROBE};
use crate::format::malformed::Malformed;
use crate::format::varint::{VARINT_LIMIT, VARLONG_LIMIT};
use crate::storage::source::ReadError;

/// The longest run of bytes in front of a record's key: size, attributes, timestamp delta, offset
/// delta, key size.
const RECORD_HEAD: usize = 3 * VARINT_LIMIT + 1 + VARLONG_LIMIT;
/// As many bytes are the whole head of a record.
const LEAST_UNCUT: u64 = 26;
const _: () = assert!(RECORD_HEAD == 26);
const LONGEST_SIZE: u64 = 5;
const _: () = assert!(VARINT_LIMIT == 5);
/// The size of a key or value that is null.
const NULL: i32 = -1;
/// Set in all bytes of a number but the last.
const MORE: u8 = 0x80;
/// A record takes 7 bytes at least. Reading more records than this allows means reading bytes
/// over and over, which only a made file makes necessary.
const LEAST_BYTES_A_RECORD: u64 = 3;

/// Bytes that may be searched over and over in any file, and beside them as many as it has.
const SEARCHED_FREELY: u64 = 1 << 20;

/// Where the records of a record set end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reach {
    /// Up to here its records, and those of a damaged neighbour, account for every byte; where it
    /// begins when they account for none.
    pub(super) end: u64,
    /// Why `end` is where reading may go on: all records are there, and there the file or its zeros
    /// end it, or another record set begins.
    pub(super) why: Option<&'static str>,
}

/// Why reading goes on behind a damaged neighbour.
pub(super) const BEHIND_NEIGHBOUR: &str = "where the damaged record set behind it leads";

/// Records one behind the other, each with sizes that agree.
struct Chain {
    /// Where the last of them begins.
    last: u64,
    /// Where it ends, which may lie behind the end of the file.
    end: u64,
    /// As many as the batch counts.
    is_complete: bool,
    /// The record set's own length leads to `end` too.
    is_length: bool,
    /// Two sizes say that `end` is where the last of them ends.
    is_told_twice: bool,
}

impl Chain {
    /// A message of magic 0 or 1 from `position` to `end`. Where its length says something else,
    /// the sizes of its key and value say it alone.
    const fn message(position: u64, end: u64, is_length: bool) -> Self {
        Self {
            last: position,
            end,
            is_complete: true,
            is_length,
            is_told_twice: is_length,
        }
    }

    /// Whether a file of this length ends inside a record: one of these, or the head of the next.
    const fn is_cut_by(&self, length: u64) -> bool {
        let is_inside = self.end > length;
        (is_inside && self.is_told_twice)
            || (!self.is_complete && length.saturating_sub(self.end) < LEAST_UNCUT)
    }
}

/// Where a part of a record ends.
pub(super) enum Part {
    Ends(u64),
    /// Behind the end of the file; up to here sizes were read.
    IsCut(u64),
    /// Not where the record can have it.
    Contradicts,
}

/// A record's sizes, which agree with one another.
pub(super) struct RecordFrame {
    pub(super) end: u64,
    offset_delta: i32,
}

impl Walk<'_> {
    /// How far the record set at `position` reaches.
    ///
    /// A record's sizes say nothing of bytes that are missing inside it. So the last one counts
    /// only where something is known of the place that it leads to.
    #[cold]
    pub(super) fn reach(&mut self, position: u64) -> Result<Reach, ReadError> {
        let is_short = Reach {
            end: position,
            why: None,
        };
        let Some(chain) = self.chain(position)? else {
            return Ok(is_short);
        };
        if chain.is_complete && self.is_end_of(&chain)? {
            return Ok(Reach {
                end: chain.end,
                why: Some("where its records end"),
            });
        }
        if chain.is_complete
            && let Some(end) = self.neighbour_leads(chain.last, chain.end)?
        {
            let why = Some(BEHIND_NEIGHBOUR);
            return Ok(Reach { end, why });
        }
        let is_borne_out = chain.is_complete
            && chain.is_length
            && chain.end < self.length
            && !self.is_straddled(chain.last, chain.end)?;
        let end = if is_borne_out {
            chain.end
        } else if chain.is_cut_by(self.length) {
            self.length
        } else {
            chain.last
        };
        Ok(Reach { end, ..is_short })
    }

    /// Where records end lies the end of the file, its last zeros, a sound record set, or one that
    /// was cut.
    fn is_end_of(&mut self, chain: &Chain) -> Result<bool, ReadError> {
        Ok(self.is_sound_or_end(chain.end)?
            || (chain.is_told_twice
                && (self.is_zero_tail(chain.end)? || self.is_cut_at(chain.end)?)))
    }

    /// Where a damaged neighbour leads that begins at `position`, behind a record set or record
    /// that begins at `from`; `None` where a sound record set lies across `position`.
    pub(super) fn neighbour_leads(
        &mut self,
        from: u64,
        position: u64,
    ) -> Result<Option<u64>, ReadError> {
        match self.leads_on(position)? {
            Some(end) if !self.is_straddled(from, position)? => Ok(Some(end)),
            _ => Ok(None),
        }
    }

    /// Where a record set leads that begins at `position` and is damaged: to a sound one or to the
    /// end of the file, by its length or by its records. Other bytes hardly do that.
    fn leads_on(&mut self, position: u64) -> Result<Option<u64>, ReadError> {
        let Some(head) = self.window.probe::<PROBE>(position)? else {
            return Ok(None);
        };
        if let Some(size) = Frame::decode(&head).claimed_size() {
            let own = position.saturating_add(size);
            if self.is_sound_or_end(own)? {
                return Ok(Some(own));
            }
        }
        match self.chain(position)? {
            Some(chain) if chain.is_complete && chain.is_told_twice => {
                let is_end = self.is_sound_or_end(chain.end)?;
                Ok(is_end.then_some(chain.end))
            }
            _ => Ok(None),
        }
    }

    fn is_sound_or_end(&mut self, position: u64) -> Result<bool, ReadError> {
        Ok(position == self.length || self.stands_at(position)?)
    }

    /// Whether a sound record set that begins behind `from` lies across `end`. No value holds one
    /// that does: bytes of a record are missing, and what follows them is the log's own.
    fn is_straddled(&mut self, from: u64, end: u64) -> Result<bool, ReadError> {
        // A made file has the same bytes searched for many records.
        let size = end.saturating_sub(from);
        self.searched_again = self.searched_again.saturating_add(size);
        if self.searched_again > self.length.saturating_add(SEARCHED_FREELY) {
            return Ok(true);
        }
        let mut from = from.saturating_add(1);
        while let Some(found) = self.scan(from..end, true)?.found {
            let mut at = found;
            while at < end
                && let Some(framed) = self.framed_at(at)?
                && self.checksums(framed.at(at))?
            {
                at = framed.at(at).end();
            }
            if at >= end {
                return Ok(at > end);
            }
            from = at.max(found.saturating_add(1));
        }
        Ok(false)
    }

    /// The last record set begins at `position`, and the end of the file cut it inside a record.
    pub(super) fn is_cut_at(&mut self, position: u64) -> Result<bool, ReadError> {
        if !self.is_truncated_tail(position)? {
            return Ok(false);
        }
        let chain = self.chain(position)?;
        Ok(chain.is_some_and(|chain| chain.is_cut_by(self.length)))
    }

    /// The records of the record set at `position`; `None` when it has none that can be told.
    fn chain(&mut self, position: u64) -> Result<Option<Chain>, ReadError> {
        let Some(head) = self.window.probe::<PROBE>(position)? else {
            return Ok(None);
        };
        let frame = Frame::decode(&head);
        let claimed = frame
            .claimed_size()
            .map(|size| position.saturating_add(size));
        match frame.magic {
            batch::MAGIC => self.chain_of_records(position, claimed),
            magic @ (0 | 1) => {
                let end = self.end_of_message(position, magic)?;
                let is_length = claimed == end;
                let is_as_written = is_length || self.has_known_attributes(position)?;
                Ok(end
                    .filter(|_| is_as_written)
                    .map(|end| Chain::message(position, end, is_length)))
            }
            _ => Ok(None),
        }
    }

    fn chain_of_records(
        &mut self,
        position: u64,
        claimed: Option<u64>,
    ) -> Result<Option<Chain>, ReadError> {
        let Some(head) = self.window.probe::<HEADER_SIZE>(position)? else {
            return Ok(None);
        };
        let header = Header::new(&head);
        let attributes = header.attributes();
        let most = header.last_offset_delta().saturating_add(1);
        if header.count() > most
            || attributes.has_unknown_bits()
            || Codec::from_attributes(attributes.0) != Some(Codec::None)
        {
            return Ok(None);
        }
        let first = position.saturating_add(u64::try_from(HEADER_SIZE).unwrap_or(u64::MAX));
        let mut chain = None;
        let (mut at, mut least_delta) = (first, 0);
        let mut left = header.count();
        while left > 0 && at < self.length && self.may_read_a_record() {
            let Some(record) = self.record_frame(at)? else {
                break;
            };
            if record.offset_delta < least_delta || record.offset_delta > header.last_offset_delta()
            {
                break;
            }
            left = left.saturating_sub(1);
            chain = Some(Chain {
                last: at,
                end: record.end,
                is_complete: left == 0,
                is_length: claimed == Some(record.end),
                is_told_twice: true,
            });
            least_delta = record.offset_delta.saturating_add(1);
            at = record.end;
        }
        Ok(chain)
    }

    /// Counts the records that are read, and ends it where a made file has them read many times.
    pub(super) fn may_read_a_record(&mut self) -> bool {
        self.records_read = self.records_read.saturating_add(1);
        self.records_read.saturating_mul(LEAST_BYTES_A_RECORD) <= self.length
    }

    /// The sizes of the record at `at`; `None` when they contradict one another. A record that the
    /// file cuts is judged by those in front of the cut, which must tell of half of it at least.
    pub(super) fn record_frame(&mut self, at: u64) -> Result<Option<RecordFrame>, ReadError> {
        let Ok(head) = RecordHead::read(self.window.bytes(at, RECORD_HEAD)?) else {
            return Ok(None);
        };
        if head.attributes != 0 || head.offset_delta < 0 {
            return Ok(None);
        }
        let end = at.saturating_add(head.size);
        let key_end = at.saturating_add(head.length).saturating_add(head.key);
        let fits = match self.behind_key(key_end, end)? {
            Part::Ends(found) => found == end,
            Part::IsCut(known) => end.saturating_sub(known) <= head.size.div_euclid(2),
            Part::Contradicts => false,
        };
        Ok(fits.then_some(RecordFrame {
            end,
            offset_delta: head.offset_delta,
        }))
    }

    /// Passes over value and headers of a record that says that it ends at `end`.
    fn behind_key(&mut self, at: u64, end: u64) -> Result<Part, ReadError> {
        let at = match self.part(at, end)? {
            Part::Ends(at) => at,
            other => return Ok(other),
        };
        // The count of headers is read as a size, that of none.
        let mut at = match self.part(at, end)? {
            Part::Ends(_) => at,
            other => return Ok(other),
        };
        let Some((headers, length)) = self.size_at(at)? else {
            return Ok(Part::Contradicts);
        };
        at = at.saturating_add(length);
        // A key and a value each.
        for _ in 0..headers.saturating_mul(2) {
            if !self.may_read_a_record() {
                return Ok(Part::Contradicts);
            }
            match self.part(at, end)? {
                Part::Ends(next) => at = next,
                other => return Ok(other),
            }
        }
        Ok(Part::Ends(at))
    }

    /// Where a key or value ends, of which the size lies at `at`.
    pub(super) fn part(&mut self, at: u64, end: u64) -> Result<Part, ReadError> {
        if at >= end {
            return Ok(Part::Contradicts);
        }
        if at >= self.length {
            return Ok(Part::IsCut(at));
        }
        Ok(match self.size_at(at)? {
            Some((size, length)) => Part::Ends(at.saturating_add(length).saturating_add(size)),
            None => self.is_cut_inside(at),
        })
    }

    /// What a number that cannot be read at `at` means.
    const fn is_cut_inside(&self, at: u64) -> Part {
        match at.saturating_add(LONGEST_SIZE) > self.length {
            true => Part::IsCut(at),
            false => Part::Contradicts,
        }
    }

    /// A size at `at`, 0 for null, and the bytes that it takes.
    pub(super) fn size_at(&mut self, at: u64) -> Result<Option<(u64, u64)>, ReadError> {
        let mut cursor = Cursor::new(self.window.bytes(at, VARINT_LIMIT)?);
        let size = cursor.varint("size").ok().map(length_of);
        Ok(size.map(|size| (size, position_of(&cursor))))
    }

    /// The key and value sizes of a message of magic 0 or 1 add up to its size, as far as the file
    /// has them.
    pub(super) fn is_exact_message(
        &mut self,
        position: u64,
        magic: u8,
        size: u64,
    ) -> Result<bool, ReadError> {
        let end = self.end_of_message(position, magic)?;
        Ok(end == Some(position.saturating_add(size)))
    }

    /// Where a message of magic 0 or 1 ends by the sizes of its key and value; `None` where these
    /// are none, or the file ends in front of them.
    fn end_of_message(&mut self, position: u64, magic: u8) -> Result<Option<u64>, ReadError> {
        let mut at = position.saturating_add(key_size_at(magic));
        for _ in ["key", "value"] {
            let Some(size) = self.window.probe::<4>(at)? else {
                return Ok(None);
            };
            let size = i32::from_be_bytes(size);
            if size < NULL {
                return Ok(None);
            }
            at = at.saturating_add(4).saturating_add(length_of(size));
        }
        Ok(Some(at))
    }

    /// Whether the attributes of a message of magic 0 or 1 are those of one.
    fn has_known_attributes(&mut self, position: u64) -> Result<bool, ReadError> {
        const ATTRIBUTES_AT: u64 = 17;
        const KNOWN_BITS: u8 = 0x0f;
        const CODEC: u8 = 7;
        const LAST_CODEC: u8 = 3;
        let found = self.window.probe(position.saturating_add(ATTRIBUTES_AT))?;
        Ok(found.is_some_and(|[attributes]| {
            attributes <= KNOWN_BITS && attributes & CODEC <= LAST_CODEC
        }))
    }
}

/// Where the size of the key lies in a message of magic 0 or 1.
const fn key_size_at(magic: u8) -> u64 {
    match magic {
        0 => 18,
        _ => 26,
    }
}

/// What a record says in front of its key.
struct RecordHead {
    /// The whole record's size, in bytes.
    size: u64,
    attributes: i8,
    offset_delta: i32,
    /// Bytes of the key.
    key: u64,
    /// Bytes in front of the key.
    length: u64,
}

impl RecordHead {
    fn read(bytes: &[u8]) -> Result<Self, Malformed> {
        let mut cursor = Cursor::new(bytes);
        let body = length_of(cursor.varint("recordSize")?);
        let size = body.saturating_add(position_of(&cursor));
        let attributes = cursor.i8("attributes")?;
        // The timestamp delta: any number will do.
        while cursor.u8("timestampDelta")? >= MORE {}
        let offset_delta = cursor.varint("offsetDelta")?;
        let key = length_of(cursor.varint("keySize")?);
        Ok(Self {
            size,
            attributes,
            offset_delta,
            key,
            length: position_of(&cursor),
        })
    }
}

/// A size as a count of bytes: any below 0 is null.
fn length_of(size: i32) -> u64 {
    u64::try_from(size).unwrap_or(0)
}

fn position_of(cursor: &Cursor<'_>) -> u64 {
    u64::try_from(cursor.position()).unwrap_or(u64::MAX)
}
