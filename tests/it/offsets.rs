//! Offsets in deep mode: of records and their batch, of batches and the one before, holes.

use crate::batches::{self, Batch, record};
use crate::jsonl::{self, Reason};
use crate::run;
use crate::told::tells;

const NAME: &str = "00000000000000000000.log";

/// A batch from offset 10 to 12 with records at these distances.
fn batch(base_offset: i64, deltas: &[i32]) -> Vec<u8> {
    let batch = Batch {
        last_offset_delta: 2,
        count: i32::try_from(deltas.len()).unwrap(),
        payload: deltas
            .iter()
            .flat_map(|delta| record(*delta, None, Some(b"v")))
            .collect(),
        ..Batch::new(base_offset)
    };
    batch.encode()
}

/// Kafka 4.4.0 shows such records (`DefaultRecord.readFrom` adds the numbers and asks no more).
#[test]
fn a_record_outside_its_batch_is_told_and_shown() {
    for (deltas, shown, told) in [
        (&[0, 7, 2][..], [10, 17, 12], "found 17;"),
        (&[-3, 1, 9], [7, 11, 19], "found 7, the first of 2;"),
    ] {
        let log = [batch(10, deltas), batches::plain(20, b"next")].concat();
        let size = batch(10, deltas).len();
        let expected = [
            format!("0+{size} batch 10..12"),
            "0+0 record-malformed".to_owned(),
            format!("{size}+{} batch 20..20", log.len() - size),
        ];
        let expected: Vec<_> = expected.iter().map(String::as_str).collect();
        let dump = tells(NAME, &log, &expected, Reason::EndOfFile);
        let offsets: Vec<_> = dump.records().map(|record| record.offset).collect();
        assert_eq!(offsets[..3], shown);
        let message = &dump.damage().next().unwrap().message;
        assert!(message.contains("offsets 10 to 12"), "{message}");
        assert!(message.contains(told), "{message}");
        // Records that are not shown are not looked at.
        assert_eq!(run::dump_bytes(NAME, &log, &[]).code, Some(0));
    }
    // Compaction leaves holes and keeps the range.
    for deltas in [&[][..], &[1], &[0, 2], &[0, 1, 2]] {
        let log = batch(10, deltas);
        let expected = format!("0+{} batch 10..12", log.len());
        tells(NAME, &log, &[&expected], Reason::EndOfFile);
    }
}

/// A broker gives records offsets that rise; the stock tool has the line of a hole for the rest.
#[test]
fn an_offset_that_repeats_or_falls_inside_a_batch_is_told() {
    for (deltas, told) in [
        (&[0, 0, 2][..], "rise, found 10 behind 10: it repeats;"),
        (&[1, 0, 2], "rise, found 10 behind 11: it falls;"),
        (
            &[2, 1, 1, 0],
            "rise, found 11 behind 12: it falls, the first of 3;",
        ),
    ] {
        let log = batch(10, deltas);
        let expected = format!("0+{} batch 10..12", log.len());
        let expected = [&*expected, "0+0 record-malformed"];
        let dump = tells(NAME, &log, &expected, Reason::EndOfFile);
        let message = &dump.damage().next().unwrap().message;
        assert!(message.contains(told), "{message}");
        assert_eq!(run::dump_bytes(NAME, &log, &[]).code, Some(0));
    }
    // One outside the batch is told as that, and what follows it has not fallen.
    let log = batch(10, &[0, 9, 1, 1]);
    let expected = format!("0+{} batch 10..12", log.len());
    let expected = [&*expected, "0+0 record-malformed", "0+0 record-malformed"];
    let dump = tells(NAME, &log, &expected, Reason::EndOfFile);
    let messages: Vec<_> = dump.damage().map(|damage| &damage.message).collect();
    assert!(messages[0].contains("10 to 12, found 19;"), "{messages:?}");
    assert!(
        messages[1].contains("11 behind 11: it repeats;"),
        "{messages:?}"
    );
}

#[test]
fn an_offset_that_64_bits_do_not_hold_is_told() {
    let base = i64::MAX - 2;
    let log = batch(base, &[0, 2, 5]);
    let expected = format!("0+{} batch {base}..{}", log.len(), i64::MAX);
    let dump = tells(
        NAME,
        &log,
        &[&expected, "0+0 offset-overflow"],
        Reason::EndOfFile,
    );
    let offsets: Vec<_> = dump.records().map(|record| record.offset).collect();
    assert_eq!(offsets, [base, i64::MAX, i64::MIN + 2]);
    let message = &dump.damage().next().unwrap().message;
    let expected = format!("{base} + 5, which wraps to {}", i64::MIN + 2);
    assert!(message.contains(&expected), "{message}");
    let log = batch(base, &[0, 1, 2]);
    let expected = format!("0+{} batch {base}..{}", log.len(), i64::MAX);
    tells(NAME, &log, &[&expected], Reason::EndOfFile);
}

/// `DefaultRecordBatch.iterator` of 4.4.0 gives no record without opening anything.
#[test]
fn a_compressed_batch_without_records_and_bytes_is_sound() {
    for attributes in 0..=4 {
        let empty = Batch {
            attributes,
            ..Batch::new(7)
        };
        tells(
            NAME,
            &empty.encode(),
            &["0+61 batch 7..7"],
            Reason::EndOfFile,
        );
        // One record at least is missing here, or nothing can be opened.
        let count = 1;
        let lacking = Batch { count, ..empty }.encode();
        let (dump, _) = jsonl::dump_of(NAME, &lacking);
        assert_eq!(dump.damage().count(), 1, "codec {attributes}");
    }
}

#[test]
fn a_regression_names_both_batches() {
    let first = batches::plain(5, b"first");
    for again in [5, 4, -1] {
        let log = [&first[..], &batches::plain(again, b"again")].concat();
        let (dump, _) = jsonl::dump_of(NAME, &log);
        let damage: Vec<_> = dump.damage().collect();
        assert_eq!(damage[0].code, "offset-regression");
        let place = first.len();
        let expected = format!(
            "expected an offset above 5, the last of the batch at position 0, found {again} at \
             position {place}"
        );
        assert_eq!(damage[0].message, expected);
    }
    // Across stretches of the file, which different threads render.
    let parts: Vec<_> = (0..3).map(|n| batches::plain(n, &[0; 2 << 20])).collect();
    let log = [&parts[0][..], &parts[2], &parts[1]].concat();
    let run = run::dump_bytes(NAME, &log, &["--threads", "2"]);
    let [told] = run.damage()[..] else {
        panic!("{}", run.stderr)
    };
    let place = parts[0].len();
    assert!(told.contains(&format!(
        "above 2, the last of the batch at position {place}, found 1"
    )));
}

/// Ten thousand holes are told, and how many more there are.
#[test]
fn holes_are_remembered_up_to_a_bound() {
    const TOLD: usize = 10_000;
    for holes in [TOLD - 1, TOLD, TOLD + 1, TOLD + 2345] {
        // In many batches, so that many portions come.
        let log: Vec<u8> = (0..=holes)
            .flat_map(|n| batches::plain(2 * i64::try_from(n).unwrap(), b"v"))
            .collect();
        let run = run::dump_bytes(NAME, &log, &["--deep-iteration"]);
        assert_eq!(run.code, Some(0));
        let lines: Vec<_> = run.stderr.lines().collect();
        let told = lines
            .iter()
            .filter(|line| line.contains(" is followed by "));
        assert_eq!(told.count(), holes.min(TOLD));
        assert_eq!(lines[1], "  0 is followed by 2");
        let more = lines.iter().find(|line| line.ends_with(" more"));
        let expected = format!("  and {} more", holes.saturating_sub(TOLD));
        assert_eq!(more.copied(), (holes > TOLD).then_some(&*expected));
    }
}

/// A list of ids may begin with a negative one.
#[test]
fn producer_ids_that_begin_with_a_negative_one() {
    let log: Vec<u8> = [-7, 5, 6, -1]
        .into_iter()
        .zip(0..)
        .flat_map(|(producer_id, offset)| {
            let batch = Batch {
                producer_id,
                ..Batch::new(offset)
            };
            batch.record(None, Some(b"v")).encode()
        })
        .collect();
    for (list, expected) in [
        ("-7,5", &[-7, 5][..]),
        ("5,-7", &[-7, 5]),
        ("-7", &[-7]),
        ("-1,-7", &[-7, -1]),
        ("7", &[]),
    ] {
        let run = run::dump_bytes(NAME, &log, &["--producer-id", list]);
        let shown: Vec<i64> = run
            .text()
            .split(" producerId: ")
            .skip(1)
            .map(|rest| rest.split(' ').next().unwrap().parse().unwrap())
            .collect();
        assert_eq!(shown, expected, "{list}");
        assert_eq!(run.code, Some(0));
    }
}
