//! The contract of every command that reads files: what may go wrong with one, and that no input
//! is ever touched.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::commands::make_fifo;
use crate::program::{Outcome, Run, copies, copy_tree, set_mode, state, testdata};

/// A log without fault, below `testdata/kafka`.
const SOUND: &str = "main/plain-0/00000000000000000000.log";
/// A log whose last batch is not all there.
const CUT: &str = "control/cut-tail-0/00000000000000000000.log";

pub(super) fn run(args: &[&str], paths: &[&Path]) -> Outcome {
    let run = paths.iter().fold(Run::new(args), Run::arg);
    run.outcome()
}

/// The one line on stderr, which names the path.
#[track_caller]
pub(super) fn only_line<'a>(outcome: &'a Outcome, path: &Path) -> &'a str {
    let stderr = outcome.stderr.trim_end();
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(stderr.contains(path.to_str().unwrap()), "{stderr}");
    stderr
}

pub(super) fn no_path(args: &[&str]) {
    let outcome = run(args, &[]).ended_with(2);
    assert_eq!(outcome.text(), "");
    assert!(outcome.stderr.contains("PATH"), "{}", outcome.stderr);
    let usage = format!("Usage: kfsck {}", args[0]);
    assert!(outcome.stderr.contains(&usage), "{}", outcome.stderr);
}

pub(super) fn missing(args: &[&str]) {
    let sound = testdata(SOUND);
    let absent = Path::new("absent/00000000000000000000.log");
    let outcome = run(args, &[absent]).ended_with(3);
    let line = only_line(&outcome, absent);
    assert!(line.contains("; "), "it does not say what to do: {line}");
    let alone = run(args, &[&sound]).ended_with(0);
    for paths in [[absent, &sound], [&sound, absent]] {
        let outcome = run(args, &paths).ended_with(3);
        only_line(&outcome, absent);
        assert_eq!(outcome.text(), alone.text());
    }
}

pub(super) fn empty_directory(args: &[&str]) {
    let directory = tempfile::tempdir().unwrap();
    let outcome = run(args, &[directory.path()]).ended_with(3);
    assert!(only_line(&outcome, directory.path()).contains("expected"));
    // By its name an empty partition, or one with something else in it, alone and in its log
    // directory: nothing is wrong, and a note says why nothing is shown.
    let partition = directory.path().join("orders-0");
    fs::create_dir(&partition).unwrap();
    let paths = [partition.as_path(), directory.path()];
    for path in paths {
        let outcome = run(args, &[path]).ended_with(0);
        assert!(only_line(&outcome, &partition).contains("note: no Kafka file"));
    }
    let stray = partition.join("backup");
    fs::create_dir(&stray).unwrap();
    for path in paths {
        let outcome = run(args, &[path]).ended_with(0);
        let partition = partition.display();
        let note = format!("{partition}: note: no Kafka file");
        assert!(outcome.stderr.lines().any(|line| line.starts_with(&note)));
    }
}

pub(super) fn fifo(args: &[&str]) {
    let directory = copies(&[(SOUND, "file/00000000000000000000.log")]);
    let file = directory.path().join("file/00000000000000000000.log");
    let bytes = fs::read(&file).unwrap();
    let from_file = run(args, &[&file]).ended_with(0);
    for name in ["00000000000000000000.log", "fifo"] {
        let fifo = make_fifo(directory.path(), name);
        let from_fifo = std::thread::scope(|scope| {
            scope.spawn(|| fs::write(&fifo, &bytes));
            run(args, &[&fifo]).ended_with(0)
        });
        let expected = from_file
            .text()
            .replace(file.to_str().unwrap(), fifo.to_str().unwrap());
        assert_eq!(from_fifo.text(), expected);
    }
}

pub(super) fn nothing_inside(args: &[&str]) {
    let directory = tempfile::tempdir().unwrap();
    for name in ["5.log", "5.index", "5.timeindex", "5.txnindex"] {
        let file = directory.path().join(name);
        fs::write(&file, "").unwrap();
    }
    let log = directory.path().join("5.log");
    for path in [Path::new("/dev/null"), &log, directory.path()] {
        let outcome = run(args, &[path]).ended_with(0);
        assert_eq!(outcome.stderr, "");
    }
}

pub(super) fn unreadable(args: &[&str]) {
    let directory = copies(&[
        (SOUND, "a.log"),
        (SOUND, "b.log"),
        (SOUND, "inside-0/0.log"),
    ]);
    let [closed, open, inside] = ["a.log", "b.log", "inside-0"].map(|n| directory.path().join(n));
    set_mode(&closed, 0o000);
    set_mode(&inside, 0o000);
    let alone = run(args, &[&open]).ended_with(0);
    for refused in [&closed, &inside] {
        let paths = [refused, &open].into_iter();
        let run = paths.fold(Run::new(args).unprivileged(), Run::arg);
        let outcome = run.outcome().ended_with(3);
        let line = only_line(&outcome, refused);
        assert!(line.contains("Permission denied"), "{line}");
        assert!(line.contains("; "), "it does not say what to do: {line}");
        assert_eq!(outcome.text(), alone.text());
    }
    let dangling = directory.path().join("dangling.log");
    std::os::unix::fs::symlink("nowhere", &dangling).unwrap();
    let outcome = run(args, &[&dangling, &open]).ended_with(3);
    only_line(&outcome, &dangling);
    assert_eq!(outcome.text(), alone.text());
    set_mode(&inside, 0o755);
}

pub(super) fn links_in_a_circle(args: &[&str]) {
    let directory = copies(&[(SOUND, "orders-0/00000000000000000000.log")]);
    let root = directory.path();
    std::os::unix::fs::symlink("..", root.join("orders-0/loop-0")).unwrap();
    std::os::unix::fs::symlink(".", root.join("loop-1")).unwrap();
    std::os::unix::fs::symlink("self.log", root.join("self.log")).unwrap();
    run(args, &[root]).ended_with(3);
    let outcome = run(args, &[&root.join("self.log")]).ended_with(3);
    only_line(&outcome, &root.join("self.log"));
    fs::remove_file(root.join("self.log")).unwrap();
    run(args, &[root]).ended_with(0);
}

pub(super) fn untouched(args: &[&str]) {
    let directory = tempfile::tempdir().unwrap();
    for tree in ["main", "control", "legacy", "crash/unclean"] {
        copy_tree(&testdata(tree), &directory.path().join(tree));
    }
    let before = state(directory.path());
    for tree in ["main", "control", "legacy", "crash/unclean"] {
        for access in [None, Some("--no-mmap")] {
            let run = Run::new(args).arg(directory.path().join(tree));
            let outcome = access.into_iter().fold(run, Run::arg).outcome();
            assert!(matches!(outcome.code, 0 | 1), "{}", outcome.stderr);
        }
    }
    assert!(before == state(directory.path()), "an input has changed");
}

pub(super) fn read_only_directory(args: &[&str]) {
    let directory = copies(&[]);
    let partition = directory.path().join("orders-0");
    copy_tree(&testdata("main/txn-both-0"), &partition);
    let before = run(args, &[&partition]).ended_with(0);
    for entry in fs::read_dir(&partition).unwrap() {
        set_mode(&entry.unwrap().path(), 0o444);
    }
    set_mode(&partition, 0o555);
    let run = Run::new(args).arg(&partition).unprivileged();
    let outcome = run.outcome().ended_with(0);
    assert_eq!(outcome.text(), before.text());
    set_mode(&partition, 0o755);
}

pub(super) fn odd_names(args: &[&str]) {
    let directory = tempfile::tempdir().unwrap();
    let long = "x".repeat(251) + ".log";
    let deep = ["y".repeat(250).as_str(); 14].join("/") + "/5.log";
    let names: [&[u8]; 9] = [
        b"with space.log",
        b"a,b.log",
        b"caf\xe9-\xff.log",
        b"--exit-zero.log",
        b"new\nline.log",
        "\u{65e5}\u{672c}.log".as_bytes(),
        b"00000000000000000007-2bCZTqVkSLe-oRgDv1Yg3g.log",
        long.as_bytes(),
        deep.as_bytes(),
    ];
    let sound = fs::read(testdata(SOUND)).unwrap();
    for name in names {
        let path = directory.path().join(OsStr::from_bytes(name));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &sound).unwrap();
        let outcome = run(args, &[&path]).ended_with(0);
        assert_eq!(outcome.stderr, "");
        // Relative, where a name may look like an option.
        let run = Run::new(args).dir(directory.path()).arg("--");
        run.arg(OsStr::from_bytes(name)).outcome().ended_with(0);
    }
}

pub(super) fn exit_zero(args: &[&str]) {
    let damaged = testdata(CUT);
    let outcome = run(args, &[&damaged]).ended_with(1);
    let only_line = only_line(&outcome, &damaged);
    let quiet = Run::new(args).arg(&damaged).arg("-q");
    let quiet = quiet.outcome().ended_with(1);
    assert_eq!(quiet.stderr.trim_end(), only_line);
    let zero = Run::new(args).arg(&damaged).arg("--exit-zero");
    let zero = zero.outcome().ended_with(0);
    assert_eq!(
        (zero.text(), &zero.stderr),
        (outcome.text(), &outcome.stderr)
    );
    // Before the command's name too.
    let early = args.iter().fold(Run::new(["--exit-zero"]), Run::arg);
    early.arg(&damaged).outcome().ended_with(0);
    let absent = Run::new(args).arg("--exit-zero").arg("absent.log");
    absent.arg(&damaged).outcome().ended_with(3);
}
