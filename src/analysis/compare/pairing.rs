//! Two logs side by side by offset: what meets what.

use super::reading::Seen;
use super::side::Side;
use super::stretches::{Lost, Stretch, Stretches};
use crate::format::number::Offset;
use crate::storage::source::ReadError;

/// Why a log has no good batch at offsets where the other has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Absence {
    /// It goes from one batch to a later one, and nothing is damaged between.
    Hole,
    /// It starts behind.
    BeforeStart,
    /// It has ended.
    BehindEnd,
    /// Damage lies there.
    Damaged,
}

/// What the other log holds where one is damaged.
#[derive(Debug, Clone, Default)]
pub(super) struct Beside {
    /// Its good batches there.
    pub(super) batches: u64,
    /// Their records.
    pub(super) records: u64,
    /// The first of them.
    pub(super) first: Option<Seen>,
    /// It is damaged there as well.
    pub(super) is_damaged: bool,
}

/// What meets at some offsets.
#[derive(Debug)]
pub(super) enum Meeting {
    /// Batches of the same first and last offset.
    Both(Seen, Seen),
    /// Batches that share some of their offsets; one may have been seen before. `None` where the
    /// other is damaged and has no room for this one.
    Overlap(Option<Seen>, Option<Seen>),
    /// A batch of one log, and why the other has none there.
    Alone(Side, Seen, Absence),
    /// Damage of one log, behind all that the other has there.
    Lost(Side, Lost, Beside),
}

/// One of the logs with what comes next in it.
#[derive(Debug)]
pub(super) struct Front {
    stretches: Stretches,
    next: Option<Stretch>,
    beside: Beside,
    /// Where the log starts.
    start: Offset,
}

impl Front {
    pub(super) fn new(stretches: Stretches, start: Offset) -> Self {
        Self {
            stretches,
            next: None,
            beside: Beside::default(),
            start,
        }
    }

    fn fill(&mut self) -> Result<(), ReadError> {
        if self.next.is_none() {
            self.next = self.stretches.next_stretch()?;
        }
        Ok(())
    }

    /// The next good batch, where one comes next.
    pub(super) fn upcoming(&self) -> Option<&Seen> {
        match &self.next {
            Some(Stretch::Batch(seen)) => Some(seen),
            _ => None,
        }
    }

    /// The offset behind the last good batch.
    pub(super) const fn end(&self) -> Offset {
        self.stretches.expected()
    }

    fn take_batch(&mut self) -> Option<Seen> {
        match self.next.take() {
            Some(Stretch::Batch(seen)) => Some(seen),
            other => {
                self.next = other;
                None
            }
        }
    }

    fn take_lost(&mut self) -> Option<(Lost, Beside)> {
        match self.next.take() {
            Some(Stretch::Lost(lost)) => Some((lost, std::mem::take(&mut self.beside))),
            other => {
                self.next = other;
                None
            }
        }
    }
}

/// What to do with what comes next.
#[derive(Debug, Clone, Copy)]
enum Turn {
    End,
    Both,
    /// Batches that overlap: those of these logs are done with.
    Overlap {
        source: bool,
        dest: bool,
    },
    Alone(Side, Absence),
    Lost(Side),
}

/// Both logs.
#[derive(Debug)]
pub(super) struct Pairs {
    pub(super) source: Front,
    pub(super) dest: Front,
}

impl Pairs {
    const fn of(&mut self, side: Side) -> &mut Front {
        match side {
            Side::Source => &mut self.source,
            Side::Dest => &mut self.dest,
        }
    }

    /// What meets next; `None` where both logs have ended.
    pub(super) fn next_meeting(&mut self) -> Result<Option<Meeting>, ReadError> {
        loop {
            self.source.fill()?;
            self.dest.fill()?;
            let turn = self.turn();
            if let Some(meeting) = self.take(turn) {
                // Whoever judges this one may look at the next.
                self.source.fill()?;
                self.dest.fill()?;
                return Ok(Some(meeting));
            }
            if matches!(turn, Turn::End) {
                return Ok(None);
            }
        }
    }

    fn take(&mut self, turn: Turn) -> Option<Meeting> {
        match turn {
            Turn::End => None,
            Turn::Both => {
                let source = self.source.take_batch()?;
                Some(Meeting::Both(source, self.dest.take_batch()?))
            }
            Turn::Overlap { source, dest } => {
                let shown = |front: &Front| front.upcoming().cloned();
                let meeting = Meeting::Overlap(shown(&self.source), shown(&self.dest));
                for (side, is_done) in [(Side::Source, source), (Side::Dest, dest)] {
                    if is_done {
                        self.of(side).take_batch();
                    }
                }
                Some(meeting)
            }
            Turn::Alone(side, absence) => {
                let seen = self.of(side).take_batch()?;
                if absence == Absence::Damaged {
                    let beside = &mut self.of(side.other()).beside;
                    beside.batches += 1;
                    beside.records = beside.records.saturating_add(seen.records());
                    beside.first.get_or_insert_with(|| seen.clone());
                }
                Some(Meeting::Alone(side, seen, absence))
            }
            Turn::Lost(side) => {
                let (lost, beside) = self.of(side).take_lost()?;
                Some(Meeting::Lost(side, lost, beside))
            }
        }
    }

    fn turn(&mut self) -> Turn {
        match (&self.source.next, &self.dest.next) {
            (None, None) => Turn::End,
            (Some(Stretch::Lost(_)), None) => Turn::Lost(Side::Source),
            (None, Some(Stretch::Lost(_))) => Turn::Lost(Side::Dest),
            (Some(Stretch::Batch(seen)), None) => {
                let is_before = seen.next() <= self.dest.start;
                Turn::Alone(Side::Source, ended(is_before))
            }
            (None, Some(Stretch::Batch(seen))) => {
                let is_before = seen.next() <= self.source.start;
                Turn::Alone(Side::Dest, ended(is_before))
            }
            (Some(Stretch::Batch(source)), Some(Stretch::Batch(dest))) => {
                self.of_batches(source, dest)
            }
            (Some(Stretch::Batch(seen)), Some(Stretch::Lost(lost))) => {
                beside_damage(Side::Source, seen, lost, self.dest.start)
            }
            (Some(Stretch::Lost(lost)), Some(Stretch::Batch(seen))) => {
                beside_damage(Side::Dest, seen, lost, self.source.start)
            }
            (Some(Stretch::Lost(source)), Some(Stretch::Lost(dest))) => {
                let [first, second] = [source, dest].map(|lost| {
                    let end = lost.end.map_or(i64::MAX, |end| end.0);
                    (lost.first.0, end)
                });
                let turn = match first.1 <= second.1 {
                    true => Turn::Lost(Side::Source),
                    false => Turn::Lost(Side::Dest),
                };
                // Damage that took no offset lies beside nothing.
                if first.0 < second.1 && second.0 < first.1 || first == second {
                    self.source.beside.is_damaged = true;
                    self.dest.beside.is_damaged = true;
                }
                turn
            }
        }
    }

    fn of_batches(&self, source: &Seen, dest: &Seen) -> Turn {
        let base = |seen: &Seen| seen.batch.base_offset;
        if base(source) == base(dest) && source.next() == dest.next() {
            Turn::Both
        } else if source.next() <= base(dest) {
            let is_before = source.next() <= self.dest.start;
            Turn::Alone(Side::Source, passed(is_before))
        } else if dest.next() <= base(source) {
            let is_before = dest.next() <= self.source.start;
            Turn::Alone(Side::Dest, passed(is_before))
        } else {
            Turn::Overlap {
                source: source.next() <= dest.next(),
                dest: dest.next() <= source.next(),
            }
        }
    }
}

const fn ended(is_before_start: bool) -> Absence {
    match is_before_start {
        true => Absence::BeforeStart,
        false => Absence::BehindEnd,
    }
}

const fn passed(is_before_start: bool) -> Absence {
    match is_before_start {
        true => Absence::BeforeStart,
        false => Absence::Hole,
    }
}

/// A batch of `side` where the other log is damaged; that log starts at `start`.
fn beside_damage(side: Side, seen: &Seen, lost: &Lost, start: Offset) -> Turn {
    let (base, next) = (seen.batch.base_offset, seen.next());
    if lost.end.is_some_and(|end| base >= end) {
        Turn::Lost(side.other())
    } else if next <= lost.first {
        Turn::Alone(side, passed(next <= start))
    } else if base >= lost.first && lost.end.is_none_or(|end| next <= end) {
        Turn::Alone(side, Absence::Damaged)
    } else {
        Turn::Overlap {
            source: side == Side::Source,
            dest: side == Side::Dest,
        }
    }
}
