//! What a broker takes in from a snapshot file, by the rules that it runs.

use crate::format::producer_snapshot::{self, ProducerEntry, Version};
use crate::state::rules::RuleSet;

/// The entries that a broker by these rules loads, all of them: it asks of no id whether it may
/// have state (`ProducerStateManager.loadFromSnapshot`).
///
/// # Errors
/// What is wrong with a file that it deletes instead: the words of a stock broker, or of a file of
/// version 2 the first fault.
pub fn entries_by(rules: &dyn RuleSet, bytes: &[u8]) -> Result<Vec<ProducerEntry>, String> {
    if rules.reads_snapshot(Version::V2)
        && let Ok(snapshot) = producer_snapshot::decode(bytes)
        && snapshot.version == Version::V2
    {
        return match snapshot.faults.first() {
            None => Ok(snapshot.entries),
            Some(fault) => Err(fault.to_string()),
        };
    }
    usable_entries(bytes)
}

/// The entries of a snapshot that a released broker would load.
///
/// # Errors
/// What a broker says of one that it deletes instead.
pub fn usable_entries(bytes: &[u8]) -> Result<Vec<ProducerEntry>, String> {
    producer_snapshot::stock_verdict_of(bytes)?;
    let snapshot = producer_snapshot::decode(bytes).map_err(|fault| fault.to_string())?;
    Ok(snapshot.entries)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::number::{
        CoordinatorEpoch, Offset, ProducerEpoch, ProducerId, Sequence, Timestamp,
    };
    use crate::state::rules::ALL;

    #[test]
    fn version_2_is_for_the_rules_of_the_design_that_writes_it() {
        let entry = ProducerEntry {
            producer_id: ProducerId(-7),
            producer_epoch: ProducerEpoch(0),
            last_sequence: Sequence(0),
            last_offset: Offset(0),
            offset_delta: 0,
            timestamp: Timestamp(0),
            coordinator_epoch: CoordinatorEpoch(-1),
            current_txn_first_offset: Offset(-1),
            source_cluster_id: None,
        };
        for version in [Version::V1, Version::V2] {
            let mut bytes =
                producer_snapshot::encode(version, std::slice::from_ref(&entry)).unwrap();
            for rules in ALL {
                let reads = version == Version::V1 || rules.name() == "mapped";
                let found = entries_by(rules, &bytes);
                assert_eq!(found.is_ok(), reads, "{} {version:?}", rules.name());
                if !reads {
                    let why = found.unwrap_err();
                    assert!(why.ends_with("unknown file version 2"), "{why}");
                }
            }
            // A fault is one to all.
            *bytes.last_mut().unwrap() ^= 1;
            assert!(ALL.iter().all(|rules| entries_by(*rules, &bytes).is_err()));
        }
    }
}
