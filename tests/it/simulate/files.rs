//! Scenario files: what may go wrong with one, and that it hides no other.

use std::fs;
use std::path::Path;

use super::{builtin, simulate, simulated};
use crate::contract::make_fifo;
use crate::program::{set_mode, state};

const BARRIER: [&str; 2] = ["--strategy", "barrier"];

#[test]
fn a_file_a_fifo_and_standard_input_are_the_same() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("mine.json");
    fs::write(&file, builtin("chain")).unwrap();
    let built_in = simulated(&["--builtin", "chain", "--strategy", "barrier"]).ended_with(0);
    let before = state(directory.path());
    let from_file = simulate(&BARRIER).arg(&file).outcome().ended_with(0);
    assert_eq!(before, state(directory.path()));
    assert_eq!(from_file.text(), built_in.text());
    let from_stdin = simulate(&BARRIER)
        .arg("-")
        .outcome_with(builtin("chain").into());
    assert_eq!(from_stdin.ended_with(0).text(), built_in.text());
    let fifo = make_fifo(directory.path(), "fifo");
    let from_fifo = std::thread::scope(|scope| {
        scope.spawn(|| fs::write(&fifo, builtin("chain")));
        simulate(&BARRIER).arg(&fifo).outcome().ended_with(0)
    });
    assert_eq!(from_fifo.text(), built_in.text());
}

#[test]
fn what_cannot_be_read_ends_with_3_and_hides_no_other() {
    let directory = tempfile::tempdir().unwrap();
    set_mode(directory.path(), 0o755);
    let path = |name: &str| directory.path().join(name);
    fs::write(path("sound.json"), builtin("chain")).unwrap();
    fs::write(path("empty.json"), "").unwrap();
    fs::write(path("latin.json"), b"{\"name\": \"\xe9\"}").unwrap();
    fs::write(path("long.json"), " ".repeat((1 << 20) + 1)).unwrap();
    fs::write(path("deep.json"), "[".repeat(100_000)).unwrap();
    fs::write(path("closed.json"), builtin("chain")).unwrap();
    set_mode(&path("closed.json"), 0o000);
    std::os::unix::fs::symlink("loop.json", path("loop.json")).unwrap();
    let sound = path("sound.json");
    let alone = simulate(&BARRIER)
        .arg(&sound)
        .arg(&sound)
        .outcome()
        .ended_with(0);
    for (wrong, told) in [
        (path("absent.json"), "No such file"),
        (directory.path().to_owned(), "is a directory"),
        (path("closed.json"), "Permission denied"),
        (path("loop.json"), "symbolic links"),
        (path("empty.json"), "line 1: EOF while parsing a value"),
        (path("latin.json"), "not UTF-8 at position 10"),
        (path("long.json"), "longer than 1048576 bytes"),
        (
            path("deep.json"),
            "line 1: a list in brackets stands where an object",
        ),
        (
            Path::new("/dev/null").to_owned(),
            "line 1: EOF while parsing a value",
        ),
        (
            Path::new("/dev/zero").to_owned(),
            "longer than 1048576 bytes",
        ),
    ] {
        let run = simulate(&BARRIER).unprivileged();
        let run = [&sound, &wrong, &sound]
            .iter()
            .fold(run, |run, path| run.arg(path));
        let outcome = run.outcome().ended_with(3);
        assert_eq!(outcome.text(), alone.text());
        let line = outcome.stderr.trim_end();
        assert_eq!(line.lines().count(), 1, "{line}");
        assert!(
            line.contains(told) && line.contains(wrong.to_str().unwrap()),
            "{line}"
        );
    }
}

#[test]
fn nothing_but_unreadable_files_leaves_json_whole() {
    let outcome = simulated(&["absent.json", "--format", "json"]).ended_with(3);
    assert_eq!(outcome.text(), "{\"schema\":1,\"seed\":1,\"runs\":[]}\n");
    assert_eq!(simulated(&["absent.json"]).ended_with(3).text(), "");
}

#[test]
fn files_and_built_in_scenarios_stand_beside_each_other() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("mine.json");
    fs::write(&file, builtin("chain").replace("\"chain\"", "\"mine\"")).unwrap();
    let run = simulate(&["--builtin", "failback"]).arg(&file);
    let outcome = run.outcome().ended_with(0);
    let rows: Vec<_> = outcome
        .text()
        .lines()
        .filter_map(|line| line.split(' ').next())
        .filter(|word| ["failback", "mine"].contains(word))
        .collect();
    assert_eq!(rows, ["failback", "mine"]);
}
