//! One producer's part of an append, the twin of `ProducerAppendInfo`: every check in Kafka's
//! order, and what becomes of the entry.

use crate::format::number::{Offset, ProducerEpoch, ProducerId, Sequence, Timestamp};
use crate::state::batch::{Batch, Control, Marker};
use crate::state::entry::Entry;
use crate::state::error::{Origin, Reason};
use crate::state::event::{Event, Kind, Previous, Sink, judge_sequences};
use crate::state::rules::Path;

/// The transaction version of an append that does not know it (`TV_UNKNOWN`).
pub const UNKNOWN_VERSION: i16 = -1;

/// How batches come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Append {
    /// The way they come.
    pub path: Path,
    /// The transaction version that applies to markers; -1 unknown.
    pub transaction_version: i16,
    /// Whether the coordinator has confirmed the transaction of these batches (KIP-890), or
    /// nobody asks for it. Matters to clients alone.
    pub is_verified: bool,
}

impl Append {
    /// Batches read back at a start (`UnifiedLog.loadProducersFromRecords`).
    pub const LOAD: Self = Self::by(Path::Load, 0);
    /// Batches read back after an unclean stop (`LogSegment.recover`).
    pub const RECOVERY: Self = Self::by(Path::Recovery, UNKNOWN_VERSION);
    /// Batches copied from the leader (`UnifiedLog.appendAsFollower`).
    pub const FOLLOWER: Self = Self::by(Path::Append(Origin::Replication), UNKNOWN_VERSION);
    /// Batches of a producer's request.
    pub const CLIENT: Self = Self::by(Path::Append(Origin::Client), UNKNOWN_VERSION);

    const fn by(path: Path, transaction_version: i16) -> Self {
        Self {
            path,
            transaction_version,
            is_verified: true,
        }
    }

    /// Markers of a coordinator whose transactions have this version (`WriteTxnMarkers`).
    #[must_use]
    pub const fn coordinator(transaction_version: i16) -> Self {
        Self::by(Path::Append(Origin::Coordinator), transaction_version)
    }

    /// Whose append it is to the checks: reading back counts as replication.
    #[must_use]
    #[inline]
    pub const fn origin(&self) -> Origin {
        match self.path {
            Path::Append(origin) => origin,
            Path::Load | Path::Recovery => Origin::Replication,
        }
    }
}

/// What is known while a producer's transaction is being verified (`VerificationStateEntry`);
/// never on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verification {
    /// When the first batch came.
    pub timestamp: Timestamp,
    /// The lowest sequence of batches that came since.
    pub lowest_sequence: Sequence,
    /// The epoch of those.
    pub epoch: ProducerEpoch,
    /// Transactions of version 2.
    pub supports_epoch_bump: bool,
}

/// A transaction that ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompletedTxn {
    /// Whose.
    pub producer_id: ProducerId,
    /// The first offset of its first batch.
    pub first_offset: Offset,
    /// The offset of its marker.
    pub last_offset: Offset,
    /// Whether it was aborted.
    pub is_aborted: bool,
}

/// What a batch did beside changing the entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Appended {
    /// A transaction began at this offset.
    pub started: Option<Offset>,
    /// A transaction ended.
    pub completed: Option<CompletedTxn>,
}

/// One producer's part of an append.
#[derive(Debug)]
pub struct AppendInfo<'a, const N: usize> {
    /// The manager's entry as it was before the append.
    pub current: &'a Entry<N>,
    /// What the append has made of it so far, without the batches that were there before.
    pub updated: &'a mut Entry<N>,
    /// How the batches come.
    pub append: Append,
    /// What verification knows of the producer.
    pub verification: Option<Verification>,
}

impl<const N: usize> AppendInfo<'_, N> {
    /// Takes a batch in, with what its control record says if it is a control batch.
    ///
    /// # Errors
    /// Why a broker refuses it; [`AppendInfo::updated`] is then worth nothing.
    #[inline]
    pub fn append(
        &mut self,
        batch: &Batch,
        control: Option<&Control>,
        sink: Sink<'_>,
    ) -> Result<Appended, Reason> {
        if !batch.is_control {
            return self.append_data(batch, sink);
        }
        let marker = control.map_or(Ok(None), Control::marker);
        match marker.map_err(Reason::Control)? {
            Some(marker) => self.append_marker(batch, marker, sink),
            None => Ok(Appended::default()),
        }
    }

    #[inline]
    fn append_data(&mut self, batch: &Batch, sink: Sink<'_>) -> Result<Appended, Reason> {
        let last = self.updated.producer_epoch;
        if batch.producer_epoch < last {
            self.bad_epoch(batch, UNKNOWN_VERSION)?;
            self.tell(sink, batch, Kind::EpochRegression);
        }
        if self.append.origin() == Origin::Client {
            self.check_sequence(batch)?;
        } else {
            self.watch_sequence(batch, sink);
        }
        self.updated.add_batch(batch);
        let open = self.updated.current_txn_first_offset;
        match (open, batch.is_transactional) {
            (Some(_), false) => Err(Reason::ExpectedTransactional),
            (None, true) => {
                self.updated.current_txn_first_offset = Some(batch.base_offset);
                Ok(Appended {
                    started: Some(batch.base_offset),
                    completed: None,
                })
            }
            _ => Ok(Appended::default()),
        }
    }

    fn append_marker(
        &mut self,
        batch: &Batch,
        marker: Marker,
        sink: Sink<'_>,
    ) -> Result<Appended, Reason> {
        let origin = self.append.origin();
        if self.append.transaction_version == UNKNOWN_VERSION && origin != Origin::Replication {
            return Err(Reason::UnknownTransactionVersion { origin });
        }
        let version = match self.append.transaction_version {
            UNKNOWN_VERSION => 0,
            known => known,
        };
        self.check_marker_epoch(batch, marker, version, sink)?;
        let current = self.updated.coordinator_epoch;
        if current > marker.coordinator_epoch {
            if origin != Origin::Replication {
                let epoch = marker.coordinator_epoch;
                return Err(Reason::CoordinatorFenced { epoch, current });
            }
            self.tell(sink, batch, Kind::CoordinatorEpochRegression { marker });
        }
        let completed = self
            .updated
            .current_txn_first_offset
            .map(|first_offset| CompletedTxn {
                producer_id: self.updated.producer_id,
                first_offset,
                last_offset: batch.base_offset,
                is_aborted: marker.is_abort,
            });
        if completed.is_none() {
            self.tell(sink, batch, Kind::EmptyTransaction { marker });
        }
        let (epoch, time) = (batch.producer_epoch, marker.timestamp);
        self.updated
            .end_transaction(epoch, marker.coordinator_epoch, time);
        Ok(Appended {
            started: None,
            completed,
        })
    }

    fn check_marker_epoch(
        &self,
        batch: &Batch,
        marker: Marker,
        version: i16,
        sink: Sink<'_>,
    ) -> Result<(), Reason> {
        let (epoch, last) = (batch.producer_epoch, self.updated.producer_epoch);
        let is_bad = if version >= 2 {
            epoch <= last
        } else {
            epoch < last
        };
        // A coordinator that repeats a marker of version 2 comes with the epoch that is there.
        let is_repeat = version >= 2
            && epoch == last
            && (self.updated.current_txn_first_offset.is_none() || epoch.0 == i16::MAX);
        if is_bad && !is_repeat {
            self.bad_epoch(batch, version)?;
            self.tell(sink, batch, Kind::MarkerOfOldEpoch { marker });
        }
        Ok(())
    }

    /// Refuses a batch for its epoch, unless it is replicated.
    #[cold]
    fn bad_epoch(&self, batch: &Batch, transaction_version: i16) -> Result<(), Reason> {
        if self.append.origin() == Origin::Replication {
            return Ok(());
        }
        Err(Reason::Epoch {
            epoch: batch.producer_epoch,
            last: self.updated.producer_epoch,
            transaction_version,
        })
    }

    fn check_sequence(&self, batch: &Batch) -> Result<(), Reason> {
        let sequence = batch.base_sequence;
        if let Some(verification) = self.verification {
            if verification.supports_epoch_bump
                && sequence.0 != 0
                && self.current.batches.is_empty()
            {
                return Err(Reason::ExpectedSequenceZero { sequence });
            }
            if sequence > verification.lowest_sequence {
                let earliest = verification.lowest_sequence;
                return Err(Reason::AboveEarliestSeen { sequence, earliest });
            }
        }
        let (epoch, current) = (batch.producer_epoch, self.updated.producer_epoch);
        if epoch != current {
            if sequence.0 != 0 && current.0 != -1 {
                return Err(Reason::NewEpochSequence {
                    epoch,
                    sequence,
                    current,
                });
            }
            return Ok(());
        }
        let last = self.last_sequence(epoch);
        if self.current.producer_epoch.0 != -1 && !follows(last, sequence) {
            return Err(Reason::Sequence { sequence, last });
        }
        Ok(())
    }

    /// The last sequence in `epoch`, -1 for none.
    #[inline]
    fn last_sequence(&self, epoch: ProducerEpoch) -> Sequence {
        if !self.updated.batches.is_empty() {
            self.updated.last_sequence()
        } else if epoch == self.current.producer_epoch {
            self.current.last_sequence()
        } else {
            Sequence::NONE
        }
    }

    /// Tells of sequences that a leader would have refused.
    #[inline]
    fn watch_sequence(&self, batch: &Batch, sink: Sink<'_>) {
        let epoch = self.updated.producer_epoch;
        let expected = if epoch.0 == -1 {
            return;
        } else if epoch == batch.producer_epoch {
            self.last_sequence(epoch).plus(1)
        } else {
            Sequence(0)
        };
        if batch.base_sequence != expected
            && let Some(kind) = judge_sequences(batch, expected)
        {
            self.tell(sink, batch, kind);
        }
    }

    #[cold]
    fn tell(&self, sink: Sink<'_>, batch: &Batch, kind: Kind) {
        let mut previous = Previous::of(&*self.updated);
        if self.updated.batches.is_empty()
            && self.updated.producer_epoch == self.current.producer_epoch
        {
            // The append has brought no batch yet: the evidence is the one from before.
            let before = Previous::of(self.current);
            previous = Previous {
                current_txn_first_offset: previous.current_txn_first_offset,
                coordinator_epoch: previous.coordinator_epoch,
                last_timestamp: previous.last_timestamp,
                ..before
            };
        }
        let is_known = previous.producer_epoch.0 != -1;
        sink(&Event {
            kind,
            batch,
            previous: is_known.then_some(previous),
        });
    }
}

/// Whether `next` is the sequence behind `last` (`ProducerAppendInfo.inSequence`). Java compares
/// in 64 bits: nothing but 0 follows the greatest sequence.
#[inline]
fn follows(last: Sequence, next: Sequence) -> bool {
    i64::from(next.0) == i64::from(last.0).wrapping_add(1) || next.0 == 0 && last.0 == i32::MAX
}
