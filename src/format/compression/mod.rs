//! The record section of a compressed batch, opened as a stream in bounded memory.
//!
//! Knows the four codecs of Kafka (`CompressionType`) and the framing that Kafka's Java classes
//! accept around them. It knows nothing of records: it never learns how much a batch should give,
//! and what the compressed bytes declare never sizes memory beyond [`BLOCK_LIMIT`].

mod buffer;
mod gzip;
mod lz4;
mod snappy;
mod source;
mod zstd;

use std::fmt;
use std::io::{self, BufRead, Read};

use self::buffer::Buffer;
use self::source::{Fault, Source};
use super::malformed::Malformed;

/// The most that one decompressed block may take in memory, in bytes: 128 MiB.
///
/// It is the largest window that zstd allows without being asked (`ZSTD_WINDOWLOG_LIMIT_DEFAULT`,
/// the limit in force in a broker); the same limit holds for a snappy block, whose format has
/// none below 4 GiB.
pub const BLOCK_LIMIT: usize = 128 << 20;

/// A refill goes on until this much waits, so that most records lie in one piece.
const ENOUGH: usize = 64 << 10;

/// The room that a codec without blocks of its own writes to at once.
const STRIDE: usize = 128 << 10;

/// How a batch's records are compressed (`CompressionType`): the low three bits of its attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Codec {
    /// Not at all.
    #[default]
    None,
    /// RFC 1952.
    Gzip,
    /// Snappy blocks in the framing of snappy-java, or one bare block.
    Snappy,
    /// One LZ4 frame of independent blocks.
    Lz4,
    /// Zstandard frames (KIP-110); legal in magic 2 only.
    Zstd,
}

impl Codec {
    /// The codec that a batch's or message's attributes name; `None` for the ids 5 to 7, which
    /// no version of Kafka has given out.
    ///
    /// ```
    /// use kfsck::format::compression::Codec;
    /// assert_eq!(Codec::from_attributes(0b1_0100), Some(Codec::Zstd));
    /// assert_eq!(Codec::from_attributes(7), None);
    /// ```
    #[must_use]
    pub const fn from_attributes(attributes: i16) -> Option<Self> {
        match attributes & 7 {
            0 => Some(Self::None),
            1 => Some(Self::Gzip),
            2 => Some(Self::Snappy),
            3 => Some(Self::Lz4),
            4 => Some(Self::Zstd),
            _ => None,
        }
    }

    /// The id, as the attributes carry it.
    #[must_use]
    pub const fn id(self) -> i16 {
        match self {
            Self::None => 0,
            Self::Gzip => 1,
            Self::Snappy => 2,
            Self::Lz4 => 3,
            Self::Zstd => 4,
        }
    }

    /// Kafka's name for it: `none`, `gzip`, `snappy`, `lz4`, `zstd`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Gzip => "gzip",
            Self::Snappy => "snappy",
            Self::Lz4 => "lz4",
            Self::Zstd => "zstd",
        }
    }
}

impl fmt::Display for Codec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What a step of a decoder came to.
enum Step {
    /// It used input or gave output, and there may be more.
    Progress,
    /// The stream is at its legal end.
    End,
}

/// One codec's decoding, from one batch's first byte to its last.
trait Decode {
    /// Uses some input, appends some output. A step that returns [`Step::Progress`] has moved
    /// the input or the output, so that a loop over steps ends.
    fn step(&mut self, source: &mut Source<'_>, out: &mut Buffer) -> Result<Step, Fault>;
}

/// Decompression state that one thread keeps and uses for batch after batch.
///
/// A new zstd context for each batch takes as long again as the decoding itself; here contexts
/// and buffers are made when first needed and then stay.
///
/// ```
/// use std::io::Read;
/// use kfsck::format::compression::{Codec, Decompressor};
///
/// let mut decompressor = Decompressor::default();
/// // A bare snappy block: five bytes long, one literal.
/// let mut compressed: &[u8] = b"\x05\x10hello";
/// let mut text = String::new();
/// decompressor.open(Codec::Snappy, 2, &mut compressed).read_to_string(&mut text)?;
/// assert_eq!(text, "hello");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Default)]
pub struct Decompressor {
    gzip: gzip::Gzip,
    snappy: snappy::Snappy,
    lz4: lz4::Lz4,
    zstd: zstd::Zstd,
    out: Buffer,
    staging: Vec<u8>,
}

impl fmt::Debug for Decompressor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decompressor").finish_non_exhaustive()
    }
}

impl Decompressor {
    /// A decompressor that holds no memory yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Opens the record section of one batch.
    ///
    /// `magic` is the batch's: magic 0 has LZ4 frames whose header checksum is not to be trusted
    /// (KAFKA-3160). `input` ends where the section ends.
    pub fn open<'a>(
        &'a mut self,
        codec: Codec,
        magic: u8,
        input: &'a mut dyn BufRead,
    ) -> Inflated<'a> {
        self.out.reset();
        if self.staging.capacity() > buffer::KEPT {
            self.staging = Vec::new();
        }
        let decoder: Option<&'a mut dyn Decode> = match codec {
            Codec::None => None,
            Codec::Gzip => Some(self.gzip.begin()),
            Codec::Snappy => Some(self.snappy.begin()),
            Codec::Lz4 => Some(self.lz4.begin(magic)),
            Codec::Zstd => Some(self.zstd.begin()),
        };
        Inflated {
            source: Source::new(input, &mut self.staging),
            decoder,
            out: &mut self.out,
            state: State::Open,
        }
    }

    /// Bytes that the buffers hold; the contexts of zstd and gzip not counted.
    #[cfg(test)]
    fn held(&self) -> usize {
        self.out.held().saturating_add(self.staging.capacity())
    }
}

enum State {
    Open,
    Ended,
    Broken(Fault),
}

/// The decompressed bytes of one batch, as a stream.
///
/// `fill_buf` gives what waits in the buffer, 64 KiB and more where there is that much to come.
/// Bytes before a fault are all given before the fault is.
///
/// Errors have the kind [`io::ErrorKind::InvalidData`] and carry a [`Malformed`] when the
/// compressed bytes are wrong (see [`malformed`]); an error of the input comes through as it is.
/// Either is reported again at each further call.
pub struct Inflated<'a> {
    source: Source<'a>,
    /// None where the bytes are stored as they are.
    decoder: Option<&'a mut dyn Decode>,
    out: &'a mut Buffer,
    state: State,
}

impl fmt::Debug for Inflated<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inflated").finish_non_exhaustive()
    }
}

impl BufRead for Inflated<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let Some(decoder) = self.decoder.as_deref_mut() else {
            return self.source.chunk();
        };
        if self.out.waiting().is_empty() {
            while matches!(self.state, State::Open) && self.out.waiting().len() < ENOUGH {
                match decoder.step(&mut self.source, self.out) {
                    Ok(Step::Progress) => {}
                    Ok(Step::End) => self.state = State::Ended,
                    Err(fault) => self.state = State::Broken(fault),
                }
            }
            if let (true, State::Broken(fault)) = (self.out.waiting().is_empty(), &mut self.state) {
                return Err(fault.report());
            }
        }
        Ok(self.out.waiting())
    }

    fn consume(&mut self, amount: usize) {
        if self.decoder.is_none() {
            self.source.advance(amount);
        } else {
            self.out.consume(amount);
        }
    }
}

impl Read for Inflated<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(into)?;
        self.consume(read);
        Ok(read)
    }
}

/// The fault that an error of [`Inflated`] carries; `None` for an error of the input.
///
/// `at` in it counts compressed bytes from the start of the record section.
#[must_use]
pub fn malformed(error: &io::Error) -> Option<&Malformed> {
    error.get_ref()?.downcast_ref()
}

#[cfg(test)]
mod tests;
