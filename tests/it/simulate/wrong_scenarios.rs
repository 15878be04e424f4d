//! Errors of a scenario name the file, the line, the field, and what is allowed.

use super::{builtin, simulate};

#[track_caller]
fn refused(from: &str, to: &str) -> String {
    let sound = builtin("failback");
    assert!(sound.contains(from), "{from}");
    let changed = sound.replacen(from, to, 1);
    let outcome = simulate(&["-"]).outcome_with(changed.into()).ended_with(3);
    assert_eq!(outcome.text(), "");
    let line = outcome.stderr.trim_end();
    let line = line.strip_prefix("kfsck: error: -: ").expect(line);
    line.to_owned()
}

/// What is replaced in `failback`, by what, and how the error begins.
const WRONG: [(&str, &str, &str); 23] = [
    (
        "\"8GiovbadRjaMa2DUtp1GVQ\"",
        "\"8Gu2jmvZSZi-gRiaa9lJsg\"",
        "line 7: clusters[1].id: \"8Gu2jmvZSZi-gRiaa9lJsg\" is empty or there twice",
    ),
    (
        "{\"produce\": {\"writer\": \"a1\", \"records\": 2}}",
        "{}",
        "line 15: steps[0]: a step is an object with one name, and what belongs to it; allowed: \
         produce, retry",
    ),
    (
        "\"records\": 2}}",
        "\"records\": 2}, \"retry\": {\"writer\": \"a1\"}}",
        "line 15: steps[0]: a step is an object with one name",
    ),
    (
        "\"records\": 2}}",
        "\"records\": 4294967296}}",
        "line 15: steps[0].produce.records: invalid value: integer `4294967296`, expected a whole \
         number from 0 to 4294967295",
    ),
    (
        "\"records\": 2}}",
        "\"records\": 1000, \"batches\": 1000}}, {\"produce\": {\"writer\": \"a1\"}}",
        "line 14: steps: 1000008 records are too many; allowed: up to 1000000",
    ),
    (
        "\"schema\": 1",
        "\"schema\": 2",
        "line 2: schema: 2 is out of range; allowed: 1 to 1",
    ),
    (
        "\"about\"",
        "\"name\"",
        "line 4: name: duplicate field `name`",
    ),
    (
        "\"about\": ",
        "\"about\": 7, \"x\": ",
        "line 4: about: invalid type: integer `7`",
    ),
    (
        "\"failback\"",
        "\"../x\"",
        "line 3: name: \"../x\" is no name; allowed: 1 to 100 letters",
    ),
    (
        "{\"name\": \"B\"",
        "{\"name\": \"A\"",
        "line 7: clusters[1].name: \"A\" is there twice",
    ),
    (
        "{\"name\": \"B\"",
        "{\"name\": \"a/b\"",
        "line 7: clusters[1].name: \"a/b\" is no name; allowed: 1 to 100",
    ),
    (
        "\"8GiovbadRjaMa2DUtp1GVQ\", \"replicas\": 2",
        "\"x\", \"replicas\": 6",
        "line 7: clusters[1].replicas: 6 is out of range; allowed: 1 to 5",
    ),
    (
        "\"b1\", \"cluster\": \"B\"",
        "\"b1\", \"cluster\": \"Z\"",
        "line 11: writers[1].cluster: \"Z\" is no cluster; allowed: A, B",
    ),
    (
        "\"records\": 3",
        "\"records\": \"three\"",
        "line 20: steps[5].produce.records: invalid type: string \"three\", expected a whole \
             number from 0 to 4294967295",
    ),
    (
        "\"records\": 3",
        "\"records\": 1001",
        "line 20: steps[5].produce.records: 1001 is out of range; allowed: 1 to 1000",
    ),
    (
        "\"writer\": \"b1\", \"records\"",
        "\"writer\": \"b9\", \"records\"",
        "line 20: steps[5].produce.writer: \"b9\" is no writer; allowed: a1, b1, a2",
    ),
    (
        "\"failBack\"",
        "\"failback\"",
        "line 21: steps[6].failback: unknown variant `failback`, expected one of `produce`",
    ),
    (
        "{\"failBack\": {\"from\": \"B\"",
        "{\"failBack\": {\"form\": \"B\"",
        "line 21: steps[6].failBack.form: unknown field `form`, expected one of `from`, `to`",
    ),
    (
        "\"replica\": 1",
        "\"replica\": 2",
        "line 19: steps[4].elect.replica: 2 is out of range; allowed: 0 to 1",
    ),
    (
        "{\"failBack\": {\"from\": \"B\", \"to\": \"A\"}}",
        "{\"failBack\": {\"from\": \"B\", \"to\": \"A\", \"topicPartition\": \"../x-0\"}}",
        "line 21: steps[6].failBack.topicPartition: \"../x-0\" is no partition; allowed: topic",
    ),
    (
        "\"verbatim\"",
        "\"verbatin\"",
        "line 30: expect[1].strategy: \"verbatin\" is no strategy; allowed: verbatim, negate",
    ),
    (
        "[\"rejected-write\"]",
        "[\"rejected\"]",
        "line 30: expect[1].harm: \"rejected\" is no harm; allowed: pid-collision",
    ),
    (
        "[\"mapped\"]",
        "[\"maped\"]",
        "line 31: expect[2].rules: \"maped\" is no rule set; allowed: barrier, stock",
    ),
];

#[test]
fn errors_name_line_field_and_what_is_allowed() {
    for (from, to, told) in WRONG {
        let found = refused(from, to);
        assert!(found.starts_with(told), "{found}\nexpected {told}");
    }
}

#[test]
fn a_step_that_makes_no_sense_is_told_once_for_all_designs() {
    let found = refused(
        "{\"failBack\": {\"from\": \"B\", \"to\": \"A\"}}",
        "{\"begin\": {\"writer\": \"a1\"}}",
    );
    assert_eq!(found, "line 21: steps[6].begin: a1 is not transactional");
}
