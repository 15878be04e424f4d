//! LZ4 frames as Kafka's `Lz4BlockInputStream` reads them: one frame of independent blocks.
//!
//! The frame is read here and only blocks go to the decoder: the layout is small, buffers stay
//! from batch to batch, and the header checksum of magic 0 needs a rule of its own.

use std::hash::Hasher;

use lz4_flex::block::decompress_into;
use twox_hash::XxHash32;

use super::buffer::Buffer;
use super::source::{Fault, Source};
use super::{Decode, Step};
use crate::format::malformed::Problem;
use crate::format::number::to_usize;

const DESCRIPTOR: &str = "lz4 frame descriptor";
const BLOCK: &str = "lz4 block";
const MAGIC: u32 = 0x184D_2204;

const RESERVED: u8 = 0b11;
const CONTENT_CHECKSUM: u8 = 1 << 2;
const CONTENT_SIZE: u8 = 1 << 3;
const BLOCK_CHECKSUM: u8 = 1 << 4;
const INDEPENDENT: u8 = 1 << 5;
const VERSION_1: u8 = 1 << 6;

/// The bits that must be as below, and how: version 1, independent blocks, nothing reserved.
const FIXED: u8 = RESERVED | INDEPENDENT | 0b1100_0000;
const FIXED_AS: u8 = INDEPENDENT | VERSION_1;

/// In a block's length: the block is stored as it is.
const STORED: u32 = 1 << 31;

/// One byte of a block gives at most 255: a further byte of a match length.
const MAX_GAIN: usize = 255;

/// The state of one LZ4 frame.
#[derive(Debug, Default)]
pub(super) struct Lz4 {
    header_checksum_ignored: bool,
    /// None before the header was read.
    frame: Option<Frame>,
    ended: bool,
}

#[derive(Debug, Clone, Copy)]
struct Frame {
    block_limit: usize,
    block_checksum: bool,
    content_checksum: bool,
}

impl Lz4 {
    /// Kafka wrote magic 0 with a checksum over the wrong bytes (KAFKA-3160) and never checks
    /// it there, because other clients wrote the right one.
    pub(super) fn begin(&mut self, magic: u8) -> &mut Self {
        *self = Self {
            header_checksum_ignored: magic == 0,
            ..Self::default()
        };
        self
    }

    fn header(&self, source: &mut Source<'_>) -> Result<Frame, Fault> {
        if source.little_endian_u32("lz4 magic")? != MAGIC {
            return Err(source.undecodable("lz4 magic", "not an LZ4 frame"));
        }
        // Flags, block size, and a content size that counts only for the checksum.
        let [flags, size] = source.array(DESCRIPTOR)?;
        let mut checksum = XxHash32::with_seed(0);
        checksum.write(&[flags, size]);
        if flags & CONTENT_SIZE != 0 {
            checksum.write(&source.array::<8>(DESCRIPTOR)?);
        }
        let [stored] = source.array(DESCRIPTOR)?;
        if flags & FIXED != FIXED_AS {
            let reason = format!("unsupported flags {flags:#04x}");
            return Err(source.undecodable(DESCRIPTOR, reason));
        }
        let block_limit = match size {
            0x40 => 64 << 10,
            0x50 => 256 << 10,
            0x60 => 1 << 20,
            0x70 => 4 << 20,
            _ => {
                let reason = format!("unknown block size {size:#04x}");
                return Err(source.undecodable(DESCRIPTOR, reason));
            }
        };
        let [.., computed, _] = checksum.finish_32().to_be_bytes();
        if stored != computed && !self.header_checksum_ignored {
            let (stored, computed) = (u64::from(stored), u64::from(computed));
            return Err(source.fault(DESCRIPTOR, Problem::Mismatch { stored, computed }));
        }
        Ok(Frame {
            block_limit,
            block_checksum: flags & BLOCK_CHECKSUM != 0,
            content_checksum: flags & CONTENT_CHECKSUM != 0,
        })
    }
}

impl Decode for Lz4 {
    fn step(&mut self, source: &mut Source<'_>, out: &mut Buffer) -> Result<Step, Fault> {
        if self.ended {
            return Ok(Step::End);
        }
        let Some(frame) = self.frame else {
            self.frame = Some(self.header(source)?);
            return Ok(Step::Progress);
        };
        let word = source.little_endian_u32("lz4 block length")?;
        let length = to_usize(word & !STORED);
        if length == 0 {
            if frame.content_checksum {
                // Read and not compared, as in Kafka.
                source.little_endian_u32("lz4 content checksum")?;
            }
            // Kafka reads one frame; what follows it is never looked at.
            self.ended = true;
            return Ok(Step::End);
        }
        if length > frame.block_limit {
            let reason = format!(
                "block of {length} bytes in a frame of {}",
                frame.block_limit
            );
            return Err(source.undecodable(BLOCK, reason));
        }
        let (result, computed) = source.with_bytes(length, BLOCK, |bytes| {
            let checksum = frame.block_checksum.then(|| XxHash32::oneshot(0, bytes));
            (block(bytes, word & STORED != 0, frame, out), checksum)
        })?;
        if let Some(computed) = computed {
            let stored = source.little_endian_u32("lz4 block checksum")?;
            if stored != computed {
                let (stored, computed) = (u64::from(stored), u64::from(computed));
                let problem = Problem::Mismatch { stored, computed };
                return Err(source.fault("lz4 block checksum", problem));
            }
        }
        out.wrote(result.map_err(|reason| source.undecodable(BLOCK, reason))?);
        Ok(Step::Progress)
    }
}

/// Decodes one block into the spare room of `out`; returns the length.
fn block(bytes: &[u8], stored: bool, frame: Frame, out: &mut Buffer) -> Result<usize, String> {
    if stored {
        out.spare(bytes.len()).copy_from_slice(bytes);
        return Ok(bytes.len());
    }
    let room = frame.block_limit.min(bytes.len().saturating_mul(MAX_GAIN));
    decompress_into(bytes, out.spare(room)).map_err(|error| error.to_string())
}
