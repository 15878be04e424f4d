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
fn bytes_that_a_decoder_cannot_take_are_told_and_the_dump_goes_on() {
    let path = testdata("main/plain-0/00000000000000000000.log");
    let sound = dump_jsonl([&path]).arg("--print-data-log").outcome();
    let run = dump_jsonl([&path]).arg("--value-decoder-class=double");
    let outcome = run.outcome().ended_with(1);
    let offsets = |objects: Vec<Value>| -> Vec<_> {
        objects
            .iter()
            .map(|object| object["offset"].clone())
            .collect()
    };
    assert_eq!(
        offsets(outcome.of_type("record")),
        offsets(sound.of_type("record"))
    );
    let damage = outcome.of_type("damage");
    assert!(!damage.is_empty());
    for damage in damage {
        assert_eq!(damage["code"], "record-undecodable");
        let message = damage["message"].as_str().unwrap();
        for said in [
            "offset",
            "expected",
            "8 bytes",
            "found",
            "choose another decoder",
        ] {
            assert!(message.contains(said), "{message}");
        }
    }
}
