//! A log as good batches and the stretches of offsets that damage took.
//!
//! Damage names bytes, not offsets: what it took lies between the good batches around it. A base
//! offset is under no checksum, so a batch that does not fit between its neighbours is damage too;
//! the last one has the name of a producer snapshot behind it, where one was taken.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::mpsc::Receiver;

use super::reading::{Item, Portion, Seen};
use crate::format::number::Offset;
use crate::state::log_end::right_base;
use crate::storage::damage::{Code, Damage};
use crate::storage::source::ReadError;

/// Offsets that damage may have taken.
#[derive(Debug, Clone)]
pub(super) struct Lost {
    /// The offset behind the good batch in front.
    pub(super) first: Offset,
    /// Where the log goes on; `None` where it does not.
    pub(super) end: Option<Offset>,
    /// The file of the first damage.
    pub(super) path: PathBuf,
    /// The first damage.
    pub(super) damage: Damage,
    /// How many there are.
    pub(super) count: u64,
    /// Their bytes.
    pub(super) bytes: u64,
    /// Nothing but zeros that end a file: preallocated space, which takes nothing by itself.
    is_idle: bool,
}

/// What a log holds next.
#[derive(Debug)]
pub(super) enum Stretch {
    Batch(Seen),
    Lost(Lost),
}

/// Reads a log stretch by stretch.
#[derive(Debug)]
pub(super) struct Stretches {
    portions: Receiver<Portion>,
    waiting: VecDeque<Item>,
    /// The batch behind damage that was given.
    held: Option<Seen>,
    lost: Option<Lost>,
    /// The offset behind the last good batch.
    expected: Offset,
    /// Where the log ended once, by the names of files.
    named_end: Option<Offset>,
}

impl Stretches {
    /// Of a log whose first segment begins at `first`, and which ended at `named_end` once.
    pub(super) const fn new(
        portions: Receiver<Portion>,
        first: Offset,
        named_end: Option<Offset>,
    ) -> Self {
        Self {
            portions,
            waiting: VecDeque::new(),
            held: None,
            lost: None,
            expected: first,
            named_end,
        }
    }

    /// The offset behind the last good batch so far.
    pub(super) const fn expected(&self) -> Offset {
        self.expected
    }

    /// The next stretch; `None` at the end.
    pub(super) fn next_stretch(&mut self) -> Result<Option<Stretch>, ReadError> {
        if let Some(seen) = self.held.take() {
            return Ok(Some(Stretch::Batch(seen)));
        }
        while let Some(item) = self.take()? {
            let seen = match item {
                Item::Damage(file, damage) => {
                    self.note(file.path().to_owned(), damage);
                    continue;
                }
                Item::Batch(seen) => seen,
            };
            if let Some(why) = self.misfit(&seen)? {
                let damage = Damage {
                    position: seen.batch.place.position,
                    size: seen.batch.place.size.into(),
                    code: Code::OffsetRegression,
                    message: why,
                };
                self.note(seen.file.path().to_owned(), damage);
                continue;
            }
            let (base, expected) = (seen.batch.base_offset, self.expected);
            self.expected = seen.next();
            let lost = self.lost.take();
            return Ok(Some(match lost {
                Some(lost) if !lost.is_idle || base > expected => {
                    self.held = Some(seen);
                    Stretch::Lost(Lost {
                        end: Some(base),
                        ..lost
                    })
                }
                _ => Stretch::Batch(seen),
            }));
        }
        let lost = self.lost.take().filter(|lost| !lost.is_idle);
        Ok(lost.map(Stretch::Lost))
    }

    fn take(&mut self) -> Result<Option<Item>, ReadError> {
        self.fill()?;
        Ok(self.waiting.pop_front())
    }

    fn fill(&mut self) -> Result<(), ReadError> {
        while self.waiting.is_empty()
            && let Ok(portion) = self.portions.recv()
        {
            self.waiting.extend(portion?);
        }
        Ok(())
    }

    fn note(&mut self, path: PathBuf, damage: Damage) {
        let is_idle = damage.code == Code::ZeroTail;
        let bytes = damage.size;
        match &mut self.lost {
            Some(lost) if !lost.is_idle || is_idle => {
                lost.count += 1;
                lost.bytes = lost.bytes.saturating_add(bytes);
            }
            lost => {
                let (count, before) = lost.as_ref().map_or((0, 0), |one| (one.count, one.bytes));
                *lost = Some(Lost {
                    first: self.expected,
                    end: None,
                    path,
                    damage,
                    count: count + 1,
                    bytes: bytes.saturating_add(before),
                    is_idle,
                });
            }
        }
    }

    /// Why a batch cannot lie where it does, by its offsets and those around it.
    fn misfit(&mut self, seen: &Seen) -> Result<Option<String>, ReadError> {
        let (base, last) = (seen.batch.base_offset, seen.batch.last_offset);
        let expected = self.expected;
        if base < expected || last < base {
            return Ok(Some(format!(
                "expected offset {expected} or more, found a batch of the offsets {base} to {last}"
            )));
        }
        if base == expected {
            return Ok(None);
        }
        self.fill()?;
        // Where the batch behind it fits and this one leaves no room for it, this one is wrong.
        Ok(match self.waiting.front() {
            Some(Item::Batch(next))
                if next.batch.base_offset >= expected && next.batch.base_offset <= last =>
            {
                Some(format!(
                    "expected an offset from {expected} to {}, where the next batch begins, found \
                     a batch of the offsets {base} to {last}",
                    next.batch.base_offset
                ))
            }
            None if self.lost.is_none() => {
                right_base(self.named_end, expected, (base, last)).map(|right| {
                    format!(
                        "expected the last batch at offset {right}, to end where the log did by \
                         the name of a producer snapshot or of a segment, found the offsets \
                         {base} to {last}"
                    )
                })
            }
            _ => None,
        })
    }
}
