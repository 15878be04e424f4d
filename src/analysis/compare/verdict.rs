//! What a comparison comes to: how much is the same, what the two logs are to each other, which
//! one to keep.

use super::barriers::ControlSeen;
use super::difference::{Difference, Kind, Tally};
use super::epochs::{Divergence, Lineage};
use super::judge::Equal;
use super::producers::{Collision, IdPair, Relation as IdRelation};
use super::reading::Seen;
use super::side::Side;
use crate::analysis::log_findings::Severity;
use crate::analysis::strands::Grade;
use crate::format::control::ControlType;
use crate::format::number::Offset;

/// Batches with their records and bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sum {
    /// Batches of every kind.
    pub batches: u64,
    /// Records, those of control batches left out.
    pub records: u64,
    /// Bytes of the batches.
    pub bytes: u64,
}

impl Sum {
    pub(super) fn add(&mut self, seen: &Seen) {
        self.batches += 1;
        self.records = self.records.saturating_add(seen.records());
        self.bytes = self.bytes.saturating_add(seen.batch.place.size.into());
    }
}

/// How much there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// Good batches of source.
    pub source: Sum,
    /// Good batches of dest.
    pub dest: Sum,
    /// Batches that are the same in both.
    pub equal: Sum,
    /// Good batches of dest where source is damaged.
    pub restorable_in_source: Sum,
    /// Good batches of source where dest is damaged.
    pub restorable_in_dest: Sum,
    /// Damages of source, and their bytes.
    pub damaged_in_source: (u64, u64),
    /// Damages of dest, and their bytes.
    pub damaged_in_dest: (u64, u64),
}

impl Totals {
    pub(super) const fn of(&mut self, side: Side) -> &mut Sum {
        match side {
            Side::Source => &mut self.source,
            Side::Dest => &mut self.dest,
        }
    }

    /// What can be restored in a log.
    pub(super) const fn restorable(&mut self, side: Side) -> &mut Sum {
        match side {
            Side::Source => &mut self.restorable_in_source,
            Side::Dest => &mut self.restorable_in_dest,
        }
    }

    pub(super) const fn damaged(&mut self, side: Side) -> &mut (u64, u64) {
        match side {
            Side::Source => &mut self.damaged_in_source,
            Side::Dest => &mut self.damaged_in_dest,
        }
    }
}

/// What the two logs are to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// Replicas of one partition in one cluster.
    Replicas,
    /// Dest is a mirror of source in another cluster.
    Mirror,
    /// Nothing tells.
    Unknown,
}

impl Relation {
    /// The name in machine-readable output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Replicas => "replicas",
            Self::Mirror => "mirror",
            Self::Unknown => "unknown",
        }
    }
}

/// What a comparison comes to, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// From some offset on both have good batches that are not the other's.
    Diverged,
    /// Both have good batches of the same leader that are not the same.
    Conflict,
    /// Damage.
    Damaged,
    /// One lacks batches in the middle.
    Missing,
    /// Dest goes on where source ends.
    Ahead,
    /// Other differences that a healthy pair does not have.
    Differs,
    /// Dest lacks the end of source, and nothing else.
    Behind,
    /// They differ only in what a healthy pair may differ in.
    Equal,
    /// Byte by byte the same.
    Identical,
}

impl Verdict {
    /// The name in machine-readable output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Diverged => "diverged",
            Self::Conflict => "conflict",
            Self::Damaged => "damaged",
            Self::Missing => "missing",
            Self::Ahead => "ahead",
            Self::Differs => "differs",
            Self::Behind => "behind",
            Self::Equal => "equal",
            Self::Identical => "identical",
        }
    }
}

/// Which log to keep, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// They are the same, or differ in what a healthy pair may.
    Either,
    /// The logs part, and this one has the later leader: the other is cut when it follows it.
    LaterLeader(Side),
    /// This one goes on where the other ends.
    Longer(Side),
    /// The mirror was stopped: dest has its own end markers or barrier where the logs part.
    StoppedMirror,
    /// Damage: their union, or this one where the other alone is damaged.
    Undamaged(Side),
    /// Both are damaged or lack something.
    Union,
    /// Nothing here decides.
    Undecided,
}

impl Keep {
    /// The log to keep; `None` where it does not matter or cannot be told.
    #[must_use]
    pub const fn side(self) -> Option<Side> {
        match self {
            Self::LaterLeader(side) | Self::Longer(side) | Self::Undamaged(side) => Some(side),
            Self::StoppedMirror => Some(Side::Dest),
            Self::Either | Self::Union | Self::Undecided => None,
        }
    }
}

/// What one log loses when it is cut to where the two part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Behind {
    /// Batches that reach there or lie behind.
    pub batches: u64,
    /// Their records.
    pub records: u64,
}

/// The result of a comparison.
#[derive(Debug)]
pub struct Comparison {
    /// Stretches of offsets in which both have the same, in order.
    pub equal: Vec<Equal>,
    /// Stretches that were left out because there are too many.
    pub equal_left_out: u64,
    /// What differs, in order.
    pub differences: Vec<Difference>,
    /// Stretches that were left out because there are too many.
    pub differences_left_out: u64,
    /// How much there is of each kind.
    pub tallies: Vec<(Kind, Tally)>,
    /// Where the logs part by their leader epochs; `None` where no epoch is common to both.
    pub divergence: Option<Divergence>,
    /// What source and dest have behind that.
    pub behind: [Behind; 2],
    /// The leader epochs of source and of dest.
    pub lineages: [Lineage; 2],
    /// Barriers, and end markers that one log alone has.
    pub controls: Vec<ControlSeen>,
    /// How many of these were left out because there are too many.
    pub controls_left_out: u64,
    /// Producer ids.
    pub ids: Vec<IdPair>,
    /// How much there is.
    pub totals: Totals,
    /// What the logs are to each other.
    pub relation: Relation,
    /// Dest has its own leader epochs on the same batches: epochs of the two say nothing about
    /// each other.
    pub rewrites_epochs: bool,
    /// Which log to keep.
    pub keep: Keep,
}

impl Comparison {
    /// How much there is of a kind.
    #[must_use]
    pub fn tally(&self, kind: Kind) -> Tally {
        let found = self.tallies.iter().find(|(one, _)| *one == kind);
        found.map_or_else(Tally::default, |(_, tally)| *tally)
    }

    /// How bad a kind is here.
    #[must_use]
    pub const fn severity(&self, kind: Kind) -> Severity {
        kind.severity(self.rewrites_epochs)
    }

    /// Whether anything differs that a healthy pair does not differ in.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        let mut kinds = self.tallies.iter();
        kinds.all(|(kind, _)| self.severity(*kind) == Severity::Note)
            && !self.ids.iter().any(is_collision)
    }

    /// What it comes to.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let has = |kind| self.tally(kind).stretches > 0;
        let goes_on = |one: &Difference| one.source.is_none() && one.last_offset.is_some();
        let mut own = self.differences.iter();
        let takes_place = |one: &Difference| one.kind == Kind::Control && !goes_on(one);
        let is_tail = |one: &Difference| one.offset >= self.end(Side::Source);
        let lacks = |one: &Difference| match one.kind {
            Kind::MissingInDest => true,
            Kind::MissingInSource => !is_tail(one),
            _ => false,
        };
        if has(Kind::Diverged) || own.any(takes_place) {
            Verdict::Diverged
        } else if has(Kind::Content) || has(Kind::ProducerId) {
            Verdict::Conflict
        } else if [Side::Source, Side::Dest]
            .map(Kind::damaged_in)
            .into_iter()
            .chain([Kind::DamagedInBoth])
            .any(has)
        {
            Verdict::Damaged
        } else if self.differences.iter().any(lacks) {
            Verdict::Missing
        } else if has(Kind::MissingInSource) || has(Kind::Control) {
            Verdict::Ahead
        } else if !self.is_clean() {
            Verdict::Differs
        } else if has(Kind::Lag) {
            Verdict::Behind
        } else if self.tallies.is_empty() {
            Verdict::Identical
        } else {
            Verdict::Equal
        }
    }

    /// The first difference that is no note, or the first of all.
    #[must_use]
    pub fn first_difference(&self) -> Option<&Difference> {
        let mut bad = self.differences.iter();
        bad.find(|one| self.severity(one.kind) > Severity::Note)
            .or_else(|| self.differences.first())
    }

    /// The first offset at which both have a good batch and they are not the same, or one has an
    /// end marker or a barrier of its own.
    #[must_use]
    pub fn first_conflict(&self) -> Option<&Difference> {
        let mut all = self.differences.iter();
        all.find(|one| matches!(one.kind, Kind::Content | Kind::Diverged | Kind::Control))
    }

    /// The first offset of the logs, and the one behind the last.
    #[must_use]
    pub fn end(&self, side: Side) -> Offset {
        let [source, dest] = &self.lineages;
        match side {
            Side::Source => source.end,
            Side::Dest => dest.end,
        }
    }
}

/// Whether an id of dest is surely or likely that of two writers.
#[must_use]
pub fn is_collision(pair: &IdPair) -> bool {
    match pair.collision {
        Some(Collision::ManyToOne(_)) => true,
        Some(Collision::TwoWriters { grade, .. }) => grade >= Grade::Likely,
        None => false,
    }
}

/// What the logs are to each other, by the clusters that their directories name, or by what a
/// mirror leaves.
pub(super) fn relation(
    clusters: [Option<&str>; 2],
    ids: &[IdPair],
    controls: &[ControlSeen],
) -> Relation {
    if let [Some(source), Some(dest)] = clusters {
        return match source == dest {
            true => Relation::Replicas,
            false => Relation::Mirror,
        };
    }
    let is_mapped = |pair: &IdPair| {
        matches!(
            pair.relation,
            IdRelation::Mapped(_) | IdRelation::MappedBack(_)
        )
    };
    let is_own = |one: &ControlSeen| {
        one.control_type == ControlType::MirrorPidReset && one.only_in == Some(Side::Dest)
    };
    match ids.iter().any(is_mapped) || controls.iter().any(is_own) {
        true => Relation::Mirror,
        false => Relation::Unknown,
    }
}

/// Which log to keep.
pub(super) fn keep(comparison: &Comparison) -> Keep {
    let has = |kind| comparison.tally(kind).stretches > 0;
    let is_own_mark = |one: &ControlSeen| one.only_in == Some(Side::Dest);
    let parts = has(Kind::Diverged) || has(Kind::Control) || has(Kind::Content);
    let is_stopped = comparison.relation == Relation::Mirror
        && comparison
            .controls
            .iter()
            .any(|one| is_own_mark(one) && one.control_type == ControlType::MirrorPidReset);
    if is_stopped {
        return Keep::StoppedMirror;
    }
    let [source, dest] = &comparison.lineages;
    let is_parting = comparison.divergence.is_none_or(|cut| cut.is_parting);
    if parts || has(Kind::ProducerId) {
        let by_epoch = super::epochs::later(source, dest);
        return match by_epoch {
            Some(side) if is_parting && comparison.relation != Relation::Mirror => {
                Keep::LaterLeader(side)
            }
            _ => Keep::Undecided,
        };
    }
    let lacks = |side| has(Kind::missing_in(side)) || has(Kind::damaged_in(side));
    let ahead = comparison
        .end(Side::Source)
        .cmp(&comparison.end(Side::Dest));
    let is_behind = has(Kind::DamagedInBoth);
    match (lacks(Side::Source), lacks(Side::Dest)) {
        _ if is_behind => Keep::Union,
        (true, true) => Keep::Union,
        (true, false) => damaged(
            Side::Source,
            has(Kind::damaged_in(Side::Source)),
            comparison,
        ),
        (false, true) => damaged(Side::Dest, has(Kind::damaged_in(Side::Dest)), comparison),
        (false, false) => match ahead {
            std::cmp::Ordering::Greater => Keep::Longer(Side::Source),
            std::cmp::Ordering::Less => Keep::Longer(Side::Dest),
            std::cmp::Ordering::Equal => Keep::Either,
        },
    }
}

/// One log alone lacks something; the other may be behind.
fn damaged(side: Side, is_damaged: bool, comparison: &Comparison) -> Keep {
    let other = side.other();
    match (comparison.end(other) < comparison.end(side), is_damaged) {
        (true, _) => Keep::Union,
        (false, true) => Keep::Undamaged(other),
        (false, false) => Keep::Longer(other),
    }
}
