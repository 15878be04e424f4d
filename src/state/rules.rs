//! Whose producer state: what a stock broker believes, and what the mirroring designs (KIP-1279)
//! would have it believe.
//!
//! The sets differ in four questions: which ids have state, what the barrier (MIRROR_PID_RESET,
//! control type 7, without a producer id) does, whether it is missed when the log is cut in front
//! of it, and which snapshots are read. A barrier that carries a producer's id is an end marker of
//! no known type to all of them.

use crate::format::number::ProducerId;
use crate::format::producer_snapshot::Version;
use crate::state::error::Origin;

/// By which way a batch comes to the producer state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Path {
    /// Appended: a request, a fetch from the leader, or a coordinator's record.
    Append(Origin),
    /// Read back at a start or a truncation (`UnifiedLog.loadProducersFromRecords`).
    Load,
    /// Read back after an unclean stop (`LogSegment.recover`).
    Recovery,
}

/// What a barrier does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reset {
    /// Nothing.
    Ignored,
    /// What was known of producers is void, also of those earlier in the same chunk, and their
    /// open transactions hold nothing back any more.
    Everything,
    /// The manager's producers are void. What the chunk has gathered so far survives and is put
    /// back at its end, and open transactions hold the last stable offset back for ever.
    MapOfManager,
}

/// A set of rules.
pub trait RuleSet: std::fmt::Debug + Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// Whether a producer of this id has state.
    fn keeps_state_of(&self, id: ProducerId) -> bool;

    /// What a barrier does that comes by `path`.
    fn reset(&self, path: Path) -> Reset;

    /// Whether the log is read again when it is cut in front of the barrier that emptied the state.
    /// A broker whose state is empty at the end of its log does not read it when it is cut
    /// (`UnifiedLog.rebuildProducerState`): without barriers there was nobody in it.
    fn misses_barriers(&self) -> bool;

    /// Whether snapshots of this version are read; others are deleted.
    fn reads_snapshot(&self, version: Version) -> bool {
        version == Version::V1
    }
}

/// Kafka 4.4.0, and every release before: type 7 is an unknown control record, ids below 0 mean
/// "no producer" (`AbstractRecordBatch.hasProducerId`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stock;

/// The barrier design as it is meant: a stock broker that also obeys the barrier, on every path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Barrier;

/// What the designs that map ids into the negative numbers need: every id but -1 has state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mapped;

/// The prototype of the barrier design with its holes: producers of the same chunk are put back
/// (P1), recovery after an unclean stop passes over the barrier (P2), and a transaction that is
/// open at the barrier stays open in memory (P3), and truncating a barrier away does not bring
/// producers back (P4). A barrier that was never written (P5) is not there for any rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fork;

impl RuleSet for Stock {
    fn name(&self) -> &'static str {
        "stock"
    }

    fn keeps_state_of(&self, id: ProducerId) -> bool {
        id > ProducerId::NONE
    }

    fn reset(&self, _: Path) -> Reset {
        Reset::Ignored
    }

    fn misses_barriers(&self) -> bool {
        false
    }
}

impl RuleSet for Barrier {
    fn name(&self) -> &'static str {
        "barrier"
    }

    fn keeps_state_of(&self, id: ProducerId) -> bool {
        id > ProducerId::NONE
    }

    fn reset(&self, path: Path) -> Reset {
        match path {
            // Clients are refused control batches.
            Path::Append(Origin::Client) => Reset::Ignored,
            _ => Reset::Everything,
        }
    }

    fn misses_barriers(&self) -> bool {
        true
    }
}

impl RuleSet for Mapped {
    fn name(&self) -> &'static str {
        "mapped"
    }

    fn keeps_state_of(&self, id: ProducerId) -> bool {
        id != ProducerId::NONE
    }

    fn reset(&self, path: Path) -> Reset {
        Barrier.reset(path)
    }

    fn misses_barriers(&self) -> bool {
        Barrier.misses_barriers()
    }

    /// The prototype of bit-field mapping writes version 2 as soon as an entry has a cluster, and
    /// version 1 else.
    fn reads_snapshot(&self, _: Version) -> bool {
        true
    }
}

impl RuleSet for Fork {
    fn name(&self) -> &'static str {
        "fork"
    }

    fn keeps_state_of(&self, id: ProducerId) -> bool {
        id > ProducerId::NONE
    }

    fn reset(&self, path: Path) -> Reset {
        match path {
            Path::Append(Origin::Client) | Path::Recovery => Reset::Ignored,
            Path::Append(_) | Path::Load => Reset::MapOfManager,
        }
    }

    fn misses_barriers(&self) -> bool {
        false
    }
}

/// All sets, the default first.
pub const ALL: [&dyn RuleSet; 4] = [&Barrier, &Stock, &Mapped, &Fork];

/// The set of a name.
#[must_use]
pub fn by_name(name: &str) -> Option<&'static dyn RuleSet> {
    ALL.into_iter().find(|rules| rules.name() == name)
}
