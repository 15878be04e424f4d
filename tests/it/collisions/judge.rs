//! What is true of the ids of a simulated log, and which collisions leave a trace: worked out from
//! the ground truth and from the producer state of a broker, without the analysis under test.

use kfsck::format::number::{Offset, ProducerId};
use kfsck::simulate::replica::{BrokerState, EXPIRATION_MS};
use kfsck::simulate::stored::Stored;
use kfsck::simulate::truth::WriterIndex;
use kfsck::state::append::Append;
use kfsck::state::error::Reason;
use kfsck::state::event;
use kfsck::state::manager::Applied;
use kfsck::state::rules::Mapped;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What the headers of an id show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trace {
    /// One writer may have written this.
    None,
    /// Sequences are missing and offsets are not, and that is all: one writer may have written this
    /// if batches were lost.
    Gap,
    /// No leader takes this from one writer.
    Contradiction,
}

/// One id between two barriers.
#[derive(Debug, Default)]
pub(super) struct Truth<'a> {
    /// Whose batches lie under it.
    pub(super) writers: BTreeSet<WriterIndex>,
    /// Its batches.
    pub(super) batches: Vec<&'a Stored>,
    /// The offsets behind holes in the log: a cleaner may have taken batches there.
    holes: Vec<Offset>,
}

/// The ids of a log by section, which is told by the offset of its first batch.
pub(super) fn truths(log: &[Arc<Stored>]) -> BTreeMap<(Offset, ProducerId), Truth<'_>> {
    let mut truths: BTreeMap<_, Truth<'_>> = BTreeMap::new();
    let mut section = None;
    let holes: Vec<Offset> = log
        .windows(2)
        .filter(|pair| pair[0].batch.next_offset() != pair[1].batch.base_offset)
        .map(|pair| pair[1].batch.base_offset)
        .collect();
    for stored in log {
        let begin = *section.get_or_insert(stored.batch.base_offset);
        if stored.is_barrier() {
            section = None;
            continue;
        }
        let id = stored.batch.producer_id;
        if id != ProducerId::NONE {
            let truth = truths.entry((begin, id)).or_default();
            truth.writers.extend(stored.truth.writer());
            truth.batches.push(stored);
            truth.holes.clone_from(&holes);
        }
    }
    truths
}

impl Truth<'_> {
    /// Two writers share the id.
    pub(super) fn is_shared(&self) -> bool {
        self.writers.len() > 1
    }

    /// Whether a leader would have taken these batches from one client and its coordinator, one by
    /// one from the section's beginning on, expiry of silent producers included. A batch that is
    /// there before, but for offset and leader epoch, is passed over: whoever stored it twice, it
    /// is one batch. Where offsets are missing, so may be batches of the client: sequences go on
    /// from any higher one.
    pub(super) fn trace(&self) -> Trace {
        let new = || BrokerState::new("judge-0", &Mapped);
        let mut state = new();
        let mut before: Vec<&Stored> = Vec::new();
        let mut trace = Trace::None;
        for stored in &self.batches {
            if before.iter().any(|one| is_copy(one, stored)) {
                continue;
            }
            let last = before.last().map(|last| last.batch.base_offset);
            before.push(stored);
            let batch = &stored.batch;
            state.remove_expired(batch.max_timestamp, EXPIRATION_MS);
            // Of markers the version is not known: the first one's rules are the looser.
            let how = match batch.is_control {
                true => Append::coordinator(1),
                false => Append::CLIENT,
            };
            let control = stored.control.as_ref();
            match state.apply(how, batch, control, &mut event::ignore) {
                Ok(Applied::Taken { .. }) => {}
                Err(error) if is_ahead(&error.reason) => {
                    if !self.has_hole(last, batch.base_offset) {
                        trace = Trace::Gap;
                    }
                    state = new();
                    if state
                        .apply(how, batch, control, &mut event::ignore)
                        .is_err()
                    {
                        return Trace::Contradiction;
                    }
                }
                Ok(_) | Err(_) => return Trace::Contradiction,
            }
        }
        trace
    }

    fn has_hole(&self, after: Option<Offset>, upto: Offset) -> bool {
        let mut holes = self.holes.iter();
        after.is_some_and(|after| holes.any(|hole| *hole > after && *hole <= upto))
    }

    /// Whether the batches of its one writer lie in another order than it sent them, or twice: a
    /// mirror that goes on with another source's log leaves that.
    pub(super) fn is_displaced(&self) -> bool {
        let sent: Vec<_> = self
            .batches
            .iter()
            .flat_map(|one| one.truth.records())
            .collect();
        !sent.is_sorted_by(|one, next| one.number < next.number)
    }
}

fn is_ahead(reason: &Reason) -> bool {
    match reason {
        // Sequences wrap; the nearer way counts.
        Reason::Sequence { sequence, last } => sequence.minus(last.0).0 < 1 << 30,
        Reason::NewEpochSequence { .. } => true,
        _ => false,
    }
}

fn is_copy(one: &Stored, other: &Stored) -> bool {
    let header = |stored: &Stored| {
        let batch = &stored.batch;
        (
            batch.producer_epoch,
            (batch.base_sequence, batch.last_sequence),
            (batch.first_timestamp, batch.max_timestamp),
            batch.is_transactional,
        )
    };
    header(one) == header(other) && one.control == other.control
}
