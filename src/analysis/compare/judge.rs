//! Judges what meets what, batch by batch, and adds it up.

use super::barriers::{Controls, ends_something};
use super::content::{Likeness, Mapped, likeness, may_be_cleaned, shows_cleaner};
use super::difference::{Case, Differences, Kind, Shown};
use super::pairing::{Absence, Beside, Front, Meeting, Pairs};
use super::producers::IdPairs;
use super::reading::Seen;
use super::side::Side;
use super::stretches::Lost;
use super::verdict::Totals;
use crate::analysis::strands::Strands;
use crate::format::number::{LeaderEpoch, Offset};
use crate::state::batch::Batch;
use crate::state::epochs::LeaderEpochs;
use crate::storage::source::ReadError;

/// Offsets in which both logs have the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Equal {
    /// The first offset of the first batch.
    pub first_offset: Offset,
    /// The last offset of the last batch.
    pub last_offset: Offset,
}

/// Stretches that are kept.
const MOST_EQUAL: usize = 10_000;

/// What was found so far.
#[derive(Debug)]
pub(super) struct Judge {
    pub(super) equal: Vec<Equal>,
    pub(super) equal_left_out: u64,
    /// The last stretch of equal batches goes on.
    is_equal: bool,
    pub(super) differences: Differences,
    pub(super) ids: IdPairs,
    pub(super) controls: Controls,
    pub(super) strands: Strands,
    pub(super) totals: Totals,
    /// The leader epochs of source's batches, and of dest's.
    pub(super) epochs: [LeaderEpochs; 2],
    /// The work of a cleaner shows in source, and in dest.
    pub(super) cleaned: [bool; 2],
    /// The logs have gone their own ways.
    is_diverged: bool,
}

impl Judge {
    pub(super) fn new(strands: Strands) -> Self {
        Self {
            equal: Vec::new(),
            equal_left_out: 0,
            is_equal: false,
            differences: Differences::default(),
            ids: IdPairs::default(),
            controls: Controls::default(),
            strands,
            totals: Totals::default(),
            epochs: [LeaderEpochs::new(), LeaderEpochs::new()],
            cleaned: [false; 2],
            is_diverged: false,
        }
    }

    /// Takes in what meets next.
    pub(super) fn take(&mut self, meeting: &Meeting, pairs: &Pairs) -> Result<(), ReadError> {
        self.note_epochs(meeting, pairs);
        match meeting {
            Meeting::Both(source, dest) => {
                self.see(Side::Source, source);
                self.see(Side::Dest, dest);
                self.both(source, dest)
            }
            Meeting::Overlap(source, dest) => self.overlap(source.as_ref(), dest.as_ref()),
            Meeting::Alone(side, seen, absence) => {
                self.see(*side, seen);
                self.alone(*side, seen, *absence)
            }
            Meeting::Lost(side, lost, beside) => self.lost(*side, lost, beside),
        }
    }

    /// Takes in the leader epochs of what meets. No checksum covers them: one that falls with the
    /// next batch is not believed.
    fn note_epochs(&mut self, meeting: &Meeting, pairs: &Pairs) {
        let (source, dest) = match meeting {
            Meeting::Both(source, dest) => (Some(source), Some(dest)),
            Meeting::Overlap(source, dest) => (source.as_ref(), dest.as_ref()),
            Meeting::Alone(Side::Source, seen, _) => (Some(seen), None),
            Meeting::Alone(Side::Dest, seen, _) => (None, Some(seen)),
            Meeting::Lost(..) => (None, None),
        };
        let upcoming = [&pairs.source, &pairs.dest].map(Front::upcoming);
        let seen = [source, dest].into_iter().zip(upcoming);
        for (epochs, (seen, next)) in self.epochs.iter_mut().zip(seen) {
            let Some(Batch {
                partition_leader_epoch: epoch,
                base_offset,
                ..
            }) = seen.map(|seen| seen.batch)
            else {
                continue;
            };
            let falls = next.is_some_and(|next| next.batch.partition_leader_epoch < epoch);
            if epoch > LeaderEpoch(-1) && !falls {
                epochs.read_back(epoch, base_offset);
            }
        }
    }

    /// A good batch of one log.
    fn see(&mut self, side: Side, seen: &Seen) {
        let batch = &seen.batch;
        self.totals.of(side).add(seen);
        let [source, dest] = &mut self.cleaned;
        let cleaned = match side {
            Side::Source => source,
            Side::Dest => dest,
        };
        *cleaned |= shows_cleaner(seen);
        if side == Side::Dest {
            self.strands.batch(batch, seen.control.as_ref());
        }
    }

    fn both(&mut self, source: &Seen, dest: &Seen) -> Result<(), ReadError> {
        let kind = match likeness(source, dest)? {
            Likeness::Same => {
                self.same(source);
                self.ids.note(Some(source), Some(dest));
                return Ok(());
            }
            Likeness::LeaderEpoch => Kind::LeaderEpoch,
            Likeness::ProducerId => {
                let (one, other) = (source.batch.producer_id, dest.batch.producer_id);
                match Mapped::between(one, other).or_else(|| Mapped::between(other, one)) {
                    Some(_) => Kind::ProducerIdMapped,
                    None => Kind::ProducerId,
                }
            }
            Likeness::Cleaned { .. } => {
                self.cleaned = [true; 2];
                Kind::Compacted
            }
            Likeness::Encoding => Kind::Encoding,
            Likeness::Other => self.conflict(source, dest),
        };
        let is_same_batch = !matches!(kind, Kind::Content | Kind::Diverged | Kind::Control);
        if is_same_batch {
            self.ids.note(Some(source), Some(dest));
            self.controls.in_both(source);
        } else {
            self.ids.note(Some(source), None);
            self.ids.note(None, Some(dest));
            self.controls.only_in(Side::Source, source);
            self.controls.only_in(Side::Dest, dest);
        }
        let (records, base) = (
            source.records().max(dest.records()),
            source.batch.base_offset,
        );
        let last = source.batch.last_offset;
        self.differ(kind, (base, last), records, Some(source), Some(dest))
    }

    /// Both have a good batch, and they are not the same.
    fn conflict(&mut self, source: &Seen, dest: &Seen) -> Kind {
        let epochs = [source, dest].map(|seen| seen.batch.partition_leader_epoch);
        let is_control = ends_something(source) != ends_something(dest);
        self.is_diverged |= is_control || epochs[0] != epochs[1];
        match (is_control, self.is_diverged) {
            (true, _) => Kind::Control,
            (_, true) => Kind::Diverged,
            _ => Kind::Content,
        }
    }

    fn same(&mut self, seen: &Seen) {
        self.is_diverged = false;
        self.totals.equal.add(seen);
        self.differences.same();
        self.controls.in_both(seen);
        let (first_offset, last_offset) = (seen.batch.base_offset, seen.batch.last_offset);
        let is_full = self.equal.len() >= MOST_EQUAL;
        match (self.is_equal, self.equal.last_mut()) {
            // A stretch that was left out goes on.
            (true, _) if self.equal_left_out > 0 => {}
            (true, Some(equal)) => equal.last_offset = last_offset,
            _ if is_full => self.equal_left_out += 1,
            _ => self.equal.push(Equal {
                first_offset,
                last_offset,
            }),
        }
        self.is_equal = true;
    }

    fn overlap(&mut self, source: Option<&Seen>, dest: Option<&Seen>) -> Result<(), ReadError> {
        let base = |seen: &Seen| seen.batch.base_offset;
        let last = |seen: &Seen| seen.batch.last_offset;
        let first = source.map(base).into_iter().chain(dest.map(base)).min();
        let end = source.map(last).into_iter().chain(dest.map(last)).max();
        let (Some(first), Some(end)) = (first, end) else {
            return Ok(());
        };
        let kind = match (source, dest) {
            (Some(source), Some(dest)) => self.conflict(source, dest),
            _ => Kind::Content,
        };
        // A batch may overlap several; it is counted with the one that is done with.
        for (side, seen, other) in [(Side::Source, source, dest), (Side::Dest, dest, source)] {
            let Some(seen) = seen else { continue };
            if other.is_none_or(|other| last(seen) <= last(other)) {
                self.see(side, seen);
                self.controls.only_in(side, seen);
            }
        }
        let records = |seen: Option<&Seen>| seen.map_or(0, Seen::records);
        let records = records(source).max(records(dest));
        self.differ(kind, (first, end), records, source, dest)
    }

    fn alone(&mut self, side: Side, seen: &Seen, absence: Absence) -> Result<(), ReadError> {
        self.is_equal = false;
        let is_source = side == Side::Source;
        let pair = (
            Some(seen).filter(|_| is_source),
            Some(seen).filter(|_| !is_source),
        );
        if !matches!(absence, Absence::Damaged | Absence::BeforeStart) {
            self.ids.note(pair.0, pair.1);
        }
        let is_mark = !is_source && ends_something(seen);
        let kind = match absence {
            Absence::Damaged => {
                // The difference is told when all is known that lies beside the damage.
                self.totals.restorable(side.other()).add(seen);
                return Ok(());
            }
            Absence::BeforeStart => Kind::LogStart,
            Absence::Hole | Absence::BehindEnd if self.is_diverged => match is_mark {
                true => Kind::Control,
                false => Kind::Diverged,
            },
            Absence::BehindEnd if is_mark => Kind::Control,
            Absence::BehindEnd if is_source => Kind::Lag,
            Absence::BehindEnd => Kind::MissingInSource,
            Absence::Hole if may_be_cleaned(seen)? => Kind::Hole(side.other()),
            Absence::Hole => Kind::missing_in(side.other()),
        };
        if kind != Kind::LogStart {
            self.controls.only_in(side, seen);
        }
        let range = (seen.batch.base_offset, seen.batch.last_offset);
        self.differ(kind, range, seen.records(), pair.0, pair.1)
    }

    fn lost(&mut self, side: Side, lost: &Lost, beside: &Beside) -> Result<(), ReadError> {
        self.is_equal = false;
        let damaged = self.totals.damaged(side);
        damaged.0 += lost.count;
        damaged.1 = damaged.1.saturating_add(lost.bytes);
        if beside.is_damaged && self.differences.join_damage(side, lost) {
            return Ok(());
        }
        let kind = match beside.is_damaged {
            true => Kind::DamagedInBoth,
            false => Kind::damaged_in(side),
        };
        let case = Case {
            kind,
            offset: lost.first,
            last_offset: lost.end.map(|end| end.plus(-1).max(lost.first)),
            batches: beside.batches,
            records: beside.records,
        };
        let other = || beside.first.as_ref().map(Shown::batch).transpose();
        // Damages never go on into each other: something lies between.
        self.differences.same();
        self.differences.add(&case, || {
            let own = Some(Shown::lost(lost));
            Ok(match side {
                Side::Source => [own, other()?],
                Side::Dest => [other()?, own],
            })
        })?;
        self.differences.same();
        Ok(())
    }

    fn differ(
        &mut self,
        kind: Kind,
        (offset, last): (Offset, Offset),
        records: u64,
        source: Option<&Seen>,
        dest: Option<&Seen>,
    ) -> Result<(), ReadError> {
        self.is_equal = false;
        let case = Case {
            kind,
            offset,
            last_offset: Some(last),
            batches: 1,
            records,
        };
        self.differences.add(&case, || {
            Ok([
                source.map(Shown::batch).transpose()?,
                dest.map(Shown::batch).transpose()?,
            ])
        })
    }
}
