//! What speaks for two writers under one id, how much, and what else would explain it.

use super::seen::Seen;
use std::fmt;

/// A sign that batches of one id are of two writers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Sign {
    /// The producer epoch of data went back. A leader fences, a replica only warns.
    EpochBack,
    /// A COMMIT of an epoch that was left before. A leader refuses it.
    CommitEpochBack,
    /// The same of an ABORT, which a stopping mirror writes by itself.
    AbortEpochBack,
    /// Data outside of transactions while a transaction of the id is open. Nobody takes that.
    PlainInTransaction,
    /// Sequences begin with 0 again in the same epoch.
    SequenceRestart,
    /// Sequences go back in the same epoch.
    SequenceBack,
    /// A strand goes on exactly where it ended, behind batches of another.
    Resumed,
    /// Sequences are missing, though no offset is.
    SequenceGap,
    /// An epoch begins with another sequence than 0, though no offset is missing.
    NotAtZero,
    /// Plain data and data of transactions. A client writes one or the other all its life, but some
    /// cleaners take the mark of transactions away.
    KindChange,
    /// A marker of an earlier coordinator. A leader refuses it.
    CoordinatorEpochBack,
    /// A marker came for one strand and closed the transaction of another.
    ForeignMarker,
    /// A marker closed nothing, in an id with two strands.
    EmptyMarker,
    /// The leader epoch rose between the strands: an election, or the stop of a mirror.
    LeaderEpochRise,
    /// The leader epoch fell between the strands: they come from two logs.
    LeaderEpochFall,
}

/// How sure a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Grade {
    /// Something else explains it as well: worth a note.
    Possible,
    /// No client does this, though a broker that had forgotten the id would take it.
    Likely,
    /// One writer cannot have written this under the rules of a broker.
    Certain,
}

impl Grade {
    /// The name in machine-readable output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Possible => "possible",
            Self::Likely => "likely",
            Self::Certain => "certain",
        }
    }

    /// The least and the greatest confidence of a finding of this grade.
    #[must_use]
    pub const fn band(self) -> (f64, f64) {
        match self {
            Self::Possible => (0.05, 0.5),
            Self::Likely => (0.7, 0.94),
            Self::Certain => (0.95, 0.99),
        }
    }
}

impl fmt::Display for Grade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What explains a sign without a second writer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Excuse {
    /// The id was silent for so many milliseconds, long enough for a broker to forget it.
    Silence(i64),
    /// The earlier batch lies below the log's start. Clients before 2.5 begin with 0 again when
    /// all that they wrote was deleted.
    BelowLogStart,
    /// Times and sequences agree with one writer, only their places in the log do not: a mirror
    /// that went on with another source, or fetched twice, leaves this.
    Misplaced,
    /// The sequence goes on from the batch before: one writer's, of which another program may have
    /// taken the mark of transactions away.
    Continued,
}

impl Excuse {
    /// The name in machine-readable output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Silence(_) => "silence",
            Self::BelowLogStart => "below-log-start",
            Self::Misplaced => "misplaced",
            Self::Continued => "continued",
        }
    }

    /// What would tell the excuse from a collision.
    #[must_use]
    pub const fn decider(self) -> &'static str {
        match self {
            Self::Silence(_) => {
                "whether the id was given out twice: the blocks of the controllers \
                 (ProducerIdsRecord), or the offsets that its clients were told"
            }
            Self::BelowLogStart => "the version of the client: those from 2.5 on raise the epoch",
            Self::Continued => {
                "the source's or another replica's copy of the batch: whether it was one of the \
                 transaction there"
            }
            Self::Misplaced => "the source's copy of the log at the same offsets",
        }
    }
}

impl Sign {
    /// The name in machine-readable output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::EpochBack => "epoch-back",
            Self::CommitEpochBack => "commit-epoch-back",
            Self::AbortEpochBack => "abort-epoch-back",
            Self::PlainInTransaction => "plain-in-transaction",
            Self::SequenceRestart => "sequence-restart",
            Self::SequenceBack => "sequence-back",
            Self::Resumed => "resumed",
            Self::SequenceGap => "sequence-gap",
            Self::NotAtZero => "not-at-zero",
            Self::KindChange => "kind-change",
            Self::CoordinatorEpochBack => "coordinator-epoch-back",
            Self::ForeignMarker => "foreign-marker",
            Self::EmptyMarker => "empty-marker",
            Self::LeaderEpochRise => "leader-epoch-rise",
            Self::LeaderEpochFall => "leader-epoch-fall",
        }
    }

    /// The grade of the sign alone; `None` where it only adds to others.
    #[must_use]
    pub const fn grade(self, is_excused: bool) -> Option<Grade> {
        Some(match self {
            Self::ForeignMarker
            | Self::EmptyMarker
            | Self::LeaderEpochRise
            | Self::LeaderEpochFall => return None,
            _ if is_excused => Grade::Possible,
            Self::EpochBack | Self::PlainInTransaction => Grade::Certain,
            Self::SequenceRestart | Self::SequenceBack | Self::CommitEpochBack => Grade::Likely,
            Self::AbortEpochBack
            | Self::Resumed
            | Self::SequenceGap
            | Self::NotAtZero
            | Self::KindChange
            | Self::CoordinatorEpochBack => Grade::Possible,
        })
    }

    /// How much the sign adds to the confidence of a finding, 0 to 1.
    const fn weight(self, is_excused: bool) -> f64 {
        match self {
            Self::SequenceGap | Self::NotAtZero => 0.2,
            Self::CoordinatorEpochBack | Self::AbortEpochBack => 0.3,
            Self::ForeignMarker | Self::LeaderEpochFall => 0.15,
            Self::EmptyMarker => 0.1,
            Self::LeaderEpochRise => 0.05,
            _ if is_excused => 0.3,
            Self::EpochBack | Self::PlainInTransaction => 0.97,
            Self::SequenceRestart => 0.85,
            Self::SequenceBack | Self::CommitEpochBack => 0.8,
            Self::Resumed | Self::KindChange => 0.4,
        }
    }

    /// What would decide where this sign alone does not.
    #[must_use]
    pub const fn decider(self) -> &'static str {
        match self {
            Self::SequenceGap | Self::NotAtZero => {
                "another replica's or the source's copy of the log: whether batches were lost here"
            }
            Self::KindChange => "whether another program than Kafka's cleaner has cleaned the log",
            Self::CoordinatorEpochBack => {
                "__transaction_state: whether it was made anew or restored"
            }
            Self::AbortEpochBack => "whether a mirror was stopped here and wrote the ABORT",
            _ => {
                "the records at both places, or the blocks of ids that the controllers gave out \
                 (ProducerIdsRecord)"
            }
        }
    }
}

/// A sign with the two batches that show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Evidence {
    /// What.
    pub sign: Sign,
    /// What else explains it.
    pub excuse: Option<Excuse>,
    /// The batch of the id that was there before.
    pub earlier: Seen,
    /// The batch that shows it.
    pub later: Seen,
}

/// The grade of all evidence together; `None` where nothing stands by itself.
#[must_use]
pub fn grade(evidence: &[Evidence]) -> Option<Grade> {
    let alone = |one: &Evidence| one.sign.grade(one.excuse.is_some());
    let strongest = evidence.iter().filter_map(alone).max()?;
    let has = |sign: Sign| evidence.iter().any(|one| one.sign == sign);
    Some(match strongest {
        // Two strands, each without a gap, in turns.
        Grade::Likely if has(Sign::Resumed) => Grade::Certain,
        // A cleaner that takes marks away leaves sequences as they are where it takes no batch.
        Grade::Possible if has(Sign::KindChange) => {
            match has(Sign::SequenceGap) || has(Sign::NotAtZero) {
                true => Grade::Likely,
                false => Grade::Possible,
            }
        }
        strongest => strongest,
    })
}

/// How sure a finding with this evidence is, 0 to 1: signs of different kinds add up as if they
/// were independent, within the band of the grade. `companions` findings stand beside it.
#[must_use]
pub fn confidence(evidence: &[Evidence], companions: usize) -> f64 {
    let Some(grade) = grade(evidence) else {
        return 0.0;
    };
    let mut doubt = 1.0;
    let mut counted: Vec<Sign> = Vec::new();
    for one in evidence {
        if !counted.contains(&one.sign) {
            counted.push(one.sign);
            doubt *= 1.0 - one.sign.weight(one.excuse.is_some());
        }
    }
    if companions > 0 {
        doubt *= 0.8;
    }
    let (least, greatest) = grade.band();
    ((1.0 - doubt).clamp(least, greatest) * 100.0).round() / 100.0
}
