//! The table of producers: what it holds, what it takes, and who cannot slow it down.

use super::log::Log;
use crate::format::number::{
    CoordinatorEpoch, Offset, ProducerEpoch, ProducerId, Sequence, Timestamp,
};
use crate::state::append::{Append, AppendInfo};
use crate::state::entry::{BatchMetadata, Entry};
use crate::state::event::Event;
use crate::state::table::Table;
use std::collections::HashMap;

fn entry<const N: usize>(id: i64, seed: i64) -> Entry<N> {
    let mut entry = Entry::empty(ProducerId(id));
    entry.producer_epoch = ProducerEpoch((seed % 1000) as i16);
    entry.coordinator_epoch = CoordinatorEpoch(seed as i32);
    entry.last_timestamp = Timestamp(1_700_000_000_000 + seed);
    entry.current_txn_first_offset = (seed % 3 == 0).then_some(Offset(seed));
    entry.last_position = (seed % 5 != 0).then_some(seed as u32);
    for batch in 0..seed % (N as i64 + 1) {
        entry.batches.push(BatchMetadata {
            last_sequence: Sequence((seed + batch) as i32),
            last_offset: Offset(seed + 7 * batch),
            offset_delta: 3,
            timestamp: Timestamp(1_700_000_000_000 + batch),
        });
    }
    entry
}

/// The contract: 64 bytes a producer with one batch, 136 with five, index included.
#[test]
fn a_million_producers_take_what_was_promised() {
    fn bytes_for<const N: usize>() -> usize {
        let mut table = Table::<N>::new();
        let mut most = 0;
        for id in 0..1_000_000 {
            table.add(&Entry::empty(ProducerId(id * 7)));
            // Behind the first chunk, so that its empty rest does not count for much.
            if id > 200_000 {
                most = most.max(table.allocated_bytes() / (id as usize + 1));
            }
        }
        assert_eq!(table.len(), 1_000_000);
        most
    }
    let (one, five) = (bytes_for::<1>(), bytes_for::<5>());
    assert!(one <= 64, "{one} bytes");
    assert!(five <= 136, "{five} bytes");
}

#[test]
fn the_table_is_a_map() {
    let mut table = Table::<5>::new();
    let mut map: HashMap<i64, Entry<5>> = HashMap::new();
    let mut random = 1_u64;
    for step in 0..60_000_i64 {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(99);
        let id = ((random >> 33) % 9000) as i64 - 4500;
        assert_eq!(table.get(ProducerId(id)), map.get(&id).copied());
        let entry = entry(id, step);
        table.put(&entry);
        map.insert(id, entry);
    }
    assert_eq!(table.len() as usize, map.len());
    assert!(
        table
            .iter()
            .all(|entry| map.get(&entry.producer_id.0) == Some(&entry))
    );
    table.retain(|entry| entry.producer_id.0 % 2 == 0);
    map.retain(|id, _| id % 2 == 0);
    assert_eq!(table.iter().count(), map.len());
    for id in -4500..4500 {
        assert_eq!(table.get(ProducerId(id)), map.get(&id).copied());
    }
    table.clear();
    assert_eq!((table.len(), table.get(ProducerId(0))), (0, None));
    table.put(&entry(1, 4));
    assert_eq!(table.get(ProducerId(1)), Some(entry(1, 4)));
}

#[test]
fn numbers_of_more_than_48_bits_come_back_whole() {
    const LIMIT: i64 = 1 << 47;
    let extremes = [
        i64::MIN,
        -LIMIT - 1,
        -LIMIT,
        -LIMIT + 1,
        -1,
        0,
        LIMIT - 1,
        LIMIT,
        i64::MAX,
    ];
    for value in extremes {
        let mut table = Table::<2>::new();
        for id in 0..3 {
            let mut entry = entry::<2>(id, 2);
            entry.last_timestamp = Timestamp(value);
            entry.current_txn_first_offset = Some(Offset(value));
            entry.batches.push(BatchMetadata {
                last_sequence: Sequence(i32::MIN),
                last_offset: Offset(value),
                offset_delta: i32::MIN,
                timestamp: Timestamp(value),
            });
            table.put(&entry);
            assert_eq!(table.get(ProducerId(id)), Some(entry), "{value}");
        }
        // What lay aside does not come back once a small number is in its place.
        table.put(&entry(1, 1));
        assert_eq!(table.get(ProducerId(1)), Some(entry(1, 1)));
    }
}

#[test]
fn ids_in_steps_of_any_power_of_two_are_found_as_fast_as_others() {
    // A table that took bits of the id for its place would look at thousands of entries here.
    for shift in [0, 12, 20, 32, 40] {
        let mut table = Table::<1>::new();
        for id in 0..20_000_i64 {
            table.put(&entry(id << shift, 1));
        }
        assert_eq!(table.len(), 20_000);
        assert!(table.longest_search() < 200, "{}", table.longest_search());
    }
}

/// The short ways of batches that are as most are give what the long way gives, or nothing.
#[test]
fn the_short_ways_are_the_long_one() {
    fn compare<const N: usize>() -> [u32; 3] {
        let mut random = 5_u64;
        let mut taken = [0; 3];
        for step in 0..20_000_i64 {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(3);
            let pick = |bits: u32, below: u64| (random >> bits) % below;
            let mut entry = entry::<N>(9, step % 50);
            entry.producer_epoch = ProducerEpoch(pick(20, 2) as i16);
            let last = entry.last_sequence();
            let next = [last.plus(1), last, Sequence(0), Sequence(-1)][pick(30, 4) as usize];
            let epoch = pick(25, 3) as i16;
            let log = Log::from([70, 1 << 50][usize::from(pick(35, 9) == 0)]);
            let log = match pick(40, 4) {
                0 => log.data(9, epoch, next.0, 2),
                1 => log.commit(9, epoch, pick(45, 3) as i32 + step as i32 % 50 - 1),
                2 => log.abort(9, epoch, 60),
                _ => log.txn(9, epoch, next.0, 2),
            };
            let (batch, control) = &log.batches()[0];
            let mut table = Table::<N>::new();
            let slot = table.add(&entry);
            let usual = table.take_usual(slot, batch, control.as_ref(), Some(4));
            if let Some(usual) = usual {
                let mut told = Vec::new();
                let mut updated = entry.without_batches();
                let mut info = AppendInfo {
                    current: &entry,
                    updated: &mut updated,
                    append: Append::LOAD,
                    verification: None,
                };
                let sink = &mut |event: &Event<'_>| told.push(event.kind.clone());
                let appended = info.append(batch, control.as_ref(), sink).unwrap();
                assert_eq!((usual.appended, told), (appended, vec![]));
                entry.merge(&updated);
                let kind = match appended {
                    _ if appended.started.is_some() => 1,
                    _ if appended.completed.is_some() => 2,
                    _ => 0,
                };
                taken[kind] += 1;
            }
            assert_eq!(table.at(slot), Some(entry));
            // What a chunk has gathered does not know where a producer's sequences stand.
            let mut part = Table::<N>::new();
            let slot = part.add(&entry.without_batches());
            if !batch.is_control {
                assert_eq!(part.take_usual(slot, batch, None, None), None);
            }
        }
        taken
    }
    for taken in [compare::<1>(), compare::<5>()] {
        assert!(taken.iter().all(|count| *count > 100), "{taken:?}");
    }
}
