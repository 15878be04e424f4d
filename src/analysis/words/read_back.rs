//! What becomes of a broker that reads a log back, in sentences: where it ends, and what a barrier
//! of cluster mirroring does to it.

use crate::format::number::{Offset, ProducerId};
use crate::state::batch::Batch;
use crate::state::error::StateError;
use crate::state::event::Fate;

/// Why a broker that reads this batch back does not start.
#[must_use]
pub fn stop(batch: &Batch, error: &StateError) -> String {
    // Seen in 4.4.0: the recovery has counted the batch when it reads the marker in it.
    let cut = match error.is_cut_by_recovery() {
        true => "; after an unclean stop it first cuts the log off behind that batch",
        false => "",
    };
    format!(
        "a broker that reads the batch at {} back does not start: {}: {error}{cut}",
        offsets(batch.base_offset, batch.last_offset),
        error.class()
    )
}

/// That there is a barrier.
#[must_use]
pub fn barrier(batch: &Batch) -> String {
    format!(
        "offset {} is a barrier of cluster mirroring (MIRROR_PID_RESET, control type 7), which \
         voids every producer before it; no released broker obeys it: --rules stock shows what \
         such a one believes",
        batch.base_offset
    )
}

/// That a transaction was open at a barrier, and what becomes of it.
#[must_use]
pub fn open_at_barrier(
    barrier_offset: Offset,
    producer_id: ProducerId,
    first_offset: Offset,
    fate: Fate,
) -> String {
    let becomes = match fate {
        Fate::Dropped => {
            "by these rules it is over without a marker: it holds nothing back any more, and \
             readers of committed data get its records, unless a transaction index has it as \
             aborted"
        }
        Fate::Stuck => {
            "by these rules its producer is gone and the transaction is not: no marker ends it, \
             and it holds the last stable offset back until a restart from a later snapshot, which \
             does not know it; then readers of committed data get its records"
        }
        Fate::Kept => {
            "by these rules its producer, which was read together with the barrier, comes back \
             behind it, and the transaction stays open"
        }
    };
    format!(
        "the barrier at offset {barrier_offset} came while a transaction of producer \
         {producer_id} was open, since offset {first_offset}: {becomes}"
    )
}

/// One offset, or the first and the last.
#[must_use]
pub fn offsets(first: Offset, last: Offset) -> String {
    match first == last {
        true => format!("offset {first}"),
        false => format!("offsets {first} to {last}"),
    }
}
