//! Standard input, and files that somebody is still writing.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::Value;

use crate::program::{Run, copies, dump_jsonl, dump_log, testdata};

const LOG: &str = "main/idem-0/00000000000000000000.log";

#[test]
fn a_dash_is_standard_input() {
    let path = testdata(LOG);
    let bytes = fs::read(&path).unwrap();
    let from_file = dump_log([&path]).arg("--print-data-log").outcome();
    let expected = from_file.text().replace(path.to_str().unwrap(), "-");
    for args in [["-", "--no-mmap"], ["-", "--color=auto"], ["--files", "-"]] {
        let run = dump_log(args).arg("--print-data-log");
        let outcome = run.outcome_with(bytes.clone()).ended_with(0);
        assert_eq!(outcome.text(), expected);
    }
    let empty = dump_log(["-"]).outcome().ended_with(0);
    assert_eq!(empty.text(), "Dumping -\nLog starting offset: 0\n");
}

#[test]
fn a_dash_stands_among_files_and_only_once() {
    let path = testdata(LOG);
    let bytes = fs::read(&path).unwrap();
    let run = dump_jsonl([path.as_os_str(), "-".as_ref(), path.as_os_str()]);
    let outcome = run.outcome_with(bytes).ended_with(0);
    let files = outcome.of_type("file");
    let paths: Vec<_> = files.iter().map(|file| &file["path"]).collect();
    assert_eq!(paths[1], "-");
    assert_eq!((paths[0], paths.len()), (paths[2], 3));
    for args in [["-", "-"], ["--files=-", "-"], ["--files=-,-", "-q"]] {
        let outcome = dump_log(args).outcome().ended_with(2);
        assert!(outcome.stderr.contains("once"), "{}", outcome.stderr);
    }
}

#[test]
fn a_file_called_dash_has_a_directory() {
    let directory = copies(&[(LOG, "-")]);
    let run = dump_log(["./-"]).dir(directory.path());
    // Its name says nothing, so it is left, unlike standard input.
    let outcome = run.outcome().ended_with(0);
    assert_eq!(outcome.stderr, "Ignoring unknown file ./-\n");
}

#[test]
fn a_place_that_takes_no_temporary_file_is_named() {
    let absent = tempfile::tempdir().unwrap().path().join("absent");
    let run = dump_log(["-"]).env("TMPDIR", absent.to_str().unwrap());
    let outcome = run.outcome_with(vec![1]).ended_with(3);
    for said in [absent.to_str().unwrap(), "TMPDIR", "-: "] {
        assert!(outcome.stderr.contains(said), "{}", outcome.stderr);
    }
}

/// Whole batches are shown, one may be cut, and nothing is ever read as damage in the middle.
#[test]
fn a_file_that_grows_is_read_up_to_some_end() {
    let sound = fs::read(testdata(LOG)).unwrap();
    let first_batch = dump_jsonl([testdata(LOG)]).outcome().of_type("batch");
    let whole = first_batch[0]["sizeInBytes"].as_u64().unwrap() as usize;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("0.log");
    fs::write(&path, &sound[..whole]).unwrap();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut file = OpenOptions::new().append(true).open(&path).unwrap();
            // In pieces that end inside batches.
            for piece in sound[whole..].chunks(7) {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                file.write_all(piece).unwrap();
                std::thread::sleep(Duration::from_micros(200));
            }
        });
        for access in ["--no-mmap", "--color=auto"].repeat(10) {
            let outcome = dump_jsonl([&path]).arg(access).outcome();
            let batches = outcome.of_type("batch");
            assert_eq!(batches[0], first_batch[0]);
            let damage = outcome.of_type("damage");
            assert_eq!(outcome.code, i32::from(!damage.is_empty()), "{damage:?}");
            // The first bytes of an offset are zeros.
            let is_tail = |code: &Value| *code == "truncated-tail" || *code == "zero-tail";
            let tails = damage.iter().filter(|damage| is_tail(&damage["code"]));
            assert!(
                damage.len() <= 1 && tails.count() == damage.len(),
                "{damage:?}"
            );
            assert_eq!(outcome.of_type("end").len(), 1);
        }
        stop.store(true, Ordering::Relaxed);
    });
}

/// A disk that is full, played by a limit on the size of files.
#[test]
fn a_temporary_file_that_cannot_grow_ends_with_3_and_leaves_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let script = "trap '' XFSZ; ulimit -f 64; exec \"$0\" \"$@\"";
    let run = Run::in_shell(script, &["dump-log", "-"]);
    let run = run.env("TMPDIR", directory.path().to_str().unwrap());
    let outcome = run.outcome_with(vec![0; 1 << 20]).ended_with(3);
    for said in [
        "-: cannot be spooled",
        directory.path().to_str().unwrap(),
        "TMPDIR",
    ] {
        assert!(outcome.stderr.contains(said), "{}", outcome.stderr);
    }
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}

/// Who asks for a beginning gets it of an input without end; a bound on files ends a run that reads
/// on all the same.
#[test]
fn a_bound_on_what_is_shown_bounds_what_is_read() {
    let log = testdata(LOG);
    let again = "while cat \"$LOG\"; do :; done";
    for (input, bound, batches) in [
        ("cat /dev/zero", "--max-bytes=1000", 0),
        ("yes damage", "--max-bytes=1000", 0),
        (again, "--max-bytes=1000", 4),
        (again, "--limit=1", 1),
        (again, "--limit=30", 30),
    ] {
        for more in ["--print-data-log", "--no-mmap"] {
            let script = format!("ulimit -f 4096; ({input}) 2>/dev/null | \"$0\" \"$@\"");
            let run = Run::in_shell(&script, &["dump-log", "-", "--format=jsonl", bound, more]);
            let outcome = run.env("LOG", log.to_str().unwrap()).outcome();
            let told = &outcome.stderr;
            assert!(
                outcome.code < 2 && !told.contains("note:"),
                "{input}: {told}"
            );
            assert_eq!(outcome.of_type("batch").len(), batches, "{input}, {bound}");
            assert_eq!(outcome.of_type("end")[0]["reason"], "limit");
            assert_eq!(outcome.of_type("file")[0]["sizeInBytes"], Value::Null);
        }
    }
    let device = dump_log(["/dev/zero", "--max-bytes=1000"]).outcome();
    assert_eq!(device.ended_with(0).stderr, "");
}

/// Damages a log whose second batch begins at a place.
type Change = fn(&mut Vec<u8>, usize);

/// What is shown of a pipe is what is shown of a file, wherever the bound lies.
#[test]
fn a_bound_shows_the_same_of_a_pipe_and_of_a_file() {
    let sound = fs::read(testdata(LOG)).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("any.log");
    let batches = dump_jsonl([testdata(LOG)]).outcome().of_type("batch");
    let places: Vec<_> = batches
        .iter()
        .map(|batch| batch["position"].as_u64().unwrap() as usize)
        .collect();
    let second = places[1];
    let changes: [Change; 7] = [
        |_, _| {},
        |log, second| log[second + 16] = 7,
        |log, second| log[second + 17] ^= 1,
        |log, second| log[second + 8..second + 12].fill(0),
        |log, second| log[second + 8] = 0x7f,
        |log, second| log[second..].fill(0),
        |log, second| log.truncate(second + 40),
    ];
    for (number, change) in changes.iter().enumerate() {
        let mut log = sound.clone();
        change(&mut log, second);
        fs::write(&path, &log).unwrap();
        let bounds = places
            .iter()
            .take(4)
            .flat_map(|at| [at - at.min(&1), *at, at + 1]);
        let bounds = bounds.chain([log.len() - 1, log.len(), log.len() + 9]);
        let bounds = bounds.map(|at| format!("--max-bytes={at}"));
        for bound in bounds.chain([1, 2, 1000].map(|limit| format!("--limit={limit}"))) {
            let of_file = dump_log([path.as_os_str(), bound.as_ref()]).outcome();
            let of_pipe = dump_log(["-", &bound]).outcome_with(log.clone());
            let named = |text: &str| {
                text.replace(path.to_str().unwrap(), "-")
                    .replace("any.log", "-")
            };
            assert_eq!(
                of_pipe.text(),
                named(of_file.text()),
                "change {number}, {bound}"
            );
            assert_eq!(
                of_pipe.stderr,
                named(&of_file.stderr),
                "change {number}, {bound}"
            );
            assert_eq!(of_pipe.code, of_file.code);
        }
    }
}

/// A file of zeros without number is not read for its end by who asks for its beginning.
#[test]
fn a_bound_bounds_a_sparse_file_too() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("0.log");
    let log = fs::read(testdata(LOG)).unwrap();
    let bound = format!("--max-bytes={}", log.len() + 1000);
    let sound = dump_log([&path]);
    fs::write(&path, &log).unwrap();
    let expected = sound.outcome().ended_with(0);
    // Half a terabyte.
    let file = OpenOptions::new().write(true).open(&path).unwrap();
    file.set_len(1 << 39).unwrap();
    let run = dump_log([path.as_os_str(), bound.as_ref()]);
    assert_eq!(run.outcome().ended_with(0).text(), expected.text());
}
