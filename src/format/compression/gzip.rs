//! Gzip (RFC 1952) as `java.util.zip.GZIPInputStream` reads it: members one after another.

use flate2::{Decompress, FlushDecompress, Status};

use super::buffer::Buffer;
use super::source::{Fault, Source};
use super::{Decode, STRIDE, Step};
use crate::format::crc::{Kind, Running};
use crate::format::malformed::Problem;
use crate::format::number::to_usize;

const FIELD: &str = "gzip stream";
const MAGIC: [u8; 2] = [0x1f, 0x8b];
const DEFLATE: u8 = 8;
/// Modification time, extra flags and operating system: nobody's concern here.
const IGNORED: usize = 6;

const HEADER_CRC: u8 = 1 << 1;
const EXTRA: u8 = 1 << 2;
const NAME: u8 = 1 << 3;
const COMMENT: u8 = 1 << 4;

#[derive(Debug, Default, Clone, Copy)]
enum Stage {
    /// At the first byte of the input, where a member must be.
    #[default]
    First,
    /// Behind a member, where another may be.
    Next,
    Body,
    Trailer,
}

/// The state of one gzip stream; the inflater is kept for the next.
#[derive(Debug)]
pub(super) struct Gzip {
    inflate: Option<Decompress>,
    stage: Stage,
    checksum: Running,
    /// Bytes that this member gave, modulo 2^32 as its trailer counts them.
    length: u32,
}

impl Default for Gzip {
    fn default() -> Self {
        Self {
            inflate: None,
            stage: Stage::default(),
            checksum: Running::new(Kind::Crc32),
            length: 0,
        }
    }
}

impl Gzip {
    pub(super) fn begin(&mut self) -> &mut Self {
        self.stage = Stage::First;
        self
    }

    fn body(&mut self, source: &mut Source<'_>, out: &mut Buffer) -> Result<Step, Fault> {
        let inflate = self.inflate.get_or_insert_with(|| Decompress::new(false));
        let spare = out.spare(STRIDE);
        let input = source.chunk()?;
        let at_end = input.is_empty();
        let (in_before, out_before) = (inflate.total_in(), inflate.total_out());
        let status = inflate.decompress(input, spare, FlushDecompress::None);
        let used = count_between(in_before, inflate.total_in());
        let made = count_between(out_before, inflate.total_out());
        let made_bytes = spare.get(..made).unwrap_or_default();
        self.checksum.update(made_bytes);
        self.length = self
            .length
            .wrapping_add(u32::try_from(made).unwrap_or_default());
        out.wrote(made);
        source.advance(used);
        match status {
            Ok(Status::StreamEnd) => self.stage = Stage::Trailer,
            Ok(_) if made == 0 && used == 0 && at_end => {
                return Err(source.truncated(FIELD, 1, 0));
            }
            Ok(_) if made == 0 && used == 0 => {
                return Err(source.undecodable(FIELD, "the inflater makes no progress"));
            }
            Ok(_) => {}
            Err(error) => {
                let reason = error.message().unwrap_or("deflate data is invalid");
                return Err(source.undecodable(FIELD, reason));
            }
        }
        Ok(Step::Progress)
    }

    fn trailer(&mut self, source: &mut Source<'_>) -> Result<(), Fault> {
        for (field, computed) in [
            ("gzip checksum", self.checksum.clone().value()),
            ("gzip length", self.length),
        ] {
            let stored = source.little_endian_u32(field)?;
            if stored != computed {
                let (stored, computed) = (u64::from(stored), u64::from(computed));
                return Err(source.fault(field, Problem::Mismatch { stored, computed }));
            }
        }
        self.stage = Stage::Next;
        Ok(())
    }
}

impl Decode for Gzip {
    fn step(&mut self, source: &mut Source<'_>, out: &mut Buffer) -> Result<Step, Fault> {
        match self.stage {
            Stage::Body => return self.body(source, out),
            Stage::Trailer => self.trailer(source)?,
            Stage::First | Stage::Next => {
                match (self.stage, header(source)) {
                    (_, Ok(())) => {}
                    // Java takes what does not begin another member for the end.
                    (Stage::Next, Err(Fault::Malformed(_))) => return Ok(Step::End),
                    (_, Err(fault)) => return Err(fault),
                }
                if let Some(inflate) = &mut self.inflate {
                    inflate.reset(false);
                }
                self.checksum = Running::new(Kind::Crc32);
                self.length = 0;
                self.stage = Stage::Body;
            }
        }
        Ok(Step::Progress)
    }
}

/// Reads a member's header up to its deflate data.
fn header(source: &mut Source<'_>) -> Result<(), Fault> {
    let mut header = Header {
        source,
        checksum: Running::new(Kind::Crc32),
    };
    let magic = header.array::<2>()?;
    if magic != MAGIC {
        return Err(header.source.undecodable(FIELD, "not in gzip format"));
    }
    let [method, flags] = header.array()?;
    if method != DEFLATE {
        return Err(header
            .source
            .undecodable(FIELD, "unknown compression method"));
    }
    header.array::<IGNORED>()?;
    if flags & EXTRA != 0 {
        let [low, high] = header.array()?;
        for _ in 0..u16::from_be_bytes([high, low]) {
            header.array::<1>()?;
        }
    }
    for text in [NAME, COMMENT] {
        while flags & text != 0 && header.array()? != [0] {}
    }
    if flags & HEADER_CRC != 0 {
        let [.., high, low] = header.checksum.clone().value().to_be_bytes();
        if header.array()? != [low, high] {
            return Err(header.source.undecodable(FIELD, "header checksum is wrong"));
        }
    }
    Ok(())
}

/// Reads header bytes and sums them up on the way.
struct Header<'s, 'a> {
    source: &'s mut Source<'a>,
    checksum: Running,
}

impl Header<'_, '_> {
    fn array<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let bytes = self.source.array("gzip header")?;
        self.checksum.update(&bytes);
        Ok(bytes)
    }
}

/// How far a 64-bit counter of the inflater moved in one call, which is at most a slice length.
fn count_between(before: u64, after: u64) -> usize {
    to_usize(u32::try_from(after.wrapping_sub(before)).unwrap_or(u32::MAX))
}
