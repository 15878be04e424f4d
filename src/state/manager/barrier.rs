//! What a barrier of cluster mirroring (MIRROR_PID_RESET) does to a manager.

use super::{Applied, Manager};
use crate::state::append::Append;
use crate::state::batch::{Batch, Control};
use crate::state::entry::Entry;
use crate::state::event::{Event, Fate, Kind, Previous, Sink};
use crate::state::ongoing::OpenTxn;
use crate::state::rules::Reset;

impl<const N: usize> Manager<N> {
    /// A batch without state: nothing, unless it is a barrier.
    pub(super) fn without_producer(
        &mut self,
        how: Append,
        batch: &Batch,
        control: Option<&Control>,
        sink: Sink<'_>,
    ) -> Applied {
        let effect = match self.obeys(how, batch, control) {
            true => self.rules.reset(how.path),
            false => Reset::Ignored,
        };
        match effect {
            Reset::Ignored => Applied::NoProducer,
            _ => {
                let fate = match effect {
                    Reset::Everything => Fate::Dropped,
                    _ => Fate::Stuck,
                };
                self.reset(effect, batch, &|_| Some(fate), sink);
                Applied::Reset
            }
        }
    }

    /// Whether the batch is a barrier that the rules obey when it comes by `how`.
    pub(in crate::state) fn obeys(
        &self,
        how: Append,
        batch: &Batch,
        control: Option<&Control>,
    ) -> bool {
        batch.is_control
            && control == Some(&Control::MirrorPidReset)
            && !self.rules.keeps_state_of(batch.producer_id)
            && self.rules.reset(how.path) != Reset::Ignored
    }

    /// Obeys a barrier. `fate` says what becomes of an open transaction, and nothing of one that
    /// ended in front of the barrier.
    pub(in crate::state) fn reset(
        &mut self,
        effect: Reset,
        batch: &Batch,
        fate: &dyn Fn(&OpenTxn) -> Option<Fate>,
        sink: Sink<'_>,
    ) {
        for open in self.ongoing.iter() {
            let entry = self.producers.get(open.producer_id);
            let is_its = |entry: &Entry<N>| entry.has_open(open.first_offset);
            if effect == Reset::MapOfManager && !entry.as_ref().is_some_and(is_its) {
                // An earlier barrier took its producer away.
                continue;
            }
            let Some(fate) = fate(&open) else {
                continue;
            };
            sink(&Event {
                kind: Kind::BarrierOpenTransaction {
                    producer_id: open.producer_id,
                    first_offset: open.first_offset,
                    fate,
                },
                batch,
                previous: entry.as_ref().map(Previous::of),
            });
        }
        self.producers.clear();
        self.last_reset = Some(batch.base_offset);
        if effect == Reset::Everything {
            self.ongoing.clear();
            self.verifications.clear();
        }
    }
}
