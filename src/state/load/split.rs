//! A segment whose offsets span more than 31 bits is split when a recovery comes by it
//! (`LocalLog.splitOverflowedSegment`), and the step begins anew.

use super::Loader;
use super::files::{Content, name_of};
use super::segment::{OffsetIndexBuild, Segment};
use super::stop::{Halt, Stop};
use super::stream::Stream;
use crate::format::batch::MAGIC;
use crate::format::number::Offset;
use crate::format::txn_index;
use crate::state::batch::Batch;
use std::collections::BTreeSet;

/// Bytes that go from the old segment to a new one at a time.
const CHUNK: u64 = 1 << 20;

/// A new segment.
struct Part {
    base: Offset,
    position: u64,
    length: u64,
    index: Vec<u8>,
}

impl<const N: usize> Loader<'_, N> {
    /// Puts segments without overflow in the place of one that has it.
    pub(super) fn split(&mut self, segment: &Segment) -> Result<(), Halt> {
        self.require_overflow(segment)?;
        let parts = self.parts(segment)?;
        let bases: BTreeSet<Offset> = parts.iter().map(|part| part.base).collect();
        if bases.len() < parts.len() {
            // The second of two with one name has deleted the first, which is then renamed.
            let name = name_of(segment.base, ".log.cleaned");
            return Err(Stop::new("NoSuchFileException", name).into());
        }
        let log = self.files.content(&name_of(segment.base, ".log")).cloned();
        self.leave_old(segment, &bases);
        for part in parts {
            let content = match &log {
                Some(Content::Disk(path)) => {
                    Content::Part(path.clone(), part.position, part.length)
                }
                Some(Content::Part(path, position, _)) => {
                    let position = position.saturating_add(part.position);
                    Content::Part(path.clone(), position, part.length)
                }
                _ => Content::Written(Vec::new()),
            };
            self.files.put(name_of(part.base, ".log"), content);
            let index = Content::Written(part.index);
            self.files.put(name_of(part.base, ".index"), index);
            let (new, _) = Segment::open(part.base, "", self.files, self.options)?;
            self.segments.insert(part.base, new);
        }
        self.files.split.insert(segment.base);
        Ok(())
    }

    /// The old segment goes if it was part of the log by now; else its files stay under their
    /// names until new ones take them.
    fn leave_old(&mut self, segment: &Segment, new: &BTreeSet<Offset>) {
        let base = segment.base;
        if self.segments.remove(&base).is_some() {
            for kind in [".log", ".index", ".timeindex", ".txnindex"] {
                self.files.delete(&name_of(base, kind), "split");
            }
            if !new.contains(&base) {
                let why = "its segment was split";
                self.keeper.forget(base, &mut self.disk, self.files, why);
            }
            return;
        }
        self.files
            .put(name_of(base, ".index"), segment.index.clone());
        let name = name_of(base, ".txnindex");
        if self.files.holds(&name) || !segment.aborted.is_empty() {
            let mut bytes = Vec::new();
            for txn in &segment.aborted {
                txn_index::encode(txn, &mut bytes);
            }
            self.files.put(name, Content::Written(bytes));
        }
    }

    fn require_overflow(&self, segment: &Segment) -> Result<(), Halt> {
        let next = segment.next_offset(self.options)?;
        if next > segment.base && !segment.is_in_range(next.plus(-1)) {
            return Ok(());
        }
        let source = segment.source(self.options)?;
        let path = source.path().display();
        Err(Halt::Stop(Stop {
            class: "IllegalArgumentException",
            message: format!(
                "Split operation is only permitted for segments with overflow, and the problem \
                 path is {path}"
            ),
            segment: Some(segment.base),
            position: None,
        }))
    }

    fn parts(&self, segment: &Segment) -> Result<Vec<Part>, Halt> {
        let source = segment.source(self.options)?;
        let (base, size) = (segment.base, segment.size);
        let stop = |class, message: String, position| {
            Halt::Stop(Stop {
                class,
                message,
                segment: Some(base),
                position: Some(position),
            })
        };
        let (mut parts, mut position) = (Vec::new(), 0);
        while position < size {
            let Some(first) = Stream::new(&source, base, position, size).next()? else {
                return Err(stop("NoSuchElementException", String::new(), position));
            };
            let mut part = PartBuild::new(&first, self.options.index_interval_bytes);
            loop {
                let mut stream = Stream::new(&source, base, position, size);
                let taken = part.chunk(&mut stream)?;
                if taken == 0 {
                    break;
                }
                position = position.saturating_add(taken);
            }
            if part.length == 0 {
                let message = format!("Failed to append records from position {position}");
                return Err(stop("IllegalStateException", message, position));
            }
            parts.push(Part {
                base: first.base_offset,
                position: first.place.position,
                length: part.length,
                index: part.index.bytes,
            });
        }
        Ok(parts)
    }
}

/// A new segment that grows.
struct PartBuild {
    empty: Segment,
    length: u64,
    index: OffsetIndexBuild,
}

impl PartBuild {
    fn new(first: &Batch, interval: u64) -> Self {
        Self {
            empty: Segment::empty(first.base_offset),
            length: 0,
            index: OffsetIndexBuild::new(first.base_offset, interval),
        }
    }

    /// `appendChunkFromFile`: gives the bytes it took.
    fn chunk(&mut self, stream: &mut Stream<'_>) -> Result<u64, Halt> {
        let mut taken = 0_u64;
        while let Some(batch) = stream.next()? {
            let size = u64::from(batch.place.size);
            let is_full = taken > 0 && taken.saturating_add(size) >= CHUNK;
            if is_full || !self.empty.is_in_range(batch.last_offset) {
                break;
            }
            if stream.magic > MAGIC {
                let message = format!("Invalid magic found in record: {}", stream.magic);
                return Err(Stop::new("CorruptRecordException", message).into());
            }
            if !self.index.batch(&batch, self.length) {
                let message = "Attempt to append an offset no larger than the last";
                return Err(Stop::new("InvalidOffsetException", message).into());
            }
            taken = taken.saturating_add(size);
            self.length = self.length.saturating_add(size);
        }
        Ok(taken)
    }
}
