//! Reads one log front to back, on a thread of its own: two logs are read side by side, and each
//! walk is one loop that cannot wait for the other.
//!
//! Memory: a few portions of batches that wait, and the files that they lie in.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;

use super::side::ComparedLog;
use crate::format::batch::{HEADER_SIZE, MAGIC};
use crate::format::mirror_reset::MirrorPidReset;
use crate::format::number::Offset;
use crate::state::batch::{Batch, Control, Place, control};
use crate::storage::damage::{Code, Damage};
use crate::storage::listener::Listener;
use crate::storage::segment::contents::{BatchReader, DEFAULT_MAX_RECORD_BYTES};
use crate::storage::segment::walk::{Piece, Span, Walk};
use crate::storage::source::{ReadError, Source};

/// Batches handed over together.
const PORTION: usize = 256;
/// Portions that wait at most.
pub(super) const WAITING: usize = 4;

/// A batch whose checksum is right.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    /// The facts in its header; without a leader epoch before magic 2.
    pub(super) batch: Batch,
    /// What its record says, of a control batch.
    pub(super) control: Option<Control>,
    /// The cluster that a barrier names.
    pub(super) source_cluster_id: Option<String>,
    /// The file that it lies in.
    pub(super) file: Arc<Source>,
}

impl Seen {
    /// The offset behind it.
    #[must_use]
    pub(super) const fn next(&self) -> Offset {
        self.batch.next_offset()
    }

    /// Its records, those of a control batch left out. Before magic 2 a message counts as one.
    #[must_use]
    pub(super) fn records(&self) -> u64 {
        match (self.batch.is_control, self.batch.magic < MAGIC) {
            (true, _) => 0,
            (_, true) => 1,
            _ => u64::try_from(self.batch.count).unwrap_or(0),
        }
    }

    /// Where it lies in its file.
    #[must_use]
    pub(super) const fn span(&self) -> Span {
        Span {
            position: self.batch.place.position,
            size: self.batch.place.size,
            magic: self.batch.magic,
        }
    }

    /// Its first bytes, zeros behind a message that is shorter.
    ///
    /// # Errors
    /// A read that failed.
    pub(super) fn head(&self) -> Result<[u8; HEADER_SIZE], ReadError> {
        let mut reader = BatchReader::new(&self.file, DEFAULT_MAX_RECORD_BYTES);
        Ok(*reader.load(self.span())?.head())
    }

    /// Gives all its bytes, piece by piece where they are many.
    ///
    /// # Errors
    /// A read that failed.
    pub(super) fn bytes(&self) -> Result<Vec<u8>, ReadError> {
        const PIECE: usize = 1 << 20;
        let mut window = self.file.window();
        let (mut at, end) = (self.batch.place.position, self.batch.place.end());
        let mut all = Vec::new();
        while at < end {
            let wanted = usize::try_from(end - at).unwrap_or(PIECE).min(PIECE);
            let piece = window.bytes(at, wanted)?;
            if piece.is_empty() {
                break;
            }
            all.extend_from_slice(piece);
            at += piece.len() as u64;
        }
        Ok(all)
    }
}

/// What a log holds next.
#[derive(Debug)]
pub(super) enum Item {
    /// A batch whose checksum is right.
    Batch(Seen),
    /// A stretch that holds no batch, or a batch whose checksum is wrong.
    Damage(Arc<Source>, Damage),
}

impl Item {
    /// The byte behind it.
    fn end(&self) -> u64 {
        match self {
            Self::Batch(seen) => seen.batch.place.end(),
            Self::Damage(_, damage) => damage.position.saturating_add(damage.size),
        }
    }
}

/// A part of a log, or why reading ended.
pub(super) type Portion = Result<Vec<Item>, ReadError>;

/// Nobody takes what is read any more.
struct Unwanted;

/// Reads a log and sends its portions; ends early when nobody takes them.
pub(super) fn read(log: &ComparedLog, sender: &SyncSender<Portion>) {
    for segment in &log.segments {
        let read = log.open(segment).and_then(|file| {
            read_segment(&file, segment.base_offset, log.listener.as_deref(), sender)
        });
        match read {
            Ok(Ok(())) => {}
            Ok(Err(Unwanted)) => return,
            Err(error) => {
                // Nobody listens when the comparison has ended already.
                let _ = sender.send(Err(error));
                return;
            }
        }
    }
}

fn read_segment(
    file: &Arc<Source>,
    base_offset: Offset,
    listener: Option<&dyn Listener>,
    sender: &SyncSender<Portion>,
) -> Result<Result<(), Unwanted>, ReadError> {
    let mut walk = Walk::new(file);
    let mut reader = BatchReader::new(file, DEFAULT_MAX_RECORD_BYTES);
    let mut portion = Vec::with_capacity(PORTION);
    let mut told = 0;
    while let Some(piece) = walk.next_piece()? {
        portion.push(match piece {
            Piece::Damage(damage) => Item::Damage(Arc::clone(file), damage),
            Piece::Batch(span) => item(&mut reader, file, base_offset, span)?,
        });
        if portion.len() == PORTION {
            let end = portion.last().map_or(told, Item::end);
            if let Some(listener) = listener {
                listener.read(end.saturating_sub(told));
            }
            told = end;
            let full = std::mem::replace(&mut portion, Vec::with_capacity(PORTION));
            if sender.send(Ok(full)).is_err() {
                return Ok(Err(Unwanted));
            }
        }
    }
    file.check()?;
    if let Some(listener) = listener {
        listener.read(file.len().saturating_sub(told));
    }
    match sender.send(Ok(portion)) {
        Ok(()) => Ok(Ok(())),
        Err(_) => Ok(Err(Unwanted)),
    }
}

fn item(
    reader: &mut BatchReader<'_>,
    file: &Arc<Source>,
    segment: Offset,
    span: Span,
) -> Result<Item, ReadError> {
    let mut loaded = reader.load(span)?;
    let checksum = loaded.checksum()?;
    if !checksum.is_valid() {
        let damage = Damage {
            position: span.position,
            size: span.size.into(),
            code: Code::CrcMismatch,
            message: format!(
                "stored checksum {:#010x}, computed {:#010x}",
                checksum.stored, checksum.computed
            ),
        };
        return Ok(Item::Damage(Arc::clone(file), damage));
    }
    let place = Place {
        segment,
        position: span.position,
        size: span.size,
    };
    let batch = Batch::new(loaded.head(), place);
    let (mut said, mut source_cluster_id) = (None, None);
    if batch.is_control {
        let control = control(&mut loaded)?;
        if control == Control::MirrorPidReset {
            loaded.entries(&mut |entry| {
                if let MirrorPidReset::Sourced {
                    source_cluster_id: id,
                    ..
                } = MirrorPidReset::decode(entry.value)
                {
                    source_cluster_id = Some(String::from_utf8_lossy(&id).into_owned());
                }
                ControlFlow::Break(())
            })?;
        }
        said = Some(control);
    }
    Ok(Item::Batch(Seen {
        batch,
        control: said,
        source_cluster_id,
        file: Arc::clone(file),
    }))
}
