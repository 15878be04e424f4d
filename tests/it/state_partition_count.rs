//! Of how many partitions `__transaction_state` is, by the places of ids.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use kfsck::analysis::state_partition_count::PartitionCount;
use kfsck::analysis::transaction_coordinator::TransactionCoordinator;
use kfsck::format::transaction_log::TransactionLogKey;

use crate::transaction_state::{holding, partition_of};

/// What the places of ids tell, each with the number of its partition.
fn found<I: AsRef<str>>(ids: impl IntoIterator<Item = (u32, I)>) -> PartitionCount {
    let mut partitions: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
    for (number, id) in ids {
        let batches = partitions.entry(number).or_default();
        batches.extend(holding(id.as_ref(), 5, 1).encode());
    }
    let partitions = partitions.into_iter();
    let partitions = partitions.map(|(number, bytes)| (number, partition_of(&bytes)));
    TransactionCoordinator::new(partitions.collect(), None).partition_count()
}

fn known(count: u32) -> PartitionCount {
    PartitionCount::Known(NonZeroU32::new(count).unwrap())
}

#[test]
fn the_number_of_partitions_is_found_out_where_ids_tell() {
    // 97 modulo 50 is 47, modulo 2 is 1.
    assert_eq!(found([(47, "a")]), known(50));
    assert_eq!(found([(1, "a"), (0, "b")]), known(2));
    // It lies in 0 of 1, and of 97 too.
    assert_eq!(found([(0, "a")]), PartitionCount::Unknown);
    assert_eq!(found([(0, "a"), (0, "b")]), known(1));
    assert_eq!(found([(2, "a")]), PartitionCount::Unknown);
    assert_eq!(found([(0, "a"), (1, "a")]), PartitionCount::Contradicted);
    assert_eq!(found::<&str>([]), PartitionCount::Unknown);
    // "2" (hash 50) lies in 0 of 50 and of 1, whichever it is.
    assert_eq!(found([(0, "2")]), PartitionCount::Unknown);
}

/// Letters have their codes for hashes, so `a` to `z` are 97 to 122.
fn letters(count: u32, of: std::ops::RangeInclusive<char>) -> Vec<(u32, String)> {
    of.map(|letter| (u32::from(letter) % count, letter.to_string()))
        .collect()
}

#[test]
fn a_few_ids_out_of_place_hide_no_number() {
    let mut ids = letters(3, 'a'..='f');
    assert_eq!(found(ids.clone()), known(3));
    ids.push((2, "x".to_owned()));
    assert_eq!(found(ids.clone()), known(3));
    // Two of eight may as well mean another number.
    ids.push((2, "u".to_owned()));
    assert_eq!(found(ids), PartitionCount::Contradicted);
    let mut few = letters(3, 'a'..='c');
    few.push((2, "x".to_owned()));
    assert_eq!(found(few), PartitionCount::Contradicted);
}

/// Of 100 partitions the first half looks like 50, and of 7 the first five fit neither number.
#[test]
fn a_part_of_the_partitions_is_not_taken_for_all() {
    let part = |count, below| {
        let ids = (0..1000).map(|number| format!("id-{number}"));
        let ids = ids.map(|id| {
            let transactional_id = id.clone().into_bytes();
            let key = TransactionLogKey { transactional_id };
            (key.partition(NonZeroU32::new(count).unwrap()), id)
        });
        ids.filter(|(number, _)| *number < below)
            .collect::<Vec<_>>()
    };
    assert_eq!(found(part(100, 50)), PartitionCount::Unknown);
    assert_eq!(found(part(7, 5)), PartitionCount::Unknown);
    assert_eq!(found(part(50, 50)), known(50));
    assert_eq!(found(part(50, 20)), known(50));
    assert_eq!(found(part(7, 7)), known(7));
}
