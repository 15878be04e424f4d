//! Everything that `dump-log --format jsonl` prints, held against the declaration in `jsonl.rs`.

use serde::de::IgnoredAny;
use serde_json::Value;

use crate::batches::{self, Batch};
use crate::corpus::Scratch;
use crate::jsonl::{Line, dump_of, is_wide, parse};
use crate::run;

#[test]
fn everything_in_the_corpus() {
    let scratch = Scratch::new();
    let places = ["main", "crash/clean", "crash/unclean", "legacy", "control"];
    let before = scratch.fingerprint();
    let options = ["--format", "jsonl", "--print-data-log"];
    let run = run::dump(&scratch.path, &[&places[..], &options].concat());
    assert_eq!(before, scratch.fingerprint());
    let dumps = parse(&run);
    let count = |wanted: &dyn Fn(&Line) -> bool| {
        let lines = dumps.iter().flat_map(|dump| &dump.lines);
        lines.filter(|line| wanted(line)).count()
    };
    // A test that sees nothing proves nothing.
    assert!(dumps.len() > 300, "{} files", dumps.len());
    assert!(count(&|line| matches!(line, Line::Batch(_))) > 500);
    assert!(count(&|line| matches!(line, Line::Record(_))) > 1000);
    assert!(count(&|line| matches!(line, Line::Control(_))) > 50);
    assert!(count(&|line| matches!(line, Line::IndexEntry(_))) > 20);
    assert!(count(&|line| matches!(line, Line::TimeIndexEntry(_))) > 20);
    assert!(count(&|line| matches!(line, Line::AbortedTransaction(_))) > 5);
    assert!(count(&|line| matches!(line, Line::Producer(_))) > 20);
    assert!(count(&|line| matches!(line, Line::EpochEntry(_))) > 20);
    assert!(count(&|line| matches!(line, Line::CheckpointEntry(_))) > 20);
    assert!(count(&|line| matches!(line, Line::PartitionMetadata(_))) > 20);
    assert!(count(&|line| matches!(line, Line::Property(_))) > 5);
    for dump in &dumps {
        let found: i64 = dump
            .batches()
            .filter_map(|batch| batch.count)
            .map(i64::from)
            .sum();
        let shown = dump.records().count() + dump.controls().count();
        let wrapped = dump.batches().any(|batch| batch.count.is_none());
        assert!(
            wrapped || usize::try_from(found) == Ok(shown),
            "{}: {found} records by the headers, {shown} shown",
            dump.file.path
        );
    }
}

#[test]
fn records_only_when_asked_for_and_contents_only_with_print_data_log() {
    let log = batches::plain(0, b"v");
    let name = "00000000000000000000.log";
    let shallow = run::dump_bytes(name, &log, &["--format", "jsonl"]);
    assert_eq!(shallow.text().lines().count(), 3);
    let deep = run::dump_bytes(name, &log, &["--format", "jsonl", "--deep-iteration"]);
    let text = deep.text();
    let record = text.lines().nth(2).unwrap();
    let Line::Record(record) = serde_json::from_str(record).unwrap() else {
        panic!("{record}");
    };
    assert_eq!((record.key_size, record.value_size), (1, 1));
    assert_eq!(
        (record.key, record.value, record.headers),
        (None, None, None)
    );
}

/// Ids of bit-field regions and of the largest negations, which a double would round.
const WIDE_IDS: [i64; 4] = [-0x7fff_ffea_ffff_fffb, i64::MIN, i64::MAX, (1 << 53) + 1];

fn log_of_wide_ids() -> Vec<u8> {
    let ids = WIDE_IDS.into_iter().chain([1 << 53, -(1 << 53), 5]);
    (0..)
        .zip(ids)
        .flat_map(|(offset, producer_id)| {
            let batch = Batch {
                producer_id,
                producer_epoch: 3,
                base_sequence: 0,
                ..Batch::new(offset)
            };
            batch
                .record(None, Some(&producer_id.to_be_bytes()))
                .encode()
        })
        .collect()
}

#[test]
fn ids_that_a_double_would_round_come_in_hexadecimal_too() {
    let (dump, run) = dump_of("00000000000000000000.log", &log_of_wide_ids());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let hex: Vec<_> = dump
        .batches()
        .filter_map(|batch| batch.producer_id_hex.clone())
        .collect();
    assert_eq!(
        hex,
        [
            "0x8000001500000005",
            "0x8000000000000000",
            "0x7FFFFFFFFFFFFFFF",
            "0x0020000000000001"
        ]
    );
}

#[test]
fn wide_integers_as_strings_and_nothing_else() {
    let name = "00000000000000000000.log";
    let options = ["--format", "jsonl", "--print-data-log", "--wide-integers"];
    let log = log_of_wide_ids();
    let numbers = run::dump_bytes(name, &log, &[&options[..], &["number"]].concat()).text();
    let strings = run::dump_bytes(name, &log, &[&options[..], &["string"]].concat()).text();
    let mut changed = 0;
    for (number, string) in numbers.lines().zip(strings.lines()) {
        let mut expected: Value = serde_json::from_str(number).unwrap();
        for value in expected.as_object_mut().unwrap().values_mut() {
            if value.as_i64().is_some_and(is_wide) {
                *value = Value::String(value.to_string());
                changed += 1;
            }
        }
        assert_eq!(serde_json::from_str::<Value>(string).unwrap(), expected);
    }
    assert_eq!(changed, WIDE_IDS.len());
    assert_eq!(numbers.lines().count(), strings.lines().count());
}

#[test]
fn bytes_that_are_no_text_come_as_base64() {
    let log = Batch::new(0)
        .record(Some(&[0xff]), Some(&[0xc3, 0x28, 0x00]))
        .record(Some(b""), None)
        .record(None, Some("\u{0}\"\\\u{7f}\u{2028}\u{fffd}".as_bytes()))
        .encode();
    let (dump, _) = dump_of("00000000000000000000.log", &log);
    let [first, second, third] = dump.records().collect::<Vec<_>>()[..] else {
        panic!("{dump:?}");
    };
    assert_eq!(first.key_base64.as_deref(), Some("/w=="));
    assert_eq!(first.value_base64.as_deref(), Some("wygA"));
    assert_eq!(second.key, Some(Some(String::new())));
    assert_eq!(second.value, Some(None));
    let text = "\u{0}\"\\\u{7f}\u{2028}\u{fffd}".to_owned();
    assert_eq!(third.value, Some(Some(text)));
}

/// A declaration that takes anything would prove nothing.
#[test]
fn the_declaration_refuses_what_it_should() {
    let good = r#"{"type":"end","position":1,"reason":"limit"}"#;
    assert!(serde_json::from_str::<Line>(good).is_ok());
    for bad in [
        r#"{"type":"end","position":1,"reason":"limit","more":1}"#,
        r#"{"type":"end","position":1}"#,
        r#"{"type":"end","position":1.5,"reason":"limit"}"#,
        r#"{"type":"end","position":"1","reason":"limit"}"#,
        r#"{"type":"end","position":1,"reason":"tired"}"#,
        r#"{"type":"nothing"}"#,
        r#"{"type":"file","schema":1,"path":"a","kind":"log","sizeInBytes":0}"#,
    ] {
        assert!(serde_json::from_str::<Line>(bad).is_err(), "{bad}");
        assert!(serde_json::from_str::<IgnoredAny>(bad).is_ok(), "{bad}");
    }
}
