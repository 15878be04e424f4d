//! Carries a recipe out: reads old files, writes the bytes of a new one.

use super::super::content::{BatchEdit, Content, IndexOf, Piece, Range};
use super::super::error::ApplyError;
use crate::format::number::Offset;
use crate::format::offset_index;
use crate::format::time_index;
use crate::state::batch::{Batch, Place};
use crate::state::index_build::IndexBuild;
use crate::storage::file_name::FileName;
use crate::storage::segment::walk::{Piece as WalkPiece, Span, Walk};
use crate::storage::source::{Access, ReadError, Source};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Bytes that are copied at a time.
const STEP: usize = 1 << 20;

/// Where recipes find what they name.
#[derive(Debug)]
pub(super) struct Kitchen<'a> {
    /// The old files.
    pub(super) old: &'a Path,
    pub(super) access: Access,
}

/// Why a recipe was not carried out: the writer's fault is the caller's to name.
#[derive(Debug)]
pub(super) enum Spoiled {
    Old(ApplyError),
    Writer(io::Error),
}

impl From<io::Error> for Spoiled {
    fn from(error: io::Error) -> Self {
        Self::Writer(error)
    }
}

impl From<ReadError> for Spoiled {
    fn from(error: ReadError) -> Self {
        Self::Old(error.into())
    }
}

impl Kitchen<'_> {
    /// Writes the bytes of a file; `finished` gives the path of a finished log of the result.
    pub(super) fn serve(
        &self,
        name: &str,
        content: &Content,
        finished: &dyn Fn(&str) -> PathBuf,
        out: &mut dyn Write,
    ) -> Result<(), Spoiled> {
        match content {
            Content::Removed => Ok(()),
            Content::Unchanged => {
                let source = self.open(name)?;
                copy(&source, 0, source.len(), out)?;
                Ok(source.check()?)
            }
            Content::Bytes(bytes) => Ok(out.write_all(bytes)?),
            Content::Pieces(pieces) => self.pieces(pieces, out),
            Content::OffsetIndex(of) => self.index(of, finished, true, out),
            Content::TimeIndex(of) => self.index(of, finished, false, out),
        }
    }

    fn open(&self, name: &str) -> Result<Source, ReadError> {
        Source::open(&self.old.join(name), self.access)
    }

    fn pieces(&self, pieces: &[Piece], out: &mut dyn Write) -> Result<(), Spoiled> {
        let mut open: Option<(&str, Source)> = None;
        for piece in pieces {
            let range = match piece {
                Piece::Bytes(bytes) => {
                    out.write_all(bytes)?;
                    continue;
                }
                Piece::Range(range) | Piece::Edited(range, _) => range,
            };
            let known = open.take().filter(|(name, _)| *name == range.file);
            let (name, source) = match known {
                Some(known) => known,
                None => (range.file.as_str(), self.open(&range.file)?),
            };
            match piece {
                Piece::Edited(_, edit) => edited(&source, range, edit.as_ref(), out)?,
                _ => copy(&source, range.position, range.length, out)?,
            }
            source.check()?;
            open = Some((name, source));
        }
        Ok(())
    }

    /// Builds an index of a log of the result.
    fn index(
        &self,
        of: &IndexOf,
        finished: &dyn Fn(&str) -> PathBuf,
        offsets: bool,
        out: &mut dyn Write,
    ) -> Result<(), Spoiled> {
        let base = FileName::parse(of.log.as_ref())
            .base_offset
            .unwrap_or(Offset(0));
        let source = Source::open(&finished(&of.log), self.access)?;
        let mut build = IndexBuild::new(base, of.interval);
        let mut walk = Walk::new(&source);
        let mut entry = Vec::new();
        while let Some(piece) = walk.next_piece()? {
            // What is planned has none: only a file that changes meanwhile shows damage here.
            let WalkPiece::Batch(span) = piece else {
                continue;
            };
            let batch = Batch::new(&walk.head(span)?, place(base, span));
            let due = build.batch(span.position, batch.last_offset, batch.max_timestamp);
            let Ok(Some(due)) = due else {
                continue;
            };
            entry.clear();
            let encoded = match (offsets, due.time) {
                (true, _) => offset_index::encode(due.offset, base, &mut entry),
                (false, Some(time)) => time_index::encode(time, base, &mut entry),
                (false, None) => Ok(()),
            };
            put(&of.log, encoded, &entry, out)?;
        }
        if !offsets && let Ok(Some(time)) = build.end() {
            entry.clear();
            let encoded = time_index::encode(time, base, &mut entry);
            put(&of.log, encoded, &entry, out)?;
        }
        Ok(source.check()?)
    }
}

fn put(
    log: &str,
    encoded: Result<(), crate::format::malformed::Malformed>,
    entry: &[u8],
    out: &mut dyn Write,
) -> Result<(), Spoiled> {
    match encoded {
        Ok(()) => Ok(out.write_all(entry)?),
        Err(fault) => Err(Spoiled::Old(ApplyError::Malformed {
            file: log.to_owned(),
            fault,
        })),
    }
}

const fn place(segment: Offset, span: Span) -> Place {
    Place {
        segment,
        position: span.position,
        size: span.size,
    }
}

fn copy(source: &Source, start: u64, length: u64, out: &mut dyn Write) -> Result<(), Spoiled> {
    let mut window = source.window();
    let (mut at, mut left) = (start, length);
    while left > 0 {
        let step = usize::try_from(left).unwrap_or(STEP).min(STEP);
        // Copied first: a page that is gone must not meet the kernel.
        let bytes = window.bytes(at, step)?.to_vec();
        let count = u64::try_from(bytes.len()).unwrap_or(0);
        if count == 0 {
            // The file was cut: the check says so.
            source.check()?;
            return Err(Spoiled::Writer(io::ErrorKind::UnexpectedEof.into()));
        }
        out.write_all(&bytes)?;
        at = at.saturating_add(count);
        left = left.saturating_sub(count);
    }
    Ok(())
}

/// Copies whole batches, each through the edit.
fn edited(
    source: &Source,
    range: &Range,
    edit: &dyn BatchEdit,
    out: &mut dyn Write,
) -> Result<(), Spoiled> {
    let mut window = source.window();
    let end = range.position.saturating_add(range.length);
    let mut at = range.position;
    let mut batch = Vec::new();
    while at < end {
        let probe = window.probe::<{ crate::format::frame::PROBE }>(at)?;
        let frame = probe.map(|probe| crate::format::frame::Frame::decode(&probe));
        let size = frame.and_then(crate::format::frame::Frame::size);
        let Some(size) = size.filter(|size| at.saturating_add(*size) <= end) else {
            source.check()?;
            return Err(Spoiled::Writer(io::ErrorKind::InvalidData.into()));
        };
        batch.clear();
        let mut bytes: Vec<u8> = Vec::new();
        copy(source, at, size, &mut bytes)?;
        std::mem::swap(&mut batch, &mut bytes);
        edit.edit(&mut batch).map_err(|fault| {
            Spoiled::Old(ApplyError::Malformed {
                file: range.file.clone(),
                fault: fault.shifted(usize::try_from(at).unwrap_or(usize::MAX)),
            })
        })?;
        out.write_all(&batch)?;
        at = at.saturating_add(size);
    }
    Ok(())
}
