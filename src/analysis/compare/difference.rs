//! What two logs differ in: kinds, and stretches of one kind with their first case.

use std::path::PathBuf;

use super::reading::Seen;
use super::side::Side;
use super::stretches::Lost;
use crate::analysis::log_findings::Severity;
use crate::format::batch::HEADER_SIZE;
use crate::format::control::ControlType;
use crate::format::number::Offset;
use crate::state::batch::{Batch, Control};
use crate::storage::damage::Damage;
use crate::storage::source::ReadError;

/// A kind of difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Dest has it, source does not, and nothing tells why; or dest goes on where source ends.
    MissingInSource,
    /// Source has it, dest does not, and nothing tells why.
    MissingInDest,
    /// Source goes on where dest ends: it is behind.
    Lag,
    /// One log starts further on: what lies below its start was deleted.
    LogStart,
    /// Both have a good batch there, of the same leader epoch, and they are not the same.
    Content,
    /// The logs go their own ways: batches of different leader epochs, and all behind them.
    Diverged,
    /// An end marker or a barrier that one log alone has, as a mirror writes them when it stops.
    Control,
    /// The same batch under another leader epoch.
    LeaderEpoch,
    /// The same batch under an id that a draft of Cluster Mirroring makes of the other.
    ProducerIdMapped,
    /// The same batch under another producer id.
    ProducerId,
    /// The log cleaner was in one of them.
    Compacted,
    /// The same records in other bytes.
    Encoding,
    /// Source is damaged.
    DamagedInSource,
    /// Dest is damaged.
    DamagedInDest,
    /// Both are damaged.
    DamagedInBoth,
    /// One has no batch there that a cleaner may have taken: [`Kind::Compacted`] or missing, which
    /// shows when all is read.
    Hole(Side),
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 15] = [
        Self::MissingInSource,
        Self::MissingInDest,
        Self::Lag,
        Self::LogStart,
        Self::Content,
        Self::Diverged,
        Self::Control,
        Self::LeaderEpoch,
        Self::ProducerIdMapped,
        Self::ProducerId,
        Self::Compacted,
        Self::Encoding,
        Self::DamagedInSource,
        Self::DamagedInDest,
        Self::DamagedInBoth,
    ];

    /// The name in machine-readable output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::MissingInSource => "missing-in-source",
            Self::MissingInDest => "missing-in-dest",
            Self::Lag => "lag",
            Self::LogStart => "log-start",
            Self::Content => "content",
            Self::Diverged => "diverged",
            Self::Control => "control",
            Self::LeaderEpoch => "leader-epoch",
            Self::ProducerIdMapped => "producer-id-mapped",
            Self::ProducerId => "producer-id",
            Self::Compacted => "compacted",
            Self::Encoding => "encoding",
            Self::DamagedInSource => "damaged-in-source",
            Self::DamagedInDest => "damaged-in-dest",
            Self::DamagedInBoth => "damaged-in-both",
            Self::Hole(side) => Self::missing_in(side).name(),
        }
    }

    /// Missing in this log.
    #[must_use]
    pub const fn missing_in(side: Side) -> Self {
        match side {
            Side::Source => Self::MissingInSource,
            Side::Dest => Self::MissingInDest,
        }
    }

    /// Damaged in this log.
    #[must_use]
    pub const fn damaged_in(side: Side) -> Self {
        match side {
            Side::Source => Self::DamagedInSource,
            Side::Dest => Self::DamagedInDest,
        }
    }

    /// Whether a healthy mirror or replica may differ in it. A leader epoch may where
    /// `rewrites_epochs`: a mirror puts its own.
    #[must_use]
    pub const fn severity(self, rewrites_epochs: bool) -> Severity {
        match self {
            Self::Lag | Self::LogStart | Self::ProducerIdMapped | Self::Compacted => Severity::Note,
            Self::LeaderEpoch if rewrites_epochs => Severity::Note,
            Self::Content
            | Self::Diverged
            | Self::ProducerId
            | Self::DamagedInSource
            | Self::DamagedInDest
            | Self::DamagedInBoth => Severity::Error,
            _ => Severity::Warning,
        }
    }

    /// Whether cases are counted together though equal batches lie between them: they lie all over
    /// a log.
    const fn is_scattered(self) -> bool {
        matches!(
            self,
            Self::LeaderEpoch | Self::ProducerIdMapped | Self::Compacted | Self::Hole(_)
        )
    }
}

/// What one of the logs holds at a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    /// A batch.
    Batch(Box<ShownBatch>),
    /// Damage.
    Damage {
        /// The file.
        path: PathBuf,
        /// The first damage.
        damage: Damage,
        /// How many stretches or batches are damaged.
        count: u64,
        /// Their bytes.
        bytes: u64,
    },
}

/// A batch with its header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownBatch {
    /// The file.
    pub path: PathBuf,
    /// Its place and the facts of its header.
    pub batch: Batch,
    /// The bytes of its header; zeros behind a message that is shorter.
    pub head: [u8; HEADER_SIZE],
    /// What its record is, of a control batch.
    pub control_type: Option<ControlType>,
}

impl Shown {
    pub(super) fn batch(seen: &Seen) -> Result<Self, ReadError> {
        Ok(Self::Batch(Box::new(ShownBatch {
            path: seen.file.path().to_owned(),
            batch: seen.batch,
            head: seen.head()?,
            control_type: control_type(seen),
        })))
    }

    pub(super) fn lost(lost: &Lost) -> Self {
        Self::Damage {
            path: lost.path.clone(),
            damage: lost.damage.clone(),
            count: lost.count,
            bytes: lost.bytes,
        }
    }
}

/// The type of a control batch's record, where it can be read.
pub(super) fn control_type(seen: &Seen) -> Option<ControlType> {
    match seen.control.as_ref()? {
        Control::Marker(marker) if marker.is_abort => Some(ControlType::Abort),
        Control::Marker(_) => Some(ControlType::Commit),
        Control::MirrorPidReset => Some(ControlType::MirrorPidReset),
        Control::Other(other) => Some(*other),
        Control::NoRecord | Control::Fault(_) => None,
    }
}

/// A stretch of offsets in which the logs differ in one way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The first offset.
    pub offset: Offset,
    /// The last offset; `None` where damage reaches to the end of a log and the other has nothing
    /// there either.
    pub last_offset: Option<Offset>,
    /// The kind.
    pub kind: Kind,
    /// Batches that differ: pairs, or those of the log that has them.
    pub batches: u64,
    /// Their records.
    pub records: u64,
    /// What source holds at the first of them; `None` for nothing.
    pub source: Option<Shown>,
    /// What dest holds there.
    pub dest: Option<Shown>,
}

impl Difference {
    /// What a log holds at the first offset.
    #[must_use]
    pub const fn shown(&self, side: Side) -> Option<&Shown> {
        match side {
            Side::Source => self.source.as_ref(),
            Side::Dest => self.dest.as_ref(),
        }
    }
}

/// How much there is of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Stretches.
    pub stretches: u64,
    /// Batches.
    pub batches: u64,
    /// Records.
    pub records: u64,
}

/// A case of a difference.
pub(super) struct Case {
    pub(super) kind: Kind,
    pub(super) offset: Offset,
    pub(super) last_offset: Option<Offset>,
    pub(super) batches: u64,
    pub(super) records: u64,
}

/// Gathers differences, as many as are worth keeping.
#[derive(Debug, Default)]
pub(super) struct Differences {
    kept: Vec<Difference>,
    /// Where the stretch is that may go on, by kind; `None` for one that was left out.
    open: Vec<(Kind, Option<usize>)>,
    tallies: Vec<(Kind, Tally)>,
    left_out: u64,
}

/// Stretches that are kept.
const MOST: usize = 10_000;

impl Differences {
    /// Adds a case; `shown` is asked for what lies there where it begins a stretch.
    pub(super) fn add(
        &mut self,
        case: &Case,
        shown: impl FnOnce() -> Result<[Option<Shown>; 2], ReadError>,
    ) -> Result<(), ReadError> {
        let kind = case.kind;
        if !kind.is_scattered() {
            self.open
                .retain(|(open, _)| *open == kind || open.is_scattered());
        }
        let open = self.open.iter().find(|(open, _)| *open == kind);
        let at = open.map(|(_, at)| *at);
        let is_new = at.is_none();
        let tally = self.tally_of(kind);
        tally.stretches += u64::from(is_new);
        tally.batches = tally.batches.saturating_add(case.batches);
        tally.records = tally.records.saturating_add(case.records);
        match at {
            Some(None) => {}
            Some(Some(at)) => {
                if let Some(difference) = self.kept.get_mut(at) {
                    difference.batches = difference.batches.saturating_add(case.batches);
                    difference.records = difference.records.saturating_add(case.records);
                    difference.last_offset = match case.last_offset {
                        Some(last) => difference.last_offset.map(|before| before.max(last)),
                        None => None,
                    };
                }
            }
            None if self.kept.len() >= MOST => {
                self.left_out += 1;
                self.open.push((kind, None));
            }
            None => {
                let [source, dest] = shown()?;
                self.open.push((kind, Some(self.kept.len())));
                self.kept.push(Difference {
                    offset: case.offset,
                    last_offset: case.last_offset,
                    kind,
                    batches: case.batches,
                    records: case.records,
                    source,
                    dest,
                });
            }
        }
        Ok(())
    }

    /// Both logs have the same there: what does not lie all over a log ends.
    pub(super) fn same(&mut self) {
        self.open.retain(|(open, _)| open.is_scattered());
    }

    /// Adds damage to the one of the other log that was told last, where that begins at the same
    /// offset; says whether it does.
    pub(super) fn join_damage(&mut self, side: Side, lost: &Lost) -> bool {
        let last = self.kept.last_mut();
        let Some(last) = last.filter(|last| {
            last.kind == Kind::DamagedInBoth
                && last.offset == lost.first
                && last.shown(side).is_none()
        }) else {
            return false;
        };
        let shown = Some(Shown::lost(lost));
        match side {
            Side::Source => last.source = shown,
            Side::Dest => last.dest = shown,
        }
        let end = lost.end.map(|end| end.plus(-1).max(lost.first));
        last.last_offset = end.and_then(|end| last.last_offset.map(|last| last.max(end)));
        true
    }

    fn tally_of(&mut self, kind: Kind) -> &mut Tally {
        let at = match self.tallies.iter().position(|(one, _)| *one == kind) {
            Some(at) => at,
            None => {
                self.tallies.push((kind, Tally::default()));
                self.tallies.len() - 1
            }
        };
        #[expect(clippy::indexing_slicing, reason = "it was found or pushed just now")]
        &mut self.tallies[at].1
    }

    /// Says what holes are: the work of a cleaner in the logs that show it elsewhere, or batches
    /// that are missing.
    pub(super) fn settle_holes(&mut self, shows_cleaner: impl Fn(Side) -> bool) {
        let settled = |kind| match kind {
            Kind::Hole(side) if shows_cleaner(side) => Kind::Compacted,
            Kind::Hole(side) => Kind::missing_in(side),
            other => other,
        };
        for difference in &mut self.kept {
            difference.kind = settled(difference.kind);
        }
        for (kind, tally) in std::mem::take(&mut self.tallies) {
            let sum = self.tally_of(settled(kind));
            sum.stretches += tally.stretches;
            sum.batches = sum.batches.saturating_add(tally.batches);
            sum.records = sum.records.saturating_add(tally.records);
        }
    }

    /// All that was kept, in the order of their offsets, the count of each kind, and how many
    /// stretches were left out.
    pub(super) fn into_parts(mut self) -> (Vec<Difference>, Vec<(Kind, Tally)>, u64) {
        self.kept.sort_by_key(|difference| difference.offset);
        self.tallies.sort_by_key(|(kind, _)| *kind);
        (self.kept, self.tallies, self.left_out)
    }
}
