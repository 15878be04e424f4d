//! What a leader asks and remembers beside the append itself: repeats of kept batches, epochs
//! before anything is prepared, and the verification of transactions (KIP-890).

use crate::format::number::{ProducerId, Timestamp};
use crate::state::append::{Append, Verification};
use crate::state::batch::Batch;
use crate::state::entry::{BatchMetadata, Entry};
use crate::state::error::{Origin, Reason, StateError};
use crate::state::manager::Manager;

impl<const N: usize> Manager<N> {
    /// A leader's own checks, before anything of an append is prepared
    /// (`UnifiedLog.analyzeAndValidateProducerState`).
    #[inline]
    pub(super) fn leader_checks(
        &self,
        how: Append,
        batch: &Batch,
        known: Option<&Entry<N>>,
    ) -> Result<Option<BatchMetadata>, StateError> {
        let origin = how.origin();
        if origin == Origin::Replication {
            return Ok(None);
        }
        if origin == Origin::Client
            && let Some(kept) = known.and_then(|entry| entry.find_duplicate(batch))
        {
            return Ok(Some(kept));
        }
        let is_ongoing = known.is_some_and(|entry| {
            entry.current_txn_first_offset.is_some() && entry.producer_epoch == batch.producer_epoch
        });
        if batch.is_transactional && !is_ongoing {
            if let Some(entry) = known
                && batch.producer_epoch < entry.producer_epoch
            {
                let (epoch, last) = (batch.producer_epoch, entry.producer_epoch);
                return Err(self.error(batch, Reason::LeaderEpochCheck { epoch, last }));
            }
            if !batch.is_control && !how.is_verified {
                return Err(self.error(batch, Reason::Unverified));
            }
        }
        Ok(None)
    }

    /// What verification knows of a producer; it matters to clients alone.
    #[inline]
    pub(super) fn verification(&self, how: Append, id: ProducerId) -> Option<Verification> {
        match how.origin() {
            Origin::Client => self.verifications.get(&id).copied(),
            _ => None,
        }
    }

    /// A transactional batch ends its verification, unless it is the marker of a transaction of
    /// version 2 whose producer has begun the next one.
    #[inline]
    pub(super) fn after_append(&mut self, batch: &Batch) {
        if !batch.is_transactional || self.verifications.is_empty() {
            return;
        }
        let next_has_started = self
            .verifications
            .get(&batch.producer_id)
            .is_some_and(|entry| {
                entry.supports_epoch_bump && batch.is_control && batch.producer_epoch == entry.epoch
            });
        if !next_has_started {
            self.verifications.remove(&batch.producer_id);
        }
    }

    /// A client's batch waits for the coordinator's word (`maybeCreateVerificationStateEntry`).
    pub fn await_verification(&mut self, batch: &Batch, supports_epoch_bump: bool, now: Timestamp) {
        let (sequence, epoch) = (batch.base_sequence, batch.producer_epoch);
        let fresh = Verification {
            timestamp: now,
            lowest_sequence: sequence,
            epoch,
            supports_epoch_bump,
        };
        let entry = self.verifications.entry(batch.producer_id).or_insert(fresh);
        if epoch > entry.epoch || epoch == entry.epoch && sequence < entry.lowest_sequence {
            entry.epoch = epoch;
            entry.lowest_sequence = sequence;
        }
    }
}
