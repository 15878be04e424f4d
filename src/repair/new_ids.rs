//! Which producer ids may be given to batches that have others.
//!
//! A controller gives ids out from 0 up, in blocks of 1000, and never one twice. An id that it has
//! given out is somebody's, perhaps in another partition; one above will be somebody's. Ids from
//! 2^62 up no cluster reaches, so those are the ones for repairs; ids below 0 mean "no producer" to
//! a broker, whose transactions nobody would track.

use crate::analysis::transaction_coordinator::TransactionCoordinator;
use crate::format::number::ProducerId;
use std::collections::{BTreeMap, BTreeSet};

/// The first of the ids that repairs give.
pub const RESERVED: ProducerId = ProducerId(1 << 62);

/// So many ids above the highest that was met count as about to be given out: a thousand blocks.
const AHEAD: i64 = 1_000_000;

/// Whose ids are known.
#[derive(Debug, Clone, Copy)]
pub struct Known<'c> {
    /// The coordinators, where `__transaction_state` is at hand.
    pub coordinator: Option<&'c TransactionCoordinator>,
    /// Ids that a controller gives out are taken all the same.
    pub force: bool,
}

/// Refuses an id that a person chose for batches that have another.
///
/// # Errors
/// Why it will not do, in words.
pub(super) fn check(
    id: ProducerId,
    in_use: &BTreeSet<ProducerId>,
    known: Known<'_>,
) -> Result<(), String> {
    if id.0 < 0 {
        return Err(format!(
            "new producer id {id}: ids below 0 mean no producer to a broker, which would track \
             neither sequences nor transactions"
        ));
    }
    if in_use.contains(&id) {
        return Err(format!(
            "new producer id {id}: in use in this partition already, and two producers would \
             become one"
        ));
    }
    let held = known.coordinator.map(|one| one.transactional_ids(id));
    if let Some((number, key)) = held.and_then(<[_]>::first) {
        return Err(format!(
            "new producer id {id}: transactional id {:?} has it, by __transaction_state-{number}",
            String::from_utf8_lossy(&key.transactional_id)
        ));
    }
    let local = in_use.iter().filter(|id| id.0 >= 0 && **id < RESERVED);
    let highest = local.max().map_or(0, |id| id.0);
    if !known.force && id.0 <= highest.saturating_add(AHEAD) {
        return Err(format!(
            "new producer id {id}: a controller gives ids out from 0 up, in blocks of 1000, and \
             the highest of its own met here is {highest}; up to {} an id is another producer's \
             or about to be. Leave the choice to kfsck or take one from {RESERVED} up; --force \
             takes it all the same",
            highest.saturating_add(AHEAD)
        ));
    }
    Ok(())
}

/// The first reserved id that nobody uses here.
pub(super) fn choose(in_use: &BTreeSet<ProducerId>, known: Known<'_>) -> Option<ProducerId> {
    let ids = (RESERVED.0..).map(ProducerId);
    let mut free = ids.filter(|id| {
        let held = known
            .coordinator
            .map_or(0, |one| one.transactional_ids(*id).len());
        !in_use.contains(id) && held == 0
    });
    free.next()
}

/// Refuses pairs that contradict each other: an id that is renamed twice is none.
///
/// # Errors
/// Why, in words.
pub fn pairs(
    given: &[(ProducerId, ProducerId)],
) -> Result<BTreeMap<ProducerId, ProducerId>, String> {
    let mut pairs = BTreeMap::new();
    let mut targets = BTreeSet::new();
    for (old, new) in given {
        if *old == ProducerId::NONE {
            return Err("producer id -1 is none: batches without a producer get none".to_owned());
        }
        if old == new {
            return Err(format!("producer id {old}: becomes itself"));
        }
        if pairs.insert(*old, *new).is_some() {
            return Err(format!("producer id {old}: given two new ids"));
        }
        if !targets.insert(*new) {
            return Err(format!("new producer id {new}: given to two producers"));
        }
    }
    Ok(pairs)
}
