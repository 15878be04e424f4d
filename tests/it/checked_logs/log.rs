//! What is wrong with bytes, batches and records, and what batches say of each other.

use super::{SEGMENT, T, batch, brief, check_files, check_log, patched, records, resealed, terms};
use kfsck::analysis::check::code::FindingCode;
use kfsck::analysis::check::finding::Finding;
use kfsck::analysis::check::terms::Depth;
use kfsck::format::number::{LeaderEpoch, Timestamp};
use kfsck::format::producer_snapshot::{self, Version};

fn told(bytes: &[u8]) -> Vec<String> {
    brief(&check_log(bytes))
}

fn plain(offset: i64) -> Vec<u8> {
    batch(offset, |_| ())
}

fn none() -> [String; 0] {
    []
}

#[test]
fn a_sound_log_is_silent() {
    let log = [plain(0), records(1, 5, |_| ()), plain(6), plain(9)].concat();
    assert_eq!(told(&log), none());
}

#[test]
fn bytes_that_are_no_batch() {
    let good = plain(0);
    let cut = [&good[..], &plain(1)[..50]].concat();
    assert_eq!(told(&cut), ["E truncated-tail -"]);
    let zeros = [&good[..], &[0; 100]].concat();
    assert_eq!(told(&zeros), ["E zero-tail -"], "as after a clean stop");
    let garbage = [&good[..], &[0xa5; 100], &plain(1)].concat();
    assert_eq!(told(&garbage), ["E garbage -"]);
    let mut header = plain(1);
    header[16] = 9;
    header[30] ^= 1;
    let bad = [good, header, plain(2)].concat();
    assert_eq!(told(&bad), ["E bad-batch-header -"]);
}

#[test]
fn zeros_behind_a_log_that_was_closed_in_order_are_damage() {
    let root = tempfile::tempdir().unwrap();
    let directory = root.path().join("t-0");
    std::fs::create_dir(&directory).unwrap();
    std::fs::write(root.path().join(".kafka_cleanshutdown"), "").unwrap();
    let zeros = [plain(0), vec![0; 100]].concat();
    std::fs::write(directory.join(SEGMENT), zeros).unwrap();
    let (tally, findings) = super::check(&directory, &terms(Depth::Records));
    assert_eq!(brief(&findings), ["E zero-tail -"]);
    assert_eq!(
        (tally.bytes_damaged, tally.batches, tally.records),
        (100, 1, 1)
    );
}

#[test]
fn a_wrong_checksum_shows_from_depth_crc_on_and_hides_nothing_behind() {
    let mut wrong = plain(1);
    *wrong.last_mut().unwrap() ^= 1;
    let log = [plain(0), wrong, plain(2), plain(2)].concat();
    let findings = check_log(&log);
    assert_eq!(
        brief(&findings),
        ["E crc-mismatch 1", "E offset-regression 2"]
    );
    let size = plain(0).len() as u64;
    assert_eq!(findings[0].position, Some(size));
    assert_eq!(findings[0].size, Some(size));
    let values = &findings[0].evidence[0];
    assert!(values.what == "crc" && values.stored != values.computed);
    let framing = check_files(&[(SEGMENT, &log)], &terms(Depth::Framing));
    assert_eq!(brief(&framing), ["E offset-regression 2"]);
}

#[test]
fn payloads_that_do_not_open() {
    // The codec is in the low bits of the attributes.
    assert_eq!(told(&patched(plain(0), 22, &[5])), ["E unknown-codec 0"]);
    assert_eq!(
        told(&patched(plain(0), 22, &[1])),
        ["E payload-undecodable 0"]
    );
    let mut small = terms(Depth::Records);
    small.max_record_bytes = 5;
    let findings = check_files(&[(SEGMENT, &plain(0))], &small);
    assert_eq!(brief(&findings), ["E payload-too-large 0"]);
    let longer = resealed([plain(0), vec![7; 3]].concat());
    assert_eq!(told(&longer), ["E payload-too-large 0"]);
    let crc = check_files(&[(SEGMENT, &longer)], &terms(Depth::Crc));
    assert_eq!(brief(&crc), none());
}

#[test]
fn records_that_are_none_or_not_as_many() {
    assert_eq!(
        told(&patched(records(0, 2, |_| ()), 57, &3_i32.to_be_bytes())),
        ["E record-count-mismatch 0"]
    );
    assert_eq!(
        told(&patched(records(0, 2, |_| ()), 57, &1_i32.to_be_bytes())),
        ["E record-count-mismatch 0"],
        "one more than the header says"
    );
    let outside = records(0, 3, |draft| {
        draft.last_offset_delta = 1;
    });
    assert_eq!(told(&outside), ["E record-malformed 0"]);
    // The size of the first record: 12 bytes and no more.
    let short = patched(plain(0), 61, &[4]);
    assert_eq!(told(&short), ["E record-malformed 0"]);
}

#[test]
fn what_no_writer_makes_shows_at_depth_rewrite_alone() {
    let mut bytes = plain(0);
    let record = bytes.split_off(61);
    // The size in two bytes.
    let odd = resealed([&bytes[..], &[record[0] | 0x80, 0], &record[1..]].concat());
    let of = |bytes: &[u8], depth| brief(&check_files(&[(SEGMENT, bytes)], &terms(depth)));
    assert_eq!(of(&odd, Depth::Records), none());
    assert_eq!(of(&odd, Depth::Rewrite), ["N batch-not-canonical 0"]);
    let bit = patched(plain(0), 21, &[0x40]);
    assert_eq!(of(&bit, Depth::Records), none());
    assert_eq!(of(&bit, Depth::Rewrite), ["N batch-not-canonical 0"]);
    assert_eq!(of(&plain(0), Depth::Rewrite), none());
}

#[test]
fn times() {
    let wrong = records(0, 2, |draft| draft.max_timestamp = Timestamp(T));
    let findings = check_log(&wrong);
    assert_eq!(brief(&findings), ["W max-timestamp-mismatch 0"]);
    let values = &findings[0].evidence[0];
    assert_eq!(values.stored, Some(T.to_string()));
    assert_eq!(values.computed, Some((T + 1).to_string()));

    let now = terms(Depth::Records).now.0;
    let at = |offset, time| {
        batch(offset, |draft| {
            draft.base_timestamp = Timestamp(time);
            draft.max_timestamp = Timestamp(time);
        })
    };
    assert_eq!(told(&at(0, now + 3_000_000)), none());
    let years = now + 1_000_000_000_000;
    let log = [at(0, now), at(1, years), at(2, years - 1)].concat();
    assert_eq!(told(&log), ["W future-timestamp 1"]);
}

#[test]
fn offsets_that_do_not_rise() {
    let log = [plain(0), plain(5), plain(5)].concat();
    let findings = check_log(&log);
    assert_eq!(brief(&findings), ["E offset-regression 5"]);
    let places: Vec<_> = findings[0]
        .evidence
        .iter()
        .map(|one| one.position)
        .collect();
    let size = plain(0).len() as u64;
    assert_eq!(places, [Some(size), Some(2 * size)]);
    // Between batches that follow each other over it, the one in the middle is wrong.
    let flipped = [plain(0), plain(1 + 4096), plain(2), plain(3)].concat();
    let findings = check_log(&flipped);
    assert_eq!(brief(&findings), ["E offset-regression 4097"]);
    assert_eq!(findings[0].position, Some(size));
    assert_eq!(findings[0].evidence[0].computed.as_deref(), Some("1"));
    let backward = records(9, 1, |draft| draft.last_offset_delta = -2);
    assert!(told(&backward).contains(&"E offset-regression 9".to_owned()));
}

#[test]
fn the_last_offset_against_the_name_of_a_snapshot() {
    let name = "00000000000000000000.log";
    let size = plain(0).len() as u64;
    let log = [plain(0), plain(1), plain(2 + 512)].concat();
    let told = |log: &[u8], beside: &str| {
        let findings = check_files(&[(name, log), (beside, b"")], &terms(Depth::Crc));
        let is_of_it = |found: &Finding| found.code == FindingCode::OffsetRegression;
        findings.into_iter().find(is_of_it)
    };
    for beside in ["00000000000000000003.snapshot", "00000000000000000003.log"] {
        let found = told(&log, beside).unwrap();
        assert_eq!(found.position, Some(2 * size));
        assert_eq!(found.evidence[0].computed.as_deref(), Some("2"));
    }
    for beside in [
        "00000000000000000002.snapshot",
        "00000000000000000004.snapshot",
        "00000000000000000515.snapshot",
        "00000000000000009000.snapshot",
    ] {
        assert_eq!(told(&log, beside), None, "{beside}");
    }
    let sound = [plain(0), plain(1), plain(2)].concat();
    assert_eq!(told(&sound, "00000000000000000003.snapshot"), None);
    // The only batch of its segment, and one that was moved down: one finding, and all else is
    // held against the log with the batch at its place.
    for (log, should) in [(plain(512), "0"), ([sound, plain(1)].concat(), "3")] {
        let end = should.parse::<i64>().unwrap() + 1;
        let beside = format!("{end:020}.snapshot");
        let snapshot = producer_snapshot::encode(Version::V1, &[]).unwrap();
        let files = [
            (name, &log[..]),
            (&beside, &snapshot),
            ("leader-epoch-checkpoint", b"0\n1\n4 0\n"),
        ];
        let findings = check_files(&files, &terms(Depth::Crc));
        let is_other = |found: &&Finding| found.code != FindingCode::IndexMissing;
        let findings: Vec<_> = findings.iter().filter(is_other).collect();
        assert_eq!(findings.len(), 1, "{findings:#?}");
        assert_eq!(findings[0].evidence[0].computed.as_deref(), Some(should));
    }
}

#[test]
fn offsets_that_do_not_fit() {
    let fits = [plain(0), plain(i64::from(i32::MAX))].concat();
    assert_eq!(told(&fits), none());
    let log = [plain(0), plain(i64::from(i32::MAX) + 1)].concat();
    assert_eq!(told(&log), ["E offset-overflow 2147483648"]);
    let last = records(i64::MAX - 1, 3, |_| ());
    let name = format!("{:020}.log", i64::MAX - 1);
    let findings = check_files(&[(&name, &last)], &terms(Depth::Crc));
    assert_eq!(
        brief(&findings),
        [format!("E offset-overflow {}", i64::MAX - 1)]
    );
}

#[test]
fn leader_epochs_that_fall() {
    let at = |offset, epoch| {
        batch(offset, |draft| {
            draft.partition_leader_epoch = LeaderEpoch(epoch);
        })
    };
    let log = [at(0, 4), at(1, 7), at(2, 7)].concat();
    assert_eq!(told(&log), none());
    let log = [at(0, 4), at(1, 7), at(2, 7), at(3, 5), at(4, 5)].concat();
    assert_eq!(told(&log), ["W leader-epoch-regression 3"]);
    // One alone that fits between no two is damaged.
    let log = [at(0, 4), at(1, 4 + 64), at(2, 4)].concat();
    let findings = check_log(&log);
    assert_eq!(brief(&findings), ["E leader-epoch-regression 1"]);
    assert_eq!(findings[0].evidence[0].stored.as_deref(), Some("68"));
    let log = [at(0, 4), at(1, 9), at(2, 5), at(3, 5)].concat();
    assert_eq!(told(&log), ["E leader-epoch-regression 1"]);
    let log = [at(0, 4), at(1, 4), at(2, 0), at(3, 4)].concat();
    assert_eq!(told(&log), ["E leader-epoch-regression 2"]);
    let log = [at(0, 4), at(1, 4), at(2, 0)].concat();
    assert_eq!(told(&log), ["W leader-epoch-regression 2"]);
    // None is none: old batches have none.
    assert_eq!(told(&[at(0, 4), at(1, -1), at(2, 4)].concat()), none());
    // The batch before may lie in the segment before.
    let second = format!("{:020}.log", 1);
    let files: [(&str, &[u8]); 2] = [(SEGMENT, &at(0, 6)), (&second, &at(1, 5))];
    let findings = check_files(&files, &terms(Depth::Crc));
    assert_eq!(brief(&findings), ["W leader-epoch-regression 1"]);
    let path = findings[0].evidence[0].path.as_ref().unwrap();
    assert!(path.ends_with(SEGMENT));
}
