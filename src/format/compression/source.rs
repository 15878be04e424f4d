//! The compressed bytes of one batch, read in order, and the two ways in which reading them fails.

use std::io::{self, BufRead};

use crate::format::malformed::{Malformed, Problem};

/// Why decompression stops short.
#[derive(Debug)]
pub(super) enum Fault {
    /// The reader below failed; the bytes may be sound.
    Input(io::Error),
    /// The bytes are wrong.
    Malformed(Malformed),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Input(error)
    }
}

impl From<Malformed> for Fault {
    fn from(fault: Malformed) -> Self {
        Self::Malformed(fault)
    }
}

impl Fault {
    /// The fault as a reader reports it; every later call reports the same kind and text again.
    pub(super) fn report(&mut self) -> io::Error {
        match self {
            Self::Input(error) => {
                let again = io::Error::new(error.kind(), error.to_string());
                std::mem::replace(error, again)
            }
            Self::Malformed(fault) => io::Error::new(io::ErrorKind::InvalidData, fault.clone()),
        }
    }
}

/// Reads the compressed bytes and counts them, so that a fault can say where it lies.
pub(super) struct Source<'a> {
    input: &'a mut dyn BufRead,
    /// Joins a block that the input's own buffer holds in pieces.
    staging: &'a mut Vec<u8>,
    position: usize,
}

impl<'a> Source<'a> {
    pub(super) fn new(input: &'a mut dyn BufRead, staging: &'a mut Vec<u8>) -> Self {
        Self {
            input,
            staging,
            position: 0,
        }
    }

    /// The bytes that the input has at hand; empty only at its end.
    pub(super) fn chunk(&mut self) -> io::Result<&[u8]> {
        while let Err(error) = self.input.fill_buf() {
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(error);
            }
        }
        // Asked twice, because a borrow that is returned cannot be tried in a loop. The bytes
        // are buffered now, so this costs no second read.
        self.input.fill_buf()
    }

    /// Marks bytes of the last chunk as used.
    pub(super) fn advance(&mut self, count: usize) {
        self.input.consume(count);
        self.position = self.position.saturating_add(count);
    }

    /// A fault at the place reached.
    #[cold]
    pub(super) fn fault(&self, field: &'static str, problem: Problem) -> Fault {
        Fault::Malformed(Malformed {
            field,
            at: self.position,
            problem,
        })
    }

    /// A fault in a decompressor's words.
    #[cold]
    pub(super) fn undecodable(&self, field: &'static str, reason: impl Into<String>) -> Fault {
        let reason = reason.into();
        self.fault(field, Problem::Undecodable { reason })
    }

    /// The input ends `left` bytes into a field of `needed`.
    #[cold]
    pub(super) fn truncated(&self, field: &'static str, needed: usize, left: usize) -> Fault {
        self.fault(field, Problem::Truncated { needed, left })
    }

    /// Fills as much of `into` as the input has; returns how much that was.
    pub(super) fn read_up_to(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut read = 0_usize;
        while let Some((_, rest)) = into.split_at_mut_checked(read) {
            let chunk = self.chunk()?;
            let count = chunk.len().min(rest.len());
            let (Some(from), Some(to)) = (chunk.get(..count), rest.get_mut(..count)) else {
                break;
            };
            if count == 0 {
                break;
            }
            to.copy_from_slice(from);
            self.advance(count);
            read = read.saturating_add(count);
        }
        Ok(read)
    }

    /// Reads exactly `N` bytes.
    pub(super) fn array<const N: usize>(&mut self, field: &'static str) -> Result<[u8; N], Fault> {
        let mut bytes = [0; N];
        match self.read_up_to(&mut bytes)? {
            read if read == N => Ok(bytes),
            read => Err(self.truncated(field, N, read)),
        }
    }

    /// Reads a number as these codecs store it; everything of Kafka's own is big-endian.
    pub(super) fn little_endian_u32(&mut self, field: &'static str) -> Result<u32, Fault> {
        let [a, b, c, d] = self.array(field)?;
        Ok(u32::from_be_bytes([d, c, b, a]))
    }

    /// Gives the next `count` bytes to `work` in one piece, in place where the input has them so.
    ///
    /// `count` sizes no memory: the staging buffer grows only by bytes that came.
    pub(super) fn with_bytes<R>(
        &mut self,
        count: usize,
        field: &'static str,
        work: impl FnOnce(&[u8]) -> R,
    ) -> Result<R, Fault> {
        if let Some(whole) = self.chunk()?.get(..count) {
            let result = work(whole);
            self.advance(count);
            return Ok(result);
        }
        self.staging.clear();
        self.stage(count)?;
        if self.staging.len() < count {
            return Err(self.truncated(field, count, self.staging.len()));
        }
        Ok(work(self.staging))
    }

    /// Gives `head` and all that follows to `work` in one piece; `None` when that is more than
    /// `limit` bytes.
    pub(super) fn with_rest<R>(
        &mut self,
        head: &[u8],
        limit: usize,
        work: impl FnOnce(&[u8]) -> R,
    ) -> io::Result<Option<R>> {
        self.staging.clear();
        self.staging.extend_from_slice(head);
        self.stage(limit)?;
        let fits = self.staging.len() <= limit && self.chunk()?.is_empty();
        Ok(fits.then(|| work(self.staging)))
    }

    /// Appends to the staging buffer until it holds `limit` bytes or the input ends.
    fn stage(&mut self, limit: usize) -> io::Result<()> {
        loop {
            let wanted = limit.saturating_sub(self.staging.len());
            // Borrowed by field: the chunk lives in the input, the copy goes to the staging buffer.
            self.chunk()?;
            let chunk = self.input.fill_buf()?;
            let taken = chunk.get(..wanted).unwrap_or(chunk);
            if taken.is_empty() {
                return Ok(());
            }
            let count = taken.len();
            self.staging.extend_from_slice(taken);
            self.advance(count);
        }
    }
}
