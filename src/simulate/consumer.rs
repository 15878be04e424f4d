//! What consumers read, as the fetcher of a real client decides it.

use crate::format::number::{Offset, ProducerId};
use crate::simulate::replica::Replica;
use crate::simulate::stored::Stored;
use crate::state::batch::Control;
use crate::state::rules::RuleSet;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What a consumer of committed records is given of a leader's log up to its last stable offset
/// (`CompletedFetch`): control batches never, aborted records as the transaction index tells.
///
/// A batch whose id counts as none is never filtered, whatever the index says.
#[must_use]
pub fn read_committed(
    replica: &Replica,
    rules: &dyn RuleSet,
    last_stable_offset: Offset,
) -> Vec<Arc<Stored>> {
    let mut index = replica.aborted().to_vec();
    index.sort_by_key(|txn| txn.first_offset);
    let mut index = index.into_iter().peekable();
    let mut aborted: BTreeSet<ProducerId> = BTreeSet::new();
    let mut shown = Vec::new();
    let below = replica
        .log()
        .iter()
        .take_while(|stored| stored.batch.last_offset < last_stable_offset);
    for stored in below {
        let batch = &stored.batch;
        let id = batch.producer_id;
        if rules.keeps_state_of(id) {
            while let Some(txn) = index.next_if(|txn| txn.first_offset <= batch.last_offset) {
                aborted.insert(txn.producer_id);
            }
            if let Some(Control::Marker(marker)) = &stored.control
                && marker.is_abort
            {
                aborted.remove(&id);
            } else if batch.is_transactional && aborted.contains(&id) {
                continue;
            }
        }
        if !batch.is_control {
            shown.push(Arc::clone(stored));
        }
    }
    shown
}
