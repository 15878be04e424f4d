//! `dump-log`'s filters against a second reading of them: the whole output in JSON, filtered here.

use std::fs;

use serde_json::Value;

use crate::program::{Outcome, copies, dump_jsonl, testdata};

/// Logs with every field that a filter looks at.
const TREES: [&str; 3] = ["main", "control", "legacy"];

/// A batch of the whole output, with what the output says inside it.
struct Batch {
    path: String,
    header: Value,
    inside: Vec<Value>,
}

impl Batch {
    fn int(&self, field: &str) -> i64 {
        self.header[field].as_i64().unwrap_or_else(|| {
            panic!("{field} of {}", self.header);
        })
    }

    /// A wrapper of magic 0 or 1: where its messages begin, its header does not say.
    fn is_wrapper(&self) -> bool {
        self.header["baseOffset"].is_null()
    }
}

/// The batches of an output, in order, each with the file it is of.
fn batches(outcome: &Outcome) -> Vec<Batch> {
    let mut batches: Vec<Batch> = Vec::new();
    let mut path = String::new();
    let mut open = false;
    for object in outcome.objects() {
        match object["type"].as_str().unwrap() {
            "file" => path = object["path"].as_str().unwrap().to_owned(),
            "batch" => {
                open = true;
                batches.push(Batch {
                    path: path.clone(),
                    header: object,
                    inside: Vec::new(),
                });
                continue;
            }
            "record" | "control" if open => {
                batches.last_mut().unwrap().inside.push(object);
                continue;
            }
            // A fault inside a batch; one beside batches has a size.
            "damage" if open && object["sizeInBytes"] == 0 => continue,
            _ => {}
        }
        open = false;
    }
    batches
}

/// What a batch and its records must be to be shown.
struct Rule<'a> {
    args: &'a [&'a str],
    batch: &'a dyn Fn(&Batch) -> bool,
    record: &'a dyn Fn(&Value) -> bool,
}

const EVERY_RECORD: &dyn Fn(&Value) -> bool = &|_| true;

/// Compares the filtered output, deep and shallow, with the whole one filtered here.
fn check(rules: &[Rule<'_>]) {
    let paths = TREES.map(testdata);
    for depth in ["--deep-iteration", "--print-data-log", "--color=auto"] {
        let whole = batches(&dump_jsonl(&paths).arg(depth).outcome().ended_with(1));
        for Rule {
            args,
            batch,
            record,
        } in rules
        {
            let run = args
                .iter()
                .fold(dump_jsonl(&paths).arg(depth), |run, arg| run.arg(arg));
            let outcome = run.outcome();
            assert!(
                matches!(outcome.code, 0 | 1),
                "{args:?}: {}",
                outcome.stderr
            );
            let found = batches(&outcome);
            let expected: Vec<_> = whole.iter().filter(|whole| batch(whole)).collect();
            assert!(!expected.is_empty(), "{args:?} chooses nothing here");
            assert!(expected.len() < whole.len(), "{args:?} leaves nothing out");
            for (found, expected) in found.iter().zip(&expected) {
                assert_eq!(found.path, expected.path, "{args:?}");
                assert_eq!(found.header, expected.header, "{args:?}: {}", found.path);
                let inside: Vec<_> = expected.inside.iter().filter(|o| record(o)).collect();
                let shown: Vec<_> = found.inside.iter().collect();
                assert_eq!(shown, inside, "{args:?}: {}", found.header);
            }
            assert_eq!(found.len(), expected.len(), "{args:?}");
        }
    }
}

fn is(field: &'static str, value: i64) -> impl Fn(&Batch) -> bool {
    move |batch| !batch.is_wrapper() && batch.int(field) == value
}

#[test]
fn by_header() {
    let magic_2 = |batch: &Batch| batch.int("magic") == 2;
    let transactional = |batch: &Batch| batch.header["isTransactional"] == true;
    let control = |batch: &Batch| batch.header["isControl"] == true;
    let producers: &dyn Fn(&Batch) -> bool =
        &|batch| magic_2(batch) && [1, 2, -1].contains(&batch.int("producerId"));
    let rule = |args, batch| Rule {
        args,
        batch,
        record: EVERY_RECORD,
    };
    check(&[
        rule(&["--producer-id", "1,2", "--producer-id", "-1"], producers),
        rule(&["--producer-id", "1,-1,2"], producers),
        rule(&["--producer-id", "-1,1,2"], producers),
        rule(&["--producer-id=-1"], &|b| {
            magic_2(b) && b.int("producerId") == -1
        }),
        rule(&["--producer-epoch", "1"], &is("producerEpoch", 1)),
        rule(&["--producer-epoch", "-1"], &|b| {
            magic_2(b) && b.int("producerEpoch") == -1
        }),
        rule(&["--leader-epoch", "1"], &is("partitionLeaderEpoch", 1)),
        rule(&["--transactional"], &transactional),
        rule(&["--control"], &control),
        rule(
            &["--control", "--transactional", "--producer-epoch", "0"],
            &|b| control(b) && transactional(b) && b.int("producerEpoch") == 0,
        ),
    ]);
}

#[test]
fn by_offset() {
    let record = |from: i64, to: i64| {
        move |record: &Value| (from..=to).contains(&record["offset"].as_i64().unwrap())
    };
    let batch = |from: i64, to: i64| {
        move |b: &Batch| {
            b.int("lastOffset") >= from && (b.is_wrapper() || b.int("baseOffset") <= to)
        }
    };
    check(&[
        Rule {
            args: &["--start-offset", "30"],
            batch: &batch(30, i64::MAX),
            record: &record(30, i64::MAX),
        },
        Rule {
            args: &["--end-offset", "30"],
            batch: &batch(i64::MIN, 30),
            record: &record(i64::MIN, 30),
        },
        Rule {
            args: &["--start-offset", "3", "--end-offset", "3"],
            batch: &batch(3, 3),
            record: &record(3, 3),
        },
        Rule {
            args: &["--start-offset=10", "--end-offset=40", "--transactional"],
            batch: &|b| batch(10, 40)(b) && b.header["isTransactional"] == true,
            record: &record(10, 40),
        },
    ]);
}

/// The times of a batch as its header tells them: `None` where it may begin at any time.
fn times(batch: &Batch) -> (Option<i64>, i64) {
    let newest = batch.int("maxTimestamp");
    let oldest = match batch.header["baseTimestamp"].as_i64() {
        Some(_) if !batch.header["deleteHorizonMs"].is_null() => None,
        Some(base) => Some(base.min(newest)),
        None if batch.is_wrapper() => None,
        None => Some(newest),
    };
    (oldest, newest)
}

#[test]
fn by_time() {
    let whole = dump_jsonl(TREES.map(testdata)).arg("--deep-iteration");
    let mut all: Vec<_> = whole
        .outcome()
        .of_type("record")
        .iter()
        .map(|record| record["timestamp"].as_i64().unwrap())
        .collect();
    all.sort_unstable();
    let [from, to] = [all[all.len() / 3], all[all.len() * 2 / 3]];
    let iso = |ms: i64| jiff::Timestamp::from_millisecond(ms).unwrap().to_string();
    let record = |from: i64, to: i64| {
        move |record: &Value| (from..=to).contains(&record["timestamp"].as_i64().unwrap())
    };
    let batch = |from: i64, to: i64| {
        move |b: &Batch| {
            let (oldest, newest) = times(b);
            newest >= from && oldest.is_none_or(|oldest| oldest <= to)
        }
    };
    let (start, end) = (from.to_string(), iso(to));
    let start_iso = iso(from).replace('Z', "").replace('T', " ");
    check(&[
        Rule {
            args: &["--start-time", &start],
            batch: &batch(from, i64::MAX),
            record: &record(from, i64::MAX),
        },
        Rule {
            args: &["--start-time", &start_iso],
            batch: &batch(from, i64::MAX),
            record: &record(from, i64::MAX),
        },
        Rule {
            args: &["--end-time", &end],
            batch: &batch(i64::MIN, to),
            record: &record(i64::MIN, to),
        },
        Rule {
            args: &["--start-time", &start, "--end-time", &end, "--control"],
            batch: &|b| batch(from, to)(b) && b.header["isControl"] == true,
            record: &record(from, to),
        },
        Rule {
            args: &["--end-time", "-1"],
            batch: &batch(i64::MIN, -1),
            record: &record(i64::MIN, -1),
        },
    ]);
}

/// No record that lies in the range is lost because its batch's header says otherwise.
#[test]
fn every_record_of_a_range_is_there() {
    let deep = || dump_jsonl(TREES.map(testdata)).arg("--deep-iteration");
    let whole = deep().outcome().of_type("record");
    let in_range = |record: &Value| (20..=25).contains(&record["offset"].as_i64().unwrap());
    let run = deep().arg("--start-offset=20").arg("--end-offset=25");
    let found = run.outcome().of_type("record");
    let expected: Vec<_> = whole.into_iter().filter(in_range).collect();
    assert!(!expected.is_empty() && found == expected);
}

/// Filters look at headers: what they leave out is not decompressed, what they choose in a
/// shallow dump neither.
#[test]
fn broken_payloads_do_not_matter_to_headers() {
    for codec in ["gzip", "snappy", "lz4", "zstd"] {
        let from = format!("main/codec-{codec}-0/00000000000000000000.log");
        let directory = copies(&[(&from, "0.log")]);
        let path = directory.path().join("0.log");
        let sound = batches(&dump_jsonl([&path]).outcome().ended_with(0));
        let [first, second] = [&sound[0], &sound[1]];
        let mut bytes = fs::read(&path).unwrap();
        // In the middle of the records of the first batch.
        let end = usize::try_from(first.int("sizeInBytes")).unwrap();
        bytes[61..end].reverse();
        fs::write(&path, &bytes).unwrap();

        let last = first.int("lastOffset").to_string();
        let broken = dump_jsonl([&path]).arg("--end-offset").arg(&last);
        let outcome = broken.outcome().ended_with(1);
        let codes: Vec<_> = codes(&outcome);
        assert_eq!(codes, ["crc-mismatch"], "{codec}");
        assert_eq!(batches(&outcome).len(), 1);

        let next = second.int("baseOffset").to_string();
        let others = dump_jsonl([&path]).arg("--start-offset").arg(&next);
        let outcome = others.arg("--print-data-log").outcome().ended_with(0);
        assert_eq!(batches(&outcome).len(), sound.len() - 1, "{codec}");

        let all = dump_jsonl([&path]).arg("--deep-iteration").outcome();
        let codes = self::codes(&all.ended_with(1));
        assert_eq!(codes[0], "crc-mismatch", "{codec}");
        assert!(codes.len() == 2, "{codec}: {codes:?}");
    }
}

/// The codes of the damage on stderr, which the output tells as objects too.
fn codes(outcome: &Outcome) -> Vec<String> {
    let lines = outcome.stderr.lines();
    let codes: Vec<_> = lines
        .map(|line| line.split(": ").nth(2).unwrap().to_owned())
        .collect();
    let objects = outcome.of_type("damage");
    let told: Vec<_> = objects
        .iter()
        .map(|object| object["code"].as_str().unwrap())
        .collect();
    assert_eq!(codes, told);
    codes
}

#[test]
fn values_that_are_none() {
    for args in [
        ["--producer-id", "x"],
        ["--producer-id", "9223372036854775808"],
        ["--producer-epoch", "32768"],
        ["--leader-epoch", "2147483648"],
        ["--start-offset", "1e3"],
        ["--end-offset", "-9223372036854775809"],
        ["--start-time", "yesterday"],
        ["--start-time", "2026-02-30"],
        ["--end-time", "2026-11-30T25:00:00Z"],
        ["--limit", "-1"],
    ] {
        // Nothing is read: the path does not exist, and 3 would tell of it.
        let outcome = dump_jsonl(args).arg("absent.log").outcome().ended_with(2);
        assert!(outcome.stderr.contains(args[0]), "{}", outcome.stderr);
        assert!(outcome.stderr.contains(args[1]), "{}", outcome.stderr);
    }
}

#[test]
fn the_ends_of_the_number_line() {
    let path = testdata("main/plain-0/00000000000000000000.log");
    let whole = dump_jsonl([&path]).outcome().ended_with(0);
    let (least, greatest) = (i64::MIN.to_string(), i64::MAX.to_string());
    for (start, end) in [
        ("--start-offset", "--end-offset"),
        ("--start-time", "--end-time"),
    ] {
        let wide = dump_jsonl([start, &least, end, &greatest]).arg(&path);
        assert_eq!(wide.outcome().ended_with(0).text(), whole.text());
        let none = dump_jsonl([start, &greatest, end, &least]).arg(&path);
        assert_eq!(none.outcome().ended_with(0).of_type("batch").len(), 0);
        // The first batch reaches from 0 to 6.
        let none = dump_jsonl([start, "5", end, "3"]).arg(&path);
        assert_eq!(none.outcome().ended_with(0).of_type("batch").len(), 0);
    }
}
