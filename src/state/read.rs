//! Gives the batches of a segment one by one as producer state wants them.

use crate::format::batch::HEADER_SIZE;
use crate::format::number::{Offset, to_usize};
use crate::state::batch::{Batch, Control, Place, control};
use crate::storage::damage::{Code, Damage};
use crate::storage::directory::PartitionDirectory;
use crate::storage::file_name::FileKind;
use crate::storage::segment::contents::{BatchReader, DEFAULT_MAX_RECORD_BYTES};
use crate::storage::segment::walk::{Piece, Span, Walk};
use crate::storage::source::{Access, ReadError, Source};
use std::ops::ControlFlow;
use std::path::PathBuf;

/// A segment's file and where it begins by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentFile {
    /// The base offset.
    pub base_offset: Offset,
    /// The `.log` file.
    pub path: PathBuf,
}

impl SegmentFile {
    /// Whether it has the name under which a broker looks for it: under another one it is passed
    /// over, and nothing beside it is missed (`LogFileUtils.logFile`).
    #[must_use]
    pub fn is_named(&self) -> bool {
        let name = FileKind::Log.name_at(self.base_offset);
        self.path.file_name().is_some_and(|own| *own == *name)
    }
}

/// The segments of a partition in the order of their base offsets; files on their way in or out
/// are no segments.
#[must_use]
pub fn segments(directory: &PartitionDirectory) -> Vec<SegmentFile> {
    let logs = directory.files_of(FileKind::Log);
    let mut segments: Vec<_> = logs
        .filter(|file| file.name.suffix.is_none())
        .filter_map(|file| {
            Some(SegmentFile {
                base_offset: file.name.base_offset?,
                path: file.path.clone(),
            })
        })
        .collect();
    segments.sort_by_key(|segment| segment.base_offset);
    segments
}

/// What a reading gives.
#[derive(Debug)]
pub enum Item<'a> {
    /// A batch, and what its control record says where that was asked for.
    Batch(&'a Batch, Option<&'a Control>),
    /// A stretch that holds no batch, or a batch whose checksum is wrong.
    Damage(&'a Damage),
}

/// How to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadOptions {
    /// Map the files or read them plainly.
    pub access: Access,
    /// Compare checksums; a batch with a wrong one is damage.
    pub check_crc: bool,
}

/// Walks over a segment; `needs_control` says of which control batches the record is to be read,
/// and `visit` may break off.
///
/// # Errors
/// The file cannot be opened or read, or was changed meanwhile.
pub fn read_segment(
    segment: &SegmentFile,
    options: ReadOptions,
    needs_control: &mut impl FnMut(&Batch) -> bool,
    visit: &mut impl FnMut(Item<'_>) -> ControlFlow<()>,
) -> Result<(), ReadError> {
    let source = Source::open(&segment.path, options.access)?;
    read_source(
        &source,
        segment.base_offset,
        options.check_crc,
        needs_control,
        visit,
    )?;
    source.check()
}

/// As [`read_segment`], of bytes that are at hand.
///
/// # Errors
/// A read that failed.
pub fn read_source(
    source: &Source,
    base_offset: Offset,
    check_crc: bool,
    needs_control: &mut impl FnMut(&Batch) -> bool,
    visit: &mut impl FnMut(Item<'_>) -> ControlFlow<()>,
) -> Result<(), ReadError> {
    let mapped = source.as_slice().unwrap_or_default();
    let mut walk = Walk::new(source);
    let mut reader = BatchReader::new(source, DEFAULT_MAX_RECORD_BYTES);
    while let Some(piece) = walk.next_piece()? {
        let flow = match piece {
            Piece::Damage(damage) => visit(Item::Damage(&damage)),
            Piece::Batch(span) => {
                let batch = batch_at(&mut walk, mapped, base_offset, span)?;
                if check_crc && let Some(damage) = crc_damage(&mut reader, span)? {
                    visit(Item::Damage(&damage))
                } else if batch.is_control && needs_control(&batch) {
                    let control = control(&mut reader.load(span)?)?;
                    visit(Item::Batch(&batch, Some(&control)))
                } else {
                    visit(Item::Batch(&batch, None))
                }
            }
        };
        if flow.is_break() {
            break;
        }
    }
    Ok(())
}

/// What the header of a batch says that a walk has just come by; `mapped` holds the bytes of the
/// whole file, or none.
///
/// # Errors
/// A read that failed.
#[inline]
pub fn batch_at(
    walk: &mut Walk<'_>,
    mapped: &[u8],
    segment: Offset,
    span: Span,
) -> Result<Batch, ReadError> {
    let place = place(segment, span);
    Ok(match header_in(mapped, span) {
        Some(head) => Batch::new(head, place),
        None => Batch::new(&walk.head(span)?, place),
    })
}

/// A whole header where it lies: a copy would be read again before it is written.
#[inline]
fn header_in(mapped: &[u8], span: Span) -> Option<&[u8; HEADER_SIZE]> {
    if to_usize(span.size) < HEADER_SIZE {
        return None;
    }
    let start = usize::try_from(span.position).ok()?;
    mapped.get(start..)?.first_chunk()
}

const fn place(segment: Offset, span: Span) -> Place {
    Place {
        segment,
        position: span.position,
        size: span.size,
    }
}

fn crc_damage(reader: &mut BatchReader<'_>, span: Span) -> Result<Option<Damage>, ReadError> {
    let checksum = reader.load(span)?.checksum()?;
    if checksum.is_valid() {
        return Ok(None);
    }
    Ok(Some(Damage {
        position: span.position,
        size: span.size.into(),
        code: Code::CrcMismatch,
        message: format!(
            "stored checksum {:#010x}, computed {:#010x}",
            checksum.stored, checksum.computed
        ),
    }))
}
