//! Random logs that go on as usual for a while, and what ends such runs.

use std::collections::BTreeSet;

use kfsck::analysis::check::code::FindingCode;
use kfsck::analysis::check::terms::Depth;
use kfsck::format::batch::Attributes;
use kfsck::format::number::{LeaderEpoch, Timestamp};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::producers::{barrier, marker};
use super::{SEGMENT, T, check_files, of, patched, records, terms};

/// Where the header's fields lie that are changed here.
const BASE_OFFSET_AT: usize = 0;
const LEADER_EPOCH_AT: usize = 12;
const LAST_OFFSET_DELTA_AT: usize = 23;
const COUNT_AT: usize = 57;

fn below(random: &mut ChaCha8Rng, bound: u32) -> u32 {
    random.next_u32() % bound
}

/// A log of 200 batches: of nobody, of a few producers, and one in thirty is odd.
fn log(random: &mut ChaCha8Rng) -> Vec<Vec<u8>> {
    let (mut offset, mut epoch) = (0, 4);
    let mut sequences = [0; 4];
    let mut log = Vec::new();
    for number in 0..200_i64 {
        let odd = match below(random, 30) {
            0 => 1 + below(random, 11),
            _ => 0,
        };
        match odd {
            1 => offset += 3,
            2 => epoch += below(random, 4) as i32 - 1,
            _ => {}
        }
        let who = below(random, 8) as usize;
        let count = 1 + below(random, 3) as i32;
        let mut bytes = records(offset, count, |draft| {
            if let Some(sequence) = sequences.get(who).copied() {
                of(who as i64 + 7, 0, sequence)(draft);
                draft.attributes = match who < 2 {
                    true => Attributes(0x10),
                    false => draft.attributes,
                };
            }
            draft.partition_leader_epoch = LeaderEpoch(epoch);
            draft.base_timestamp = Timestamp(T + number);
            draft.max_timestamp = Timestamp(T + number + i64::from(count));
            match odd {
                3 => of(-3, 0, 0)(draft),
                4 => of(who as i64 + 7, 0, 0)(draft),
                5 => of(who as i64 + 7, 1, 0)(draft),
                6 => draft.max_timestamp = Timestamp(T * 2),
                _ => {}
            }
        });
        offset += i64::from(count);
        if let Some(sequence) = sequences.get_mut(who) {
            *sequence += count;
        }
        match odd {
            7 => *bytes.last_mut().unwrap() ^= 1,
            8 => bytes = patched(bytes, COUNT_AT, &0_i32.to_be_bytes()),
            9 => bytes = patched(bytes, LAST_OFFSET_DELTA_AT, &(-1_i32).to_be_bytes()),
            10 => bytes = patched(bytes, BASE_OFFSET_AT, &(1_i64 << 40).to_be_bytes()),
            _ => {}
        }
        log.push(bytes);
        let end = match (below(random, 8), odd) {
            (0, _) => Some(marker(offset, 7 + below(random, 2) as i64, 0, 3)),
            (_, 11) => Some(barrier(offset)),
            _ => None,
        };
        offset += i64::from(end.is_some());
        log.extend(end.map(|end| patched(end, LEADER_EPOCH_AT, &epoch.to_be_bytes())));
    }
    log
}

/// [`check_files`] compares the ways; here it gets something to compare.
#[test]
fn runs_tell_what_their_batches_tell() {
    let mut codes = BTreeSet::new();
    for seed in 0..60 {
        let log = log(&mut ChaCha8Rng::seed_from_u64(seed)).concat();
        for depth in [Depth::Framing, Depth::Crc] {
            let findings = check_files(&[(SEGMENT, &log)], &terms(depth));
            codes.extend(findings.iter().map(|finding| finding.code));
        }
    }
    let wanted = [
        FindingCode::CrcMismatch,
        FindingCode::OffsetRegression,
        FindingCode::LeaderEpochRegression,
        FindingCode::FutureTimestamp,
        FindingCode::SequenceGap,
        FindingCode::NegativeProducerId,
        FindingCode::PidCollision,
    ];
    for code in wanted {
        assert!(codes.contains(&code), "{code}: {codes:?}");
    }
}
