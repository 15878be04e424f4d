//! The contract of every command: help, wrong options, and a stdout that takes no more.

use std::io::Read;
use std::path::Path;

use crate::program::Run;

/// The lines of the help under `Examples:`.
fn examples(help: &str) -> Vec<&str> {
    let after = help.split("\nExamples:\n").nth(1).unwrap_or_default();
    after
        .lines()
        .map_while(|line| line.strip_prefix("  "))
        // A long one goes on in the next line.
        .filter(|line| line.starts_with("kfsck "))
        .collect()
}

pub(super) fn help(args: &[&str]) {
    let long = Run::new(args).arg("--help").outcome().ended_with(0);
    assert_eq!(long.stderr, "");
    let examples = examples(long.text());
    assert!(examples.len() >= 3, "{}", long.text());
    for example in examples {
        let named: Vec<_> = example
            .split_whitespace()
            .skip(1)
            .take(args.len())
            .collect();
        assert_eq!(named, args, "{example}");
    }
    let short = Run::new(args).arg("-h").outcome().ended_with(0);
    assert_eq!(short.stderr, "");
    assert!(short.text().contains("Usage: kfsck"), "{}", short.text());
    assert!(short.text().lines().count() <= long.text().lines().count());
    let verb = args.iter().fold(Run::new(["help"]), Run::arg);
    let verb = verb.outcome().ended_with(0);
    assert_eq!(verb.text(), long.text());
}

pub(super) fn version(args: &[&str]) {
    let version = env!("CARGO_PKG_VERSION");
    for option in ["--version", "-V"] {
        let outcome = Run::new(args).arg(option).outcome().ended_with(0);
        assert!(outcome.text().starts_with("kfsck"), "{}", outcome.text());
        assert!(outcome.text().trim_end().ends_with(version));
        assert_eq!(outcome.stderr, "");
    }
}

pub(super) fn wrong_option(args: &[&str]) {
    // Whoever opens a FIFO without a writer waits for ever.
    let directory = tempfile::tempdir().unwrap();
    let fifo = make_fifo(directory.path(), "waits.log");
    for option in ["--nope", "--color=sometimes", "-Z"] {
        let run = Run::new(args).arg(option).arg(&fifo);
        let outcome = run.outcome().ended_with(2);
        assert_eq!(outcome.text(), "");
        let named = option.split('=').next_back().unwrap();
        assert!(outcome.stderr.contains(named), "{}", outcome.stderr);
        assert!(outcome.stderr.contains("--help"), "{}", outcome.stderr);
    }
}

pub(super) fn narrow_help(args: &[&str]) {
    let run = Run::new(args).arg("--help").env("COLUMNS", "40");
    let outcome = run.outcome().ended_with(0);
    let before_examples = outcome.text().split("\nExamples:\n").next().unwrap();
    for line in before_examples.lines() {
        // A word that does not fit, such as a path or an option's name, stays whole.
        let is_whole = line.starts_with("Usage: ") || line.split_whitespace().count() <= 4;
        assert!(line.chars().count() <= 40 || is_whole, "{line}");
    }
}

/// Whether these are the commands right below one, which is named like they are.
pub(super) fn are_all(above: &[&str], known: &[&[&str]]) {
    let help = Run::new(above).arg("--help").outcome().ended_with(0);
    let list = help.text().split("\nCommands:\n").nth(1).unwrap();
    let listed: Vec<_> = list
        .lines()
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|name| !name.is_empty() && *name != "help")
        .collect();
    let known: Vec<_> = known.iter().map(|args| args[above.len()]).collect();
    assert_eq!(listed, known);
}

pub(super) fn closed_pipe(args: &[&str]) {
    // Gone from the start.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let outcome = Run::new(args).stdout(writer).outcome().ended_with(0);
    assert_eq!(outcome.stderr, "");
    // Gone after a few bytes.
    let mut child = Run::new(args).start();
    let mut few = [0; 10];
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut few).unwrap();
    drop(stdout);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

pub(super) fn closed_stdout(args: &[&str]) {
    let run = Run::in_shell("exec \"$0\" \"$@\" >&-", args);
    let outcome = run.outcome().ended_with(0);
    assert_eq!((outcome.text(), outcome.stderr.as_str()), ("", ""));
}

pub(super) fn full_device(args: &[&str]) {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let run = Run::in_shell("exec \"$0\" \"$@\" >/dev/full", args);
    let outcome = run.outcome().ended_with(3);
    let lines = outcome.stderr.lines().count();
    assert_eq!(lines, 1, "{}", outcome.stderr);
    assert!(
        outcome.stderr.contains("standard output") && outcome.stderr.contains("No space left"),
        "{}",
        outcome.stderr
    );
}

/// Makes a FIFO; the standard library has no call for it.
pub(crate) fn make_fifo(directory: &Path, name: &str) -> std::path::PathBuf {
    let path = directory.join(name);
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.unwrap().success());
    path
}
