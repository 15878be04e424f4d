//! Keys and values by decoder: Java names, short names, and bytes that a decoder cannot take.

use serde_json::Value;

use crate::program::{dump_jsonl, dump_log, printed, testdata};

const API: &str = "org.apache.kafka.tools.api.";

fn log(kind: &str) -> std::path::PathBuf {
    testdata(&format!("main/numbers.{kind}-0/00000000000000000000.log"))
}

#[test]
fn java_names_and_short_names_are_the_same() {
    for (kind, class) in [
        ("int", "IntegerDecoder"),
        ("long", "LongDecoder"),
        ("double", "DoubleDecoder"),
    ] {
        let java = format!("{API}{class}");
        let [by_class, by_name] = [java.as_str(), kind].map(|decoder| {
            let args = [
                "--key-decoder-class",
                decoder,
                "--value-decoder-class",
                decoder,
            ];
            printed(args.map(Into::into).into_iter().chain([log(kind)]))
        });
        assert!(by_class == by_name, "{kind}");
        let text = String::from_utf8(by_class).unwrap();
        assert!(
            text.contains(" payload: "),
            "a decoder prints records: {text}"
        );
        assert!(!text.contains('\u{fffd}'), "{text}");
    }
    let plain = testdata("main/plain-0/00000000000000000000.log");
    let [by_class, by_name, alone] = [
        format!("--value-decoder-class={API}StringDecoder"),
        "--value-decoder-class=string".to_owned(),
        "--value-decoder-class".to_owned(),
    ]
    .map(|option| printed([plain.as_os_str(), option.as_ref()]));
    assert!(by_class == by_name && by_name == alone);
    assert!(by_name == printed([plain.as_os_str(), "--print-data-log".as_ref()]));
}

#[test]
fn classes_that_are_none_of_kafkas_are_wrong_usage() {
    for class in ["x", "", "String", "kafka.serializer.StringDecoder", API] {
        let run = dump_log(["absent.log", "--key-decoder-class", class]);
        let outcome = run.outcome().ended_with(2);
        assert!(outcome.stderr.contains("--key-decoder-class"));
    }
}

/// Keys or values of all records, as JSON has them.
fn values(args: &[&str], kind: &str, field: &str) -> Vec<Value> {
    let run = args
        .iter()
        .fold(dump_jsonl([log(kind)]), |run, arg| run.arg(arg));
    let records = run.outcome().ended_with(0).of_type("record");
    assert!(!records.is_empty());
    records.iter().map(|record| record[field].clone()).collect()
}

#[test]
fn numbers_hex_and_base64_tell_of_the_same_bytes() {
    let numbers = values(&["--value-decoder-class=long"], "long", "value");
    let hex = values(&["--value-decoder-class=hex"], "long", "value");
    let base64 = values(&["--value-decoder-class=base64"], "long", "valueBase64");
    let mut compared = 0;
    for ((number, hex), base64) in numbers.iter().zip(&hex).zip(&base64) {
        let (Some(number), Some(hex), Some(base64)) =
            (number.as_i64(), hex.as_str(), base64.as_str())
        else {
            assert!(number.is_null() && hex.is_null());
            continue;
        };
        assert_eq!(u64::from_str_radix(hex, 16), Ok(number as u64));
        assert_eq!(unbase64(base64), number.to_be_bytes());
        compared += 1;
    }
    assert!(compared > 10);
}

/// RFC 4648, read back the slow way.
fn unbase64(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digit = |byte| DIGITS.iter().position(|digit| *digit == byte).unwrap() as u32;
    let text = text.trim_end_matches('=').as_bytes();
    let mut bytes = Vec::new();
    for four in text.chunks(4) {
        let bits = four.iter().fold(0, |bits, byte| bits << 6 | digit(*byte));
        let bits = bits << (6 * (4 - four.len()));
        bytes.extend_from_slice(&bits.to_be_bytes()[1..four.len()]);
    }
    bytes
}

#[test]
fn a_decoder_that_does_not_fit_is_a_note_and_no_damage() {
    let path = testdata("main/plain-0/00000000000000000000.log");
    let sound = dump_jsonl([&path]).arg("--print-data-log").outcome();
    let run = dump_jsonl([&path]).arg("--value-decoder-class=double");
    let outcome = run.outcome().ended_with(0);
    let offsets = |objects: &[Value]| -> Vec<_> {
        objects
            .iter()
            .map(|object| object["offset"].clone())
            .collect()
    };
    let records = outcome.of_type("record");
    assert_eq!(offsets(&records), offsets(&sound.of_type("record")));
    assert!(outcome.of_type("damage").is_empty());
    let is_raw = |record: &&Value| record["valueBase64"].is_string();
    let raw = records.iter().filter(is_raw).count();
    assert!(raw > 1);
    // One is told, the others are counted.
    let notes: Vec<_> = outcome.stderr.lines().collect();
    let [note] = &notes[..] else {
        panic!("{}", outcome.stderr);
    };
    for said in [
        "note: offset",
        ", batch at position 0: ",
        "double decoder",
        "8 bytes",
        "found",
        &format!("{} more", raw - 1),
    ] {
        assert!(note.contains(said), "{note}");
    }
    // The same of a topic that is not the one.
    let path = testdata("main/plain-0/00000000000000000000.log");
    let outcome = dump_log([&path]).arg("--transaction-log-decoder").outcome();
    let note = "note: offset 0, batch at position 0: not a record of a transaction coordinator";
    assert!(outcome.stderr.contains(note), "{}", outcome.stderr);
    // Where it fits nothing is told.
    let fitting = dump_log([log("double")]).arg("--value-decoder-class=double");
    assert_eq!(fitting.outcome().ended_with(0).stderr, "");
}
