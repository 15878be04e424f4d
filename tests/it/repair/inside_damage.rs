//! A sound batch between two damaged ones, which leads to no other.

use std::fs;

use kfsck::format::batch_draft::{BatchDraft, RecordDraft, encode};
use kfsck::format::number::{LeaderEpoch, Offset, Timestamp};
use kfsck::repair::plan::Plan;

use super::odd_logs::{Made, log_of, log_with, lost};
use super::{Copied, Verb, contents, repaired, terms};

const NAME: &str = "00000000000000000000.log";
const HEADER: usize = 61;

/// The log with so many zeros at each of these batches, which are all of one size.
fn zeroed(mut log: Vec<u8>, batches: usize, which: &[usize], zeros: usize) -> Vec<u8> {
    let size = log.len() / batches;
    for at in which {
        log[at * size..at * size + zeros].fill(0);
    }
    log
}

/// The offsets of the first segment that stay.
fn kept(segments: &[(i64, Vec<u8>)]) -> (Plan, Vec<u8>) {
    let made = Made::new(segments);
    let (plan, result) = made.repaired(Verb::Salvage);
    let log = contents(&result).remove(NAME).unwrap_or_default();
    (plan, log)
}

#[test]
fn it_stays_where_its_offsets_fit_between_those_around_the_damage() {
    let copied = Copied::new("main/txn-both-0");
    let log = "00000000000000000048.log";
    let whole = fs::read(copied.path.join(log)).unwrap();
    copied.change(log, |bytes| {
        for at in [566, 985] {
            bytes[at..at + 53].fill(0);
        }
    });
    let (plan, result) = repaired(&copied.path, Verb::Salvage, &terms());
    let holes = [(56, 59), (64, 65)];
    let holes = holes.map(|(first, last)| (Some(first), Some(last), None, "bad-batch-header"));
    assert_eq!(lost(&plan), holes);
    let rest = [&whole[..566], &whole[789..985], &whole[1187..]].concat();
    assert!(contents(&result)[log] == rest);
    let (plan, _) = repaired(&copied.path, Verb::Truncate, &terms());
    assert_eq!(plan.kept.last_offset, Some(Offset(55)));
}

#[test]
fn damage_that_reaches_to_the_end_is_bounded_by_the_next_segment() {
    let ends = zeroed(log_of(&[0, 1, 2, 3]), 4, &[1, 3], 53);
    let size = ends.len() / 4;
    let rest = [&ends[..size], &ends[2 * size..3 * size]].concat();
    let (plan, log) = kept(&[(0, ends.clone()), (4, log_of(&[4]))]);
    assert!(log == rest, "{plan:#?}");
    assert_eq!(plan.kept.records, 3);
    // No segment follows, or one that begins at its offset.
    let (plan, log) = kept(&[(0, ends.clone())]);
    assert!(log == ends[..size], "{plan:#?}");
    let (plan, log) = kept(&[(0, ends.clone()), (2, log_of(&[2]))]);
    assert!(log == ends[..size], "{plan:#?}");
}

#[test]
fn it_goes_where_its_offset_or_its_leader_epoch_does_not_fit() {
    let middle = |offset, epoch| {
        let batches = [(0, 3), (1, 3), (offset, epoch), (3, 4), (4, 4)];
        zeroed(log_with(&batches), 5, &[1, 3], 53)
    };
    for (offset, epoch, records) in [
        (2, 3, 3),
        (2, 4, 3),
        (0, 3, 2),
        (4, 3, 2),
        (900, 3, 2),
        (2, 2, 2),
        (2, 5, 2),
    ] {
        let (plan, _) = kept(&[(0, middle(offset, epoch))]);
        assert_eq!(plan.kept.records, records, "{offset} {epoch}: {plan:#?}");
    }
    // A checksum that is wrong, and a count that is not that of its records.
    let mut log = middle(2, 3);
    let size = log.len() / 5;
    log[3 * size - 2] ^= 1;
    assert_eq!(kept(&[(0, log)]).0.kept.records, 2);
}

/// A batch of one record for each of these values.
fn outer(offset: i64, values: &[&[u8]]) -> Vec<u8> {
    let time = Timestamp(1_700_000_000_000);
    let mut draft = BatchDraft::plain(Offset(offset), LeaderEpoch(0), time);
    draft.last_offset_delta = i32::try_from(values.len()).unwrap() - 1;
    let records = (0..).zip(values).map(|(offset_delta, value)| RecordDraft {
        offset_delta,
        timestamp: time,
        key: None,
        value: Some(value),
        headers: &[],
    });
    let mut bytes = Vec::new();
    encode(&draft, records, &mut bytes).unwrap();
    bytes
}

/// Its offset fits, as that of a batch in a backup may, and its own bytes are sound.
#[test]
fn one_in_a_value_of_a_damaged_batch_is_never_taken() {
    let inner = log_of(&[1]);
    for values in [&[&inner[..]][..], &[&inner[..], b"next"]] {
        let outer = outer(1, values);
        let record = HEADER + if values.len() == 1 { 8 } else { 7 };
        let undamaged = [log_of(&[0]), outer.clone(), log_of(&[9])].concat();
        assert_eq!(
            kept(&[(0, undamaged)]).0.kept.records,
            values.len() as u64 + 2
        );
        for what in [
            "magic",
            "header",
            "most of the header",
            "record head",
            "length and magic",
        ] {
            let mut broken = outer.clone();
            match what {
                "magic" => broken[16] = 9,
                "header" => broken[..HEADER].fill(0),
                "most of the header" => broken[..53].fill(0),
                "record head" => broken[..record].fill(0),
                _ => (broken[8], broken[16]) = (0x7f, 9),
            }
            let log = [log_of(&[0]), broken, log_of(&[9])].concat();
            let (plan, log) = kept(&[(0, log)]);
            let rest = [log_of(&[0]), log_of(&[9])].concat();
            assert!(log == rest, "{what}: {plan:#?}");
        }
    }
}
