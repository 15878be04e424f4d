//! Snappy as snappy-java's `SnappyInputStream` reads it.
//!
//! Kafka's producers write its framing: a header of 16 bytes (magic, version, lowest compatible
//! version), then blocks, each after its length in four big-endian bytes. Without the magic the
//! whole input is one bare block, which older clients of other languages wrote.

use snap::raw::{Decoder, decompress_len, max_compress_len};

use super::buffer::Buffer;
use super::source::{Fault, Source};
use super::{BLOCK_LIMIT, Decode, Step};
use crate::format::malformed::Problem;
use crate::format::number::to_usize;

const FIELD: &str = "snappy block";
const MAGIC: [u8; 8] = *b"\x82SNAPPY\0";
const HEADER_LENGTH: usize = MAGIC.len().saturating_add(8);
const LOWEST_VERSION: i32 = 1;

/// Three bytes of a block (a copy with a two-byte offset) give at most 64, so no byte gives 22.
const MAX_GAIN: usize = 22;

/// The state of one snappy stream.
#[derive(Debug, Default)]
pub(super) struct Snappy {
    /// The header was read.
    begun: bool,
    /// The input was one bare block, and it was given.
    spent: bool,
}

impl Snappy {
    pub(super) fn begin(&mut self) -> &mut Self {
        *self = Self::default();
        self
    }

    /// Reads the header; where there is none, the input is one block.
    fn first(&mut self, source: &mut Source<'_>, out: &mut Buffer) -> Result<(), Fault> {
        let mut header = [0; HEADER_LENGTH];
        let length = source.read_up_to(&mut header)?;
        self.begun = true;
        if length == 0 {
            return Err(source.truncated("snappy header", HEADER_LENGTH, 0));
        }
        // Java looks at the magic only; the versions count in the headers of later streams.
        if length == HEADER_LENGTH && header.starts_with(&MAGIC) {
            return Ok(());
        }
        self.spent = true;
        let head = header.get(..length).unwrap_or_default();
        let limit = max_compress_len(BLOCK_LIMIT);
        match source.with_rest(head, limit, |bytes| block(bytes, out))? {
            Some(Ok(())) => Ok(()),
            Some(Err(problem)) => Err(source.fault(FIELD, problem)),
            None => Err(source.fault(FIELD, too_large(limit))),
        }
    }
}

impl Decode for Snappy {
    fn step(&mut self, source: &mut Source<'_>, out: &mut Buffer) -> Result<Step, Fault> {
        if !self.begun {
            self.first(source, out)?;
            return Ok(Step::Progress);
        }
        let mut length = [0; 4];
        // Java stops without a word where fewer than four bytes are left.
        if self.spent || source.read_up_to(&mut length)? < length.len() {
            return Ok(Step::End);
        }
        if MAGIC.starts_with(&length) {
            return concatenated(source);
        }
        let Ok(length) = u32::try_from(i32::from_be_bytes(length)) else {
            let stored = i64::from(i32::from_be_bytes(length));
            let expected = "0 or more";
            return Err(source.fault(
                "snappy block length",
                Problem::OutOfRange { stored, expected },
            ));
        };
        let length = to_usize(length);
        if length > max_compress_len(BLOCK_LIMIT) {
            return Err(source.fault(FIELD, too_large(length)));
        }
        source
            .with_bytes(length, FIELD, |bytes| block(bytes, out))?
            .map_err(|problem| source.fault(FIELD, problem))?;
        Ok(Step::Progress)
    }
}

/// Reads the rest of a header that follows a block: streams may be joined end to end.
fn concatenated(source: &mut Source<'_>) -> Result<Step, Fault> {
    let [a, b, c, d, version @ .., _, _, _, _] = source.array::<12>("snappy header")?;
    if !MAGIC.ends_with(&[a, b, c, d]) {
        // Java takes it for the end.
        return Ok(Step::End);
    }
    let version = i32::from_be_bytes(version);
    if version < LOWEST_VERSION {
        let stored = i64::from(version);
        let expected = "1 or more";
        return Err(source.fault("snappy version", Problem::OutOfRange { stored, expected }));
    }
    Ok(Step::Progress)
}

/// Decodes one block behind what waits in `out`.
fn block(bytes: &[u8], out: &mut Buffer) -> Result<(), Problem> {
    let undecodable = |error: snap::Error| Problem::Undecodable {
        reason: error.to_string(),
    };
    let length = decompress_len(bytes).map_err(undecodable)?;
    if length > bytes.len().saturating_mul(MAX_GAIN) {
        let reason = format!("{} bytes cannot give the {length} declared", bytes.len());
        return Err(Problem::Undecodable { reason });
    }
    if length > BLOCK_LIMIT {
        return Err(too_large(length));
    }
    let made = Decoder::new()
        .decompress(bytes, out.spare(length))
        .map_err(undecodable)?;
    out.wrote(made);
    Ok(())
}

fn too_large(size: usize) -> Problem {
    Problem::TooLarge {
        size: u64::try_from(size).unwrap_or(u64::MAX),
        limit: u64::try_from(BLOCK_LIMIT).unwrap_or(u64::MAX),
    }
}
