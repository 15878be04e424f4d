//! Every answer that the real dump tool gave about the corpus, held against ours.
//!
//! stdout is compared byte for byte. Where we differ on purpose the difference stands in a table
//! below with its reason, and a difference that no longer occurs fails the test, so that the
//! tables stay true.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex};
use std::thread;

use crate::corpus::{self, Scratch};
use crate::run::{self, Run};
use crate::sections::{False, falsehood, sections};

/// One run of the real tool.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    mode: String,
    /// A path, or several with commas between them.
    path: String,
    flags: Vec<String>,
    succeeded: bool,
    stdout: Vec<u8>,
    stderr: String,
}

impl Row {
    fn parse(line: &str) -> Self {
        let [mode, path, flags, status] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("four columns in {line}");
        };
        let name = match path.split_once(',') {
            Some((first, _)) => format!("{}/ALL", first.rsplit_once('/').unwrap().0),
            None => path.to_owned(),
        };
        let golden = |ending| corpus::directory().join(format!("golden/{name}.{mode}.{ending}"));
        // The real tool prints at least `Dumping PATH`; only stderr may be absent.
        let stdout = fs::read(golden("out")).unwrap_or_else(|error| panic!("{line}: {error}"));
        assert!(!stdout.is_empty(), "{line}: the golden is empty");
        Self {
            mode: mode.to_owned(),
            path: path.to_owned(),
            flags: flags.split_whitespace().map(str::to_owned).collect(),
            succeeded: status == "0",
            stdout,
            stderr: fs::read_to_string(golden("err")).unwrap_or_default(),
        }
    }

    fn run(&self, scratch: &Scratch, more: &[&str]) -> Run {
        let mut arguments = vec!["--files", &self.path];
        arguments.extend(self.flags.iter().map(String::as_str));
        arguments.extend(more);
        let mut run = run::dump(&scratch.path, &arguments);
        let place = scratch.path.to_str().unwrap();
        run.stdout = run.text().replace(place, "/CWD").into_bytes();
        run.stderr = run.stderr.replace(place, "/CWD");
        run
    }
}

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let list = corpus::directory().join("golden/LIST.tsv");
    let list = fs::read_to_string(&list).unwrap_or_else(|error| panic!("{list:?}: {error}"));
    let rows: Vec<_> = list.lines().map(Row::parse).collect();
    assert!(
        rows.len() > 500,
        "only {} runs of the real tool",
        rows.len()
    );
    rows
});

/// Lines of the real tool that ours writes otherwise: what the first ends with there, and what
/// stands in its place here.
const LINES: [(&str, &str, &str); 1] = [(
    " controlType: UNKNOWN(7)",
    " MirrorPidReset {",
    "type 7 is the barrier of cluster mirroring; stock Kafka has no name for it",
)];

/// Where the real tool dies, and what ours does there.
struct Death {
    /// A part of the stack trace.
    trace: &'static str,
    /// A part of the path.
    place: &'static str,
    /// The damage that ours tells of a file with this ending; `None`: nothing is wrong.
    told: Option<(&'static str, &'static str)>,
    /// Whether any corpus shows it, whatever its seed.
    always: bool,
    reason: &'static str,
}

const DEATHS: [Death; 6] = [
    Death {
        trace: "CorruptIndexException: Corrupt time index found",
        place: "",
        told: Some(("index-corrupt", ".timeindex")),
        always: true,
        reason: "asked for the broker's check, ours says that it fails and goes on",
    },
    Death {
        trace: "NoSuchElementException",
        place: "control/cut-tail-0/",
        told: Some(("index-mismatch", ".index")),
        always: false,
        reason: "an index entry leads to the batch that is cut",
    },
    Death {
        trace: "NoSuchElementException",
        place: "",
        told: None,
        always: false,
        reason: "the index of an empty log, preallocated: padding is no entry",
    },
    Death {
        trace: "CorruptRecordException: Found record size 0 smaller",
        place: "",
        told: Some(("zero-tail", ".log")),
        always: true,
        reason: "preallocated space behind the last batch",
    },
    Death {
        trace: "LeaderChangeMessage",
        place: "control/leader-change-v1-0/",
        told: None,
        always: true,
        reason: "LeaderChange of version 1, which the tool reads as version 0",
    },
    Death {
        trace: "BufferUnderflowException",
        place: "main/numbers.int-0/",
        told: None,
        always: true,
        reason: "values of four bytes under the decoder of eight",
    },
];

/// Compares a run with the row; a complaint for each thing that does not fit.
fn compare(row: &Row, run: &Run, root: &Path, seen: &Mutex<BTreeSet<&'static str>>) -> Vec<String> {
    let mut complaints = Vec::new();
    let see = |reason| {
        seen.lock().unwrap().insert(reason);
    };
    if !matches!(run.code, Some(0 | 1)) {
        complaints.push(format!("exit code {:?}", run.code));
    }
    if row.mode == "ignored" {
        see("ignored");
        // The real tool names the file and looks at nothing.
        if !run.stdout.starts_with(&row.stdout) || !row.stderr.starts_with("Ignoring unknown") {
            complaints.push("must begin with what the real tool prints".to_owned());
        }
        return complaints;
    }
    if !row.succeeded {
        complaints.extend(compare_death(row, run, &see));
        return complaints;
    }
    if run.stdout != row.stdout {
        complaints.extend(compare_lines(row, run, &see));
    }
    let (ours, theirs) = (sections(&run.stderr), sections(&row.stderr));
    for (title, lines) in &theirs {
        let mut expected = lines.clone();
        expected.retain(|line| match falsehood(root, title, line) {
            Some(False::FirstRecord) => {
                see("D1");
                false
            }
            Some(False::Padding) => {
                see("padding");
                false
            }
            // Only where the cleaner happened to empty a batch that its time index names.
            Some(False::Emptied) => false,
            None => true,
        });
        let found = ours.get(title).cloned().unwrap_or_default();
        if found != expected {
            complaints.push(format!("{title}: expected {expected:?}, found {found:?}"));
        }
    }
    for title in ours.keys().filter(|title| !theirs.contains_key(*title)) {
        complaints.push(format!("a section that the real tool lacks: {title}"));
    }
    complaints
}

fn compare_death(row: &Row, run: &Run, see: &dyn Fn(&'static str)) -> Vec<String> {
    let Some(death) = DEATHS
        .iter()
        .find(|death| row.stderr.contains(death.trace) && row.path.contains(death.place))
    else {
        return vec![format!("an undeclared death: {}", row.stderr)];
    };
    see(death.reason);
    let mut complaints = Vec::new();
    // The tool dies in the middle of a line where a value does not decode.
    if !run.stdout.starts_with(&row.stdout) {
        complaints.push("must begin with what the real tool printed before it died".to_owned());
    }
    // A limit may come before the damage on which the tool dies.
    if row.mode.starts_with("maxbytes") {
        return complaints;
    }
    match death.told {
        Some((code, ending)) if row.path.ends_with(ending) && !row.path.contains(',') => {
            let told = run.damage().iter().any(|damage| damage.contains(code));
            if !told || run.code != Some(1) {
                complaints.push(format!("expected {code}, found {}", run.stderr));
            }
        }
        None if run.code != Some(0) => {
            complaints.push(format!("expected no damage, found {}", run.stderr));
        }
        _ => {}
    }
    if row.path.ends_with(".log") && run.stdout.len() <= row.stdout.len() {
        complaints.push("must go on where the real tool died".to_owned());
    }
    complaints
}

/// Lines that differ must do so as the table says.
fn compare_lines(row: &Row, run: &Run, see: &dyn Fn(&'static str)) -> Vec<String> {
    let (ours, theirs) = (run.text(), String::from_utf8_lossy(&row.stdout));
    let mut complaints = Vec::new();
    for (number, (our, their)) in ours.lines().zip(theirs.lines()).enumerate() {
        if our == their {
            continue;
        }
        let declared = LINES.iter().find(|(stock, kfsck, _)| {
            their
                .strip_suffix(stock)
                .is_some_and(|front| our.starts_with(&format!("{front}{kfsck}")))
        });
        match declared {
            Some((stock, ..)) => see(stock),
            None => complaints.push(format!(
                "line {}:\n    expected {their}\n    found    {our}",
                number + 1
            )),
        }
    }
    let (found, expected) = (ours.lines().count(), theirs.lines().count());
    if found != expected {
        complaints.push(format!("{found} lines instead of {expected}"));
    }
    complaints
}

/// Runs all rows that `chosen` takes, two at a time, and gives every complaint to one panic.
fn run_rows(
    scratch: &Scratch,
    chosen: impl Fn(usize, &Row) -> bool,
    check: impl Fn(&Row) -> Vec<String> + Sync,
) -> usize {
    let rows: Vec<_> = (0..)
        .zip(ROWS.iter())
        .filter(|(number, row)| chosen(*number, row))
        .map(|(_, row)| row)
        .collect();
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    let before = scratch.fingerprint();
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (mode, path) = (&row.mode, &row.path);
                    let complaints = check(row);
                    failures.lock().unwrap().extend(
                        complaints
                            .into_iter()
                            .map(|complaint| format!("{mode} {path}: {complaint}")),
                    );
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(
        failures.is_empty(),
        "{} complaints:\n{}",
        failures.len(),
        failures[..failures.len().min(20)].join("\n")
    );
    assert_eq!(before, scratch.fingerprint(), "inputs were touched");
    rows.len()
}

#[test]
fn every_answer_of_the_real_tool() {
    let scratch = Scratch::new();
    let seen = Mutex::new(BTreeSet::new());
    let count = run_rows(
        &scratch,
        |_, _| true,
        |row| compare(row, &row.run(&scratch, &[]), &scratch.path, &seen),
    );
    assert_eq!(count, ROWS.len());
    let mut declared = vec!["ignored", "D1", "padding"];
    declared.extend(LINES.iter().map(|(stock, ..)| *stock));
    declared.extend(
        DEATHS
            .iter()
            .filter(|death| death.always)
            .map(|death| death.reason),
    );
    let seen = seen.into_inner().unwrap();
    for difference in declared {
        assert!(seen.contains(difference), "occurs no longer: {difference}");
    }
}

/// What a stopped or killed broker leaves behind is no damage, and odd batches are legal.
#[test]
fn exit_code_1_for_the_damaged_files_alone() {
    /// Beginnings of paths, and the only damage that may be told of them.
    const DAMAGED: [(&str, &[&str]); 3] = [
        (
            "control/cut-tail-0/",
            &["truncated-tail", "index-mismatch", "time-index-mismatch"],
        ),
        ("control/unknown-types-0/", &["barrier-malformed"]),
        ("crash/unclean/crash-prealloc-0/", &["zero-tail"]),
    ];
    let scratch = Scratch::new();
    run_rows(
        &scratch,
        // The broker's check of a time index fails wherever space is preallocated.
        |_, row| row.mode != "sanity" || row.succeeded,
        |row| {
            let run = row.run(&scratch, &[]);
            let codes: &[&str] = DAMAGED
                .iter()
                .find(|(place, _)| row.path.starts_with(place))
                .map_or(&[], |(_, codes)| codes);
            let mut complaints = Vec::new();
            for damage in run.damage() {
                if !codes.iter().any(|code| damage.contains(code)) {
                    complaints.push(format!("undeclared damage: {damage}"));
                }
            }
            let expected = i32::from(!run.damage().is_empty());
            if run.code != Some(expected) {
                complaints.push(format!("exit code {:?}", run.code));
            }
            complaints
        },
    );
}

#[test]
fn plain_reads_and_any_number_of_threads_say_the_same() {
    let scratch = Scratch::new();
    let count = run_rows(
        &scratch,
        |number, row| number % 4 == 0 && row.mode != "ignored",
        |row| {
            let mapped = row.run(&scratch, &[]);
            let mut complaints = Vec::new();
            for more in [&["--no-mmap"][..], &["--threads", "1"], &["--threads", "7"]] {
                let other = row.run(&scratch, more);
                if (&other.stdout, &other.stderr, other.code)
                    != (&mapped.stdout, &mapped.stderr, mapped.code)
                {
                    complaints.push(format!("differs with {more:?}"));
                }
            }
            complaints
        },
    );
    assert!(count > 100);
}

#[test]
fn a_pipe_says_the_same_as_a_file() {
    let scratch = Scratch::new();
    let count = run_rows(
        &scratch,
        |number, row| {
            let modes = ["shallow", "deep", "print"];
            number % 2 == 0 && row.path.ends_with(".log") && modes.contains(&&*row.mode)
        },
        |row| {
            let path: PathBuf = scratch.path.join(&row.path);
            let piped = run::dump_piped(&fs::read(&path).unwrap(), &row.flags);
            let file = row.run(&scratch, &[]);
            let name = path.file_name().unwrap().to_str().unwrap();
            let text = file.text().replace(&format!("end of {name}"), "end of -");
            let (head, body) = split_head(&text);
            let piped_text = piped.text();
            let (piped_head, piped_body) = split_head(&piped_text);
            let mut complaints = Vec::new();
            if piped_body != body || piped.code != file.code {
                complaints.push("differs through a pipe".to_owned());
            }
            // The base offset comes from the first batch where no name tells it.
            if !piped_head.starts_with("Dumping -\nLog starting offset: ") {
                complaints.push(format!("expected the head of {head}, found {piped_head}"));
            }
            complaints
        },
    );
    assert!(count > 50);
}

/// The first two lines and the rest.
fn split_head(text: &str) -> (&str, &str) {
    let head: usize = text.split_inclusive('\n').take(2).map(str::len).sum();
    text.split_at(head)
}

/// Larger than a thread's share of a file, with damage in it: order and accounting hold.
#[test]
fn a_long_segment_is_the_same_in_parallel() {
    let mut log = Vec::new();
    while log.len() < 6 << 20 {
        for (number, (_, segment)) in corpus::segments().into_iter().enumerate() {
            log.extend_from_slice(&segment);
            if number % 10 == 9 {
                log.extend_from_slice(&[0xee; 100]);
            }
        }
    }
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("00000000000000000000.log"), &log).unwrap();
    for format in ["kafka", "jsonl"] {
        let run = |more: &[&str]| {
            let fixed = [
                "00000000000000000000.log",
                "--print-data-log",
                "--format",
                format,
            ];
            run::dump(directory.path(), &[&fixed, more].concat())
        };
        let alone = run(&["--threads", "1"]);
        assert_eq!(alone.code, Some(1));
        assert!(alone.stdout.len() > log.len());
        for more in [
            &["--threads", "2"][..],
            &["--threads", "5", "--no-mmap"],
            &[],
        ] {
            let other = run(more);
            assert!(other.stdout == alone.stdout, "{format} {more:?}: stdout");
            assert!(other.stderr == alone.stderr, "{format} {more:?}: stderr");
            assert_eq!(other.code, alone.code);
        }
    }
}
